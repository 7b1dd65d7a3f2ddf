"""A reviewer names the source of a claim that the corpus gives none for; nothing is approved without one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from web_records import dozen, opened, signed_in

from bot import store
from bot.cli import cli
from bot.errors import ReviewError
from bot.propose import rehashed
from bot.records import Check, Decision, Proposal, as_json
from bot.review import decide, find, name_source, queue
from bot.settings import Settings
from bot.store import Workspace
from bot.write import verify

SETTINGS = Settings()


@pytest.fixture
def w(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path / "w", "Ada") as workspace:
        yield workspace


@pytest.fixture
def bare(w: Workspace) -> Proposal:
    """The first proposal without its references."""
    checks = (Check.of("source.none", "warn"), Check.of("citable_source.none", "warn"))
    made = replace(dozen()[0], references=(), checks=checks)
    made = replace(made, hash=rehashed(made))
    table = store.proposals
    with w.engine.begin() as db:
        db.execute(table.update().where(table.c.id == made.id).values(hash=made.hash, record=as_json(made)))
    return made


def test_nothing_is_approved_without_a_source(w: Workspace, bare: Proposal) -> None:
    with pytest.raises(ReviewError, match="nothing is written without a source"):
        decide(w, Decision(bare.id, bare.hash, "approve", reviewer="Ada"))


@pytest.mark.parametrize(
    ("text", "snak"),
    [
        ("Q42", ("P248", "wikibase-item", "Q42")),
        ("10.1000/xyz", ("P356", "external-id", "10.1000/XYZ")),
        ("1701.00001", ("P818", "external-id", "1701.00001")),
        ("https://example.org/book", ("P854", "url", "https://example.org/book")),
    ],
)
def test_a_named_source_is_a_reference_under_a_new_hash(
    w: Workspace, bare: Proposal, text: str, snak: tuple[str, str, str]
) -> None:
    made = name_source(w, SETTINGS, bare.id, bare.hash, text, "Ada")
    assert [reference.snaks[0] for reference in made.references] == [snak]
    assert made.given == made.references
    assert made.hash == rehashed(made) != bare.hash
    assert [(check.name, check.state) for check in made.checks] == [("source", "ok"), ("citable source", "ok")]
    assert find(w, bare.id) == made
    with pytest.raises(ReviewError):
        decide(w, Decision(bare.id, bare.hash, "approve", reviewer="Ada"))
    decide(w, Decision(made.id, made.hash, "approve", reviewer="Ada"))
    assert [row.proposal.id for row in queue(w, "approved")] == [made.id]
    verify.stop_on(verify.of_workspace(w))
    verify.stop_on(verify.of_approved_proposals(w))


@pytest.mark.parametrize(
    ("seen", "text", "who", "why"),
    [
        ("", "", "Ada", "names no source"),
        ("", "a good book", "Ada", "names no source"),
        ("another hash", "Q42", "Ada", "changed"),
        ("", "Q42", "Eve", "Eve"),
    ],
)
def test_what_names_no_source_changes_nothing(
    w: Workspace, bare: Proposal, seen: str, text: str, who: str, why: str
) -> None:
    with pytest.raises(ReviewError, match=why):
        name_source(w, SETTINGS, bare.id, seen or bare.hash, text, who)
    assert find(w, bare.id) == bare


def test_a_domain_that_is_not_admitted_is_no_source(w: Workspace, bare: Proposal) -> None:
    strict = replace(SETTINGS, proposing=replace(SETTINGS.proposing, deny_domains=("example.org",)))
    with pytest.raises(ReviewError, match="names no source"):
        name_source(w, strict, bare.id, bare.hash, "https://example.org/book", "Ada")


def test_the_command_and_the_page_take_it(w: Workspace, bare: Proposal) -> None:
    said = CliRunner().invoke(cli, ["review", "source", bare.id, "Q42", "-w", str(w.path)])
    assert said.exit_code == 0, said.output
    assert "has 1 references now" in said.output
    page = signed_in(w, "Ada")
    assert 'name="source"' not in page.get(f"/p/{bare.id}")
    with w.engine.begin() as db:
        table = store.proposals
        db.execute(table.update().where(table.c.id == bare.id).values(hash=bare.hash, record=as_json(bare)))
    assert 'name="source"' in page.get(f"/p/{bare.id}")
    page.decide(bare.id, "source", source="Q43")
    assert find(w, bare.id).references[0].snaks[0][2] == "Q43"
    assert w.rows(sa.select(store.decisions)) == []
