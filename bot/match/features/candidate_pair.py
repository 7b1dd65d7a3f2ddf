"""The input of the evidence functions: a concept with its occurrences in the corpus, and one candidate item."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from bot.discover.articles import ArticleReading
from bot.discover.articles.article import sentence_around
from bot.discover.cues.cue_language import CueLanguage, article_language
from bot.discover.cues.mentions import Mention, mentions
from bot.discover.label_scope import GENERAL, NARROW, SAME, name_scope
from bot.formula import identifiers, statement_kind
from bot.match.builtin.reviewer_answers import ReviewerAnswer
from bot.match.item_labels import ALIAS, fold, variants
from bot.match.retrieval.context import stems
from bot.match.retrieval.contextual import distinctive_words
from bot.match.retrieval.known_concepts import ConceptIndex
from bot.match.retrieval.quantities import left_symbol
from bot.match.retrieval.recognise import Hit
from bot.records import Document, Evidence, FormulaConcept, Item, NameCandidate, Occurrence

# Kinds of cue by what tells the formula's name: its author, the left side, its sentence, what the sentence is about.
AUTHOR, SECTION = "author", "section"
_TOLD_BY = {
    kind: by
    for by, kinds in (
        (AUTHOR, "key_equation equation_title"),
        ("left side", "left_text title_symbol symbol symbol_far apposition"),
        ("sentence", "adjacent adjacent_comma equals defined called called_before is_the this_is states label row parenthesis is_for"),
        ("subject", "subject_first subject_before phrase phrase_quantity phrase_law"),
    )
    for kind in kinds.split()
}  # fmt: skip
MIN_RECOGNITION = 0.1  # chosen: probability below which what is recognised says nothing


@dataclass(frozen=True)
class ConceptOccurrence:
    """One occurrence with its document, and its rank among the document's equations (0 is the first).

    `defines` says how likely the formula defines what the article is about; 0 where another one of the article is likelier.
    """

    occurrence: Occurrence
    document: Document
    rank: int
    defines: float = 0.0

    @cached_property
    def text(self) -> str:
        """Return the window folded for searching; masks stay."""
        return fold(self.occurrence.window)

    @cached_property
    def words_above(self) -> frozenset[str]:
        """Return the stems of the words in title and heading."""
        return stems(self.document.title) | stems(self.occurrence.heading)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return the stems of the words in title, heading and window."""
        return self.words_above | stems(self.occurrence.window)

    @property
    def mask(self) -> str:
        return f"⟦{self.occurrence.position}⟧"

    @cached_property
    def mentions(self) -> tuple[Mention, ...]:
        """Return the names that the sentences around the formula have."""
        return tuple(mentions(self.occurrence, self.language))

    @cached_property
    def language(self) -> CueLanguage:
        return article_language(self.document.language)

    @cached_property
    def sentence(self) -> tuple[str, str]:
        """Return the parts of the sentence before and after the formula; empty without a window."""
        return sentence_around(self.occurrence)


@dataclass(frozen=True)
class ConceptView:
    """A concept, where it occurs, and what its formula looks like."""

    concept: FormulaConcept
    occurrences: tuple[ConceptOccurrence, ...]
    known: ConceptIndex  # by which formulas are recognised
    recognised: Sequence[Hit] = ()  # the known concepts recognised in the formula, the likeliest first
    answer: ReviewerAnswer | None = None
    removed: Mapping[str, tuple[int, int]] = field(default_factory=dict)  # of its documents: see removed_by_document

    def share_introduced_as(self, kind: str) -> float:
        """Return the share of places where the words before the formula introduce it so, by a pattern of the document's language."""
        return self._share(lambda one: bool(one.language.pattern(kind).search(one.sentence[0])))

    @cached_property
    def share_with_symbols_explained(self) -> float:
        """Return the share of places where the words behind the formula explain its symbols."""
        return self._share(lambda one: bool(one.language.pattern("explained").search(one.sentence[1])))

    def _share(self, holds: Callable[[ConceptOccurrence], bool]) -> float:
        with_mask = [one for one in self.occurrences if one.mask in one.occurrence.window]
        return sum(map(holds, with_mask)) / len(with_mask) if with_mask else 0.0

    @cached_property
    def left(self) -> str:
        """Return the symbol that is the whole left side, or ""."""
        return left_symbol(self.concept.tex)

    @cached_property
    def kind(self) -> str:
        return statement_kind(self.concept.tex)

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        return identifiers(self.concept.tex)

    @cached_property
    def letters(self) -> frozenset[str]:
        """Return the symbols, large and small alike."""
        return frozenset(symbol.casefold() for symbol in self.symbols)

    @cached_property
    def corpus_names(self) -> Sequence[NameCandidate]:
        """Return the names from the corpus, the best first; the name in the built-in list is separate evidence."""
        return self.concept.names_from_corpus

    @cached_property
    def names(self) -> Mapping[str, tuple[int, float]]:
        """Return every folded spelling of the name candidates with (rank, closeness to the name as found)."""
        found: dict[str, tuple[int, float]] = {}
        for rank, name in enumerate(self.corpus_names):
            for spelling, close in variants(name.name):
                if spelling not in found or found[spelling][1] < close:
                    found[spelling] = (rank, close)
        return found

    @cached_property
    def meanings(self) -> Mapping[str, frozenset[str]]:
        """Return the folded meanings of each symbol, from the text near the formula."""
        found: dict[str, set[str]] = defaultdict(set)
        near = [definition for one in self.occurrences for definition in one.occurrence.definitions]
        for definition in (*self.concept.definitions, *near):
            for symbol in identifiers(definition.symbol)[:1]:
                found[symbol].add(fold(definition.meaning))
        return {symbol: frozenset(meanings) for symbol, meanings in found.items()}


@dataclass(frozen=True)
class CandidatePair:
    """A concept that might be an item's."""

    view: ConceptView
    item: Item
    formula_property: str = ""
    articles: tuple[ArticleReading, ...] = ()  # what encyclopaedia articles about the item say its formula is

    @cached_property
    def labels(self) -> Mapping[str, float]:
        """Return the item's label and aliases, folded, with how much each is worth."""
        return labels_of(self.item)

    def is_builtin(self, qid: str) -> bool:
        """Tell whether a concept of the built-in list is this item: by its name, and by its QID where the built-in list has this item's;
        a concept of the workspace's own database by its QID.

        On another wiki than Wikidata a QID is another item, and the name decides.
        """
        index = self.view.known
        if index.is_own(qid):
            return qid == self.item.qid
        if fold(index.label(qid)) not in self.labels:
            return False
        return qid == self.item.qid or not index.is_named(self.item.qid, self.labels)

    @cached_property
    def recognition(self) -> Hit | None:
        """Return the hit by which the formula is recognised as this item's; None if its probability is too low."""
        found = next((hit for hit in self.view.recognised if self.is_builtin(hit.qid)), None)
        return found if found and found.probability >= MIN_RECOGNITION else None

    @cached_property
    def label_words(self) -> frozenset[str]:
        """Return the stems of the words of the item's label, without those that many labels have."""
        label = fold(self.item.label)
        return stems(" ".join(distinctive_words(label))) or stems(label)

    @cached_property
    def scopes(self) -> Sequence[Mapping[str, Mapping[str, str]]]:
        """Return for each place how the names that the formula has there stand to the item: by who tells it, scopes each with a name."""
        found = []
        for one in self.view.occurrences:
            scopes: dict[str, dict[str, str]] = defaultdict(dict)
            names = [(_TOLD_BY.get(each.kind), each.name) for each in (*one.occurrence.hints, *one.occurrence.cues)]
            for by, name in (*names, (SECTION, one.occurrence.heading)):
                if by and (scope := self._scope(name, one.language)):
                    scopes[by].setdefault(scope, name)
            found.append(scopes)
        return found

    def _scope(self, name: str, language: CueLanguage) -> str:
        if self.closeness(name) > 0.5:
            return SAME
        found = {name_scope(fold(name), label, language) for label in self.labels}
        return next((scope for scope in (SAME, GENERAL, NARROW) if scope in found), "")

    def closeness(self, name: str) -> float:
        """Return how nearly a name is a label of the item: 1.0 the label itself, 0.0 not at all."""
        labels = self.labels
        return max((close * labels[spelling] for spelling, close in variants(name) if spelling in labels), default=0.0)


def labels_of(item: Item) -> dict[str, float]:
    """Return folded labels of an item with their weights."""
    found = {fold(alias): ALIAS for alias in item.aliases if fold(alias)}
    if item.label:
        found[fold(item.label)] = 1.0
    return found


def equation_ranks(places: Iterable[tuple[str, int]]) -> dict[tuple[str, int], int]:
    """Return for each of these places its rank among those in the same document; a place of two concepts counts once."""
    positions: dict[str, set[int]] = defaultdict(set)
    for document, position in places:
        positions[document].add(position)
    return {
        (document, position): rank
        for document, found in positions.items()
        for rank, position in enumerate(sorted(found))
    }


Features: TypeAlias = tuple[Callable[[CandidatePair], Evidence | None], ...]
