"""What each source writes is kept with its quote and compared with the formula that it would be a source of."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from propose_records import DOCUMENT, HUBBLE, PLACE, TEX, TODAY, entry, settings, statement, world
from test_report import run

from bot.propose import dry_run
from bot.propose.build import BuildResult, build
from bot.propose.dry_run import html
from bot.propose.source_formulas import compared_tex, formulas_of_quotes, least_similar, source_formulas
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Check, Proposal, Quote, Reference, as_json

COMPTON = r"\lambda = \frac{h}{m_e c}"


def built(source: str, value: str = "") -> BuildResult:
    """Return what is proposed where the source writes one formula and the item has `value`."""
    item = replace(HUBBLE, statements=(statement(value),) if value else ())
    return build(entry(source), world(item, DOCUMENT, replace(PLACE, tex=source)), settings(), TODAY)


def proposed(source: str, value: str = "") -> Proposal:
    found = built(source, value).proposal
    assert found is not None
    return found


def check(p: Proposal) -> Check:
    return next(c for c in p.checks if c.name == "formula of the source")


@pytest.mark.parametrize(
    ("source", "value", "relation"),
    [
        (r"\lambda=\frac{h}{m c_0}", COMPTON, "notation"),
        ("E_0 = m_0 c_0^2", "E = mc^2", "notation"),
        (r"\frac{dx}{dt} = v", r"\dot x = v", "notation"),
    ],
)
def test_a_reference_alone_is_compared_with_the_items_formula(source: str, value: str, relation: str) -> None:
    p = proposed(source, value)
    assert (p.kind, p.tex) == ("add_reference", value)
    (found,) = source_formulas(p)
    assert (found.tex, found.relation, found.differs, found.reference) == (source, relation, True, 0)
    assert (check(p).state, str(check(p))) == (
        "warn",
        f"formula of the source: The expanding universe writes {source} (compared: {relation})",
    )
    assert compared_tex(p) == source


@pytest.mark.parametrize("value", [TEX, "v=H_{0}d", "v = d H_0"])
def test_typography_is_not_pointed_out(value: str) -> None:
    p = proposed(TEX, value)
    assert p.kind == "add_reference"
    assert [each.differs for each in source_formulas(p)] == [False]
    assert check(p) == Check.of("formula_of_the_source.same", "ok")


def test_a_new_claim_is_compared_with_its_sources_too() -> None:
    one = proposed(TEX)
    assert (one.kind, check(one).state, compared_tex(one)) == ("new_claim", "ok", TEX)
    other = replace(PLACE, tex="v = H d")
    p = build(entry(TEX), world(HUBBLE, DOCUMENT, other), settings(), TODAY).proposal
    assert p is not None
    assert [(each.tex, each.relation) for each in source_formulas(p)] == [("v = H d", "notation")]
    assert check(p).state == "warn"


@pytest.mark.parametrize(
    "source",
    ["v = H_0 d = ad^2", "d = H_0 t = v", r"v = H_0 d\quad\text{or}\quad d = v/H_0", r"v = H_0 d = 70\,\mathrm{km}"],
)
def test_a_source_that_writes_more_than_the_formula_writes_it_too(source: str) -> None:
    quote = Quote(document="a.html", position=0, window="", formulas=((0, source),))
    (found,) = formulas_of_quotes([quote], (), TEX)
    assert found.differs == source.startswith("d")
    assert found.tex == source


def test_a_source_with_signs_that_a_wiki_refuses_writes_the_formula() -> None:
    quote = Quote(document="a.html", position=0, window="", formulas=((0, r"dU = đ Q - \kern-3pt P dV"),))
    (found,) = formulas_of_quotes([quote], (), r"dU = \text{đ} Q - \! P dV")
    assert not found.differs


def test_the_report_and_its_rows_tell_the_source_from_the_item() -> None:
    made = built(r"\lambda=\frac{h}{m c_0}", COMPTON)
    page = html(run(made))
    assert "One source writes another formula than the item:" in page
    assert "<del>m_ec</del><wbr><ins>mc_0</ins>" in page
    assert "<b>identical</b>" not in page
    (row,) = [json.loads(line) for line in dry_run.json_lines(run(made)).splitlines()]
    assert [(each["tex"], each["differs"]) for each in row["source_formulas"]] == [(r"\lambda=\frac{h}{m c_0}", True)]
    assert [each["relation"] for each in row["standing"]] == ["notation"]


def test_the_source_that_is_least_like_the_claim_is_laid_beside_it() -> None:
    quotes = [
        Quote("a", 0, "⟦0⟧", title="A", formulas=((0, "E=mc^2"),), cited="https://a"),
        Quote("b", 1, "⟦1⟧", formulas=((1, r"E=\frac12 mv^2"),), cited="https://b"),
        Quote("c", 2, "⟦2⟧", formulas=((2, "E_0=m_0c_0^2"),)),
        Quote("d", 3, "⟦3⟧", formulas=((4, "x"),)),
    ]
    references = [Reference((("P854", "url", f"https://{name}"),)) for name in "ba"]
    found = formulas_of_quotes(quotes, references, "E = m c^{2}")
    assert [(each.title, each.reference, each.differs) for each in found] == [("A", 1, False), ("b", 0, True), ("c", -1, True)]  # fmt: skip
    least = least_similar(found)
    assert least is not None
    assert least.document == "b"
    assert least_similar(()) is None


def test_a_row_of_the_workspace_keeps_what_its_source_writes() -> None:
    p = proposed("E_0 = m_0 c_0^2", "E = mc^2")
    assert p.quotes[0].cited == DOCUMENT.url
    back = proposal_from_record(json.loads(json.dumps(as_json(p))))
    assert source_formulas(back) == source_formulas(p)
    older = {**as_json(p), "quotes": [{k: v for k, v in as_json(p.quotes[0]).items() if k != "cited"}]}
    assert [each.reference for each in source_formulas(proposal_from_record(older))] == [-1]
