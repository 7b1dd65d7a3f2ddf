"""The mentions of equivalents are propagated."""

from bot.discover.group import Group
from bot.discover.name_ranking import NameMention
from bot.discover.naming import find_equivalents, mentions_of_equivalents


def group(tex: str, document: str, *said: tuple[str, str]) -> Group:
    made = Group(tex, {}, 5, 1, {document, f"{document} again"}, 0)
    made.spellings[tex] = 1
    made.mentions = [NameMention(name, kind, document, 0) for name, kind in said]
    return made


def propagated(*groups: Group) -> list[list[tuple[str, str]]]:
    found = [
        mentions_of_equivalents(((groups[n], []), same) for n, same in others.items())
        for others in find_equivalents(groups)
    ]
    return [[(s.name, s.role) for s in mentions] for mentions in found]


def test_the_same_in_another_order_gives_its_mentions_at_a_discount() -> None:
    named = group(r"\rho = \frac{m}{V}", "a", ("mass density", "called"))
    bare = group(r"m = \rho V", "b")
    assert propagated(named, bare) == [[], [("mass density", "equivalent")]]


def test_structure_is_not_propagated() -> None:
    named = group(r"\rho = \frac{m}{V}", "a", ("mass density", "key_equations"))
    assert propagated(named, group(r"m = \rho V", "b")) == [[], []]


def test_where_a_letter_differs_only_bare_words_are_propagated() -> None:
    others = [group(rf"p = {letter} \rho", letter) for letter in (r"\omega", r"\gamma", r"\alpha", r"\kappa")]
    named = group(r"p = w \rho", "a", ("state equation", "near_law"), ("gas law", "called"))
    assert propagated(named, *others)[1] == [("state equation", "equivalent")]


def test_another_formula_gives_nothing() -> None:
    assert propagated(group("F = m a", "a", ("force", "called")), group("V = R I", "b")) == [[], []]


def test_a_group_is_compared_by_the_first_of_its_spellings() -> None:
    named = group(r"\rho = \frac{m}{V}", "a", ("mass density", "called"))
    bare = group("V = 7", "b")
    bare.spellings["V = \\frac{m}{\\rho}"] = 5
    assert min(bare.spellings) == "V = 7"
    assert propagated(named, bare)[1] == []
    del bare.spellings["V = 7"]
    assert propagated(named, bare)[1] == [("mass density", "equivalent")]


def test_mentions_of_sixty_places_are_propagated() -> None:
    named = group(r"\rho = \frac{m}{V}", "a")
    named.mentions = [NameMention("mass density", "called", "a", n) for n in range(61)]
    assert len(propagated(named, group(r"m = \rho V", "b"))[1]) == 60
