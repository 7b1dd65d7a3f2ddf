"""The evaluation gate: what the commands reach on our own data, and on the development data where it is there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli_runner import run_script

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "benchmarks"))

import gate  # noqa: E402

QUICK = {"hard pairs, development"}
LONG = bool(os.environ.get("FORMULA_BOT_LONG"))
SLOW = {"pairs of textbooks", "pairs of laws"}  # of the same kind as the other pairs


@pytest.fixture(autouse=True)
def _scripts_run_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "subprocess", SimpleNamespace(run=run_script))


def judged(name: str, data: Path | None = None) -> gate.Result:
    return gate.run(gate.entries("", name)[0], data)


@pytest.mark.parametrize("name", [e["name"] for e in gate.entries("shipped") if LONG or e["name"] not in SLOW])
def test_the_floors_on_our_own_data_hold(name: str) -> None:
    found = judged(name)
    assert (found.status, dict(found.below)) == ("held", {}), found.detail


@pytest.mark.parametrize("name", [e["name"] for e in gate.entries("development") if LONG or e["name"] in QUICK])
def test_the_floors_on_the_development_data_hold(name: str, shared_data: Path) -> None:
    found = judged(name, shared_data)
    if found.status == "other data":
        pytest.skip(f"{name}: {found.detail}")
    assert (found.status, dict(found.below)) == ("held", {}), found.detail


def test_floors_are_changed_by_the_gate_alone_and_each_lowering_is_in_the_changelog() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for entry in gate.entries(""):
        assert gate.sealed(entry)["seal"] == entry["seal"], f"{entry['name']}: use benchmarks/gate.py to change floors"
        assert [line for line in entry.get("lowered", ()) if line not in changes] == []


def pairs_entry(tmp_path: Path, floor: float) -> gate.Entry:
    data = tmp_path / "pairs.jsonl"
    data.write_text('{"a": "E=mc^2", "b": "F=-kx", "label": "different"}\n', encoding="utf-8")
    call = ["hard_pairs.py", "--pairs", str(data)]
    entry = {"name": "t", "set": "shipped", "call": call, "data": [str(data)], "digest": "", "floors": {"right": floor}}
    return {**entry, "digest": gate.digest(entry, None)}


def test_a_figure_below_its_floor_is_named_and_data_that_changed_is_not_judged(tmp_path: Path) -> None:
    assert gate.run(pairs_entry(tmp_path, 0.9), None).status == "held"
    found = gate.run(pairs_entry(tmp_path, 1.1), None)
    assert (found.status, dict(found.below)) == ("below", {"right": (1.0, 1.1)})
    entry = pairs_entry(tmp_path, 1.1)
    with (tmp_path / "pairs.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"a": "E=mc^2", "b": "p=mv", "label": "different"}\n')
    assert gate.run(entry, None).status == "other data"
    (tmp_path / "pairs.jsonl").unlink()
    assert gate.run(entry, None).status == "no data"


def test_raising_never_lowers_and_lowering_touches_only_what_does_not_hold() -> None:
    entry = {"name": "t", "call": [], "data": [], "floors": {"a": 0.9, "b": 0.5}}
    entry["digest"] = gate.digest(entry, None)
    result = gate.Result("t", "below", {"a": 0.8, "b": 0.7}, {"a": (0.8, 0.9)})
    assert gate.raised(entry, result, None)["floors"] == {"a": 0.9, "b": 0.695}
    made, line = gate.lowered(entry, result, "The data of a was wrong.")
    assert made["floors"] == {"a": 0.795, "b": 0.5}
    assert line == "- Floor lowered, t: a from 0.9 to 0.795. The data of a was wrong."
    assert made["lowered"] == [line]


def test_a_floor_is_lowered_only_with_a_reason_which_goes_into_the_changelog(tmp_path: Path) -> None:
    call = [sys.executable, str(ROOT / "benchmarks/gate.py"), "--lower", "hard pairs"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--why" in done.stderr
    changes = tmp_path / "CHANGELOG.md"
    changes.write_text("# Changes\n\n## 2\n\n- new\n\n## 1\n\n- old\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gate, "CHANGES", changes)
        gate.note("- Floor lowered, x.")
    assert changes.read_text(encoding="utf-8") == "# Changes\n\n## 2\n\n- new\n- Floor lowered, x.\n\n## 1\n\n- old\n"


def test_the_gate_ends_with_one_below_a_floor(tmp_path: Path) -> None:
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    for name in ("gate.py", "hard_pairs.py", "command.py"):
        shutil.copy(ROOT / "benchmarks" / name, folder / name)
    (tmp_path / "bot").symlink_to(ROOT / "bot")
    (folder / "floors.json").write_text(json.dumps([pairs_entry(tmp_path, 1.1)]), encoding="utf-8")
    call = [sys.executable, str(folder / "gate.py"), "--json"]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout) == {"t": {"status": "below", "right": 1.0}}
