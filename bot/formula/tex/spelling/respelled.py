"""All respellings of a formula's text, each behind a token or a text that it needs: most formulas have none of them."""

from collections.abc import Callable, Iterable

from bot.formula.tex.spelling import chemistry, measures, signs, typed

# One of the texts is in each formula that the function behind them may change; in the order in which they are done.
_RULES: tuple[tuple[tuple[str, ...], Callable[[str], str]], ...] = (
    (("\\of",), typed.with_plain_roots),
    (("\\cases", "\\pmatrix", "\\matrix", "\\eqalign"), typed.with_tables),
    (("\\genfrac",), typed.with_free_fractions),
    (("\\underleftarrow", "\\underrightarrow"), typed.with_arrowed_limits),
    (("\\SI", "\\si", "\\qty", "\\num", "\\unit"), measures.with_siunitx),
    (("\\qty", "\\pqty", "\\bqty", "\\Bqty", "\\vqty"), typed.with_fences),
    (("\\ce",), chemistry.with_chemistry),
    (("{,}",), measures.with_decimal_points),
    (("{e", "{E", "e-", "E-"), measures.with_powers_of_ten),
    (("\\mathrm",), measures.with_units),
    (("\\mathrm",), chemistry.with_elements),
    (("Var", "Cov", "sin(", "cos(", "tan(", "exp(", "log(", "ln(", "max(", "min("), typed.with_named_operators),
    (("[", "]"), typed.with_round_intervals),
    (("\\sim",), signs.with_negations),
    (("\\forall", "\\exists"), signs.with_open_quantifiers),
    (("/\\!",), signs.with_parallels),
    (("\\%",), signs.with_remainders),
    (("\\equiv",), signs.with_moduli),
    (("s.t", "such that"), signs.with_constraints),
    (("i.i", "i. i"), signs.with_independence),
)  # fmt: skip
_OF_UNICODE: tuple[tuple[tuple[str, ...], Callable[[str], str]], ...] = (
    (("∼",), signs.with_negations),
    (("∀", "∃"), signs.with_open_quantifiers),
    (("√", "∛"), typed.with_unicode_roots),
    (("½", "⅓", "⅔", "¼", "¾", "⅕", "⅙", "⅛", "℃"), typed.with_compatible_signs),
)
_FREQUENT = frozenset(["\\mathrm"])  # this is a part of other tokens
# Texts that are tokens, so that one look into all tokens finds any of them; and the rules that need another look.
TOKENS = frozenset(text for texts, _ in _RULES for text in texts if text[0] == "\\" and text[1:].isalpha()) - _FREQUENT
_BY_TEXT = tuple(rule for rule in _RULES if not TOKENS.issuperset(rule[0]))


def respelled(tex: str) -> str:
    """Return the formula in the spelling that is cut into tokens, as far as this needs no token of TOKENS."""
    tex = _changed(tex, _BY_TEXT)
    return tex if tex.isascii() else _changed(tex, _OF_UNICODE)


def respelled_commands(tex: str) -> str:
    """Return the formula in this spelling, if a token of TOKENS is in it."""
    return _changed(tex, _RULES)


def _changed(tex: str, rules: Iterable[tuple[tuple[str, ...], Callable[[str], str]]]) -> str:
    for texts, change in rules:
        for text in texts:
            if text in tex:
                tex = change(tex)
                break
    return tex
