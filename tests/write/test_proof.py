"""The proof after an edit, the removal, and the formula that somebody else added, on a wiki of entity JSON: no server, no pywikibot."""

from __future__ import annotations

import copy
from typing import Any, cast

import pytest
from item_revisions import GUID, OTHER, OURS, SOURCE, THEIRS, PermissivePolicy, Wiki, entity, entry

from bot.errors import WriteRefused, WriteStopped
from bot.records import Edit
from bot.settings import Properties
from bot.write import concurrent_edit, item_state, payload, proof, removal
from bot.write.entry import PlanEntry
from bot.write.rate_limit import WriteSlot
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import WikiRefusal, WikiSession


def see(wiki: Wiki, wanted: PlanEntry, before: int, after: int, revision: int) -> proof.EditProof:
    calm = cast(WikiPolicy, PermissivePolicy())
    session = cast(WikiSession, wiki)
    return proof.prove_edit(session, wanted, wiki.entity_at(before), wiki.entity_at(after), revision, "group", calm)


def told(seen: proof.EditProof) -> tuple[int, str, str, str]:
    return seen.revision, "; ".join(map(str, seen.unplanned)), str(seen.concurrent_change or ""), str(seen.remark or "")


def with_rank(claim: dict[str, Any], rank: str) -> dict[str, Any]:
    return {**claim, "rank": rank}


def sourced(claim: dict[str, Any], *references: dict[str, Any]) -> dict[str, Any]:
    return {**claim, "references": list(references)}


def test_an_edit_alone_on_the_item_is_proved_by_the_two_readings() -> None:
    wiki = Wiki(entity(7, THEIRS), entity(8, THEIRS, OURS), comments={8: "no group"})
    assert told(see(wiki, entry(), 7, 8, 8)) == (8, "", "", "")


def test_an_edit_that_did_more_is_harm_though_nobody_else_was_there() -> None:
    wiki = Wiki(entity(7, THEIRS), entity(8, OURS))
    assert told(see(wiki, entry(), 7, 8, 8)) == (8, "statement Q1$a was removed", "", "")


def test_our_own_revision_is_known_by_its_number_or_by_its_group() -> None:
    late = with_rank(THEIRS, "deprecated")
    comments = {8: "formula (group)", 9: "by hand"}
    wiki = Wiki(entity(7, THEIRS), entity(8, THEIRS, OURS), entity(9, late, OURS), comments=comments)
    for known in (8, 0, 9):
        assert told(see(wiki, entry(), 7, 9, known)) == (8, "", "", "")
    wiki.comments = {}
    assert told(see(wiki, entry(), 7, 9, 8)) == (8, "", "", "")
    assert told(see(wiki, entry(), 7, 9, 0)) == (9, "statement Q1$a was changed", "", "")


def test_a_revision_that_is_not_found_is_remarked() -> None:
    wiki = Wiki(entity(7, THEIRS), entity(8, THEIRS, OURS))
    assert told(see(wiki, entry(), 7, 8, 0)) == (8, "", "", "its revision is not to be found in the history")


def test_a_change_of_the_formulas_just_before_ours_is_told() -> None:
    third = payload.claim("Q1$c", "P2534", "F=ma", ())
    wiki = Wiki(entity(7, THEIRS), entity(8, THEIRS, third), entity(9, THEIRS, third, OURS), comments={9: "group"})
    assert told(see(wiki, entry(), 7, 9, 9)) == (9, "", "somebody changed the item's formulas at the same moment", "")
    elsewhere = payload.claim("Q1$c", "P1", "x", ())
    wiki = Wiki(entity(7, THEIRS), entity(8, THEIRS, elsewhere), entity(9, THEIRS, elsewhere, OURS))
    assert told(see(wiki, entry(), 7, 9, 9)) == (9, "", "", "")


def test_a_statement_that_was_changed_before_it_got_our_source_is_told() -> None:
    wanted = entry("add_reference")
    for parent, said in (
        (with_rank(THEIRS, "preferred"), "somebody changed the statement at the same moment"),
        (sourced(THEIRS, OTHER), ""),
    ):
        ours = sourced(parent, *parent["references"], SOURCE)
        wiki = Wiki(entity(7, THEIRS), entity(8, parent), entity(9, ours))
        assert told(see(wiki, wanted, 7, 9, 9)) == (9, "", said, "")


def test_what_somebody_removed_at_once_is_remarked_and_no_harm() -> None:
    wiki = Wiki(entity(7, THEIRS), entity(8, THEIRS, OURS), entity(9, THEIRS), comments={8: "group"})
    assert told(see(wiki, entry(), 7, 9, 8)) == (8, "", "", "somebody removed it at once")


def test_only_the_revision_that_brought_it_is_ours() -> None:
    again = with_rank(THEIRS, "deprecated")
    comments = {8: "group", 9: "group"}
    wiki = Wiki(entity(7, THEIRS), entity(8, THEIRS, OURS), entity(9, again, OURS), comments=comments)
    session = cast(WikiSession, wiki)
    found = proof.find_own_revision(session, entry(), 7, ("other", "group"))
    assert found is not None
    assert found.id == 8
    assert proof.find_own_revision(session, entry(), 8, ("group",)) is None
    assert proof.find_own_revision(session, entry(), 7, ("nothing",)) is None
    first = proof.find_own_revision(cast(WikiSession, Wiki(entity(8, OURS), comments=comments)), entry(), 0, ("group",))
    assert first is not None
    assert first.id == 8


@pytest.mark.parametrize(
    ("revision", "others", "is_alone"), [(8, (), True), (0, (), False), (9, (), False), (9, (8,), False)]
)
def test_alone_between_two_readings(revision: int, others: tuple[int, ...], is_alone: bool) -> None:
    wiki = Wiki(entity(7), *(entity(n) for n in others), entity(9 if others else 8))
    calm, session = cast(WikiPolicy, PermissivePolicy()), cast(WikiSession, wiki)
    assert proof.is_only_revision(session, calm, "Q1", wiki.entity_at(7), wiki.entity("Q1"), revision) is is_alone


# Taking it back

CLAIM_ROW = Edit(qid="Q1", guid=GUID, payload=OURS)
SOURCE_ROW = Edit(qid="Q1", guid="Q1$a", payload=SOURCE)
HASHED = {**SOURCE, "hash": "abc"}


KEPT: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    (CLAIM_ROW, entity(8, OURS), ""),
    (CLAIM_ROW, entity(8), "kept: somebody removed it already"),
    (CLAIM_ROW, entity(8, with_rank(OURS, "preferred")), "kept: somebody changed its rank"),
    (CLAIM_ROW, entity(8, sourced(with_rank(OURS, "preferred"))), "kept: somebody changed its rank, references"),
    (SOURCE_ROW, entity(8, sourced(THEIRS, HASHED)), ""),
    (SOURCE_ROW, entity(8, sourced(with_rank(THEIRS, "preferred"), OTHER, HASHED)), ""),
    (SOURCE_ROW, entity(8, sourced(THEIRS, OTHER)), "kept: somebody changed or removed the reference"),
    (SOURCE_ROW, entity(8), "kept: somebody removed it already"),
    (CLAIM_ROW, {**entity(8, OURS), "id": "Q2"}, "kept: the item was merged into Q2, where our statement has another GUID"),
    (CLAIM_ROW, {**entity(8, OURS), "redirects": {}}, "kept: the item was merged into Q1, where our statement has another GUID"),
    (CLAIM_ROW, {"lastrevid": 8}, "kept: the item was merged into another, where our statement has another GUID"),
]  # fmt: skip


@pytest.mark.parametrize(("row", "now", "why"), KEPT)
def test_what_is_not_as_we_left_it_is_kept(row: Edit, now: dict[str, Any], why: str) -> None:
    result = removal.reason_to_keep(row, now)
    assert (str(result.message) if result else "") == why


def take_back(wiki: Wiki, row: Edit, before: int) -> str:
    calm = PermissivePolicy()
    session = cast(WikiSession, wiki)
    wiki_policy, turn = cast(WikiPolicy, calm), cast(WriteSlot, calm)
    return str(removal.remove(session, wiki_policy, turn, row, wiki.entity_at(before), "group", "summary").message)


def grows(wiki: Wiki, *revisions: dict[str, Any], answers: int | str) -> None:
    """Let the next edit add revisions and answer with a number, or with a refusal."""

    def sends(call: str) -> int:
        wiki.revisions |= {r["lastrevid"]: r for r in revisions}
        if isinstance(answers, str):
            raise WikiRefusal(answers, "…")
        return answers

    wiki.sends = sends


def test_what_is_as_we_left_it_is_taken_back() -> None:
    wiki = Wiki(entity(8, THEIRS, OURS))
    grows(wiki, entity(9, THEIRS), answers=9)
    assert take_back(wiki, CLAIM_ROW, 8) == "undone in revision 9"
    assert wiki.calls == ["remove Q1$b 8"]
    wiki = Wiki(entity(8, sourced(THEIRS, OTHER, HASHED)))
    grows(wiki, entity(9, sourced(THEIRS, OTHER)), answers=9)
    assert take_back(wiki, SOURCE_ROW, 8) == "undone in revision 9"
    assert wiki.calls == ["remove abc of Q1$a"]


def test_a_lost_answer_is_looked_up() -> None:
    wiki = Wiki(entity(8, THEIRS, OURS), comments={9: "undo (group)"})
    grows(wiki, entity(9, THEIRS), answers="lost")
    assert take_back(wiki, CLAIM_ROW, 8) == "undone in revision 9"


@pytest.mark.parametrize("code", ["lost", "maxlag", "badtoken", "protected", "unheard-of"])
def test_a_refusal_after_which_it_is_still_there_is_raised(code: str) -> None:
    wiki = Wiki(entity(8, THEIRS, OURS))
    grows(wiki, answers=code)
    with pytest.raises(WikiRefusal, match=code):
        take_back(wiki, CLAIM_ROW, 8)


@pytest.mark.parametrize("code", ["maxlag", "badtoken"])
def test_a_refusal_that_says_nothing_was_done_is_believed(code: str) -> None:
    wiki = Wiki(entity(8, THEIRS, OURS), comments={9: "group"})
    grows(wiki, entity(9, THEIRS), answers=code)
    with pytest.raises(WikiRefusal, match=code):
        take_back(wiki, CLAIM_ROW, 8)


def test_an_undo_that_took_more_stops_the_run() -> None:
    wiki = Wiki(entity(8, THEIRS, OURS), comments={9: "group"})
    grows(wiki, entity(9), answers=9)
    with pytest.raises(WriteStopped, match=r"the undo changed more than our edit: Q1\$a"):
        take_back(wiki, CLAIM_ROW, 8)
    wiki = Wiki(entity(8, sourced(THEIRS, OTHER, HASHED)), comments={9: "group"})
    grows(wiki, entity(9, THEIRS), answers=9)
    with pytest.raises(WriteStopped, match=r"the undo changed more than our edit: Q1\$a"):
        take_back(wiki, SOURCE_ROW, 8)


def test_what_another_removed_first_is_kept_and_what_is_still_there_failed() -> None:
    wiki = Wiki(entity(8, THEIRS, OURS), comments={9: "by hand"})
    grows(wiki, entity(9, THEIRS), answers=0)
    assert take_back(wiki, CLAIM_ROW, 8) == "kept: somebody removed it already"
    wiki = Wiki(entity(8, THEIRS, OURS))
    assert take_back(wiki, CLAIM_ROW, 8) == "failed: it is still there"


def test_a_change_of_another_that_went_with_ours_is_put_back() -> None:
    theirs = with_rank(OURS, "preferred")
    wiki = Wiki(entity(8, THEIRS, OURS), comments={10: "group"})

    def sends(call: str) -> int:
        if call == "add":
            return 11
        wiki.revisions |= {9: entity(9, THEIRS, theirs), 10: entity(10, THEIRS)}
        return 10

    wiki.sends = sends
    found = take_back(wiki, CLAIM_ROW, 8)
    assert found == "kept: somebody changed it at the same moment; put back as they left it in revision 11"
    assert wiki.calls[1] == "add Q1$b 0: put back another's change ([[:toolforge:editgroups/b/CB/group|details]])"


@pytest.mark.parametrize(
    ("code", "tries", "why"),
    [
        ("protected", 1, "protected: …"),
        ("unheard-of", 1, "stopped by unheard-of"),
        ("maxlag", 3, "maxlag: …"),
        ("lost", 3, "lost: …"),
    ],
)
def test_what_cannot_be_put_back_stops_the_run(code: str, tries: int, why: str) -> None:
    wiki = Wiki(entity(8, THEIRS, OURS), comments={10: "group"})

    def sends(call: str) -> int:
        if call == "add":
            raise WikiRefusal(code, "…")
        wiki.revisions |= {9: entity(9, THEIRS, with_rank(OURS, "preferred")), 10: entity(10, THEIRS)}
        return 10

    wiki.sends = sends
    with pytest.raises(WriteStopped) as stopped:
        take_back(wiki, CLAIM_ROW, 8)
    assert str(stopped.value.message).endswith(f"cannot be put back ({why})")
    assert sum(call.startswith("add") for call in wiki.calls) == tries


# The formula that somebody else added


def said_by(*claims: dict[str, Any]) -> str:
    found = concurrent_edit.same_claim(entity(8, *claims), entry())
    return found["id"] if found else ""


def theirs(guid: str, tex: str = "p=mv", rank: str = "normal", **more: Any) -> dict[str, Any]:
    return payload.claim(guid, "P2534", tex, ()) | {"rank": rank, **more}


QUALIFIED = {"qualifiers": {"P1": [payload.snak("P1", "string", "x")]}}


def test_the_statement_by_which_another_says_it() -> None:
    assert said_by() == ""
    assert said_by(OURS) == ""
    assert said_by(theirs("Q1$c", "p = mv")) == ""
    assert said_by(theirs("Q1$c", " p=mv\n")) == "Q1$c"
    assert said_by({**theirs("Q1$c"), "mainsnak": payload.snak("P1", "math", "p=mv")}) == ""
    assert said_by({**theirs("Q1$c"), "mainsnak": {"property": "P2534", "snaktype": "novalue"}}) == ""
    assert said_by(theirs("Q1$c"), theirs("Q1$d", rank="preferred")) == "Q1$d"
    assert said_by(theirs("Q1$c"), theirs("Q1$d")) == "Q1$c"
    assert said_by(theirs("Q1$c", rank="preferred", **QUALIFIED), theirs("Q1$d")) == "Q1$d"


@pytest.mark.parametrize(
    ("claims", "why"),
    [
        ([theirs("Q1$c", rank="deprecated")], "its rank is deprecated: people have rejected it"),
        ([theirs("Q1$c", rank="deprecated"), theirs("Q1$d")], "deprecated"),
        ([theirs("Q1$c", **QUALIFIED)], "with qualifiers, which nobody has reviewed"),
        ([theirs("Q1$c", **QUALIFIED), theirs("Q1$d", **QUALIFIED)], "with qualifiers"),
    ],
)
def test_a_reservation_of_another_goes_back_to_review(claims: list[dict[str, Any]], why: str) -> None:
    with pytest.raises(WriteRefused, match=why):
        said_by(*claims)


def test_what_is_left_to_say_on_the_statement_of_another() -> None:
    planned = entry(otherwise_summary="a source", before={"Q1$a": "x"})
    statement = sourced(theirs("Q1$c"), OTHER)
    item = entity(8, THEIRS, statement)
    new, there = concurrent_edit.remaining_sources(planned, item, statement, Properties())
    assert (new.kind, new.statement, new.payload, new.otherwise) == ("add_reference", "Q1$c", SOURCE, ())
    assert (new.summary, new.about) == ("a source", "p=mv")
    assert str(new.because) == "somebody else added the formula: the source only, on Q1$c"
    assert new.before == {"Q1$a": "x", "Q1$c": item_state.fingerprint(item)["Q1$c"]}
    assert (there.kind, there.payload) == ("add_reference", OTHER)  # the same snaks: known by its row
    assert str(there.because) == "somebody else added the formula with this source, on Q1$c"
    dated = copy.deepcopy(OTHER)
    dated["snaks"] |= {"P813": [payload.snak("P813", "time", "+2020-01-01T00:00:00Z")]}
    statement = sourced(theirs("Q1$c"), dated)
    _, there = concurrent_edit.remaining_sources(planned, entity(8, statement), statement, Properties())
    assert there.kind == "already_there"
