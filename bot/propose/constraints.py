"""The property's own constraints, as the wiki states them when the bot runs, and what a value does against them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from bot.messages import Message
from bot.records import Check
from bot.settings import Properties
from bot.wikibase import Json


@dataclass(frozen=True, slots=True)
class Constraints:
    """What one revision of the property demands of values and items."""

    revision: int
    formats: tuple[str, ...] = ()  # regular expressions, of which each must fit
    distinct: bool = False  # no value on two items
    single: bool = False  # one value an item
    classes: tuple[str, ...] = ()  # of which the item should be an instance
    unread: tuple[str, ...] = ()  # constraint types that are not looked at here


def read(entity: Json, properties: Properties) -> Constraints | None:
    """Return the constraints in a property's entity JSON; None where the wiki states none."""
    claims = dict(entity.get("claims") or {}).get(properties.property_constraint) or []
    live = [claim for claim in claims if claim.get("rank") != "deprecated"]
    kinds = [(kind, claim) for claim in live for kind in _ids(claim.get("mainsnak", {}))]
    if not kinds:
        return None
    known = {properties.format_constraint, properties.distinct_values_constraint}
    known |= {properties.single_value_constraint, properties.subject_type_constraint}
    found = {kind for kind, _ in kinds}
    return Constraints(
        revision=int(entity.get("lastrevid", 0)),
        formats=tuple(_qualifiers(kinds, properties.format_constraint, properties.constraint_regex)),
        distinct=properties.distinct_values_constraint in found,
        single=properties.single_value_constraint in found,
        classes=tuple(_qualifiers(kinds, properties.subject_type_constraint, properties.constraint_class)),
        unread=tuple(sorted(found - known)),
    )


def check(
    constraints: Constraints | None, tex: str, classes: Collection[str], has_other: bool, elsewhere: bool
) -> Check:
    """Return how a value would fare; `unknown` where the wiki states no constraints or a pattern cannot be read."""
    if constraints is None:
        return Check.of("constraints.none_stated", "unknown")
    if broken := tuple(_broken(constraints, tex, has_other, elsewhere)):
        return Check.of("constraints.broken", "warn", broken=broken, revision=constraints.revision)
    unsure = [Message("constraint.type", qid=kind) for kind in constraints.unread]
    if constraints.classes and not set(constraints.classes) & set(classes):
        unsure.append(Message("constraint.classes"))
    if any(_fits(pattern, tex) is None for pattern in constraints.formats):
        unsure.append(Message("constraint.pattern"))
    if unsure:
        return Check.of("constraints.unsure", "unknown", unsure=tuple(unsure), revision=constraints.revision)
    return Check.of("constraints.ok", "ok", revision=constraints.revision)


def _broken(constraints: Constraints, tex: str, has_other: bool, elsewhere: bool) -> Iterator[Message]:
    if any(_fits(pattern, tex) is False for pattern in constraints.formats):
        yield Message("constraint.format")
    if constraints.single and has_other:
        yield Message("constraint.single")
    if constraints.distinct and elsewhere:
        yield Message("constraint.distinct")


def _fits(pattern: str, tex: str) -> bool | None:
    try:
        return re.fullmatch(pattern, tex) is not None
    except re.error:
        return None  # the wiki's patterns are PCRE, and a few are no Python


def _qualifiers(kinds: list[tuple[str, Json]], kind: str, property_id: str) -> Iterator[str]:
    for found, claim in kinds:
        if found == kind:
            for snak in dict(claim.get("qualifiers") or {}).get(property_id, []):
                yield from _ids(snak)


def _ids(snak: Json) -> Iterator[str]:
    value = snak.get("datavalue", {}).get("value")
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and isinstance(value.get("id"), str):
        yield value["id"]
