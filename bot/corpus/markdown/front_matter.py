"""What a Markdown file says of itself before its text (YAML between `---`, or TOML between `+++`), and the macros that a book
keeps beside its chapters: mdBook's `book.toml`, the settings of MyST, Jupyter Book and Sphinx.
"""

import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath

from bot.corpus.decode import language_code
from bot.corpus.siblings import Files, RecordingFiles, SiblingFiles

_YAML = re.compile(r"\A\ufeff?---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_TOML = re.compile(r"\A\ufeff?\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*(?:\n|\Z)", re.S | re.M)
_LONGEST = 100_000  # characters; a longer one is no front matter
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?=[-_]|\Z)")
# The names under which static sites, Pandoc, Quarto, MyST and wikis keep these.
_LANGUAGES = ("lang", "language", "locale")
_LICENCES = ("license", "licence", "rights", "copyright")
_ADDRESSES = ("source_url", "canonical_url", "canonical", "original_url", "url", "source", "link", "github")
_STATEMENTS = frozenset("definition theorem lemma proposition corollary law proof axiom property concept term".split())
# `\bold:{\mathbf{#1}}`, one in a line, as KaTeX's plugin for mdBook reads them.
_LINE = re.compile(r"^[ \t]*(\\[A-Za-z]+)[ \t]*:[ \t]*\{(.*)\}[ \t]*$", re.M)
_SETTINGS = ("_config.yml", "myst.yml", "_quarto.yml", "mkdocs.yml")
_DEEPEST = 12


def split(text: str) -> tuple[dict[str, object], str]:
    """Return the fields of the front matter and the text behind it; no fields where there is none or it is damaged."""
    head = text[:_LONGEST]
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
    """Return the fields of a YAML text, none where it is damaged."""
    import yaml

    try:
        fields = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError):  # ValueError: a date that is none
        return {}
    return {str(key): value for key, value in fields.items()} if isinstance(fields, dict) else {}


def string(fields: Mapping[str, object], *names: str) -> str:
    """Return the first of these fields that holds a text, on one line."""
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
    found = _LANGUAGE.match(string(fields, *_LANGUAGES))
    return language_code(found[0]) if found else ""


def licence(fields: Mapping[str, object]) -> str:
    return string(fields, *_LICENCES)


def address(fields: Mapping[str, object]) -> str:
    """Return the address of the document itself, or an empty string."""
    addresses = (string(fields, name) for name in _ADDRESSES)
    return next((found for found in addresses if re.match(r"https?://\S+\Z", found)), "")


def identifiers(fields: Mapping[str, object]) -> tuple[tuple[str, str], ...]:
    """Return the DOI and the arXiv ID of the document itself."""
    doi = re.search(r"10\.\d{4,9}/\S+", string(fields, "doi", "DOI"))
    arxiv = string(fields, "arxiv", "arXiv", "eprint").removeprefix("arXiv:")
    return tuple((scheme, value) for scheme, value in (("arxiv", arxiv), ("doi", doi[0] if doi else "")) if value)


def is_statement(fields: Mapping[str, object]) -> bool:
    """Say whether the file is one entry of a reference work: a definition or theorem that its title names."""
    kinds = (string(fields, "layout", "type", "kind", "category").lower(), *(key.lower() for key in fields))
    return bool(_STATEMENTS.intersection(kinds)) and bool(string(fields, "title"))


def macros_beside(siblings: SiblingFiles) -> dict[str, object]:
    """Return the macros that hold for a document, those of a nearer folder before those of one further up."""
    found: dict[str, object] = {}
    for folder in PurePosixPath(siblings.home).parents:
        key = f"macros of {folder}"
        own = siblings.files.memo.get(key)
        if not isinstance(own, dict):
            own = siblings.files.memo[key] = _of_folder(folder, siblings)
        found = own | found
    return found


def settings_of(files: Files, names: Iterable[str], further: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return each of the files with those of the folders above it that may say how it is to be read: settings with macros, and `further` names."""
    by_folder: dict[str, tuple[str, ...]] = {}
    found = {}
    for name in names:
        folder = posixpath.dirname(name)
        if folder not in by_folder:
            noted = RecordingFiles(files)
            macros_beside(SiblingFiles(name, noted))
            for above in PurePosixPath(name).parents:
                for file in further:
                    noted.read((above / file).as_posix())
            by_folder[folder] = tuple(noted.found)
        found[name] = by_folder[folder]
    return found


def _of_folder(folder: PurePosixPath, siblings: SiblingFiles) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in _SETTINGS:
        for macros in _mappings(yaml_fields(_text(siblings, folder / name)), 0):
            found |= macros
    try:
        book = tomllib.loads(_text(siblings, folder / "book.toml"))
    except tomllib.TOMLDecodeError:
        return found
    katex = book.get("preprocessor", {}).get("katex", {}) if isinstance(book.get("preprocessor"), dict) else {}
    if isinstance(katex, dict) and isinstance(katex.get("macros"), str):
        found |= dict(_LINE.findall(_text(siblings, folder / katex["macros"])))
    return found


def _text(siblings: SiblingFiles, path: PurePosixPath) -> str:
    data = siblings.read(path.as_posix())
    return data.decode("utf-8", "replace").replace("\r\n", "\n") if data else ""


def _mappings(value: object, depth: int) -> Iterator[Mapping[str, object]]:
    """Yield what stands under the name `macros`, or `math` in settings of MyST, at any depth."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    for name, inner in value.items():
        if name in ("macros", "math") and isinstance(inner, dict):
            yield inner
        yield from _mappings(inner, depth + 1)
