"""The Spark engine on two worker processes of this machine: the same rows as without it, also when one is killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import msgspec
import pyarrow as pa
import pytest
from click.testing import CliRunner
from debian import program

from bot.cli import cli
from bot.corpus import list_sources
from bot.discover.mine import fingerprint
from bot.discover.spark import _absolute, _cause, _literal, _read_files, _SparkRows, spark_engine
from bot.errors import WorkspaceError
from bot.messages import to_json

DOCUMENTS = 40
CLUSTER = ("spark.master=local-cluster[2,1,1024]", "spark.ui.enabled=false", "spark.driver.host=127.0.0.1")


@pytest.fixture
def articles(tmp_path: Path) -> Path:
    """Articles that share formulas, one of them damaged."""
    folder = tmp_path / "articles [1]"
    folder.mkdir()
    for n in range(DOCUMENTS):
        laws = [f"<math>F_{k} = {k % 3 + 2} m a_{k} + k x^{k % 4}</math>" for k in range(n % 7, n % 7 + 5)]
        text = f"'''Law {n}''' says that [[force]] is " + " and ".join(laws) + ".\n== More ==\nSee [[mass]]."
        (folder / f"Law {n}.wiki").write_text(text, encoding="utf-8")
    (folder / "Broken.wiki").write_bytes(b"\x00\x01<math>" * 50)
    return folder


def children_of(pid: int) -> list[tuple[int, str]]:
    """Return (process id, command line) of all that a process has started, directly or not."""
    parents: dict[int, list[int]] = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue  # it has ended
        parents.setdefault(parent, []).append(int(stat.parent.name))
    found, left = [], [pid]
    while left:
        for child in parents.get(left.pop(), ()):
            left.append(child)
            try:
                found.append((child, Path(f"/proc/{child}/cmdline").read_text().replace("\0", " ")))
            except OSError:
                continue
    return found


def exported(workspace: Path, what: str) -> list[str]:
    return CliRunner().invoke(cli, ["export", what, "-w", str(workspace)], catch_exceptions=False).output.splitlines()


def test_a_cluster_that_loses_a_machine_gives_the_rows_of_one_machine(articles: Path, tmp_path: Path) -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed: pip install '.[spark]'")
    java = program("java", package="default-jre-headless")
    here, there = tmp_path / "one machine", tmp_path / "cluster"
    alone = CliRunner().invoke(cli, ["discover", str(articles), "-w", str(here), "--json"], catch_exceptions=False)
    command = [sys.executable, "-m", "bot", "discover", articles.name, "-w", str(there), "--json", "--engine", "spark"]
    command += [word for setting in CLUSTER for word in ("--spark-conf", setting)]
    home = {"JAVA_HOME": str(Path(java).resolve().parent.parent), "SPARK_LOCAL_IP": "127.0.0.1"}
    run = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | home, text=True, cwd=tmp_path
    )
    killed = left = 0
    while run.poll() is None and not killed:
        done = len(list((there / "occurrences").glob("*.parquet")))
        executors = (
            [pid for pid, line in children_of(run.pid) if "CoarseGrainedExecutorBackend" in line] if done else []
        )
        if executors:
            os.kill(executors[0], signal.SIGKILL)
            killed, left = executors[0], DOCUMENTS - done
        time.sleep(0.02)
    out, err = run.communicate(timeout=240)
    assert run.returncode == 0, err[-2000:]
    assert killed, "the run ended before a machine could be lost"
    assert left > 0
    told, expected = json.loads(out), json.loads(alone.output)
    assert told["skipped"] == expected["skipped"]
    assert [Path(path).name for path, _ in told["skipped"]] == ["Broken.wiki"]
    assert told | {"seconds": 0} == expected | {"seconds": 0}
    for what, least in (("occurrences", 200), ("concepts", 5)):
        rows = exported(there, what)
        assert rows == exported(here, what)
        assert len(rows) >= least


def test_a_machine_that_has_not_the_same_file_and_package_reads_nothing(
    articles: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = _absolute(list_sources([articles.name]).files[1])
    monkeypatch.chdir("/")  # a worker is in a folder of its own

    def read(digest: str) -> list[pa.RecordBatch]:
        row = {"folder": str(tmp_path), "file": msgspec.json.encode(file, enc_hook=to_json).decode(), "digest": digest}
        return list(_read_files(iter([pa.RecordBatch.from_pylist([row])])))

    digest = fingerprint(file)
    assert json.loads(read(digest)[0].to_pylist()[0]["mined"])["formulas"] > 0
    Path(file.path).write_text("another", encoding="utf-8")
    with pytest.raises(WorkspaceError, match="different on a machine of the cluster"):
        read(digest)
    Path(file.path).unlink()
    with pytest.raises(WorkspaceError, match="is missing"):
        read(digest)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "An error occurred while calling o58.collectToPython.\n: org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 0.0 "
            "failed 4 times, most recent failure: Lost task 3.3 in stage 0.0 (TID 12) (10.0.0.7 executor 1): Python worker exited unexpectedly (crashed).\n"
            "\tat org.apache.spark.SparkPlan.run(SparkPlan.scala:418)\nCaused by: java.io.EOFException\n\t... 21 more\n",
            "Lost task 3.3 in stage 0.0 (TID 12) (10.0.0.7 executor 1): Python worker exited unexpectedly (crashed).",
        ),
        (
            "\n  An exception was thrown from the Python worker. Please see the stack trace below.\nTraceback (most recent call last):\n"
            "  File \"bot/discover/spark.py\", line 18, in <module>\n    import msgspec\nModuleNotFoundError: No module named 'msgspec'\n",
            "ModuleNotFoundError: No module named 'msgspec'",
        ),
        (
            "An error occurred while calling None.SparkSession.\n: java.lang.IllegalStateException: Stopped.\n\tat a.b(C.scala:1)",
            "java.lang.IllegalStateException: Stopped.",
        ),
        ("\n[PARSE_SYNTAX_ERROR] Syntax error.\n\n== SQL ==\n", "[PARSE_SYNTAX_ERROR] Syntax error."),
        ("An error occurred while calling o58.stop.", "An error occurred while calling o58.stop."),
    ],
)
def test_an_error_of_spark_says_what_happened(text: str, line: str) -> None:
    assert _cause(text) == line


class NoJava:
    """Stands in for a Spark session whose Java process dies while it counts."""

    builder = sparkContext = property(lambda self: self)

    def config(self, *_: str) -> NoJava:
        return self

    appName = setLogLevel = config

    def getOrCreate(self) -> NoJava:
        signal.signal(signal.SIGINT, lambda *_: None)  # Spark has one of its own
        return self

    def sql(self, query: str, *_: object) -> None:
        try:
            if query == "interrupted":
                raise KeyboardInterrupt
        finally:
            raise EOFError

    def stop(self) -> None:
        raise ConnectionRefusedError(111, "Connection refused")


def test_a_dead_java_process_is_one_line_and_ctrl_c_stays_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    spark_sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed: pip install '.[spark]'")
    monkeypatch.setattr(spark_sql, "SparkSession", NoJava())
    before = signal.getsignal(signal.SIGINT)
    with spark_engine({}) as engine:
        assert signal.getsignal(signal.SIGINT) is before
        with pytest.raises(WorkspaceError, match=r"cannot be counted on the cluster \(EOFError\)"):
            list(_SparkRows(engine.session)("SELECT 1", {}))
        with pytest.raises(KeyboardInterrupt):
            list(_SparkRows(engine.session)("interrupted", {}))


def test_a_path_is_no_pattern_for_spark() -> None:
    assert _literal(Path("/a/w [2]/{x}*.parquet")) == r"file:///a/w \[2\]/\{x\}\*.parquet"


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (["--spark-conf", "spark.master=yarn"], "--spark-conf: is used with --engine spark only"),
        (["--engine", "spark", "--spark-conf", "master=yarn"], "--spark-conf master: is not a setting of Spark"),
        (["--engine", "spark", "--spark-conf", "spark.master"], "--spark-conf spark.master: is not a setting of Spark"),
    ],
)
def test_settings_of_spark_are_looked_at_first(corpus: Path, tmp_path: Path, options: list[str], line: str) -> None:
    found = CliRunner().invoke(cli, ["discover", str(corpus), "-w", str(tmp_path / "w"), *options])
    assert line in str(found.exception) + found.output
    assert found.exit_code != 0
