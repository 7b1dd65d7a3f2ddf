"""Writing entities: wbeditentity (also new ones), wbmergeitems, wbcreateredirect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.sandbox import datavalues, editing, entity_json, hashes, snaks
from bot.sandbox.call import Call, action
from bot.sandbox.messages import (
    ApiError,
    ApiMessage,
    invalid_claim,
    no_such_entity,
    plain,
    refusal,
    unresolved_redirect,
)
from bot.sandbox.repository import Stored, limited_to

Json = dict[str, Any]
_LABEL_LIMIT = 250


@action("wbeditentity")
def wbeditentity(call: Call) -> Json:
    """Change an entity by a partial one, or make a new one."""
    data = editing.parse_json(call.get("data"))
    if not isinstance(data, dict):
        raise refusal("invalid-json", "wikibase-api-invalid-json", "The supplied JSON is not valid.")
    if call.get("new"):
        return _new(call, data)
    entity_id = call.get("id").upper()
    if not entity_json.is_id(entity_id):
        said = 'Either provide the Item "ids" or pairs of "sites" and "titles" for corresponding page'
        raise refusal("param-illegal", "wikibase-api-param-illegal", said)

    def change(entity: Json) -> tuple[Json, str]:
        start = entity_json.blank(entity_id, entity.get("datatype", "")) if call.flag("clear") else entity
        return changed(call, start, data), "/* wbeditentity-update:0| */"

    saved, new = editing.edit(call, entity_id, change)
    out = {**new, "lastrevid": saved.revision}
    if not saved.changed:
        out["nochange"] = call.yes(True)
    return {"entity": out, "success": 1}


@action("wbmergeitems")
def wbmergeitems(call: Call) -> Json:
    """Move everything of one item to another and leave a redirect; conflicting descriptions stand in the way."""
    source_id, target_id = call.get("fromid").upper(), call.get("toid").upper()
    ignored = set(call.several("ignoreconflicts"))
    repository = call.site.repository
    with repository.db.writing():
        source, target = _loaded(call, source_id), _loaded(call, target_id)
        merged, left = merge(source.entity, target.entity, ignored)
        repository.permit(call.user, repository.db.namespaces.title(target_id))
        hand = call.hand()
        emptied = entity_json.blank(source_id)
        emptied["descriptions"] = left
        first = repository.write(emptied, hand, f"/* wbmergeitems-to:0||{target_id} */ {call.get('summary')}".strip())
        second = repository.write(merged, hand, f"/* wbmergeitems-from:0||{source_id} */ {call.get('summary')}".strip())
        redirected = not left
        if redirected:
            comment = f"/* wbcreateredirect:0||{source_id}|{target_id} */"
            repository.write_redirect(source_id, target_id, hand, comment)
    call.cookies["UseDC"] = "master"
    ends = (("from", source_id, first), ("to", target_id, second))
    return {
        "success": 1,
        "redirected": int(redirected),
        **{end: {"id": name, "type": "item", "lastrevid": number} for end, name, number in ends},
    }


@action("wbcreateredirect")
def wbcreateredirect(call: Call) -> Json:
    """Make an empty item point to another."""
    source_id, target_id = call.get("from").upper(), call.get("to").upper()
    repository = call.site.repository
    with repository.db.writing():
        source = repository.get(source_id)
        if source is None:
            raise no_such_entity(source_id)
        _loaded(call, target_id)
        if any(source.entity[part] for part in ("labels", "descriptions", "aliases", "claims", "sitelinks")):
            said = f"Can't create redirect on non-empty item {source_id}"
            raise refusal("origin-not-empty", "wikibase-api-origin-not-empty", said)
        repository.permit(call.user, repository.db.namespaces.title(source_id))
        comment = f"/* wbcreateredirect:0||{source_id}|{target_id} */"
        repository.write_redirect(source_id, target_id, call.hand(), comment)
    return {"success": 1, "redirect": target_id}


def merge(source: Json, target: Json, ignored: set[str]) -> tuple[Json, Json]:
    """Return the target with the source's content and the descriptions that had to stay behind.

    Labels become aliases where the target has another; statements get new identifiers; equal ones merge references.
    """
    merged, left = target, {}
    for language, description in source["descriptions"].items():
        here = merged["descriptions"].get(language)
        if here is None:
            merged = {**merged, "descriptions": {**merged["descriptions"], language: description}}
        elif here != description and "description" in ignored:
            left[language] = description
        elif here != description:
            said = "Attempted modification of the Item failed."
            extra = {"extradata": [f"Conflicting descriptions for language {language}"]}
            raise ApiError("failed-modify", said, (ApiMessage("wikibase-api-failed-modify", (), said),), extra)
    for language, label in source["labels"].items():
        if language not in merged["labels"]:
            merged = {**merged, "labels": {**merged["labels"], language: label}}
        elif merged["labels"][language] != label:
            merged = _with_alias(merged, language, label)
    for language, aliases in source["aliases"].items():
        for alias in aliases:
            merged = _with_alias(merged, language, alias)
    merged = {**merged, "sitelinks": {**source.get("sitelinks", {}), **merged.get("sitelinks", {})}}
    for statement in entity_json.statements(source):
        merged = _with_statement(merged, statement)
    return merged, left


def changed(call: Call, entity: Json, data: Mapping[str, Any]) -> Json:
    """Return the entity after a partial one has been laid over it; checks everything that is new."""
    out = dict(entity)
    for part in ("labels", "descriptions"):
        out[part] = _terms(out[part], data.get(part) or {}, part)
    out["aliases"] = _aliases(out["aliases"], data.get("aliases") or {})
    if "sitelinks" in out:
        out["sitelinks"] = _sitelinks(out["sitelinks"], data.get("sitelinks") or {})
    raw = data.get("claims") or ()
    flat = [one for group in raw.values() for one in group] if isinstance(raw, Mapping) else list(raw)
    for one in flat:
        out = _claim(call, out, one)
    _check_unique(call, entity, out)
    return out


def _new(call: Call, data: Json) -> Json:
    kind, repository = call.get("new"), call.site.repository
    if kind == "property" and not call.user.may("property-create"):
        said = "You do not have the permissions needed to carry out this action."
        notice = limited_to(call.site.name, "Administrators", "propertycreator")
        raise ApiError("permissiondenied", said, (ApiMessage("wikibase-api-permissiondenied", (), said), notice))
    with repository.db.writing():
        repository.permit(call.user, "")
        entity = entity_json.blank(repository.new_id(kind), str(data.get("datatype", "string")))
        # The wiki takes the number before it checks the content, and sets its cookie then.
        call.cookies["UseDC"] = "master"
        done = changed(call, entity, data)
        revision = repository.write(
            done, call.hand(), f"/* wbeditentity-create-{kind}:0| */ {call.get('summary')}".strip()
        )
    return {"entity": {**done, "lastrevid": revision}, "success": 1}


def _loaded(call: Call, entity: str) -> Stored:
    found = call.site.repository.get(entity) if entity_json.is_id(entity) else None
    if found is None:
        raise no_such_entity(entity)
    if found.redirect:
        raise unresolved_redirect()
    return found


def _terms(old: Json, new: Mapping[str, Any], part: str) -> Json:
    out = dict(old)
    for key, term in new.items():
        language, text = str(term.get("language", key)), str(term.get("value", "")).strip()
        if "remove" in term or not text:
            out.pop(language, None)
            continue
        if len(text) > _LABEL_LIMIT:
            name, subject = ("label", "Label must") if part == "labels" else ("description", "Description must")
            datavalues.refuse(datavalues.too_long(f"wikibase-validator-{name}-too-long", subject, text, _LABEL_LIMIT))
        out[language] = {"language": language, "value": text}
    return out


def _aliases(old: Json, new: Mapping[str, Any]) -> Json:
    """Lay aliases over: a plain list replaces a language's aliases, entries with add or remove change them."""
    out = dict(old)
    for key, given in new.items():
        entries = given if isinstance(given, list) else [given]
        partial = any("add" in one or "remove" in one for one in entries)
        texts = [one["value"] for one in out.get(key, ())] if partial else []
        for one in entries:
            text = str(one.get("value", "")).strip()
            if "remove" in one:
                texts = [kept for kept in texts if kept != text]
            elif text and text not in texts:
                texts.append(text)
        out[key] = [{"language": key, "value": text} for text in texts]
    return {key: aliases for key, aliases in out.items() if aliases}


def _sitelinks(old: Json, new: Mapping[str, Any]) -> Json:
    out = dict(old)
    for key, link in new.items():
        site, title = str(link.get("site", key)), str(link.get("title", ""))
        if "remove" in link or not title:
            out.pop(site, None)
        else:
            out[site] = {"site": site, "title": title, "badges": list(link.get("badges", ()))}
    return out


def _claim(call: Call, entity: Json, raw: Any) -> Json:
    if not isinstance(raw, Mapping):
        raise invalid_claim("Failed to get claim from claim Serialization Failed to get statement from Serialization")
    if "remove" in raw:
        return entity_json.remove(entity, editing.standing(entity, str(raw.get("id")))["id"])
    try:
        done = snaks.statement(raw, call.site.repository.datatype)
    except snaks.Malformed:
        said = "Failed to get claim from claim Serialization Failed to get statement from Serialization"
        raise invalid_claim(said) from None
    if "id" in done:
        snaks.check_guid(done["id"], entity["id"])
    editing.check(call, done)
    return entity_json.put(entity, {"id": hashes.new_guid(entity["id"]), **done})


def _check_unique(call: Call, old: Json, new: Json) -> None:
    """Two items may not share both label and description in one language."""
    if new["type"] != "item":
        return
    for language, label in new["labels"].items():
        description = new["descriptions"].get(language)
        same = (label, description) == (old["labels"].get(language), old["descriptions"].get(language))
        if description is None or same:
            continue
        sql = (
            "SELECT entity FROM terms WHERE folded = ? AND text = ? AND language = ? AND kind = 'label' AND entity <> ?"
        )
        for row in call.site.db.rows(sql, label["value"].casefold(), label["value"], language, new["id"]):
            other = call.site.repository.get(row["entity"])
            if other and other.entity["descriptions"].get(language) == description:
                raise _not_unique(row["entity"], label["value"], language)


def _not_unique(other: str, label: str, language: str) -> ApiError:
    said = 'Item {} already has label "{}" associated with language code {}, using the same description text.'
    shown, link = f"[[{other}|{other}]]", f'<a href="/wiki/{other}" title="{other}">{other}</a>'
    message = ApiMessage(
        "wikibase-validator-label-with-description-conflict",
        (label, language, shown),
        said.format(shown, label, language),
        said.format(link, label, language),
    )
    return ApiError("modification-failed", plain(message.text), (message,))


def _with_alias(entity: Json, language: str, term: Json) -> Json:
    here = entity["aliases"].get(language, [])
    if term in here or entity["labels"].get(language) == term:
        return entity
    return {**entity, "aliases": {**entity["aliases"], language: [*here, term]}}


def _with_statement(entity: Json, statement: Json) -> Json:
    def core(one: Json) -> tuple[str, list[str]]:
        quals = sorted(q["hash"] for group in one.get("qualifiers", {}).values() for q in group)
        return one["mainsnak"]["hash"], quals

    twin = next((one for one in entity_json.statements(entity) if core(one) == core(statement)), None)
    if twin is None:
        return entity_json.put(entity, {**statement, "id": hashes.new_guid(entity["id"])})
    known = {ref["hash"] for ref in twin.get("references", ())}
    more = [ref for ref in statement.get("references", ()) if ref["hash"] not in known]
    if not more:
        return entity
    return entity_json.put(entity, {**twin, "references": [*twin.get("references", ()), *more]})
