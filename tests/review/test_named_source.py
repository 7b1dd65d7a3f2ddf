"""A reviewer names the source of a claim that the corpus gives none for; nothing is approved without one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from web_records import dozen, opened, signed_in

from bot import store
from bot.cli import cli
from bot.errors import LookupFailed, ReviewError
from bot.lookup.publications import Publication
from bot.messages import uncoded_message
from bot.propose import quickstatements
from bot.propose.build import recomputed_hash
from bot.propose.references import missing_references
from bot.records import Check, Decision, Item, Proposal, Reference, as_json
from bot.review import decide, find, name_source, queue
from bot.settings import Settings
from bot.store import Workspace
from bot.write import payload, verify

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
    made = replace(made, hash=recomputed_hash(made))
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
    assert made.hash == recomputed_hash(made) != bare.hash
    assert [(check.name, check.state) for check in made.checks] == [("source", "ok"), ("citable source", "ok")]
    assert find(w, bare.id) == made
    with pytest.raises(ReviewError):
        decide(w, Decision(bare.id, bare.hash, "approve", reviewer="Ada"))
    decide(w, Decision(made.id, made.hash, "approve", reviewer="Ada"))
    assert [row.proposal.id for row in queue(w, "approved")] == [made.id]
    verify.refuse_if_any(verify.workspace_discrepancies(w))
    verify.refuse_if_any(verify.approved_proposal_discrepancies(w))


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


DOI = "10.1371/JOURNAL.PONE.0033693"
FOUND = Publication(
    DOI.lower(),
    title="Exposure: a study",
    language="",
    authors=("Ada Lovelace", "B. C. Pond"),
    day="+2012-03-00T00:00:00Z",
    pages="4–7",
)
TOLD = (
    ("P356", "external-id", DOI),
    ("P1476", "monolingualtext", "und:Exposure: a study"),
    ("P2093", "string", "Ada Lovelace"),
    ("P2093", "string", "B. C. Pond"),
    ("P577", "time", "+2012-03-00T00:00:00Z"),
    ("P304", "string", "4–7"),
)  # fmt: skip


class Registries:
    """Crossref and the wiki, with what they answer."""

    def __init__(self, publication: Any = FOUND, item: str = "") -> None:
        self.answer, self.item = publication, item

    def publication(self, doi: str, crossref: str) -> Publication | None:
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[no-any-return]

    def item_with_doi(self, doi: str) -> str:
        return self.item

    def entities(self, qids: list[str]) -> dict[str, Item]:
        known = {"Q42": Item("Q42", "a book"), "Q43": Item("Q43", redirect="Q42")}
        return {qid: known.get(qid, Item(qid, missing=True)) for qid in qids}


@pytest.mark.parametrize("text", [DOI, f"https://doi.org/{DOI.lower()}"])
def test_a_doi_is_cited_with_what_crossref_says_of_it(w: Workspace, bare: Proposal, text: str) -> None:
    made = name_source(w, SETTINGS, bare.id, bare.hash, text, "Ada", lambda: nullcontext(Registries()))
    (reference,) = made.references
    assert reference.snaks[:-1] == TOLD
    assert reference.snaks[-1][0] == "P813"
    assert (
        made.hash
        == recomputed_hash(made)
        != recomputed_hash(replace(made, references=(Reference((TOLD[0], reference.snaks[-1])),)))
    )
    decide(w, Decision(made.id, made.hash, "approve", reviewer="Ada"))
    page = signed_in(w, "Ada").get(f"/p/{made.id}")
    for words in ("Exposure: a study", "B. C. Pond", "2012-03<", "publication date"):
        assert words in page
    # Another text for the same DOI is the same source.
    assert missing_references([Reference((TOLD[0],))], made.references, SETTINGS.wiki.properties) == ()
    again = payload.reference(reference)
    assert again["snaks"]["P1476"][0]["datavalue"]["value"] == {"language": "und", "text": "Exposure: a study"}
    assert again["snaks"]["P577"][0]["datavalue"]["value"]["precision"] == 10
    assert [quickstatements.value(datatype, value) for _, datatype, value in TOLD[1:5:3]] == [
        'und:"Exposure: a study"',
        "+2012-03-00T00:00:00Z/10",
    ]


def test_the_item_of_a_publication_tells_the_rest(w: Workspace, bare: Proposal) -> None:
    made = name_source(w, SETTINGS, bare.id, bare.hash, DOI, "Ada", lambda: nullcontext(Registries(item="Q77")))
    assert made.references[0].snaks[:-1] == (("P248", "wikibase-item", "Q77"), ("P304", "string", "4–7"))


@pytest.mark.parametrize(
    ("answer", "why"),
    [(None, "knows no publication"), (LookupFailed(uncoded_message("did not answer within 30 s")), "did not answer")],
)
def test_a_look_up_that_finds_nothing_or_fails_is_said_and_changes_nothing(
    w: Workspace, bare: Proposal, answer: Any, why: str
) -> None:
    ada = signed_in(w, "Ada", open_client=lambda: nullcontext(Registries(answer)))
    said = ada.decide(bare.id, "source", source=DOI)
    assert said.status_code == 409
    assert why in said.get_data(True)
    assert find(w, bare.id) == bare


@pytest.mark.parametrize("qid", ["Q43", "Q999999999"])
def test_an_item_that_the_wiki_has_not_is_no_source(w: Workspace, bare: Proposal, qid: str) -> None:
    with pytest.raises(ReviewError, match=f"{qid} does not exist, or is merged into another item"):
        name_source(w, SETTINGS, bare.id, bare.hash, qid, "Ada", lambda: nullcontext(Registries()))
    assert find(w, bare.id) == bare
    made = name_source(w, SETTINGS, bare.id, bare.hash, "Q42", "Ada", lambda: nullcontext(Registries()))
    assert made.references[0].snaks[0] == ("P248", "wikibase-item", "Q42")


def test_an_entry_of_bibtex_is_a_source_where_it_can_be_found(w: Workspace, bare: Proposal) -> None:
    entry = "@article{x, title={Exposure: a study}, year=2012, author={Ada Lovelace}, %s}"
    for lead, snak in (
        ("doi={10.1000/xyz}", ("P356", "external-id", "10.1000/XYZ")),
        ("eprint={1701.00001}", ("P818", "external-id", "1701.00001")),
        ("url={https://example.org/a}", ("P854", "url", "https://example.org/a")),
    ):
        ada = signed_in(
            w, "Ada", open_client=lambda: nullcontext(Registries(LookupFailed(uncoded_message("is not asked"))))
        )
        assert ada.decide(bare.id, "source", source=entry % lead).status_code == 303
        made = find(w, bare.id).references[0].snaks
        assert made[:4] == (snak, TOLD[1], TOLD[2], ("P577", "time", "+2012-00-00T00:00:00Z"))
        with w.engine.begin() as db:
            table = store.proposals
            db.execute(table.update().where(table.c.id == bare.id).values(hash=bare.hash, record=as_json(bare)))
    with pytest.raises(ReviewError, match="names no source"):
        name_source(w, SETTINGS, bare.id, bare.hash, entry % "isbn={9780000000000}", "Ada")


def test_the_command_and_the_page_take_it(w: Workspace, bare: Proposal) -> None:
    said = CliRunner().invoke(cli, ["review", "source", bare.id, "https://example.org/book", "-w", str(w.path)])
    assert said.exit_code == 0, said.output
    assert "has 1 reference now" in said.output
    page = signed_in(w, "Ada", open_client=lambda: nullcontext(Registries()))
    assert '<details class="name-source">' in page.get(f"/p/{bare.id}")
    with w.engine.begin() as db:
        table = store.proposals
        db.execute(table.update().where(table.c.id == bare.id).values(hash=bare.hash, record=as_json(bare)))
    assert '<details class="name-source" open>' in page.get(f"/p/{bare.id}")
    page.decide(bare.id, "source", source="Q42")
    assert find(w, bare.id).references[0].snaks[0][2] == "Q42"
    assert w.rows(sa.select(store.decisions)) == []
