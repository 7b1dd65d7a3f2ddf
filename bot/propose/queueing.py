"""Matches to the queue and the reports: entries with their checks and references, compared with what the items hold."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, replace
from datetime import date
from functools import partial

import sqlalchemy as sa

from bot import store
from bot.console import Advance
from bot.lookup import Client
from bot.match import load_matches, reliability_of_matches
from bot.propose import dry_run, stored_proposals
from bot.propose.build import BuildResult, ProposalContext, build, proposed_tex
from bot.propose.checks import kind_of_value
from bot.propose.diff import compare_with_existing
from bot.propose.dry_run import DryRun, html
from bot.propose.further_sources import approvals_without_source, further_sources, number_of_waiting_sources
from bot.propose.proposal_context import missing_inputs, read_context, run_counts
from bot.propose.references import remarks
from bot.propose.select import Suggestion, canonical_key, suggestions, value_key
from bot.propose.source_formulas import compared_with_claim
from bot.propose.summary import REPORTS, ProposeSummary
from bot.propose.symbol_proposals import symbol_proposals, withdrawn_symbols
from bot.result_cache import ResultCache, open_result_cache, use_cached_calls
from bot.settings import Settings
from bot.store import Workspace


def fill_queue(
    workspace: Workspace, client: Client, settings: Settings, today: date, advance: Advance
) -> tuple[ProposeSummary, int]:
    """Save the proposals, write the reports, and return what was done and the number of proposals.

    What formulas are, alone and beside each other, is kept for the next run. Raises LookupFailed where the items cannot be read; then
    nothing changes.
    """
    of_formulas = canonical_key, value_key, proposed_tex, kind_of_value, compare_with_existing, compared_with_claim
    with (
        open_result_cache(workspace, "propose") as results,
        use_cached_calls(results, *of_formulas),
        client.keeping_answers(results),
    ):
        return _fill_with_cache(workspace, client, settings, today, advance, results)


def _fill_with_cache(
    workspace: Workspace, client: Client, settings: Settings, today: date, advance: Advance, results: ResultCache
) -> tuple[ProposeSummary, int]:
    least = settings.proposing.propose_from
    matches = load_matches(workspace, least)
    wanted = suggestions(matches, least)
    advance(note="reading the items as they are now")
    context, unknown = read_context(workspace, client, settings, wanted, results)
    advance(note="checking")
    built = _build_all(wanted, context, settings, today)
    symbols = symbol_proposals(workspace, built, context, settings, today)
    proposals = [*(b.proposal for b in built if b.proposal), *symbols]
    nothing = _withdrawn(built, context) | withdrawn_symbols(workspace, symbols) | _answers_taken_back(workspace)
    if not client.wiki.sandbox:  # the wiki that the proposals are for, see `bot.sandbox.open_wiki`
        workspace.put("proposed_to", [client.wiki.name, client.wiki.entity_prefix])
    saved = stored_proposals.save_proposals(workspace, proposals, today, nothing)
    advance(note="writing the report")
    source_remarks = remarks(context.unsuitable, settings)
    run = DryRun(
        day=today.isoformat(),
        wiki=client.wiki,
        settings=settings,
        numbers=run_counts(workspace, matches),
        built=tuple(built),
        documents=context.documents,
        labels=context.labels,
        decided=stored_proposals.decided_verdicts(workspace, proposals),
        unknown=unknown,
        missing=(*missing_inputs(workspace, client, settings), *source_remarks),
        not_found=saved.not_found_again,
        waiting=sum(number_of_waiting_sources(each, settings) for each in built),
        reliability=reliability_of_matches(workspace),
        symbols=tuple(symbols),
    )
    _write_reports(workspace, run)
    return replace(_summary(run, saved), source_items=tuple(map(str, source_remarks))), len(proposals)


def _build_all(
    wanted: Iterable[Suggestion], context: ProposalContext, settings: Settings, today: date
) -> list[BuildResult]:
    """Return what becomes of every entry, then the further sources, then what lost the source that was approved."""
    built = [build(entry, context, settings, today) for entry in wanted]
    built += [further for each in built for further in further_sources(each, context, settings, today)]
    looked_at = {each.id for each in built if each.proposal}
    return built + approvals_without_source(
        (row for id_, row in context.rows.items() if id_ not in looked_at), context, settings
    )


def _withdrawn(built: Iterable[BuildResult], context: ProposalContext) -> set[str]:
    """Return the ids that this run considered without a proposal, further sources among them."""
    looked_at = {each.id: each.proposal is not None for each in built}
    nothing = {id_ for id_, proposed in looked_at.items() if not proposed}
    return nothing | {
        id_ for id_, row in context.rows.items() if row.proposal.claim in looked_at and id_ not in looked_at
    }


def _answers_taken_back(workspace: Workspace) -> set[str]:
    """Return the ids of proposals of an item that a person named for a formula without item, and no longer does."""
    answers, table = store.answers.c, store.proposals.c
    ever = sa.select(answers.concept, answers.qid).where(answers.answer == "item")
    named = {(row["concept"], row["qid"]) for row in workspace.rows(ever)}
    named -= {(row["concept"], row["qid"]) for row in workspace.rows(store.current_answers())}
    query = sa.select(table.id, table.qid, table.record)
    rows = workspace.rows_with(query, table.qid, (qid for _, qid in named))
    return {row["id"] for row in rows if (row["record"].get("concept"), row["qid"]) in named}


def _write_reports(workspace: Workspace, run: DryRun) -> None:
    page = partial(html, language=run.settings.proposing.report_language)
    made_of = (page, dry_run.json_lines, dry_run.quickstatements, dry_run.wikitext)
    for name, text in zip(REPORTS, (report(run) for report in made_of), strict=True):
        part = workspace.reports / f"{name}.part"
        part.write_text(text, encoding="utf-8", newline="")
        part.replace(workspace.reports / name)


def _summary(run: DryRun, saved: stored_proposals.SavedProposals) -> ProposeSummary:
    kinds: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    flags: Counter[str] = Counter()
    for each in run.built:
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
        **asdict(saved),
        symbols=len(run.symbols),
        sources_waiting=run.waiting,
        could_not_ask=tuple(map(str, run.unknown)),
    )
