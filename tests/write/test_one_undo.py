"""One edit taken back, on the revisions of one item: what each answer of the wiki leads to."""

from __future__ import annotations

from typing import Any, cast

import pytest
from item_revisions import OURS, THEIRS, Answer, Calm, Wiki, answers, entity, entry

from bot.errors import WriteStopped
from bot.records import Edit, EditOutcome
from bot.store import Workspace
from bot.write import ledger
from bot.write.undo import Undoer
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import WikiRefusal, WikiSession

WITH, WITHOUT = entity(8, THEIRS, OURS), entity(9, THEIRS)


def undoer(workspace: Workspace, wiki: Wiki) -> tuple[Undoer, Edit, Calm]:
    made, calm = entry(), Calm()
    sent = {"proposal": "p", "hash": "h", "qid": "Q1", "decision": 1, "group": "g", "reviewer": "Ada"}
    sent |= {"guid": made.statement, "payload": made.payload, "revision_before": 7}
    ledger.note(workspace, EditOutcome.WRITTEN, revision=8, **sent)
    found = object.__new__(Undoer)
    found.workspace, found.task = workspace, "T"
    found._session, found._policy = cast(WikiSession, wiki), cast(WikiPolicy, calm)
    return found, ledger.attempts(workspace)[0], calm


@pytest.mark.parametrize(
    ("given", "said", "waited", "logins"),
    [
        ([(WITHOUT, 9)], "undone in revision 9", [], 0),
        ([("maxlag",), (WITHOUT, 9)], "undone in revision 9", [0], 0),
        ([("maxlag",)] * 3, "failed: maxlag: …", [0, 1], 0),
        ([("lost",)] * 3, "failed: lost: …", [0, 1], 0),
        ([("badtoken",), ("badtoken",), (WITHOUT, 9)], "undone in revision 9", [0, 1], 2),
        ([(WITHOUT, "lost")], "undone in revision 9", [], 0),
        ([("protected",)], "kept: protected: …", [], 0),
    ],
)
def test_what_an_answer_of_the_wiki_leads_to(
    workspace: Workspace, given: list[Answer], said: str, waited: list[int], logins: int
) -> None:
    wiki = Wiki(WITH, comments={9: "undo (undogroup)"})
    of, row, calm = undoer(workspace, wiki)
    answers(wiki, *given)
    assert str(of._bring(row, "undogroup").message) == said
    assert (calm.waited, wiki.logins) == (waited, logins)
    assert wiki.calls == ["remove Q1$b 8"] * len(given)
    begun = ledger.undoing(workspace, row.n)
    assert begun == [{"revision_before": 8, "group": "undogroup"}] * len(given)


def test_an_unknown_refusal_ends_the_run(workspace: Workspace) -> None:
    wiki = Wiki(WITH)
    of, row, _ = undoer(workspace, wiki)
    answers(wiki, ("unheard-of",))
    with pytest.raises(WriteStopped, match="stopped by unheard-of"):
        of._bring(row, "undogroup")


@pytest.mark.parametrize(
    ("now", "code", "said"),
    [
        (WITH, "", ""),
        (WITHOUT, "", "kept: somebody removed it already"),
        (WITH, "no-such-entity", "kept: no-such-entity: …"),
        (WITH, "maxlag", "failed: maxlag: …"),
    ],
)
def test_what_would_become_of_an_edit_is_looked_up(workspace: Workspace, now: Any, code: str, said: str) -> None:
    wiki = Wiki(now)
    of, row, _ = undoer(workspace, wiki)
    if code:
        wiki.entity = lambda qid: (_ for _ in ()).throw(WikiRefusal(code, "…"))  # type: ignore[method-assign]
    found = of._prospect(row)
    assert (found.state == "planned", str(found.message) if said else "") == (not said, said)
