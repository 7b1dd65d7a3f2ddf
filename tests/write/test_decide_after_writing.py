"""A decision on what is written already is refused with what became of it on the item."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from rehearsal import Direct, Looks, Time, approve, by_hand, claims, policy, put, removes

from bot.cli import cli
from bot.errors import LookupFailed, ReviewError
from bot.messages import uncoded_message
from bot.sandbox import Sandbox
from bot.settings import Settings
from bot.store import Workspace
from bot.write import apply, make_plan

ITEM = "Q41273"
SETTINGS = Settings()


class Written:
    """A workspace that names a wiki on this machine, and one claim that was approved and written there."""

    def __init__(self, path: Path, sandbox: Sandbox) -> None:
        self.path, self.sandbox = path, sandbox
        wiki = sandbox.wiki
        with Workspace.open(path) as workspace:
            made = put(workspace, ITEM, "p=mv")
            self.id = made.id
            approve(workspace, made)
            plan = make_plan(workspace, Looks(sandbox), wiki, SETTINGS)  # type: ignore[arg-type]
            wiki_policy = policy(workspace, sandbox, Time())
            apply(workspace, plan, wiki, SETTINGS, session=Direct(sandbox), policy=wiki_policy)
        (path / "settings.toml").write_text(
            f'[agent]\ncontact = "https://example.org/operator"\n[wiki]\nname = "here"\napi = "{wiki.api}"\n'
            f'sparql = "{wiki.sparql}"\nentity_prefix = "{wiki.entity_prefix}"\npage_prefix = "{wiki.page_prefix}"\n'
        )

    def refused(self, *verdict: str) -> str:
        """Return what the command says instead of recording a decision."""
        done = CliRunner().invoke(cli, ["review", *verdict, self.id, "-w", str(self.path)])
        assert isinstance(done.exception, ReviewError), done.output
        return done.exception.line()


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Written]:
    with Sandbox() as sandbox:
        sandbox.fill([{"qid": ITEM, "label": "momentum"}])
        yield Written(tmp_path / "w", sandbox)


def test_what_is_as_it_was_written_can_be_taken_back(written: Written) -> None:
    for verdict in (("approve",), ("reject", "--reason", "wrong_item"), ("withdraw",)):
        said = written.refused(*verdict)
        assert "is already written; `formula-bot undo` takes back" in said


def test_a_claim_that_a_person_removed_is_told_so_and_undo_is_not_offered(written: Written) -> None:
    removes(written.sandbox, claims(written.sandbox, ITEM)[0]["id"])
    said = written.refused("approve")
    assert "undo" not in said
    assert f"edit 1 on {ITEM}: the statement was removed" in said
    assert "never writes it again" in said


def test_a_claim_that_a_person_deprecated_is_told_so(written: Written) -> None:
    claim = {**claims(written.sandbox, ITEM)[0], "rank": "deprecated"}
    by_hand(written.sandbox, action="wbsetclaim", claim=claim)
    said = written.refused("reject", "--reason", "wrong_formula")
    assert "somebody set its rank to deprecated" in said
    assert "undo" not in said


def test_an_item_that_was_deleted_is_told_so(written: Written) -> None:
    written.sandbox.delete(ITEM)
    assert "the item was deleted" in written.refused("withdraw")


def test_a_wiki_that_does_not_answer_leaves_what_the_ledger_knows(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(*args: object, **kwargs: object) -> None:
        raise LookupFailed(uncoded_message("no answer"))

    monkeypatch.setattr("bot.lookup.Client.raw_entities", silent)
    assert "is already written; `formula-bot undo` takes back what is still as it was written" in written.refused(
        "approve"
    )
