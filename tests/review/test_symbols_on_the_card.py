"""Proposed symbols in the card of their formula: form, undo, and what readers will see."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import sqlalchemy as sa
from web_records import opened, proposal, reference, signed_in

from bot import store
from bot.records import Item, Statement, as_json
from bot.store import Workspace

HOOKE = proposal(3, tex="F = -k x")
MEANT = {"F": ("Q11402", "force"), "k": ("Q338261", "spring constant"), "x": ("Q190291", "displacement")}
IDS = {symbol: f"{n:016x}" for n, symbol in enumerate(MEANT, 100)}
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
