"""The files of queries/: their headers read, their placeholders filled with checked values, nothing glued elsewhere.

A header names each parameter with its kind: `# $names (texts) what they are`. Property ids (`wdt:$instance_of`) and the
base of the prefixes (`<$wiki/prop/direct/>`) come from the settings and are not declared.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.errors import InputError, SettingsError
from bot.lookup.checked_ids import WRITABLE, checked_entities, checked_ids
from bot.settings import Wiki, resource

_NAME = re.compile(r"[a-z]+(_[a-z]+)+\Z")
_PARAMETER = re.compile(r"#\s+\$(\w+) \((\w+)\)")
_PLACEHOLDER = re.compile(r"\$(\w+)")
_LANGUAGE = re.compile(r"[a-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z")
_CURSOR = re.compile(r"[A-Z][1-9]\d*(-[A-Z][1-9]\d*)?\Z", re.ASCII)  # lexemes and their senses may stand between items
_BASE = re.compile(r'https?://[^\s<>"{}|\\^`$]+\Z')
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}


@dataclass(frozen=True, slots=True)
class Query:
    """One file: its text without comments and the kinds of its parameters."""

    name: str
    text: str
    parameters: tuple[tuple[str, str], ...]
    purpose: str = ""


def load(name: str) -> Query:
    """Read queries/<name>.rq; raises InputError where there is none."""
    path = _path(name)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError:
        raise InputError(f"there is no query {name}", where=str(path)) from None
    parameters = tuple((m[1], m[2]) for line in lines if (m := _PARAMETER.match(line)))
    purpose = next((line.removeprefix("# Purpose:").strip() for line in lines if line.startswith("# Purpose:")), "")
    return Query(name, "\n".join(line for line in lines if line and not line.startswith("#")), parameters, purpose)


def catalogue() -> list[Query]:
    """Return all query files, by name."""
    return [load(path.stem) for path in sorted(resource("queries").glob("*.rq"))]


def from_text(query: Query, given: Mapping[str, str]) -> dict[str, object]:
    """Return parameter values for `fill` from the words of a command line: lists with commas, names as `name@en`.

    What is not given is the first page of 10,000 rows. Raises InputError for a parameter that is none, missing or no value of its kind.
    """
    kinds = dict(query.parameters)
    if unknown := sorted(set(given) - set(kinds)):
        raise InputError(
            f"query {query.name} has no parameter {unknown[0]}", todo=f"it takes: {', '.join(kinds) or 'none'}"
        )
    texts = {"after": "", "limit": "10000", **given}
    if missing := [name for name in kinds if name not in texts]:
        raise InputError(f"query {query.name} needs {missing[0]}", todo=f"give --set {missing[0]}=…")
    return {name: _READ[kind](texts[name]) for name, kind in kinds.items()}


def _list(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _name_in_language(text: str) -> tuple[str, str]:
    name, _, language = text.rpartition("@")
    return (name, language) if name else (language, "en")


def _whole_number(text: str) -> int:
    if not text.isdecimal() or not text.isascii():
        raise InputError(f"{text!r} is no count")
    return int(text)


_READ: dict[str, Callable[[str], object]] = {
    "items": _list,
    "texts": lambda text: [_name_in_language(part) for part in _list(text)],
    "languages": _list,
    "integer": _whole_number,
    "cursor": str,
}


def fill(query: Query, wiki: Wiki, values: Mapping[str, object]) -> str:
    """Return the query's text with every placeholder replaced; raises InputError for a wrong or missing value."""
    kinds = dict(query.parameters)
    if set(values) != set(kinds):
        raise InputError(f"query {query.name} takes {sorted(kinds)}, not {sorted(values)}")
    ready = {name: KINDS[kind](values[name]) for name, kind in kinds.items()}
    if "after" in kinds:  # keyset paging: the IRI as the string that STR() gives
        ready["after"] = literal(f"{wiki.entity_prefix}{values['after']}" if values["after"] else "")
    ready["wiki"] = base(wiki)

    def replace(match: re.Match[str]) -> str:
        name = match[1]
        return ready[name] if name in ready else _property(query, wiki, name)

    return _PLACEHOLDER.sub(replace, query.text)


def base(wiki: Wiki) -> str:
    """Return what stands before `/entity/` and `/prop/` in the wiki's RDF."""
    prefix = wiki.entity_prefix
    if not prefix.endswith("/entity/") or not _BASE.match(prefix):
        raise SettingsError(f"wiki.entity_prefix {prefix!r} is no address ending in /entity/")
    return prefix.removesuffix("/entity/")


def literal(text: str, language: str = "") -> str:
    """Return an escaped SPARQL literal, with its language tag where one is given."""
    if text and not WRITABLE.match(text):
        raise InputError("a name holds characters that no RDF literal can hold")
    body = "".join(_ESCAPES.get(c, c) for c in text)
    return f'"{body}"@{_language(language)}' if language else f'"{body}"'


def _items(values: Iterable[str]) -> str:
    return " ".join(f"wd:{qid}" for qid in checked_ids(values))


def _texts(values: Iterable[tuple[str, str]]) -> str:
    return " ".join(literal(text, language) for text, language in values)


def _languages(values: Iterable[str]) -> str:
    return ", ".join(f'"{_language(v)}"' for v in values)


def _integer(value: int) -> str:
    if type(value) is not int or value < 0:
        raise InputError(f"{value!r} is no count")
    return str(value)


def _cursor(value: str) -> str:
    if value and not _CURSOR.match(value):
        raise InputError(f"{value!r} is no entity id")
    return value


def _language(code: str) -> str:
    if not _LANGUAGE.match(code):
        raise InputError(f"{code!r} is no language code")
    return code


KINDS: dict[str, Callable[[Any], str]] = {
    "items": _items,
    "texts": _texts,
    "languages": _languages,
    "integer": _integer,
    "cursor": _cursor,
}


def _property(query: Query, wiki: Wiki, name: str) -> str:
    known = {f.name for f in dataclasses.fields(wiki.properties)}
    if name not in known:
        raise InputError(f"query {query.name} names ${name}, which is neither a parameter nor a property")
    value = str(getattr(wiki.properties, name))
    if not value:
        raise SettingsError(f"wiki.properties.{name} is empty", todo=f"set it, or leave out what asks {query.name}")
    return "".join(checked_entities([value]))


def _path(name: str) -> Path:
    if not _NAME.match(name):
        raise InputError(f"{name!r} is no query name")
    return resource("queries", f"{name}.rq")
