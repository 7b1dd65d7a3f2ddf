"""The states of the claims and references we wrote: the ledger compared with the current entity JSON, stored in the workspace.

The audit `seeded` finds and stores the state of each edit, who caused it, and how many survived for how long; `survival` reads it without asking the wiki.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from bot import store
from bot.audit.query_answers import statement_guid
from bot.audit.survey import WikiSurvey, closing_finding, make_finding
from bot.errors import BotError, LookupFailed
from bot.formula import compare
from bot.lookup import Client
from bot.lookup.entities import PageRevision, snak_value
from bot.messages import Message
from bot.propose.diff import SAME_FORMULA
from bot.records import Edit, EditOutcome, Finding, Item, Severity
from bot.store import Workspace
from bot.wikibase import Json
from bot.write import item_state

AGES = (1, 7, 30)  # days
SURVIVED = ("present", "amended", "merged")
_NO_REVISION = PageRevision(0, "", "")
_states = store.edit_states
GOOD_SHARE = 0.9  # chosen: this share of our edits should survive; with less the community disagrees with us
SEVERITIES: dict[str, Severity] = {
    "present": "info", "amended": "info", "merged": "warning", "deprecated": "warning", "changed": "error",
    "removed": "error", "deleted": "error",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SurvivalAtAge:
    """Of the edits that are at least so many days old, those that we took back ourselves left out."""

    days: int
    written: int
    still_present: int

    @property
    def removed(self) -> int:
        """Return how many others have removed, changed, deprecated or deleted."""
        return self.written - self.still_present


@dataclass(frozen=True, slots=True)
class RemovedEdit:
    """An edit that was removed or changed; `user` is "" and `revision` 0 where the wiki does not show who did it."""

    edit: int
    proposal: str
    qid: str
    state: str
    written: str
    user: str
    revision: int
    removed: str  # when, "" where it is not known


@dataclass(frozen=True, slots=True)
class Survival:
    """`looked`: the time of the last audit of the edits, "" for none."""

    ages: tuple[SurvivalAtAge, ...]
    removals: tuple[RemovedEdit, ...]  # oldest edit first
    looked: str


def survival(workspace: Workspace, today: datetime) -> Survival:
    """Return how many of our edits survived 1, 7 and 30 days and who removed which, by the last audit.

    Does not ask the wiki. Edits that no audit has checked yet are not counted.
    """
    edits = store.edits.c
    columns = (edits.n, edits.proposal, edits.qid, edits.time)
    state_columns = (_states.c.state, _states.c.revision, _states.c.user, _states.c.changed, _states.c.seen)
    query = sa.select(*columns, *state_columns).join(_states, _states.c.edit == edits.n).order_by(edits.n)
    rows = workspace.rows(query.where(edits.outcome == EditOutcome.WRITTEN, ~store.is_undone()))
    ages = []
    for days in AGES:
        old = [row["state"] in SURVIVED for row in rows if days_between(row["time"], today) >= days]
        ages.append(SurvivalAtAge(days, len(old), sum(old)))
    names = ("n", "proposal", "qid", "state", "time", "user", "revision", "changed")
    lost = (row for row in rows if row["state"] not in SURVIVED)
    removals = tuple(RemovedEdit(*(row[name] for name in names)) for row in lost)
    return Survival(tuple(ages), removals, max((row["seen"] for row in rows), default=""))


def days_between(time: str, today: datetime) -> float:
    """Return how long before `today` a ledger time was, in days."""
    return (today - store.moment_of(time)).total_seconds() / 86400


def stored_states(workspace: Workspace) -> dict[int, store.Row]:
    """Return what earlier audits found, by the number of the edit."""
    return {row["edit"]: row for row in workspace.rows(sa.select(_states))}


def store_states(workspace: Workspace, found: Iterable[tuple[int, str, PageRevision, str]], time: str) -> None:
    """Keep (edit, state, who made it so, the value instead) of every edit that is on the wiki or was; earlier rows are replaced."""
    rows = [
        {"edit": n, "state": state, "revision": by.revision, "user": by.user, "changed": by.time, "seen": time}
        | {"comment": by.comment, "instead": instead}
        for n, state, by, instead in found
    ]
    with workspace.engine.begin() as db:
        db.execute(_states.delete())
        if rows:
            db.execute(_states.insert(), rows)


def responsible_revision(client: Client, edit: Edit, state: str, entity: Json) -> PageRevision:
    """Return the revision since which an edit is in a state other than “present”, empty where the wiki does not show it.

    `entity` is what its item id leads to now. Whether it was so already is asked of half of what is left each time.
    Raises LookupFailed.
    """
    later = client.history(edit.qid, edit.revision)
    if not later or not later[0].revision:  # no revision since: the item never had it; or the page was deleted
        return later[0] if later else _NO_REVISION

    def is_so(each: PageRevision) -> bool:
        then = client.entity_at(each.revision)
        return edit_state(edit, entity if "redirect" in then else then).state == state

    index = bisect_left(later, True, key=is_so)
    return later[index] if index < len(later) else _NO_REVISION


def stored_revision(row: Mapping[str, object] | None, state: str) -> PageRevision | None:
    """Return the responsible revision that an earlier audit stored, None where it found another state or no revision."""
    if row is None or row["state"] != state or not (row["user"] or row["revision"]):
        return None
    return PageRevision(int(str(row["revision"])), str(row["user"]), str(row["changed"]), str(row["comment"] or ""))


@dataclass(frozen=True, slots=True)
class EditState:
    """The state of an edit, a key of SEVERITIES, with its message."""

    state: str
    message: Message
    instead: str = ""  # the present formula where it differs


def edit_state(row: Edit, entity: Json) -> EditState:
    """Return the state of a written edit on the entity that its item id leads to now."""
    if "missing" in entity:
        return EditState("deleted", Message("became.deleted"))
    payload = row.payload
    statements = item_state.statements(entity)
    if entity["id"] != row.qid:
        return _state_on_target(payload, entity["id"], statements)
    found = statements.get(row.guid)
    if found is None:
        return EditState("removed", Message("became.removed"))
    return _claim_state(payload, found) if "mainsnak" in payload else _reference_state(payload, found)


def seeded(survey: WikiSurvey) -> Iterator[Finding]:
    """Say for every edit whether it is there, changed, removed, deprecated, merged or deleted."""
    states: Counter[str] = Counter()
    found: list[tuple[int, str, PageRevision, str]] = []
    stored = stored_states(survey.workspace)
    for row in survey.edits:
        entity = survey.entities[row.qid]
        current = edit_state(row, entity)
        states[current.state] += 1
        by = stored_revision(stored.get(row.n), current.state) or _responsible_revision(
            survey, row, current.state, entity
        )
        found.append((row.n, current.state, by, current.instead))
        payload = row.payload
        tex = (snak_value(payload["mainsnak"]),) if "mainsnak" in payload else ()
        evidence = f"edit {row.n} of {row.time[:10]}, revision {row.revision}, statement {row.guid}"
        values = {"state": Message(f"edit_state.{current.state}"), "what": current.message}
        by_whom = _revision_values(by) if by.user else {}
        message = Message("finding.seeded_by" if by.user else "finding.seeded", **values, **by_whom)
        item = Item(row.qid, _label(entity, survey))
        yield make_finding("seeded", SEVERITIES[current.state], message, item, evidence, *tex)
    store_states(survey.workspace, found, survey.timestamp)
    counts = tuple(Message("edit_state_n", n=n, state=Message(f"edit_state.{state}")) for state, n in states.items())
    checked = Message("count.edits", n=len(survey.edits))
    if counts:
        yield closing_finding("seeded", Message("closing.seeded", looked=checked, counts=counts))
    else:
        yield closing_finding("seeded", Message("closing.seeded_none", looked=checked))
    if survey.edits:
        yield from _query_service_lag(survey)


def _query_service_lag(survey: WikiSurvey) -> Iterator[Finding]:
    """Say how many of our statements the query service does not have though they are there: people who ask it do not see them yet."""
    ids = {row.guid for row in survey.edits if row.guid in item_state.statements(survey.entities[row.qid])}
    try:
        rows = survey.service.rows("audit_seeded_claims", statements=sorted(ids)) if ids else []
    except BotError:
        return  # their states are known from entity JSON
    if missing := ids - {statement_guid(row["statement"]) for row in rows}:
        yield closing_finding("seeded", Message("closing.seeded_late", n=len(missing)))


def _responsible_revision(survey: WikiSurvey, row: Edit, state: str, entity: Json) -> PageRevision:
    """Return the responsible revision; none where the edit is unchanged or the page's history does not show it."""
    if state == "present":
        return _NO_REVISION
    try:
        return responsible_revision(survey.client, row, state, entity)
    except LookupFailed:  # that it is so is known all the same
        return _NO_REVISION


def _revision_values(by: PageRevision) -> dict[str, str | Message]:
    revision = Message("at.revision", revision=by.revision) if by.revision else ""
    return {"user": by.user, "day": by.time[:10], "revision": revision}


def audit_survival(survey: WikiSurvey) -> Iterator[Finding]:
    """Say how many of the edits that are at least 1, 7 and 30 days old are there still, and how many we took back.

    The share leaves out those that we took back ourselves: it measures what others did.
    """
    for days in AGES:
        rows = _at_least_old(survey, survey.edits, days)
        undone = len(_at_least_old(survey, survey.undone_edits, days))
        survived = sum(edit_state(row, survey.entities[row.qid]).state in SURVIVED for row in rows)
        share = survived / len(rows) if rows else 1.0
        message = _survival_message(len(rows), undone, survived, days)
        yield make_finding("survival", "info" if share >= GOOD_SHARE else "warning", message, None, f"age {days} d")


def _at_least_old(survey: WikiSurvey, rows: list[Edit], days: int) -> list[Edit]:
    return [row for row in rows if days_between(row.time, survey.now) >= days]


def _survival_message(left: int, undone: int, survived: int, days: int) -> Message:
    age = Message("count.days", n=days)
    if not left + undone:
        return Message("finding.survival.none", age=age)
    edits = Message("count.edits", n=left + undone)
    share = f"{survived / left:.0%}" if left else ""
    if not undone:
        return Message("finding.survival.all", edits=edits, age=age, there=survived, share=share)
    if not left:
        return Message("finding.survival.only_back", edits=edits, age=age, back=undone)
    return Message(
        "finding.survival.some_back", edits=edits, age=age, back=undone, left=left, there=survived, share=share
    )


def _claim_state(payload: Json, found: Json) -> EditState:
    own_content, now = item_state.statement_content(payload), item_state.statement_content(found)
    if now["mainsnak"] != own_content["mainsnak"]:
        return _value_state(snak_value(payload["mainsnak"]), snak_value(found["mainsnak"]) or "–")
    if now["rank"] == "deprecated":
        return EditState("deprecated", Message("became.deprecated"))
    if any(
        snak not in now["qualifiers"].get(name, ()) for name, own in own_content["qualifiers"].items() for snak in own
    ):
        return EditState("changed", Message("became.represents"), "–")  # a symbol's item is part of what was said
    if any(reference not in now["references"] for reference in own_content["references"]):
        return EditState("changed", Message("became.reference"))
    if now == own_content:
        return EditState("present", Message("became.present"))
    parts = [part for part in own_content if own_content[part] != now[part]]
    part_messages = tuple(Message(f"part_of_claim.{part}") for part in parts)
    return EditState("amended", Message("became.amended", parts=part_messages))


def _value_state(written: str, now: str) -> EditState:
    """Compare the value; another spelling of our formula is not a correction."""
    if compare(written, now).relation in SAME_FORMULA:
        return EditState("amended", Message("became.respelled", tex=now))
    return EditState("changed", Message("became.value", tex=now), now)


def _reference_state(payload: Json, found: Json) -> EditState:
    wanted = item_state.reference_content(payload)
    if not any(item_state.reference_content(r) == wanted for r in found.get("references", [])):
        return EditState("removed", Message("became.reference_removed"))
    if found.get("rank") == "deprecated":
        return EditState("deprecated", Message("became.statement_deprecated"))
    return EditState("present", Message("became.reference_present"))


def _state_on_target(payload: Json, target: str, statements: dict[str, Json]) -> EditState:
    """A merge gives statements new GUIDs: look for the same content on the target."""
    if "mainsnak" in payload:
        wanted = item_state.statement_content(payload)["mainsnak"]
        survived = any(item_state.statement_content(s)["mainsnak"] == wanted for s in statements.values())
    else:
        reference = item_state.reference_content(payload)
        references = (r for s in statements.values() for r in s.get("references", []))
        survived = any(item_state.reference_content(r) == reference for r in references)
    if survived:
        return EditState("merged", Message("became.merged", target=target))
    return EditState("removed", Message("became.merged_without", target=target))


def _label(entity: Json, survey: WikiSurvey) -> str:
    labels = entity.get("labels") or {}
    return next((str(labels[code]["value"]) for code in survey.client.languages if code in labels), "")
