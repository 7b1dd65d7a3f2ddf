"""Since when a finding is known, and which findings a person accepts as they are.

A finding is known by what it says: where that changes, it is another finding, new and not accepted. It is forgotten when
an audit that could tell does not find it any more; an audit that could not tell makes nothing forgotten.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import sqlalchemy as sa

from bot import store
from bot.audit.survey import is_audit_note
from bot.errors import InputError
from bot.messages import from_json
from bot.records import Finding
from bot.store import Workspace
from bot.wikibase import Json

_known = store.known_findings
_COLUMNS = ("audit", "item", "severity", "what", "evidence", "label", "message")


def finding_id(finding: Finding) -> str:
    """Return the id of what a finding says, by its code and values; the item's label is not part of it.

    A finding about no item that has evidence is known by that: its sentence counts what changes from night to night.
    """
    text = (finding.message or finding.what) if finding.item or not finding.evidence else ""
    parts = (finding.audit, finding.item, finding.severity, text, finding.evidence, *finding.formulas)
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:12]


def store_known(workspace: Workspace, audits: Sequence[str], found: Iterable[Finding], time: str) -> list[Finding]:
    """Return the findings with their ids, since when each is known, and why it is accepted; keep it for the next run."""
    identified = [replace(finding, id=finding_id(finding)) for finding in found]
    with workspace.engine.begin() as db:
        rows = {row.id: row for row in db.execute(sa.select(_known).where(_known.c.audit.in_(audits)))}
        db.execute(_known.update().where(_known.c.audit.in_(audits)).values(audits=_known.c.audits + 1))
        new = {f.id: f.audit for f in identified if f.id not in rows and not is_audit_note(f)}
        if new:
            unmuted = {"first_seen": time, "audits": 1, "muted": "", "muted_by": "", "muted_at": ""}
            db.execute(_known.insert(), [{"id": id, "audit": audit, **unmuted} for id, audit in new.items()])
        sure = set(audits) - {f.audit for f in identified if f.severity == "unknown"}
        current_ids = {f.id for f in identified}
        resolved = [id for id, row in rows.items() if row.audit in sure and id not in current_ids and not row.muted]
        store.delete_rows(db, _known.c.id, resolved)
    return [
        replace(f, first_seen=rows[f.id].first_seen, muted=rows[f.id].muted)
        if f.id in rows
        else replace(f, first_seen=time, new=not is_audit_note(f))
        for f in identified
    ]


def needs_attention(finding: Finding) -> bool:
    """Tell whether a finding is a fault that nobody has accepted."""
    return finding.severity in ("warning", "error") and not finding.muted


def number_with_severity(findings: Iterable[Finding], severity: str) -> int:
    """Return how many findings have a severity and are not accepted."""
    return sum(f.severity == severity and not f.muted for f in findings)


def mute(workspace: Workspace, finding: str, reason: str, person: str) -> None:
    """Accept a finding as it is: it is not counted until it says something else. An empty reason takes that back.

    Raises InputError where no audit has found it.
    """
    values = {"muted": reason, "muted_by": person, "muted_at": store.now()}
    with workspace.engine.begin() as db:
        changed = db.execute(_known.update().where(_known.c.id == finding).values(**values)).rowcount
    if not changed:
        raise InputError("no_finding", where=finding, todo="finding_id")


def stored_findings(workspace: Workspace) -> Iterator[Json]:
    """Yield what the last audits found, in their order, with ids, since when each is known, and why it is accepted."""
    known_rows = {row["id"]: row for row in workspace.rows(sa.select(_known))}
    for row in workspace.rows(sa.select(store.findings).order_by(store.findings.c.n)):
        finding = Finding(**{name: row[name] for name in _COLUMNS}, formulas=tuple(row["formulas"]))
        row["step"] = str(from_json(row["step"])) if row["step"] else ""
        known = known_rows.get(finding_id(finding), {"first_seen": row["time"], "audits": 0, "muted": ""})
        history = {"first_seen": known["first_seen"], "new": known["audits"] == 1, "muted": known["muted"]}
        yield {**row, "id": finding_id(finding), **history}
