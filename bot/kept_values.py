"""Values that a workspace keeps from run to run, as bytes and back.

They are pickled, as nothing else is as fast for trees and records; but a pickle can name any function to be called when it is read, and
workspaces are shared and passed on. So nothing is read back but data: builtin values, numpy's arrays, and classes of the stages that keep something.
"""

import io
import pickle
import sys
from functools import cache
from importlib import import_module
from typing import Any

_DATA = {
    "builtins": frozenset("bytearray complex dict float frozenset int list set slice str tuple".split()),
    "collections": frozenset("Counter OrderedDict defaultdict deque".split()),
    "numpy": frozenset("dtype ndarray".split()),
    "numpy.core.multiarray": frozenset("_reconstruct scalar".split()),
    "numpy.core.numeric": frozenset(["_frombuffer"]),
}
_ROOMS = ("bot.discover.", "bot.formula.", "bot.match.", "bot.messages", "bot.propose.", "bot.records")


def packed(value: object) -> bytes:
    """Return a value as bytes."""
    return pickle.dumps(value, protocol=5)


def unpacked(data: bytes) -> Any:
    """Return the value that bytes hold. Raises pickle.UnpicklingError where they hold anything but data of ours."""
    return _DataReader(io.BytesIO(data)).load()


class _DataReader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> object:
        return _named(module, name)


@cache
def _named(module: str, name: str) -> object:
    if name in _DATA.get(module.replace("numpy._core", "numpy.core"), ()):
        return getattr(import_module(module), name)
    if module.startswith(_ROOMS):
        found = getattr(sys.modules.get(module) or import_module(module), name, None)
        if isinstance(found, type) and found.__module__ == module:
            return found
    raise pickle.UnpicklingError(f"{module}.{name} is no kept value")
