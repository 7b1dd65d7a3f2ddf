"""A stage is not run again where nothing that it reads has changed, and is where anything has."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from cli_runner import CORPUS, ITEMS, SETTINGS, STAGES, call, exports

from bot import stage_state, store
from bot.corpus import sources
from bot.store import Workspace


class Workbench:
    """A corpus of a few documents, items and settings, all to be changed."""

    def __init__(self, folder: Path) -> None:
        self.corpus, self.items, self.path = folder / "corpus", folder / "items.jsonl", folder / "w"
        self.corpus.mkdir()
        for file in sorted(CORPUS.rglob("*.html"))[:6]:
            shutil.copy(file, self.corpus / file.name)
        shutil.copy(ITEMS, self.items)
        self.path.mkdir()
        (self.path / "settings.toml").write_text(SETTINGS.read_text(encoding="utf-8") + "", encoding="utf-8")

    def run(self) -> None:
        call("discover", self.corpus, "--items", self.items, "-w", self.path).well()
        call("match", "--items", self.items, "-w", self.path).well()
        call("propose", "-w", self.path).well()

    def noted(self) -> dict[str, str | None]:
        with Workspace.open(self.path) as workspace:
            return {stage: stage_state.last_inputs(workspace, stage) for stage in STAGES}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    bench = Workbench(tmp_path_factory.mktemp("unchanged"))
    bench.run()
    return bench


@pytest.fixture
def bench(finished: Workbench, tmp_path: Path) -> Workbench:
    folder = tmp_path / "copy"
    shutil.copytree(finished.corpus.parent, folder)
    copied = Workbench.__new__(Workbench)
    copied.corpus, copied.items, copied.path = finished.corpus, folder / "items.jsonl", folder / "w"
    return copied


def _broken(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    def never(*args: object, **named: object) -> None:
        raise AssertionError("this was not to be done again")

    for name in names:
        monkeypatch.setattr(name, never)


def test_where_nothing_has_changed_no_stage_is_run_again_and_all_stays(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = exports(bench.path)
    summaries = [call(*stage, "-w", bench.path, "--json").well().rows[0] for stage in (("match",), ("propose",))]
    _broken(
        monkeypatch,
        "bot.discover.naming.build_concepts",
        "bot.match.blocks.concept_views.ConceptViews",
        "bot.propose.queueing.read_context",
    )
    bench.run()
    assert exports(bench.path) == before
    again = [call(*stage, "-w", bench.path, "--json").well().rows[0] for stage in (("match",), ("propose",))]
    for one, other in zip(summaries, again, strict=True):
        assert {**one, "seconds": 0} == {**other, "seconds": 0}


def test_each_file_is_looked_at_once(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: Counter[str] = Counter()
    whole = sources._inspect
    monkeypatch.setattr(sources, "_inspect", lambda path, *of: looked.update([Path(path).name]) or whole(path, *of))
    call("discover", bench.corpus, "--items", bench.items, "-w", bench.path).well()
    assert looked == Counter(file.name for file in bench.corpus.iterdir())


def test_proposing_loads_no_learning_library() -> None:
    code = "import sys, bot.propose.queueing; print('scipy' in sys.modules, 'sklearn' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"


def test_what_has_not_changed_loads_no_learning_library(bench: Workbench) -> None:
    code = (
        "import sys; from bot.cli import cli; cli(sys.argv[1:], standalone_mode=False);"
        "print([name for name in ('sklearn', 'scipy', 'duckdb', 'pyarrow') if name in sys.modules])"
    )
    command = ["discover", bench.corpus, "--items", bench.items, "-w", bench.path, "--json"]
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, command)],
        capture_output=True,
        text=True,
        check=True,
        cwd=CORPUS.parents[1],
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_document_more_makes_all_three_stages_run(bench: Workbench, tmp_path: Path) -> None:
    before = bench.noted()
    corpus = tmp_path / "corpus"
    shutil.copytree(bench.corpus, corpus)
    shutil.copy(sorted(CORPUS.rglob("*.html"))[7], corpus)
    bench.corpus = corpus
    bench.run()
    assert all(before.values())
    assert all(bench.noted()[stage] != before[stage] for stage in STAGES)


@pytest.mark.parametrize(
    ("setting", "runs"),
    [
        ("[discovery]\nmin_documents = 1\n", STAGES),
        ("[encyclopaedia]\nleast = 0.5\n", ("match", "propose")),
        ("[proposing]\nexpires_days = 3\n", ("match", "propose")),
    ],
)
def test_a_setting_makes_the_stages_run_that_read_it(bench: Workbench, setting: str, runs: tuple[str, ...]) -> None:
    before, file = bench.noted(), bench.path / "settings.toml"
    text, (head, line) = file.read_text(encoding="utf-8"), setting.splitlines()
    file.write_text(text.replace(head, setting) if head in text else text + "\n" + setting, encoding="utf-8")
    assert line in file.read_text(encoding="utf-8")
    bench.run()
    assert [stage for stage in STAGES if bench.noted()[stage] != before[stage]] == list(runs)


def test_other_items_make_the_stages_run_that_read_them(bench: Workbench) -> None:
    before = bench.noted()
    rows = [json.loads(line) for line in bench.items.read_text(encoding="utf-8").splitlines()]
    rows[0]["formulas"] = ["a = b"]
    bench.items.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    bench.run()
    assert [stage for stage in STAGES if bench.noted()[stage] != before[stage]] == ["match", "propose"]


def test_an_answer_of_a_person_makes_matching_run_and_a_decision_proposing(bench: Workbench) -> None:
    before = bench.noted()
    with Workspace.open(bench.path) as workspace:
        concept = workspace.rows(store.concepts.select())[0]["key"]
        with workspace.engine.begin() as db:
            db.execute(store.decisions.insert().values(proposal="p", hash="h", verdict="skip", reviewer="A", time="t"))
    call("match", "-w", bench.path).well()
    call("propose", "-w", bench.path).well()
    after = bench.noted()
    assert [stage for stage in STAGES if after[stage] != before[stage]] == ["propose"]
    with Workspace.open(bench.path) as workspace, workspace.engine.begin() as db:
        db.execute(store.answers.insert().values(concept=concept, answer="none", reviewer="A", time="2026-11-20"))
    call("match", "-w", bench.path).well()
    assert bench.noted()["match"] != after["match"]


def test_a_run_that_was_broken_off_is_no_run(bench: Workbench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    shutil.copytree(bench.corpus, corpus)
    for file in sorted(corpus.iterdir())[3:]:
        file.unlink()
    with monkeypatch.context() as patched:
        _broken(patched, "bot.discover.naming.save_concepts")
        assert call("discover", corpus, "-w", bench.path).code == 70
    assert bench.noted()["discover"] is None


def test_on_another_day_what_is_found_again_is_seen_again_and_what_expired_is_looked_at(bench: Workbench) -> None:
    from queued import load_proposals

    from bot.cli_common import open_wiki_and_client, open_workspace
    from bot.propose.run import propose

    def run(day: date) -> str | None:
        with (
            open_workspace(str(bench.path), None) as (workspace, settings),
            open_wiki_and_client(workspace, settings) as (_, client),
        ):
            propose(workspace, client, settings, today=day, quiet=True)
            assert {row["seen"] for row in workspace.rows(store.proposals.select())} == {day.isoformat()}
            return max(each.expires for each in load_proposals(workspace))

    first = run(date(2100, 1, 1))  # all has expired: made anew
    assert first == "2100-04-01"
    assert run(date(2100, 2, 1)) == first
    assert run(date(2100, 4, 2)) == "2100-07-01"


def test_another_version_of_the_code_has_other_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    here = stage_state.inputs_digest("a", 1)
    assert here == stage_state.inputs_digest("a", 1) != stage_state.inputs_digest("a", 2)
    monkeypatch.setattr(stage_state, "code_version", lambda: "other")
    assert stage_state.inputs_digest("a", 1) != here
