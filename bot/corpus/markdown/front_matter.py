"""What a Markdown file says of itself before its text (YAML between `---`, or TOML between `+++`), and the macros that a book
keeps beside its chapters: mdBook's `book.toml`, the settings of MyST, Jupyter Book, Sphinx, Quarto, bookdown, Docusaurus, Astro and VuePress, layouts of
Jekyll, Hugo, Zola and Sphinx.
"""

import ast
import posixpath
import re
import tomllib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import PurePosixPath
from typing import cast

from bot.corpus.decode import language_code
from bot.corpus.html.tex_delimiters import macros_in
from bot.corpus.siblings import FileCollection, RecordingFiles, SiblingFiles
from bot.corpus.tex_macros import macros_in_text

_YAML = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_TOML = re.compile(r"\A\ufeff?\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.S | re.M)
_MAX_LENGTH = 100_000  # characters; a longer one is not front matter
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?=[-_]|\Z)")
# The names under which static sites, Pandoc, Quarto, MyST and wikis keep these.
_LANGUAGES = ("lang", "language", "locale")
_LICENCES = ("license", "licence", "rights", "copyright")
_ADDRESSES = ("source_url", "canonical_url", "canonical", "original_url", "url", "source", "link", "github")
_STATEMENTS = frozenset("definition theorem lemma proposition corollary law proof axiom property concept term".split())
# `\bold:{\mathbf{#1}}` or `\field:\mathbb{F}`, one in a line, as KaTeX's plugin for mdBook reads them.
_LINE = re.compile(r"^[ \t]*(\\[A-Za-z]+)[ \t]*:[ \t]*(?:\{(.*)\}|(\S.*?))[ \t]*$", re.M)
_SETTINGS = ("_config.yml", "myst.yml", "_quarto.yml", "_metadata.yml", "_output.yml", "mkdocs.yml")
SPHINX_SETTINGS = "conf.py"
_BOOK = "index.Rmd"  # what it says before its text, bookdown takes for the whole book
_PREAMBLE = "preamble.sty"  # of a vault of Obsidian
# Where static sites have what they put around each page, or their scripts of settings: those of MathJax or KaTeX stand in them.
_LAYOUTS = (
    *(
        f"_includes/{name}.html"
        for name in ("mathjax", "katex", "math", "head", "head-custom", "head_custom", "scripts")
    ),
    *(f"_layouts/{name}.html" for name in ("default", "post", "page", "base")),
    *(f"layouts/partials/{name}.html" for name in ("mathjax", "katex", "math", "head", "extend_head")),
    *(f"layouts/_default/{name}.html" for name in ("baseof", "single")),
    *(f"_templates/{name}.html" for name in ("layout", "page")),
    *(f"templates/{name}.html" for name in ("base", "index", "page", "katex", "math")),
    *(f"{site}.config.{ending}" for site in ("docusaurus", "astro", "quartz") for ending in ("js", "ts", "mjs")),
    *(f".{site}/config.{ending}" for site in ("vitepress", "vuepress") for ending in ("js", "ts", "mjs", "mts")),
)
# What a layout takes in: Jekyll's `{% include math.html %}`, Hugo's `{{ partial "math.html" . }}`.
_PARTIAL = re.compile(r"\{%-?\s*include\s+([\w./-]{1,100})|\{\{-?\s*partial(?:Cached)?\s+\"([\w./-]{1,100})\"")
_MAX_PARTIALS = 60  # of one site
# What Quarto, R Markdown, bookdown and MkDocs call files (or text) that stand in front of each page, and the scripts of it.
_INCLUDES = frozenset("include-in-header include-before-body in_header before_body extra_javascript".split())
_TEXT_INCLUDES = frozenset(["header-includes", "text"])
_INCLUDED = re.compile(r"\{\{<\s*include\s+([^\s>]+)\s*>\}\}")
_WITH_INCLUDES = (".qmd", ".rmd")  # of other files nothing but settings is looked for
_MAX_DEPTH = 12
_BOOKS_KEY = "includes with macros"  # of the memo of a collection


def split(text: str) -> tuple[dict[str, object], str]:
    """Return the fields of the front matter and the text after it; no fields if there is none or it is invalid."""
    head = text[:_MAX_LENGTH]
    if found := _TOML.match(head):
        try:
            return tomllib.loads(found[1]), text[found.end() :]
        except tomllib.TOMLDecodeError:
            return {}, text[found.end() :]
    found = _YAML.match(head)
    if not found or not re.search(r"^[\w.\"' -]+:(?:\s|$)", found[1], re.M):
        return {}, text
    return yaml_fields(found[1]), text[found.end() :]


def yaml_fields(text: str) -> dict[str, object]:
    """Return the fields of a YAML text; none if it is invalid."""
    import yaml

    try:
        fields = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date that is none
        return {}
    return {str(key): value for key, value in fields.items()} if isinstance(fields, dict) else {}


def first_text(fields: Mapping[str, object], *names: str) -> str:
    """Return the first of these fields that is a text, on one line; "" if none is."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, Mapping):
            value = next(
                (value[k] for k in ("name", "title", "id", "text", "url") if isinstance(value.get(k), str)), None
            )
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())
    return ""


def language(fields: Mapping[str, object]) -> str:
    """Return the code of the language, or an empty string."""
    found = _LANGUAGE.match(first_text(fields, *_LANGUAGES))
    return language_code(found[0]) if found else ""


def licence(fields: Mapping[str, object]) -> str:
    return first_text(fields, *_LICENCES)


def address(fields: Mapping[str, object]) -> str:
    """Return the address of the document itself, or an empty string."""
    addresses = (first_text(fields, name) for name in _ADDRESSES)
    return next((found for found in addresses if re.match(r"https?://\S+\Z", found)), "")


def identifiers(fields: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the DOI and the arXiv ID of the document itself."""
    doi = re.search(r"10\.\d{4,9}/\S+", first_text(fields, "doi", "DOI"))
    arxiv = first_text(fields, "arxiv", "arXiv", "eprint").removeprefix("arXiv:")
    return tuple((scheme, value) for scheme, value in (("arxiv", arxiv), ("doi", doi[0] if doi else "")) if value)


def is_statement(fields: Mapping[str, object]) -> bool:
    """Say whether the file is one entry of a reference work: a definition or theorem that its title names."""
    kinds = (first_text(fields, "layout", "type", "kind", "category").lower(), *(key.lower() for key in fields))
    return bool(_STATEMENTS.intersection(kinds)) and bool(first_text(fields, "title"))


def sibling_macros(siblings: SiblingFiles) -> dict[str, object]:
    """Return the macros that hold for a document, those of a nearer folder before those of one further up."""
    found: dict[str, object] = {}
    for folder in PurePosixPath(siblings.home).parents:
        key = f"macros of {folder}"
        own = siblings.files.memo.get(key)
        if not isinstance(own, dict):
            own = siblings.files.memo[key] = _folder_settings(folder, siblings)
        found = own | found
    return found


def own_macros(fields: Mapping[str, object], text: str, siblings: SiblingFiles) -> dict[str, object]:
    """Return the macros of the files that a document itself includes; what else stands in those is read with them."""
    folder = PurePosixPath(siblings.home).parent
    found = _included_macros(fields, folder, siblings)
    for name in _INCLUDED.findall(text):
        found |= _file_macros(name, folder, siblings)
    return found


def settings_of_folder(files: FileCollection, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return each of the files with those of the folders above it that may say how it is to be read: settings, which have macros."""
    by_folder: dict[str, tuple[str, ...]] = {}
    found = {}
    for name in names:
        folder = posixpath.dirname(name)
        if folder not in by_folder:
            noted = RecordingFiles(files)
            sibling_macros(SiblingFiles(name, noted))
            by_folder[folder] = tuple(noted.files_read)
        found[name] = by_folder[folder]
        if name.lower().endswith(_WITH_INCLUDES):
            noted = RecordingFiles(files)
            own_macros(*split(_file_text(SiblingFiles(name, files), PurePosixPath(name))), SiblingFiles(name, noted))
            found[name] = tuple(dict.fromkeys((*found[name], *noted.files_read)))
    return found


def _folder_settings(folder: PurePosixPath, siblings: SiblingFiles) -> dict[str, object]:
    found = _sphinx_macros(_file_text(siblings, folder / SPHINX_SETTINGS)) | _macros_of_books(folder, siblings)
    for text in (*_layouts(folder, siblings), _file_text(siblings, folder / _PREAMBLE)):
        found |= _macros_of(text)
    found |= _included_macros(split(_file_text(siblings, folder / _BOOK))[0], folder, siblings)
    for name in _SETTINGS:
        fields = yaml_fields(_file_text(siblings, folder / name))
        found |= _included_macros(fields, folder, siblings)
        for macros in _mappings(fields, 0):
            found |= macros
    try:
        book = tomllib.loads(_file_text(siblings, folder / "book.toml"))
    except tomllib.TOMLDecodeError:
        return found
    katex = book.get("preprocessor", {}).get("katex", {}) if isinstance(book.get("preprocessor"), dict) else {}
    if isinstance(katex, dict) and isinstance(katex.get("macros"), str):
        lines = _LINE.finditer(_file_text(siblings, folder / katex["macros"]))
        found |= {line[1]: line[3] or line[2] for line in lines}
    return found


def _sphinx_macros(text: str) -> dict[str, object]:
    """Return the macros of the settings of Sphinx, which are read and not run: those that its texts define for LaTeX, then those of MathJax."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of backslashes in strings that are not raw
            found = list(ast.walk(ast.parse(text[:_MAX_LENGTH])))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    macros: dict[str, object] = {}
    for node in found:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            macros |= _macros_of(node.value)
    for node in found:
        if isinstance(node, ast.Dict):
            with suppress(ValueError, RecursionError):  # of what is computed
                for mapping in _mappings(ast.literal_eval(node), 0):
                    macros |= mapping
    return macros


def _macros_of_books(folder: PurePosixPath, siblings: SiblingFiles) -> dict[str, object]:
    """Return the macros of the files that documents in a folder include: they hold for the chapters that these include, too."""
    found: dict[str, object] = {}
    for book, included in _includes_with_macros(siblings.files).get(folder, ()):
        siblings.read(book)  # which is noted
        found |= _file_macros(included, folder, siblings)
    return found


def _includes_with_macros(files: FileCollection) -> dict[PurePosixPath, list[tuple[str, str]]]:
    """Return (document, included file) for each file with macros that is included, by the folder of the document."""
    while isinstance(files, RecordingFiles):
        files = files.files
    if _BOOKS_KEY not in files.memo:
        found: dict[PurePosixPath, list[tuple[str, str]]] = {}
        for book in sorted(name for name in files.names if name.lower().endswith(_WITH_INCLUDES)):
            siblings, path = SiblingFiles(book, files), PurePosixPath(book)
            for included in dict.fromkeys(_INCLUDED.findall(_file_text(siblings, path))):
                if _file_macros(included, path.parent, siblings):
                    found.setdefault(path.parent, []).append((book, included))
        files.memo[_BOOKS_KEY] = found
    return cast(dict[PurePosixPath, list[tuple[str, str]]], files.memo[_BOOKS_KEY])


def _layouts(folder: PurePosixPath, siblings: SiblingFiles) -> Iterator[str]:
    """Yield the texts of the layouts of a site, and of what they take in."""
    waiting = list(_LAYOUTS)
    for name in waiting:  # which grows
        text = _file_text(siblings, folder / name)
        for found in _PARTIAL.finditer(text):
            part = f"_includes/{found[1]}" if found[1] else f"layouts/partials/{found[2]}"
            part = part if PurePosixPath(part).suffix else f"{part}.html"
            if part not in waiting and ".." not in part and len(waiting) < len(_LAYOUTS) + _MAX_PARTIALS:
                waiting.append(part)
        yield text


def _included_macros(
    fields: object, folder: PurePosixPath, siblings: SiblingFiles, depth: int = 0
) -> dict[str, object]:
    """Return the macros of the files and texts that settings include, at any depth of the settings."""
    found: dict[str, object] = {}
    for key, inner in fields.items() if isinstance(fields, Mapping) and depth < _MAX_DEPTH else ():
        if key in _INCLUDES or key in _TEXT_INCLUDES:
            for each in inner if isinstance(inner, list) else [inner]:
                if isinstance(each, Mapping):
                    found |= _file_macros(first_text(each, "file"), folder, siblings) | _macros_of(
                        str(each.get("text"))
                    )
                elif isinstance(each, str):
                    found |= _macros_of(each) if key in _TEXT_INCLUDES else _file_macros(each, folder, siblings)
        else:
            found |= _included_macros(inner, folder, siblings, depth + 1)
    return found


def _file_macros(name: str, folder: PurePosixPath, siblings: SiblingFiles) -> dict[str, object]:
    """Return the macros of an included file: beside the settings, at the root of the book, in the pages of MkDocs."""
    places = (folder / name.lstrip("/"), PurePosixPath(name.lstrip("/")), folder / "docs" / name)
    texts = (
        _file_text(siblings, PurePosixPath(posixpath.normpath(place))) for place in places if name and "://" not in name
    )
    return _macros_of(next(filter(None, texts), ""))


def _macros_of(text: str) -> dict[str, object]:
    return {**macros_in_text(text), **macros_in(text)} if text else {}


def _file_text(siblings: SiblingFiles, path: PurePosixPath) -> str:
    data = siblings.read(path.as_posix())
    return data.decode("utf-8", "replace").replace("\r\n", "\n") if data else ""


def _mappings(value: object, depth: int) -> Iterator[Mapping[str, object]]:
    """Yield what stands under the name `macros` (`Macros` in MathJax 2), or `math` in settings of MyST, at any depth."""
    if not isinstance(value, dict) or depth > _MAX_DEPTH:
        return
    for name, inner in value.items():
        if name in ("macros", "Macros", "math") and isinstance(inner, dict):
            yield inner
        yield from _mappings(inner, depth + 1)
