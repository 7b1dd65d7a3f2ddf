"""Entity JSON: its types, blank entities, looking into them, and changes that return a new entity."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal, NotRequired, TypedDict

RawJson = Mapping[str, Any]  # a JSON object from outside: not checked yet
EntityId = TypedDict("EntityId", {"entity-type": str, "numeric-id": int, "id": str})
TermPart = Literal["labels", "descriptions"]
TERM_PARTS: Final[tuple[TermPart, ...]] = ("labels", "descriptions")


class Time(TypedDict):
    time: str
    timezone: int
    before: int
    after: int
    precision: int
    calendarmodel: str


class MonolingualText(TypedDict):
    text: str
    language: str


class StringValue(TypedDict):
    value: str
    type: Literal["string"]


class EntityValue(TypedDict):
    value: EntityId
    type: Literal["wikibase-entityid"]


class TimeValue(TypedDict):
    value: Time
    type: Literal["time"]


class TextValue(TypedDict):
    value: MonolingualText
    type: Literal["monolingualtext"]


class OtherValue(TypedDict):
    value: dict[str, object]
    type: Literal["quantity", "globecoordinate"]


DataValue = StringValue | EntityValue | TimeValue | TextValue | OtherValue


class SnakJson(TypedDict):
    snaktype: str
    property: str
    datavalue: NotRequired[DataValue]  # where snaktype is "value"
    hash: NotRequired[str]
    datatype: NotRequired[str]


ReferenceJson = TypedDict("ReferenceJson", {"hash": str, "snaks": dict[str, list[SnakJson]], "snaks-order": list[str]})
# The optional keys are written in the wiki's order; a stored statement always has id and rank.
StatementJson = TypedDict(
    "StatementJson",
    {
        "mainsnak": SnakJson,
        "type": str,
        "qualifiers": NotRequired[dict[str, list[SnakJson]]],
        "qualifiers-order": NotRequired[list[str]],
        "id": NotRequired[str],
        "rank": NotRequired[str],
        "references": NotRequired[list[ReferenceJson]],
    },
)


class Term(TypedDict):
    language: str
    value: str


class Sitelink(TypedDict):
    site: str
    title: str
    badges: list[str]


class EntityJson(TypedDict):
    type: str
    datatype: NotRequired[str]  # properties only
    id: str
    labels: dict[str, Term]
    descriptions: dict[str, Term]
    aliases: dict[str, list[Term]]
    claims: dict[str, list[StatementJson]]
    sitelinks: NotRequired[dict[str, Sitelink]]  # items only


def blank_entity(entity: str, datatype: str = "") -> EntityJson:
    """Return an entity with nothing in it."""
    kind = "property" if entity.startswith("P") else "item"
    parts: EntityJson = {"type": kind, "id": entity, "labels": {}, "descriptions": {}, "aliases": {}, "claims": {}}
    return {"type": kind, "datatype": datatype, **parts} if kind == "property" else {**parts, "sitelinks": {}}


def stored_content(name: str, raw: RawJson) -> EntityJson:
    """Return what a revision stores of an answered entity: nothing of what its page adds (page id, revision, time)."""
    out = blank_entity(name, raw.get("datatype", ""))
    out.update({key: raw[key] for key in out if raw.get(key) and key != "id"})  # type: ignore[typeddict-item]
    return out


def statements(entity: EntityJson) -> Iterator[StatementJson]:
    for group in entity["claims"].values():
        yield from group


def flattened_snaks(groups: dict[str, list[SnakJson]]) -> list[SnakJson]:
    """Return grouped snaks as one list."""
    return [one for group in groups.values() for one in group]


def find_statement(entity: EntityJson, guid: str) -> StatementJson | None:
    """Return the statement with this identifier; capitals do not matter in its UUID."""
    wanted = guid.upper()
    return next((one for one in statements(entity) if one["id"].upper() == wanted), None)


def put_statement(entity: EntityJson, statement: StatementJson, index: int | None = None) -> EntityJson:
    """Return the entity with the statement in its place: replaced by identifier, or added to its property's group."""
    prop, guid = statement["mainsnak"]["property"], statement["id"]
    old = find_statement(entity, guid)
    if old is not None and old["mainsnak"]["property"] != prop:
        entity, old = remove_statement(entity, guid), None
    group = list(entity["claims"].get(prop, ()))
    if old is not None:
        group[group.index(old)] = {**statement, "id": old["id"]}
    else:
        group.insert(len(group) if index is None else index, statement)
    return {**entity, "claims": {**entity["claims"], prop: group}}


def remove_statement(entity: EntityJson, guid: str) -> EntityJson:
    """Return the entity without a statement."""
    wanted = guid.upper()
    groups = {p: [one for one in group if one["id"].upper() != wanted] for p, group in entity["claims"].items()}
    return {**entity, "claims": {p: group for p, group in groups.items() if group}}


def best_label(entity: EntityJson) -> str:
    """Return the English or language-independent label, else any, else the id."""
    return best_term(entity["labels"]) or entity["id"]


def best_term(terms: dict[str, Term]) -> str:
    """Return the text in English, else for all languages (mul), else any; an empty string where there is none."""
    found = (terms[language] for language in ("en", "mul", *terms) if language in terms)
    return next((term["value"] for term in found), "")
