"""What the index reads of the handbook's formulas, kept between runs: reading sixteen thousand formulas takes some seconds, loading them half a one."""

from __future__ import annotations

import gzip
import json
import logging
import os
from collections.abc import Mapping, Sequence
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


class Readings:
    """TeX -> what the index looks at, unpacked when it is asked for."""

    def __init__(self, words: list[str], rows: dict[str, Any]) -> None:
        self._words = words
        self._rows = rows

    def get(self, tex: str) -> Read | None:
        """Return a formula's reading; None where it is not kept."""
        row = self._rows.get(tex)
        if row is None:
            return None
        channels, own, links = row
        traits = tuple([frozenset([self._words[n] for n in part]) for part in channels])
        return Read(traits, _keys(own), tuple(map(_keys, links)))


def readings(book: Mapping[str, Concept], folder: Path | None = None) -> Readings:
    """Return the readings of a book from the user's cache folder, made and kept there first where they are not there yet.

    Unreadable formulas are left out. A folder that cannot be written costs time only.
    """
    texts = list(dict.fromkeys(tex for concept in book.values() for tex in concept.formulas))
    path = (folder or user_cache_path("formula-concept-bot")) / f"handbook-{_digest(texts)}.json.gz"
    data = _load(path)
    if data is None:
        data = _packed({tex: found for tex in texts if (found := read(tex)) is not None})
        _save(path, data)
    return Readings(data["words"], data["formulas"])


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


def _load(path: Path) -> dict[str, Any] | None:
    try:
        with gzip.open(path, "rb") as file:
            data = json.loads(file.read())
    except FileNotFoundError:
        return None
    except (OSError, EOFError, ValueError) as error:
        _LOG.info("the readings in %s are of no use (%s) and are made anew", path, error)
        return None
    whole = isinstance(data, dict) and isinstance(data.get("words"), list) and isinstance(data.get("formulas"), dict)
    return data if whole else None


def _packed(kept: Mapping[str, Read]) -> dict[str, Any]:
    number: dict[str, int] = {}
    rows = {
        tex: (
            [[number.setdefault(word, len(number)) for word in sorted(part)] for part in one.channels],
            astuple(one.keys),
            [astuple(link) for link in one.links],
        )
        for tex, one in kept.items()
    }
    return {"words": list(number), "formulas": rows}


def _keys(row: Sequence[Any]) -> Keys:
    *fields, notes = row
    return Keys(*(*fields, tuple(notes)))


def _save(path: Path, data: Mapping[str, Any]) -> None:
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with gzip.open(new, "wt", encoding="utf-8", compresslevel=1) as file:
            json.dump(data, file, ensure_ascii=False)
        for old in path.parent.glob("handbook-*.json.gz"):
            old.unlink(missing_ok=True)
        new.replace(path)
    except OSError as error:
        _LOG.info("the readings cannot be kept in %s (%s)", path.parent, error)
