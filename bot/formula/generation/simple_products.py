"""A side that is a product of simple factors (numbers, letters with scripts, brackets), as its factors above and below the bar.

Sides with vectors, operators, functions or derivatives are none: their factors may not be moved.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.formula.generation.tex_pieces import GREEK, group, has_top_level, split_top

_SPACE = re.compile(r"(?:\s|\\[,;:! ]|\\cdot(?![A-Za-z]))+")
_ATOM = re.compile("|".join([r"\d+(?:\.\d+)?", "[A-Za-ce-z]", *(re.escape(name) + r"(?![A-Za-z])" for name in (*GREEK, "\\pi", "\\hbar"))]))  # fmt: skip
_FRACTION = re.compile(r"\\[dt]?frac\s*(?=\{)")
_POWER = re.compile(r"\d+|[a-z]|\d/\d")
DOT = " \\cdot "
_APPLIED = frozenset("fgFGPp") | {"\\phi", "\\psi", "\\Phi", "\\Psi", "\\varphi", "\\Gamma"}


@dataclass(frozen=True, slots=True)
class SimpleProduct:
    """Factors as TeX; `sign` is "" or "-"."""

    sign: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...]

    def reordered(self, step: int = -1) -> SimpleProduct:
        """Return the product with numbers in front and the other factors backwards (in their order with step 0)."""

        def ordered(factors: tuple[str, ...]) -> tuple[str, ...]:
            others = [factor for factor in factors if not factor[0].isdigit()]
            return (*(f for f in factors if f[0].isdigit()), *(reversed(others) if step else others))

        return SimpleProduct(self.sign, ordered(self.numerator), ordered(self.denominator))


def simple_product(side: str) -> SimpleProduct | None:
    """Return the factors of a side, None if it is not a product of simple factors."""
    text = side.strip()
    sign = "-" if text.startswith("-") else ""
    upper_factors: list[str] = []
    lower_factors: list[str] = []
    at, under = len(sign), False
    while at < len(text):
        if space := _SPACE.match(text, at):
            at = space.end()
        elif text[at] == "/" and upper_factors and not lower_factors and not under:
            under, at = True, at + 1
        elif under and lower_factors:
            return None  # a/bc: the denominator is ambiguous
        elif bar := _FRACTION.match(text, at):
            numerator, middle = group(text, bar.end())
            middle += len(text[middle:]) - len(text[middle:].lstrip())
            if under or text[middle : middle + 1] != "{":
                return None
            denominator, at = group(text, middle)
            if text[at : at + 1] in ("^", "_"):
                return None
            for part, into in ((numerator, upper_factors), (denominator, lower_factors)):
                inner = _inside(part)
                if inner is None:
                    return None
                into += inner
        else:
            found = _factor(text, at, upper_factors)
            if found is None:
                return None
            factor, at = found
            (lower_factors if under else upper_factors).append(factor)
    if under and not lower_factors:
        return None
    numbers = [factor for factor in upper_factors if factor != "1"]
    return SimpleProduct(sign, tuple(numbers), tuple(lower_factors)) if numbers or lower_factors else None


def _inside(part: str) -> list[str] | None:
    """Return the factors of a numerator or a denominator; a sum is one factor in brackets."""
    if has_top_level(part, ("+", "-")):
        terms = split_top(part, ("+", "-")) or []
        return [f"({part.strip()})"] if terms and all(simple_product(t) for t in terms[::2] if t.strip()) else None
    inner = simple_product(part)
    if part.strip() == "1":
        return []
    return list(inner.numerator) if inner and not inner.denominator and not inner.sign else None


def _factor(text: str, at: int, before: list[str]) -> tuple[str, int] | None:
    """Return (factor with its scripts, the position after it)."""
    if text[at] == "(":
        closing = text.find(")", at)
        inside = text[at + 1 : closing]
        if closing < 0 or "(" in inside or not has_top_level(inside, ("+", "-")) or (before and before[-1] in _APPLIED):
            return None  # f(x), or brackets that are not a sum
        terms = split_top(inside, ("+", "-")) or [""]
        if not terms[-1].strip() or any(simple_product(term) is None for term in terms[::2] if term.strip()):
            return None
        end = closing + 1
    elif found := _ATOM.match(text, at):
        end = found.end()
    else:
        return None
    while end < len(text) and text[end] in "_^'":
        if text[end] == "'":
            end += 1
            continue
        start = end + 1
        if text[start : start + 1] == "{":
            script, end = group(text, start)
            if text[start - 1] == "^" and not _POWER.fullmatch(script):
                return None  # transposed, conjugate, inverse
        elif atom := _ATOM.match(text, start):
            end = start + 1 if text[start].isalnum() else atom.end()
            if text[start - 1] == "^" and not _POWER.fullmatch(text[start:end]):
                return None
        else:
            return None
    return text[at:end], end


def inverse(factor: str) -> str:
    """Return a factor to the negative of its power."""
    base, _, power = factor.partition("^")
    if not power:
        return f"{factor}^{{-1}}"
    digits = power.strip("{}")
    return f"{base}^{{-{digits}}}" if digits.isdigit() else f"({factor})^{{-1}}"


def written_product(product: SimpleProduct, between: str = " ") -> str:
    """Return a product as TeX, as a fraction if it has a denominator."""
    numerator = between.join(product.numerator) or "1"
    return product.sign + (
        f"\\frac{{{numerator}}}{{{between.join(product.denominator)}}}" if product.denominator else numerator
    )
