"""The whole way on a Wikibase whose items lie in a namespace of their own and whose properties have other numbers."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests
from cli_runner import CORPUS, ITEMS, SETTINGS, call

from bot.items_file import read_items
from bot.lookup import Client
from bot.sandbox import Sandbox
from bot.settings import Agent, Properties

IDS = {f.name: f"{f.default[0]}{7001 + n}" for n, f in enumerate(dataclasses.fields(Properties)) if f.default}
OTHER = Properties(**IDS)
TABLES = '[wiki]\nitem_namespace = "Item"\n[wiki.properties]\n' + "".join(f'{k} = "{v}"\n' for k, v in IDS.items())
WIKIDATAS = re.compile(r"\bP(2534|31|248|813|854|887)\b")


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(properties=OTHER, item_namespace="Item") as running:
        running.fill([{"qid": "Q1", "label": "momentum", "formulas": ["p=mv"], "instance_of": ["Q5"]}, {"qid": "Q2"}])
        yield running


def test_the_whole_way(tmp_path: Path) -> None:
    w, config = tmp_path / "w", tmp_path / "settings.toml"
    config.write_text(SETTINGS.read_text(encoding="utf-8").split("[encyclopaedia]")[0] + TABLES, encoding="utf-8")
    at = ("-w", w, "--config", config)
    call("discover", CORPUS / "cnxml", *at).well()
    call("match", "--items", ITEMS, *at).well()
    call("propose", *at).well()
    rows = call("review", "list", "--json", *at).well().rows
    chosen = [row["id"] for row in rows if row["kind"] in ("new_claim", "add_reference")][:4]
    assert chosen
    call("review", "add-reviewer", "Ada", *at).well()
    call("review", "approve", *chosen, *at).well()
    call("write", *at).well()
    assert f"written {len(chosen)}" in call("write", "--live", *at).well().out
    edits = call("export", "edits", *at).well().rows
    assert {edit["outcome"] for edit in edits} == {"written"}
    assert not WIKIDATAS.search(call("export", "proposals", *at).out)
    with Sandbox(w / "sandbox.db", properties=OTHER) as wiki:
        for edit in edits:
            entity = wiki.entity(edit["qid"]) or {}
            assert edit["guid"] in {s["id"] for s in entity["claims"][IDS["defining_formula"]]}
            assert not WIKIDATAS.search(json.dumps(entity))
            assert wiki.history(f"Item:{edit['qid']}")[-1]["user"] == "WikiBot"
    audits = json.loads(call("audit", "--format", "json", *at).out)
    assert not [f for f in audits["findings"] if f["severity"] == "unknown"]
    seeded = [f for f in audits["findings"] if f["audit"] == "seeded" and f["item"]]
    assert {f["what"].split(":")[0] for f in seeded} == {"present"}
    assert len(seeded) == len(chosen)
    assert "[[Item:Q" in call("audit", "unreferenced", "--format", "wikitext", *at).out
    assert "/wiki/Item:Q" in call("audit", "unreferenced", "--format", "html", *at).out
    undone = call("undo", "--group", edits[0]["group"], "--json", *at).well().rows
    assert len(undone) == len(chosen)
    assert all(row["undo"].startswith("undone") for row in undone)


def test_the_rehearsal_wiki_names_its_pages_as_a_new_wikibase_does(sandbox: Sandbox) -> None:
    def ask(**given: str) -> dict[str, dict[str, object]]:
        told = {"format": "json", "formatversion": "2", **given}
        found: dict[str, dict[str, object]] = requests.get(sandbox.wiki.api, params=told, timeout=10).json()
        return found

    entities = ask(action="wbgetentities", ids=f"Q1|{IDS['defining_formula']}")["entities"]
    places = {(e["ns"], e["title"]) for e in entities.values()}  # type: ignore[index]
    assert places == {(120, "Item:Q1"), (122, f"Property:{IDS['defining_formula']}")}
    spaces = ask(action="query", meta="siteinfo", siprop="namespaces")["query"]["namespaces"]
    models = {n: s.get("defaultcontentmodel") for n, s in spaces.items()}  # type: ignore[attr-defined]
    assert (models["0"], models["120"], models["122"]) == (None, "wikibase-item", "wikibase-property")
    pages = ask(action="query", titles="item:Q1|Q1", prop="info")["query"]["pages"]
    assert [(p["title"], p["ns"], "missing" in p) for p in pages] == [  # type: ignore[attr-defined]
        ("Item:Q1", 120, False),
        ("Q1", 0, True),
    ]
    found = ask(action="wbsearchentities", search="momentum", language="en")["search"]
    assert [hit["title"] for hit in found] == ["Item:Q1"]  # type: ignore[attr-defined]


def test_entity_data_pages_and_rdf_use_the_namespace_and_the_numbers(sandbox: Sandbox) -> None:
    root = sandbox.address
    data = requests.get(f"{root}/wiki/Special:EntityData/Q1.json", timeout=10).json()
    assert data["entities"]["Q1"]["title"] == "Item:Q1"
    turtle = requests.get(f"{root}/wiki/Special:EntityData/Q1.ttl", timeout=10).text
    assert f"wdt:{IDS['defining_formula']}" in turtle
    assert not WIKIDATAS.search(turtle)
    assert requests.get(f"{root}/wiki/Item:Q1", timeout=10).status_code == 200
    assert requests.get(f"{root}/wiki/Q1", timeout=10).status_code == 404
    assert requests.get(f"{root}/entity/Q1", timeout=10).url == f"{root}/wiki/Item:Q1"
    assert requests.get(f"{root}/", timeout=10).text.count("/wiki/Item:Q1") == 1


def test_a_merged_item_is_followed_in_its_namespace(sandbox: Sandbox) -> None:
    sandbox.merge("Q2", "Q1")
    asked = sandbox.act("", action="query", titles="Item:Q2", redirects="1", formatversion="2")
    assert asked["query"]["redirects"] == [{"from": "Item:Q2", "to": "Item:Q1"}]
    with Client(sandbox.wiki, Agent()) as client:
        assert client.entities(["Q2"])["Q2"].redirect == "Q1"
        assert client.qids_with_formula() == ["Q1"]
        assert client.classes_of(["Q1"]) == {"Q1": ("Q5",)}


def test_a_page_of_a_user_and_an_item_are_told_apart(sandbox: Sandbox) -> None:
    sandbox.set_page("User:WikiBot/stop", "stop")
    edited = sandbox.act("PlainUser", action="edit", title="Item:Q1", text="x")
    assert edited["error"]["code"] == "wikibase-no-direct-editing"
    assert "error" not in sandbox.act("PlainUser", action="edit", title="Some page", text="x")
    assert sandbox.history("User:WikiBot/stop")[-1]["text"] == "stop"


def test_the_file_of_a_rehearsal_wiki_remembers_its_namespace(tmp_path: Path) -> None:
    made = Sandbox(tmp_path / "s.db", item_namespace="Item")
    made.fill(read_items(ITEMS))
    made.close()
    with Sandbox(tmp_path / "s.db") as again:
        assert again.wiki.title("Q179916") == "Item:Q179916"
        assert again.history("Q179916")
