"""Sources to concepts: what is found, and that a run can be repeated, interrupted and continued."""

from __future__ import annotations

import json
import shutil
import signal
import sys
from pathlib import Path

import pytest
import sqlalchemy as sa
from forked import run_anew

from bot import store
from bot.discover import discover, find_by_name, load_concepts, occurrences_of
from bot.discover.engines import OneMachine
from bot.discover.formula_search import find_formula
from bot.errors import SourceError
from bot.formula import keys
from bot.records import FormulaConcept, Item, Statement, as_json
from bot.settings import Discovery, Settings
from bot.store import Workspace

DEFAULTS = Settings()


def run(workspace: Workspace, *sources: Path, settings: Settings = DEFAULTS, workers: int = 1) -> list[FormulaConcept]:
    discover(workspace, [str(s) for s in sources], settings, quiet=True, engine=OneMachine(workers))
    return list(load_concepts(workspace))


def concept(found: list[FormulaConcept], tex: str) -> FormulaConcept:
    return next(c for c in found if keys(c.tex).K3 == keys(tex).K3)


def contents(workspace: Workspace) -> str:
    """All that a run decides: concepts, documents, sources and shards, but not when a representation was added."""
    tables = (store.concepts, store.documents, store.sources)
    rows = [workspace.rows(sa.select(t).order_by(*t.primary_key.columns)) for t in tables]
    shards = {p.name: p.read_bytes().hex() for p in workspace.occurrences.iterdir()}
    kept = workspace.rows(sa.select(store.representations.c.id).order_by(store.representations.c.id))
    return json.dumps([rows, kept, sorted(shards.items())], sort_keys=True)


def test_concepts_are_counted_over_documents_and_named(workspace: Workspace, corpus: Path) -> None:
    found = run(workspace, corpus)
    second_law = concept(found, r"F = \frac{dp}{dt}")
    assert (second_law.occurrences, second_law.documents) == (2, 2)
    force, named = second_law.names[:2]  # one text is the article “Force”, and F is usual for it
    assert (force.name, named.name) == ("force", "Newton's second law")
    assert named.documents == 2
    assert any("2 documents" in str(reason) for reason in named.reasons)


def test_an_article_names_its_defining_formula(workspace: Workspace, corpus: Path) -> None:
    found = run(workspace, corpus)
    assert concept(found, r"\mathbf{p} = m \mathbf{v}").names[0].name.lower() == "momentum"
    assert any(n.name == "Hooke's law" for n in concept(found, "F_s = -kx").names[:2])
    assert concept(found, r"U = \tfrac12 k x^2").names[0].name == "potential energy"


def test_numeric_instances_and_dependences_are_no_concepts(workspace: Workspace, corpus: Path) -> None:
    assert not [c.tex for c in run(workspace, corpus) if "3.5" in c.tex or "x(t)" in c.tex]


def test_the_shown_formula_has_no_trailing_punctuation(workspace: Workspace, corpus: Path) -> None:
    assert not concept(run(workspace, corpus), r"F = \frac{dp}{dt}").tex.endswith(".")


def test_short_filters_keep_only_what_repeats(workspace: Workspace, corpus: Path) -> None:
    strict = Settings(discovery=Discovery(min_length=3, long_formulas=False, max_length=12))
    assert all(len(c.tex) < 40 for c in run(workspace, corpus, settings=strict))


def test_labels_lift_names(workspace: Workspace, corpus: Path) -> None:
    discover(workspace, [str(corpus)], Settings(), labels=[("Q83152", "Hooke's law")], quiet=True)
    law = next(n for c in load_concepts(workspace) for n in c.names if n.name == "Hooke's law")
    assert any("Q83152" in str(reason) for reason in law.reasons)


def test_a_second_run_reads_nothing_and_changes_nothing(workspace: Workspace, corpus: Path) -> None:
    run(workspace, corpus)
    before = contents(workspace)
    summary = discover(workspace, [str(corpus)], Settings(), quiet=True)
    assert (summary.files_read, summary.files_reused) == (0, 3)
    assert contents(workspace) == before


@pytest.mark.parametrize(
    ("name", "text", "beside", "content"),
    [
        ("index.rst", ".. include:: part.txt\n", "part.txt", "So :math:`E = {}`.\n"),
        ("index.rst", "So :math:`E = mc^2`.\n", "conf.py", "rst_prolog = '''\nOf :math:`F = {}`.\n'''\n"),
        ("index.md", "So $E = \\X$.\n", "_config.yml", "macros:\n  X: '{}'\n"),
        (
            "a.tex",
            "\\documentclass{article}\\begin{document}\\input{part}\\end{document}",
            "part.tex",
            "So $E = {}$.\n",
        ),
    ],
)
def test_a_document_is_read_again_when_a_file_that_it_is_read_with_changes(
    name: str, text: str, beside: str, content: str, workspace: Workspace, tmp_path: Path
) -> None:
    folder = tmp_path / "book"
    folder.mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    (folder / "other.md").write_text("So $F = m a$.\n", encoding="utf-8")
    counts = []
    for value in ("m c^2", "m c^2", "h f"):
        (folder / beside).write_text(content.replace("{}", value), encoding="utf-8")
        counts.append(discover(workspace, [str(folder)], Settings(), quiet=True).files_read)
    assert counts == [2, 0, 2 if beside in ("_config.yml", "conf.py") else 1]


def test_a_changed_file_replaces_what_it_said_and_a_vanished_one_leaves(workspace: Workspace, corpus: Path) -> None:
    run(workspace, corpus)
    (corpus / "Force.txt").write_text("A '''force''' is\n:<math>F = q E + q v B</math>\n", encoding="utf-8")
    (corpus / "Hooke's law.txt").unlink()
    summary = discover(workspace, [str(corpus)], Settings(), quiet=True)
    found = list(load_concepts(workspace))
    assert (summary.files_read, summary.files_reused, summary.documents) == (1, 1, 2)
    assert concept(found, r"F = \frac{dp}{dt}").documents == 1
    assert not [c for c in found if "k" in c.tex]
    assert len(list(workspace.occurrences.iterdir())) == 2


def test_a_corpus_that_is_moved_is_read_from_its_new_place(workspace: Workspace, corpus: Path, tmp_path: Path) -> None:
    run(workspace, corpus)
    copy = tmp_path / "elsewhere" / corpus.name
    shutil.copytree(corpus, copy)
    copied = discover(workspace, [str(copy)], Settings(), quiet=True)
    assert {reason.code for _, reason in copied.skipped} == {"unread.read_from"}
    shutil.rmtree(corpus)
    moved = discover(workspace, [str(copy)], Settings(), quiet=True)
    assert (moved.files_read, moved.documents, moved.skipped) == (3, 3, ())
    rows = workspace.rows(sa.select(store.documents.c.path))
    assert {Path(row["path"]).parent for row in rows} == {copy}
    (copy / "Force.txt").write_text("A '''force''' is\n:<math>F = q E + q v B</math>\n", encoding="utf-8")
    assert concept(run(workspace, copy), r"F = \frac{dp}{dt}").documents == 1
    assert discover(workspace, [str(copy)], Settings(), quiet=True).files_reused == 3


def test_neither_the_number_of_workers_nor_what_is_asked_at_once_matters(
    tmp_path: Path, workspace: Workspace, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(workspace, corpus)
    monkeypatch.setattr("bot.discover.mine._PARALLEL_FROM", 0)
    with Workspace.open(tmp_path / "other") as other:
        run(other, corpus, workers=2)
        assert contents(other) == contents(workspace)
    monkeypatch.setattr("bot.discover.families._KEYS_PER_QUERY", 1)  # a formula at a time, from the candidates gathered
    with Workspace.open(tmp_path / "gathered") as third:
        run(third, corpus)
        assert contents(third) == contents(workspace)


KILLED = """
import os, signal, sys
import bot.discover.mine as mine
from bot.discover import discover
from bot.discover.engines import OneMachine
from bot.settings import Settings
from bot.store import Workspace
left = int(sys.argv[3])
def dies(whole):
    def step(*given, **named):
        global left
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return whole(*given, **named)
    return step
from bot.discover.shard_files import ShardWriter
ShardWriter.close = dies(ShardWriter.close)
mine.store_mined_file = dies(mine.store_mined_file)
import bot.discover.naming as naming
naming.save_concepts = dies(naming.save_concepts)
with Workspace.open(sys.argv[1]) as workspace:
    discover(workspace, [sys.argv[2]], Settings(), quiet=True, engine=OneMachine(1))
"""


def test_killed_at_any_step_it_goes_on_where_it_was(tmp_path: Path, workspace: Workspace, corpus: Path) -> None:
    run(workspace, corpus)
    script = tmp_path / "killed.py"
    script.write_text(KILLED, encoding="utf-8")
    for step in (1, 2, 4, 7):  # before a shard stands, before its row, in the middle, before the concepts are stored
        with Workspace.open(tmp_path / f"killed{step}") as other:
            command = [sys.executable, str(script), str(other.path), str(corpus), str(step)]
            ended = run_anew(command)
            assert ended.returncode == -signal.SIGKILL
            run(other, corpus)
            assert contents(other) == contents(workspace)


def test_the_same_document_given_twice_counts_once(workspace: Workspace, corpus: Path, tmp_path: Path) -> None:
    found = run(workspace, corpus, corpus / ".." / corpus.name)
    assert concept(found, r"F = \frac{dp}{dt}").occurrences == 2


def test_the_formula_concept_database_only_grows(workspace: Workspace, corpus: Path) -> None:
    run(workspace, corpus)
    before = {r["id"] for r in workspace.rows(sa.select(store.representations))}
    (corpus / "Hooke's law.txt").unlink()
    run(workspace, corpus)
    after = workspace.rows(sa.select(store.representations))
    assert before <= {r["id"] for r in after}
    assert all(r["document"] and r["level"] and r["added"] for r in after)


def test_a_corpus_without_names_or_formulas_is_an_honest_report(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "bare"
    folder.mkdir()
    (folder / "Nothing.txt").write_text("'''Nothing''' is here.\n", encoding="utf-8")
    summary = discover(workspace, [str(folder)], Settings(), quiet=True)
    assert (summary.documents, summary.formulas, summary.concepts, summary.named) == (1, 0, 0, 0)


def test_a_source_that_is_not_there_is_one_clear_error(workspace: Workspace) -> None:
    with pytest.raises(SourceError, match="no such"):
        discover(workspace, ["/nowhere/at/all"], Settings(), quiet=True)


def test_places_lead_back_to_the_occurrences(workspace: Workspace, corpus: Path) -> None:
    law = concept(run(workspace, corpus), r"F = \frac{dp}{dt}")
    told = occurrences_of(workspace, law.places)
    assert [(o.document, o.position) for o in told] == list(law.places)
    assert all(f"⟦{o.position}⟧" in o.window for o in told)
    assert occurrences_of(workspace, [("nowhere", 0)]) == []


def test_find_by_name_ranks_likely_formulas(workspace: Workspace, corpus: Path) -> None:
    run(workspace, corpus)
    best = find_by_name(workspace, "Newton's second law", None, Settings())[0]
    assert keys(best["tex"]).K2 == keys(r"F=\frac{dp}{dt}").K2
    assert best["title"] in ("Force", "Momentum")
    assert find_by_name(workspace, "quark confinement", None, Settings()) == []


def test_what_is_found_is_shown_in_one_line(workspace: Workspace, tmp_path: Path) -> None:
    page = tmp_path / "notes" / "a.md"
    page.parent.mkdir()
    page.write_text("# Springs\n\nHooke's law is\n\n$$F = -k x$$\n\nIt holds for springs.\n", encoding="utf-8")
    run(workspace, page.parent)
    (best,) = find_by_name(workspace, "Hooke's law", None, Settings())
    assert best["sentence"] == "Hooke's law is $F = -k x$ It holds for springs."
    (hit,) = find_formula(workspace, "F = -k x")
    assert hit["sentence"] == "Hooke's law is $F = -k x$ It holds for springs."


def test_find_uses_the_items_own_formula(workspace: Workspace, corpus: Path) -> None:
    run(workspace, corpus)
    item = Item("Q41273", "impetus", statements=(Statement("g", "P2534", "p=m v"),))
    best = find_by_name(workspace, "Q41273", item, Settings())[0]
    assert best["level"] in ("K0", "K1", "K2", "K3")
    assert "m" in best["tex"]


def test_a_concept_survives_the_way_through_the_database(workspace: Workspace, corpus: Path) -> None:
    found = run(workspace, corpus)
    assert as_json(found) == as_json(list(load_concepts(workspace)))
    assert all(isinstance(c.representations, tuple) and c.representations for c in found)


def test_what_states_the_same_is_one_concept_unless_its_names_differ(workspace: Workspace, tmp_path: Path) -> None:
    folder = tmp_path / "articles"
    folder.mkdir()
    same = "The '''equation of state''' is\n:<math>p = w \\rho</math>\nas is known.\n"
    bare = "In a model one has\n:<math>p_X(t) = w_X(t) \\rho_X(t)</math>\nas before.\n"
    other = "The '''surface speed''' is\n:<math>p = -w \\rho^2</math>\nin some units.\n"
    for n, text in enumerate((same, bare, other) * 2):
        (folder / f"Article {n}.txt").write_text(text, encoding="utf-8")
    found = run(workspace, folder)
    state = concept(found, r"p = w \rho")
    assert {r.tex.replace(" ", "") for r in state.representations} == {r"p=w\rho", r"p_X(t)=w_X(t)\rho_X(t)"}
    assert concept(found, r"p = -w \rho^2").key != state.key


def test_the_concepts_are_ranked_beside_their_frequency(workspace: Workspace, corpus: Path) -> None:
    found = run(workspace, corpus)
    rows = [json.loads(line) for line in (workspace.reports / "formularank.jsonl").read_text("utf-8").splitlines()]
    assert sorted(row["key"] for row in rows) == sorted(c.key for c in found)
    assert [row["formularank"] for row in rows] == list(range(1, len(found) + 1))
