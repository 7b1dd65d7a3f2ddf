"""Proposed symbols in the card of their formula: form, undo, and what readers will see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from web_records import opened, proposal, reference, signed_in

from bot import store
from bot.records import Decision, Item, Statement, as_json
from bot.review import decide
from bot.review.symbols_shown import proposed_symbols, readers_view
from bot.review.web.queue_selection import row_of_symbol
from bot.settings import Wiki
from bot.store import Workspace

HOOKE = proposal(3, tex="F = -k x")
MEANT = {"F": ("Q11402", "force"), "k": ("Q338261", "spring constant"), "x": ("Q190291", "displacement")}
IDS = {symbol: f"{n:016x}" for n, symbol in enumerate(reversed(MEANT), 100)}  # in another order than in the formula
SYMBOLS = [
    proposal(
        3, id=IDS[symbol], kind="symbol", property="P7235", tex=symbol, references=(reference(0),), checks=(), evidence=(),
        hash=f"{n:040x}", claim=HOOKE.id, formula=HOOKE.tex, qualifiers=(("P9758", "wikibase-item", qid),),
    )
    for n, (symbol, (qid, _)) in enumerate(MEANT.items())
]  # fmt: skip


def with_symbols(path: Path) -> Iterator[Workspace]:
    """Yield a workspace with a formula, its symbols, and a formula without any."""
    with opened(path, "Ada", "Ben", proposals=[HOOKE, proposal(4), *SYMBOLS]) as made:
        with made.engine.begin() as db:
            for qid, label in MEANT.values():
                record = as_json(Item(qid, label, revision=1))
                db.execute(store.items.insert().values(qid=qid, revision=1, record=record))
        yield made


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    yield from with_symbols(tmp_path / "w")


def said(w: Workspace) -> list[tuple[str, str, str]]:
    named = {HOOKE.id: "formula"} | {id_: symbol for symbol, id_ in IDS.items()}
    rows = w.rows(sa.select(store.decisions).order_by(store.decisions.c.n))
    return [(named.get(row["proposal"], ""), row["verdict"], row["reason"] or "") for row in rows]


def test_each_is_decided_by_itself_with_its_formula_or_alone(w: Workspace) -> None:
    ada = signed_in(w, "Ada")
    page = ada.get(f"/p/{HOOKE.id}")
    fieldset = page.partition('id="proposed-symbols"')[2].partition("</fieldset>")[0]
    assert [fieldset.index(label) for _, label in MEANT.values()] == sorted(
        fieldset.index(x) for _, x in MEANT.values()
    )
    assert ada.client.get(f"/p/{IDS['k']}").location.startswith(f"/p/{HOOKE.id}")
    shown = {f"shown:{p.id}": f"{p.hash}:0" for p in SYMBOLS}
    ada.decide(HOOKE.id, "symbols", **shown, **{f"symbol:{IDS['F']}": "reject"})
    assert said(w) == [("F", "reject", "wrong_item")]
    chosen = {f"symbol:{IDS['F']}": "approve", f"symbol:{IDS['x']}": "approve", f"symbol:{IDS['k']}": ""}
    ada.decide(HOOKE.id, "approve", **shown, **chosen)  # of F somebody has decided since it was shown
    assert said(w)[1:] == [("formula", "approve", ""), ("x", "approve", "")]
    assert ada.post("/undo").location.startswith(f"/p/{HOOKE.id}")
    assert said(w)[3:] == [("formula", "withdraw", ""), ("x", "withdraw", "")]
    ada.decide(HOOKE.id, "reject", reject="wrong_item", **shown, **{f"symbol:{IDS['x']}": "approve"})
    assert [each for each, *_ in said(w)[5:]] == ["formula"]  # without its formula none is approved on the way


def test_nobody_who_wants_none_sees_any_and_an_item_with_parts_hides_them(w: Workspace) -> None:
    ada = signed_in(w, "Ada")
    assert "proposed-symbols" not in ada.get(f"/p/{proposal(4).id}")
    readers = ada.get(f"/p/{HOOKE.id}").partition('<details class="readers">')[2].partition("</details>")[0]
    assert readers.count('<dd class="new">') == 3
    assert "has part" not in readers
    parts = (Statement("Q179380$1", "P527", "Q11402", qualifiers=(("P7235", "F"),)),)
    with w.engine.begin() as db:
        record = as_json(Item(HOOKE.qid, "Hooke's law", statements=parts, revision=7))
        db.execute(store.items.update().where(store.items.c.qid == HOOKE.qid).values(record=record))
    readers = ada.get(f"/p/{HOOKE.id}").partition('<details class="readers">')[2].partition("</details>")[0]
    assert readers.count("<dd") == 1
    assert "Readers see none of these symbols" in readers


def test_symbols_are_told_with_their_state_and_readers_see_those_that_are_not_rejected(w: Workspace) -> None:
    force, constant, place = SYMBOLS
    decide(w, Decision(force.id, force.hash, "reject", reason="wrong_item", reviewer="Ada"))
    decide(w, Decision(place.id, place.hash, "skip", reviewer="Ada"))
    with w.engine.begin() as db:
        late = store.proposals.update().where(store.proposals.c.id == constant.id)
        db.execute(late.values(record={**as_json(constant), "expires": "2020-01-01"}))
        db.execute(store.items.delete().where(store.items.c.qid == "Q190291"))
    found = proposed_symbols(w, Wiki(), HOOKE)
    assert [(s.proposal.tex, s.represents, s.label, s.state, s.decided) for s in found] == [
        ("F", "Q11402", "force", "rejected", 1),
        ("k", "Q338261", "spring constant", "expired", 0),
        ("x", "Q190291", "", "open", 0),
    ]
    assert [s.meaning for s in found] == ["Hooke's law"] * 3
    assert proposed_symbols(w, Wiki(), force) == proposed_symbols(w, Wiki(), proposal(4)) == ()
    assert (
        proposed_symbols(w, Wiki(), replace(HOOKE, id=proposal(4).id)) == ()
    )  # they are of another formula of the item
    item = Item(HOOKE.qid, "Hooke's law")
    view = readers_view(w, Wiki(), item, HOOKE, found)
    assert view is not None
    assert [each[1:] for each in view.parts] == [("Q338261", "spring constant", True), ("Q190291", "Q190291", True)]
    assert (view.hidden, 'alttext="F = -k x"' in view.drawn) == (False, True)
    assert readers_view(w, Wiki(), item, HOOKE, ()) is None
    parts = replace(item, statements=(Statement("g", "P527", "Q5"), Statement("h", "P2534", "G = 0", "preferred")))
    hidden = readers_view(w, Wiki(), parts, HOOKE, found)
    assert hidden is not None
    assert hidden.hidden
    row = row_of_symbol(w, force)
    assert row is not None
    assert (row.state, row.needs_review, row.decided, row.label) == ("rejected", 0, 1, "Hooke's law")
    assert row_of_symbol(w, HOOKE) is None
