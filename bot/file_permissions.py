"""Permissions of files: a workspace, its locks and secrets can be read by this account only.

While a workspace is open, the umask of the process withholds all rights from other accounts: on the database and
its logs, shards, reports, caches, pywikibot's folder. A file that a person names elsewhere gets the rights of their shell.
"""

import fcntl
import os
import re
import secrets
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.errors import WorkspaceError
from bot.messages import Message

OTHER_ACCOUNTS = 0o077
KEY = "review.key"  # signs the sessions of the review page
# What the bot makes in a workspace or in the folder of an account; anything else there is not touched. A user-config.py
# that others can write to is pywikibot's to refuse: it holds code.
_NAMES_OF_BOT = (
    "bot.db", "counted.parquet", "kept.db", "lock", "lookup.db", "models", "occurrences", "pywikibot", "reports", KEY, "sandbox.db",
    "settings.toml", "symbols.parquet", "pace.json", "pywikibot-", "user-password.py", "writer.lock",
)  # fmt: skip
_OUTPUT = "reports"  # the only one in which a person may name a file
_DATABASES = ("bot.db", "kept.db", "lookup.db", "sandbox.db")  # with their logs beside them
_NAMES_SHOWN = 5  # names in a line
_umask_lock = threading.Lock()
_open_workspaces = 0  # workspaces
_original_umask = 0  # the umask without them


@dataclass(frozen=True, slots=True)
class RepairedPermissions:
    """Names of files that other accounts could use: repaired (`mended`), or `left` because they belong to another account."""

    mended: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def lines(self, folder: Path) -> Iterator[Message]:
        """Yield the messages for the user."""
        for code, names in (("mended", self.mended), ("left", self.left)):
            if names:
                shown, remaining = ", ".join(names[:_NAMES_SHOWN]), max(0, len(names) - _NAMES_SHOWN)
                named: Message | str = Message("rights.and_more", names=shown, n=remaining) if remaining else shown
                yield Message(f"rights.{code}", folder=str(folder), names=named)


def restrict_umask() -> None:
    """Withhold rights from other accounts on new files, until `restore_umask` was called as often."""
    global _open_workspaces, _original_umask
    with _umask_lock:
        if not _open_workspaces:
            _original_umask = os.umask(OTHER_ACCOUNTS)
            os.umask(_original_umask | OTHER_ACCOUNTS)
        _open_workspaces += 1


def restore_umask() -> None:
    """Undo one `restrict_umask`."""
    global _open_workspaces
    with _umask_lock:
        _open_workspaces -= 1
        if not _open_workspaces:
            os.umask(_original_umask)


def repair_permissions(folder: Path, *, itself: bool = True) -> RepairedPermissions:
    """Remove the rights of other accounts from a folder and the bot's files in it; links are not followed."""
    mended, left = [], []
    for path, name in (*([(folder.resolve(), "the folder")] if itself else ()), *_files_of_bot(folder)):
        try:
            info = path.lstat()
            if stat.S_ISLNK(info.st_mode) or not info.st_mode & OTHER_ACCOUNTS or info.st_mode & stat.S_ISVTX:
                continue  # a folder such as /tmp, where everybody may make files, stays what it is
            if path.name == KEY:  # somebody may know it
                path.unlink()
            else:
                path.chmod(stat.S_IMODE(info.st_mode) & ~OTHER_ACCOUNTS)
            mended.append(name)
        except FileNotFoundError:  # made and taken away by another process
            continue
        except OSError:
            left.append(name)
    return RepairedPermissions(tuple(mended), tuple(left))


def _files_of_bot(folder: Path) -> Iterator[tuple[Path, str]]:
    for first in sorted(p for p in folder.iterdir() if p.name.startswith(_NAMES_OF_BOT)):
        yield first, first.name
        if first.is_dir() and not first.is_symlink():
            for base, folders, files in os.walk(first):
                for name in (*folders, *files):
                    path = Path(base, name)
                    yield path, str(path.relative_to(folder))


def open_lock(path: Path) -> int:
    """Open the file of a lock, creating it if missing; the caller locks and closes it.

    Raises WorkspaceError for a link or anything else that is not a regular file: its owner would choose what is written.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o600)
    except OSError as error:
        if path.is_symlink():
            raise WorkspaceError("link", where=str(path), todo="remove_it") from None
        raise WorkspaceError("unopenable", reason=str(error.strerror), where=str(path)) from None
    if not stat.S_ISREG(os.fstat(file).st_mode):
        os.close(file)
        raise WorkspaceError("no_plain_file", where=str(path), todo="remove_it")
    return file


def stored_secret(path: Path) -> str:
    """Return the secret of a file, which is created once; concurrent processes get the same one.

    Raises WorkspaceError where the file is a link or holds something else.
    """
    file = open_lock(path)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        text = os.pread(file, 200, 0).decode("ascii", "replace").strip()
        if not text:
            text = secrets.token_hex(32)
            os.pwrite(file, f"{text}\n".encode(), 0)
    finally:
        os.close(file)
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise WorkspaceError("no_key", where=str(path), todo="remove_key")
    return text


@contextmanager
def _with_original_umask() -> Iterator[None]:
    with _umask_lock:
        narrow = os.umask(_original_umask) if _open_workspaces else None
        try:
            yield
        finally:
            if narrow is not None:
                os.umask(narrow)


def write_named_file(path: Path, text: str, workspace: Path, *, newline: str | None = None) -> None:
    """Write a file that a person named: readable by this account only in the workspace, with the rights of their shell elsewhere.

    Raises WorkspaceError for one of the bot's own files there, such as its database, which the text would replace.
    """
    if (resolved := path.resolve()).is_relative_to(folder := workspace.resolve()):
        first = next(iter(resolved.relative_to(folder).parts), "")
        if first.startswith(_DATABASES) or (first in _NAMES_OF_BOT and first != _OUTPUT):
            raise WorkspaceError("own_file", where=str(path), todo="other_name")
        path.write_text(text, encoding="utf-8", newline=newline)
        path.chmod(0o600)
        return
    with _with_original_umask():
        path.write_text(text, encoding="utf-8", newline=newline)
