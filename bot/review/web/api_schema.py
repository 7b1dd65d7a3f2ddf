"""The messages of the API: what a request may hold, and what an answer holds. Both the checks and the description are made from these."""

from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from bot.propose.cards import DifferenceRun
from bot.records import Decision, Kind, Quote, Reference
from bot.review.decide import CLOSINGS, REASONS, ReferenceVerdict, Verdict
from bot.review.proposal_state import State
from bot.review.symbols_shown import StatedSymbolRow
from bot.review.topics import Topic
from bot.review.web.queue_filters import Filter

Text = Annotated[str, Meta(max_length=4999)]
Count = Annotated[int, Meta(ge=0, le=999_999)]


class FilterRequest(Filter, frozen=True, forbid_unknown_fields=True):
    """A view of the queue, from behind a proposal."""

    after: str = ""


class DecisionRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A decision on exactly the content whose hash is given."""

    hash: Annotated[Text, Meta(description="of the content that was shown")]
    verdict: Verdict
    reason: Annotated[
        Text,
        Meta(description=f"to reject: {', '.join(REASONS)}; to close: {', '.join(CLOSINGS)} (by_hand asks the wiki)"),
    ] = ""
    about: Annotated[
        Text, Meta(description="the item that it is instead (wrong_item), or the statement that is wrong (item_wrong)")
    ] = ""
    references: Annotated[tuple[ReferenceVerdict, ...], Meta(max_length=100)] = ()
    tex: Annotated[Text, Meta(description="the formula as it was edited, to approve that instead")] = ""
    edit_confirmed: Annotated[
        bool,
        Meta(
            description="the edited formula is meant though it differs in more than notation (see preview); give references with it"
        ),
    ] = False
    decided: (
        Annotated[
            Count,
            Meta(
                description="as it came with the proposal; refuses where somebody decided in between, and without it where the last decision is another person's"
            ),
        ]
        | UnsetType
    ) = field(default=UNSET, name="words")


class TopicRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """A part of the queue under a name, in the place of one of the same name: a filter and some items, or a query for them."""

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    filter: Filter = Filter()
    items: Annotated[tuple[str, ...], Meta(max_length=5000, description="Q-numbers; empty for all items")] = ()
    sparql: Annotated[
        str,
        Meta(
            max_length=10_000, description="a SELECT of ?item, sent to the wiki's query service now; in place of items"
        ),
    ] = ""


class Topics(Struct, frozen=True):
    """The topics of this token's person; list the proposals of one with its `query` and `topic=id`."""

    topics: list[Topic]


class PreviewRequest(Struct, frozen=True, forbid_unknown_fields=True):
    """An edited formula of a proposal."""

    proposal: str
    tex: str


class PreviewAnswer(Struct, frozen=True):
    """The edited formula: drawn as MathML, whether the wiki takes it, and how it is related to the proposed one."""

    drawn: str
    valid: bool
    why: str
    mended: str
    relation: str
    note: str
    same: bool
    confirm: Annotated[bool, Meta(description="an approval needs `edit_confirmed`")]
    pieces: tuple[DifferenceRun, ...]


class Problem(Struct, frozen=True):
    code: int
    what: str


class Error(Struct, frozen=True):
    """What is wrong, and what to do."""

    error: Problem


class Listed(Struct, frozen=True):
    """A proposal; `words` is the number of decisions on it, skips aside."""

    id: str
    hash: str
    kind: Kind
    qid: str
    label: str
    tex: str
    probability: float
    expires: str
    state: State
    decided: int = field(name="words")


class Row(Listed, frozen=True, kw_only=True):
    """A proposal as the queue lists it; `frequency` is how often the corpus writes its formula."""

    frequency: int


class QueuePage(Struct, frozen=True):
    """A page of the queue; `after` leads to the next one."""

    proposals: list[Row]
    after: str | None


class ComparedSource(Struct, frozen=True):
    """What a source of a proposal writes; `reference` is its index in the proposal, -1 where it has none there."""

    document: str
    position: int
    title: str
    tex: str
    reference: int
    relation: str
    note: str
    code: str
    values: dict[str, object]
    same_concept: bool
    differs: Annotated[bool, Meta(description="from the proposal's formula, by more than typography")]


class SymbolOfFormula(Struct, frozen=True):
    """What a symbol of a formula represents, proposed with it; decide on its id as on any other proposal."""

    id: str
    hash: str
    tex: str
    represents: Annotated[str, Meta(description="the item")]
    label: str
    meaning: str
    probability: float
    state: State
    references: tuple[Reference, ...]
    quotes: tuple[Quote, ...]
    decided: int = field(name="words")


class QueuedProposal(Listed, frozen=True, kw_only=True):
    """A proposal with all that a reviewer needs."""

    property: str
    references: list[Reference]
    answers: Annotated[list[str], Meta(description="what can be answered on it, edits and ends first")]
    source_formulas: list[ComparedSource]
    symbols: Annotated[
        list[StatedSymbolRow],
        Meta(description="what its symbols mean, as `export symbols` says it, and what the item states of them"),
    ]
    symbol_proposals: Annotated[
        list[SymbolOfFormula], Meta(description="of its symbols, those that are proposed with it")
    ]


class Next(Struct, frozen=True):
    """The next proposal, leased; null at the end of the queue."""

    proposal: QueuedProposal | None


class ShownPiece(Struct, frozen=True):
    """A piece of a sentence; `text` is MathML for a formula and for the proposed one (subject), else plain text."""

    kind: Annotated[str, Meta(description="text, name, formula or subject")]
    text: str


class ShownQuote(Struct, frozen=True):
    """Where a document writes the formula; `link` leads to the sentence and is empty where the document has no address."""

    title: str
    link: str
    pieces: list[ShownPiece]


class ShownSnak(Struct, frozen=True):
    name: str
    value: str
    link: str


class ItemPageProposal(Struct, frozen=True):
    """A proposal as the script for item pages shows it; decide on it with `hash` and `words`."""

    id: str
    hash: str
    kind: Kind
    property: str
    property_name: str
    statement: Annotated[str, Meta(description="GUID of the statement that gets the references, for add_reference")]
    tex: str
    drawn: Annotated[str, Meta(description="MathML with the TeX as its name, or <code> where it cannot be drawn")]
    percent: int
    second: Annotated[bool, Meta(description="the item has another formula, and this one would stand beside it")]
    warnings: Annotated[list[list[ShownPiece]], Meta(description="what the checks say that did not pass")]
    quotes: list[ShownQuote]
    references: list[list[ShownSnak]]
    answers: Annotated[list[str], Meta(description="what can be answered; nothing by who is not signed in")]
    looked_at_by: Annotated[str, Meta(description="somebody else who looks at it now and decides first")]
    address: Annotated[str, Meta(description="of the whole card, on this server")]
    decided: int = field(name="words")


class ItemPage(Struct, frozen=True):
    """What waits on an item for a decision of `reviewer`, who is empty where nobody is signed in."""

    qid: str
    reviewer: str
    proposals: list[ItemPageProposal]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDecision(Decision):
    """A decision as it was recorded. One on a control question was not: `known_wrong` says whether it was noticed.

    `placed` is the proposal of the item that it is instead, to be decided on by itself; `waits_for_second` says that an
    approval counts once a second person approves the same.
    """

    known_wrong: Literal["noticed", "missed"] | UnsetType = UNSET
    placed: str = ""
    waits_for_second: bool = False
