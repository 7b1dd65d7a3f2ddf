"""The code that decides what mining stores: found by following imports, digested without comments and docstrings.

`python tests/discover/reader_closure.py` writes the digests anew, once READER in bot/discover/mine.py has been raised.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
STORED = Path(__file__).parent / "data" / "reader.json"
START = "bot.discover.mine"
# The database, the terminal and the processes: what mining calls, but nothing that a shard holds.
OUTSIDE = {"bot.store", "bot.console", "bot.errors", "bot.processes"}
RECORDS = "bot.records"  # of all records only those that mining makes; named "bot.records:Document"
_DATA = re.compile(r"\w+\.(?:toml|json|csv)")
_MODULE = re.compile(r"bot(\.[a-z_0-9]+)+")


def path_of(module: str) -> Path | None:
    """Return the file of a module or package of ours."""
    base = ROOT.joinpath(*module.split("."))
    return next((p for p in (base.with_suffix(".py"), base / "__init__.py") if p.is_file()), None)


def closure(start: str = START) -> set[str]:
    """Return all modules that `start` gets something from; a package counts only where the name is defined in it."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        module = waiting.pop()
        if module in found or module in OUTSIDE:
            continue
        found.add(module)
        tree = code(module)
        found.update(_data(module, tree))
        waiting += _used(tree)
        if module.startswith(f"{RECORDS}:"):
            waiting += (f"{RECORDS}:{name}" for name in _names(tree) if code(f"{RECORDS}:{name}").body)
    return found


def code(name: str) -> ast.Module:
    """Return a module of ours, or what defines one name of it."""
    module, _, symbol = name.partition(":")
    path = path_of(module)
    assert path is not None, name
    tree = _tree(path)
    return ast.Module([n for n in tree.body if symbol in _defined(n)], []) if symbol else tree


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _defined(node: ast.stmt) -> set[str]:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return {node.name}
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _names(tree: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}


def _used(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (a.name for a in node.names if path_of(a.name) and a.name.startswith("bot"))
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "bot":
            yield from (_home(node.module, a.name) for a in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and (text := _MODULE.match(node.value)):
            yield from (text[0] for _ in (0,) if path_of(text[0]))  # modules that are loaded by name


def _data(module: str, tree: ast.AST) -> Iterator[str]:
    """Yield the data files beside a module that it names; written "bot/discover/cues/languages/en.toml"."""
    path = path_of(module.partition(":")[0])
    texts = (n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str))
    for beside in (path.with_name(text) for text in texts if path and (_DATA.fullmatch(text) or text == "languages")):
        found = sorted(beside.glob("*.toml")) if beside.is_dir() else [beside] if beside.is_file() else []
        yield from (file.relative_to(ROOT).as_posix() for file in found)


def _home(module: str, name: str) -> str:
    """Return the module that defines a name: itself a module, or what a package hands on."""
    if module == RECORDS:
        return f"{RECORDS}:{name}"
    path = path_of(module)
    if path is not None and path.name == "__init__.py":
        for node in _tree(path).body:
            if isinstance(node, ast.ImportFrom) and node.module and node.module != module:
                for alias in node.names:
                    if (alias.asname or alias.name) == name:
                        return _home(node.module, alias.name)
    return f"{module}.{name}" if path_of(f"{module}.{name}") else module


def digest(tree: ast.Module) -> str:
    """Return a digest of what code does: comments, docstrings, places and the version of Python leave it alone."""
    return hashlib.sha256(repr(_plain(tree)).encode()).hexdigest()[:16]


def _plain(node: Any) -> Any:
    if isinstance(node, list):
        return [_plain(n) for n in node]
    if not isinstance(node, ast.AST):
        return node
    fields = dict(ast.iter_fields(node))
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and ast.get_docstring(node):
        fields["body"] = node.body[1:]
    return (type(node).__name__, [(k, _plain(v)) for k, v in sorted(fields.items()) if v not in (None, [])])


def digests() -> dict[str, str]:
    """Return the digest of every module of the closure, and of what the data files of the modules hold."""
    return {name: _of_file(name) if "/" in name else digest(code(name)) for name in sorted(closure())}


def _of_file(name: str) -> str:
    data = (ROOT / name).read_text(encoding="utf-8")
    held = repr(tomllib.loads(data)) if name.endswith(".toml") else data
    return hashlib.sha256(held.encode()).hexdigest()[:16]


def stored() -> dict[str, Any]:
    """Return what was kept when the version was raised last: `reader` and `modules`."""
    kept: dict[str, Any] = json.loads(STORED.read_text(encoding="utf-8"))
    return kept


def save(reader: int) -> None:
    """Keep today's digests. Raises SystemExit where the code has changed and the version has not been raised."""
    before = stored() if STORED.exists() else {"reader": 0, "modules": {}}
    now = digests()
    if now != before["modules"] and reader <= before["reader"]:
        raise SystemExit(f"raise READER in bot/discover/mine.py above {before['reader']} first")
    STORED.parent.mkdir(exist_ok=True)
    STORED.write_text(json.dumps({"reader": reader, "modules": now}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    from bot.discover.mine import READER

    save(READER)
