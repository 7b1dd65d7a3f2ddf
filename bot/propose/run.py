"""The stage: matches of the workspace -> the queue and the reports. Reads the wiki, writes only the workspace."""

import time
from dataclasses import replace
from datetime import date

import msgspec
import sqlalchemy as sa

from bot import stage_state, store
from bot.console import progress
from bot.lookup import CacheUse, Client
from bot.propose import stored_proposals
from bot.propose.references import check_sources
from bot.propose.summary import REPORTS, ProposeSummary
from bot.records import as_json
from bot.settings import Settings
from bot.store import Workspace
from bot.wikibase import Json


def propose(
    workspace: Workspace, client: Client, settings: Settings, *, today: date, quiet: bool = False
) -> ProposeSummary:
    """Put what the matches would have us say into the queue, and write the dry-run reports.

    Raises SettingsError for impossible sources and LookupFailed where the items cannot be read; then nothing changes.
    """
    began = time.monotonic()
    check_sources(settings.proposing.sources)
    inputs = _inputs(workspace, client, settings)
    if (figures := stage_state.last_outcome(workspace, "propose", inputs)) is not None and _is_up_to_date(
        workspace, today
    ):
        stored_proposals.mark_seen(workspace, figures.pop("day"), today)
        stage_state.record_run(workspace, "propose", inputs, day=today.isoformat(), **figures)
        took = round(time.monotonic() - began, 2)
        return replace(msgspec.convert(figures, ProposeSummary), seconds=took, **_cache_figures(client.cache_use()))
    stage_state.forget_run(workspace, "propose")
    from bot.propose.queueing import fill_queue  # it imports everything that compares and checks

    with progress("propose", quiet=quiet) as advance:
        found, proposals = fill_queue(workspace, client, settings, today, advance)
    found = replace(found, **_cache_figures(client.cache_use()), seconds=round(time.monotonic() - began, 2))
    if not found.could_not_ask:
        unchanged_run = replace(found, new=0, changed=0, unchanged=proposals, withdrawn=0, expired=0)
        inputs = _inputs(workspace, client, settings)  # what was stored just now is what the next run begins with
        stage_state.record_run(workspace, "propose", inputs, day=today.isoformat(), **as_json(unchanged_run))
    return found


def _inputs(workspace: Workspace, client: Client, settings: Settings) -> str | None:
    """Return a digest of all that proposals are made from, but for the day; None where that is not known."""
    matches = stage_state.last_inputs(workspace, "match")
    if matches is None or (wiki := client.content_version()) is None:
        return None
    queue = stored_proposals.queue_fingerprint(workspace)
    return stage_state.inputs_digest(matches, wiki, settings.wiki, client.languages, settings.proposing, *queue)


def _is_up_to_date(workspace: Workspace, today: date) -> bool:
    """Say whether the reports are there, and no proposal has expired."""
    first = workspace.rows(sa.select(sa.func.min(store.proposals.c.expires).label("day")))[0]["day"]
    return all((workspace.reports / name).exists() for name in REPORTS) and (first or "9") >= today.isoformat()


def _cache_figures(cached: CacheUse) -> Json:
    away = bool(cached.query_service_failure)
    return {"cached_answers": cached.answers, "oldest_answer_hours": cached.hours, "query_service_away": away}
