"""The guard of the tests: an attempt to leave this machine fails the test, also where the code under test hides it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HIDDEN = """
import socket
import pytest

def reach(address=("www.wikidata.org", 443)):
    try:
        socket.create_connection(address, timeout=1)
    except BaseException:  # as retries do
        pass

@pytest.fixture(scope="module")
def wide():
    reach(("192.0.2.1", 443))

def test_hidden():
    reach()

def test_innocent():
    reach(("127.0.0.1", 1))

def test_hidden_in_a_wider_fixture(wide):
    pass

@pytest.mark.aims_outside
def test_on_purpose():
    reach()
"""


def test_an_attempt_that_was_caught_fails_at_the_end_of_its_test(tmp_path: Path) -> None:
    for name in ("conftest.py", "local_only.py"):
        (tmp_path / name).write_bytes((Path(__file__).with_name(name)).read_bytes())
    (tmp_path / "test_hidden.py").write_text(HIDDEN, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-rE", "--strict-markers", "-p", "no:cacheprovider", str(tmp_path)]
    said = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)
    assert said.returncode == 1, said.stdout + said.stderr
    failed = [line.split("::")[1].split(" ")[0] for line in said.stdout.splitlines() if line.startswith("ERROR ")]
    assert failed == ["test_hidden", "test_hidden_in_a_wider_fixture"]
    assert "a test tried to connect to www.wikidata.org, and what it called hid that" in said.stdout
    assert "192.0.2.1" in said.stdout
