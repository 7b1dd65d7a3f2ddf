"""Cached values of a workspace as bytes: pickled, and read back with a restricted list of types.

Nothing else is as fast for trees and records. But a pickle can call any function when it is read, and workspaces are shared: only
builtin values, numpy arrays and classes of the stages that cache something are read.
"""

import io
import pickle
import sys
from functools import cache
from importlib import import_module
from typing import Any

_PLAIN_TYPES = {
    "builtins": frozenset("bytearray complex dict float frozenset int list set slice str tuple".split()),
    "collections": frozenset("Counter OrderedDict defaultdict deque".split()),
    "numpy": frozenset("dtype ndarray".split()),
    "numpy.core.multiarray": frozenset("_reconstruct scalar".split()),
    "numpy.core.numeric": frozenset(["_frombuffer"]),
}
_MODULES = ("bot.discover.", "bot.formula.", "bot.match.", "bot.messages", "bot.propose.", "bot.records")


def to_pickle(value: object) -> bytes:
    """Return the pickle of a value."""
    return pickle.dumps(value, protocol=5)


def from_pickle(data: bytes) -> Any:
    """Return the value of a pickle. Raises pickle.UnpicklingError where it names a type that is not allowed."""
    return _DataReader(io.BytesIO(data)).load()


class _DataReader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        return _allowed_class(module, name)


@cache
def _allowed_class(module: str, name: str) -> object:
    if name in _PLAIN_TYPES.get(module.replace("numpy._core", "numpy.core"), ()):
        return getattr(import_module(module), name)
    if module.startswith(_MODULES):
        found = getattr(sys.modules.get(module) or import_module(module), name, None)
        if isinstance(found, type) and found.__module__ == module:
            return found
    raise pickle.UnpicklingError(f"{module}.{name} is not a kept value")
