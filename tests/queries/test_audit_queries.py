"""One matching and one non-matching case for each query of audit; both engines are asked."""

from __future__ import annotations

from typing import Any

import pytest

TEX = '"<math/>"^^<http://www.w3.org/1998/Math/MathML>'
NORMAL, DEPRECATED = "wikibase:rank wikibase:NormalRank", "wikibase:rank wikibase:DeprecatedRank"


def formula(qid: str, rest: str = NORMAL, n: str = "a") -> str:
    return f"wd:{qid} p:P2534 s:{qid}-{n} . s:{qid}-{n} ps:P2534 {TEX} ; {rest} .\n"


def s(*names: str) -> list[str]:
    return [f"statement/{name}" for name in names]


def test_a_formula_without_a_reference_is_listed(ask: Any) -> None:
    graph = formula("Q1") + formula("Q2", f"{NORMAL} ; prov:wasDerivedFrom ref:1") + formula("Q3", DEPRECATED)
    graph += f"wd:Q4 p:P2534 s:Q4-a . s:Q4-a a wdno:P2534 ; {NORMAL} ."
    assert ask("audit_unreferenced", graph) == [{"item": "Q1", "statement": "statement/Q1-a"}]


def test_pages_of_statements_go_on_after_the_last(ask: Any) -> None:
    graph = "".join(map(formula, ("Q1", "Q10", "Q2")))
    first = ask("audit_unreferenced", graph, limit=2)
    assert [row["statement"] for row in first] == s("Q1-a", "Q10-a")
    assert [row["item"] for row in ask("audit_unreferenced", graph, after=first[-1]["statement"], limit=2)] == ["Q2"]


def test_a_reference_to_a_wikimedia_project_alone_is_weak(ask: Any) -> None:
    graph = formula("Q1", f"{NORMAL} ; prov:wasDerivedFrom ref:1") + formula(
        "Q2", f"{NORMAL} ; prov:wasDerivedFrom ref:1, ref:2"
    )
    graph += formula("Q3", f"{NORMAL} ; prov:wasDerivedFrom ref:2") + formula("Q4")
    graph += "ref:1 pr:P143 wd:Q328 . ref:2 pr:P248 wd:Q5 ."
    assert [row["item"] for row in ask("audit_weak_references", graph)] == ["Q1"]


def test_the_sources_of_references_are_listed(ask: Any) -> None:
    graph = formula("Q1", f"{NORMAL} ; prov:wasDerivedFrom ref:1, ref:2") + formula(
        "Q2", f"{NORMAL} ; prov:wasDerivedFrom ref:3"
    )
    graph += "ref:1 pr:P248 wd:Q5 . ref:2 pr:P854 <http://book.example/1> . ref:3 pr:P813 wd:Q7 ."
    rows = ask("audit_reference_sources", graph)
    assert sorted((r["item"], r["source"]) for r in rows) == [("Q1", "Q5"), ("Q1", "http://book.example/1")]


@pytest.mark.parametrize("relation", ["P361", "P527", "P460", "P279"])
def test_items_that_say_how_they_belong_together_are_listed(ask: Any, relation: str) -> None:
    graph = (
        "".join(map(formula, ("Q1", "Q2")))
        + f"wd:Q1 wdt:{relation} wd:Q2 . wd:Q2 wdt:{relation} wd:Q3 . wd:Q2 wdt:P31 wd:Q1 ."
    )
    assert ask("audit_related_items", graph) == [{"item": "Q1", "other": "Q2"}]


def test_an_item_of_a_class_that_no_formula_defines_is_listed(ask: Any) -> None:
    graph = (
        "".join(map(formula, ("Q11", "Q12", "Q13")))
        + "wd:Q11 wdt:P31 wd:Q5 . wd:Q12 wdt:P31 wd:Q8 . wd:Q8 wdt:P279 wd:Q5 ."
    )
    graph += "wd:Q13 wdt:P31 wd:Q107715 . wd:Q14 wdt:P31 wd:Q5 ."
    rows = ask("audit_wrong_class", graph)
    assert [(r["item"], r["class"]) for r in rows] == [("Q11", "Q5"), ("Q12", "Q5")]
    assert ask("audit_wrong_class", graph, classes=["Q107715"]) == [{"item": "Q13", "class": "Q107715"}]


def test_quantities_with_a_dimension_behind_symbols_are_listed(ask: Any) -> None:
    graph = formula("Q1") + "wd:Q1 p:P7235 s:Q1-b, s:Q1-c, s:Q1-d . s:Q1-b pq:P9758 wd:Q2 . s:Q1-c pq:P9758 wd:Q3 ."
    graph += f"wd:Q2 wdt:P4020 {TEX} . wd:Q9 wdt:P4020 {TEX} ."
    assert ask("audit_dimensions", graph) == [{"item": "Q1", "quantity": "Q2"}]


def test_a_unit_is_listed_with_what_it_measures(ask: Any) -> None:
    graph = f"wd:Q1 wdt:P4020 {TEX} ; wdt:P8111 wd:Q2 . wd:Q2 wdt:P111 wd:Q1, wd:Q3 . wd:Q4 wdt:P4020 {TEX} ; wdt:P8111 wd:Q5 ."
    assert ask("audit_units", graph) == [{"item": "Q1", "unit": "Q2", "measured": "Q1"}]


def test_symbols_of_items_with_a_formula_are_listed(ask: Any) -> None:
    graph = formula("Q1") + "wd:Q1 p:P7235 s:Q1-b ; p:P7973 s:Q1-c ; p:P31 s:Q1-d . wd:Q2 p:P7235 s:Q2-b ."
    assert [row["statement"] for row in ask("audit_symbols", graph)] == s("Q1-b", "Q1-c")


def test_parts_beside_symbols_are_listed(ask: Any) -> None:
    both = "wd:{0} p:P527 s:{0}-p ; p:P7235 s:{0}-s . "
    graph = formula("Q1") + both.format("Q1") + "s:Q1-s pq:P9758 wd:Q7 ." + formula("Q2") + both.format("Q2")
    graph += formula("Q3") + "wd:Q3 p:P7235 s:Q3-s . s:Q3-s pq:P9758 wd:Q7 ."
    assert ask("audit_hidden_symbols", graph) == [{"item": "Q1"}]


def test_items_with_formulas_of_several_ranks_are_listed(ask: Any) -> None:
    graph = (
        formula("Q1")
        + formula("Q1", "wikibase:rank wikibase:PreferredRank", "b")
        + formula("Q2")
        + formula("Q2", n="b")
    )
    assert ask("audit_shown_first", graph) == [{"item": "Q1"}]


def test_the_constraints_of_the_property_are_listed_with_what_they_name(ask: Any) -> None:
    graph = f"wd:P2534 p:P2302 s:P2534-a, s:P2534-b . s:P2534-a ps:P2302 wd:Q21503250 ; {NORMAL} ; pq:P2308 wd:Q7, wd:Q8 ; pq:P2309 wd:Q21503252 ."
    graph += (
        f"s:P2534-b ps:P2302 wd:Q52060874 ; {DEPRECATED} . wd:P31 p:P2302 s:P31-a . s:P31-a ps:P2302 wd:Q1 ; {NORMAL} ."
    )
    rows = ask("audit_constraints", graph)
    assert sorted((r["kind"], r["class"], r["relation"]) for r in rows) == [
        ("Q21503250", "Q7", "Q21503252"),
        ("Q21503250", "Q8", "Q21503252"),
    ]


def test_classes_are_followed_up_over_any_number_of_steps(ask: Any) -> None:
    graph = "wd:Q1 wdt:P279 wd:Q2 . wd:Q2 wdt:P279 wd:Q3 . wd:Q3 wdt:P279 wd:Q4 . wd:Q4 wdt:P279 wd:Q5 . wd:Q8 wdt:P279 wd:Q9 ."
    rows = ask("audit_class_paths", graph, classes=["Q1", "Q5", "Q8"], wanted=["Q5", "Q6"])
    assert sorted((r["class"], r["above"]) for r in rows) == [("Q1", "Q5"), ("Q5", "Q5")]


def test_statements_of_ours_are_found_by_their_ids(ask: Any) -> None:
    ours = "Q1$11111111-2222-4333-8444-555555555555"
    node = "s:Q1-11111111-2222-4333-8444-555555555555"
    graph = f"wd:Q1 p:P2534 {node} . {node} {NORMAL} ." + formula("Q2")
    [row] = ask("audit_seeded_claims", graph, statements=[ours, "Q2$11111111-2222-4333-8444-555555555555"])
    assert (row["item"], row["rank"]) == ("Q1", "http://wikiba.se/ontology#NormalRank")


def test_coverage_counts_items_by_class_and_field(ask: Any) -> None:
    graph = formula("Q11", f"{NORMAL} ; prov:wasDerivedFrom ref:1, ref:2") + formula("Q12") + "wd:Q12 p:P2534 s:Q12-b ."
    graph += "wd:Q11 wdt:P31 wd:Q8 ; wdt:P2579 wd:Q413 . wd:Q8 wdt:P279 wd:Q1 . wd:Q12 wdt:P31 wd:Q1 . wd:Q13 wdt:P279 wd:Q1 . wd:Q14 wdt:P31 wd:Q2 ."
    counted = ("items", "formulas", "referenced")
    # the class in between is itself a kind of it
    [row] = ask("audit_coverage", graph, classes=["Q1"])
    assert (row["class"], *(row[c] for c in counted)) == ("Q1", "4", "2", "1")
    [row] = ask("audit_coverage_by_field", graph, classes=["Q1"])
    assert (row["field"], *(row[c] for c in counted)) == ("Q413", "1", "1", "1")


def test_the_age_of_the_service_is_what_either_engine_says(ask: Any) -> None:
    time = '"2026-11-22T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
    assert ask("audit_service_age", f"<http://wiki.example> schema:dateModified {time} .")[0]["time"].startswith(
        "2026-11-22T00:00:00"
    )
    assert ask("audit_service_age", f"wikibase:Dump schema:dateModified {time} .") != []
    assert ask("audit_service_age", f"wd:Q1 schema:dateModified {time} .") == []
