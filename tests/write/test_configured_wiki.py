"""A wiki that the settings name, on this machine: the live path with user-config.py, a family file and a password file."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import pty
import re
import select
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from forked import PROCESSES, run_anew
from rehearsal import Looks, approve, formulas, put

from bot.errors import BotError, WriteRefused
from bot.sandbox import BOT_PASSWORD, BOT_PASSWORD_NAME, BOT_USER, Sandbox
from bot.settings import Agent, Settings, Wiki, Writing, load
from bot.store import Workspace
from bot.write import make_plan
from bot.write.authorise import authorise, confirm_count, is_production
from bot.write.session import connect

FAMILY = """
from pywikibot.family import DefaultWikibaseFamily, SingleSiteFamily

class Family(SingleSiteFamily, DefaultWikibaseFamily):
    name = "here"
    domain = "127.0.0.1:{port}"
    interwiki_forward = None

    def protocol(self, code):
        return "http"

    def scriptpath(self, code):
        return "/w"
"""


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill([{"qid": "Q41273", "label": "momentum"}])
        yield running


@pytest.fixture
def path(tmp_path: Path, sandbox: Sandbox) -> Path:
    """A workspace with one approval, settings that name the wiki in full, and pywikibot's own files."""
    with Workspace.open(tmp_path / "w") as workspace:
        approve(workspace, put(workspace, "Q41273", "p=mv"))
    wiki = sandbox.wiki
    home = tmp_path / "account"
    home.mkdir(0o700)
    (tmp_path / "w" / "settings.toml").write_text(
        f'''[agent]
contact = "https://example.org/operator"
[wiki]
name = "here"
api = "{wiki.api}"
sparql = "{wiki.sparql}"
entity_prefix = "{wiki.entity_prefix}"
page_prefix = "{wiki.page_prefix}"
[writing]
site = "here"
task = "Project:Bot task"
account = "{BOT_USER}"
family = "here"
code = "here"
seconds_between_edits = 0.0
stop_page = "User:WikiBot/stop"
exclusion_page = "User:WikiBot/exclude"
pywikibot_dir = "{home}"
'''
    )
    (home / "here_family.py").write_text(FAMILY.format(port=wiki.api.split(":")[2].split("/")[0]))
    config = f'''family_files["here"] = "here_family.py"
usernames["here"]["here"] = "{BOT_USER}"
password_file = "user-password.py"
'''
    (home / "user-config.py").write_text(config)
    (home / "user-password.py").write_text(f'("{BOT_USER}", BotPassword("{BOT_PASSWORD_NAME}", "{BOT_PASSWORD}"))\n')
    for file in home.iterdir():
        file.chmod(0o600)
    return tmp_path


def call(path: Path, *args: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own: pywikibot reads its settings once in a process."""
    run = [sys.executable, "-m", "bot", *args, "-w", str(path / "w")]
    told = {**os.environ, "PYWIKIBOT_DIR": "/nonexistent"}
    return run_anew(run, env=told, input=stdin, timeout=90)


def on_a_terminal(path: Path, *args: str) -> tuple[int, str]:
    """Run the command where somebody could be asked; return exit code and what was shown, without colours."""
    ours, its = pty.openpty()
    process = PROCESSES.Process(target=_typed, args=(os.ttyname(its), [*args, "-w", str(path / "w")]))
    process.start()
    shown = b""
    while select.select([ours], [], [], 0.2)[0] or process.is_alive():
        ready = select.select([ours], [], [], 60)[0]
        if not ready:
            break  # it waits for somebody to type
        with contextlib.suppress(OSError):  # the terminal ends with the process
            shown += os.read(ours, 4096)
    process.kill()
    process.join(10)
    os.close(ours)
    os.close(its)
    return process.exitcode or 0, re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.decode()).replace("\r", "\n")


def _typed(terminal: str, args: list[str]) -> None:
    """Be the command on this terminal."""
    from bot.cli import main

    os.setsid()  # the first terminal that is opened then is ours
    for n, name in enumerate(("stdin", "stdout", "stderr")):
        os.dup2(os.open(terminal, os.O_RDWR), n)
        setattr(sys, name, os.fdopen(n, "r" if n == 0 else "w", closefd=False))
    main(args)


def planned(path: Path, sandbox: Sandbox) -> None:
    """Make the plan here, and spare a process."""
    settings = load(workspace=path / "w")
    with Workspace.open(path / "w") as workspace:
        assert make_plan(workspace, Looks(sandbox), settings.wiki, settings).entries  # type: ignore[arg-type]


def test_the_live_path_needs_a_plan_and_writes_it(path: Path, sandbox: Sandbox) -> None:
    from click.testing import CliRunner

    from bot.cli import cli

    where = ["-w", str(path / "w")]  # what needs no pywikibot needs no process of its own
    early = CliRunner().invoke(cli, ["write", "--live", *where])
    assert "no plan waits" in str(early.exception)
    assert CliRunner().invoke(cli, ["write", *where]).exit_code == 0
    done = call(path, "write", "--live")
    assert done.returncode == 0, done.stderr
    assert "written 1" in done.stdout
    assert formulas(sandbox, "Q41273") == ["p=mv"]
    assert "[[Project:Bot task]]" in sandbox.history("Q41273")[-1]["comment"]
    told = call(path, "undo", "--item", "Q41273")
    assert "would be undone" in told.stdout
    assert formulas(sandbox, "Q41273") == ["p=mv"]
    assert call(path, "undo", "--item", "Q41273", "--live").returncode == 0
    assert formulas(sandbox, "Q41273") == []


def test_the_stop_page_is_read_before_an_edit(path: Path, sandbox: Sandbox) -> None:
    planned(path, sandbox)
    sandbox.set_page("User:WikiBot/stop", "please stop")
    stopped = call(path, "write", "--live")
    assert stopped.returncode == 2
    assert "please stop" in stopped.stderr
    assert stopped.stdout == ""
    told = (path / "w" / "reports" / "write-outcome.txt").read_text(encoding="utf-8")
    assert "failed 1" in told
    assert "please stop" in told
    assert formulas(sandbox, "Q41273") == []


WRONG = {
    "a wrong bot password": f'("{BOT_USER}", BotPassword("{BOT_PASSWORD_NAME}", "{"1" * 32}"))\n',
    "a wrong password": f'("{BOT_USER}", "{"1" * 32}")\n',
    "the password of another": '("Somebody", BotPassword("formulabot", "x"))\n',
    "no password": "# nothing here\n",
    "no line of a password": "what is this\n",
    "no file": None,
}


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("user-password.py", WRONG["a wrong bot password"], "cannot log in"),
        ("user-password.py", WRONG["no password"], "cannot log in"),
        ("user-config.py", "this is not python\n", "user-config.py"),
        ("here_family.py", "this is not python\n", "account/here_family.py"),
        ("user-config.py", 'family_files["here"] = "gone/none_family.py"\n', "account/gone/none_family.py"),
        ("user-config.py", "", "family and code"),
        ("user-config.py", "writeable by others", "writeable by others"),
    ],
)
def test_a_wrong_password_or_broken_files_are_one_line_and_nobody_is_asked(
    path: Path, sandbox: Sandbox, file: str, text: str, says: str
) -> None:
    planned(path, sandbox)
    target = path / "account" / file
    target.chmod(0o666) if text == says else target.write_text(text)
    code, said = on_a_terminal(path, "write", "--live")
    lines = [line for line in said.splitlines() if line.strip() and " writing " not in line]
    assert (code, len(lines)) == (2, 1), said
    assert lines[0].startswith("formula-bot:")
    assert says in lines[0]
    assert formulas(sandbox, "Q41273") == []


def test_however_wrong_the_password_is_nobody_is_asked(path: Path) -> None:
    """In one process of its own: it reads the settings once, and the passwords whenever it logs in."""
    lines = """
import json, sys
from pathlib import Path
from bot.errors import WriteStopped
from bot.settings import load
from bot.write.session import connect

folder, wrong = Path(sys.argv[1]), json.loads(sys.argv[2])
settings = load(workspace=folder / "w")
for name, text in wrong.items():
    file = folder / "account" / "user-password.py"
    file.unlink(missing_ok=True)
    if text is not None:
        file.write_text(text)
        file.chmod(0o600)
    try:
        connect(settings.wiki, settings, folder)
    except WriteStopped as error:
        print(error.line())
"""
    run = [sys.executable, "-c", lines, str(path), json.dumps(WRONG)]
    told = subprocess.run(run, capture_output=True, text=True, input="a password\n" * 9, timeout=90, check=False)
    assert told.stderr == ""
    said = told.stdout.splitlines()
    assert len(said) == len(WRONG)
    assert all("cannot log in" in line for line in said)


FULL = Writing(site="wikidata", task="t", account="a", family="wikidata", code="wikidata", stop_page="User:A/stop")


@pytest.mark.aims_outside
def test_a_test_that_aims_at_a_production_host_fails_in_the_guard(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that is needed to write is there, and still not a byte is sent: the guard of the tests stands before it."""
    sent: list[bytes] = []
    for name in ("send", "sendall"):
        original = getattr(socket.socket, name)

        def noted(self: socket.socket, data: Any, *args: Any, _original: Any = original) -> Any:
            sent.append(bytes(data))
            return _original(self, data, *args)

        monkeypatch.setattr(socket.socket, name, noted)
    with pytest.raises(AssertionError, match=r"tried to connect to www\.wikidata\.org"):
        socket.create_connection(("www.wikidata.org", 443), timeout=1)
    monkeypatch.setattr("bot.write.session._TRIES_AT_LOGIN", 0)  # the library would wait between them
    (tmp_path / "user-config.py").write_text('usernames["wikidata"]["wikidata"] = "a"\n', encoding="utf-8")
    (tmp_path / "user-config.py").chmod(0o600)
    settings = Settings(
        agent=Agent(contact="https://example.org"),
        writing=dataclasses.replace(FULL, pywikibot_dir=str(tmp_path)),
    )
    authorise(Wiki(), settings)
    with pytest.raises((BotError, AssertionError)):
        connect(Wiki(), settings, tmp_path)
    assert sent == []


def test_plain_http_to_another_machine_is_refused() -> None:
    settings = Settings(agent=Agent(contact="x"), writing=FULL)
    authorise(Wiki(), settings)
    with pytest.raises(WriteRefused, match="HTTPS"):
        authorise(Wiki(api="http://www.wikidata.org/w/api.php"), settings)


def test_a_wiki_with_readers_wants_a_page_that_stops_the_bot() -> None:
    settings = Settings(agent=Agent(contact="x"), writing=dataclasses.replace(FULL, stop_page=""))
    with pytest.raises(WriteRefused, match="lacks stop_page"):
        authorise(Wiki(), settings)
    test = dataclasses.replace(settings, writing=dataclasses.replace(settings.writing, site="test"))
    authorise(Wiki(name="test", api="https://test.wikidata.org/w/api.php"), test)


def test_a_run_that_nobody_is_asked_about_sends_no_more_than_the_daily_cap() -> None:
    settings = Settings(writing=Writing(edits_a_day=200))
    confirm_count(200, settings)
    with pytest.raises(WriteRefused, match="201 edits are more than the daily cap of 200"):
        confirm_count(201, settings)


def test_a_production_wiki_asks_once_more_with_the_count(monkeypatch: pytest.MonkeyPatch) -> None:
    import click

    from bot.cli import _ask_once_more

    asked: list[str] = []
    monkeypatch.setattr(click, "confirm", lambda question, abort: asked.append(question))
    assert is_production(Wiki())
    _ask_once_more("send", 3, Wiki(), Settings(), False)
    assert asked == ["Send 3 edits to wikidata?"]
    _ask_once_more("send", 3, Wiki(), Settings(), True)
    _ask_once_more("send", 0, Wiki(), Settings(), False)
    assert len(asked) == 1
    with pytest.raises(WriteRefused, match="daily cap"):
        _ask_once_more("send", 300, Wiki(), Settings(), True)
