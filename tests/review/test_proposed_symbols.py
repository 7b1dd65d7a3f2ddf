"""From the corpus to the wiki: symbols are proposed with their formula, decided on one by one in its card, and written with it."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from cli_runner import call
from queued import load_proposals
from web_records import signed_in

from bot import store
from bot.records import Proposal
from bot.review import add_reviewer
from bot.review.exports import approved, quickstatements
from bot.review.web.rest import make_token
from bot.sandbox import Sandbox
from bot.store import Workspace
from bot.write import ledger

LECTURE = r"""# Newton's second law

Newton's second law says that the force on a body is $$F = m a$$ where $m$ is the mass of the body and $a$ is its acceleration.

The force is measured in newtons.
"""
ITEMS = (
    ("Q2397319", "Newton's second law", ["Newton's second law of motion"]), ("Q11423", "mass", []), ("Q11376", "acceleration", []), ("Q11402", "force", []),
)  # fmt: skip
SETTINGS = """[proposing]
symbols = {on}
propose_from = 0.01
[[proposing.sources]]
documents = "*"
url = "https://lectures.example.org/motion"
"""


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("symbols")
    (folder / "c").mkdir()
    (folder / "c" / "motion.md").write_text(LECTURE, encoding="utf-8")
    rows = [{"qid": q, "label": name, "aliases": also, "formulas": [], "instance_of": []} for q, name, also in ITEMS]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for on in ("true", "false"):
        (folder / f"{on}.toml").write_text(SETTINGS.format(on=on), encoding="utf-8")
    call("discover", folder / "c", "-w", folder / "w").well()
    call("match", "-w", folder / "w", "--items", folder / "items.jsonl").well()
    call("propose", "-w", folder / "w", "--config", folder / "true.toml").well()
    return folder / "w"


def of(workspace: Workspace, kind: str) -> list[Proposal]:
    return [each for each in load_proposals(workspace) if each.kind == kind]


def stored(w: Workspace) -> dict[str, list[tuple[str, str]]]:
    """Return what the rehearsal wiki's item says: property -> (value, what it represents)."""
    with Sandbox(w.path / "sandbox.db") as sandbox:
        entity = sandbox.entity("Q11402")
    assert entity is not None
    found: dict[str, list[tuple[str, str]]] = {}
    for property_id in ("P2534", "P7235"):
        for statement in entity["claims"].get(property_id, []):
            meant = [s["datavalue"]["value"]["id"] for s in statement.get("qualifiers", {}).get("P9758", [])]
            value = statement["mainsnak"]["datavalue"]["value"]
            found.setdefault(property_id, []).append((value, "".join(meant)))
    return {name: sorted(rows) for name, rows in found.items()}


def test_reports_and_packets_show_them_with_their_formula(proposed: Path, tmp_path: Path) -> None:
    page = (proposed / "reports" / "dry-run.html").read_text(encoding="utf-8")
    assert "Its symbols, each decided separately" in page
    assert "represents mass (Q11423)" in page
    first = json.loads((proposed / "reports" / "dry-run.jsonl").read_text(encoding="utf-8").partition("\n")[0])
    assert {s["tex"]: s["qualifiers"] for s in first["symbols"]}["m"] == [["P9758", "wikibase-item", "Q11423"]]
    table = (proposed / "reports" / "dry-run.quickstatements.csv").read_text(encoding="utf-8").splitlines()
    assert table[0].startswith("qid,P2534,P7235,qal9758,S854")
    assert [line.partition(',"""https')[0] for line in table[2:]] == [
        f'Q11402,,"""{x}""",{qid}' for x, qid in (("F", "Q11402"), ("m", "Q11423"), ("a", "Q11376"))
    ]
    call("review", "export", tmp_path / "p.csv", "-w", proposed).well()
    call("review", "export", tmp_path / "p.html", "--language", "de", "-w", proposed).well()
    rows = list(csv.DictReader((tmp_path / "p.csv").read_text(encoding="utf-8-sig").splitlines()))
    assert [(r["kind"], r["formula"]) for r in rows] == [("new_claim", "F = m a"), *(("symbol", x) for x in "maF")]
    assert rows[1]["sources_write"] == "represents Q11423 in F = m a"
    assert "steht für <b>mass</b> (Q11423) · in der Formel" in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_symbols_go_from_the_corpus_to_the_item(proposed: Path) -> None:
    with Workspace.open(proposed) as w:
        (formula,) = of(w, "new_claim")
        assert [(s.tex, s.formula, s.claim) for s in of(w, "symbol")] == [(x, "F = m a", formula.id) for x in "maF"]
        add_reviewer(w, "Ada")
        client, head = signed_in(w, "Ada").client, {"Authorization": f"Bearer {make_token(w, 'Ada')}"}
        listed = client.get("/api/v1/proposals", headers=head).json["proposals"]
        assert [row["id"] for row in listed] == [formula.id]  # symbols wait in its card
        asked = client.get(f"/api/v1/proposals/{formula.id}", headers=head).json
        rows = {row["tex"]: row for row in asked["symbol_proposals"]}
        assert [(x, row["represents"], row["label"], row["state"]) for x, row in rows.items()] == [
            ("F", "Q11402", "force", "open"), ("m", "Q11423", "mass", "open"), ("a", "Q11376", "acceleration", "open")
        ]  # fmt: skip
        said = {formula.id: {"hash": formula.hash, "verdict": "approve"}}
        said |= {rows[x]["id"]: {"hash": rows[x]["hash"], "verdict": "approve", "words": 0} for x in "ma"}
        said[rows["F"]["id"]] = {"hash": rows["F"]["hash"], "verdict": "reject", "reason": "wrong_item"}
        for id_, body in said.items():
            assert client.post(f"/api/v1/proposals/{id_}/decisions", json=body, headers=head).status_code == 201
        again = client.post(f"/api/v1/proposals/{rows['m']['id']}/decisions", json=said[rows["m"]["id"]], headers=head)
        assert again.status_code == 409
        assert client.get(f"/api/v1/proposals/{rows['F']['id']}", headers=head).json["state"] == "rejected"
        lines = quickstatements(approved(w)).splitlines()
        assert lines[0].startswith('Q11402\tP2534\t"F = m a"\tS854')
        assert sorted(line.partition("\tS854")[0] for line in lines[1:]) == ['Q11402\tP7235\t"a"\tP9758\tQ11376', 'Q11402\tP7235\t"m"\tP9758\tQ11423']  # fmt: skip
    assert "1 edit planned, 0 back to review" in call("write", "-w", proposed).well().out
    call("write", "--live", "-w", proposed).well()
    with Workspace.open(proposed) as w:
        assert stored(w) == {"P2534": [("F = m a", "")], "P7235": [("a", "Q11376"), ("m", "Q11423")]}
        assert len({row.revision for row in ledger.ledger_rows(w)}) == 1


def test_without_the_setting_none_is_proposed(proposed: Path) -> None:
    call("propose", "-w", proposed, "--config", proposed.parent / "false.toml").well()
    with Workspace.open(proposed) as w:
        assert sorted(each.tex for each in of(w, "symbol")) == ["F", "a", "m"]  # decided on: they stay
        with w.engine.begin() as db:
            db.execute(store.decisions.delete())
    call("propose", "-w", proposed, "--config", proposed.parent / "false.toml").well()
    with Workspace.open(proposed) as w:
        assert of(w, "symbol") == []
