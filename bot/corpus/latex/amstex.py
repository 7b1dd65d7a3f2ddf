r"""AMS-TeX, in which most papers of mathematics before 1995 are: its `\align … \endalign` as LaTeX has it."""

import re

_IS_AMSTEX = re.compile(r"\\documentstyle\s*\{amsppt|\\input\s*\{?(?:amstex|amsppt)(?![a-z])|\\endproclaim(?![A-Za-z])")
_COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
_PAIRED = re.compile(r"\\(end)?([A-Za-z]+)(?![A-Za-z])")
_CLOSES = re.compile(r"\\end([A-Za-z]+)")
_ENVIRONMENTS = frozenset(
    "align gather multline split aligned gathered cases matrix pmatrix bmatrix vmatrix Vmatrix smallmatrix example".split()
)
_FONTS = {"Cal": "mathcal", "Bbb": "mathbb", "frak": "mathfrak", "bold": "mathbf", "roman": "mathrm"}
_COMMANDS = {"define": "def", "redefine": "def", "predefine": "let", "enddocument": "bye", **_FONTS}
# Both are short, and bounded: what is never closed is searched for its end no further.
_GROUP = r"\{((?:[^{}]|\{[^{}]{0,200}\}){0,400})\}"
_MATTER = r"((?:(?!\\end).){0,2000})"


def _between(names: str) -> str:
    """Return a pattern for what stands between a command and its \\end."""
    return rf"\\({names})(?![A-Za-z]){_MATTER}\\end\1(?![A-Za-z])"


# In this order: what is left out, and what LaTeX writes in another way.
_RULES = [
    (re.compile(_between("author|affil|address|curraddr|email|thanks|keywords|subjclass|date|translator|dedicatory"), re.S), ""),
    (re.compile(rf"\\(?:pagewidth|pageheight|hcorrection|vcorrection|leftheadtext|rightheadtext)\s*{_GROUP}"), ""),
    (re.compile(_between("title"), re.S), r"\\title{\2}"),
    (re.compile(_between("head|heading|specialhead"), re.S), r"\\section{\2}"),
    (re.compile(_between("subhead"), re.S), r"\\subsection{\2}"),
    (re.compile(r"\\(subheading)(?![A-Za-z])"), r"\\subsection"),
    (re.compile(_between("Sb"), re.S), r"_{\\substack{\2}}"),
    (re.compile(_between("Sp"), re.S), r"^{\\substack{\2}}"),
    (re.compile(r"\\proclaim\s*\{[^{}()]*\(([^{}()]*)\)[^{}]*\}"), r"\\begin{theorem}[\1]"),
    (re.compile(rf"\\proclaim\s*{_GROUP}"), r"\\begin{theorem}"),
    (re.compile(r"\\endproclaim(?![A-Za-z])"), r"\\end{theorem}"),
    (re.compile(rf"\\(?:demo|definition|remark)\s*{_GROUP}"), r"\\par \1. "),
    (re.compile(rf"\\example\s*{_GROUP}"), r"\\example "),
    (re.compile(r'\\item\s*"([^"]*)"'), r"\\item[\1]"),
    (re.compile(r'\\tag\s*(?:"[^"]*"|\$[^$]*\$|[^\s\\${}*"]+)'), ""),
    (re.compile(rf"\\(overset|underset)\s*(?:{_GROUP}|(\\[A-Za-z]+|\S))\s*\\to(?![A-Za-z])"), r"\\\1{\2\3}"),
    (re.compile(r"\\end(?:demo|definition|remark|abstract|topmatter|roster)(?![A-Za-z])"), r"\\par "),
]  # fmt: skip


def as_latex(text: str) -> str:
    """Return a paper in AMS-TeX as LaTeX; any other text as it is."""
    if not _IS_AMSTEX.search(text):
        return text
    text, _, after = _COMMENT.sub(r"\1", text).partition("\\Refs")
    text += after.partition("\\endRefs")[2]
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    closed = _ENVIRONMENTS.intersection(_CLOSES.findall(text))

    def translated(command: re.Match[str]) -> str:
        end, name = command.groups()
        if name in closed:
            return rf"\{'end' if end else 'begin'}{{{name}}}"
        name = (end or "") + name
        return "\\" + _COMMANDS.get(name, name)

    return _PAIRED.sub(translated, text)
