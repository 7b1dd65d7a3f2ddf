"""Jupyter notebooks to documents: the cells of Markdown and raw text, one text; code and its outputs are left out."""

from __future__ import annotations

import json
from collections.abc import Iterator

from bot.corpus.decode import decode
from bot.corpus.markdown import front_matter
from bot.corpus.markdown.macro_files import macros_beside
from bot.corpus.markdown.markdown_reader import written
from bot.corpus.siblings import Siblings
from bot.errors import DocumentError
from bot.records import Document, Occurrence


def read_notebook(
    data: bytes, *, path: str, source: str, siblings: Siblings
) -> Iterator[tuple[Document, tuple[Occurrence, ...]]]:
    """Yield the one document of a notebook, of format 3 or 4. Raises DocumentError for what is none."""
    try:
        notebook = json.loads(decode(data, path))
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"is no JSON ({' '.join(str(error).split())[:100]})", where=path) from None
    if not isinstance(notebook, dict) or not isinstance(cells := _cells(notebook), list):
        raise DocumentError("has no cells, and so is no notebook", where=path)
    texts = [text for text in map(_text, cells) if text.strip()]
    said = notebook.get("metadata")
    # `language` is the programming language here.
    fields = {str(key): value for key, value in said.items() if key != "language"} if isinstance(said, dict) else {}
    if texts:
        own, texts[0] = front_matter.split(texts[0])
        fields |= own
    document = Document(path, source=source, format="notebook")
    yield written(texts, fields, document, macros_beside(siblings))


def _cells(notebook: dict[str, object]) -> object:
    sheets = notebook.get("worksheets")
    if "cells" not in notebook and isinstance(sheets, list):
        return [
            c for sheet in sheets if isinstance(sheet, dict) for c in sheet.get("cells") or () if isinstance(c, dict)
        ]
    return notebook.get("cells")


def _text(cell: object) -> str:
    """Return a cell as Markdown, an empty string for one of code."""
    if not isinstance(cell, dict) or cell.get("cell_type") not in ("markdown", "raw", "heading"):
        return ""
    source = cell.get("source")
    text = "".join(part for part in source if isinstance(part, str)) if isinstance(source, list) else source
    if not isinstance(text, str):
        return ""
    if cell["cell_type"] == "heading":  # format 3
        level = cell.get("level")
        return f"{'#' * (level if isinstance(level, int) and 0 < level < 7 else 1)} {text}"
    return text.replace("\r\n", "\n")
