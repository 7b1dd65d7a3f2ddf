"""Every exception the project raises on purpose.

CodedError                  what is wrong, as a code with values
BotError                    one clear line for a person: what, where, what to do
├── InputError              what was given cannot be used            (exit code 2, nothing changed)
│   ├── SourceError         a corpus file or folder
│   ├── ItemsError          an items or queries file
│   └── SettingsError       the settings file
├── WorkspaceError          the workspace is missing, newer than the code, or in use
├── FormulaError            a TeX string has no tree; carries the position
├── DocumentError           one document cannot be read; the run skips, names and counts it
├── OutOfTime               a run has used up its time; what is left is done by the next one
├── LookupFailed            the wiki or the query service gave no trustworthy answer; never an empty answer
├── ReviewError             a decision that cannot be recorded
│   ├── AlreadyWritten      the proposal is written; carries its ledger rows
│   └── UnconfirmedEdit     an edited formula that is another one, and was not confirmed as such
└── WriteError              a write that did not happen as planned
    ├── WriteRefused        the bot will not send this edit; it goes back to review with the reason
    └── WriteStopped        the run must stop: the wiki's state is not what it should be
"""

from __future__ import annotations

import errno
import sys
import tempfile
import traceback
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bot.records import Edit

from bot.messages import Message, Value, export_sentence, one_line


class CodedError(Exception):
    """Base of all exceptions that say something: `message` is what, as a code with values."""

    def __init__(self, message: str | Message, /, **values: Value) -> None:
        """`message`: a message, or its code as the catalogues have it below `error.`, with the `values` that its sentence takes."""
        super().__init__(message)
        self.message = Message(f"error.{message}", **values) if isinstance(message, str) else message

    def __str__(self) -> str:
        return str(self.message)


class BotError(CodedError):
    """Base of all errors that are answered in one line; `exit_code` is the command's."""

    exit_code = 2

    def __init__(
        self, message: str | Message, /, *, where: str | Message = "", todo: str | Message = "", **values: Value
    ) -> None:
        """`todo`: the code of what to do, as the catalogues have it below `todo.`; its sentence takes the same `values`."""
        super().__init__(message, **values)
        self.where = where
        self.advice = Message(f"todo.{todo}", **values) if todo and isinstance(todo, str) else todo or None

    @property
    def full_message(self) -> Message:
        """Return all of it, for a reader of any language: what, where and what to do."""
        if not self.advice:
            return Message("error.at_what", what=self.message, where=self.where) if self.where else self.message
        code = "error.at" if self.where else "error.todo"
        return Message(code, what=self.message, todo=self.advice, where=self.where)

    def message_without(self, *places: str) -> Message:
        """Return what is said where one of these places is named already: the place is left out if it is that."""
        if self.where not in places:
            return self.full_message
        return Message("error.todo", what=self.message, todo=self.advice) if self.advice else self.message

    def line(self, language: str = "en") -> str:
        """Return the one line a person reads: where, what, what to do."""
        return one_line(export_sentence(self.full_message, language))

    def __str__(self) -> str:
        return self.line()


class InputError(BotError):
    """What was given on the command line or in a file cannot be used."""


class SourceError(InputError):
    """A corpus source does not exist, is empty, or is of no known format."""


class ItemsError(InputError):
    """A JSON-lines file has a bad line; `where` is path:line."""


class SettingsError(InputError):
    """The settings file has an unknown key, a wrong type or an impossible value."""


class WorkspaceError(BotError):
    """The workspace is missing, made by a newer version, or in use by another process."""


class FormulaError(BotError):
    """A TeX string has no tree; `position` counts characters from 0, `reason` is what is wrong without it."""

    def __init__(self, code: str, /, position: int = 0, **values: Value) -> None:
        super().__init__(Message(f"error.{code}", **values))
        self.reason, self.position = self.message, position
        self.message = Message("error.at_position", what=self.reason, n=position)


class DocumentError(BotError):
    """One document cannot be read; the run goes on without it."""


class OutOfTime(BotError):
    """A scheduled run has used up its time; raised between two units of work."""


class LookupFailed(BotError):
    """The wiki or its query service gave no trustworthy answer."""


class ReviewError(BotError):
    """A decision that cannot be recorded: unknown reviewer, unknown proposal, stale hash, no reason."""


class AlreadyWritten(ReviewError):
    """The proposal is written, so that no decision on it counts any more; `rows` are its rows of the ledger."""

    def __init__(self, proposal: str, rows: list[Edit]) -> None:
        self.rows = rows
        super().__init__(Message("error.written"), where=proposal, todo="undo")


class UnconfirmedEdit(ReviewError):
    """An edited formula does not compare as the proposed one: confirm the edit and approve each of its references."""


class WriteError(BotError):
    """A write that did not happen as planned."""


class WriteRefused(WriteError):
    """The bot will not send this edit; it goes back to review with the reason."""


class WriteStopped(WriteError):
    """The run must stop: an earlier statement changed, an unknown code came back, or a stop page says so."""


_SYSTEM_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.EMFILE, errno.EIO}


def system_error_message(error: OSError) -> Message | None:
    """Return what is to be said of an error of the machine (a full disk, missing rights), None for any other."""
    if error.errno not in _SYSTEM_ERRORS:
        return None
    file = str(error.filename) if error.filename else Message("at.file")
    return Message("error.surroundings", file=file, reason=str(error.strerror))


def report_unexpected(error: BaseException) -> Message:
    """Keep the traceback in a file and return what says so."""
    text = "".join(traceback.format_exception(error))
    line = short_text(error)
    try:
        with tempfile.NamedTemporaryFile(
            "w", prefix="formula-bot-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
        ) as file:
            file.write(f"{' '.join(sys.argv)}\n\n{text}")
    except OSError:
        return Message("error.own_unkept", what=line, folder=tempfile.gettempdir())
    return Message("error.own", what=line, file=file.name)


def short_text(error: BaseException) -> str:
    """Return an unexpected error as one short line: its class, and what it says."""
    return f"{type(error).__name__}: {' '.join(str(error).split())[:200]}".removesuffix(": ")
