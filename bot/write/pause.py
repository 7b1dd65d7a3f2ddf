"""A pause of all writing from a workspace: set by the bot itself or by a person, lifted by a person with a reason.

Every pause is kept, with who lifted it and why.
"""

from collections.abc import Iterable

from bot.errors import InputError, WriteRefused, WriteStopped
from bot.messages import Message, from_json, to_json
from bot.store import Row, Workspace, now

BOT = "the bot"
_KEY = "pauses"


def pauses(workspace: Workspace) -> list[Row]:
    """Return all pauses, oldest first: since, why, by, counted; until, lifted_by and reason are empty while one lasts."""
    return list(workspace.get(_KEY, ()))


def current_pause(workspace: Workspace) -> Row | None:
    """Return the pause that lasts, None where there is none."""
    last = pauses(workspace)[-1:]
    return last[0] if last and not last[0]["until"] else None


def pause_message(pause: Row) -> Message:
    """Return why writing was paused."""
    return from_json(pause["why"])


def pause_writing(workspace: Workspace, reason: Message, by: str = BOT, counted: Iterable[int] = ()) -> None:
    """Pause; `counted` are the numbers of the removed edits that led to it. Raises InputError where writing is paused already."""
    if current_pause(workspace):
        raise InputError("paused", where=str(workspace.path), todo="status")
    pause = {"since": now(), "why": to_json(reason), "by": by, "counted": sorted(counted)}
    workspace.put(_KEY, [*pauses(workspace), {**pause, "until": "", "lifted_by": "", "reason": ""}])


def resume_writing(workspace: Workspace, reason: str, by: str) -> None:
    """Lift the pause; what led to it counts no more. Raises InputError where there is none, and without a reason."""
    if not current_pause(workspace):
        raise InputError("not_paused", where=str(workspace.path))
    if not reason.strip():
        raise InputError("no_resume_reason", todo="resume_reason")
    *before, last = pauses(workspace)
    workspace.put(_KEY, [*before, {**last, "until": now(), "lifted_by": by, "reason": reason.strip()}])


def stop_if_paused(workspace: Workspace, kind: type[WriteRefused | WriteStopped] = WriteRefused) -> None:
    """Return if writing is not paused; raise an error of this kind saying since when and why."""
    if pause := current_pause(workspace):
        message = Message("refused.paused", since=pause["since"], why=pause_message(pause))
        raise kind(message, where=str(workspace.path), todo="resume")
