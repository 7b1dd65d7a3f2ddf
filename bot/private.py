"""Files that this account alone may read: what a workspace makes, what is mended in it, locks, secrets.

While a workspace is open the process's umask keeps other accounts out of everything that is made: the database with
its logs, parts, reports, caches, pywikibot's folder. A file that a person names elsewhere gets the rights of their shell.
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

OTHERS = 0o077
KEY = "review.key"  # signs the sessions of the review page
# What the bot makes in a workspace or in the folder of an account; anything else there is not touched. A user-config.py
# that others can write to is pywikibot's to refuse: it holds code.
_OURS = (
    "bot.db", "lock", "lookup.db", "models", "occurrences", "pywikibot", "reports", KEY, "sandbox.db", "settings.toml",
    "pace.json", "pywikibot-", "user-password.py", "writer.lock",
)  # fmt: skip
_SHOWN = 5  # names in a line
_guard = threading.Lock()
_open = 0  # workspaces
_before = 0  # the umask without them


@dataclass(frozen=True, slots=True)
class Mended:
    """Names of what other accounts could use: mended, and left because it belongs to another account."""

    mended: tuple[str, ...] = ()
    left: tuple[str, ...] = ()

    def lines(self, folder: Path) -> Iterator[Message]:
        """Yield what a person is told."""
        for code, names in (("mended", self.mended), ("left", self.left)):
            if names:
                shown, more = ", ".join(names[:_SHOWN]), max(0, len(names) - _SHOWN)
                named: Message | str = Message("rights.and_more", names=shown, n=more) if more else shown
                yield Message(f"rights.{code}", folder=str(folder), names=named)


def keep_out() -> None:
    """Keep other accounts out of what this process makes, until `let_in` was called as often."""
    global _open, _before
    with _guard:
        if not _open:
            _before = os.umask(OTHERS)
            os.umask(_before | OTHERS)
        _open += 1


def let_in() -> None:
    """Undo one `keep_out`."""
    global _open
    with _guard:
        _open -= 1
        if not _open:
            os.umask(_before)


def mend(folder: Path, *, itself: bool = True) -> Mended:
    """Take the rights of other accounts from a folder and from what the bot made in it; links are not followed."""
    mended, left = [], []
    for path, name in (*([(folder.resolve(), "the folder")] if itself else ()), *_made(folder)):
        try:
            info = path.lstat()
            if stat.S_ISLNK(info.st_mode) or not info.st_mode & OTHERS or info.st_mode & stat.S_ISVTX:
                continue  # a folder such as /tmp, where everybody may make files, stays what it is
            if path.name == KEY:  # somebody may know it
                path.unlink()
            else:
                path.chmod(stat.S_IMODE(info.st_mode) & ~OTHERS)
            mended.append(name)
        except FileNotFoundError:  # made and taken away by another process
            continue
        except OSError:
            left.append(name)
    return Mended(tuple(mended), tuple(left))


def _made(folder: Path) -> Iterator[tuple[Path, str]]:
    for first in sorted(p for p in folder.iterdir() if p.name.startswith(_OURS)):
        yield first, first.name
        if first.is_dir() and not first.is_symlink():
            for base, folders, files in os.walk(first):
                for name in (*folders, *files):
                    path = Path(base, name)
                    yield path, str(path.relative_to(folder))


def open_lock(path: Path) -> int:
    """Open a lock's file, made where there is none; the caller locks and closes it.

    Raises WorkspaceError for a link or anything else that is no file of its own: whoever made it chose what is written.
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


def secret(path: Path) -> str:
    """Return the secret that a file holds, made once; processes that ask at the same time get the same one.

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
def _rights_of_the_shell() -> Iterator[None]:
    with _guard:
        narrow = os.umask(_before) if _open else None
        try:
            yield
        finally:
            if narrow is not None:
                os.umask(narrow)


def write_out(path: Path, text: str, workspace: Path, *, newline: str | None = None) -> None:
    """Write a file that a person named: in the workspace for this account alone, elsewhere as their shell would."""
    if path.resolve().is_relative_to(workspace.resolve()):
        path.write_text(text, encoding="utf-8", newline=newline)
        path.chmod(0o600)
        return
    with _rights_of_the_shell():
        path.write_text(text, encoding="utf-8", newline=newline)
