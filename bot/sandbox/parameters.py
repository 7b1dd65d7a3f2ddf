"""The modules' parameters read from their table: what calls are checked against, and what paraminfo answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bot.sandbox import api_names
from bot.sandbox.modules import MORE, PREFIXES, TABLE


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str | tuple[str, ...]
    required: bool = False
    several: bool = False
    submodules: bool = False
    repeats: bool = False  # the same value may be given twice
    default: str | None = None
    more: dict[str, Any] = field(default_factory=dict, hash=False)

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that it may have, none where anything goes."""
        kind = self.more.get("type", self.type)
        return tuple(kind) if isinstance(kind, tuple | list) else ()


@dataclass(frozen=True, slots=True)
class Module:
    path: str
    php: str
    flags: str
    prefix: str
    parameters: tuple[Parameter, ...]

    @property
    def writes(self) -> bool:
        return "w" in self.flags

    @property
    def edits(self) -> bool:
        """Whether a call changes the wiki; logging in and out writes, too, but edits nothing."""
        return self.writes and self.path not in ("login", "logout")

    @property
    def token(self) -> str:
        """The kind of token that a call carries."""
        return "userrights" if self.path == "userrights" else "csrf"

    def names(self) -> set[str]:
        return {self.prefix + parameter.name for parameter in self.parameters}


def _parameter(path: str, line: str) -> Parameter:
    name, _, rest = line.partition(":")
    kind, equals, default = rest.partition("=") if not rest.startswith("text/html") else (rest, "", "")
    flags = ""
    while kind and kind[-1] in "!*~+":
        flags, kind = flags + kind[-1], kind[:-1]
    one_of = () if kind == "-" else tuple(kind.rstrip("|").split("|")) if "|" in kind else kind
    return Parameter(
        name,
        one_of,
        "!" in flags,
        "*" in flags,
        "~" in flags,
        "+" in flags,
        default if equals else None,
        MORE.get((path, name), {}),
    )


MODULES = {
    path: Module(path, php, flags, PREFIXES.get(path, ""), tuple(_parameter(path, line) for line in lines.split()))
    for path, (php, flags, lines) in TABLE.items()
}


def known(path: str) -> Module | None:
    """Return a module by path; a query module that the rehearsal wiki leaves empty has only what all lists have."""
    below = path.removeprefix("query+")
    if path in MODULES or path == below or below not in api_names.QUERY_MODULES.split():
        return MODULES.get(path)
    return Module(
        path, f"ApiQuery{below.capitalize()}", "r", "", (Parameter("limit", "limit"), Parameter("continue", "string"))
    )


def describe(module: Module, server: str, high_limits: bool) -> dict[str, Any]:
    """Return a module as action=paraminfo shows it."""
    wikibase = not module.php.startswith("Api") and module.path != "query+wikibase"
    group = "" if module.path == "main" else _group(module.path)
    source = "WikibaseClient" if wikibase else "MediaWiki"
    namespace = "Wikibase\\Repo\\Api\\" if wikibase else "MediaWiki\\Api\\"
    rights = {"r": "readrights", "w": "writerights", "p": "mustbeposted"}
    return {
        "name": module.path.rpartition("+")[2],
        "classname": namespace + module.php,
        "path": module.path,
        **({"group": group} if group else {}),
        "prefix": module.prefix,
        "source": source,
        "sourcename": source,
        "licensetag": "GPL-2.0-or-later",
        "licenselink": f"{server}/wiki/Special:Version/License/{source}",
        **{rights[flag]: "" for flag in module.flags},
        "helpurls": _help(module),
        "parameters": [_describe(module, n, p, high_limits) for n, p in enumerate(module.parameters, 1)],
        "templatedparameters": [],
    }


def _describe(module: Module, number: int, parameter: Parameter, high_limits: bool) -> dict[str, Any]:
    kind = list(parameter.type) if isinstance(parameter.type, tuple) else parameter.type
    out: dict[str, Any] = {"index": number, "name": parameter.name, "type": kind}
    if parameter.required:
        out["required"] = ""
    if parameter.default is not None:
        number_like = kind in ("integer", "limit")
        out["default"] = int(parameter.default) if number_like else parameter.default
    if kind == "limit":
        out |= {"min": 1, "max": 500, "highmax": 5000}
    if parameter.several:
        out |= {"multi": "", "lowlimit": 50, "highlimit": 500, "limit": 500 if high_limits else 50}
    if parameter.repeats:
        out["allowsduplicates"] = ""
    if parameter.name == "token" and module.writes and parameter.required:
        out |= {"sensitive": "", "tokentype": "csrf"}
    if parameter.submodules:
        below = "query+" if module.path == "query" else ""
        out["submodules"] = {value: below + value for value in kind}
    return {**out, **parameter.more}


def _group(path: str) -> str:
    _, plus, name = path.partition("+")
    if not plus:
        return "action"
    groups = {"prop": api_names.PROPS, "list": api_names.LISTS, "meta": api_names.METAS}
    return next((group for group, members in groups.items() if name in members.split()), "action")


def _help(module: Module) -> list[str]:
    pages = {
        "paraminfo": ("Parameter_information",),
        "query": ("Query", "Meta", "Properties", "Lists"),
        "query+tokens": ("Tokens",),
        "query+info": ("Info",),
    }
    base = "https://www.mediawiki.org/wiki/Special:MyLanguage/API:"
    return [base + page for page in pages.get(module.path, ())]
