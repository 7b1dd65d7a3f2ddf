"""Formulas written in wiki or HTML text (`{{math|''E'' = ''mc''<sup>2</sup>}}`, `{{mvar|F}}`) to simple TeX."""

from __future__ import annotations

import html
import re

# Fractions and roots inside a template reach us as these private-use marks (see `wikitemplates`).
FRACTION, OVER, FRACTION_END = "\ue010", "\ue011", "\ue012"
ROOT, ROOT_END = "\ue013", "\ue014"

_GREEK = (
    "alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι kappa κ lambda λ mu μ nu ν xi ξ pi π varpi ϖ rho ρ varrho ϱ "
    "sigma σ varsigma ς tau τ upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω"
).split()
_SIGNS = (
    "times × cdot · cdot ⋅ cdot ∙ pm ± mp ∓ leq ≤ geq ≥ neq ≠ approx ≈ equiv ≡ sim ∼ simeq ≃ cong ≅ propto ∝ infty ∞ partial ∂ nabla ∇ int ∫ oint ∮ sum ∑ prod ∏ "
    "to → leftarrow ← leftrightarrow ↔ Rightarrow ⇒ Leftrightarrow ⇔ mapsto ↦ in ∈ notin ∉ subset ⊂ subseteq ⊆ cup ∪ cap ∩ emptyset ∅ forall ∀ exists ∃ neg ¬ "
    "land ∧ lor ∨ otimes ⊗ oplus ⊕ perp ⊥ parallel ∥ circ ∘ circ ° hbar ħ hbar ℏ ell ℓ Box □ ll ≪ gg ≫ langle ⟨ rangle ⟩ ldots … cdots ⋯ div ÷ ast ∗ bullet • "
    "dagger † star ⋆ Re ℜ Im ℑ aleph ℵ mathbb{R} ℝ mathbb{C} ℂ mathbb{Z} ℤ mathbb{N} ℕ mathbb{Q} ℚ prime ′ prime\\prime ″ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ setminus ∖"
).split()
_COMMANDS = {
    sign: f"\\{name}" for name, sign in zip([*_GREEK[::2], *_SIGNS[::2]], [*_GREEK[1::2], *_SIGNS[1::2]], strict=True)
}
_COMMANDS |= {
    "µ": r"\mu",
    "−": "-",
    "–": "-",
    "‐": "-",
    "∕": "/",
    "⁄": "/",
    "\xa0": " ",
    "\u2009": " ",
    "\u202f": " ",
    "\u2061": "",
    "\u2062": "",
    "∆": r"\Delta",
    "Ω": r"\Omega",
    "∣": "|",
    "‖": r"\|",
}
_COMMANDS |= {
    "%": r"\%",
    "#": r"\#",
    "$": r"\$",
    "&": r"\&",
    "′": "'",
    "″": "''",
    "\u200b": "",
    "\u200a": " ",
    "\u2002": " ",
    "\u2003": " ",
}
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱ", "0123456789+-=()ni", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙᵢⱼₖₘₓ", "0123456789+-=()nijkmx", strict=True))
_FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth exp ln log lg lim max min sup inf det dim ker gcd deg arg Pr mod hom".split()
)
_SUPS, _SUBS = "".join(_SUPERSCRIPTS), "".join(_SUBSCRIPTS)
_TOKEN = re.compile(
    r"(?P<quotes>'{2,5})|<(?P<close>/)?(?P<tag>sub|sup|i|em|b|strong|var|br|small|big|span|u)\b[^<>]*>|<[^<>]*>"
    rf"|(?P<word>[^\W\d_{_SUPS}{_SUBS}]+)|(?P<sups>[{_SUPS}]+)|(?P<subs>[{_SUBS}]+)|(?P<space>\s+)|(?P<sign>.)",
    re.S,
)


def to_tex(text: str) -> str:
    """Return TeX for a formula in wiki or HTML markup. Upright words become functions or \\mathrm, bold ones \\mathbf."""
    out: list[str] = []
    italic = bold = False
    stack: list[str] = []
    for token in _TOKEN.finditer(html.unescape(html.unescape(text))):
        kind = token.lastgroup
        if kind == "quotes":
            italic ^= len(token[0]) in (2, 5)
            bold ^= len(token[0]) in (3, 4, 5)
        elif kind == "tag":
            tag, closing = token["tag"], bool(token["close"])
            if tag in ("sub", "sup"):
                _script(out, stack, tag, closing)
            elif tag in ("i", "em", "var"):
                italic = not closing
            elif tag in ("b", "strong"):
                bold = not closing
        elif kind == "word":
            out.append(_word(token[0], italic, bold))
        elif kind == "sups":
            out.append("^{" + "".join(_SUPERSCRIPTS[c] for c in token[0]) + "}")
        elif kind == "subs":
            out.append("_{" + "".join(_SUBSCRIPTS[c] for c in token[0]) + "}")
        elif kind == "space":
            out.append(" ")
        elif kind == "sign":
            out.append(_sign(token[0]))
    out += ["}"] * len(stack)
    return _tidy("".join(out))


def _script(out: list[str], stack: list[str], tag: str, closing: bool) -> None:
    if not closing:
        stack.append(tag)
        out.append("_{" if tag == "sub" else "^{")
    elif stack:
        stack.pop()
        out.append("}")


def _word(word: str, italic: bool, bold: bool) -> str:
    letters = "".join(f"{_COMMANDS[c]} " if c in _COMMANDS else c for c in word)
    if bold:
        return rf"\mathbf{{{letters.strip()}}}"
    if italic or len(word) == 1 or not word.isascii():
        return letters
    if word in _FUNCTIONS:
        return rf"\{word} "
    return letters if len(word) <= 2 else rf"\mathrm{{{word}}}"


def _sign(sign: str) -> str:
    special = {
        FRACTION: r"\frac{",
        OVER: "}{",
        FRACTION_END: "}",
        ROOT: r"\sqrt{",
        ROOT_END: "}",
        "{": r"\{",
        "}": r"\}",
        "√": r"\surd ",
        "\\": r"\backslash ",
    }
    if sign in special:
        return special[sign]
    command = _COMMANDS.get(sign, sign)
    return f"{command} " if re.search(r"\\[A-Za-z]+$", command) else command


def _tidy(tex: str) -> str:
    tex = re.sub(r"[_^]\{\s*\}", "", tex)
    tex = re.sub(r"([_^])\{([A-Za-z0-9])\}", r"\1\2", tex)
    tex = re.sub(r"(\\[A-Za-z]+) (?=[^A-Za-z])", r"\1", re.sub(r"\s+", " ", tex))
    return re.sub(r" (?=[}_^)])|(?<=[({]) ", "", tex).strip()
