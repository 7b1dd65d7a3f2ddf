"""What a corpus does not give: one sentence for each thing that a reader of the figures might take for a fault of the bot."""

from __future__ import annotations

from collections import Counter

import sqlalchemy as sa

from bot import store
from bot.discover.group import STRONG
from bot.discover.language import UNKNOWN
from bot.settings import Settings
from bot.store import Workspace


def missing(workspace: Workspace, settings: Settings) -> tuple[str, ...]:
    """Return what the corpus of the workspace lacks, in the order of the data; nothing where all is there."""
    with workspace.engine.connect() as db:
        languages = Counter(language or "en" for language in db.scalars(sa.select(store.documents.c.language)))
        formulas = int(db.scalar(sa.select(sa.func.sum(store.sources.c.formulas))) or 0)
        names = [row or () for row in db.scalars(sa.select(store.concepts.c.names))]
    documents = languages.total()
    if not formulas:
        return (f"No formula was found in {_documents(documents)}: is this the right corpus?",)
    said = []
    if documents == 1:
        said.append("The corpus is one document: no other one bears out what it says.")
    if foreign := {k: n for k, n in languages.items() if k[:2] != "en"}:
        what = ", ".join(f"{'not declared' if k == UNKNOWN else k} {n}" for k, n in sorted(foreign.items()))
        said.append(
            f"{sum(foreign.values())} of {_documents(documents)} {'is' if documents == 1 else 'are'} not in English ({what}): names are looked for "
            "in titles, headings and the author's own markup there, not in sentences."
        )
    if not names:
        said.append(
            f"None of the {formulas} formulas was kept as a concept: that takes a name beside it, or the same equation in "
            f"{_documents(settings.discovery.min_documents)} and {settings.discovery.min_length} to {settings.discovery.max_length} characters."
        )
    elif not any(row and row[0]["score"] >= STRONG for row in names):
        said.append(
            f"None of the {len(names)} concepts has a name that the text is sure of: items can hardly be found by name."
        )
    return tuple(said)


def _documents(number: int) -> str:
    return f"{number} document{'' if number == 1 else 's'}"
