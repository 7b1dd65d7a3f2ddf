"""What the item says already against what we would say: compared by formula, never by string alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from bot.formula import Comparison, compare
from bot.propose.references import missing
from bot.records import Item, Reference, Statement
from bot.settings import Properties

SAME = ("identical", "typographic", "notation")  # relations of which the nearest comes first
NEARNESS = (*SAME, "renamed", "rearranged", "variant", "different")
_WORDS = {
    **dict.fromkeys(SAME, "a formula that differs in marks only, but perhaps in meaning, stands there"),
    "renamed": "the same formula with other symbols stands there",
    "rearranged": "the same equation stands there, rearranged",
    "variant": "a related formula that is not the same stands there",
    "different": "another formula stands there",
}


@dataclass(frozen=True, slots=True)
class ExistingClaim:
    """One statement of the item and how its formula compares with the one at hand."""

    statement: Statement
    comparison: Comparison

    @property
    def same(self) -> bool:
        return self.comparison.relation in SAME and self.comparison.same_concept

    @property
    def deprecated(self) -> bool:
        return self.statement.rank == "deprecated"


@dataclass(frozen=True, slots=True)
class Difference:
    """What is left to say. `nothing`: formula and sources stand already; `flag`: a person must look, `why` says at what."""

    kind: Literal["new_claim", "add_reference", "flag", "nothing"]
    why: str
    statement: Statement | None = None
    references: tuple[Reference, ...] = ()


def standing(item: Item, tex: str, properties: Properties) -> tuple[ExistingClaim, ...]:
    """Return the item's formula statements of all ranks, the nearest formula first."""
    found = [
        ExistingClaim(statement, compare(tex, statement.value))
        for statement in item.statements
        if statement.property == properties.defining_formula and statement.snaktype == "value"
    ]
    return tuple(sorted(found, key=_nearness))


def difference(
    item: Item,
    found: Sequence[ExistingClaim],
    references: Sequence[Reference],
    properties: Properties,
    own: Collection[str] = (),
) -> Difference:
    """Return what could be added to the item. No existing statement is ever changed.

    `own`: GUIDs of statements that were written from an approval of this workspace. Another formula can be added beside
    them; the same formula is added beside none.
    """
    wanted = tuple(references)
    same = [each for each in found if each.same]
    if any(each.deprecated for each in same):
        return Difference("flag", "this formula stands there, deprecated: people have turned it down", None, wanted)
    if same:
        return _reference_only(same[0], wanted, properties)
    if empty := _without_value(item, properties):
        return Difference("flag", empty, None, wanted)
    live = [each for each in found if not each.deprecated and each.statement.guid not in own]
    if live:
        return Difference("flag", _told(live[0]), None, wanted)
    others = [each for each in found if each.statement.guid not in own]
    why = "only other, deprecated formulas stand there" if others else "no formula stands there yet"
    why = "beside a formula that was approved and written earlier" if len(others) < len(found) else why
    return Difference("new_claim", why, None, wanted)


def _told(nearest: ExistingClaim) -> str:
    words = _WORDS.get(nearest.comparison.relation, _WORDS["different"])
    note = f" ({nearest.comparison.note})" if nearest.comparison.level else ""
    return f"{words}{note}: {nearest.statement.value}"


def _reference_only(same: ExistingClaim, references: Sequence[Reference], properties: Properties) -> Difference:
    new = missing(references, same.statement.references, properties)
    if not new:
        why = "the formula stands there with this source" if references else "the formula stands there already"
        return Difference("nothing", why, same.statement)
    return Difference("add_reference", f"the formula stands there: {same.comparison.note}", same.statement, new)


def _without_value(item: Item, properties: Properties) -> str:
    for statement in item.statements:
        if statement.property == properties.defining_formula and statement.snaktype != "value":
            kind = "no value" if statement.snaktype == "novalue" else "an unknown value"
            return f"the item says that its formula has {kind}"
    return ""


def _nearness(each: ExistingClaim) -> tuple[bool, int, str, int, str]:
    relation, level = each.comparison.relation, each.comparison.level or "none"
    rank = {"preferred": 0, "normal": 1}.get(each.statement.rank, 2)
    return (
        not each.same,
        NEARNESS.index(relation) if relation in NEARNESS else len(NEARNESS),
        level,
        rank,
        each.statement.guid,
    )
