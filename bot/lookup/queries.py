"""The files of queries/: each runs as it stands on Wikidata; for another wiki ids and prefixes are replaced, for other values the values.

A header names each parameter with its kind and, where it fills a VALUES block, the variable: `#   items (items) of ?item`. Other kinds have
one place each: `IN ("en", …)` languages, `FILTER(STR(?item) > "…")` the cursor, `LIMIT n` the limit.
Ids and texts are checked before they stand in a query or a request.
"""

import dataclasses
import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from html import unescape
from typing import Any

from bot.errors import InputError, SettingsError
from bot.messages import Message
from bot.settings import Properties, Wiki, resource
from bot.wikibase import Json, is_entity_id, is_item_id, is_language_code

SEPARATOR = "\x1f"  # MediaWiki's other separator: TeX may hold |
STORABLE_TEXT = re.compile(r"[^\0\ud800-\udfff]+\Z")  # what an RDF literal can hold
_APOSTROPHES = str.maketrans("’ʼ‘`", "''''")
_DASHES = str.maketrans("–‐‑−", "----")
_NAME = re.compile(r"[a-z]+(_[a-z]+)+\Z")
_PARAMETER = re.compile(r"#   (\w+) \((\w+)\)(?: of \?(\w+))?")
_ID = re.compile(r"(?<=:)([PQ][1-9]\d*)\b")
_WIKIDATA = Wiki().entity_prefix.removesuffix("/entity/")
_ORDER = re.compile(r"^ORDER BY \?(\w+)", re.MULTILINE)
# Lexemes and their senses may stand between items; statements are named by the item and a UUID.
_CURSOR = re.compile(r"(statement/)?[A-Za-z][1-9]\d*(-[A-Za-z0-9-]+)?\Z", re.ASCII)
_STATEMENT = re.compile(r"[A-Za-z][1-9]\d*\$[0-9A-Fa-f-]{36}\Z", re.ASCII)
_BASE = re.compile(r'https?://[^\s<>"{}|\\^`$]+\Z')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


@dataclass(frozen=True, slots=True)
class MathVerdict:
    """The wiki's verdict on one math value; `why` is its reason, or ours, where it refuses."""

    tex: str
    valid: bool
    why: str | Message = ""


def nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def refusal_reason(result: Json) -> str:
    """Return why one result of wbparsevalue is a refusal, "" where it is none."""
    if "error" not in result and "valid" in result:
        return ""
    messages = result.get("messages")
    first = messages[0] if isinstance(messages, list) and messages else {}
    html = first.get("html", "")
    text = html.get("*", "") if isinstance(html, dict) else html
    return unescape(text) or str(first.get("name") or result.get("error") or "not valid")


def is_sendable(value: str) -> bool:
    """The API normalises and trims what it is sent, so a value that would change is judged here."""
    return bool(value) and value == nfc(value).strip() and SEPARATOR not in value and "\0" not in value


def math_verdict(value: str, why: str | None) -> MathVerdict:
    """Return the verdict from what the wiki said; None where it was not asked, since such a value cannot be sent."""
    if why is not None:
        return MathVerdict(value, not why, why)
    if not value.strip():
        return MathVerdict(value, False, Message("unsendable.empty"))
    if value != value.strip():
        return MathVerdict(value, False, Message("unsendable.edges"))
    return MathVerdict(value, False, Message("unsendable.characters"))


def checked_ids(ids: Iterable[str], is_id: Callable[[str], bool] = is_item_id) -> list[str]:
    """Return the distinct ids in order; raises InputError for anything that is not an id."""
    distinct = list(dict.fromkeys(ids))
    for each in distinct:
        if not isinstance(each, str) or not is_id(each):
            raise InputError("no_item_id", given=repr(each), todo="item_id")
    return distinct


def checked_entities(ids: Iterable[str]) -> list[str]:
    """Return the distinct item and property ids in order; raises InputError for anything else."""
    return checked_ids(ids, is_entity_id)


def spellings(name: str) -> tuple[str, ...]:
    """Return the ways in which a wiki may spell a name: first letter, words after it, apostrophe, dash.

    Labels begin with a small letter (“ideal gas law”), titles with a capital, headings capitalise every word.
    """
    plain = " ".join(name.split())
    if not plain or not STORABLE_TEXT.match(plain):
        return ()
    forms = [plain, plain.translate(_APOSTROPHES).translate(_DASHES)]
    if "-" in forms[1]:
        forms.append(re.sub(r"(?<=\w)-(?=\w)", "–", forms[1]))
    return tuple(dict.fromkeys(case for form in forms for case in _case_variants(form)))


def _case_variants(form: str) -> tuple[str, ...]:
    """“Gas Law” → itself, “gas Law”, “Gas law”, “gas law”."""
    small = _rest_in_small_letters(form)
    return (
        form,
        _with_first_letter(form, upper=False),
        _with_first_letter(form, upper=True),
        small,
        _with_first_letter(small, upper=False),
    )


def _with_first_letter(text: str, *, upper: bool) -> str:
    """Change the first letter, but leave an acronym (“NMR shift”) whole."""
    if not upper and text[1:2].isupper():
        return text
    return (text[0].upper() if upper else text[0].lower()) + text[1:]


def _rest_in_small_letters(text: str) -> str:
    """Write the words after the first small, acronyms excepted: “Hubble's Law” → “Hubble's law”."""
    first, *others = text.split(" ")
    return " ".join([first, *(w if w[1:2].isupper() else w.lower() for w in others)])


@dataclass(frozen=True, slots=True)
class QueryParameter:
    """A value that a query takes: its kind (of PARAMETER_KINDS), and the pattern of its place in the text."""

    name: str
    kind: str
    place: str


@dataclass(frozen=True, slots=True)
class Query:
    """One file: its text without comments, its parameters and the columns of its answer."""

    name: str
    text: str
    parameters: tuple[QueryParameter, ...]
    purpose: str = ""
    columns: tuple[str, ...] = ()
    is_for_this_wiki: bool = False  # written for the configured wiki: ids and prefixes stay

    @property
    def kinds(self) -> dict[str, str]:
        return {each.name: each.kind for each in self.parameters}

    @property
    def order(self) -> str:
        """Return the column by which the answer is ordered, "" where it is not."""
        found = _ORDER.search(self.text)
        return found[1] if found else ""


def load_query(name: str) -> Query:
    """Read queries/<name>.rq; raises InputError where there is none."""
    if not _NAME.match(name):
        raise InputError("no_query_name", given=repr(name), todo="list_queries")
    path = resource("queries", f"{name}.rq")
    try:
        return parse_query(name, path.read_text(encoding="utf-8"))
    except OSError:
        raise InputError("no_query", name=name, where=str(path)) from None


def parse_query(name: str, text: str) -> Query:
    """Return the query that a file holds. Raises InputError for a parameter whose place is not there exactly once."""
    lines = text.splitlines()
    found = [_parameter(*m.groups("")) for line in lines if (m := _PARAMETER.match(line))]
    body = "\n".join(line for line in lines if line.strip() and not line.startswith("#"))
    for each in found:
        if len(re.findall(each.place, body)) != 1:
            raise InputError("no_single_place", query=name, parameter=each.name)
    columns = tuple(part.strip() for part in _header(lines, "Columns").split(",") if part.strip())
    return Query(name, body, tuple(found), _header(lines, "Purpose"), columns)


def _header(lines: Iterable[str], name: str) -> str:
    start = f"# {name}:"
    return next((line.removeprefix(start).strip() for line in lines if line.startswith(start)), "")


def _parameter(name: str, kind: str, variable: str) -> QueryParameter:
    if kind not in PARAMETER_KINDS:
        raise InputError("no_parameter_kind", kind=kind, todo="known", known=", ".join(PARAMETER_KINDS))
    return QueryParameter(name, kind, PARAMETER_KINDS[kind].place.replace("VARIABLE", variable))


def catalogue() -> list[Query]:
    """Return all query files, by name."""
    return [load_query(path.stem) for path in sorted(resource("queries").glob("*.rq"))]


def values_from_text(query: Query, texts: Mapping[str, str]) -> dict[str, object]:
    """Return parameter values for `fill` from the words of a command line: lists with commas, names as `name@en`.

    Raises InputError for a parameter that is none, or no value of its kind.
    """
    kinds = query.kinds
    if unknown := sorted(set(texts) - set(kinds)):
        raise InputError(
            "no_parameter", query=query.name, parameter=unknown[0], todo="query_takes", known=", ".join(kinds) or "–"
        )
    return {name: PARAMETER_KINDS[kinds[name]].read(text) for name, text in texts.items()}


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _names_in_languages(text: str) -> list[tuple[str, str]]:
    parts = (part.rpartition("@") for part in _list(text))
    return [(name, language) if name else (language, "en") for name, _, language in parts]


def _whole_number(text: str) -> int:
    if not text.isdecimal() or not text.isascii():
        raise InputError("no_count", given=repr(text))
    return int(text)


def fill(query: Query, wiki: Wiki, values: Mapping[str, object], *, samples: bool = False) -> str:
    """Return the query for a wiki with its values; with `samples`, those that are not given stay as the file has them.

    Raises InputError for a parameter that is none or missing and a value that is none, SettingsError for an id that the settings do not name.
    """
    kinds = query.kinds
    if set(values) - set(kinds) or (set(kinds) - set(values) and not samples):
        raise InputError("parameters", query=query.name, wanted=str(sorted(kinds)), given=str(sorted(values)))
    ready = {name: PARAMETER_KINDS[kinds[name]].write(value) for name, value in values.items()}
    if after := values.get("after"):  # keyset paging: the IRI as the string that STR() gives
        ready["after"] = sparql_literal(f"{wiki.entity_prefix}{after}")
    text = query.text
    if not query.is_for_this_wiki and ((own := rdf_base(wiki)) != _WIKIDATA or wiki.properties != Properties()):
        text = _for_wiki(query, wiki).replace(f"<{_WIKIDATA}", f"<{own}")
    for each in query.parameters:
        if each.name in ready:
            start, end = next(re.finditer(each.place, text)).span()
            text = f"{text[:start]}{ready[each.name]}{text[end:]}"
    return text


def _for_wiki(query: Query, wiki: Wiki) -> str:
    """Return the text with the wiki's ids instead of Wikidata's, but for the samples in the places of parameters."""
    fields = {f.default: f.name for f in dataclasses.fields(Properties)}
    left = [match.span() for each in query.parameters for match in re.finditer(each.place, query.text)]

    def replace(match: re.Match[str]) -> str:
        if any(start <= match.start() < end for start, end in left):
            return match[0]
        name = fields.get(match[0])
        if name is None:
            raise SettingsError("unnamed_setting", query=query.name, property=match[0])
        value = str(getattr(wiki.properties, name))
        if not value:
            raise SettingsError("property_empty", name=name, todo="set_or_leave", code_query=query.name)
        return "".join(checked_entities([value]))

    return _ID.sub(replace, query.text)


def rdf_base(wiki: Wiki) -> str:
    """Return what stands before `/entity/` and `/prop/` in the wiki's RDF."""
    prefix = wiki.entity_prefix
    if not prefix.endswith("/entity/") or not _BASE.match(prefix):
        raise SettingsError("entity_prefix", given=repr(prefix))
    return prefix.removesuffix("/entity/")


def sparql_literal(text: str, language: str = "") -> str:
    """Return an escaped SPARQL literal, with its language tag where one is given."""
    if text and not STORABLE_TEXT.match(text):
        raise InputError("no_literal")
    body = "".join(_ESCAPES.get(c, c) for c in text)
    return f'"{body}"@{_language(language)}' if language else f'"{body}"'


def _items(values: Iterable[str]) -> str:
    return " ".join(f"wd:{qid}" for qid in checked_ids(values))


def _statements(values: Iterable[str]) -> str:
    checked = list(dict.fromkeys(values))
    for guid in checked:
        if not _STATEMENT.match(guid):
            raise InputError("no_statement_id", given=repr(guid), todo="guid")
    return " ".join(f"s:{guid.replace('$', '-', 1)}" for guid in checked)


def _texts(values: Iterable[tuple[str, str]]) -> str:
    return " ".join(sparql_literal(text, language) for text, language in values)


def _languages(values: Iterable[str]) -> str:
    return ", ".join(f'"{_language(v)}"' for v in values)


def _integer(value: int) -> str:
    if type(value) is not int or value < 0:
        raise InputError("no_count", given=repr(value))
    return str(value)


def _cursor(value: str) -> str:
    if value and not _CURSOR.match(value):
        raise InputError("no_entity_id", given=repr(value))
    return sparql_literal(value)


def _language(code: str) -> str:
    if not is_language_code(code):
        raise InputError("no_language_code", given=repr(code))
    return code


@dataclass(frozen=True, slots=True)
class ParameterKind:
    """How the values of a kind are read from a command line and written into a query, and the pattern of their place there."""

    read: Callable[[str], object]
    write: Callable[[Any], str]
    place: str = r"(?<=VALUES \?VARIABLE \{ )[^{}]*(?= \})"


PARAMETER_KINDS = {
    "items": ParameterKind(_list, _items),
    "statements": ParameterKind(_list, _statements),
    "texts": ParameterKind(_names_in_languages, _texts),
    "languages": ParameterKind(_list, _languages, r'(?<=IN \()"[^)]*(?=\))'),
    "integer": ParameterKind(_whole_number, _integer, r"(?<=LIMIT )\d+"),
    "cursor": ParameterKind(str, _cursor, r'(?<=\) > )"[^"]*"(?=\))'),
}
