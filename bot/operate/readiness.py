"""Whether a scheduled run can do what its settings say: looked at before a site is asked or a workspace is touched."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

from bot.errors import BotError, SettingsError, WorkspaceError
from bot.items_file import ItemRow, read_items
from bot.messages import languages
from bot.private import OTHERS
from bot.settings import Settings, environment
from bot.write.authorise import authorise

_LEAST_FREE = 256 * 2**20  # bytes: chosen, the workspace, reports and caches of a small corpus
_THIS_MACHINE = ("127.0.0.1", "localhost", "::1")
_SECURITY = ("starttls", "tls", "none")
ACCOUNT_FILES = ("user-config.py", "user-password.py")


def ready(settings: Settings, base: Path) -> list[ItemRow]:
    """Raise what is wrong with the first thing that is: BotError. Return the rows of the items file."""
    run, where = settings.run, settings.path
    from bot.audit import audits_of

    for name in run.audits:
        if name not in audits_of(settings):
            raise SettingsError(
                f"run.audits names {name!r}", where=where, todo=f"known: {', '.join(audits_of(settings))}"
            )
    rows = read_items(base / run.items) if run.items else []
    if problem := next(problems(settings, base), None):
        raise problem
    if run.crawl:
        from bot.corpus.crawl.run import check_order

        for order in run.crawl:
            check_order(order, settings)
    folders = crawled_folders(settings, base)
    sources = [str(base / source) for source in run.sources]
    if there := [each for each in sources if not any(f.is_relative_to(Path(each).resolve()) for f in folders)]:
        from bot.corpus.probe import probe

        probe(there)
    return rows


def crawled_folders(settings: Settings, base: Path) -> list[Path]:
    """Return the folders that the orders of [[run.crawl]] fill."""
    return list(dict.fromkeys((base / order.into).resolve() for order in settings.run.crawl))


def problems(settings: Settings, base: Path) -> Iterator[BotError]:
    """Yield what would end a run late: contact, folders, disk, notification, the rights to write."""
    where, run = settings.path, settings.run
    host = urlsplit(settings.wiki.api).hostname or ""
    if not settings.agent.contact and not run.items and host not in _THIS_MACHINE:
        todo = "name your user page or address under [agent] in the settings"
        yield SettingsError(f"agent.contact is empty: {host} is not asked without it", where=where, todo=todo)
    for name in (run.workspace, run.logs):
        yield from _folder(base / name)
    yield from _notifying(settings)
    if run.write and not run.items:
        try:
            authorise(settings.wiki, settings)
        except BotError as error:
            yield SettingsError(f"run.write is true, and {error.what}", where=where, todo=error.todo)
        else:
            yield from account_files(settings)


def _folder(folder: Path) -> Iterator[BotError]:
    """The folder, or the nearest one above it that is there, can be written to and has room."""
    above = next(path for path in (folder, *folder.resolve().parents) if path.exists())
    if not above.is_dir():
        yield WorkspaceError("is no folder", where=str(above), todo="choose another place in the settings")
    elif not os.access(above, os.W_OK | os.X_OK):
        yield WorkspaceError(
            "cannot be written to", where=str(above), todo="give this account the right to write there"
        )
    elif (free := shutil.disk_usage(above).free) < _LEAST_FREE:
        what = f"has {free / 2**20:.0f} MiB free, and a run needs {_LEAST_FREE // 2**20}"
        yield WorkspaceError(what, where=str(above), todo="make room")


def account_files(settings: Settings) -> Iterator[BotError]:
    """pywikibot's files of the account: they are there, and nobody else can read them."""
    folder = Path(settings.writing.pywikibot_dir or ".")
    missing = [name for name in ACCOUNT_FILES if not (folder / name).is_file()]
    if missing:
        yield SettingsError(
            f"{folder} has no {' and no '.join(missing)}", where="account", todo="copy user-config.py.example there"
        )
        return
    loose = [name for name in ACCOUNT_FILES if stat.S_IMODE((folder / name).stat().st_mode) & OTHERS]
    if loose:
        what = f"others can read {' and '.join(loose)} in {folder}"
        yield SettingsError(what, where="account", todo=f"chmod 600 {' '.join(loose)}")


def _notifying(settings: Settings) -> Iterator[BotError]:
    notify, where = settings.notify, settings.path
    addresses = (*notify.operators, *(each.email for each in notify.reviewers))

    def wrong(what: str, todo: str) -> SettingsError:
        return SettingsError(what, where=where, todo=todo)

    if bad := [each for each in addresses if "@" not in each.strip("@")]:
        yield wrong(f"notify: {bad[0]!r} is no e-mail address", "write it as name@example.org")
    if nameless := [each.email for each in notify.reviewers if not each.name]:
        yield wrong(f"notify.reviewers: {nameless[0]} has no name", "name the reviewer as decisions do")
    if addresses and not (notify.smtp_host and "@" in notify.sender):
        yield wrong("notify needs smtp_host and sender", "name the mail server and the address that mails come from")
    if notify.smtp_security not in _SECURITY:
        yield wrong(f"notify.smtp_security is {notify.smtp_security!r}", f"known: {', '.join(_SECURITY)}")
    elif notify.smtp_security == "none" and notify.smtp_host not in ("", *_THIS_MACHINE):
        yield wrong("notify.smtp_security is none for another machine", "use starttls or tls")
    if notify.smtp_user and not environment("SMTP_PASSWORD"):
        yield wrong("notify.smtp_user has no password", "put it into FORMULA_BOT_SMTP_PASSWORD of the environment")
    address = urlsplit(notify.webhook)
    if notify.webhook and address.scheme != "https" and address.hostname not in _THIS_MACHINE:
        yield wrong("notify.webhook is neither on HTTPS nor on this machine", "give its https:// address")
    for language in {notify.language, *(each.language or notify.language for each in notify.reviewers)}:
        if language not in languages():
            yield wrong(f"notify: there is no catalogue for {language!r}", f"known: {', '.join(languages())}")
