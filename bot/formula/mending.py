"""Safe mends: spellings that a wiki refuses, rewritten into ones it accepts that are set alike and mean the same."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from bot.formula import refused
from bot.formula import texvc_macros as known
from bot.formula.clean import clean
from bot.formula.unicode_tex import symbol

_GROUP = r"\{((?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.)*\})*\})*)\}"  # a braced group, two groups deep
_DIMENSION = r"-?\s*\d*\.?\d+\s*(?:em|ex|pt|mu|cm|mm|in|pc|bp|sp|truecm)"
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{\s*([A-Za-z]+)(\*?)\s*\}(?:\s*\[[^\]{}]{0,12}\])?")
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|(.))", re.S)
_TEXT = re.compile(rf"\\(text|mbox|hbox|vbox|textrm|textbf|textit|textsf|texttt|emph)\s*{_GROUP}")
_BOX_CHARACTER = re.compile(r"[-0-9a-zA-Z+*,=():/;?.!'` \[\]]")
_STRUCTURE = re.compile(
    r"\\(left|right)\s*(?:\\?[^A-Za-z\s]|\\[A-Za-z]+)|\\(?:begin|end)\s*\{[^{}]*\}(?:\s*\{[lcr| \d]*\})?|\\([A-Za-z]+)|\\.|[{}&]",
    re.S,
)
_BOLDMATH = re.compile(r"\\boldmath(?![A-Za-z])\s*|\$")
_STRIPPED = (
    re.compile(rf"\\(?:label|tag|tag\*|eqno|leqno|ref|eqref|cite|footnote|vspace|index)\*?\s*{_GROUP}"),
    re.compile(rf"\\(?:raise|lower|vskip|moveleft|moveright)\s*{_DIMENSION}"),
)
Rewrite = Callable[[str], str]


def mend(tex: str) -> tuple[str, ...]:
    """Return mended forms to try in turn, each going a little further than the one before."""
    first = _spaced(_apply(tex, _GENTLE))
    second = _spaced(_apply(first, _FIRMER))
    third = _spaced(_apply(second, _LAST))
    return tuple(dict.fromkeys((first, second, third)))


def _apply(tex: str, rewrites: tuple[Rewrite, ...]) -> str:
    for rewrite in rewrites:
        tex = rewrite(tex)
    return tex


def _spaced(tex: str) -> str:
    return clean(" ".join(tex.split()))


def _characters(tex: str) -> str:
    """Control characters out; mathematical characters as macros, letters of other alphabets as text."""
    tex = unicodedata.normalize("NFC", "".join(c if c.isprintable() else " " for c in tex))
    if tex.isascii() and not refused.ASCII.keys() & set(tex):
        return tex
    built, at = [], 0
    for text in _TEXT.finditer(tex):
        built += [_outside(tex[at : text.start()]), text[0]]
        at = text.end()
    return "".join([*built, _outside(tex[at:])])


def _outside(tex: str) -> str:
    built: list[str] = []
    for n, character in enumerate(tex):
        escaped = n > 0 and tex[n - 1] == "\\"
        if character.isascii():
            built.append(refused.ASCII.get(character, character) if not escaped else character)
            continue
        made = symbol(character)
        made = f"\\text{{{character}}}" if made is None else made
        spaced = f"{made} " if re.search(r"\\[A-Za-z]+$", made) else made
        twice = built and spaced[:1] in "^_" and built[-1].startswith(spaced[:2]) and built[-1].endswith("}")
        if twice:  # x² written with two raised characters is one script
            built[-1] = built[-1][:-1] + spaced[2:]
        else:
            built.append(spaced)
    return "".join(built)


def _stripped(tex: str) -> str:
    for pattern in _STRIPPED:
        tex = pattern.sub("", tex)
    tex = re.sub(
        rf"\\(?:hspace|mspace)\*?\s*\{{[^{{}}]*\}}|\\(?:hskip|kern|mkern|mskip)\s*{_DIMENSION}(?:\s*(?:plus|minus)\s*{_DIMENSION})*",
        _gap,
        tex,
    )
    tex = re.sub(rf"\\([mhv])box\s+to\s*{_DIMENSION}", r"\\\1box", tex)
    return re.sub(r"(\\\\)\s*\*?\s*\[[^\]]{1,12}\]|(\\\\)\*", r"\1\2", tex)


def _gap(found: re.Match[str]) -> str:
    size = re.search(r"(-?)\s*(\d*\.?\d+)\s*([a-z]*)", found[0])
    if not size or size[1] == "-":
        return r"\!" if size else r"\,"
    points = float(size[2]) * {"em": 10, "ex": 4.3, "mu": 0.55, "cm": 28, "mm": 2.8, "in": 72, "pc": 12}.get(
        size[3], 1.0
    )
    return r"\quad " if points > 7 else r"\;" if points > 2.3 else r"\," if points > 0.4 else ""


def _environments(tex: str) -> str:
    def renamed(found: re.Match[str]) -> str:
        instead = refused.ENVIRONMENTS.get(found[2])
        if instead is None or (found[2] in known.ENVIRONMENTS and not found[3] and "[" not in found[0]):
            return found[0]
        if found[2] in known.ENVIRONMENTS and not found[3]:
            return f"\\{found[1]}{{{found[2]}}}"
        return f"\\{found[1]}{{{instead}}}" if instead else " "

    tex = _ENVIRONMENT.sub(renamed, tex)
    return re.sub(r"(\\begin\{smallmatrix\})\s*\{[lcr]\}", r"\1", tex)


def _tables(tex: str) -> str:
    r"""Tables of plain TeX, \matrix{a&b\cr c&d}, as environments."""
    if "\\cr" in tex or any(f"\\{name}" in tex for name in refused.PLAIN_TABLES):

        def table(found: re.Match[str]) -> str:
            name = refused.PLAIN_TABLES[found[1]]
            body = re.sub(r"\\cr(?:\\noalign\s*\{[^{}]*\})?(?![A-Za-z])", r"\\\\", found[2])
            body = re.sub(r"(?:\s|\\\\)+$", "", body)
            return f"\\begin{{{name}}}{body}\\end{{{name}}}"

        tex = re.sub(rf"\\({'|'.join(refused.PLAIN_TABLES)})\s*{_GROUP}", table, tex)
        tex = re.sub(r"\\cr(?![A-Za-z])", r"\\\\", tex)
    return tex


def _texts(tex: str) -> str:
    r"""Words in text groups stay there; mathematics in them comes out: \text{if $x$} becomes \text{if }x."""
    tex = re.sub(r"\\(text|[mh]box)\s+([A-Za-z0-9])(?![A-Za-z0-9])", r"\\\1{\2}", tex)
    return _TEXT.sub(_text, tex)


def _text(found: re.Match[str]) -> str:
    macro, words = found[1], found[2]
    if "\\boldmath" in words:
        return f"\\boldsymbol{{{_BOLDMATH.sub('', words).strip()}}}"
    box = macro in known.BOXES
    if box and words and all(_BOX_CHARACTER.match(c) or not c.isascii() for c in words):
        return found[0]
    if not box and words.isascii() and not re.search(r"[$\"#&@`]", words):
        return found[0]
    parts = re.split(r"(?<!\\)\$", words)
    built = [part.strip() if n % 2 else _words(macro if box else "text", part) for n, part in enumerate(parts)]
    return "{" + "".join(built) + "}" if any(built) else ""


def _words(macro: str, words: str) -> str:
    built, held = [], ""
    for piece in re.findall(r"\\(?:[A-Za-z]+\s*|.)|.", words, re.S):
        if piece == "~" or piece.strip() in ("\\ ", "\\"):
            held += " "
        elif _BOX_CHARACTER.fullmatch(piece) or not piece.isascii():
            held += piece
        elif piece in "{}":
            continue
        else:
            built += [f"\\{macro}{{{held}}}" if held else "", _TEXT_SIGNS.get(piece, piece)]
            held = ""
    return "".join([*built, f"\\{macro}{{{held}}}" if held else ""])


_TEXT_SIGNS = {
    "&": r"\&",
    "_": r"\_",
    "#": r"\#",
    '"': "''",
    "^": "",
    "|": "|",
    "@": "",
    "%": r"\%",
    "$": r"\$",
    "\n": " ",
}


def _delimiters(tex: str) -> str:
    tex = re.sub(
        r"\\(left|right|middle|[bB]igg?[lrm]?)\s*\\?(?:([lr])Vert|(?:lVert|rVert))(?![A-Za-z])", r"\\\1\\|", tex
    )
    tex = re.sub(r"\\(left|right|[bB]igg?[lrm]?)\s*\\[lr]vert(?![A-Za-z])", r"\\\1|", tex)
    tex = re.sub(r"\\([bB]igg?[lrm]?)\s*\{\s*(\\[A-Za-z]+|\\?[^A-Za-z\\\s])\s*\}", r"\\\1\2", tex)
    tex = re.sub(r"\\(left|right|[bB]igg?[lrm]?)\s*(?:<|\\lt(?![A-Za-z]))", r"\\\1\\langle ", tex)
    tex = re.sub(r"\\(left|right|[bB]igg?[lrm]?)\s*(?:>|\\gt(?![A-Za-z]))", r"\\\1\\rangle ", tex)
    tex = re.sub(r"\\middle\s*(?=[^A-Za-z\s])", "", tex)
    tex = re.sub(r"\\([bB]igg?)m(?![A-Za-z])", r"\\\1", tex)
    delimiter = rf"\s*(?:[().\[\]/|]|\\[{{}}|]|\\(?:{'|'.join(sorted(known.DELIMITERS))})(?![A-Za-z]))"
    return re.sub(rf"\\[bB]igg?[lr]?(?![A-Za-z])(?!{delimiter})", "", tex)


def _macros(tex: str) -> str:
    tex = re.sub(r"([_^])\s*\\(rm|bf|it|cal)(?![A-Za-z])\s*(\{[^{}]*\}|[A-Za-z0-9])", r"\1{\\\2 \3}", tex)
    tex = re.sub(r"\\(sf|tt)(?![A-Za-z])\s*([^{}\\]*)", r"\\math\1{\2}", tex)
    tex = re.sub(rf"\\buildrel\s*(.{{1,40}}?)\s*\\over\s*({_GROUP}|\\?[A-Za-z]+|.)", r"\\stackrel{\1}{\2}", tex)
    tex = re.sub(
        r"\\under(left|right)arrow\s*\{\s*\\lim\s*\}",
        lambda m: r"\varprojlim " if m[1] == "left" else r"\varinjlim ",
        tex,
    )
    for name, left, right in (
        ("norm", r"\|", r"\|"),
        ("abs", "|", "|"),
        ("bra", r"\langle ", "|"),
        ("ket", "|", r"\rangle "),
        ("braket", r"\langle ", r"\rangle "),
        ("ceil", r"\lceil ", r"\rceil "),
        ("floor", r"\lfloor ", r"\rfloor "),
    ):
        if f"\\{name}" in tex:
            tex = re.sub(rf"\\{name}\s*{_GROUP}", lambda m, a=left, b=right: f"{a}{m[1]}{b}", tex)  # type: ignore[misc]
    return _COMMAND.sub(_macro, tex)


def _macro(found: re.Match[str]) -> str:
    name, sign = found[1], found[2]
    after = found.string[found.end() : found.end() + 1]
    if sign is not None:
        made = (
            found[0]
            if sign in known.ESCAPED | known.ESCAPED_DELIMITERS | {"\\"}
            else refused.SYMBOLS.get(sign, found[0])
        )
    elif name in known.KNOWN:
        return found[0]
    elif name in refused.OPERATORS:
        return f"\\operatorname{{{name}}}"
    else:
        made = refused.SAME.get(name, found[0])
    return f"{made} " if re.search(r"\\[A-Za-z]+$", made) and after.isalpha() else made


def _system(tex: str) -> str:
    r"""A formula with & or \\ outside any table is a system: it becomes an aligned environment."""
    depth, outside = 0, False
    for found in re.finditer(r"\\(begin|end)(?![A-Za-z])|\\\\|\\.|[{}]|&", tex, re.S):
        word = found[0]
        depth += (word == "{" or found[1] == "begin") - (word == "}" or found[1] == "end")
        outside = outside or (word in ("&", "\\\\") and not depth)
    if not outside:
        return tex
    body = re.sub(r"(?:\\\\\s*)+$", "", tex.strip())
    body = re.sub(r"(?:&\s*){2,}", "& ", body) if body != tex.strip() and "\\\\" not in body else body
    return f"\\begin{{aligned}}{body}\\end{{aligned}}" if "&" in body or "\\\\" in body else body


def _paired(tex: str) -> str:
    r"""\left and \right that do not pair within their groups lose their size, not their sign."""
    stack, pairs = ["top"], True
    for found in re.finditer(r"\\(left|right|begin|end)(?![A-Za-z])|\\.|[{}&]|", tex, re.S):
        word = found[1] or found[0]
        if word in ("left", "{", "begin"):
            stack.append(word)
        elif word in ("right", "}", "end"):
            wanted = {"right": "left", "}": "{", "end": "begin"}[word]
            pairs = pairs and stack[-1] == wanted
            if len(stack) > 1:
                stack.pop()
        elif word in ("&", "\\\\") and stack[-1] == "left":
            pairs = False
    if pairs and len(stack) == 1:
        return tex
    return re.sub(r"\\(?:left|right)\s*(?:\.|(?=[^A-Za-z]))", "", tex)


def _fractions(tex: str) -> str:
    r"""\over directly inside \left…\right or in a cell of a table gets the braces it needs."""
    inserts: list[tuple[int, str]] = []
    frames: list[tuple[str, int, bool]] = [("top", 0, False)]  # kind, where its content starts, has a bare infix
    for found in _STRUCTURE.finditer(tex):
        word, (kind, start, bare) = _word(found), frames[-1]
        if word in known.INFIX:
            frames[-1] = (kind, start, kind in ("left", "begin"))
        elif word in ("left", "begin") or found[0] == "{":
            frames.append((word, found.end(), False))
        elif word in ("right", "end", "}", "&", "\\\\"):
            if bare:
                inserts += [(start, "{"), (found.start(), "}")]
            if word in ("&", "\\\\"):
                frames[-1] = (kind, found.end(), False)
            elif len(frames) > 1:
                frames.pop()
    for at, brace in sorted(inserts, reverse=True):
        tex = tex[:at] + brace + tex[at:]
    return tex


def _word(found: re.Match[str]) -> str:
    return (
        found[1]
        or found[2]
        or ("begin" if found[0].startswith("\\begin") else "end" if found[0].startswith("\\end") else found[0])
    )


def _tightened(tex: str) -> str:
    """What only takes room goes when the value would be too long."""
    tex = re.sub(r"\\displaystyle(?![A-Za-z])\s*", "", tex)
    tex = (
        re.sub(r"\s+(?=[^A-Za-z\s])|(?<=[^A-Za-z\s\\])\s+", "", tex)
        if "\\text" not in tex and "box" not in tex
        else tex
    )
    return tex


_GENTLE: tuple[Rewrite, ...] = (clean, _characters, _stripped, _tables, _environments, _delimiters, _texts, _macros)
_FIRMER: tuple[Rewrite, ...] = (_system, _fractions, _paired)
_LAST: tuple[Rewrite, ...] = (_tightened,)
