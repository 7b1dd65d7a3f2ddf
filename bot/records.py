"""The records that stages hand to one another, in the order of the data. All are frozen; tuples, not lists.

`as_json` turns any of them into plain JSON values; field names are the names in tables, commands and exports.
"""

import contextlib
import dataclasses
import hashlib
import json
import re
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from operator import attrgetter
from typing import Any, Literal, Self, TypeVar

from bot.messages import Message, Value, export_sentence, from_json, to_json, uncoded_message
from bot.wikibase import Json

# A formula inside a window of text stands as ⟦n⟧, n being its position (ordinal) in the document.
MASK_OPEN, MASK_CLOSE = "⟦", "⟧"

LIKELY_SCORE = 0.5  # a name of this score counts as the formula's own
UNKNOWN_LANGUAGE = "und"  # ISO 639's word for a language that nobody has determined

Kind = Literal["new_claim", "add_reference", "flag", "symbol"]
CheckState = Literal["ok", "warn", "fail", "unknown"]
Severity = Literal["info", "warning", "error", "unknown"]
Role = Literal["text", "key_equations", "infobox", "summary", "example", "exercise", "table", "caption"]


class EditOutcome(StrEnum):
    """How an attempt to edit ended."""

    PENDING = "pending"  # begun, and not known to be done
    WRITTEN = "written"
    ALREADY_THERE = "already_there"
    REFUSED = "refused"  # back to review with the reason
    FAILED = "failed"  # can be tried again


class UndoState(StrEnum):
    """What became of the undo of an edit."""

    NONE = ""  # nobody has asked for it
    PLANNED = "planned"  # it would be undone; in plans only
    UNDONE = "undone"
    KEPT = "kept"  # it is not ours to take back any more
    FAILED = "failed"  # can be tried again


_Record = TypeVar("_Record")
_SURROGATE = re.compile("[\ud800-\udfff]")


def _quickly_made(record: type[_Record]) -> type[_Record]:
    """Have a frozen record with slots set them directly, and pickled by them: dataclasses look each up by its name, and a corpus has millions."""
    names = [each.name for each in dataclasses.fields(record)]  # type: ignore[arg-type]
    slots = {f"set_{name}": getattr(record, name).__set__ for name in names}
    exec(f"def __init__(self, {', '.join(names)}): {'; '.join(f'set_{name}(self, {name})' for name in names)}", slots)
    slots["__init__"].__defaults__ = record.__init__.__defaults__
    record.__init__ = slots["__init__"]  # type: ignore[method-assign]
    values = attrgetter(*names)
    record.__reduce__ = lambda self: (record, values(self))  # type: ignore[method-assign]
    return record


@_quickly_made
@dataclass(frozen=True, slots=True)
class Document:
    """One article, chapter, module or paper."""

    id: str  # unique in the workspace and stable over runs: source name + path inside it (+ page title)
    title: str = ""
    language: str = "en"
    licence: str = ""
    url: str = ""
    source: str = ""  # name of the corpus: the folder or archive it came from
    format: str = ""  # reader that read it: a name of `discover --list-formats`
    kind: str = ""  # encyclopaedia, textbook or paper: what a title means depends on it
    identifiers: tuple[tuple[str, str], ...] = ()  # ("arxiv", "0903.1000"), ("doi", …), ("qid", …)
    # The first characters of an encyclopaedia article's text: read from the source, and no part of the stored record.
    opening: str = dataclasses.field(default="", metadata={"stored": False})
    # ISO date on which it was fetched, where a crawl's manifest says so: kept in `retrievals`.
    retrieved: str = dataclasses.field(default="", metadata={"stored": False})
    # What of its formulas could not be read ("3 of 20 formulas are pictures only"): for the report of the run.
    unread: Message | None = dataclasses.field(default=None, metadata={"stored": False})


@_quickly_made
@dataclass(frozen=True, slots=True)
class Definition:
    """“where m is the mass”: a symbol, what the text says it means."""

    symbol: str
    meaning: str


@_quickly_made
@dataclass(frozen=True, slots=True)
class NameHint:
    """A name that the document's structure (not its prose) gives to a formula.

    `kind`: key_equation (row of a table of key equations), defined_term (term element in the window), glossary (term whose
    entry has this equation first), infobox (field name), bold_title (bold article title in the window), equation_title
    (caption of a titled box), qid (the author tied the formula to an item: `<math qid=Q35875>`).
    """

    kind: str
    name: str


@_quickly_made
@dataclass(frozen=True, slots=True)
class Occurrence:
    """A formula where it stands. `window` is whole sentences of rendered text, formulas masked as ⟦position⟧."""

    document: str
    position: int  # ordinal among the document's formulas, from 0
    tex: str
    display: bool
    window: str = ""
    heading: str = ""  # the nearest section heading
    role: Role = "text"
    definitions: tuple[Definition, ...] = ()
    hints: tuple[NameHint, ...] = ()
    cues: tuple[NameHint, ...] = ()  # of an occurrence that was mined: what the document calls it, structure and prose


@dataclass(frozen=True, slots=True)
class Representation:
    """One way of writing a concept; `level` is the strictest key that it shares with the concept's own tex."""

    tex: str
    level: str
    occurrences: int = 0
    documents: int = 0


@_quickly_made
@dataclass(frozen=True, slots=True)
class NameCandidate:
    name: str
    score: float  # 0 to 1, for ranking only
    reasons: tuple[Message, ...] = ()  # what a reviewer reads
    documents: int = 0  # in how many documents the pair (formula, name) stands
    known: float = 0.0  # how much of the score is not the corpus's: textbooks call the formula so


@_quickly_made
@dataclass(frozen=True, slots=True)
class FormulaConcept:
    """Equivalent formulas found in the corpus under one key (the paper's Formula Concept)."""

    key: str
    tex: str
    occurrences: int  # d of the paper
    documents: int  # D of the paper
    representations: tuple[Representation, ...] = ()
    names: tuple[NameCandidate, ...] = ()
    places: tuple[tuple[str, int], ...] = ()  # best (document, position) pairs to show, most telling first
    definitions: tuple[Definition, ...] = ()

    @property
    def names_from_corpus(self) -> tuple[NameCandidate, ...]:
        """Return the names that the corpus says, by its score alone, best first: what textbooks know is not evidence of it."""
        from_corpus = (
            dataclasses.replace(n, score=round(n.score - n.known, 4), known=0.0)
            for n in self.names
            if n.known < n.score or not n.known
        )
        return tuple(sorted(from_corpus, key=lambda n: -n.score))


@dataclass(frozen=True, slots=True)
class Reference:
    """Snaks of one reference: (property id, datatype, value). Times are "+2026-11-20T00:00:00Z", items are QIDs."""

    snaks: tuple[tuple[str, str, str], ...]


@_quickly_made
@dataclass(frozen=True, slots=True)
class Statement:
    guid: str
    property: str
    value: str  # TeX, QID or string; "" for somevalue and novalue
    rank: str = "normal"
    references: tuple[Reference, ...] = ()
    snaktype: str = "value"
    qualifiers: tuple[tuple[str, str], ...] = ()


@_quickly_made
@dataclass(frozen=True, slots=True)
class Item:
    qid: str
    label: str = ""
    aliases: tuple[str, ...] = ()
    description: str = ""
    classes: tuple[str, ...] = ()  # QIDs of instance of (P31)
    statements: tuple[Statement, ...] = ()  # statements of interest: defining formula and what qualifies it
    revision: int = 0
    redirect: str = ""  # the target's QID where this item was merged
    missing: bool = False
    sitelinks: tuple[tuple[str, str], ...] = ()  # ("enwiki", "Hubble's law")
    fields: tuple[str, ...] = ()  # QIDs of what it is part of (P361), studied by (P2579) or a facet of (P1269)

    def live_statements(self, *properties: str) -> list[Statement]:
        """Return the statements of these properties that count: with a value, not deprecated."""
        return [s for s in self.statements if s.property in properties and s.value and s.rank != "deprecated"]


@_quickly_made
@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason for (score > 0) or against (score < 0), and what a reviewer reads of it."""

    name: str
    score: float
    detail: Message
    value: float | None = None  # what was measured, where the score is what it weighed; None in older records

    @classmethod
    def of(cls, code: str, score: float, /, **values: Value) -> Self:
        """Return the evidence whose message is `evidence.<code>`; what stands before the dot is its name."""
        return cls(code.partition(".")[0], score, Message(f"evidence.{code}", **values))


@dataclass(frozen=True, slots=True)
class ItemMatch:
    concept: str  # key
    tex: str  # the representation this item would be given
    qid: str
    probability: float
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Check:
    name: str
    state: CheckState
    detail: Message

    @classmethod
    def of(cls, code: str, state: CheckState, /, **values: Value) -> Self:
        """Return the check whose message is `check.<code>`; what stands before the dot is its name, with blanks."""
        return cls(code.partition(".")[0].replace("_", " "), state, Message(f"check.{code}", **values))

    def __str__(self) -> str:
        return f"{self.name}: {self.detail}"


@dataclass(frozen=True, slots=True)
class Quote:
    """The sentence that supports a proposal; `window` as in Occurrence, `formulas` gives TeX for its masks."""

    document: str
    position: int
    window: str
    heading: str = ""
    name: str = ""  # the name found in it
    title: str = ""
    url: str = ""
    formulas: tuple[tuple[int, str], ...] = ()
    where: str = ""  # where the name stands: sentence, heading, title, or the kind of the structure's hint
    cited: str = ""  # the value that names the document in its reference: an item, a DOI, an arXiv ID or an address

    @property
    def tex(self) -> str:
        """Return the formula as the document writes it; "" where it is not known."""
        return dict(self.formulas).get(self.position, "")


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the machine suggests. `id` is made from (qid, property, formula key), `hash` from all that would be written."""

    id: str
    kind: Kind
    qid: str
    property: str
    tex: str
    references: tuple[Reference, ...]
    evidence: tuple[Evidence, ...]
    checks: tuple[Check, ...]
    probability: float
    base_revision: int
    hash: str
    expires: str  # ISO date
    statement: str = ""  # GUID of the standing statement, for add_reference
    concept: str = ""
    quotes: tuple[Quote, ...] = ()
    runners_up: tuple[tuple[str, str, float], ...] = ()  # (qid, label, probability)
    other_formulas: tuple[tuple[str, float], ...] = ()  # for this item: (tex, probability)
    claim: str = ""  # id of the proposal that made the claim, where this is one more source for it
    # (GUID, TeX) of the item's other formulas, beside which it would be written
    beside: tuple[tuple[str, str], ...] = ()
    given: tuple[Reference, ...] = ()  # of `references`, those that a reviewer named
    instead_of: str = ""  # id of the proposal whose reviewer said that the formula is this item's
    # For kind symbol, whose `tex` is the symbol, `claim` its formula's proposal and `formula` its formula's TeX:
    qualifiers: tuple[tuple[str, str, str], ...] = ()  # as the snaks of a reference
    formula: str = ""
    flag: str = field(default="", init=False)  # why a person should look, for kind flag: the checks that failed

    def __post_init__(self) -> None:
        object.__setattr__(self, "flag", "; ".join(str(check) for check in self.checks if check.state == "fail"))


@dataclass(frozen=True, slots=True)
class Decision:
    """A person's decision on exactly one content. `verdict`: approve, reject, close, skip, unsure, withdraw."""

    proposal: str
    hash: str
    verdict: str
    references: tuple[str, ...] = ()  # a verdict for each reference, in order
    reason: str = ""
    reviewer: str = ""
    time: str = ""
    tex: str = ""  # what the reviewer wrote instead, where the formula was edited before approval
    edit_confirmed: bool = False  # the reviewer said again that the edited formula is meant, though it is another one
    # QID of the item that it is instead, GUID of the statement that is wrong, or revision that was checked
    about: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """One attempt to write what was approved: a row of the ledger."""

    n: int = 0
    proposal: str = ""
    hash: str = ""
    plan: str = ""
    group: str = ""  # edit group
    qid: str = ""
    guid: str = ""
    payload: Json = field(default_factory=dict, hash=False)  # a whole claim, or one reference
    decision: int = 0  # the number of the decision that it carries out
    reviewer: str = ""
    revision_before: int = 0
    revision: int = 0
    outcome: EditOutcome = EditOutcome.PENDING
    reason: str = ""  # the sentence of exports
    message: Json | None = field(default=None, hash=False)  # the same as a code with values
    time: str = ""
    undo: str = ""  # what became of its undo: the sentence of exports
    undo_message: Json | None = field(default=None, hash=False)  # the same as a code with values
    undo_state: UndoState = UndoState.NONE
    undo_revision: int = 0  # the revision that took it back, or that put back what somebody had made of it

    @property
    def explanation(self) -> Message:
        """Return why the attempt ended as it did, for a reader of any language."""
        with contextlib.suppress(ValueError):  # somebody changed the row past the commands
            return from_json(self.message)
        return uncoded_message(self.reason)

    @property
    def undone(self) -> bool:
        """Say whether we have taken it back."""
        return self.undo_state is UndoState.UNDONE


@dataclass(frozen=True, slots=True)
class Finding:
    audit: str
    item: str
    severity: Severity
    what: str
    evidence: str = ""
    label: str = ""  # of the item
    formulas: tuple[str, ...] = ()  # TeX that the finding is about
    id: str = ""  # of all that is said but the label, `what` by its code: what changes is another finding
    first_seen: str = ""  # when an audit first said so
    new: bool = False  # the audit before did not say so
    muted: str = ""  # why a person accepts it as it is
    message: Json | None = field(default=None, hash=False)  # `what` as a code with values
    step: Json | None = field(default=None, hash=False)  # what to do next, likewise

    @property
    def explanation(self) -> Message:
        """Return what was found, for a reader of any language."""
        return from_json(self.message) if self.message else uncoded_message(self.what)

    @property
    def next_step(self) -> Message | None:
        return from_json(self.step) if self.step else None


_PLAIN = str, int, float  # a union would be made anew at each of millions of calls
PAIRS = {"pairs": True}  # metadata of a field of (place, message) pairs that a summary prints


def as_json(record: object) -> Any:
    """Return plain JSON values for a record, a tuple of records, or a plain value.

    A field with a message is its English sentence, with `code` and `values` beside it; one with several messages has
    them as `messages` beside it. Where several fields say something, these names of all but the last begin with that
    of the field; so does the one beside (place, message) pairs.
    """
    if isinstance(record, _PLAIN):
        return record
    if isinstance(record, Message):
        return to_json(record)
    if dataclasses.is_dataclass(record) and not isinstance(record, type):
        out: dict[str, Any] = {}
        for name, prefix in _stored(record.__class__):
            value = getattr(record, name)
            if isinstance(value, Message):
                out |= {name: export_sentence(value), **{prefix + key: part for key, part in to_json(value).items()}}
            elif isinstance(value, tuple) and value and isinstance(value[0], Message):
                out |= {name: list(map(export_sentence, value)), f"{prefix}messages": list(map(to_json, value))}
            elif value and name in _paired(record.__class__):
                out[name] = [(place, export_sentence(message)) for place, message in value]
                out[f"{name}_messages"] = [to_json(message) for _, message in value]
            else:
                out[name] = as_json(value)
        return out
    if isinstance(record, dict):
        return {key: as_json(value) for key, value in record.items()}
    if isinstance(record, list | tuple):
        return [as_json(value) for value in record]
    return record


@cache
def _paired(record: type) -> frozenset[str]:
    """Return the names of the fields that are said to hold (place, message) pairs for a reader of JSON."""
    return frozenset(each.name for each in dataclasses.fields(record) if "pairs" in each.metadata)


@cache
def _stored(record: type) -> tuple[tuple[str, str], ...]:
    """Return the names of the fields, each with what the names of its codes begin with."""
    stored = [each for each in dataclasses.fields(record) if each.metadata.get("stored", True)]
    last = next((each.name for each in reversed(stored) if "Message" in str(each.type)), "")
    return tuple((each.name, "" if each.name == last else f"{each.name}_") for each in stored)


def is_text(*texts: str) -> bool:
    """Tell whether texts can be stored: half a surrogate pair can stand in JSON and in no database; a zero byte ends a string in some."""
    return all("\x00" not in text and (text.isascii() or not _SURROGATE.search(text)) for text in texts)


def digest(*parts: object, length: int = 40) -> str:
    """Return a hex digest of JSON-able parts, the same in every process and on every machine."""
    text = json.dumps(as_json(list(parts)), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:length]
