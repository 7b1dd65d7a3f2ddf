"""Would the tests notice? Lines of each room are changed one at a time, and the room's tests are run against the change.

A change is a plausible slip: a comparison turned, `and` for `or`, a condition negated or left out, a filter left out, a number off
by one, `+` for `-`, `min` for `max`, a branch never taken, two arms swapped, a step left out. The lines are drawn at random, no two in one function; constants of
a module count as functions. A change is tried against the tests that run its line, or against the whole room where none does. Works in a copy, without
the development data, as not everybody has that; the checkout is not touched.

    python benchmarks/mutation.py [--rooms match discover …] [--lines 20] [--seed 0] [--jobs 2] [--coverage DIR] [--show] [--json]

Needs git and `coverage`. With --coverage, which test runs which line is kept in a folder: a second call measures the changed test files only.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import json
import logging
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bot.console import progress, table, write_json

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("formula", "discover", "match", "propose", "review", "write")
TURNED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip
SWAPPED = {"min": "max", "max": "min", "any": "all", "all": "any", "sorted": "list"}
PLUGIN = """
import coverage
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    coverage.Coverage.current().switch_context(item.nodeid)
    yield
    coverage.Coverage.current().switch_context("")
"""
FAILED = (1, 2)  # pytest's exit codes where tests failed or could not be read; any other is no verdict
FEW = 12  # tests that are tried before the others that run the line
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


def changed(path: Path, place: int) -> Change:
    """Return the change at a place of a module."""
    text, mutator = path.read_text(encoding="utf-8"), _Mutator(place)
    source = ast.unparse(ast.fix_missing_locations(mutator.visit(ast.parse(text))))
    plain = ast.unparse(_without_docstrings(ast.parse(text)))
    differs = ((a, b) for a, b in zip(plain.splitlines(), source.splitlines(), strict=False) if a != b)
    before, after = next(differs, ("", ""))
    line = mutator.sites[place][0]
    return Change(str(path.relative_to(ROOT)), line, before.strip(), after.strip(), source)


def _without_docstrings(tree: ast.AST) -> ast.AST:
    return ast.fix_missing_locations(_Mutator().visit(tree))


def covered(room: str, tree: Path, kept: Path) -> dict[str, dict[int, set[str]]]:
    """Return file -> line -> ids of the room's tests that run it; test files measured before, with the same modules, are not run again."""
    data, digests = kept / f"{room}.coverage", kept / f"{room}.json"
    before = json.loads(digests.read_text(encoding="utf-8")) if digests.exists() else {}
    now = {str(path.relative_to(tree)): _digest([path]) for path in sorted((tree / "tests" / room).rglob("test_*.py"))}
    now[room] = _digest(sorted((tree / "bot" / room).rglob("*.py")))
    if before.get(room) != now[room]:
        before = {}
        data.unlink(missing_ok=True)
    stale = [name for name in now if name != room and before.get(name) != now[name]]
    if stale:
        (tree / "contexts.py").write_text(PLUGIN, encoding="utf-8")
        call = [sys.executable, "-m", "coverage", "run", "--append", f"--data-file={data}", f"--include=bot/{room}/*"]
        call += ["-m", "pytest", "-n", "0", "-q", "-p", "no:cacheprovider", "-p", "contexts", *stale]
        subprocess.run(call, cwd=tree, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": str(tree)})
        digests.write_text(json.dumps(now), encoding="utf-8")
    import coverage

    found = coverage.CoverageData(str(data))
    found.read()
    by_file: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file in found.measured_files():  # of several copies, where some tests were measured before
        for line, contexts in found.contexts_by_lineno(file).items():
            by_file[file[file.rindex(f"bot/{room}/") :]][line] |= {c for c in contexts if "::" in c}
    return by_file


def _digest(paths: Sequence[Path]) -> str:
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()


def noticed(change: Change, tests: Sequence[str], tree: Path) -> bool:
    """Say whether the tests fail on the change; the copy is as it was afterwards."""
    path = tree / change.path
    kept = path.read_text(encoding="utf-8")
    path.write_text(change.source, encoding="utf-8")
    try:
        call = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(call, cwd=tree, capture_output=True, check=False, timeout=TIMEOUT, env=env)
        return done.returncode in FAILED
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(kept, encoding="utf-8")


def tests_of(by_line: Mapping[int, set[str]], change: Change, tree: Path) -> list[str]:
    """Return ids of the tests that run a change's line, or use its constant; those that run least of the module come first."""
    lines = [change.line]
    if constant := re.match(r"([A-Z_]+) =", change.before):
        text = (tree / change.path).read_text(encoding="utf-8").splitlines()
        lines = [n for n, line in enumerate(text, 1) if re.search(rf"\b{constant[1]}\b", line)]
    runs = Counter(test for tests in by_line.values() for test in tests)
    names = {name.partition("[")[0] for line in lines for name in by_line.get(line, ())}
    there = {name for name in names if f"def {name.rpartition('::')[2]}(" in _text(tree / name.partition("::")[0])}
    cost = Counter[str]()
    for test, n in runs.items():
        cost[test.partition("[")[0]] += n
    return sorted(there, key=lambda name: (cost[name], name))


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


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
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    return tree


def sample(room: str, lines: int, seed: random.Random) -> list[Change]:
    """Return changes of a room drawn at random, each in a function of its own."""
    modules = sorted((ROOT / "bot" / room).rglob("*.py"))
    every = [place for path in modules for place in places(path, seed)]
    return [changed(*place) for place in seed.sample(every, min(lines, len(every)))]


def one_room(room: str, lines: int, seed: int, folder: Path, kept: Path) -> list[tuple[Change, bool]]:
    """Return the changes of a room with whether they were noticed: by the tests that run the line, else by any of the room."""
    tree = copy_tree(folder / room)
    by_file = covered(room, tree, kept)
    found = []
    for change in sample(room, lines, random.Random(f"{seed} {room}")):
        tests = tests_of(by_file.get(change.path, {}), change, tree)
        rounds = (tests[:FEW], tests[FEW:]) if tests else ([f"tests/{room}"],)
        found.append((change, any(noticed(change, each, tree) for each in rounds if each)))
        logging.info("%s %s:%d  %s", "noticed" if found[-1][1] else "MISSED ", change.path, change.line, change.after)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS)
    parser.add_argument("--lines", type=int, default=20, help="changed lines in each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--coverage", type=Path, help="folder that keeps which test runs which line")
    parser.add_argument("--show", action="store_true", help="name what was not noticed")
    parser.add_argument("--json", action="store_true", help="print one JSON object only")
    given = parser.parse_args()
    logging.basicConfig(level=logging.INFO if given.show else logging.WARNING, format="%(message)s")
    with (
        tempfile.TemporaryDirectory() as folder,
        progress("changing lines", len(given.rooms)) as advance,
        ThreadPoolExecutor(given.jobs) as pool,
    ):
        kept = given.coverage or Path(folder)
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
    shares = {room: round(sum(seen for _, seen in found) / max(1, len(found)), 3) for room, found in results.items()}
    if given.json:
        write_json({"lines": sum(map(len, results.values())), **shares})
    else:
        table("noticed", ("room", "share"), list(shares.items()))


if __name__ == "__main__":
    main()
