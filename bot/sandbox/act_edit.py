"""Writing entities: wbeditentity (also new ones), wbmergeitems, wbcreateredirect."""

from bot.sandbox import editing, entity_json, messages, snaks
from bot.sandbox.call import Call, Json, action
from bot.sandbox.entity_json import EntityJson, RawJson, Sitelink, StatementJson, Term, TermPart
from bot.sandbox.repository import StoredEntity, groups_only_notice
from bot.sandbox.snaks import too_long
from bot.wikibase import is_entity_id

_LABEL_LIMIT = 250


@action("wbeditentity")
def wbeditentity(call: Call) -> Json:
    """Change an entity by a partial one, or make a new one."""
    data = editing.parse_json(call.get("data"))
    if not isinstance(data, dict):
        raise messages.named_error("invalid-json")
    if call.get("new"):
        return _create_entity(call, data)
    entity_id = call.get("id").upper()
    if not is_entity_id(entity_id):
        raise messages.named_error("param-illegal")

    def change(entity: EntityJson) -> tuple[EntityJson, str]:
        start = entity_json.blank_entity(entity_id, entity.get("datatype", "")) if call.flag("clear") else entity
        return apply_partial_entity(call, start, data), "/* wbeditentity-update:0| */"

    saved, new = editing.edit(call, entity_id, change)
    nochange = {} if saved.changed else {"nochange": call.true()}
    return {"entity": {**new, "lastrevid": saved.revision, **nochange}, "success": 1}


@action("wbmergeitems")
def wbmergeitems(call: Call) -> Json:
    """Move everything of one item to another and leave a redirect; conflicting descriptions are refused or ignored."""
    source_id, target_id = call.get("fromid").upper(), call.get("toid").upper()
    repository, editor = call.site.repository, call.editor()
    with repository.db.writing():
        source, target = _load_for_edit(call, source_id), _load_for_edit(call, target_id)
        merged, left = merge(source.entity, target.entity, "description" in call.list_value("ignoreconflicts"))
        repository.check_permission(call.user, repository.db.namespaces.title(target_id))
        emptied: EntityJson = {**entity_json.blank_entity(source_id), "descriptions": left}
        first = repository.write(emptied, editor, editing.summary(call, f"/* wbmergeitems-to:0||{target_id} */"))
        second = repository.write(merged, editor, editing.summary(call, f"/* wbmergeitems-from:0||{source_id} */"))
        if not left:
            comment = f"/* wbcreateredirect:0||{source_id}|{target_id} */"
            repository.write_redirect(source_id, target_id, editor, comment)
    editing.mark_changed(call)
    return {
        "success": 1,
        "redirected": int(not left),
        "from": {"id": source_id, "type": "item", "lastrevid": first},
        "to": {"id": target_id, "type": "item", "lastrevid": second},
    }


@action("wbcreateredirect")
def wbcreateredirect(call: Call) -> Json:
    """Make an empty item point to another."""
    source_id, target_id = call.get("from").upper(), call.get("to").upper()
    repository = call.site.repository
    with repository.db.writing():
        source = repository.get(source_id)
        if source is None:
            raise messages.missing_entity_error(source_id)
        _load_for_edit(call, target_id)
        if source.entity != entity_json.blank_entity(source_id):
            raise messages.error_with_text("origin-not-empty", f"Can't create redirect on non-empty item {source_id}")
        repository.check_permission(call.user, repository.db.namespaces.title(source_id))
        comment = f"/* wbcreateredirect:0||{source_id}|{target_id} */"
        repository.write_redirect(source_id, target_id, call.editor(), comment)
    return {"success": 1, "redirect": target_id}


def merge(source: EntityJson, target: EntityJson, ignore_descriptions: bool) -> tuple[EntityJson, dict[str, Term]]:
    """Return the target with the source's content and the descriptions that had to stay behind.

    Labels become aliases where the target has another; statements get new identifiers; equal ones merge references.
    """
    source_terms, target_terms = source["descriptions"], target["descriptions"]
    left = {language: term for language, term in source_terms.items() if target_terms.get(language, term) != term}
    if left and not ignore_descriptions:
        conflict = f"Conflicting descriptions for language {next(iter(left))}"
        raise messages.named_error("failed-modify", extradata=[conflict])
    merged: EntityJson = {
        **target,
        "descriptions": {**target_terms, **{k: term for k, term in source_terms.items() if k not in target_terms}},
        "labels": {
            **target["labels"],
            **{k: term for k, term in source["labels"].items() if k not in target["labels"]},
        },
        "sitelinks": {**source.get("sitelinks", {}), **target.get("sitelinks", {})},
    }
    for term in source["labels"].values():
        merged = _with_alias(merged, term)
    for aliases in source["aliases"].values():
        for alias in aliases:
            merged = _with_alias(merged, alias)
    for statement in entity_json.statements(source):
        merged = _with_statement(merged, statement)
    return merged, left


def apply_partial_entity(call: Call, entity: EntityJson, data: RawJson) -> EntityJson:
    """Return the entity after a partial one has been laid over it; checks everything that is new."""
    out: EntityJson = {**entity}
    for part in entity_json.TERM_PARTS:
        out[part] = _terms(out[part], data.get(part), part)
    out["aliases"] = _aliases(out["aliases"], data.get("aliases"))
    if "sitelinks" in out:
        out["sitelinks"] = _sitelinks(out["sitelinks"], data.get("sitelinks"))
    raw = data.get("claims") or ()
    for one in [one for group in raw.values() for one in group] if isinstance(raw, dict) else raw:
        out = _claim(call, out, one)
    _check_unique(call, entity, out)
    return out


def _create_entity(call: Call, data: RawJson) -> Json:
    kind, repository = call.get("new"), call.site.repository
    if kind == "property" and not call.user.has_right("property-create"):
        denied = messages.message("wikibase-api-permissiondenied")
        notice = groups_only_notice(call.site.name, "Administrators", "propertycreator")
        raise messages.ApiError("permissiondenied", denied.text, (denied, notice))
    with repository.db.writing():
        repository.check_permission(call.user, "")
        entity = entity_json.blank_entity(repository.new_id(kind), str(data.get("datatype", "string")))
        # The wiki takes the number before it checks the content, and sets its cookie then.
        editing.mark_changed(call)
        done = apply_partial_entity(call, entity, data)
        comment = editing.summary(call, f"/* wbeditentity-create-{kind}:0| */")
        revision = repository.write(done, call.editor(), comment)
    return {"entity": {**done, "lastrevid": revision}, "success": 1}


def _load_for_edit(call: Call, entity: str) -> StoredEntity:
    found = call.site.repository.get(entity) if is_entity_id(entity) else None
    if found is None:
        raise messages.missing_entity_error(entity)
    if found.redirect:
        raise messages.named_error("unresolved-redirect")
    return found


def _terms(old: dict[str, Term], new: RawJson | None, part: TermPart) -> dict[str, Term]:
    out = dict(old)
    for key, term in (new or {}).items():
        language, text = str(term.get("language", key)), str(term.get("value", "")).strip()
        if "remove" in term or not text:
            out.pop(language, None)
            continue
        if len(text) > _LABEL_LIMIT:
            raise messages.error_with_message(
                "modification-failed", too_long(text, _LABEL_LIMIT, part.removesuffix("s"))
            )
        out[language] = {"language": language, "value": text}
    return out


def _aliases(old: dict[str, list[Term]], new: RawJson | None) -> dict[str, list[Term]]:
    """Apply a change of aliases: a plain list replaces a language's aliases, entries with add or remove change them."""
    out = dict(old)
    for key, value in (new or {}).items():
        entries = value if isinstance(value, list) else [value]
        partial = any("add" in one or "remove" in one for one in entries)
        texts = [one["value"] for one in out.get(key, ())] if partial else []
        for one in entries:
            text = str(one.get("value", "")).strip()
            if "remove" in one:
                texts = [alias for alias in texts if alias != text]
            elif text and text not in texts:
                texts.append(text)
        out[key] = [{"language": key, "value": text} for text in texts]
    return {key: aliases for key, aliases in out.items() if aliases}


def _sitelinks(old: dict[str, Sitelink], new: RawJson | None) -> dict[str, Sitelink]:
    out = dict(old)
    for key, link in (new or {}).items():
        site, title = str(link.get("site", key)), str(link.get("title", ""))
        if "remove" in link or not title:
            out.pop(site, None)
        else:
            out[site] = {"site": site, "title": title, "badges": list(link.get("badges", ()))}
    return out


def _claim(call: Call, entity: EntityJson, raw: object) -> EntityJson:
    if isinstance(raw, dict) and "remove" in raw:
        return entity_json.remove_statement(entity, editing.statement_in(entity, str(raw.get("id")))["id"])
    done = editing.read_statement(call, raw, entity["id"])
    with_id: StatementJson = {"id": snaks.new_guid(entity["id"]), **done}
    return entity_json.put_statement(entity, with_id)


def _check_unique(call: Call, old: EntityJson, new: EntityJson) -> None:
    """Two items must not share both label and description in one language."""
    if new["type"] != "item":
        return
    sql = "SELECT entity FROM terms WHERE folded = ? AND text = ? AND language = ? AND kind = 'label' AND entity <> ?"
    for language, label in new["labels"].items():
        description = new["descriptions"].get(language)
        same = (label, description) == (old["labels"].get(language), old["descriptions"].get(language))
        if description is None or same:
            continue
        text = label["value"]
        for row in call.site.db.rows(sql, text.casefold(), text, language, new["id"]):
            other = call.site.repository.get(row["entity"])
            if other and other.entity["descriptions"].get(language) == description:
                raise _not_unique(row["entity"], text, language)


def _not_unique(other: str, label: str, language: str) -> messages.ApiError:
    text_link, link = f"[[{other}|{other}]]", f'<a href="/wiki/{other}" title="{other}">{other}</a>'
    name = "wikibase-validator-label-with-description-conflict"
    return messages.error_with_message(
        "modification-failed", messages.message(name, label, language, text_link, html=(label, language, link))
    )


def _with_alias(entity: EntityJson, term: Term) -> EntityJson:
    language = term["language"]
    aliases = entity["aliases"].get(language, [])
    if term in aliases or entity["labels"].get(language) == term:
        return entity
    return {**entity, "aliases": {**entity["aliases"], language: [*aliases, term]}}


def _with_statement(entity: EntityJson, statement: StatementJson) -> EntityJson:
    """Add a statement under a new identifier, or its references to a statement of equal value and qualifiers."""

    def core(one: StatementJson) -> tuple[str, list[str]]:
        return one["mainsnak"]["hash"], sorted(
            q["hash"] for q in entity_json.flattened_snaks(one.get("qualifiers", {}))
        )

    equal = next((one for one in entity_json.statements(entity) if core(one) == core(statement)), None)
    if equal is None:
        moved: StatementJson = {**statement, "id": snaks.new_guid(entity["id"])}
        return entity_json.put_statement(entity, moved)
    old = equal.get("references", [])
    hashes = {ref["hash"] for ref in old}
    new_references = [ref for ref in statement.get("references", ()) if ref["hash"] not in hashes]
    joined: StatementJson = {**equal, "references": [*old, *new_references]}
    return entity_json.put_statement(entity, joined) if new_references else entity
