"""Which API modules there are and what each takes: one compact line for each parameter.

A line reads `name:type`, then `!` required, `*` several values, `+` also twice the same, `~` each value is a submodule,
`=default`. The type is a word (string, text, integer, boolean, title, limit, user), a list `a|b`, or `-` for an empty
list.
"""

from __future__ import annotations

from typing import Any

from bot.sandbox import api_names

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
_LANGUAGES = "|".join(api_names.LANGUAGES.split())
_QUERY = "|".join(api_names.QUERY_MODULES.split())


def _list(text: str) -> str:
    return "|".join(text.split())


# Module -> (PHP class, flags, parameters). Flags: r needs the right to read, w writes, p must be posted.
TABLE: dict[str, tuple[str, str, str]] = {
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
        f"action:{_list(api_names.ACTIONS)}~=help format:{_list(api_names.FORMATS)}~=jsonfm maxlag:integer smaxage:integer=0"
        " maxage:integer=0 assert:anon|bot|user assertuser:user requestid:string servedby:boolean curtimestamp:boolean"
        " responselanginfo:boolean origin:string uselang:string=user variant:string"
        " errorformat:bc|html|none|plaintext|raw|wikitext=bc errorlang:string=uselang errorsuselocal:boolean",
    ),
    "paraminfo": (
        "ApiParamInfo",
        "",
        f"modules:string* helpformat:html|none|raw|wikitext=none querymodules:{_QUERY}* mainmodule:string"
        f" pagesetmodule:string formatmodules:{_list(api_names.FORMATS)}*",
    ),
    "query": (
        "ApiQuery",
        "r",
        f"prop:{_list(api_names.PROPS)}*~ list:{_list(api_names.LISTS)}*~ meta:{_list(api_names.METAS)}*~ indexpageids:boolean"
        " export:boolean exportnowrap:boolean exportschema:0.10|0.11=0.11 iwurl:boolean continue:string"
        " rawcontinue:boolean titles:string* pageids:integer* revids:integer*"
        f" generator:{_list(api_names.GENERATORS)}~ redirects:boolean converttitles:boolean",
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
    "query+allusers": (
        "ApiQueryAllUsers",
        "r",
        "from:string to:string prefix:string dir:ascending|descending=ascending group:string* excludegroup:string*"
        " rights:string* prop:blockinfo|centralids|editcount|groups|implicitgroups|registration|rights* limit:limit=10"
        " witheditsonly:boolean activeusers:boolean attachedwiki:string excludenamed:boolean excludetemp:boolean",
    ),
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
    "userrights": ("ApiUserrights", "wp", f"user:user add:string* remove:string* reason:string= {_TOKEN}"),
}
PREFIXES = {
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
    "query+allusers": "au",
    "login": "lg",
}
# What the lines above cannot say.
MORE: dict[tuple[str, str], dict[str, Any]] = {
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
