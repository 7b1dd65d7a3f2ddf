"""What the index reads of the handbook's formulas, kept between runs: reading sixteen thousand formulas takes some seconds, loading them half a one."""

from __future__ import annotations

import gzip
import json
import logging
from collections.abc import Mapping
from dataclasses import astuple
from hashlib import blake2b
from importlib.resources import files
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from bot.formula import Keys
from bot.match.handbook import Concept
from bot.match.reading import Read, read

_LOG = logging.getLogger(__name__)
# What decides how a formula is read: when any of it changes, the kept readings are of no use.
_READERS = ("bot.formula", "bot.match.reading", "bot.match.traits", "bot.match.terms")


def readings(book: Mapping[str, Concept], folder: Path | None = None) -> dict[str, Read]:
    """Return TeX -> what the index looks at, from the user's cache folder where it stands there; unreadable formulas are left out.

    A folder that cannot be written costs time only.
    """
    texts = list(dict.fromkeys(tex for concept in book.values() for tex in concept.formulas))
    path = (folder or user_cache_path("formula-concept-bot")) / f"handbook-{_digest(texts)}.json.gz"
    kept = _load(path)
    if kept is None:
        kept = {tex: found for tex in texts if (found := read(tex)) is not None}
        _save(path, kept)
    return kept


def _digest(texts: list[str]) -> str:
    seen = blake2b(digest_size=10)
    for name in _READERS:
        package, _, module = name.rpartition(".")
        source = files(name).iterdir() if name == "bot.formula" else [files(package).joinpath(f"{module}.py")]
        for path in sorted(source, key=lambda path: path.name):
            if path.name.endswith((".py", ".json")):
                seen.update(path.read_bytes())
    seen.update("\n".join(texts).encode())
    return seen.hexdigest()


def _load(path: Path) -> dict[str, Read] | None:
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            data = json.load(file)
        words = data["words"]
        found: dict[str, Read] = {}
        fields: list[Any]
        for tex, channels, (*fields, notes) in data["formulas"]:
            traits = tuple(frozenset([words[n] for n in part]) for part in channels)
            found[tex] = Read(traits, Keys(*(*fields, tuple(notes))))
        return found
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError, KeyError, TypeError, IndexError) as error:
        _LOG.info("the readings in %s are of no use (%s) and are made anew", path, error)
        return None


def _save(path: Path, kept: Mapping[str, Read]) -> None:
    number: dict[str, int] = {}
    rows = [
        (
            tex,
            [[number.setdefault(word, len(number)) for word in sorted(part)] for part in one.channels],
            astuple(one.keys),
        )
        for tex, one in kept.items()
    ]
    new = path.with_name(f"{path.name}.{id(rows)}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(new, "wt", encoding="utf-8", compresslevel=1) as file:
            json.dump({"words": list(number), "formulas": rows}, file, ensure_ascii=False)
        for old in path.parent.glob("handbook-*.json.gz"):
            old.unlink(missing_ok=True)
        new.replace(path)
    except OSError as error:
        new.unlink(missing_ok=True)
        _LOG.info("the readings cannot be kept in %s (%s)", path.parent, error)
