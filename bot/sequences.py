"""Sequences in parts, what is no sequence of members, and results that are computed while others are used."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import TypeVar

T = TypeVar("T")


def batched(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield the values in order, `size` at a time."""
    left = iter(values)
    while some := list(islice(left, size)):
        yield some


def refuse_one_text(values: object, name: str) -> None:
    """Raise TypeError for a single text in the place of a list of them: its characters would be taken for its members."""
    if isinstance(values, str):
        raise TypeError(f"{name} is one text; give a list of {name}")


def one_ahead(started: Iterable[Callable[[], T]]) -> Iterator[T]:
    """Yield what each of these returns; before one is called the next is taken, so that what it starts goes on meanwhile."""
    calls = iter(started)
    waiting = next(calls, None)
    while waiting is not None:
        following = next(calls, None)
        yield waiting()
        waiting = following
