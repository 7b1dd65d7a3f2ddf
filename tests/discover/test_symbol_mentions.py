"""What sentences say of symbols, and which quantity a phrase names."""

from __future__ import annotations

import pytest

from bot.discover.cues.cue_language import article_language
from bot.discover.symbols.quantity_names import by_symbol, quantities, quantity_of
from bot.discover.symbols.symbol_mentions import symbol_mentions
from bot.formula.quantities.dimensions import parse_dimension
from bot.records import NameHint, Occurrence

FORMULAS = {0: r"F=ma", 1: "m", 2: "a", 3: "F", 4: r"v_0", 5: r"v=3\,\text{m/s}", 6: "F_1", 7: "F_2", 8: "r"}


def said(text: str, language: str = "en") -> set[tuple[str, str, str]]:
    occurrences = [Occurrence("d", n, tex, False, text) for n, tex in FORMULAS.items()]
    found = symbol_mentions(occurrences, article_language(language))
    return {(each.symbol.tex, each.meaning, each.kind) for each in found}


@pytest.mark.parametrize(
    ("text", "symbol", "meaning", "kind"),
    [
        ("We have ⟦0⟧, where ⟦1⟧ is the mass of the body.", "m", "mass of the body", "defined"),
        ("We have ⟦0⟧, where ⟦1⟧ is the mass and ⟦2⟧ the acceleration.", "a", "acceleration", "defined"),
        ("Let ⟦1⟧ be the mass of a proton.", "m", "mass of a proton", "defined"),
        ("It is pulled by the tension ⟦3⟧ of the rope.", "F", "tension", "apposed"),
        ("It moves with a speed ⟦5⟧ along it.", "v", "speed", "apposed_equation"),
        ("It moves at a speed v along it.", "v", "speed", "apposed_letter"),
        ("The initial velocity (⟦4⟧) is known.", "v_0", "initial velocity", "bracketed"),
        ("Here ⟦6⟧ and ⟦7⟧ are the forces on both bodies.", "F_1", "forces", "several"),
        ("Here ⟦6⟧ and ⟦7⟧ are the forces on both bodies.", "F_2", "forces", "several"),
    ],
)
def test_a_sentence_says_what_a_symbol_means(text: str, symbol: str, meaning: str, kind: str) -> None:
    assert (symbol, meaning, kind) in said(text)


SPOKEN: list[tuple[str, list[tuple[str, str, str, int]]]] = [
    ("We have ⟦0⟧, where ⟦1⟧ is the mass and ⟦2⟧ the acceleration.", [("m", "mass", "defined", 0), ("a", "acceleration", "defined", 1)]),
    ("The mass is denoted by ⟦1⟧.", [("m", "mass", "denoted", 1)]),
    ("The resultant force, usually represented by the symbol ⟦3⟧, grows.", [("F", "resultant force", "denoted", 3)]),
    ("Here ⟦6⟧ and ⟦7⟧ are the forces on both bodies.", [("F_2", "forces on both bodies", "defined", 6), ("F_1", "forces", "several", 6), ("F_2", "forces", "several", 6)]),
    ("The initial velocity (⟦4⟧) is known.", [("v_0", "initial velocity", "bracketed", 4)]),
    ("With ⟦1⟧ (the mass) it is known.", [("m", "mass", "behind", 1)]),
    ("With ⟦1⟧ (known) it moves.", []),
    ("It is a sphere of radius ⟦8⟧ here.", [("r", "radius", "apposed", 8)]),
    ("It has a moment of inertia ⟦8⟧ here.", [("r", "moment of inertia", "apposed", 8)]),
    ("It moves at a speed v along it.", [("v", "speed", "apposed_letter", 0)]),
    ("It moves at a speed A along it.", []),  # an article, or a pronoun
    ("It moves with a speed ⟦5⟧ along it.", [("v", "speed", "apposed_equation", 5)]),
    ("It moves with a speed⟦5⟧ along it.", []),
    ("Here where ⟦5⟧ is.", []),
    ("The speed, ⟦5⟧, is.", []),
    ("By ⟦0⟧ the mass m and the speed v are.", [("m", "mass", "apposed_letter", 0), ("v", "speed", "apposed_letter", 0)]),
    ("Then ⟦3⟧ is the force. The mass ⟦1⟧ is known.", [("F", "force", "defined", 3), ("m", "mass", "apposed", 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "wanted"), SPOKEN)
def test_all_that_a_sentence_says_of_symbols(text: str, wanted: list[tuple[str, str, str, int]]) -> None:
    occurrences = [Occurrence("d", n, tex, False, text) for n, tex in FORMULAS.items()]
    found = symbol_mentions(occurrences, article_language("en"))
    assert [(each.symbol.tex, each.meaning, each.kind, each.position) for each in found] == wanted
    assert all(each.sentence in text and f"{each.meaning}" in each.sentence for each in found)


@pytest.mark.parametrize(("more", "is_one"), [(0, True), (1, False)])
def test_a_left_side_of_sixty_characters_may_be_a_symbol(more: int, is_one: bool) -> None:
    tex = r"v_{\text{" + "a" * (49 + more) + "}}=at"
    assert len(tex) == 63 + more
    cues = (NameHint("defined", "speed"), NameHint("heading_part", "motion"))
    place = Occurrence("d", 0, tex, True, "It has a speed ⟦0⟧ then.", cues=cues)
    found = symbol_mentions([place], article_language("en"))
    assert [(each.meaning, each.kind) for each in found] == [
        ("speed", "apposed_equation"),
        ("speed", "name_defined"),
    ] * is_one


def test_german_sentences_do_so_too() -> None:
    assert said("Es gilt ⟦0⟧, wobei ⟦1⟧ die Masse ist.", "de") == {("m", "Masse", "defined")}
    assert said("Die Masse wird mit ⟦1⟧ bezeichnet.", "de") == {("m", "Masse", "denoted")}


@pytest.mark.parametrize("text", ["Clearly ⟦1⟧ is small.", "It follows from ⟦0⟧.", "See figure A for a table."])
def test_what_says_nothing(text: str) -> None:
    assert not {each for each in said(text) if each[2] == "defined"}


def test_what_an_equation_is_called_is_the_meaning_of_its_left_side() -> None:
    place = Occurrence("d", 0, r"F=ma", True, "The force is ⟦0⟧.", cues=(NameHint("defined", "force"),))
    found = symbol_mentions([place], article_language("en"))
    assert [(each.symbol.tex, each.meaning, each.kind) for each in found] == [("F", "force", "name_defined")]


@pytest.mark.parametrize(
    ("phrase", "key", "exact"),
    [
        ("velocity", "velocity", True),
        ("Velocities", "velocity", True),
        ("initial velocity of the ball", "velocity", False),
        ("magnitude of the centripetal acceleration", "centripetal acceleration", False),
        ("moment of inertia of the rod", "moment of inertia", False),
        ("speed of light", "speed of light", True),
        ("force between the plates", "force", False),
        ("Geschwindigkeit", "velocity", True),
        ("electric force", "force", False),
    ],
)
def test_a_phrase_names_a_quantity(phrase: str, key: str, exact: bool) -> None:
    quantity, whole = quantity_of(phrase)
    assert quantity is not None
    assert (quantity.key, whole) == (key, exact)


@pytest.mark.parametrize(
    "phrase",
    [
        "specific volume flow",
        "rate of the force",
        "force per unit length",
        "molar entropy",
        "energy flux density",
        "ball",
        "",
    ],
)
def test_a_word_may_make_it_another_quantity(phrase: str) -> None:
    assert quantity_of(phrase)[0] is None


def test_the_table_is_whole() -> None:
    assert len(quantities()) > 200
    assert quantities()["force"].dimension == parse_dimension("M L T^-2")
    assert [each.key for each in by_symbol()["ε_0"]] == ["vacuum permittivity"]
    names = [n for each in quantities().values() for n in {name.casefold() for name in (*each.names, *each.german)}]
    assert len(names) == len(set(names))
