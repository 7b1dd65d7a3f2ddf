"""What is wrong with formulas on the wiki, whoever wrote them; and how a run of audits behaves."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from bot import store
from bot.audit import AUDITS, exit_code
from bot.audit.finding_formats import describe
from bot.errors import InputError
from bot.records import Finding, Reference
from bot.write import payload

SOURCE = Reference((("P248", "wikibase-item", "Q5"),))


def claim(qid, tex, *references, **changes):
    return {**payload.claim(f"{qid}$A", "P2534", tex, references), **changes}


def test_a_formula_without_a_source_is_found_and_one_with_a_source_is_not(bench):
    bench.wiki.put("Q1", claim("Q1", "E=mc^2"))
    bench.wiki.put("Q2", claim("Q2", "F=ma", SOURCE))
    bench.wiki.put("Q3", claim("Q3", "F=mb", rank="deprecated"))
    [found] = bench.about("unreferenced")
    assert (found.item, found.severity, found.formulas) == ("Q1", "warning", ("E=mc^2",))


@pytest.mark.parametrize(
    ("other", "likeness"),
    [
        ("PV=nRT", "letter for letter"),
        ("P V = n R T", "typed differently"),
        ("PV={nRT}", "typed differently"),
    ],
)
def test_the_same_formula_on_two_items_is_one_finding(bench, other, likeness):
    bench.wiki.put("Q10", claim("Q10", other), label="gas law")
    bench.wiki.put("Q9", claim("Q9", "PV=nRT"))
    bench.wiki.put("Q8", claim("Q8", "E=mc^2"))
    [found] = bench.about("shared_formula")
    assert (found.item, "Q10 (gas law)" in found.what, likeness in found.what) == ("Q9", True, True)


def test_two_notations_of_one_formula_are_shared(bench):
    bench.wiki.put("Q1", claim("Q1", "F=\\frac{a}{b}"))
    bench.wiki.put("Q2", claim("Q2", "F={a \\over b}"))
    assert len(bench.about("shared_formula")) == 1
    bench.wiki.put("Q1", claim("Q1", r"v=\dot x"))
    bench.wiki.put("Q2", claim("Q2", r"v=\frac{dx}{dt}"))
    [found] = bench.about("shared_formula")
    assert found.what.endswith("in another notation")


@pytest.mark.parametrize(("rank", "shared"), [("normal", 0), ("preferred", 0), ("deprecated", 1)])
def test_items_that_say_that_they_belong_together_share_a_formula_rightly(bench, rank, shared):
    value = {"type": "wikibase-entityid", "value": {"entity-type": "item", "numeric-id": 2, "id": "Q2"}}
    part = {"snaktype": "value", "property": "P361", "datatype": "wikibase-item", "datavalue": value}
    belongs = {"mainsnak": part, "id": "Q1$P", "rank": rank, "type": "statement"}
    bench.wiki.put("Q1", claims={"P2534": [claim("Q1", "E=mc^2")], "P361": [belongs]})
    bench.wiki.put("Q2", claim("Q2", "E=mc^2"))
    assert len(bench.about("shared_formula")) == shared


def test_a_source_that_is_gone_is_worse_than_one_that_was_merged(bench):
    bench.wiki.put("Q1", claim("Q1", "E=mc^2", SOURCE))
    [gone] = bench.about("dead_sources")
    bench.wiki.put("Q5", id="Q55")
    [merged] = bench.about("dead_sources")
    bench.wiki.put("Q5")
    assert bench.about("dead_sources") == []
    assert [(f.severity, f.message["code"]) for f in (gone, merged)] == [
        ("warning", "finding.dead_sources.missing"),
        ("info", "finding.dead_sources.merged"),
    ]
    assert merged.message["values"]["target"] == "Q55"


def test_one_formula_twice_on_one_item_is_not_shared(bench):
    bench.wiki.put("Q1", claim("Q1", "E=mc^2"), {**claim("Q1", "E = mc^2"), "id": "Q1$B"})
    assert bench.about("shared_formula") == []


def test_a_merged_item_shares_nothing_with_its_target(bench):
    bench.wiki.put("Q1", claim("Q2", "E=mc^2"), id="Q2")
    bench.wiki.put("Q2", claim("Q2", "E=mc^2"))
    assert bench.about("shared_formula") == []


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        ("x=a+b,\\quad y=a-b", True),
        ("\\begin{aligned}a&=b\\\\c&=d\\end{aligned}", True),
        ("a=b=c", False),
        ("f(x)=\\sum_{i=1}^{n} x_i,\\quad x>0", False),
        ("E=mc^2", False),
    ],
)
def test_several_equations_in_one_value_are_found(bench, tex, found):
    bench.wiki.put("Q1", claim("Q1", tex))
    assert bool(bench.about("several_equations")) is found


@pytest.mark.parametrize(
    ("tex", "found"), [("\\ce{H2O}", True), ("x" + "+x" * 200, True), ("\\frac{a}{", True), ("E=mc^{2}", False)]
)
def test_values_that_would_be_refused_are_found(bench, tex, found):
    bench.wiki.put("Q1", claim("Q1", tex))
    findings = bench.about("invalid")
    assert bool(findings) is found
    assert all(f.severity == "error" for f in findings)


def test_the_wikis_own_check_is_asked_only_by_name(bench):
    bench.wiki.put("Q1", claim("Q1", "\\odd", SOURCE))
    bench.wiki.refuses["\\odd"] = "unknown function"
    bench.audit()
    assert "parse_math" not in bench.wiki.asked
    assert bench.about("refused")[0].what == "the wiki refuses its formula today: unknown function"


def test_a_wiki_that_is_down_is_an_answer_of_its_own_and_other_audits_go_on(bench):
    bench.wiki.down = True
    findings = bench.audit()
    unknown = {f.audit for f in findings if f.severity == "unknown"}
    assert {"unreferenced", "shared_formula", "several_equations", "invalid"} <= unknown
    assert [f.severity for f in findings if f.audit == "ledger"] == ["info"]
    assert all(
        "could not tell: http://wiki.example: cannot be reached" in f.what for f in findings if f.severity == "unknown"
    )
    assert bench.wiki.asked.count("formula_items") == 1
    assert exit_code(findings) == 2


def test_exit_codes_sum_up():
    def of(*severities):
        return exit_code([Finding("a", "", s, "") for s in severities])

    assert (of(), of("info"), of("info", "warning"), of("error"), of("error", "unknown")) == (0, 0, 1, 1, 2)


def test_an_unknown_audit_is_refused_and_the_known_ones_are_named(bench):
    with pytest.raises(InputError, match="no audit typo; known: seeded"):
        bench.audit("seeded", "typo")
    assert bench.wiki.asked == []


def test_a_new_run_replaces_the_findings_of_the_same_audit_only(bench):
    bench.wiki.put("Q1", claim("Q1", "E=mc^2"))
    bench.audit("unreferenced")
    bench.audit("ledger")
    bench.wiki.put("Q1", claim("Q1", "E=mc^2", SOURCE))
    bench.audit("unreferenced")
    rows = bench.workspace.rows(sa.select(store.findings))
    assert sorted((r["audit"], r["item"]) for r in rows) == [("ledger", ""), ("unreferenced", "")]
    assert {r["time"] for r in rows} == {"2026-11-20T12:00:00Z"}


def test_every_audit_says_what_it_looks_for_and_how_much_it_looked_at(bench):
    bench.wiki.put("Q1", claim("Q1", "E=mc^2", SOURCE))
    assert all((said := describe(name)) and not said.endswith(".") for name in AUDITS)
    found = bench.audit(*AUDITS)
    assert not [f.what for f in found if f.severity == "unknown" and f.audit != "coverage"]
    assert {f.audit for f in found if not f.item} == set(AUDITS)
