"""One edit taken back, on the revisions of one item: what each answer of the wiki leads to."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from item_revisions import OTHER, OURS, SOURCE, THEIRS, Answer, PermissivePolicy, Wiki, answers, entity, entry

from bot.errors import WriteStopped
from bot.messages import uncoded_message
from bot.records import Edit, EditOutcome, UndoState
from bot.store import Workspace
from bot.write import ledger
from bot.write.ledger import UndoResult
from bot.write.undo import Undoer, UndoPlan
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import WikiRefusal, WikiSession

WITH, WITHOUT = entity(8, THEIRS, OURS), entity(9, THEIRS)


def undoer(workspace: Workspace, wiki: Wiki, kind: str = "new_claim") -> tuple[Undoer, Edit, PermissivePolicy]:
    made, calm = entry(kind), PermissivePolicy()
    sent = {"proposal": "p", "hash": "h", "qid": "Q1", "decision": 1, "group": "g", "reviewer": "Ada"}
    sent |= {"guid": made.statement, "payload": made.payload, "revision_before": 7}
    ledger.add_closed_row(workspace, EditOutcome.WRITTEN, revision=8, **sent)
    found = object.__new__(Undoer)
    found.workspace, found.task = workspace, "T"
    found._session, found._policy = cast(WikiSession, wiki), cast(WikiPolicy, calm)
    return found, ledger.ledger_rows(workspace)[0], calm


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
    assert str(of._undo_with_retries(row, "undogroup").message) == said
    assert (calm.waited, wiki.logins) == (waited, logins)
    assert wiki.calls == ["remove Q1$b 8"] * len(given)
    begun = ledger.undo_attempts(workspace, row.n)
    assert begun == [{"revision_before": 8, "group": "undogroup"}] * len(given)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        ([OTHER], "undone in revision 10"),
        ([OTHER, SOURCE], "failed: it is still there"),
        ([], "the undo changed more than our edit: Q1$a"),
    ],
)
def test_a_source_is_taken_back_though_somebody_adds_another_one_at_the_same_moment(
    workspace: Workspace, left: list[Any], said: str
) -> None:
    def revision(n: int, *sources: dict[str, Any]) -> dict[str, Any]:
        return entity(n, THEIRS | {"references": [{**each, "hash": f"hash{n}"} for each in sources]})

    wiki = Wiki(revision(8, SOURCE), comments={10: "undo (undogroup)"})
    of, row, _ = undoer(workspace, wiki, "add_reference")
    answers(wiki, (revision(9, SOURCE, OTHER), revision(10, *left), 10))
    try:
        became = of._undo_with_retries(row, "undogroup").message
    except WriteStopped as stopped:
        became = stopped.message
    assert str(became) == said
    assert wiki.calls == ["remove hash8 of Q1$a"]


@pytest.mark.parametrize(("states", "taken"), [("ff", 2), ("fufu", 4), ("fuff", 4), ("kfkf", 4), ("ffff", 2)])
def test_an_undo_stops_after_as_many_failures_in_a_row_as_the_settings_say(
    workspace: Workspace, tmp_path: Path, states: str, taken: int
) -> None:
    of, row, _ = undoer(workspace, Wiki(WITH))
    of.folder, of.max_failures, of.failures = tmp_path, 2, 0
    became = iter([UndoResult({"f": UndoState.FAILED, "u": UndoState.UNDONE, "k": UndoState.KEPT}[each], uncoded_message("why"), 9 * (each == "u")) for each in states])  # fmt: skip
    tried: list[str] = []
    of._undo_with_retries = lambda row, group: tried.append(group) or next(became)  # type: ignore[method-assign,func-returns-value]
    plan = UndoPlan("undo", "undogroup", ((row, UndoResult(UndoState.PLANNED)),) * len(states))
    if states.endswith("ff"):
        with pytest.raises(WriteStopped, match="2 failures one after another, the last: failed: why"):
            of.apply(plan)
    else:
        assert [result.state.value[0] for _, result in of.apply(plan)] == list(states)
    assert tried == ["undogroup"] * taken


def test_an_unknown_refusal_ends_the_run(workspace: Workspace) -> None:
    wiki = Wiki(WITH)
    of, row, _ = undoer(workspace, wiki)
    answers(wiki, ("unheard-of",))
    with pytest.raises(WriteStopped, match="stopped by unheard-of"):
        of._undo_with_retries(row, "undogroup")


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
    found = of._planned_result(row)
    assert (found.state == "planned", str(found.message) if said else "") == (not said, said)
