"""The symbols of a proposed formula: which are proposed, with which sentence and source, and until when."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from propose_records import DOCUMENT, HUBBLE, TEX, TODAY, entry, settings, statement, world

from bot import store
from bot.propose.build import BuildResult, ProposalContext, build, recomputed_hash
from bot.propose.dry_run import DryRun, _symbols
from bot.propose.earlier_rows import EarlierRow
from bot.propose.proposal_context import RunCounts
from bot.propose.symbol_proposals import symbol_proposals, withdrawn_symbols
from bot.records import Item, Proposal, Statement
from bot.settings import Properties, Wiki
from bot.store import Workspace

ON, P = settings(symbols=True), Properties()
SENTENCE = "Where $v$ is the speed and $d$ is the distance, one has this."
MEANT = {"v": ("speed", "Q3711325"), "H_0": ("Hubble constant", "Q1000"), "d": ("distance", "Q126017")}
WORLD = world(read_on={DOCUMENT.id: "2026-01-02"})


def know(workspace: Workspace, concept: str = "k1", **changed: dict[str, Any]) -> None:
    """Keep what each symbol of the law means; `changed` has other values of a symbol's row."""
    rows = [
        {
            "concept": concept, "n": n, "document": DOCUMENT.id, "position": 4, "symbol": symbol, "meaning": meaning, "qid": qid, "label": meaning,
            "quantity": "", "probability": 0.95 - n / 100, "sentence": SENTENCE, "agrees": True, **changed.get(symbol, {}),
        }
        for n, (symbol, (meaning, qid)) in enumerate(MEANT.items())
    ]  # fmt: skip
    with workspace.engine.begin() as db:
        db.execute(store.symbols.delete().where(store.symbols.c.concept == concept))
        db.execute(store.symbols.insert(), rows)


def law(item: Item = HUBBLE, **changed: Any) -> BuildResult:
    return build(entry(**changed), replace(WORLD, items={item.qid: item}), ON, TODAY)


def made(workspace: Workspace, *built: BuildResult, context: ProposalContext = WORLD) -> dict[str, Proposal]:
    return {each.tex: each for each in symbol_proposals(workspace, built or (law(),), context, ON, TODAY)}


def test_a_symbol_is_proposed_with_what_it_represents_its_sentence_and_its_source(workspace: Workspace) -> None:
    know(workspace)
    formula, found = law().proposal, made(workspace)
    assert formula is not None
    assert {tex: (one.qualifiers, one.probability) for tex, one in found.items()} == {
        symbol: (((P.symbol_represents, "wikibase-item", qid),), 0.95 - n / 100)
        for n, (symbol, (_, qid)) in enumerate(MEANT.items())
    }
    one = found["d"]
    assert (one.kind, one.qid, one.property, one.claim, one.formula, one.concept) == ("symbol", HUBBLE.qid, P.in_defining_formula, formula.id, TEX, "k1")  # fmt: skip
    assert (one.expires, one.base_revision, one.hash) == (formula.expires, 7, recomputed_hash(one))
    (quote,), (reference,) = one.quotes, one.references
    assert (quote.window, quote.formulas) == ("Where ⟦0⟧ is the speed and ⟦1⟧ is the distance, one has this.", ((0, "v"), (1, "d")))  # fmt: skip
    assert (quote.document, quote.position, quote.name, quote.where, quote.cited) == (DOCUMENT.id, 4, "distance", "sentence", DOCUMENT.url)  # fmt: skip
    assert reference.snaks[1][2].startswith("+2026-01-02")  # the day on which the document was first read
    assert symbol_proposals(workspace, [law()], WORLD, settings(), TODAY) == []  # unless they are asked for
    shown = DryRun("2026-11-20", Wiki(), ON, RunCounts(), (law(),), {}, symbols=tuple(found.values()), decided={found["v"].id: "reject"})  # fmt: skip
    assert [each.tex for each in shown.symbols_of(formula)] == ["H_0", "d"]
    assert shown.symbols_of(replace(formula, id="another")) == []
    named = replace(shown, labels={"Q126017": "distance on the wiki"})
    assert [(qid, name) for _, qid, name in _symbols(named, formula)] == [
        ("Q1000", found["H_0"].quotes[0].name),
        ("Q126017", "distance on the wiki"),
    ]


@pytest.mark.parametrize(
    "changed",
    [{"qid": ""}, {"sentence": ""}, {"document": "another"}, {"symbol": "w"}],
    ids=lambda row: next(iter(row)),
)
def test_without_an_item_a_sentence_or_a_source_none_is_proposed(workspace: Workspace, changed: dict[str, Any]) -> None:
    know(workspace, d=changed)
    assert [*made(workspace)] == ["v", "H_0"]


@pytest.mark.parametrize(
    ("statements", "left"),
    [
        ((Statement("a", P.in_defining_formula, "d", qualifiers=((P.symbol_represents, "Q5"),)),), ["v", "H_0"]),
        ((Statement("a", P.in_defining_formula, "D", qualifiers=((P.symbol_represents, "Q126017"),)),), ["v", "H_0"]),
        ((Statement("a", P.in_defining_formula, "D", qualifiers=((P.symbol_represents, "Q5"),)),), ["v", "H_0", "d"]),
    ],
)
def test_what_the_item_says_of_a_symbol_or_of_what_it_represents_is_not_said_again(
    workspace: Workspace, statements: tuple[Statement, ...], left: list[str]
) -> None:
    know(workspace)
    assert [*made(workspace, law(replace(HUBBLE, statements=statements)))] == left


def test_symbols_go_with_formulas_that_are_proposed_or_written(workspace: Workspace) -> None:
    know(workspace)
    built = law()
    assert built.proposal is not None
    written = EarlierRow(built.proposal, "2026-01-01", "2027-01-01", written=True)
    nothing = replace(built, proposal=None, reason_for_nothing=built.entry.evidence[0].detail)
    assert made(workspace, replace(nothing, row=written)).keys() == MEANT.keys()
    assert made(workspace, replace(nothing, row=replace(written, written=False))) == made(workspace, nothing) == {}
    assert made(workspace, replace(built, proposal=replace(built.proposal, kind="flag"))) == {}
    assert (
        made(workspace, replace(built, proposal=replace(built.proposal, claim="c"))) == {}
    )  # one more source of a claim
    (one, *_) = made(workspace, law(replace(HUBBLE, statements=(statement("v = d H_0"),)))).values()
    assert one.formula == "v = d H_0"  # as the item has it


def test_of_several_formulas_with_a_symbol_the_likeliest_counts_and_a_day_that_was_said_holds(
    workspace: Workspace,
) -> None:
    know(workspace)
    know(workspace, "k2", d={"qid": "Q2"})
    other = law(tex="d = v t", key="another", concepts=("k2",), probability=0.5)
    for order in ((law(), other), (other, law())):
        assert made(workspace, *order)["d"].qualifiers[0][2] == "Q126017"
    found = made(workspace)
    for day, kept in (("2026-11-20", True), ("2026-11-19", False)):
        row = {"id": found["d"].id, "kind": "symbol", "expires": day, "qid": HUBBLE.qid}
        with workspace.engine.begin() as db:
            db.execute(store.proposals.delete())
            db.execute(store.proposals.insert().values(**row, hash="", record={}, probability=0.5))
        assert (made(workspace)["d"].expires == day) is kept
    assert withdrawn_symbols(workspace, found.values()) == set()
    assert withdrawn_symbols(workspace, [found["v"]]) == {found["d"].id}
