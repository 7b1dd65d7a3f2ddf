"""Never above the cap: any window of any length, one to four processes, kills, and clocks that are set."""

from __future__ import annotations

import fcntl
import itertools
import json
import os
import random
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from forked import PROCESSES
from rehearsal import Time, in_a_process

from bot.errors import WriteStopped
from bot.settings import Settings, Wiki, Writing
from bot.store import Workspace
from bot.write import ledger
from bot.write.rate_limit import RateLimiter, lock_account
from bot.write.wiki_policy import WikiPolicy

WIKI = Wiki(name="test", api="https://test.example.org/w/api.php")


class SharedTime:
    """Virtual time in a file that several processes share; it only ever goes on, whatever `clock` shows."""

    def __init__(self, folder: Path, shift: Callable[[float], float] = lambda now: now) -> None:
        self.path, self.shift = folder / "time", shift

    def add(self, seconds: float) -> float:
        with self.path.open("a+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            now = float(file.read() or 1000.0) + seconds
            file.truncate(0)
            file.write(repr(now))
            return now

    def __call__(self) -> float:
        return self.shift(self.add(0))

    def sleep(self, seconds: float) -> None:
        assert seconds >= 0
        self.add(seconds)


def _sends(folder: str, gap: float, count: int, seed: int) -> None:
    """One process: take turns and note when something was on its way, in true time."""
    time, chance = SharedTime(Path(folder)), random.Random(seed)
    pace = RateLimiter(Path(folder), gap, clock=time, sleep=time.sleep, boot="one")
    for _ in range(count):
        time.add(chance.random() * gap / 2)
        with pace.slot() as turn:
            time.add(chance.random() * gap / 5)
            if chance.random() < 0.2:
                continue  # looked, and sent nothing
            with turn.sending():
                began = time.add(0)
                ended = time.add(chance.random() * gap / 3)
                with (Path(folder) / "sent.jsonl").open("a", encoding="ascii") as file:
                    file.write(json.dumps([began, ended]) + "\n")


def _kept(folder: Path, gap: float) -> list[list[float]]:
    """Any moment of one sending and any of the next are at least the gap apart: so no window holds more than its share."""
    sent = sorted(json.loads(line) for line in (folder / "sent.jsonl").read_text(encoding="ascii").splitlines())
    moments = [began for began, _ in sent]
    assert all(b[0] - a[1] >= gap - 1e-6 for a, b in itertools.pairwise(sent))
    for n, first in enumerate(moments):  # the same said as the issue says it: windows of any length
        for m in range(n, len(moments)):
            assert m - n <= (moments[m] - first) / gap + 1e-6
    return sent


@pytest.mark.parametrize("gap", [0.5, 10.0, 60.0])
@pytest.mark.parametrize("processes", [1, 2, 3, 4])
def test_no_window_of_any_length_holds_more_than_its_share(tmp_path: Path, processes: int, gap: float) -> None:
    """Threads stand for processes here: a lock of a file knows no difference between two open files."""
    threads = [threading.Thread(target=_sends, args=(str(tmp_path), gap, 20, n)) for n in range(processes)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(_kept(tmp_path, gap)) > 10 * processes


def test_four_processes_share_one_pace(tmp_path: Path) -> None:
    processes = [PROCESSES.Process(target=_sends, args=(str(tmp_path), 10.0, 25, n)) for n in range(4)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(90)
        assert process.exitcode == 0
    assert len(_kept(tmp_path, 10.0)) > 50


def test_a_clock_that_is_set_back_and_forth_shortens_no_gap(tmp_path: Path) -> None:
    """Even a monotonic clock that lies: set back it waits for the whole gap (forward it cannot be set; see the boot)."""
    chance, state = random.Random(7), {"shift": 0.0}
    time = SharedTime(tmp_path, lambda now: now + state["shift"])
    pace = RateLimiter(tmp_path, 10.0, clock=time, sleep=time.sleep, boot="one")
    ends: list[float] = []
    for _ in range(80):
        time.add(chance.random() * 12)
        state["shift"] -= chance.choice([0, 0, 1, 60, 3600, 86400])
        with pace.slot() as turn, turn.sending():
            began = time.add(0)
            assert not ends or began - ends[-1] >= 10 - 1e-6
            ends.append(time.add(chance.random()))


def test_after_a_restart_of_the_machine_or_a_kill_while_sending_the_whole_gap_is_waited(tmp_path: Path) -> None:
    time = Time()
    with RateLimiter(tmp_path, 10.0, clock=time, sleep=time.sleep, boot="one").slot() as turn, turn.sending():
        pass
    time.now = 5.0  # the monotonic clock of another boot
    with RateLimiter(tmp_path, 10.0, clock=time, sleep=time.sleep, boot="two").slot():
        assert time.slept == 10.0
    kept = json.loads((tmp_path / "pace.json").read_text())
    (tmp_path / "pace.json").write_text(json.dumps({**kept, "boot": "two", "open": True, "last": -1000.0}))
    with RateLimiter(tmp_path, 10.0, clock=time, sleep=time.sleep, boot="two").slot():
        assert time.slept == 20.0
    (tmp_path / "pace.json").write_text("half a fi")
    with RateLimiter(tmp_path, 10.0, clock=time, sleep=time.sleep, boot="two").slot():
        assert time.slept == 30.0


def _writes(folder: str) -> None:
    with lock_account(Path(folder)):
        pass


def test_one_account_has_one_writer_over_processes_and_a_killed_one_leaves_no_lock(tmp_path: Path) -> None:
    with lock_account(tmp_path):
        assert in_a_process(_writes, str(tmp_path)) == 1
        with pytest.raises(WriteStopped, match="another process writes"), lock_account(tmp_path):
            pass
    assert in_a_process(_writes, str(tmp_path)) == 0


class Wall:
    """A wall clock and a monotonic one that go on together; only the wall clock can be set."""

    def __init__(self) -> None:
        self.true, self.shift = 0.0, 1_790_000_000.0

    def wall(self) -> float:
        return self.true + self.shift

    def monotonic(self) -> float:
        return self.true

    def sleep(self, seconds: float) -> None:
        self.true += seconds


class Friendly:
    """A wiki that has nothing against us, and may tell its time."""

    def __init__(self, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.clock = clock

    def account_status(self, pages: tuple[str, ...]) -> Any:
        from bot.write.wiki_protocol import AccountStatus

        return AccountStatus(pages=dict.fromkeys(pages, ""), time=self.clock())


@pytest.mark.parametrize("jump", [0.0, -3600.0, -5 * 86400.0, 5 * 86400.0])
@pytest.mark.parametrize("gap", [0.0, 10.0])
def test_the_daily_cap_holds_in_any_24_hours_whatever_the_wall_clock_does(
    workspace: Workspace, tmp_path: Path, gap: float, jump: float
) -> None:
    settings = Settings(writing=Writing(seconds_between_edits=gap, edits_a_day=20))
    clock, sent = Wall(), []
    wiki_policy = WikiPolicy(
        workspace, settings, WIKI, tmp_path, clock=clock.wall, monotonic=clock.monotonic, sleep=clock.sleep, boot="one"
    )
    for n in range(400):
        clock.sleep(600)
        if n == 70:
            clock.shift += jump
        with wiki_policy.rate_limiter.slot() as turn:
            try:
                wiki_policy.before_edit(Friendly(), "Q1", turn)  # type: ignore[arg-type]
            except WriteStopped:
                continue
            with turn.sending():
                sent.append(clock.true)
            ledger.add_closed_row(
                workspace, "written", qid="Q1", guid=f"Q1${n}", payload={}, time=wiki_policy.timestamp()
            )
    assert all(sum(first <= at < first + 86400 for at in sent) <= 20 for first in sent)
    assert len(sent) >= 20


@pytest.mark.parametrize("jump", [0.0, 5 * 86400.0, -5 * 86400.0])
def test_the_daily_cap_holds_over_restarts_and_workspaces_whatever_clock_the_machine_wakes_with(
    tmp_path: Path, jump: float
) -> None:
    """The wiki tells its time; the machine's two clocks are both wrong after each restart."""
    settings = Settings(writing=Writing(seconds_between_edits=10.0, edits_a_day=20))
    clock, sent = Wall(), []
    wiki = Friendly(lambda: 1_790_000_000.0 + clock.true)
    for boot in range(12):
        clock.shift += jump
        woke = clock.true
        with Workspace.open(tmp_path / f"w{boot % 2}") as workspace:
            wiki_policy = WikiPolicy(
                workspace,
                settings,
                WIKI,
                tmp_path / "account",
                clock=clock.wall,
                monotonic=lambda woke=woke: clock.true - woke,  # type: ignore[misc]
                sleep=clock.sleep,
                boot=f"boot {boot}",
            )
            for n in range(30):
                clock.sleep(1000)
                with wiki_policy.rate_limiter.slot() as turn:
                    try:
                        wiki_policy.before_edit(wiki, "Q1", turn)  # type: ignore[arg-type]
                    except WriteStopped:
                        continue
                    with turn.sending():
                        sent.append(clock.true)
                    ledger.add_closed_row(
                        workspace, "written", qid="Q1", guid=f"Q1${n}", payload={}, time=wiki_policy.timestamp()
                    )
    assert all(sum(first <= at < first + 86400 for at in sent) <= 20 for first in sent)
    assert len(sent) >= 4 * 20  # and it does go on: four days


def test_the_cap_survives_a_restart_by_the_ledger(workspace: Workspace, tmp_path: Path) -> None:
    settings = Settings(writing=Writing(seconds_between_edits=0, edits_a_day=3))
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    for n in range(3):
        ledger.add_closed_row(workspace, "written", qid="Q1", guid=f"Q1${n}", payload={}, time=now)
    wiki_policy = WikiPolicy(workspace, settings, WIKI, tmp_path, boot=f"boot {os.getpid()}")
    with wiki_policy.rate_limiter.slot() as turn, pytest.raises(WriteStopped, match="daily cap"):
        wiki_policy.before_edit(Friendly(), "Q1", turn)  # type: ignore[arg-type]
