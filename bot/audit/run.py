"""The audits by name, and one run of them: what each finds replaces what it found the last time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial

import sqlalchemy as sa

from bot import store
from bot.audit import (
    broken_constraints,
    class_coverage,
    consistency,
    formula_dimensions,
    formula_sources,
    formulas,
    own_audits,
    query_answers,
    seeded,
    stated_symbols,
)
from bot.audit.known_findings import remember
from bot.audit.survey import WikiSurvey, about
from bot.errors import BotError, InputError, unexpected
from bot.lookup import Client
from bot.messages import Message, recorded, to_json
from bot.messages import known as message_known
from bot.records import Finding, as_json
from bot.settings import Settings
from bot.store import Workspace


@dataclass(frozen=True, slots=True)
class Audit:
    """One question: what looks for findings, the query files that it asks, and what it looks for in words."""

    run: Callable[[WikiSurvey], Iterator[Finding]]
    queries: tuple[str, ...] = ()
    on_request: bool = False  # costly: made only when it is named
    description: Message | None = None  # of an audit of your own


_LISTING = "lookup_items_with_formula"
AUDITS: dict[str, Audit] = {
    "seeded": Audit(seeded.seeded, ("audit_seeded_claims",)),
    "survival": Audit(seeded.survival),
    "ledger": Audit(consistency.ledger),
    "wrong": Audit(formulas.wrong),
    "unreferenced": Audit(formula_sources.unreferenced, ("audit_unreferenced",)),
    "weak_references": Audit(formula_sources.weak_references, ("audit_weak_references",)),
    "dead_sources": Audit(formula_sources.dead_sources, ("audit_reference_sources",)),
    "dead_links": Audit(
        formula_sources.dead_links, ("audit_reference_sources",), on_request=True
    ),  # a request for each address
    "shared_formula": Audit(formulas.shared_formula, (_LISTING, "audit_related_items")),
    "contradicting": Audit(formulas.contradicting, (_LISTING,)),
    "several_equations": Audit(formulas.several_equations, (_LISTING,)),
    "invalid": Audit(formulas.invalid, (_LISTING,)),
    "refused": Audit(formulas.refused, (_LISTING,), on_request=True),  # a request for every fifty formulas
    "wrong_class": Audit(formulas.wrong_class, ("audit_wrong_class",)),
    "dimensions": Audit(formula_dimensions.dimensions, ("audit_dimensions",)),
    "units": Audit(formula_dimensions.units, ("audit_units",)),
    "symbols": Audit(stated_symbols.symbols, ("audit_symbols",)),
    "hidden_symbols": Audit(stated_symbols.hidden_symbols, ("audit_hidden_symbols",)),
    "shown_first": Audit(stated_symbols.shown_first, ("audit_shown_first",)),
    "constraints": Audit(broken_constraints.constraints, ("audit_constraints", "audit_class_paths")),
    # unbounded paths over all items of the classes
    "coverage": Audit(class_coverage.coverage, ("audit_coverage", "audit_coverage_by_field"), on_request=True),
    "without_formula": Audit(class_coverage.without_formula, ("corpus_items_without_formula",), on_request=True),
}


def audits_of(settings: Settings) -> dict[str, Audit]:
    """Return the audits of the bot and those of the folder that the settings name. Raises SettingsError."""
    own = own_audits.load(settings, AUDITS)
    return AUDITS | {
        name: Audit(partial(own_audits.run, name, told, query), (name,), told.on_request, recorded(told.description))
        for name, (told, query) in own.items()
    }


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
    known = audits_of(settings)
    wanted = _wanted(names, known)
    if head and ("ledger" not in wanted or not re.fullmatch(r"[0-9a-f]{16,64}", head)):
        todo = "give at least 16 digits of the head that a run printed, and let the audit `ledger` be made"
        raise InputError("is no head of the ledger's chain", where=f"--head {head}", todo=todo)
    time = now or datetime.now(UTC)
    survey = WikiSurvey(workspace, wiki, settings, time, head, accept_drop)
    stamp = survey.stamp
    found = (finding for name in wanted for finding in _run(name, known[name], survey))
    findings = remember(workspace, wanted, found, stamp)
    _store(workspace, wanted, findings, stamp)
    return findings


def _wanted(names: Sequence[str], known: Mapping[str, Audit]) -> list[str]:
    for name in names:
        if name not in known:
            raise InputError(f"there is no audit {name}", todo=f"known are: {', '.join(known)}")
    return list(dict.fromkeys(names)) or [name for name, audit in known.items() if not audit.on_request]


def _run(name: str, audit: Audit, survey: WikiSurvey) -> Iterator[Finding]:
    try:
        for finding in audit.run(survey):
            yield _with_step(finding)
    except BotError as error:
        yield about(name, "unknown", Message("finding.could_not_tell", why=error.told))
    except sa.exc.OperationalError:
        raise  # the workspace's own database: no audit can go on, and none could be stored
    except Exception as error:
        yield about(name, "unknown", Message("finding.could_not_tell", why=unexpected(error)))
    finally:
        if not isinstance(survey.wiki, BotError):
            query_answers.keep(survey.workspace, name, survey.service.take(), survey.stamp)


def _with_step(finding: Finding) -> Finding:
    """Return a finding with what to do about it, where its audit knows one."""
    if finding.step or finding.severity not in ("warning", "error"):
        return finding
    code = f"step.{finding.audit}"
    return replace(finding, step=to_json(Message(code))) if message_known(code) else finding


def _store(workspace: Workspace, audits: Iterable[str], findings: Iterable[Finding], time: str) -> None:
    kept = store.findings.c.keys()
    rows = [{k: v for k, v in as_json(finding).items() if k in kept} | {"time": time} for finding in findings]
    with workspace.engine.begin() as db:
        db.execute(store.findings.delete().where(store.findings.c.audit.in_(list(audits))))
        if rows:
            db.execute(store.findings.insert(), rows)
