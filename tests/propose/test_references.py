"""References are built as the community wants them, and compared by what they point to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from propose_records import DOCUMENT, P, url

from bot.errors import SettingsError
from bot.propose.references import check_sources, cite, distinct, identity, is_web, missing
from bot.records import Document, Reference
from bot.settings import CitationRule, Proposing

RETRIEVED = (P.retrieved, "time", "+2026-11-20T00:00:00Z")


def cited(document: Document, **settings: object) -> tuple[tuple[str, str, str], ...] | None:
    found = cite(document, P, replace(Proposing(), **settings), "2026-11-20")
    return found.reference.snaks if found.reference else None


def test_item_goes_before_arxiv_before_doi_before_address() -> None:
    known = (("qid", "Q5"), ("arxiv", "0903.1000"), ("doi", "10.1000/ab"))
    leads = [cited(replace(DOCUMENT, identifiers=known[n:])) for n in range(4)]
    assert [lead[0] for lead in leads if lead] == [
        ("P248", "wikibase-item", "Q5"),
        ("P818", "external-id", "0903.1000"),
        ("P356", "external-id", "10.1000/AB"),
        ("P854", "url", DOCUMENT.url),
    ]
    assert all(lead and lead[1] == RETRIEVED for lead in leads)


def test_heuristic_is_named_where_the_wiki_has_an_item_for_it() -> None:
    found = cite(DOCUMENT, replace(P, inferred_heuristic_item="Q99"), Proposing(), "2026-11-20")
    assert found.reference
    assert found.reference.snaks[-1] == ("P887", "wikibase-item", "Q99")


def test_property_ids_come_from_the_settings_only() -> None:
    other = replace(P, reference_url="P7", retrieved="P8")
    found = cite(DOCUMENT, other, Proposing(), "2026-11-20")
    assert found.reference
    assert [name for name, _, _ in found.reference.snaks] == ["P7", "P8"]


def test_operator_names_the_source_of_a_folder() -> None:
    book = CitationRule(documents="lectures/*", item="Q77")
    assert cited(DOCUMENT, sources=(CitationRule(documents="other/*", item="Q1"), book)) == (
        ("P248", "wikibase-item", "Q77"),
        RETRIEVED,
    )
    page = CitationRule(documents="lectures/*", url="https://host.example/{path}?t={title}")
    assert cited(DOCUMENT, sources=(page,)) == (
        ("P854", "url", "https://host.example/expansion.html?t=The_expanding_universe"),
        RETRIEVED,
    )


def test_article_of_an_encyclopaedia_is_not_its_subject() -> None:
    article = replace(DOCUMENT, kind="encyclopaedia", identifiers=(("qid", "Q5"),))
    assert cited(article) == (("P854", "url", DOCUMENT.url), RETRIEVED)


def test_wikis_are_no_source_unless_the_operator_says_so() -> None:
    article = replace(DOCUMENT, format="wikitext", url="https://en.wikipedia.org/wiki/Hubble")
    assert cited(article) is None
    assert "wiki" in cite(article, P, Proposing(), "2026-11-20").why
    assert cited(article, wiki_sources=True) is not None
    assert cited(article, sources=(CitationRule(documents="lectures/*", item="Q77"),)) is not None


def test_denied_domain_is_not_cited_and_named() -> None:
    denied = replace(Proposing(), deny_domains=("example.org",))
    assert cite(DOCUMENT, P, denied, "2026-11-20").why == "sources at example.org are not admitted"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "ftp://x.org/a", "https://", "https://x.org/a b", "https://x.org/" + "a" * 500, ""],
)
def test_what_is_no_web_address_is_not_cited(address: str) -> None:
    assert not is_web(address)
    assert cited(replace(DOCUMENT, url=address)) is None


def test_one_source_is_one_reference_whatever_its_dates_and_spellings() -> None:
    wanted = Reference((("P356", "external-id", "10.1000/AB"), RETRIEVED))
    assert identity(url("https://dx.doi.org/10.1000/ab"), P) == identity(wanted, P)
    assert not missing([wanted], [url("http://doi.org/10.1000/aB/")], P)
    assert missing([wanted], [url("https://example.org")], P) == (wanted,)
    preprint = Reference((("P818", "external-id", "0903.1000"),))
    assert not missing([preprint], [url("https://arxiv.org/pdf/0903.1000v2.pdf")], P)
    assert len(distinct([url("https://a.org/"), url("http://www.a.org"), wanted], P)) == 2


@pytest.mark.parametrize(
    "source", [CitationRule(item="Q1"), CitationRule(documents="x/*"), CitationRule(documents="x/*", item="book")]
)
def test_source_that_cannot_be_meant_is_a_settings_error(source: CitationRule) -> None:
    with pytest.raises(SettingsError, match="table 1"):
        check_sources([source])


def test_a_method_that_the_wiki_does_not_know_is_left_out() -> None:
    properties = replace(P, inferred_heuristic_item="Q900")
    cited = cite(DOCUMENT, properties, Proposing(), "2026-11-20", {"Q900": "does not exist on the wiki"})
    assert cited.reference is not None
    assert [snak[0] for snak in cited.reference.snaks] == [P.reference_url, P.retrieved]
