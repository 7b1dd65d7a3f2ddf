"""Would the tests notice? Lines of each room are changed one at a time, and the room's tests are run against the change.

A change is a plausible slip: a comparison turned, `and` for `or`, a condition negated or left out, a filter left out, a number off
by one, `+` for `-`, `min` for `max`, a branch never taken, two arms swapped, a step left out. The lines are drawn at random, no two in one function; constants of
a module count as functions. A change is tried against the tests that run its function, or against any of the room where none does.
Works in a copy, without the development data, as not everybody has that; the checkout is not touched.

    python benchmarks/mutation.py [--rooms match discover …] [--lines 20] [--seed 0] [--jobs 2] [--coverage DIR] [--show] [--json]

Needs git and `coverage`. With --coverage a folder keeps which test runs which function, and what was tried: a run that was cut short goes on.
"""

from __future__ import annotations

import argparse
import ast
import functools
import hashlib
import importlib
import importlib.util
import inspect
import json
import logging
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import coverage
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bot.console import progress, table, write_json

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("formula", "discover", "match", "propose", "review", "write")
FILES = "bot"  # the files directly in bot/, with the tests directly in tests/
MORE_ROOMS = ("corpus", "lookup", "audit", "operate", "sandbox", FILES)  # changed only where they are named
TESTED_IN = {"lookup": ("lookup", "queries")}  # folders of tests, where they are more than the room's own
TURNED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}
LIBRARIES = ("numpy", "scipy.sparse", "sqlalchemy", "flask", "lxml.etree", "duckdb", "pyarrow.parquet", "hypothesis", "sympy", "schemathesis")  # fmt: skip
DIGESTS = "tests/discover/test_reader_version.py::test_the_version_is_raised_when_what_mining_stores_may_have_changed"
PYTEST = (
    "-q",
    "-n",
    "0",
    "-p",
    "no:cacheprovider",
    "--continue-on-collection-errors",
    "--deselect",
    DIGESTS,
)  # that test fails on any change
SERVERS = re.compile(
    'chromium|params=.*"mariadb"'
)  # files whose tests start a browser or a database server are left out
FAILED = (
    1,
    2,
    4,
)  # pytest's exit codes where tests failed or could not be read (4: named ones); any other is not a verdict
SECONDS = 30  # of tests that are tried on one change
MEASURING = 3600  # seconds for the tests of a room, under coverage
TIMEOUT = 300  # seconds for one change; a change that hangs is noticed


@dataclass(frozen=True)
class Change:
    """One changed line: the module's new source, and what it says."""

    path: str  # below the root
    line: int
    before: str
    after: str
    source: str


class _Mutator(ast.NodeTransformer):
    """Change the n-th place of a tree that can be changed; `sites` lists the lines of all."""

    def __init__(self, at: int = -1) -> None:
        self.at, self.sites, self.inside = at, list[tuple[int, str]](), list[str]()

    def _here(self, node: ast.AST) -> bool:
        self.sites.append((node.lineno, ".".join(self.inside)))  # type: ignore[attr-defined]
        return len(self.sites) - 1 == self.at

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.inside.append(node.name)
        node.body = [self.visit(each) for each in node.body if not _docstring(each)] or [ast.Pass()]
        self.inside.pop()
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        self.inside.append(node.name)
        node.body = [self.visit(each) if isinstance(each, ast.FunctionDef) else each for each in node.body]
        self.inside.pop()
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if type(node.ops[0]) in TURNED and self._here(node):
            node.ops[0] = TURNED[type(node.ops[0])]()
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if self._here(node):
            node.op = TURNED[type(node.op)]()
        if self._here(node.values[-1]):
            node.values.pop()
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if type(node.op) in TURNED and self._here(node):
            node.op = TURNED[type(node.op)]()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, ast.Not | ast.USub) and self._here(node) else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in SWAPPED and self._here(node):
            node.func.id = SWAPPED[node.func.id]
            if node.func.id == "list":
                node.keywords = []
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.AST:
        self.generic_visit(node)
        if node.ifs and self._here(node.ifs[0]):
            node.ifs = node.ifs[1:]
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        self.generic_visit(node)
        done = isinstance(node.value, ast.Call) and self._here(node)
        return ast.copy_location(ast.Pass(), node) if done else node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        self.generic_visit(node)
        return ast.copy_location(ast.Pass(), node) if self._here(node) else node

    def visit_If(self, node: ast.If) -> ast.AST:
        self.generic_visit(node)
        if self._here(node):
            node.test = ast.Constant(False)
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if self._here(node):
            node.body, node.orelse = node.orelse, node.body
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if isinstance(node.value, bool) or not isinstance(node.value, int | float) or not self._here(node):
            return node
        return ast.copy_location(ast.Constant(node.value + 1), node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        return node  # sentences are held by tests of their own

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        if self.inside:
            self.generic_visit(node)
        elif isinstance(node.targets[0], ast.Name) and isinstance(node.value, ast.Constant):
            self.inside.append(node.targets[0].id)
            node.value = self.visit(node.value)
            self.inside.pop()
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node


def _docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def places(path: Path, seed: random.Random) -> Iterator[tuple[Path, int]]:
    """Yield one place for each function of a module that can be changed, drawn at random: (module, number of the place)."""
    survey = _Mutator()
    survey.visit(ast.parse(path.read_text(encoding="utf-8")))
    of_function: dict[str, list[int]] = defaultdict(list)
    for n, (_, function) in enumerate(survey.sites):
        of_function[function].append(n)
    yield from ((path, seed.choice(of_function[f])) for f in sorted(of_function) if f)


def changed(path: Path, place: int, tree: Path) -> Change:
    """Return the change at a place of a module of the copy."""
    text, mutator = path.read_text(encoding="utf-8"), _Mutator(place)
    source = ast.unparse(ast.fix_missing_locations(mutator.visit(ast.parse(text))))
    plain = ast.unparse(_without_docstrings(ast.parse(text)))
    differs = ((a, b) for a, b in zip(plain.splitlines(), source.splitlines(), strict=False) if a != b)
    before, after = next(differs, ("", ""))
    line = mutator.sites[place][0]
    return Change(str(path.relative_to(tree)), line, before.strip(), after.strip(), source)


def _without_docstrings(tree: ast.AST) -> ast.AST:
    return ast.fix_missing_locations(_Mutator().visit(tree))


class _Measure:
    """A pytest plugin: processor seconds of each test, whether it passed, and which lines it runs."""

    def __init__(self, tracer: coverage.Coverage, room: str) -> None:
        self.tracer, self.room, self.seconds, self.failed, self.skipped = (
            tracer,
            room,
            Counter[str](),
            set[str](),
            set[str](),
        )

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failed.add(report.nodeid)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed.add(_plain_id(report.nodeid))
        elif report.skipped:
            self.skipped.add(_plain_id(report.nodeid))

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        name, began = _plain_id(item.nodeid), sum(os.times()[:4])
        forget(self.room)
        self.tracer.switch_context(name)
        yield
        self.tracer.switch_context("")
        self.seconds[name] += sum(os.times()[:4]) - began


def forget(room: str) -> None:
    """Empty the caches of a room's functions, but for those without arguments: else only the first test of each value runs what makes it."""
    for name, module in list(sys.modules.items()):
        if name.startswith(f"bot.{room}.") or (room == FILES and _directly_in_bot(name)):
            for each in vars(module).values():
                if isinstance(each, functools._lru_cache_wrapper) and inspect.signature(each).parameters:
                    each.cache_clear()


def _directly_in_bot(module: str) -> bool:
    return module.startswith("bot.") and module.count(".") == 1


def modules_of(room: str, tree: Path) -> list[Path]:
    """Return the modules of a room of the copy."""
    return sorted((tree / "bot").glob("*.py") if room == FILES else (tree / "bot" / room).rglob("*.py"))


def test_files_of(room: str, tree: Path) -> list[Path]:
    """Return the files of a room's tests, but those that start a server."""
    if room == FILES:
        found = list((tree / "tests").glob("test_*.py"))
    else:
        found = [p for each in TESTED_IN.get(room, (room,)) for p in (tree / "tests" / each).rglob("test_*.py")]
    return [path for path in sorted(found) if not SERVERS.search(path.read_text("utf-8"))]


def _plain_id(nodeid: str) -> str:
    """Return a test's id without its parameters."""
    return nodeid.partition("[")[0]


@dataclass(frozen=True)
class Ran:
    """A test that passed unchanged: how long it took, and the functions it runs ("bot/match/stage.py:Class.method")."""

    test: str
    seconds: float
    functions: frozenset[str]


def start(tree: Path, room: str, kept: Path) -> None:
    """Make this process one that runs the copy: libraries, and what does not use the room, are loaded once for all its children."""
    os.chdir(tree)
    os.environ["PYTHONPATH"], sys.dont_write_bytecode = str(tree), False
    cache = kept / "cache" / room  # what is kept of formulas between runs is this copy's own
    cache.mkdir(parents=True, exist_ok=True)
    os.environ["XDG_CACHE_HOME"] = str(cache)
    here = {ROOT, ROOT / "benchmarks"}
    sys.path[:] = [str(tree), *(each for each in sys.path if Path(each or ".").resolve() not in here)]
    for name in [n for n in sys.modules if n == "bot" or n.startswith("bot.")]:
        del sys.modules[name]
    for name in (*LIBRARIES, *apart_from(tree, room)):
        importlib.import_module(name)


def apart_from(tree: Path, room: str) -> list[str]:
    """Return the modules that import nothing of a room, those aside that read the account of a wiki."""
    uses: dict[str, set[str]] = {}
    for path in (tree / "bot").rglob("*.py"):
        name = ".".join(path.relative_to(tree).with_suffix("").parts).removesuffix(".__init__")
        uses[name] = {name.rpartition(".")[0]}
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                uses[name] |= {
                    node.module,
                    node.module.rpartition(".")[0],
                    *(f"{node.module}.{n.name}" for n in node.names),
                }
            elif isinstance(node, ast.Import):
                uses[name] |= {each.name for each in node.names}
    left = {f"bot.{room}", "bot.write", "bot.sandbox", "bot.__main__"}
    left |= {name for name in uses if room == FILES and _directly_in_bot(name)}
    while more := {name for name, used in uses.items() if name not in left and used & left}:
        left |= more
    return sorted(uses.keys() - left)


def in_child(work: Callable[[], int], seconds: float) -> int | None:
    """Return what a function returns in a child process, None where it takes longer; nothing it starts is left."""
    child = os.fork()
    if not child:
        code = 3
        try:
            os.setsid()
            silent = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(silent, stream)
            code = work()
        finally:
            os._exit(code)
    end, status = time.monotonic() + seconds, None
    while status is None and time.monotonic() < end:
        done, raw = os.waitpid(child, os.WNOHANG)
        status = os.waitstatus_to_exitcode(raw) if done else None
        time.sleep(0.02)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    if status is None:
        os.waitpid(child, 0)
    return status


def measured(room: str, tree: Path, kept: Path) -> list[Ran]:
    """Return the room's tests, which must pass unchanged: the ones that do not are named, and nothing is tried.

    Tests that fail under coverage alone, as they measure time, are left out. Test files measured before are not run again, as
    functions change their place and keep their name.
    """
    store = kept / f"{room}.json"
    known = json.loads(store.read_text(encoding="utf-8")) if store.exists() else {}
    files = test_files_of(room, tree)
    in_child(read_list, MEASURING)
    now = {str(path.relative_to(tree)): _digest([path, Path(__file__)]) for path in files}
    if stale := [file for file, digest in now.items() if known.get(file, {}).get("digest") != digest]:
        out = kept / f"{room}.new"
        out.unlink(missing_ok=True)
        if in_child(lambda: _measure(room, stale, tree, out), MEASURING) != 0:
            raise SystemExit(f"could not be measured: {', '.join(stale)}")
        found, failed = json.loads(out.read_text("utf-8"))
        if failed and in_child(lambda: pytest.main([*PYTEST, *failed]), MEASURING) != 0:
            raise SystemExit(f"these tests of {room} fail unchanged: {', '.join(failed)}")
        for file in stale:
            known[file] = {
                "digest": now[file],
                "tests": [row for row in found if row[0].partition("::")[0] == file and row[0] not in failed],
            }
        store.write_text(json.dumps(known), encoding="utf-8")
    return [Ran(t, s, frozenset(functions)) for file in now for t, s, functions in known[file]["tests"]]


def read_list() -> int:
    """Have the readings of the built-in formula list kept, so that no test is charged for making them."""
    importlib.import_module("bot.match.retrieval.known_concepts").builtin_concepts()
    return 0


def _measure(room: str, files: Sequence[str], tree: Path, out: Path) -> int:
    tracer = coverage.Coverage(data_file=None, include=[str(path) for path in modules_of(room, tree)])
    plugin = _Measure(tracer, room)
    tracer.start()
    pytest.main([*PYTEST, *files], plugins=[plugin])
    tracer.stop()
    found = tracer.get_data()
    functions: dict[str, set[str]] = defaultdict(set)
    for source in (each for each in found.measured_files() if each.endswith(".py")):  # templates are measured too
        path = Path(source)
        at_line = lines_of_functions(ast.parse(path.read_text(encoding="utf-8")))
        for line, contexts in found.contexts_by_lineno(source).items():
            for test in filter(None, contexts if line in at_line else ()):
                functions[test].add(f"{path.relative_to(tree)}:{at_line[line]}")
    rows = [(t, round(s, 3), sorted(functions[t])) for t, s in plugin.seconds.items() if t not in plugin.skipped]
    out.write_text(json.dumps((rows, sorted(plugin.failed))), encoding="utf-8")
    return 0


def lines_of_functions(tree: ast.AST) -> dict[int, str]:
    """Return line -> the qualified name of the outermost function whose body it is in."""
    found: dict[int, str] = {}

    def walk(node: ast.AST, inside: str) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ClassDef):
                walk(child, f"{inside}{child.name}.")
            elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                found.update(dict.fromkeys(range(child.body[0].lineno, child.end_lineno + 1), inside + child.name))  # type: ignore[operator]
            else:
                walk(child, inside)

    walk(tree, "")
    return found


def tests_of(change: Change, ran: Sequence[Ran], tree: Path) -> list[str]:
    """Return the tests that run a change's function, or a function that names its constant, else any: the most special first, for SECONDS in all."""
    found = lines_of_functions(ast.parse((tree / change.path).read_text(encoding="utf-8")))
    wanted = {f"{change.path}:{found[change.line]}"} if change.line in found else _users(change, tree)
    there = [each for each in ran if each.functions & wanted] or list(ran)
    left, chosen = SECONDS, []
    for each in sorted(there, key=lambda r: (len(r.functions) * (1 + r.seconds), r.test)):
        left -= each.seconds
        if left > 0 or not chosen:
            chosen.append(each.test)
    return chosen


def _users(change: Change, tree: Path) -> set[str]:
    """Return the functions of the room that name the constant that was changed, or one of its module that is made of it."""
    name = re.match(r"(\w+)(: [^=]+)? =", change.before)
    if not name:
        return set()
    module, names, users = change.path.removesuffix(".py").replace("/", "."), {name[1]}, set()
    constants = [
        (target.id, {each.id for each in ast.walk(node) if isinstance(each, ast.Name)})
        for node in ast.parse((tree / change.path).read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    while more := {target for target, used in constants if used & names} - names:
        names |= more
    parts = Path(change.path).parts
    for path in modules_of(parts[1] if len(parts) > 2 else FILES, tree):
        text = path.read_text(encoding="utf-8")
        parsed = ast.parse(text)
        imports = (n for n in ast.walk(parsed) if isinstance(n, ast.ImportFrom) and n.module == module)
        known = names if path == tree / change.path else names & {each.name for n in imports for each in n.names}
        wanted, functions = re.compile(rf"\b(?:{'|'.join(sorted(known))})\b"), lines_of_functions(parsed)
        here = [n for n, line in enumerate(text.splitlines(), 1) if known and wanted.search(line) and n in functions]
        users |= {f"{path.relative_to(tree)}:{functions[n]}" for n in here}
    return users


def noticed(change: Change, tests: Sequence[str], tree: Path) -> bool:
    """Say whether the tests fail on the change, or hang; the copy is as it was afterwards."""
    path = tree / change.path
    kept, compiled = path.read_text(encoding="utf-8"), Path(importlib.util.cache_from_source(str(path)))
    path.write_text(change.source, encoding="utf-8")
    cache = Path(os.environ["XDG_CACHE_HOME"])
    with tempfile.TemporaryDirectory(dir=cache.parent) as folder:

        def work() -> int:
            os.environ["XDG_CACHE_HOME"] = folder  # a change in how formulas are read replaces what is kept of them
            return pytest.main([*PYTEST, "-x", *tests])

        try:
            shutil.copytree(cache, folder, copy_function=os.link, dirs_exist_ok=True)
            compiled.unlink(missing_ok=True)  # its time is exact to a second only
            code = in_child(work, TIMEOUT)
            return code is None or code in FAILED
        finally:
            path.write_text(kept, encoding="utf-8")
            compiled.unlink(missing_ok=True)


def _digest(paths: Sequence[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def copy_tree(into: Path) -> Path:
    """Copy what git tracks."""
    tree = into / "tree"
    tracked = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, tracked.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tree / name)
    return tree


def sample(room: str, lines: int, seed: random.Random, tree: Path) -> list[Change]:
    """Return changes of a room of the copy drawn at random, each in a function of its own."""
    every = [place for path in modules_of(room, tree) for place in places(path, seed)]
    return [changed(*place, tree) for place in seed.sample(every, min(lines, len(every)))]


def one_room(room: str, lines: int, seed: int, folder: Path, kept: Path) -> list[tuple[Change, bool]]:
    """Return the changes of a room with whether they were noticed; what was tried on these sources and tests before is not tried again."""
    tree = copy_tree(folder / room)
    sources = _digest([*sorted((tree / "bot").rglob("*.py")), *sorted((tree / "tests").rglob("*.py"))])
    start(tree, room, kept)
    ran = measured(room, tree, kept)
    if not ran:
        raise SystemExit(f"no test of {room} passes unchanged")
    log = kept / f"{room}.tried"
    tried = dict(line.split() for line in log.read_text("utf-8").splitlines()) if log.exists() else {}
    found = []
    for change in sample(room, lines, random.Random(f"{seed} {room}"), tree):
        began, tests = time.monotonic(), tests_of(change, ran, tree)
        key = hashlib.sha256(f"{sources} {change.path} {change.source} {tests}".encode()).hexdigest()
        if key not in tried:
            tried[key] = "noticed" if noticed(change, tests, tree) else "MISSED"
            with log.open("a", encoding="utf-8") as file:
                file.write(f"{key} {tried[key]}\n")
        found.append((change, tried[key] == "noticed"))
        took = time.monotonic() - began
        logging.info(
            "%-7s %3ds %3d tests  %s:%d  %s", tried[key], took, len(tests), change.path, change.line, change.after
        )
    return found


def _logging(show: bool) -> None:
    logging.basicConfig(level=logging.INFO if show else logging.WARNING, format="%(message)s")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=(*ROOMS, *MORE_ROOMS))
    parser.add_argument("--lines", type=int, default=20, help="changed lines in each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--coverage", type=Path, help="folder that keeps which test runs what, and what was tried")
    parser.add_argument("--show", action="store_true", help="name what was not noticed")
    parser.add_argument("--json", action="store_true", help="print one JSON object only")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        progress("changing lines", len(given.rooms)) as advance,
        ProcessPoolExecutor(given.jobs, get_context("spawn"), _logging, (given.show,), max_tasks_per_child=1) as pool,
    ):
        kept = (given.coverage or Path(folder)).resolve()
        kept.mkdir(parents=True, exist_ok=True)
        work = [pool.submit(one_room, room, given.lines, given.seed, Path(folder), kept) for room in given.rooms]
        results = {}
        for room, each in zip(given.rooms, work, strict=True):
            results[room] = each.result()
            advance(1, room)
    if given.show or not given.json:
        missed = [(c.path, c.line, c.before, c.after) for found in results.values() for c, seen in found if not seen]
        if missed:
            table("not noticed", ("file", "line", "before", "after"), missed)
    counts = {room: (sum(seen for _, seen in found), len(found)) for room, found in results.items()}
    shares = {room: round(seen / max(1, tried), 3) for room, (seen, tried) in counts.items()}
    if given.json:
        write_json({"lines": sum(map(len, results.values())), **shares})
    else:
        table("noticed", ("room", "noticed", "tried", "share"), [(r, *counts[r], s) for r, s in shares.items()])


if __name__ == "__main__":
    main()
