"""What became of the claims and references we wrote: the ledger against entity JSON as it is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bot.audit import edit_states
from bot.audit.edit_states import AGES, SURVIVED
from bot.audit.query_answers import guid
from bot.audit.survey import WikiSurvey, about, in_all
from bot.errors import BotError, LookupFailed
from bot.formula import compare
from bot.lookup.entities import snak_value
from bot.lookup.page_history import PageRevision
from bot.messages import Message
from bot.records import Edit, Finding, Item, Severity
from bot.wikibase import Json
from bot.write import item_state

SAME_FORMULA = ("identical", "typographic", "notation")  # relations of two spellings of one formula
GOOD_SHARE = 0.9  # chosen: of what we wrote should be there still; below it the community disagrees with us

SEVERITIES: dict[str, Severity] = {
    "present": "info",
    "amended": "info",
    "merged": "warning",
    "deprecated": "warning",
    "changed": "error",
    "removed": "error",
    "deleted": "error",
}


@dataclass(frozen=True, slots=True)
class EditState:
    """What an edit has become: one of SEVERITIES, and what is said of it."""

    state: str
    message: Message
    instead: str = ""  # the formula that stands now, where it is another one

    @property
    def what(self) -> str:
        return str(self.message)


def edit_state(row: Edit, entity: Json) -> EditState:
    """Return what became of one written edit on the entity that its item id leads to now."""
    if "missing" in entity:
        return EditState("deleted", Message("became.deleted"))
    ours = row.payload
    standing = item_state.statements(entity)
    if entity["id"] != row.qid:
        return _merged(ours, entity["id"], standing)
    found = standing.get(row.guid)
    if found is None:
        return EditState("removed", Message("became.removed"))
    return _of_claim(ours, found) if "mainsnak" in ours else _of_reference(ours, found)


def seeded(survey: WikiSurvey) -> Iterator[Finding]:
    """Say for every edit whether it is there, changed, removed, deprecated, merged or deleted."""
    states: Counter[str] = Counter()
    found: list[tuple[int, str, PageRevision, str]] = []
    known = edit_states.kept_states(survey.workspace)
    for row in survey.written:
        entity = survey.entities[row.qid]
        became = edit_state(row, entity)
        states[became.state] += 1
        by = edit_states.unchanged(known.get(row.n), became.state) or _by(survey, row, became.state, entity)
        found.append((row.n, became.state, by, became.instead))
        ours = row.payload
        tex = (snak_value(ours["mainsnak"]),) if "mainsnak" in ours else ()
        evidence = f"edit {row.n} of {row.time[:10]}, revision {row.revision}, statement {row.guid}"
        values = {"state": Message(f"edit_state.{became.state}"), "what": became.message}
        message = Message("finding.seeded_by", **values, **_who(by)) if by.user else Message("finding.seeded", **values)
        item = Item(row.qid, _label(entity, survey))
        yield about("seeded", SEVERITIES[became.state], message, item, evidence, *tex)
    edit_states.keep(survey.workspace, found, survey.stamp)
    counts = ", ".join(f"{n:,} {Message(f'edit_state.{state}')}" for state, n in states.items())
    looked = Message("count.edits", n=len(survey.written))
    if counts:
        yield in_all("seeded", Message("closing.seeded", looked=looked, counts=counts))
    else:
        yield in_all("seeded", Message("closing.seeded_none", looked=looked))
    if survey.written:
        yield from _late(survey)


def _late(survey: WikiSurvey) -> Iterator[Finding]:
    """Say how many of our statements the query service does not have though they are there: people who ask it do not see them yet."""
    ids = {row.guid for row in survey.written if row.guid in item_state.statements(survey.entities[row.qid])}
    try:
        rows = survey.service.rows("audit_seeded_claims", statements=sorted(ids)) if ids else []
    except BotError:
        return  # entity JSON has told what became of them
    if late := ids - {guid(row["statement"]) for row in rows}:
        yield in_all("seeded", Message("closing.seeded_late", n=len(late)))


def _by(survey: WikiSurvey, row: Edit, state: str, entity: Json) -> PageRevision:
    """Return who made it so; nobody where it is as we wrote it, or where the page's history does not say."""
    if state == "present":
        return PageRevision(0, "", "")
    try:
        return edit_states.made_so_by(
            survey.client, row, state, entity, lambda edit, then: edit_state(edit, then).state
        )
    except LookupFailed:  # that it is so is known all the same
        return PageRevision(0, "", "")


def _who(by: PageRevision) -> dict[str, str]:
    revision = f" (revision {by.revision})" if by.revision else ""
    return {"user": by.user, "day": by.time[:10], "revision": revision}


def survival(survey: WikiSurvey) -> Iterator[Finding]:
    """Say how many of the edits that are at least 1, 7 and 30 days old are there still, and how many we took back.

    The share is of those that we did not take back ourselves: it says what others did with our edits.
    """
    for days in AGES:
        rows = _older(survey, survey.written, days)
        back = len(_older(survey, survey.taken_back, days))
        there = sum(edit_state(row, survey.entities[row.qid]).state in SURVIVED for row in rows)
        share = there / len(rows) if rows else 1.0
        message = _survived(len(rows), back, there, days)
        yield about("survival", "info" if share >= GOOD_SHARE else "warning", message, None, f"age {days} d")


def _older(survey: WikiSurvey, rows: list[Edit], days: int) -> list[Edit]:
    return [row for row in rows if edit_states.days_between(row.time, survey.now) >= days]


def _survived(left: int, back: int, there: int, days: int) -> Message:
    age = Message("count.days", n=days)
    if not left + back:
        return Message("finding.survival.none", age=age)
    edits = Message("count.edits", n=left + back)
    share = f"{there / left:.0%}" if left else ""
    if not back:
        return Message("finding.survival.all", edits=edits, age=age, there=there, share=share)
    if not left:
        return Message("finding.survival.only_back", edits=edits, age=age, back=back)
    return Message("finding.survival.some_back", edits=edits, age=age, back=back, left=left, there=there, share=share)


def _of_claim(ours: Json, found: Json) -> EditState:
    mine, now = item_state.essence(ours), item_state.essence(found)
    if now["mainsnak"] != mine["mainsnak"]:
        return _of_value(snak_value(ours["mainsnak"]), snak_value(found["mainsnak"]) or "–")
    if now["rank"] == "deprecated":
        return EditState("deprecated", Message("became.deprecated"))
    if any(snak not in now["qualifiers"].get(name, ()) for name, own in mine["qualifiers"].items() for snak in own):
        return EditState("changed", Message("became.represents"), "–")  # a symbol's item is part of what was said
    if any(reference not in now["references"] for reference in mine["references"]):
        return EditState("changed", Message("became.reference"))
    if now == mine:
        return EditState("present", Message("became.present"))
    parts = [part for part in mine if mine[part] != now[part]]
    return EditState(
        "amended", Message("became.amended", parts=tuple(Message(f"part_of_claim.{part}") for part in parts))
    )


def _of_value(ours: str, now: str) -> EditState:
    """Another spelling of our formula is no correction: the claim stands."""
    if compare(ours, now).relation in SAME_FORMULA:
        return EditState("amended", Message("became.respelled", tex=now))
    return EditState("changed", Message("became.value", tex=now), now)


def _of_reference(ours: Json, found: Json) -> EditState:
    wanted = item_state.reference_essence(ours)
    if not any(item_state.reference_essence(r) == wanted for r in found.get("references", [])):
        return EditState("removed", Message("became.reference_removed"))
    if found.get("rank") == "deprecated":
        return EditState("deprecated", Message("became.statement_deprecated"))
    return EditState("present", Message("became.reference_present"))


def _merged(ours: Json, target: str, standing: dict[str, Json]) -> EditState:
    """A merge gives statements new GUIDs: look for the same content on the target."""
    if "mainsnak" in ours:
        wanted = item_state.essence(ours)["mainsnak"]
        kept = any(item_state.essence(s)["mainsnak"] == wanted for s in standing.values())
    else:
        reference = item_state.reference_essence(ours)
        kept = any(
            item_state.reference_essence(r) == reference for s in standing.values() for r in s.get("references", [])
        )
    if kept:
        return EditState("merged", Message("became.merged", target=target))
    return EditState("removed", Message("became.merged_without", target=target))


def _label(entity: Json, survey: WikiSurvey) -> str:
    labels = entity.get("labels") or {}
    return next((str(labels[code]["value"]) for code in survey.client.languages if code in labels), "")
