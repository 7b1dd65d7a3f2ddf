"""What discovery leaves in a workspace, row by row, and what a search by name makes of it."""

from __future__ import annotations

import gc
import json
import weakref
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import sqlalchemy as sa

from bot import store
from bot.corpus import ParsedDocument, SourceFile, list_sources
from bot.discover import discover, mine, naming, stored_occurrences
from bot.discover.count import count_formulas, key_digests, rows_of_keys
from bot.discover.engines import OneMachine
from bot.discover.families import Families
from bot.discover.formula_concepts import ConceptRow, save_concepts
from bot.discover.label_automaton import Labels
from bot.discover.name_search import KnownConcept, find_by_name
from bot.discover.naming import build_concepts, store_formularank
from bot.discover.shard_files import ShardWriter
from bot.discover.shards import LEVELS, mined_row
from bot.discover.stored_concepts import load_concepts
from bot.discover.stored_occurrences import (
    all_occurrences,
    find_occurrences_again,
    occurrences_in_order,
    occurrences_of,
)
from bot.formula import keys
from bot.records import Document, FormulaConcept, Item, NameCandidate, NameHint, Occurrence, Representation, Statement
from bot.settings import Settings
from bot.store import Workspace

SETTINGS = Settings()
TEXT = "The '''wave law''' is <math>F = m a</math>. Then <math>p = m v</math> and <math>x</math>."


def write(folder: Path, name: str, text: str = TEXT) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.wiki").write_text(text, encoding="utf-8")
    return folder


def sources(workspace: Workspace) -> dict[str, dict[str, Any]]:
    return {Path(row["path"]).stem: row for row in workspace.rows(sa.select(store.sources))}


# -- files and their rows -------------------------------------------------------------------------------------------------


def test_a_file_has_a_row_with_its_documents_and_formulas_or_why_it_was_skipped(
    workspace: Workspace, tmp_path: Path
) -> None:
    folder = write(tmp_path / "c", "a")
    write(folder, "plain", "No formula at all.")
    (folder / "broken.cnxml").write_text("<document>", encoding="utf-8")
    found = discover(workspace, [str(folder)], SETTINGS, quiet=True)
    rows = sources(workspace)
    assert (rows["a"]["status"], rows["a"]["documents"], rows["a"]["formulas"], rows["a"]["notes"]) == (
        "read",
        1,
        3,
        [],
    )
    assert rows["a"]["part"].endswith(".parquet")
    assert (rows["plain"]["formulas"], rows["plain"]["part"]) == (0, "")
    assert (rows["broken"]["status"], rows["broken"]["documents"]) == ("skipped", 0)
    assert [note["code"] for note in rows["broken"]["notes"]] == ["error.broken_xml"]
    assert (found.files_read, found.files_reused, found.formulas, found.documents) == (
        3,
        0,
        3,
        1 + (rows["plain"]["documents"]),
    )
    assert [Path(path).name for path, _ in found.skipped] == ["broken.cnxml"]
    again = discover(workspace, [str(folder)], SETTINGS, quiet=True)
    assert (again.files_read, again.files_reused, again.skipped) == (0, 3, found.skipped)


def test_a_document_that_a_file_holds_twice_counts_once_and_is_said(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = ParsedDocument("path", "", Document("d", "Title"), (formula(0, "F = m a"),))
    monkeypatch.setattr(mine, "read_file", lambda *given: iter([page, page]))
    found = discover(workspace, [str(write(tmp_path / "c", "a"))], SETTINGS, quiet=True)
    assert (found.documents, found.formulas) == (1, 1)
    assert [str(reason) for _, reason in found.skipped] == ["holds the document d twice; the first one counts"]


def test_a_file_of_an_earlier_run_lies_in_a_folder_or_was_meant_by_a_pattern(tmp_path: Path) -> None:
    there, gone = tmp_path / "a.wiki", tmp_path / "b.wiki"
    there.touch()
    pattern = str(tmp_path / "*.wiki")
    assert [mine._is_in_sources(str(file), [str(tmp_path)]) for file in (there, gone)] == [True, True]
    assert [mine._is_in_sources(str(file), ["elsewhere", pattern]) for file in (there, gone)] == [False, True]
    assert not mine._is_in_sources(str(gone), [str(tmp_path / "*.txt")])


def test_a_changed_file_replaces_its_rows_and_a_vanished_one_takes_them_away(
    workspace: Workspace, tmp_path: Path
) -> None:
    folder = write(tmp_path / "c", "a")
    write(folder, "b", "The law is <math>E = m c^2</math>.")
    discover(workspace, [str(folder)], SETTINGS, quiet=True)
    parts = {row["part"] for row in sources(workspace).values()}
    assert {file.name for file in workspace.occurrences.iterdir() if file.is_file()} == parts
    write(folder, "a", "The law is <math>F = q E</math>.")
    (folder / "b.wiki").unlink()
    found = discover(workspace, [str(folder)], SETTINGS, quiet=True)
    assert (found.documents, found.formulas, found.files_read) == (1, 1, 1)
    (row,) = sources(workspace).values()
    assert {file.name for file in workspace.occurrences.iterdir() if file.is_file()} == {row["part"]}


def test_what_lies_elsewhere_stays_when_another_folder_is_read(workspace: Workspace, tmp_path: Path) -> None:
    one, two = write(tmp_path / "one", "a"), write(tmp_path / "two", "b", "The law is <math>E = m c^2</math>.")
    discover(workspace, [str(one)], SETTINGS, quiet=True)
    found = discover(workspace, [str(two)], SETTINGS, quiet=True)
    assert set(sources(workspace)) == {"a", "b"}
    assert found.documents == 2


def test_a_part_that_is_gone_is_read_again(workspace: Workspace, tmp_path: Path) -> None:
    folder = write(tmp_path / "c", "a")
    discover(workspace, [str(folder)], SETTINGS, quiet=True)
    next(file for file in workspace.occurrences.iterdir() if file.is_file()).unlink()
    assert discover(workspace, [str(folder)], SETTINGS, quiet=True).files_read == 1


def test_the_fingerprint_is_of_bytes_name_and_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = write(tmp_path / "c", "a")
    write(folder, "b")

    def prints() -> list[str]:
        return [mine.fingerprint(file) for file in list_sources([str(folder)]).files]

    first = prints()
    assert len(set(first)) == 2
    assert all(len(each) == 40 for each in first)
    assert prints() == first
    write(folder, "a", TEXT + " ")
    assert [a == b for a, b in zip(prints(), first, strict=True)] == [False, True]
    monkeypatch.setattr(mine, "READER", mine.READER + 1)
    assert not set(prints()) & set(first)


def rows_of(*occurrences: Occurrence, kind: str = "encyclopaedia", skipped: list[str] | None = None) -> list[Any]:
    page = ParsedDocument("path", "", Document("d", "Title", kind=kind), occurrences)
    return list(
        mine.mine_page(page, lambda path, why: (skipped if skipped is not None else []).append(f"{path}: {why}"))
    )


def formula(position: int, tex: str, window: str = "", **more: Any) -> Occurrence:
    return Occurrence("d", position, tex, more.pop("display", True), window, **more)


def test_a_formula_that_states_nothing_stays_and_is_no_candidate() -> None:
    sound, broken = rows_of(formula(0, "F = m a"), formula(1, r"\frac{"))
    assert (sound["kind"], sound["candidate"], sound["leaves"]) == ("equation", True, 3)
    assert (broken["candidate"], broken["named"]) == (False, False)


def test_a_formula_without_a_tree_is_kept_as_text_without_equals() -> None:
    (row,) = rows_of(formula(0, "{" * 3000))
    assert (row["kind"], row["candidate"], row["leaves"]) == ("broken", False, 0)
    assert [row[level] for level in LEVELS] == [""] * 5


def test_what_is_ignored_in_one_file_is_named_up_to_a_number_and_counted_beyond(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mine, "MAX_IGNORED_LISTED", 2)
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("a.wiki", TEXT)
        for number in range(4):
            archive.writestr(f"{number}.png", b"\x89PNG\r\n\0")
        archive.writestr("LICENSE", "Some words.")
        archive.writestr("COPYING", "Other words.")  # as many as are named: none is counted alone
    (file,) = list_sources([str(tmp_path)]).files
    mined = mine.mine_file(file, "digest", tmp_path)
    assert sorted((Path(each.path).name, str(each.reason), each.count) for each in mined.ignored) == [
        ("a.zip", "is a picture or a recording", 2),
        ("a.zip!0.png", "is a picture or a recording", 1),
        ("a.zip!1.png", "is a picture or a recording", 1),
        ("a.zip!COPYING", "is of no known format", 1),
        ("a.zip!LICENSE", "is of no known format", 1),
    ]


def test_a_link_that_leads_out_is_known_by_its_own_place(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    write(tmp_path / "there", "a")
    (tmp_path / "folder").symlink_to(tmp_path / "there")
    (tmp_path / "there" / "link.wiki").symlink_to(tmp_path / "there" / "a.wiki")
    path = str(tmp_path / "folder" / "link.wiki")
    outside = SourceFile(path, 0, "folder", "link.wiki", "", leads_outside=True)
    assert mine.workspace_path(outside) == str(tmp_path / "there" / "link.wiki")
    assert mine.workspace_path(replace(outside, leads_outside=False)) == str(tmp_path / "there" / "a.wiki")


@pytest.mark.parametrize(
    ("kind", "more", "named"),
    [
        ("textbook", {}, True),
        ("textbook", {"display": False}, False),
        ("textbook", {"display": False, "window": "The force depends on the mass as ⟦1⟧."}, True),
        ("textbook", {"role": "example"}, False),
        ("paper", {}, False),
        ("encyclopaedia", {}, False),
        ("paper", {"hints": (NameHint("key_equations", "Wave law"),)}, True),
    ],
)
def test_what_the_text_of_a_book_states_needs_a_weaker_cue_to_be_kept(
    kind: str, more: dict[str, Any], named: bool
) -> None:
    rows = rows_of(formula(0, "q = r s"), formula(1, "F = m a", **{"window": "So it is ⟦1⟧."} | more), kind=kind)
    assert rows[1]["named"] is named


def test_a_law_of_two_symbols_that_is_displayed_is_a_candidate() -> None:
    def candidate(term: str, **more: Any) -> bool:
        hints = (NameHint("defined_term", term),)
        (row,) = rows_of(formula(0, r"\theta_r=\theta_i", f"The {term} states ⟦0⟧", hints=hints, **more))
        return bool(row["candidate"])

    assert candidate("law of reflection")
    assert not candidate("law of reflection", display=False)
    assert not candidate("law of reflection", role="exercise")
    assert not candidate("angle")


# -- occurrences ----------------------------------------------------------------------------------------------------------


def test_the_places_of_a_number_stay_together_however_many_are_ordered_at_once(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "c", "a", "<math>F = m a</math>")
    discover(workspace, [str(write(folder, "b", "<math>p = m v</math>"))], SETTINGS, quiet=True)
    first, second = (one.document for one in all_occurrences(workspace))
    for at_once in (20_000, 1):
        monkeypatch.setattr(stored_occurrences, "_PLACES", at_once)
        found = occurrences_in_order(workspace, [(1, (first, 0)), (1, (second, 0)), (2, (first, 0))])
        assert [(n, o.tex) for n, o in found] == [(1, "p = m v"), (1, "F = m a"), (2, "F = m a")]


def test_occurrences_are_found_by_place_and_by_key(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = write(tmp_path / "c", "a", TEXT + " Again <math>F=ma</math>.")
    discover(workspace, [str(folder)], SETTINGS, quiet=True)
    every = list(all_occurrences(workspace))
    assert [(one.position, one.tex) for one in every] == [(0, "F = m a"), (1, "p = m v"), (2, "x"), (3, "F=ma")]
    name = every[0].document
    found = occurrences_of(workspace, [(name, 1), (name, 0), (name, 9), ("gone", 0)])
    assert [o.tex for o in found] == ["p = m v", "F = m a"]
    assert occurrences_of(workspace, []) == []
    wanted = [(1, (name, 3)), (1, (name, 1)), (2, (name, 9)), (3, (name, 0)), (7, (name, 0))]
    for at_once in (20_000, 1, 3):
        monkeypatch.setattr(stored_occurrences, "_PLACES", at_once)
        ordered = [(n, o.tex) for n, o in occurrences_in_order(workspace, wanted)]
        assert [n for n, _ in ordered] == [1, 1, 3, 7]
        assert set(ordered) == {(1, "F=ma"), (1, "p = m v"), (3, "F = m a"), (7, "F = m a")}
    assert list(occurrences_in_order(workspace, [])) == []
    again = find_occurrences_again(workspace, [(name, 9, keys("F=ma").K2)])
    assert [o.position for o in again] == [0, 3]
    assert [o.position for o in find_occurrences_again(workspace, [(name, 1, "no key")])] == [1]


def test_what_a_document_holds_under_a_key_comes_by_document_and_position(workspace: Workspace, tmp_path: Path) -> None:
    folder = write(tmp_path / "c", "b", "First <math>F = m a</math>, then <math>F=ma</math>.")
    write(folder, "a", TEXT)
    discover(workspace, [str(folder)], SETTINGS, quiet=True)
    one, other = sorted({o.document for o in all_occurrences(workspace)})
    key = keys("F=ma").K2
    found = find_occurrences_again(workspace, [(other, 9, key), (one, 1, key)])
    assert [(o.document, o.position) for o in found] == [(one, 0), (one, 1), (other, 0), (other, 1)]
    (row,) = workspace.rows(sa.select(store.sources.c.part).where(store.sources.c.path.endswith("/b.wiki")))
    (workspace.occurrences / row["part"]).unlink()  # what is asked of one document reads no file of another
    assert [o.tex for o in all_occurrences(workspace, {one})] == ["F = m a", "p = m v", "x"]


def test_four_hundred_places_of_a_formula_are_looked_at_and_all_are_counted(workspace: Workspace) -> None:
    row = mined_row(formula(0, "F = m a + b"), ("1", "2", "3", "4", "5"), 4, "equation", True, (), True)
    with ShardWriter(workspace.occurrences / "s.parquet", "path") as shard:
        shard.write([{**row, "position": n} for n in range(401)])
    with workspace.engine.begin() as db:
        db.execute(store.sources.insert().values(path="path", part="s.parquet"))
        db.execute(store.documents.insert().values(id="d", path="path"))
    with OneMachine().occurrences(workspace) as rows:
        asked = [str(row["key"]) for row in key_digests(rows, SETTINGS.discovery)]
        found = list(rows_of_keys(rows, SETTINGS.discovery, asked))
        assert count_formulas(rows) == (401, 1)
        for view in ("counted", "occurrences"):
            rows.gather(view)
            assert list(rows_of_keys(rows, SETTINGS.discovery, asked)) == found
            assert count_formulas(rows) == (401, 1)
    assert not (workspace.occurrences / ".spill").exists()
    assert [row["position"] for row in found] == list(range(400))
    assert {(row["times"], row["spread"]) for row in found} == {(401, 1)}


def test_what_is_counted_is_read_once_of_each_shard(workspace: Workspace) -> None:
    row = mined_row(formula(0, "F = m a"), ("1", "2", "3", "4", "5"), 3, "equation", True, (), False)

    def counted(*shards: str) -> list[tuple[object, ...]]:
        with workspace.engine.begin() as db:
            db.execute(store.sources.delete())
            db.execute(store.documents.delete())
            for n, shard in enumerate(shards):
                db.execute(store.sources.insert().values(path=f"p{n}", part=f"{shard}.parquet"))
                db.execute(store.documents.insert().values(id=f"d{n}", path=f"p{n}"))
                if not (workspace.occurrences / f"{shard}.parquet").exists():
                    with ShardWriter(workspace.occurrences / f"{shard}.parquet", f"p{n}") as to:
                        to.write([{**row, "document": f"d{n}", "K1": shard}, {**row, "document": "of another file"}])
        with OneMachine().occurrences(workspace) as rows:
            asked = "SELECT document, K1, part FROM counted ORDER BY document"
            found = [tuple(each.values()) for each in rows(asked, {})]
            rows.gather("counted")
            assert [tuple(each.values()) for each in rows(asked, {})] == found
        return [each[1] for each in found]

    assert counted() == []
    assert counted("a", "b") == ["a", "b"]
    (workspace.occurrences / "a.parquet").write_bytes((workspace.occurrences / "b.parquet").read_bytes())
    with pytest.raises(AssertionError):
        counted("a", "b")  # what stands in a.parquet now is not read
    (workspace.occurrences / "a.parquet").unlink()
    assert counted("c", "b") == ["c", "b"]
    (workspace.path / "counted.parquet").write_bytes(b"PAR1 damaged")
    assert counted("c", "b", "d") == ["c", "b", "d"]
    assert counted("c") == ["c"]


def test_a_formula_whose_looked_at_places_stay_is_counted_anew_and_not_named_again(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = mined_row(formula(0, "F = m a + b"), ("1", "2", "3", "4", "5"), 4, "equation", True, (), True)

    def add(document: str, places: int) -> None:
        with ShardWriter(workspace.occurrences / f"{document}.parquet", document) as shard:
            shard.write([{**row, "document": document, "position": n} for n in range(places)])
        with workspace.engine.begin() as db:
            db.execute(store.sources.insert().values(path=document, part=f"{document}.parquet"))
            db.execute(store.documents.insert().values(id=document, path=document, title=document))

    add("d", 400)
    build_concepts(workspace, SETTINGS, Labels([]))
    for made in ("bot.discover.families.name_group", "bot.discover.naming.make_concept"):
        monkeypatch.setattr(made, None)
    add("z", 3)
    build_concepts(workspace, SETTINGS, Labels([]))
    assert [(one.occurrences, one.documents) for one in load_concepts(workspace)] == [(403, 2)]


def test_what_grouping_holds_is_freed_before_the_ranking(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[object] = []

    class Seen(Families):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given)
            one = weakref.ref(self)
            monkeypatch.setattr(naming, "store_formularank", lambda *_: left.append(one()))

    monkeypatch.setattr(naming, "Families", Seen)
    folder = write(tmp_path / "c", "a")
    gc.disable()  # a cycle would stay for minutes: Python looks for them rarely
    try:
        discover(workspace, [str(folder)], SETTINGS, quiet=True, engine=OneMachine(1))
    finally:
        gc.enable()
    assert left == [None]


def test_rows_are_written_two_thousand_at_a_time(tmp_path: Path) -> None:
    row = mined_row(formula(0, "F = m a"), ("1", "2", "3", "4", "5"), 3, "equation", True, (), False)
    with ShardWriter(tmp_path / "s.parquet", "path") as shard:
        for _ in range(21):
            shard.write([row] * 100)
    parts = pq.ParquetFile(tmp_path / "s.parquet").metadata
    assert [parts.row_group(n).num_rows for n in range(parts.num_row_groups)] == [2000, 100]


# -- search by name -------------------------------------------------------------------------------------------------------


def concept(key: str, tex: str, *names: tuple[str, float], documents: int = 1, **more: Any) -> FormulaConcept:
    return FormulaConcept(
        key,
        tex,
        documents,
        documents,
        (Representation(tex, "K0", documents, documents),),
        tuple(NameCandidate(*n) for n in names),
        **more,
    )


def searched(
    workspace: Workspace,
    concepts: list[FormulaConcept],
    name: str,
    item: Item | None = None,
    known: KnownConcept | None = None,
) -> list[tuple[str, float, str]]:
    save_concepts(workspace, map(ConceptRow.of, concepts))
    return [(row["key"], row["score"], row["level"]) for row in find_by_name(workspace, name, item, SETTINGS, known)]


def test_a_name_counts_whole_its_part_half_and_the_best_counts(workspace: Workspace) -> None:
    given = [
        concept("a", "a = b c", ("wave law", 0.8)),
        concept("b", "d = e f", ("great wave law", 0.8)),
        concept("c", "g = h i", ("wave", 0.8), ("wave law", 0.1)),
        concept("d", "j = k l", ("heat law", 0.8)),
        concept("e", "m = n o", ("wave law", 0.05)),
        concept("f", "p = q r", ("wave law", 0.06)),
    ]
    assert searched(workspace, given, "Wave laws") == [("a", 0.8, ""), ("b", 0.4, ""), ("c", 0.4, ""), ("f", 0.06, "")]
    item = Item("Q1", "heat law", ("wave law",))
    assert [key for key, *_ in searched(workspace, given, "Q1", item)] == ["a", "d", "b", "c", "f"]
    assert [key for key, *_ in searched(workspace, given, "x", None, KnownConcept(("heat law",)))] == ["d"]


@pytest.mark.parametrize(
    ("tex", "level", "worth"),
    [("F = m a", "K0", 1.0), ("F=a m", "K1", 1.0), (r"\vec{F} = m \vec{a}", "K3", 0.8), ("m = F/a", "K4", 0.6)],
)
def test_an_equal_formula_closes_six_tenths_of_the_gap_by_its_level(
    workspace: Workspace, tex: str, level: str, worth: float
) -> None:
    item = Item("Q1", "wave law", statements=(Statement("g", "P2534", tex), Statement("h", "P9", "x = y z")))
    ((_, score, found),) = searched(workspace, [concept("a", "F = m a", ("wave law", 0.5))], "wave law", item)
    assert (found, score) == (level, pytest.approx(0.5 + 0.5 * 0.6 * worth, abs=1e-4))
    ((_, score, found),) = searched(workspace, [concept("a", "F = m a")], "x", item)
    assert (found, score) == (level, pytest.approx(0.6 * worth, abs=1e-4))


@pytest.mark.parametrize(
    ("tex", "level"),
    [(r"P = w\rho u v c^2", "K5"), (r"P = w\rho u v", ""), (r"P = -w\rho u v c^2", "")],
)
def test_a_capital_is_the_same_letter_and_a_sign_or_a_constant_says_another_thing(
    workspace: Workspace, tex: str, level: str
) -> None:
    known = KnownConcept(formulas=(r"p = w\rho u v c^2",))
    ((_, score, found),) = searched(workspace, [concept("a", tex, ("wave law", 0.5))], "wave law", None, known)
    assert (found, score) == (level, 0.65 if level else 0.5)


def test_being_recognised_closes_half_the_gap_where_letters_or_names_agree(workspace: Workspace) -> None:
    given = [concept("a", "F = m a"), concept("b", "F = x y z w"), concept("c", "p = q r", ("wave law", 0.4))]
    known = KnownConcept(formulas=("F = m b",), recognised=lambda tex: 0.5)
    assert searched(workspace, given, "wave law", None, known) == [("c", 0.4 + 0.6 * 0.25, ""), ("a", 0.25, "")]


def test_fifty_are_shown_the_best_first_and_equals_by_key(workspace: Workspace) -> None:
    given = [concept(f"k{n:02}", f"a_{{{n}}} = b c", ("wave law", 0.5)) for n in range(51)]
    found = searched(workspace, [*given[::-1], concept("z", "x = y z", ("wave law", 0.9))], "wave law")
    assert [key for key, *_ in found] == ["z", *(f"k{n:02}" for n in range(49))]


# -- concepts -------------------------------------------------------------------------------------------------------------


def test_concepts_come_back_as_they_were_those_in_most_documents_first(workspace: Workspace) -> None:
    given = [
        concept("a", "F = m a", ("wave law", 0.5)),
        concept("c", "p = m v", documents=3, places=(("d", 1), ("e", 2))),
        concept("b", "q = m v", documents=3),
    ]
    save_concepts(workspace, [ConceptRow.of(given[0], {"F = m a": ("d", 7)}), *map(ConceptRow.of, given[1:])])
    back = list(load_concepts(workspace))
    assert back == [given[2], given[1], given[0]]
    rows = {row["concept"]: row for row in workspace.rows(sa.select(store.representations))}
    assert {key: (row["document"], row["position"], row["level"], row["qid"]) for key, row in rows.items()} == {
        "a": ("d", 7, "K0", ""), "b": ("", 0, "K0", ""), "c": ("", 0, "K0", "")
    }  # fmt: skip
    save_concepts(workspace, [ConceptRow.of(given[0])])
    assert [c.key for c in load_concepts(workspace)] == ["a"]
    assert len(workspace.rows(sa.select(store.representations))) == 3, "what was found once is kept"


def test_only_rows_that_are_not_as_they_were_are_written(workspace: Workspace) -> None:
    one, two, three = (concept(key, "F = m a") for key in "abc")
    save_concepts(workspace, map(ConceptRow.of, (one, two, three)))
    store_formularank(workspace, [ConceptRow.of(one), ConceptRow.of(two)])
    save_concepts(workspace, map(ConceptRow.of, (one, replace(two, occurrences=7), concept("d", "p = m v"))))

    def rows() -> dict[str, tuple[int, bool]]:
        return {
            row["key"]: (row["occurrences"], row["formularank"] is None)
            for row in workspace.rows(sa.select(store.concepts))
        }

    assert rows() == {"a": (1, False), "b": (7, True), "d": (1, True)}
    store_formularank(workspace, [ConceptRow.of(concept("d", "p = m v"))])
    assert rows() == {"a": (1, True), "b": (7, True), "d": (1, False)}


def test_the_ranking_says_each_concepts_place_by_frequency_and_by_rank(workspace: Workspace) -> None:
    given = [
        concept("a", "F = m a"),
        concept("b", "p = m v", ("wave law", 0.5), documents=4),
        concept("c", "q = m v", documents=2),
    ]
    store_formularank(workspace, list(map(ConceptRow.of, given)))
    rows = [json.loads(line) for line in (workspace.reports / "formularank.jsonl").read_text().splitlines()]
    assert [row["formularank"] for row in rows] == [1, 2, 3]
    assert {row["key"]: row["frequency"] for row in rows} == {"b": 1, "c": 2, "a": 3}
    assert {row["key"]: row["name"] for row in rows} == {"a": "", "b": "wave law", "c": ""}
    assert sum(row["centrality"] for row in rows) == pytest.approx(3, abs=1e-3)
    scores = [row["documents"] * row["centrality"] for row in rows]
    assert scores == sorted(scores, reverse=True)
