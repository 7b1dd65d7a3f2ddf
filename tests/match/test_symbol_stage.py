"""From a document with its where-clauses to `export symbols`, and to what is kept for each concept."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import cast

import duckdb
import pytest
from cli_runner import call

from bot.discover.cues.cue_language import article_language
from bot.discover.stored_occurrences import fill_table
from bot.lookup import Client
from bot.match.symbols import symbol_stage
from bot.match.symbols.symbol_evidence import (
    DocumentSymbols,
    SymbolUsage,
    UsageInputs,
    named_quantities,
    read_document,
    readings,
)
from bot.match.symbols.symbol_items import SymbolItems
from bot.match.symbols.symbol_rows import SymbolRow, symbols_in, symbols_of_concepts
from bot.processes import WorkerPool
from bot.records import Item, NameHint, Occurrence
from bot.result_cache import temporary_result_cache
from bot.settings import Properties, Settings
from bot.store import Row, Workspace

LECTURE = r"""# Motion

The force on a body is $$F = m a$$ where $m$ is the mass of the body and $a$ is its acceleration.

The kinetic energy of the body is $$E = \frac{1}{2} m v^2$$ where $v$ is the speed of the body.

The strange charge is $$q = \frac{m}{v}$$ where $q$ is the electric charge.

Here $$w = u + z$$ and no word of it. With $x = 3$ it ends.
"""
OTHER = r"""# Springs

Some number $p$ stands first. The spring of length $\ell$ is pulled.
"""
BORROWER = r"""# Rods

First $y$ and $j$ and $h$. There is $$\ell = r + s$$ for a rod.
"""
ITEMS = (
    ("Q11423", "mass"), ("Q11376", "acceleration"), ("Q11402", "force"), ("Q3711325", "speed"), ("Q46276", "kinetic energy"), ("Q1111", "electric charge"), ("Q1", "body"),
)  # fmt: skip


@pytest.fixture(scope="module")
def matched(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("symbols")
    (folder / "c").mkdir()
    (folder / "c" / "motion.md").write_text(LECTURE, encoding="utf-8")
    (folder / "c" / "springs.md").write_text(OTHER, encoding="utf-8")
    (folder / "c" / "rods.md").write_text(BORROWER, encoding="utf-8")
    rows = [
        {"qid": q, "label": name, "aliases": [], "formulas": ["F=ma"] if q == "Q11402" else [], "instance_of": []}
        for q, name in ITEMS
    ]
    (folder / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    call("discover", folder / "c", "-w", folder / "w").well()
    before = call("export", "symbols", "-w", folder / "w").well().rows
    assert before
    assert {row["qid"] for row in before} == {""}
    call("match", "-w", folder / "w", "--items", folder / "items.jsonl").well()
    return folder / "w"


def of(workspace: Path, tex: str) -> dict[str, Row]:
    rows = [
        row
        for row in call("export", "symbols", "-w", workspace).well().rows
        if row["tex"].replace(" ", "") == tex.replace(" ", "")
    ]
    return {row["symbol"]: row for row in rows}


def test_each_symbol_has_meaning_item_and_sentence(matched: Path) -> None:
    rows = of(matched, "F = m a")
    assert {name: (row["meaning"], row["qid"], row["label"]) for name, row in rows.items()} == {
        "F": ("force", "Q11402", "force"), "m": ("mass of the body", "Q11423", "mass"), "a": ("acceleration", "Q11376", "acceleration"),
    }  # fmt: skip
    assert rows["m"]["sentence"].startswith("The force on a body is $F = m a$ where $m$ is the mass")
    assert {row["agrees"] for row in rows.values()} == {True}
    assert all(0.65 <= row["probability"] < 1 for row in rows.values())
    assert all(row["probability"] == round(row["probability"], 4) for row in rows.values())


def test_a_meaning_from_an_earlier_sentence_holds_further_on(matched: Path) -> None:
    rows = of(matched, r"E = \frac{1}{2} m v^2")
    assert rows["m"]["meaning"] == "mass of the body"
    assert (rows["v"]["meaning"], rows["v"]["qid"]) == ("speed of the body", "Q3711325")
    assert rows["E"]["qid"] == "Q46276"


def test_there_is_no_item_where_the_dimensions_disagree(matched: Path) -> None:
    rows = of(matched, r"q = \frac{m}{v}")
    assert rows["q"]["meaning"] == "electric charge"
    assert {(row["qid"], row["agrees"]) for row in rows.values()} == {("", False)}


def test_a_sentence_of_another_document_keeps_its_own_formulas(matched: Path) -> None:
    row = of(matched, r"\ell = r + s")[r"\ell"]
    assert (row["meaning"], row["sentence"]) == ("length", r"The spring of length $\ell$ is pulled.")


def test_nothing_is_said_where_nothing_is_known(matched: Path) -> None:
    assert not {"w", "u", "z"} & set(of(matched, "w = u + z"))
    assert of(matched, "x = 3") == {}


def test_what_is_kept_of_a_concept_is_what_is_exported(matched: Path) -> None:
    key = next(
        row["key"] for row in call("export", "concepts", "-w", matched).rows if row["tex"].replace(" ", "") == "F=ma"
    )
    with Workspace.open(matched, create=False) as workspace:
        kept = symbols_of_concepts(workspace, [key])[key]
        assert symbols_of_concepts(workspace, ["no concept"]) == {}
    assert [(row["symbol"], row["qid"]) for row in kept] == [("F", "Q11402"), ("m", "Q11423"), ("a", "Q11376")]
    exported = of(matched, "F = m a")
    assert all({**row, "tex": "F = m a"} == {**exported[row["symbol"]], "tex": "F = m a"} for row in kept)


def test_few_documents_are_read_at_once(matched: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    whole = symbol_stage.all_occurrences
    monkeypatch.setattr(symbol_stage, "all_occurrences", lambda w, of: asked.append(len(of)) or whole(w, of))
    with Workspace.open(matched, create=False) as workspace:
        found = list(symbol_stage.read_formulas(workspace))
        monkeypatch.setattr(symbol_stage, "_BLOCK", 2)
        assert repr(list(symbol_stage.read_formulas(workspace))) == repr(found)
        assert len({document for document, *_ in found}) == 2
        assert asked == [3, 2, 1]
        sizes: list[int] = []
        monkeypatch.setattr(
            WorkerPool, "start", lambda self, make, inputs: sizes.append(len(inputs)) or (lambda: list(make(inputs)))
        )
        list(symbol_stage.read_formulas(workspace))
    assert sizes == [2, 1]


def test_only_documents_that_are_read_otherwise_than_in_the_stored_file_are_made_again_and_items_of_all(
    matched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(matched, tmp_path / "w")
    mass = SymbolItems([Item("Q1", "mass")], Properties())
    with Workspace.open(tmp_path / "w", create=False) as workspace, temporary_result_cache() as results:

        def store(known: SymbolItems) -> list[SymbolRow]:
            monkeypatch.setattr(SymbolItems, "fetch", lambda *_: known)
            symbol_stage.store_symbols(workspace, cast(Client, None), Settings(), results)
            return list(symbol_stage.read_symbols(workspace))

        first = store(mass)
        ((stamp, stored),) = results.load_last("symbols stored", b"").items()
        assert len({row["document"] for row in first}) == 2 < len(stored)
        old = next(row["document"] for row in first if row["qid"])
        results.store_last("symbols stored", b"", {stamp: {old: stored[old]}})
        made: list[str] = []
        start = symbol_stage._WorkspaceSymbols._start_rows
        monkeypatch.setattr(
            symbol_stage._WorkspaceSymbols, "_start_rows", lambda self, some: made.extend(of.id for of, *_ in some) or start(self, some)
        )  # fmt: skip
        assert store(SymbolItems((), Properties())) == [{**row, "qid": "", "label": ""} for row in first]
        assert made == sorted(stored.keys() - {old})
        made.clear()
        assert store(mass) == first
        assert made == []


def test_symbols_that_could_not_be_stored_leave_the_old_ones_and_no_other_file(
    matched: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(symbol_stage, "store_of_concepts", refused)
    monkeypatch.setattr(SymbolItems, "fetch", lambda *_: SymbolItems((), Properties()))
    before = {file.name: file.read_bytes() for file in matched.glob("*symbols*")}
    with (
        Workspace.open(matched, create=False) as workspace,
        temporary_result_cache() as results,
        pytest.raises(OSError, match="No space left"),
    ):
        symbol_stage.store_symbols(workspace, cast(Client, None), Settings(), results)
    assert {file.name: file.read_bytes() for file in matched.glob("*symbols*")} == before
    assert not list(matched.glob(".symbols*"))


def test_a_text_names_quantities_each_with_its_first_sentence() -> None:
    found = named_quantities("The electric charge is kept. The mass is constant. Here mass and charge are given.")
    assert found["electric charge"] == "The electric charge is kept."
    assert found["mass"] == "The mass is constant."
    assert named_quantities("Nothing is named here.") == {}


def test_what_a_formula_is_called_elsewhere_says_nothing_of_a_symbol_here() -> None:
    called = Occurrence("d", 0, "X = mx", True, "It is $⟦0⟧$.", cues=(NameHint("called", "temperature"),))
    here = Occurrence("d", 1, "X = kz", True, "The temperature is constant, and so ⟦1⟧ holds.")
    first, second = read_document(DocumentSymbols([called, here], article_language("en"))).formulas
    found = [
        {symbol.tex: [each.key for each in of] for symbol, of in readings(one, SymbolUsage(), "c", {})}
        for one in (first, second)
    ]
    assert "temperature" in found[0]["X"]
    assert "temperature" in second.named
    assert "temperature" not in found[1]["X"]


def test_symbols_are_found_in_another_formula_in_its_order() -> None:
    empty = SymbolRow(document="d", position=1, tex="p=mv", symbol="", meaning="", qid="", quantity="", label="", probability=0.9, sentence="", agrees=True)  # fmt: skip
    rows: list[SymbolRow] = [{**empty, "symbol": symbol, "meaning": word} for symbol, word in (("m", "mass"), ("v", "speed"), (r"\frac", "none"))]  # fmt: skip
    found = [(symbol.tex, row["meaning"], row["tex"]) for symbol, row in symbols_in("E=v^2m/2", rows)]
    assert found == [("v", "speed", "E=v^2m/2"), ("m", "mass", "E=v^2m/2")]
    assert list(symbols_in("a=bc", rows)) == []


def test_readings_of_other_documents_come_by_their_number_without_the_own_one() -> None:
    usage = SymbolUsage()
    for key in ("voltage", "speed", "speed", "volume", "volume", "phase", "velocity", "velocity", "value", "void"):
        usage.add("book", {("v", key): (f"the {key}", f"{key} first"), ("w", "work"): ("work", "")})
    usage.add("other", {("v", "vapour"): ("vapour", "")})
    found, _ = usage.readings_elsewhere("book", (("v", frozenset({"speed", "vapour"})),))
    assert (found.key, found.best, found.total) == ("v", ("velocity", "volume", "phase", "speed", "value"), 8)
    assert list(found.documents.items()) == [("velocity", 2), ("volume", 2), ("phase", 1), ("speed", 1), ("value", 1), ("void", 1), ("voltage", 1)]  # fmt: skip
    other, _ = usage.readings_elsewhere("book", (("x", frozenset()), ("w", frozenset())))
    assert (other.key, other.best, other.total) == ("w", ("work",), 8)
    # Its own document alone says so.
    assert usage.readings_elsewhere("other", (("v", frozenset({"vapour"})),))[0].best == ()
    assert usage.shown["book", "v", "speed"] == ("the speed", "speed first")
    asked = ("v", frozenset({"speed", "vapour"})), ("w", frozenset({"work"}))
    part = usage.of_document("book", [asked[:1]])
    assert part.readings_elsewhere("book", asked[:1]) == usage.readings_elsewhere("book", asked[:1])
    assert part.shown == {("book", "v", each): usage.shown["book", "v", each] for each in found.documents}


def test_what_other_documents_give_changes_only_where_a_rounded_number_does() -> None:
    told = {("m", "mass"): ("the mass", "m is the mass"), ("m", "slope"): ("slope", "")}
    place = Occurrence("d", 0, "F = ma", True, "Here ⟦0⟧ has a mass.")
    needs = UsageInputs.of(read_document(DocumentSymbols([place], article_language("en"))))
    assert [[key for key, _ in needs.symbols[n]] for n in needs.formulas[0]] == [["F"], ["m"], ["a"]]

    def grounds(of_mass: int, of_slope: int) -> list[bytes]:
        usage = SymbolUsage()
        for n in range(of_mass):
            usage.add("book", told if n < of_slope else {("m", "mass"): told["m", "mass"]})
        return [usage.readings_elsewhere("book", own)[1] for own in needs.symbols]

    first = grounds(8, 1)
    assert grounds(9, 1) == first  # 9 and 10 documents count as 8, 12 to 15 as 12
    assert [one == other for one, other in zip(grounds(12, 1), first, strict=True)] == [True, False, True]
    assert [one == other for one, other in zip(grounds(8, 2), first, strict=True)] == [True, False, True]
    assert grounds(20, 1) == grounds(20, 0)  # less than a tenth of what is given says nothing
    assert grounds(18, 2) != grounds(18, 0)


@pytest.mark.parametrize(
    ("probability", "agrees", "sure"),
    [(0.9, True, True), (0.9, None, True), (0.8999, True, False), (0.99, False, False)],
)
def test_an_item_is_given_where_the_meaning_is_sure_and_the_dimensions_do_not_disagree(
    probability: float, agrees: bool | None, sure: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    mass = SymbolItems([Item("Q11423", "mass")], Properties())
    monkeypatch.setattr(SymbolItems, "fetch", lambda meanings, *_: mass if meanings else SymbolItems((), Properties()))
    row = ("d", 1, "p=mv", "m", "mass", "", "mass", "", probability, "", agrees)
    with duckdb.connect() as db:
        fill_table(db, "symbols", symbol_stage._COLUMNS, [row])
        symbol_stage._add_items(db, cast(Client, None), ())
        (named,) = db.table("symbols").fetchall()
    qid, label = ("Q11423", "mass") if sure else ("", "")
    assert named == ("d", 1, "p=mv", "m", "mass", qid, "mass", label, probability, "", agrees)
