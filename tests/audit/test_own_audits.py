"""Audits of your own: a query file and a few lines of TOML."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from cli_runner import call

from bot.audit.run import load_custom_audits
from bot.errors import SettingsError
from bot.sandbox import Sandbox
from bot.settings import Auditing, Settings
from bot.store import Workspace

ROWS = [
    {"qid": "Q1", "label": "Hooke's law", "formulas": ["F=-kx"], "instance_of": ["Q9"]},
    {"qid": "Q2", "label": "Ohm's law", "formulas": ["U=RI"], "instance_of": []},
]
QUERY = """# Purpose: formulas of items without a class
PREFIX p: <{base}/prop/>
PREFIX wdt: <{base}/prop/direct/>
SELECT DISTINCT ?item ?statement WHERE {{
  ?item p:P2534 ?statement .
  FILTER NOT EXISTS {{ ?item wdt:P31 ?class }}
}}
"""
PAGED = """#   after (cursor)
#   limit (integer)
PREFIX p: <{base}/prop/>
SELECT DISTINCT ?item ?statement WHERE {{
  ?item p:P2534 ?statement .
  FILTER(STR(?statement) > "")
}}
ORDER BY ?statement
LIMIT 10000
"""
TOML = """description = "items with a formula and no class"
sentence = "the item of {statement} has no class"
columns = ["item", "statement"]
severity = "error"
step = "add a class"
"""


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill(ROWS)
        yield running


@pytest.fixture
def w(tmp_path: Path, sandbox: Sandbox) -> Path:
    Workspace.open(tmp_path / "w").close()
    wiki = sandbox.wiki
    told = f'api = "{wiki.api}"\nsparql = "{wiki.sparql}"\nentity_prefix = "{wiki.entity_prefix}"\n'
    text = f'[agent]\ntimeout = 5\n[wiki]\nname = "here"\n{told}[audit]\nfolder = "mine"\n'
    (tmp_path / "w/settings.toml").write_text(text, encoding="utf-8")
    (tmp_path / "w/mine").mkdir()
    put(tmp_path / "w", "no_class", QUERY, TOML, sandbox)
    return tmp_path / "w"


def put(w: Path, name: str, query: str, toml: str, sandbox: Sandbox) -> None:
    base = sandbox.wiki.entity_prefix.removesuffix("/entity/")
    (w / f"mine/{name}.rq").write_text(query.format(base=base), encoding="utf-8")
    (w / f"mine/{name}.toml").write_text(toml, encoding="utf-8")


def test_it_is_listed_and_made_like_the_others(w: Path) -> None:
    assert "items with a formula and no class" in call("audit", "--list", "-w", w).well().out
    said = call("audit", "no_class", "-w", w, "--format", "json")
    assert said.code == 1
    answer = json.loads(said.out)
    assert answer["audits"]["no_class"]["what"] == "items with a formula and no class"
    [found, closing] = answer["findings"]
    assert (found["item"], found["label"], found["severity"], found["step"]) == (
        "Q2",
        "Ohm's law",
        "error",
        "add a class",
    )
    assert found["what"].startswith("the item of statement/Q2-")
    assert found["evidence"].startswith("Q2$")
    assert closing["what"] == "1 row"
    assert "add a class" in call("audit", "no_class", "-w", w, "--format", "html").out


def test_they_are_listed_by_name(tmp_path: Path) -> None:
    for name in ("c", "a", "e", "b", "d"):
        (tmp_path / f"{name}.rq").write_text(QUERY.format(base="https://w.example"), encoding="utf-8")
        (tmp_path / f"{name}.toml").write_text(TOML, encoding="utf-8")
    given = Settings(audit=Auditing(folder="."), path=str(tmp_path / "settings.toml"))
    found = load_custom_audits(given, ())
    assert list(found) == ["a", "b", "c", "d", "e"]
    assert {query.columns for _, query in found.values()} == {("item", "statement")}
    with pytest.raises(SettingsError, match="has the name of an audit of the bot"):
        load_custom_audits(given, ("d",))


def test_pages_and_a_least_size(w: Path, sandbox: Sandbox) -> None:
    put(w, "every_formula", PAGED, TOML.replace('"error"', '"info"'), sandbox)
    rows = json.loads(call("audit", "every_formula", "-w", w, "--format", "json").well().out)["findings"]
    assert [row["item"] for row in rows] == ["Q1", "Q2", ""]
    put(w, "every_formula", PAGED, TOML + "least = 3\n", sandbox)
    said = call("audit", "every_formula", "-w", w)
    assert said.code == 2
    assert "2 rows, where at least 3 must" in " ".join(said.out.replace("│", " ").split())


@pytest.mark.parametrize(
    ("query", "toml", "words"),
    [
        (QUERY, TOML.replace("{statement}", "{class}"), "names 'class', which is not a column"),
        (QUERY, TOML.replace('"error"', '"fatal"'), "describes no audit"),
        (QUERY, TOML + "colour = 3\n[", "describes no audit"),
        (QUERY, TOML + "leest = 3\n", "unknown setting leest; known: description, "),
        (
            "#   items (items) of ?item\nSELECT ?item WHERE {{ VALUES ?item {{ wd:Q1 }} ?item ?p ?o }}",
            TOML,
            "takes no parameters",
        ),
    ],
)
def test_one_that_cannot_be_is_refused_before_anything_is_asked(
    w: Path, sandbox: Sandbox, query: str, toml: str, words: str
) -> None:
    put(w, "no_class", query, toml, sandbox)
    call("audit", "no_class", "-w", w).refused(words)


def test_a_query_without_its_description_and_one_of_our_names_are_refused(w: Path, sandbox: Sandbox) -> None:
    (w / "mine/no_class.toml").unlink()
    call("audit", "-w", w).refused("no such file beside the query")
    (w / "mine/no_class.rq").unlink()
    put(w, "invalid", QUERY, TOML, sandbox)
    call("audit", "-w", w).refused("has the name of an audit of the bot")


def test_the_scholarly_graph_has_to_be_named(w: Path, sandbox: Sandbox) -> None:
    put(w, "no_class", QUERY, TOML + 'service = "scholarly"\n', sandbox)
    said = call("audit", "no_class", "-w", w)
    assert (said.code, "audit.scholarly names no query service" in said.out) == (2, True)
    settings = w / "settings.toml"
    settings.write_text(settings.read_text() + f'scholarly = "{sandbox.wiki.sparql}?scholarly"\n', encoding="utf-8")
    assert call("audit", "no_class", "-w", w).code == 1
