"""An edit made against an old revision, carried over to the newest one: Wikibase's three-way patch and its conflicts.

A stale base is no protection: a change of a statement is applied even over another person's change of the same
statement. Only a patch that loses an operation on its way is a conflict (measured, and so in Wikibase's EditEntity).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar, cast

from bot.sandbox import entity_json
from bot.sandbox.entity_json import EntityJson, Sitelink, StatementJson, Term, TermPart

V = TypeVar("V")
# One operation: (part, key, old, new); None means "not there".
Operation = tuple[str, str, object, object]


def diff(old: EntityJson, new: EntityJson) -> list[Operation]:
    """Return the operations that make `new` of `old`; the order of statements is no content."""
    operations: list[Operation] = []
    for part in entity_json.TERM_PARTS:
        operations += _map_diff(part, old[part], new[part])
    operations += _map_diff("sitelinks", old.get("sitelinks") or {}, new.get("sitelinks") or {})
    for language in dict.fromkeys([*old["aliases"], *new["aliases"]]):
        before, after = _aliases(old, language), _aliases(new, language)
        operations += [("aliases", f"{language}:{text}", text, None) for text in before if text not in after]
        operations += [("aliases", f"{language}:{text}", None, text) for text in after if text not in before]
    old_claims = {one["id"]: one for one in entity_json.statements(old)}
    new_claims = {one["id"]: one for one in entity_json.statements(new)}
    return operations + _map_diff("claims", old_claims, new_claims)


def apply(current: EntityJson, operations: list[Operation]) -> EntityJson:
    """Return the current entity after the operations that still apply to it."""
    out: EntityJson = {**current}
    for part, key, old, new in operations:
        if part == "claims":
            out = _apply_claim(out, key, old, cast(StatementJson | None, new))
        elif part == "aliases":
            out = _apply_alias(out, key.partition(":")[0], old, cast(str | None, new))
        elif part == "sitelinks":
            out["sitelinks"] = _applied(out.get("sitelinks") or {}, key, old, cast(Sitelink | None, new))
        else:
            terms: TermPart = "labels" if part == "labels" else "descriptions"
            out[terms] = _applied(out[terms], key, old, cast(Term | None, new))
    return out


def rebase(
    base: EntityJson, new: EntityJson, current: EntityJson, own_edits_only: bool
) -> tuple[EntityJson | None, str]:
    """Carry an edit over: the entity to save (None for a conflict) and the warning's name, if any.

    `own_edits_only`: only the same account has edited since the base; then a patch that applies in part is saved.
    """
    patch = diff(base, new)
    if not patch:
        return current, ""
    patched = apply(current, patch)
    clean = diff(current, patched)
    if len(clean) == len(patch):
        return patched, "wikibase-conflict-patched"
    if own_edits_only and clean:
        return patched, "wikibase-self-conflict-patched"
    return None, ""


def _map_diff(part: str, old: Mapping[str, object], new: Mapping[str, object]) -> list[Operation]:
    keys = dict.fromkeys([*old, *new])
    return [(part, key, old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)]


def _applied(values: dict[str, V], key: str, old: object, new: V | None) -> dict[str, V]:
    if values.get(key) != old:
        return values
    rest = {k: v for k, v in values.items() if k != key}
    return rest if new is None else {**rest, key: new}


def _apply_claim(entity: EntityJson, guid: str, old: object, new: StatementJson | None) -> EntityJson:
    """Add a statement that is not there, or change or remove one that is."""
    there = entity_json.find(entity, guid) is not None
    if there != (old is not None):
        return entity
    return entity_json.remove(entity, guid) if new is None else entity_json.put(entity, new)


def _apply_alias(entity: EntityJson, language: str, old: object, new: str | None) -> EntityJson:
    texts = [text for text in _aliases(entity, language) if text != old]
    if new is not None and new not in texts:
        texts.append(new)
    aliases = {key: value for key, value in entity["aliases"].items() if key != language}
    if texts:
        aliases[language] = [{"language": language, "value": text} for text in texts]
    return {**entity, "aliases": aliases}


def _aliases(entity: EntityJson, language: str) -> list[str]:
    return [alias["value"] for alias in entity["aliases"].get(language, ())]
