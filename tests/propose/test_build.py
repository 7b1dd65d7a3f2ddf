"""An entry becomes a proposal, a refusal, or nothing to say; every guarantee before review has its case."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from propose_records import DOCUMENT, HUBBLE, PLACE, TEX, TODAY, P, entry, settings, statement, url, world

from bot.claim_outcomes import ClaimOutcome
from bot.formula import Validity, check
from bot.messages import uncoded_message
from bot.propose.build import BuildResult, ProposalContext, build, check_removed_by_others, content_hash, proposal_id
from bot.propose.checks import Constraints
from bot.propose.earlier_rows import EarlierRow
from bot.propose.select import Suggestion
from bot.records import Evidence, Proposal


def made(known: ProposalContext | None = None, wanted: Suggestion | None = None, **proposing: Any) -> BuildResult:
    return build(wanted or entry(), known or world(), settings(**proposing), TODAY)


def proposed(known: ProposalContext | None = None, wanted: Suggestion | None = None, **proposing: Any) -> Proposal:
    found = made(known, wanted, **proposing).proposal
    assert found is not None
    return found


def earlier(p: Proposal, **other: Any) -> EarlierRow:
    return replace(EarlierRow(p, "2026-11-20", p.expires), **other)


def state(proposal: Proposal, name: str) -> str:
    return next(check.state for check in proposal.checks if check.name == name)


def test_new_claim_carries_all_that_a_reviewer_and_a_writer_need() -> None:
    p = proposed()
    assert (p.kind, p.qid, p.property, p.tex, p.probability) == ("new_claim", "Q179916", "P2534", TEX, 0.93)
    assert p.references[0].snaks[0] == ("P854", "url", DOCUMENT.url)
    assert p.references[0].snaks[1] == ("P813", "time", "+2026-11-20T00:00:00Z")
    assert (p.base_revision, p.expires, p.flag) == (7, "2027-02-18", "")
    assert (p.quotes[0].document, p.quotes[0].position, p.quotes[0].name) == (DOCUMENT.id, 4, "Hubble’s law")
    assert [e.score for e in p.evidence] == [2.0, -0.5]
    assert {"item", "class", "grammar", "standing formulas", "source", "citable source"} <= {c.name for c in p.checks}


def test_same_input_makes_the_same_proposal() -> None:
    assert proposed() == proposed()


def test_id_is_for_item_and_canonical_formula_and_hash_for_what_would_be_written() -> None:
    first, respelt = proposed(), proposed(wanted=entry("v=H_{0}d"))
    assert first.id == respelt.id
    assert first.hash != respelt.hash
    assert proposed(world(replace(HUBBLE, revision=8))).hash == first.hash
    assert proposed(world(HUBBLE, replace(DOCUMENT, url="https://other.example/"))).hash != first.hash
    assert proposed(wanted=entry(r"E = m c^2")).id != first.id


def test_what_is_stored_under_a_digest_is_found_under_it_by_every_version() -> None:
    assert proposal_id("Q1", "P2534", "v=d") == "0153e6f4d134d55a"
    source = (url("https://a.example.org/"),)
    assert content_hash("new_claim", "Q1", "P2534", "v=d", source, "") == "a6affac279dcf1566a2d612382c8ec01b161307c"
    assert (
        content_hash("new_claim", "Q1", "P2534", "v=d", source, "", (("Q1$1", "v=t"),))
        == "fb7bfcbcb059819bfb49abd02988c2590f54d935"
    )
    symbol = (("P9758", "wikibase-item", "Q3"),), "v=d"
    assert (
        content_hash("symbol", "Q1", "P7235", "v", source, "", (), symbol) == "1e025eb9cb0e42fbf5bcc92877bdd17c2978780d"
    )


def test_each_reference_carries_the_day_on_which_its_document_was_first_read() -> None:
    other = replace(DOCUMENT, id="lectures/later.html", url="https://lectures.example.net/later")
    known = replace(
        world(HUBBLE, DOCUMENT, PLACE, replace(PLACE, document=other.id)),
        documents={DOCUMENT.id: DOCUMENT, other.id: other},
        read_on={DOCUMENT.id: "2026-11-03", other.id: "2026-11-17"},
    )
    first = proposed(known)
    days = [dict((p, value) for p, _, value in r.snaks)["P813"][1:11] for r in first.references]
    assert days == ["2026-11-03", "2026-11-17"]
    again = build(entry(), replace(known, rows={first.id: earlier(first)}), settings(), TODAY + timedelta(days=30))
    assert again.proposal == first


def test_one_source_with_several_documents_carries_the_first_of_their_days() -> None:
    from bot.settings import CitationRule

    other = replace(DOCUMENT, id="lectures/a.html")
    known = replace(
        world(HUBBLE, DOCUMENT, replace(PLACE, document=other.id), PLACE),
        documents={DOCUMENT.id: DOCUMENT, other.id: other},
        read_on={DOCUMENT.id: "2026-11-03", other.id: "2026-11-17"},
    )
    (reference,) = proposed(known, sources=(CitationRule("lectures/*", item="Q77"),)).references
    assert reference.snaks[1][2] == "+2026-11-03T00:00:00Z"


def test_document_without_a_known_day_keeps_the_day_on_which_the_proposal_was_first_made() -> None:
    first = proposed()
    known = world(rows={first.id: earlier(first)})
    later = build(entry(), known, settings(), TODAY + timedelta(days=30)).proposal
    assert later == first


def test_expiry_is_renewed_only_after_it_has_passed_and_the_hash_stays() -> None:
    first = proposed()
    later = build(entry(), world(rows={first.id: earlier(first)}), settings(), TODAY + timedelta(days=200))
    assert later.proposal is not None
    assert later.proposal.expires > first.expires
    assert later.proposal.hash == first.hash


def test_row_made_under_another_key_keeps_its_id_and_with_it_a_persons_word() -> None:
    old = earlier(replace(proposed(), id="made-by-older-mathematics", tex="v=H_{0}d"))
    assert proposed(world(rows={old.proposal.id: old})).id == old.proposal.id
    about_another_item = earlier(replace(old.proposal, qid="Q1"))
    assert proposed(world(rows={old.proposal.id: about_another_item})).id == proposed().id


def test_standing_formula_gets_its_reference_and_keeps_its_spelling() -> None:
    p = proposed(world(replace(HUBBLE, statements=(statement("v=H_{0} d", "preferred"),))))
    assert (p.kind, p.statement, p.tex) == ("add_reference", "Q179916$1", "v=H_{0} d")


def test_standing_formula_with_its_source_leaves_nothing_to_say() -> None:
    there = world(replace(HUBBLE, statements=(statement(TEX, "normal", url(DOCUMENT.url)),)))
    assert str(made(there).reason_for_nothing) == "the item has the formula with this source"


def warned(p: Proposal, name: str) -> str:
    """Return what a reviewer is told of a claim that can be approved all the same."""
    (check,) = (check for check in p.checks if check.name == name)
    assert (p.kind, check.state) == ("new_claim", "warn")
    return str(check.detail)


def test_a_formula_beside_another_one_is_bound_to_it() -> None:
    other = statement("E = m c^2")
    p = proposed(world(replace(HUBBLE, statements=(other,))))
    assert "approve this to add it as a further formula" in warned(p, "standing formulas")
    assert p.beside == ((other.guid, other.value),)
    changed = proposed(world(replace(HUBBLE, statements=(replace(other, value="F = m a"),))))
    assert len({p.hash, changed.hash, proposed().hash}) == 3


def test_tex_is_mended_where_that_is_safe_and_refused_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    def mending(tex: str) -> Validity:
        return (
            replace(check(tex), valid=False, mended=tex.replace(r"\bm", r"\boldsymbol"))
            if r"\bm" in tex
            else check(tex)
        )

    monkeypatch.setattr("bot.propose.build.check", mending)
    p = proposed(wanted=entry(r"\bm{v} = H_0 d"))
    assert p.tex == r"\boldsymbol{v} = H_0 d"
    assert state(p, "grammar") == "warn"
    assert made(wanted=entry(r"\ce{H2O} = x")).refused.name == "grammar"
    assert made(wanted=entry("a = " + "+".join("b" * 300))).refused


def test_wikis_own_verdict_goes_before_ours() -> None:
    assert "no such macro" in str(made(world(verdicts={TEX: (False, "no such macro")})).refused)
    assert state(proposed(world(verdicts={TEX: (True, "")})), "grammar") == "ok"


@pytest.mark.parametrize(
    "item",
    [
        replace(HUBBLE, missing=True),
        replace(HUBBLE, redirect="Q2"),
        replace(HUBBLE, classes=(P.disambiguation_class,)),
        replace(HUBBLE, classes=("Q5",)),
    ],
)
def test_item_that_cannot_have_a_formula_is_refused(item: Any) -> None:
    assert made(world(item)).refused


def test_class_above_the_items_own_counts_and_no_class_is_unknown() -> None:
    assert made(world(classes={"Q179916": frozenset({"Q5"})})).refused
    assert state(proposed(world(replace(HUBBLE, classes=()))), "class") == "unknown"


def test_doubt_of_matching_about_the_class_is_a_warning() -> None:
    doubt = Evidence("implausible_class", -2.0, uncoded_message("the item is described as a film"))
    assert state(proposed(wanted=entry(evidence=(doubt,))), "class") == "warn"


def test_same_formula_on_another_item_is_flagged() -> None:
    p = proposed(world(holders={entry().key: (("Q179916", "Hubble's law"), ("Q9", "Lemaître's law"))}))
    assert p.kind == "flag"
    assert "Lemaître's law (Q9)" in p.flag


def test_formula_that_another_item_is_likelier_to_be_meant_by_is_told_so_and_not_the_other_way_round() -> None:
    likelier = world(rivals={entry().key: (("Q9", 0.99), ("Q179916", 0.93))})
    assert "(Q9)" in proposed(likelier).flag
    less = world(rivals={entry().key: (("Q179916", 0.93), ("Q9", 0.6))})
    assert proposed(less).kind == "new_claim"
    assert "more likely, 0.99 against 0.93" in warned(
        proposed(wanted=entry(runners_up=(("Q9", 0.99),))), "choice of item"
    )


def test_several_equations_in_one_value_are_flagged() -> None:
    p = proposed(wanted=entry(r"\begin{align} v &= H_0 d \\ E &= m c^2 \end{align}"))
    assert p.kind == "flag"
    assert "several equations" in p.flag


def test_item_that_is_hardly_likelier_than_the_next_is_shown() -> None:
    assert "nearly as likely" in warned(proposed(wanted=entry(runners_up=(("Q2", 0.9),))), "choice of item")
    assert proposed(wanted=entry(runners_up=(("Q2", 0.5),))).kind == "new_claim"


def test_source_must_hold_formula_and_name() -> None:
    p = proposed(world(HUBBLE, DOCUMENT, replace(PLACE, window="We have ⟦4⟧.")))
    assert p.references == ()
    assert warned(p, "source").startswith("no source has both")


def test_formula_that_no_source_names_is_refused_where_the_item_has_another() -> None:
    item = replace(HUBBLE, statements=(statement("E = m c^2"),))
    assert made(world(item, DOCUMENT, replace(PLACE, window="We have ⟦4⟧."))).refused.name == "source"


def test_source_that_cannot_be_cited_is_said_until_somebody_names_it() -> None:
    from bot.settings import CitationRule

    nameless = world(HUBBLE, replace(DOCUMENT, url=""))
    assert "name another one before you approve" in warned(proposed(nameless), "citable source")
    assert proposed(nameless).references == ()
    book = CitationRule(documents="lectures/*", item="Q77")
    assert proposed(nameless, sources=(book,)).references[0].snaks[0] == ("P248", "wikibase-item", "Q77")


def test_documents_that_can_be_cited_are_shown_before_those_that_cannot() -> None:
    wikis = [replace(DOCUMENT, id=f"wiki/{n}", format="wikitext") for n in range(5)]
    places = (*(replace(PLACE, document=wiki.id) for wiki in wikis), PLACE)
    known = replace(world(HUBBLE, DOCUMENT, *places), documents={d.id: d for d in (*wikis, DOCUMENT)})
    p = proposed(known)
    assert (p.kind, p.quotes[0].document, len(p.quotes), len(p.references)) == ("new_claim", DOCUMENT.id, 3, 1)


def test_source_of_a_denied_domain_is_not_cited() -> None:
    assert "example.org" in warned(proposed(deny_domains=("example.org",)), "citable source")
    assert "example.org" in warned(proposed(allow_domains=("cern.ch",)), "citable source")


def test_constraints_are_checked_where_the_wiki_states_them() -> None:
    assert state(proposed(), "constraints") == "unknown"
    assert state(proposed(world(constraints=Constraints(1, ("x",)))), "constraints") == "warn"


# A second approved formula of an item


def test_an_approved_formula_stays_approved_beside_the_one_that_was_written_since() -> None:
    """Without the approval it is: whether a second formula is wanted there is for a person to say."""
    first = proposed()
    item = replace(HUBBLE, statements=(statement("z = H_0 d / c"),))
    own = {item.statements[0].guid: "z = H_0 d / c"}
    again = proposed(world(item, rows={first.id: earlier(first, approved=True)}, own=own))
    assert (again.kind, again.hash) == (first.kind, first.hash)
    assert proposed(world(item, rows={first.id: earlier(first)}, own=own)).hash != first.hash


def test_a_formula_that_a_person_changed_since_opens_an_approved_one_again() -> None:
    first = proposed()
    item = replace(HUBBLE, statements=(statement("z = H_0 d / c"),))
    own = {item.statements[0].guid: "z = H d"}
    assert proposed(world(item, rows={first.id: earlier(first, approved=True)}, own=own)).hash != first.hash


@pytest.mark.parametrize(
    ("verdict", "more", "is_on_item", "said"),
    [
        ("removed", {}, False, "Eve removed this formula from the item on 2026-11-02"),
        ("removed", {"user": "", "comment": "no source"}, False, "– removed this formula from the item on 2026-11-02: no source"),
        ("removed", {"tex": r"v=H_{0}\,d"}, False, "Eve removed this formula from the item on 2026-11-02"),
        ("removed", {"tex": "v = H_0 / d"}, False, ""), ("removed", {"tex": "", "proposal": "own"}, False, "Eve removed this formula from the item on 2026-11-02"),
        ("removed", {"qid": "Q1"}, False, ""), ("removed", {}, True, ""), ("corrected", {}, True, ""),
        ("deprecated", {"comment": "wrong"}, True, "Eve deprecated this formula on the item on 2026-11-02: wrong"),
        ("corrected", {"instead": "v = c z"}, False, "Eve put another formula in the place of this one on 2026-11-02 (v = c z)"),
    ],
)  # fmt: skip
def test_what_others_have_removed_is_not_proposed_again(
    verdict: str, more: dict[str, Any], is_on_item: bool, said: str
) -> None:
    given = {"edit": 1, "proposal": "p", "qid": "Q179916", "concept": "k1", "tex": TEX, "user": "Eve", "day": "2026-11-02", **more}  # fmt: skip
    outcome = ClaimOutcome(verdict=verdict, probability=None, documents=(), **given)
    known = world(removed={outcome.qid: (outcome,)})
    case: Any = SimpleNamespace(entry=entry(), tex=TEX, is_on_item=is_on_item)
    found = check_removed_by_others(case, "own", known)
    assert (f"{found.name} {found.state}: {found.detail}" if found else "") == (f"removed fail: {said}" if said else "")
