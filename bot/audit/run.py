"""The audits by name, those of your own among them (a .rq file, and a .toml file of the same name that says what a row means), and one run of them.

What each finds replaces what it found the last time.
"""

import dataclasses
import re
import string
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Literal

import msgspec
import sqlalchemy as sa

from bot import store
from bot.audit import class_coverage, consistency, edit_states, formula_sources, formulas, query_answers, stated_symbols
from bot.audit.known_findings import store_known
from bot.audit.survey import WikiSurvey, closing_finding, make_finding
from bot.errors import BotError, InputError, SettingsError, report_unexpected
from bot.lookup import Client, queries
from bot.lookup.queries import Query
from bot.messages import Message, to_json, uncoded_message
from bot.messages import has_message as message_known
from bot.records import Finding, Item, as_json
from bot.settings import Settings
from bot.store import Workspace
from bot.wikibase import is_item_id

_LISTING = "lookup_items_with_formula"


@dataclass(frozen=True, slots=True)
class CustomAudit:
    """One pair of files. `sentence` may name columns in braces; the column `item` makes the finding one of that item."""

    description: str
    sentence: str
    columns: tuple[str, ...]
    severity: Literal["info", "warning", "error"] = "warning"
    step: str = ""  # what to do about a finding
    least: int = 0  # rows that there must be
    service: Literal["", "scholarly"] = ""
    on_request: bool = False  # only made when it is named


def load_custom_audits(settings: Settings, reserved: Collection[str]) -> dict[str, tuple[CustomAudit, Query]]:
    """Return the audits of the folder that the settings name, by name. Raises SettingsError, also for one that cannot be."""
    if not settings.audit.folder:
        return {}
    folder = Path(settings.path).parent / settings.audit.folder
    if not folder.is_dir():
        raise SettingsError("no_folder", where=str(folder), todo="check", code_what="audit.folder")
    found = sorted(folder.glob("*.rq"))
    for path in found:
        if path.stem in reserved:
            raise SettingsError("own_audit_name", where=str(path), todo="other_name")
    return {path.stem: _read_custom_audit(path) for path in found}


def _read_custom_audit(path: Path) -> tuple[CustomAudit, Query]:
    described = path.with_suffix(".toml")
    try:
        stated = tomllib.loads(described.read_text(encoding="utf-8"))
        audit_ = msgspec.convert(stated, CustomAudit)
        query = queries.parse_query(path.stem, path.read_text(encoding="utf-8"))
        named = {name for _, name, _, _ in string.Formatter().parse(audit_.sentence) if name is not None}
    except FileNotFoundError:
        raise SettingsError("no_file_beside", where=str(described), todo="say_row_meaning") from None
    except (OSError, ValueError, BotError) as error:
        why = error.full_message if isinstance(error, BotError) else str(error)
        raise SettingsError("audit_undescribed", why=why, where=str(described)) from None
    known = [each.name for each in dataclasses.fields(CustomAudit)]
    if unknown := sorted(stated.keys() - set(known)):
        known_names = ", ".join(known)
        raise SettingsError("unknown_setting", name=unknown[0], where=str(described), todo="known", known=known_names)
    if wrong := sorted(named - set(audit_.columns)):
        raise SettingsError("no_column", column=repr(wrong[0]), where=str(described))
    if set(query.kinds) - {"after", "limit"}:
        raise SettingsError("own_parameters", where=str(path))
    if not path.stem.isidentifier():
        raise SettingsError("audit_name", where=str(path))
    return audit_, dataclasses.replace(query, columns=audit_.columns, is_for_this_wiki=True)


def run_custom_audit(name: str, described: CustomAudit, query: Query, survey: WikiSurvey) -> Iterator[Finding]:
    """Yield a finding for each row."""
    rows = survey.service.rows(query, described.least, scholarly=described.service == "scholarly")
    items = [row["item"] for row in rows if is_item_id(row.get("item", ""))]
    labels = survey.client.labels_of(items)
    step = to_json(uncoded_message(described.step)) if described.step else None
    for row in rows:
        qid = row.get("item", "")
        item = Item(qid, labels.get(qid, "")) if is_item_id(qid) else None
        values = {column: value if value else "—" for column, value in row.items()}
        evidence = query_answers.statement_guid(row["statement"]) if row.get("statement") else ""
        found = make_finding(
            name, described.severity, uncoded_message(described.sentence.format_map(values)), item, evidence
        )
        yield dataclasses.replace(found, step=step)
    yield closing_finding(name, Message("closing.custom", n=len(rows)))


@dataclass(frozen=True, slots=True)
class Audit:
    """One question: what looks for findings, the query files that it asks, and what it looks for in words."""

    run: Callable[[WikiSurvey], Iterator[Finding]]
    queries: tuple[str, ...] = ()
    on_request: bool = False  # costly: made only when it is named
    description: Message | None = None  # of an audit of your own


AUDITS: dict[str, Audit] = {
    "seeded": Audit(edit_states.seeded, ("audit_seeded_claims",)),
    "survival": Audit(edit_states.audit_survival),
    "ledger": Audit(consistency.ledger),
    "wrong": Audit(formulas.wrong),
    "unreferenced": Audit(formula_sources.unreferenced, ("audit_unreferenced",)),
    "weak_references": Audit(formula_sources.weak_references, ("audit_weak_references",)),
    "dead_sources": Audit(formula_sources.dead_sources, ("audit_reference_sources",)),
    # A request for each address.
    "dead_links": Audit(formula_sources.dead_links, ("audit_reference_sources",), on_request=True),
    "shared_formula": Audit(formulas.shared_formula, (_LISTING, "audit_related_items")),
    "contradicting": Audit(formulas.contradicting, (_LISTING,)),
    "several_equations": Audit(formulas.several_equations, (_LISTING,)),
    "invalid": Audit(formulas.invalid, (_LISTING,)),
    "refused": Audit(formulas.refused, (_LISTING,), on_request=True),  # a request for every fifty formulas
    "wrong_class": Audit(formulas.wrong_class, ("audit_wrong_class",)),
    "dimensions": Audit(stated_symbols.dimensions, ("audit_dimensions",)),
    "units": Audit(stated_symbols.units, ("audit_units",)),
    "symbols": Audit(stated_symbols.symbols, ("audit_symbols",)),
    "hidden_symbols": Audit(stated_symbols.hidden_symbols, ("audit_hidden_symbols",)),
    "shown_first": Audit(stated_symbols.shown_first, ("audit_shown_first",)),
    "constraints": Audit(formulas.constraints, ("audit_constraints", "audit_class_paths")),
    # unbounded paths over all items of the classes
    "coverage": Audit(class_coverage.coverage, ("audit_coverage", "audit_coverage_by_field"), on_request=True),
    "without_formula": Audit(class_coverage.without_formula, ("corpus_items_without_formula",), on_request=True),
}


def audits_of(settings: Settings) -> dict[str, Audit]:
    """Return the audits of the bot and those of the folder that the settings name. Raises SettingsError."""
    own = load_custom_audits(settings, AUDITS)
    found = dict(AUDITS)
    for name, (described, query) in own.items():
        run = partial(run_custom_audit, name, described, query)
        found[name] = Audit(run, (name,), described.on_request, uncoded_message(described.description))
    return found


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

    `wiki` is an error where the wiki could not be opened; audits that do not need it still run. `head` is the head of
    the ledger's hash chain as it was kept elsewhere. `accept_drop` accepts the present numbers, however small, as the
    measure for later audits. Whatever goes wrong in an audit becomes a finding of severity `unknown`, and the others go on. Raises InputError for a name that is none, and for a head that cannot be one.
    """
    available = audits_of(settings)
    selected = _selected_audits(names, available)
    if head and ("ledger" not in selected or not re.fullmatch(r"[0-9a-f]{16,64}", head)):
        raise InputError("no_chain_head", where=f"--head {head}", todo="chain_head")
    time = now or datetime.now(UTC)
    survey = WikiSurvey(workspace, wiki, settings, time, head, accept_drop)
    stamp = survey.timestamp
    found = (finding for name in selected for finding in _run(name, available[name], survey))
    findings = store_known(workspace, selected, found, stamp)
    _store(workspace, selected, findings, stamp)
    return findings


def _selected_audits(names: Sequence[str], available: Mapping[str, Audit]) -> list[str]:
    for name in names:
        if name not in available:
            raise InputError("no_audit", name=name, todo="known", known=", ".join(available))
    return list(dict.fromkeys(names)) or [name for name, audit in available.items() if not audit.on_request]


def _run(name: str, audit: Audit, survey: WikiSurvey) -> Iterator[Finding]:
    try:
        for finding in audit.run(survey):
            yield _with_step(finding)
    except BotError as error:
        yield make_finding(name, "unknown", Message("finding.could_not_tell", why=error.full_message))
    except sa.exc.OperationalError:
        raise  # the workspace's own database: no audit can go on, and none could be stored
    except Exception as error:
        yield make_finding(name, "unknown", Message("finding.could_not_tell", why=report_unexpected(error)))
    finally:
        if not isinstance(survey.wiki, BotError):
            query_answers.store_answers(survey.workspace, name, survey.service.take_answers(), survey.timestamp)


def _with_step(finding: Finding) -> Finding:
    """Return a finding with what to do about it, where its audit knows one."""
    if finding.step or finding.severity not in ("warning", "error"):
        return finding
    code = f"step.{finding.audit}"
    return replace(finding, step=to_json(Message(code))) if message_known(code) else finding


def _store(workspace: Workspace, audits: Iterable[str], findings: Iterable[Finding], time: str) -> None:
    columns = store.findings.c.keys()
    rows = [{k: v for k, v in as_json(finding).items() if k in columns} | {"time": time} for finding in findings]
    with workspace.engine.begin() as db:
        db.execute(store.findings.delete().where(store.findings.c.audit.in_(list(audits))))
        if rows:
            db.execute(store.findings.insert(), rows)
