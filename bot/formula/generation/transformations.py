"""The ways in which one formula is written differently: each a function from TeX to TeX, None where it does not apply.

They follow the challenges of the paper (its table of challenges): other letters, constants in other terms, scripts, notations of derivatives and
sums, order, sides, solved for another quantity.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial
from random import Random
from typing import TypeAlias

from bot.formula.generation.simple_products import DOT, SimpleProduct, inverse, simple_product, written_product
from bot.formula.generation.tex_pieces import (
    GREEK,
    fractions,
    group,
    has_top_level,
    is_bare_letter,
    pieces_before_open_braces,
    split_top,
    tokens,
    top_level_pieces,
)

Transformation: TypeAlias = Callable[[str, Random], str | None]

_SEPARATORS = (",", "\\quad", "\\qquad", ";")
_NOT_TOP = ("\\over", "\\atop", "\\choose", "&", "\\\\", "\\begin")
_SIGNS = ("\\in", "\\to", "\\forall", "\\exists", ":", "|", "\\mid", "\\pmod", "\\gg", "\\ll", "\\subseteq", "\\subset", "\\bumpeq", "\\cong", "\\simeq", "\\rightleftharpoons", "\\longrightarrow", "\\vdash", "\\supseteq", "\\Leftrightarrow", "\\bmod", "\\mod", "\\leqslant", "\\geqslant", "\\mapsto", "\\Rightarrow", "\\implies", "...", "\\lesssim")  # fmt: skip
_NO_EQUATION = ("<", ">", "\\leq", "\\geq", "\\iff", "\\land", "\\neq", "\\rightarrow", "\\colon", "\\approx", *_SIGNS)
_NO_SUM = (*_NOT_TOP, "\\pm", "\\mp", "\\ldots", "\\cdots", "\\dots", "\\dotsb", "\\sum", "\\prod", "\\int", "\\lim", "\\oplus", "\\text", "\\mbox", "\\|", *_SIGNS)  # fmt: skip
_RELATIONS = ("=", "<", ">", "\\leq", "\\geq", "\\approx", "\\equiv", "\\neq", "\\sim", "\\propto")
_TAIL = re.compile(r"(?:\s|\\[,;:! ]|[.])*$")
_COMMAND = re.compile(r"\\[A-Za-z]+\*?(\s*\{[A-Za-z\s]*\})?")
_LETTER = re.compile(r"_\{eff\}|\^\{tot\}|\\(?:rm|mathsf|mathtt|mathit|begin|end|text|textrm|mbox|operatorname\*?|mathrm|hbox|textbf|textit)\s*\{[^{}]*\}|\\[A-Za-z]+\*?|\\.|[A-Za-z]", re.S)  # fmt: skip
_IN_WORDS = re.compile(r"\\(?:mathrm|rm|text|mbox|hbox|operatorname)\b(?!\s*\{[^{}]*\})|[a-zA-Z]{4}|(?<![\\A-Za-z])(sin|cos|exp|log|max|min|mod|ln|tan)(?![A-Za-z])")  # fmt: skip
# The same quantity in books of another field or country: voltage U, speed u, area S, absolute temperature Θ, frequency f, …
CONVENTIONS = {
    "V": "U", "v": "u", "A": "S", "E": "W", "T": "\\Theta", "F": "K", "l": "L", "r": "R", "q": "Q", "p": "P", "n": "N", "\\nu": "f", "\\phi": "\\varphi", "\\varphi": "\\phi",
    "\\epsilon": "\\varepsilon", "\\varepsilon": "\\epsilon", "\\theta": "\\vartheta", "\\psi": "\\Psi", "\\lambda": "\\Lambda", "\\sigma": "\\varsigma", "\\kappa": "\\varkappa", "\\rho": "\\varrho",
}  # fmt: skip
_CONSTANTS = (("\\hbar", "\\frac{h}{2\\pi}"), ("\\frac{1}{4\\pi\\varepsilon_0}", "k_e"), ("\\frac{1}{4\\pi\\epsilon_0}", "k_e"), ("\\frac{h}{2\\pi}", "\\hbar"))  # fmt: skip
# Solved for by nobody.
_FIXED = frozenset(
    r"c G h e \pi \hbar k_B k_{B} N_A N_{A} \epsilon_0 \varepsilon_0 \mu_0 \epsilon_{0} \varepsilon_{0} \mu_{0}".split()
)
_LABELLED_LETTER = r"(?:\\[a-zA-Z]+|[A-Za-z])(?:_(?:[A-Za-z0-9]|\{[A-Za-z0-9]+\}))?"  # a letter, perhaps with a label
_FUNCTIONS = frozenset(["u", "w", "\\psi", "\\phi", "\\varphi"])  # whose subscripts are read as derivatives
_DERIVED = re.compile(
    rf"\\frac\{{\s*(?P<d>d|\\partial|\\mathrm\{{d\}})\s*(?P<order>\^2|\^\{{2\}})?\s*(?P<of>{_LABELLED_LETTER})\s*\}}\s*\{{\s*(?:d|\\partial|\\mathrm\{{d\}})\s*(?P<by>[a-z])\s*(?:\^2|\^\{{2\}})?\s*\}}(?!\s*(?:\(|\\left))"
)
_SUM = re.compile(r"\\sum(?:\\limits)?\s*_(?:([a-z])|\{([a-z])(?:=[^{}]*)?\})(?:\s*\^(?:\{[^{}]*\}|\w))?\s*")


_FRACTIONS = {
    "over": r"{{{0} \over {1}}}", "slash": "(({0})/({1}))", "grouped slash": "{{{{({0})}}/{{({1})}}}}", "plain slash": "{{{0}}}/{{{1}}}",
    "dfrac": r"\dfrac{{{0}}}{{{1}}}", "tfrac": r"\tfrac {{{0}}} {{{1}}}",
}  # fmt: skip


def respelt_fractions(tex: str, rng: Random, way: str) -> str:
    """Write every \\frac{a}{b} in another way."""
    found = next(fractions(tex), None)
    if found is None:
        return tex
    *parts, start, end = found
    numerator, denominator, rest = (respelt_fractions(part, rng, way) for part in (*parts, tex[end:]))
    return tex[:start] + _FRACTIONS[way].format(numerator, denominator) + rest


def equation(tex: str) -> tuple[str, str, str] | None:
    """Return (left side, right side, what follows) of a formula that is one equation with its conditions."""
    pieces = split_top(tex, _SEPARATORS)
    if pieces is None or has_top_level(tex, _NOT_TOP) or re.search(r"\d,\d{3}|[A-Za-z]{5}", _COMMAND.sub(" ", tex)):
        return None  # figures with thousands and words in plain letters are not for splitting at commas
    with_sign = [k for k in range(0, len(pieces), 2) if has_top_level(pieces[k], ("=",))]
    if with_sign != [0] or re.search(r"\\(text|mbox|textrm|hbox)", "".join(top_level_pieces(pieces[0]))):
        return None
    sides = split_top(pieces[0], ("=",))
    if sides is None or len(sides) != 3 or has_top_level(pieces[0], _NO_EQUATION):
        return None
    tail = _tail(sides[2])
    right = sides[2].removesuffix(tail)
    return (sides[0], right, tail + "".join(pieces[1:])) if sides[0].strip() and right.strip() else None


def _tail(tex: str) -> str:
    found = _TAIL.search(tex)
    return found.group() if found else ""


def swapped_sides(tex: str, rng: Random) -> str | None:
    """a = b, condition -> b = a, condition."""
    found = equation(tex)
    return f"{found[1]}={found[0]}{found[2]}" if found else None


def to_one_side(tex: str, rng: Random) -> str | None:
    """a = b -> a - b = 0."""
    found = equation(tex)
    if (
        not found
        or not all(re.search("[A-Za-z]", _COMMAND.sub("", side)) for side in found[:2])
        or has_top_level(found[0] + found[1], ("\\pm", "\\mp"))
    ):
        return None
    left, right, tail = found
    return f"{left}-{f'({right})' if has_top_level(right, ('+', '-')) or 'int' in right or 'sum' in right else right}=0{tail}"


def commuted_terms(tex: str, rng: Random) -> str | None:
    """a + b - c = d -> -c + b + a = d on the first side with several terms."""
    pieces = split_top(tex, _SEPARATORS)
    if pieces is None or "..." in tex or re.search(r"\\(text|mbox)", tex) or has_top_level(tex, _NO_SUM):
        return None
    sides = split_top(pieces[0], _RELATIONS)
    for k in range(0, len(sides or ()), 2):
        assert sides
        terms = split_top(sides[k], ("+", "-"))
        if not terms or len(terms) < 3:
            continue
        terms = ["+", *terms] if terms[0].strip() else terms[1:]
        pairs = [(terms[i], terms[i + 1]) for i in range(0, len(terms), 2)]
        tail = _tail(pairs[-1][1])
        pairs[-1] = (pairs[-1][0], pairs[-1][1].removesuffix(tail))
        if len(pairs) < 2 or any(not body.strip(" \\,;:!") for _, body in pairs):
            continue
        if any(re.search(r"\\(cdot|times|cup|cap)\s*$|[*/]\s*$", body) for _, body in pairs):
            continue
        sides[k] = " " + " ".join(sign + body for sign, body in reversed(pairs)).lstrip("+") + tail
        return "".join(sides) + "".join(pieces[1:])
    return None


def _products(tex: str) -> tuple[str, SimpleProduct, str] | None:
    """Return (left side, right side, what follows) where the right side is a product of simple factors."""
    found = equation(tex)
    product = simple_product(found[1]) if found else None
    if found and product and len(product.numerator) + len(product.denominator) > 1:
        return (found[0], product, found[2])
    return None


def reordered_factors(tex: str, rng: Random) -> str | None:
    """a = b c / d -> a = c b / d; numbers stay in front."""
    found = _products(tex)
    return f"{found[0]}={written_product(found[1].reordered())}{found[2]}" if found else None


def multiplication_signs(tex: str, rng: Random) -> str | None:
    """a = b c -> a = b \\cdot c."""
    found = _products(tex)
    return f"{found[0]}={written_product(found[1], DOT)}{found[2]}" if found else None


def negative_powers(tex: str, rng: Random) -> str | None:
    """a = b / c² -> a = b c^{-2}."""
    found = _products(tex)
    if not found or not found[1].denominator:
        return None
    numbers = tuple(factor for factor in found[1].denominator if factor[0].isdigit())
    inverses = [inverse(factor) for factor in found[1].denominator if factor not in numbers]
    return f"{found[0]}={written_product(SimpleProduct(found[1].sign, (*found[1].numerator, *inverses), numbers))}{found[2]}"


def solved_for_another(tex: str, rng: Random) -> str | None:
    """a = b c² -> c = \\sqrt{a / b}, or for b: one equation between the same quantities."""
    found = _products(tex)
    left = simple_product(found[0]) if found else None
    if not found or not left or left.denominator or left.sign or len(left.numerator) != 1 or "^" in found[0]:
        return None
    _, product, tail = found
    solvable = [
        f
        for f in (*product.numerator, *product.denominator)
        if re.fullmatch(rf"{_LABELLED_LETTER}(?:\^2)?", f) and f.partition("^")[0] not in _FIXED
    ]
    if not solvable:
        return None
    factor_to_solve = rng.choice(solvable)
    name, _, power = factor_to_solve.partition("^")
    numerator, denominator = list(product.numerator), list(product.denominator)
    (numerator if factor_to_solve in numerator else denominator).remove(factor_to_solve)
    if factor_to_solve in (*numerator, *denominator) or any(
        factor.partition("^")[0] == name for factor in (*numerator, *denominator)
    ):
        return None  # on both sides of the bar, or twice
    sides = (
        (left.numerator + tuple(denominator), tuple(numerator))
        if factor_to_solve in product.numerator
        else (tuple(numerator), left.numerator + tuple(denominator))
    )
    if power and product.sign:
        return None
    value = written_product(SimpleProduct("", *sides).reordered(0))
    return f"{name}={product.sign}" + (f"\\sqrt{{{value}}}" if power else value) + tail


def roots_as_powers(tex: str, rng: Random) -> str | None:
    """\\sqrt{x} -> x^{1/2}."""
    start = tex.find("\\sqrt{")
    if start < 0:
        return None
    inside, end = group(tex, start + 5)
    simple = re.fullmatch(r"\s*(?:[A-Za-z0-9]|\\[A-Za-z]+)\s*", inside)
    return f"{tex[:start]}{inside.strip() if simple else f'({inside})'}^{{1/2}}{tex[end:]}"


def exponential_function(tex: str, rng: Random) -> str | None:
    """e^{x} -> \\exp(x)."""
    found = re.search(r"(?<![A-Za-z_\\])(?:e|\\mathrm\{e\})\s*\^\s*\{", tex)
    if not found:
        return None
    inside, end = group(tex, found.end() - 1)
    if not re.search("[A-Za-z]", inside):
        return None  # the elementary charge, an electron
    return f"{tex[: found.start()]}\\exp\\left({inside}\\right){tex[end:]}"


def derivative_notation(tex: str, rng: Random) -> str | None:
    """dx/dt -> \\dot x, ∂u/∂x -> ∂_x u, u_{xx}; \\nabla² <-> \\Delta."""
    way = rng.randrange(2)

    def written(found: re.Match[str]) -> str:
        of, by, twice = found["of"], found["by"], bool(found["order"])
        if found["d"] != "\\partial":
            return f"\\{'ddot' if twice else 'dot'}{{{of}}}" if by == "t" else found.group()
        if way and of in _FUNCTIONS:
            return f"{of}_{{{by * (2 if twice else 1)}}}"
        return f"\\partial_{by}{'^2' if twice else ''} {of}"

    respelt = _DERIVED.sub(written, tex)
    if way and re.search(r"_\{([a-z])\1?\}", respelt) and "\\partial" in respelt:
        return None  # half of them
    if "\\Delta" not in tex:
        respelt = re.sub(
            r"\\nabla\s*\^(?:2|\{2\})\s*(?=[a-z]|\\(?:psi|Psi|phi|varphi|Phi)(?![A-Za-z]))", r"\\Delta ", respelt
        )
    return respelt if respelt != tex else None


def vector_notation(tex: str, rng: Random) -> str | None:
    """\\vec{F} <-> \\mathbf{F}."""
    respelt = re.sub(r"\\vec\s*(?:\{([A-Za-z])\}|([A-Za-z]))", r"\\mathbf{\1\2}", tex)
    return (
        respelt if respelt != tex else re.sub(r"\\(?:mathbf|boldsymbol|mathbf\s)\s*\{([A-Za-z])\}", r"\\vec{\1}", tex)
    )


def sum_sign_left_out(tex: str, rng: Random) -> str | None:
    """\\sum_i a_i b_i -> a_i b_i, by the summation convention: the index is twice in one term."""
    found = _SUM.search(tex)
    if not found or tex.count("\\sum") > 1:
        return None
    index = found[1] or found[2]
    term = (split_top(tex[found.end() :], ("+", "-", "=", ",")) or [""])[0]
    without_commands = _COMMAND.sub(" ", term)
    index_subscripts = re.findall(rf"_(?:{index}|\{{[a-z]*{index}[a-z]*\}})", without_commands)
    if (
        len(index_subscripts) != 2
        or len(re.findall(index, without_commands)) != 2
        or re.search(r"[(^]|\\(?:ln|log|exp|sin|cos)", term)
    ):
        return None
    return tex[: found.start()] + tex[found.end() :]


def constants_in_other_terms(tex: str, rng: Random) -> str | None:
    """\\hbar -> h / 2π, 1 / (4πε_0) -> k_e."""
    for constant, value in _CONSTANTS:
        if constant in tex and value not in tex and not (value == "k_e" and re.search(r"(?<![\\A-Za-z])[kh]", tex)):
            return _replaced(tex, constant, value)
    return None


def _replaced(tex: str, constant: str, value: str) -> str:
    raised = f"\\left({value}\\right)^" if value[0] == "\\" else f"{value}^"
    tex = re.sub(re.escape(constant) + r"\s*\^", lambda _: raised, tex)
    return re.sub(re.escape(constant) + r"(?![A-Za-z])\s*", lambda _: value, tex)


def letters_by_convention(tex: str, rng: Random) -> str | None:
    """Write one letter as another field or country does; never a letter that the formula already has."""
    pieces = tokens(tex)
    ways = [
        (old, new)
        for old, new in CONVENTIONS.items()
        if old in pieces and new not in pieces and new.lower() not in pieces
    ]
    if not ways or _IN_WORDS.search(_COMMAND.sub(" ", tex)):
        return None
    old, new = rng.choice(ways)
    if any(
        opener.startswith("\\math")
        for k, piece in enumerate(pieces)
        if piece == old
        for opener in pieces_before_open_braces(pieces, k)
    ):
        return None  # a letter of another kind
    return "".join(
        _separated_from(new, pieces[k + 1 : k + 2]) if piece == old else piece for k, piece in enumerate(pieces)
    )


def _separated_from(new: str, following: list[str]) -> str:
    return f"{new} " if new[0] == "\\" and following and following[0][:1].isalpha() else new


def renamed_letters(tex: str, rng: Random) -> str | None:
    """Rename all variables one to one, except d, e, i and the letters of derivatives."""
    if _IN_WORDS.search(_COMMAND.sub(" ", tex)):
        return None  # words spelled in plain letters are not variables
    table: dict[str, str] = {}
    greek = [name for name in GREEK if name[1].islower() and name not in ("\\delta", "\\epsilon", "\\varepsilon", "\\varphi", "\\psi", "\\mu", "\\theta", "\\omega")]  # fmt: skip
    for names in ([*"abcfghjklmnopqrsuvw"], [*"ABCFGHIJKLMNPQRSUVWXYZ"], [*greek, "\\theta", "\\omega"]):
        shuffled = names[:]
        rng.shuffle(shuffled)
        table.update(zip(names, shuffled, strict=True))

    def replace(found: re.Match[str]) -> str:
        new = table.get(found.group(), found.group())
        return new + " " if new[0] == "\\" else new

    return _LETTER.sub(replace, tex)


def restyled(tex: str, rng: Random) -> str | None:
    """Spacing, \\displaystyle, \\left…\\right, grouping braces and entities."""
    choice = rng.randrange(6)
    if choice == 0:
        return "{\\displaystyle " + tex + "}"
    if choice == 1:
        return "\\displaystyle " + tex.replace("=", "\\,=\\;") + "\\,."
    if choice == 2:
        return tex.replace("<", "&lt;").replace(">", "&gt;")
    if choice == 3 and "\\left" not in tex and "\\big" not in tex.lower():
        pieces = tokens(tex)
        if pieces.count("(") == pieces.count(")") and not {"[", "]", "&", "\\over", "\\\\"}.intersection(pieces):
            return "".join({"(": "\\left(", ")": "\\right)"}.get(piece, piece) for piece in pieces)
    if choice == 4:
        return "$" + re.sub(r"\s+", " ", tex) + "$"
    return re.sub(r"\\frac(?![A-Za-z])", r"\\dfrac", tex).replace("+", " + ").replace("=", " = ")


def labelled(tex: str, rng: Random, label: str) -> str | None:
    """Give one variable without scripts a label or an index at every occurrence."""
    pieces = tokens(tex)
    letters = sorted({*"ABCFGHKLMNPQRSVWabcfghklmnpqrsvw", *GREEK} & set(pieces))
    rng.shuffle(letters)
    for letter in letters:
        indices = [k for k, piece in enumerate(pieces) if piece == letter]
        if all(is_bare_letter(pieces, k) for k in indices):
            return "".join(piece + label if piece == letter else piece for piece in pieces)
    return None


TRANSFORMATIONS: dict[str, Transformation] = {
    **{way: partial(respelt_fractions, way=way) for way in _FRACTIONS},
    "swapped sides": swapped_sides,
    "to one side": to_one_side,
    "commuted terms": commuted_terms,
    "reordered factors": reordered_factors,
    "negative powers": negative_powers,
    "multiplication signs": multiplication_signs,
    "solved for another": solved_for_another,
    "roots as powers": roots_as_powers,
    "exponential function": exponential_function,
    "notation of derivatives": derivative_notation,
    "notation of vectors": vector_notation,
    "sum sign left out": sum_sign_left_out,
    "constants in other terms": constants_in_other_terms,
    "styling": restyled,
    "letters by convention": letters_by_convention,
    "renaming": renamed_letters,
    "label below": partial(labelled, label="_{eff}"),
    "index below": partial(labelled, label="_{i}"),
    "label above": partial(labelled, label="^{tot}"),
    "upright label": partial(labelled, label=r"_{\mathrm{max}}"),
}


def apply_transformations(tex: str, names: Iterable[str], rng: Random, steps: int) -> tuple[str, list[str]]:
    """Return the formula after the first `steps` transformations that change it, one upon the other, and their names."""
    done: list[str] = []
    for name in names:
        if len(done) == steps:
            break
        other = TRANSFORMATIONS[name](tex, rng)
        if other is not None and other != tex:
            tex = other
            done.append(name)
    return tex, done
