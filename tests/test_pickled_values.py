"""What is read back of a workspace is data: a workspace from somebody else runs no code of theirs."""

from __future__ import annotations

import os
import pickle
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bot.formula import parse
from bot.messages import Message
from bot.pickled_values import from_pickle, to_pickle
from bot.records import Evidence, Item, Statement
from bot.result_cache import open_result_cache
from bot.store import Workspace


class Called:
    """Names a function to be called when its pickle is read."""

    def __init__(self, function: Callable[..., object], *given: object) -> None:
        self.how = function, given

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.how


@pytest.mark.parametrize(
    "value",
    [
        {"a": (1, 2.5, None, True), "b": {"c"}, "d": frozenset([b"e"])},
        Counter("energy"),
        defaultdict(set, {"m": {"mass"}}),
        Evidence("named", 0.5, Message("evidence.named", n=2)),
        Item("Q1", "mass", ("inertia",), statements=(Statement("a", "P1", "m"),), fields=("Q2",)),
        parse(r"\frac{d}{dt}\sum_i p_i=\sin F"),
    ],
    ids=["builtin", "counted", "sets", "record", "records", "tree"],
)
def test_data_comes_back_as_it_was(value: object) -> None:
    assert from_pickle(to_pickle(value)) == value


def test_arrays_come_back_as_they_were() -> None:
    given = np.array([[0.5, 1.0], [2.0, 4.0]], dtype=np.float32)
    found, number = from_pickle(to_pickle((given, given[1, 1])))
    assert (found.dtype, found.tolist(), number) == (np.float32, given.tolist(), 4.0)


@pytest.mark.parametrize(
    "value",
    [
        Called(os.mkdir, "made"),
        Called(eval, "__import__('os').mkdir('made')"),
        Called(getattr, "a", "join"),
        [1, {"deep": (Called(os.mkdir, "made"),)}],
        Called(parse, "a"),
        Called(Workspace.open, "made"),
        Called(Path, "made"),
    ],
    ids=["function", "eval", "getattr", "deep", "function of ours", "class of no stage", "path"],
)
def test_nothing_else_is_read(value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(pickle.UnpicklingError, match="is not a kept value"):
        from_pickle(pickle.dumps(value))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["Path", "dataclass.__globals__", "nothing"])
def test_what_a_stage_imports_is_no_data_of_its_own(name: str) -> None:
    module = "bot.discover.mine"
    data = b"\x80\x04" + b"".join(b"\x8c" + bytes([len(text)]) + text.encode() for text in (module, name)) + b"\x93."
    with pytest.raises(pickle.UnpicklingError, match=r"bot\.discover\.mine\..* is not a kept value"):
        from_pickle(data)


def test_a_row_that_calls_something_is_made_anew(workspace: Workspace, tmp_path: Path) -> None:
    with workspace, open_result_cache(workspace, "match") as kept:
        assert kept.map_batch("double", ["a"], str.encode, lambda some: [one * 2 for one in some]) == ["aa"]
    made = tmp_path / "made"
    with sqlite3.connect(workspace.path / "kept.db") as db:
        db.execute("UPDATE results SET value = ?", [pickle.dumps(Called(os.mkdir, str(made)))])
    db.close()
    with open_result_cache(workspace, "match") as kept:
        assert kept.map_batch("double", ["a"], str.encode, lambda some: [one * 2 for one in some]) == ["aa"]
    assert not made.exists()
