"""A process with limits: it answers, is killed where it does not, and one that keeps being killed is left alone for a while."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.formula import worker as limited
from bot.formula.worker import LimitedProcess

_MODULE = """
import os, time
from bot.formula.worker import answer_lines

def main():
    answer_lines(answer)

def answer(question):
    if question == "sleep":
        time.sleep(60)
    if question == "die":
        os._exit(1)
    if question == "memory":
        return len("x" * (3 << 30))
    if question == "half":
        os.write(1, b'"ha')
        time.sleep(60)
    return question
"""


@pytest.fixture
def process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[LimitedProcess]:
    (tmp_path / "answering.py").write_text(_MODULE, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    made = LimitedProcess("answering", 0.2)
    yield made
    made.close()


def test_one_process_answers_many_questions_also_from_threads(process: LimitedProcess) -> None:
    process.seconds = 20
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(process.ask, range(100))) == list(range(100))
    assert process.ask(["π" * 50_000]) == ["π" * 50_000]
    assert process.started == 1


@pytest.mark.parametrize("question", ["sleep", "die", "half"])
def test_what_does_not_answer_is_killed_and_the_next_question_is_answered(
    process: LimitedProcess, question: str
) -> None:
    assert process.ask(question) is None
    assert not process.running
    process.seconds = 20
    assert process.ask("again") == "again"
    assert process.started == 2


def test_memory_is_bounded(process: LimitedProcess) -> None:
    process.seconds = 20
    assert process.ask("memory") is None
    assert process.ask("again") == "again"


def test_after_many_kills_no_more_are_started_for_a_while(
    process: LimitedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limited, "KILL_WINDOW", 1000.0)
    process.seconds = 20
    process._ended.extend([limited.time.monotonic()] * limited.MAX_KILLS)
    assert process.ask("x") is None
    assert process.started == 0
    monkeypatch.setattr(limited, "KILL_WINDOW", 0.0)
    assert process.ask("x") == "x"


def test_interrupted_in_between_no_answer_goes_to_the_next_question(
    process: LimitedProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.seconds = 20
    assert process.ask("first") == "first"

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(LimitedProcess, "_answer", interrupted)
        with pytest.raises(KeyboardInterrupt):
            process.ask("second")
    assert process.ask("third") == "third"


def test_a_forked_process_asks_one_of_its_own(process: LimitedProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    process.seconds = 20
    assert process.ask("first") == "first"
    before = process._running
    assert before is not None
    monkeypatch.setattr(os, "getpid", lambda: -1)
    assert process.ask("second") == "second"
    assert process._running is not before
    before.kill()
    before.communicate()
