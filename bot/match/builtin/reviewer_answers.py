"""Answers of people about formulas without item."""

from dataclasses import dataclass

from bot import store
from bot.store import Workspace


@dataclass(frozen=True, slots=True)
class ReviewerAnswer:
    """A person's answer about a concept: item, none or no_concept; `offered` are the items that were shown, `day` is an ISO date."""

    answer: str
    qid: str
    day: str
    offered: tuple[str, ...] = ()


def reviewer_answers(workspace: Workspace) -> dict[str, ReviewerAnswer]:
    """Return the answers about formulas without item, by concept."""
    return {
        row["concept"]: ReviewerAnswer(
            row["answer"], row["qid"], row["time"][:10], tuple((row["record"] or {}).get("offered", ()))
        )
        for row in workspace.rows(store.current_answers())
    }
