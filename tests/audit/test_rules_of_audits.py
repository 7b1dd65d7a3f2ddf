"""Single audits of formulas, symbols, units and constraints: what each finds among a few items, and how it says so."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from bot.audit import class_coverage, formula_sources, formulas, stated_symbols
from bot.audit.formulas import StatedConstraint
from bot.audit.survey import WikiSurvey, formula_statements
from bot.lookup import MathVerdict
from bot.records import Finding, Item, Reference, Statement
from bot.settings import Encyclopaedia, Properties, Settings, Wiki

IDS = Properties()
FORMULA, PART, SYMBOL, OWN = IDS.defining_formula, IDS.has_part, IDS.in_defining_formula, IDS.quantity_symbol
LENGTH, TIME = r"\mathsf{L}", r"\mathsf{T}"


def item(qid: str, *stated: tuple[str, str] | tuple[str, str, str], classes: Sequence[str] = (), **more: Any) -> Item:
    """An item with statements, each a property, a value and perhaps a rank."""
    made = (Statement(f"{qid}${n}", one[0], one[1], *one[2:]) for n, one in enumerate(stated))
    return Item(qid, f"label of {qid}", classes=tuple(classes), statements=tuple(made), **more)


class Rows:
    """A query service that gives the rows of each query, and keeps what it was asked."""

    def __init__(self, rows: Mapping[str, Sequence[Mapping[str, str]]]) -> None:
        self.known, self.asked = rows, list[tuple[str, dict[str, Any]]]()

    def rows(self, query: str, **values: Any) -> list[dict[str, str]]:
        self.asked.append((query, values))
        return [dict(row) for row in self.known.get(query, ())]


def surveyed(*items: Item, others: Iterable[Item] = (), settings: Settings | None = None, **rows: Any) -> Any:
    """What audits look at, of a wiki with these items and of a query service with these rows."""
    known = {each.qid: each for each in items}
    every = known | {each.qid: each for each in others}
    client = SimpleNamespace(
        wiki=Wiki(language="fr"),
        labels_of=lambda qids: {qid: f"label of {qid}" for qid in qids},
        classes_of=lambda qids: {qid: (f"{qid}0",) for qid in qids},
        parse_math=lambda values, fresh: [MathVerdict(v, v != "bad", "" if v != "bad" else "why") for v in values],
    )
    return SimpleNamespace(
        items=known,
        formulas=formula_statements(items, FORMULA),
        client=client,
        service=Rows(rows),
        settings=settings or Settings(),
        items_without_formula=lambda qids: {qid: every[qid] for qid in qids if qid in every},
        unlisted=0,
    )


def found(audit: Callable[[WikiSurvey], Iterator[Finding]], survey: Any) -> list[tuple[Any, ...]]:
    """The findings of an audit: item, severity, code, values, evidence, formulas; of its last line the number alone."""
    *told, last = audit(survey)
    assert last.item == ""
    assert last.message is not None
    assert last.message["values"]["n"] == len(told)
    return [
        (f.item, f.severity, (f.message or {})["code"], (f.message or {})["values"], f.evidence, f.formulas)
        for f in told
    ]


# -- symbols


def test_a_symbol_is_named_that_stands_in_none_of_the_formulas() -> None:
    two = item("Q1", (FORMULA, "E=mc^2"), (FORMULA, "p=hk"), (SYMBOL, "m"), (SYMBOL, "q"), (SYMBOL, "k"))
    old = item("Q2", (FORMULA, "E=mc^2"), (SYMBOL, "q", "deprecated"), (SYMBOL, ""))
    rest = [
        item("Q3", (FORMULA, "E=mc^2"), (SYMBOL, "q")),  # not listed
        item("Q4", (FORMULA, "E=mc^2", "deprecated"), (SYMBOL, "q")),
        item("Q5", (FORMULA, "E=mc^2"), (SYMBOL, "q"), redirect="Q1"),
    ]
    listed = [{"item": qid} for qid in ("Q1", "Q2", "Q4", "Q5")]
    assert found(stated_symbols.symbols, surveyed(two, old, *rest, audit_symbols=listed)) == [
        ("Q1", "warning", "finding.symbols.part", {"symbol": "q"}, "Q1$3", ("E=mc^2", "p=hk"))
    ]


def test_the_symbols_of_a_quantity_are_named_where_no_formula_has_one_of_them() -> None:
    some = item("Q1", (FORMULA, "E=mc^2"), (FORMULA, "p=hk"), (OWN, "q"), (OWN, "k"))
    none = item("Q2", (FORMULA, "E=mc^2"), (OWN, "q"), (OWN, "r"), (OWN, "m", "deprecated"))
    listed = [{"item": "Q1"}, {"item": "Q2"}]
    assert found(stated_symbols.symbols, surveyed(some, none, audit_symbols=listed)) == [
        ("Q2", "info", "finding.symbols.own", {"symbols": "q, r"}, "Q2$1", ("E=mc^2",))
    ]


def part(qid: str, prop: str, symbol: str, of: str, rank: str = "normal") -> Statement:
    """A statement about a part of the formula: a symbol, and what it represents."""
    if prop == PART:
        return Statement(f"{qid}${symbol}", PART, of, rank, qualifiers=((SYMBOL, symbol),))
    return Statement(f"{qid}${symbol}", SYMBOL, symbol, rank, qualifiers=((IDS.symbol_represents, of),))


def test_symbols_are_hidden_from_readers_where_the_item_has_other_parts() -> None:
    def of(qid: str, *parts: Statement) -> Item:
        return Item(qid, statements=(Statement(f"{qid}$F", FORMULA, "E=mc^2"), *parts))

    items = [
        of("Q1", part("Q1", PART, "E", "Q9"), part("Q1", SYMBOL, "m", "Q8"), part("Q1", SYMBOL, "c", "Q7")),
        of("Q2", part("Q2", SYMBOL, "m", "Q8")),  # without parts all are shown
        of("Q3", part("Q3", PART, "m", "Q8"), part("Q3", SYMBOL, "m", "Q8")),
        of("Q4", part("Q4", PART, "E", "Q9"), part("Q4", SYMBOL, "m", "Q8", "deprecated")),
    ]
    rows = [{"item": f"Q{n}"} for n in (4, 3, 2, 1, 1, 77)]
    assert found(stated_symbols.hidden_symbols, surveyed(*items, audit_hidden_symbols=rows)) == [
        ("Q1", "warning", "finding.hidden_symbols", {"symbols": "c, m"}, "", ("E=mc^2",))
    ]


@pytest.mark.parametrize(
    ("ranks", "severity"),
    [
        (("normal", "preferred"), "warning"),
        (("deprecated", "normal"), "error"),
        (("deprecated", "preferred"), "error"),
        (("preferred", "normal"), None),
        (("normal", "normal"), None),
        (("deprecated", "deprecated"), None),
        (("preferred", "preferred"), None),
    ],
)
def test_readers_should_be_shown_a_formula_of_the_best_rank(ranks: tuple[str, ...], severity: str | None) -> None:
    held = item("Q1", *((FORMULA, f"a={n}", rank) for n, rank in enumerate(ranks)))
    told = found(stated_symbols.shown_first, surveyed(held, audit_shown_first=[{"item": "Q1"}]))
    code = f"finding.shown_first.{ranks[0]}"
    assert told == ([("Q1", severity, code, {}, "Q1$0", ("a=0",))] if severity else [])


def test_an_item_without_a_value_shows_nothing() -> None:
    bare = item("Q1", (FORMULA, ""), (SYMBOL, "m"))
    assert found(stated_symbols.shown_first, surveyed(bare, audit_shown_first=[{"item": "Q1"}])) == []


@pytest.mark.parametrize(
    ("own", "measured", "unit", "wrong"),
    [
        (LENGTH, {"Q21": TIME}, "Q9", "Q21"),
        (LENGTH, {"Q22": TIME, "Q21": TIME}, "Q9", "Q21"),  # the first by its id is named
        (LENGTH, {"Q21": TIME, "Q22": LENGTH}, "Q9", None),  # one quantity that it measures is enough
        (LENGTH, {"Q21": TIME, "Q22": ""}, "Q9", None),  # of which nothing is known
        ("", {"Q21": TIME}, "Q9", None),
        (LENGTH, {"Q21": TIME}, "Q8", None),  # the item does not recommend it any more
    ],
)
def test_a_unit_of_another_dimension_is_named(own: str, measured: dict[str, str], unit: str, wrong: str | None) -> None:
    quantity = item("Q1", (IDS.dimension, own), (IDS.recommended_unit, unit))
    others = [quantity, Item("Q9", "metre"), *(item(qid, (IDS.dimension, dim)) for qid, dim in measured.items())]
    rows = [{"item": "Q1", "unit": "Q9", "measured": qid} for qid in measured]
    told = stated_symbols.units(surveyed(others=others, audit_units=rows))
    *findings, last = told
    values = {"unit": "Q9 (metre)", "other": f"{wrong} (label of {wrong})"}
    assert [(f.item, f.evidence, (f.message or {})["values"]) for f in findings] == (
        [("Q1", "Q9", values)] if wrong else []
    )
    assert (last.message or {})["values"] == {"n": len(findings), "pairs": 1}


def test_a_symbol_of_several_quantities_has_no_dimension() -> None:
    rows = (("m", "Q21"), ("v", "Q22"), ("v", "Q23"), ("t", "Q99"), ("l", "Q1"))
    stated = [Statement("s", SYMBOL, symbol, qualifiers=((IDS.symbol_represents, qid),)) for symbol, qid in rows]
    old = Statement("s", SYMBOL, "x", "deprecated", qualifiers=((IDS.symbol_represents, "Q21"),))
    other = Statement("s", SYMBOL, "y", qualifiers=((IDS.has_part, "Q21"),))
    about = Item("Q1", statements=(*stated, old, other, Statement("d", IDS.dimension, LENGTH)))
    quantities = {q: item(q, (IDS.dimension, d)) for q, d in (("Q21", LENGTH), ("Q22", LENGTH), ("Q23", TIME))}
    known = stated_symbols._symbols(about, IDS, quantities)
    assert known.keys() == {"m", "l"}
    assert known["m"] == known["l"]


# -- formulas


def test_two_formulas_of_one_item_contradict_each_other_as_a_near_miss_does() -> None:
    items = [
        item("Q1", (FORMULA, "E=mc^2"), (FORMULA, "E=mc^3"), (FORMULA, "p=mv")),
        item("Q2", (FORMULA, "E=mc^2"), (FORMULA, "E=m c^{2}")),
        item("Q3", (FORMULA, "E=mc^2", "preferred"), (FORMULA, "E=mc^3")),  # readers are told one
        item("Q4", (FORMULA, "E=mc^2", "preferred"), (FORMULA, "E=mc^3", "preferred"), (FORMULA, "E=mc^4")),
    ]
    told = found(formulas.contradicting, surveyed(*items))
    assert [(qid, severity, code, evidence, values) for qid, severity, code, _, evidence, values in told] == [
        ("Q1", "warning", "finding.contradicting", "Q1$0; Q1$1", ("E=mc^2", "E=mc^3")),
        ("Q4", "warning", "finding.contradicting", "Q4$0; Q4$1", ("E=mc^2", "E=mc^3")),
    ]


def test_an_item_is_of_a_wrong_class_where_it_says_so_itself_today() -> None:
    items = [
        item("Q1", (FORMULA, "a=b"), (FORMULA, "c=d"), classes=["Q5"]),
        item("Q2", (FORMULA, "a=b"), classes=["Q6"]),  # of another class by now
        item("Q3", (FORMULA, "a=b", "deprecated"), classes=["Q5"]),
        item("Q4", (FORMULA, "a=b"), classes=["Q7"]),
    ]
    rows = [
        {"item": "Q1", "class": "Q9"},
        {"item": "Q1", "class": "Q5"},
        {"item": "Q1", "class": "Q50"},
        {"item": "Q2", "class": "Q5"},
        {"item": "Q3", "class": "Q5"},
        {"item": "Q4", "class": "Q70"},  # above its own class
        {"item": "Q77", "class": "Q5"},
    ]
    survey = surveyed(*items, audit_wrong_class=rows)
    assert found(formulas.wrong_class, survey) == [
        ("Q1", "warning", "finding.wrong_class", {"what": "Q5 (label of Q5)"}, "Q1$0; Q1$1", ("a=b", "c=d")),
        ("Q4", "warning", "finding.wrong_class", {"what": "Q70 (label of Q70)"}, "Q4$0", ("a=b",)),
    ]
    assert survey.service.asked == [("audit_wrong_class", {"classes": Settings().proposing.implausible_classes})]


def test_values_that_the_wiki_refuses_are_told_with_its_reason() -> None:
    items = [item("Q1", (FORMULA, "good")), item("Q2", (FORMULA, "bad"))]
    assert found(formulas.refused, surveyed(*items)) == [
        ("Q2", "error", "finding.refused", {"why": "why"}, "Q2$0", ("bad",))
    ]


@pytest.mark.parametrize(
    ("tex", "shown"),
    [
        ("a &lt; b", "; the same without the fault: a < b"),
        (r"\ce{a", ""),
        ("a=b", ""),
    ],
)
def test_the_same_value_without_its_fault_is_shown(tex: str, shown: str) -> None:
    assert formulas._repaired(tex) == shown


def test_a_formula_is_without_a_source_or_has_a_weak_one_alone() -> None:
    wiki, book = Reference((("P143", "", "Q328"),)), Reference((("P248", "", "Q5"),))

    def of(qid: str, *references: Reference) -> Item:
        return Item(qid, statements=(Statement(f"{qid}$0", FORMULA, "a=b", references=references),))

    items = [of("Q1"), of("Q2", wiki), of("Q3", wiki, book), of("Q4", wiki, wiki)]
    listed = [{"statement": f"statement/{qid}-0"} for qid in ("Q1", "Q2", "Q4")]
    survey = surveyed(*items, audit_unreferenced=listed[:1], audit_weak_references=listed[1:])
    assert found(formula_sources.unreferenced, survey) == [
        ("Q1", "warning", "finding.unreferenced", {}, "Q1$0", ("a=b",))
    ]
    assert found(formula_sources.weak_references, survey) == [
        ("Q2", "warning", "finding.weak_references", {"n": 1}, "Q2$0", ("a=b",)),
        ("Q4", "warning", "finding.weak_references", {"n": 2}, "Q4$0", ("a=b",)),
    ]


# -- constraints


def broken(
    check: Callable[[WikiSurvey, StatedConstraint, Properties], formulas.Violations], survey: Any, **named: set[str]
) -> list[tuple[Any, ...]]:
    one = StatedConstraint("kind", {name.rstrip("_"): values for name, values in named.items()})
    return [(of.qid, guid, dict(told.values), values) for of, guid, told, values in check(survey, one, IDS)]


def test_a_format_is_matched_whole_and_formats_are_told_in_their_order() -> None:
    survey = surveyed(item("Q1", (FORMULA, "ab")), item("Q2", (FORMULA, "abc")), item("Q3", (FORMULA, "B")))
    assert broken(formulas._check_format, survey, pattern={"[a-b]+", "[A-Z]|ab", "(", "[a-z]{2}"}) == [
        ("Q2", "Q2$0", {"code_pattern": "[A-Z]|ab"}, ("abc",)),
        ("Q2", "Q2$0", {"code_pattern": "[a-b]+"}, ("abc",)),
        ("Q3", "Q3$0", {"code_pattern": "[a-b]+"}, ("B",)),
        ("Q2", "Q2$0", {"code_pattern": "[a-z]{2}"}, ("abc",)),
        ("Q3", "Q3$0", {"code_pattern": "[a-z]{2}"}, ("B",)),
    ]
    assert broken(formulas._check_format, survey) == []


def test_a_value_is_distinct_where_one_item_has_it() -> None:
    survey = surveyed(
        item("Q1", (FORMULA, "a"), (FORMULA, "b"), (FORMULA, "b")),
        item("Q2", (FORMULA, "a")),
        item("Q3", (FORMULA, "a")),
    )
    assert broken(formulas._check_distinct, survey) == [
        ("Q1", "Q1$0", {"items": "Q2, Q3"}, ("a",)),
        ("Q2", "Q2$0", {"items": "Q1, Q3"}, ("a",)),
        ("Q3", "Q3$0", {"items": "Q1, Q2"}, ("a",)),
    ]


def test_single_values_single_best_values_and_sources() -> None:
    cited = Statement("Q3$0", FORMULA, "e", references=(Reference((("P248", "", "Q5"),)),))
    survey = surveyed(
        item("Q1", (FORMULA, "a", "preferred"), (FORMULA, "b")),
        item("Q2", (FORMULA, "c"), (FORMULA, "d"), (FORMULA, "x", "deprecated")),
        Item("Q3", statements=(cited,)),
    )
    assert broken(formulas._check_single, survey) == [
        ("Q1", "", {"n": 2}, ("a", "b")),
        ("Q2", "", {"n": 2}, ("c", "d")),
    ]
    assert broken(formulas._check_single_best, survey) == [("Q2", "", {"n": 2}, ("c", "d"))]
    assert [row[:2] for row in broken(formulas._check_citation, survey)] == [
        ("Q1", "Q1$0"), ("Q1", "Q1$1"), ("Q2", "Q2$0"), ("Q2", "Q2$1"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("relation", "types"),
    [
        (set(), {"Q5"}),
        ({IDS.relation_subclass}, {"Q6"}),
        ({IDS.relation_either}, {"Q5", "Q6"}),
        ({IDS.relation_subclass, IDS.relation_either}, {"Q5", "Q6"}),
    ],
)
def test_of_which_types_an_item_is(relation: set[str], types: set[str]) -> None:
    about = item("Q1", (IDS.subclass_of, "Q6"), (IDS.subclass_of, "Q7", "deprecated"), (FORMULA, "Q8"), classes=["Q5"])
    assert formulas._types(about, relation, IDS) == types


def test_an_item_is_of_a_type_by_itself_by_its_class_or_by_a_path() -> None:
    survey = surveyed(
        item("Q1", (FORMULA, "a=b"), classes=["Q11"]),
        item("Q2", (FORMULA, "a=c"), (FORMULA, "a=d"), classes=["Q12"]),
        item("Q3", (FORMULA, "a=e"), classes=["Q13", "Q12"]),
        item("Q4", (FORMULA, "a=f")),
        audit_class_paths=[{"class": "Q13"}],
    )
    told = broken(formulas._check_subject_type, survey, class_={"Q4", "Q11"})
    assert told == [("Q2", "", {}, ("a=c", "a=d"))]
    assert survey.service.asked == [("audit_class_paths", {"classes": ["Q11", "Q12", "Q13"], "wanted": ["Q11", "Q4"]})]
    assert broken(formulas._check_subject_type, survey) == []
    bare = surveyed(item("Q4", (FORMULA, "a=f")))
    assert broken(formulas._check_subject_type, bare, class_={"Q11"}) == [("Q4", "", {}, ("a=f",))]
    assert bare.service.asked == []


def test_constraints_are_read_with_their_exceptions_and_unread_kinds_are_counted() -> None:
    rows = [
        {"statement": "s1", "kind": IDS.single_value_constraint, "exception": "Q1", "pattern": ""},
        {"statement": "s2", "kind": IDS.format_constraint, "exception": "", "pattern": "[a-z]"},
        {"statement": "s2", "kind": IDS.format_constraint, "exception": "", "pattern": "[a-c]"},
        {"statement": "s3", "kind": "Q9002", "exception": "", "pattern": ""},
        {"statement": "s4", "kind": "Q9001", "exception": "", "pattern": ""},
        {"statement": "s5", "kind": "Q9001", "exception": "", "pattern": ""},
    ]
    items = [item("Q1", (FORMULA, "a"), (FORMULA, "b")), item("Q2", (FORMULA, "a"), (FORMULA, "d"))]
    *told, unread, last = formulas.constraints(surveyed(*items, audit_constraints=rows))
    assert [(f.item, (f.message or {})["code"], f.evidence, f.formulas) for f in told] == [
        ("Q2", "finding.constraints.single", "", ("a", "d")),
        ("Q2", "finding.constraints.format", "Q2$1", ("d",)),
    ]
    assert (unread.message or {})["values"] == {"n": 2, "kinds": "Q9001, Q9002"}
    assert (last.message or {})["values"]["n"] == 2


# -- what waits for a formula


@pytest.mark.parametrize(("languages", "asked"), [(("de", "en"), ("de", "en")), ((), ("fr",))])
def test_items_wait_that_have_an_article_in_the_languages_of_the_settings_or_of_the_wiki(
    languages: tuple[str, ...], asked: tuple[str, ...]
) -> None:
    settings = Settings(encyclopaedia=Encyclopaedia(languages=languages))
    rows = [{"item": qid} for qid in ("Q1", "Q2", "Q3", "Q2")]
    survey = surveyed(item("Q1", (FORMULA, "a=b")), settings=settings, corpus_items_without_formula=rows)
    told = list(class_coverage.without_formula(survey))
    assert [(f.item, f.label, f.severity) for f in told[:-1]] == [
        ("Q2", "label of Q2", "info"), ("Q3", "label of Q3", "info")
    ]  # fmt: skip
    values = {"classes": settings.crawling.classes, "languages": asked}
    assert survey.service.asked == [("corpus_items_without_formula", values)]


def test_formulas_count_unless_they_are_empty_deprecated_or_of_a_merged_item() -> None:
    def item(qid: str, *values: str, redirect: str = "", **changes: Any) -> Item:
        told = (Statement(f"{qid}${n}", "P2534", v, **changes) for n, v in enumerate(values))
        return Item(qid, statements=(*told, Statement("x", "P31", "Q9")), redirect=redirect)

    items = [
        item("Q1", "E=mc^2", "", "a\x01"),
        item("Q2", "E = m c^2"),
        item("Q3", "a", redirect="Q1"),
        item("Q4", "a", rank="deprecated"),
    ]
    standing = formula_statements(items, "P2534")
    assert [(i.qid, s.value) for i, s in standing] == [("Q1", "E=mc^2"), ("Q1", "a\x01"), ("Q2", "E = m c^2")]
    groups = formulas.statements_by_key(standing, "K2")
    assert [[i.qid for i, _ in group] for group in groups.values()] == [["Q1", "Q2"], ["Q1"]]
    assert list(groups)[1] == "\0Q1$2"
