"""What tests of writing share: approved proposals, edits of other people, a direct line, a virtual clock."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import sqlalchemy as sa
from forked import PROCESSES

from bot import store
from bot.propose.build import content_hash, proposal_id, recomputed_hash
from bot.records import Decision, Proposal, Quote, Reference, as_json, digest
from bot.review import add_reviewer, decide
from bot.sandbox import Sandbox
from bot.settings import Settings, Wiki
from bot.store import Workspace
from bot.write.session import _innermost
from bot.write.undo import EditSelection, Undoer, UndoneEdit
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import AccountStatus, Entity, Revision, WikiRefusal

SETTINGS = Settings()
REFERENCE = Reference((("P854", "url", "https://example.org/a"), ("P813", "time", "+2026-11-20T00:00:00Z")))
SENTENCE = Quote("lectures/1", 3, "The momentum is ⟦3⟧.", name="momentum", formulas=((3, "p=mv"),))


def put(
    workspace: Workspace,
    qid: str,
    tex: str,
    *,
    kind: Any = "new_claim",
    statement: str = "",
    sources: tuple[Reference, ...] = (REFERENCE,),
) -> Proposal:
    """Store a proposal as `propose` would."""
    id_ = proposal_id(qid, "P2534", tex)
    hash_ = content_hash(kind, qid, "P2534", tex, sources, statement)
    made = Proposal(
        id_, kind, qid, "P2534", tex, sources, (), (), 0.9, 1, hash_, "2999-01-01", statement, quotes=(SENTENCE,)
    )
    names = ("id", "kind", "qid", "probability", "hash", "expires")
    with workspace.engine.begin() as db:
        row = {name: getattr(made, name) for name in names}
        db.execute(store.proposals.delete().where(store.proposals.c.id == id_))
        db.execute(store.proposals.insert().values(**row, record=as_json(made), created="2026-11-20T00:00:00Z"))
    return made


def put_symbol(
    workspace: Workspace, symbol: str, qid: str, formula: str = "p=mv", *, item: str = "Q41273", **values: Any
) -> Proposal:
    """Store what a symbol represents as `propose` would."""
    represents = (("P9758", "wikibase-item", qid),)
    made = Proposal(digest("symbol", item, symbol), "symbol", item, "P7235", symbol, (REFERENCE,), (), (), 0.95, 1, "", "2999-01-01", qualifiers=represents, formula=formula)  # fmt: skip
    made = Proposal(**{**{name: getattr(made, name) for name in made.__slots__ if name != "flag"}, **values})
    object.__setattr__(made, "hash", recomputed_hash(made))
    names = ("id", "kind", "qid", "probability", "hash", "expires")
    with workspace.engine.begin() as db:
        row = {name: getattr(made, name) for name in names}
        db.execute(store.proposals.insert().values(**row, record=as_json(made), created="2026-11-20"))
    return made


def approve(workspace: Workspace, made: Proposal, **values: Any) -> None:
    add_reviewer(workspace, "Ada")
    decide(workspace, Decision(made.id, made.hash, "approve", reviewer="Ada", **values))


def rows(count: int) -> list[dict[str, Any]]:
    """Return rows of an items file; every odd item has a formula that wants a source."""
    return [
        {"qid": f"Q{1000 + n}", "label": f"item {n}", "formulas": [f"a_{{{n}}}=b^2"] if n % 2 else []}
        for n in range(count)
    ]


def approve_all(workspace: Workspace, sandbox: Sandbox, count: int) -> None:
    """Approve one proposal for each of `rows(count)`: new claims and sources by turns."""
    add_reviewer(workspace, "Ada")
    for n in range(count):
        qid, tex = f"Q{1000 + n}", f"a_{{{n}}}=b^2"
        if n % 2:
            made = put(workspace, qid, tex, kind="add_reference", statement=claims(sandbox, qid)[0]["id"])
        else:
            made = put(workspace, qid, tex)
        decide(workspace, Decision(made.id, made.hash, "approve", reviewer="Ada"))


def claims(sandbox: Sandbox, qid: str) -> list[dict[str, Any]]:
    entity = sandbox.entity(qid)
    assert entity is not None
    found: list[dict[str, Any]] = entity["claims"].get("P2534", [])
    return found


def formulas(sandbox: Sandbox, qid: str) -> list[str]:
    return [s["mainsnak"]["datavalue"]["value"] for s in claims(sandbox, qid)]


# Other people's hands


def by_hand(sandbox: Sandbox, **parameters: object) -> dict[str, Any]:
    done = sandbox.act("PlainUser", **parameters)
    assert "error" not in done, done
    return done


def adds(sandbox: Sandbox, qid: str, tex: str) -> str:
    done = by_hand(
        sandbox, action="wbcreateclaim", entity=qid, property="P2534", snaktype="value", value=json.dumps(tex)
    )
    return str(done["claim"]["id"])


def changes(sandbox: Sandbox, guid: str, tex: str) -> None:
    by_hand(sandbox, action="wbsetclaimvalue", claim=guid, snaktype="value", value=json.dumps(tex))


def removes(sandbox: Sandbox, guid: str) -> None:
    by_hand(sandbox, action="wbremoveclaims", claim=guid)


def removes_sources(sandbox: Sandbox, statement: dict[str, Any]) -> None:
    hashes = "|".join(reference["hash"] for reference in statement["references"])
    by_hand(sandbox, action="wbremovereferences", statement=statement["id"], references=hashes)


def labels(sandbox: Sandbox, qid: str, text: str) -> None:
    data = {"labels": {"de": {"language": "de", "value": text}}}
    by_hand(sandbox, action="wbeditentity", id=qid, data=data)


class Time:
    """A clock that only sleeping moves."""

    def __init__(self, on_sleep: Callable[[float], None] = lambda slept: None) -> None:
        self.now, self.slept = 1_000.0, 0.0
        self.on_sleep = on_sleep

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds
        self.slept += seconds
        self.on_sleep(self.slept)


def policy(workspace: Workspace, sandbox: Sandbox, time: Time, settings: Settings = SETTINGS) -> WikiPolicy:
    """Return policy that sleep in virtual time."""
    return WikiPolicy(workspace, settings, sandbox.wiki, workspace.path / "pywikibot", monotonic=time, sleep=time.sleep)


def undo(
    workspace: Workspace, wiki: Wiki, settings: Settings, session: Any = None, policy: Any = None, **choice: Any
) -> list[UndoneEdit]:
    """Plan the undo of a group, an edit or an item, and carry it out."""
    undoer = Undoer(workspace, wiki, settings, session=session, policy=policy)
    return undoer.apply(undoer.plan(EditSelection(**choice)))


class Direct:
    """A session that calls the rehearsal wiki past HTTP and pywikibot; `before(call)` runs before each request."""

    def __init__(self, sandbox: Sandbox, before: Callable[[str], None] = lambda call: None) -> None:
        self.sandbox, self.before = sandbox, before

    def entity(self, qid: str) -> Entity:
        found: Entity = self._ask("entity", action="wbgetentities", ids=qid, redirects="no")["entities"][qid]
        if "missing" in found:
            raise WikiRefusal("no-such-entity", qid)
        return found

    def entity_at(self, revision: int) -> Entity:
        row = self.sandbox.site.db.revision(revision)
        if row is None:
            raise WikiRefusal("lost", f"no revision {revision}")
        return {**json.loads(row["text"]), "lastrevid": revision}

    def history(self, qid: str, since: int) -> list[Revision]:
        found = self.sandbox.history(qid)
        return [Revision(r["id"], r["parent"], r["user"], r["comment"]) for r in found if r["id"] > since]

    def add_claim(self, qid: str, payload: Entity, summary: str, base: int) -> int:
        return self._edit("add", action="wbsetclaim", claim=payload, summary=summary, baserevid=base or None)

    def add_claims(self, qid: str, payloads: Sequence[Entity], summary: str, base: int) -> int:
        data = json.dumps({"claims": list(payloads)})
        return self._edit("add", action="wbeditentity", id=qid, data=data, summary=summary, baserevid=base or None)

    def add_reference(self, qid: str, statement: str, reference: Entity, summary: str) -> int:
        snaks = {"snaks": reference["snaks"], "snaks-order": reference["snaks-order"]}
        return self._edit("add", action="wbsetreference", statement=statement, summary=summary, **snaks)

    def remove_claim(self, qid: str, statement: str, summary: str, base: int) -> int:
        return self._edit("remove", action="wbremoveclaims", claim=statement, summary=summary, baserevid=base or None)

    def remove_reference(self, qid: str, statement: str, reference_hash: str, summary: str) -> int:
        given = {"statement": statement, "references": reference_hash}
        return self._edit("remove", action="wbremovereferences", summary=summary, **given)

    def account_status(self, pages: tuple[str, ...]) -> AccountStatus:
        return AccountStatus(pages=dict.fromkeys(pages, ""))

    def log_in(self) -> None:
        pass

    def _edit(self, call: str, **parameters: Any) -> int:
        given = {name: value for name, value in parameters.items() if value is not None}
        answer = self._ask(call, **given, bot=1)
        return int((answer.get("pageinfo") or answer.get("entity") or {}).get("lastrevid", 0))

    def _ask(self, call: str, **parameters: Any) -> Any:
        self.before(call)
        answer = self.sandbox.act("WikiBot", **parameters)
        if error := answer.get("error"):
            raise WikiRefusal(*_innermost(error["code"], error["info"], error.get("messages")))
        return answer


class Looks:
    """What `make_plan` needs of a client, past HTTP."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    def raw_entities(self, ids: Iterable[str]) -> dict[str, Entity]:
        wanted = list(ids)
        if not wanted:
            return {}
        answer = self.sandbox.act("WikiBot", action="wbgetentities", ids="|".join(wanted))
        found: dict[str, Entity] = answer["entities"]
        return {qid: found.get(qid) or next(e for e in found.values() if e["id"] != qid) for qid in wanted}


def in_a_process(target: Callable[..., None], *args: object, timeout: float = 90) -> int:
    """Run a function in a process of its own; return its exit code (-9: killed)."""
    process = PROCESSES.Process(target=target, args=args)
    process.start()
    process.join(timeout)
    code = process.exitcode
    process.kill() if code is None else None
    assert code is not None, "it hangs"
    return code


def no_row_is_open(workspace: Workspace) -> bool:
    query = sa.select(store.edits.c.n).where(store.edits.c.outcome == "pending")
    return not workspace.rows(query)
