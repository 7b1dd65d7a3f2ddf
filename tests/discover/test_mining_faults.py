"""Whatever goes wrong in one formula, document or reading process is named and left out; the others are kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import ending
import pytest

from bot import processes
from bot.corpus import wikitext
from bot.corpus.sources import SourceFile
from bot.discover import discover, mine
from bot.errors import WorkspaceError
from bot.settings import Settings
from bot.store import Workspace

POWER = "9" * 23 + ("^" + "9" * 29) * 16 + "^99999999^9"


def test_the_power_of_a_power_of_long_numbers_is_read(workspace: Workspace, corpus: Path) -> None:
    text = f"'''Power''' is a number.\n:<math>{POWER}</math>\n:<math>x={POWER}y</math>\n:<math>F=ma</math>\n"
    (corpus / "Power.txt").write_text(text, encoding="utf-8")
    found = discover(workspace, [str(corpus)], Settings(), quiet=True)
    assert found.skipped == ()
    assert found.documents == 4


@pytest.mark.parametrize(
    "error", [ValueError("no"), RecursionError(), MemoryError(), KeyError("x"), ZeroDivisionError()]
)
def test_a_formula_that_cannot_be_analysed_is_named_and_left_out(
    workspace: Workspace, corpus: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    sound = discover(workspace, [str(corpus)], Settings(), quiet=True)

    def keys(tex: str) -> object:
        if "-k x" in tex:
            raise error
        return real(tex)

    real: Callable[[str], object] = mine.keys_of
    monkeypatch.setattr(mine, "keys_of", keys)
    monkeypatch.setattr(mine, "fingerprint", lambda file, digest_of: "anew")
    mine._analyse_formula.cache_clear()
    found = discover(workspace, [str(corpus)], Settings(), quiet=True)
    mine._analyse_formula.cache_clear()
    ((path, why),) = found.skipped
    reason = str(why)
    assert path.endswith("Hooke's law.txt")
    assert "formula 0 is left out" in reason
    assert type(error).__name__ in reason
    assert "-k x" in reason
    assert (found.documents, found.formulas) == (sound.documents, sound.formulas - 1)


@pytest.mark.parametrize("where", ["reading", "mining"])
def test_a_document_that_cannot_be_read_is_named_and_left_out(
    workspace: Workspace, corpus: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    def broken(*given: object, **more: object) -> object:
        if "Force.txt" in str(given) + str(more):
            raise IndexError("list index out of range")
        return real(*given, **more)

    module, name = (wikitext, "article") if where == "reading" else (mine, "with_language")
    real: Callable[..., object] = getattr(module, name)
    monkeypatch.setattr(module, name, broken)
    found = discover(workspace, [str(corpus)], Settings(), quiet=True)
    ((path, why),) = found.skipped
    reason = str(why)
    assert path.endswith("Force.txt")
    assert "IndexError: list index out of range" in reason
    assert found.documents == 2


def test_a_reading_process_that_dies_is_named_and_the_others_go_on(
    workspace: Workspace, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mine, "_PARALLEL_FROM", 0)
    monkeypatch.setattr(mine, "mine_file", ending.ends_at_force)
    found = discover(workspace, [str(corpus)], Settings(), quiet=True)
    ((path, why),) = found.skipped
    reason = str(why)
    assert path.endswith("Force.txt")
    assert "its reader died" in reason
    assert found.documents == 2


def test_reading_processes_that_do_not_start_end_the_run_with_one_line(
    workspace: Workspace, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mine, "_PARALLEL_FROM", 0)
    monkeypatch.setattr(processes, "_initialise_worker", ending.does_not_start)
    start, started = processes.ProcessPoolExecutor, []
    monkeypatch.setattr(processes, "ProcessPoolExecutor", lambda *a, **more: started.append(a) or start(*a, **more))
    with pytest.raises(WorkspaceError, match="the reading processes do not start"):
        discover(workspace, [str(corpus)], Settings(), quiet=True)
    assert len(started) == 2  # it is tried twice


@pytest.mark.parametrize("fault", [OSError("handle is closed"), BrokenProcessPool("a child ended")])
def test_a_worker_that_ends_while_the_next_is_started_counts_as_not_started(
    monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    class FaultyPool(ProcessPoolExecutor):
        def submit(self, *_given: object, **_more: object) -> Any:
            raise fault

    monkeypatch.setattr(processes, "ProcessPoolExecutor", FaultyPool)
    with pytest.raises(WorkspaceError, match="the reading processes do not start"), processes.process_pool(2):
        pytest.fail("no process was started")


def test_a_fast_worker_does_not_keep_the_next_from_being_started(monkeypatch: pytest.MonkeyPatch) -> None:
    class SlowPool(ProcessPoolExecutor):
        def submit(self, *given: Any, **more: Any) -> Any:
            answer = super().submit(*given, **more)
            wait([answer], timeout=1)  # where a worker answers before the next is started, that one is not
            return answer

    monkeypatch.setattr(processes, "ProcessPoolExecutor", SlowPool)
    with processes.process_pool(2) as pool:
        assert len(pool._processes) == 2


@pytest.mark.parametrize("dies", [False, True])
def test_a_file_that_took_its_process_down_is_read_in_one_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, dies: bool
) -> None:
    file, started = SourceFile(str(tmp_path / "a.md"), 1, "s", "a.md", "markdown"), list[int]()

    def result() -> str:
        if dies:
            raise BrokenProcessPool
        return "mined"

    def process_pool(number: int) -> Any:
        started.append(number)
        return nullcontext(SimpleNamespace(submit=lambda *given: SimpleNamespace(result=result)))

    monkeypatch.setattr(mine, "process_pool", process_pool)
    found: Any = mine._mine_in_own_process(file, "digest", tmp_path)
    assert started == [1]
    if dies:
        assert (found.path, found.digest, found.documents) == (mine.workspace_path(file), "digest", ())
        assert [(path, why.code) for path, why in found.skipped] == [(file.path, "unread.reader_died")]
    else:
        assert found == "mined"


SCRIPT = """
import sys
from bot.discover import discover, mine
from bot.settings import Settings
from bot.store import Workspace

print("once")
mine._PARALLEL_FROM = 0
with Workspace.open(sys.argv[1]) as workspace:
    print(discover(workspace, [sys.argv[2]], Settings(), quiet=True).documents)
"""


def test_a_script_without_a_main_guard_reads_once_wherever_it_is_called(tmp_path: Path, corpus: Path) -> None:
    script, folder = tmp_path / "script.py", tmp_path / "folder"
    script.write_text(SCRIPT, encoding="utf-8")
    for other in ("bot", "signal"):  # what Python takes for ours and for its own if it looks in this folder
        (folder / other).mkdir(parents=True)
        (folder / other / "__init__.py").write_text("raise SystemExit('another one')\n", encoding="utf-8")
    root = str(Path(mine.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "w"), str(corpus)],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": root},
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["once", "3"], "")


def test_ctrl_c_while_reading_processes_start_is_held_back_not_dropped() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), processes._without_main_script():
            os.kill(os.getpid(), signal.SIGINT)
        assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, [])
    finally:
        signal.signal(signal.SIGINT, before)
