"""The import rule: a stage knows the shared files, formula/, lookup/ and the stages before it, and nothing else."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

BOT = Path(__file__).resolve().parents[1] / "bot"
STAGES = ("corpus", "discover", "match", "propose", "review", "write", "audit")
SHARED = {
    "records",
    "store",
    "settings",
    "errors",
    "claim_outcomes",
    "console",
    "migrations",
    "hashchain",
    "database_errors",
    "file_permissions",
    "freed_memory",
    "messages",
    "wikibase",
    "items_file",
    "result_cache",
    "pickled_values",
    "processes",
    "sequences",
    "stage_state",
    "__init__",
}
# Who puts the stages together: they see everything and nobody imports them.
TOP = {
    "cli",
    "cli_common",
    "cli_crawl",
    "cli_formulas",
    "cli_operate",
    "cli_review",
    "cli_train",
    "demo",
    "export",
    "library",
    "operate",
    "__main__",
}
LIBRARIES = {
    "authlib": {"review"},
    "babel": {"messages"},
    "pywikibot": {"write"},
    "SPARQLWrapper": {"lookup"},
    "lxml": {"corpus"},
    "sklearn": {"discover", "match"},
    "gensim": {"discover", "match"},
    "flask": {"review", "sandbox"},
    "waitress": {"review", "sandbox"},
}


def _room(path: Path) -> str:
    relative = path.relative_to(BOT)
    return relative.parts[0] if len(relative.parts) > 1 else relative.stem


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _imports(path: Path) -> frozenset[str]:
    return frozenset(_imported_names(path))


def _imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            if node.module == "bot":
                yield from (f"bot.{alias.name}" for alias in node.names if alias.name.islower())


def _allowed(room: str) -> set[str]:
    if room in TOP:
        return SHARED | TOP | set(STAGES) | {"formula", "lookup", "sandbox"}
    if room == "formula":
        return {"formula", "errors", "messages", "wikibase"}
    if room in SHARED:
        return SHARED
    if room == "lookup":
        return SHARED | {"lookup", "formula"}
    if room == "sandbox":
        return SHARED | {"sandbox", "formula"}
    return SHARED | {"formula", "lookup"} | set(STAGES[: STAGES.index(room) + 1])


FILES = sorted(BOT.rglob("*.py"))


def test_each_file_imports_only_what_its_room_may_know() -> None:
    for path in FILES:
        known = {name.split(".")[1] for name in _imports(path) if name.startswith("bot.")}
        assert known - {"__version__"} <= _allowed(_room(path)), path


def test_each_library_stays_in_its_room() -> None:
    for path in FILES:
        for library in LIBRARIES.keys() & {name.split(".")[0] for name in _imports(path)}:
            assert _room(path) in LIBRARIES[library], f"{library} is imported in {path}"


def test_pickles_are_read_as_data_or_made_by_this_run() -> None:
    reading = {path.relative_to(BOT).as_posix() for path in FILES if "pickle" in _imports(path)}
    assert reading == {"pickled_values.py", "processes.py"}


def test_the_rule_would_notice_a_stage_that_looks_ahead() -> None:
    assert "write" not in _allowed("review")
    assert "review" in _allowed("write")
    assert "lookup" not in _allowed("formula")


# Inside the two largest rooms, from the ground up: a layer knows those before it.
LAYERS = {
    "formula": (
        "worker", "tex", "validity", "drawing", "normal", "quantities", "keys", "numeric", "equivalence", "features", "alignment", "generation", "describe", "__init__",
    ),
    "match": (
        "item_facts", "builtin", "retrieval", "features", "stage",
    ),
}  # fmt: skip
_GROUND = {"item_labels", "wiki_gaps"}  # of match: what every layer may know


def _layer(room: str, parts: tuple[str, ...]) -> str:
    if room == "formula":
        return parts[0]
    return parts[0] if parts[0] in LAYERS["match"] else "item_facts" if parts[0] in _GROUND else "stage"


@pytest.mark.parametrize("room", LAYERS)
def test_the_layers_of_a_room_know_only_those_below(room: str) -> None:
    order, wrong = LAYERS[room], []
    for path in sorted((BOT / room).rglob("*.py")):
        mine = _layer(room, path.relative_to(BOT / room).with_suffix("").parts)
        for name in _imports(path):
            parts = tuple(name.split(".")[2:])
            if name.startswith(f"bot.{room}.") and order.index(_layer(room, parts)) > order.index(mine):
                wrong.append((str(path.relative_to(BOT)), name))
    assert wrong == []


@pytest.mark.parametrize("room", LAYERS)
def test_no_folder_of_a_room_holds_more_than_a_dozen_modules(room: str) -> None:
    for folder in [BOT / room, *(p for p in (BOT / room).rglob("*") if p.is_dir() and p.name != "__pycache__")]:
        modules = [p for p in folder.glob("*.py")]
        assert len(modules) <= 12, folder


def test_no_class_name_stands_in_two_modules() -> None:
    found: dict[str, list[str]] = {}
    for path in FILES:
        for node in ast.walk(_tree(path)):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(str(path.relative_to(BOT)))
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


def test_no_two_modules_have_one_name() -> None:
    shared = {"__init__", "run"}  # each stage has one of these
    names = [path.stem for path in FILES if path.stem not in shared]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_no_two_test_modules_have_one_name() -> None:
    names = [path.name for path in Path(__file__).parent.rglob("*.py") if path.name != "conftest.py"]
    assert sorted({name for name in names if names.count(name) > 1}) == []


def test_no_node_of_a_tree_is_of_any_type() -> None:
    """Raw and normal trees are told apart by mypy only while nothing on their way is Any. Forms of alpha-equivalence are not nodes."""
    folders = [BOT / "formula" / name for name in ("tex", "normal", "keys", "features")]
    modules = [path for folder in folders for path in folder.glob("*.py")]
    named = {
        (path.stem, node.lineno)
        for path in modules
        if path.stem not in ("alpha_equivalence", "tree")
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Name) and node.id == "Any"
    }
    assert named == set()
