"""A formula as one line of Unicode for a terminal: E = ½mv², ∂ρ/∂t + ∇⋅J = 0. To be read by people only; TeX stays what is stored."""

import re
from collections.abc import Sequence
from functools import lru_cache, partial
from unicodedata import normalize
from xml.etree import ElementTree

from bot.formula.drawing.mathml import mathml

_RAISED = str.maketrans("0123456789+-−=()in", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁱⁿ")
_LOWERED = str.maketrans("0123456789+-−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ")
_ACCENTS = {"˙": "\u0307", "¨": "\u0308", "…": "\u20db", "→": "\u20d7", "^": "\u0302", "ˆ": "\u0302", "~": "\u0303", "˜": "\u0303", "¯": "\u0304", "‾": "\u0304", "―": "\u0304", "ˉ": "\u0304"}  # fmt: skip
_HALVES = {("1", "2"): "½", ("1", "3"): "⅓", ("1", "4"): "¼", ("3", "4"): "¾", ("2", "3"): "⅔"}
_SIMPLE = re.compile(r"\w[\u0300-\u036f\u20d0-\u20ff₀-₉ₐ-ₜᵢ-ᵪ²³¹⁰-ⁿ′]*|\d+(?:\.\d+)?|[½⅓¼¾⅔]")
_RELATIONS = frozenset("=≈≃≡≠<>≤≥≪≫∝∼→⇒⇔↔⟹⟺∈:")
_SPACED = frozenset("+-−±∓×")


@lru_cache(maxsize=8192)
def plain_text(tex: str) -> str:
    """Return `tex` as one line of Unicode, or unchanged except for blanks if it cannot be drawn. Never raises."""
    drawn = mathml(tex, named=False)
    if not drawn.startswith("<math"):
        return " ".join(tex.split())
    try:
        text = _text(ElementTree.fromstring(drawn))
    except ElementTree.ParseError:
        text = tex
    return normalize("NFC", " ".join(text.split()))


def _text(node: ElementTree.Element) -> str:
    parts = [_text(child) for child in node]
    if node.tag in ("mi", "mn", "mtext", "ms"):
        return (node.text or "").replace("\ufe00", "")  # which of two script faces is meant
    if node.tag == "mo":
        return _operator(node)
    if node.tag == "mfrac" and node.get("linethickness", "")[:1] == "0":
        return f"{parts[0].strip()} choose {parts[1].strip()}"
    if node.tag == "mfrac":
        return _HALVES.get((parts[0], parts[1])) or f" {_in_brackets(parts[0])}/{_in_brackets(parts[1])} "
    if node.tag in ("msqrt", "mroot"):
        root = {"3": "∛", "4": "∜"}.get(parts[1], f"{_superscript(parts[1])}√") if node.tag == "mroot" else "√"
        return root + _in_brackets(parts[0] if node.tag == "mroot" else "".join(parts))
    if node.tag == "mover" and parts[1].strip() in _ACCENTS and len(parts[0]) == 1:
        return parts[0] + _ACCENTS[parts[1].strip()]
    if node.tag in ("mover", "munder") and parts[1].strip() in ("‾", "⏞", "⏟"):
        line = {"mover": "\u0305", "munder": "\u0332"}[node.tag] if parts[1].strip() == "‾" else ""
        return "".join(letter + line for letter in parts[0])
    if node.tag in ("msub", "munder"):
        return parts[0].rstrip() + _subscript(parts[1])
    if node.tag in ("msup", "mover"):
        return parts[0].rstrip() + _superscript(parts[1])
    if node.tag in ("msubsup", "munderover"):
        return parts[0].rstrip() + _subscript(parts[1]) + _superscript(parts[2])
    if node.tag == "mspace":
        return " "
    return _join_parts(node, parts)


def _join_parts(node: ElementTree.Element, parts: Sequence[str]) -> str:
    if node.tag == "mtable":
        return "; ".join(parts)
    if node.tag == "mtr":
        cells = [part.strip() for part in parts if part.strip()]
        return "".join(f" {cell}" if n == 0 or cell[0] in _RELATIONS else f", {cell}" for n, cell in enumerate(cells))
    return "".join(
        f" {part} " if child.tag == "mi" and len(part) > 1 and part.isascii() else part
        for child, part in zip(node, parts, strict=True)
    )


def _operator(node: ElementTree.Element) -> str:
    sign = (node.text or "").replace("\u2061", "").replace("\u2062", "")
    if node.get("form") == "prefix" or sign not in _RELATIONS | _SPACED:
        return sign + (" " if sign == "," else "")
    return f" {sign} " if sign in _RELATIONS or node.get("lspace") != "0" else sign


def _in_brackets(text: str) -> str:
    """Put brackets around text that would be ambiguous beside a fraction's slash or under a root."""
    text = text.strip()
    return text if _SIMPLE.fullmatch(text) else f"({text})"


def _script(text: str, letters: dict[int, int], sign: str) -> str:
    text = "".join(text.split())
    if not text:
        return ""
    if set(text) <= {"′", "*", "∗", "†"}:
        return text
    if all(ord(letter) in letters for letter in text):
        return text.translate(letters)
    return sign + (text if len(text) == 1 else f"({text})")


_superscript = partial(_script, letters=_RAISED, sign="^")
_subscript = partial(_script, letters=_LOWERED, sign="_")
