"""Where two formulas meet: of which concept of a list both are, by what each is recognised as."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.discover.articles import article_readings
from bot.errors import LookupFailed
from bot.lookup import Client
from bot.match import article_lookup
from bot.match.article_lookup import articles_of_likely, likely_items
from bot.match.builtin import Concept
from bot.match.retrieval.context import ItemNames, read_context
from bot.match.retrieval.known_concepts import ConceptIndex, SharedConcept
from bot.match.symbols.symbol_evidence import SymbolUsage
from bot.settings import Settings

BOOK = {
    "Q1": Concept("Q1", "Force", "", ("F=ma",), (), ("Q3",)),
    "Q2": Concept("Q2", "Work", "", ("W=Fs",), (), ()),
    "Q3": Concept("Q3", "Newton's laws", "", ("F=ma",), (), ()),
    "Q4": Concept("Q4", "force", "", ("F=kx",), (), ()),
}


def hit(qid: str, probability: float, level: str = "", share: float = 0.5) -> Any:
    return SimpleNamespace(qid=qid, score=math.log(share), probability=probability, level=level, formula="")


def concepts(hits: Mapping[str, Sequence[Any]], differing: Sequence[tuple[str, str]] = ()) -> ConceptIndex:
    """Return concepts that recognise formulas as told."""
    made = ConceptIndex(BOOK)
    made.__dict__.update(
        hits=lambda tex: list(hits.get(tex, ())),
        related={},
        recogniser=SimpleNamespace(difference=lambda tex, qid: "differs" if (tex, qid) in differing else None),
    )
    return made


def test_an_item_that_has_both_formulas_is_where_they_meet() -> None:
    known = concepts({"a": [hit("Q2", 0.9, "K4"), hit("Q1", 0.2, "K3")], "b": [hit("Q1", 0.1, "K0"), hit("Q2", 0.9)]})
    assert known.shared_concept("a", "b") == SharedConcept("Q1", "Force", 0.95)
    assert known.shared_concept("a", "nothing") is None


def test_a_concept_that_is_likely_for_neither_is_none() -> None:
    def met(one: float, other: float) -> SharedConcept | None:
        return concepts({"a": [hit("Q1", one)], "b": [hit("Q1", other)]}).shared_concept("a", "b")

    assert met(0.174, 0.1) is None
    for found in (met(0.175, 0.1), met(0.1, 0.175)):
        assert found is not None
        assert (found.qid, found.label) == ("Q1", "Force")
        assert 0 < found.probability < 1
    surer = met(0.9, 0.9)
    assert surer is not None
    assert found is not None
    assert surer.probability > found.probability


def test_they_agree_where_neither_differs_as_a_near_miss_does() -> None:
    both = {"a": [hit("Q1", 0.9, "K0")], "b": [hit("Q1", 0.9, "K3")]}
    assert concepts(both).confirmed_shared_concept("a", "b") == SharedConcept("Q1", "Force", 0.95)
    assert concepts(both, [("b", "Q1")]).confirmed_shared_concept("a", "b") is None
    assert (
        concepts(both, [("a", "Q1")]).confirmed_shared_concept("a", "b") is not None
    )  # it stands in the list as it is
    crossed = {
        "a": [hit("Q1", 0.9, share=0.9), hit("Q2", 0.1, share=0.1)],
        "b": [hit("Q2", 0.9, share=0.9), hit("Q1", 0.1, share=0.1)],
    }
    met = concepts(crossed).shared_concept("a", "b")
    assert met is not None
    assert met.probability < 0.5
    assert concepts(crossed).confirmed_shared_concept("a", "b") is None
    assert not concepts(both).has_both("Q1", "a", "b")
    listed = {"a": [hit("Q1", 0.1, "K2")], "b": [hit("Q1", 0.1, "K0")]}
    assert not concepts(listed).has_both("Q1", "a", "b")  # both only speak of it
    listed["b"][0].formula = "F=ma"
    assert concepts(listed).has_both("Q1", "a", "b")
    listed["a"][0].level = "K3"
    assert not concepts(listed).has_both("Q1", "a", "b")


def test_a_part_and_its_whole_are_told_by_their_likeliest_items() -> None:
    def told(left: float, right: float, whole: str = "Q3") -> tuple[str, str] | None:
        return concepts({"a": [hit("Q1", left)], "b": [hit(whole, right)]}).part_of("a", "b")

    assert told(0.3, 0.3) == ("Force", "Newton's laws")
    assert told(0.29, 0.9) is told(0.9, 0.29) is None
    assert told(0.9, 0.9, "Q2") is None
    assert concepts({"a": [hit("Q3", 0.9)], "b": [hit("Q1", 0.9)]}).part_of("a", "b") == ("Force", "Newton's laws")
    assert concepts({"a": [hit("Q3", 0.9)]}).part_of("a", "b") is None


def test_two_concepts_are_two_where_both_formulas_are_known_and_share_no_likely_item() -> None:
    apart = {"a": [hit("Q1", 0.9, "K0"), hit("Q2", 0.29)], "b": [hit("Q2", 0.9, "K3")]}
    assert concepts(apart).different_concepts("a", "b") == ("Force", "Work")
    assert concepts(apart | {"a": [hit("Q1", 0.9, "K0"), hit("Q2", 0.3)]}).different_concepts("a", "b") is None
    assert concepts(apart | {"b": [hit("Q2", 0.9, "K4")]}).different_concepts("a", "b") is None


def test_an_entry_is_an_item_s_by_its_label_or_as_the_only_one_so_called() -> None:
    known = ConceptIndex(BOOK, {"Q9": Concept("Q9", "Own", "", ("x=y",), (), ())})
    assert known.is_named("Q1", {"force"})
    assert not known.is_named("Q1", {"work"})
    assert known.is_named("Q9", ())
    assert not known.is_named("Q7", {"force"})
    assert known.entry_of_item("Q2", {"work": 1.0}) == "Q2"
    assert known.entry_of_item("Q7", {"work": 1.0}) == "Q2"
    assert known.entry_of_item("Q7", {"force": 1.0}) == ""  # two are so called
    assert known.entry_of_item("Q7", {"power": 1.0}) == ""
    assert (known.is_own("Q9"), known.is_own("Q9", "x=y"), known.is_own("Q9", "x=z"), known.is_own("Q1")) == (True, True, False, False)  # fmt: skip


def test_articles_are_asked_for_of_likely_items_the_likeliest_first(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = Settings().encyclopaedia
    best = {"Q3": settings.least, "Q2": 0.9, "Q1": 0.9, "Q4": settings.least - 0.001}
    assert likely_items(best, settings) == ["Q1", "Q2", "Q3"]
    many = {f"Q{n}": 0.9 for n in range(settings.most_items + 1)}
    assert len(likely_items(many, settings)) == settings.most_items
    failure = LookupFailed("unanswered")

    def fails(*_: object) -> None:
        raise failure

    assert article_lookup.article_readings is article_readings
    monkeypatch.setattr(article_lookup, "article_readings", fails)
    told: list[LookupFailed] = []
    assert articles_of_likely(best, cast("Client", None), settings, told.append, lambda qid: None) == {}
    assert told == [failure]


def test_readings_of_a_source_are_ordered_by_how_many_documents_give_them() -> None:
    usage = SymbolUsage()
    for key in ("rare", "often", "often", "often", "twice", "twice"):
        usage.add("s", {("m", key): (key, "")})
    found, _ = usage.readings_elsewhere("s", (("m", frozenset()),))
    assert list(found.documents.items()) == [("often", 3), ("twice", 2), ("rare", 1)]
    assert [found.share(key) for key in ("often", "rare", "never")] == [0.5, pytest.approx(1 / 6), 0.0]
    late = SymbolUsage()
    for key in ("rare", *["often"] * 12, *["twice"] * 3):
        late.add("s", {("m", key): (key, "")})
    assert list(late.readings_elsewhere("s", (("m", frozenset()),))[0].documents) == [
        "often",
        "twice",
    ]  # a tenth at least


# -- names in a context ------------------------------------------------------------------------------------------------------------
def names(*labels: str) -> ItemNames:
    return ItemNames([{"qid": f"Q{n}", "label": label} for n, label in enumerate(labels)])  # type: ignore[typeddict-item]


def test_names_are_worth_what_their_spelling_is() -> None:
    held = ItemNames([{"qid": "Q1", "label": "Hooke's law", "aliases": ["spring laws"]}])  # type: ignore[typeddict-item]
    assert held.items_named("hooke's law") == {0: 1.0}
    alias = held.items_named("spring laws")[0]
    assert 0 < alias < 1
    assert held.items_named("Hooke's laws") == held.items_named("Hookes law") == {0: 1.0}  # number and possessive aside
    assert held.items_named("hooke") == {}  # what is left of a law's name without its head is none
    assert held.items_named("unknown") == {}
    for short in ("m", "12", "ab", "2024"):
        assert names(short).items_named(short) == {}
    assert names("abc").items_named("abc") == {0: 1.0}


def test_what_a_context_says_of_items() -> None:
    held = names("torque", "centripetal acceleration", "acceleration", "power")
    text = "Power and torque\n\nThe torque τ is used. The centripetal acceleration $a$ of Q1 stands beside $P=Fv$ and the power follows it."
    found = read_context(held, text, "P=Fv")
    assert found.heading == {0: 0.5, 3: 0.5}
    assert found.title == {}
    assert found.titled
    assert found.formulas == 1
    assert {held_: found.times[held_] for held_ in (0, 2, 3)} == {0: 1.0, 2: 0.4, 3: 1.0}
    assert found.times[1] == 2.0  # its QID stands there too
    assert found.letters == {0: frozenset({"τ"}), 1: frozenset({"a"})}
    assert found.length == {0: 1, 1: 2, 2: 1, 3: 1}
    assert found.near[3] == pytest.approx(math.exp(-2 / 8))
    assert set(found.before) == {0, 1, 2}
    assert found.named(0) == 1.0
    assert found.named(2) == pytest.approx(0.4)
    assert found.named(9) == 0.0
    whole = read_context(held, "Torque\n\nIt is so.")
    assert (whole.title, whole.heading, bool(whole), whole.names_any) == ({0: 1.0}, {}, True, True)
    nothing = read_context(held, "It is so.")
    assert (bool(nothing), nothing.titled, nothing.formulas) == (False, False, 0)
