"""What the commands share: how arguments are read, how a summary is printed, how a command ends."""

from __future__ import annotations

import gc
import json
import os
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import sqlalchemy as sa

from bot import cli_common
from bot.cli_common import (
    CommandGroup,
    FormulaCommand,
    OutputClosed,
    Stopped,
    Terminated,
    compute_in_one_thread,
    known_language,
    print_rows,
    print_summary,
    translate_database_errors,
    with_builtin,
    write_output,
)
from bot.errors import BotError, InputError, WorkspaceError
from bot.messages import Message, to_json
from bot.settings import Matching, Settings

# -- arguments


@click.command(cls=FormulaCommand)
@click.argument("formula")
@click.option("--level", "-l", default="")
@click.option("--all", "-a", "whole", is_flag=True)
def asked(formula: str, level: str, whole: bool) -> None:
    click.echo(json.dumps([formula, level, whole]))


@pytest.mark.parametrize(
    ("args", "read"),
    [
        (["-x = y"], ["-x = y", "", False]),
        (["-x=y"], ["-x=y", "", False]),
        (["-a<b"], ["-a<b", "", False]),
        ([r"-\vec F"], [r"-\vec F", "", False]),
        (["-kx^2"], ["-kx^2", "", False]),
        (["-k_1"], ["-k_1", "", False]),
        (["-{k}"], ["-{k}", "", False]),
        (["-k+1"], ["-k+1", "", False]),
        (["-x\n=y"], ["-x\n=y", "", False]),
        (["-a", "-x=y"], ["-x=y", "", True]),
        (["x=y", "-l", "-x=1"], ["x=y", "-x=1", False]),  # the value of an option stays it
        (["x=y", "--level", "-x=1"], ["x=y", "-x=1", False]),
        (["-lx=1", "x=y"], ["x=y", "x=1", False]),
        (["--", "-x=y"], ["-x=y", "", False]),
        (["--", "-ab"], ["-ab", "", False]),
        ([" x=y"], ["x=y", "", False]),
    ],
)
def test_a_formula_may_begin_with_a_minus_sign(args: list[str], read: list[object], capsys: Any) -> None:
    asked.main(list(args), standalone_mode=False)
    assert json.loads(capsys.readouterr().out) == read


@pytest.mark.parametrize("args", [["-x"], ["--x=y"], ["-xy", "a"]])
def test_what_is_no_formula_is_an_unknown_option(args: list[str]) -> None:
    with pytest.raises(click.UsageError, match="No such option"):
        asked.main(list(args), standalone_mode=False)


def test_a_language_has_a_catalogue_or_is_refused() -> None:
    assert [known_language(code) for code in ("", "en", "de")] == ["", "en", "de"]
    with pytest.raises(InputError) as caught:
        known_language("xx")
    assert caught.value.message.values == {"language": "'xx'", "known": "en, de, es, fr"}


def test_the_option_goes_before_the_setting_of_the_list() -> None:
    settings = Settings(matching=Matching(builtin=False))
    assert with_builtin(settings, None) is settings
    assert [with_builtin(settings, option).matching.builtin for option in (True, False)] == [True, False]


def test_libraries_use_one_thread_unless_the_environment_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "3")
    compute_in_one_thread()
    assert (os.environ["OMP_NUM_THREADS"], os.environ["OPENBLAS_NUM_THREADS"]) == ("1", "3")


def test_cycles_of_objects_are_looked_for_seldom() -> None:
    before = gc.get_threshold()
    try:
        cli_common.tune_garbage_collection()
        assert gc.get_threshold() == (50_000, 20, 50)
    finally:
        gc.set_threshold(*before)


# -- how a command ends


def group(error: BaseException) -> CommandGroup:
    made = CommandGroup("bot")

    @made.command("b")
    def b() -> None:
        raise error

    @made.command("a")
    def a() -> None:
        raise AssertionError

    return made


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt(), 130), (Terminated(), 143), (RuntimeError("Query interrupted"), 130)]
)
def test_an_interrupted_command_has_the_exit_code_of_its_signal(error: BaseException, code: int) -> None:
    with pytest.raises(Stopped) as stopped:
        group(error).main(["b"], standalone_mode=False)
    assert stopped.value.code == code


def test_a_query_that_sigterm_interrupts_ends_as_by_sigterm() -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)  # as `_terminate` leaves it
    try:
        with pytest.raises(Stopped) as stopped:
            group(RuntimeError("Query interrupted")).main(["b"], standalone_mode=False)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert stopped.value.code == 143


def test_other_errors_pass_and_a_closed_output_is_told() -> None:
    with pytest.raises(RuntimeError, match="another"):
        group(RuntimeError("another")).main(["b"], standalone_mode=False)
    with pytest.raises(OutputClosed):
        group(BrokenPipeError()).main(["b"], standalone_mode=False)
    made = group(KeyboardInterrupt())
    assert made.list_commands(click.Context(made)) == ["b", "a"]  # in the order of the data


@pytest.mark.parametrize(
    ("kind", "cause", "todo"),
    [
        (sa.exc.OperationalError, Exception("told so"), "todo.check_database"),
        (sa.exc.OperationalError, Exception(1114, "x"), "todo.database_full"),
        (sa.exc.DataError, Exception(1114, "x"), "todo.database_full"),
        (sa.exc.DataError, Exception("told so"), None),
    ],
)
def test_what_a_database_cannot_do_is_told_with_its_place(kind: Any, cause: Exception, todo: str | None) -> None:
    with pytest.raises(WorkspaceError if todo else kind) as caught, translate_database_errors("/w"):
        raise kind("query", {}, cause)
    if todo:
        assert (caught.value.where, caught.value.message.code, caught.value.advice.code) == (
            "/w",
            "error.database",
            todo,
        )


# -- what is printed


def test_a_text_is_written_where_it_was_asked_for(tmp_path: Path, capsys: Any) -> None:
    for file in (None, "", "-"):
        write_output("text\n", file, tmp_path)
        assert capsys.readouterr().out == "text\n"
    write_output("a\nb\n", str(tmp_path / "out.txt"), tmp_path, newline="\r\n")
    assert (tmp_path / "out.txt").read_bytes() == b"a\r\nb\r\n"
    assert capsys.readouterr().out == ""
    for option, todo in (("--output", "check"), ("", "")):
        with pytest.raises(InputError) as caught:
            write_output("text", str(tmp_path / "none" / "out.txt"), tmp_path, option)
        error: BotError = caught.value
        assert (error.where, error.message.code) == (str(tmp_path / "none" / "out.txt"), "error.unwritable")
        assert (error.advice is not None) is bool(todo)


def test_rows_are_lines_of_json_or_a_table(capsys: Any) -> None:
    rows = [{"qid": "Q1", "n": 2}, {"qid": "Q2", "n": 30}]
    print_rows(rows, True, Message("table.undo", plan="p"), ("item", "n"), lambda row: (row["qid"], row["n"]))
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == rows
    print_rows(rows, False, "t", ("item", "n"), lambda row: (row["qid"], row["n"]))  # type: ignore[arg-type]
    assert capsys.readouterr().out.splitlines() == ["t", "item  no.", "Q1      2", "Q2     30"]


@dataclass
class Figures:
    formulas: int
    by_kind: dict[str, int]
    paths: list[str]
    ignored_files: list[Any]
    files_skipped: list[tuple[str, str]]
    files_skipped_messages: list[Any]


def test_a_summary_is_its_figures_what_was_ignored_and_what_was_skipped(capsys: Any) -> None:
    def ignored(path: str, count: int, code: str) -> dict[str, Any]:
        return {**to_json(Message(code)), "path": path, "count": count}

    few, many = "error.no_file", "error.archive_ends_in_block"
    files = [ignored("/c/x.tex", 2, few), *(ignored(f"/c/{n}.tex", 1, many) for n in "abcd")]
    skipped = ("/c/y.tex", "why"), to_json(Message(few))
    made = Figures(7, {"a": 1, "b": 2}, ["x", "y"], files, [skipped[0]], [skipped[1]])
    print_summary("discover", made, False, ["remark", Message(few)])
    shown = capsys.readouterr()
    lines = [" ".join(line.split()) for line in shown.out.splitlines()]
    assert lines[:6] == ["discover", "figure value", "formulas 7", "by kind a 1, b 2", "paths 2", "files skipped 1"]
    assert lines[8:] == [f"4 {Message(many)} a.tex, b.tex, c.tex", f"2 {Message(few)} x.tex"]
    assert shown.err.splitlines() == [f"skipped /c/y.tex: {Message(few)}", "remark", str(Message(few))]
    print_summary("run", {"discover_ignored": 2, "discover_ignored_files": files[:1]}, False)  # as a figure of a stage
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert (lines[2], lines[-1]) == ("discover ignored 2", f"2 {Message(few)} x.tex")


def test_a_summary_as_json_has_what_is_missing_where_that_was_asked(capsys: Any) -> None:
    made = Figures(7, {}, [], [], [], [])
    for missing, told in ((None, {}), ([], {"missing": []}), (["a"], {"missing": ["a"]})):
        print_summary("discover", made, True, missing)
        found = json.loads(capsys.readouterr().out)
        assert {name: found[name] for name in found if name == "missing"} == told
        assert found["formulas"] == 7
