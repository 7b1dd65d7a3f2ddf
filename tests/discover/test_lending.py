"""Equivalents lend what is said of them."""

from bot.discover.group import Group
from bot.discover.names import NameMention
from bot.discover.propagation import lent_by_equivalents


def group(tex: str, document: str, *said: tuple[str, str]) -> Group:
    made = Group(tex, {}, 5, 1, {document}, 0)
    made.spellings[tex] = 1
    made.mentions = [NameMention(name, kind, document, 0) for name, kind in said]
    return made


def lent(*groups: Group) -> list[list[tuple[str, str]]]:
    return [[(s.name, s.role) for s in signs] for signs in lent_by_equivalents([(g, []) for g in groups])]


def test_the_same_in_another_order_lends_its_signs_at_a_discount() -> None:
    named = group(r"\rho = \frac{m}{V}", "a", ("mass density", "called"))
    bare = group(r"m = \rho V", "b")
    assert lent(named, bare) == [[], [("mass density", "lent")]]


def test_structure_is_not_lent() -> None:
    named = group(r"\rho = \frac{m}{V}", "a", ("mass density", "key_equations"))
    assert lent(named, group(r"m = \rho V", "b")) == [[], []]


def test_where_a_letter_differs_only_bare_words_are_lent() -> None:
    others = [group(rf"p = {letter} \rho", letter) for letter in (r"\omega", r"\gamma", r"\alpha", r"\kappa")]
    named = group(r"p = w \rho", "a", ("state equation", "near_law"), ("gas law", "called"))
    assert lent(named, *others)[1] == [("state equation", "lent")]


def test_another_formula_lends_nothing() -> None:
    assert lent(group("F = m a", "a", ("force", "called")), group("V = R I", "b")) == [[], []]
