"""Where matching and proposing answer from the cache, that is said: how old, and that the query service is away."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest
from cli_runner import call

from bot import store
from bot.lookup import Client
from bot.messages import uncoded_message
from bot.records import FormulaConcept, NameCandidate, as_json
from bot.sandbox import Sandbox
from bot.store import Workspace

ROWS = [
    {"qid": "Q11379", "label": "mass–energy equivalence", "formulas": ["E = mc^2"]},
    {"qid": "Q99", "label": "nothing yet"},
    {"qid": "Q3", "label": "helix", "formulas": ["x=\\cos t"]},
    {"qid": "Q2", "label": "kinetic energy", "formulas": ["T=\\frac12 mv^2"]},
]
SETTINGS = """
[agent]
contact = "User:Operator"
[wiki]
name = "here"
api = "{0.api}"
sparql = "{0.sparql}"
entity_prefix = "{0.entity_prefix}"
"""


@pytest.fixture
def sandbox(monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    monkeypatch.setitem(Client.__init__.__kwdefaults__, "sleep", lambda _: None)  # between tries
    with Sandbox() as running:
        running.fill(ROWS)
        yield running


@pytest.fixture
def path(workspace: Workspace, sandbox: Sandbox) -> Path:
    """A workspace with two concepts and the settings of a wiki."""
    name = NameCandidate("kinetic energy", 0.97, (uncoded_message("the text gives it this name"),), 3)
    concepts = [FormulaConcept("k1", r"T=\frac{1}{2}mv^{2}", 9, 3, names=(name,)), FormulaConcept("k2", "V=IR", 2, 2)]
    with workspace.engine.begin() as db:
        db.execute(store.concepts.insert(), [cast(dict[str, Any], as_json(concept)) for concept in concepts])
    (workspace.path / "settings.toml").write_text(SETTINGS.format(sandbox.wiki), encoding="utf-8")
    return workspace.path


def older(path: Path, hours: float) -> None:
    with closing(sqlite3.connect(path / "lookup.db")) as db:
        db.execute("UPDATE answers SET stored = stored - ?", [hours * 3600])
        db.commit()


def run(name: str, path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(call(name, "-w", path, "--json").well().out)
    return found


def test_the_age_of_cached_answers_is_said_by_match_propose_and_the_report(path: Path) -> None:
    first = run("match", path)
    assert (first["cached_answers"], first["oldest_answer_hours"], first["query_service_away"]) == (0, 0.0, False)
    older(path, 5)
    for name in ("match", "propose"):
        again = run(name, path)
        assert again["cached_answers"] > 0
        assert 5 <= again["oldest_answer_hours"] < 5.1
        assert any("from the cache, the oldest from 5.0 hours ago" in line for line in again["missing"])
    assert "from the cache, the oldest from 5.0 hours ago" in (path / "reports" / "dry-run.html").read_text()
    said = call("match", "-w", path).well()
    assert "oldest answer hours" in said.out
    assert "the oldest from 5.0 hours ago" in said.err


def test_the_wikis_of_articles_that_are_away_are_named_on_the_terminal(path: Path, sandbox: Sandbox) -> None:
    sandbox.fill([{"qid": "Q98", "label": "kinetic energy", "sitelinks": {"enwiki": "Kinetic energy"}}])
    with (path / "settings.toml").open("a", encoding="utf-8") as settings:
        settings.write(f'articles = "{sandbox.address}/nowhere/{{language}}"\n')
    said = call("match", "-w", path).well()
    assert f"{sandbox.address}/nowhere/en: refused" in said.err


def test_match_says_that_the_query_service_is_away(path: Path, sandbox: Sandbox) -> None:
    run("match", path)
    sandbox.fault("sparql_down", times=None)
    again = run("match", path)
    assert (again["query_service_away"], again["cached_answers"] > 0) == (True, True)
    assert any(line.startswith("The query service is away") and "HTTP 503" in line for line in again["missing"])
    proposed = run("propose", path)
    assert proposed["query_service_away"]


def test_an_item_that_got_a_formula_since_is_met_before_the_day_is_over(path: Path, sandbox: Sandbox) -> None:
    before = run("match", path)
    made = {"entity": "Q99", "property": "P2534", "snaktype": "value", "value": json.dumps("V=IR")}
    assert "error" not in sandbox.act("PlainUser", action="wbcreateclaim", **made)
    assert run("match", path)["items"] == before["items"] + 1


def test_without_a_cached_answer_an_absent_query_service_ends_match(path: Path, sandbox: Sandbox) -> None:
    sandbox.fault("sparql_down", times=None)
    call("match", "-w", path).refused("HTTP 503", "/sparql")


def test_ids_left_at_wikidatas_are_named_on_another_wiki(path: Path) -> None:
    lines = [line for line in run("match", path)["missing"] if "Wikidata's own ids" in line]
    assert len(lines) == 1
    for name in ("wiki.properties.defining_formula (P2534)", "wiki.properties.single_value_constraint (Q19474404)"):
        assert name in lines[0]
    assert "proposing.implausible_classes" in lines[0]
    for name in ("propose", "write", "audit"):
        said = call(name, "-w", path)
        assert said.err.count("wiki.properties.stated_in (P248)") == 1, (name, said.err)


def test_an_id_that_is_stated_is_not_warned_of_though_it_is_wikidatas(path: Path) -> None:
    file = path / "settings.toml"
    stated = '[wiki.properties]\nstated_in = "P248"\n[proposing]\nimplausible_classes = []\n'
    file.write_text(file.read_text(encoding="utf-8") + stated, encoding="utf-8")
    [line] = [line for line in run("match", path)["missing"] if "Wikidata's own ids" in line]
    assert "stated_in" not in line
    assert "implausible_classes" not in line


def test_on_wikidata_itself_nothing_is_to_be_stated(path: Path) -> None:
    from bot.settings import Wiki, load

    file = path / "settings.toml"
    file.write_text(f'[wiki]\nentity_prefix = "{Wiki().entity_prefix}"\n', encoding="utf-8")
    assert load(workspace=path).wiki.unstated == ()
