"""Macros and spaces: what only sets the page goes, what has another name on a wiki gets it."""

import re

from bot.formula.tex.spelling.measures import POINTS
from bot.formula.tex.spelling.typed import ARROWED_LIMIT
from bot.formula.validity import refused
from bot.formula.validity import texvc_macros as known
from bot.formula.validity.repair_words import GROUP

_DIMENSION = r"-?\s*\d*\.?\d+\s*(?:em|ex|pt|mu|cm|mm|in|pc|bp|sp|truecm)"
_COMMAND = re.compile(r"\\(?:([A-Za-z]+)|(.))", re.S)
_STRIPPED = (
    re.compile(rf"\\(?:label|tag|tag\*|eqno|leqno|ref|eqref|cite|footnote|vspace|index)\*?\s*{GROUP}"),
    re.compile(rf"\\(?:raise|lower|vskip|moveleft|moveright)\s*{_DIMENSION}"),
)


def without_layout(tex: str) -> str:
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
    points = float(size[2]) * POINTS.get(size[3], 1.0)
    return r"\quad " if points > 7 else r"\;" if points > 2.3 else r"\," if points > 0.4 else ""


def repair_delimiters(tex: str) -> str:
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


def repair_macros(tex: str) -> str:
    tex = re.sub(r"([_^])\s*\\(rm|bf|it|cal)(?![A-Za-z])\s*(\{[^{}]*\}|[A-Za-z0-9])", r"\1{\\\2 \3}", tex)
    tex = re.sub(r"\\(sf|tt)(?![A-Za-z])\s*([^{}\\]*)", r"\\math\1{\2}", tex)
    tex = re.sub(rf"\\buildrel\s*(.{{1,40}}?)\s*\\over\s*({GROUP}|\\?[A-Za-z]+|.)", r"\\stackrel{\1}{\2}", tex)
    tex = ARROWED_LIMIT.sub(lambda m: r"\varprojlim " if m[1] == "left" else r"\varinjlim ", tex)
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
            tex = re.sub(rf"\\{name}\s*(?:{GROUP}|([0-9]))", lambda m, a=left, b=right: f"{a}{m[1] or m[2]}{b}", tex)  # type: ignore[misc]
    tex = re.sub(rf"\\textcolor\s*(?:\[[^\]]*\])?\s*\{{[^{{}}]*\}}\s*{GROUP}", r"{\1}", tex)
    tex = re.sub(rf"\\(?:vb|vectorbold)\*?\s*{GROUP}", r"\\mathbf{\1}", tex)
    tex = re.sub(rf"\\(p?)dv(?![A-Za-z])\s*(?:\[([^\]]*)\])?\s*{GROUP}\s*{GROUP}", _derivative, tex)
    return _COMMAND.sub(_macro, tex)


def _derivative(found: re.Match[str]) -> str:
    """\\dv[2]{u}{x} of the physics package as d²u/dx²."""
    sign, power = r"\partial " if found[1] else "d", f"^{{{found[2]}}}" if found[2] else ""
    return rf"\frac{{{sign.strip() if power else sign}{power}{found[3]}}}{{{sign}{found[4]}{power}}}"


def _macro(found: re.Match[str]) -> str:
    name, sign = found[1], found[2]
    after = found.string[found.end() : found.end() + 1]
    if sign is not None:
        replacement = (
            found[0]
            if sign in known.ESCAPED | known.ESCAPED_DELIMITERS | {"\\"}
            else refused.SYMBOLS.get(sign, found[0])
        )
    elif name in known.KNOWN:
        return found[0]
    elif name in refused.OPERATORS:
        return f"\\operatorname{{{name}}}"
    else:
        replacement = refused.SYNONYMS.get(name, found[0])
    return f"{replacement} " if re.search(r"\\[A-Za-z]+$", replacement) and after.isalpha() else replacement


def without_spacing(tex: str) -> str:
    """Remove spacing macros if the value would be too long."""
    tex = re.sub(r"\\displaystyle(?![A-Za-z])\s*", "", tex)
    tex = (
        re.sub(r"\s+(?=[^A-Za-z\s])|(?<=[^A-Za-z\s\\])\s+", "", tex)
        if "\\text" not in tex and "box" not in tex
        else tex
    )
    return tex
