"""An edit made against an old revision, carried over to the newest one: Wikibase's three-way patch and its conflicts.

A stale base is no protection: a change of a statement is applied even over another person's change of the same
statement. Only a patch that loses an operation on its way is a conflict (measured, and so in Wikibase's EditEntity).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.sandbox import entity_json

Json = dict[str, Any]
# One operation: (part, key, old, new); None stands for "not there".
Operation = tuple[str, str, Any, Any]


def diff(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Operation]:
    """Return the operations that make `new` of `old`; the order of statements is no content."""
    operations: list[Operation] = []
    for part in ("labels", "descriptions", "sitelinks"):
        operations += _map_diff(part, old.get(part) or {}, new.get(part) or {})
    for language in dict.fromkeys([*(old.get("aliases") or {}), *(new.get("aliases") or {})]):
        before, after = _aliases(old, language), _aliases(new, language)
        operations += [("aliases", f"{language}:{text}", text, None) for text in before if text not in after]
        operations += [("aliases", f"{language}:{text}", None, text) for text in after if text not in before]
    old_claims = {one["id"]: one for one in entity_json.statements(old)}
    new_claims = {one["id"]: one for one in entity_json.statements(new)}
    return operations + _map_diff("claims", old_claims, new_claims)


def apply(current: Mapping[str, Any], operations: list[Operation]) -> Json:
    """Return the current entity after the operations that still find their ground."""
    out: Json = {**current}
    for part, key, old, new in operations:
        if part == "claims":
            out = _apply_claim(out, old, new)
        elif part == "aliases":
            out = _apply_alias(out, key.partition(":")[0], old, new)
        else:
            standing = out.get(part) or {}
            if standing.get(key) == old:
                rest = {k: v for k, v in standing.items() if k != key}
                out = {**out, part: rest if new is None else {**rest, key: new}}
    return out


def rebase(base: Json, new: Json, current: Json, own_edits_only: bool) -> tuple[Json | None, str]:
    """Carry an edit over: the entity to save (None for a conflict) and the warning's name, if any.

    `own_edits_only`: nobody else has edited since the base, so a half-lost patch is the editor's own affair.
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


def _map_diff(part: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[Operation]:
    keys = dict.fromkeys([*old, *new])
    return [(part, key, old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)]


def _apply_claim(entity: Json, old: Json | None, new: Json | None) -> Json:
    standing = entity_json.find(entity, (new or old or {})["id"])
    if new is None:
        return entity_json.remove(entity, standing["id"]) if standing else entity
    if old is None:
        return entity if standing else entity_json.put(entity, new)
    return entity_json.put(entity, new) if standing else entity


def _apply_alias(entity: Json, language: str, old: str | None, new: str | None) -> Json:
    texts = [text for text in _aliases(entity, language) if text != old]
    if new is not None and new not in texts:
        texts.append(new)
    aliases = {key: value for key, value in (entity.get("aliases") or {}).items() if key != language}
    if texts:
        aliases[language] = [{"language": language, "value": text} for text in texts]
    return {**entity, "aliases": aliases}


def _aliases(entity: Mapping[str, Any], language: str) -> list[str]:
    return [alias["value"] for alias in (entity.get("aliases") or {}).get(language, ())]
