"""A DOI at Crossref and a BibTeX entry become what a publication is cited by; answers as Crossref sent them from 2014 to 2023."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bot.errors import InputError, LookupFailed
from bot.lookup import Client
from bot.lookup.publications import Publication, from_bibtex
from bot.settings import Agent, Wiki

RECORDED = (Path(__file__).parent / "data" / "crossref_works.jsonl").read_text(encoding="utf-8").splitlines()
TITLE = "A Knowledge Development Perspective on Literature Reviews: Validation of a new Typology in the IS Field"
HUBBLE = r"""@article{Hubble1929,
  author = {Hubble, Edwin and M{\"u}ller, J. and {NASA and ESA Team} and others}, title = {A {R}elation {$v = H_0 d$} \& more},
  year = 1929, month = mar, pages = {168--173}, doi = {https://doi.org/10.1073/pnas.15.3.168}, langid = {english},
}"""


@pytest.fixture
def client(wiki: Wiki, tmp_path: Path) -> Iterator[Client]:
    with Client(wiki, Agent(contact="bot@example.org"), tmp_path / "kept.db", sleep=lambda seconds: None) as opened:
        yield opened


@pytest.mark.parametrize(
    ("recorded", "doi", "title", "authors", "day", "pages"),
    [
        (0, "10.17705/1CAIS.04607", TITLE, ("Guido Schryen", "Gerit Wagner", "Alexander Benlian", "Guy Paré"), "+2021-00-00", "134-186"),
        (1, "10.1371/journal.pone.0033693", "Methylphenidate Exposure", ("Shankar Sadasivan", "Brooks B. Pond"), "+2012-03-21", "e33693"),
        (2, "10.1063/1.3458497", "Velocity Dispersions Across Bulge Types", ("Maximilian Fabricius",), "", ""),
    ],
)  # fmt: skip
def test_a_doi_is_looked_up_once(
    server: Any, answers: Callable[..., None], client: Client,
    recorded: int, doi: str, title: str, authors: tuple[str, ...], day: str, pages: str,
) -> None:  # fmt: skip
    answers({"body": RECORDED[recorded], "kind": "application/json"})
    for _ in range(2):
        found = client.publication(doi, server.address)
        assert found is not None
        assert (found.doi.upper(), found.pages, found.day.partition("T")[0]) == (doi.upper(), pages, day)
        assert found.title.startswith(title)
        assert found.authors[: len(authors)] == authors
    (asked,) = server.asked
    assert (asked.path.lower(), asked.values) == (
        f"/works/{doi.lower().replace('/', '%2f')}",
        {"mailto": "bot@example.org"},
    )
    assert "bot@example.org" in asked.headers["User-Agent"]


def test_a_doi_that_crossref_has_not_registered_is_none_and_any_other_failure_is_said(
    server: Any, answers: Callable[..., None], client: Client
) -> None:
    answers({"body": "Resource not found.", "status": 404})
    assert client.publication("10.5281/zenodo.1", server.address) is None
    for n, (reply, why) in enumerate([
        ({"body": "busy", "status": 503}, "error of its own"),
        ({"body": RECORDED[1]}, "answered about"),
        ({"body": '{"message": {"DOI": "10.1/1", "author": 5}}'}, "is not a publication"),
    ]):  # fmt: skip
        answers(reply)
        with pytest.raises(LookupFailed, match=why):
            client.publication(f"10.1234/{n}", server.address)


def test_an_entry_of_bibtex_is_read_with_its_accents_and_names() -> None:
    authors = ("Edwin Hubble", "J. Müller", "NASA and ESA Team")
    title = "A Relation $v = H_0 d$ & more"
    day = "+1929-03-00T00:00:00Z"
    doi = "https://doi.org/10.1073/pnas.15.3.168"
    assert from_bibtex(HUBBLE) == Publication(doi, "", "", title, "en", authors, day, "168–173")
    web = from_bibtex("@online{x, title={Ünï}, url={https://x.org/a_b%20c?q=1}, date={2020-05-03}}")
    assert (web.url, web.title, web.day) == ("https://x.org/a_b%20c?q=1", "Ünï", "+2020-05-03T00:00:00Z")
    preprint = from_bibtex("@misc{x, eprint={1701.00001}, archivePrefix={arXiv}, year={c. 2017}}")
    assert (preprint.arxiv, preprint.day) == ("1701.00001", "")


@pytest.mark.parametrize(
    "text",
    [
        "@",
        "@article{x, title={a",
        "@article{a,year=1}\n@book{b,year=2}",
        "@comment{x}",
        "@misc{x, author={{{}}, y={b}}",
    ],
)
def test_what_is_not_one_whole_entry_is_refused_in_one_line(
    text: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logging.getLogger("bibtexparser"), "level", logging.NOTSET)
    with pytest.raises(InputError, match="one whole entry"):
        from_bibtex(text)
    assert caplog.records == []  # what the library would print of it


def test_the_item_of_a_doi_is_the_only_one(answers: Callable[..., None], client: Client, wiki: Wiki) -> None:
    def rows(*items: str) -> dict[str, Any]:
        made = [{"item": {"value": f"{wiki.entity_prefix}{each}"}, "doi": {"value": "10.1/X"}} for each in items]
        return {"head": {"vars": ["item", "doi"]}, "results": {"bindings": made}}

    for doi, items, found in (("10.1/a", (), ""), ("10.1/b", ("Q7",), "Q7"), ("10.1/c", ("Q7", "Q8"), "")):
        answers({"body": json.dumps(rows(*items))})
        assert client.item_with_doi(doi) == found
