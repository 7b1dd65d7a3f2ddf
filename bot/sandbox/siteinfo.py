"""What the rehearsal wiki says of itself: meta=siteinfo and meta=wikibase, in both format versions."""

from __future__ import annotations

from typing import Any

from bot.sandbox.accounts import GROUPS
from bot.sandbox.call import Call
from bot.sandbox.site import Site
from bot.sandbox.snaks import VALUE_TYPES

Json = dict[str, Any]
_SUBPAGES = {1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12, 13, 15}
_GPL = "GPL-2.0-or-later"
_VECTOR = (
    "[https://www.mediawiki.org/wiki/Readers/Web/Team Readers Web Team], Trevor Parscal, Roan Kattouw, Alex Hollender,"
    " Bernard Wang, Clare Ming, Jan Drewniak, Jon Robson, Nick Ray, Sam Smith, Stephen Niedzielski, Volker E."
)
_MINERVA = (
    "[https://www.mediawiki.org/wiki/Readers/Web/Team Readers Web Team], Alex Hollender, Bahodir Mansurov, Florian"
    " Schmidt, Jan Drewniak, Joaquin Hernandez, Jon Robson, Juliusz Gonera, Piotr Miazga, Ryan Kaldari, Nick Ray, Sam"
    " Smith, Stephen Niedzielski, Volker E."
)
_MATH = (
    "Tomasz Wegrzanowski, Brion Vibber, Moritz Schubotz, Derk-Jan Hartman, André Greiner-Petter, Johannes Stegmüller"
)
# type, name, name message, description message, authors, page, version, whether it lists credits
_EXTENSIONS = (
    ("skin", "MinervaNeue", "skinname-minerva", "minerva-skin-desc", _MINERVA, "Skin:MinervaNeue", "", False),
    (
        "skin",
        "MonoBook",
        "skinname-monobook",
        "monobook-desc",
        "Gabriel Wicke, Isarra Yos, ...",
        "Skin:MonoBook",
        "",
        False,
    ),
    ("skin", "Timeless", "skinname-timeless", "timeless-desc", "Isarra Yos", "Skin:Timeless", "0.9.1", False),
    ("skin", "Vector", "vector-specialversion-name", "vector-skin-desc", _VECTOR, "Skin:Vector", "1.0.0", False),
    (
        *("wikibase", "WikibaseRepository", "", "wikibase-desc", "The Wikidata team"),
        *("Extension:Wikibase_Repository", "", True),
    ),
    (
        *("wikibase", "WikibaseClient", "", "wikibase-client-desc", "The Wikidata team"),
        *("Extension:Wikibase_Client", "", True),
    ),
    ("parserhook", "Math", "", "math-desc", _MATH, "Extension:Math", "", False),
)


def siteinfo(call: Call) -> Json:
    """Answer meta=siteinfo for the asked properties."""
    site = call.site
    out: Json = {}
    for prop in call.several("siprop", "general"):
        if prop == "general":
            out[prop] = _general(call)
        elif prop == "namespaces":
            out[prop] = {str(n): _namespace(call, n, name) for n, name in sorted(_all_namespaces(site).items())}
        elif prop == "namespacealiases":
            key = "alias" if call.version == 2 else "*"
            out[prop] = [{"id": 6, key: "Image"}, {"id": 7, key: "Image talk"}]
        elif prop == "extensions":
            out[prop] = [_extension(*row) for row in _EXTENSIONS]
        elif prop == "statistics":
            out[prop] = site.siteinfo_counts()
        elif prop == "restrictions":
            out[prop] = {
                "types": ["create", "edit", "move", "upload"],
                "levels": ["", "autoconfirmed", "sysop"],
                "cascadinglevels": ["sysop"],
                "semiprotectedlevels": ["autoconfirmed"],
            }
        elif prop == "usergroups":
            out[prop] = [{"name": name, "rights": rights.split()} for name, rights in GROUPS.items()]
    return out


def wikibase(call: Call) -> Json:
    """Answer meta=wikibase."""
    url = {"base": call.site.server, "scriptpath": "/w", "articlepath": "/wiki/$1"}
    return {"repo": {"url": url}, "siteid": call.site.site_id}


def _general(call: Call) -> Json:
    site, old = call.site, call.version == 1
    booleans = {
        **dict.fromkeys(("langconversion", "linkconversion", "titleconversion"), True),
        "fixarabicunicode": True,
        "fixmalayalamunicode": True,
        "writeapi": True,
        "interwikimagic": True,
        "nofollowlinks": True,
    }
    flags: Json = dict.fromkeys(booleans, "") if old else {**dict.fromkeys(_FALSE, False), **booleans}
    gallery: Json = {
        "imagesPerRow": 0,
        "imageWidth": 120,
        "imageHeight": 120,
        "captionLength": "" if old else True,
        "showBytes": "" if old else True,
        "showDimensions": "" if old else True,
        "mode": "traditional",
    }
    return {
        "mainpage": "Main Page",
        "base": site.page_url("Main Page"),
        "sitename": site.name,
        "logo": f"{site.server}/w/resources/assets/change-your-logo.svg",
        "generator": "MediaWiki 1.43.9",
        "phpversion": "8.2.35",
        "phpsapi": "cli-server",
        "dbtype": "sqlite",
        "dbversion": "3.40.1",
        **flags,
        "linkprefixcharset": "",
        "linkprefix": "",
        "linktrail": "/^([a-z]+)(.*)$/sD",
        "legaltitlechars": " %!\"$&'()*,\\-.\\/0-9:;=?@A-Z\\\\^_`a-z~\\x80-\\xFF+",
        "invalidusernamechars": "@:>=",
        "case": "first-letter",
        "lang": "en",
        "fallback": [],
        "fallback8bitEncoding": "windows-1252",
        "maxarticlesize": 2097152,
        "timezone": "UTC",
        "timeoffset": 0,
        "articlepath": "/wiki/$1",
        "scriptpath": "/w",
        "script": "/w/index.php",
        "variantarticlepath": False,
        "server": site.server,
        "servername": "127.0.0.1",
        "wikiid": site.site_id,
        "time": site.db.now(),
        "maxuploadsize": 104857600,
        "minuploadchunksize": 1024,
        "galleryoptions": gallery,
        "thumblimits": [120, 150, 180, 200, 250, 300] if old else {str(n): w for n, w in enumerate(_THUMBS)},
        "imagelimits": [{"width": w, "height": h} for w, h in _IMAGES]
        if old
        else {str(n): {"width": w, "height": h} for n, (w, h) in enumerate(_IMAGES)},
        "favicon": f"{site.server}/favicon.ico",
        "centralidlookupprovider": "local",
        "allcentralidlookupproviders": ["local"],
        "magiclinks": [] if old else {"ISBN": False, "PMID": False, "RFC": False},
        "categorycollation": "uppercase",
        "nofollownsexceptions": [],
        "nofollowdomainexceptions": ["mediawiki.org"],
        "wikibase-propertytypes": {kind: {"valuetype": value} for kind, value in VALUE_TYPES.items()},
        "wikibase-conceptbaseuri": site.entity_prefix,
        "wikibase-geoshapestoragebaseurl": "https://commons.wikimedia.org/wiki/",
        "wikibase-tabulardatastoragebaseurl": "https://commons.wikimedia.org/wiki/",
    }


# False booleans: the old format leaves them out.
_FALSE = (
    *("mainpageisdomainroot", "imagewhitelistenabled", "allunicodefixes", "rtl", "readonly", "misermode"),
    *("uploadsenabled", "externallinktarget"),
)
_THUMBS = (120, 150, 180, 200, 250, 300)
_IMAGES = ((320, 240), (640, 480), (800, 600), (1024, 768), (1280, 1024), (2560, 2048))


def _all_namespaces(site: Site) -> dict[int, str]:
    spaces = site.db.namespaces
    local = {4: site.name, 5: f"{site.name} talk"} | ({} if spaces.items else {0: "Item", 1: "Item talk"})
    return {number: local.get(number, name) for name, number in [*spaces.numbers.items(), ("", 0)]}


def _namespace(call: Call, number: int, name: str) -> Json:
    spaces = call.site.db.namespaces
    canonical = next((canonical for canonical, n in spaces.numbers.items() if n == number), "")
    new = call.version == 2
    out: Json = {"id": number, "case": "first-letter", "name" if new else "*": name}
    if canonical:
        out["canonical"] = canonical
    flags = {"subpages": number in _SUBPAGES, "content": number == 0, "nonincludable": False}
    out |= flags if new else {flag: "" for flag, value in flags.items() if value}
    if number in (spaces.item_number, spaces.numbers["Property"]):
        out["defaultcontentmodel"] = "wikibase-item" if number == spaces.item_number else "wikibase-property"
    if number == 8:
        out["namespaceprotection"] = "editinterface"
    return out


def _extension(
    kind: str, name: str, message: str, description: str, authors: str, page: str, version: str, credits: bool
) -> Json:
    return {
        "type": kind,
        "name": name,
        **({"namemsg": message} if message else {}),
        "descriptionmsg": description,
        "author": authors,
        "url": f"https://www.mediawiki.org/wiki/{page}",
        **({"version": version} if version else {}),
        "license-name": _GPL,
        "license": f"/wiki/Special:Version/License/{name}",
        **({"credits": f"/wiki/Special:Version/Credits/{name}"} if credits else {}),
    }
