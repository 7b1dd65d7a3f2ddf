"""Missing data of a corpus: one message for each gap that might look like a fault of the bot."""

from collections import Counter

import sqlalchemy as sa

from bot import store
from bot.discover.cues.cue_language import cue_language
from bot.messages import Message
from bot.records import LIKELY_SCORE, UNKNOWN_LANGUAGE
from bot.settings import Settings
from bot.store import Workspace


def missing_corpus_data(workspace: Workspace, settings: Settings, found: int | None = None) -> tuple[Message, ...]:
    """Return the missing data of the workspace's corpus, in the order of the data; nothing if it is complete.

    `found` is how many formulas the sources of the run that has just ended hold; None where none has.
    """
    with workspace.engine.connect() as db:
        languages = Counter(language or "en" for language in db.scalars(sa.select(store.documents.c.language)))
        formulas = int(db.scalar(sa.select(sa.func.sum(store.sources.c.formulas))) or 0)
        # The first few settle it: a concept of many documents is the likeliest to have a good name.
        by_spread = sa.select(store.concepts.c.names).order_by(store.concepts.c.documents.desc())
        names = db.execution_options(yield_per=100).scalars(by_spread)
        named = any(row and row[0]["score"] >= LIKELY_SCORE for row in names)
    documents = languages.total()
    if not formulas:
        return (Message("gap.formulas", n=documents),)
    gaps = []
    if found == 0:
        gaps.append(Message("gap.sources"))
    if documents == 1:
        gaps.append(Message("gap.one_document"))
    if foreign := Counter({k: n for k, n in languages.items() if cue_language(k) is None}):
        language_counts = ", ".join(
            f"{'not declared' if k == UNKNOWN_LANGUAGE else k} {n}" for k, n in sorted(foreign.items())
        )
        gaps.append(Message("gap.foreign", n=documents, m=foreign.total(), languages=language_counts))
    if not (concepts := workspace.count(store.concepts)):
        rules = settings.discovery
        gaps.append(
            Message(
                "gap.concepts", m=formulas, n=rules.min_documents, shortest=rules.min_length, longest=rules.max_length
            )
        )
    elif not named:
        gaps.append(Message("gap.names", m=concepts))
    return tuple(gaps)
