"""The stage: matches of the workspace -> the queue and the reports. Reads the wiki, writes only the workspace."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date

import msgspec
import sqlalchemy as sa

from bot import stage_state, store
from bot.console import progress
from bot.lookup import Cached, Client
from bot.match import load_matches, reliability_of_matches
from bot.propose import dry_run_files, stored_proposals
from bot.propose.build import Built, ProposalContext, build
from bot.propose.dry_run import DryRun, html
from bot.propose.further import further, lost, sources_waiting
from bot.propose.proposal_context import count, missing, read_context
from bot.propose.references import check_sources
from bot.propose.select import Suggestion, entries
from bot.propose.source_items import remarks
from bot.records import as_json
from bot.settings import Settings
from bot.store import Workspace
from bot.wikibase import Json

REPORTS = ("dry-run.html", "dry-run.jsonl", "dry-run.quickstatements.csv", "dry-run.wikitext")


@dataclass(frozen=True, slots=True)
class ProposeSummary:
    """What a run of the stage did. The first four and `refused` add up to what was looked at: entries, and further sources."""

    new_claims: int = 0
    add_references: int = 0
    flagged: int = 0
    already_there: int = 0
    refused: dict[str, int] = field(default_factory=dict)  # reason -> number
    flags: dict[str, int] = field(default_factory=dict)  # first reason -> number
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    not_found_again: int = 0
    withdrawn: int = 0
    expired: int = 0
    sources_waiting: int = 0  # new ones for claims that are approved and not written: proposed once the claim is there
    could_not_ask: tuple[str, ...] = ()
    cached_answers: int = 0  # of the wiki, from the cache of an earlier run
    oldest_answer_hours: float = 0.0
    query_service_away: bool = False
    source_items: tuple[str, ...] = ()  # sentences on items that no reference can name
    seconds: float = 0.0


def propose(
    workspace: Workspace, client: Client, settings: Settings, *, today: date, quiet: bool = False
) -> ProposeSummary:
    """Put what the matches would have us say into the queue, and write the dry-run reports.

    Raises SettingsError for impossible sources and LookupFailed where the items cannot be read; then nothing changes.
    """
    began = time.monotonic()
    check_sources(settings.proposing.sources)
    inputs = _inputs(workspace, client, settings)
    if (figures := stage_state.unchanged(workspace, "propose", inputs)) is not None and _stand(workspace, today):
        stored_proposals.seen_again(workspace, figures.pop("day"), today)
        stage_state.note(workspace, "propose", inputs, day=today.isoformat(), **figures)
        took = round(time.monotonic() - began, 2)
        return replace(msgspec.convert(figures, ProposeSummary), seconds=took, **_asked(client.cached()))
    stage_state.begin(workspace, "propose")
    with progress("propose", quiet=quiet) as advance:
        matches = load_matches(workspace)
        wanted = entries(matches, settings.proposing.propose_from)
        advance(note="reading the items as they are now")
        world, unknown = read_context(workspace, client, settings, wanted)
        advance(note="checking")
        built = _built(wanted, world, settings, today)
        proposals = [b.proposal for b in built if b.proposal]
        saved = stored_proposals.save(workspace, proposals, today, _nothing_left(built, world))
        advance(note="writing the report")
        decided = stored_proposals.decided(workspace, proposals)
        held_back = sum(sources_waiting(each, settings) for each in built)
        made = DryRun(
            day=today.isoformat(),
            wiki=client.wiki,
            settings=settings,
            numbers=count(workspace, matches),
            built=tuple(built),
            documents=world.documents,
            labels=world.labels,
            decided=decided,
            unknown=unknown,
            missing=(*missing(workspace, client, settings), *remarks(world.unsuitable, settings)),
            not_found=saved.not_found,
            waiting=held_back,
            reliability=reliability_of_matches(workspace),
        )
        _write(workspace, made)
    found = _summary(built, saved, unknown, client.cached(), held_back, time.monotonic() - began)
    found = replace(found, source_items=tuple(map(str, remarks(world.unsuitable, settings))))
    if not unknown:
        again = replace(found, new=0, changed=0, unchanged=len(proposals), withdrawn=0, expired=0)
        inputs = _inputs(workspace, client, settings)  # what was stored just now is what the next run begins with
        stage_state.note(workspace, "propose", inputs, day=today.isoformat(), **as_json(again))
    return found


def _inputs(workspace: Workspace, client: Client, settings: Settings) -> str | None:
    """Return a digest of all that proposals are made from, but for the day; None where that is not known."""
    matches = stage_state.last_inputs(workspace, "match")
    if matches is None or (wiki := client.state()) is None:
        return None
    return stage_state.inputs_of(
        matches, wiki, settings.wiki, client.languages, settings.proposing, *stored_proposals.state(workspace)
    )


def _stand(workspace: Workspace, today: date) -> bool:
    """Say whether the reports are there, and no proposal has expired."""
    first = workspace.rows(sa.select(sa.func.min(store.proposals.c.expires).label("day")))[0]["day"]
    return all((workspace.reports / name).exists() for name in REPORTS) and (first or "9") >= today.isoformat()


def _built(wanted: Iterable[Suggestion], world: ProposalContext, settings: Settings, today: date) -> list[Built]:
    """Return what becomes of every entry, then the further sources, then what lost the source that was approved."""
    built = [build(entry, world, settings, today) for entry in wanted]
    built += [more for each in built for more in further(each, world, settings, today)]
    looked_at = {each.id for each in built if each.proposal}
    return built + lost((row for id_, row in world.rows.items() if id_ not in looked_at), world, settings)


def _nothing_left(built: Iterable[Built], world: ProposalContext) -> set[str]:
    """Return the ids that this run looked at and has nothing to say about, further sources among them."""
    looked_at = {each.id: each.proposal is not None for each in built}
    nothing = {id_ for id_, proposed in looked_at.items() if not proposed}
    return nothing | {id_ for id_, row in world.rows.items() if row.claim in looked_at and id_ not in looked_at}


def _write(workspace: Workspace, made: DryRun) -> None:
    made_of = (html, dry_run_files.json_lines, dry_run_files.quickstatements, dry_run_files.wikitext)
    for name, text in zip(REPORTS, (report(made) for report in made_of), strict=True):
        part = workspace.reports / f"{name}.part"
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(workspace.reports / name)


def _summary(
    built: Iterable[Built],
    saved: stored_proposals.SavedProposals,
    unknown: tuple[str, ...],
    cached: Cached,
    held_back: int,
    seconds: float,
) -> ProposeSummary:
    kinds: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    for each in built:
        if each.proposal:
            kinds[each.proposal.kind] += 1
            flags.update([check.name for check in each.proposal.checks if check.state == "fail"][:1])
        elif each.refused:
            refused[each.refused.name] += 1
        else:
            kinds["nothing"] += 1
    return ProposeSummary(
        new_claims=kinds["new_claim"],
        add_references=kinds["add_reference"],
        flagged=kinds["flag"],
        already_there=kinds["nothing"],
        refused=dict(sorted(refused.items())),
        flags=dict(flags.most_common()),
        new=saved.new,
        changed=saved.changed,
        unchanged=saved.unchanged,
        not_found_again=saved.not_found,
        withdrawn=saved.withdrawn,
        expired=saved.expired,
        sources_waiting=held_back,
        could_not_ask=unknown,
        **_asked(cached),
        seconds=round(seconds, 2),
    )


def _asked(cached: Cached) -> Json:
    return {
        "cached_answers": cached.answers,
        "oldest_answer_hours": cached.hours,
        "query_service_away": bool(cached.away),
    }
