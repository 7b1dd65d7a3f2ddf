"""An edited formula that is another one: confirmed a second time, with references approved for it, on every way of deciding."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from web_records import dozen, opened, proposal, signed_in

from bot import store
from bot.cli import cli
from bot.errors import UnconfirmedEdit
from bot.records import Decision
from bot.review import add_reviewer, decide, export_packet, import_packet, queue
from bot.review.queue_rules import change_rules
from bot.review.web import make_app
from bot.review.web.rest import make_token
from bot.settings import Settings
from bot.store import Workspace

ONE = f"{0:016x}"  # v = H_0 d, with two references
SAME, OTHER = r"v = H_0 \, d", "v = H_0 t"


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path / "w", "Ada") as workspace:
        yield workspace


def word(**values: Any) -> Decision:
    return Decision(ONE, dozen()[0].hash, "approve", reviewer="Ada", **values)


def decisions(w: Workspace) -> list[dict[str, Any]]:
    return w.rows(sa.select(store.decisions))


def test_another_formula_needs_a_confirmation_and_references_of_its_own(w: Workspace) -> None:
    both = ("approve", "approve")
    for values in ({}, {"references": both}, {"edit_confirmed": True}):
        with pytest.raises(UnconfirmedEdit):
            decide(w, word(tex=OTHER, **values))
    assert decisions(w) == []
    decide(w, word(tex=OTHER, edit_confirmed=True, references=("reject", "approve")))
    (row,) = queue(w, "approved")
    assert row.decision is not None
    assert (row.decision.tex, row.decision.references) == (OTHER, ("reject", "approve"))
    known = {r["tex"]: r["qid"] for r in w.rows(sa.select(store.representations))}
    assert known == {OTHER: "Q179916"}  # the proposed formula was not accepted for the item


def test_the_same_formula_in_another_notation_needs_none(w: Workspace) -> None:
    decide(w, word(tex=SAME))
    assert len(queue(w, "approved")) == 1


def test_on_the_command_line(w: Workspace) -> None:
    def approve(*more: str) -> Any:
        return CliRunner().invoke(cli, ["review", "approve", ONE, "-w", str(w.path), *more])

    for more in ((), ("--confirm-edit",), ("--approve-reference", "1")):
        told = approve("--tex", OTHER, *more)
        assert told.exit_code != 0, told.output
    assert "empty" in str(approve("--tex", "").exception)
    assert "has changed" in str(approve("--hash", "").exception)
    assert decisions(w) == []
    told = approve("--tex", OTHER, "--confirm-edit", "--approve-reference", "3")
    assert "no reference 3" in str(told.exception)
    assert approve("--tex", OTHER, "--confirm-edit", "--approve-reference", "2").exit_code == 0
    (row,) = decisions(w)
    assert (row["references"], row["edit_confirmed"], row["proposal"]) == (["reject", "approve"], True, ONE)


def test_by_a_packet(w: Workspace, tmp_path: Path) -> None:
    packet = tmp_path / "p.csv"
    export_packet(w, packet, Settings())
    with packet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    def filled(**values: str) -> Any:
        first = next(row for row in rows if row["proposal"] == ONE)
        first |= {"verdict": "approve", "edited_tex": OTHER, **values}
        with packet.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, rows[0].keys())
            table.writeheader()
            table.writerows(rows)
        return import_packet(w, packet, "Ada")

    for values in ({}, {"reference_verdicts": "approve approve"}, {"edit_confirmed": "yes", "reference_verdicts": ""}):
        told = filled(**values)
        assert (told.recorded, len(told.refused)) == (0, 1), values
    assert filled(edit_confirmed="yes", reference_verdicts="approve reject").recorded == 1


def test_by_the_api_and_the_page(w: Workspace) -> None:
    client = make_app(w, Settings(), hosts={"localhost"}).test_client()
    headers = {"Authorization": f"Bearer {make_token(w, 'Ada')}"}

    def post(**values: Any) -> int:
        body = {"hash": dozen()[0].hash, "verdict": "approve", "tex": OTHER, **values}
        return client.post(f"/api/v1/proposals/{ONE}/decisions", json=body, headers=headers).status_code

    assert post() == post(references=["approve", "approve"]) == post(edit_confirmed=True) == 409
    told = client.post("/api/v1/preview", json={"proposal": ONE, "tex": OTHER}, headers=headers).get_json()
    assert told["confirm"]
    ada = signed_in(w, "Ada")
    assert ada.decide(ONE, "approve_edited", tex=OTHER).status_code == 409
    assert decisions(w) == []
    assert ada.decide(ONE, "approve_changed", tex=OTHER, confirmed=OTHER, reference=["1"]).status_code == 303
    assert [row["references"] for row in decisions(w)] == [["reject", "approve"]]
    assert post(edit_confirmed=True, references=["approve", "reject"]) == 201
    assert json.loads(json.dumps(decisions(w)[-1]["edit_confirmed"])) is True


# -- what is said twice, and ids that are shortened
def filled(w: Workspace, path: Path, **ids: str) -> Any:
    """Import a packet in which each id is written as given."""
    export_packet(w, path, Settings())
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["proposal"] in ids.values() or row["proposal"] in ids]
    made = [
        {**row, "proposal": short, "verdict": "approve"}
        for row in rows
        for short in [ids.get(row["proposal"])]
        if short
    ]
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(made)
    return import_packet(w, path, "Ada")


def test_a_packet_takes_a_shortened_id_where_it_is_unambiguous(tmp_path: Path) -> None:
    some = [proposal(0, id="0df029c826aaaaaa"), proposal(1, id="1df029c826bbbbbb"), proposal(2, id="1df029c826cccccc")]
    with opened(tmp_path / "w", "Ada", proposals=some) as w:
        ids = {p.id: p.id[:10] for p in some}
        told = filled(w, tmp_path / "p.csv", **ids)
        assert (told.recorded, [row for row, _ in told.refused]) == (1, ["1df029c826", "1df029c826"])
        assert all("several proposals begin so" in str(why) for _, why in told.refused)
        assert [row["proposal"] for row in decisions(w)] == [some[0].id]
        assert [row.proposal.id for row in queue(w, "approved")] == [some[0].id]
        change_rules(w, {"two_persons": "true"})  # the approval waits for another person now, and exists all the same
        assert import_packet(w, tmp_path / "p.csv", "Ada").known_already == 1
        assert len(decisions(w)) == 1


def test_approving_twice_says_that_the_decision_exists(w: Workspace) -> None:
    def run(*what: str) -> str:
        told = CliRunner().invoke(cli, ["review", *what, "-w", str(w.path)])
        assert told.exit_code == 0, told
        return told.output

    assert "already recorded" not in run("approve", ONE)
    assert "already recorded" in run("approve", ONE)
    assert len(decisions(w)) == 1
    assert "already recorded" not in run("approve", ONE, "--reject-reference", "1")  # that is another decision
    assert "already recorded" not in run("reject", ONE, "--reason", "not_defining")
    assert "already recorded" in run("reject", ONE, "--reason", "not_defining")
    assert "already recorded" not in run("approve", ONE)
    add_reviewer(w, "Ben")
    assert "already recorded" not in run("approve", ONE, "--reviewer", "Ben")
    assert "already recorded" in run("approve", ONE, "--reviewer", "Ada")
    assert len(decisions(w)) == 5
