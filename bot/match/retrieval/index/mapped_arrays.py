"""Arrays in one file, which processes map into memory and share: only what is used of them is read."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]
_ALIGNED = 64  # bytes; each array starts at a multiple


def save_arrays(path: Path, arrays: Arrays) -> None:
    """Write a file: a line of JSON with the types and shapes, then the arrays. Who has the old file mapped keeps it."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with new.open("wb") as stream:
            stream.write(json.dumps({name: (array.dtype.str, array.shape) for name, array in arrays.items()}).encode())
            stream.write(b"\n")
            for array in arrays.values():
                stream.write(bytes(-stream.tell() % _ALIGNED))
                stream.write(np.ascontiguousarray(array).data)
            os.fsync(stream.fileno())  # a file that is there is whole, also after the power failed
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)


def map_arrays(path: Path) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file, to be read only. Raises ValueError if it is damaged."""
    with path.open("rb") as stream:
        head = json.loads(stream.readline())
        start = stream.tell()
    whole = np.asarray(np.memmap(path, np.uint8, "r"))
    found = {}
    for name, (kind, shape) in dict(head).items():
        start += -start % _ALIGNED
        end = start + int(np.prod(shape)) * np.dtype(kind).itemsize
        found[name] = whole[start:end].view(kind).reshape(shape)
        start = end
    if start != len(whole):
        raise ValueError("it is not whole")
    return found
