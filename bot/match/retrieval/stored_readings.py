"""What the index reads of formulas, kept between runs: reading twenty thousand formulas takes half a minute, loading them a fraction of a second."""

import fcntl
import logging
import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeAlias

import msgspec
import numpy as np
from platformdirs import user_cache_path

from bot.match.builtin import builtin_formulas
from bot.match.retrieval.formula_reading import read_formula
from bot.match.retrieval.sparse_matrix import CHANNEL_COUNT, SparseReadings
from bot.sequences import batched

SHIPPED = Path(__file__).parent  # of the readings of the built-in list, made with the package (hatch_build.py)
FEW = 200  # formulas; so many are read sooner than a file is loaded or written
_READ = 1000  # formulas whose readings are in memory before they are made numbers
MAX_STORED = 60_000  # formulas that are kept; beyond that, only what was asked for last
VERSIONS = 4  # files that are kept: environments with other code each have one, of some 20 MB

_LOG = logging.getLogger(__name__)
# What decides how a formula is read: when any of it changes, the kept readings are of no use.
_READERS = tuple(
    "bot.formula bot.formula.features.sides bot.match.retrieval.formula_reading bot.formula.features.structural bot.formula.features.equation_terms bot.match.retrieval.sparse_matrix".split()
)


def readings(texts: Iterable[str], folder: Path | None = None, few: int = FEW) -> SparseReadings:
    """Return the readings of formulas from the user's cache folder; those that are not there yet are made, and kept there.

    Up to `few` new ones are not worth a file. A folder that cannot be written costs time only. Each version of the code that reads
    formulas has its own file; those used last are kept.
    """
    wanted_texts = dict.fromkeys(texts)
    path = (folder or user_cache_path("formula-concept-bot")) / f"readings-{_digest()}.msgpack"
    with suppress(OSError):
        os.utime(path)  # it is used now
    stored = (_load(path) or _load(SHIPPED / path.name) if len(wanted_texts) > few else None) or SparseReadings()
    if sum(tex not in stored.row_of for tex in wanted_texts) <= few:
        return _with_missing(stored, wanted_texts)
    with _exclusive_lock(path.with_suffix(".lock")):
        stored = _with_missing(_load(path) or stored, wanted_texts)  # another process may have made them meanwhile
        _save(path, stored if len(stored.row_of) <= MAX_STORED else stored.subset(wanted_texts))
    return stored


def _with_missing(stored: SparseReadings, texts: Iterable[str]) -> SparseReadings:
    missing = [tex for tex in texts if tex not in stored.row_of]
    for some in batched(missing, _READ):
        stored.add({tex: read_formula(tex) for tex in some})
    return stored


@contextmanager
def _exclusive_lock(path: Path) -> Iterator[None]:
    """Let one process at a time make the readings of one version; where no file can be locked, each makes its own."""
    with ExitStack() as stack:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
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
    digest = blake2b(digest_size=10)
    for name in _READERS:
        package, _, module = name.rpartition(".")
        source = _sources(files(name)) if name == "bot.formula" else [files(package).joinpath(f"{module}.py")]
        for path in source:
            digest.update(path.read_bytes())
    return digest.hexdigest()


# -- the file -----------------------------------------------------------------------------------------------------------
# The fields of Keys
_Key: TypeAlias = "tuple[str, str, str, str, str, str, str, int, bool, tuple[str, ...], bool, bool]"


class _File(msgspec.Struct, array_like=True):
    """The content of `SparseReadings` as it is stored, arrays as bytes."""

    row_of: dict[str, int | None]
    words: list[dict[str, int]]
    flat: bytes
    ptr: bytes
    keys: list[_Key]
    links: list[list[_Key]]


def _load(path: Path) -> SparseReadings | None:
    try:
        return _unpacked(msgspec.msgpack.decode(path.read_bytes(), type=_File))
    except FileNotFoundError:
        return None
    except (OSError, ValueError, msgspec.MsgspecError) as error:
        _LOG.info("the readings in %s are of no use (%s) and are made anew", path, error)
        return None


def _unpacked(file: _File) -> SparseReadings:
    flat, ptr = np.frombuffer(file.flat, dtype=np.int32), np.frombuffer(file.ptr, dtype=np.int64)
    rows = sorted(row for row in file.row_of.values() if row is not None)
    if (
        not rows == list(range(len(file.keys))) == list(range(len(file.links)))
        or len(ptr) != len(rows) * CHANNEL_COUNT + 1
        or ptr[-1] != len(flat)
        or len(file.words) != CHANNEL_COUNT
    ):
        raise ValueError("its rows do not agree with its formulas")
    return SparseReadings(file.row_of, file.words, flat, ptr, file.keys, file.links)


def _save(path: Path, stored: SparseReadings) -> None:
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    file = _File(stored.row_of, stored.words, stored.flat.tobytes(), stored.ptr.tobytes(), stored.keys, stored.links)  # type: ignore[arg-type]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        new.write_bytes(msgspec.msgpack.encode(file))
        new.replace(path)
        _remove_old(path)
    except (OSError, UnicodeEncodeError) as error:
        _LOG.info("the readings cannot be kept in %s (%s)", path.parent, error)


def _remove_old(path: Path) -> None:
    """Remove the files of other versions, except those used last."""
    others = [each for each in path.parent.glob(f"readings-*{path.suffix}") if each != path]
    for old in sorted(others, key=lambda each: each.stat().st_mtime, reverse=True)[VERSIONS - 1 :]:
        old.unlink(missing_ok=True)
        old.with_suffix(".lock").unlink(missing_ok=True)
