"""Limits of the files directly in bot/ hold where they are said to, and what ends or begins a command does all of it."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import nullcontext, suppress
from dataclasses import fields, is_dataclass
from multiprocessing import Event
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from cli_runner import call

import bot.sandbox
from bot import cli, cli_common, cli_formulas, demo, hashchain, migrations, processes, settings, store
from bot.errors import WorkspaceError
from bot.file_permissions import write_named_file
from bot.items_file import read_items
from bot.messages import Message
from bot.processes import WorkerPool
from bot.records import Check, FormulaConcept, Item, NameCandidate, Proposal, Quote
from bot.result_cache import CachedFunction, ResultCache, cache_key, temporary_result_cache
from bot.review import builtin_list_coverage, ranked_list, reconciliation
from bot.settings import Settings, load
from bot.store import Workspace

# -- how much at once


def test_results_are_looked_up_stored_and_made_in_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def made(some: Sequence[int]) -> list[int]:
        sizes.append(len(some))
        return list(some)

    nothing = ResultCache()
    assert list(nothing.map_parallel("f", range(1025), cache_key, made)) == list(range(1025))
    assert sizes == [128] * 8 + [1]  # blocks of 1,024, made in parts of 128
    sizes.clear()
    with temporary_result_cache() as cache:
        cache.store("f", {cache_key(n): n for n in range(501)})
        load = cache.load
        monkeypatch.setattr(cache, "load", lambda of, keys: (sizes.append(len(keys)), load(of, keys))[1])
        assert list(cache.load_in_order("f", [cache_key(n) for n in range(501)])) == list(range(501))
        assert sizes == [500, 1]
        sizes.clear()
        asked = SimpleNamespace(execute=lambda query, values: sizes.append(len(values) - 1) or ())
        monkeypatch.setattr(cache, "_db", asked)
        assert list(cache._select("key", [b""] * 501)) == []
        assert sizes == [500, 1]


@pytest.mark.parametrize(("others", "left"), [(1001, 1002), (1002, 1)])
def test_a_thousand_unused_results_are_not_worth_a_look(others: int, left: int) -> None:
    with temporary_result_cache() as first:
        for number, rows in enumerate((1, others)):
            run = first.for_stage("s")
            run.map_batch("f", range(number, number + 1), cache_key, list)
            if number:
                run.for_stage("s").store("f", {cache_key(-n): n for n in range(1, rows)})
            run.drop_unused()
        db: Any = first._db
        assert db.execute("SELECT count(*) FROM results").fetchone() == (left,)


def test_fifty_thousand_calls_of_a_function_are_in_memory() -> None:
    length: CachedFunction[int] = CachedFunction(len)
    length.results = {(str(n),): 0 for n in range(49_999)}
    length("one more")
    assert len(length.results) == 50_000
    length("and one")
    assert length.results == {("and one",): 7}


def test_four_hundred_values_go_into_one_query(workspace: Workspace) -> None:
    asked: list[int] = []
    sa.event.listen(workspace.engine, "before_cursor_execute", lambda *given: asked.append(len(given[3])))
    names = [f"Q{n}" for n in range(401)]
    assert list(workspace.rows_with(sa.select(store.items), store.items.c.qid, names)) == []
    with workspace.engine.begin() as db:
        store.delete_rows(db, store.items.c.qid, names)
    assert asked == [400, 1, 400, 1]


@pytest.mark.parametrize(("arguments", "expected", "starts"), [(999, 0, False), (1000, 0, True), (16, 999, False), (16, 1000, True), (15, 1000, False)])  # fmt: skip
def test_processes_are_started_for_a_thousand_arguments(
    monkeypatch: pytest.MonkeyPatch, arguments: int, expected: int, starts: bool
) -> None:
    started: list[int] = []

    def none() -> None:
        started.append(1)
        raise WorkspaceError("no_processes", todo="memory")

    with WorkerPool(2) as pool:
        monkeypatch.setattr(pool, "_running_pool", none)
        pool.expect_arguments(expected)
        assert pool.make(list, range(arguments)) == list(range(arguments))
        assert (bool(started), pool._number) == (starts, 1 if starts else 2)


def test_processes_that_do_not_answer_are_started_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    monkeypatch.setattr(processes, "ProcessPoolExecutor", lambda number, **_: nullcontext(number))
    monkeypatch.setattr(processes, "_workers_answer", lambda pool, number, _: started.append(number))
    with pytest.raises(WorkspaceError) as told, processes.process_pool(3):
        pass
    assert (started, told.value.message.code) == ([3, 3], "error.no_processes")
    assert 1 <= processes.CORES <= min(8, os.cpu_count() or 1)


@pytest.mark.parametrize(
    ("errors", "answer"),
    [("--", True), ("-x", False), ("x-", False), ("xx", False), ("s-", False), ("-s", False), ("", True)],
)
def test_a_pool_is_used_if_each_of_its_processes_answers(errors: str, answer: bool) -> None:
    left = list(errors)

    def submit(function: object) -> SimpleNamespace:
        assert function is os.getpid
        kind = left.pop(0)
        if kind == "s":
            raise OSError("handle is closed")
        return SimpleNamespace(exception=lambda: BrokenProcessPool() if kind == "x" else None)

    pool: Any = SimpleNamespace(submit=submit)
    all_started = Event()
    assert processes._workers_answer(pool, len(errors), all_started) is answer
    assert all_started.is_set()  # whatever happened: a worker that was started waits for it


def test_while_processes_start_there_is_no_main_script_and_ctrl_c_waits() -> None:
    def now() -> tuple[object, bool]:
        return sys.modules["__main__"], signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())

    before = now()
    with suppress(OSError), processes._without_main_script():
        main, is_blocked = now()
        assert (main is before[0], is_blocked, vars(main).get("__file__")) == (False, True, None)
        raise OSError("no process")
    assert now() == before == (before[0], False)


@pytest.mark.parametrize("path", [None, "/somewhere"])
def test_while_processes_start_they_are_told_where_modules_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, path: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["/a", "", "/b"])
    monkeypatch.delenv("PYTHONSAFEPATH", raising=False)
    if path is None:
        monkeypatch.delenv("PYTHONPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONPATH", path)
    with suppress(OSError), processes._own_import_path():
        assert os.environ["PYTHONPATH"].split(os.pathsep) == ["/a", str(tmp_path), "/b"]
        assert os.environ["PYTHONSAFEPATH"] == "1"
        raise OSError("no process")
    assert (os.environ.get("PYTHONPATH"), os.environ.get("PYTHONSAFEPATH")) == (path, None)


# -- how a command ends and begins


def test_after_sigterm_a_command_has_four_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []

    def ended(code: int) -> None:
        raise SystemExit(code)

    def broken() -> None:
        done.append("broken")
        raise OSError

    read_end, write_end = os.pipe()
    os.write(write_end, bytes([signal.SIGINT, signal.SIGTERM]))
    monkeypatch.setattr(cli_common.time, "sleep", done.append)
    monkeypatch.setattr(cli_common.os, "_exit", ended)
    monkeypatch.setattr(cli_common, "exit_callbacks", [broken, lambda: done.append("called")])
    with pytest.raises(SystemExit) as code:
        cli_common._exit_after_termination(read_end)
    os.close(read_end), os.close(write_end)
    assert (code.value.code, done) == (143, [4.0, "broken", "called"])


def test_who_is_interrupted_says_so_and_leaves_with_the_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = signal.getsignal(signal.SIGTERM)

    def ended(code: int) -> None:
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        raise SystemExit(code)

    monkeypatch.setattr(cli.os, "_exit", ended)
    try:
        with pytest.raises(SystemExit) as code:
            cli._interrupted(130)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert (code.value.code, capsys.readouterr().err) == (130, f"formula-bot: {Message('run.stopped')}\n")


def test_once_a_command_has_ended_signals_end_the_process() -> None:
    numbers = (signal.SIGTERM, signal.SIGINT)
    before = [signal.getsignal(number) for number in numbers]
    signal.setitimer(signal.ITIMER_REAL, 100)
    try:
        cli_common.restore_default_signals()
        assert [signal.getsignal(number) for number in numbers] == [signal.SIG_DFL] * 2
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
        signal.setitimer(signal.ITIMER_REAL, 100)
        cli_common.ignore_termination()
        assert [signal.getsignal(number) for number in numbers] == [signal.SIG_IGN, signal.SIG_DFL]
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


@pytest.mark.parametrize(
    ("options", "rows"),
    [((), 50), (("--top", "55"), 55), (("--json",), 60), (("--csv", "-"), 60), (("--json", "--top", "3"), 3), (("--csv", "-", "--top", "7"), 7)],
)  # fmt: skip
def test_fifty_formulas_are_shown_and_all_are_written(
    monkeypatch: pytest.MonkeyPatch, workspace: Workspace, options: tuple[str, ...], rows: int
) -> None:
    row = {"tex": "x", "occurrences": 1, "documents": 1, "formularank": None, "place": {"d": 1, "D": 1, "rank": 1}, "name": "", "qid": "", "label": "", "probability": 0.0, "key": "k"}  # fmt: skip
    asked: list[object] = []
    monkeypatch.setattr(ranked_list, "ranked_list", lambda opened, by, filters: asked.append((by, filters)) or iter([row] * 60))  # fmt: skip
    out = call("formulas", "--by", "D", "--min-documents", "2", *options, "-w", workspace.path).well().out.splitlines()
    assert len(out) - (0 if "--json" in options else 1 if "--csv" in options else 2) == rows
    assert asked == [("D", ranked_list.RankFilters(2, 0, 0))]


@pytest.mark.parametrize(
    ("options", "rows"), [((), 50), (("--top", "2"), 2), (("--json",), 60), (("--json", "--top", "3"), 3)]
)
def test_the_built_in_list_is_shown_in_its_order(
    monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], rows: int
) -> None:
    row = {"qid": "Q1", "label": "force", "field": "mechanics", "tex": r"F = m a^{2}", "defines": False}
    places = {"documents": 2, "first": ["a", "b"]}
    listed = [row, *[row | places] * 59]
    monkeypatch.setattr(builtin_list_coverage, "builtin_list_rows", lambda: listed)
    done = call("formulas", "--list", *options).well()
    if "--json" in options:
        assert done.rows == listed[:rows]
        return
    lines = [line.split("  ") for line in done.out.splitlines()[2:]]
    assert len(lines) == rows
    assert [[cell.strip() for cell in line if cell] for line in lines[:2]] == [
        ["Q1", "force", "F = ma²", "is about it"],
        ["Q1", "force", "F = ma²", "is about it", "2", "a, b"],
    ]


@pytest.mark.parametrize("inside", [True, False])
def test_a_named_file_in_the_workspace_is_for_this_account_alone(tmp_path: Path, inside: bool) -> None:
    (tmp_path / "w").mkdir()
    path = tmp_path / ("w/a.txt" if inside else "a.txt")
    path.write_text("old", encoding="utf-8")
    path.chmod(0o644)
    write_named_file(path, "new\n", tmp_path / "w", newline="\r\n")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new\r\n", 0o600 if inside else 0o644)


def test_a_service_for_openrefine_has_the_items_of_its_file_or_workspace(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, workspace: Workspace
) -> None:
    served: list[Any] = []
    monkeypatch.setattr(reconciliation, "serve_reconciliation", lambda rows, found, **how: served.append((rows, found.matching.builtin, how["port"])))  # fmt: skip
    items = tmp_path / "items.jsonl"
    items.write_text('{"qid": "Q1", "label": "force", "formulas": ["F=ma"]}\n', encoding="utf-8")
    call("reconcile").refused("--items")
    call("reconcile", "--items", items, "--no-builtin", "--port", "0").well()
    call("reconcile", "--items", items, "--workspace", workspace.path).well()
    call("reconcile", "--workspace", workspace.path).refused("holds no item")
    rows = read_items(items)
    assert [(served[0][1:], served[1][1:]), [served[0][0], served[1][0]]] == [((False, 0), (True, 8095)), [rows, rows]]


def test_a_rehearsal_wiki_is_served_with_what_was_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    served: list[Any] = []
    monkeypatch.setattr(bot.sandbox, "serve", lambda *given: served.append(given))
    (tmp_path / "x.js").write_text("let x", encoding="utf-8")
    (tmp_path / "bot.toml").write_text('[wiki]\nname = "ours"\n', encoding="utf-8")
    call("sandbox", "serve").well()
    call("sandbox", "serve", "--items", "i", "--port", "7", "--config", tmp_path / "bot.toml", "--script", tmp_path / "x.js").well()  # fmt: skip
    assert served == [(None, 0, Settings().wiki, ""), ("i", 7, load(tmp_path / "bot.toml").wiki, "let x")]
    assert served[1][2].name == "ours"


@pytest.mark.parametrize(("options", "same"), [((), True), (("--no-builtin",), False)])
def test_compare_asks_the_built_in_list_unless_it_is_left_out(
    monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], same: bool
) -> None:
    from bot.match.retrieval import known_concepts

    asked: list[bool] = []
    monkeypatch.setattr(known_concepts, "refine_comparison", lambda found, a, b, listed: asked.append(listed) or found)
    (row,) = call("compare", "a = b", "c = d + e", *options).well().rows
    assert (asked, row["a"], row["same_concept"]) == ([same], "a = b", False)


# -- what is shown of an answer


def hit(qid: str, score: float, **more: Any) -> dict[str, Any]:
    return {"qid": qid, "score": score, "formula": f"f{qid}", "level": "K1", "probability": 0.5, **more}


@pytest.mark.parametrize(
    ("accepted", "hits", "told"),
    [
        (False, [], Message("recognised.nothing")),
        (True, [hit("Q1", 5)], Message("recognised.accepted", how=Message("recognised.level.K1"))),
        (True, [hit("Q1", 5, level="")], Message("recognised.accepted", how=Message("recognised.level.alike"))),
        (True, [hit("Q1", 5, formula="")], Message("recognised.accepted", how=Message("recognised.level.words"))),
        (False, [hit("Q1", 5, differs="x")], Message("recognised.differs", differs="x")),
        (False, [hit("Q1", 5), hit("Q2", 4.31)], Message("recognised.rival", label="two (Q2)")),
        (False, [hit("Q1", 5), hit("Q2", 4.3)], Message("recognised.unsure", accept=0.6249)),
        (False, [hit("Q1", 5, together=["Q2"]), hit("Q2", 4.9)], Message("recognised.unsure", accept=0.6249)),
        (False, [hit("Q1", 5)], Message("recognised.unsure", accept=0.6249)),
    ],
)
def test_why_an_item_is_accepted_or_not(accepted: bool, hits: list[dict[str, Any]], told: Message) -> None:
    answer = {"tex": "x", "accepted": accepted, "hits": hits}
    assert cli_formulas.reason(answer, {"Q2": "two"}, 0.6249) == told
    rows = list(cli_formulas.answer_rows([answer], {"Q2": "two"}, 0.6249))
    assert (rows[0][0], rows[0][5], len(rows)) == ("x", str(told), max(1, len(hits)))


def test_what_no_tex_reads_is_not_accepted_for_that_reason() -> None:
    answer = {"tex": "}{", "accepted": False, "hits": []}
    assert str(cli_formulas.reason(answer, {}, 0.5)) == "not accepted: it cannot be read: } closes nothing"


def test_three_hits_of_a_query_are_shown_with_the_reason_beside_the_first() -> None:
    answer = {"tex": "x", "accepted": True, "hits": [hit(f"Q{n}", 5 - n) for n in range(1, 6)]}
    rows = list(cli_formulas.answer_rows([answer, {"tex": "y", "accepted": False, "hits": []}], {"Q2": "two"}, 0.5))
    assert [(*row[:5:4], row[1], bool(row[5])) for row in rows] == [
        ("x", "0.500", "Q1", True), ("", "0.500", "two (Q2)", False), ("", "0.500", "Q3", False), ("y", "", "", True)
    ]  # fmt: skip


# -- records


def test_the_corpus_names_a_concept_by_its_own_score() -> None:
    names = (NameCandidate("a", 0.9, known=0.6), NameCandidate("b", 0.5), NameCandidate("c", 0.4, known=0.4), NameCandidate("d", 0.7, known=0.2), NameCandidate("e", 0.0))  # fmt: skip
    found = FormulaConcept("k", "x", 1, 1, names=names).names_from_corpus
    assert [(each.name, each.score, each.known) for each in found] == [
        ("b", 0.5, 0.0), ("d", 0.5, 0.0), ("a", 0.3, 0.0), ("e", 0.0, 0.0)
    ]  # fmt: skip


def test_a_proposal_is_flagged_with_the_checks_that_failed() -> None:
    checks = (Check.of("item.gone", "ok"), Check("a", "fail", Message("stopped.another")), Check("b", "warn", Message("next.nothing")), Check("c", "fail", Message("next.nothing")))  # fmt: skip
    made = Proposal("p", "flag", "Q1", "P1", "x", (), (), checks, 0.5, 1, "h", "2999-01-01")
    assert made.flag == f"a: {Message('stopped.another')}; c: {Message('next.nothing')}"
    assert [Quote("d", 4, "w", formulas=((4, "x"), (5, "y"))).tex, Quote("d", 3, "w", formulas=((4, "x"),)).tex] == [
        "x",
        "",
    ]


# -- the demo


def test_a_demo_takes_the_folder_of_an_earlier_one_and_no_other(tmp_path: Path) -> None:
    new, own, other, empty = (tmp_path / name for name in ("new", "own", "other", "empty"))
    for path, is_demo in ((own, True), (other, False)):
        with Workspace.open(path) as workspace:
            workspace.put("demo", is_demo)
    empty.mkdir()
    assert [demo._emptied_folder(path) for path in (new, own, empty)] == [new, own, empty]
    assert [path.exists() for path in (new, own, empty, other)] == [False, False, True, True]
    with pytest.raises(WorkspaceError) as told:
        demo._emptied_folder(other)
    assert (told.value.message.code, other.exists()) == ("error.your_workspace", True)


def test_the_demo_says_what_to_type_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for called, shown in (
        ("/usr/bin/formula-bot", os.path.relpath("/usr/bin/formula-bot")),
        ("/x/__main__.py", "formula-bot"),
    ):
        monkeypatch.setattr(demo.sys, "argv", [called])
        demo._print_next_steps(tmp_path)
        lines = capsys.readouterr().out.splitlines()
        assert lines[1].endswith(f" {tmp_path / 'reports' / 'dry-run.html'}")
        assert lines[2].endswith(f" {tmp_path / 'reports' / 'write-plan.html'}")
        assert [line.startswith(f"  {shown} ") for line in lines[4:]] == [True] * 6
        assert lines[-1] == f"  {shown} audit --workspace {tmp_path}"
    assert demo._figures(Item("Q1", revision=7, missing=True)) == "revision 7"


# -- chains and settings


def test_a_link_is_found_by_the_beginning_of_its_hash(workspace: Workspace) -> None:
    with workspace.engine.begin() as db:
        for n in range(3):
            hashchain.append(db, 0, "e", {"n": n}, "2026-11-20T00:00:00Z")
    hashes = [row["hash"] for row in workspace.rows(sa.select(hashchain.links.c.hash).order_by(hashchain.links.c.n))]
    assert [hashchain.link_number(workspace, each) for each in (*hashes, hashes[1][:20], "0" * 64, "", "x", "%")] == [1, 2, 3, 2, 0, 0, -1, -1]  # fmt: skip
    assert hashchain.length_and_head(workspace) == (3, hashes[-1])


@pytest.mark.parametrize(
    ("run", "complete"),
    [
        ('sources = ["c"]\nworkspace = "w"', True), ('workspace = "w"\n[[run.crawl]]\nsource = "arxiv"', True), ('sources = ["c"]', False), ('workspace = "w"', False), ("", False),
    ],
)  # fmt: skip
def test_a_scheduled_run_reads_something_into_a_workspace(tmp_path: Path, run: str, complete: bool) -> None:
    path = tmp_path / "bot.toml"
    path.write_text(f"[run]\n{run}\n", encoding="utf-8")
    with nullcontext() if complete else pytest.raises(settings.SettingsError) as told:
        assert settings.load_run(path).run.logs == "logs"
    if not complete:
        assert (told.value.message.code, told.value.where) == ("error.run_settings", str(path))  # type: ignore[union-attr]


RANGES = [
    (table.name, key, *range)
    for table in fields(Settings)
    if is_dataclass(kind := type(getattr(Settings(), table.name)))
    for key, range in settings.number_ranges(kind).items()
]


@pytest.mark.parametrize(("table", "key", "least", "most"), RANGES)
def test_a_number_is_refused_beyond_its_range(tmp_path: Path, table: str, key: str, least: float, most: float) -> None:
    path = tmp_path / "bot.toml"
    for value, taken in ((least, True), (most, True), (least - 1, False), (most + 1, False)):
        path.write_text(f"[{table}]\n{key} = {value}\n", encoding="utf-8")
        with nullcontext() if taken else pytest.raises(settings.SettingsError) as told:
            assert getattr(getattr(load(path), table), key) == value
        if not taken:
            values = told.value.message.values  # type: ignore[union-attr]
            assert (values["name"], values["least"], values["most"]) == (f"{table}.{key}", least, most)


def test_thirty_numbers_of_the_settings_have_a_range() -> None:
    assert len(RANGES) >= 30


# -- tables of older workspaces


class _Server:
    """A connection to a server that answers in order and keeps what it was asked."""

    def __init__(self, *answers: object) -> None:
        self.answers, self.asked = list(answers), list[str]()
        self.engine = SimpleNamespace(url=SimpleNamespace(database="d"))

    def execute(self, query: sa.Select[Any]) -> Any:
        self.asked.append(str(query.compile(compile_kwargs={"literal_binds": True})))
        return SimpleNamespace(scalar=lambda: self.answers.pop(0))

    def rollback(self) -> None:
        self.asked.append("rollback")

    def begin(self) -> Any:
        self.asked.append("begin")
        return nullcontext()


def test_one_process_at_a_time_changes_the_tables_of_a_server(tmp_path: Path) -> None:
    db: Any = _Server(1)
    with migrations._mysql(db, tmp_path):
        db.asked.append("change")
    name = "formula-bot 18ac3e7343f016890c510e93f9352611"
    assert db.asked == [
        f"SELECT get_lock('{name}', 60) AS get_lock_1",
        "rollback",
        "begin",
        "change",
        f"SELECT release_lock('{name}') AS release_lock_1",
    ]
    db = _Server(0)
    with pytest.raises(WorkspaceError) as told, migrations._mysql(db, tmp_path):
        pass
    assert (told.value.message.code, len(db.asked)) == ("error.tables_changing", 1)
    db = _Server(None)
    with migrations._postgresql(db, tmp_path):
        db.asked.append("change")
    assert db.asked == [
        "rollback",
        "begin",
        "SELECT pg_advisory_xact_lock(1718579821) AS pg_advisory_xact_lock_1",
        "change",
    ]
