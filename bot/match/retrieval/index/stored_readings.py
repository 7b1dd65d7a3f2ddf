"""What the index reads of formulas, and the index, kept between runs: reading twenty thousand formulas takes half a minute, mapping an index milliseconds."""

import fcntl
import logging
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields
from hashlib import blake2b
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np
from platformdirs import user_cache_path

from bot.match.builtin import builtin_formulas
from bot.match.retrieval.formula_reading import read_formula
from bot.match.retrieval.index.index_arrays import index_arrays
from bot.match.retrieval.index.mapped_arrays import Arrays, map_arrays, save_arrays
from bot.match.retrieval.index.sparse_matrix import NO_READINGS, SparseReadings
from bot.match.retrieval.inverted_index import IndexedFormula
from bot.sequences import batched

SHIPPED = Path(__file__).parent  # of the readings of the built-in list, made with the package (hatch_build.py)
FEW = 200  # formulas; so many are read sooner than a file is loaded or written
_READ = 1000  # formulas whose readings are in memory before they are made numbers
MAX_STORED = 60_000  # formulas that are kept; beyond that, only what was asked for last
VERSIONS = 4  # files of readings that are kept, and of indexes: environments with other code each have one, of some 20 and 40 MB

_LOG = logging.getLogger(__name__)
# What decides how a formula is read: when any of it changes, the kept readings are of no use.
_READERS = tuple(
    "bot.formula bot.formula.features.sides bot.match.retrieval.formula_reading bot.formula.features.structural bot.formula.features.equation_terms "
    "bot.match.retrieval.inverted_index bot.match.retrieval.index.mapped_arrays bot.match.retrieval.index.sparse_matrix".split()
)
_INDEX = ("bot.match.retrieval.index.index_arrays",)


def readings(texts: Iterable[str], folder: Path | None = None, few: int = FEW) -> SparseReadings:
    """Return the readings of formulas from the user's cache folder; those that are not there yet are made, and kept there.

    Up to `few` new ones are not worth a file. A folder that cannot be written costs time only. Each version of the code that reads
    formulas has its own file; those used last are kept.
    """
    wanted = list(dict.fromkeys(texts))
    path = (folder or _cache()) / f"readings-{_digest(_READERS)}.arrays"
    stored = (_load(path) or _load(SHIPPED / path.name) if len(wanted) > few else None) or NO_READINGS
    missing = _missing(stored, wanted)
    if len(missing) <= few:
        return _with_missing(stored, missing)
    with exclusive_lock(path.with_suffix(".lock")):
        stored = _load(path) or stored  # another process may have made them meanwhile
        stored = _with_missing(stored, _missing(stored, wanted))
        kept = stored if len(stored.texts) <= MAX_STORED else stored.subset(stored.rows_of(wanted))
        _save(path, {field.name: getattr(kept, field.name) for field in fields(kept)})
    return stored


def _missing(stored: SparseReadings, texts: Sequence[str]) -> list[str]:
    return [texts[n] for n in np.flatnonzero(stored.rows_of(texts) < 0).tolist()]


def _with_missing(stored: SparseReadings, missing: Sequence[str]) -> SparseReadings:
    for some in batched(missing, _READ):
        stored = stored.added({tex: read_formula(tex) for tex in some})
    return stored


def stored_index(entries: Sequence[IndexedFormula], folder: Path | None = None, few: int = FEW) -> Arrays:
    """Return the arrays of a `ChannelIndex` of these entries, mapped from a file of the user's cache folder that all processes share."""
    texts = [entry.tex for entry in entries]
    if len(entries) <= few:
        return index_arrays(entries, readings(texts, folder))
    listed = "\0".join([*texts, *(entry.qid for entry in entries)]).encode("utf-8", "surrogatepass")
    version = blake2b(listed, digest_size=10).hexdigest()
    path = (folder or _cache()) / f"index-{_digest((*_READERS, *_INDEX))}-{version}.arrays"
    if found := _map(path):
        return found
    with exclusive_lock(path.with_suffix(".lock")):
        if found := _map(path):
            return found
        made = index_arrays(entries, readings(texts, folder))
        _save(path, made)
    return _map(path) or made


def _cache() -> Path:
    return user_cache_path("formula-concept-bot")


@contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
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


def _digest(modules: Sequence[str]) -> str:
    digest = blake2b(np.__version__.encode(), digest_size=10)
    for name in modules:
        package, _, module = name.rpartition(".")
        source = _sources(files(name)) if name == "bot.formula" else [files(package).joinpath(f"{module}.py")]
        for path in source:
            digest.update(path.read_bytes())
    return digest.hexdigest()


# -- the files ----------------------------------------------------------------------------------------------------------
def _map(path: Path) -> Arrays | None:
    """Return the arrays of a file, which is used now; None where there is none."""
    try:
        found = map_arrays(path)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError) as error:
        _LOG.info("the readings in %s are of no use (%s) and are made anew", path, error)
        return None
    with suppress(OSError):
        os.utime(path)
    return found


def _load(path: Path) -> SparseReadings | None:
    found = _map(path)
    try:
        return None if found is None else SparseReadings(**found)
    except (TypeError, ValueError) as error:
        _LOG.info("the readings in %s are of no use (%s) and are made anew", path, error)
        return None


def _save(path: Path, arrays: Arrays) -> None:
    try:
        save_arrays(path, arrays)
        remove_old(path)
    except OSError as error:
        _LOG.info("the readings cannot be kept in %s (%s)", path.parent, error)


def remove_old(path: Path) -> None:
    """Remove the files of other versions, except those used last."""
    kind = path.name.partition("-")[0]
    others = [each for each in path.parent.glob(f"{kind}-*{path.suffix}") if each != path]
    for old in sorted(others, key=lambda each: each.stat().st_mtime, reverse=True)[VERSIONS - 1 :]:
        for each in (old, *old.parent.glob(f"{old.name}-*"), old.with_suffix(".lock")):
            each.unlink(missing_ok=True)
