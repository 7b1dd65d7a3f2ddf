"""Decisions are appended, bound to a hash, and made by people the workspace knows."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from web_records import counting_decisions

from bot import store
from bot.errors import ItemsError, ReviewError
from bot.messages import uncoded_message
from bot.records import Check, Decision, Evidence, Proposal, Quote, Reference, as_json
from bot.review import (
    add_reviewer,
    decide,
    export_packet,
    import_packet,
    known_reviewer,
    queue,
    show,
)
from bot.settings import Settings
from bot.store import Workspace

REFERENCES = (
    Reference((("P854", "url", "https://example.org/a"),)),
    Reference((("P854", "url", "https://example.org/b"),)),
)


def proposal(id_: str = "proposal-1", **values: Any) -> Proposal:
    plain: dict[str, Any] = {
        "id": id_,
        "kind": "new_claim",
        "qid": "Q35875",
        "property": "P2534",
        "tex": "E=mc^2",
        "references": REFERENCES,
        "evidence": (Evidence("name", 1.0, uncoded_message("the article is called so")),),
        "checks": (Check("validity", "ok", uncoded_message("accepted")),),
        "probability": 0.9,
        "base_revision": 3,
        "hash": f"hash of {id_}",
        "expires": "2999-01-01",
        "quotes": (Quote("doc", 0, "It is written ⟦0⟧.", "", "mass", "Title", "", ((0, "E=mc^2"),)),),
    }
    return Proposal(**{**plain, **values})


def put(workspace: Workspace, made: Proposal) -> Proposal:
    table = store.proposals
    with workspace.engine.begin() as db:
        db.execute(table.delete().where(table.c.id == made.id))
        names = ("id", "kind", "qid", "probability", "hash", "expires")
        row = {name: getattr(made, name) for name in names}
        db.execute(table.insert().values(**row, record=as_json(made), created="2026-11-20T00:00:00Z"))
    return made


def word(made: Proposal, verdict: str = "approve", **values: Any) -> Decision:
    return Decision(**{"proposal": made.id, "hash": made.hash, "verdict": verdict, "reviewer": "Ada", **values})


@pytest.fixture
def ada(workspace: Workspace) -> Workspace:
    add_reviewer(workspace, "Ada")
    return workspace


def states(workspace: Workspace) -> dict[str, str]:
    return {row.proposal.id: row.state for row in queue(workspace, "all")}


def test_nobody_decides_who_is_not_known(workspace: Workspace) -> None:
    made = put(workspace, proposal())
    with pytest.raises(ReviewError, match="knows no reviewer"):
        decide(workspace, word(made))
    add_reviewer(workspace, "Ada")
    with pytest.raises(ReviewError, match="is not a reviewer of this workspace"):
        decide(workspace, word(made, reviewer="Eve"))
    assert counting_decisions(workspace) == {}


def test_a_doubt_about_who_decides_is_refused(ada: Workspace) -> None:
    assert known_reviewer(ada) == "Ada"
    add_reviewer(ada, "Emmy")
    with pytest.raises(ReviewError, match="several"):
        known_reviewer(ada)


def test_an_approval_holds_for_its_hash_only(ada: Workspace) -> None:
    made = put(ada, proposal())
    decide(ada, word(made))
    assert states(ada) == {made.id: "approved"}
    put(ada, proposal(hash="another source came"))
    assert counting_decisions(ada) == {}
    row = show(ada, made.id)
    assert (row.state, row.reopened) == ("open", True)


@pytest.mark.parametrize(("reason", "comes_back"), [("wrong_item", False), ("bad_source", True)])
def test_a_rejected_claim_never_comes_back_and_a_rejected_source_may(
    ada: Workspace, reason: str, comes_back: bool
) -> None:
    made = put(ada, proposal())
    decide(ada, word(made, "reject", reason=reason))
    put(ada, proposal(hash="another source came"))
    assert (states(ada)[made.id] == "open") is comes_back


BAD: list[tuple[dict[str, Any], Decision, str]] = [
    ({}, word(proposal(), hash="old"), "has changed"),
    ({}, word(proposal(), "reject"), "no such reason"),
    ({}, word(proposal(), "maybe"), "unknown verdict"),
    ({}, word(proposal(), references=("reject", "reject")), "no reference is left"),
    ({}, word(proposal(), references=("approve",)), "a verdict for each"),
    ({}, word(proposal(), tex=r"\notamacro{x}"), "would refuse"),
    ({}, word(proposal(), tex="$E=mc^2$"), "dollar signs"),
    ({"kind": "flag"}, word(proposal()), "only flagged"),
    ({"expires": "2020-01-01"}, word(proposal()), "has expired"),
    ({"kind": "add_reference"}, word(proposal(), tex="E=mc^{2}"), "cannot be edited"),
]


@pytest.mark.parametrize(("values", "decision", "why"), BAD)
def test_a_word_that_cannot_hold_is_refused_and_nothing_is_recorded(
    ada: Workspace, values: dict[str, Any], decision: Decision, why: str
) -> None:
    put(ada, proposal(**values))
    with pytest.raises(ReviewError, match=why):
        decide(ada, decision)
    assert counting_decisions(ada) == {}


def test_each_reference_has_its_own_word_and_both_versions_of_an_edit_are_kept(ada: Workspace) -> None:
    made = put(ada, proposal())
    decide(ada, word(made, references=("reject", "approve"), tex="E=m c^{2}"))
    said = counting_decisions(ada)[made.id]
    assert (said.references, said.tex) == (("reject", "approve"), "E=m c^{2}")
    row = ada.rows(sa.select(store.decisions))[0]
    assert row["record"]["tex"] == "E=mc^2"


def test_a_withdrawn_word_opens_the_proposal_again_and_every_word_is_kept(ada: Workspace) -> None:
    made = put(ada, proposal())
    for verdict in ("approve", "withdraw", "skip"):
        decide(ada, word(made, verdict))
    assert states(ada) == {made.id: "open"}
    assert len(ada.rows(sa.select(store.decisions))) == 3


def test_what_is_written_cannot_be_decided_again(ada: Workspace) -> None:
    made = put(ada, proposal())
    decide(ada, word(made))
    with ada.engine.begin() as db:
        db.execute(store.edits.insert().values(proposal=made.id, outcome="written", decision=1, undo=""))
    assert states(ada) == {made.id: "written"}
    with pytest.raises(ReviewError, match="already written"):
        decide(ada, word(made, "withdraw"))


def test_a_refused_edit_opens_the_proposal_again(ada: Workspace) -> None:
    made = put(ada, proposal())
    decide(ada, word(made))
    with ada.engine.begin() as db:
        db.execute(store.edits.insert().values(proposal=made.id, outcome="refused", decision=1, undo=""))
    assert states(ada) == {made.id: "open"}
    decide(ada, word(made))
    assert states(ada) == {made.id: "approved"}


def test_an_id_may_be_shortened_while_it_is_clear(ada: Workspace) -> None:
    put(ada, proposal("abcd1"))
    put(ada, proposal("abcd2"))
    assert show(ada, "abcd1").proposal.id == "abcd1"
    with pytest.raises(ReviewError, match="several"):
        show(ada, "abcd")
    with pytest.raises(ReviewError, match="no such proposal"):
        show(ada, "%%%%")


def fill(path: Path, change: Callable[[dict[str, str]], None]) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for row in rows:
        change(row)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def test_a_csv_packet_goes_out_and_comes_back_once(ada: Workspace, tmp_path: Path) -> None:
    made = put(ada, proposal(tex="=E", quotes=()))
    put(ada, proposal("proposal-2"))
    packet = tmp_path / "packet.csv"
    assert export_packet(ada, packet, Settings()) == 2
    assert "'=E" in packet.read_text(encoding="utf-8")
    fill(packet, lambda row: row.update(verdict="Approve") if row["proposal"] == made.id else None)
    first, second = import_packet(ada, packet), import_packet(ada, packet)
    assert (first.recorded, first.empty, second.recorded, second.known_already) == (1, 1, 0, 1)
    assert states(ada) == {made.id: "approved", "proposal-2": "open"}


@pytest.mark.parametrize("delimiter", [";", "\t"])
def test_a_packet_comes_back_from_a_spreadsheet_with_other_delimiters(
    ada: Workspace, tmp_path: Path, delimiter: str
) -> None:
    put(ada, proposal(tex="f(x,y;z)=0"))
    packet = tmp_path / "packet.csv"
    export_packet(ada, packet, Settings())
    fill(packet, lambda row: row.update(verdict="approve"))
    with packet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    with packet.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows(rows)
    assert import_packet(ada, packet).recorded == 1


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ({"reason": "not_defining"}, "unknown verdict ''; known: approve, reject"),
        ({"verdict": "reject"}, "no such reason ''; known: wrong_item"),
        ({"verdict": "approve", "edited_tex": "E=mc^3"}, "not the proposed one; confirm the edit"),
    ],
)
def test_a_row_with_half_an_answer_is_refused_with_what_is_missing(
    ada: Workspace, tmp_path: Path, answer: dict[str, str], why: str
) -> None:
    put(ada, proposal())
    packet = tmp_path / "packet.csv"
    export_packet(ada, packet, Settings())
    fill(packet, lambda row: row.update(answer))
    outcome = import_packet(ada, packet)
    assert (outcome.recorded, outcome.empty) == (0, 0)
    assert why in str(outcome.refused[0][1])


def test_a_packet_older_than_the_proposal_is_refused_row_by_row(ada: Workspace, tmp_path: Path) -> None:
    put(ada, proposal())
    packet = tmp_path / "packet.csv"
    export_packet(ada, packet, Settings())
    fill(packet, lambda row: row.update(verdict="approve"))
    put(ada, proposal(hash="new"))
    outcome = import_packet(ada, packet)
    assert outcome.recorded == 0
    assert "has changed" in str(outcome.refused[0][1])


def test_an_html_packet_escapes_what_it_shows(ada: Workspace, tmp_path: Path) -> None:
    hostile = "<script>alert(1)</script>"
    put(ada, proposal(tex=hostile, quotes=(Quote("d", 0, hostile, "", hostile, hostile),)))
    packet = tmp_path / "packet.html"
    export_packet(ada, packet, Settings())
    assert hostile not in packet.read_text(encoding="utf-8")
    assert packet.read_text(encoding="utf-8").count("<article") == 1


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "\x00\xff", ""])
def test_an_unreadable_packet_records_nothing(ada: Workspace, tmp_path: Path, text: str) -> None:
    put(ada, proposal())
    packet = tmp_path / "packet.csv"
    packet.write_bytes(text.encode("latin-1"))
    with pytest.raises(ItemsError):
        import_packet(ada, packet)
    assert counting_decisions(ada) == {}


def test_a_packet_is_refused_where_somebody_else_has_spoken_since(ada: Workspace, tmp_path: Path) -> None:
    add_reviewer(ada, "Ben")
    for n in (1, 2, 3):
        put(ada, proposal(f"proposal-{n}"))
    decide(ada, word(proposal("proposal-3"), reviewer="Ben"))
    packet = tmp_path / "packet.csv"
    export_packet(ada, packet, Settings(), state="all")
    decide(ada, word(proposal("proposal-2"), "reject", reason="duplicate", reviewer="Ben"))
    decide(ada, word(proposal("proposal-1"), "unsure"))
    fill(packet, lambda row: row.update(verdict="approve"))
    outcome = import_packet(ada, packet, "Ada")
    assert (outcome.recorded, [(id_, str(why)) for id_, why in outcome.refused]) == (
        2,
        [("proposal-2", "Ben has decided on it since; look at it again")],
    )
    assert states(ada)["proposal-2"] == "rejected"


HOSTILE = [
    "=cmd|' /C calc'!A0",
    "+1",
    "-2+3",
    "@SUM(1)",
    "\t=1",
    "\r=1",
    " =1",
    "\n=1",
    "＝1",
    "\u202e=1",
    '"=1',
    "a\u202eb",
    "=1,2\n3",
]


def test_no_cell_of_a_packet_is_a_formula_of_a_spreadsheet(ada: Workspace, tmp_path: Path) -> None:
    for n, bad in enumerate(HOSTILE):
        quotes = (Quote("doc", 0, f"{bad} ⟦0⟧", "", "", bad, "", ((0, bad),)),)
        references = (Reference((("P854", "url", bad),)), Reference(((bad, "string", bad),)))
        put(ada, proposal(f"proposal-{n}", tex=bad, quotes=quotes, references=references))
    packet = tmp_path / "packet.csv"
    export_packet(ada, packet, Settings())
    with packet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) == len(HOSTILE) + 1
    assert {len(row) for row in rows} == {len(rows[0])}
    for cell in (cell for row in rows for cell in row):
        assert not cell.strip().startswith(("=", "+", "-", "@", "＝")), cell
        assert "\u202e" not in cell
    fill(packet, lambda row: row.update(verdict="unsure"))
    assert import_packet(ada, packet).recorded == len(HOSTILE)


def test_a_formula_copied_from_its_cell_loses_the_apostrophe(ada: Workspace, tmp_path: Path) -> None:
    made = put(ada, proposal(tex="-E=mc^2"))
    packet = tmp_path / "packet.csv"
    export_packet(ada, packet, Settings())
    fill(packet, lambda row: row.update(verdict="approve", edited_tex=row["formula"] + " "))
    import_packet(ada, packet)
    assert counting_decisions(ada)[made.id].tex == "-E=mc^2"


@pytest.mark.parametrize("answer", ["approve", "reject"])
def test_a_packet_that_comes_back_does_not_undo_a_withdrawal(ada: Workspace, tmp_path: Path, answer: str) -> None:
    put(ada, proposal())
    packet = tmp_path / "packet.csv"
    export_packet(ada, packet, Settings())
    fill(packet, lambda row: row.update(verdict=answer, reason="duplicate"))
    assert import_packet(ada, packet).recorded == 1
    decide(ada, word(proposal(), "withdraw"))
    ((_, why),) = import_packet(ada, packet).refused
    assert str(why) == "you have decided on it already; look at it again"
    assert states(ada) == {proposal().id: "open"}
    export_packet(ada, packet, Settings())
    fill(packet, lambda row: row.update(verdict=answer, reason="duplicate"))
    assert import_packet(ada, packet).recorded == 1


@pytest.mark.parametrize("words", ["", "zero", "0.0", "1,00", None])
def test_a_packet_whose_number_of_decisions_was_lost_or_rewritten_is_not_taken_over_anothers(
    ada: Workspace, tmp_path: Path, words: str | None
) -> None:
    add_reviewer(ada, "Ben")
    put(ada, proposal())
    decide(ada, word(proposal(), "unsure"))
    packet = tmp_path / "packet.csv"
    export_packet(ada, packet, Settings(), state="unsure")
    fill(packet, lambda row: row.update(verdict="approve", words=words or ""))
    if words is None:
        fill(packet, lambda row: row.__delitem__("words"))
    decide(ada, word(proposal(), "reject", reason="duplicate", reviewer="Ben"))
    ((_, why),) = import_packet(ada, packet, "Ada").refused
    assert str(why) == "Ben has decided on it since; look at it again"
