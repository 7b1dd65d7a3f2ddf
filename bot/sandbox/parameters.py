"""What each API module takes: one compact line for each parameter, from which calls are checked and paraminfo answers.

A line reads `name:type`, then `!` required, `*` several values, `~` each value is a submodule, `=default`.
The type is a word (string, text, integer, boolean, title, limit, user), a list `a|b`, or `-` for an empty list.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from bot.sandbox import names

_RETURN = "returnto:title returntoquery:string= returntoanchor:string="
_TAGS = "summary:string tags:-*"
_TOKEN = "token:string!"
_DATATYPES = (
    "commonsMedia|external-id|geo-shape|globe-coordinate|math|monolingualtext|quantity|string|tabular-data|time|url"
    "|wikibase-item|wikibase-property"
)
_PARSERS = (
    "commonsMedia|external-id|geo-shape|globe-coordinate|globecoordinate|math|monolingualtext|null|quantity|string"
    "|tabular-data|time|url|wikibase-entityid|wikibase-item|wikibase-property"
)
_SNAKTYPE = "snaktype:novalue|somevalue|value"
_LANGUAGES = "|".join(names.LANGUAGES.split())
_QUERY = "|".join(names.QUERY_MODULES.split())


def _list(text: str) -> str:
    return "|".join(text.split())


# Module -> (PHP class, flags, parameters). Flags: r needs the right to read, w writes, p must be posted.
_TABLE: dict[str, tuple[str, str, str]] = {
    "wbsetclaim": (
        "SetClaim",
        "rwp",
        f"claim:text! index:integer {_TAGS} {_TOKEN} baserevid:integer bot:boolean ignoreduplicatemainsnak:boolean"
        f" {_RETURN}",
    ),
    "wbcreateclaim": (
        "CreateClaim",
        "rwp",
        f"entity:string! {_SNAKTYPE}! property:string! value:text {_TAGS} {_TOKEN} baserevid:integer bot:boolean"
        f" {_RETURN}",
    ),
    "wbeditentity": (
        "EditEntity",
        "rwp",
        f"id:string new:item|property site:- title:string baserevid:integer {_TAGS} {_TOKEN} bot:boolean {_RETURN}"
        " data:text! clear:boolean",
    ),
    "wbsetreference": (
        "SetReference",
        "rwp",
        "statement:string! snaks:text! snaks-order:string reference:string index:integer"
        f" {_TAGS} {_TOKEN} baserevid:integer bot:boolean {_RETURN}",
    ),
    "wbsetqualifier": (
        "SetQualifier",
        "rwp",
        f"claim:string! property:string value:text {_SNAKTYPE} snakhash:string {_TAGS} {_TOKEN} baserevid:integer"
        f" bot:boolean {_RETURN}",
    ),
    "wbsetclaimvalue": (
        "SetClaimValue",
        "rwp",
        f"claim:string! value:text {_SNAKTYPE}! {_TAGS} {_TOKEN} baserevid:integer bot:boolean {_RETURN}",
    ),
    "wbremoveclaims": (
        "RemoveClaims",
        "rwp",
        f"claim:string!* {_TAGS} {_TOKEN} baserevid:integer bot:boolean {_RETURN}",
    ),
    "wbremovereferences": (
        "RemoveReferences",
        "rwp",
        f"statement:string! references:string!* {_TAGS} {_TOKEN} baserevid:integer bot:boolean {_RETURN}",
    ),
    "wbremovequalifiers": (
        "RemoveQualifiers",
        "rwp",
        f"claim:string! qualifiers:string!* {_TAGS} {_TOKEN} baserevid:integer bot:boolean {_RETURN}",
    ),
    "wbgetentities": (
        "GetEntities",
        "r",
        "ids:string* sites:-*+ titles:string*+ redirects:no|yes=yes"
        " props:aliases|claims|datatype|descriptions|info|labels|sitelinks|sitelinks/urls*"
        f"=info|sitelinks|aliases|labels|descriptions|claims|datatype languages:{_LANGUAGES}*"
        " languagefallback:boolean normalize:boolean sitefilter:-*+",
    ),
    "wbsearchentities": (
        "SearchEntities",
        "r",
        f"search:string! language:{_LANGUAGES}! strictlanguage:boolean type:item|property=item limit:limit=7"
        " continue:integer=0 props:url|*=url profile:default|=default",
    ),
    "wbparsevalue": (
        "ParseValue",
        "r",
        f"datatype:{_DATATYPES} property:string parser:{_PARSERS} values:string!* options:text validate:boolean",
    ),
    "wbformatvalue": (
        "FormatSnakValue",
        "r",
        "generate:text/html|text/html;disposition=verbose|text/html;disposition=verbose-preview|text/plain|text/x-wiki"
        f" datavalue:text! datatype:{_DATATYPES} property:string options:text",
    ),
    "wbmergeitems": (
        "MergeItems",
        "rwp",
        f"fromid:string! toid:string! ignoreconflicts:description|sitelink|statement* {_TAGS} bot:boolean {_TOKEN}"
        f" {_RETURN}",
    ),
    "wbcreateredirect": ("CreateRedirect", "rwp", f"from:string! to:string! {_TOKEN} bot:boolean {_RETURN}"),
    "wbgetclaims": (
        "GetClaims",
        "r",
        "entity:string property:string claim:string rank:deprecated|normal|preferred props:references|*=references",
    ),
    "main": (
        "ApiMain",
        "",
        f"action:{_list(names.ACTIONS)}~=help format:{_list(names.FORMATS)}~=jsonfm maxlag:integer smaxage:integer=0"
        " maxage:integer=0 assert:anon|bot|user assertuser:user requestid:string servedby:boolean curtimestamp:boolean"
        " responselanginfo:boolean origin:string uselang:string=user variant:string"
        " errorformat:bc|html|none|plaintext|raw|wikitext=bc errorlang:string=uselang errorsuselocal:boolean",
    ),
    "paraminfo": (
        "ApiParamInfo",
        "",
        f"modules:string* helpformat:html|none|raw|wikitext=none querymodules:{_QUERY}* mainmodule:string"
        f" pagesetmodule:string formatmodules:{_list(names.FORMATS)}*",
    ),
    "query": (
        "ApiQuery",
        "r",
        f"prop:{_list(names.PROPS)}*~ list:{_list(names.LISTS)}*~ meta:{_list(names.METAS)}*~ indexpageids:boolean"
        " export:boolean exportnowrap:boolean exportschema:0.10|0.11=0.11 iwurl:boolean continue:string"
        " rawcontinue:boolean titles:string* pageids:integer* revids:integer*"
        f" generator:{_list(names.GENERATORS)}~ redirects:boolean converttitles:boolean",
    ),
    "query+tokens": (
        "ApiQueryTokens",
        "",
        "type:createaccount|csrf|login|patrol|rollback|userrights|watch*=csrf",
    ),
    "query+info": (
        "ApiQueryInfo",
        "r",
        "prop:associatedpage|displaytitle|editintro|linkclasses|notificationtimestamp|preloadcontent|protection"
        "|subjectid|talkid|url|varianttitles|visitingwatchers|watched|watchers|preload|readable*"
        " linkcontext:title=Main_Page testactions:string* testactionsdetail:boolean|full|quick=boolean"
        " testactionsautocreate:boolean preloadcustom:string preloadparams:string* preloadnewsection:boolean"
        " editintrostyle:lessframes|moreframes=moreframes editintroskip:string* editintrocustom:string continue:string",
    ),
    "query+siteinfo": (
        "ApiQuerySiteinfo",
        "r",
        "prop:general|namespaces|namespacealiases|extensions|statistics|restrictions|usergroups*=general"
        " filteriw:!local|local showalldb:boolean numberingroup:boolean inlanguagecode:string",
    ),
    "query+userinfo": (
        "ApiQueryUserInfo",
        "r",
        "prop:blockinfo|editcount|groups|hasmsg|ratelimits|registrationdate|rights* attachedwiki:string",
    ),
    "query+wikibase": ("WikibaseInfo", "r", "prop:siteid|url*"),
    "query+revisions": (
        "ApiQueryRevisions",
        "r",
        "prop:comment|content|contentmodel|flags|ids|sha1|size|tags|timestamp|user|userid|slotsize"
        "*=ids|timestamp|flags|comment|user slots:main|* limit:limit startid:integer endid:integer start:string"
        " end:string dir:newer|older=older user:user excludeuser:user tag:string continue:string section:string"
        " generatexml:boolean",
    ),
    "query+recentchanges": (
        "ApiQueryRecentChanges",
        "r",
        "start:string end:string dir:newer|older=older namespace:string* user:user excludeuser:user tag:string"
        " prop:comment|flags|ids|sizes|tags|timestamp|title|user|userid|loginfo|sha1*=title|timestamp|ids"
        " show:bot|!bot|minor|!minor|anon|!anon* limit:limit=10 type:edit|new|log|categorize|external*"
        " toponly:boolean title:string continue:string",
    ),
    "query+logevents": (
        "ApiQueryLogEvents",
        "r",
        "prop:comment|details|ids|tags|timestamp|title|type|user|userid*=ids|title|type|user|timestamp|comment"
        " type:string action:string start:string end:string dir:newer|older=older user:user title:string"
        " namespace:integer limit:limit=10 continue:string",
    ),
    "query+usercontribs": (
        "ApiQueryUserContribs",
        "r",
        "limit:limit=10 start:string end:string continue:string user:user* userids:integer* userprefix:string"
        " dir:newer|older=older namespace:string* prop:comment|flags|ids|size|tags|timestamp|title*"
        "=ids|title|timestamp|comment|size|flags show:string* tag:string toponly:boolean",
    ),
    "query+templates": (
        "ApiQueryLinks",
        "r",
        "namespace:integer* limit:limit=10 continue:string templates:string* dir:ascending|descending=ascending",
    ),
    "query+blocks": ("ApiQueryBlocks", "r", "users:user* ip:string limit:limit=10 prop:string*"),
    "query+users": ("ApiQueryUsers", "r", "users:string* userids:integer* prop:string*"),
    "login": ("ApiLogin", "wp", "name:string password:string domain:string token:string"),
    "logout": ("ApiLogout", "wp", f"{_TOKEN}"),
    "edit": (
        "ApiEditPage",
        "rwp",
        "title:string pageid:integer section:string sectiontitle:string text:text summary:string tags:-* minor:boolean"
        " notminor:boolean bot:boolean baserevid:integer basetimestamp:string starttimestamp:string recreate:boolean"
        " createonly:boolean nocreate:boolean watchlist:string md5:string prependtext:text appendtext:text"
        f" contentformat:string contentmodel:string {_TOKEN}",
    ),
    "parse": (
        "ApiParse",
        "r",
        "title:string text:text page:string pageid:integer oldid:integer prop:string* redirects:boolean",
    ),
    "purge": ("ApiPurge", "w", "titles:string* forcelinkupdate:boolean"),
    "delete": ("ApiDelete", "rwp", f"title:string pageid:integer reason:string tags:-* {_TOKEN}"),
    "protect": (
        "ApiProtect",
        "rwp",
        f"title:string pageid:integer protections:string!* expiry:string* reason:string tags:-* {_TOKEN}",
    ),
    "block": ("ApiBlock", "rwp", f"user:user expiry:string=never reason:string= {_TOKEN}"),
    "unblock": ("ApiUnblock", "rwp", f"user:user reason:string= {_TOKEN}"),
}
_PREFIXES = {
    "query+info": "in",
    "query+siteinfo": "si",
    "query+userinfo": "ui",
    "query+wikibase": "wbi",
    "query+revisions": "rv",
    "query+recentchanges": "rc",
    "query+logevents": "le",
    "query+usercontribs": "uc",
    "query+templates": "tl",
    "query+blocks": "bk",
    "query+users": "us",
    "login": "lg",
}
# What the lines above cannot say.
_MORE: dict[tuple[str, str], dict[str, Any]] = {
    ("main", "smaxage"): {"min": 0},
    ("main", "maxage"): {"min": 0},
    ("main", "assertuser"): {"subtypes": ["name", "temp"]},
    ("main", "action"): {"internalvalues": ["cspreport", "stashedit"]},
    ("paraminfo", "querymodules"): {"deprecated": ""},
    ("paraminfo", "mainmodule"): {"deprecated": ""},
    ("paraminfo", "pagesetmodule"): {"deprecated": ""},
    ("paraminfo", "formatmodules"): {"deprecated": ""},
    ("query", "prop"): {"internalvalues": ["description"]},
    ("query", "list"): {"deprecatedvalues": ["deletedrevs"], "internalvalues": ["wbsearch"]},
    ("query", "generator"): {"submoduleparamprefix": "g", "internalvalues": ["wbsearch"]},
    ("query+tokens", "type"): {"allspecifier": "*"},
    ("query+info", "prop"): {"deprecatedvalues": ["preload", "readable"]},
    ("query+info", "linkcontext"): {"default": "Main Page"},
    ("query+info", "preloadcustom"): {"info": [{"name": "preloadcontentonly"}]},
    ("query+info", "preloadparams"): {"info": [{"name": "preloadcontentonly"}]},
    ("query+info", "preloadnewsection"): {"info": [{"name": "preloadcontentonly"}]},
    ("query+info", "editintrostyle"): {"info": [{"name": "editintroonly"}]},
    ("query+info", "editintroskip"): {"info": [{"name": "editintroonly"}]},
    ("query+info", "editintrocustom"): {"info": [{"name": "editintroonly"}]},
    ("wbparsevalue", "parser"): {"deprecated": ""},
    ("wbsearchentities", "limit"): {"min": 0, "max": 50, "highmax": 500},
    ("wbsearchentities", "continue"): {"min": 0, "max": 10000},
    ("wbformatvalue", "generate"): {
        "type": [
            "text/html",
            "text/html; disposition=verbose",
            "text/html; disposition=verbose-preview",
            "text/plain",
            "text/x-wiki",
        ],
        "default": "text/x-wiki",
    },
}


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
    def must_be_posted(self) -> bool:
        return "p" in self.flags

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
        _MORE.get((path, name), {}),
    )


MODULES = {
    path: Module(path, php, flags, _PREFIXES.get(path, ""), tuple(_parameter(path, line) for line in lines.split()))
    for path, (php, flags, lines) in _TABLE.items()
}


def known(path: str) -> Module | None:
    """Return a module by path; a query module that the rehearsal wiki leaves empty has only what all lists have."""
    below = path.removeprefix("query+")
    if path in MODULES or path == below or below not in names.QUERY_MODULES.split():
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
    groups = {"prop": names.PROPS, "list": names.LISTS, "meta": names.METAS}
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
