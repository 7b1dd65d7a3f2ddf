"""The dry-run report: one self-contained page of what the bot proposes, with the run's numbers as two pictures; and the same as JSON lines,
QuickStatements CSV (new claims only) and a wikitext table.

The page loads nothing, and without a script all of it is there.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from markupsafe import Markup

from bot.match.model import ReliabilityCurve
from bot.messages import Message, joined_message, numeral
from bot.propose.build import BuildResult
from bot.propose.card_pages import drawn_figure, groups, render, text
from bot.propose.cards import KINDS, ShownFormula, card, drawn_formula, item_url
from bot.propose.proposal_context import RunCounts
from bot.propose.quickstatements import claims_csv
from bot.propose.references import is_web
from bot.propose.source_formulas import source_formulas
from bot.records import Document, Proposal, as_json
from bot.settings import Settings, Wiki

_KINDS = ("new_claim", "add_reference", "flag")


def funnel(steps: Sequence[tuple[str, int]], language: str = "en") -> Markup:
    """Return bars on a logarithmic scale, one for each step (`page.step_<name>`); the numbers are beside them."""
    named = [(text(language, f"step_{name}"), number) for name, number in steps]
    scale = 240 / math.log10(max([1, *(n for _, n in named)]) + 1)
    numbers = ", ".join(f"{name} {numeral(number, ',', language)}" for name, number in named)
    steps_drawn = [(name, n, max(2.0, math.log10(n + 1) * scale)) for name, n in named]
    return drawn_figure("funnel", f"{text(language, 'report_funnel')}: {numbers}", steps_drawn, language=language)


def histogram(values: Sequence[tuple[float, str]], low: float, language: str = "en", bins: int = 10) -> Markup:
    """Return stacked columns of (probability, kind) between `low` and 1."""
    counts = [Counter[str]() for _ in range(bins)]
    step = (1 - low) / bins if low < 1 else 1.0
    for value, kind in values:
        counts[min(bins - 1, max(0, int((value - low) / step + 1e-9)))][kind] += 1
    tallest = max((each.total() for each in counts), default=0) or 1
    columns = []
    for each in counts:
        tall = [each[kind] / tallest * 132 for kind in _KINDS]
        offsets = accumulate(tall)
        parts = [(kind, 152.0 - top, own) for kind, top, own in zip(_KINDS, offsets, tall, strict=True)]
        columns.append((parts, each.total()))
    marks = ((low, 8.0, "start"), ((low + 1) / 2, 210.0, "middle"), (1.0, 412.0, "end"))
    caption = text(language, "histogram_said", n=len(values), low=low, high=1.0, bins=bins)
    caption += " " + ", ".join(str(each.total()) for each in counts)
    return drawn_figure("histogram", caption, columns, 404 / bins, marks if low < 1 else (), language=language)


def reliability(bands: Sequence[tuple[float, float, int]], language: str = "en") -> Markup:
    """Return what was said against what was accepted, one dot for each (mean probability, share of accepted ones, judged).

    The larger the dot, the more were judged.
    """
    most = max((judged for _, _, judged in bands), default=1)
    each = [text(language, "reliability_said", said=estimate, right=right, judged=n) for estimate, right, n in bands]
    dots = [(estimate, right, judged, 3 + 6 * math.sqrt(judged / most)) for estimate, right, judged in bands]
    return drawn_figure(
        "reliability", f"{text(language, 'report_calibration')}: {'; '.join(each)}", dots, language=language
    )


@dataclass(frozen=True)
class DryRun:
    """All that the reports are made from. Nothing in it tells one run from the same run again."""

    day: str
    wiki: Wiki
    settings: Settings
    numbers: RunCounts
    built: tuple[BuildResult, ...]
    documents: Mapping[str, Document]
    labels: Mapping[str, str] = field(default_factory=dict)
    decided: Mapping[str, str] = field(default_factory=dict)  # proposal id -> valid verdict
    unknown: tuple[Message, ...] = ()
    missing: tuple[Message, ...] = ()  # what the corpus and the items did not give
    not_found: int = 0
    waiting: int = 0  # new sources of claims that are approved and not written
    reliability: ReliabilityCurve = ()  # held out, of the weights that the matches were made with
    symbols: tuple[Proposal, ...] = ()  # that are proposed with their formulas

    def symbols_of(self, proposal: Proposal) -> list[Proposal]:
        """Return the symbols of a formula that a person has not decided on."""
        return [each for each in self.symbols if each.claim == proposal.id and each.id not in self.decided]

    def undecided(self) -> list[tuple[BuildResult, Proposal]]:
        """Return what a person has not decided on, the likeliest first."""
        found = [(b, b.proposal) for b in self.built if b.proposal and b.proposal.id not in self.decided]
        return sorted(found, key=lambda each: (-each[1].probability, each[1].id))


def html(run: DryRun, language: str = "en") -> str:
    """Return the page."""
    cards = [
        replace(card(built, run.wiki, run.documents, run.labels), symbols=_symbols(run, proposal))
        for built, proposal in run.undecided()
    ]
    unsourced = [each for each in cards if each.needs_source]
    counts = Counter(each.proposal.kind for each in cards)
    low = run.settings.proposing.propose_from
    steps = [(name, getattr(run.numbers, name)) for name in ("documents", "formulas", "concepts", "named", "matched")]
    return render(
        "report.html",
        cards,
        groups(cards, low, run.settings.proposing.low_below, run.reliability),
        language=language,
        day=run.day,
        wiki=run.wiki,
        counts=counts,
        funnel=funnel([*steps, ("proposed", len(cards))], language),
        histogram=histogram(
            [(each.proposal.probability, each.proposal.kind) for each in cards], min(low, 0.95), language
        ),
        reliability=reliability(run.reliability, language),
        judged=sum(judged for _, _, judged in run.reliability),
        unknown=joined_message(*run.unknown) if run.unknown else None,
        missing=run.missing,
        empty=_none(run),
        lacking=len(unsourced),
        unnamed=sorted({name for each in unsourced for name in each.corpora}),
        refused=[(b, item_url(run.wiki, b.item.qid), drawn_formula(b.entry.tex)) for b in run.built if b.refused],
        nothing=sum(1 for built in run.built if built.reason_for_nothing),
        decided=len(run.decided),
        not_found=run.not_found,
        waiting=run.waiting,
    )


def _symbols(run: DryRun, proposal: Proposal) -> tuple[tuple[ShownFormula, str, str], ...]:
    return tuple(
        (drawn_formula(each.tex), qid, run.labels.get(qid) or each.quotes[0].name)
        for each in run.symbols_of(proposal)
        for _, _, qid in each.qualifiers
    )


def _none(run: DryRun) -> Message:
    """Return why there is no card at all."""
    if not run.numbers.concepts:
        return Message("page.empty_corpus")
    if not run.numbers.matched:
        return Message("page.empty_matches")
    if not run.built:
        low = run.settings.proposing.propose_from
        return Message("page.empty_unlikely", likeliest=run.numbers.likeliest, low=low)
    return Message("page.empty_open")


def json_lines(run: DryRun) -> str:
    """Return one JSON object a line: the whole proposal, the item's words, and what the item has."""
    lines = []
    for built, proposal in run.undecided():
        existing = [
            {
                "guid": each.statement.guid,
                "tex": each.statement.value,
                "rank": each.statement.rank,
                "references": as_json(each.statement.references),
                "relation": each.comparison.relation,
                "level": each.comparison.level,
                "note": each.comparison.note,
            }
            for each in built.existing_claims
        ]
        details = {"label": built.item.label, "description": built.item.description, "standing": existing}
        details["source_formulas"] = as_json(source_formulas(proposal))
        if symbols := run.symbols_of(proposal):
            details["symbols"] = as_json(symbols)
        lines.append(json.dumps({**as_json(proposal), **details}, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def quickstatements(run: DryRun) -> str:
    """Return QuickStatements CSV: a row for each first formula of an item that has a source, and for each symbol of it."""
    claims = [p for _, p in run.undecided() if p.kind == "new_claim" and p.references and not p.beside]
    symbols = [symbol for claim in claims for symbol in run.symbols_of(claim)]
    ids = run.settings.wiki.properties
    names = [ids.defining_formula, *([ids.in_defining_formula] if symbols else [])]
    return claims_csv([*claims, *symbols], names)


def wikitext(run: DryRun) -> str:
    """Return a wikitext table of everything that is open."""
    rows = ['{| class="wikitable sortable"', "! Item !! Kind !! Formula !! Probability !! Source !! Remarks"]
    for built, p in run.undecided():
        address = item_url(run.wiki, p.qid)
        item = f"{f'[{address} {p.qid}]' if address else p.qid} {_plain(built.item.label)}"
        formula = f"<math>{_math(p.tex)}</math>"
        cells = (item, KINDS[p.kind], formula, f"{p.probability:.2f}", _source(p), _plain(p.flag))
        rows += ["|-", "| " + " || ".join(cells)]
    return "\n".join([*rows, "|}", ""])


def _source(proposal: Proposal) -> str:
    for quote in proposal.quotes:
        title, where = _plain(quote.title or quote.document), f"formula {quote.position + 1}"
        return f"[{quote.url} {title}], {where}" if is_web(quote.url) else f"{title}, {where}"
    return ""


def _plain(text: str) -> str:
    """Return text that a wiki shows as it is: every character with a meaning there becomes an entity."""
    return re.sub(r"[^\w\s.,;:()+/–-]|(?<=/)/|__+", _entity, " ".join(text.split()))


def _entity(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(character)};" for character in found[0])


def _math(tex: str) -> str:
    """Return TeX that stays inside its tag and its table cell, and means the same."""
    if r"\begin{array}" not in tex:  # there | draws a rule between columns
        tex = re.sub(r"\\\|", r"\\Vert ", tex).replace("|", r"\vert ")
    return re.sub(r"([{}])(?=\1)", r"\1 ", tex).replace("<", r"\lt ").replace(">", r"\gt ")
