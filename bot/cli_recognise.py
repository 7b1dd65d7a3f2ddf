"""Answers of `recognise` as a person reads them: formula beside formula, how they meet, and why the item is accepted or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from bot.messages import Message
from bot.wikibase import Json

SHOWN = 3  # hits of each query: more are rarely in question, `--json` has all
COLUMNS = ("formula asked", "item", "its formula", "they are", "probability", "why")
_NEAR = (
    0.7  # difference of scores (log odds) below which the second item is nearly as likely as the first: half as likely
)
Row = tuple[str, str, str, str, str, str]


def answer_rows(answers: Iterable[Json], labels: Mapping[str, str], accept: float) -> Iterator[Row]:
    """Yield the best hits of each answer; query and reason stand beside the first of them."""
    for answer in answers:
        hits = answer["hits"][:SHOWN]
        why = str(reason(answer, labels, accept))
        if not hits:
            yield answer["tex"], "", "", "", "", why
        for n, hit in enumerate(hits):
            yield (
                "" if n else answer["tex"],
                _named(hit["qid"], labels),
                hit["formula"],
                str(meeting(hit)),
                f"{hit['probability']:.3f}",
                "" if n else why,
            )


def meeting(hit: Json) -> Message:
    """Return in words at which level a query and the formula of a hit meet."""
    if not hit["formula"]:
        return Message("recognised.level.words")
    return Message(f"recognised.level.{hit['level'] or 'alike'}")


def reason(answer: Json, labels: Mapping[str, str], accept: float) -> Message:
    """Return why the first item is accepted or not."""
    if not answer["hits"]:
        return Message("recognised.nothing")
    first, *others = answer["hits"]
    if answer["accepted"]:
        return Message("recognised.accepted", how=meeting(first))
    if "differs" in first:
        return Message("recognised.differs", differs=first["differs"])
    if others and others[0]["qid"] not in first.get("together", ()) and first["score"] - others[0]["score"] < _NEAR:
        return Message("recognised.rival", label=_named(others[0]["qid"], labels))
    return Message("recognised.unsure", accept=f"{accept:.2f}")


def _named(qid: str, labels: Mapping[str, str]) -> str:
    label = labels.get(qid, "")
    return f"{label} ({qid})" if label else qid
