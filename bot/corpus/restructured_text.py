"""reStructuredText to documents: docutils builds the tree; what it does not know of Sphinx's markup is read as text."""

from __future__ import annotations

import io
import posixpath
import re
import textwrap
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, ClassVar

from bot.corpus.decode import decode, is_binary
from bot.corpus.draft import DocumentFormulas, Draft, NoArticle, collapse_blanks, may_be_term
from bot.corpus.html.tex_delimiters import replace_strict_dollars
from bot.corpus.markdown.front_matter import SPHINX_SETTINGS, settings_of_folder, sibling_macros
from bot.corpus.markdown.markdown_math import DelimitedFormula
from bot.corpus.markdown.markdown_reader import from_name
from bot.corpus.named_statements import NamedStatement, block_kind, is_exercises, is_summary
from bot.corpus.siblings import FileCollection, RecordingFiles, SiblingFiles
from bot.corpus.tex_macros import TexMacros
from bot.errors import DocumentError
from bot.records import Document, NameHint, Role

if TYPE_CHECKING:
    from docutils import nodes

_MAX_BYTES = 8 * 2**20  # of one document: docutils reads a megabyte in seconds, and markup made to be slow in many
_DIRECTIVE = re.compile(r"^[ \t]*(?:\.\. )?(?:\|[^|\n]{1,80}\|[ \t]+)?([A-Za-z][\w:+.-]{0,60})::(?:\s|$)", re.M)
_ROLE = re.compile(
    r"(?::([A-Za-z][\w:+.-]{0,60}):`)|(?:`:([A-Za-z][\w:+.-]{0,60}):)|^\.\.[ \t]+default-role::[ \t]*(\S+)", re.M
)
_MATH_OPTION = re.compile(r"^[ \t]*:(label|name|nowrap|no-wrap|class|width|number):.*$", re.M)
_BLANK_LINES = re.compile(r"(\n(?:[ \t]*\n)+)")
_DOLLAR_EXTENSION = re.compile(r"math_?dollar|process_dollars")
_DOLLARS = re.compile(r"(?<![\\$])\$((?:[^$`\\]|\\.)+)\$(?!\$)", re.S)
_DOUBLE_DOLLARS = re.compile(
    r"(?:\A(?P<alone>[ \t]*))?\$\$(?P<tex>(?:[^$`\\]|\\.)*?(?:\\[A-Za-z]|[\^_=])(?:[^$`\\]|\\.)*)\$\$(?(alone)\s*\Z)",
    re.S,
)
_BACKTICKED = re.compile(r"(``.*?``|`[^`]*`)", re.S)
# Words without any sign of mathematics: "So", "which is positive, for example"
_WORDS = re.compile(
    r"(?:[A-Z][a-z]+|and|but|for|or|so|then|thus|where|with)[,:]?|(?=.*?[^\W\d_]{2,}[,;:.]?\s+[^\W\d_]{2,})[^\\^_=<>{}&$+*/|]+",
    re.S,
)
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_ENVIRONMENT = re.compile(r"\s*\\begin\s*\{(?!(?:[bBpvV]?matrix|smallmatrix|array|cases|split|aligned|gathered)\b)")
_ROWS = re.compile(r"\\\\|(?<!\\)&")
# In the cells of a table the sign behind a role that goes on in the next line may open another one.
_ROLE_EDGES = re.compile(r":math:`([^`]{1,2000})(?<!:)`")
_ROLE_BEHIND = re.compile(r"(:math:`[^`]{1,2000}(?<!:)`)(?=\w)")
_ROLE_BEFORE = re.compile(r"(?<=\w):math:`")
_PROLOG = re.compile(r"^rst_(prolog|epilog)\s*=\s*r?(\"{3}|'{3})(.*?)\2", re.M | re.S)
_DEFAULT_ROLE = re.compile(r"^default_role\s*=\s*[\"']([\w:-]+)", re.M)
_NUMBER = re.compile(r"%s|\{number\}|\{name\}")  # what Sphinx puts into the text of a reference
_INCLUDE = re.compile(
    r"^(?P<indent>[ \t]*)\.\. include::[ \t]+(?P<name>[^\s<>|]+)[ \t]*$(?!\n[ \t]+:(?:code|literal|start|end|lines))",
    re.M,
)
_DEFINES = re.compile(rb"\\(?:newcommand|def|DeclareMathOperator)\b")
_MAX_INCLUDED = 50  # files in one document
_TARGET = re.compile(r"\s*<[^<>]*>\Z")
# Directives whose content is code, data or for a program alone.
_NO_TEXT = frozenset(
    "code code-block sourcecode literalinclude highlight plot ipython doctest testcode testoutput testsetup raw include toctree index "
    "graphviz digraph tikz mermaid bibliography contents autosummary automodule autoclass autofunction currentmodule module jupyter-execute program-output "
    "only meta tabularcolumns csv-table-file image only rubric-file sectnum default-role highlightlang parsed-literal productionlist math".split()
)
_POINTS = frozenset("eq numref ref doc any math:numref footcite download label".split())
_SILENT = re.compile(r"(?:foot)?cite(?:[:\w]*)|index|raw|label|program")


def read_restructured_text(data: bytes, *, path: str, siblings: SiblingFiles) -> Iterator[DocumentFormulas]:
    """Yield the one document of a file; its title is its first heading, or its name."""
    if len(data) > _MAX_BYTES:
        raise DocumentError("large", most=_MAX_BYTES >> 20, where=path, todo="split")
    text = _with_repaired_roles(_with_settings(_with_included_files(decode(data, path), siblings), siblings))
    macros = TexMacros()
    macros.add(sibling_macros(siblings))
    draft = Draft(path)
    reader = _RstReader(draft, macros)
    try:
        tree = _tree(text)
    except RecursionError:
        raise DocumentError("nested_blocks", where=path) from None
    reader.read(tree)
    fields = _docinfo(tree)
    document = Document(
        id=path,
        title=reader.title or from_name(path),
        language=fields.get("language", fields.get("lang", "en"))[:2].lower() or "en",
        licence=fields.get("license", fields.get("licence", fields.get("copyright", ""))),
        kind="textbook",
    )
    occurrences = draft.occurrences()
    if not occurrences and reader.defines:
        raise NoArticle("no_mathematics", where=path)
    yield document, occurrences


def _with_repaired_roles(text: str) -> str:
    """Repair roles that docutils would read as text: blanks inside the backticks, letters next to them."""
    if ":math:`" in text:
        text = _ROLE_EDGES.sub(lambda m: f":math:`{m[1].strip()}`", text)
        text = _ROLE_BEFORE.sub(r"\\ :math:`", _ROLE_BEHIND.sub(r"\1\\ ", text))
    return text


def _with_included_files(text: str, siblings: SiblingFiles) -> str:
    """Return a text with the corpus files it includes: those that define macros or are not documents themselves."""
    left = _MAX_INCLUDED

    def read(text: str, home: str, outer: tuple[str, ...]) -> str:
        def included(found: re.Match[str]) -> str:
            nonlocal left
            name = posixpath.normpath(posixpath.join(posixpath.dirname(home), found["name"]))
            data = siblings.read(name) if left > 0 and name not in outer else None
            if data is None or is_binary(data) or (name.endswith(".rst") and not _DEFINES.search(data)):
                return found[0]
            left -= 1
            return textwrap.indent(read(decode(data, name), name, (*outer, name)), found["indent"])

        return _INCLUDE.sub(included, text)

    return read(text, siblings.home, (siblings.home,)) if "include::" in text else text


def documents(files: FileCollection, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return each of the files with the others of its folder or archive that it is read with: what it includes, settings and macros."""
    found = settings_of_folder(files, names)
    for name in found:
        text = files.read(name) or b""
        if b"include::" in text:
            noted = RecordingFiles(files)
            _with_included_files(text.decode("utf-8", "replace").replace("\r\n", "\n"), SiblingFiles(name, noted))
            found[name] = tuple(dict.fromkeys((*found[name], *noted.files_read)))
    return found


def _with_dollars(text: str, certain: bool) -> str:
    """Turn `$…$` outside of code into a role, as extensions of Sphinx do: where the settings say so, else where it can hardly be anything else."""

    def role(tex: str, display: bool = False) -> str:
        return f"\\ :math:`{tex}`\\ "

    def displayed(found: re.Match[str]) -> str:
        if found["alone"] is None:
            return role(found["tex"])
        lines = textwrap.indent(textwrap.dedent(found["tex"]).strip(), f"{found['alone']}   ")
        return f"{found['alone']}.. math::\n\n{lines}"

    code: int | None = None  # the column that what code belongs to begins at
    parts = _BLANK_LINES.split(text)
    for number, part in enumerate(parts):
        column = len(part) - len(part.lstrip(" \t"))
        if not part.strip() or (code is not None and column > code):
            continue
        opened = _DIRECTIVE.match(part)
        silent = opened and opened[1].lower() in _NO_TEXT
        code = column if silent or (not opened and part.rstrip().endswith("::")) else None
        if "$" in part and not silent and not part.lstrip().startswith(">>>"):
            for at, piece in enumerate(pieces := _BACKTICKED.split(_DOUBLE_DOLLARS.sub(displayed, part))):
                if not at % 2:
                    pieces[at] = (
                        _DOLLARS.sub(lambda m: role(m[1]), piece) if certain else replace_strict_dollars(piece, role)
                    )
            parts[number] = "".join(pieces)
    return "".join(parts)


def _with_settings(text: str, siblings: SiblingFiles) -> str:
    """Return a text with what the settings of Sphinx say of each document: its default role, its prolog and epilog, and dollar signs."""
    nearest = (siblings.read((folder / SPHINX_SETTINGS).as_posix()) for folder in PurePosixPath(siblings.home).parents)
    settings = next(filter(None, nearest), b"").decode("utf-8", "replace").replace("\r\n", "\n")
    if "$" in text:
        text = _with_dollars(text, bool(_DOLLAR_EXTENSION.search(settings)))
    around = {name: body for name, _, body in _PROLOG.findall(settings)}
    role = _DEFAULT_ROLE.search(settings)
    first = f".. default-role:: {role[1]}\n\n" if role else ""
    return f"{first}{around.get('prolog', '')}\n\n{text}\n\n{around.get('epilog', '')}" if settings else text


def _tree(text: str) -> nodes.document:
    from docutils.core import publish_doctree

    _register(text)
    settings = {
        "report_level": 5, "halt_level": 6, "warning_stream": io.StringIO(), "file_insertion_enabled": False, "raw_enabled": False,
        "_disable_config": True, "line_length_limit": 100_000, "smart_quotes": False, "syntax_highlight": "none", "input_encoding": "unicode",
    }  # fmt: skip
    found: nodes.document = publish_doctree(text, settings_overrides=settings)
    return found


def _register(text: str) -> None:
    """Make known to docutils the directives and roles that a text uses: Sphinx's, and those of a project's own."""
    from docutils.parsers.rst import directives, roles

    math, block, silent = _directives()
    directives.register_directive("math", math)
    for name in {*_DIRECTIVE.findall(text)}:
        if name.lower() in _NO_TEXT:
            if name.lower() not in ("math", "default-role", "only", "raw", "meta"):
                directives.register_directive(name, silent)
        elif name not in _OWN_OF_DOCUTILS:
            directives.register_directive(name, block)
        elif name in _WITH_OPTIONS:
            directives.register_directive(name, _directive_with_any_option(name))
    for found in _ROLE.findall(text):
        for name in filter(None, found):
            if name not in "math sub sup subscript superscript emphasis strong literal code title".split():
                roles.register_local_role(name, _role)


_WITH_OPTIONS = ("figure", "table", "list-table", "csv-table")
# Directives that docutils reads as we want them.
_OWN_OF_DOCUTILS = frozenset(
    "figure table list-table csv-table epigraph highlights pull-quote compound container replace unicode date role class line-block header footer target-notes".split()
)


@cache
def _directive_with_any_option(name: str) -> type[object]:
    """Return a directive of docutils that takes any option."""
    from docutils.parsers.rst.directives import images, tables

    kinds = (images.Figure, tables.RSTTable, tables.ListTable, tables.CSVTable)
    own = dict(zip(_WITH_OPTIONS, kinds, strict=True))[name]
    # With those that a theme or extension adds
    return type(own.__name__, (own,), {"option_spec": defaultdict(lambda: lambda value: value, own.option_spec)})


@cache
def _directives() -> tuple[type[object], type[object], type[object]]:
    """Return the directives for mathematics, for any block of text, and for what is left out."""
    from docutils import nodes
    from docutils.parsers.rst import Directive

    class Any_(Directive):  # type: ignore[misc]
        has_content, optional_arguments, final_argument_whitespace = True, 1, True
        option_spec: ClassVar[dict[str, Callable[[str], str]]] = defaultdict(lambda: lambda value: value or "")

    class MathDirective(Any_):
        def run(self) -> list[nodes.Node]:
            text = "\n\n".join(("\n".join(self.arguments), "\n".join(self.content)))
            whole = "nowrap" in self.options or "no-wrap" in self.options
            parts = [text] if whole else _BLANK_LINE.split(_MATH_OPTION.sub("", text).strip())
            found = []
            for number, part in enumerate(parts):
                # What was indented by mistake: words alone, or with formulas of their own
                if ":math:`" in part or (number and _WORDS.fullmatch(part.strip())):
                    found.append(nodes.paragraph("", "", *self.state.inline_text(part, self.lineno)[0]))
                else:
                    found.append(nodes.math_block(part, part))
            return found

    class BlockDirective(Any_):
        def run(self) -> list[nodes.Node]:
            block = nodes.admonition()
            block["kind"], block["title"] = self.name.lower(), " ".join(self.arguments)
            if self.arguments:
                block += nodes.paragraph("", "", *self.state.inline_text(self.arguments[0], self.lineno)[0])
            self.state.nested_parse(self.content, self.content_offset, block)
            return [block]

    class SilentDirective(Any_):
        def run(self) -> list[nodes.Node]:
            # What plots from lines of a session is text with these lines in it.
            session = self.name == "plot" and any(line.lstrip().startswith(">>>") for line in self.content)
            return BlockDirective.run(self) if session else []

    return MathDirective, BlockDirective, SilentDirective


def _role(name: str, rawtext: str, text: str, *_: object, **__: object) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """Read a role of Sphinx as what a reader sees of it."""
    from docutils import nodes, utils

    displayed = utils.unescape(text)
    if _SILENT.fullmatch(name):
        return [], []
    titled = _TARGET.search(displayed)
    displayed = (
        _NUMBER.sub("…", _TARGET.sub("", displayed)) if titled else "…" if name in _POINTS else displayed.lstrip("!~")
    )
    return [nodes.strong(rawtext, displayed) if name == "dfn" else nodes.inline(rawtext, displayed)], []


def _docinfo(tree: nodes.document) -> dict[str, str]:
    from docutils import nodes

    pairs = ((field[0].astext().lower(), field[1].astext()) for field in tree.findall(nodes.field))
    return {name: " ".join(value.split()) for name, value in pairs}


class _RstReader:
    """Pours a tree of docutils into a draft."""

    def __init__(self, draft: Draft, macros: TexMacros) -> None:
        self.draft, self.macros = draft, macros
        self.title = ""
        self.role: Role = "text"
        self.statement = NamedStatement()
        self.defines = False  # there was mathematics that only defines macros

    def read(self, node: nodes.Node) -> None:
        name = type(node).__name__
        if reader := _NODES.get(name):
            reader(self, node)
        elif name == "Text":
            self.text(node.astext())
        elif name not in _LEFT_OUT:
            self.read_children(node)

    def read_children(self, node: nodes.Node) -> None:
        for child in node.children:
            self.read(child)

    def text(self, text: str) -> None:
        squeezed = collapse_blanks(text.replace("\0", ""))
        self.statement.read_text(squeezed)
        self.draft.text(squeezed)

    def paragraph(self, node: nodes.Node) -> None:
        self.draft.paragraph()
        first, *rest = node.children or [None]
        following = rest[0].astext() if rest else ""
        if type(first).__name__ == "strong" and self.statement.read_label(first.astext(), following):
            self.text(first.astext())
            for child in rest:
                self.read(child)
        else:
            self.read_children(node)
        self.draft.paragraph()

    def block(self, node: nodes.Node) -> None:
        self.draft.paragraph()
        self.read_children(node)
        self.draft.paragraph()

    def line(self, node: nodes.Node) -> None:
        self.draft.line()
        self.read_children(node)
        self.draft.line()

    def field(self, node: nodes.Node) -> None:
        """Read a field of a list in the text; what a document says of itself is no part of the text."""
        name, body = node.children
        self.draft.paragraph()
        self.read_children(name)
        self.draft.text(": ")
        for number, child in enumerate(body.children):
            self.read(child) if number or type(child).__name__ != "paragraph" else self.read_children(child)
        self.draft.paragraph()

    def heading(self, node: nodes.Node) -> None:
        from docutils import nodes

        if not isinstance(node.parent, nodes.section | nodes.document):
            self.block(node)
            return
        name = " ".join(node.astext().split())
        self.title = self.title or name
        self.statement = NamedStatement()
        self.draft.heading(name)
        for formula in node.findall(nodes.math):
            self.formula(formula)
            self.draft.paragraph()

    def section(self, node: nodes.Node) -> None:
        before = self.role
        title = next((" ".join(c.astext().split()) for c in node.children if type(c).__name__ == "title"), "")
        self.role = "exercise" if is_exercises(title) else "summary" if is_summary(title) else before
        self.read_children(node)
        self.role = before

    def admonition(self, node: nodes.Node) -> None:
        before = self.role, self.statement
        kind, title = node.get("kind", ""), node.get("title", "")
        self.role, self.statement = block_kind(kind, title, *before)
        self.block(node)
        self.role, self.statement = before

    def block_in_role(self, node: nodes.Node, role: Role) -> None:
        before, self.role = self.role, role
        self.block(node)
        self.role = before

    def row(self, node: nodes.Node) -> None:
        self.draft.paragraph()
        for entry in node.children:
            self.draft.text(" | ")
            for child in entry.children:
                self.read_children(child) if type(child).__name__ == "paragraph" else self.read(child)

    def strong(self, node: nodes.Node) -> None:
        name = " ".join(node.astext().split())
        if any(type(child).__name__ != "Text" for child in node.children) or not may_be_term(name):
            self.read_children(node)
        else:
            self.draft.term("defined_term", name.rstrip(" :.,;"))

    def formula(self, node: nodes.Node) -> None:
        self.add_formula(node.astext(), display=False)

    def display(self, node: nodes.Node) -> None:
        tex = node.astext()
        if _ROWS.search(tex) and not _ENVIRONMENT.match(tex):
            tex = f"\\begin{{split}}{tex}\\end{{split}}"
        self.add_formula(tex, display=True)

    def add_formula(self, tex: str, *, display: bool) -> None:
        self.defines = self.defines or "\\" in tex
        tex = self.macros.expand(tex)
        hints: tuple[NameHint, ...] = self.statement.hints if display else ()
        for one in DelimitedFormula(tex, display).equations(display):
            self.draft.formula(one, display=display, role=self.role, hints=hints)


_NODES: dict[str, Callable[[_RstReader, object], None]] = {
    "title": _RstReader.heading,
    "section": _RstReader.section,
    "paragraph": _RstReader.paragraph,
    "admonition": _RstReader.admonition,
    "table": lambda reader, node: reader.block_in_role(node, "table"),
    "row": _RstReader.row,
    "caption": lambda reader, node: reader.block_in_role(node, "caption"),
    "strong": _RstReader.strong,
    "field": _RstReader.field,
    "math": _RstReader.formula,
    "math_block": _RstReader.display,
    **dict.fromkeys(("list_item", "term", "definition", "line", "attribution"), _RstReader.line),
    **dict.fromkeys(("topic", "sidebar", "legend", "block_quote", "footnote", "rubric", "subtitle"), _RstReader.block),
}
_LEFT_OUT = frozenset(
    "comment substitution_definition system_message target literal_block doctest_block raw footnote_reference citation_reference citation label "
    "docinfo decoration meta image pending problematic".split()
)
