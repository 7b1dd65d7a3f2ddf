"""Would the tests notice? Lines of each room are changed one at a time, and the room's tests are run against the change.

A change is a plausible slip: a comparison turned, `and` for `or`, a condition negated, a number off by one, `+` for `-`,
a branch never taken, two arms swapped. The lines are drawn at random, no two in one function; a line that no test of the room runs is tried
against all of them. Works in a copy; the checkout is not touched.

    python benchmarks/mutation.py [--rooms match discover …] [--lines 20] [--seed 0] [--jobs 2] [--show] [--json]

Needs git and `coverage`. A change takes as long as the tests that run its line, and no more than it takes to be noticed.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
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
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if type(node.op) in TURNED and self._here(node):
            node.op = TURNED[type(node.op)]()
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return node.operand if isinstance(node.op, ast.Not) and self._here(node) else node

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


def covered(room: str, tree: Path) -> dict[str, dict[int, set[str]]]:
    """Return file -> line -> tests of the room that run it."""
    data = tree / f".coverage.{room}"
    (tree / ".coveragerc").write_text("[run]\ndynamic_context = test_function\n", encoding="utf-8")
    call = [sys.executable, "-m", "coverage", "run", f"--data-file={data}", f"--include=bot/{room}/*", "-m", "pytest"]
    subprocess.run([*call, "-n", "0", "-q", "-p", "no:cacheprovider", f"tests/{room}"], cwd=tree, capture_output=True, check=False)  # fmt: skip
    import coverage

    found = coverage.CoverageData(str(data))
    found.read()
    by_file: dict[str, dict[int, set[str]]] = {}
    for file in found.measured_files():
        lines: dict[int, set[str]] = defaultdict(set)
        for line, contexts in found.contexts_by_lineno(file).items():
            lines[line] |= {c for c in contexts if c}
        by_file[str(Path(file).relative_to(tree))] = lines
    return by_file


def noticed(change: Change, tests: Sequence[str], tree: Path) -> bool:
    """Say whether the tests fail on the change; the copy is as it was afterwards."""
    path = tree / change.path
    kept = path.read_text(encoding="utf-8")
    path.write_text(change.source, encoding="utf-8")
    try:
        call = [sys.executable, "-m", "pytest", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", *tests]
        env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(call, cwd=tree, capture_output=True, check=False, timeout=TIMEOUT, env=env)
        return done.returncode != 0
    except subprocess.TimeoutExpired:
        return True
    finally:
        path.write_text(kept, encoding="utf-8")


def node_ids(by_line: Mapping[int, set[str]], line: int, tree: Path) -> list[str]:
    """Return pytest ids of the tests that run a line (coverage calls them `tests.match.test_x.test_y`), those that run least first."""
    runs = Counter(context for contexts in by_line.values() for context in contexts)
    found: dict[str, int] = {}
    for context in by_line.get(line, ()):
        parts = context.split(".")
        for n in range(len(parts) - 1, 0, -1):
            file = Path("tests", *[p for p in parts[:n] if p != "tests"]).with_suffix(".py")
            if (tree / file).is_file():
                found["::".join([str(file), *parts[n:]])] = runs[context]
                break
    return sorted(found, key=lambda test: (found[test], test))


def copy_tree(into: Path) -> Path:
    """Copy what git tracks; the development data is linked beside it where it is there."""
    tree = into / "tree"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode()
    for name in filter(None, tracked.split("\0")):
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tree / name)
    data = ROOT.parent / "shared"
    if data.is_dir():
        (into / "shared").symlink_to(data.resolve())
    return tree


def sample(room: str, lines: int, seed: random.Random) -> list[Change]:
    """Return changes of a room drawn at random, each in a function of its own."""
    modules = sorted((ROOT / "bot" / room).rglob("*.py"))
    every = [place for path in modules for place in places(path, seed)]
    return [changed(*place) for place in seed.sample(every, min(lines, len(every)))]


def one_room(room: str, lines: int, seed: int, folder: Path) -> list[tuple[Change, bool]]:
    """Return the changes of a room with whether they were noticed: by the tests that run the line, else by any of the room."""
    tree = copy_tree(folder / room)
    by_file = covered(room, tree)
    found = []
    for change in sample(room, lines, random.Random(f"{seed} {room}")):
        tests = node_ids(by_file.get(change.path, {}), change.line, tree)
        rounds = [tests[:FEW], tests[FEW:]] if tests else [[f"tests/{room}"]]
        found.append((change, any(noticed(change, each, tree) for each in rounds if each)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ROOMS)
    parser.add_argument("--lines", type=int, default=20, help="changed lines in each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", action="store_true", help="name what was not noticed")
    parser.add_argument("--json", action="store_true", help="print one JSON object only")
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory() as folder,
        progress("changing lines", len(given.rooms)) as advance,
        ThreadPoolExecutor(given.jobs) as pool,
    ):
        work = [pool.submit(one_room, room, given.lines, given.seed, Path(folder)) for room in given.rooms]
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
