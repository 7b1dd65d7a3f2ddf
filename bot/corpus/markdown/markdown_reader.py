"""Markdown and Jupyter notebooks to documents: markdown-it reads the blocks and the inline markup, once all mathematics is cut out.

Of a notebook the cells of Markdown and raw text are one text, with the formulas that its code shows; code and its other outputs are left out.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from bot.corpus.decode import decode
from bot.corpus.draft import DocumentFormulas, Draft, NoArticle, collapse_blanks, may_be_term
from bot.corpus.formats import has_mathematics
from bot.corpus.html.mathtags import MARKER
from bot.corpus.markdown import front_matter
from bot.corpus.markdown.front_matter import own_macros, sibling_macros
from bot.corpus.markdown.markdown_math import BLOCK_CLOSE, BLOCK_OPEN, DelimitedFormula, DelimitedMath, Directive
from bot.corpus.markdown.mdx_components import without_components
from bot.corpus.named_statements import NamedStatement, block_kind, is_exercises, is_kind_of_statement, is_summary
from bot.corpus.siblings import SiblingFiles
from bot.corpus.tex_equations import readable_tex, words_alone
from bot.errors import DocumentError
from bot.records import Document, Role

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token


_MAX_TEXT = 16 * 2**20  # characters of one document; a megabyte that is nothing but formulas takes some seconds
_MAX_NESTING = 100  # lists count twice; in an outliner all text stands in nested lists
_MAX_INLINE_LENGTH = 50_000  # characters of a paragraph whose markup is read; beyond, only marks are taken off
_SET = re.compile(r"\\[sS]et\s*\{")  # of braket, which MathJax and KaTeX have
_BLOCK = re.compile(rf"{BLOCK_OPEN}(\d+){BLOCK_OPEN}|{BLOCK_CLOSE}")
# Indented blocks of MkDocs: `!!! theorem "Bayes"`, and a tab, `=== "Euler"`.
_ADMONITION = re.compile(r"( *)(?:(?:!!!|\?\?\?\+?)[ \t]+([\w-]+)[^\"]*|===[!+]?[ \t]+(?=\"))(?:\"([^\"]*)\")?")
_FOOTNOTE = re.compile(r"^[ \t]*\[\^[^\]\n]{1,80}\]:[ \t]*", re.M)
_FOOTNOTE_MARK = re.compile(r"\[\^[^\]\n]{1,80}\]")
_NOTE = r"[^\[\]\n]|\n(?![ \t]*\n)"
_INLINE_NOTE = re.compile(rf"\^\[((?:{_NOTE}|\[(?:{_NOTE}|\[(?:{_NOTE}){{0,300}}\]){{0,500}}\]){{1,3000}})\]")
_SECTION = re.compile(r"^(?=#{1,6}[ \t])", re.M)
_CITATION = re.compile(r"[ \t]?\[-?@[^\[\]\n]{1,300}\]")
_CITED = re.compile(r"(?<![\w@/.+\\`-])-?@[A-Za-z]\w*(?:[:.-]\w+)*")
_TEX_FONT = re.compile(
    r"\\(?:emph|underline|text(?:bf|it|rm|sf|tt|sc))\{([^{}\n]{0,500})\}|\{\\(?:em|bf|it|rm|sf|sl|sc|tt)[ \t]+([^{}\n]{0,500})\}"
)
# What bookdown makes of the theorems of a chapter that it has knitted; the second brackets of the label are the title.
_KNITTED = re.compile(
    r"\\BeginKnitrBlock\{(?P<kind>\w{1,40})\}(?:\\iffalse\{[^{}]{0,2000}\}\\fi\{\})?(?:<div\b[^<>]{0,200}>)?(?:\\iffalse\{\}\s*)?"
    r"(?:\s*<span\b[^<>]{0,200}>\s*<(?:strong|em)>(?:\(\\?#[^()<>]{0,100}\))?[^()<>]{0,100}(?:\((?P<title>[^()<>]{0,100})\))?[^<>]{0,100}</(?:strong|em)>\s*</span>)?(?:\s*\\fi\{\})?"
    r"|(?:</div>\s*)?\\EndKnitrBlock\{\w{1,40}\}"
)
# Statements as LaTeX has them, and blocks of Maruku (nLab): `+-- {: .num_defn}`, a heading that says what it is, `=--`.
_STATEMENT = re.compile(
    r"^[ \t]*\\(?P<end>begin|end)\{(?P<kind>theorem|thm|lemma|lem|proposition|prop|corollary|cor|definition|defn|axiom|conjecture|claim|fact|assumption|property|notation|remark|example|exercise|proof)[*_]?\}"
    r"[ \t]*(?:\[(?P<title>(?:[^\[\]\n]|\[[^\[\]\n]{0,200}\]){0,400})\])?(?:[ \t]*\\label\{[^{}\n]{0,200}\})?",
    re.M,
)
_MARUKU = re.compile(
    r"^(?:(?P<end>=)--[ \t]*$|\+--[ \t]*(?:\{:(?:[^{}\n]*?\.(?:num_|un_)?(?P<kind>theorem|lemma|prop|cor|defn|remark|example|proof)\b)?[^{}\n]*\})?[ \t]*$"
    r"(?:\n\s*#{3,6}[ \t]*(?:Theorem|Lemma|Proposition|Corollary|Definition|Remark|Example|Proof)s?\b[ \t.:]*(?:\((?P<title>[^()\n]*)\))?[ \t#]*$)?)",
    re.M,
)
_KINDS = {"thm": "theorem", "lem": "lemma", "prop": "proposition", "cor": "corollary", "defn": "definition"}
_TEX_CITATION = re.compile(r"\\[cC]ite\w*(?:\[[^\[\]\n]*\])*\{[^{}\n]*\},?[ \t]*")
_FIGURE_LABEL = re.compile(r"\(\\#[a-z]{2,5}:[\w:.-]{1,100}\)[ \t]*")
_POINTER = re.compile(r"\[[^\[\]\n]{1,300}\]\{reference-type=[^{}\n]{0,300}\}")
_ATTRIBUTES = re.compile(
    r"[ \t]*\{(?::[ \t]*[.#]?|[.#]|[ \t]+[.#](?=[A-Za-z]))[^{}\n]{0,300}\}|(?<=[\])])\{[ \t]*[\w-]+[ \t]*=[^{}\n]{0,300}\}"
    r"|[ \t]*\{-(?:[ \t]*[.#][^{}\n]{0,300})?\}|[ \t]+\{[ \t]*[A-Za-z][\w-]{0,60}=(?:\"[^\"\n{}]{0,300}\"|'[^'\n{}]{0,300}')[^{}\n]{0,300}\}[ \t]*$",
    re.M,
)
_CELL_BREAK = re.compile(r"^\+\+\+(?:[ \t]*\{[^\n]*)?$", re.M)
_TARGET = re.compile(r"^[ \t]*\([\w.:/+-]{2,200}\)=[ \t]*(?:\n|\Z)", re.M)  # of a reference, in MyST
# What Obsidian writes: `![[picture.png]]`, `[[page|shown]]`, `==marked==`, `%% remark %%`, ` ^the-id-of-a-block`.
_EMBEDDED = re.compile(
    r"!\[\[[^\[\]\n]{1,300}\]\]|\[\[![a-z]+ [^\[\]\n]{1,300}\]\]|%%[^%]{0,5000}%%"
    r"|(?:^|(?<=[ \t]))\^(?:[A-Za-z][\w-]{1,40}|[\da-f]{6})[ \t]*$",
    re.M,
)
_WIKI_LINK = re.compile(
    r"\[\[(?=[^\[\]\n]*(?:[^\W\d_]|#\^))(?:(?:[^\[\]|\n]|\[[^\[\]|\n]{0,80}\]){0,300}\||#(?!\^))?([^\[\]|#\n]{1,300})(?:#[^\[\]|\n]{0,300})?\]\](?!\([^()\s]*\))"
)
_LINK_TO_BLOCK = re.compile(r"\[\[#\^[\w-]{1,80}\]\]")
# What Logseq keeps beside a block: `id:: 63b`, `collapsed:: true`; how it refers to one, and marks of its own within text.
_PROPERTY_NAME = (
    r"(?:id|collapsed|(?:card|hl|query|ls|logseq|template|file|background)[\w.-]*|alias|type|public|tags?|icon|heading|title"
    r"|deck|created-at|updated-at|exclude-from-graph-view)"
)
_PROPERTY = re.compile(
    rf"^(?:(?P<item>[ \t]*[-*+][ \t]+){_PROPERTY_NAME}::(?:[ \t][^\n]*)?$|[ \t]*{_PROPERTY_NAME}::(?:[ \t][^\n]*)?(?:\n|\Z))",
    re.M,
)
_BELOW_HEADING = re.compile(r"^#{1,6}[ \t][^\n]*\n\t- ", re.M)
_BLOCK_REFERENCE = re.compile(r"\(\([0-9a-f]{8}-[0-9a-f-]{27}\)\)")
_CLOZE = re.compile(r"\{\{cloze[ \t]+([^{}\n]{1,2000})\}\}")
_MARKED = re.compile(r"\^\^(?=\S)([^^\n]{1,500})(?<=\S)\^\^")
_EMBEDDED_BLOCK = re.compile(r"\{\{(?:embed|query|renderer)[^{}\n]{0,500}\}\}")
# Tags at the end of a line, and lines of Org in Markdown
_TAGS = re.compile(r"(?:(?:^|(?<=[ \t]))#(?:[^\W\d_][\w/-]*|\[\[[^\[\]\n]{1,100}\]\])[ \t]*){1,20}$", re.M)
_ORG_LINE = re.compile(r"^([ \t]*(?:[-*+][ \t]+)?)#\+(?:(?:BEGIN|END)_\w+|\w+:)[^\n]*$", re.M | re.I)
_STRUCK = r"(?<!~)~~(?=[^\s~])[^~\n]{0,500}(?<=\S)~~(?!~)"
_DELETED = re.compile(rf"\[{_STRUCK}\]|\({_STRUCK}\)|{_STRUCK}|<(del|s)>[^<\n]{{0,500}}</\1>")
_HIGHLIGHT = re.compile(r"==(?=\S)([^=\n]{1,500})(?<=\S)==")
_CALLOUT = re.compile(r"\[!([\w-]+)(?:\|[^\]\n]*)?(?:[ \t]+([^\]\n]*))?\][+-]?[ \t]*([^\n]*)\n?")
_TEX_INDEX = re.compile(r"\\index\{(?:[^{}\n]|\{[^{}\n]{0,200}\}){0,400}\}")
_TEX_REFERENCE = re.compile(r"\\+(?:eqref|ref|cref|Cref|autoref)\s*\{[^{}\n]{0,200}\}|\\+@ref\([\w:.-]{1,200}\)")
# What sets the text in print only, alone in a line or in the row of a table, or breaks a line
_TEX_LAYOUT = re.compile(
    r"^[ \t|]*\\(?:tiny|scriptsize|footnotesize|small|normalsize|large|Large|newpage|clearpage|pagebreak|noindent|centering|(?:small|med|big)skip|[vh]space\*?\{[^{}\n]{1,40}\})[ \t|]*$"
    r"|(?<!\\)\\(?:newline|linebreak|newpage|pagebreak)[ \t]*$",
    re.M,
)
_TEX_LABEL = re.compile(r"\\+label\{[^{}\n]{0,200}\}")
_TAG = re.compile(r"<(/?)([a-zA-Z][\w-]*)\b[^<>]*>")
_BLOCK_TAGS = frozenset(
    "p div li ul ol table tr blockquote section details summary center figure br dd dt dl h1 h2 h3 h4 h5 h6".split()
)
_VOID_TAGS = frozenset("br hr img input source wbr col embed area".split())
_SCRIPT_TAGS = {"sub": "_", "sup": "^"}
_WIDE_ROW = re.compile(r"[^\n]{20000,}")  # no table that anybody wrote; markdown-it needs long for it
_MARKS = re.compile(r"[*_]{1,3}|!?\[|\]\([^()\n]{0,2000}\)|\]|^#{1,6}\s", re.M)
_LINK_WITH_BLANKS = re.compile(
    r"\[([^\[\]\n]{1,300})\]\([^()<>\n\"']{0,200}[ ][^()<>\n\"']{0,200}\.(?:ipynb|md|html?|pdf)(?:#[^()\s]{0,100})?\)"
)
_LINK = re.compile(r"(?<!!)\[([^\[\]]{1,300})\]\([^()\s]{1,500}\)")
_LEFT_OVER = re.compile(r"\]\([^()\s]{0,300}\)")
_MARKUP = re.compile(r"[*_\[\]<&!`\\]")
# An output in TeX that is a formula and no number, and what words stand in.
_OUTPUT = re.compile(
    r"(?:\$\$?|\\\[|\\\()(?:\s*\\displaystyle(?![A-Za-z]))?([^$]+?)(?:\$\$?|\\\]|\\\))|\\begin\{(?:equation|align|gather|eqnarray|aligned)\*?\}[^$]+",
    re.S,
)
_BOXES = re.compile(r"\\(?:text\w*|mbox|underline|large|Large|begin|end|displaystyle|math\w+)(?:\s*\{[^{}]*\})?")
_SIGN = re.compile(r"[^\W\d_]")
_MAX_OUTPUT_LENGTH = 2000  # characters; what is longer nobody reads
_ENTRY_NAME = re.compile(r"(?=[^\W_a-z])[^\d]{4,}\Z")  # “Teorema de los residuos”, and no “chapter 3”
_EVERYWHERE = frozenset(["index", "readme", "_index", "_intro"])


def read_markdown(data: bytes, *, path: str, siblings: SiblingFiles) -> Iterator[DocumentFormulas]:
    """Yield the one document of a file. Its title is the front matter's, the first heading of level 1, one that all others stand below, or the file's name."""
    fields, text = front_matter.split(decode(data, path))
    macros = sibling_macros(siblings) | own_macros(fields, text, siblings)
    yield read_texts([text], fields, path, macros)


def read_texts(
    texts: Iterable[str], fields: Mapping[str, object], path: str, macros: Mapping[str, object]
) -> DocumentFormulas:
    """Return a document with its formulas.

    `texts` are its Markdown, each closed in itself; `fields` are what its front matter says, `macros` as in `TexMacros`.
    Raises DocumentError for a text beyond the limit.
    """
    texts = list(texts)
    if sum(map(len, texts)) > _MAX_TEXT:
        raise DocumentError("much_text", most=_MAX_TEXT >> 20, where=path, todo="split")
    math = DelimitedMath()
    if any(_SET.search(text) for text in texts):
        math.macros.load("braket")
    math.macros.add(macros)
    if isinstance(own := fields.get("math"), Mapping):  # as MyST has it
        math.macros.add(own)
    flat = [math.cut_formulas(_with_fences(text.replace("\u200b", ""))) for text in texts]
    draft = Draft(path)
    statement = front_matter.is_statement(fields)
    reader = _MarkdownReader(draft, math)
    title = reader.readable_title(math.cut_formulas(front_matter.first_text(fields, "title")))
    if statement:  # the whole text is one definition or theorem of this name
        reader.name, reader.statement = title, NamedStatement(default=title)
    mdx = path.endswith(".mdx")
    for text in flat:
        reader.read(_without_markup(without_components(text) if mdx else text), mdx=mdx)
        draft.paragraph()
    occurrences = draft.occurrences()
    if not occurrences and math.component_in_words:
        raise NoArticle("equations_in_words", component=math.component_in_words, where=path)
    paper = bool(front_matter.identifiers(fields) or (fields.get("abstract") and fields.get("bibliography")))
    entry = not title and reader.is_entry() and bool(_ENTRY_NAME.match(from_name(path)))
    document = Document(
        id=path,
        title=title or (from_name(path) if entry else reader.title or reader.heading_above_all() or from_name(path)),
        language=front_matter.language(fields) or "en",
        licence=front_matter.licence(fields),
        url=front_matter.address(fields),
        kind="encyclopaedia" if statement or entry else "paper" if paper else "textbook",
        identifiers=front_matter.identifiers(fields),
        opening=draft.opening if statement or entry else "",
    )
    return document, occurrences


def from_name(path: str) -> str:
    """Return a title made from a file's name, or from its folder's where every folder has a file of that name."""
    name = PurePosixPath(path)
    stem = name.parent.name if name.stem.lower() in _EVERYWHERE and name.parent.name else name.stem
    return re.sub(r"[_-]+", " ", stem).strip()


def _with_fences(text: str) -> str:
    """Turn indented blocks (`!!! theorem "Bayes"`) and knitted ones into fenced ones (`::: theorem "Bayes"`)."""
    if "KnitrBlock" in text:
        text = _KNITTED.sub(_fenced, text)
    if "\\end{" in text:
        text = _STATEMENT.sub(_fenced_statement, text)
    if "\n=--" in text:
        text = _MARUKU.sub(_fenced_statement, text)
    if not any(mark in text for mark in ("!!!", "???", '=== "', '===! "', '===+ "')):
        return text
    out: list[str] = []
    open_blocks: list[int] = []  # the columns that the text of open blocks begins at
    for line in text.expandtabs(4).split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        while line.strip() and open_blocks and indent < open_blocks[-1]:
            open_blocks.pop()
            out.append(":::")
        line = line[open_blocks[-1] :] if open_blocks else line
        if found := _ADMONITION.match(line):
            out.append(f'::: {found[2] or "tab"} "{found[3] or ""}"')
            open_blocks.append((open_blocks[-1] if open_blocks else 0) + len(found[1]) + 4)
        else:
            out.append(line)
    return "\n".join((*out, *(":::" for _ in open_blocks)))


def _fenced(knitted: re.Match[str]) -> str:
    return f'\n\n::: {knitted["kind"]} "{knitted["title"] or ""}"\n\n' if knitted["kind"] else "\n\n:::\n\n"


def _fenced_statement(mark: re.Match[str]) -> str:
    if mark["end"] in ("end", "="):
        return "\n\n:::\n\n"
    kind = mark["kind"] or "div"
    return f'\n\n::: {_KINDS.get(kind, kind)} "{_TEX_CITATION.sub("", mark["title"] or "").strip(" ,")}"\n\n'


def _without_markup(flat: str) -> str:
    """Remove markup that no reader sees: footnote marks, citation keys, attributes, TeX references."""
    for marks, clean in _CLEANERS:
        if any(mark in flat for mark in marks):
            flat = clean(flat)
    return flat


def _with_notes_behind(section: str) -> str:
    """Put the notes that stand within the text of a section (`^[so]`, as Pandoc has them) behind it."""
    notes = [" ".join(note.split()) for note in _INLINE_NOTE.findall(section)]
    return "\n\n".join((_INLINE_NOTE.sub("", section), *notes, "")) if notes else section


def _without_marks_of_blocks(flat: str) -> str:
    """Remove what Logseq writes beside its blocks. What stands below a heading is indented there as if it were in a list."""
    # An item without any text would be none, and what is below it code.
    bare, properties = _PROPERTY.subn(lambda found: f"{found['item']}&nbsp;" if found["item"] else "", flat)
    if properties or _BELOW_HEADING.search(flat):
        bare = _SECTION.sub("- ", bare)
    bare = _EMBEDDED_BLOCK.sub("", _BLOCK_REFERENCE.sub("…", bare))
    return _MARKED.sub(r"\1", _CLOZE.sub(r"\1", bare))


# In this order, each for a text with one of its marks
_CLEANERS: tuple[tuple[tuple[str, ...], Callable[[str], str]], ...] = (
    (("|",), partial(_WIDE_ROW.sub, lambda row: row[0].replace("|", " "))),
    (("+++",), partial(_CELL_BREAK.sub, "")),
    (("#",), lambda flat: _TAGS.sub("", _ORG_LINE.sub(r"\1", flat))),
    (("::", "((", "{{", "^^", "\n\t- "), _without_marks_of_blocks),
    (("\\",), partial(_TEX_LAYOUT.sub, "")),
    (("](",), partial(_LINK_WITH_BLANKS.sub, r"\1")),
    (("[[", "%%", "^"), partial(_EMBEDDED.sub, "")),
    (("[[",), lambda flat: _WIKI_LINK.sub(r"\1", _LINK_TO_BLOCK.sub("…", flat))),
    (("~~", "<del", "<s>"), partial(_DELETED.sub, "")),
    ((")=",), partial(_TARGET.sub, "")),
    (("==",), partial(_HIGHLIGHT.sub, r"\1")),
    (("^[",), lambda flat: "".join(map(_with_notes_behind, _SECTION.split(flat)))),
    (("[^",), lambda flat: _FOOTNOTE_MARK.sub("", _FOOTNOTE.sub("\n", flat))),
    (("(\\#",), partial(_FIGURE_LABEL.sub, "")),
    (("@",), lambda flat: _CITED.sub("…", _CITATION.sub("", flat))),
    (("\\index",), partial(_TEX_INDEX.sub, "")),
    (("{",), partial(_TEX_FONT.sub, lambda found: found[1] or found[2] or "")),
    (("{",), lambda flat: _ATTRIBUTES.sub("", _POINTER.sub("…", _TEX_LABEL.sub("", flat)))),
    (("\\",), partial(_TEX_REFERENCE.sub, "…")),
)


@cache
def _parser(*, mdx: bool = False) -> MarkdownIt:
    """Return the parser; in MDX, whose components are indented, an indented line is no code."""
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
    return parser.disable("code") if mdx else parser


class _MarkdownReader:
    """Pours the blocks of a text into a draft. `name` is that of a file that is one definition or theorem."""

    def __init__(self, draft: Draft, math: DelimitedMath) -> None:
        self.draft, self.math, self.name = draft, math, ""
        self.title = ""
        self.headings: list[tuple[int, str]] = []  # of all levels
        self.role: Role = "text"
        self.statement = NamedStatement()
        self.outer: list[tuple[Role, NamedStatement]] = []  # of open directives and tables
        self.exercises = 0  # level of the heading of exercises that we are below, 0 outside
        self.links: dict[str, object] = {}  # the link definitions of the text
        # In Kramdown two dollar signs within a line stand for one.
        self.doubled = not math.single_dollars and any(formula.text_beside == 2 for formula in math.formulas)

    def read(self, flat: str, *, mdx: bool = False) -> None:
        markdown = _parser(mdx=mdx)
        tokens: list[Token] = []
        markdown.block.parse(flat, markdown, self.links, tokens)
        for number, token in enumerate(tokens):
            if token.type == "inline":
                self.inline_block(tokens[number - 1], token)
            elif reader := _BLOCKS.get(token.type):
                reader(self, token)

    # -- blocks -------------------------------------------------------------------------------------------------------
    def inline_block(self, around: Token, token: Token) -> None:
        if around.type == "heading_open":
            self.heading(int(around.tag[1]), token.content)
        elif found := _BLOCK.fullmatch(token.content.strip()):
            self.directive(self.math.blocks[int(found[1])] if found[1] else None)
        elif found := _CALLOUT.match(token.content):
            self.block(found[1], (found[2] or found[3]).strip())
            self.inline(token.content[found.end() :])
        else:
            self.inline(token.content, opens=around.type == "paragraph_open")

    def heading(self, level: int, content: str) -> None:
        joined = "".join(text for _, text in self.emphasis_runs(content))
        name = self.readable_title(joined)
        self.headings.append((level, name))
        if level == 1 and not self.title:
            self.title = name
        if not self.exercises or level <= self.exercises:
            self.exercises = level if is_exercises(name) else 0
        role: Role = "exercise" if self.exercises else "summary" if is_summary(name) else "text"
        if not self.outer:
            self.role, self.statement = role, NamedStatement(default=self.name)
        self.draft.heading(name)
        if MARKER.search(joined):
            self.text(joined)
            self.draft.paragraph()

    def heading_above_all(self) -> str:
        """Return the first heading where there are others, which all stand below it; "" otherwise."""
        (top, name), *others = self.headings or [(0, "")]
        return name if others and all(level > top for level, _ in others) else ""

    def is_entry(self) -> bool:
        """Say whether the first heading tells what follows and not of what, as “Definition”: the file's name says of what."""
        return bool(self.headings) and is_kind_of_statement(self.headings[0][1])

    def readable_title(self, text: str) -> str:
        """Return a title on one line, with its formulas as readable text."""
        return " ".join(MARKER.sub(lambda m: readable_tex(self.math.formulas[int(m[1])].tex), text).split())

    def directive(self, opened: Directive | None) -> None:
        self.draft.paragraph()
        self.save_or_restore_state(opens=opened is not None)
        if opened is not None:
            self.block(opened.kind, opened.title)

    def save_or_restore_state(self, *, opens: bool) -> None:
        """Save role and statement when a block opens; restore them when it ends."""
        if opens:
            self.outer.append((self.role, self.statement))
        elif self.outer:
            self.role, self.statement = self.outer.pop()

    def block(self, kind: str, title: str) -> None:
        """Begin a block of a kind; its title becomes a separate line."""
        self.role, self.statement = block_kind(kind, MARKER.sub("", title), self.role, self.statement)
        if title:
            self.inline(_without_markup(title))
            self.draft.paragraph()

    def quotation(self, token: Token) -> None:
        self.draft.line()
        self.save_or_restore_state(opens=token.nesting > 0)

    def paragraph(self, token: Token) -> None:
        self.draft.line() if token.hidden else self.draft.paragraph()

    def rule(self, token: Token) -> None:
        self.draft.paragraph()
        if not self.outer:
            self.statement = NamedStatement(default=self.name)

    def table(self, token: Token) -> None:
        self.draft.paragraph()
        self.save_or_restore_state(opens=token.nesting > 0)
        if token.nesting > 0:
            self.role, self.statement = "table", NamedStatement()

    def code(self, token: Token) -> None:
        """An indented block is code, unless it holds a formula: text that is indented in a list too far."""
        formulas = (self.math.formulas[int(m[1])] for m in MARKER.finditer(token.content))
        if any(formula.display or "\\" in formula.tex for formula in formulas):
            self.draft.paragraph()
            self.inline(" ".join(token.content.split()))
            self.draft.paragraph()

    def html(self, token: Token) -> None:
        """A block of HTML goes on to a blank line; whole lines between its elements are Markdown, as Pandoc reads them."""
        at, depth, text = 0, 0, _LINK.sub(r"\1", token.content)
        for tag in _TAG.finditer(text):
            self.beside_tags(text[at : tag.start()], outside=at > 0 >= depth)
            at = tag.end()
            if tag[2].lower() in _BLOCK_TAGS:
                self.draft.paragraph()
            if tag[2].lower() not in _VOID_TAGS and not tag[0].endswith("/>"):
                depth += -1 if tag[1] else 1
        self.beside_tags(f"{text[at:]}\n", outside=at > 0 >= depth)

    def beside_tags(self, text: str, *, outside: bool) -> None:
        first, _, lines = text.partition("\n")
        if outside and not first.strip() and lines.strip() and lines.rstrip(" \t").endswith("\n"):
            self.read("\n".join(line.strip() for line in lines.split("\n")))
        else:
            self.text(html.unescape(text.replace("**", "")).replace("\xa0", " "))

    # -- inline markup ------------------------------------------------------------------------------------------------
    def inline(self, content: str, *, opens: bool = False) -> None:
        """Pour in inline markup; where it `opens` a paragraph, words in bold may say what follows."""
        pieces = self.emphasis_runs(content)
        alone = len([text for _, text in pieces if text.strip()]) == 1
        for number, (bold, text) in enumerate(pieces):
            if not bold:
                self.text(text)
                continue
            first = opens and not "".join(before for _, before in pieces[:number]).strip()
            following = pieces[number + 1][1] if number + 1 < len(pieces) else ""
            label = first and self.statement.read_label(MARKER.sub("", text), MARKER.sub("", following))
            name = " ".join(text.split()).rstrip(" :.,;")
            if label or alone or bold == "em" or MARKER.search(text) or not may_be_term(name):
                self.text(text)
            else:
                self.draft.term("defined_term", name)
                self.draft.text(text[len(text.rstrip(" :.,;")) :])

    def emphasis_runs(self, content: str) -> list[tuple[str, str]]:
        """Return inline markup as (kind, text): kind is "strong" or "em" for emphasis, else empty."""
        if not _MARKUP.search(content):
            return [("", content)]
        if len(content) > _MAX_INLINE_LENGTH:
            return [("", _MARKS.sub("", content))]
        markdown = _parser()
        tokens: list[Token] = []
        markdown.inline.parse(content, markdown, self.links, tokens)
        found: list[tuple[str, str]] = []
        parts: list[str] = []
        open_marks: list[str] = []
        for token in tokens:
            if token.type in ("strong_open", "em_open", "strong_close", "em_close"):
                if len(open_marks) == token.nesting < 0 or not open_marks or len(open_marks) == 1 > token.nesting:
                    found.append((open_marks[0] if open_marks else "", "".join(parts)))
                    parts = []
                kind = token.type.partition("_")[0]
                open_marks.append(kind) if token.nesting > 0 else open_marks.pop()
            else:
                parts.append(_visible_text(token))
        found.append((open_marks[0] if open_marks else "", "".join(parts)))
        return [piece for piece in found if piece[1]]

    def text(self, text: str) -> None:
        """Pour in text with its formulas."""
        for n, piece in enumerate(MARKER.split(text)):
            if n % 2:
                self.formula(self.math.formulas[int(piece)])
            else:
                self.add_words(piece)

    def add_words(self, text: str) -> None:
        self.statement.read_text(text)
        text = _LEFT_OVER.sub("", text) if "](" in text else text  # the remains of nested links
        self.draft.text(collapse_blanks(text))

    def formula(self, formula: DelimitedFormula) -> None:
        display = formula.display and not (self.doubled and formula.text_beside)
        hints = self.statement.hints if display else ()
        for tex in formula.equations(display):
            if (words := words_alone(tex, display=display)) is not None:
                self.add_words(f" {words} ")
            else:
                self.draft.formula(tex, display=display, role=self.role, hints=hints)


_BLOCKS: dict[str, Callable[[_MarkdownReader, Token], None]] = {
    "paragraph_open": _MarkdownReader.paragraph,
    "paragraph_close": _MarkdownReader.paragraph,
    **dict.fromkeys(("list_item_open", "list_item_close"), lambda reader, token: reader.draft.line()),
    **dict.fromkeys(("blockquote_open", "blockquote_close"), _MarkdownReader.quotation),
    "hr": _MarkdownReader.rule,
    **dict.fromkeys(("table_open", "table_close"), _MarkdownReader.table),
    **dict.fromkeys(("th_open", "td_open"), lambda reader, token: reader.draft.text(" | ")),
    "tr_open": lambda reader, token: reader.draft.paragraph(),
    "code_block": _MarkdownReader.code,
    "html_block": _MarkdownReader.html,
}


def _visible_text(token: Token) -> str:
    """Return the visible text of an inline token; for a picture its caption if that contains a formula."""
    if token.type == "text":  # marks that stay enclose nothing
        return token.content.replace("**", "").replace("~~", "")
    if token.type in ("text_special", "code_inline"):
        return token.content
    if token.type in ("softbreak", "hardbreak"):
        return "\n"
    if token.type == "html_inline":
        tag = _TAG.fullmatch(token.content)
        name = tag[2].lower() if tag else ""
        return " " if name == "br" else "" if tag and tag[1] else _SCRIPT_TAGS.get(name, "")
    return token.content if token.type == "image" and MARKER.search(token.content) else ""


def read_notebook(data: bytes, *, path: str, siblings: SiblingFiles) -> Iterator[DocumentFormulas]:
    """Yield the one document of a notebook, of format 3 or 4. Raises DocumentError for what is none."""
    try:
        notebook = json.loads(decode(data, path))
    except (ValueError, RecursionError) as error:
        raise DocumentError("no_json", reason=" ".join(str(error).split())[:100], where=path) from None
    if not isinstance(notebook, dict) or not isinstance(cells := _notebook_cells(notebook), list):
        raise DocumentError("no_notebook", where=path)
    texts = [text for text in map(_cell_markdown, cells) if text.strip()]
    metadata = notebook.get("metadata")
    # `language` is the programming language here.
    fields = (
        {str(key): value for key, value in metadata.items() if key != "language"} if isinstance(metadata, dict) else {}
    )
    if texts:
        own, texts[0] = front_matter.split(texts[0])
        fields |= own
    found = read_texts(texts, fields, path, sibling_macros(siblings))
    # In the file as a whole the labels of plots look like formulas.
    if not found[1] and has_mathematics("\n\n".join(texts).encode()):
        raise DocumentError("mathematics_unread", format="notebook")
    yield found


def _shown_formula(output: object) -> str:
    """Return an output of code that is one formula as Markdown, an empty string for any other (a table, a list)."""
    if not isinstance(output, dict):
        return ""
    data = output.get("data", output)  # format 3 has no data
    tex = _source_text(data.get("text/latex", data.get("latex"))).strip() if isinstance(data, dict) else ""
    if len(tex) > _MAX_OUTPUT_LENGTH or not (found := _OUTPUT.fullmatch(tex)) or not _SIGN.search(_BOXES.sub("", tex)):
        return ""
    return f"$${found[1] or tex}$$"


def _source_text(source: object) -> str:
    """Return the text of a notebook field, which is a string or a list of strings."""
    text = "".join(part for part in source if isinstance(part, str)) if isinstance(source, list) else source
    return text if isinstance(text, str) else ""


def _notebook_cells(notebook: dict[str, object]) -> object:
    sheets = notebook.get("worksheets")
    if "cells" not in notebook and isinstance(sheets, list):
        return [
            c for sheet in sheets if isinstance(sheet, dict) for c in sheet.get("cells") or () if isinstance(c, dict)
        ]
    return notebook.get("cells")


def _cell_markdown(cell: object) -> str:
    """Return a cell as Markdown; for a code cell the formulas in its output."""
    if not isinstance(cell, dict):
        return ""
    if cell.get("cell_type") == "code":
        outputs = cell.get("outputs")
        return "\n\n".join(map(_shown_formula, outputs if isinstance(outputs, list) else ()))
    if cell.get("cell_type") not in ("markdown", "raw", "heading"):
        return ""
    text = _source_text(cell.get("source"))
    if cell["cell_type"] == "heading":  # format 3
        level = cell.get("level")
        return f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {text}"
    return text.replace("\r\n", "\n")
