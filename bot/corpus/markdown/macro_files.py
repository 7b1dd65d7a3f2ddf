r"""Macros that a book of Markdown or notebooks keeps beside its chapters: mdBook's `book.toml`, the settings of MyST, Jupyter Book and Sphinx."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from bot.corpus.markdown.front_matter import yaml_fields
from bot.corpus.siblings import Siblings

# `\bold:{\mathbf{#1}}`, one in a line, as KaTeX's plugin for mdBook reads them.
_LINE = re.compile(r"^[ \t]*(\\[A-Za-z]+)[ \t]*:[ \t]*\{(.*)\}[ \t]*$", re.M)
_SETTINGS = ("_config.yml", "myst.yml", "_quarto.yml", "mkdocs.yml")
_DEEPEST = 12


def macros_beside(siblings: Siblings) -> dict[str, object]:
    """Return the macros that hold for a document, those of a nearer folder before those of one further up."""
    found: dict[str, object] = {}
    for folder in PurePosixPath(siblings.home).parents:
        key = f"macros of {folder}"
        own = siblings.files.memo.get(key)
        if not isinstance(own, dict):
            own = siblings.files.memo[key] = _of_folder(folder, siblings)
        found = own | found
    return found


def _of_folder(folder: PurePosixPath, siblings: Siblings) -> dict[str, object]:
    found: dict[str, object] = {}
    for name in _SETTINGS:
        for macros in _mappings(yaml_fields(_text(siblings, folder / name)), 0):
            found |= macros
    try:
        book = tomllib.loads(_text(siblings, folder / "book.toml"))
    except tomllib.TOMLDecodeError:
        return found
    katex = book.get("preprocessor", {}).get("katex", {}) if isinstance(book.get("preprocessor"), dict) else {}
    if isinstance(katex, dict) and isinstance(katex.get("macros"), str):
        found |= dict(_LINE.findall(_text(siblings, folder / katex["macros"])))
    return found


def _text(siblings: Siblings, path: PurePosixPath) -> str:
    data = siblings.read(path.as_posix())
    return data.decode("utf-8", "replace").replace("\r\n", "\n") if data else ""


def _mappings(value: object, depth: int) -> Iterator[Mapping[str, object]]:
    """Yield what stands under the name `macros`, or `math` in settings of MyST, at any depth."""
    if not isinstance(value, dict) or depth > _DEEPEST:
        return
    for name, inner in value.items():
        if name in ("macros", "math") and isinstance(inner, dict):
            yield inner
        yield from _mappings(inner, depth + 1)
