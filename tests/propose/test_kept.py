"""What earlier decisions bind in a new run: which rows hold, which sources count, and what is compared: case by case."""

from __future__ import annotations

import itertools
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from propose_records import DOCUMENT, HUBBLE, PLACE, TEX, TODAY, P, entry, settings, statement, url, world

from bot.messages import Message, uncoded_message
from bot.propose import earlier_rows, own_claims, references
from bot.propose import proposal_context as worlds
from bot.propose.build import BuildResult, build, creation_and_expiry
from bot.propose.cards import marked_differences
from bot.propose.checks import Constraints, check_constraints
from bot.propose.earlier_rows import EarlierRow, decision_still_holds, with_approved_spelling
from bot.propose.further_sources import (
    _source_proposal_id,
    approvals_without_source,
    further_sources,
    number_of_waiting_sources,
)
from bot.propose.source_formulas import compared_tex, least_similar, source_formulas
from bot.records import Item, Proposal, Quote, Reference
from bot.settings import Properties

A, B, C = (url(f"https://{name}.example.org/") for name in "abc")


def made(**more: Any) -> BuildResult:
    return build(entry(), world(**more), settings(), TODAY)


def proposal(**values: Any) -> Proposal:
    found = made().proposal
    assert found is not None
    return replace(found, **values)


def row(proposal_: Proposal | None = None, **values: Any) -> EarlierRow:
    p = proposal_ or proposal()
    plain = EarlierRow(p, "2026-11-01", "2026-11-30", verdict="approve", accepted_references=p.references)
    return replace(plain, **values)


def test_an_approval_holds_while_the_same_is_claimed_and_each_accepted_source_supports_it() -> None:
    case, p = made().case, proposal()
    assert case is not None
    assert decision_still_holds(row(), p, case, P)
    assert decision_still_holds(row(), replace(p, references=(A,)), case, P)
    assert decision_still_holds(row(accepted_references=()), p, case, P)
    assert not decision_still_holds(row(accepted_references=(A,)), p, case, P)
    assert not decision_still_holds(row(accepted_references=(*p.references, A)), p, case, P)
    for changed in ({"kind": "flag"}, {"statement": "Q179916$1"}, {"tex": "v = H d"}):
        assert not decision_still_holds(row(), replace(p, **changed), case, P)  # type: ignore[arg-type]
    silent = replace(case, cited=tuple((replace(q, where=""), c) for q, c in case.cited))
    assert not decision_still_holds(row(), p, silent, P)
    assert not decision_still_holds(row(verdict=""), p, case, P)


def test_a_rejection_holds_until_there_is_something_new() -> None:
    case, p = made().case, proposal()
    assert case is not None
    no = {"verdict": "reject"}
    assert decision_still_holds(row(**no, reason="bad_source"), replace(p, references=()), case, P)
    assert not decision_still_holds(row(**no, reason="bad_source"), p, case, P)
    assert decision_still_holds(row(**no, reason="bad_tex"), p, case, P)
    assert not decision_still_holds(row(**no, reason="bad_tex"), replace(p, tex="v = H d"), case, P)
    assert not decision_still_holds(row(**no, reason="wrong_item"), p, case, P)


def test_the_approved_spelling_is_kept_while_the_corpus_has_it() -> None:
    wanted = entry("v=H_{0}d")

    def tex(earlier_row: EarlierRow | None, *spellings: str) -> str:
        return with_approved_spelling(wanted, earlier_row, spellings).tex

    assert tex(row(), TEX) == TEX
    assert tex(row(), "v=H_{0}d") == "v=H_{0}d"
    assert tex(None, TEX) == "v=H_{0}d"
    assert tex(row(written=True), TEX) == "v=H_{0}d"
    assert tex(row(verdict="reject"), TEX) == "v=H_{0}d"
    assert tex(row(proposal=proposal(kind="flag")), TEX) == "v=H_{0}d"


@pytest.mark.parametrize(
    ("expires", "kept"), [("2026-11-19", "2026-12-20"), ("2026-11-20", "2026-11-20"), ("2026-11-21", "2026-11-21")]
)
def test_expiry_is_renewed_the_day_after(expires: str, kept: str) -> None:
    assert creation_and_expiry(row(expires=expires), date(2026, 11, 20), 30) == ("2026-11-01", kept)
    assert creation_and_expiry(None, date(2026, 11, 20), 30) == ("2026-11-20", "2026-12-20")


def test_a_row_is_found_by_its_formula_where_its_key_has_changed() -> None:
    old = row(proposal(id="old"))
    for rows, found in (
        ({"old": old}, "old"),
        ({"old": row(proposal(id="old", qid="Q1"))}, proposal().id),
        ({"old": row(proposal(id="old", claim="c"))}, proposal().id),
        ({"old": row(proposal(id="old", tex="E = m c^2"))}, proposal().id),
        ({"old": old, proposal().id: row()}, proposal().id),
    ):
        assert made(rows=rows).id == found


def test_what_is_written_is_not_said_again() -> None:
    assert made(rows={proposal().id: row(written=True)}).reason_for_nothing == Message("nothing.written")
    assert made(rows={proposal().id: row()}).proposal is not None


def test_another_item_counts_where_it_is_likelier() -> None:
    for probability, state in ((0.92, "ok"), (0.93, "ok"), (0.94, "fail")):
        found = made(rivals={entry().key: (("Q9", probability), ("Q179916", 0.99))}).proposal
        assert found is not None
        assert [c.state for c in found.checks if c.name == "other items"] == [state]


def sources(*addresses: str, **more: Any) -> Any:
    """Return a world with one supporting document for each address."""
    documents = {f"d{n}": replace(DOCUMENT, id=f"d{n}", url=address) for n, address in enumerate(addresses)}
    places = tuple(replace(PLACE, document=id_) for id_ in documents)
    return replace(world(HUBBLE, DOCUMENT, *places), documents=documents, **more)


def addresses(p: Proposal | None) -> list[str]:
    assert p is not None
    return [r.snaks[0][2] for r in p.references]


def test_as_many_references_as_a_claim_may_have_and_none_that_was_rejected() -> None:
    five = [f"https://{name}.example.org/" for name in "abcde"]
    assert addresses(build(entry(), sources(*five), settings(), TODAY).proposal) == five[:3]
    assert addresses(build(entry(), sources(*five), settings(references_per_claim=4), TODAY).proposal) == five[:4]
    assert addresses(build(entry(), sources(*five), settings(references_per_claim=1), TODAY).proposal) == five[:1]
    refused = sources(*five, rows={proposal().id: row(verdict="", rejected_references=(A, C))})
    p = build(entry(), refused, settings(), TODAY).proposal
    assert addresses(p) == [five[1], five[3], five[4]]
    named = row(verdict="", proposal=proposal(given=(A, url("https://z.example.org/"))), rejected_references=(A,))
    p = build(entry(), sources(*five, rows={proposal().id: named}), settings(references_per_claim=2), TODAY).proposal
    assert addresses(p) == ["https://z.example.org/", five[1]]  # what a reviewer named comes first


def test_a_rejected_source_is_told_as_such() -> None:
    found = build(
        entry(),
        sources("https://a.example.org/", rows={proposal().id: row(verdict="", rejected_references=(A,))}),
        settings(),
        TODAY,
    )
    assert found.proposal is not None
    told = "the source cannot be cited: a reviewer has rejected it as a source of this claim; name another one before you approve"
    assert told in [str(check.detail) for check in found.proposal.checks]
    assert found.proposal.references == ()


@pytest.mark.parametrize(
    ("there", "kind", "left"),
    [(0, "add_reference", 3), (1, "add_reference", 2), (2, "add_reference", 1), (3, "nothing", 0), (4, "nothing", 0)],
)
def test_a_standing_claim_gets_no_more_sources_than_one_of_ours(there: int, kind: str, left: int) -> None:
    standing = statement(TEX, "normal", *(url(f"https://x{n}.example.org/") for n in range(there)))
    known = sources(*(f"https://{name}.example.org/" for name in "abcd"))
    known = replace(known, items={HUBBLE.qid: replace(HUBBLE, statements=(standing,))})
    found = build(entry(), known, settings(), TODAY)
    assert (found.reason_for_nothing == Message("check.standing_formulas.enough")) == (kind == "nothing")
    if found.proposal:
        assert (found.proposal.kind, len(found.proposal.references)) == (kind, left)


def test_one_source_with_several_documents_carries_the_first_of_their_days() -> None:
    same = "https://a.example.org/"
    known = sources(same, same, read_on={"d0": "2026-11-17", "d1": "2026-11-03"})
    p = build(entry(), known, settings(), TODAY).proposal
    assert p is not None
    assert [r.snaks[1][2] for r in p.references] == ["+2026-11-03T00:00:00Z"]
    assert [q.cited for q in p.quotes] == [same, same]


# Further sources


def standing_world(there: int, *names: str, **more: Any) -> Any:
    item = replace(
        HUBBLE, statements=(statement(TEX, "normal", *(url(f"https://x{n}.example.org/") for n in range(there))),)
    )
    return replace(sources(*(f"https://{name}.example.org/" for name in names)), items={HUBBLE.qid: item}, **more)


def more_of(there: int, names: str, **values: Any) -> list[str]:
    earlier_row = row(written=True, **values)
    known = standing_world(there, *names, rows={earlier_row.proposal.id: earlier_row})
    built = build(entry(), known, settings(), TODAY)
    return [addresses(each.proposal)[0][8] for each in further_sources(built, known, settings(), TODAY)]


@pytest.mark.parametrize(("there", "found"), [(0, ["a", "b", "c"]), (1, ["a", "b"]), (2, ["a"]), (3, []), (4, [])])
def test_a_written_claim_gets_further_sources_up_to_the_number(there: int, found: list[str]) -> None:
    assert more_of(there, "abcd") == found


def test_no_further_source_where_the_claim_was_rejected_or_the_source_was() -> None:
    assert more_of(1, "ab", is_rejected=True) == []
    assert more_of(1, "ab", rejected_references=(A,)) == ["b"]
    assert more_of(1, "ab", rejected_references=(A, B)) == []


def test_each_further_source_is_bound_to_itself_and_to_the_claim() -> None:
    earlier_row = row(written=True)
    known = standing_world(1, "a", "b", rows={earlier_row.proposal.id: earlier_row})
    built = build(entry(), known, settings(), TODAY)
    one, two = further_sources(built, known, settings(), TODAY)
    assert one.proposal is not None
    assert (one.proposal.kind, one.proposal.claim, one.proposal.statement) == (
        "add_reference",
        earlier_row.proposal.id,
        "Q179916$1",
    )
    assert len({one.id, two.id, earlier_row.proposal.id}) == 3
    assert len(one.id) == 16
    assert [q.document for q in one.proposal.quotes] == ["d0"]
    again = replace(
        known,
        rows={**known.rows, one.id: replace(earlier_row, proposal=one.proposal)},
    )
    assert [each.id for each in further_sources(built, again, settings(), TODAY)] == [two.id]
    waiting = replace(earlier_row, written=False, proposal=replace(two.proposal, kind="new_claim"))
    first = replace(known, rows={**known.rows, two.id: waiting})
    assert [each.id for each in further_sources(built, first, settings(), TODAY)] == [two.id, one.id]


def test_a_further_source_has_one_id_in_every_run() -> None:
    named = [(P.stated_in, "wikibase-item", "Q7"), (P.doi, "external-id", "10.1/X"), (P.arxiv, "external-id", "1202.1909"), (P.reference_url, "url", "https://a.org/")]  # fmt: skip
    ids = {
        _source_proposal_id(row(proposal(id="r")), Reference(tuple(snaks)), P)
        for snaks in itertools.permutations(named)
    }
    ids.add(
        _source_proposal_id(
            row(proposal(id="r")), Reference((*named, (P.retrieved, "time", "+2026-11-20T00:00:00Z"))), P
        )
    )
    assert ids == {"32713107a4951753"}
    assert _source_proposal_id(row(proposal(id="s")), Reference(tuple(named)), P) not in ids


def test_new_sources_of_an_approved_claim_wait_until_it_is_written() -> None:
    names = [f"https://{name}.example.org/" for name in "abcd"]
    p = build(entry(), sources(names[0]), settings(), TODAY).proposal
    assert p is not None

    def waiting(accepted: tuple[Reference, ...] = p.references, **values: Any) -> int:
        earlier_row = replace(row(), proposal=p, accepted_references=accepted, **values)
        known = sources(*names, rows={earlier_row.proposal.id: earlier_row})
        return number_of_waiting_sources(build(entry(), known, settings(), TODAY), settings())

    assert waiting() == 2
    assert waiting(verdict="reject", reason="wrong_item") == 0
    assert waiting(written=True) == 0
    assert number_of_waiting_sources(build(entry(), sources(*names), settings(), TODAY), settings()) == 0


def test_what_lost_its_approved_source_is_flagged() -> None:
    earlier_row, known = row(), world()

    def told(**values: Any) -> list[str]:
        some = replace(known, **values)
        return [
            each.proposal.flag for each in approvals_without_source([earlier_row], some, settings()) if each.proposal
        ]

    flag = "source: an approved source no longer has this formula and a name of the item"
    assert told() == [flag]
    assert told(quoted={earlier_row.proposal.id: (PLACE,)}) == []
    assert told(quoted={earlier_row.proposal.id: (replace(PLACE, window="⟦4⟧"),)}) == [flag]
    for gone in (replace(HUBBLE, missing=True), replace(HUBBLE, redirect="Q2")):
        assert told(items={HUBBLE.qid: gone}) == []
    assert told(items={}) == []
    named = row(proposal=proposal(given=(A,)), accepted_references=(A,))
    assert (
        approvals_without_source([named], known, settings()) == []
    )  # what a reviewer named needs no document of the corpus
    (found,) = approvals_without_source([earlier_row], known, settings())
    assert found.proposal is not None
    names = [c.name for c in found.proposal.checks]
    assert (found.proposal.kind, names[-1], names.count("source"), found.proposal.checks[-1].state) == (
        "flag",
        "source",
        1,
        "fail",
    )
    assert len(names) == len(proposal().checks)
    assert found.proposal.hash != proposal().hash
    assert (
        list(
            approvals_without_source(
                [replace(earlier_row, written=True), replace(earlier_row, verdict="reject")], known, settings()
            )
        )
        == []
    )


# Decisions on one row


def said(*words: str) -> earlier_rows._DecisionHistory:
    found = earlier_rows._DecisionHistory()
    for n, word in enumerate(words, 1):
        name, verdict, *rest = word.split()
        given = ["approve", "reject"] if "one" in rest else None
        each = {
            "n": n,
            "reviewer": name,
            "verdict": verdict,
            "hash": "old" if "old" in rest else "h",
            "references": given,
        }
        found.add({**each, "reason": rest[0] if verdict == "reject" else ""}, (A, B))
    return found


@pytest.mark.parametrize(
    ("words", "refused"),
    [
        ((), ()),
        (("Ada reject bad_source",), (A, B)),
        (("Ada reject bad_tex",), (A, B)),
        (("Ada reject duplicate",), (A, B)),
        (("Ada reject wrong_item",), ()),
        (("Ada approve",), ()),
        (("Ada approve one",), (B,)),
        (("Ada reject bad_source", "Ben approve one"), (B,)),
        (("Ada reject bad_source", "Ada withdraw"), ()),
        (("Ada reject bad_source", "Ada unsure"), (A, B)),
    ],
)
def test_which_sources_were_rejected(words: tuple[str, ...], refused: tuple[Reference, ...]) -> None:
    assert tuple(said(*words).refused) == refused


@pytest.mark.parametrize(
    ("words", "holding"),
    [
        (("Ada approve",), "1"),
        (("Ada approve old",), ""),
        (("Ada unsure",), ""),
        (("Ada approve", "Ada withdraw"), ""),
        (("Ada reject bad_tex",), "1"),
        (("Ada approve", "Ben reject bad_tex"), "1"),
        (("Ada approve", "Ada reject bad_tex"), "2"),
        (("Ada approve old", "Ben reject bad_tex"), "2"),
        (("Ada reject bad_tex", "Ben approve"), "2"),
        (("Ada approve", "Ben approve"), "2"),
    ],
)
def test_which_decision_holds(words: tuple[str, ...], holding: str) -> None:
    found = earlier_rows._valid_decision(said(*words), "h")
    assert (str(found["n"]) if found else "") == holding


def known_row(*words: str, spent: frozenset[int] = frozenset(), **record: Any) -> EarlierRow:
    from bot.records import as_json

    shown = proposal(references=(A, B), **record)
    stored = {
        "id": "p",
        "qid": shown.qid,
        "hash": "h",
        "created": "2026-11-01",
        "expires": "x",
        "record": as_json(shown),
    }
    return earlier_rows._earlier_row(stored, said(*words) if words else None, spent, False)


def test_what_a_row_binds() -> None:
    plain = known_row()
    assert (
        plain.approved,
        plain.verdict,
        plain.accepted_references,
        plain.is_rejected,
        plain.is_unwritten_approval,
    ) == (
        False,
        "",
        (),
        False,
        False,
    )
    approved = known_row("Ada approve one")
    assert (approved.approved, approved.verdict, approved.accepted_references, approved.is_unwritten_approval) == (
        True,
        "approve",
        (A,),
        True,
    )
    assert known_row("Ada approve").accepted_references == (A, B)
    spent = known_row("Ada approve", spent=frozenset({1}))
    assert (spent.approved, spent.verdict, spent.accepted_references) == (True, "", ())
    rejected = known_row("Ada reject bad_tex")
    assert (rejected.approved, rejected.verdict, rejected.reason, rejected.is_rejected) == (
        False,
        "reject",
        "bad_tex",
        False,
    )
    assert rejected.accepted_references == ()
    assert known_row("Ada reject wrong_item").is_rejected
    assert known_row("Ada reject duplicate").is_rejected
    assert not known_row("Ada reject duplicate", claim="c").is_rejected
    assert known_row("Ada reject wrong_item", claim="c").is_rejected
    assert not known_row("Ada reject wrong_item", "Ada unsure").is_rejected


def test_what_was_said_of_a_further_source_binds_its_claim() -> None:
    claim, more = (
        row(proposal(id="c"), rejected_references=(A,)),
        row(proposal(id="m", claim="c"), rejected_references=(B,), is_rejected=True),
    )
    found = earlier_rows._with_source_decisions({"c": claim, "m": more})
    assert (found["c"].rejected_references, found["c"].is_rejected) == ((A, B), True)
    assert found["m"] == more
    assert not earlier_rows._with_source_decisions({"c": claim})["c"].is_rejected
    assert earlier_rows._with_source_decisions({"c": replace(claim, is_rejected=True)})["c"].is_rejected


# What is compared, and with what


def quoted(*formulas: str, cited: str = "") -> tuple[Quote, ...]:
    return tuple(
        Quote(f"d{n}", 4, "⟦4⟧", title=f"t{n}", formulas=((4, tex),), cited=cited) for n, tex in enumerate(formulas)
    )


def test_the_source_that_is_least_like_the_claim_is_laid_beside_it() -> None:
    p = proposal(kind="add_reference", quotes=quoted("v=H_{0}d", "w = H_0 d", "v = H d"))
    assert compared_tex(p) == "w = H_0 d"
    assert compared_tex(replace(p, kind="new_claim")) == TEX
    assert compared_tex(replace(p, quotes=())) == TEX
    assert least_similar(()) is None
    found = source_formulas(replace(p, quotes=(*quoted("v\\,=H_0d", "v = H d"), replace(p.quotes[0], formulas=()))))
    assert [(each.document, each.differs, each.reference) for each in found] == [("d0", False, -1), ("d1", True, -1)]
    address = p.references[0].snaks[0][2]
    assert [
        each.reference
        for each in source_formulas(replace(p, references=(A, *p.references), quotes=quoted(TEX, cited=address)))
    ] == [1]


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [
        ("a + b", "a+b", ["same a+b"]),
        ("a + b", "a + c", ["same a+", "gone b", "new c"]),
        ("a", "a + b", ["same a", "new +b"]),
        ("a + b", "a", ["same a", "gone +b"]),
        ("m_e", "m_p", ["gone m_e", "new m_p"]),
        ("m_{e}", "m_e", ["same m_e"]),
        ("{P_{1}}", "P_1", ["same P_1"]),
        (r"\sqrt{x}", r"\sqrt x", ["same \\sqrt", "gone {", "same x", "gone }"]),
        ("x_{abcdef}", "y_{abcdef}", ["gone x_{abcdef}", "new y_{abcdef}"]),
        ("x_{abcdefg}", "y_{abcdefg}", ["gone x", "new y", "same _{abcdefg}"]),
        ("x_{a+b}", "y_{a+b}", ["gone x", "new y", "same _{a+b}"]),
        (r"\frac{a}{b}", r"\frac{a}{c}", ["same \\frac{a}{", "gone b", "new c", "same }"]),
        (r"\alpha x", r"\alpha y", ["same \\alpha", "gone x", "new y"]),
        (r"(\hat{c}_0", r"(\hat{c}_1", ["same (\\hat{c", "gone }_0", "new }_1"]),
        ("c_0^2", "c_1^2", ["gone c_0^2", "new c_1^2"]),
        ("_a", "_b", ["same _", "gone a", "new b"]),
        ("x_", "x", ["same x", "gone _"]),
    ],
)  # fmt: skip
def test_a_marked_difference(old: str, new: str, runs: list[str]) -> None:
    assert [f"{run.kind} {run.text}" for run in marked_differences(old, new)] == runs


CONSTRAINED: list[tuple[Constraints, tuple[bool, bool], tuple[str, str]]] = [
    (Constraints(7), (True, True), ("ok", "none broken (as of revision 7)")),
    (Constraints(7, single=True), (False, True), ("ok", "none broken (as of revision 7)")),
    (Constraints(7, single=True), (True, False), ("warn", "would break: single value (as of revision 7)")),
    (Constraints(7, distinct=True), (True, False), ("ok", "none broken (as of revision 7)")),
    (Constraints(7, distinct=True), (False, True), ("warn", "would break: distinct values (as of revision 7)")),
    (Constraints(7, ("a+",)), (False, False), ("ok", "none broken (as of revision 7)")),
    (Constraints(7, ("a+", "a")), (False, False), ("warn", "would break: format (as of revision 7)")),
    (Constraints(7, ("(",)), (False, False), ("unknown", "none broken, but a pattern cannot be read (as of revision 7)")),
    (Constraints(7, ("(", "b")), (False, False), ("warn", "would break: format (as of revision 7)")),
    (Constraints(7, classes=("Q1", "Q2")), (False, False), ("ok", "none broken (as of revision 7)")),
    (Constraints(7, classes=("Q2",)), (False, False), ("unknown", "none broken, but the item's classes may be outside the subject type (as of revision 7)")),
    (Constraints(7, unread=("Q9",)), (False, False), ("unknown", "none broken, but type Q9 is not looked at (as of revision 7)")),
]  # fmt: skip


@pytest.mark.parametrize(("constraints", "others", "told"), CONSTRAINED)
def test_how_a_value_fares(constraints: Constraints, others: tuple[bool, bool], told: tuple[str, str]) -> None:
    found = check_constraints(constraints, "aa", {"Q1"}, *others)
    assert (found.state, str(found.detail)) == told


def test_who_has_a_formula_and_who_is_proposed_for_it() -> None:
    def item(qid: str, *statements: Any) -> Item:
        return Item(qid, f"law {qid}", statements=statements)

    old, other = statement(TEX, "deprecated"), replace(statement(), property="P1")
    items = [
        item("Q10", statement()),
        item("Q9", statement("v=H_{0}d")),
        item("Q8", old),
        item("Q7", other),
        item("Q6", statement("")),
    ]
    (holders,) = worlds.items_by_formula(items, "P2534").values()
    assert holders == (("Q9", "law Q9"), ("Q10", "law Q10"))
    rivals = worlds._rivals(
        [entry(qid="Q10", probability=0.5), entry(qid="Q9", probability=0.5), entry(probability=0.9)]
    )
    assert rivals == {entry().key: (("Q179916", 0.9), ("Q9", 0.5), ("Q10", 0.5))}


def test_values_are_one_for_the_wiki() -> None:
    assert own_claims.is_same_value(" a^2\n", "a^2")
    assert own_claims.is_same_value("e\u0301", "\u00e9")
    assert not own_claims.is_same_value("a^2", "a^{2}")
    assert not own_claims.is_same_value("\u00a0a", "a")
    item = replace(HUBBLE, statements=(statement(), replace(statement(), guid="Q179916$2")))
    assert own_claims.own_claims_on(item, {"Q179916$1": f"{TEX} ", "Q179916$2": "v = d", "Q179916$3": TEX}) == {
        "Q179916$1"
    }


def test_items_that_no_reference_can_name() -> None:
    configured = settings()
    properties = replace(Properties(), inferred_heuristic_item="Q99")
    configured = replace(configured, wiki=replace(configured.wiki, properties=properties))
    items = {
        "Q1": Item("Q1", missing=True),
        "Q2": Item("Q2", redirect="Q3"),
        "Q4": Item("Q4", classes=("Q5",)),
        "Q6": Item("Q6", statements=(statement(),)),
        "Q7": Item("Q7", statements=(replace(statement(), property="P1"),)),
        "Q8": Item("Q8"),
        "Q99": Item("Q99", classes=("Q5",), statements=(statement(),)),
    }
    found = references.unsuitable_items(items, items, {"Q8": frozenset({"Q65943"})}, {"Q5": "human"}, configured)
    assert {qid: str(why) for qid, why in found.items()} == {
        "Q1": "does not exist on the wiki",
        "Q2": "was merged into Q3",
        "Q4": "is a human, and that is not a source",
        "Q6": "has a formula of its own",
        "Q8": "is a Q65943, and that is not a source",
    }
    gone = references.unsuitable_items(["Q99"], {"Q99": Item("Q99", missing=True)}, {}, {}, configured)
    told = references.remarks({"Q1": uncoded_message("x"), **gone}, configured)
    assert tuple(map(str, told)) == (
        "No source is cited as Q1: it x. Name another item in [[proposing.sources]].",
        "References are written without the method Q99: it does not exist on the wiki (wiki.properties.inferred_heuristic_item).",
    )
    documents = [replace(DOCUMENT, identifiers=(("qid", qid),)) for qid in ("Q7", "Q6", "Q7")]
    assert references.items_to_cite([*documents, DOCUMENT], configured) == ["Q6", "Q7", "Q99"]
    assert references.items_to_cite(documents, settings()) == ["Q6", "Q7"]
