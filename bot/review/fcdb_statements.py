"""The Formula Concept Database in sentences: what its items, formulas and symbols are, as subject, predicate and object.

Mathematical statements (item – defining formula – TeX) are of representations that a person accepted; natural-language statements (“E is
energy”, “friction is a force”) are read in the documents of these and are suggestions (paper, future work, “RDF Triple Extraction”).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from bot import store
from bot.discover import all_occurrences
from bot.discover.phrases import fold
from bot.discover.symbols.quantity_names import quantity_of
from bot.discover.symbols.symbol_mentions import sentence_texts
from bot.match.symbols.symbol_rows import symbols_of_concepts
from bot.messages import Message, sentence
from bot.store import Row, Workspace

_IS_A = re.compile(
    r"(?:In [^,⟦⟧]{3,60}, )?(?:[Tt]he |[Aa]n? )?(?P<subject>[^,⟦⟧().:;]{3,60}?)(?: \([^()]*\))?(?:, [^,.]{3,60},)? (?P<verb>is|are) "
    r"(?P<article>an?|one of the) (?P<kind>[^,⟦⟧().:;]{3,80})"
)
# What follows says something of this concept, not which class it is of.
_CLASS_ENDS = frozenset(
    "that which who whose where when with in on for by to from as at used given and or but if is are because since there only".split()
)


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """A natural-language statement with its place in a document.

    The subject is the item `subject`, or where that is "" the symbol `symbol` of `concept`; the object is the item `qid`, or where that is ""
    the words `meaning`. `probability` is None where nothing was weighed.
    """

    text: str  # a sentence in English
    subject: str
    meaning: str
    qid: str
    document: str
    position: int
    sentence: str
    concept: str = ""
    symbol: str = ""
    probability: float | None = None


def item_labels(workspace: Workspace) -> dict[str, tuple[str, ...]]:
    """Return the label and the aliases of each item that the workspace has read."""
    rows = workspace.rows(sa.select(store.items.c.record).order_by(store.items.c.qid))
    records = (row["record"] for row in rows)
    return {each["qid"]: (each["label"], *each["aliases"]) for each in records if each["label"]}


def read_statements(
    workspace: Workspace, rows: Iterable[Row], names: Mapping[str, tuple[str, ...]]
) -> Iterator[ReadStatement]:
    """Yield what the documents of these representations say of their symbols and of their items, each statement once."""
    rows = list(rows)
    by_concept = symbols_of_concepts(workspace, [row["concept"] for row in rows])
    for concept in sorted(by_concept):
        for each in (row for row in by_concept[concept] if row["sentence"]):  # what is only usual, no text says
            yield ReadStatement(
                sentence(Message("triple.is", symbol=f"${each['symbol']}$", meaning=each["label"] or each["meaning"])), "", each["meaning"], each["qid"],
                each["document"], each["position"], each["sentence"], concept, each["symbol"], each["probability"],
            )  # fmt: skip
    items = {row["qid"]: names.get(row["qid"], ()) for row in rows}
    items |= {each["qid"]: (each["label"],) for found in by_concept.values() for each in found if each["qid"]}
    yield from _classes(workspace, {row["document"] for row in rows}, items, names)


def _classes(
    workspace: Workspace, documents: set[str], items: Mapping[str, Iterable[str]], names: Mapping[str, tuple[str, ...]]
) -> Iterator[ReadStatement]:
    subjects = {fold(name): qid for qid, found in items.items() for name in found}
    labels = {fold(found[0]): qid for qid, found in names.items()}
    table = store.documents.c
    english = {row["id"] for row in workspace.rows(sa.select(table.id).where(table.language.startswith("en")))}
    yielded = set()
    for occurrence in all_occurrences(workspace, sorted(documents & english)):
        for text in sentence_texts(occurrence.window):
            found = class_of_subject(text, subjects, labels)
            if found and found not in yielded:
                yielded.add(found)
                place = occurrence.document, occurrence.position
                yield ReadStatement(found.text, found.item, found.kind, found.qid, *place, text)


class ClassStatement(NamedTuple):
    """The item of a concept and its class in the words of the text; `qid` is the item of the class, "" where it is not sure."""

    item: str
    text: str  # subject, verb and class
    kind: str
    qid: str


def class_of_subject(sentence: str, subjects: Mapping[str, str], labels: Mapping[str, str]) -> ClassStatement | None:
    """Return the class that a sentence gives to its subject; None where it gives none.

    `subjects` and `labels` have items by folded names: of what may be spoken of, and of what may be a class. The class is the whole
    phrase or, without adjectives before it, its end: a relativistic wave equation is a wave equation. Single words have several
    meanings, so one is the item's only where both are quantities of one dimension: a friction is a force, but a force is not an “action”.
    """
    found = _IS_A.match(sentence)
    item = subjects.get(fold(found["subject"]), "") if found else ""
    if not found or not item:
        return None
    words = found["kind"].split()
    words = words[: next((n for n, word in enumerate(words) if word.lower() in _CLASS_ENDS), len(words))]
    if not words:
        return None
    kind, name = " ".join(words), found["subject"]
    first = next((n for n, word in enumerate(words) if word == "of"), len(words))
    ends = (" ".join(words[n:]) for n in range(first))
    qid = next((qid for end in ends if (qid := labels.get(fold(end), "")) and qid != item and _is_sure(name, end)), "")
    kind = f"{found['article']} {kind}"
    return ClassStatement(item, f"{name} {found['verb']} {kind}", kind, qid)


def _is_sure(name: str, kind: str) -> bool:
    if " " in kind:
        return True
    one, other = quantity_of(name)[0], quantity_of(kind)[0]
    return one is not None and other is not None and one.dimension is not None and one.dimension == other.dimension
