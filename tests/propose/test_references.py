"""References are built as the community wants them, and compared by what they point to."""

from __future__ import annotations

from dataclasses import replace

import pytest
from propose_records import DOCUMENT, P, url

from bot.errors import SettingsError
from bot.lookup.publications import Publication
from bot.messages import Message, uncoded_message
from bot.propose.references import (
    check_sources,
    cite,
    distinct_references,
    is_web,
    missing_references,
    named_item,
    reference_identity,
    reference_of,
    reference_to,
    with_retrieval_day,
)
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
    assert "wiki" in str(cite(article, P, Proposing(), "2026-11-20").why)
    assert cited(article, wiki_sources=True) is not None
    assert cited(article, sources=(CitationRule(documents="lectures/*", item="Q77"),)) is not None


@pytest.mark.parametrize("given", ["0903.1000", "arXiv:0903.1000v2", "arxiv: 0903.1000", "0903.1000v12"])
def test_a_preprint_is_cited_without_its_version(given: str) -> None:
    named = reference_of(given, P, Proposing(), "2026-11-20")
    assert named is not None
    assert named.snaks[0] == ("P818", "external-id", "0903.1000")


def test_denied_domain_is_not_cited_and_named() -> None:
    denied = replace(Proposing(), deny_domains=("example.org",))
    assert str(cite(DOCUMENT, P, denied, "2026-11-20").why) == "sources at example.org are not admitted"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", "ftp://x.org/a", "https://", "https://x.org/a b", "https://x.org/" + "a" * 500, ""],
)
def test_what_is_no_web_address_is_not_cited(address: str) -> None:
    assert not is_web(address)
    assert cited(replace(DOCUMENT, url=address)) is None


def test_one_source_is_one_reference_whatever_its_dates_and_spellings() -> None:
    wanted = Reference((("P356", "external-id", "10.1000/AB"), RETRIEVED))
    assert reference_identity(url("https://dx.doi.org/10.1000/ab"), P) == reference_identity(wanted, P)
    assert not missing_references([wanted], [url("http://doi.org/10.1000/aB/")], P)
    assert missing_references([wanted], [url("https://example.org")], P) == (wanted,)
    preprint = Reference((("P818", "external-id", "0903.1000"),))
    assert not missing_references([preprint], [url("https://arxiv.org/pdf/0903.1000v2.pdf")], P)
    assert len(distinct_references([url("https://a.org/"), url("http://www.a.org"), wanted], P)) == 2


@pytest.mark.parametrize(
    "source",
    [
        CitationRule(item="Q1"),
        CitationRule(documents="x/*"),
        CitationRule(documents="x/*", item="book"),
        CitationRule(documents="x/*", doi="10.1000/1", url="www.example.org"),
        CitationRule(documents="x/*", url="https://example.org/{pth}"),
        CitationRule(documents="x/*", item="Q1", doi="isbn 3"),
        CitationRule(documents="x/*", arxiv="arxiv.org/abs/1706.03762"),
    ],
)
def test_source_that_cannot_be_meant_is_a_settings_error(source: CitationRule) -> None:
    with pytest.raises(SettingsError, match="table 1"):
        check_sources([source])


def test_a_method_that_the_wiki_does_not_know_is_left_out() -> None:
    properties = replace(P, inferred_heuristic_item="Q900")
    cited = cite(DOCUMENT, properties, Proposing(), "2026-11-20", {"Q900": "does not exist on the wiki"})
    assert cited.reference is not None
    assert [snak[0] for snak in cited.reference.snaks] == [P.reference_url, P.retrieved]


SPELT = [
    (("P854", "url", "https://www.example.org/a/"), ("P854", "example.org/a")),
    (("P854", "url", " http://example.org/a"), ("P854", "example.org/a")),
    (("P854", "url", "https://wiki.example/wiki/Force?oldid=12"), ("P854", "wiki.example/wiki/Force")),
    (
        ("P854", "url", "https://wiki.example/w/index.php?title=Force&oldid=12"),
        ("P854", "wiki.example/w/index.php?title=Force"),
    ),
    (("P854", "url", "https://doi.org/10.1000/a%2Fb"), ("P356", "10.1000/A/B")),
    (("P854", "url", "https://mydoi.org/10.1000/a"), ("P854", "mydoi.org/10.1000/a")),
    (("P854", "url", "https://arxiv.org/abs/0903.1000v3"), ("P818", "0903.1000")),
    (("P854", "url", "https://arxiv.org/list/0903.1000"), ("P854", "arxiv.org/list/0903.1000")),
    (("P356", "external-id", "10.1000/aB"), ("P356", "10.1000/AB")),
    (("P818", "external-id", "0903.1000v2"), ("P818", "0903.1000")),
    (("P248", "wikibase-item", "Q5v2"), ("P248", "Q5v2")),
]


@pytest.mark.parametrize(("snak", "spelt"), SPELT)
def test_sources_are_compared_in_one_spelling(snak: tuple[str, str, str], spelt: tuple[str, str]) -> None:
    method = ("P887", "wikibase-item", "Q99")
    assert reference_identity(Reference((snak, RETRIEVED, method)), P) == {spelt}


def test_one_shared_snak_is_the_same_source_and_none_is_another() -> None:
    both = Reference((("P248", "wikibase-item", "Q5"), ("P854", "url", "https://a.org")))
    wanted = [url("https://a.org"), url("https://b.org"), Reference((("P248", "wikibase-item", "Q5"),))]
    assert missing_references(wanted, [both], P) == (wanted[1],)
    assert missing_references(wanted, [], P) == tuple(wanted)
    assert distinct_references([wanted[1], wanted[0], url("https://b.org/")], P) == (wanted[1], wanted[0])


def test_another_day_of_retrieval_changes_nothing_else() -> None:
    first = Reference((("P854", "url", "https://a.org"), RETRIEVED, ("P887", "wikibase-item", "Q99")))
    again = with_retrieval_day(first, "2027-01-02T10:00", P)
    assert again.snaks == (first.snaks[0], ("P813", "time", "+2027-01-02T00:00:00Z"), first.snaks[2])


def test_why_a_document_cannot_be_cited_is_said() -> None:
    nameless = replace(DOCUMENT, url="")
    why = cite(nameless, P, Proposing(), "2026-11-20")
    assert (why.document, why.reference, str(why.why)) == (
        DOCUMENT.id,
        None,
        "it has no item, DOI, arXiv ID or address",
    )
    wrong = {"Q5": Message("unsuitable.merged", qid="Q6")}
    item = replace(nameless, identifiers=(("qid", "Q5"),))
    assert str(cite(item, P, Proposing(), "2026-11-20", wrong).why) == "the source item Q5 was merged into Q6"
    found = cite(replace(item, url=DOCUMENT.url), P, Proposing(), "2026-11-20", wrong)
    assert (found.reference is not None, str(found.why)) == (True, "the source item Q5 was merged into Q6")
    assert cite(item, P, Proposing(), "2026-11-20", {"Q6": uncoded_message("no")}).why is None


def test_a_method_that_cannot_be_named_is_left_out() -> None:
    properties = replace(P, inferred_heuristic_item="Q99")
    found = cite(DOCUMENT, properties, Proposing(), "2026-11-20", {"Q99": Message("unsuitable.missing")})
    assert found.reference is not None
    assert [name for name, _, _ in found.reference.snaks] == ["P854", "P813"]
    assert found.why is None


def test_domain_of_an_item_of_a_preprint_and_of_a_doi_is_looked_at() -> None:
    for identifier, domain in ((("arxiv", "0903.1000"), "arxiv.org"), (("doi", "10.1000/ab"), "doi.org")):
        document = replace(DOCUMENT, identifiers=(identifier,))
        assert cite(document, P, replace(Proposing(), deny_domains=(domain,)), "2026-11-20").reference is None
        assert (
            cite(document, P, replace(Proposing(), deny_domains=("example.org",)), "2026-11-20").reference is not None
        )
    item = replace(DOCUMENT, identifiers=(("qid", "Q5"),))
    assert cite(item, P, replace(Proposing(), deny_domains=("example.org",)), "2026-11-20").reference is None
    assert (
        cite(replace(item, url=""), P, replace(Proposing(), allow_domains=("cern.ch",)), "2026-11-20").reference
        is not None
    )


def test_item_that_a_reference_would_name() -> None:
    item = replace(DOCUMENT, identifiers=(("qid", " Q5 "),))
    assert named_item(item, Proposing()) == "Q5"
    assert named_item(DOCUMENT, Proposing()) == ""
    assert named_item(replace(DOCUMENT, identifiers=(("qid", "five"),)), Proposing()) == ""
    rules = (CitationRule(documents="lectures/*", url="https://x.org/"),)
    assert named_item(item, replace(Proposing(), sources=rules)) == ""
    assert named_item(item, replace(Proposing(), sources=(CitationRule(documents="lectures/*", item="Q7"),))) == "Q7"


@pytest.mark.parametrize(
    ("address", "web"),
    [
        ("https://x.org/" + "a" * 486, True),  # 500 characters
        ("https://x.org/" + "a" * 487, False),
        ("http://x.org", True),
        ("https://x.org/\u200b", False),
        ("https://[x", False),
    ],
)
def test_address_that_can_be_cited(address: str, web: bool) -> None:
    assert is_web(address) is web


def test_sources_that_can_be_meant_pass_and_the_one_that_cannot_is_numbered() -> None:
    good = [CitationRule(documents="x/*", **{name: value}) for name, value in (("item", "Q1"), ("doi", "https://doi.org/10.1000/a"), ("arxiv", "arXiv:1706.03762"), ("url", "https://x.org/{path}?{title}"))]  # fmt: skip
    check_sources(good)
    with pytest.raises(SettingsError, match="table 5"):
        check_sources([*good, CitationRule(documents="x/*")])


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        (" Q77 ", ("P248", "wikibase-item", "Q77")),
        ("10.1000/xyz", ("P356", "external-id", "10.1000/XYZ")),
        ("https://a.example.org/x", ("P854", "url", "https://a.example.org/x")),
        ("https://bad.example.net/x", None),
        ("no source at all", None),
        ("", None),
    ],
)
def test_a_source_that_a_person_names_is_an_item_an_identifier_or_an_admitted_address(
    text: str, lead: tuple[str, str, str] | None
) -> None:
    found = reference_of(text, P, replace(Proposing(), deny_domains=("example.net",)), "2026-11-20")
    assert found == (Reference((lead, RETRIEVED)) if lead else None)


def test_an_item_that_a_person_names_is_of_no_domain() -> None:
    some = replace(Proposing(), allow_domains=("example.org",))
    made = {
        text: reference_of(text, P, some, "2026-11-20") for text in ("Q77", "https://a.example.org/x", "10.1000/xyz")
    }
    assert [text for text, found in made.items() if found] == ["Q77", "https://a.example.org/x"]


def test_a_reference_to_a_publication_leaves_out_what_the_publication_or_the_wiki_has_no_word_for() -> None:
    found = Publication(doi="10.1000/ab", title="On motion", authors=("A. Noether",), pages="7")
    made = reference_to(found, "", replace(P, author_name=""), "2026-11-20")
    assert made
    assert made.snaks == (
        (P.doi, "external-id", "10.1000/AB"),
        (P.title, "monolingualtext", "und:On motion"),
        (P.pages, "string", "7"),
        RETRIEVED,
    )


def test_a_reference_to_a_publication_tells_what_an_item_of_the_wiki_does_not() -> None:
    found = Publication(
        arxiv="2101.00001", title="Sur le mouvement", language="fr", authors=("A. Noether", "B. Kim"),
        day="+1999-01-00T00:00:00Z", pages="7", url="https://a.org/x",
    )  # fmt: skip
    made, of_item = (reference_to(found, item, P, "2026-11-20") for item in ("", "Q77"))
    assert made
    assert made.snaks == (
        (P.arxiv, "external-id", "2101.00001"),
        (P.title, "monolingualtext", "fr:Sur le mouvement"),
        (P.author_name, "string", "A. Noether"),
        (P.author_name, "string", "B. Kim"),
        (P.published, "time", "+1999-01-00T00:00:00Z"),
        (P.pages, "string", "7"),
        RETRIEVED,
    )
    assert of_item == Reference(((P.stated_in, "wikibase-item", "Q77"), (P.pages, "string", "7"), RETRIEVED))
    (lead, *_) = reference_to(replace(found, arxiv=""), "", P, "2026-11-20").snaks  # type: ignore[union-attr]
    assert lead == (P.reference_url, "url", "https://a.org/x")
    assert reference_to(replace(found, arxiv="", url=""), "", P, "2026-11-20") is None
