"""What speaks for each meaning of a symbol, feature by feature, and which meanings are chosen together."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

import pytest

from bot.discover.cues.cue_language import article_language
from bot.discover.symbols.quantity_names import quantities
from bot.formula.quantities.formula_symbols import formula_symbols
from bot.match.symbols.symbol_choice import SymbolWeights, choose_readings, log_odds
from bot.match.symbols.symbol_evidence import (
    DocumentSymbols,
    SymbolReading,
    SymbolUsage,
    named_quantities,
    read_document,
    reading_key,
    readings,
)
from bot.records import NameHint, Occurrence

WINDOW = (
    "The force is ⟦0⟧ where ⟦1⟧ is the mass of the body and ⟦2⟧ is its acceleration. The rate ⟦3⟧ is the frequency."
)
SENTENCE = "The force is $F=ma$ where $m$ is the mass of the body and $a$ is its acceleration."
PLACES = [
    *(Occurrence("d", n, tex, False, WINDOW) for n, tex in enumerate(("F=ma", "m", "a", r"\omega"))),
    Occurrence("d", 9, r"m_1=\omega t", True, "Later ⟦9⟧ is used. The velocity grows."),
]


def symbols_of(places: Sequence[Occurrence]) -> DocumentSymbols:
    return DocumentSymbols(places, article_language("en"))


def features(reading: SymbolReading) -> dict[str, float]:
    return {name: round(value, 3) for name, value in reading.features.items() if value}


def test_what_the_own_document_says_counts_by_how_far_away_it_says_so() -> None:
    force, other = read_document(symbols_of(PLACES)).formulas
    assert (force.tex, force.position, other.tex, other.position) == ("F=ma", 0, r"m_1=\omega t", 9)
    found = {each.symbol.tex: each for each in (*force.symbols, *other.symbols)}
    (mass,) = found["m"].found.values()
    assert (mass.key, mass.meaning, mass.sentence) == ("mass", "mass of the body", SENTENCE)
    assert features(mass) == {"defined": 1.0, "inside": 1.0, "count": 1.0}
    assert features(found["a"].found["acceleration"]) == {
        "defined": round(exp(-1 / 15), 3),
        "inside": 1.0,
        "count": 1.0,
    }
    # Six formulas on, in a sentence that does not stand beside it.
    of_omega = found[r"\omega"].found
    assert {key: features(each) for key, each in of_omega.items()} == {
        "angular frequency": {"defined": round(exp(-6 / 15), 3), "count": 1.0},
        "rate": {"apposed": round(exp(-6 / 15), 3), "count": 1.0},
    }
    assert found["F"].found == found["m_1"].found == {}
    assert found["m"].own == (("m", frozenset({"mass"})),)
    assert found[r"\omega"].own == (("ω", frozenset({"rate", "angular frequency"})),)


def test_what_a_symbol_with_a_running_index_may_be_a_form_of_counts_half() -> None:
    window = "So ⟦0⟧ holds, where ⟦1⟧ is the mass."
    places = [Occurrence("d", n, tex, False, window) for n, tex in enumerate((r"M=\sum_i m_i", "m"))]
    (formula,) = read_document(symbols_of(places)).formulas
    (of_index,) = (each for each in formula.symbols if each.symbol.tex == "m_i")
    assert of_index.weak == ("m",)
    assert [key for key, _ in of_index.own] == ["m_i", "m"]
    assert features(of_index.found["mass"]) == {"defined": 0.5, "inside": 1.0, "count": 0.5}


def test_what_is_said_again_and_again_counts_three_times() -> None:
    windows = [f"Here ⟦{n}⟧ is the mass of {what}." for n, what in enumerate(("a", "rock", "water", "iron", "lead"))]
    places = [Occurrence("d", n, "m", False, window) for n, window in enumerate(windows)]
    places.append(Occurrence("d", 5, "F=ma", True, "So ⟦5⟧."))
    (formula,) = read_document(symbols_of(places)).formulas
    (mass,) = (each.found["mass"] for each in formula.symbols if each.symbol.tex == "m")
    assert features(mass) == {"defined": round(exp(-1 / 15), 3), "count": 3.0}
    assert mass.meaning == "mass of lead"  # the nearest


def test_a_name_of_the_formula_is_evidence_of_its_left_side() -> None:
    called = Occurrence("d", 0, "X = mx", True, "It is $⟦0⟧$.", cues=(NameHint("called", "temperature"),))
    (formula,) = read_document(symbols_of([called])).formulas
    (of_x, *_) = formula.symbols
    assert features(of_x.found["temperature"]) == {"called": 0.7, "called_often": 0.7}


def test_a_document_tells_what_its_own_words_give_and_not_what_its_formulas_are_called() -> None:
    called = Occurrence("d", 10, "X = mx", True, "It is $⟦10⟧$.", cues=(NameHint("called", "temperature"),))
    document = symbols_of([*PLACES, called])
    assert document.explicit_meanings() == {
        ("m", "mass"): ("mass of the body", SENTENCE),
        ("a", "acceleration"): ("acceleration", SENTENCE),
        ("ω", "angular frequency"): ("frequency", r"The rate $\omega$ is the frequency."),
        ("ω", "rate"): ("rate", r"The rate $\omega$ is the frequency."),
    }
    assert document.explicit_readings("m", "m") == {"mass"}
    assert document.explicit_readings("X", "X") == frozenset()


def test_other_documents_and_usage_speak_for_a_meaning_too() -> None:
    usage = SymbolUsage()
    usage.add("s", {("m", "mass"): ("mass", "S1"), ("F", "force"): ("force", "S2")})
    usage.add("s", {("m", "mass"): ("mass of it", "S3"), ("m", "magnitude"): ("magnitude", "S4")})
    for n in range(3):
        usage.add("s", {("m", "molality"): ("molality", f"S{5 + n}")})
    read = read_document(symbols_of(PLACES))
    (of_f, of_m, _), (of_m1, _, _) = (
        {symbol.tex: {each.key: each for each in found} for symbol, found in readings(formula, usage, "s", read.around)}.values()
        for formula in read.formulas
    )  # fmt: skip
    assert (of_f["force"].meaning, of_f["force"].sentence) == ("force", "S2")
    assert features(of_f["force"]) == {"usage_share": 1.0, "usage_number": round(log(2), 3), "usual": 1.0, "named": 1.0}
    assert features(of_f["helmholtz energy"]) == {"usual": 1.0}
    # Four documents but this one, of which three say molality, one mass and one magnitude.
    assert features(of_m["molality"]) == {"usage_share": 0.75, "usage_number": round(log(4), 3)}
    assert features(of_m["magnitude"]) == {"usage_share": 0.25, "usage_number": round(log(2), 3)}
    assert (of_m["magnitude"].sentence, of_m["molality"].sentence) == ("S4", "S5")
    assert features(of_m["mass"]) == {
        "defined": 1.0, "inside": 1.0, "count": 1.0, "usage_share": 0.25, "usage_number": round(log(2), 3), "usual": 1.0, "named": 1.0,
    }  # fmt: skip
    assert of_m["mass"].sentence == SENTENCE
    # The second and third symbol that is usual for a quantity counts a half and a third.
    assert [features(of_m[key])["usual"] for key in ("magnification", "magnetic moment", "quantum number")] == [
        1.0,
        0.5,
        0.333,
    ]
    # With an index the letter alone counts, apart; what the document names elsewhere is around.
    assert features(of_m1["mass"]) == {"usual_letter": 1.0, "around": 1.0}
    assert (of_m1["mass"].meaning, of_m1["mass"].sentence) == ("mass", SENTENCE)


@pytest.mark.parametrize(
    ("meaning", "letter", "key"),
    [
        ("frequency", "ω", "angular frequency"),
        ("frequency", "f", "frequency"),
        ("period", "ω", "period"),
        ("mass of the body", "m", "mass"),
        ("number of apples", "n", "number"),
    ],
)
def test_meanings_are_one_by_their_quantity_or_their_phrase(meaning: str, letter: str, key: str) -> None:
    found, quantity = reading_key(meaning, letter)
    assert found == key
    assert quantity == quantities().get(key)


# -- the choice among them ---------------------------------------------------------------------------------------------------------
WEIGHTS = SymbolWeights(
    {"bias": -1.0, "defined": 4.0, "usual": 2.0},
    {"balance": 3.0, "score": 1.0, "lead": 0.5, "agrees": 2.0, "disagrees": -2.0, "free": 0.25, "unsaid": -0.5},
)


def reading(key: str, **values: float) -> SymbolReading:
    return SymbolReading(key, quantities().get(key), key, features=values)


def chosen(tex: str, **of: list[SymbolReading]) -> dict[str, tuple[str, bool | None]]:
    found = [(symbol, of.get(symbol.tex, [])) for symbol in formula_symbols(tex)]
    return {each.symbol.tex: (each.reading.key, each.agreed) for each in choose_readings(tex, found, WEIGHTS)}


def test_log_odds_are_weighted_evidence_with_a_bias() -> None:
    assert log_odds(reading("mass", defined=0.5, usual=1.0, unheard=9.0), WEIGHTS) == 3.0


def test_the_likeliest_reading_is_taken_unless_another_that_agrees_costs_little() -> None:
    force, acceleration = [reading("force", defined=1.0)], [reading("acceleration", defined=1.0)]
    mass, momentum = reading("mass", defined=0.5), reading("momentum", defined=1.0)
    assert chosen("F=ma", F=force, m=[mass, reading("momentum", defined=0.25)], a=acceleration)["m"] == ("mass", True)
    # The mass costs 2 and agrees; at 4, more than the balance is worth, the likelier momentum stays.
    assert chosen("F=ma", F=force, m=[mass, momentum], a=acceleration)["m"] == ("mass", True)
    rare = reading("mass")
    assert chosen("F=ma", F=force, m=[rare, momentum], a=acceleration)["m"] == ("momentum", False)
    assert chosen("F=ma", F=force, m=[], a=acceleration) == {"F": ("force", None), "a": ("acceleration", None)}
    assert chosen("F=ma") == {}


def test_the_probability_of_a_choice_is_from_its_lead_and_what_holds_it() -> None:
    found = [
        (symbol, {"F": [reading("force", defined=1.0)], "m": [reading("mass", defined=0.5), reading("weight", usual=1.0)],
                  "a": [reading("acceleration", defined=1.0)]}[symbol.tex])
        for symbol in formula_symbols("F=ma")
    ]  # fmt: skip
    force, mass, _ = choose_readings("F=ma", found, WEIGHTS)
    assert dict(force.features) == {
        "bias": 1.0, "score": 3.0, "lead": 4.0, "agrees": 1.0, "free": 0.0, "disagrees": 0.0, "phrase": 0.0, "unsaid": 0.0,
    }  # fmt: skip
    assert force.probability == pytest.approx(1 / (1 + exp(-(3.0 + 2.0 + 2.0))))
    # A weight is not a mass, so it is no rival of the same dimension.
    assert (mass.features["score"], mass.features["lead"]) == (1.0, 4.0)


@pytest.mark.parametrize(
    ("documents", "own", "found"),
    [
        # What one document of ten gives is enough, of eleven not.
        ({"F": {"force": 9, "flux": 1}}, {"F": ""}, ("F", {"force": 8, "flux": 1}, 8)),
        ({"F": {"force": 10, "flux": 1}}, {"F": ""}, ("F", {"force": 8}, 8)),
        ({"F": {"force": 10, "flux": 1}}, {"F": "force"}, ("F", {"force": 8, "flux": 1}, 8)),
        # What the document itself gives does not count as another's.
        ({"F": {"force": 9, "flux": 1}}, {"F": "flux"}, ("F", {"force": 8}, 8)),
        ({"F": {"force": 2, "flux": 2}}, {"F": "flux"}, ("F", {"force": 2, "flux": 1}, 3)),
        ({"F": {"force": 2}}, {"F": "torque"}, ("F", {"force": 2}, 2)),
        # The next key is asked where others say nothing of the first.
        ({"F": {"flux": 1}, "f": {"freq": 2, "force": 2}}, {"F": "flux", "f": ""}, ("f", {"force": 2, "freq": 2}, 4)),
        ({"F": {"flux": 1}, "f": {"freq": 2}}, {"F": "", "f": ""}, ("F", {"flux": 1}, 1)),
        ({"F": {"flux": 1}}, {"G": ""}, ("", {}, 0)),
        ({}, {}, ("", {}, 0)),
    ],
)
def test_readings_elsewhere_are_those_of_a_tenth_of_the_other_documents_the_most_frequent_first(
    documents: dict[str, dict[str, int]], own: dict[str, str], found: tuple[str, dict[str, int], int]
) -> None:
    usage = SymbolUsage()
    for key, given in documents.items():
        for reading, times in given.items():
            for n in range(times):
                usage.add("s", {(key, reading): (reading, f"S{n}")})
    asked = tuple((key, frozenset(given.split())) for key, given in own.items())
    elsewhere, digest = usage.readings_elsewhere("s", asked)
    assert (elsewhere.key, list(elsewhere.documents.items()), elsewhere.total) == (
        found[0], list(found[1].items()), found[2],
    )  # fmt: skip
    assert bool(digest) is bool(found[1])
    assert usage.readings_elsewhere("t", asked) == (("", {}, 0), b"")  # another source


def test_five_readings_of_other_documents_are_tried_and_each_has_its_share() -> None:
    usage = SymbolUsage()
    for letter in "gfedcba":
        usage.add("s", {("F", letter): (letter, "S")})
    elsewhere, _ = usage.readings_elsewhere("s", (("F", frozenset()),))
    assert elsewhere.best == ("a", "b", "c", "d", "e")
    assert (elsewhere.total, elsewhere.share("g"), elsewhere.share("h")) == (6, 1 / 6, 0.0)


def test_a_quantity_is_named_by_the_first_sentence_that_does() -> None:
    assert named_quantities("The force is great. A torque and the force act. Then torque.") == {
        "force": "The force is great.",
        "torque": "A torque and the force act.",
    }
    assert named_quantities("Nothing here.") == {}


def test_a_reading_keeps_the_sentence_that_weighs_most_and_the_first_of_equals() -> None:
    reading = SymbolReading("force", None)
    for meaning, sentence, weight in (
        ("a", "", 0.0),
        ("b", "B", 0.0),
        ("c", "C", 0.5),
        ("d", "D", 0.5),
        ("e", "E", 0.4),
    ):
        reading.note_sentence(meaning, sentence, weight)
    assert (reading.meaning, reading.sentence, reading.best) == ("c", "C", 0.5)
