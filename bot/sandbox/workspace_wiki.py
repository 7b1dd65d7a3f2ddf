"""The workspace's own rehearsal wiki: filled once from an items file, started again by every later stage."""

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from bot import store
from bot.console import print_message
from bot.errors import WorkspaceError
from bot.items_file import read_items
from bot.sandbox.accounts import BOT_PASSWORD, BOT_PASSWORD_NAME, BOT_USER
from bot.sandbox.entity_json import RawJson
from bot.sandbox.site import NOTICE
from bot.sandbox.wiki_server import Sandbox
from bot.settings import Settings, Wiki
from bot.store import Workspace

_FILE = "sandbox.db"


@contextmanager
def open_wiki(workspace: Workspace, settings: Settings, items: str | Path | None = None) -> Iterator[Wiki]:
    """Yield the wiki to work on: the workspace's rehearsal wiki where there is one or `items` asks for one.

    With `items` the wiki is filled from that file, once for each content, and remembered; without, the configured
    wiki is yielded unless the workspace remembers a rehearsal wiki. A file with a bad line raises ItemsError before
    anything has changed; other items than those of a wiki that has been edited raise WorkspaceError, and so does
    another wiki than the one that the workspace has proposals for.
    """
    if items is not None:
        _refuse_other_wiki(workspace, None)
        _prepare(workspace, settings, items)
    remembered = workspace.get("world")
    if not remembered:
        _refuse_other_wiki(workspace, settings.wiki)
        yield settings.wiki
        return
    path = workspace.path / _FILE
    if not path.exists():
        raise WorkspaceError("wiki_gone", where=str(path), todo="match_items")
    with _open_existing(path, settings) as sandbox:
        yield replace(sandbox.wiki, language=settings.wiki.language, properties=settings.wiki.properties)


def serve(items: str | Path | None = None, port: int = 0, like: Wiki | None = None, script: str = "") -> None:
    """Serve a rehearsal wiki until interrupted; it lives in memory and forgets everything at the end.

    Its namespace of items and the numbers of its properties are those of the wiki that it is `like`; its item pages load `script`.
    """
    like = like or Wiki()
    rows = read_items(items) if items is not None else []
    with (
        Sandbox(port=port, properties=like.properties, item_namespace=like.item_namespace) as sandbox,
        contextlib.suppress(KeyboardInterrupt),
    ):
        count = sandbox.fill(rows)
        if script:
            sandbox.set_page("MediaWiki:Common.js", script)
        wiki = sandbox.wiki
        print(f"{NOTICE}\n{sandbox.address}  {count} items")
        print(f"Action API  {wiki.api}\nSPARQL      {wiki.sparql}\nEntities    {wiki.entity_prefix}")
        print(f"Account     {BOT_USER}@{BOT_PASSWORD_NAME}  password {BOT_PASSWORD}\nCtrl-C ends it.", flush=True)
        threading.Event().wait()
    print_message("wiki_ended")


def _refuse_other_wiki(workspace: Workspace, wiki: Wiki | None) -> None:
    """Raise WorkspaceError where proposals are about items of another wiki than `wiki`, None being the rehearsal wiki.

    The same Q-number is another item there: what was approved for one wiki must not reach the other.
    """
    known = workspace.get("proposed_to")
    if known and known != (wiki and [wiki.name, wiki.entity_prefix]) and workspace.count(store.proposals):
        name, address = known
        raise WorkspaceError(
            "other_wiki", wiki=name, address=address, where=str(workspace.path), todo="settings_of_wiki"
        )


def _prepare(workspace: Workspace, settings: Settings, items: str | Path) -> None:
    """Make the workspace's wiki that of this items file, unless it is already."""
    rows = read_items(items)
    digest = _digest(rows, settings)
    path = workspace.path / _FILE
    stored, edits = _origin_and_edits(path)
    if stored != digest:
        if edits:
            raise WorkspaceError("wiki_edited", n=edits, where=str(workspace.path), todo="new_workspace")
        _build(path, rows, digest, settings)
    if workspace.get("world") != {"kind": "sandbox", "digest": digest}:
        workspace.put("world", {"kind": "sandbox", "digest": digest})


def _build(path: Path, rows: Sequence[RawJson], digest: str, settings: Settings) -> None:
    """Fill a wiki beside its place and move it there whole: an interrupted fill leaves nothing."""
    for stale in path.parent.glob(f"{_FILE}.new-*"):
        stale.unlink(missing_ok=True)
    new = path.with_name(f"{_FILE}.new-{os.getpid()}")
    try:
        sandbox = Sandbox(new, properties=settings.wiki.properties, item_namespace=settings.wiki.item_namespace)
        try:
            sandbox.fill(rows)
            with sandbox.site.db.writing():
                sandbox.site.db.set_meta("digest", digest)
        finally:
            sandbox.close()
        for rest in ("-wal", "-shm"):
            path.with_name(_FILE + rest).unlink(missing_ok=True)
        os.replace(new, path)
    except (OSError, sqlite3.Error) as error:
        raise WorkspaceError("wiki_unmakable", why=str(error), where=str(path)) from None
    finally:
        for rest in ("", "-wal", "-shm"):
            new.with_name(new.name + rest).unlink(missing_ok=True)


def _origin_and_edits(path: Path) -> tuple[str, int]:
    """Return what a rehearsal wiki was filled from, and how many edits have been made on it since."""
    if not path.exists():
        return "", 0
    try:
        with contextlib.closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as db:
            row = db.execute("SELECT value FROM meta WHERE key = 'digest'").fetchone()
            edits = db.execute("SELECT count(*) FROM changes").fetchone()[0]
    except sqlite3.Error as error:
        raise WorkspaceError("no_rehearsal_wiki", why=str(error), where=str(path), todo="remove_or_new") from None
    return (row[0] if row else ""), int(edits)


def wiki_state(workspace: Workspace) -> str:
    """Return what tells the rehearsal wiki of a workspace, as it is now, from itself at any other time."""
    digest, edits = _origin_and_edits(workspace.path / _FILE)
    return f"{digest} {edits}"


@contextmanager
def _open_existing(path: Path, settings: Settings) -> Iterator[Sandbox]:
    _origin_and_edits(path)  # one line for a damaged file instead of a traceback
    with Sandbox(path, properties=settings.wiki.properties) as sandbox:
        sandbox.fill(())  # properties that the settings have named since
        yield sandbox


def _digest(rows: Sequence[RawJson], settings: Settings) -> str:
    ids = settings.wiki.properties
    content = [rows, ids.defining_formula, ids.instance_of]
    content += [settings.wiki.item_namespace] if settings.wiki.item_namespace else []
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
