"""The page: self-contained, grouped by confidence, and hostile text stays text."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from propose_records import DOCUMENT, HUBBLE, PLACE, TODAY, entry, settings, statement, world

from bot.formula import mathml
from bot.messages import Message, sentence, uncoded_message
from bot.propose.build import BuildResult, ProposalContext, build
from bot.propose.card_pages import CARDS_PER_LEAF, _style, groups, markup, name
from bot.propose.cards import Card, card
from bot.propose.dry_run import DryRun, _none, html
from bot.propose.proposal_context import RunCounts
from bot.records import Check, Evidence
from bot.settings import Wiki

VOID = {"wbr", "meta", "input", "br", "rect", "line", "circle", "link", "img"}


class Page(HTMLParser):
    """Collects elements and attributes, and fails on a tag that closes what is not open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def values(self, name: str) -> list[str]:
        return [value for found, value in self.attributes if found == name]


def run(*built: BuildResult, **more: Any) -> DryRun:
    made = built or (build(entry(), world(), settings(), TODAY),)
    documents = {DOCUMENT.id: DOCUMENT}
    return DryRun("2026-11-20", Wiki(), settings(), RunCounts(3, 400, 50, 20, 10, 9), made, documents, **more)


def built(known: ProposalContext | None = None, **more: Any) -> BuildResult:
    return build(entry(**more), known or world(), settings(), TODAY)


def test_page_is_sound_loads_nothing_and_runs_its_own_script_alone() -> None:
    page = Page(html(run()))
    assert page.open == []
    assert not {"link", "img", "iframe", "object", "base"} & set(page.tags)
    assert page.values("src") == []
    assert html(run()).count("url(") == html(run()).count('url("data:font/woff2;base64,') == 1
    assert "@import" not in html(run())
    script = html(run()).split("<script>")[1].split("</script>")[0]
    allowed = f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'"
    assert page.tags.count("script") == 1
    assert page.values("content")[1].endswith(allowed)
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    assert {"main", "nav", "header", "footer", "article", "math"} <= set(page.tags)


def test_what_is_not_in_the_language_of_the_page_says_in_which_it_is() -> None:
    page = html(run(), "fr")
    assert '<html lang="fr">' in page
    assert '<span lang="en">Hubble&#39;s law</span>' in page
    assert '<p class="description" lang="en">law of cosmology</p>' in page
    assert re.search(r'<blockquote id="[^"]+">\s*<p lang="en">', page)


def test_page_says_what_a_reviewer_needs() -> None:
    text = re.sub(r"\s+", " ", html(run()))
    for wanted in (
        "Hubble&#39;s law", "law of cosmology", "93 %", "v = H_0 d", "<mark>Hubble’s law</mark>", '<mark class="subject"><math',
        "the sentence names it", "one document only", "reference URL", "retrieved", "2026-11-20", "No", "expires",
        "The expanding universe", "section “Galaxies”, formula 5", "https://www.wikidata.org/wiki/Q179916",
    ):  # fmt: skip
        assert wanted in text


def test_rehearsal_wiki_is_named_and_not_linked_to() -> None:
    rehearsal = replace(run(), wiki=Wiki("sandbox", page_prefix="http://127.0.0.1:1/wiki/", sandbox=True))
    assert "127.0.0.1" not in html(rehearsal)
    assert "rehearsal" in html(rehearsal)


def test_same_run_makes_the_same_page() -> None:
    assert html(run()) == html(run())


def test_proposals_are_grouped_by_confidence_and_flagged_ones_apart() -> None:
    flagged = built(world(replace(HUBBLE, statements=(statement("v = H_0 d", "deprecated"),))))
    nameless = built(world(HUBBLE, replace(DOCUMENT, url="")), tex="a = b")
    text = html(
        run(
            built(),
            built(tex="E = m c^2", probability=0.85),
            built(tex="p = m v", probability=0.6),
            built(tex="F = m a", probability=0.3),
            flagged,
            nameless,
        )
    )
    assert re.findall(r'<section class="group" id="([^"]+)"', text) == [
        "very-likely", "likely", "possible", "low", "needs-source", "flagged", "not-queued",
    ]  # fmt: skip


def test_corpora_that_lack_a_source_are_named_with_what_to_write() -> None:
    nameless = build(entry(), world(HUBBLE, replace(DOCUMENT, url="")), settings(), TODAY)
    text = html(run(nameless))
    assert "[[proposing.sources]]" in text
    assert "lectures/*" in text


def test_decided_ones_are_not_shown_again_and_refused_ones_say_why() -> None:
    proposal = built().proposal
    assert proposal is not None
    text = html(run(built(), built(world(replace(HUBBLE, missing=True))), decided={proposal.id: "reject"}))
    assert f"p-{proposal.id}" not in text
    assert "the item does not exist" in text


def test_long_groups_are_laid_out_in_leaves() -> None:
    many = [built(tex=f"v_{{{n}}} = H_0 d") for n in range(CARDS_PER_LEAF + 1)]
    text = html(run(*many))
    assert text.count('<details class="leaf"') == 2
    assert text.count("<article") == CARDS_PER_LEAF + 1
    assert Page(text).open == []
    at_once = re.sub(r"<noscript>.*?</noscript>", "", text, flags=re.S)  # what a browser with scripts makes a page of
    assert at_once.count("<article") == CARDS_PER_LEAF


def test_the_page_is_in_one_language() -> None:
    text = html(run(built()), "de")
    assert '<html lang="de">' in text
    for wanted in (
        "Probelauf: was der Bot vorschlägt",
        "Sehr wahrscheinlich (1)",
        "Warum dieses Datenobjekt",
        "Schätzung des Bots",
    ):
        assert wanted in text
    for left in ("Why this item", "Where it occurs", "estimate", "checks passed", "How to read"):
        assert left not in text


HOSTILE = (
    "<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "javascript:alert(1)", "</style><script>", "{{ 7*7 }}{% x %}",
    "\u202egnp.exe", "]]>", "&lt;script&gt;", "\x00\x1b[31m", "⟦4⟧⟦99999⟧", "</math><img>",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    item = replace(HUBBLE, label=text, description=text, aliases=("Hubble's law",), statements=(statement(text),))
    document = replace(DOCUMENT, title=text, url=text, source=text)
    place = replace(PLACE, window=f"Hubble's law {text} ⟦4⟧", heading=text)
    evidence = tuple(replace(e, detail=uncoded_message(text)) for e in entry().evidence)
    known = replace(world(item, document, place), tex_at={(document.id, 99999): text})
    page = Page(html(run(built(known, evidence=evidence, other_formulas=((text, 0.1),)))))
    assert page.open == []
    assert page.tags.count("script") == 1
    assert "img" not in page.tags
    assert not any(name.startswith("on") for name, _ in page.attributes)
    assert all(value.startswith(("https://", "#")) for value in page.values("href"))
    assert "\u202e" not in html(run(built(known)))


@pytest.mark.parametrize(
    "tex", [r"\text{<script>alert(1)</script>}=x", r"\href{javascript:alert(1)}{x}=y", r"</math><img src=x>=y"]
)
def test_hostile_tex_stays_tex(tex: str) -> None:
    known = world(replace(HUBBLE, statements=(statement(tex),)))
    page = Page(html(run(built(known, other_formulas=((tex, 0.1),)))))
    assert page.open == []
    assert page.tags.count("script") == 1
    assert "img" not in page.tags


def test_nothing_found_is_a_page_too() -> None:
    page = html(DryRun("2026-11-20", Wiki(), settings(), RunCounts(), (), {}))
    assert "0 proposals" in page
    assert Page(page).open == []


def test_what_is_enclosed_or_struck_out_has_its_lines() -> None:
    """Most browsers do not know the element: without a rule a cancelled term looks like any other."""
    page = Path(str(files("bot.review.web"))) / "static" / "review.css"
    for style in (_style(1, ""), page.read_text(encoding="utf-8")):
        for tex in (r"\boxed{x}", r"\cancel{x}", r"\bcancel{x}", r"\xcancel{x}"):
            for notation in re.findall(r'<menclose notation="([^"]+)"', mathml(tex))[0].split():
                assert re.search(rf'menclose\[notation~?="{notation}"\] {{ (?:border|--)', style), (tex, notation)


# Groups, leaves, and what is said where there is nothing


def cards(*probabilities: float, **values: Any) -> list[Card]:
    made = built()
    assert made.proposal is not None
    some = (replace(made, proposal=replace(made.proposal, probability=p, **values)) for p in probabilities)
    return [card(each, Wiki(), {}, {}) for each in some]


@pytest.mark.parametrize(
    ("probability", "group"),
    [(1.0, "very-likely"), (0.9, "very-likely"), (0.8999, "likely"), (0.7, "likely"), (0.6999, "possible"), (0.5, "possible"), (0.4999, "low"), (0.0, "low")],
)  # fmt: skip
def test_each_probability_is_in_its_group(probability: float, group: str) -> None:
    assert [each.id for each in groups(cards(probability), 0.3, 0.5)] == [group]


def test_what_only_lacks_a_source_goes_before_what_needs_a_judgement() -> None:
    lacking = cards(0.9, references=())
    wrong = cards(0.9, kind="flag", references=())
    found = groups([*wrong, *lacking, *cards(0.9)], 0.3, 0.5)
    assert [(each.id, len(each.cards)) for each in found] == [("very-likely", 1), ("needs-source", 1), ("flagged", 1)]
    assert found[1].cards == tuple(lacking)
    texts = {each.id: sentence(each.text[0]) for each in groups(cards(0.6, 0.4), 0.3, 0.5)}
    assert texts["possible"] == "Estimate of 50 % to 70 %: read these with care."
    assert texts["low"].startswith("Estimate of 30 % to 50 %:")
    assert sentence(groups(cards(0.6), 0.6, 0.5)[0].text[0]) == "Estimate of 60 % to 70 %: read these with care."


@pytest.mark.parametrize(
    ("number", "leaves"),
    [
        (1, [(1, 1)]),
        (CARDS_PER_LEAF, [(1, 40)]),
        (CARDS_PER_LEAF + 1, [(1, 40), (41, 41)]),
        (81, [(1, 40), (41, 80), (81, 81)]),
    ],
)
def test_leaves_have_forty_cards(number: int, leaves: list[tuple[int, int]]) -> None:
    (group,) = groups(cards(0.9) * number, 0.3, 0.5)
    assert [(leaf.first, leaf.last) for leaf in group.leaves] == leaves


def test_a_card_shows_reasons_doubts_and_checks_in_their_order() -> None:
    evidence = tuple(Evidence(f"e{score}", score, uncoded_message("x")) for score in (0.0, 1.0, -1.0, 2.0, -2.0))
    checks = tuple(Check(state, state, uncoded_message("x")) for state in ("unknown", "ok", "warn", "fail"))  # type: ignore[arg-type]
    (found,) = cards(0.999, evidence=evidence, checks=checks)
    assert ([e.score for e in found.reasons], [e.score for e in found.doubts]) == ([2.0, 1.0], [-2.0, -1.0])
    assert [c.name for c in found.failed] == ["fail"]
    assert [(c.name, sign, word) for c, sign, word in found.open_checks] == [
        ("warn", "!", "warning"),
        ("unknown", "?", "unknown"),
    ]
    assert [c.name for c in found.passed] == ["ok"]
    assert [each.percent for each in cards(1.0, 0.999, 0.985, 0.0)] == [99, 99, 98, 0]


def test_why_there_is_no_card_is_said() -> None:
    def why(numbers: RunCounts, *made: BuildResult) -> str:
        return sentence(_none(replace(run(), numbers=numbers, built=made)))

    assert why(RunCounts()) == "There is nothing to propose: the corpus gave no formula concept."
    assert why(RunCounts(concepts=1)) == "There is nothing to propose: no concept found an item."
    low = "No match was likely enough to be put before a person: the likeliest has probability 0.12, proposals begin at 0.5."
    assert why(RunCounts(concepts=1, matched=1, likeliest=0.12)) == low
    assert why(RunCounts(concepts=1, matched=1), built()).startswith("Nothing is open")


def test_what_is_open_comes_the_likeliest_first_without_what_is_decided() -> None:
    made = built()
    assert made.proposal is not None
    some = [
        replace(made, proposal=replace(made.proposal, id=id_, probability=p))
        for id_, p in (("b", 0.5), ("a", 0.5), ("c", 0.9), ("d", 0.99))
    ]
    found = run(*some, replace(made, proposal=None), decided={"d": "approve"}).undecided()
    assert [p.id for _, p in found] == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("value", "short"), [(0.5, "50 %"), (0.35, "35 %"), (0.0, "0 %"), (1.0, "100 %"), (0.125, "12.5 %")]
)
def test_a_probability_in_short(value: float, short: str) -> None:
    assert sentence(Message("page.band_above", low=100 * value)) == f"Estimate of {short} and above."


@pytest.mark.parametrize(
    ("message", "english", "german"),
    [
        (
            Message("evidence.handbook_first.part", tex="p<q"),
            "a part of this chain is the item's formula in the built-in list or was accepted here: "
            '<math alttext="p&lt;q"><mi>p</mi><mo>&lt;</mo><mi>q</mi></math>',
            None,
        ),
        (uncoded_message("a <b>\u200b"), "a &lt;b&gt;\\u200b", '<span lang="en">a &lt;b&gt;\\u200b</span>'),
        (Message("check.grammar.mended", code="a<b"), None, None),
    ],
)
def test_a_message_as_markup_has_its_formulas_drawn_and_all_else_escaped(
    message: Message, english: str | None, german: str | None
) -> None:
    found = markup("en", message)
    assert english in (None, found)
    if message.code == "check.grammar.mended":
        assert "<code>a&lt;b</code>" in found
    other = markup("de", message)
    assert german in (None, other)
    assert other.startswith('<span lang="en">') is (message.code == "recorded")


def test_a_name_of_the_data_is_called_as_the_catalogue_does_or_as_it_is() -> None:
    assert name("en", "checkname", "choice of item") == "choice of item"
    assert name("de", "checkname", "choice of item") == "Wahl des Datenobjekts"
    assert name("de", "checkname", "<x>") == '<span lang="en">&lt;x&gt;</span>'


def test_what_is_green_and_what_is_noted_can_be_hidden() -> None:
    rule = "body:has(#f-green:checked) .card:not(.green), body:has(#f-noted:checked) .card.green { display: none; }"
    assert rule in _style(0)
    assert _style(0, "p { color: red }").endswith("p { color: red }")


@pytest.mark.parametrize("corpora", [0, 1, 3])
def test_each_corpus_has_a_rule_that_hides_the_others(corpora: int) -> None:
    rules = str(_style(corpora))
    for n in range(1, 5):
        assert (f"body:has(#f-c{n}:checked) .card:not(.c{n}) {{ display: none; }}" in rules) is (n <= corpora)
    assert "#f-c0" not in rules
    assert all(f"#f-{kind}:checked) .card:not(.k-{kind})" in rules for kind in ("new_claim", "add_reference", "flag"))


@pytest.mark.parametrize(("propose_from", "low"), [(0.5, 0.5), (0.99, 0.95)])
def test_the_picture_begins_where_proposing_does(
    propose_from: float, low: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[tuple[list[tuple[float, str]], float]] = []
    monkeypatch.setattr(
        "bot.propose.dry_run.histogram", lambda values, low, language: drawn.append((values, low)) or ""
    )
    html(replace(run(built()), settings=settings(propose_from=propose_from)))
    assert drawn == [([(0.93, "new_claim")], low)]
