"""Mathematical characters and the TeX that texvc accepts for them: for readers of MathML and for repairs."""

import unicodedata
from functools import cache

from bot.formula.tex.symbols import LETTERS

_OPERATORS = (
    "± pm ∓ mp × times ÷ div · cdot ⋅ cdot ∗ ast ⋆ star ∘ circ • bullet ⊕ oplus ⊖ ominus ⊗ otimes ⊘ oslash ⊙ odot ∧ land ∨ lor "
    "∩ cap ∪ cup ⊎ uplus ⊓ sqcap ⊔ sqcup † dagger ‡ ddagger ∖ setminus ≀ wr ⋄ diamond △ triangle □ square ■ blacksquare ◊ lozenge ⊥ perp "
    "≤ leq ≥ geq ⩽ leqslant ⩾ geqslant ≦ leqq ≧ geqq ≠ neq ≡ equiv ≈ approx ≃ simeq ≅ cong ∼ sim ≍ asymp ≐ doteq ∝ propto ≪ ll ≫ gg "
    "≲ lesssim ≳ gtrsim ≺ prec ≻ succ ⪯ preceq ⪰ succeq ∈ in ∉ notin ∋ ni ⊂ subset ⊃ supset ⊆ subseteq ⊇ supseteq ⊢ vdash ⊨ models "
    "∥ parallel ∣ mid ⊲ triangleleft ⊳ triangleright ≜ triangleq ≝ triangleq "
    "→ to ← leftarrow ↔ leftrightarrow ⇒ Rightarrow ⇐ Leftarrow ⇔ Leftrightarrow ⟹ implies ⟺ iff ⟶ longrightarrow ⟵ longleftarrow "
    "↦ mapsto ↑ uparrow ↓ downarrow ↗ nearrow ↘ searrow ⇌ rightleftharpoons ↪ hookrightarrow ↠ twoheadrightarrow "
    "∀ forall ∃ exists ∄ nexists ¬ neg ∅ varnothing ∞ infty ∂ partial ∇ nabla ∑ sum ∏ prod ∐ coprod ∫ int ∬ iint ∭ iiint ∮ oint "
    "⋃ bigcup ⋂ bigcap ⨁ bigoplus ⨂ bigotimes ⋁ bigvee ⋀ bigwedge … ldots ⋯ cdots ⋮ vdots ⋱ ddots ′ prime ∠ angle ∡ measuredangle "
    "∴ therefore ∵ because ℏ hbar ℓ ell ℘ wp ℜ Re ℑ Im ℵ aleph ℶ beth ⊤ top √ surd ♯ sharp ♭ flat ♮ natural § S ¶ P "
    "⟨ langle ⟩ rangle 〈 langle 〉 rangle 〈 langle 〉 rangle ⌈ lceil ⌉ rceil ⌊ lfloor ⌋ rfloor ‖ | ǁ | "
    "ℝ mathbb{R} ℂ mathbb{C} ℕ mathbb{N} ℤ mathbb{Z} ℚ mathbb{Q} ℙ mathbb{P} ℍ mathbb{H} ı imath ȷ jmath"
).split()
# Characters used instead of others in texts: look-alikes and compatibility forms.
_SAME = {
    "−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "⁻": "^{-}", "∕": "/", "⁄": "/", "∶": ":", "∙": r"\cdot", "µ": r"\mu", "Ω": r"\Omega", "∆": r"\Delta",
    "Ɵ": r"\Theta", "ϴ": r"\Theta", "Α": r"\mathrm{A}", "Β": r"\mathrm{B}", "Ε": r"\mathrm{E}", "Ζ": r"\mathrm{Z}", "Η": r"\mathrm{H}", "Ι": r"\mathrm{I}",
    "Κ": r"\mathrm{K}", "Μ": r"\mathrm{M}", "Ν": r"\mathrm{N}", "Ο": r"\mathrm{O}", "Ρ": r"\mathrm{P}", "Τ": r"\mathrm{T}", "Χ": r"\mathrm{X}", "ο": "o",
    "′": "'", "″": "''", "‴": "'''", "’": "'", "‘": "'", "°": r"^{\circ}", "º": r"^{\circ}", "˚": r"^{\circ}", "│": "|", "∯": r"\oiint", "ħ": r"\hbar", "ℎ": "h", "Å": r"\text{Å}",
    "≔": ":=", "∷": "::", "ℓ": r"\ell", "⁡": "", "⁢": "", "⁣": "", "⁤": "", "\u200b": "", "\u2009": r"\,", "\u200a": "", "\u00a0": r"\ ", "\u2003": r"\quad ", "\u00ad": "", "\ufeff": "",
}  # fmt: skip
_SAME |= {
    "\u2329": r"\langle",
    "\u232a": r"\rangle",
    "\u3008": r"\langle",
    "\u3009": r"\rangle",
    "\u2012": "-",
    **dict(zip("ⅅⅆⅇⅈⅉ", "Ddeij", strict=True)),  # MathML's entities for operators and constants, not letters of a style
    "ϒ": r"\Upsilon",
}
_FRACTIONS = dict(zip("½⅓⅔¼¾⅕⅙⅛⅜⅝⅞", "12 13 23 14 34 15 16 18 38 58 78".split(), strict=True))
_SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺ⁿ", "0123456789+n", strict=True))
_SUBSCRIPTS = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-", strict=True))


# The first command of each letter, without those of a Latin shape.
_COMMANDS = {sign: name for name, sign in reversed(LETTERS.items()) if "Α" <= sign <= "ϵ" and name[0] == "\\"}
GREEK = {sign: name for sign, name in _COMMANDS.items() if _SAME.get(sign, name) == name}
OPERATORS = {sign: "\\" + name for sign, name in zip(_OPERATORS[::2], _OPERATORS[1::2], strict=True)}
SYMBOLS = {
    **GREEK,
    **OPERATORS,
    **_SAME,
    **{sign: f"\\frac{{{parts[0]}}}{{{parts[1]}}}" for sign, parts in _FRACTIONS.items()},
    **{sign: f"^{{{plain}}}" for sign, plain in _SUPERSCRIPTS.items()},
    **{sign: f"_{{{plain}}}" for sign, plain in _SUBSCRIPTS.items()},
}


@cache
def symbol(character: str) -> str | None:
    """Return TeX for one non-ASCII character in math mode, or None where only \\text can hold it.

    Styled mathematical letters (𝐀, ℒ, 𝔤) come back with their style.
    """
    if character in SYMBOLS:
        return SYMBOLS[character]
    name = unicodedata.name(character, "")
    plain = unicodedata.normalize("NFKC", character)
    if (
        len(plain) != 1
        or plain == character
        or not (
            name.startswith("MATHEMATICAL")
            or "SCRIPT CAPITAL" in name
            or "BLACK-LETTER" in name
            or "DOUBLE-STRUCK" in name
        )
    ):
        return None
    return _styled(name, SYMBOLS.get(plain, plain))


def _styled(name: str, plain: str) -> str | None:
    greek = plain.startswith("\\")
    styles = (
        ("BOLD ITALIC", "boldsymbol"),
        ("FRAKTUR", "mathfrak"),
        ("BLACK-LETTER", "mathfrak"),
        ("SCRIPT", "mathcal"),
        ("DOUBLE-STRUCK", "mathbb"),
    )
    for word, macro in (
        *styles,
        ("SANS-SERIF", "mathsf"),
        ("MONOSPACE", "mathtt"),
        ("BOLD", "boldsymbol" if greek else "mathbf"),
    ):
        if word in name:
            return f"\\{macro}{{{plain}}}"
    return plain if plain.isascii() else None
