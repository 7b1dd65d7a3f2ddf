"""A wiki in memory with the client's reading methods, and a workspace with a ledger."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pyoxigraph
import pytest

from bot import store
from bot.audit import run_audits
from bot.errors import LookupFailed
from bot.lookup import Client, MathVerdict
from bot.lookup.entities import PageRevision, to_item
from bot.messages import uncoded_message
from bot.records import Finding, Item, Reference
from bot.sandbox.graph import Vocabulary, triples
from bot.sandbox.repository import StoredEntity
from bot.settings import Properties, Settings, Wiki
from bot.store import Workspace
from bot.write import payload

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
SOURCE = Reference((("P248", "wikibase-item", "Q5"), ("P813", "time", "+2026-11-01T00:00:00Z")))


def claim(qid: str, tex: str, *references: Reference, guid: str = "", **changes: Any) -> dict[str, Any]:
    """A statement as the wiki would hold it."""
    return {**payload.claim(guid or f"{qid}$A", "P2534", tex, references), **changes}


def _stored(entity: dict[str, Any]) -> Any:
    """An entity with all that the wiki's RDF is made of."""
    whole: dict[str, Any] = {
        "type": "item",
        "descriptions": {},
        "aliases": {},
        "sitelinks": {},
        **copy.deepcopy(entity),
    }
    for one in (s for group in whole["claims"].values() for s in group):
        one.setdefault("rank", "normal")
        for n, reference in enumerate(one.get("references", ())):
            reference.setdefault("hash", f"{one['id']}{n}".replace("$", "-"))
        snaks = [one["mainsnak"], *(s for r in one.get("references", ()) for g in r["snaks"].values() for s in g)]
        for snak in snaks:
            snak.setdefault("datatype", DATATYPES.get(snak["property"], "wikibase-item"))
    return whole


DATATYPES = {"P2534": "math", "P854": "url", "P813": "time"}
Row = dict[str, str]


class MemoryWiki:
    """What the audits ask of a client, answered from entity JSON; `down` makes every answer fail."""

    def __init__(self) -> None:
        self.wiki = Wiki(name="memory", page_prefix="https://wiki.example/wiki/", sandbox=True)
        self.languages = ("en", "mul")
        self.entities_json: dict[str, dict[str, Any]] = {}
        self.refuses: dict[str, str] = {}
        self.down = False
        self.asked: list[str] = []

    def put(self, qid: str, *claims: dict[str, Any], label: str = "", **changes: Any) -> None:
        labels = {"en": {"language": "en", "value": label or f"label of {qid}"}}
        self.entities_json[qid] = {
            "id": qid,
            "lastrevid": 7,
            "labels": labels,
            "claims": {"P2534": list(claims)},
            **changes,
        }

    def raw_entities(self, ids: Iterable[str]) -> dict[str, dict[str, Any]]:
        self._answer("raw_entities")
        return {qid: self.entities_json.get(qid, {"id": qid, "missing": ""}) for qid in ids}

    def entities(self, ids: Iterable[str], *, fresh: bool = False, more: Sequence[str] = ()) -> dict[str, Item]:
        raw = self.raw_entities(ids)
        return {qid: to_item(qid, entity, Properties(), self.languages, more) for qid, entity in raw.items()}

    def history(self, qid: str, after: int) -> list[PageRevision]:
        return []

    def items_with_formulas(self, *, fresh: bool = False, more: Sequence[str] = ()) -> dict[str, Item]:
        self._answer("formula_items")
        return self.entities(self.entities_json, more=more)

    def newest_revision(self) -> int:
        return 7

    def rows(self, text: str, *, fresh: bool = False, columns: Sequence[str] = (), service: str = "") -> list[Row]:
        self._answer("rows")
        graph = pyoxigraph.Store()
        iri = Vocabulary(self.wiki.entity_prefix)
        for qid, entity in self.entities_json.items():
            if qid == entity["id"]:
                for triple in triples(StoredEntity(_stored(entity), 1, 7, "2026-11-20T00:00:00Z"), iri):
                    graph.add(pyoxigraph.Quad(*triple))
        found: Any = graph.query(text)
        named = [v.value for v in found.variables]
        short = self.wiki.entity_prefix
        return [{c: row[c].value.removeprefix(short) if row[c] is not None else "" for c in named} for row in found]

    read_pages, select_pages = Client.read_pages, Client.select_pages

    def classes_of(self, qids: Iterable[str]) -> dict[str, tuple[str, ...]]:
        return {qid: () for qid in qids}

    def labels_of(self, qids: Iterable[str]) -> dict[str, str]:
        return {qid: f"label of {qid}" for qid in qids}

    def parse_math(self, values: Iterable[str], *, fresh: bool = False) -> list[MathVerdict]:
        self._answer("parse_math")
        return [MathVerdict(v, v not in self.refuses, self.refuses.get(v, "")) for v in values]

    def _answer(self, what: str) -> None:
        self.asked.append(what)
        if self.down:
            raise LookupFailed(
                uncoded_message("cannot be reached (connection refused)"), where="http://wiki.example", todo="run again"
            )


class Bench:
    """A workspace, a wiki and a way to audit them."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.wiki = workspace, MemoryWiki()

    def edit(self, qid: str, sent: dict[str, Any], *, guid: str = "", days: float = 2, **values: Any) -> None:
        """Put a row into the ledger, with the decision that allows it."""
        time = (NOW - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")
        with self.workspace.engine.begin() as db:
            decision = {"proposal": "p", "hash": "h", "verdict": "approve", "reviewer": "Ada", "time": time}
            n = db.execute(store.decisions.insert().values(**decision)).inserted_primary_key[0]
            if not db.execute(store.reviewers.select()).first():
                db.execute(store.reviewers.insert().values(name="Ada", role="reviewer", added=time))
            row = {
                "proposal": "p",
                "hash": "h",
                "decision": n,
                "reviewer": "Ada",
                "qid": qid,
                "payload": sent,
                "time": time,
            }
            row |= {
                "guid": guid or sent.get("id", f"{qid}$A"),
                "outcome": "written",
                "revision": 6,
                "undo": "",
                "group": "g",
            }
            db.execute(store.edits.insert().values(**row | values))

    def audit(self, *names: str) -> list[Finding]:
        return run_audits(self.workspace, self.wiki, Settings(), names, now=NOW)  # type: ignore[arg-type]

    def about(self, name: str) -> list[Finding]:
        """The findings of one audit, without its closing line."""
        return [f for f in self.audit(name) if f.item or f.severity not in ("info",)]


@pytest.fixture
def bench(workspace: Workspace) -> Bench:
    return Bench(workspace)
