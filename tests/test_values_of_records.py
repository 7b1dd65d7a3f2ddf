"""What the files directly in bot/ make of small values: errors told by code, outcomes of edits, rows of items, lines of tables, links of the chain."""

from __future__ import annotations

import errno
import io
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from bot import claim_outcomes, console, errors, hashchain, stage_state, store
from bot.database_errors import DatabaseFault, fault_kind
from bot.errors import BotError, FormulaError, ItemsError
from bot.file_permissions import RepairedPermissions
from bot.items_file import labels_of, read_items
from bot.messages import Message, to_json
from bot.processes import WorkerPool
from bot.records import Check, Finding
from bot.settings import Wiki
from bot.store import Workspace
from bot.wikibase import is_entity_id, is_item_id, item_number

# -- errors


class _Mariadb(Exception):
    pass


class _Postgresql(Exception):
    def __init__(self, state: str, name: str = "sqlstate") -> None:
        super().__init__("told so")
        setattr(self, name, state)


def _sqlite(code: int) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError("told so")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("cause", "kind"),
    [
        (_sqlite(sqlite3.SQLITE_BUSY), "BUSY"), (_sqlite(sqlite3.SQLITE_BUSY | 2 << 8), "BUSY"), (_sqlite(sqlite3.SQLITE_FULL), "FULL"), (_sqlite(sqlite3.SQLITE_IOERR | 10 << 8), "INPUT_OUTPUT"),
        (_sqlite(sqlite3.SQLITE_NOTADB), "DAMAGED"), (_sqlite(sqlite3.SQLITE_CANTOPEN), "READ_ONLY"), (_sqlite(sqlite3.SQLITE_ERROR), "SCHEMA"), (_sqlite(sqlite3.SQLITE_INTERRUPT), None), (_sqlite(0), None),
        (_Mariadb(1146, "x"), "SCHEMA"), (_Mariadb(1213, "x"), "BUSY"), (_Mariadb(2006, "x"), "UNREACHABLE"), (_Mariadb(1114), "FULL"), (_Mariadb(1290), "READ_ONLY"), (_Mariadb(145), "DAMAGED"), (_Mariadb(1), None), (_Mariadb(), None),
        (_Postgresql("42703"), "SCHEMA"), (_Postgresql("42501"), "READ_ONLY"), (_Postgresql("42999"), None), (_Postgresql("40001"), "BUSY"), (_Postgresql("57P01", "pgcode"), "UNREACHABLE"), (_Postgresql("XX001"), "DAMAGED"), (_Postgresql("53100"), "FULL"),
    ],
)  # fmt: skip
def test_a_database_error_is_told_by_its_code(cause: Exception, kind: str | None) -> None:
    assert fault_kind(sa.exc.OperationalError("q", {}, cause)) == (DatabaseFault[kind] if kind else None)


def test_an_error_is_one_line_of_place_fault_and_advice() -> None:
    bare, placed = BotError("no_file"), BotError("no_file", where="a.tex")
    whole, advised = BotError("no_file", where="a.tex", todo="check_path"), BotError("no_file", todo="check_path")
    assert [each.line() for each in (bare, placed, whole, advised)] == [
        "there is no such file", "a.tex: there is no such file", "a.tex: there is no such file; check the path", "there is no such file; check the path"
    ]  # fmt: skip
    assert whole.message_without("a.tex", "b.tex") == Message("error.todo", what=whole.message, todo=whole.advice or "")
    assert whole.message_without("b.tex") == whole.full_message
    assert placed.message_without("a.tex") == bare.full_message == bare.message
    position = FormulaError("no_file", 3)
    assert (position.position, position.message) == (
        3,
        Message("error.at_position", what=Message("error.no_file"), n=3),
    )


@pytest.mark.parametrize(
    ("error", "line"),
    [(ValueError("a\n  b"), "ValueError: a b"), (KeyError(), "KeyError"), (ValueError("x" * 300), "ValueError: " + "x" * 200)],
)  # fmt: skip
def test_an_unexpected_error_is_a_short_line(error: Exception, line: str) -> None:
    assert errors.short_text(error) == line


def test_an_unexpected_error_keeps_its_traceback_where_that_can_be(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(errors.tempfile, "tempdir", str(tmp_path))
    told = errors.report_unexpected(ValueError("odd"))
    [file] = tmp_path.iterdir()
    assert (told.code, told.values) == ("error.own", {"what": "ValueError: odd", "file": str(file)})
    assert "\n\nValueError: odd\n" in file.read_text()
    assert (file.name[:12], file.suffix) == ("formula-bot-", ".txt")
    monkeypatch.setattr(errors.tempfile, "tempdir", str(tmp_path / "none"))
    assert errors.report_unexpected(ValueError("odd")).code == "error.own_unkept"


def test_only_errors_of_the_machine_are_told_as_such() -> None:
    full = OSError(errno.ENOSPC, "No space left", "a.db")
    assert errors.system_error_message(full) == Message("error.surroundings", file="a.db", reason="No space left")
    unnamed = errors.system_error_message(OSError(errno.EACCES, "Denied"))
    assert unnamed == Message("error.surroundings", file=Message("at.file"), reason="Denied")
    assert errors.system_error_message(OSError(errno.ENOENT, "gone", "a.db")) is None


# -- what became of edits


@pytest.mark.parametrize(
    ("state", "claim", "verdict"),
    [
        ({"state": "changed", "instead": "x=y"}, True, "corrected"), ({"state": "changed", "instead": ""}, True, "unsourced"), ({"state": "removed"}, True, "removed"), ({"state": "removed"}, False, "unsourced"),
        ({"state": "deprecated"}, True, "deprecated"), ({"state": "deprecated"}, False, ""), ({"state": "present"}, True, ""), ({"state": "present", "seen": "2026-12-01T00:00:00Z"}, True, "stood"),
        ({"state": "amended", "seen": "2026-11-30T23:59:59Z"}, True, ""), ({"state": "deleted", "seen": "2027-12-01T00:00:00Z"}, True, ""),
    ],
)  # fmt: skip
def test_what_an_edit_became_is_one_verdict(state: dict[str, str], claim: bool, verdict: str) -> None:
    row = {"time": "2026-11-01T00:00:00Z", "seen": "2026-11-02T00:00:00Z", "instead": "", **state}
    assert claim_outcomes._verdict(row, claim) == verdict


@pytest.mark.parametrize(
    ("verdicts", "documents"), [((), ("a", "b")), (("approve", "reject"), ("a",)), (("reject", "approve"), ("b",)), (("reject", "reject"), ("c",))]
)  # fmt: skip
def test_an_edit_rests_on_the_documents_of_its_approved_references_or_else_on_those_that_name_the_item(
    verdicts: tuple[str, ...], documents: tuple[str, ...]
) -> None:
    references = [{"snaks": [["P854", "url", f"u{name}"]]} for name in "ab"]
    quotes: list[dict[str, Any]] = [{"document": name, "cited": f"u{name}"} for name in "aab"]
    quotes += [{"document": "c", "where": "title"}, {"document": "d", "where": ""}]
    assert claim_outcomes._documents({"references": references, "quotes": quotes}, verdicts) == documents
    assert claim_outcomes._documents({}, ()) == ()


def test_a_share_has_an_interval() -> None:
    assert claim_outcomes.wilson_interval(0, 0) == (0.0, 1.0)
    assert claim_outcomes.wilson_interval(8, 10) == pytest.approx((0.4901568, 0.9433191), abs=1e-6)
    assert claim_outcomes.wilson_interval(0, 10) == pytest.approx((0.0, 0.2775402), abs=1e-6)
    assert claim_outcomes.wilson_interval(10, 10)[1] == 1.0
    assert claim_outcomes.wilson_interval(8, 10, 1.0) == pytest.approx((0.6490773, 0.8963773), abs=1e-6)


# -- rows of files


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ('{"qid": "Q0"}', "field_no_item"), ('{"qid": "P1"}', "field_no_item"), ('{"qid": "Q1", "label": 3}', "field_string"), ('{"qid": "Q1", "aliases": "x"}', "field_strings"), ('{"qid": "Q1", "formulas": [1]}', "field_strings"),
        ('{"qid": "Q1", "sitelinks": ["x"]}', "field_sitelinks"), ('{"qid": "Q1", "sitelinks": {"enwiki": 3}}', "field_sitelinks"), ('{"qid": "Q1", "part_of": ["Q2", "x"]}', "field_holds_no_item"),
        ('{"qid": "Q1", "redirect": "x"}', "field_no_item"), ('{"qid": "Q1", "more": {"x": ["\\ud800"]}}', "no_character"), ('{"qid": "Q1", "\\ud800": 1}', "no_character"), ("", "no_item_held"),
        ('{"qid": "Q1", "language": "en GB"}', "no_language_code"), ('{"qid": "Q1", "sitelinks": {"en wiki": "x"}}', "field_sitelinks"),
    ],
)  # fmt: skip
def test_a_row_that_can_be_no_item_is_named(tmp_path: Path, row: str, code: str) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text(f'{{"qid": "Q9", "label": null, "redirect": "Q8", "instance_of": null}}\n{row}\n' if row else "\n")
    with pytest.raises(ItemsError) as caught:
        read_items(path)
    assert (caught.value.message.code, caught.value.where) == (f"error.{code}", f"{path}:2" if row else str(path))


def test_labels_and_aliases_are_the_names_of_items() -> None:
    rows: Any = [{"qid": "Q1", "label": "a", "aliases": ["b", ""]}, {"qid": "Q2", "label": None, "aliases": None}]
    assert labels_of(rows) == [("Q1", "a"), ("Q1", "b")]


@pytest.mark.parametrize(
    ("text", "item", "entity", "number"),
    [("Q42", True, True, 42), ("P42", False, True, 0), ("Q0", False, False, 0), ("Q1x", False, False, 0), ("q1", False, False, 0), ("Q9999999999", True, True, 9999999999), ("Q10000000000", False, False, 0), ("", False, False, 0)],
)  # fmt: skip
def test_ids_of_items_and_properties(text: str, item: bool, entity: bool, number: int) -> None:
    assert (is_item_id(text), is_entity_id(text), item_number(text)) == (item, entity, number)


@pytest.mark.parametrize(("depth", "read"), [(100, True), (101, False)])
def test_a_line_is_read_to_a_depth(tmp_path: Path, depth: int, read: bool) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"a": ' + "[" * (depth - 3) + '{"b": 1}' + "]" * (depth - 3) + "}\n")
    if read:
        assert len(list(console.read_lines(path))) == 1
        return
    with pytest.raises(ItemsError) as caught:
        list(console.read_lines(path))
    assert (caught.value.message.code, caught.value.where) == ("error.nested", f"{path}:1")


def test_lines_are_counted_and_told_in_letters_that_the_output_has() -> None:
    narrow = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    wide = io.StringIO()
    assert (console.write_lines([{"a": "é"}, {"b": 1}], narrow), console.write_lines([{"a": "é"}], wide)) == (2, 1)
    narrow.flush()
    assert narrow.buffer.getvalue() == b'{"a": "\\u00e9"}\n{"b": 1}\n'  # type: ignore[attr-defined]
    assert wide.getvalue() == '{"a": "é"}\n'
    assert console.write_lines([{"a": "\ud800"}], wide) == 1
    assert wide.getvalue().splitlines()[1] == '{"a": "\\ud800"}'


def test_a_plain_table_pads_to_sixty_and_sets_numbers_to_the_right() -> None:
    out = io.StringIO()
    console.table("t", ("a", "b", "c"), [("x" * 61, 1, 0.12345), ("y", 10, 2.0)], file=out)
    assert out.getvalue().splitlines() == [
        "t", f"a{' ' * 59}   b      c", f"{'x' * 61}   1  0.123", f"y{' ' * 59}  10  2.000"
    ]  # fmt: skip
    mixed = io.StringIO()
    console.table("t", ("a",), [(1,), ("x",)], file=mixed)
    assert mixed.getvalue() == "t\na\n1\nx\n"


class _Watcher:
    def __init__(self) -> None:
        self.told: list[tuple[str, float | None]] = []

    def begin(self, total: float | None) -> None:
        self.told.append(("begin", total))

    def advance(self, step: float) -> None:
        self.told.append(("advance", step))


def test_who_follows_long_work_is_told_of_each_step(capsys: pytest.CaptureFixture[str]) -> None:
    watcher, other = _Watcher(), _Watcher()
    with console.use_watcher(watcher):
        with console.use_watcher(other), console.progress("inner", 2, quiet=True) as advance:
            advance()
        with console.progress("outer", 5) as advance:
            advance(3, "note")
    with console.progress("after", 1) as advance:
        advance()
    assert (watcher.told, other.told) == ([("begin", 5), ("advance", 3)], [("begin", 2), ("advance", 1)])
    assert capsys.readouterr().err == "outer: done\nafter: done\n"


def test_of_names_that_were_mended_five_are_shown() -> None:
    folder = Path("/w")
    assert list(RepairedPermissions(tuple("abcde"), ("x",)).lines(folder)) == [
        Message("rights.mended", folder="/w", names="a, b, c, d, e"), Message("rights.left", folder="/w", names="x")
    ]  # fmt: skip
    [six] = RepairedPermissions(tuple("abcdef")).lines(folder)
    assert six.values["names"] == Message("rights.and_more", names="a, b, c, d, e", n=1)
    assert list(RepairedPermissions().lines(folder)) == []


# -- what a workspace keeps


def test_what_a_stage_was_run_on_holds_until_it_begins_anew(workspace: Workspace) -> None:
    inputs = stage_state.inputs_digest("corpus", {"a": 1})
    assert len(inputs) == 40
    assert inputs == stage_state.inputs_digest("corpus", {"a": 1}) != stage_state.inputs_digest("corpus", {"a": 2})
    stage_state.record_run(workspace, "match", None, n=1)
    assert stage_state.last_inputs(workspace, "match") is None
    stage_state.record_run(workspace, "match", inputs, n=2)
    assert stage_state.last_outcome(workspace, "match", inputs) == {"n": 2}
    assert stage_state.last_outcome(workspace, "match", "other") is None
    assert stage_state.last_outcome(workspace, "match", None) is None
    assert stage_state.last_outcome(workspace, "propose", inputs) is None
    assert stage_state.last_inputs(workspace, "match") == inputs
    stage_state.forget_run(workspace, "match")
    assert stage_state.last_outcome(workspace, "match", inputs) is stage_state.last_inputs(workspace, "match") is None


def test_a_finding_tells_its_message_or_else_the_sentence_that_was_stored() -> None:
    old = Finding("shared", "Q1", "warning", "a sentence")
    coded = replace(old, message=to_json(Message("stopped.another")), step=to_json(Message("next.nothing")))
    assert [str(each.explanation) for each in (old, coded)] == ["a sentence", str(Message("stopped.another"))]
    assert [each.next_step for each in (old, coded)] == [None, Message("next.nothing")]


def test_a_check_is_named_by_what_stands_before_the_dot() -> None:
    check = Check.of("other_value.same", "warn", n=2)
    assert (check.name, check.state, check.detail) == ("other value", "warn", Message("check.other_value.same", n=2))


def test_the_origin_of_a_wiki_is_that_of_its_pages() -> None:
    wiki = Wiki(page_prefix="https://Wiki.example:8443/wiki/")
    assert (wiki.origin, replace(wiki, sandbox=True).origin) == ("https://wiki.example:8443", "")


def test_a_written_proposal_tells_its_rows_of_the_ledger() -> None:
    error = errors.AlreadyWritten("p1", [])
    assert (error.rows, error.message.code) == ([], "error.written")
    assert "p1" in error.line()


def test_a_cell_that_is_not_json_is_named(workspace: Workspace) -> None:
    workspace.put("here", [1])
    with workspace.engine.begin() as db:
        db.execute(sa.text("UPDATE meta SET value = '[1' WHERE key = 'here'"))
        db.execute(store.documents.insert().values(id="d", title="[1"))
    with pytest.raises(errors.WorkspaceError) as told:
        workspace.get("here")
    assert told.value.message == Message("error.cell", cell="meta here", column="value")
    assert store._locate_cell(workspace.engine, "{") == Message("error.some_cell")


def test_links_follow_each_other_and_a_head_is_found_again(workspace: Workspace) -> None:
    assert hashchain.length_and_head(workspace) == (0, hashchain.GENESIS)
    with workspace.engine.begin() as db:
        for n, event in enumerate(("begin", "end", hashchain.DECISION)):
            hashchain.append(db, n % 2, event, {"edits": n}, "2026-11-20T00:00:00Z")
        assert hashchain.newest_decision_link(db) == 3
    number, head = hashchain.length_and_head(workspace)
    assert (number, hashchain.link_number(workspace, head), hashchain.link_number(workspace, head[:16])) == (3, 3, 3)
    assert (hashchain.link_number(workspace, "0" * 16), hashchain.link_number(workspace, "f" * 64)) == (0, -1)
    assert list(hashchain.broken_links(workspace)) == []
    with workspace.engine.begin() as db:
        db.execute(store.chain.update().where(store.chain.c.n == 2).values(record={"edits": 9}))
    assert [(link["n"], str(what)) for link, what in hashchain.broken_links(workspace)] == [
        (2, str(Message("discrepancy.link_changed", link=2)))
    ]
    with workspace.engine.begin() as db:
        db.execute(store.chain.delete().where(store.chain.c.n == 2))
    assert [(link["n"], what.code) for link, what in hashchain.broken_links(workspace)] == [
        (3, "discrepancy.link_order")
    ]


def test_rules_and_people_that_the_chain_does_not_know_are_named(workspace: Workspace) -> None:
    with workspace.engine.begin() as db:
        db.execute(store.reviewers.insert().values(name="Ada", role="reviewer", added="t"))
        hashchain.note_authority(db)
        hashchain.note_authority(db)  # nothing new
    assert hashchain.length_and_head(workspace)[0] == 1
    assert list(hashchain.decision_discrepancies(workspace)) == []
    workspace.put(hashchain.RULES[1], {"values": {"two": True}})
    with workspace.engine.begin() as db:
        db.execute(store.reviewers.insert().values(name="Bob", role="admin", added="t"))
        db.execute(store.reviewers.update().where(store.reviewers.c.name == "Ada").values(role="admin"))
    found = list(hashchain.decision_discrepancies(workspace))
    assert [(each.table, each.row, each.what.code) for each in found] == [
        ("reviewers", "Ada", "discrepancy.roles"), ("reviewers", "Bob", "discrepancy.roles"), ("meta", hashchain.RULES[1], "discrepancy.rules")
    ]  # fmt: skip
    assert found[0].what.values == {"before": "reviewer", "now": "admin"}
    assert found[1].what.values == {"before": Message("discrepancy.no_role"), "now": "admin"}
    assert found[0].message == Message("discrepancy", place="reviewers Ada", what=found[0].what)


def test_one_process_makes_all_where_it_is_asked_in_blocks_of_128() -> None:
    asked: list[int] = []

    def doubled(given: Any) -> list[int]:
        asked.append(len(given))
        return [2 * each for each in given]

    with WorkerPool(1) as here:
        here.expect_arguments(5000)
        assert here.make(doubled, range(300)) == list(range(0, 600, 2))
        assert here.make(doubled, []) == []
    assert asked == [128, 128, 44]
    with WorkerPool(2) as few:
        assert few.make(doubled, range(15)) == list(range(0, 30, 2))
        assert few._pool is None
