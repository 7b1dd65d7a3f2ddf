"""Whether two formulas have one well-known concept: both are recognised in the built-in list, and their hits are compared.

For example, ∇·E = ρ/ε₀ and ∂ᵢEᵢ = 4πρ are one law, and V = IR and F = ma are two.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from types import MappingProxyType
from typing import Any, SupportsIndex

import numpy as np

from bot.formula import Comparison, clean, tokens, unreadable
from bot.formula.alignment.forms.conventions import compare_conventions
from bot.formula.features.structural import token_ngrams
from bot.items_file import ItemRow
from bot.match.builtin import Concept, builtin_formulas, shown_id
from bot.match.builtin.workspace_formulas import workspace_entries
from bot.match.item_labels import fold, variants
from bot.match.retrieval.feature_groups import ChannelIndex, Floats
from bot.match.retrieval.quantities import same_quantity
from bot.match.retrieval.recognise import Hit, Recogniser, shipped_same_concept_weights
from bot.messages import Message
from bot.records import Item
from bot.settings import Settings
from bot.store import Workspace

SAME_CONCEPT_FEATURES = ("overlap", "least", "most", "agree", "first", "alike", "size", "ratio", "likely")
# Leaves of a formula, and items that share it, by which items are held to be related
RELATED_LEAVES, RELATED_ITEMS = 5, 6
SAME_NAME = (
    0.85  # likeness of two spellings of one name: they differ in number, hyphen, apostrophe or what is in parentheses
)
BOTH_LISTED = 0.95  # probability of one concept where one item of the list has both formulas; of 18 such pairs among 380 labelled ones all are
MIN_LIKELY = 0.175  # probability of a concept for one of two formulas at least, if they are to be of it; below it the concept is mostly a third one's
LIKELY = 0.3  # probability from which an item may be the formula's
CACHED_HITS = 512  # formulas whose hits are kept: those of one pair are asked for several times, and one formula stands in many pairs
_BUILT = ("recogniser", "hits")
Related = Mapping[str, frozenset[str]]


@dataclass(frozen=True, slots=True)
class SharedConcept:
    """The concept that two formulas most likely share, and how likely they share it."""

    qid: str
    label: str
    probability: float


class ConceptIndex:
    """The concepts of a list and a workspace's own as an index, built when it is first asked (seconds); an empty one recognises nothing."""

    def __init__(
        self,
        book: Mapping[str, Concept],
        own: Mapping[str, Concept] = MappingProxyType({}),
        maker: tuple[Callable[..., "ConceptIndex"], tuple[object, ...]] | None = None,
    ) -> None:
        """`maker` is a cached function and its arguments that return this index: another process calls it, and has one for all that it computes."""
        self._own = dict(own)
        self.entries: Mapping[str, Concept] = {
            **book,
            **{qid: _merged_entry(book.get(qid), one) for qid, one in own.items()},
        }
        self._book, self._maker = book, maker

    def __reduce_ex__(self, protocol: SupportsIndex) -> tuple[Any, ...] | str:
        return self._maker or super().__reduce_ex__(protocol)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name not in _BUILT}  # built again, in seconds

    @cached_property
    def recogniser(self) -> Recogniser:
        """The index itself."""
        rows: list[ItemRow] = [
            {"qid": qid, "label": concept.label, "formulas": self._own[qid].formulas if qid in self._own else ()}
            for qid, concept in self.entries.items()
        ]
        return Recogniser(rows, book=self._book)

    @cached_property
    def related(self) -> Related:
        """The items that share a formula or their label with each."""
        return related_items(self.recogniser.index, self._by_label.values())

    def release(self) -> None:
        """Free the memory of the index; the next query builds it again."""
        for name in _BUILT:
            self.__dict__.pop(name, None)

    @cached_property
    def hits(self) -> Callable[[str], list[Hit]]:
        """What a formula is recognised as, kept for the formulas that were asked for last."""
        return lru_cache(maxsize=CACHED_HITS)(self.recogniser.hits)

    def shared_concept(self, a: str, b: str) -> SharedConcept | None:
        """Return a concept that both formulas may have; None if none is similar to both."""
        left, right = self.hits(a), self.hits(b)
        shared = _forms_of(left) & _forms_of(right)
        if shared:  # whatever other items have one of them, too
            qid = next(hit.qid for hit in left if hit.qid in shared)
            return SharedConcept(qid, self.entries[qid].label, BOTH_LISTED)
        qid = closest_item(left, right, self.related)
        if not any(hit.qid == qid and hit.probability >= MIN_LIKELY for hit in (*left, *right)):
            return None
        weights = shipped_same_concept_weights()
        features = same_concept_features((a, b), (left, right), qid, self.related)
        logit = float(features @ weights[:-1] + weights[-1])
        return SharedConcept(qid, self.entries[qid].label, 1 / (1 + math.exp(-logit)))

    def confirmed_shared_concept(self, a: str, b: str) -> SharedConcept | None:
        """Return the concept that both formulas likely have, if neither contradicts the formulas of that concept."""
        shared = self.shared_concept(a, b)
        if shared is None or shared.probability < 0.5:
            return None
        other = [tex for tex in (a, b) if shared.qid not in _forms_of(self.hits(tex), "K2")]
        return None if any(self.recogniser.difference(tex, shared.qid) for tex in other) else shared

    def has_both(self, qid: str, a: str, b: str) -> bool:
        """Tell whether both formulas are forms of one item as they stand: then it is not a misprint by which they differ. What only speaks of the item may be of two quantities."""
        forms = [
            hit.formula
            for tex in (a, b)
            for hit in self.hits(tex)
            if hit.qid == qid and hit.level and hit.level <= "K2"
        ]
        return len(forms) == 2 and not {*forms}.isdisjoint(self.defining_formulas(qid))

    def label(self, qid: str) -> str:
        """Return the label of a known concept."""
        return self.entries[qid].label

    def is_named(self, qid: str, labels: Container[str]) -> bool:
        """Tell whether this item is known: the workspace's own by its QID, one of the list under one of these folded labels."""
        if qid in self._own:
            return True
        concept = self.entries.get(qid)
        return concept is not None and fold(concept.label) in labels

    def is_own(self, qid: str, tex: str = "") -> bool:
        """Tell whether the workspace itself knows the item, or this formula of it."""
        return qid in self._own and (not tex or tex in self._own[qid].formulas)

    def entry_of_item(self, qid: str, labels: Collection[str]) -> str:
        """Return the entry that is this item's: its QID's, where that has one of its folded labels, else the only one so called; "" for none."""
        if self.is_named(qid, labels):
            return qid
        found = {other for label in labels for other in self._by_label.get(label, ())}
        return found.pop() if len(found) == 1 else ""

    def definitions_of_item(self, item: Item) -> tuple[str, ...] | None:
        """Return the formulas by which an item's entry defines it; () if it has none, None where there is no list either."""
        return self._definitions_if_listed(self.entry_of_item(item.qid, {*map(fold, (item.label, *item.aliases))}))

    def definitions_called(self, name: str) -> tuple[str, ...] | None:
        """Return the formulas by which the only entry that a title names defines it, as `definitions_of_item` does."""
        found = (self._by_label.get(spelling, ()) for spelling, likeness in variants(name) if likeness >= SAME_NAME)
        entries = next(filter(None, found), ())
        return self._definitions_if_listed(entries[0] if len(entries) == 1 else "")

    def _definitions_if_listed(self, entry: str) -> tuple[str, ...] | None:
        return self.defining_formulas(entry) if entry else () if self._book else None

    def formulas(self, qid: str) -> tuple[str, ...]:
        """Return the formulas of an entry."""
        return self.entries[qid].formulas

    def defining_formulas(self, qid: str) -> tuple[str, ...]:
        """Return the formulas of an entry that surely define the concept, the most general one first."""
        return self.entries[qid].defining

    def is_doubtful(self, qid: str, tex: str) -> bool:
        """Tell whether a formula of an entry may not define the concept."""
        return tex in self.entries[qid].doubtful

    @cached_property
    def _by_label(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for concept in self.entries.values():
            found[fold(concept.label)] = (*found.get(fold(concept.label), ()), concept.qid)
        return found

    def part_of(self, a: str, b: str) -> tuple[str, str] | None:
        """Return the labels of a part and of its whole, where one formula is likely of the one and the other of the other (part of, one step); None otherwise."""
        left, right = self.hits(a), self.hits(b)
        for part, whole in ((left, right), (right, left)):
            if part and whole and min(part[0].probability, whole[0].probability) >= LIKELY:
                listed = self.entries.get(part[0].qid)
                if listed is not None and whole[0].qid in listed.part_of and whole[0].qid in self.entries:
                    return listed.label, self.label(whole[0].qid)
        return None

    def different_concepts(self, a: str, b: str) -> tuple[str, str] | None:
        """Return the labels of the two concepts if both formulas are in the built-in list and neither is similar to the other's item."""
        left, right = self.hits(a), self.hits(b)
        if not _both_known(left, right) or _likely(left) & _likely(right):
            return None
        return self.entries[left[0].qid].label, self.entries[right[0].qid].label


def refine_comparison(found: Comparison, a: str, b: str, *, listed: bool = True) -> Comparison:
    """Return a comparison after both are in one convention, and, if `listed`, with what the built-in list knows: unlike formulas of one concept are of one, look-alikes of two are not.

    Unlike forms of one concept are variants of it, and so is a law of the equations that it is part of, which is not of their concept; what differs decisively from one is none (E = mc³), unless the list has both. What the algebra is sure of stays: m = E/c² is E = mc². Only a likeness by renaming, by
    units or by shared terms is taken back, and only where both formulas stand in the built-in list, under items that share nothing.
    A formula that no TeX reads is compared with none but itself.
    """
    if found.relation != "identical" and (why := unreadable(clean(a)) or unreadable(clean(b))):
        return Comparison("different", "", False, Message("note.unreadable", error=why))
    found = compare_conventions(found, a, b, same_quantity)
    if not listed:
        return found
    if not found.same_concept:
        part = found.message.code in ("note.spacetime_part", "note.four_vector")  # which is told by mathematics
        shared = None if part else builtin_concepts().confirmed_shared_concept(a, b)
        if shared is None or (
            found.differs
            and (found.differs.code == "differs.value" or not builtin_concepts().has_both(shared.qid, a, b))
        ):
            parted = builtin_concepts().part_of(a, b) if part or found.relation == "different" else None
            if parted is None:
                return found
            message = Message("note.part_of_concept", note=found.message, part=parted[0], whole=parted[1])
            return replace(found, relation="variant", message=message)
        probability = f"{shared.probability:.2f}"
        message = Message(
            "note.one_concept",
            note=found.message,
            label=shared.label,
            qid=shown_id(shared.qid),
            probability=probability,
        )
        return replace(found, relation="variant", same_concept=True, message=message)
    if (found.relation == "renamed" or found.loose) and (two := builtin_concepts().different_concepts(a, b)):
        message = Message("note.two_concepts", note=found.message, one=two[0], other=two[1])
        return replace(found, relation="different", same_concept=False, message=message)
    return found


def related_items(index: ChannelIndex, groups: Iterable[Sequence[str]] = ()) -> Related:
    """Return QID -> items that share a formula with it: heat equation and diffusion equation, real gas and van der Waals equation.

    Those of a group are related whatever they share: two items may have one label.
    """
    found: dict[str, set[str]] = defaultdict(set)
    for group in groups:
        for qid in group if len(group) > 1 else ():
            found[qid].update(group)
    for rows in index.related_rows("K3"):
        qids = {index.entries[row].qid for row in rows if index.leaves[row] >= RELATED_LEAVES}
        if 1 < len(qids) <= RELATED_ITEMS:
            for qid in qids:
                found[qid] |= qids
    return {qid: frozenset({qid} | others) for qid, others in found.items()}


def closest_item(left: Sequence[Hit], right: Sequence[Hit], relations: Related) -> str:
    """Return the item that has most of both; "" where no item has some of both."""
    if _both_known(left, right):
        relations = {}
    found = [(_shares_of_item(left, right, qid, relations)[0], qid) for qid in {hit.qid for hit in (*left, *right)}]
    share, qid = max(found, default=(0.0, ""))
    return qid if share > 0 else ""


def same_concept_features(
    formulas: tuple[str, str], hits: tuple[Sequence[Hit], Sequence[Hit]], qid: str, relations: Related
) -> Floats:
    """Return what speaks for one concept, in the order of SAME_CONCEPT_FEATURES.

    Overlap of all shares, the concept's own shares, probability of the first hits; then of the formulas themselves: the share of their
    sequences of tokens that both have (unlike forms of one concept have few, look-alikes many), the length of the shorter, its ratio to the
    longer; and the least probability of the concept.
    """
    left, right = hits
    if _both_known(left, right):
        relations = {}
    overlap = sum(math.exp(hit.score) * _with_relations(right, hit.qid, relations) for hit in left)
    least, most = _shares_of_item(left, right, qid, relations)
    one, other = left[0].qid, right[0].qid
    probability = min(left[0].probability, right[0].probability)
    agree = probability if other == one or other in relations.get(one, ()) else -probability
    sequences = [token_ngrams(clean(tex)) for tex in formulas]
    alike = len(sequences[0] & sequences[1]) / (len(sequences[0] | sequences[1]) or 1)
    short, long = sorted(len(tokens(clean(tex))) or 1 for tex in formulas)
    likely = min(next((hit.probability for hit in row if hit.qid == qid), 0.0) for row in hits)
    return np.array(
        [
            _logit(overlap),
            _logit(least),
            _logit(most),
            agree,
            float(one == other),
            alike,
            math.log(short),
            short / long,
            likely,
        ]
    )


def _likely(hits: Sequence[Hit]) -> set[str]:
    return {hit.qid for hit in hits if hit.probability >= LIKELY}


def _forms_of(hits: Sequence[Hit], loosest: str = "K3") -> set[str]:
    """Return the items that have the formula as it stands, or up to a level."""
    return {hit.qid for hit in hits if hit.level and hit.level <= loosest}


def _both_known(left: Sequence[Hit], right: Sequence[Hit]) -> bool:
    """Both formulas stand in the built-in list: p = mv and F = ma are what they are, whatever else force and momentum share."""
    return all(bool(hits) and bool(hits[0].level) and hits[0].level <= "K3" for hits in (left, right))


def _shares_of_item(left: Sequence[Hit], right: Sequence[Hit], qid: str, relations: Related) -> tuple[float, float]:
    """Return what both formulas have of an item, the smaller first; one of them has it itself, the other it or a relation."""
    direct = [sum([math.exp(hit.score) for hit in hits if hit.qid == qid]) for hits in (left, right)]
    related_shares = [_with_relations(hits, qid, relations) for hits in (left, right)]
    return max(
        (min(direct[0], related_shares[1]), max(direct[0], related_shares[1])),
        (min(related_shares[0], direct[1]), max(related_shares[0], direct[1])),
    )


def _with_relations(hits: Sequence[Hit], qid: str, relations: Related) -> float:
    """Return the share of an item, and half of the shares of its relations: they share a formula, not every one."""
    family = relations.get(qid, ())
    return sum(
        [math.exp(hit.score) * (1.0 if hit.qid == qid else 0.5) for hit in hits if hit.qid == qid or hit.qid in family]
    )


def _logit(share: float) -> float:
    inside = min(max(share, 1e-4), 1 - 1e-4)
    return math.log(inside / (1 - inside)) / 3


@cache
def builtin_concepts() -> ConceptIndex:
    """Return the index of the built-in list, one for the process."""
    return ConceptIndex(builtin_formulas(), maker=(builtin_concepts, ()))


@cache
def empty_concepts() -> ConceptIndex:
    """Return an index without entries."""
    return ConceptIndex({})


def known_concepts(workspace: Workspace, settings: Settings) -> ConceptIndex:
    """Return what formulas are recognised by: the built-in list, unless the settings leave it out, and the workspace's database."""
    listed = builtin_formulas() if settings.matching.builtin else {}
    own, remaining = workspace_entries(workspace, listed)
    if own:
        return _concepts_with_own(
            settings.matching.builtin, frozenset(listed.keys() - remaining.keys()), tuple(own.values())
        )
    return builtin_concepts() if listed else empty_concepts()


@lru_cache(maxsize=1)
def _concepts_with_own(builtin: bool, left_out: Set[str], own: tuple[Concept, ...]) -> ConceptIndex:
    """Return one index for all stages of a run: building it takes a second."""
    book = {qid: concept for qid, concept in builtin_formulas().items() if builtin and qid not in left_out}
    maker = _concepts_with_own, (builtin, left_out, own)
    return ConceptIndex(book, {concept.qid: concept for concept in own}, maker)


def _merged_entry(listed: Concept | None, own: Concept) -> Concept:
    """Return the entry of the list with what the workspace knows beside."""
    if listed is None:
        return own
    formulas = tuple(dict.fromkeys((*listed.formulas, *own.formulas)))
    about, doubtful = (
        tuple(tex for tex in marked if tex not in own.formulas) for marked in (listed.about, listed.doubtful)
    )
    return replace(listed, formulas=formulas, about=about, doubtful=doubtful)
