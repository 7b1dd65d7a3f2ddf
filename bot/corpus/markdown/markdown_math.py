r"""Mathematics of a Markdown text cut out before the Markdown is read, as the programs that show it do: no `_` or `*` of it is markup.

Read are `$`, `$$`, `\( \)`, `\[ \]` (also with two backslashes), bare environments, ```` ```math ````, `` $`…`$ ``, roles
and directives of MyST, shortcodes of Hugo, Jekyll and Zola. Code, comments and liquid tags go. Work is bounded: each pattern
looks ahead a limited number of characters.
"""

import html
import re
from dataclasses import dataclass, field

from bot.corpus.html.aligned_rows import is_relation
from bot.corpus.html.mathtags import MARKER_CLOSE, MARKER_OPEN, without_marker_characters
from bot.corpus.markdown.mdx_components import called_formula, formula_component, shows_formula
from bot.corpus.single_dollars import MATHEMATICAL, MAX_INLINE_LENGTH, formula_at_dollar, is_inline_formula, is_prose
from bot.corpus.tex_equations import equations
from bot.corpus.tex_macros import TexMacros, macros_in_text
from bot.formula.tex.tokenizer import KINDS

# Private-use characters, beside those of `mathtags`: a block directive opens as number n of `blocks`, and closes.
BLOCK_OPEN, BLOCK_CLOSE = "\ue004", "\ue005"

_MAX_DISPLAY_LENGTH = 20_000  # characters; a sign that opens more is not a delimiter
_ENVIRONMENTS = (
    r"equation|displaymath|math|align|alignat|xalignat|flalign|gather|multline|eqnarray|dmath|subequations|IEEEeqnarray"
    r"|aligned|gathered|split|cases|[bBpvV]?matrix|array|tikzcd|tikzpicture|circuitikz"
)
_DRAWING = re.compile(r"\\begin\s*\{(?:tikzcd|tikzpicture|circuitikz|pspicture|xy)\}|\\xymatrix(?![A-Za-z])")
_STRING = "|".join(rf"{quote}(?:[^{quote}{{]|\{{(?!\{{))*+{quote}" for quote in "\"'`")  # in which no other call begins
_START = re.compile(
    r"(?P<fence>^(?P<before>[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(?P<ticks>`{3,}(?=[^\n`]*$)|~{3,}|:{3,})[ \t]*(?P<info>[^\n]*)$)"
    r"|(?P<define>\\(?:(?:re)?newcommand|providecommand|[gex]?def|DeclareMathOperator)(?![A-Za-z])(?=\*?\s*\{?\s*\\))"
    r"|(?P<comment><!--)"
    r"|<(?P<raw>pre|code|script|style|textarea|svg)\b[^<>]{0,500}>"
    r"|<(?P<component>[A-Z]\w{0,60})(?=[\s/>])"
    r"|(?P<shortcode>\{\{[<%][^\n]{0,500}?[>%]\}\}|\{%[^\n]{0,2000}?%\})"
    r"|(?P<call>\{\{-?\s*(?P<called>[A-Za-z]\w{0,60})\("
    rf"(?P<arguments>(?:{_STRING}|[^\"'`{{}}()]++)*+)\)\s*-?\}}\}})"
    r"|\$(?P<gitlab>`+)"
    r"|(?:\{(?P<role>[\w:.+-]{1,40})\}|(?<![\w:]):(?P<colonrole>[\w.+-]{1,40}):)(?P<roleticks>`+)"
    r"|(?P<code>`+)"
    rf"|\\begin\s*\{{(?P<environment>(?:{_ENVIRONMENTS})\*?)\}}"
    r"|(?P<display>\$\$)"
    r"|(?P<bracket>\\\\?[\[(])"
    r"|(?P<escape>\\.)"
    r"|(?P<dollar>\$)",
    re.M | re.S,
)
# A shortcode around a formula; those of Zola have their arguments in parentheses and close with `{% end %}`.
_SHORTCODE_NAME = re.compile(r"\{(?:\{[<%]|%)-?\s*(?:(?P<zola>\w{1,60})\(|(?P<name>katex|math|m)\b)")
_DISPLAYED = re.compile(r"display|block\s*=\s*true")
# `{% sidenote "id" "text" %}` or `{% include sidenote.html note="text" %}`, as themes with notes in the margin have them
_MARGIN_NOTE = re.compile(
    r"\{%-?\s*(?:include\s+)?(?:side|margin|foot)-?note(?:\.html)?\s+"
    r"(?:(?:[\w-]{1,60}=)?(?:\"[^\"]*\"|'[^']*'|[\w.-]{1,60})\s+(?=[\w\"']))*+"
    r"(?:[\w-]{1,60}=)?(?P<sign>[\"'])(?P<text>[^\n]*)(?P=sign)\s*-?%\}",
    re.I,
)
_DISPLAY = re.compile(r"\$\$((?:[^$\\]++|\\.|\$(?!\$))++)\$\$", re.S)
# The label of what `$$` displays in MyST: one word behind signs that close a line of their own, or one that no name is, `$$ (eq:mass)`.
_LABEL_BEHIND = re.compile(r"[ \t]*\((?P<label>[A-Za-z][\w:.-]*)\)[ \t]*(?=\n|\Z)")
_NO_NAME = re.compile(r"[:_\d]|[a-z][A-Z]")
_OPTIONS = re.compile(r"\A\s*(?:---\n.*?\n---[ \t]*\n|---\n(?:[\w-]+:[^\n]*\n?)+\Z|(?:[ \t>]*:[\w-]+:[^\n]*\n)+)", re.S)
_COMPUTED = re.compile(r"(?:r|\{\w+\})\s+\S")  # code within a line, of which a reader sees the result
# The same between dollar signs, where it may be GitLab's formula of an r
_COMPUTED_VALUE = re.compile(r"(?:r\s+(?:[A-Za-z.]{3}|[A-Za-z.][\w.]+[(\[$])|\{(?:r|python|julia|ojs)\}\s+\S)[^\\]*")
_COMPUTED_WITHIN = re.compile(rf"`{_COMPUTED.pattern}[^`]*`")
# Between delimiters that are escaped themselves, as Markdown shows `\\(` as `\(`.
_ESCAPED_SIGN = re.compile(r"(?<!\\)\\_")
_ESCAPED_SCRIPT = re.compile(r"\\_(?:\{|[A-Za-z0-9](?![A-Za-z0-9]))")
_UNDERSCORED_NAME = re.compile(r"(?<![\\A-Za-z])[A-Za-z]{2,}\\_|\\_[A-Za-z]{2,}")
_NAME_GROUP = re.compile(r"\\(?:text\w*|math(?:rm|tt|it|sf)|mbox|operatorname\*?)\s*\{[^{}]*\}")
_MARKDOWN_ESCAPE = re.compile(r"\\([_*\\])")
# A formula as Markdown without mathematics wants it, `n\\log a\[i\]`: all commands with two backslashes, or signs that TeX has not.
_DOUBLED_COMMAND = re.compile(r"(?<!\\)(?:\\\\)+([A-Za-z]{2,})")
_SINGLE_COMMAND = re.compile(r"(?<!\\)(?:\\\\)*\\[A-Za-z]")
_ANY_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_NO_TEX = re.compile(r"(?<!\\)\\(?:[\[\]]|<(?!.*\\>))", re.S)
_CERTAIN_ESCAPE = re.compile(r"(?<!\\)\\(?:([\[\]<>*])|(?=\\_))")
_DOUBLED_BRACE = re.compile(r"(?<!\\)\\(?=\\[{}])")
_ESCAPED = re.compile(r"&(?:lt|gt|amp|quot|#\d{1,5}|#x[0-9a-fA-F]{1,4});")
# "=" with the number of the equation that it follows from above it.
_REFERS = r"\\(?:eqref|ref|cref)\s*\{[^{}]*\}"
_OVER = re.compile(
    rf"\\(?:overset|stackrel)\s*\{{(?:[^{{}}]|\{{[^{{}}]*\}})*?{_REFERS}(?:[^{{}}]|\{{[^{{}}]*\}})*\}}\s*(?:\{{([^{{}}]*)\}})?"
)
_POINTER = re.compile(rf"\\(?:text|mbox|textrm)\s*\{{[^{{}}]*{_REFERS}[^{{}}]*\}}|{_REFERS}")
_LETTER_BEFORE = re.compile(r"[^\W_\u2e80-\uffff]")  # beside East Asian letters no blank stands
_TEX_OR_RELATION = re.compile(r"\\|[=<>≤≥≈]")
_BOXED = re.compile(r"\\(?:text\w*|mbox|hbox)\s*\{[^{}]*\}|\\\$")
_QUOTED = re.compile(r"^[ \t]*(?:>[ \t]?)+", re.M)
# Words in bold within a formula; and blanks around a relation that have lost their backslash, `;=;`.
_BOLD_WORDS = re.compile(r"\*\*([A-Za-z]*[A-Za-z]{3}[A-Za-z -]*)\*\*")
_BARE_BLANKS = re.compile(r"(?<!\\);(\s*(?:=|\\[A-Za-z]+)\s*);")
_LABELS = frozenset(
    "label eqlabel name width height begin_tab end_tab cite citet citep footcite index bibliography".split()
)
_REFERENCES = frozenset("eqref numref ref eq prf:ref numcode doc cite:t cite:p footnote".split())
# Fences of these directives of MyST and Pandoc hold text, not code.
_TEXT_DIRECTIVES = re.compile(
    r"(?:prf:|proof:|sd-)?(?:theorem|lemma|proposition|corollary|definition|axiom|conjecture|criterion|observation|property|remark|example|algorithm|proof|assumption"
    r"|exercise\S*|solution\S*|admonition|note|tip|hint|important|warning|caution|attention|danger|error|seealso|version\w+|deprecated"
    r"|toggle|dropdown|details|card(?:-carousel)?|margin|sidebar|topic|epigraph|highlights|pull-quote|blockquote|aside|full-width|container|compound"
    r"|tabs?|tabbed|group-tab|tab-item|tab-set|panels|grid|grid-item(?:-card)?|div|figure(?:-md)?|table|list-table|glossary|abstract|callout-\w+|info"
    r"|success|question|quote|summary|law|equation|formula)"
)
# What stands behind their name is no title: where a picture is, a class, a number of columns.
_WITHOUT_TITLE = frozenset(
    "figure figure-md grid container div toggle tab-set versionadded versionchanged deprecated".split()
)
_OPENING_INFO = re.compile(r"\{(?P<braced>[^{}\n]*)\}\s*(?P<title>.*)|(?P<name>[\w:-]+)\s*(?P<rest>.*)", re.S)


@dataclass(frozen=True, slots=True)
class DelimitedFormula:
    """A formula as its author typed it between delimiters."""

    tex: str
    display: bool
    text_beside: int = 0  # between two dollar signs each: on how many sides text stands in the same line

    def equations(self, display: bool) -> list[str]:
        """Return its equations: what is displayed may be rows; marks that point at other equations are taken off."""
        tex = _POINTER.sub("", _OVER.sub(r"\1", self.tex)) if "ref" in self.tex else self.tex
        return equations(tex, display=display)


@dataclass(frozen=True, slots=True)
class Directive:
    """A block with a name: an admonition, a theorem, a div. `kind` is in small letters."""

    kind: str
    title: str = ""


@dataclass(slots=True)
class DelimitedMath:
    """What was cut out of one text; markers in it count through `formulas` and `blocks`."""

    formulas: list[DelimitedFormula] = field(default_factory=list)
    blocks: list[Directive] = field(default_factory=list)
    macros: TexMacros = field(default_factory=TexMacros)
    single_dollars: bool = False  # a formula stands between single dollar signs
    escaped: bool = False  # `_` and the like are escaped in formulas too, as ox-hugo does
    # The name of a component that says a formula in words, as `<Equation tex="L = r x p" />`
    component_in_words: str = ""
    _next: dict[str, int] = field(default_factory=dict)  # where each closing delimiter next stands

    def cut_formulas(self, text: str) -> str:
        """Return the text with a marker for each formula and block directive, and without code and comments."""
        return self._cut_formulas(without_marker_characters(text))

    def add_formula(self, tex: str, display: bool, text_beside: int = 0) -> str:
        """Store a formula and return its marker; "" for blank TeX and for a drawing, "…" for one with computed values."""
        if _COMPUTED_WITHIN.search(tex):
            return "…"
        if "\\" in tex:
            tex = _MARKDOWN_ESCAPE.sub(r"\1", tex) if self.escaped else _without_escapes(tex, display)
        tex = _BARE_BLANKS.sub(lambda m: rf"\;{m[1]}\;" if is_relation(m[1]) else m[0], tex)
        tex = _BOLD_WORDS.sub(r"\\text{\1}", self.macros.expand(tex))
        if not tex.strip() or _DRAWING.search(tex):
            return ""
        self.formulas.append(DelimitedFormula(tex, display, text_beside))
        return f"{MARKER_OPEN}{len(self.formulas) - 1}{MARKER_CLOSE}"

    def _cut_formulas(self, text: str) -> str:
        before, self._next = self._next, {}
        parts: list[str] = []
        at = 0
        while start := _START.search(text, at):
            parts.append(text[at : start.start()])
            replacement, at = getattr(self, f"_{start.lastgroup}")(text, start)
            parts.append(replacement)
        parts.append(text[at:])
        self._next = before
        return "".join(parts)

    def _end(self, text: str, closing: str, at: int, most: int) -> int:
        """Return where `closing` next stands, -1 where that is more than so many characters away; all searches of a text are one pass."""
        found = self._next.get(closing, 0)
        if found < at:
            found = text.find(closing, at)
            self._next[closing] = found if found >= 0 else len(text) + 1
        return found if at <= found <= at + most and found < len(text) else -1

    # Each returns what stands for what was found, and where reading goes on.

    def _fence(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        ticks, info = start["ticks"], start["info"].strip()
        if ticks[0] == ":" and not info:
            return f"\n\n{BLOCK_CLOSE}\n\n", start.end()
        closing = re.compile(rf"^[ \t>]*{ticks[0]}{{{len(ticks)},}}[ \t]*$", re.M)
        name, title = _fence_name_and_title(info)
        if ticks[0] == ":" and name != "math":
            return self._open(start["before"], name, title), start.end()
        found = closing.search(text, start.end() + 1)
        end, after = (found.start(), found.end()) if found else (len(text), len(text))
        body = text[start.end() + 1 : end]
        if name == "math":
            tex = _without_quote_marks(_OPTIONS.sub("", body), start["before"])
            return start["before"] + self.add_formula(tex, True), after
        if info.startswith("{") and _TEXT_DIRECTIVES.fullmatch(name):
            inside = self._cut_formulas(_OPTIONS.sub("", body))
            return f"{self._open(start['before'], name, title)}{inside}\n\n{BLOCK_CLOSE}\n\n", after
        if name in ("=tex", "=latex"):
            self.macros.add(macros_in_text(body))
        return start["before"], after

    def _open(self, before: str, name: str, title: str) -> str:
        self.blocks.append(Directive(name, "" if name in _WITHOUT_TITLE else self._cut_formulas(title)))
        return f"\n\n{before.strip(' ')}{BLOCK_OPEN}{len(self.blocks) - 1}{BLOCK_OPEN}\n\n"

    def _define(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        return "", self.macros.read_definition(text, start.start())

    def _comment(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        end = self._end(text, "-->", start.end(), len(text))
        return "", end + 3 if end >= 0 else len(text)

    def _raw(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        closing = f"</{start['raw']}>"
        end = self._end(text, closing, start.end(), len(text))
        if end < 0:
            return "", start.end()
        after = end + len(closing)
        if start["raw"] == "script" and "math/tex" in start[0]:
            return self.add_formula(text[start.end() : end], "display" in start[0]), after
        return " ", after

    def _component(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        found = formula_component(text, start.end(), start["component"])
        if found is None:
            return start[0], start.end()
        if not found.tex:
            self.component_in_words = start["component"]
        alone = not _line_before(text, start.start()).strip() and not _line_behind(text, found.end).strip()
        marker = self.add_formula(found.tex, alone if found.display is None else found.display)
        if not found.title or not marker:
            return f" {marker} ", found.end
        return f"{self._open('', 'law', found.title)}{marker}\n\n{BLOCK_CLOSE}\n\n", found.end

    def _shortcode(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        if note := _MARGIN_NOTE.match(start[0]):  # which Markdown has, too
            return f"^[{self._cut_formulas(note['text'])}]" if " " in note["text"] else "", start.end()
        name = _SHORTCODE_NAME.match(start[0])
        if not name or (name["zola"] and not shows_formula(name["zola"])):
            return "", start.end()
        closing = "end" if name["zola"] else "em" if name["name"] == "m" else rf"(?:/|end)\s*{name['name']}"
        found = re.compile(rf"\{{(?:\{{[<%]|%)-?\s*{closing}\s*-?(?:[>%]\}}|%)\}}").search(
            text, start.end(), start.end() + _MAX_DISPLAY_LENGTH
        )
        if not found:
            return "", start.end()
        inside = text[start.end() : found.start()]
        if any(sign in inside for sign in ("$", "\\[", "\\(", "{{<", "{{%", "{%")) or is_prose(inside):
            return "", start.end()
        lines = inside if name["zola"] else inside.strip()
        return self.add_formula(inside, bool(_DISPLAYED.search(start[0])) or "\n" in lines), found.end()

    def _call(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        tex = called_formula(start["called"], start["arguments"])
        return self.add_formula(tex, bool(_DISPLAYED.search(start["arguments"]))), start.end()

    def _gitlab(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        end = self._end(text, f"{start['gitlab']}$", start.end(), MAX_INLINE_LENGTH)
        if end < 0:
            return "$", start.start() + 1
        inside = text[start.end() : end]
        tex = self.add_formula(inside, False) if not _COMPUTED_VALUE.fullmatch(inside) else "…"
        return tex, end + len(start["gitlab"]) + 1

    def _roleticks(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        ticks, name = start["roleticks"], (start["role"] or start["colonrole"]).lower()
        end = _span_end(text, start.end(), len(ticks))
        if end < 0:
            return start[0], start.end()
        inside, after = text[start.end() : end], end + len(ticks)
        if name == "math":
            return self.add_formula(inside, False), after
        if name in _LABELS or name.startswith("cite"):
            return "", after
        if name in _REFERENCES:
            return "…", after
        return re.sub(r"\s*<[^<>]*>\Z", "", inside), after

    def _code(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        end = _span_end(text, start.end(), len(start["code"]))
        if end < 0:
            return start[0], start.end()
        inside = text[start.end() : end]
        if _COMPUTED.match(inside):
            return "…", end + len(start["code"])
        return (f"`{inside}`" if "`" not in inside and "\n" not in inside else " "), end + len(start["code"])

    def _environment(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        closing = f"\\end{{{start['environment']}}}"
        end = self._end(text, closing, start.end(), _MAX_DISPLAY_LENGTH)
        if end < 0:
            return start[0], start.end()
        after = end + len(closing)
        tex = _without_quote_marks(text[start.start() : after], _line_before(text, start.start()))
        return f" {self.add_formula(tex, True)} ", after

    def _display(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        found = _DISPLAY.match(text, start.start(), start.start() + _MAX_DISPLAY_LENGTH)
        if not found or (re.search(r"\n[ \t>]*\n", found[1]) and is_prose(found[1])):
            return "$$", start.end()
        before = _line_before(text, start.start())
        sides = (before.strip(" \t>*-+0123456789.)#"), _line_behind(text, found.end()).strip(" .,;:\t"))
        sides_with_text = 0 if "\n" in found[1] else sum(map(bool, sides))
        label = _LABEL_BEHIND.match(text, found.end(), found.end() + 200)
        closes_line = not found[1].rpartition("\n")[2].strip(" \t>") and "\n" in found[1]
        after = label.end() if label and (closes_line or _NO_NAME.search(label["label"])) else found.end()
        return f" {self.add_formula(_without_quote_marks(found[1], before), True, sides_with_text)} ", after

    def _bracket(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        opening = start["bracket"]
        display, closing = opening[-1] == "[", opening[:-1] + ("]" if opening[-1] == "[" else ")")
        end = self._end(text, closing, start.end(), _MAX_DISPLAY_LENGTH if display else MAX_INLINE_LENGTH)
        inside = text[start.end() : end] if end >= 0 else ""
        after = end + len(closing)
        self.escaped = self.escaped or (len(opening) == 3 and bool(_ESCAPED_SIGN.search(inside)))
        # So is a bracket around text with formulas of its own.
        link = display and (text[after : after + 1] == "(" or (len(opening) == 2 and "$" in _BOXED.sub("", inside)))
        # Or the index of a letter, as programs escape a[i] and f[n + 1].
        index = display and len(opening) == 2 and _LETTER_BEFORE.match(text, start.start() - 1)
        link = link or bool(index and not _TEX_OR_RELATION.search(inside))
        # A bracket behind one backslash may be no more than that: f\(x, y\).
        mathematical = MATHEMATICAL.search(inside) or (len(opening) == 3 and inside.strip())
        if not mathematical or is_prose(inside) or link or (not display and "\n\n" in inside):
            return opening[1:] if len(opening) == 2 else opening, start.end()
        return self.add_formula(_without_quote_marks(inside, _line_before(text, start.start())), display), after

    def _escape(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        return ("&#36;" if start[0] == "\\$" else start[0]), start.end()

    def _dollar(self, text: str, start: re.Match[str]) -> tuple[str, int]:
        at = start.start()
        found = formula_at_dollar(text, at)
        if found and "\n" in found[1] and _line_before(text, at).lstrip(" \t>").startswith("|"):
            found = None  # a formula ends in its row of a table
        if not found or not is_inline_formula(found[1], text[at - 1 : at], text[found.end() : found.end() + 1]):
            return "$", at + 1
        self.single_dollars = True
        return self.add_formula(_without_quote_marks(found[1], _line_before(text, at)), False), found.end()


def _without_escapes(tex: str, display: bool) -> str:
    """Return TeX without what a program or an author escaped in it; a name with underscores, such as `learning_rate`, keeps them."""
    doubled = _DOUBLED_COMMAND.findall(tex)
    known = (f"\\{name}" in KINDS or name == "begin" for name in doubled if name not in ("and", "or"))  # words of a row
    if any(known) and not _SINGLE_COMMAND.search(tex):
        return _ANY_ESCAPE.sub(r"\1", tex)
    if _NO_TEX.search(tex) and not (display and tex.lstrip().startswith(r"\[")):
        tex = _CERTAIN_ESCAPE.sub(r"\1", tex)
    if not display and 0 < tex.count(r"\\{") == tex.count(r"\\}"):
        tex = _DOUBLED_BRACE.sub("", tex)
    if "\\_" not in tex:
        return tex
    bare = _NAME_GROUP.sub("", tex)
    if "_" in bare.replace("\\_", "") or not _ESCAPED_SCRIPT.search(bare) or _UNDERSCORED_NAME.search(bare):
        return tex
    return tex.replace("\\_", "_").replace("\\*", "*").replace("\\\\\\\\", "\\\\")


def _span_end(text: str, at: int, ticks: int) -> int:
    """Return the end of a code span opened with this many backticks; -1 if it does not end in its paragraph."""
    limit = text.find("\n\n", at, at + 5000)
    limit = limit if limit >= 0 else at + 5000
    found = re.compile(rf"(?<!`)`{{{ticks}}}(?!`)").search(text, at, limit)
    return found.start() if found else -1


def _line_before(text: str, at: int) -> str:
    """Return the part of the line before a position."""
    return text[max(0, at - 400) : at].rpartition("\n")[2]


def _line_behind(text: str, at: int) -> str:
    """Return the rest of the line from a position on."""
    return text[at : at + 400].partition("\n")[0]


def _without_quote_marks(tex: str, before: str) -> str:
    """Remove block quotation marks from the lines of a formula, and unescape HTML."""
    if "\n" in tex and before.lstrip().startswith(">"):
        tex = _QUOTED.sub("", tex)
    return _ESCAPED.sub(lambda m: html.unescape(m[0]), tex) if "&" in tex else tex


def _fence_name_and_title(info: str) -> tuple[str, str]:
    """Return the name and the title of a fence: `{prf:theorem} Bayes`, `theorem "Bayes"`, `{.theorem name="Bayes"}`."""
    found = _OPENING_INFO.match(info)
    if not found:
        return "", ""
    braced = found["braced"]
    rest = found["rest"] or ""
    attribute = re.search(r"\b(?:name|title)\s*=\s*([\"'])(.+?)\1", braced or rest)
    if braced is None:
        label = re.match(r"\[([^\[\]]*)\]|(?:\{[^{}]*\})?(.*)", rest, re.S)
        title = attribute[2] if attribute else label[1] or label[2] or "" if label else ""
        return found["name"].lower(), title.strip().strip("\"'{}").strip()
    classes = re.findall(r"\.([\w-]+)", braced)
    by_id = re.search(r"#(thm|lem|cor|prp|cnj|def|exm|exr|prf)-", braced)
    name = classes[0] if classes else _QUARTO[by_id[1]] if by_id else braced.split(" ")[0]
    return name.lower(), attribute[2] if attribute else found["title"].strip()


_QUARTO = {
    "thm": "theorem", "lem": "lemma", "cor": "corollary", "prp": "proposition", "cnj": "conjecture", "def": "definition",
    "exm": "example", "exr": "exercise", "prf": "proof",
}  # fmt: skip
