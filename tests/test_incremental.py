"""A workspace that was brought up to date step by step ends as one that was made from the last state of the corpus at once."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cli_runner import call

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))

import make_corpus

from bot import result_cache
from bot.pickled_values import from_pickle
from bot.processes import WorkerPool
from bot.result_cache import CachedFunction, ResultCache, cache_key, use_cached_calls
from bot.result_cache import open_result_cache as opened
from bot.store import Workspace

SETTINGS = (
    "[matching]\nbuiltin = false\n[encyclopaedia]\nlanguages = []\n[proposing]\npropose_from = 0.05\nlow_below = 0.05\n"
)


@pytest.fixture(scope="module")
def pool(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Documents to put into a corpus and to take out of it; few formulas each, the same concepts in all."""
    folder = tmp_path_factory.mktemp("pool")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(make_corpus, "FORMULAS", 12)
        patched.setattr(make_corpus, "PROSE", 2)
        make_corpus.write(folder, 14, 0, 5, ("latexml",))
    return sorted((folder / "corpus").rglob("*.html"))


@pytest.fixture(scope="module")
def items(pool: list[Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Items that are called as concepts of the documents are, some of them with a formula."""
    world = make_corpus.World(5, 14)
    rows = []
    for number in range(40):
        concept = world.concept(number)
        if concept.name:
            tex = make_corpus.written(concept.forms[-1], "plain")
            rows.append({"qid": f"Q{number + 1}", "label": concept.name, "formulas": [tex] if number % 3 else []})
    path = tmp_path_factory.mktemp("items") / "items.jsonl"
    path.write_text("".join(f"{make_corpus.json.dumps(row)}\n" for row in rows))
    return path


def bring_up_to_date(workspace: Path, corpus: Path, items: Path) -> None:
    workspace.mkdir(exist_ok=True)
    (workspace / "settings.toml").write_text(SETTINGS)
    call("discover", corpus, "--items", items, "-w", workspace).well()
    call("match", "--items", items, "-w", workspace).well()
    call("propose", "-w", workspace).well()


def exported(workspace: Path) -> dict[str, list[dict[str, Any]]]:
    """Return what the stages made; the day on which a row was stored first and seen last is the workspace's own."""
    return {
        name: [
            {key: value for key, value in row.items() if key not in ("created", "seen")}
            for row in call("export", name, "-w", workspace).well().rows
        ]
        for name in ("concepts", "matches", "proposals", "symbols")
    }


@pytest.mark.parametrize("seed", range(4 if os.environ.get("FORMULA_BOT_LONG") else 1))
def test_documents_added_changed_and_removed_leave_what_one_run_over_the_last_state_makes(
    seed: int, pool: list[Path], items: Path, tmp_path: Path
) -> None:
    chance = random.Random(seed)
    corpus, grown = tmp_path / "corpus", tmp_path / "grown"
    corpus.mkdir()
    for path in pool[:7]:
        shutil.copy(path, corpus / path.name)
    bring_up_to_date(grown, corpus, items)
    for step in range(2):
        for _ in range(chance.randrange(1, 4)):
            there = sorted(corpus.iterdir())
            act = chance.choice(("add", "change", "remove"))
            if act == "remove" and len(there) > 4:
                chance.choice(there).unlink()
            elif act == "change":  # another document under the name of this one
                shutil.copy(chance.choice(pool), chance.choice(there))
            else:
                new = chance.choice(pool)
                shutil.copy(new, corpus / f"more-{new.name}")
        bring_up_to_date(grown, corpus, items)
        fresh = tmp_path / f"fresh{step}"
        bring_up_to_date(fresh, corpus, items)
        one, other = exported(grown), exported(fresh)
        assert all(other.values())
        assert one["concepts"] == other["concepts"]
        assert one["matches"] == other["matches"]
        assert one["symbols"] == other["symbols"]
        found = {row["id"]: row for row in one["proposals"]}
        # What an earlier run proposed waits until it expires: it is there beside.
        assert [found[row["id"]] for row in other["proposals"]] == other["proposals"]
    assert set(read_again(grown)) == {"discover", "match", "propose"}


def read_again(workspace: Path) -> Counter[str]:
    """Return how many values of each stage are kept, all of which can be read."""
    with sqlite3.connect(workspace / "kept.db") as db:
        rows = db.execute("SELECT stage, value FROM results").fetchall()
    db.close()
    for _, value in rows:
        from_pickle(value)
    return Counter(stage for stage, _ in rows)


def test_what_has_been_judged_on_the_same_grounds_is_not_judged_again(
    pool: list[Path], items: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import bot.discover.families as families
    import bot.discover.grouping.formula_facts as formula_facts
    import bot.discover.naming as naming
    import bot.match.blocks.concept_views as concept_views
    import bot.match.score as score
    import bot.match.symbols.symbol_stage as symbol_stage
    import bot.propose.build as build
    import bot.propose.diff as diff
    import bot.propose.select as select

    corpus, workspace = tmp_path / "corpus", tmp_path / "w"
    corpus.mkdir()
    for path in pool[:9]:
        shutil.copy(path, corpus / path.name)
    judged: list[str] = []
    whole = score._with_passages
    monkeypatch.setattr(score, "_with_passages", lambda pair, *of: judged.append(pair.item.qid) or whole(pair, *of))
    compared: list[str] = []
    alone = score.formula_evidence
    monkeypatch.setattr(score, "formula_evidence", lambda pair: compared.append(pair.item.qid) or alone(pair))
    read: list[int] = []
    whole_document = symbol_stage.read_document
    monkeypatch.setattr(
        symbol_stage,
        "read_document",
        lambda symbols: read.append(len(symbols.occurrences)) or whole_document(symbols),
    )
    chosen: list[str] = []
    whole_choice = symbol_stage.choose_readings
    monkeypatch.setattr(symbol_stage, "choose_readings", lambda tex, *of: chosen.append(tex) or whole_choice(tex, *of))
    made: Counter[str] = Counter()

    def counted(module: Any, name: str) -> None:
        whole = getattr(module, name)
        monkeypatch.setattr(module, name, lambda *given: made.update([name]) or whole(*given))

    for module, name in (
        (naming, "make_concept"), (families, "name_group"), (families, "place_facts"), (formula_facts, "_facts_of"), (formula_facts, "best_alignment"), (formula_facts, "compare"),
        (select, "keys"), (diff, "compare"), (build, "check"),
    ):  # fmt: skip
        counted(module, name)
    read_again: list[int] = []
    in_order = concept_views.occurrences_in_order
    monkeypatch.setattr(
        concept_views, "occurrences_in_order", lambda w, wanted: read_again.append(len(wanted)) or in_order(w, wanted)
    )
    worth: list[int] = []
    monkeypatch.setattr(WorkerPool, "expect_arguments", lambda self, arguments: worth.append(arguments))
    bring_up_to_date(workspace, corpus, items)
    concepts = len(call("export", "concepts", "-w", workspace).well().rows)
    # So that the evidence of many, and what comes before it, is made in several processes
    assert worth == [3 * concepts] * 2
    worth.clear()
    assert len(read) == 9
    assert len(read_again) == 1  # for what is asked of the wiki, and for the evidence
    first, judged[:], compared[:], read[:] = len(judged), [], [], []
    at_first = made.copy()
    made.clear()
    all_chosen, chosen[:] = len(chosen), []
    shutil.copy(pool[9], corpus / pool[9].name)
    bring_up_to_date(workspace, corpus, items)
    assert 0 < len(compared) < len(judged) < first
    assert len(read) == 1
    assert 0 < len(chosen) < all_chosen
    assert all(made[name] < times / 2 for name, times in at_first.items()), (at_first, made)
    assert min(made["make_concept"], made["name_group"]) > 0
    assert 0 < made["place_facts"] < at_first["place_facts"] / 4  # those of the new document
    assert len(read_again) == 2
    assert 0 < read_again[1] < read_again[0]
    assert all(again < 3 * concepts for again in worth)


# -- what is kept ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "w")


def doubled(kept: ResultCache, given: list[int], asked: list[int], of: str = "double") -> list[int]:
    return kept.map_batch(of, given, cache_key, lambda some: [asked.append(n) or 2 * n for n in some])


def test_a_result_is_made_once_for_equal_inputs_under_one_name(workspace: Workspace) -> None:
    asked: list[int] = []
    with workspace, opened(workspace, "match") as kept:
        assert doubled(kept, [1, 2, 1], asked) == [2, 4, 2]
    with opened(workspace, "match") as kept:
        assert doubled(kept, [2, 3], asked) == [4, 6]
        assert doubled(kept, [2], asked, "other") == [4]
    with opened(workspace, "discover") as kept:
        assert doubled(kept, [3], asked) == [6]
    assert asked == [1, 2, 3, 2, 3]


def test_a_stage_takes_what_an_earlier_one_made_and_adds_to_it(workspace: Workspace) -> None:
    asked: list[int] = []
    with workspace, opened(workspace, "discover") as kept:
        assert doubled(kept, [1], asked) == [2]
    with opened(workspace, "match") as kept:
        assert doubled(kept.for_stage("discover"), [1, 2], asked) == [2, 4]
    with opened(workspace, "discover") as kept:
        assert doubled(kept, [2], asked) == [4]
    assert asked == [1, 2]


def test_small_results_are_kept_in_one_piece_those_of_the_last_run_alone(workspace: Workspace) -> None:
    asked: list[int] = []

    def made(some: list[int]) -> list[int]:
        asked.extend(some)
        return [2 * n for n in some]

    found = []
    with workspace:
        for given in ([1, 2, 1], [2, 3], [], [3]):
            with opened(workspace, "match") as kept:
                found.append(kept.map_as_one_row("double", given, lambda n: cache_key(n), made))
            with sqlite3.connect(workspace.path / "kept.db") as db:
                assert db.execute("SELECT count(*) FROM results").fetchone() == (1,)
    assert found == [[2, 4, 2], [4, 6], [], [6]]
    assert asked == [1, 2, 3, 3]


def test_what_a_function_of_texts_gave_is_there_in_the_next_run_and_what_no_run_asks_is_dropped(
    workspace: Workspace,
) -> None:
    made: list[str] = []

    @CachedFunction
    def length(*texts: str) -> int | None:
        made.append("+".join(texts))
        return sum(map(len, texts)) or None

    asked: list[list[tuple[str, ...]]] = [[("a",), ("a", "bc"), ("",)], [("a",), ("",), ("a",)], [("a", "bc")]]
    found = []
    for some in asked:
        with workspace, opened(workspace, "propose") as kept, use_cached_calls(kept, length):
            found.append([length(*texts) for texts in some])
    assert found == [[1, 3, None], [1, None, 1], [3]]
    assert made == ["a", "a+bc", "", "a+bc"]
    assert length("a") == 1
    assert length("a") == 1
    assert made[4:] == ["a"]  # outside of runs it is a memory


def test_another_version_of_the_code_and_a_damaged_file_begin_anew(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    with workspace, opened(workspace, "match") as kept:
        doubled(kept, [1], asked)
    monkeypatch.setattr(result_cache, "code_version", lambda: "newer")
    with opened(workspace, "match") as kept:
        doubled(kept, [1], asked)
    (workspace.path / "kept.db").write_bytes(b"no database at all, and longer than a header " * 100)
    with opened(workspace, "match") as kept:
        assert doubled(kept, [1], asked) == [2]
    assert asked == [1, 1, 1]


def test_what_is_no_longer_asked_for_is_dropped(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(result_cache, "_UNUSED_ALLOWED", 0)
    asked: list[int] = []
    for given in ([1, 2], [2, 3, 4], [5, 4], [6, 5, 4]):
        with opened(workspace, "match") as kept:
            doubled(kept, given, asked)
        with sqlite3.connect(workspace.path / "kept.db") as db:
            asked.append(-db.execute("SELECT count(*) FROM results").fetchone()[0])
    workspace.close()
    assert asked == [1, 2, -2, 3, 4, -4, 5, -2, 6, -3]  # five are more than twice two


def test_a_single_damaged_row_is_made_anew(workspace: Workspace) -> None:
    asked: list[int] = []
    with workspace, opened(workspace, "match") as kept:
        doubled(kept, [1, 2], asked)
    with sqlite3.connect(workspace.path / "kept.db") as db:
        db.execute("UPDATE results SET value = x'00' WHERE key = (SELECT min(key) FROM results)")
    db.close()
    with opened(workspace, "match") as kept:
        assert doubled(kept, [1, 2], asked) == [2, 4]
    assert len(asked) == 3


def walked(kept: ResultCache, given: list[int], asked: list[int]) -> list[int]:
    def made(some: list[int]) -> list[int]:
        asked.extend(some)
        return [2 * n for n in some]

    walk = kept.map_lazily("double", given, lambda n: cache_key(n), made)
    assert list(walk) == list(walk)
    return list(walk)


def test_all_that_is_lacking_is_made_together_and_walked_as_often_as_wanted(workspace: Workspace) -> None:
    asked: list[int] = []
    with workspace, opened(workspace, "match") as kept:
        assert walked(kept, [1, 2, 1], asked) == [2, 4, 2]
    with opened(workspace, "match") as kept:
        assert walked(kept, [3, 2], asked) == [6, 4]
        assert walked(kept, [], asked) == []
        with sqlite3.connect(workspace.path / "kept.db") as db:
            db.execute("UPDATE results SET value = x'00'")
        db.close()
        assert walked(kept, [2], asked)[-1] == 4
    assert asked[:3] == [1, 2, 3]
    assert set(asked[3:]) == {2}
