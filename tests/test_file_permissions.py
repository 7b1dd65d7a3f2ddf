"""What a workspace holds is its account's alone: folders 0700, files 0600, locks that follow no link."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
import schema_dumps
import sqlalchemy as sa
from cli_runner import CORPUS, ITEMS, SETTINGS, call

from bot import file_permissions, store
from bot.errors import WorkspaceError
from bot.file_permissions import restore_umask, restrict_umask, write_named_file
from bot.review.web.app import make_app
from bot.settings import load
from bot.store import Workspace
from bot.write.rate_limit import RateLimiter, lock_account


@pytest.fixture(autouse=True)
def _usual_umask(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No workspace of another test counts as open here."""
    monkeypatch.setattr(file_permissions, "_open_workspaces", 0)
    before = os.umask(0o022)
    yield
    assert os.umask(before) == 0o022


def _loose(folder: Path) -> list[str]:
    everything = [folder, *folder.rglob("*")]
    return [str(p) for p in everything if not p.is_symlink() and stat.S_IMODE(p.stat().st_mode) & 0o077]


def test_the_whole_way_makes_nothing_that_another_account_can_read(tmp_path: Path) -> None:
    w, corpus = tmp_path / "w", tmp_path / "corpus"
    corpus.mkdir()
    for file in ("cnxml/m-relativity.cnxml", "latexml/lecture-relativity.html"):
        (corpus / file).parent.mkdir(exist_ok=True)
        shutil.copy(CORPUS / file, corpus / file)
    at = ("-w", w, "--config", SETTINGS)
    call("discover", corpus, "--items", ITEMS, *at).well()
    call("match", "--items", ITEMS, *at).well()
    call("propose", *at).well()
    call("review", "add-reviewer", "Ada", *at).well()
    call("review", "export", w / "reports" / "packet.csv", *at).well()
    with Workspace.open(w) as opened:
        make_app(opened, load(), hosts=["127.0.0.1"])
        with opened.lock("a stage"):
            opened.put("x", 1)
            assert (w / "bot.db-wal").exists()
            assert _loose(w) == []
    assert (w / "review.key").stat().st_size >= 64
    assert _loose(w) == []
    for path in w.iterdir():
        path.chmod(path.stat().st_mode | 0o044)
    Workspace.open(w).close()
    assert _loose(w) == []  # each of them is known as one of the bot's


def test_a_live_run_on_the_rehearsal_wiki_leaves_nothing_open(tmp_path: Path) -> None:
    w = schema_dumps.load("schema-22", tmp_path / "w")
    with Workspace.open(w) as opened, lock_account(w / "pywikibot"), RateLimiter(w / "pywikibot", 0.0).slot():
        assert _loose(opened.path) == []


def test_looser_rights_are_named_and_mended_and_said_once(tmp_path: Path) -> None:
    w = schema_dumps.load("schema-22", tmp_path / "w")
    (w / "reports").mkdir()
    (w / "reports" / "dry-run.html").write_text("x")
    (w / "settings.toml").write_text("")
    (w / "mine.txt").write_text("not the bot's")
    (w / "reports" / "elsewhere").symlink_to(w / "mine.txt")
    said = call("export", "decisions", "-w", w).well()
    assert "the rights are mended" in said.err
    for name in ("the folder", "bot.db", "settings.toml", "reports/dry-run.html"):
        assert name in said.err
    assert _loose(w) == [str(w / "mine.txt")]
    assert call("export", "decisions", "-w", w).well().err == ""


def test_what_belongs_to_another_account_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    w = schema_dumps.load("schema-22", tmp_path / "w")

    def refused(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", refused)
    said = call("export", "decisions", "-w", w).well()
    assert "their owner should take those rights away" in said.err


def test_a_folder_for_everybody_keeps_its_rights(tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    (tmp_path / "all").chmod(0o1777)
    Workspace.open(tmp_path / "all").close()
    assert stat.S_IMODE((tmp_path / "all").stat().st_mode) == 0o1777


def test_a_file_that_is_named_elsewhere_has_the_rights_of_the_shell(tmp_path: Path) -> None:
    w = schema_dumps.load("schema-22", tmp_path / "w")
    call("review", "export", tmp_path / "packet.csv", "-w", w).well()
    assert stat.S_IMODE((tmp_path / "packet.csv").stat().st_mode) == 0o644


def test_the_umask_is_as_before_when_the_last_workspace_closes(tmp_path: Path) -> None:
    one, two = Workspace.open(tmp_path / "a"), Workspace.open(tmp_path / "b")
    one.close()
    one.close()
    assert os.umask(0o077) == 0o077
    two.close()
    (tmp_path / "a" / "bot.db").write_bytes(b"no database" * 100)
    with pytest.raises(WorkspaceError):
        Workspace.open(tmp_path / "a")


@pytest.mark.parametrize(("own", "restricted"), [(0o022, 0o077), (0o077, 0o077), (0o222, 0o277), (0, 0o077)])
def test_the_umask_keeps_what_it_withheld_before(own: int, restricted: int) -> None:
    usual = os.umask(own)
    try:
        for opened in (restrict_umask, restrict_umask, restore_umask):
            opened()
            assert os.umask(restricted) == restricted
        restore_umask()
        assert os.umask(own) == own
    finally:
        os.umask(usual)


def test_a_named_file_in_the_workspace_is_this_accounts_alone(tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    for place, mode in (
        (tmp_path / "w" / "a", 0o600),
        (tmp_path / "w" / ".." / "w" / "a", 0o600),
        (tmp_path / "b", 0o644),
    ):
        write_named_file(place, "é\n", tmp_path / "w")
        assert (stat.S_IMODE(place.stat().st_mode), place.read_bytes()) == (mode, "é\n".encode())


@pytest.mark.parametrize("name", ["bot.db", "bot.db-wal", "settings.toml", "occurrences/x", "review.key", "../link"])
def test_a_named_file_replaces_none_of_the_bots_own(name: str, tmp_path: Path) -> None:
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / "bot.db").write_text("precious")
    (tmp_path / "link").symlink_to(tmp_path / "w" / "bot.db")
    with pytest.raises(WorkspaceError, match="own files; take another name"):
        write_named_file(tmp_path / "w" / name, "text", tmp_path / "w")
    assert (tmp_path / "w" / "bot.db").read_text() == "precious"


@pytest.mark.parametrize("name", ["reports/x.html", "occurrences.jsonl", "models.ttl"])
def test_a_named_file_may_lie_beside_them(name: str, tmp_path: Path) -> None:
    (tmp_path / "w" / "reports").mkdir(parents=True)
    write_named_file(tmp_path / "w" / name, "text", tmp_path / "w")
    assert (tmp_path / "w" / name).read_text() == "text"


@pytest.mark.parametrize("kind", ["link", "dangling", "pipe"])
def test_no_lock_follows_a_link(kind: str, tmp_path: Path) -> None:
    target = tmp_path / "precious"
    if kind == "link":
        target.write_text("precious")
    with Workspace.open(tmp_path / "w") as workspace:
        folder = workspace.path
        for name in ("lock", "writer.lock", "pace.json", "review.key"):
            os.mkfifo(folder / name) if kind == "pipe" else (folder / name).symlink_to(target)
        takes = (
            lambda: workspace.lock("a stage"),
            lambda: lock_account(folder),
            lambda: RateLimiter(folder, 0.0).slot(),
        )
        for take in takes:
            with pytest.raises(WorkspaceError, match=r"link|plain file"), take():
                pass
        with pytest.raises(WorkspaceError, match=r"link|plain file"):
            file_permissions.stored_secret(folder / "review.key")
    assert target.exists() == (kind == "link")
    if kind == "link":
        assert target.read_text() == "precious"


def test_the_key_of_sessions_is_in_a_file_of_its_own_and_not_in_the_database(tmp_path: Path) -> None:
    w = schema_dumps.load("schema-22", tmp_path / "w")
    with Workspace.open(w) as workspace:
        apps = [make_app(workspace, load(), hosts=["127.0.0.1"]) for _ in range(2)]
        assert workspace.rows(sa.select(store.meta.c.key).where(store.meta.c.key.contains("secret"))) == []
    key = (w / "review.key").read_text().strip()
    assert {app.config["SECRET_KEY"] for app in apps} == {key}
    assert stat.S_IMODE((w / "review.key").stat().st_mode) == 0o600
    assert key not in schema_dumps.dump(w)


def test_a_key_that_others_could_read_is_made_anew(tmp_path: Path) -> None:
    Workspace.open(tmp_path / "w").close()
    key = file_permissions.stored_secret(tmp_path / "w" / file_permissions.KEY)
    Workspace.open(tmp_path / "w").close()
    assert file_permissions.stored_secret(tmp_path / "w" / file_permissions.KEY) == key
    (tmp_path / "w" / file_permissions.KEY).chmod(0o644)
    Workspace.open(tmp_path / "w").close()
    assert file_permissions.stored_secret(tmp_path / "w" / file_permissions.KEY) != key


def test_a_settings_file_elsewhere_with_a_password_is_named(tmp_path: Path) -> None:
    file = tmp_path / "bot.toml"
    file.write_text('database = "mysql+pymysql://bot:secret@127.0.0.1/bot"\n')
    from bot.settings import readable_secret

    assert "chmod 600" in str(readable_secret(load(file)))
    assert "secret@" not in str(readable_secret(load(file)))
    file.chmod(0o600)
    assert readable_secret(load(file)) is None
