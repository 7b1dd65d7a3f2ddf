"""Hostile strings, each everywhere at once, through every page, the packets, the exports and the API: no failure, no injection."""

from __future__ import annotations

import json
import os
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa
from web_records import SignedIn, opened, proposal, signed_in

from bot import store
from bot.messages import uncoded_message
from bot.records import Check, Document, Evidence, Item, Proposal, Quote, Reference, Statement, as_json
from bot.review.exports import FORMATS
from bot.review.web.rest import make_token
from bot.store import Workspace

LONG = bool(os.environ.get("FORMULA_BOT_LONG"))
NUMBER = 500 if LONG else 48  # all the known tricks, and mixtures
PARTS = 3  # by which the pages are asked, so that no one test is long
HIDDEN = "[\u202a-\u202e\u2066-\u2069\x00\x1b]"
FORBIDDEN = {"img", "iframe", "object", "embed", "base", "annotation-xml", "maction"}


class Tags(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.bad: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            if name.startswith("on") or (
                name in ("href", "src", "action") and re.match(r"\s*(javascript|data|vbscript):", value or "", re.I)
            ):
                self.bad.append(f"{tag} {name}={value}")


def hostile(n: int) -> str:
    """Return the nth hostile string: the known tricks, then mixtures of their pieces."""
    tricks = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "'-alert(1)-'", "</title><script>x</script>", "{{7*7}}", "{% raw %}", "${7*7}",
        "<math><mtext><script>alert(1)</script>", "</math><script>alert(1)</script>", "<annotation-xml encoding=text/html><img src onerror=x>",
        r"\href{javascript:alert(1)}{x}", r"\text{<img src=x onerror=alert(1)>}", r"\class{x\" onmouseover=\"alert(1)}{y}", r"\style{}{<b>}",
        "\u202emoc.live", "\u2066a\u2069\u200f", "a\u0000b", "\x1b[31m", "\ud800", "＜script＞", "&lt;script&gt;", "&#60;script&#62;", "%3Cscript%3E",
        "<svg/onload=alert(1)>", "javascript:alert(1)", "data:text/html,<script>1</script>", "]]>", "<!--", "--><script>", "</textarea><script>x</script>",
        "</option><script>x</script>", "'; DROP TABLE decisions; --", "%' OR 1=1 --", "../../etc/passwd", "\n\rSet-Cookie: a=b", "⟦4⟧⟦0⟧⟦999⟧", "{" * 500,
        r"\frac" * 300, r"\newcommand{\x}{\x\x}\x", "x" * 9000, "=cmd|' /C calc'!A0", "@SUM(1)", "",
    ]  # fmt: skip
    if n < len(tricks):
        return tricks[n]
    chance = random.Random(n)
    pieces = [t[: chance.randint(1, 40)] for t in chance.choices(tricks, k=chance.randint(2, 5))]
    return "".join(pieces)


def texts() -> list[str]:
    """Half a character fits in no database: it comes as what replaces it."""
    return [hostile(n).encode("utf-8", "replace").decode() for n in range(NUMBER)]


def hostile_proposal(n: int, text: str) -> Proposal:
    made = proposal(
        n, tex=text or "x", evidence=(Evidence(text, 1.0, uncoded_message(text)),), checks=(Check(text, "warn", uncoded_message(text)),), concept=f"hostile-{n}",
        references=(Reference((("P854", "url", text), ("P248", "wikibase-item", text), (text, "string", text))),),
        quotes=(Quote(f"doc-{n}", 0, f"{text} ⟦0⟧", text, text[:50], text, text, ((0, text), (1, text)), "heading"),),
        runners_up=(("Q1", text, 0.1),), other_formulas=((text, 0.1),), hash=f"h{n}", qid=f"Q{n + 1}",
    )  # fmt: skip
    return replace(made, kind="flag") if n % 7 == 3 else made


@pytest.fixture(scope="module")
def w(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace in which items, documents, concepts and people are as hostile as the proposals."""
    everything = texts()
    made = [hostile_proposal(n, text) for n, text in enumerate(everything)]
    with opened(tmp_path_factory.mktemp("hostile") / "w", "Ada", proposals=made) as workspace:
        with workspace.engine.begin() as db:
            db.execute(store.items.delete())
            for n, text in enumerate(everything):
                reference = Reference((("P854", "url", text), ("P1", "string", text)))
                statement = Statement(f"Q{n + 1}$1", "P2534", text or "x", text[:20], (reference,))
                item = Item(f"Q{n + 1}", text, (text,), text, (text[:20],), (statement,), 7)
                db.execute(store.items.insert().values(qid=item.qid, revision=7, record=as_json(item)))
                d = Document(f"doc-{n}", text, url=text, source=text)
                db.execute(store.documents.insert().values(id=d.id, title=d.title, url=d.url, source=d.source))
                spelling = {"tex": text or "x", "level": "K0", "occurrences": 9, "documents": 9}
                row = {"tex": text or "x", "occurrences": 9, "documents": 9, "names": [{"name": text, "score": 0.9}]}
                row |= {"representations": [spelling], "places": [[f"doc-{n}", 0]], "definitions": []}
                db.execute(store.concepts.insert().values(key=f"lonely-{n}", **row))
            for n in range(0, NUMBER, 9):  # a name that an older version, or another tool, let in
                db.execute(store.reviewers.insert().values(name=f"{n}{everything[n]}"[:100], role="reviewer", added=""))
                said = {"hash": f"h{n}", "verdict": "reject", "reason": everything[n], "record": as_json(made[n])}
                who = {
                    "reviewer": f"{n}{everything[n]}"[:100],
                    "time": "2026-11-20T10:00:00Z",
                    "references": [],
                    "tex": everything[n],
                }
                db.execute(store.decisions.insert().values(proposal=f"{n:016x}", **said, **who))
        yield workspace


@pytest.fixture(scope="module")
def ada(w: Workspace) -> SignedIn:
    return signed_in(w, "Ada")


def harmless(page: str, text: str, scripts: int = 1) -> None:
    seen = Tags()
    seen.feed(page)
    assert seen.bad == [], text
    assert seen.tags.count("script") <= scripts, text
    assert not FORBIDDEN & set(seen.tags), text
    assert not re.search(HIDDEN, page), text


@pytest.mark.parametrize("part", range(PARTS))
def test_they_change_no_page(w: Workspace, ada: SignedIn, part: int) -> None:
    before = w.rows(sa.select(sa.func.count()).select_from(store.decisions))
    for n, text in list(enumerate(texts()))[part::PARTS]:
        query = urlencode(
            {"q": text, "corpus": text, "check": text, "cls": text, "reviewer": text, "after": text, "state": "all"}
        )
        pages = f"/p/{n:016x}", f"/item/Q{n + 1}", f"/formulas/lonely-{n}"
        for path in pages if LONG else pages[n // PARTS % 3 :][:1]:
            harmless(ada.get(path), text)
        if n % 5 == 0:
            for path in (
                f"/?{query}",
                f"/formulas/lonely-{n}?{urlencode({'q': text})}",
                f"/formulas?{urlencode({'after': text})}",
            ):
                harmless(ada.get(path), text)
            assert ada.client.get(f"/next?{query}").status_code in (200, 303)
            for path in (
                f"/p/{urlencode({'x': text})}",
                f"/item/{urlencode({'x': text})}",
                f"/packets/for/{urlencode({'x': text})}",
            ):
                answer = ada.client.get(path)
                assert answer.status_code == 404
                harmless(answer.get_data(True), text)
        edited = ada.post("/preview", proposal=f"{n:016x}", tex=text)
        assert edited.status_code == 200, text
        harmless(edited.get_data(True), text, 0)
    assert w.rows(sa.select(sa.func.count()).select_from(store.decisions)) == before


def test_they_change_no_page_that_shows_them_all(ada: SignedIn) -> None:
    for path in ("/", "/?state=all", "/?state=flagged", "/formulas", "/statistics", "/people", "/packets", "/help"):
        for language in ("en", "de"):
            harmless(ada.get(f"{path}{'&' if '?' in path else '?'}lang={language}"), path)


def test_they_break_out_of_no_form_field(w: Workspace, ada: SignedIn) -> None:
    ada.get("/people")
    for n, text in list(enumerate(texts()))[:: 2 if LONG else 4]:
        for values in ({"name": text}, {"remove": text}, {"name": "x", "role": text}):
            assert ada.post("/people", **values).status_code == 303
            harmless(ada.get("/people"), text)
        fields = ada.fields(f"{n:016x}")
        for values in (
            {"verdict": text},
            {"verdict": "reject", "reason": text},
            {"verdict": "approve_edited", "tex": text, "hash": text},
        ):
            answer = ada.post(f"/p/{n:016x}", **{**fields, **values})
            assert answer.status_code in (303, 409), text
            harmless(answer.get_data(True), text)
        ada.get("/formulas")
        answer = ada.post(f"/formulas/lonely-{n}", answer=text, qid=text, pick=text)
        assert answer.status_code == 303
        assert re.match(r"/formulas", answer.location)


def test_they_stay_text_in_packets_and_exports(ada: SignedIn) -> None:
    packet = ada.client.get("/packets/out.html?state=all").get_data(True)
    harmless(packet, "packet")
    assert packet.count("<article") == NUMBER
    for path in ("/packets/out.csv?state=all", *(f"/packets/for/{form}" for form in FORMATS)):
        answer = ada.client.get(path)
        assert answer.status_code == 200
        assert answer.headers["Content-Disposition"].startswith("attachment")


def test_the_api_says_them_as_json_and_nothing_else(w: Workspace, ada: SignedIn) -> None:
    token = {"Authorization": f"Bearer {make_token(w, 'Ada')}"}
    for n, text in enumerate(texts()):
        answers = [ada.client.get(f"/api/v1/proposals/{n:016x}", headers=token)]
        if n % 5 == 0:
            filters = urlencode({name: text for name in ("q", "corpus", "cls", "check", "reviewer", "after")})
            answers.append(ada.client.get(f"/api/v1/proposals?state=all&{filters}", headers=token))
            answers.append(ada.client.post("/api/v1/next", json={"q": text, "after": text}, headers=token))
            answers.append(
                ada.client.post("/api/v1/preview", json={"proposal": f"{n:016x}", "tex": text}, headers=token)
            )
            word = {"hash": text, "verdict": "approve", "reason": text, "tex": text[:4999]}
            answers.append(ada.client.post(f"/api/v1/proposals/{n:016x}/decisions", json=word, headers=token))
        for answer in answers:
            assert answer.status_code in (200, 409, 422), text
            assert answer.headers["Content-Type"] == "application/json"
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
            json.loads(answer.get_data(True))
