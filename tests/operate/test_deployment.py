"""The files for schedulers: filled with the settings' own paths, and taken by those who read them, where they are at hand."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml
from cli_runner import call

from bot.operate.deployment import KINDS


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "bot.toml"
    path.write_text('[run]\nsources = ["corpus"]\nworkspace = "w"\n', encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", KINDS)
def test_every_file_names_the_settings_and_leaves_no_gap(kind: str, config: Path) -> None:
    text = call("deploy", kind, "--config", config).well().out
    assert f"run --config {config}" in text or f"run --if-due --config {config}" in text or f'"run", "--config", "{config}"' in text  # fmt: skip
    assert str(config.parent) in text
    assert "${" not in text


def test_the_units_are_what_systemd_takes(config: Path, tmp_path: Path) -> None:
    call("deploy", "systemd", "--config", config, "--into", tmp_path).well()
    units = [str(tmp_path / name) for name in KINDS["systemd"]]
    assert "SuccessExitStatus=1" in Path(units[0]).read_text()
    assert "Persistent=true" in Path(units[1]).read_text()
    if not shutil.which("systemd-analyze"):
        pytest.skip("needs systemd-analyze, of Debian's package systemd")
    done = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
    own = [line for line in done.stderr.splitlines() if "formula-bot" in line]
    assert (own, done.returncode) == ([], 0)


def test_the_service_may_write_to_what_a_run_writes_to(config: Path, tmp_path: Path) -> None:
    text = """[run]
sources = ["corpus"]
workspace = "w"
logs = "../logs"
[[run.crawl]]
source = "http"
into = "corpus/web"
[writing]
pywikibot_dir = "/srv/account"
"""
    config.write_text(text, encoding="utf-8")
    unit = call("deploy", "systemd", "--config", config).well().out
    assert f"ReadWritePaths={tmp_path} -{tmp_path.parent / 'logs'} -/srv/account\n" in unit
    config.write_text(text.replace("/srv/account", "/srv/an account"), encoding="utf-8")
    call("deploy", "systemd", "--config", config).refused("'/srv/an account'", "would have to be quoted")


def test_the_crontab_has_five_times_and_a_command(config: Path) -> None:
    (line,) = [line for line in call("deploy", "cron", "--config", config).well().out.splitlines() if line and line[0] != "#"]  # fmt: skip
    assert re.fullmatch(r"17 \* \* \* \* cd \S+ && out=\$\(XDG_CACHE_HOME=\S+ \S+( -m bot)? run --if-due .*", line)
    assert "%" not in line  # cron would end the line there
    for code, mailed in ((0, ""), (1, ""), (2, "bot.toml: no\n"), (70, "bot.toml: no\n")):
        command = re.sub(
            r"cd \S+ && out=.*;( code=)", rf"out=$(echo bot.toml: no; exit {code});\1", line.split(maxsplit=5)[5]
        )
        done = subprocess.run(
            ["sh", "-c", command.replace("logger -t formula-bot", "cat >&2")], capture_output=True, text=True
        )
        assert done.stdout == mailed


def test_the_jobs_of_toolforge_are_yaml_and_take_new_things_for_no_failure(config: Path) -> None:
    (job,) = yaml.safe_load(call("deploy", "toolforge", "--config", config).well().out)
    assert set(job) == {"name", "image", "command", "schedule", "mem", "cpu", "emails", "timeout"}
    shell = re.fullmatch(r"sh -c '(.*)'", job["command"])
    assert shell
    for code, ends in ((0, 0), (1, 0), (2, 1), (70, 1)):
        command = re.sub(r"cd \S+ && .* --config \S+;", f"(exit {code});", shell[1])
        assert subprocess.run(["sh", "-c", command], check=False).returncode == ends


def test_settings_that_no_run_can_use_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bot.toml").write_text('[run]\nworkspace = "w"\n', encoding="utf-8")
    call("deploy", "cron", "--config", tmp_path / "bot.toml").refused("[run] needs sources and workspace")


def test_a_path_that_would_have_to_be_quoted_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "my bot"
    folder.mkdir()
    (folder / "bot.toml").write_text('[run]\nsources = ["corpus"]\nworkspace = "w"\n', encoding="utf-8")
    call("deploy", "cron", "--config", folder / "bot.toml").refused("my bot", "would have to be quoted")
    call("deploy", "cron", "--config", tmp_path / "none.toml").refused("none.toml")
    call("deploy", "windows", "--config", tmp_path / "none.toml").refused("windows")
