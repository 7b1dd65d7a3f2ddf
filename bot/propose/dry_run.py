"""The dry-run report: one self-contained page of what the bot proposes. It loads nothing, and without a script all of it is there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from bot.match.model import Curve
from bot.messages import Message
from bot.propose.build import Built
from bot.propose.card_pages import groups, render
from bot.propose.cards import ShownFormula, card, formula, page
from bot.propose.page_wording import text
from bot.propose.picture import funnel, histogram, reliability
from bot.propose.proposal_context import Numbers
from bot.records import Check, Document, Proposal
from bot.settings import Settings, Wiki


@dataclass(frozen=True)
class DryRun:
    """All that the reports are made from. Nothing in it tells one run from the same run again."""

    day: str
    wiki: Wiki
    settings: Settings
    numbers: Numbers
    built: tuple[Built, ...]
    documents: Mapping[str, Document]
    labels: Mapping[str, str] = field(default_factory=dict)
    decided: Mapping[str, str] = field(default_factory=dict)  # proposal id -> verdict that stands
    unknown: tuple[str, ...] = ()
    missing: tuple[Message, ...] = ()  # what the corpus and the items did not give
    not_found: int = 0
    waiting: int = 0  # new sources of claims that are approved and not written
    reliability: Curve = ()  # held out, of the weights that the matches were made with
    symbols: tuple[Proposal, ...] = ()  # that are proposed with their formulas

    def symbols_of(self, proposal: Proposal) -> list[Proposal]:
        """Return the symbols of a formula that a person has not decided on."""
        return [each for each in self.symbols if each.claim == proposal.id and each.id not in self.decided]

    def open(self) -> list[tuple[Built, Proposal]]:
        """Return what a person has not decided on, the likeliest first."""
        found = [(b, b.proposal) for b in self.built if b.proposal and b.proposal.id not in self.decided]
        return sorted(found, key=lambda each: (-each[1].probability, each[1].id))


@dataclass(frozen=True, slots=True)
class RefusedEntry:
    qid: str
    label: str
    link: str
    formula: ShownFormula
    why: Check


def html(run: DryRun, language: str = "en") -> str:
    """Return the page."""
    cards = [
        replace(card(built, run.wiki, run.documents, run.labels), symbols=_symbols(run, proposal))
        for built, proposal in run.open()
    ]
    lacking = [each for each in cards if each.needs_source]
    counts = Counter(each.proposal.kind for each in cards)
    low = run.settings.proposing.propose_from
    say = partial(text, language)
    return render(
        "report.html",
        cards,
        groups(cards, low, run.settings.proposing.low_below, run.reliability),
        language=language,
        day=run.day,
        wiki=run.wiki,
        counts=counts,
        funnel=funnel(_steps(run, len(cards)), say),
        histogram=histogram([(each.proposal.probability, each.proposal.kind) for each in cards], min(low, 0.95), say),
        reliability=reliability(run.reliability, say),
        judged=sum(judged for _, _, judged in run.reliability),
        unknown=run.unknown,
        missing=run.missing,
        empty=_none(run),
        lacking=len(lacking),
        unnamed=sorted({name for each in lacking for name in each.corpora}),
        refused=_refusals(run),
        nothing=sum(1 for built in run.built if built.nothing),
        decided=len(run.decided),
        not_found=run.not_found,
        waiting=run.waiting,
    )


def _symbols(run: DryRun, proposal: Proposal) -> tuple[tuple[ShownFormula, str, str], ...]:
    return tuple(
        (formula(each.tex), qid, run.labels.get(qid) or each.quotes[0].name)
        for each in run.symbols_of(proposal)
        for _, _, qid in each.qualifiers
    )


def _none(run: DryRun) -> Message:
    """Why there is no card at all."""
    if not run.numbers.concepts:
        return Message("page.empty_corpus")
    if not run.numbers.matched:
        return Message("page.empty_matches")
    if not run.built:
        low = run.settings.proposing.propose_from
        return Message("page.empty_unlikely", likeliest=f"{run.numbers.likeliest:.2f}", low=f"{low:g}")
    return Message("page.empty_open")


def _steps(run: DryRun, proposed: int) -> list[tuple[str, int]]:
    n = run.numbers
    return [
        ("documents", n.documents),
        ("formulas", n.formulas),
        ("concepts", n.concepts),
        ("named", n.named),
        ("matched", n.matched),
        ("proposed", proposed),
    ]


def _refusals(run: DryRun) -> list[RefusedEntry]:
    return [
        RefusedEntry(
            b.item.qid, b.item.label or b.item.qid, page(run.wiki, b.item.qid), formula(b.entry.tex), b.refused
        )
        for b in run.built
        if b.refused
    ]
