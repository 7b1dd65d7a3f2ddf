"""The dry-run report: one self-contained page of what the bot proposes. It needs no script and loads nothing."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from bot.match.model import Curve
from bot.messages import Message
from bot.messages.glossary import IN_REPORTS
from bot.propose.build import Built
from bot.propose.cards import RELATIONS, Card, ShownFormula, accepted_of_100, card, formula, page, visible
from bot.propose.picture import funnel, histogram, reliability
from bot.propose.proposal_context import Numbers
from bot.records import Document, Proposal
from bot.settings import Settings, Wiki

if TYPE_CHECKING:
    from jinja2 import Environment

LEAF = 40  # cards that are laid out at once; the others open on demand
PLACES = {
    "key_equation": "table of key equations",
    "defined_term": "term defined there",
    "equation_title": "title of the formula",
    "bold_title": "article's bold title",
    "infobox": "infobox",
    "qid": "author's own markup",
    "heading": "heading",
    "title": "title",
}


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

    def open(self) -> list[tuple[Built, Proposal]]:
        """Return what a person has not decided on, the likeliest first."""
        found = [(b, b.proposal) for b in self.built if b.proposal and b.proposal.id not in self.decided]
        return sorted(found, key=lambda each: (-each[1].probability, each[1].id))


@dataclass(frozen=True, slots=True)
class Leaf:
    first: int
    cards: tuple[Card, ...]

    @property
    def last(self) -> int:
        return self.first + len(self.cards) - 1


@dataclass(frozen=True, slots=True)
class ReportGroup:
    id: str
    title: str
    text: str
    cards: tuple[Card, ...]

    @property
    def leaves(self) -> list[Leaf]:
        return [Leaf(i + 1, self.cards[i : i + LEAF]) for i in range(0, len(self.cards), LEAF)]


@dataclass(frozen=True, slots=True)
class RefusedEntry:
    qid: str
    label: str
    link: str
    formula: ShownFormula
    why: str


def html(run: DryRun) -> str:
    """Return the page."""
    cards = [card(built, run.wiki, run.documents, run.labels) for built, _ in run.open()]
    corpora = sorted({name for each in cards for name in each.corpora})
    lacking = [each for each in cards if each.needs_source]
    counts = Counter(each.proposal.kind for each in cards)
    low = run.settings.proposing.propose_from
    return (
        _pages()
        .get_template("report.html")
        .render(
            day=run.day,
            wiki=run.wiki,
            style=_style(len(corpora)),
            total=len(cards),
            counts={kind: counts[kind] for kind in ("new_claim", "add_reference", "flag")},
            funnel=funnel(_steps(run, len(cards))),
            histogram=histogram([(each.proposal.probability, each.proposal.kind) for each in cards], min(low, 0.95)),
            reliability=reliability(run.reliability),
            judged=sum(judged for _, _, judged in run.reliability),
            groups=groups(cards, low, run.settings.proposing.low_below, run.reliability),
            corpora=corpora,
            corpus_numbers=lambda names: [corpora.index(name) + 1 for name in names],
            places=PLACES,
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
    )


def groups(cards: Sequence[Card], low: float, last: float, reliability: Curve = ()) -> list[ReportGroup]:
    """Return the cards by confidence, with what the curve says of each group; what only lacks a source goes before what needs a judgement."""
    bands = (
        ("very-likely", "Very likely", "Estimate of 90 % and above.", 0.9, 1.01),
        ("likely", "Likely", "Estimate of 70 % to 90 %.", 0.7, 0.9),
        ("possible", "Possible", f"Estimate of {_percent(max(low, last))} to 70 %: read these with care.", last, 0.7),
        (
            "low",
            "Possible, low in the list",
            f"Estimate of {_percent(low)} to {_percent(last)}: read these last.",
            0.0,
            last,
        ),
    )
    good = [each for each in cards if each.proposal.kind != "flag" and not each.needs_source]
    found = [
        ReportGroup(
            id_,
            title,
            f"{text}{_accepted(reliability, max(at, low), end)}",
            tuple(c for c in good if at <= c.proposal.probability < end),
        )
        for id_, title, text, at, end in bands
    ]
    source = tuple(each for each in cards if each.needs_source)
    rest = tuple(each for each in cards if each.proposal.kind == "flag")
    found.append(
        ReportGroup("needs-source", "Needs a source", "A reviewer can approve these once a source is named.", source)
    )
    found.append(
        ReportGroup(
            "flagged", "Flagged: needs a judgement", "Each says why. Nothing here is ever written by the bot.", rest
        )
    )
    return [group for group in found if group.cards]


def _accepted(reliability: Curve, low: float, high: float) -> str:
    """Say what became of judged pairs of these probabilities; nothing where none was judged."""
    inside = [(share, judged) for said, share, judged in reliability if low <= said < high]
    if not inside:
        return ""
    share = sum(share * judged for share, judged in inside) / sum(judged for _, judged in inside)
    said = str(Message("page.accepted_of_100", n=accepted_of_100(round(100 * share))))
    return f" {said[:1].upper()}{said[1:]}."


def _none(run: DryRun) -> str:
    """Why there is no card at all."""
    if not run.numbers.concepts:
        return "There is nothing to propose: the corpus gave no formula concept."
    if not run.numbers.matched:
        return "There is nothing to propose: no concept found an item."
    if not run.built:
        return (
            f"No match was likely enough to be put before a person: the likeliest has probability "
            f"{run.numbers.likeliest:.2f}, proposals begin at {run.settings.proposing.propose_from:g}."
        )
    return "Nothing is open: what was likely enough stands on its item, was refused, or has been decided on."


def _percent(value: float) -> str:
    return f"{100 * value:g} %"


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
            b.item.qid, b.item.label or b.item.qid, page(run.wiki, b.item.qid), formula(b.entry.tex), str(b.refused)
        )
        for b in run.built
        if b.refused
    ]


def _style(corpora: int) -> object:
    from markupsafe import Markup

    rules = [
        f"body:has(#f-{kind}:checked) .card:not(.k-{kind}) {{ display: none; }}"
        for kind in ("new_claim", "add_reference", "flag")
    ]
    rules.append(
        "body:has(#f-green:checked) .card:not(.green), body:has(#f-noted:checked) .card.green { display: none; }"
    )
    rules += [f"body:has(#f-c{i}:checked) .card:not(.c{i}) {{ display: none; }}" for i in range(1, corpora + 1)]
    css = (_templates() / "report.css").read_text(encoding="utf-8")
    return Markup(css.replace("__FILTERS__", "\n".join(rules)).replace("__FONT__", math_font()))


@cache
def math_font() -> str:
    """Return the math font of the review page for a page that loads nothing, in base64."""
    path = Path(__file__).parents[1] / "review" / "web" / "static" / "font" / "latinmodern-math-subset.woff2"
    return b64encode(path.read_bytes()).decode("ascii")


@cache
def _pages() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    made = Environment(
        loader=FileSystemLoader(_templates()),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["relations"] = RELATIONS
    made.globals["estimate"] = Message("page.estimate")
    made.globals["glossary"] = [(Message(f"glossary.{t}"), Message(f"glossary.{t}_said")) for t in IN_REPORTS]
    made.globals["of_100"] = lambda n: Message("page.accepted_of_100", n=n)
    return made


def _templates() -> Path:
    return Path(__file__).with_name("templates")
