"""The queue as a table that can be sorted and filtered quickly: made from proposals, decisions and edits, and followed.

Nothing here is the truth: a word is checked against the proposal and the decisions themselves when it is recorded.
"""

from __future__ import annotations

import contextlib
import math
import re
import threading
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from bot import store
from bot.records import digest
from bot.review.decide import binding, decision_of, holds, people_in_role, refusals
from bot.review.rules import Rules, load_rules
from bot.store import Workspace

PART = 400  # ids in one statement
BACK = 200  # decisions that are looked at again
LOOK = 15.0  # seconds between two looks for proposals that another run has changed
Row = dict[str, Any]


class Index:
    """Follows the workspace. `refresh` is cheap while nothing has happened; `clock` is for tests."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self._lock = threading.Lock()
        self._looking = threading.Lock()
        self._said: tuple[int, ...] = ()
        self._edited: tuple[int, ...] = ()
        self._looked = -math.inf
        self._rules: Rules | None = None
        self._known: set[int] = set()  # numbers of decisions that are in the queue already

    def refresh(self, *, now: bool = False) -> None:
        """Bring the queue up to date with what was decided and written; what was proposed follows in the background."""
        if now:
            self._look()
        elif time.monotonic() - self._looked > LOOK:
            self._looked = time.monotonic()
            threading.Thread(target=self._look, daemon=True).start()
        with self._lock:
            self._follow_words()

    def _look(self) -> None:
        with self._looking:
            self._looked = time.monotonic()
            with contextlib.suppress(sa.exc.OperationalError):  # busy or gone: the next look finds it
                self._follow_proposals()

    def update(self, ids: Collection[str]) -> None:
        """Work out the state of these proposals again."""
        rules = load_rules(self.workspace)
        operators = people_in_role(self.workspace, "operator")
        for part in _parts(sorted(ids)):
            self._update(part, rules, operators)

    # -- decisions and edits ------------------------------------------------------------------------------------------
    def _follow_words(self) -> None:
        decisions, edits = store.decisions.c, store.edits.c
        with self.workspace.engine.connect() as db:
            said = tuple(
                db.execute(sa.select(sa.func.count(decisions.n), sa.func.coalesce(sa.func.max(decisions.n), 0))).one()
            )
            undone = sa.func.coalesce(sa.func.sum(sa.case((edits.undo != "", 1), else_=0)), 0)
            open_ = sa.func.coalesce(sa.func.sum(sa.case((edits.outcome == "pending", 1), else_=0)), 0)
            edited = tuple(int(v) for v in db.execute(sa.select(sa.func.count(edits.n), undone, open_)).one())
            rules = load_rules(self.workspace)
            changed: set[str] = set()
            if said != self._said or rules != self._rules:
                # A word with a lower number may be committed after one with a higher: look back a little.
                after = max(0, self._said[1] - BACK) if self._said and rules == self._rules else 0
                new = db.execute(sa.select(decisions.n, decisions.proposal).where(decisions.n > after)).all()
                changed |= {row.proposal for row in new if row.n not in self._known or rules != self._rules}
            if edited != self._edited:
                changed |= set(db.scalars(sa.select(edits.proposal).distinct()))
        if changed:
            self.update(changed)
        self._known = {n for n in self._known if n > said[1] - BACK}
        self._said, self._edited, self._rules = said, edited, rules

    def _update(self, ids: Sequence[str], rules: Rules, operators: frozenset[str]) -> None:
        queue, decisions = store.queue, store.decisions
        rows = self.workspace.rows(sa.select(queue.c.id, queue.c.hash, queue.c.kind).where(queue.c.id.in_(ids)))
        said: dict[str, list[Row]] = defaultdict(list)
        for row in self.workspace.rows(
            sa.select(decisions).where(decisions.c.proposal.in_(ids)).order_by(decisions.c.n)
        ):
            said[row["proposal"]].append(row)
        self._known |= {row["n"] for each in said.values() for row in each}
        written = self._written(ids)
        spent = refusals(self.workspace) if any(said.values()) else {}
        with self.workspace.engine.begin() as db:
            for row in rows:
                made = standing_of(row, said[row["id"]], row["id"] in written, spent, rules, operators)
                # A word that came between leaves its own number, and the next look finds it.
                db.execute(queue.update().where(queue.c.id == row["id"], queue.c.words <= made["words"]).values(**made))

    def _written(self, ids: Sequence[str]) -> set[str]:
        edits = store.edits.c
        query = sa.select(edits.proposal).where(
            edits.outcome.in_(("written", "already_there")), edits.proposal.in_(ids)
        )
        return {row["proposal"] for row in self.workspace.rows(query.where(~edits.undo.startswith("undone")))}

    # -- proposals ----------------------------------------------------------------------------------------------------
    def _follow_proposals(self) -> None:
        proposals, queue, known = store.proposals.c, store.queue, store.queue.c
        joined = store.proposals.outerjoin(queue, proposals.id == known.id)
        differs = sa.or_(
            known.id.is_(None),
            known.hash != proposals.hash,
            known.expires != proposals.expires,
            sa.func.abs(known.probability - proposals.probability) > 1e-9,
        )
        with self.workspace.engine.connect() as db:
            new = list(db.scalars(sa.select(proposals.id).select_from(joined).where(differs)))
            gone_query = sa.select(known.id).select_from(queue.outerjoin(store.proposals, proposals.id == known.id))
            gone = list(db.scalars(gone_query.where(proposals.id.is_(None))))
        for part in _parts(gone):
            self._forget(part)
        labels = self._labels() if new else {}
        frequencies = self._frequencies() if new else {}
        corpora = self._corpora() if new else {}
        for part in _parts(new):
            self._add(part, labels, frequencies, corpora)
        decided = self._decided(new) if new else set()
        if decided:
            self.update(decided)

    def _add(
        self,
        ids: Sequence[str],
        labels: Mapping[str, tuple[str, tuple[str, ...]]],
        frequencies: Mapping[str, int],
        corpora: Mapping[str, str],
    ) -> None:
        table = store.proposals
        records = self.workspace.rows(sa.select(table.c.record).where(table.c.id.in_(ids)))
        rows = [queue_row(r["record"], labels, frequencies) for r in records]
        tags = [
            {"tag": tag, "proposal": r["record"]["id"]}
            for r in records
            for tag in tags_of(r["record"], labels, corpora)
        ]
        with self.workspace.engine.begin() as db:
            _delete(db, ids)
            db.execute(store.queue.insert(), rows)
            if tags:
                db.execute(store.queue_tags.insert(), tags)

    def _forget(self, ids: Sequence[str]) -> None:
        with self.workspace.engine.begin() as db:
            _delete(db, ids)

    def _decided(self, ids: Iterable[str]) -> set[str]:
        decisions, edits = store.decisions.c, store.edits.c
        with self.workspace.engine.connect() as db:
            touched = set(db.scalars(sa.select(decisions.proposal).distinct())) | set(
                db.scalars(sa.select(edits.proposal).distinct())
            )
        return touched & set(ids)

    def _labels(self) -> dict[str, tuple[str, tuple[str, ...]]]:
        rows = self.workspace.rows(sa.select(store.items.c.qid, store.items.c.record))
        return {r["qid"]: (r["record"].get("label") or "", tuple(r["record"].get("classes") or ())) for r in rows}

    def _frequencies(self) -> dict[str, int]:
        return {
            r["key"]: r["occurrences"]
            for r in self.workspace.rows(sa.select(store.concepts.c.key, store.concepts.c.occurrences))
        }

    def _corpora(self) -> dict[str, str]:
        return {
            r["id"]: r["source"] or ""
            for r in self.workspace.rows(sa.select(store.documents.c.id, store.documents.c.source))
        }


def standing_of(
    row: Mapping[str, Any],
    said: Sequence[Row],
    written: bool,
    spent: Mapping[int, str],
    rules: Rules,
    operators: frozenset[str],
) -> Row:
    """Return state, turn, first, reviewer and words of a proposal from all words on it, oldest first."""
    words = [each for each in said if each["verdict"] != "skip"]
    last = words[-1] if words else None
    bound = binding(words, rules, operators)
    if bound is not None and (bound["n"] in spent or not holds(decision_of(bound), row["hash"])):
        bound = last = None
    state, first = _state(row["kind"], bound, last, row["hash"], written), ""
    here = [w for w in words if w["hash"] == row["hash"] and w["verdict"] in ("approve", "reject")]
    people = {w["reviewer"] for w in here}
    if state == "second" or (
        state in ("approved", "rejected") and len(people) == 1 and in_sample(row["id"], rules.blind)
    ):
        first = here[-1]["reviewer"] if here else ""
    return {
        "state": state,
        "first": first,
        "turn": int(state in ("open", "disputed") or bool(first)),
        "reviewer": last["reviewer"] if last else "",
        "words": len(words),
    }


def _state(
    kind: str, bound: Mapping[str, Any] | None, last: Mapping[str, Any] | None, hash_: str, written: bool
) -> str:
    if written:
        return "written"
    if bound is not None and bound["verdict"] in ("approve", "reject", "unsure"):
        return {"approve": "approved", "reject": "rejected", "unsure": "unsure"}[bound["verdict"]]
    if bound is None and last is not None and last["hash"] == hash_ and last["verdict"] == "approve" and kind != "flag":
        return "second"
    if bound is None and last is not None and last["hash"] == hash_ and last["verdict"] == "reject":
        return "disputed"
    return "flagged" if kind == "flag" else "open"


def in_sample(proposal: str, share: float) -> bool:
    """Say whether a proposal belongs to the sample of this share; the same everywhere and always."""
    return share > 0 and int(digest("blind", proposal, length=8), 16) / 0x1_0000_0000 < share


def queue_row(
    record: Mapping[str, Any], labels: Mapping[str, tuple[str, tuple[str, ...]]], frequencies: Mapping[str, int]
) -> Row:
    """Return the row of a proposal on which nobody has said a word."""
    p, seen = float(record["probability"]), frequencies.get(record["concept"], 0)
    return {
        "id": record["id"],
        "hash": record["hash"],
        "kind": record["kind"],
        "qid": record["qid"],
        "number": int(record["qid"][1:]),
        "label": labels.get(record["qid"], ("", ()))[0][:250],
        "tex": record["tex"],
        "probability": p,
        "frequency": seen,
        "learn": learning(p, seen),
        "expires": record["expires"],
        "green": int(record["kind"] != "flag" and all(c["state"] == "ok" for c in record["checks"])),
        "state": "flagged" if record["kind"] == "flag" else "open",
        "turn": int(record["kind"] != "flag"),
        "first": "",
        "reviewer": "",
        "words": 0,
        "lease": "",
        "until": "",
    }


def learning(probability: float, frequency: int) -> float:
    """Return how much a word on a proposal tells: the doubt in bits, more where the formula is written more often."""
    p = min(max(probability, 1e-6), 1 - 1e-6)
    doubt = -p * math.log2(p) - (1 - p) * math.log2(1 - p)
    return doubt * (1 + math.log10(1 + frequency))


def tags_of(
    record: Mapping[str, Any], labels: Mapping[str, tuple[str, tuple[str, ...]]], corpora: Mapping[str, str]
) -> list[str]:
    """Return what a proposal can be filtered by: corpora, classes of its item, checks that have something to say."""
    found = {f"corpus:{corpora[q['document']]}" for q in record["quotes"] if corpora.get(q["document"])}
    found |= {f"word:{word}" for word in words_of(labels.get(record["qid"], ("", ()))[0])}
    found |= {f"class:{qid}" for qid in labels.get(record["qid"], ("", ()))[1]}
    found |= {f"check:{c['name']}" for c in record["checks"] if c["state"] in ("warn", "fail")}
    return sorted({tag.casefold(): tag[:190] for tag in found}.values())


def words_of(label: str) -> list[str]:
    """Return the words by which an item is found, folded."""
    return [word[:60] for word in re.findall(r"\w+", label.casefold())][:20]


def _delete(db: sa.Connection, ids: Sequence[str]) -> None:
    db.execute(store.queue.delete().where(store.queue.c.id.in_(ids)))
    db.execute(store.queue_tags.delete().where(store.queue_tags.c.proposal.in_(ids)))


def _parts(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(ids), PART):
        yield ids[start : start + PART]
