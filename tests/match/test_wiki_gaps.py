"""What is said where the wiki has no items, no labels, no formulas, or ids of another wiki."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from bot import stage_state, store
from bot.errors import LookupFailed
from bot.match.wiki_gaps import missing_wiki_data
from bot.messages import Message
from bot.settings import Wiki
from bot.store import Workspace

LABELLED = {"label": "force", "aliases": []}
ALIASED = {"label": "", "aliases": ["force"]}
NAMELESS: dict[str, Any] = {"label": "", "aliases": []}


def client(formulas: bool | None = True, unstated: tuple[str, ...] = (), remark: str = "") -> Any:
    def qids_with_formula() -> list[str]:
        if formulas is None:
            raise LookupFailed("lookup.failed")
        return ["Q1"] if formulas else []

    remarks = (Message(remark),) if remark else ()
    return SimpleNamespace(
        wiki=Wiki(unstated=unstated),
        qids_with_formula=qids_with_formula,
        cache_use=lambda: SimpleNamespace(remarks=lambda: remarks),
    )


def filled(workspace: Workspace, *records: dict[str, Any], matched: bool = True) -> Workspace:
    with workspace.engine.begin() as db:
        row = {"key": "c", "tex": "F=ma", "occurrences": 1, "documents": 1, "formularank": None}
        empty: dict[str, Any] = {"names": [], "representations": [], "places": [], "definitions": []}
        db.execute(store.concepts.insert().values(**row, **empty))
        for n, record in enumerate(records):
            db.execute(store.items.insert().values(qid=f"Q{n}", revision=1, record=record))
            if matched:
                db.execute(store.matches.insert().values(concept="c", qid=f"Q{n}", tex="", probability=1, evidence=[]))
    return workspace


def said(workspace: Workspace, asked: Any) -> list[str]:
    return [message.code for message in missing_wiki_data(workspace, asked)]


@pytest.mark.parametrize(
    ("records", "matched", "formulas", "codes"),
    [
        ((), True, True, ["gap.items"]),
        ((LABELLED,), False, True, ["gap.items"]),
        ((LABELLED,), True, True, []),
        ((NAMELESS, ALIASED), True, True, []),
        ((NAMELESS,), True, True, ["gap.labels"]),
        ((NAMELESS,), True, False, ["gap.labels", "gap.defining_formulas"]),
        ((LABELLED,), True, False, ["gap.defining_formulas"]),
        ((LABELLED,), True, None, []),  # what was not answered is said elsewhere
    ],
)
def test_what_the_items_lack(
    workspace: Workspace, records: tuple[dict[str, Any], ...], matched: bool, formulas: bool | None, codes: list[str]
) -> None:
    assert said(filled(workspace, *records, matched=matched), client(formulas)) == codes


def test_where_no_concept_asked_for_an_item_nothing_is_said_of_them(workspace: Workspace) -> None:
    assert said(workspace, client(False)) == []


def test_ids_that_are_not_stated_and_remarks_on_answers_come_first(workspace: Workspace) -> None:
    found = missing_wiki_data(
        filled(workspace), client(unstated=("wiki.properties.a (P1)", "b"), remark="cached.answers")
    )
    assert [message.code for message in found] == ["gap.ids", "cached.answers", "gap.items"]
    assert found[0].values == {"ids": "wiki.properties.a (P1), b"}


def test_what_was_found_is_said_again_until_match_runs_on_something_else(workspace: Workspace) -> None:
    stage_state.record_run(workspace, "match", "inputs")
    assert said(filled(workspace), client()) == ["gap.items"]
    filled_later = client(False)
    assert said(workspace, filled_later) == ["gap.items"]
    stage_state.record_run(workspace, "match", "others")
    assert said(workspace, filled_later) == ["gap.items", "gap.defining_formulas"]
