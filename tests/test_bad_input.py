"""Bad input: one clear line that says where, what and what to do, exit code 2, and nothing made or changed."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import shutil
import sqlite3
import tarfile
import threading
import time
import zipfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from cli_runner import CORPUS, ITEMS, call, dump, few_documents, files, process
from time_limit import at_most

CNXML = CORPUS / "cnxml" / "m-atoms.cnxml"
CLOSED = "http://127.0.0.1:9"  # the discard port: nobody listens


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory, proposed_examples: Path) -> Path:
    path = Path(shutil.copytree(proposed_examples, tmp_path_factory.mktemp("bad") / "w"))
    call("review", "add-reviewer", "Ada", "-w", path).well()
    return path


@pytest.fixture
def w(proposed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(proposed, tmp_path / "w"))


@contextmanager
def _unchanged(w: Path) -> Iterator[None]:
    before = dump(w), files(w)
    yield
    assert (dump(w), files(w)) == before


def _settings(folder: Path, text: str) -> Path:
    path = folder / "given.toml"
    path.write_text(text, encoding="utf-8")
    return path


def _at(address: str) -> str:
    return f'[agent]\ncontact = "x"\n[wiki]\nname = "here"\napi = "{address}/w/api.php"\nsparql = "{address}/sparql"\n'


# Sources

BROKEN = {
    "empty.cnxml": (b"", "is empty"),
    "binary.bin": (bytes(range(256)) * 8, "binary"),
    "binary.html": (bytes(range(256)) * 8, "binary"),
    "cut.cnxml": (CNXML.read_bytes()[:900], "XML"),
    "cut.xml": (b'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><page><title>A', "page"),
    "cut.xhtml": (b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><math alttext="a=b', ""),
    "latin.wiki": ("Schrödinger: <math>a=b</math> ".encode("latin-1"), "utf-8"),
    "cut.cnxml.gz": (gzip.compress(CNXML.read_bytes())[:300], "cut off"),
    "no.gz": (b"this is not an archive at all", ""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_source_that_cannot_be_read_makes_no_workspace(tmp_path: Path, name: str) -> None:
    content, word = BROKEN[name]
    path = tmp_path / name
    path.write_bytes(content)
    if name == "cut.xhtml" and call("discover", path, "-w", tmp_path / "w").code < 2:
        return  # what is HTML as well is read as browsers do
    call("discover", path, "-w", tmp_path / "w").refused(path, word)
    assert not (tmp_path / "w").exists()


@pytest.mark.parametrize("name", ["c.zip", "c.tar", "c.tar.gz", "c.tar.bz2"])
def test_an_archive_cut_in_half_is_refused_before_anything_is_made(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    if name.endswith("zip"):
        with zipfile.ZipFile(path, "w") as archive:
            for file in sorted((CORPUS / "cnxml").iterdir()):
                archive.write(file, file.name)
    else:
        with tarfile.open(path, f"w:{name.partition('.tar')[2].strip('.')}") as tar:
            tar.add(CORPUS / "cnxml", "cnxml")
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    call("discover", path, "-w", tmp_path / "w").refused(path, "cut off", "again")
    assert not (tmp_path / "w").exists()
    path.write_bytes(whole)
    assert call("discover", path, "--json", "-w", tmp_path / "w").well().rows[0]["documents"] == 14


def test_what_is_not_there_or_empty_makes_no_workspace(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for source, word in (("empty", "empty"), ("none", "no such"), ("*.none", "matches no file")):
        call("discover", tmp_path / source, "-w", tmp_path / "w").refused(tmp_path / source, word, "check the path")
    assert not (tmp_path / "w").exists()


def test_a_broken_document_among_sound_ones_is_skipped_named_and_counted(tmp_path: Path) -> None:
    shutil.copytree(CORPUS / "cnxml", tmp_path / "c")
    (tmp_path / "c" / "broken.cnxml").write_bytes(BROKEN["cut.cnxml"][0])
    said = call("discover", tmp_path / "c", "-w", tmp_path / "w").well()
    assert "broken.cnxml" in said.err
    assert said.out.split("skipped")[1].split()[0] == "1"


def test_bad_sources_change_nothing_in_a_workspace_that_is_there(w: Path, tmp_path: Path) -> None:
    (tmp_path / "cut.cnxml").write_bytes(BROKEN["cut.cnxml"][0])
    with _unchanged(w):
        call("discover", tmp_path / "cut.cnxml", "-w", w).refused("cut.cnxml")
        call("discover", tmp_path / "none", "-w", w).refused("none")


# Items, queries, settings

ROWS = {
    "no JSON": '{"qid": "Q2", ',
    "no object": "[1, 2]",
    "no qid": '{"label": "x"}',
    "qid is a number": '{"qid": 2}',
    "no id of an item": '{"qid": "P31"}',
    "aliases are not a list": '{"qid": "Q2", "aliases": "x"}',
    "formulas are not strings": '{"qid": "Q2", "formulas": [1]}',
    "bytes": "\x00\x01\x02",
}


@pytest.mark.parametrize("command", ["discover", "match", "recognise", "serve"])
@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_a_bad_line_of_an_items_file_is_named(tmp_path: Path, proposed: Path, command: str, row: str) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"qid": "Q1", "label": "one", "formulas": []}\n\n' + row + "\n", encoding="utf-8")
    commands = {
        "discover": ("discover", CORPUS, "--items", path, "-w", tmp_path / "w"),
        "match": ("match", "--items", path, "-w", proposed),
        "recognise": ("recognise", "--items", path, "--queries", "-"),
        "serve": ("sandbox", "serve", "--items", path),
    }
    with _unchanged(proposed):
        call(*commands[command]).refused(f"{path}:3", "mend or remove that line")
    assert not (tmp_path / "w").exists()


def test_items_that_are_no_file_or_none_at_all(tmp_path: Path, w: Path) -> None:
    (tmp_path / "nothing.jsonl").write_text("\n\n", encoding="utf-8")
    with _unchanged(w):
        call("match", "--items", tmp_path, "-w", w).refused(tmp_path, "directory")
        call("match", "--items", tmp_path / "none", "-w", w).refused("no such file")
        call("match", "--items", tmp_path / "nothing.jsonl", "-w", w).refused("holds no item")


def test_an_item_named_twice_is_one_item(tmp_path: Path) -> None:
    rows = [{"qid": "Q1", "label": "mass-energy", "formulas": [f]} for f in ("E=mc^2", "E_0=m_0c^2")]
    (tmp_path / "i.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    call("discover", few_documents(tmp_path / "c"), "-w", tmp_path / "w").well()
    call("match", "--items", tmp_path / "i.jsonl", "-w", tmp_path / "w").well()
    (answer,) = call("recognise", "--items", tmp_path / "i.jsonl", "--queries", "-", stdin='{"tex": "E=mc^2"}').rows
    assert [hit["qid"] for hit in answer["hits"]] == ["Q1"]


@pytest.mark.parametrize("command", ["formula", "compare", "recognise"])
@pytest.mark.parametrize("line", ["{", '"x"', '{"tex": 1, "a": 1}', '{"id": 3}', "\xff"])
def test_a_bad_line_of_a_queries_file_is_named(command: str, line: str) -> None:
    option = ("--items", ITEMS, "--queries", "-") if command == "recognise" else ("--input", "-")
    call(command, *option, stdin=line.encode("latin-1")).refused("<stdin>:1", "mend or remove that line")


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("surprise = 1", "surprise"),
        ("[agent]\nsurprise = 1", "agent.surprise"),
        ("[agent", "TOML"),
        ('[agent]\ntimeout = "long"', "agent.timeout"),
        ("[discovery]\nencodings = [1]", "discovery.encodings"),
        ("wiki = 3", "wiki"),
        ("[agent]\ntimeout = -1", "agent.timeout must be from 1"),
        ("[writing]\nedits_a_day = -1", "writing.edits_a_day must be from 0 to 1000000, not -1"),
        ("[[run.crawl]]\nlimit = -1", "run.crawl[0].limit must be from 0"),
        ("[[run.crawl]]\ndepth = -1", "run.crawl[0].depth must be from 0 to 20"),
        ("[agent]\ntimeout = nan", "agent.timeout"),
        ('[agent]\ncontact = "a\\nb"', "agent.contact"),
        ("[proposing]\npropose_from = 9.0", "proposing.propose_from"),
    ],
)
def test_settings_that_cannot_be_meant_are_named(tmp_path: Path, w: Path, text: str, word: str) -> None:
    config = _settings(tmp_path, text)
    call("discover", CORPUS, "-w", tmp_path / "new", "--config", config).refused(config, word)
    assert not (tmp_path / "new").exists()
    with _unchanged(w):
        for args in (("match",), ("propose",), ("write",), ("audit",), ("review", "list"), ("export", "concepts")):
            call(*args, "-w", w, "--config", config).refused(config, word)


@pytest.mark.parametrize("database", ["nonsense", "nonsense://host/name", "sqlite:////none/at/all.db"])
def test_a_shared_database_that_cannot_be_used(tmp_path: Path, w: Path, database: str) -> None:
    config = _settings(tmp_path, f'database = "{database}"')
    with _unchanged(w):
        call("review", "list", "-w", w, "--config", config).refused(w, "database", "settings")


def test_a_shared_database_serves_folders_without_one(tmp_path: Path) -> None:
    config = _settings(tmp_path, f'database = "sqlite:///{tmp_path / "shared.db"}"')
    call("discover", CORPUS / "cnxml", "-w", tmp_path / "here", "--config", config).well()
    (tmp_path / "there").mkdir()
    assert call("export", "concepts", "-w", tmp_path / "there", "--config", config).well().rows
    assert not (tmp_path / "here" / "bot.db").exists()


# Workspaces


def test_a_workspace_that_is_none_is_not_made_by_reading(tmp_path: Path) -> None:
    path = tmp_path / "w"
    for args in (
        ("match",),
        ("propose",),
        ("write",),
        ("audit",),
        ("find", "x"),
        ("export", "edits"),
        ("undo", "--edit", 1),
        ("review", "list"),
        ("review", "add-reviewer", "Ada"),
    ):
        call(*args, "-w", path).refused(path, "is not a workspace", "formula-bot discover")
    assert not path.exists()


def test_a_workspace_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    for path in (tmp_path / "file", tmp_path / "file" / "below", Path("/proc/none")):
        call("discover", CORPUS, "-w", path).refused(path, "choose a folder")


@pytest.mark.skipif(os.geteuid() == 0, reason="everything may be written by this user")
def test_a_folder_without_the_right_to_write(tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    call("discover", CORPUS, "-w", tmp_path / "locked" / "w").refused("Permission denied")


def test_a_workspace_of_a_newer_version(w: Path) -> None:
    with closing(sqlite3.connect(w / "bot.db")) as db, db:
        db.execute("UPDATE meta SET value = '99' WHERE key = 'schema'")
    for args in (("review", "list"), ("match",), ("discover", CORPUS)):
        call(*args, "-w", w).refused(w, "newer")


@pytest.mark.parametrize("content", [b"no database" * 500, None])
def test_a_damaged_database(w: Path, content: bytes | None) -> None:
    path = w / "bot.db"
    path.write_bytes(path.read_bytes()[:70_000] if content is None else content)
    call("export", "proposals", "-w", w).refused(w)
    call("match", "-w", w).refused(w)


def test_a_database_that_lost_all_it_held_is_no_new_one(w: Path) -> None:
    (w / "bot.db").write_bytes(b"")
    for args in (("review", "list"), ("discover", CORPUS), ("propose",)):
        call(*args, "-w", w).refused(w, "bot.db is empty", "put a copy in its place")
    assert not (w / "bot.db").stat().st_size
    (w / "bot.db").unlink()
    for args in (("review", "list"), ("discover", CORPUS)):
        call(*args, "-w", w).refused(w, "bot.db is empty or missing", "put a copy in its place")
    assert not (w / "bot.db").exists()


def test_proposals_before_anything_was_matched_are_no_empty_answer(tmp_path: Path) -> None:
    corpus = few_documents(tmp_path / "c")
    call("discover", corpus, "-w", tmp_path / "w").well()
    call("propose", "-w", tmp_path / "w").refused("was not matched to its end", "formula-bot match")


def test_a_first_start_that_was_killed_begins_again(tmp_path: Path) -> None:
    (tmp_path / "w" / "occurrences").mkdir(parents=True)
    (tmp_path / "w" / "bot.db").write_bytes(b"")
    assert call("review", "list", "-w", tmp_path / "w").well().out.startswith("0 proposals")


@pytest.mark.parametrize("damage", ["gone", "junk"])
def test_parts_that_are_gone_or_damaged(w: Path, damage: str) -> None:
    for part in (w / "occurrences").iterdir():
        part.unlink() if damage == "gone" else part.write_bytes(b"junk")
    with _unchanged(w):
        call("export", "occurrences", "-w", w).refused("occurrences", "discover")
        call("match", "-w", w).refused("occurrences", "discover")


def test_a_rehearsal_wiki_that_is_gone_or_damaged(w: Path) -> None:
    (w / "sandbox.db").write_bytes(b"junk" * 5000)
    call("match", "-w", w).refused("sandbox.db")
    (w / "sandbox.db").unlink()
    call("propose", "-w", w).refused("sandbox.db", "match --items")


def test_a_lock_held_by_another_process(w: Path) -> None:
    with (w / "lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("match (process 4242)\n")
        lock.flush()
        with _unchanged(w):
            for args in (("discover", CORPUS), ("match",), ("propose",), ("write", "--live"), ("undo", "--edit", 1)):
                call(*args, "-w", w).refused(w, "in use by")
            assert call("review", "list", "-w", w).code == 0


# A wiki that does not answer well


def _ask(w: Path, config: Path, proposals: list[str]) -> None:
    with closing(sqlite3.connect(w / "bot.db")) as db, db:
        db.execute("DELETE FROM meta WHERE key = 'world'")  # from here on the configured wiki is asked
    call("review", "approve", *proposals[:2], "-w", w, "--config", config).well()
    with _unchanged(w):
        assert call("find", "Q35875", "-w", w, "--config", config, "--json").well().rows  # as `match` stored it
        for args in (("match",), ("propose",), ("write",), ("find", "Q99999999")):
            said = call(*args, "-w", w, "--config", config).refused("http://127.0.0.1:", "run again")
            assert "; " in said.err


def _ids(w: Path) -> list[str]:
    rows = call("review", "list", "--json", "-w", w).well().rows
    return [row["id"] for row in rows if row["kind"] == "new_claim"]


def test_a_wiki_that_is_down(w: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "sleep", lambda seconds: None)
    config = _settings(tmp_path, _at(CLOSED))
    _ask(w, config, _ids(w))
    said = call("audit", "unreferenced", "-w", w, "--config", config)
    assert said.code == 2
    assert "could not tell" in said.out


@pytest.mark.parametrize("kind", ["text/html", "application/sparql-results+json", "application/json"])
def test_a_wiki_that_answers_garbage(w: Path, tmp_path: Path, kind: str) -> None:
    class Garbage(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = b"<html>\xff\x00 hello"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.do_GET()

        def log_message(self, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Garbage) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        _ask(w, _settings(tmp_path, _at(f"http://127.0.0.1:{server.server_port}")), _ids(w))
        server.shutdown()


def test_a_wrong_password_is_one_line_and_nothing_is_sent(w: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("review", "approve", _ids(w)[0], "-w", w).well()
    monkeypatch.setattr("bot.write.session.REHEARSAL_PASSWORD", "1" * 32)
    call("write", "--live", "-w", w).refused("cannot log in")
    assert call("export", "edits", "-w", w).rows == []


def test_writing_to_a_wiki_that_the_settings_do_not_allow(w: Path, tmp_path: Path) -> None:
    with closing(sqlite3.connect(w / "bot.db")) as db, db:
        db.execute("DELETE FROM meta WHERE key = 'world'")
    with _unchanged(w):
        call("write", "--live", "-w", w).refused("[writing] site", "docs/operating.md")
        config = _settings(tmp_path, _at(CLOSED) + '[writing]\nsite = "here"\n')
        call("write", "--live", "-w", w, "--config", config).refused("task, account, family, code")


# Words that mean nothing here


def test_unknown_people_proposals_audits_plans_and_states(w: Path) -> None:
    one = _ids(w)[0]
    with _unchanged(w):
        call("review", "approve", one, "--reviewer", "Bob", "-w", w).refused("'Bob'", "Ada")
        call("review", "approve", "0000000000", "-w", w).refused("0000000000")
        call("review", "show", "0000000000", "-w", w).refused("0000000000")
        call("review", "reject", one, "--reason", "taste", "-w", w).refused("'taste'", "wrong_item")
        call("review", "approve", one, "--hash", "0" * 40, "-w", w).refused(one)
        call("review", "list", "--state", "odd", "-w", w).refused("'odd'", "open")
        call("review", "export", w.parent / "x.pdf", "-w", w).refused("x.pdf", ".html or .csv")
        call("review", "import", w.parent / "none.csv", "-w", w).refused("none.csv", "no such file")
        call("review", "add-reviewer", "", "-w", w).refused("name")
        call("audit", "gravity", "-w", w).refused("gravity", "seeded")
        call("undo", "--item", "Q5", "-w", w).refused("no written edit matches")
        call("undo", "-w", w).refused("--group, --edit, --item")
        call("write", "--live", "--plan", "abc", "-w", w).refused("abc", "no such plan")
        call("export", "gravity", "-w", w).refused("'gravity'", "formula-bot export --help")
        call("gravity").refused("'gravity'", "formula-bot --help")
        call("find").refused("NAME", "formula-bot find --help")
        call("recognise", "--items", "-", "--queries", "-").refused("standard input")


def test_exports_before_anything_is_there_are_empty(tmp_path: Path) -> None:
    call("discover", CORPUS / "cnxml", "-w", tmp_path / "w").well()
    for what in ("matches", "proposals", "decisions", "edits", "findings"):
        assert call("export", what, "-w", tmp_path / "w").well().out == ""


# Hostile TeX

HOSTILE = {
    "braces": "{" * 10_000_000,
    "pairs": "{}" * 5_000_000,
    "nests": "{" * 200_000 + "x" + "}" * 200_000,
    "fractions": r"\frac{" * 100_000,
    "roots": r"\sqrt{" * 50_000 + "x" + "}" * 50_000,
    "scripts": "x" + "^{y" * 100_000,
    "lefts": r"\left(" * 100_000,
    "nulls": "\0" * 1_000_000,
    "signs": "-" * 1_000_000 + "=",
    "letters": "a" * 1_000_000,
    "environments": r"\begin{matrix}" * 50_000,
    "sum": "+".join(f"a_{{{n}}}" for n in range(2000)) + "=0",
    "surrogate": "\ud800=x",
    "empty": "",
}


@pytest.fixture(scope="module")
def list_is_read() -> None:
    call("recognise", "--items", ITEMS, "--queries", "-", stdin='{"tex": "x=y"}')  # what is loaded once
    call("compare", "--input", "-", stdin='{"a": "V=IR", "b": "E=mc^2"}')  # and the list


@pytest.mark.usefixtures("list_is_read")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_formulas_are_answered_soon(name: str) -> None:
    tex = HOSTILE[name]
    commands = {
        "formula": (("--input", "-"), {"tex": tex}),
        "compare": (("--input", "-"), {"a": tex, "b": "E=mc^2"}),
        "recognise": (("--items", ITEMS, "--queries", "-"), {"tex": tex}),
    }
    for command, (options, row) in commands.items():
        line = json.dumps(row)
        with at_most(1, command):
            said = call(command, *options, stdin=line).well()
        assert len(said.out.splitlines()) == 1


# The unexpected


def test_an_error_of_the_bot_is_one_line_and_its_traceback_goes_to_a_file(
    proposed: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(*args: object) -> None:
        raise KeyError("something")

    monkeypatch.setattr("bot.export.rows", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    said = call("export", "edits", "-w", proposed).refused("KeyError", tmp_path, code=70)
    (kept,) = tmp_path.glob("formula-bot-*.txt")
    assert str(kept) in said.err
    assert "raise KeyError" in kept.read_text(encoding="utf-8")


def test_no_room_on_the_disk_is_no_error_of_the_bot(proposed: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    code = (
        "import sys; from bot.cli import main; sys.stdout = open('/dev/full', 'w'); "
        f"main(['export', 'concepts', '-w', {str(proposed)!r}])"
    )
    said = process(program=("-c", code))
    assert said.code == 2
    assert "No space left" in said.err
    assert "Traceback" not in said.err


def test_a_demo_takes_no_folder_with_other_files_and_no_file(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    call("demo", "-w", tmp_path).refused("is a folder of yours", "another --workspace")
    call("demo", "-w", tmp_path / "notes.txt").refused("cannot be made (Not a directory)")
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("notes.txt", "mine")]


@pytest.mark.parametrize(
    "command", [("discover", CORPUS), ("demo",), ("match",), ("status",), ("formulas", "--list")], ids=lambda c: c[0]
)
def test_an_empty_name_of_a_workspace_is_not_the_current_folder(
    command: tuple[str | Path, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tmp_path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    call(*command, "-w", "").refused("the name of the workspace is empty")
    assert (list(tmp_path.iterdir()), tmp_path.stat().st_mode & 0o777) == ([], 0o755)
