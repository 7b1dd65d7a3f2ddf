"""What became of the claims and references we wrote: the ledger against entity JSON as it is now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from bot.audit import edit_states
from bot.audit.edit_states import AGES, SURVIVED
from bot.audit.survey import WikiSurvey, count, in_all
from bot.errors import LookupFailed
from bot.lookup.entities import snak_value
from bot.lookup.page_history import PageRevision
from bot.records import Edit, Finding, Severity
from bot.wikibase import Json
from bot.write import item_state

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
    """What an edit has become: one of SEVERITIES, and the sentence for it."""

    state: str
    what: str


def edit_state(row: Edit, entity: Json) -> EditState:
    """Return what became of one written edit on the entity that its item id leads to now."""
    if "missing" in entity:
        return EditState("deleted", "the item was deleted")
    ours = row.payload
    standing = item_state.statements(entity)
    if entity["id"] != row.qid:
        return _merged(ours, entity["id"], standing)
    found = standing.get(row.guid)
    if found is None:
        return EditState("removed", "the statement was removed")
    return _of_claim(ours, found) if "mainsnak" in ours else _of_reference(ours, found)


def seeded(survey: WikiSurvey) -> Iterator[Finding]:
    """Say for every edit whether it is there, changed, removed, deprecated, merged or deleted."""
    states: Counter[str] = Counter()
    found: list[tuple[int, str, PageRevision]] = []
    known = edit_states.kept_states(survey.workspace)
    for row in survey.written:
        entity = survey.entities[row.qid]
        became = edit_state(row, entity)
        states[became.state] += 1
        by = edit_states.unchanged(known.get(row.n), became.state) or _by(survey, row, became.state, entity)
        found.append((row.n, became.state, by))
        ours = row.payload
        tex = (snak_value(ours["mainsnak"]),) if "mainsnak" in ours else ()
        evidence = f"edit {row.n} of {row.time[:10]}, revision {row.revision}, statement {row.guid}"
        severity = SEVERITIES[became.state]
        what = f"{became.state}: {became.what}{_who(by)}"
        yield Finding("seeded", row.qid, severity, what, evidence, _label(entity, survey), tex)
    edit_states.keep(survey.workspace, found, survey.stamp)
    counts = ", ".join(f"{n:,} {state}" for state, n in states.items())
    yield in_all(
        "seeded", f"{count(len(survey.written), 'edit')} of the ledger looked at{': ' if counts else ''}{counts}"
    )


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


def _who(by: PageRevision) -> str:
    if not by.user:
        return ""
    return f", by {by.user} on {by.time[:10]}{f' (revision {by.revision})' if by.revision else ''}"


def survival(survey: WikiSurvey) -> Iterator[Finding]:
    """Say how many of the edits that are at least 1, 7 and 30 days old are there still, and how many we took back.

    The share is of those that we did not take back ourselves: it says what others did with our edits.
    """
    for days in AGES:
        rows = _older(survey, survey.written, days)
        back = len(_older(survey, survey.taken_back, days))
        there = sum(edit_state(row, survey.entities[row.qid]).state in SURVIVED for row in rows)
        share = there / len(rows) if rows else 1.0
        text = _survived(len(rows), back, there, days)
        yield Finding("survival", "", "info" if share >= GOOD_SHARE else "warning", text)


def _older(survey: WikiSurvey, rows: list[Edit], days: int) -> list[Edit]:
    return [row for row in rows if edit_states.days_between(row.time, survey.now) >= days]


def _survived(left: int, back: int, there: int, days: int) -> str:
    if not left + back:
        return f"no edit is {count(days, 'day')} old yet"
    written = f"of {count(left + back, 'edit')} at least {count(days, 'day')} old, "
    if not back:
        return f"{written}{there:,} are there still ({there / left:.0%})"
    ours = f"{written}{back:,} we took back ourselves"
    return f"{ours}; of the other {left:,}, {there:,} are there still ({there / left:.0%})" if left else ours


def _of_claim(ours: Json, found: Json) -> EditState:
    mine, now = item_state.essence(ours), item_state.essence(found)
    if now["mainsnak"] != mine["mainsnak"]:
        return EditState("changed", f"its value is now {snak_value(found['mainsnak']) or 'no value'}")
    if now["rank"] == "deprecated":
        return EditState("deprecated", "somebody set its rank to deprecated")
    if any(reference not in now["references"] for reference in mine["references"]):
        return EditState("changed", "a reference of ours was changed or removed")
    if now == mine:
        return EditState("present", "as we wrote it")
    parts = [part for part in mine if mine[part] != now[part]]
    return EditState("amended", f"as we wrote it, and somebody added to its {' and '.join(parts)}")


def _of_reference(ours: Json, found: Json) -> EditState:
    wanted = item_state.reference_essence(ours)
    if not any(item_state.reference_essence(r) == wanted for r in found.get("references", [])):
        return EditState("removed", "the reference was changed or removed")
    if found.get("rank") == "deprecated":
        return EditState("deprecated", "somebody set the rank of its statement to deprecated")
    return EditState("present", "the reference is as we wrote it")


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
        return EditState("merged", f"the item was merged into {target}, which says the same")
    return EditState("removed", f"the item was merged into {target}, which does not say it")


def _label(entity: Json, survey: WikiSurvey) -> str:
    labels = entity.get("labels") or {}
    return next((str(labels[code]["value"]) for code in survey.client.languages if code in labels), "")
