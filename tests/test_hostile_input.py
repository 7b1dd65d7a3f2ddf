"""Odd input of every kind through the real commands: one clear line, never a traceback; and SIGTERM ends what runs."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cli_runner import CORPUS, ITEMS, CommandResult, call, environment

from bot import cli_common

HALF = "\ud800"


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory, proposed_examples: Path) -> Path:
    w = Path(shutil.copytree(proposed_examples, tmp_path_factory.mktemp("odd") / "w"))
    call("review", "add-reviewer", "Ada", "-w", w).well()
    return w


def plain(*args: object, **more: str) -> CommandResult:
    """Run a command where the terminal takes ASCII alone."""
    where = {**environment(), "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "bot", *map(str, args)]
    done = subprocess.run(command, capture_output=True, env=where, check=False, timeout=900)
    return CommandResult(done.returncode, done.stdout.decode("ascii"), done.stderr.decode("ascii"))


def test_half_a_character_in_a_packet_is_refused_by_its_row(proposed: Path, tmp_path: Path) -> None:
    row = call("review", "list", "-w", proposed, "--json").rows[0]
    good = {"proposal": row["id"], "hash": row["hash"], "verdict": "approve"}
    rows = [{**good, field: HALF} for field in ("proposal", "hash", "verdict", "tex", "edited_tex", "reason", "words")]
    rows += [{**good, "verdict": "reject", "reason": HALF}, {**good, "reference_verdicts": [HALF]}]
    packet = tmp_path / "p.jsonl"
    packet.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    said = call("review", "import", packet, "-w", proposed, "--json").well()
    assert said.rows[0]["refused"]
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 600,
        "x = " + "[" * 600 + "]" * 600,
        "x = " + "{a=" * 600 + "1" + "}" * 600,
        "[agent]\ntimeout = " + "9" * 5000,
        "[agent]\ntimeout = 1e999999",
        "a." * 2000 + "x = 1",
        "x = '\\ud800'\n\0",
    ],
)
def test_settings_of_any_shape_are_one_line(text: str, proposed: Path, tmp_path: Path) -> None:
    file = tmp_path / "s.toml"
    file.write_text(text, encoding="utf-8")
    call("review", "list", "-w", proposed, "--config", file).refused("s.toml")
    call("run", "--config", file).refused("s.toml")


@pytest.mark.parametrize(
    "value", ["[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900, "9" * 5000, "[" * 100_000, '"' + "\\ud800" * 9]
)
def test_lines_of_json_of_any_shape_are_one_line(value: str) -> None:
    call("formula", "--input", "-", stdin='{"tex": "x", "more": ' + value + "}\n").refused("<stdin>:1")
    call("compare", "--input", "-", stdin='{"a": "x", "b": "y", "where": ' + value + "}\n").refused("<stdin>:1")
    call("recognise", "--items", ITEMS, "--queries", "-", stdin='{"tex": "x", "id": ' + value + "}\n").refused(
        "<stdin>:1"
    )


def test_half_a_character_in_an_items_file_is_one_line(proposed: Path, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    for field, value in {"label": HALF, "formulas": [HALF], "aliases": [HALF], "description": HALF}.items():
        items.write_text(json.dumps({"qid": "Q1", "label": "x", field: value}) + "\n", encoding="utf-8")
        call("match", "-w", proposed, "--items", items).refused("items.jsonl:1")
        call("recognise", "--items", items, "--queries", "-", stdin='{"tex": "x"}').refused("items.jsonl:1")


@pytest.mark.parametrize("qid", ["Q²", "Q٣", "Q" + "9" * 5000, "Q1" + HALF])
def test_digits_that_are_no_numbers_are_no_item_id(qid: str, proposed: Path, tmp_path: Path) -> None:
    items = tmp_path / "items.jsonl"
    items.write_text(json.dumps({"qid": qid, "label": "x"}) + "\n", encoding="utf-8")
    call("match", "-w", proposed, "--items", items).refused("items.jsonl:1")
    assert call("find", qid, "-w", proposed).code in (0, 2)


def test_half_a_character_on_the_command_line_is_one_line(proposed: Path) -> None:
    for args in (
        ("add-reviewer", HALF),
        ("approve", "abcd" + HALF),
        ("list", "--state", HALF),
        ("show", "abcd" + HALF),
    ):
        call("review", *args, "-w", proposed).refused()
    call("undo", "--item", HALF, "-w", proposed).refused()


@pytest.mark.parametrize(
    "args",
    [
        ("review", "list", "--json"),
        ("export", "concepts"),
        ("review", "show", "ID"),
    ],
)
def test_a_terminal_that_takes_ascii_alone_is_answered(args: tuple[str, ...], proposed: Path) -> None:
    first = call("review", "list", "-w", proposed, "--json").rows[0]["id"]
    said = plain(*(first if a == "ID" else a for a in args), "-w", proposed).well()
    if "--json" in args or args[0] == "export":
        assert said.rows


def test_an_error_is_answered_to_a_terminal_that_takes_ascii_alone(tmp_path: Path) -> None:
    plain("review", "list", "-w", tmp_path / "Größe").refused()


# SIGTERM

AT_A_CALL = """
import os, signal, sys
import bot.cli
left = int(sys.argv[1])
def step(frame, event, arg):
    global left
    if event == "call":
        left -= 1
        if left == 0:
            sys.setprofile(None)
            os.kill(os.getpid(), signal.SIGTERM)
begin = bot.cli.cli.main
bot.cli.cli.main = lambda *a, **k: (sys.setprofile(step), begin(*a, **k))[1]
bot.cli.main(sys.argv[2:])
"""


@pytest.mark.parametrize("number", [5, 20_000])
def test_sigterm_at_any_moment_of_a_start_is_one_line(number: int, proposed: Path) -> None:
    command = [sys.executable, "-c", AT_A_CALL, str(number), "review", "serve", "-w", str(proposed), "--port", "0"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120, env=environment())
    assert done.returncode == 143
    assert done.stderr.strip().splitlines()[-1].startswith("formula-bot: interrupted")
    assert "Traceback" not in done.stderr


BUSY = """
import sys, time
import bot.cli, bot.cli_common, bot.export
bot.cli_common._UNWINDING = 0.2
class Busy:
    def __enter__(self): print("busy", flush=True)
    def __exit__(self, *_): __import__("ctypes").CDLL(None).sleep(60)
def rows(*_):
    with Busy():
        time.sleep(60)
bot.export.rows = rows
bot.cli.main(sys.argv[1:])
"""


def test_sigterm_ends_a_command_that_does_not_unwind(proposed: Path) -> None:
    command = [sys.executable, "-c", BUSY, "export", "concepts", "-w", str(proposed)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment()) as running:
        assert running.stdout is not None
        assert running.stdout.readline() == "busy\n"
        running.send_signal(signal.SIGTERM)
        assert running.wait(30) == 143
    assert cli_common._SECONDS_TO_UNWIND < 5


IN_A_CALLBACK = """
import os, signal, sys, time, weakref
import bot.cli, bot.export
class Gone: pass
def end(_):
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(60)
def rows(*_):
    gone = Gone()
    seen = weakref.ref(gone, end)
    del gone
    time.sleep(60)
bot.export.rows = rows
bot.cli.main(sys.argv[1:])
"""


def test_sigterm_in_a_callback_of_the_interpreter_is_not_lost(proposed: Path) -> None:
    """Python drops what is raised in a weak reference's callback; imports make thousands of them."""
    command = [sys.executable, "-c", IN_A_CALLBACK, "export", "concepts", "-w", str(proposed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=50, env=environment())
    assert done.returncode == 143
    assert [line for line in done.stderr.splitlines() if line] == [
        "formula-bot: interrupted; finished work is kept, run it again to continue"
    ]


COMMANDS = {
    "discover": ("discover", CORPUS, "-w", "NEW"),
    "match": ("match", "-w", "W", "--items", ITEMS),
    "propose": ("propose", "-w", "W"),
    "serve": ("review", "serve", "-w", "W", "--port", "0"),
    "sandbox": ("sandbox", "serve", "--items", ITEMS),
    "write": ("write", "--live", "-w", "W"),
    "audit": ("audit", "-w", "W"),
}


@pytest.mark.skipif(not os.environ.get("FORMULA_BOT_LONG"), reason="takes minutes; FORMULA_BOT_LONG=1")
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("seconds", [0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0])
def test_sigterm_ends_every_command(name: str, seconds: float, proposed: Path, tmp_path: Path) -> None:
    words = {"W": str(proposed), "NEW": str(tmp_path / "new")}
    command = [sys.executable, "-m", "bot", *(words.get(str(a), str(a)) for a in COMMANDS[name])]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment())
    time.sleep(seconds)
    running.send_signal(signal.SIGTERM)
    began = time.monotonic()
    _, err = running.communicate(timeout=600)
    assert time.monotonic() - began < 5
    assert not re.search("Traceback|ignored", err)
