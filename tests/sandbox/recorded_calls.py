"""What the rehearsal wiki answers to calls of every action, good ones and bad ones, one after the other, and what its pages say.

`python tests/sandbox/recorded_calls.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any
from unittest.mock import patch

from bot.sandbox import Sandbox
from bot.sandbox.accounts import user_of_account
from bot.sandbox.call import Call, ConnectionDropped
from bot.sandbox.web import answer_call, make_app

DATA = Path(__file__).parent / "data" / "calls.jsonl"
ROWS: list[dict[str, Any]] = [
    {"qid": "Q10", "label": "energy", "aliases": ["E", "work"], "formulas": ["E=mc^2"], "description": "quantity",
     "sitelinks": {"enwiki": "Energy", "dewiki": "Energie"}, "instance_of": ["Q30"]},
    {"qid": "q11", "label": "Energie", "language": "de", "formulas": ["E=h\\nu", "x"], "part_of": ["q10"]},
    {"qid": "Q11", "aliases": ["Energie II"], "formulas": ["x", "y"], "description": "Größe"},
    {"qid": "Q12", "redirect": "Q10"},
    {"qid": "Q13", "label": "energy", "description": "word"},
]  # fmt: skip
ITEMS = ("Q10", "Q11", "Q13", "Q900000001", "Q900000002")
START = datetime(2026, 11, 20, 12, tzinfo=UTC)  # each call comes a minute after the one before
_GUID = "{}$00000000-0000-4000-8000-{:012d}"
_UNSTABLE = re.compile(r'"(?:token|logintoken)": "[^"]*"')


def snak(prop: str, kind: str, value: Any) -> dict[str, Any]:
    return {"snaktype": "value", "property": prop, "datavalue": {"type": kind, "value": value}}


def claim(qid: str, n: int, tex: str = "E=mc^2", **more: Any) -> dict[str, Any]:
    return {"id": _GUID.format(qid, n), "type": "statement", "mainsnak": snak("P2534", "string", tex), **more}


URL = {"P854": [snak("P854", "string", "https://a.example/")]}
ITEM = {"P248": [snak("P248", "wikibase-entityid", {"entity-type": "item", "numeric-id": 10})]}
TIME = {"P813": [snak("P813", "time", {"time": "+2026-11-20T00:00:00Z", "precision": 11})]}
SYMBOL = {"P7235": [snak("P7235", "string", "m")]}
G1, G2 = _GUID.format("Q10", 1), _GUID.format("Q10", 2)


def _terms(part: str, **by_language: Any) -> dict[str, Any]:
    return {part: {language: {"language": language, "value": text} for language, text in by_language.items()}}


def _claims(*raw: Any) -> dict[str, Any]:
    return {"claims": list(raw)}


def writes() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (account, parameters) of calls that change the wiki, or try to."""
    yield from (("WikiBot", {"action": "wbsetclaim", **each}) for each in (
        {"claim": claim("Q10", 1, summary="s"), "summary": "by hand"}, {"claim": claim("Q10", 1)}, {"claim": claim("Q10", 1, "E=m c^2")},
        {"claim": claim("Q10", 2, "E=T+V", rank="preferred", qualifiers=SYMBOL, references=[{"snaks": URL}, {"snaks": URL}]), "index": 0, "bot": 1},
        {"claim": claim("Q10", 3, "", rank="normal")}, {"claim": claim("Q10", 3, "x", rank="best")}, {"claim": claim("Q10", 3, "x" * 401)}, {"claim": claim("Q10", 3, "\\foo{x}")},
        {"claim": claim("Q10", 3, " x")}, {"claim": {**claim("Q10", 3), "id": "Q10"}}, {"claim": {**claim("Q10", 3), "id": None}}, {"claim": "[]"}, {"claim": "{"},
        {"claim": {**claim("Q10", 3), "mainsnak": {}}}, {"claim": {**claim("Q10", 3), "type": "thing"}}, {"claim": claim("Q99", 3)}, {"claim": claim("Q12", 3)},
        {"claim": {**claim("Q10", 3), "mainsnak": snak("P99999", "string", "x")}}, {"claim": {**claim("Q10", 3), "mainsnak": snak("P2534", "time", {})}},
        {"claim": claim("Q10", 3, references=[{"snaks": {**ITEM, **TIME}, "snaks-order": ["P813", "P248"]}])}, {"claim": claim("Q10", 4, references=[{}])},
        {"claim": claim("Q10", 4, references=[{"snaks": {"P248": [snak("P248", "wikibase-entityid", {"id": "Q77"})]}}])}, {"claim": claim("Q10", 4), "baserevid": "2"},
        {"claim": claim("Q10", 4), "baserevid": "x"}, {"claim": claim("Q10", 4), "baserevid": "999"}, {"claim": claim("Q10", 4), "tags": "one|two"}, {"claim": claim("Q10", 4), "colour": "3", "odd": "4"},
        {"claim": claim("Q10", 5, "y\u0308=1")}, {"claim": claim("Q10", 5, "y\u0308=1"), "maxlag": "-1"}, {"claim": claim("Q10", 5), "assert": "anon"}, {"claim": claim("Q10", 5), "assertuser": "Ada"},
        {}, {"claim": claim("Q10", 5), "token": "no"}, {"claim": claim("Q10", 5), "errorformat": "plaintext", "assert": "bot", "baserevid": "999", "formatversion": "2"},
    ))  # fmt: skip
    yield from (("WikiBot", {"action": "wbcreateclaim", "snaktype": "value", "entity": "Q11", **each}) for each in (
        {"property": "P2534", "value": '"a=b"'}, {"property": "P2534"}, {"property": "P2534", "value": "7"}, {"property": "P88888", "value": '"x"'}, {"property": "P2534", "snaktype": "somevalue"},
        {"property": "p2534", "snaktype": "novalue"}, {"property": "P248", "value": '{"id": "Q10"}'}, {"property": "P248", "value": '{"entity-type": "property", "numeric-id": 248}'},
        {"property": "P248", "value": '{"id": "X1"}'}, {"property": "P854", "value": '"a.example"'}, {"property": "P854", "value": '"https://a b"'}, {"property": "P854", "value": '"odd:x"'},
        {"property": "P854", "value": json.dumps("https://a.example/" + "x" * 500)}, {"property": "P813", "value": '{"time": "+2026-13-20T00:00:00Z"}'}, {"property": "P813", "value": '{"time": "now"}'},
        {"property": "P813", "value": '{"time": "+2026-11-20T00:00:00Z", "precision": 12}'}, {"property": "P1476", "value": '{"text": "On", "language": "en"}'}, {"property": "P1476", "value": '{"text": "On"}'},
        {"property": "P1476", "value": json.dumps({"text": "o" * 1501, "language": "en"})}, {"property": "P2534", "value": '"c"', "entity": "Q99"}, {"property": "P2534", "snaktype": "maybe"},
    ))  # fmt: skip
    bot = "WikiBot"
    yield bot, {"action": "wbsetclaimvalue", "claim": G1, "snaktype": "value", "value": '"E=m\\\\,c^2"', "summary": "x"}
    yield bot, {"action": "wbsetclaimvalue", "claim": _GUID.format("Q10", 77), "snaktype": "value", "value": '"x"'}
    yield bot, {"action": "wbsetclaimvalue", "claim": "Q10", "snaktype": "value", "value": '"x"'}
    for reference in ({}, {"reference": "0" * 40}, {"index": 0}):
        for snaks in (URL, ITEM, {**TIME, **ITEM}, "{", {"P854": [{}]}):
            yield (
                bot,
                {"action": "wbsetreference", "statement": G1, "snaks": snaks, "snaks-order": ["P248"], **reference},
            )
    for hashes in ("0" * 40, "<reference>", "<reference>"):
        yield bot, {"action": "wbremovereferences", "statement": G1, "references": hashes}
    yield bot, {"action": "wbsetreference", "statement": G1, "snaks": URL, "reference": "<reference>"}
    yield bot, {"action": "wbremovereferences", "statement": G1, "references": "<references>"}
    for more in ({"property": "P7235", "value": '"c"'}, {"property": "P7235", "value": '"c"'}, {"property": "P7235", "value": '"d"'}, {"snakhash": "<qualifier>", "value": '"e"'},
                 {"snakhash": "1", "value": '"e"'}, {"property": "P7235", "value": '" e"'}, {"snakhash": "<qualifier>", "property": "P7235", "value": '"d"'}):  # fmt: skip
        yield bot, {"action": "wbsetqualifier", "claim": G1, "snaktype": "value", **more}
    for hashes in ("1", "<qualifier>", "<qualifiers>"):
        yield bot, {"action": "wbremovequalifiers", "claim": G1, "qualifiers": hashes}
    yield from ((bot, {"action": "wbremoveclaims", "claim": each}) for each in ("Q10", f"{G1}|{_GUID.format('Q11', 1)}", _GUID.format("Q10", 77), f"{G1}|{G2}", G1))  # fmt: skip
    yield from (("PlainUser", {"action": "wbeditentity", **each}) for each in (
        {"id": "Q10", "data": _terms("labels", fr="énergie", en="Energy")}, {"id": "q10", "data": _terms("labels", fr="énergie")}, {"id": "Q10", "data": "{"}, {"id": "Q10", "data": "[]"}, {"id": "X10", "data": {}},
        {"id": "Q10", "data": _terms("labels", fr="é" * 251)}, {"id": "Q10", "data": _terms("descriptions", en="d" * 251)}, {"id": "Q10", "data": _terms("descriptions", en="d" * 250)},
        {"id": "Q10", "data": {"labels": {"fr": {"language": "fr", "remove": ""}}, "descriptions": {"en": {"language": "en", "value": "quantity"}}}},
        {"id": "Q13", "data": _terms("descriptions", en="quantity") | _terms("labels", en="Energy")}, {"id": "Q13", "data": _terms("descriptions", en="a word")},
        {"id": "Q10", "data": {"aliases": {"en": [{"language": "en", "value": "J", "add": ""}, {"language": "en", "value": "E", "remove": ""}]}}},
        {"id": "Q10", "data": {"aliases": {"en": [{"language": "en", "value": "new"}, {"language": "en", "value": "new"}], "de": {"language": "de", "value": "neu"}}}},
        {"id": "Q10", "data": {"aliases": {"de": []}}}, {"id": "Q10", "data": {"sitelinks": {"frwiki": {"site": "frwiki", "title": "Énergie"}, "dewiki": {"site": "dewiki", "remove": ""}}}},
        {"id": "Q10", "data": _claims(claim("Q10", 6, "p=mv"))}, {"id": "Q10", "data": {"claims": {"P2534": [{**claim("Q10", 6), "remove": ""}]}}}, {"id": "Q10", "data": _claims(claim("Q11", 6))},
        {"id": "Q10", "data": _claims({"mainsnak": snak("P2534", "string", "p=q"), "type": "statement"})}, {"id": "Q13", "data": _terms("labels", de="Wort"), "clear": "1"}, {"id": "P2534", "data": _terms("labels", de="Formel")},
        {"new": "item", "data": _terms("labels", en="made") | _claims({"mainsnak": snak("P2534", "string", "n=1"), "type": "statement"})}, {"new": "item", "data": _terms("labels", en="l" * 251)}, {"new": "item", "data": {}},
        {"new": "property", "data": {"datatype": "math"}}, {"new": "thing", "data": {}}, {},
    ))  # fmt: skip
    yield (
        "Admin",
        {"action": "wbeditentity", "new": "property", "data": {"datatype": "math", **_terms("labels", en="p")}},
    )
    yield "", {"action": "wbeditentity", "id": "Q10", "data": _terms("labels", fr="x")}
    for source, target in (("Q13", "Q10"), ("Q99", "Q10"), ("Q12", "Q10"), ("Q10", "Q99")):
        yield "PlainUser", {"action": "wbcreateredirect", "from": source, "to": target}
    for ignore in ("", "description"):
        yield "PlainUser", {"action": "wbmergeitems", "fromid": "Q11", "toid": "Q13", "ignoreconflicts": ignore}
    yield "PlainUser", {"action": "wbeditentity", "id": "Q11", "data": {}, "clear": "1"}
    yield "PlainUser", {"action": "wbmergeitems", "fromid": "Q13", "toid": "Q10"}
    yield "PlainUser", {"action": "wbcreateredirect", "from": "Q11", "to": "Q10"}
    yield from (("PlainUser", {"action": "edit", **each}) for each in (
        {"title": "user talk:wikiBot", "text": "stop"}, {"title": "User_talk:WikiBot", "text": "stop"}, {"title": "User talk:WikiBot", "appendtext": "!", "prependtext": "now ", "summary": "s"},
        {"title": "User talk:WikiBot", "text": "x", "createonly": "1"}, {"title": "Nowhere", "text": "x", "nocreate": "1"}, {"title": "Property:P1", "text": "x"}, {"title": "Main page", "text": "m"},
        {"title": "Talk:A", "text": "t"}, {"title": "Talk:A", "text": "u", "baserevid": "1"}, {"pageid": "1", "text": "x"}, {"pageid": "999", "text": "x"}, {"title": "Project:Rules", "text": "r"},
    ))  # fmt: skip
    yield from (("Admin", each) for each in (
        {"action": "protect", "title": "Talk:A", "protections": "edit=sysop|move=sysop", "reason": "r"}, {"action": "protect", "title": "Q10", "protections": "edit=sysop"}, {"action": "protect", "title": "Nowhere", "protections": "edit=sysop"},
        {"action": "block", "user": "PlainUser", "reason": "odd edits"}, {"action": "userrights", "user": "WikiBot", "remove": "bot|sysop"}, {"action": "userrights", "user": "Nobody", "remove": "bot"},
    ))  # fmt: skip
    yield "PlainUser", {"action": "edit", "title": "Talk:A", "text": "v"}
    yield "WikiBot", {"action": "edit", "title": "Talk:A", "text": "v", "bot": "1"}
    yield "WikiBot", {"action": "wbsetclaim", "claim": claim("Q10", 8, "z"), "assert": "bot"}
    yield "WikiBot", {"action": "wbsetclaim", "claim": claim("Q10", 8, "z"), "formatversion": "2"}
    yield "WikiBot", {"action": "delete", "title": "Talk:A"}
    for each in ({"action": "protect", "title": "Q10", "protections": "edit=all"}, {"action": "delete", "title": "Talk:A", "reason": "old"}, {"action": "delete", "title": "Talk:A"}):  # fmt: skip
        yield "Admin", each
    yield (
        "Admin",
        {
            "action": "query",
            "list": "blocks|users|allusers",
            "ususers": "PlainUser|WikiBot|Nobody",
            "auprop": "groups",
            "auprefix": "",
            "aufrom": "B",
            "auto": "Q",
        },
    )
    yield "PlainUser", {"action": "query", "meta": "userinfo", "uiprop": "groups|hasmsg|editcount|blockinfo|ratelimits"}
    yield "Admin", {"action": "unblock", "user": "PlainUser", "reason": "well"}
    yield "Admin", {"action": "userrights", "user": "WikiBot", "add": "bot"}


def later_writes() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (account, parameters) of calls whose effect is in what is stored: parts that change, and items that are merged."""
    old, new = "Q900000001", "Q900000002"
    symbols = {"P7235": [snak("P7235", "string", each) for each in "ab"]}
    yield from (("PlainUser", {"action": "wbeditentity", "id": old, "data": each}) for each in (
        {"sitelinks": {"enwiki": {"site": "enwiki", "title": "Made"}, "dewiki": {"title": "Gemacht", "badges": ["Q10"]}}},
        {"sitelinks": {"enwiki": {"site": "enwiki", "title": "Made", "remove": ""}, "dewiki": {"site": "dewiki", "title": ""}}},
        _terms("labels", en="made", de="gemacht", fr="fait") | _terms("descriptions", de="d", fr="f") | {"aliases": {"en": [{"language": "en", "value": each} for each in ("m", "kept", "new")]}},
        {"labels": {"fr": {"language": "fr", "remove": "", "value": "x"}}, "descriptions": {"de": {"language": "de", "value": " "}}},
        {"aliases": {"en": [{"language": "en", "value": "m", "remove": ""}, {"language": "en", "value": "kept", "add": ""}, {"language": "en", "value": " last ", "add": ""}]}},
        _claims(claim(old, 1, "a=b", qualifiers=symbols, references=[{"snaks": URL}]), claim(old, 2, "a=c", qualifiers=symbols), claim(old, 3, "a=d")),
    ))  # fmt: skip
    yield from (("PlainUser", {"action": "wbeditentity", "id": new, "data": each}) for each in (
        _terms("labels", en="Made", de="gemacht") | _terms("descriptions", de="d") | {"aliases": {"en": [{"language": "en", "value": "kept"}]}, "sitelinks": {"frwiki": {"site": "frwiki", "title": "Fait"}}},
        _claims(claim(new, 1, "a=b", qualifiers={"P7235": symbols["P7235"][::-1]}, references=[{"snaks": URL}, {"snaks": ITEM}]), claim(new, 2, "a=c"), claim(new, 3, "a=d", references=[{"snaks": URL}])),
        _claims({**claim(new, 3), "mainsnak": snak("P7235", "string", "a=d")}),
    ))  # fmt: skip
    yield "WikiBot", {"action": "wbsetclaim", "claim": claim(new, 4, "first"), "index": 0}
    yield "WikiBot", {"action": "wbsetclaim", "claim": claim(new, 2, "a=c", rank="deprecated"), "index": 9}
    for what in (
        {"property": "P7235", "value": '"c"'},
        {"property": "P854", "value": '"https://a.example/"'},
        {"property": "P7235", "value": '"d"'},
    ):
        yield "WikiBot", {"action": "wbsetqualifier", "claim": _GUID.format(new, 4), "snaktype": "value", **what}
    for index in (0, 1):
        yield "WikiBot", {"action": "wbsetreference", "statement": _GUID.format(new, 1), "snaks": {**URL, **ITEM, **TIME}, "snaks-order": ["P813", "P248"], "index": index}  # fmt: skip
    yield from (("PlainUser", {"action": "wbeditentity", "id": new, "data": each}) for each in (
        {"aliases": {"en": [{"language": "en", "value": each} for each in "xyz"]}}, {"aliases": {"en": [{"language": "en", "value": "y", "remove": ""}]}}, {"aliases": {"en": [{"language": "en", "value": "y", "add": ""}]}}, {"aliases": {"en": {"language": "en", "value": "kept"}}},
        _claims("x"), _claims({"type": "statement"}), _claims({"mainsnak": "x", "type": "statement"}), _claims({**claim(new, 7), "references": "x"}), _claims({**claim(new, 7), "qualifiers": "x"}), _claims({**claim(new, 7), "rank": 3}), {"claims": {"P2534": {}}}, {"sitelinks": {"enwiki": {"site": "enwiki", "title": "New", "badges": []}}},
    ))  # fmt: skip
    yield "WikiBot", {"action": "wbsetclaim", "claim": claim(new, 9, "long"), "summary": "s" * 600}
    yield "WikiBot", {"action": "query", "prop": "revisions", "rvprop": "comment|size", "titles": new}
    yield "PlainUser", {"action": "wbmergeitems", "fromid": new, "toid": old}
    yield "PlainUser", {"action": "wbmergeitems", "fromid": old, "toid": "Q10", "ignoreconflicts": "description"}
    for who in ("PlainUser", "WikiBot", "", "Admin"):
        for params in (
            {"action": "protect", "title": "Q10", "protections": "move=all|edit=autoconfirmed"}, {"action": "protect", "title": "Q10"}, {"action": "protect", "title": "Q10", "protections": "move=sysop"}, {"action": "block", "user": "BlockedUser"}, {"action": "unblock", "user": "BlockedUser"},
            {"action": "userrights", "user": "Admin", "remove": "sysop|bot"}, {"action": "userrights", "user": "Admin", "add": "sysop|bot"}, {"action": "delete", "pageid": "12345"}, {"action": "delete", "title": "Main page"}, {"action": "purge", "titles": "Q10|main page"},
        ):  # fmt: skip
            yield who, params


def later_reads() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (account, parameters) of a few new items and calls that ask for parts of what is there by then."""
    for reason in ("first", "second"):
        yield "Admin", {"action": "block", "user": "BlockedUser", "reason": reason}
    yield "", {"action": "query", "list": "blocks"}
    yield "", {"action": "query", "list": "recentchanges", "rcshow": "!bot", "rclimit": "60", "rcprop": "ids|flags"}
    yield "WikiBot", {"action": "wbsetreference", "statement": _GUID.format("Q10", 3), "snaks": URL}
    values: dict[str, Any] = {
        "quantity": {"amount": "+3", "unit": "1"}, "external-id": "x/1", "time": {"time": "+2026-11-20T00:00:00Z", "precision": 11}, "monolingualtext": {"text": "a/b", "language": "en"},
        "globe-coordinate": {"latitude": 1.5, "longitude": 2, "precision": 0.1, "globe": "http://www.wikidata.org/entity/Q2"}, "wikibase-property": {"id": "P2534"}, "commonsMedia": "A.png",
    }  # fmt: skip
    for n, (kind, value) in enumerate(values.items()):
        yield (
            "Admin",
            {"action": "wbeditentity", "new": "property", "data": {"datatype": kind, **_terms("labels", en=kind)}},
        )
        for each in (
            (value, {"odd": 1}) if kind in ("time", "external-id", "monolingualtext", "wikibase-property") else (value,)
        ):
            yield "WikiBot", {"action": "wbcreateclaim", "snaktype": "value", "entity": "Q13", "property": f"P{9760 + n}", "value": json.dumps(each)}  # fmt: skip
    for n in range(3):
        terms = _terms("labels", en=f"zeta {n}", mul=f"zeta mul {n}") | _terms("descriptions", mul=f"d {n}")
        aliases = {"aliases": {"en": [{"language": "en", "value": f"zeta {n} {each}"} for each in "abcdefg"]}}
        yield "PlainUser", {"action": "wbeditentity", "new": "item", "data": {**terms, **aliases}}
    yield from (("", {"action": "wbsearchentities", "language": "en", **each}) for each in (
        {"search": "made"}, {"search": "zeta", "limit": "2"}, {"search": "zeta", "limit": "1", "continue": "1"}, {"search": "zeta", "limit": "3"}, {"search": "ZETA 1"}, {"search": "zeta mul"}, {"search": "zeta 2", "language": "de"}, {"search": "Q900000003"}, {"search": "P31", "type": "item"}, {"search": "Q10", "type": "property"},
    ))  # fmt: skip
    yield from (("", {"action": "wbgetentities", **each}) for each in (
        {"sites": "enwiki", "titles": "Nothing"}, {"sites": "enwiki|dewiki", "titles": "Energy|Energie"}, {"sites": "enwiki|dewiki", "titles": "Energy"}, {"sites": "enwiki|dewiki|frwiki", "titles": "Energy|Energie"},
        {"ids": "Q900000002|Q13", "props": "info|datatype"}, {"ids": "Q900000003", "languages": "mul", "props": "labels|aliases"}, {"ids": "Q900000002", "redirects": "no", "props": "info"}, {"ids": "Q10", "props": "sitelinks", "sitefilter": "frwiki"}, {"ids": "P2534", "props": "datatype"}, {"ids": "x|Q10"},
    ))  # fmt: skip
    for version in ("1", "2"):
        yield (
            "",
            {
                "action": "query",
                "formatversion": version,
                "prop": "info",
                "inprop": "protection|url",
                "titles": "Q900000002|Q900000003|Q10|Main page|Odd:Nothing",
            },
        )
        yield (
            "",
            {
                "action": "query",
                "formatversion": version,
                "prop": "revisions",
                "rvprop": "user|userid|sha1|content|tags",
                "titles": "Main page",
            },
        )
    yield from (("", {"action": "query", **each}) for each in (
        {"titles": "Q900000002|Q10", "redirects": "1"}, {"titles": "Q10", "prop": "revisions", "rvprop": "ids", "rvstart": "2026-11-20T13:00:00Z", "rvlimit": "2"}, {"titles": "Q10", "prop": "revisions", "rvprop": "ids", "rvend": "2026-11-20T14:00:00Z", "rvdir": "newer", "rvlimit": "2"},
        {"prop": "revisions", "rvprop": "ids", "revids": "2|5|9"}, {"pageids": "1|2|999"}, {"list": "recentchanges", "rcshow": "bot", "rclimit": "1", "rcprop": "flags|comment|tags"}, {"list": "recentchanges", "rctype": "edit|log", "rclimit": "3"}, {"list": "recentchanges", "rcstart": "2026-11-20T13:00:00Z", "rcend": "2026-11-20T12:40:00Z", "rclimit": "3"},
        {"list": "usercontribs", "ucuser": "Admin", "uclimit": "3", "ucdir": "newer"}, {"list": "logevents", "letype": "protect", "lelimit": "2"}, {"list": "logevents", "ledir": "newer", "lelimit": "1"}, {"list": "users", "ususers": "Admin|BlockedUser|None"}, {"list": "allusers", "auprefix": "P", "auto": "PlainUser"}, {"list": "allusers", "aufrom": "PlainUser", "auprop": "groups"}, {"list": "allusers", "auto": "BlockedUser"}, {"list": "odd"},
        {"meta": "userinfo", "uiprop": "rights|ratelimits|editcount|blockinfo"}, {"meta": "odd"}, {"meta": "siteinfo", "siprop": "odd|statistics"}, {"meta": "siteinfo", "siprop": "general", "formatversion": "2"}, {"meta": "wikibase"},
    ))  # fmt: skip
    yield "BlockedUser", {"action": "query", "meta": "userinfo", "uiprop": "blockinfo|ratelimits|rights"}
    yield "Admin", {"action": "query", "meta": "userinfo", "uiprop": "ratelimits|groups"}
    yield from (("", {"action": "wbgetclaims", **each}) for each in ({"entity": "Q10", "rank": "deprecated"}, {"entity": "Q10", "property": "P7235"}, {"entity": "Q900000002"}, {"claim": "Q10$00000000-0000-4000-8000-000000000003", "property": "P31"}))  # fmt: skip
    yield from (("", {"action": "wbparsevalue", **each}) for each in (
        {"datatype": "time", "values": "2026-11-20|-0044-03-15|2026-00"}, {"datatype": "quantity", "values": "3.0|-2.5|1e3"}, {"datatype": "wikibase-property", "values": "P31|Q1"}, {"datatype": "string", "values": " x |", "validate": "1"}, {"datatype": "math", "values": "x|\\foo", "validate": "1", "formatversion": "2"},
    ))  # fmt: skip
    for value in (
        {"id": "Q10"},
        {"time": "+2026-11-20T00:00:00Z"},
        {"text": "a<b", "language": "en"},
        {"amount": "+3"},
        {"odd": 1},
        "a<b",
        3,
    ):
        for generate in ("text/plain", "text/html; disposition=x"):
            yield (
                "",
                {
                    "action": "wbformatvalue",
                    "datatype": "string",
                    "generate": generate,
                    "datavalue": {"value": value, "type": "x"},
                },
            )
    yield from (
        ("", {"action": "paraminfo", "modules": each})
        for each in (
            "wbgetentities|query+allusers",
            "edit|login",
            "query+userinfo|query+siteinfo|wbsearchentities|main",
            "query+wikibase|query+tokens|query",
        )
    )


def reads() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (account, parameters) of calls that only ask."""
    yield from (("", {"action": "wbgetentities", **each}) for each in (
        {"ids": "Q10|q11|Q12|Q99"}, {"ids": "Q12", "redirects": "no"}, {"ids": "P2534", "props": "datatype|labels"}, {"ids": "P2534", "props": "info"}, {"ids": "P2534", "props": "labels"}, {"ids": "X"}, {}, {"ids": ""},
        {"ids": "Q10", "languages": "de|fr", "props": "labels|aliases|descriptions"}, {"sites": "enwiki", "titles": "Energy|Nothing"}, {"sites": "enwiki|frwiki", "titles": "Energy|Énergie", "props": "sitelinks", "sitefilter": "enwiki"},
        {"ids": "Q10", "props": "sitelinks/urls", "formatversion": "2"}, {"ids": "\x1fQ10\x1fQ99", "props": "info", "curtimestamp": "1", "formatversion": "2"}, {"ids": "|".join(f"Q{n}" for n in range(1, 52))},
    ))  # fmt: skip
    yield from (("", {"action": "wbgetclaims", **each}) for each in (
        {"entity": "Q10"}, {"entity": "Q10", "rank": "preferred"}, {"entity": "q10", "property": "p2534", "rank": "normal"}, {"entity": "Q99"}, {"entity": "x"}, {"claim": G2}, {"claim": G2.lower()}, {"claim": "Q10"}, {"claim": _GUID.format("Q10", 99)},
    ))  # fmt: skip
    yield from (("", {"action": "wbsearchentities", "language": "en", **each}) for each in (
        {"search": "energ"}, {"search": "ENERGY"}, {"search": "Q10"}, {"search": "q10", "type": "property"}, {"search": "P2534", "type": "property"}, {"search": "neu", "language": "de"}, {"search": " "}, {"search": "e", "limit": "1"},
        {"search": "new"}, {"search": "d", "type": "property", "limit": "2"}, {"search": "d", "type": "property", "limit": "2", "continue": "2"}, {"search": "d", "type": "property", "limit": "x"}, {"search": "énergie", "language": "fr"},
    ))  # fmt: skip
    yield from (("", {"action": "wbparsevalue", "validate": "1", **each}) for each in (
        {"datatype": "math", "values": "a^2| x |\\foo|"}, {"datatype": "time", "values": "2026-11-20|2026-11|2026|-0044|soon"}, {"datatype": "quantity", "values": "3|-2.50|x"}, {"datatype": "wikibase-item", "values": "Q10|Q99|x"},
        {"property": "p2534", "values": "a"}, {"property": "P99999", "values": "a"}, {"values": "a"}, {"datatype": "url", "values": "https://a.example|odd:x|a b", "formatversion": "2"}, {"datatype": "string", "values": "x" * 401}, {"datatype": "math"},
    ))  # fmt: skip
    yield "", {"action": "wbparsevalue", "datatype": "math", "values": "\\foo"}
    yield "", {"action": "wbparsevalue", "parser": "time", "values": "+2026-11-20T00:00:00Z"}
    for kind, value in (("math", "a<b"), ("math", "\\foo<b"), ("string", "a<b"), ("wikibase-item", {"id": "Q10"}), ("time", {"time": "+2026-11-20T00:00:00Z"}), ("monolingualtext", {"text": "On", "language": "en"}), ("quantity", {"amount": "+3"})):  # fmt: skip
        for generate in ("text/plain", "text/x-wiki", "text/html"):
            yield (
                "",
                {
                    "action": "wbformatvalue",
                    "datatype": kind,
                    "generate": generate,
                    "datavalue": {"value": value, "type": "x"},
                },
            )
    yield "", {"action": "wbformatvalue", "property": "P2534", "datavalue": {"value": "x"}}
    yield "", {"action": "wbformatvalue", "datatype": "math", "datavalue": "[]"}
    for version in ("1", "2"):
        yield "", {"action": "query", "formatversion": version, "prop": "info|revisions", "inprop": "protection|url", "rvprop": "ids|timestamp|user|userid|size|comment|flags|tags|content", "rvslots": "main", "indexpageids": "1",
                   "titles": "q10|Nothing|user talk:WikiBot|Q11|Property:P2534|Project:Rules|Rehearsal Wikibase:Rules", "redirects": "1"}  # fmt: skip
        yield (
            "",
            {
                "action": "query",
                "formatversion": version,
                "prop": "revisions",
                "titles": "Q10",
                "rvlimit": "3",
                "rvprop": "ids|user|flags",
            },
        )
        yield (
            "",
            {
                "action": "query",
                "formatversion": version,
                "meta": "siteinfo|userinfo|wikibase",
                "siprop": "namespacealiases|statistics|restrictions|usergroups",
                "uiprop": "groups|hasmsg",
            },
        )
        yield (
            "Admin",
            {
                "action": "query",
                "formatversion": version,
                "list": "recentchanges",
                "rclimit": "6",
                "rcprop": "title|ids|user|flags|timestamp|comment|tags",
            },
        )
    yield "", {"action": "query", "meta": "siteinfo", "siprop": "general|namespaces"}
    yield "", {"action": "query", "meta": "siteinfo", "formatversion": "2"}
    yield from (("", {"action": "query", "prop": "revisions", "rvprop": "ids|user", **each}) for each in (
        {"titles": "Q10", "rvdir": "newer", "rvlimit": "2"}, {"titles": "Q10", "rvlimit": "max", "rvuser": "WikiBot"}, {"titles": "Q10", "rvlimit": "4", "rvexcludeuser": "WikiBot"}, {"titles": "Q10"}, {"revids": "2|55|999"}, {"pageids": "3|999"},
        {"titles": "Q10", "rvstartid": "100", "rvlimit": "2"}, {"titles": "Q10", "rvendid": "100", "rvlimit": "3"}, {"titles": "Q10", "rvdir": "newer", "rvstartid": "60", "rvendid": "90", "rvlimit": "3"}, {"titles": "Q12", "redirects": "1"},
    ))  # fmt: skip
    yield from (("", {"action": "query", "list": "recentchanges", **each}) for each in (
        {"rctitle": "Q10", "rclimit": "2"}, {"rcuser": "WikiBot", "rcshow": "bot"}, {"rcshow": "!bot", "rclimit": "2"}, {"rctype": "new", "rclimit": "max", "rcdir": "newer"}, {"rctype": "log"}, {"rclimit": "2", "rccontinue": "x|9"},
        {"rcdir": "newer", "rclimit": "2", "rccontinue": "x|9"}, {"rcstart": "2026-11-20T12:20:00Z", "rclimit": "2"}, {"rcend": "2026-11-20T14:00:00Z", "rcdir": "newer", "rcstart": "2026-11-20T13:20:00Z", "rclimit": "3"},
    ))  # fmt: skip
    yield from (("", {"action": "query", **each}) for each in (
        {"list": "logevents"}, {"list": "logevents", "letype": "delete"}, {"list": "logevents", "letitle": "Q10", "leuser": "Admin"}, {"list": "usercontribs", "ucuser": "PlainUser|WikiBot", "uclimit": "2"}, {"list": "allusers", "aulimit": "2"},
        {"list": "allusers", "auprefix": "P"}, {"list": "blocks"}, {"list": "blocks", "bkusers": "WikiBot"}, {"list": "allpages"}, {"meta": "tokens", "type": "csrf"}, {},
    ))  # fmt: skip
    yield from (("", each) for each in (
        {"action": "paraminfo", "modules": "main|wbsetclaim|query+recentchanges|query+allpages|nothing|query"}, {"action": "paraminfo", "modules": "query+tokens", "formatversion": "2"}, {"action": "nothing"}, {"action": "upload"}, {},
        {"action": "parse", "page": "Project:Rules"}, {"action": "parse", "text": "<b>", "prop": "text"}, {"action": "parse", "oldid": "999"}, {"action": "parse", "page": "Nothing"}, {"action": "parse", "pageid": "1", "prop": "wikitext", "formatversion": "2"},
        {"action": "purge", "titles": "q10|user:wikiBot"}, {"action": "login", "lgname": "WikiBot"}, {"action": "login", "lgname": "WikiBot", "lgtoken": "x"}, {"action": "logout"}, {"action": "query", "titles": "a\x00b"},
    ))  # fmt: skip


FAULTS: tuple[tuple[str, dict[str, Any], dict[str, Any]], ...] = (
    ("lag", {"lag": 7}, {"maxlag": "5"}), ("lag", {"lag": 61, "host": "h"}, {"maxlag": "60"}), ("lag", {"lag": 5}, {"maxlag": "5"}), ("lag", {}, {"maxlag": "5"}), ("readonly", {"reason": "r"}, {}), ("readonly", {}, {}), ("ratelimit", {}, {}),
    ("bad_token", {}, {}), ("lost_before", {}, {}), ("database_locked", {}, {}), ("lost_reply", {}, {}), ("right_lost", {}, {"assert": "bot"}), ("session_lost", {}, {"assert": "user"}), ("block", {"reason": "b"}, {}),
)  # fmt: skip
PAGES = (
    "/", "/changes", "/history/Q10", "/wiki/q10", "/wiki/Q12", "/wiki/Nothing", "/wiki/User talk:WikiBot", "/wiki/Property:P2534", "/entity/Q10", "/entity/P2534", "/w/index.php?title=Q10", "/w/index.php?title=User talk:WikiBot&action=raw", "/sparql", "/sparql?query=CONSTRUCT {?a ?b ?c} WHERE {?a <x:y> ?c. ?a ?b ?c}", "/sparql?query=ASK {?a ?b ?c}", "/sparql?query=odd",
    "/wiki/Special:EntityData/q10.json", "/wiki/Special:EntityData/Q12.nt", "/wiki/Special:EntityData/Q13.nt", "/wiki/Special:EntityData/P9761.nt", "/wiki/Special:EntityData/Q99.json", "/wiki/Special:EntityData/Q10.odd", "/fault", "/articles/en/api.php?action=parse", "/articles/en/api.php?action=query&prop=revisions&titles=nothing_here|",
)  # fmt: skip


class _Told:
    """What was answered last of hashes that later calls name: "<reference>", "<qualifiers>"."""

    def __init__(self, sandbox: Sandbox) -> None:
        self.sandbox = sandbox

    def filled(self, value: Any) -> str:
        if isinstance(value, dict | list):
            return json.dumps(value)
        text, one = str(value), (self.sandbox.entity("Q10") or {"claims": {}})["claims"].get("P2534", ())
        ours: Any = next((each for each in one if each["id"] == G1), {})
        references = [each["hash"] for each in ours.get("references", ())]
        qualifiers = [each["hash"] for group in ours.get("qualifiers", {}).values() for each in group]
        for name, hashes in (("reference", references), ("qualifier", qualifiers)):
            text = text.replace(f"<{name}s>", "|".join(hashes)).replace(f"<{name}>", (hashes or ["none"])[-1])
        return text


def recorded() -> list[dict[str, Any]]:
    """Return a row for each call and page: what was asked, and what was answered."""
    numbers = count(1)
    with patch("bot.sandbox.snaks.new_guid", lambda entity: f"{entity}$AAAAAAAA-0000-4000-8000-{next(numbers):012d}"):
        sandbox = Sandbox(clock=lambda: START)
        try:
            sandbox.fill(ROWS)
            return [*_calls(sandbox), *_faults(sandbox), *_pages(sandbox)]
        finally:
            sandbox.close()


def _calls(sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    told = _Told(sandbox)
    for minute, (who, params) in enumerate((*writes(), *reads(), *later_writes(), *later_reads())):
        sandbox.site.db.clock = lambda now=START + timedelta(minutes=minute): now  # type: ignore[misc]
        given = {name: told.filled(value) for name, value in params.items()}
        before = _parts(sandbox)
        row = {"asked": f"{who} {json.dumps(given, ensure_ascii=False)}", "answer": _stable(sandbox.act(who, **given))}
        after = _parts(sandbox)
        stored = {name: after.get(name) for name in sorted(before | after) if before.get(name) != after.get(name)}
        yield row | ({"stored": stored} if stored else {})


def _parts(sandbox: Sandbox) -> dict[str, Any]:
    """Return the terms, links and statements of the items under names, and in which order its statements are."""
    found: dict[str, Any] = {}
    for qid in ITEMS:
        entity: Any = sandbox.entity(qid) or {}
        for part in ("labels", "descriptions", "aliases", "sitelinks"):
            found |= {f"{qid} {part} {key}": value for key, value in entity.get(part, {}).items()}
        for prop, statements in entity.get("claims", {}).items():
            found[f"{qid} {prop}"] = [each["id"] for each in statements]
            found |= {each["id"]: each for each in statements}
    return found


def _faults(sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    for kind, options, more in FAULTS:
        fault = sandbox.fault(kind, **options)
        session = sandbox.site.session(None)
        session.user = user_of_account("WikiBot")
        given = {
            "action": "wbsetclaim",
            "claim": json.dumps(claim("Q10", 9, "s=t")),
            "token": session.token("csrf"),
            **more,
        }
        try:
            found = answer_call(Call(sandbox.site, session, given))
            said: Any = [_stable(found.body), found.headers, found.cookies]
        except ConnectionDropped as error:
            said = str(error)
        yield {"asked": f"{kind} {options} {more}", "answer": [said, fault.strikes, len(sandbox.site.received)]}
        sandbox.clear_faults()
        sandbox.unblock("WikiBot")
        sandbox.act("Admin", action="userrights", user="WikiBot", add="bot")


def _pages(sandbox: Sandbox) -> Iterator[dict[str, Any]]:
    client = make_app(sandbox.site, sandbox.graph).test_client()
    for path in PAGES:
        found = client.get(path)
        text = re.sub(r"(?s)<head>.*?</head>", "", found.get_data(as_text=True))
        lines = sorted(text.splitlines()) if path.endswith(".nt") else [" ".join(text.split())]
        yield {"asked": path, "answer": [found.status_code, found.content_type, found.headers.get("Location"), *lines]}
    for path, body in (("/sparql", ""), ("/fault", {"kind": "earthquake"}), ("/fault", {"kind": "lag", "lag": 3, "times": 2})):  # fmt: skip
        posted = client.post(path, json=body) if body else client.post(path)
        yield {
            "asked": f"POST {path} {body}",
            "answer": [
                posted.status_code,
                " ".join(re.sub(r"(?s)<head>.*?</head>", "", posted.get_data(as_text=True)).split()),
            ],
        }


def _stable(body: Any) -> Any:
    return json.loads(_UNSTABLE.sub('"token": ""', json.dumps(body)))


if __name__ == "__main__":
    DATA.parent.mkdir(exist_ok=True)
    DATA.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in recorded()), encoding="utf-8")
