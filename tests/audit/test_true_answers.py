"""Audits of a configured wiki through the command: read anew, complete or “could not tell”, and each on its own."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cli_runner import CommandResult, call

from bot import store
from bot.audit import run
from bot.lookup import Client
from bot.records import Reference
from bot.sandbox import Sandbox
from bot.store import Workspace
from bot.write import payload

EMPTY = ("application/sparql-results+json", b'{"head":{"vars":["item"]},"results":{"bindings":[]}}')
ROWS = [{"qid": f"Q{n}", "label": f"law {n}", "formulas": [f"a_{{{n}}}=b"]} for n in range(1, 21)]
SOURCE = Reference((("P248", "wikibase-item", "Q5"),))
SETTINGS = """
[agent]
contact = "User:Operator"
timeout = 5
[wiki]
name = "here"
api = "{api}"
sparql = "{sparql}"
entity_prefix = "{entity_prefix}"
"""


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill(ROWS)
        yield running


@pytest.fixture
def path(tmp_path: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(Client.__init__.__kwdefaults__, "sleep", lambda _: None)  # between tries
    Workspace.open(tmp_path / "w").close()
    name(tmp_path / "w", sandbox)
    return tmp_path / "w"


def name(path: Path, sandbox: Sandbox, **changes: str) -> None:
    """Let the settings of a workspace name the wiki."""
    wiki = sandbox.wiki
    told = {"api": wiki.api, "sparql": wiki.sparql, "entity_prefix": wiki.entity_prefix, **changes}
    (path / "settings.toml").write_text(SETTINGS.format(**told), encoding="utf-8")


def audit(path: Path, *names: str, **options: Any) -> tuple[int, dict[str, list[dict[str, Any]]]]:
    """Return the exit code and the findings by audit."""
    more = [f"--{option.replace('_', '-')}" for option, given in options.items() if given]
    said = call("audit", *names, "-w", path, "--format", "json", *more)
    assert said.code in (0, 1, 2), said.err
    found: dict[str, list[dict[str, Any]]] = {}
    for finding in json.loads(said.out)["findings"]:
        found.setdefault(finding["audit"], []).append(finding)
    return said.code, found


def unknown(found: dict[str, list[dict[str, Any]]], name: str) -> str:
    return next((f["what"] for f in found[name] if f["severity"] == "unknown"), "")


def mend(sandbox: Sandbox, qid: str) -> None:
    guid = (sandbox.entity(qid) or {})["claims"]["P2534"][0]["id"]
    snaks = payload.reference(SOURCE)["snaks"]
    assert "error" not in sandbox.act("PlainUser", action="wbsetreference", statement=guid, snaks=snaks)


def remove(sandbox: Sandbox, qid: str) -> None:
    guid = (sandbox.entity(qid) or {})["claims"]["P2534"][0]["id"]
    assert "error" not in sandbox.act("PlainUser", action="wbremoveclaims", claim=guid)


def wrote(path: Path, *qids: str, undo_state: str = "") -> None:
    """Put edits into the ledger: the formulas of these items are ours."""
    with Workspace.open(path) as workspace, workspace.engine.begin() as db:
        for qid in qids:
            sent = payload.claim(f"{qid}$A", "P2534", "a=b", ())
            row = {"proposal": qid, "hash": "h", "decision": 1, "reviewer": "Ada", "qid": qid, "payload": sent}
            row |= {"guid": f"{qid}$A", "outcome": "written", "revision": 6, "undo_state": undo_state, "group": "g"}
            db.execute(store.edits.insert().values(**row, time="2026-01-01T00:00:00Z"))


# -- read anew


@pytest.mark.parametrize("audited", ["unreferenced", "several_equations", "shared_formula", "invalid"])
def test_what_was_mended_since_is_not_found_again(path, sandbox, audited):
    tex = {
        "unreferenced": "",
        "several_equations": "x=a+b,\\quad y=a-b",
        "shared_formula": "a_{1}=b",
        "invalid": "\\ce{x}",
    }
    if tex[audited]:
        value = {
            "mainsnak": payload.snak("P2534", "math", tex[audited]),
            "type": "statement",
            "id": f"Q2${uuid.uuid4()}",
        }
        entity = sandbox.entity("Q2")
        sandbox.load_entities({"Q2": {**entity, "claims": {"P2534": [{**value, "rank": "normal"}]}}})

    def found() -> int:
        return sum(f["severity"] in ("warning", "error") for f in audit(path, audited)[1][audited])

    before = found()
    assert before
    mend(sandbox, "Q2") if audited == "unreferenced" else remove(sandbox, "Q2")
    assert found() == before - 1


def test_the_wikis_own_verdicts_are_asked_anew(path, sandbox, monkeypatch):
    asked = []
    parse = Client._parse
    monkeypatch.setattr(Client, "_parse", lambda self, values: asked.append(len(values)) or parse(self, values))
    audit(path, "refused")
    audit(path, "refused")
    assert asked == [20, 20]


def test_a_wiki_that_has_stopped_since_could_not_be_asked(path, sandbox):
    assert audit(path)[0] == 1
    sandbox.close()
    code, found = audit(path)
    assert code == 2
    for name_ in ("unreferenced", "shared_formula", "several_equations", "invalid"):
        assert "could not tell" in unknown(found, name_)
    assert unknown(found, "ledger") == ""
    assert any("0 edits" in f["what"] for f in found["ledger"])


# -- complete, or could not tell


def test_an_empty_listing_is_not_clean_even_the_first_time(path, sandbox, monkeypatch):
    monkeypatch.setattr(sandbox.graph, "query", lambda query: EMPTY)
    code, found = audit(path, "unreferenced", "invalid")
    assert code == 2
    assert "--accept-drop" in unknown(found, "invalid")


def test_a_wiki_without_formulas_is_clean_once_the_operator_has_said_so(tmp_path, path):
    with Sandbox() as bare:
        bare.fill([{"qid": "Q1", "label": "no formula"}])
        name(path, bare)
        assert audit(path, "invalid")[0] == 2
        assert audit(path, "invalid", accept_drop=True)[0] == 0
        assert audit(path, "invalid")[0] == 0


def test_a_listing_that_lacks_what_the_last_audit_found_could_not_tell(path, sandbox, monkeypatch):
    audit(path, "invalid")
    whole = sandbox.graph.query

    def partial(query: str) -> tuple[str, bytes]:
        kind, body = whole(query)
        told = json.loads(body)
        rows = told["results"]["bindings"]
        told["results"]["bindings"] = [r for r in rows if int(r["item"]["value"].rpartition("Q")[2]) <= 15]
        return kind, json.dumps(told).encode()

    monkeypatch.setattr(sandbox.graph, "query", partial)
    code, found = audit(path, "invalid")
    assert (code, "lacks 5 of 20 items" in unknown(found, "invalid")) == (2, True)
    assert audit(path, "invalid")[0] == 2  # and it does not get used to that
    monkeypatch.undo()
    name(path, sandbox)
    assert audit(path, "invalid")[0] == 0


def test_a_listing_that_lacks_what_we_wrote_could_not_tell(path, sandbox, monkeypatch):
    wrote(path, "Q7")
    monkeypatch.setattr(sandbox.graph, "query", lambda query: EMPTY)
    code, found = audit(path, "unreferenced")
    assert (code, "Q7" in unknown(found, "unreferenced")) == (2, True)


def test_a_few_statements_that_people_deleted_are_no_fault_of_the_listing(path, sandbox):
    assert audit(path, "invalid")[0] == 0
    for qid in ("Q1", "Q2", "Q3"):
        remove(sandbox, qid)
    assert audit(path, "invalid")[0] == 0


def test_many_deleted_at_once_have_to_be_accepted_by_the_operator(path, sandbox):
    audit(path, "invalid")
    for n in range(1, 10):
        remove(sandbox, f"Q{n}")
    code, found = audit(path, "invalid")
    assert (code, "9 of 20 items" in unknown(found, "invalid")) == (2, True)
    assert audit(path, "invalid", accept_drop=True)[0] == 0
    assert audit(path, "invalid")[0] == 0


def test_what_others_removed_of_ours_is_missed_once(path, sandbox):
    wrote(path, *(f"Q{n}" for n in range(1, 10)))
    audit(path, "invalid")
    for n in range(1, 4):  # as many as people may remove between two audits
        remove(sandbox, f"Q{n}")
    assert audit(path, "invalid")[0] == 0
    for n in range(4, 7):
        remove(sandbox, f"Q{n}")
    assert audit(path, "invalid")[0] == 0
    for n in range(7, 20):
        remove(sandbox, f"Q{n}")
    assert "13 of 14 items" in unknown(audit(path, "invalid")[1], "invalid")
    assert audit(path, "invalid", accept_drop=True)[0] == 0
    assert audit(path, "invalid")[0] == 0


def test_what_we_took_back_ourselves_is_not_missed(path, sandbox):
    audit(path, "invalid")
    qids = [f"Q{n}" for n in range(1, 10)]
    for qid in qids:
        remove(sandbox, qid)
    wrote(path, *qids, undo_state="undone")
    assert audit(path, "invalid")[0] == 0


def test_items_without_their_formulas_could_not_tell(path, sandbox, monkeypatch):
    fetch = Client._fetch
    monkeypatch.setattr(Client, "_fetch", lambda self, *a: {q: {**e, "claims": {}} for q, e in fetch(self, *a).items()})
    assert audit(path, "invalid")[0] == 2


def test_none_of_the_items_we_wrote_to_being_there_is_another_wiki(path, sandbox):
    wrote(path, "Q101", "Q102")
    code, found = audit(path, "seeded", "survival")
    assert code == 2
    assert "none of the 2 items" in unknown(found, "seeded")
    assert "none of the 2 items" in unknown(found, "survival")
    assert audit(path, "seeded", accept_drop=True)[0] == 1


def test_a_ledger_that_has_lost_rows_could_not_tell(path):
    wrote(path, "Q1", "Q2")
    audit(path, "ledger")
    with Workspace.open(path) as workspace, workspace.engine.begin() as db:
        db.execute(sa.delete(store.edits).where(store.edits.c.qid == "Q2"))
    code, found = audit(path, "ledger")
    assert (code, "2 edits then, 1 now" in unknown(found, "ledger")) == (2, True)


# -- what we took back


def test_survival_says_what_we_took_back_and_does_not_count_it(bench):
    for n in range(1, 23):
        ours = {**payload.claim(f"Q{n}$A", "P2534", f"x=y_{n}", (SOURCE,))}
        bench.edit(f"Q{n}", ours, undo_state="undone" if n == 22 else "")
        bench.wiki.put(f"Q{n}", *([] if n == 22 else [ours]))
    said = bench.audit("survival")[0]
    assert (
        said.what
        == "of 22 edits at least 1 day old, 1 we took back ourselves; of the other 21, 21 are there still (100%)"
    )


def test_survival_of_nothing_but_what_we_took_back(bench):
    bench.edit("Q1", payload.claim("Q1$A", "P2534", "x=y", ()), undo_state="undone")
    assert bench.audit("survival")[0].what == "of 1 edit at least 1 day old, 1 we took back ourselves"


# -- each on its own


@pytest.mark.parametrize("prefix", ["http://wiki.example/entity/", "http://wiki.example/"])
def test_a_wrong_entity_prefix_is_named_and_the_ledger_is_audited(path, sandbox, prefix):
    name(path, sandbox, entity_prefix=prefix)
    code, found = audit(path)
    assert code == 2
    assert "wiki.entity_prefix" in unknown(found, "invalid")
    assert unknown(found, "ledger") == ""


def test_a_wrong_entity_prefix_is_named_by_match_too(path, sandbox):
    name(path, sandbox, entity_prefix="http://wiki.example/entity/")
    said: CommandResult = call("match", "-w", path)
    assert said.code == 2
    assert "wiki.entity_prefix is http://wiki.example/entity/" in said.err
    assert sandbox.wiki.entity_prefix in said.err


def test_an_audit_that_fails_of_itself_leaves_the_others_standing(path, monkeypatch):
    def broken(survey: object) -> Iterator[Any]:
        raise ZeroDivisionError("odd data")

    monkeypatch.setitem(run.AUDITS, "invalid", run.Audit(broken))
    code, found = audit(path)
    assert code == 2
    assert "ZeroDivisionError" in unknown(found, "invalid")
    assert any(f["severity"] == "warning" for f in found["unreferenced"])


def test_a_rehearsal_wiki_that_is_gone_leaves_the_ledger(path):
    with Workspace.open(path) as workspace:
        workspace.put("world", {"kind": "sandbox", "digest": "x"})
    code, found = audit(path)
    assert (code, unknown(found, "ledger")) == (2, "")
    assert "sandbox.db" in unknown(found, "invalid")
