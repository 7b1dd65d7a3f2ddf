"""The version of what mining stores is raised whenever the code that decides it changes, and only then."""

from __future__ import annotations

import ast
import shutil
from pathlib import Path

import pytest
import reader_closure
from cli_runner import CORPUS, call

from bot.discover import mine
from bot.discover.mine import READER


def test_the_version_is_raised_when_what_mining_stores_may_have_changed() -> None:
    kept, now = reader_closure.stored(), reader_closure.digests()
    changed = sorted(name for name in {*kept["modules"], *now} if kept["modules"].get(name) != now.get(name))
    todo = (
        f"raise READER in bot/discover/mine.py above {kept['reader']}, then run python tests/discover/reader_closure.py"
    )
    assert not changed, f"{', '.join(changed)} changed since the reader's version was raised: {todo}"
    assert kept["reader"] == READER, todo


def test_the_closure_holds_every_rule_of_naming_and_every_reader_that_is_loaded_by_name() -> None:
    found = reader_closure.closure()
    for name in ("cues.prose", "names", "cues.name_cues", "phrases", "cues.cue_language"):
        assert f"bot.discover.{name}" in found
    for name in ("corpus.cnxml", "corpus.html.latexml", "corpus.wikitext", "formula.keys.levels", "formula.tex.reader"):
        assert f"bot.{name}" in found
    assert "bot/discover/cues/languages/en.toml" in found
    assert not {"bot.formula.numeric.prove", "bot.discover.naming", "bot.store", "bot.cli"} & found
    records = {name.partition(":")[2] for name in found if name.startswith("bot.records")}
    assert {"Document", "Occurrence", "Definition"} <= records
    assert not {"Proposal", "Decision", "Edit"} & records


def test_a_comment_changes_no_digest_and_a_rule_does() -> None:
    plain = "X = 1\n\ndef f(a: int) -> int:\n    return a + X\n"
    told = '"""What it is."""\n# why\nX = 1  # one\n\n\ndef f(a: int) -> int:\n    """Add."""\n    return (\n        a + X\n    )\n'

    def digest(source: str) -> str:
        return reader_closure.digest(ast.parse(source))

    assert digest(plain) == digest(told)
    assert digest(plain) != digest(plain.replace("X = 1", "X = 2"))
    assert digest(plain) != digest(plain.replace("a + X", "a - X"))


def test_digests_are_kept_anew_only_under_a_raised_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_closure, "STORED", tmp_path / "reader.json")
    monkeypatch.setattr(reader_closure, "digests", lambda: {"bot.formula.keys.levels": "a"})
    reader_closure.save(3)
    monkeypatch.setattr(reader_closure, "digests", lambda: {"bot.formula.keys.levels": "b"})
    with pytest.raises(SystemExit, match="raise READER"):
        reader_closure.save(3)
    reader_closure.save(4)
    assert reader_closure.stored() == {"reader": 4, "modules": {"bot.formula.keys.levels": "b"}}


def test_a_newer_reader_reads_old_files_again_and_the_same_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(CORPUS / "cnxml" / "m-energy.cnxml", tmp_path)
    command = ("discover", tmp_path / "m-energy.cnxml", "-w", tmp_path / "w", "--json")
    assert call(*command).well().rows[0]["files_read"] == 1
    assert call(*command).well().rows[0]["files_reused"] == 1
    monkeypatch.setattr(mine, "READER", READER + 1)
    assert call(*command).well().rows[0]["files_read"] == 1
