"""The API modules with their parameters: what calls are checked against, and what action=paraminfo answers."""

from dataclasses import dataclass, field

from bot.sandbox.package_data import load_data
from bot.wikibase import Json

# Lists of names as MediaWiki 1.43 has them. A parameter's type may be such a list by its name: "$languages".
NAMES: dict[str, list[str]] = load_data("api_names")
NAMES["query_modules"] = sorted({*NAMES["prop"], *NAMES["list"], *NAMES["meta"]})


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: str | list[str]  # string, text, integer, boolean, title, limit, user; or the allowed values
    required: bool = False
    several: bool = False
    submodules: bool = False  # each value is a submodule
    repeats: bool = False  # the same value may be given twice
    default: str | int | None = None
    more: dict[str, object] = field(default_factory=dict, hash=False)  # further fields for paraminfo

    @property
    def choices(self) -> list[str]:
        """The allowed values; empty where every value is allowed."""
        return [] if isinstance(self.type, str) else self.type


@dataclass(frozen=True, slots=True)
class Module:
    path: str
    php: str
    flags: str  # r needs the right to read, w writes, p must be posted
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


def _parameter(raw: Json) -> Parameter:
    if raw["type"][:1] == "$":
        raw["type"] = NAMES[raw["type"][1:]]
    return Parameter(**raw)


MODULES = {
    path: Module(path, raw["class"], raw["flags"], raw.get("prefix", ""), tuple(map(_parameter, raw["parameters"])))
    for path, raw in load_data("api_modules").items()
}


def find_module(path: str) -> Module | None:
    """Return a module by path; a query module that the rehearsal wiki leaves empty has only what all lists have."""
    submodule = path.removeprefix("query+")
    if path in MODULES or path == submodule or submodule not in NAMES["query_modules"]:
        return MODULES.get(path)
    parameters = (Parameter("limit", "limit"), Parameter("continue", "string"))
    return Module(path, f"ApiQuery{submodule.capitalize()}", "r", "", parameters)


def describe(module: Module, server: str, high_limits: bool) -> dict[str, object]:
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
        "helpurls": [_HELP_PREFIX + page for page in _HELP_PAGES.get(module.path, ())],
        "parameters": [_describe(module, n, p, high_limits) for n, p in enumerate(module.parameters, 1)],
        "templatedparameters": [],
    }


def _describe(module: Module, number: int, parameter: Parameter, high_limits: bool) -> dict[str, object]:
    kind = parameter.type
    out: dict[str, object] = {"index": number, "name": parameter.name, "type": kind}
    if parameter.required:
        out["required"] = ""
    if parameter.default is not None:
        out["default"] = parameter.default
    if kind == "limit":
        out |= {"min": 1, "max": 500, "highmax": 5000}
    if parameter.several:
        out |= {"multi": "", "lowlimit": 50, "highlimit": 500, "limit": 500 if high_limits else 50}
    if parameter.repeats:
        out["allowsduplicates"] = ""
    if parameter.name == "token" and module.writes and parameter.required:
        out |= {"sensitive": "", "tokentype": "csrf"}
    if parameter.submodules:
        prefix = "query+" if module.path == "query" else ""
        out["submodules"] = {value: prefix + value for value in parameter.choices}
    return {**out, **parameter.more}


def _group(path: str) -> str:
    _, plus, name = path.partition("+")
    return next((group for group in ("prop", "list", "meta") if plus and name in NAMES[group]), "action")


_HELP_PREFIX = "https://www.mediawiki.org/wiki/Special:MyLanguage/API:"
_HELP_PAGES = {
    "paraminfo": ("Parameter_information",),
    "query": ("Query", "Meta", "Properties", "Lists"),
    "query+tokens": ("Tokens",),
    "query+info": ("Info",),
}
