"""Entities on pages: read one at any revision, save one after the wiki's checks for conflicts, redirects and rights.

An edit made against an old revision is carried over to the newest one by Wikibase's three-way patch. A stale base is no
protection: a change of a statement is applied even over another person's change of the same statement. Only a patch
that loses an operation on its way is a conflict (measured, and so in Wikibase's EditEntity).
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from bot.sandbox import entity_json, messages
from bot.sandbox.accounts import ANONYMOUS, Editor, User
from bot.sandbox.database import Database, Row, TermRow
from bot.sandbox.entity_json import EntityJson, StatementJson

_FIRST_ITEM = 900000001  # far behind the ids of real items
# One operation: (part, key, old, new); None means "not there".
Operation = tuple[str, str, object, object]


def diff(old: EntityJson, new: EntityJson) -> list[Operation]:
    """Return the operations that make `new` of `old`; the order of statements is not content."""
    before, after = _parts(old), _parts(new)
    keys = dict.fromkeys([*before, *after])
    return [(*key, before.get(key), after.get(key)) for key in keys if before.get(key) != after.get(key)]


def apply(current: EntityJson, operations: list[Operation]) -> EntityJson:
    """Return the current entity after the operations that still apply to it."""
    out: EntityJson = {**current}
    for part, key, old, new in operations:
        if part == "claims":
            out = _apply_claim(out, key, old, cast(StatementJson | None, new))
        elif part == "aliases":
            out = _apply_alias(out, key.partition(":")[0], old, cast(str | None, new))
        else:
            parts = cast(dict[str, dict[str, object]], out)
            parts[part] = _applied(parts.get(part) or {}, key, old, new)
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


def _parts(entity: EntityJson) -> dict[tuple[str, str], object]:
    """Return what an entity says, by part and by language, site or identifier."""
    maps = {"labels": entity["labels"], "descriptions": entity["descriptions"], "sitelinks": entity.get("sitelinks")}
    found: dict[tuple[str, str], object] = {}
    for part, values in maps.items():
        found |= {(part, key): value for key, value in (values or {}).items()}
    found |= {("aliases", f"{key}:{text}"): text for key in entity["aliases"] for text in _aliases(entity, key)}
    return found | {("claims", one["id"]): one for one in entity_json.statements(entity)}


def _applied(values: dict[str, object], key: str, old: object, new: object) -> dict[str, object]:
    if values.get(key) != old:
        return values
    rest = {k: v for k, v in values.items() if k != key}
    return rest if new is None else {**rest, key: new}


def _apply_claim(entity: EntityJson, guid: str, old: object, new: StatementJson | None) -> EntityJson:
    """Add a statement that is not there, or change or remove one that is."""
    exists = entity_json.find_statement(entity, guid) is not None
    if exists != (old is not None):
        return entity
    return entity_json.remove_statement(entity, guid) if new is None else entity_json.put_statement(entity, new)


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


@dataclass(frozen=True, slots=True)
class StoredEntity:
    """One entity as one revision holds it, with the page's number and the revision's."""

    entity: EntityJson
    page: int
    revision: int
    time: str
    redirect: str = ""  # where the page now only points to another entity


@dataclass(frozen=True, slots=True)
class SavedEntity:
    revision: int
    changed: bool
    warning: str = ""


class Repository:
    """The entities of one database."""

    def __init__(self, db: Database, site_name: str) -> None:
        self.db, self.site_name = db, site_name

    def get(self, entity: str) -> StoredEntity | None:
        """Return the newest state of an entity (with `redirect` set where it is merged away), None if missing."""
        row = self.db.latest(self.db.namespaces.title(entity))
        return entity_of_row(row) if row else None

    def resolve(self, entity: str) -> tuple[StoredEntity | None, str]:
        """Return the entity after following a redirect, and the redirect's source ('' where there was none)."""
        found = self.get(entity)
        if found and found.redirect:
            return self.get(found.redirect), entity
        return found, ""

    def exists(self, entity: str) -> bool:
        return self.db.page(self.db.namespaces.title(entity)) is not None

    def datatype(self, prop: str) -> str | None:
        """Return a property's datatype, None where there is no such property."""
        found = self.get(prop)
        return str(found.entity["datatype"]) if found else None

    def base_and_newest(self, entity: str, baserevid: int) -> tuple[StoredEntity, StoredEntity]:
        """Return (base, newest) for an edit; without a base revision the newest is the base.

        Raises ApiError for a missing or merged entity and for a revision that is none of this entity's.
        """
        newest = self.get(entity)
        if newest is None:
            raise messages.missing_entity_error(entity)
        if not baserevid or baserevid == newest.revision:
            if newest.redirect:
                raise messages.named_error("unresolved-redirect")
            return newest, newest
        row = self.db.revision(baserevid)
        if row is None or row["page"] != newest.page:
            raise messages.named_error("nosuchrevid")
        content = json.loads(row["text"])
        if "redirect" in content:
            raise messages.named_error("unresolved-redirect")
        return StoredEntity(content, newest.page, row["id"], row["time"]), newest

    def save(
        self, base: StoredEntity, newest: StoredEntity, new: EntityJson, editor: Editor, comment: str
    ) -> SavedEntity:
        """Save an edit that was made on `base_and_newest`; carry it over where the entity has moved on since."""
        warning = ""
        if newest.redirect:
            reason = messages.message("wikibase-save-unresolved-redirect", new["id"], newest.redirect)
            raise messages.failed_save_error(reason, kinds=(reason.name,))
        if base.revision != newest.revision:
            own = self._only_own_edits(newest.page, base.revision, editor.user)
            patched, warning = rebase(base.entity, new, newest.entity, own)
            if patched is None:
                raise messages.edit_conflict_error()
            new = patched
        self.check_permission(editor.user, self.db.namespaces.title(new["id"]))
        if not diff(newest.entity, new):
            return SavedEntity(newest.revision, False)
        return SavedEntity(self.write(new, editor, comment), True, warning)

    def write(self, new: EntityJson, editor: Editor, comment: str) -> int:
        """Append a revision without asking anything; return its number."""
        text = json.dumps(new, ensure_ascii=False, separators=(",", ":"))
        number = self.db.save(self.db.namespaces.title(new["id"]), text, editor, comment[:500], entity=new["id"])
        self.db.set_terms(new["id"], term_rows(new))
        return number

    def write_redirect(self, source: str, target: str, editor: Editor, comment: str) -> int:
        """Make an entity's page point to another."""
        text = json.dumps({"entity": source, "redirect": target})
        title = self.db.namespaces.title(source)
        number = self.db.save(title, text, editor, comment[:500], entity=source, redirect=target)
        self.db.set_terms(source, ())
        return number

    def new_id(self, kind: str) -> str:
        """Return the id for a new item or property."""
        letter, first = ("Q", _FIRST_ITEM) if kind == "item" else ("P", 1)
        last = int(self.db.get_meta(f"last {kind}", "0"))
        if not last:
            sql = "SELECT max(CAST(substr(entity, 2) AS INTEGER)) FROM pages WHERE entity LIKE ?"
            last = max(self.db.number(sql, f"{letter}%") if kind == "property" else 0, first - 1)
        while self.exists(f"{letter}{last + 1}"):
            last += 1
        self.db.set_meta(f"last {kind}", str(last + 1))
        return f"{letter}{last + 1}"

    def check_permission(self, user: User, title: str) -> None:
        """Raise the wiki's refusal where the user is not allowed to save this page."""
        last = messages.message("permissionserrors")
        if block := self.db.row("SELECT * FROM blocks WHERE user = ?", user.name):
            raise messages.failed_save_error(
                block_notice(self.site_name, block), last, kinds=("blocked", "permissionserrors")
            )
        if not user.has_right("edit"):
            raise messages.failed_save_error(
                groups_only_notice(self.site_name, "*", "Users"), last, kinds=("permissiondenied", "permissionserrors")
            )
        level = self.db.row("SELECT level FROM protections WHERE title = ?", title)
        if level and not user.has_right("editprotected"):
            reason = messages.message("protectedpagetext", "editprotected", "edit")
            raise messages.failed_save_error(reason, last, kinds=("protectedpage", "permissionserrors"))

    def block(self, name: str, reason: str, by: str = "Admin") -> None:
        """Block an account until it is unblocked."""
        with self.db.writing():
            self.db.execute("DELETE FROM blocks WHERE user = ?", name)
            number = int(self.db.get_meta("last block", "0")) + 1
            self.db.set_meta("last block", str(number))
            self.db.insert("blocks", id=number, user=name, by=by, reason=reason, time=self.db.now())

    def unblock(self, name: str) -> None:
        with self.db.writing():
            self.db.execute("DELETE FROM blocks WHERE user = ?", name)

    def removed_groups(self, name: str) -> set[str]:
        """Return the groups that an account began with and is in no more."""
        return set(self.db.get_meta(f"taken groups of {name}").split())

    def set_removed_groups(self, name: str, groups: Iterable[str]) -> None:
        with self.db.writing():
            self.db.set_meta(f"taken groups of {name}", " ".join(sorted(groups)))

    def _only_own_edits(self, page: int, since: int, user: User) -> bool:
        sql = "SELECT count(*) FROM revisions WHERE page = ? AND id > ? AND user <> ?"
        return self.db.number(sql, page, since, user.name) == 0


def entity_of_row(row: Row) -> StoredEntity:
    """Return the entity of a revision's row joined with its page (`entity`, `page_id`, `redirect`)."""
    content: EntityJson = entity_json.blank_entity(row["entity"]) if row["redirect"] else json.loads(row["text"])
    return StoredEntity(content, row["page_id"], row["id"], row["time"], row["redirect"])


def term_rows(entity: EntityJson) -> list[TermRow]:
    """Return an entity's labels, aliases and sitelinks as rows for the search index."""
    labels = [(language, "label", 0, label["value"]) for language, label in entity["labels"].items()]
    links = [("", f"sitelink:{site}", 0, link["title"]) for site, link in (entity.get("sitelinks") or {}).items()]
    aliases = ((language, n, alias) for language, each in entity["aliases"].items() for n, alias in enumerate(each))
    return [*labels, *links, *((language, "alias", n, alias["value"]) for language, n, alias in aliases)]


def groups_only_notice(site_name: str, *groups: str) -> messages.ApiMessage:
    """Return the notice that an action is for some groups only; a group with a capital has a page."""
    pages = {group: f"{site_name}:{group}" for group in groups if group[0].isupper()}
    listed = [f"[[{pages[group]}|{group}]]" if group in pages else group for group in groups]
    links = ", ".join(messages.red_link(pages[group], group) if group in pages else group for group in groups)
    return messages.message("badaccess-groups", {"list": listed, "type": "comma"}, len(groups), html=(links,))


def block_notice(site_name: str, block: Row) -> messages.ApiMessage:
    """Return the block notice with its eight parameters: by whom, why, address, name, number, expiry, whom, when."""
    start = datetime.strptime(block["time"], "%Y-%m-%dT%H:%M:%SZ").strftime("%H:%M, %-d %B %Y")
    by, whom = f"\u202a{block['by']}\u202c", f"\u202a{block['user']}\u202c"  # MediaWiki wraps names in direction marks
    common = (block["reason"], ANONYMOUS, by, block["id"], "infinite", whom, start)
    admins = messages.red_link(f"{site_name}:Administrators", "administrator")
    html = (messages.red_link(f"User:{block['by']}", by), *common, admins)
    return messages.message("blockedtext", f"[[User:{block['by']}|{by}]]", *common, html=html)
