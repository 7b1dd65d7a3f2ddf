"""The item's statements compared with the proposed one, by formula, never by string alone."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.formula import Comparison, compare
from bot.match.features.agreement import equivalent
from bot.messages import Message, Value
from bot.propose.references import missing_references
from bot.records import Item, Reference, Statement
from bot.result_cache import CachedFunction
from bot.settings import Properties

SAME_FORMULA = ("identical", "typographic", "notation")  # relations of which the nearest comes first
RELATIONS_BY_CLOSENESS = (*SAME_FORMULA, "renamed", "rearranged", "variant", "different")
# Relations of two ways of writing one formula: the second one adds a source at most.
EQUIVALENT = (*SAME_FORMULA, "renamed", "rearranged")
# Codes of the item's other formulas, by their relation to the proposed one.
_THERE = dict.fromkeys(SAME_FORMULA, "marks")
OtherFormulas = tuple[tuple[str, str], ...]  # (GUID, TeX) of the other formulas of an item


@dataclass(frozen=True, slots=True)
class ExistingClaim:
    """One statement of the item and how its formula compares with the proposed one, which may be a special case of it."""

    statement: Statement
    comparison: Comparison
    wider: bool = False

    @property
    def same(self) -> bool:
        return self.comparison.relation in SAME_FORMULA and self.comparison.same_concept

    @property
    def is_equivalent(self) -> bool:
        return is_equivalent(self.comparison)

    @property
    def is_deprecated(self) -> bool:
        return self.statement.rank == "deprecated"


@dataclass(frozen=True, slots=True)
class Difference:
    """What can still be proposed. `nothing`: the item has formula and sources already; `flag`: a person must look, `why` says at what.

    `beside`: the item's other formulas, where a new claim would be one more.
    """

    kind: Literal["new_claim", "add_reference", "flag", "nothing"]
    why: Message
    statement: Statement | None = None
    references: tuple[Reference, ...] = ()
    beside: OtherFormulas = ()


def existing_claims(item: Item, tex: str, properties: Properties) -> tuple[ExistingClaim, ...]:
    """Return the item's formula statements of all ranks, the nearest formula first."""
    found = [
        ExistingClaim(statement, *compare_with_existing(tex, statement.value))
        for statement in item.statements
        if statement.property == properties.defining_formula and statement.snaktype == "value"
    ]
    return tuple(sorted(found, key=_closeness))


@CachedFunction
def compare_with_existing(tex: str, value: str) -> tuple[Comparison, bool]:
    """Compare with a formula of the item, and say whether the one at hand is a special case of it.

    What is one formula where the name is one, such as a chain and its first equality, is one here.
    """
    found = compare(tex, value)
    if is_equivalent(found):
        return found, False
    from bot.match.features.special_case import special_case_reason  # it brings what judges; most pairs are cached

    if same := equivalent(*sorted((tex, value))):
        return same, False
    return found, special_case_reason(tex, value) is not None


def is_equivalent(found: Comparison) -> bool:
    """Say whether both write one formula, in other letters or solved otherwise too."""
    return found.relation in EQUIVALENT and found.same_concept


def difference(
    item: Item,
    found: Sequence[ExistingClaim],
    references: Sequence[Reference],
    properties: Properties,
    own: Collection[str] = (),
) -> Difference:
    """Return the possible addition to the item. No existing statement is ever changed.

    `own`: GUIDs of statements that were written from an approval of this workspace. Another formula can be added beside
    them; the same formula is added beside none, and what is written in other letters or solved otherwise counts as the same but beside those.
    """
    wanted = tuple(references)
    same = [each for each in found if each.same or (each.is_equivalent and each.statement.guid not in own)]
    if any(each.is_deprecated for each in same):
        return Difference("flag", _why("deprecated"), None, wanted)
    if same:
        return _reference_only(same[0], wanted, properties)
    if empty := _without_value(item, properties):
        return Difference("flag", _why(empty), None, wanted)
    live = [each for each in found if not each.is_deprecated and each.statement.guid not in own]
    if wider := next((each for each in live if each.wider), None):
        return Difference("nothing", _why("special_case", tex=wider.statement.value))
    if live:
        others_on_item = tuple(sorted((each.statement.guid, each.statement.value) for each in live))
        return Difference("new_claim", _other_formula(live[0]), None, wanted, others_on_item)
    others = [each for each in found if each.statement.guid not in own]
    why = "beside" if len(others) < len(found) else "only_deprecated" if others else "none"
    return Difference("new_claim", _why(why), None, wanted)


def same_formula_message(note: Message) -> Message:
    """Return the message that the formula is there, by what makes it the same."""
    return _why("same", note=note)


def _why(code: str, **values: Value) -> Message:
    return Message(f"check.standing_formulas.{code}", **values)


def _other_formula(nearest: ExistingClaim) -> Message:
    relation = Message(f"there.{_THERE.get(nearest.comparison.relation, nearest.comparison.relation)}")
    if nearest.comparison.level:
        return _why("note", words=relation, note=nearest.comparison.message, tex=nearest.statement.value)
    return _why("plain", words=relation, tex=nearest.statement.value)


def _reference_only(same: ExistingClaim, references: Sequence[Reference], properties: Properties) -> Difference:
    new = missing_references(references, same.statement.references, properties)
    if not new:
        return Difference("nothing", _why("with_source" if references else "already"), same.statement)
    return Difference("add_reference", same_formula_message(same.comparison.message), same.statement, new)


def _without_value(item: Item, properties: Properties) -> str:
    for statement in item.statements:
        if statement.property == properties.defining_formula and statement.snaktype != "value":
            return "no_value" if statement.snaktype == "novalue" else "some_value"
    return ""


def _closeness(each: ExistingClaim) -> tuple[bool, int, str, int, str]:
    relation, level = each.comparison.relation, each.comparison.level or "none"
    rank = {"preferred": 0, "normal": 1}.get(each.statement.rank, 2)
    return not each.same, RELATIONS_BY_CLOSENESS.index(relation), level, rank, each.statement.guid
