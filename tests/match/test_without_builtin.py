"""With the built-in list off, every command works and none opens the list."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest
from cli_runner import ITEMS, SETTINGS, call, few_documents, stage

from bot.match.builtin import builtin_formulas
from bot.match.retrieval.known_concepts import builtin_concepts

OFF = "\n[matching]\nbuiltin = false\n"
LINES = json.dumps({"id": 1, "tex": "pV = nRT"})


@pytest.fixture
def _closed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for the list, or for the index of it, fails."""

    def opened(*_: Any) -> NoReturn:
        raise AssertionError("the built-in list was opened")

    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()):
            if value is builtin_formulas or value is builtin_concepts:
                monkeypatch.setattr(module, name, opened)


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    path = tmp_path / "off.toml"
    path.write_text(SETTINGS.read_text(encoding="utf-8") + OFF, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return few_documents(tmp_path_factory.mktemp("few") / "corpus")


@pytest.mark.usefixtures("_closed")
def test_the_fixture_sees_that_the_list_is_opened(tmp_path: Path, corpus: Path) -> None:
    assert "the built-in list was opened" in call(*stage("discover", tmp_path / "w", corpus)).err


@pytest.mark.usefixtures("_closed")
def test_no_stage_opens_the_list_with_the_option(tmp_path: Path, corpus: Path) -> None:
    w = tmp_path / "w"
    call(*stage("discover", w, corpus), "--no-builtin").well()
    call(*stage("match", w), "--no-builtin").well()
    call(*stage("propose", w)).well()
    found = [row for row in call("export", "matches", "-w", w).well().rows if row["probability"] > 0.3]
    assert len(found) > 5
    assert not [each for row in found for each in row["evidence"] if each["name"].startswith("handbook")]
    assert not [
        reason
        for row in call("export", "concepts", "-w", w).well().rows
        for name in row["names"]
        for reason in name["reasons"]
        if "built-in" in str(reason)
    ]


@pytest.mark.usefixtures("_closed")
def test_no_command_opens_the_list_with_the_setting(tmp_path: Path, settings: Path, corpus: Path) -> None:
    text = settings.read_text(encoding="utf-8")
    run = f'\n[run]\nsources = ["{corpus}"]\nworkspace = "w"\nitems = "{ITEMS}"\n'
    settings.write_text(text + run, encoding="utf-8")
    assert call("run", "--config", settings).code in (0, 1)
    w = tmp_path / "w"
    (w / "settings.toml").write_text(text, encoding="utf-8")
    call("find", "Ohm's law", "-w", w).well()
    call("review", "export", "-w", w, "--for", "mismatch-finder", tmp_path / "m.csv").well()
    (row,) = call("recognise", "--items", ITEMS, "--queries", "-", "-w", w, stdin=LINES).well().rows
    assert row["hits"]


@pytest.mark.usefixtures("_closed")
def test_recognise_and_compare_do_without_it(tmp_path: Path) -> None:
    (row,) = call("recognise", "--items", ITEMS, "--queries", "-", "--no-builtin", stdin=LINES).well().rows
    assert row["hits"]
    pair = json.dumps({"a": "pV=nRT", "b": r"p=\rho R_s T"})
    assert call("compare", "--input", "-", "--no-builtin", stdin=pair).well().rows[0]["same_concept"] is False


def test_the_option_goes_before_the_setting(tmp_path: Path, settings: Path, corpus: Path) -> None:
    w = tmp_path / "w"
    call("discover", corpus, "-w", w, "--config", settings, "--builtin").well()
    names = [name for row in call("export", "concepts", "-w", w).well().rows for name in row["names"]]
    assert [name for name in names if any("built-in" in str(reason) for reason in name["reasons"])]
