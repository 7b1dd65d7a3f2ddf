"""Pages of many cards, each one file that loads nothing, and what all pages say in one language: texts of the catalogues, messages as markup.

The cards after the first are kept as text until they come near or are opened, so that a thousand open at once; without a
script all of them are there. The review page, the dry-run report and the packet word everything with these.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from bot.formula import mathml
from bot.match.model import ReliabilityCurve
from bot.messages import Message, Value, has_message, numeral, sentence, uncoded_message
from bot.messages.glossary import IN_REPORTS
from bot.propose.cards import TEMPLATES, Card, expected_of_100, with_escapes

if TYPE_CHECKING:
    from jinja2 import Environment

CARDS_PER_LEAF = 40  # cards shown at once; the others open on demand


def text(language: str, key: str, **values: Value) -> str:
    """Return a text of the pages, `page.<key>` of the catalogue."""
    return sentence(Message(f"page.{key}", **values), language)


def markup(language: str, message: Message) -> Markup:
    """Return a message as markup: formulas drawn, everything else escaped; text available only in English is marked so."""
    text = Markup(sentence(message, language, _value))
    translated = language == "en" or (message.code != "recorded" and has_message(message.code, language))
    return text if translated else Markup('<span lang="en">{}</span>').format(text)


def name(language: str, group: str, called: str) -> Markup:
    """Return what a name of the data is called, such as "item" of the group "checkname"; one that no catalogue has as it is."""
    code = f"{group}.{called.replace(' ', '_')}"
    return markup(language, Message(code) if has_message(code) else uncoded_message(called))


def template_functions(language: str) -> dict[str, Callable[..., str]]:
    """Return what templates of a page that has one language for all its readers call `t`, `shown`, `named` and `numeral`."""
    return {
        "t": partial(text, language),
        "shown": partial(markup, language),
        "named": partial(name, language),
        "numeral": partial(numeral, language=language),
    }


def _value(kind: str, value: str) -> str:
    if kind == "tex":
        return mathml(value)
    return Markup("<code>{}</code>").format(with_escapes(value)) if kind == "code" else escape(with_escapes(value))


@dataclass(frozen=True, slots=True)
class Leaf:
    first: int
    cards: tuple[Card, ...]

    @property
    def last(self) -> int:
        return self.first + len(self.cards) - 1


@dataclass(frozen=True, slots=True)
class ReportGroup:
    """Cards under one heading, `page.group_<id>` of the catalogue, and the text below it."""

    id: str
    text: tuple[Message, ...]
    cards: tuple[Card, ...]

    @property
    def leaves(self) -> list[Leaf]:
        return [Leaf(i + 1, self.cards[i : i + CARDS_PER_LEAF]) for i in range(0, len(self.cards), CARDS_PER_LEAF)]


def groups(cards: Sequence[Card], low: float, last: float, reliability: ReliabilityCurve = ()) -> list[ReportGroup]:
    """Return the cards by confidence, with the calibration of each group; those that only lack a source come before those that need a judgement."""
    bands = (
        ("very-likely", "above", 0.9, 1.01),
        ("likely", "between", 0.7, 0.9),
        ("possible", "with_care", last, 0.7),
        ("low", "last", 0.0, last),
    )
    good = [each for each in cards if each.proposal.kind != "flag" and not each.needs_source]
    found = []
    for id_, code, at, end in bands:
        from_ = max(at, low)
        band = Message(f"page.band_{code}", low=100 * from_, high=100 * end)
        shown = tuple(c for c in good if at <= c.proposal.probability < end)
        found.append(ReportGroup(id_, (band, *_accepted(reliability, from_, end)), shown))
    unsourced = tuple(each for each in cards if each.needs_source)
    rest = tuple(each for each in cards if each.proposal.kind == "flag")
    found.append(ReportGroup("needs-source", (Message("page.band_source"),), unsourced))
    found.append(ReportGroup("flagged", (Message("page.band_flagged"),), rest))
    return [group for group in found if group.cards]


def render(
    template: str,
    cards: Sequence[Card],
    grouped: Sequence[ReportGroup],
    *,
    language: str,
    folder: Path = TEMPLATES,
    script: str = "",
    style: str = "",
    **values: object,
) -> str:
    """Return the page that a template of `folder` makes of cards; `script` and `style` are what it has beyond the report's."""
    corpora = sorted({name for each in cards for name in each.corpora})
    run = _file("report.js") + script
    return (
        _pages(folder)
        .get_template(template)
        .render(
            **template_functions(language),
            language=language,
            style=_style(len(corpora), style),
            script=Markup(run),
            script_hash=f"sha256-{b64encode(sha256(run.encode()).digest()).decode()}",
            total=len(cards),
            groups=grouped,
            corpora=corpora,
            corpus_numbers=lambda names: [corpora.index(name) + 1 for name in names],
            glossary=IN_REPORTS,
            **values,
        )
    )


def _accepted(reliability: ReliabilityCurve, low: float, high: float) -> list[Message]:
    """Return how many judged pairs of these probabilities were accepted, as text; "" where none was judged."""
    inside = [(share, judged) for estimate, share, judged in reliability if low <= estimate < high]
    if not inside:
        return []
    share = sum(share * judged for share, judged in inside) / sum(judged for _, judged in inside)
    return [Message("page.band_accepted", n=expected_of_100(round(100 * share)))]


def _style(corpora: int, extra: str = "") -> Markup:
    rules = [
        f"body:has(#f-{kind}:checked) .card:not(.k-{kind}) {{ display: none; }}"
        for kind in ("new_claim", "add_reference", "flag")
    ]
    rules.append(
        "body:has(#f-green:checked) .card:not(.green), body:has(#f-noted:checked) .card.green { display: none; }"
    )
    rules += [f"body:has(#f-c{i}:checked) .card:not(.c{i}) {{ display: none; }}" for i in range(1, corpora + 1)]
    return Markup(
        _file("report.css").replace("__FILTERS__", "\n".join(rules)).replace("__FONT__", _math_font()) + extra
    )


def _math_font() -> str:
    path = Path(__file__).parents[1] / "review" / "web" / "static" / "font" / "latinmodern-math-subset.woff2"
    return b64encode(path.read_bytes()).decode("ascii")


@cache
def _file(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def drawn_figure(
    name: str, *values: object, language: str, folder: Path = TEMPLATES, template: str = "pictures.html"
) -> Markup:
    """Return what a macro of a template draws, with its numbers as a language writes them."""
    made = _pages(folder).get_template(template).make_module(dict(template_functions(language)))
    draw: Callable[..., str] = getattr(made, name)
    return Markup(draw(*values).strip())


_pages = cache(lambda folder: environment(folder, TEMPLATES))


def environment(*folders: Path) -> Environment:
    """Return the templates of folders: all text is escaped, what is hidden in it is shown, and a name that is not given is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folders),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=with_escapes,
        trim_blocks=True,
        lstrip_blocks=True,
    )
