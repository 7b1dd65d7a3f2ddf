"""What the index reads of formulas, kept between runs: reading twenty thousand formulas takes half a minute, loading them a fraction of a second."""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.lib.npyio import NpzFile
from platformdirs import user_cache_path

from bot.formula import Keys
from bot.match.builtin import builtin_formulas
from bot.match.retrieval.formula_reading import read
from bot.match.retrieval.sparse_matrix import WIDE, KeyRow, Packed

SHIPPED = Path(
    __file__
).parent  # where the readings of the built-in list are when the package was built (hatch_build.py)
FEW = 200  # formulas; so many are read sooner than a file is loaded or written
_READ = 1000  # formulas whose readings are in memory before they are made numbers
MOST = 60_000  # formulas that are kept; beyond that, only what was asked for last

_LOG = logging.getLogger(__name__)
# What decides how a formula is read: when any of it changes, the kept readings are of no use.
_READERS = tuple(
    "bot.formula bot.formula.features.sides bot.match.retrieval.formula_reading bot.formula.features.structural bot.formula.features.equation_terms bot.match.retrieval.sparse_matrix".split()
)
_FIELDS = [field.name for field in fields(Keys)]
_DIGESTS = [name for name in _FIELDS if name.startswith("K")]


def readings(texts: Iterable[str], folder: Path | None = None, few: int = FEW) -> Packed:
    """Return the readings of formulas from the user's cache folder; those that are not there yet are made, and kept there.

    Up to `few` new ones are not worth a file. A folder that cannot be written costs time only.
    """
    asked = dict.fromkeys(texts)
    path = (folder or user_cache_path("formula-concept-bot")) / f"readings-{_digest()}.npz"
    kept = (_load(path) or _load(SHIPPED / path.name) if len(asked) > few else None) or Packed()
    if sum(tex not in kept.row_of for tex in asked) <= few:
        return _with_all(kept, asked)
    with _alone(path.parent):
        kept = _with_all(_load(path) or kept, asked)  # another process may have made them meanwhile
        _save(path, kept if len(kept.row_of) <= MOST else kept.only(asked))
    return kept


def _with_all(kept: Packed, asked: Iterable[str]) -> Packed:
    missing = [tex for tex in asked if tex not in kept.row_of]
    for start in range(0, len(missing), _READ):
        kept.add({tex: read(tex) for tex in missing[start : start + _READ]})
    return kept


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let one process at a time make readings for a folder; where it cannot be locked, each makes its own."""
    with ExitStack() as stack:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(folder, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def builtin_texts() -> list[str]:
    return [tex for concept in builtin_formulas().values() for tex in concept.formulas]


def _sources(folder: Traversable) -> Iterator[Traversable]:
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.is_dir():
            yield from _sources(path)
        elif path.name.endswith((".py", ".json")):
            yield path


def _digest() -> str:
    seen = blake2b(digest_size=10)
    for name in _READERS:
        package, _, module = name.rpartition(".")
        source = _sources(files(name)) if name == "bot.formula" else [files(package).joinpath(f"{module}.py")]
        for path in source:
            seen.update(path.read_bytes())
    return seen.hexdigest()


# -- the file: arrays by name, texts as one text and the length of each ------------------------------------------------------
def _load(path: Path) -> Packed | None:
    try:
        with path.open("rb") as source, np.load(source, allow_pickle=False) as file:
            return _unpacked(file)
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError, TypeError, KeyError, BadZipFile) as error:
        _LOG.info("the readings in %s are of no use (%s) and are made anew", path, error)
        return None


def _unpacked(file: NpzFile) -> Packed:
    texts = _split(file, "texts")
    row_of: dict[str, int | None] = dict(zip(texts, file["row_of"].tolist(), strict=True))
    for tex in _split(file, "unreadable"):
        row_of[tex] = None
    words = [dict(zip(_split(file, f"words{n}"), file[f"numbers{n}"].tolist(), strict=True)) for n in range(WIDE)]
    constants = [tuple(names.split("\n")) if names else () for names in _split(file, "constants")]
    digests = file["digests"].astype(str).T.tolist()
    dropped = [constants[n] for n in file["dropped"].tolist()]
    columns = [*digests, file["leaves"].tolist(), file["equation"].tolist(), dropped, *file["ignored"].T.tolist()]
    keys: list[KeyRow] = list(zip(*columns, strict=True))
    own, links = keys[: len(texts)], keys[len(texts) :]
    bounds = accumulate(file["links"].tolist(), initial=0)
    ptr, flat = file["ptr"], file["flat"]
    if (
        sorted(file["row_of"].tolist()) != list(range(len(own)))
        or len(ptr) != len(own) * WIDE + 1
        or ptr[-1] != len(flat)
    ):
        raise ValueError("its rows do not agree with its formulas")
    return Packed(row_of, words, flat, ptr, own, [links[start:end] for start, end in pairwise(bounds)])


def _save(path: Path, kept: Packed) -> None:
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with new.open("wb") as file:
            np.savez(file, **_arrays(kept))
        for old in (*path.parent.glob("handbook-*.json.gz"), *path.parent.glob("readings-*.npz")):
            old.unlink(missing_ok=True)
        new.replace(path)
    except OSError as error:
        _LOG.info("the readings cannot be kept in %s (%s)", path.parent, error)


def _arrays(kept: Packed) -> dict[str, Any]:
    rows = [*kept.keys, *[link for links in kept.links for link in links]]
    column = dict(zip(_FIELDS, zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys(_FIELDS, ())
    number: dict[str, int] = {}
    dropped = [number.setdefault("\n".join(names), len(number)) for names in column["constants"]]
    readable = {tex: row for tex, row in kept.row_of.items() if row is not None}
    found = {
        **_joined("texts", list(readable)),
        "row_of": np.array(list(readable.values()), dtype=np.int32),
        **_joined("unreadable", [tex for tex, row in kept.row_of.items() if row is None]),
        **_joined("constants", list(number)),
        "dropped": np.array(dropped, dtype=np.int32),
        "ignored": np.array([column["signs"], column["conditions"]], dtype=bool).T,
        "digests": np.array([column[name] for name in _DIGESTS], dtype="S").T,
        "leaves": np.array(column["leaves"], dtype=np.int32),
        "equation": np.array(column["equation"], dtype=bool),
        "links": np.array([len(links) for links in kept.links], dtype=np.int32),
        "flat": kept.flat,
        "ptr": kept.ptr,
    }
    for n, words in enumerate(kept.words):
        found |= _joined(f"words{n}", list(words)) | {f"numbers{n}": np.array(list(words.values()), dtype=np.int32)}
    return found


def _joined(name: str, texts: Sequence[str]) -> dict[str, Any]:
    whole = "".join(texts).encode("utf-8", "surrogatepass")
    lengths = np.array([len(text) for text in texts], dtype=np.int32)
    return {name: np.frombuffer(whole, dtype=np.uint8), f"{name}_lengths": lengths}


def _split(file: NpzFile, name: str) -> list[str]:
    whole = file[name].tobytes().decode("utf-8", "surrogatepass")
    return [whole[start:end] for start, end in pairwise(accumulate(file[f"{name}_lengths"].tolist(), initial=0))]
