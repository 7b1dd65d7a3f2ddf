"""The audits by name, and one run of them: what each finds replaces what it found the last time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

import sqlalchemy as sa

from bot import store
from bot.audit import consistency, formulas, seeded
from bot.audit.known_findings import remember
from bot.audit.survey import WikiSurvey
from bot.errors import BotError, InputError, unexpected
from bot.lookup import Client
from bot.records import Finding, as_json
from bot.settings import Settings
from bot.store import Workspace

Audit = Callable[[WikiSurvey], Iterator[Finding]]

AUDITS: dict[str, tuple[str, Audit]] = {
    "seeded": ("what became of the claims and references we wrote", seeded.seeded),
    "survival": ("how much of what we wrote is there still after 1, 7 and 30 days", seeded.survival),
    "ledger": ("whether decisions and edits fit together", consistency.ledger),
    "wrong": ("formulas that a reviewer says are wrong, and that are still there", formulas.wrong),
    "unreferenced": ("items whose formula names no source", formulas.unreferenced),
    "shared_formula": ("the same formula on several items", formulas.shared_formula),
    "several_equations": ("several equations in one value", formulas.several_equations),
    "invalid": ("values that would be refused today: grammar and length", formulas.invalid),
    "refused": ("the same by the wiki's own check; only when named", formulas.refused),
}
ON_REQUEST = frozenset({"refused"})  # a request for every fifty formulas


def run_audits(
    workspace: Workspace,
    wiki: Client | BotError,
    settings: Settings,
    names: Sequence[str] = (),
    *,
    now: datetime | None = None,
    head: str = "",
    accept_drop: bool = False,
) -> list[Finding]:
    """Run the named audits (all but the costly ones by default), store and return their findings.

    `wiki` is the error where the wiki could not be opened: what needs none is made all the same. `head` is the head of
    the ledger's hash chain as it was kept elsewhere. `accept_drop` takes what is found now, however little, as the
    measure for later audits. Whatever goes wrong in an audit becomes a finding of severity `unknown`, and the others go on. Raises InputError for a name that is none, and for a head that cannot be one.
    """
    wanted = _wanted(names)
    if head and ("ledger" not in wanted or not re.fullmatch(r"[0-9a-f]{16,64}", head)):
        todo = "give at least 16 digits of the head that a run printed, and let the audit `ledger` be made"
        raise InputError("is no head of the ledger's chain", where=f"--head {head}", todo=todo)
    time = now or datetime.now(UTC)
    survey = WikiSurvey(workspace, wiki, settings, time, head, accept_drop)
    stamp = survey.stamp
    findings = remember(workspace, wanted, (finding for name in wanted for finding in _run(name, survey)), stamp)
    _store(workspace, wanted, findings, stamp)
    return findings


def _wanted(names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in AUDITS:
            raise InputError(f"there is no audit {name}", todo=f"known are: {', '.join(AUDITS)}")
    return list(dict.fromkeys(names)) or [name for name in AUDITS if name not in ON_REQUEST]


def _run(name: str, survey: WikiSurvey) -> Iterator[Finding]:
    try:
        yield from AUDITS[name][1](survey)
    except BotError as error:
        yield Finding(name, "", "unknown", f"could not tell: {error.line()}")
    except sa.exc.OperationalError:
        raise  # the workspace's own database: no audit can go on, and none could be stored
    except Exception as error:
        yield Finding(name, "", "unknown", f"could not tell: {unexpected(error)}")


def _store(workspace: Workspace, audits: Iterable[str], findings: Iterable[Finding], time: str) -> None:
    kept = store.findings.c.keys()
    rows = [{k: v for k, v in as_json(finding).items() if k in kept} | {"time": time} for finding in findings]
    with workspace.engine.begin() as db:
        db.execute(store.findings.delete().where(store.findings.c.audit.in_(list(audits))))
        if rows:
            db.execute(store.findings.insert(), rows)
