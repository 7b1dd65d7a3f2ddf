"""The workspace's own rehearsal wiki: filled whole or not at all, once for each content, found again later."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import requests

from bot.errors import ItemsError, WorkspaceError
from bot.sandbox import Sandbox, graph, open_wiki
from bot.sandbox.graph import triples
from bot.sandbox.workspace_wiki import wiki_state
from bot.settings import Properties, Settings, Wiki
from bot.store import Workspace

ROWS: list[dict[str, Any]] = [
    {
        "qid": "Q11518",
        "label": "Pythagorean theorem",
        "aliases": [],
        "formulas": ["a^2+b^2=c^2"],
        "instance_of": ["Q65943"],
    },
    {"qid": "Q11379", "label": "energy", "aliases": ["E"], "formulas": [], "instance_of": []},
]


def _items(folder: Path, rows: list[dict[str, Any]], name: str = "items.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _entity(wiki: Wiki, qid: str) -> dict[str, Any]:
    params = {"action": "wbgetentities", "ids": qid, "format": "json"}
    found: dict[str, Any] = requests.get(wiki.api, params=params, timeout=10).json()["entities"][qid]
    return found


def _edit(workspace: Workspace) -> None:
    with Sandbox(workspace.path / "sandbox.db") as sandbox:
        sandbox.act("WikiBot", action="wbcreateclaim", entity="Q11379", property="P2534", snaktype="value", value='"E"')


def test_items_open_a_rehearsal_wiki(workspace: Workspace, tmp_path: Path) -> None:
    with open_wiki(workspace, Settings(), _items(tmp_path, ROWS)) as wiki:
        assert wiki.sandbox
        assert wiki.api.startswith("http://127.0.0.1:")
        assert _entity(wiki, "Q11518")["claims"]["P2534"][0]["mainsnak"]["datavalue"]["value"] == "a^2+b^2=c^2"
        assert _entity(wiki, "Q65943")["id"] == "Q65943"


def test_without_items_the_configured_wiki_is_meant(workspace: Workspace) -> None:
    settings = Settings(wiki=Wiki(name="elsewhere"))
    with open_wiki(workspace, settings) as wiki:
        assert wiki == settings.wiki
    assert not (workspace.path / "sandbox.db").exists()


def test_later_stages_find_the_same_wiki_with_its_edits(workspace: Workspace, tmp_path: Path) -> None:
    items = _items(tmp_path, ROWS)
    with open_wiki(workspace, Settings(), items):
        pass
    _edit(workspace)
    with open_wiki(workspace, Settings()) as wiki:
        assert "P2534" in _entity(wiki, "Q11379")["claims"]
    with open_wiki(workspace, Settings(), items) as wiki:
        assert "P2534" in _entity(wiki, "Q11379")["claims"]


def test_the_graph_of_a_wiki_is_kept_until_the_wiki_is_edited(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(graph, "triples", lambda *of: made.append(of[2]) or triples(*of))

    def formulas() -> tuple[int, list[Any]]:
        """Return how many entities became triples, and which items have a formula."""
        made.clear()
        with open_wiki(workspace, Settings(), items) as wiki:
            query = "SELECT ?item ?tex WHERE { ?item wdt:P2534 ?tex } ORDER BY ?item"
            answer = requests.get(wiki.sparql, {"query": query, "format": "json"}, timeout=10).json()
        return len(made), answer["results"]["bindings"]

    items = _items(tmp_path, ROWS)
    first, found = formulas()
    assert first > 0
    assert len(found) == 1
    assert formulas() == (0, found)
    _edit(workspace)
    again, both = formulas()
    assert (again, len(both)) == (first, 2)
    assert formulas() == (0, both)
    assert len(list(workspace.path.glob("sandbox.db.*"))) == 1


def test_other_items_replace_a_wiki_that_nobody_edited(workspace: Workspace, tmp_path: Path) -> None:
    with open_wiki(workspace, Settings(), _items(tmp_path, ROWS)):
        pass
    with open_wiki(workspace, Settings(), _items(tmp_path, ROWS[:1], "fewer.jsonl")) as wiki:
        assert "missing" in _entity(wiki, "Q11379")


def test_other_items_never_replace_a_wiki_with_live_edits(workspace: Workspace, tmp_path: Path) -> None:
    with open_wiki(workspace, Settings(), _items(tmp_path, ROWS)):
        pass
    _edit(workspace)
    before = (workspace.path / "sandbox.db").read_bytes()
    other = _items(tmp_path, ROWS[:1], "fewer.jsonl")
    with (
        pytest.raises(WorkspaceError, match=r"holds 1 live edit .*new workspace"),
        open_wiki(workspace, Settings(), other),
    ):
        pass
    assert (workspace.path / "sandbox.db").read_bytes() == before


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no json", "is not JSON"),
        ('{"label": "x"}', "qid"),
        ('{"qid": "P31", "label": "x"}', "is not an item id"),
        ('{"qid": "Q5", "aliases": "x"}', "aliases"),
        ('{"qid": "Q5", "formulas": [1]}', "formulas"),
        ('{"qid": "Q5", "instance_of": ["human"]}', "is not an item id"),
        ('{"qid": "Q5", "label": 5}', "label"),
        ('{"qid": "Q5", "sitelinks": 3}', "sitelinks"),
    ],
)
def test_a_bad_line_is_named_and_nothing_changes(workspace: Workspace, tmp_path: Path, line: str, said: str) -> None:
    path = _items(tmp_path, ROWS[:1])
    path.write_text(path.read_text() + "\n" + line + "\n")
    with pytest.raises(ItemsError, match=said) as caught, open_wiki(workspace, Settings(), path):
        pass
    assert caught.value.where == f"{path}:3"
    assert not (workspace.path / "sandbox.db").exists()
    assert workspace.get("world") is None


def test_an_item_in_two_rows_gets_what_both_say(workspace: Workspace, tmp_path: Path) -> None:
    again = {"qid": "Q11379", "label": "Energy", "aliases": ["E", "work"], "formulas": ["E=mc^2"]}
    with open_wiki(workspace, Settings(), _items(tmp_path, [*ROWS, again])) as wiki:
        item = _entity(wiki, "Q11379")
    assert item["labels"]["en"]["value"] == "energy"
    assert [alias["value"] for alias in item["aliases"]["en"]] == ["E", "work"]
    assert len(item["claims"]["P2534"]) == 1


def test_an_interrupted_fill_leaves_nothing_half(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = _items(tmp_path, ROWS)

    def interrupted(*_: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Sandbox, "fill", interrupted)
        with pytest.raises(KeyboardInterrupt), open_wiki(workspace, Settings(), items):
            pass
    assert [path.name for path in workspace.path.glob("sandbox*")] == []
    with open_wiki(workspace, Settings(), items) as wiki:
        assert "missing" not in _entity(wiki, "Q11518")


def test_leftovers_of_a_killed_fill_are_swept_away(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.path / "sandbox.db.new-99999999").write_text("half")
    with open_wiki(workspace, Settings(), _items(tmp_path, ROWS)):
        pass
    assert not list(workspace.path.glob("sandbox.db.new-*"))


def test_a_lost_or_damaged_wiki_is_one_clear_line(workspace: Workspace, tmp_path: Path) -> None:
    with open_wiki(workspace, Settings(), _items(tmp_path, ROWS)):
        pass
    (workspace.path / "sandbox.db").write_bytes(b"no database at all" * 100)
    with pytest.raises(WorkspaceError, match="is not a rehearsal wiki"), open_wiki(workspace, Settings()):
        pass
    (workspace.path / "sandbox.db").unlink()
    with pytest.raises(WorkspaceError, match="is gone"), open_wiki(workspace, Settings()):
        pass


def test_the_settings_property_ids_are_the_wikis(workspace: Workspace, tmp_path: Path) -> None:
    settings = Settings(wiki=replace(Wiki(), properties=Properties(defining_formula="P14", instance_of="P36")))
    with open_wiki(workspace, settings, _items(tmp_path, ROWS)) as wiki:
        assert set(_entity(wiki, "Q11518")["claims"]) == {"P14", "P36"}
        assert _entity(wiki, "P14")["datatype"] == "math"
        assert wiki.properties.defining_formula == "P14"


@contextmanager
def killed_in_the_end(process: subprocess.Popen[str]) -> Iterator[None]:
    try:
        yield
    finally:
        process.kill()


def test_serve_says_what_it_is_and_ends_cleanly(tmp_path: Path) -> None:
    code = "import sys; from bot.sandbox import serve; serve(sys.argv[1], 0)"
    command = [sys.executable, "-c", code, str(_items(tmp_path, ROWS))]
    with (
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=os.getcwd()
        ) as process,
        killed_in_the_end(process),
    ):
        assert process.stdout
        assert process.stderr
        assert "is not Wikidata" in process.stdout.readline()
        address = process.stdout.readline().split()[0]
        assert "is not Wikidata" in requests.get(f"{address}/wiki/Q11518", timeout=60).text
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        assert process.stderr.read() == ""


def test_a_wiki_is_told_from_itself_after_an_edit_and_from_none(workspace: Workspace, tmp_path: Path) -> None:
    assert wiki_state(workspace) == " 0"
    with open_wiki(workspace, Settings(), _items(tmp_path, ROWS)):
        first = wiki_state(workspace)
    assert len(first) == len("0 ") + 63 + len("0")
    assert first.endswith(" 0")
    _edit(workspace)
    assert wiki_state(workspace) == first.removesuffix("0") + "1"
