"""A pause of writing: kept with who set and who lifted it, and lifted for a reason only."""

from __future__ import annotations

import pytest
from item_revisions import moments

from bot.errors import InputError, WriteRefused
from bot.messages import Message, uncoded_message
from bot.store import Workspace
from bot.write import pause
from bot.write.pause import current_pause, pause_writing, pauses, resume_writing, stop_if_paused

REMOVED = Message("pause.removals", n=3, written=9)


def test_a_pause_is_kept_with_who_set_and_who_lifted_it(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pause, "now", moments("1", "2", "3"))
    stop_if_paused(workspace)
    assert (pauses(workspace), current_pause(workspace)) == ([], None)
    pause_writing(workspace, REMOVED, counted={7, 3, 5})
    with pytest.raises(WriteRefused) as refused:
        stop_if_paused(workspace)
    assert refused.value.message == Message("refused.paused", since="1", why=REMOVED)
    resume_writing(workspace, " looked at\n", "Ada")
    stop_if_paused(workspace)
    pause_writing(workspace, uncoded_message("the task page is being discussed"), by="Ben")
    first, second = pauses(workspace)
    assert {name: said for name, said in first.items() if name != "why"} == {
        "since": "1", "by": "the bot", "counted": [3, 5, 7], "until": "2", "lifted_by": "Ada", "reason": "looked at"
    }  # fmt: skip
    assert pause.pause_message(first) == REMOVED
    assert current_pause(workspace) == second
    assert (second["since"], second["by"], second["counted"], second["until"]) == ("3", "Ben", [], "")


def test_a_pause_is_set_once_and_lifted_once_and_for_a_reason(workspace: Workspace) -> None:
    with pytest.raises(InputError, match="writing is not paused"):
        resume_writing(workspace, "why not", "Ada")
    pause_writing(workspace, REMOVED)
    with pytest.raises(InputError, match="writing is paused already"):
        pause_writing(workspace, uncoded_message("again"))
    for nothing in ("", " \n"):
        with pytest.raises(InputError, match="a pause is lifted for a reason"):
            resume_writing(workspace, nothing, "Ada")
    assert len(pauses(workspace)) == 1
    assert current_pause(workspace) == pauses(workspace)[0]
