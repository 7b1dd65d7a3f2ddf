r"""Signs that mean what another sign means where they stand: \sim p as ¬p, (\forall x)(\exists y), a \equiv_n b, k\,\%\,m, AB /\!/ CD, s.t., i.i.d."""

import re

_SPACE = r"(?:\s|~|\\[,;:! ])*"
_LOGIC = re.compile(
    r"\\(?:land|lor|wedge|vee|supset|leftrightarrow|Leftrightarrow|equiv|iff|forall|exists|vdash|&)(?![A-Za-z])|[∧∨↔⇔∀∃⊢]"
)
_SIMILAR = re.compile(r"\\sim(?![A-Za-z])|∼")
_BEFORE_OPERAND = re.compile(
    r"(?:\A|[({\[,;=:∧∨→↔⇒⇔⊃]|\\(?:\{|\[|left\s*[(\[]|(?:land|lor|wedge|vee|supset|to|rightarrow|leftrightarrow|Leftrightarrow|Rightarrow|equiv|iff|implies|vdash|lnot|neg|sim|&|q?quad)(?![A-Za-z]))|∼)"
    rf"{_SPACE}\Z"
)
_NEVER_LOGIC = re.compile(r"[0-9]|\\(?:int|sum|frac|sqrt)(?![A-Za-z])")
_LETTER = r"(?:[A-Za-z]|\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|eta|xi|varphi|phi|psi))(?:_(?:[A-Za-z0-9]|\{[A-Za-z0-9,]+\})|')?"
_QUANTIFIER = r"(?:\\(?:forall|exists)(?![A-Za-z])|[∀∃])(?:\s*!|\s*_\s*1)?"
_SIGN = r"(?:\\(?:in|notin|geq?|leq?|neq?|subset|subseteq|geqslant|leqslant)(?![A-Za-z])|[<>∈≥≤≠⊂⊆])"
_BRACKETED = re.compile(
    rf"\(({_SPACE}{_QUANTIFIER}{_SPACE}{_LETTER}{_SPACE}(?P<range>{_SIGN}(?:[^(){{}}=,;:]|\{{[^{{}}]*\}})+?)?){_SPACE}\)"
)
_FUNCTION = re.compile(r"(?:[A-Za-z0-9}'])\s*\Z")  # what is before a bracket that holds its argument
_COMMAND = re.compile(r"\\[A-Za-z]+\s*\Z")
_GOES_ON = re.compile(
    rf"{_SPACE}(?:[:,]|\(\s*(?:\\forall|\\exists|∀|∃))"
)  # to another quantifier, or as if without brackets
_ENDS = re.compile(
    rf"{_SPACE}(?:\Z|[).;=<>≤≥+\-}}&\]]|\\(?:\}}|\\|(?:right|leq?|geq?|neq?|equiv|approx|sim|iff|implies|Leftrightarrow|Rightarrow|leftrightarrow|rightarrow|to|land|lor|wedge|vee|q?quad|text|vdash)(?![A-Za-z])))"
)
_PARALLEL = re.compile(rf"(?<=[A-Z][A-Z]){_SPACE}/\s*(?:\\!\s*)*/{_SPACE}(?=[A-Z]\s*[A-Z])")
_REMAINDER = re.compile(
    r"(?<=[A-Za-z)}])\s*(?:(?:\\[,;: ]|~)\s*\\%\s*(?:\\[,;: ]|~)|\\math(?:bin|op)\s*\{\s*\\%\s*\})\s*(?=[A-Za-z(\\])"
)
_CONGRUENT = re.compile(
    r"\\equiv\s*_\s*(?:\{([^{}]*)\}|([A-Za-z0-9]))((?:[^=<>,;&\\{}]|\\[,;! ]|\\(?:cdot|times|alpha|beta|varphi|phi)(?![A-Za-z])|\{[^{}]*\})*)\Z"
)
_MODULUS = re.compile(
    r"(\\equiv(?![A-Za-z])[^=<>&]*[A-Za-z0-9}])\s*(?:(?:\\[,;: ]|~|\\q?quad(?![A-Za-z]))\s*)+\(\s*([A-Za-z0-9]|\\[a-z]+|[a-z]\^\{?\w\}?)\s*\)\Z"
)
_EXTREME = re.compile(r"\\(?:min|max|inf|sup)(?![A-Za-z])|m(?:in|ax)imi[sz]e")
_SUBJECT = re.compile(r"\\(?:text|mathrm|mbox|operatorname|textrm)\s*\{\s*(?:s\.?\s*t\.?|such that)\s*:?\s*\}")
_INDEPENDENT = re.compile(r"i\.\s*(?:\\[,;! ])?\s*i\.\s*(?:\\[,;! ])?\s*d\.?")
_BEHIND = re.compile(rf"\\sim{_SPACE}(?:\\(?:text|mathrm|mbox)\s*\{{\s*iid\s*\}}|iid(?![a-z]))")


def with_negations(tex: str) -> str:
    r"""Return a formula of logic in which each \sim stands before its only operand with ¬ for it."""
    found = list(_SIMILAR.finditer(tex))
    if not _LOGIC.search(tex) or _NEVER_LOGIC.search(tex):
        return tex
    prefix = all([_BEFORE_OPERAND.search(tex[: one.start()]) for one in found])
    return _SIMILAR.sub(r"\\lnot ", tex) if prefix else tex


def with_open_quantifiers(tex: str) -> str:
    r"""Return the formula with (\forall x \in A)(\exists y) without their brackets, and a colon before the statement behind a range."""

    def opened(found: re.Match[str]) -> str:
        before = tex[: found.start()]
        if _ENDS.match(tex, found.end()) or (_FUNCTION.search(before) and not _COMMAND.search(before)):
            return found[0]
        return f"{found[1]}: " if found["range"] and not _GOES_ON.match(tex, found.end()) else f"{found[1]} "

    return _BRACKETED.sub(opened, tex)


def with_parallels(tex: str) -> str:
    r"""Return the formula with ∥ for two slashes between two lines, each through two points."""
    return _PARALLEL.sub(r"\\parallel ", tex)


def with_remainders(tex: str) -> str:
    r"""Return the formula with mod for a percent sign set as an operation, k\,\%\,m."""
    return _REMAINDER.sub(r"\\bmod ", tex)


def with_moduli(tex: str) -> str:
    r"""Return a congruence with its modulus in \pmod: a \equiv_n b and a \equiv b\ (n)."""
    if found := _CONGRUENT.search(tex):
        return f"{tex[: found.start()]}\\equiv {found[3]}\\pmod{{{found[1] or found[2]}}}"
    return _MODULUS.sub(r"\1\\pmod{\2}", tex)


def with_constraints(tex: str) -> str:
    """Return an optimisation with one spelling of "subject to"."""
    extreme = _EXTREME.search(tex)
    return tex if not extreme else tex[: extreme.end()] + _SUBJECT.sub(r"\\text{subject to}", tex[extreme.end() :])


def with_independence(tex: str) -> str:
    r"""Return the formula with "i.i.d." as a mark of the sign of a law, \overset{iid}{\sim}."""
    return _BEHIND.sub(r"\\overset{\\mathrm{iid}}{\\sim}", _INDEPENDENT.sub("iid", tex))
