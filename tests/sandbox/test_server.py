"""The server as a whole: pages say what they are, writes are durable and in order, administrators' doings work."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests
from replay import Client

from bot.errors import BotError
from bot.sandbox import Sandbox
from bot.sandbox.accounts import check_login, user_without_groups
from bot.sandbox.database import Namespaces
from bot.settings import REHEARSAL_PASSWORD, REHEARSAL_PASSWORD_NAME

ROWS: list[dict[str, Any]] = [
    {
        "qid": "Q11518",
        "label": "Pythagorean theorem",
        "aliases": ["Pythagoras"],
        "formulas": ["a^2<b"],
        "instance_of": ["Q65943"],
    },
    {"qid": "Q11379", "label": "energy", "description": "quantity"},
    {"qid": "Q9", "label": "Wirkung", "language": "de", "sitelinks": {"dewiki": "Wirkung (Physik)"}},
]


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        opened.fill(ROWS)
        yield opened


def _claim(qid: str, number: int, tex: str) -> str:
    snak = {"snaktype": "value", "property": "P2534", "datavalue": {"type": "string", "value": tex}}
    return json.dumps({"id": f"{qid}$00000000-0000-4000-8000-{number:012d}", "type": "statement", "mainsnak": snak})


@pytest.mark.parametrize(
    "path", ["/", "/wiki/Q11518", "/wiki/Property:P2534", "/wiki/Nothing", "/changes", "/history/Q11518", "/sparql"]
)
def test_every_page_says_that_it_is_no_wikidata(sandbox: Sandbox, path: str) -> None:
    answer = requests.get(sandbox.address + path, timeout=10)
    assert "is not Wikidata" in answer.text
    assert answer.headers["X-Sandbox"] == "no Wikidata"


def test_an_items_page_draws_its_formulas_and_shows_their_tex(sandbox: Sandbox) -> None:
    text = requests.get(f"{sandbox.address}/wiki/Q11518", timeout=10).text
    assert "<math" in text
    assert "<code>a^2&lt;b</code>" in text


def test_a_page_cannot_be_made_to_run_anything(sandbox: Sandbox) -> None:
    evil = "<script>alert(1)</script>"
    sandbox.fill([{"qid": "Q66", "label": evil, "aliases": [evil], "formulas": [evil], "description": evil}])
    sandbox.set_page("User:WikiBot", evil)
    for path in ("/wiki/Q66", "/wiki/User:WikiBot", "/", "/history/Q66"):
        assert "<script>" not in requests.get(sandbox.address + path, timeout=10).text


def test_a_closed_wiki_answers_nobody_and_its_port_is_free() -> None:
    with Sandbox() as opened:
        port, server = int(opened.address.rpartition(":")[2]), opened._server
        with pytest.raises(BotError, match=f"127.0.0.1:{port}"), Sandbox(port=port):
            pass
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port), timeout=10)
    assert server is not None
    assert server.socket.fileno() == -1  # closed now, not when memory is collected


@pytest.mark.parametrize(
    ("login", "password", "can", "cannot"),
    [
        ("WikiBot@rehearsal", REHEARSAL_PASSWORD, ("edit", "bot", "createpage", "apihighlimits"), ("protect", "block", "delete")),
        ("WikiBot@noeditbot", "rehearsal0only0without0edit0grant", ("read",), ("edit", "createpage", "protect")),
        ("Admin", "rehearsal0admin", ("edit", "protect", "block", "delete"), ("bot",)),
        ("PlainUser", "rehearsal0plain", ("edit", "createpage"), ("bot", "protect")),
    ],
)  # fmt: skip
def test_a_login_has_the_rights_of_its_groups_and_of_what_its_password_grants(
    login: str, password: str, can: tuple[str, ...], cannot: tuple[str, ...]
) -> None:
    login = login.replace("rehearsal", REHEARSAL_PASSWORD_NAME)
    user = check_login(login, password)
    assert user is not None
    assert [right for right in can if not user.has_right(right)] == []
    assert [right for right in cannot if user.has_right(right)] == []
    assert (
        user.anonymous,
        user_without_groups(
            user, ["*", "user", "autoconfirmed", "bot", "sysop", "bureaucrat", "interface-admin"]
        ).rights,
    ) == (False, ())
    assert len(user.rights) == len(set(user.rights))
    assert [check_login(login, "x"), check_login(f"{login}x", password), check_login("", "")] == [None] * 3


def test_numbers_of_deleted_pages_are_not_given_again(sandbox: Sandbox) -> None:
    sandbox.set_page("Talk:A", "a")
    (first,) = sandbox.history("Talk:A")
    sandbox.delete("Talk:A")
    sandbox.set_page("Talk:B", "b")
    (second,) = sandbox.history("Talk:B")
    assert (second["id"] > first["id"], second["page"] > first["page"]) == (True, True)


@pytest.mark.parametrize(
    ("items", "title", "number", "entity"),
    [
        ("", "Q1", 0, "Q1"), ("", "Property:P1", 120, "Q1"), ("", "Property talk:P1", 121, "Q1"), ("", "Odd:Title", 0, "Q1"), ("", "User talk:A", 3, "Q1"), ("", ":", 0, "Q1"),
        ("Item", "Item:Q1", 120, "Item:Q1"), ("Item", "Item talk:Q1", 121, "Item:Q1"), ("Item", "Property:P1", 122, "Item:Q1"), ("Item", "Q1", 0, "Item:Q1"),
    ],
)  # fmt: skip
def test_a_title_is_in_the_namespace_that_it_names(items: str, title: str, number: int, entity: str) -> None:
    spaces = Namespaces(items)
    assert (spaces.number(title), spaces.title("Q1"), spaces.title("P1")) == (number, entity, "Property:P1")
    assert spaces.item_number == (120 if items else 0)


def test_who_is_removed_from_the_bots_is_one_no_longer(sandbox: Sandbox) -> None:
    groups = {"action": "query", "meta": "userinfo", "uiprop": "groups"}
    assert "bot" in sandbox.act("WikiBot", **groups)["query"]["userinfo"]["groups"]
    sandbox.remove_from_bots("WikiBot")
    assert "bot" not in sandbox.act("WikiBot", **groups)["query"]["userinfo"]["groups"]


def test_the_wiki_describes_itself_to_the_other_stages(sandbox: Sandbox) -> None:
    assert sandbox.wiki.sandbox
    assert sandbox.wiki.api == f"{sandbox.address}/w/api.php"
    assert sandbox.wiki.entity_prefix == "http://sandbox.invalid/entity/"


def test_rows_become_items_with_all_they_say(sandbox: Sandbox) -> None:
    item = sandbox.entity("Q9") or {}
    assert item["labels"] == {"de": {"language": "de", "value": "Wirkung"}}
    assert item["sitelinks"]["dewiki"]["title"] == "Wirkung (Physik)"
    assert (sandbox.entity("Q11379") or {})["descriptions"]["en"]["value"] == "quantity"


def test_an_item_is_found_by_its_article(sandbox: Sandbox) -> None:
    found = sandbox.act("", action="wbgetentities", sites="dewiki", titles="Wirkung (Physik)", props="info")
    assert list(found["entities"]) == ["Q9"]


def test_filling_twice_leaves_what_is_there(sandbox: Sandbox) -> None:
    sandbox.act("WikiBot", action="wbsetclaim", claim=_claim("Q11379", 1, "E"))
    sandbox.fill(ROWS)
    assert len(sandbox.history("Q11379")) == 2


def test_edits_are_in_the_history_with_who_and_why(sandbox: Sandbox) -> None:
    sandbox.act("WikiBot", action="wbsetclaim", claim=_claim("Q11379", 1, "E"), bot=1, summary="task 5")
    sandbox.act("PlainUser", action="wbsetclaim", claim=_claim("Q11379", 1, "E_k"), bot=1)
    history = sandbox.history("Q11379")
    assert [(one["user"], one["bot"]) for one in history] == [("Admin", 0), ("WikiBot", 1), ("PlainUser", 0)]
    assert history[1]["comment"] == "/* wbsetclaim-create:2||1 */ [[Property:P2534]]: E, task 5"
    assert history[2]["comment"].startswith("/* wbsetclaim-update:2||1 */")


def test_what_was_answered_survives_a_killed_server(tmp_path: Path) -> None:
    code = (
        "import os, sys; from bot.sandbox import Sandbox; s = Sandbox(sys.argv[1]).start();"
        "s.fill([{'qid': 'Q11379'}]); s.set_page('User:WikiBot', 'kept'); os.kill(os.getpid(), 9)"
    )
    assert subprocess.run([sys.executable, "-c", code, str(tmp_path / "wiki.db")], check=False).returncode == -9
    with Sandbox(tmp_path / "wiki.db") as sandbox:
        assert sandbox.history("User:WikiBot")[0]["text"] == "kept"
        assert sandbox.entity("Q11379") is not None


def test_many_clients_at_once_lose_nothing(sandbox: Sandbox) -> None:
    bot = Client(sandbox, "bot")

    def write(number: int) -> int:
        params = {
            "action": "wbsetclaim",
            "claim": _claim("Q11379", number, f"E_{{{number}}}"),
            "token": bot.csrf,
            "format": "json",
        }
        answer = requests.post(sandbox.wiki.api, data=params, cookies=bot.http.cookies.get_dict(), timeout=20)
        return int(answer.json()["pageinfo"]["lastrevid"])

    with ThreadPoolExecutor(8) as pool:
        revisions = list(pool.map(write, range(40)))
    assert len(set(revisions)) == 40
    assert len((sandbox.entity("Q11379") or {})["claims"]["P2534"]) == 40


def test_two_processes_on_one_file_never_share_a_revision(tmp_path: Path) -> None:
    with Sandbox(tmp_path / "wiki.db") as one, Sandbox(tmp_path / "wiki.db") as other:
        one.fill(ROWS)
        for number in range(6):
            (one, other)[number % 2].act("WikiBot", action="wbsetclaim", claim=_claim("Q11379", number, f"E_{number}"))
        assert len(other.history("Q11379")) == 7


def test_protecting_deleting_merging_and_blocking(sandbox: Sandbox) -> None:
    def write(qid: str) -> str:
        done = sandbox.act("WikiBot", action="wbsetclaim", claim=_claim(qid, 1, "x"))
        names = [message["name"] for message in done.get("error", {}).get("messages", ())]
        return names[-2] if len(names) > 2 else names[-1] if names else "written"

    sandbox.protect("Q11379")
    assert write("Q11379") == "protectedpagetext"
    sandbox.protect("Q11379", "all")
    assert write("Q11379") == "written"
    sandbox.block("WikiBot")
    assert write("Q11518") == "blockedtext"
    sandbox.unblock("WikiBot")
    sandbox.merge("Q11379", "Q11518")
    assert write("Q11379") == "wikibase-api-unresolved-redirect"
    assert sandbox.entity("Q11379") is None
    assert len((sandbox.entity("Q11518") or {})["claims"]["P2534"]) == 2
    sandbox.delete("Q9")
    assert write("Q9") == "no-such-entity"


def test_a_merge_gives_statements_new_identifiers(sandbox: Sandbox) -> None:
    sandbox.act("WikiBot", action="wbsetclaim", claim=_claim("Q11379", 1, "E"))
    sandbox.merge("Q11379", "Q11518")
    guids = [one["id"] for one in (sandbox.entity("Q11518") or {})["claims"]["P2534"]]
    assert all(guid.startswith("Q11518$") for guid in guids)


def test_pages_can_be_written_and_read_raw(sandbox: Sandbox) -> None:
    sandbox.set_page("Project:Bots/exclusion", "Q42")
    shown = f"{sandbox.site.name}:Bots/exclusion"
    found = sandbox.act(
        "", action="query", titles=shown, prop="revisions", rvprop="content", rvslots="main", formatversion=2
    )
    page = found["query"]["pages"][0]
    assert page["title"] == shown
    assert page["revisions"][0]["slots"]["main"]["content"] == "Q42"
    raw = requests.get(f"{sandbox.address}/w/index.php", params={"title": shown, "action": "raw"}, timeout=10)
    assert raw.text == "Q42"


def test_the_clock_is_the_callers() -> None:
    with Sandbox(clock=lambda: datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)) as sandbox:
        sandbox.set_page("User:WikiBot", "x")
        assert sandbox.history("User:WikiBot")[0]["time"] == "2031-05-06T07:08:09Z"


def test_a_port_that_is_taken_is_one_clear_line(sandbox: Sandbox) -> None:
    port = int(sandbox.address.rpartition(":")[2])
    with pytest.raises(BotError, match=f"127.0.0.1:{port}.*choose another --port"), Sandbox(port=port):
        pass


def test_revisions_are_listed_page_by_page(sandbox: Sandbox) -> None:
    for number in range(4):
        sandbox.act("WikiBot", action="wbsetclaim", claim=_claim("Q11379", number, f"E_{number}"))
    asked = {"action": "query", "titles": "Q11379", "prop": "revisions", "rvprop": "ids", "rvlimit": 3}
    first = sandbox.act("", **asked)
    then = sandbox.act("", **asked, rvcontinue=first["continue"]["rvcontinue"])
    numbers = [
        one["revid"]
        for found in (first, then)
        for page in found["query"]["pages"].values()
        for one in page["revisions"]
    ]
    assert numbers == sorted(numbers, reverse=True)
    assert len(numbers) == 5
