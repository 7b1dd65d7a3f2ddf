"""The pages without a script: a decision is recorded on what was shown, once, and can be taken back."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from web_records import SignedIn, counting_decisions, dozen, opened, proposal, reference, signed_in

from bot import store
from bot.messages import has_message, languages
from bot.propose.cards import marked_differences
from bot.records import Decision, as_json
from bot.review import decide, queue
from bot.review.decide import REASONS
from bot.review.people import ROLES
from bot.review.queue import STATES
from bot.review.queue_rules import change_rules
from bot.review.web.queue_filters import KINDS, ORDERS
from bot.review.web.queue_index import learning_value
from bot.store import Workspace


@pytest.fixture
def w(tmp_path: Path) -> Any:
    with opened(tmp_path / "w", "Ada", "Ben", "Cleo") as workspace:
        yield workspace


def decisions(w: Workspace) -> list[dict[str, Any]]:
    return w.rows(sa.select(store.decisions).order_by(store.decisions.c.n))


def ids(html: str) -> list[str]:
    return list(dict.fromkeys(re.findall(r'href="/p/([0-9a-f]{16})', html)))


ONE, OTHER, NOTED, STANDING, FLAGGED = (f"{n:016x}" for n in (0, 1, 2, 10, 11))


# -- reading
@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/?state=all",
        "/help",
        "/statistics",
        "/packets",
        "/people",
        "/formulas",
        "/formulas/free-0",
        "/item/Q35875",
        "/item/Q99",
    ],
)
def test_every_page_answers_in_every_language(ada: SignedIn, path: str) -> None:
    for language in languages():
        html = ada.get(f"{path}{'&' if '?' in path else '?'}lang={language}")
        assert f'<html lang="{language}">' in html
        assert "<script src=" in html
        assert "style=" not in html.replace("<math", "").split("<math")[0]


def test_every_state_order_kind_and_reason_has_a_name() -> None:
    wanted = {f"reason_{code}" for code in REASONS} | {f"state_{s}" for s in STATES} | {f"order_{o}" for o in ORDERS}
    wanted |= {f"kind_{k}" for k in KINDS} | {f"role_{role}" for role in ROLES}
    assert [(name, of) for name in sorted(wanted) for of in languages() if not has_message(f"page.{name}", of)] == []


def test_templates_use_only_messages_that_exist() -> None:
    import bot.review.web as web

    folder = Path(web.__file__).parent
    text = "".join(p.read_text("utf-8") for p in [*folder.glob("templates/*.html"), *folder.glob("*.py")])
    used = set(re.findall(r"""\b(?:t|translate|flash_error)\(["'](\w+)["'][,)]""", text))
    assert [name for name in sorted(used) if not has_message(f"page.{name}")] == []


def test_the_proposal_page_shows_what_a_reviewer_needs(ada: SignedIn) -> None:
    html = ada.get(f"/p/{OTHER}")
    for text in (
        "mass–energy equivalence", "relation of mass and energy", "<math", "E = m c^{2}", "the sentence names", "stands in one document",
        "typographic variant", "First laws", "https://lectures.example.org/expansion", "Ohm&#39;s law", "1 reference", 'class="new"',
    ):  # fmt: skip
        assert text in html, text
    assert '<mark class="subject"><math' in html
    assert "<mark>mass–energy equivalence</mark>" in html


def test_an_item_page_shows_statements_with_rank_and_the_proposals_under_them(ada: SignedIn) -> None:
    html = ada.get("/item/Q41591")
    assert "preferred" in html
    assert set(ids(html)) == {f"{4:016x}", FLAGGED}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("", 11), ("state=flagged", 1), ("state=all", 12), ("kind=add_reference", 1), ("q=hooke", 1), ("q=Hoo", 1), ("q=law+newton", 1), ("q=energy%E2%80%93mass", 2), ("q=Q35875", 2), ("low=90", 4),
        ("low=50&high=90", 6), ("green=1", 10), ("corpus=lectures", 11), ("corpus=nowhere", 0), ("cls=Q214070", 11),
        ("check=other+items", 1), ("state=all&check=standing+formulas", 1), ("reviewer=Ben", 0), ("q=%25", 0), ("state=nonsense", 11),
        ("low=abc&high=-4&order=x", 11),
    ],
)  # fmt: skip
def test_filters_narrow_the_queue(ada: SignedIn, query: str, found: int) -> None:
    assert len(ids(ada.get(f"/?{query}"))) == found


def test_orders_sort_the_queue(ada: SignedIn) -> None:
    assert ids(ada.get("/"))[:2] == [ONE, OTHER]
    assert ids(ada.get("/?order=item"))[0] == f"{2:016x}"
    assert ids(ada.get("/?order=learn"))[0] == f"{8:016x}"
    assert ids(ada.get("/?order=frequency"))[0] == ONE
    assert learning_value(0.5, 10) > learning_value(0.9, 10) > learning_value(0.99, 10)
    assert learning_value(0.5, 1000) > learning_value(0.5, 10)


def test_a_marked_difference_ignores_blanks_and_braces_that_only_group() -> None:
    assert [(p.kind, p.text) for p in marked_differences("{E} = m c^2", "E=mc^{2}")] == [("same", "E=mc^2")]
    assert [(p.kind, p.text) for p in marked_differences(r"\frac{a}{b}", r"\frac{a}{c}")] == [
        ("same", r"\frac{a}{"),
        ("gone", "b"),
        ("new", "c"),
        ("same", "}"),
    ]
    assert [p.kind for p in marked_differences(r"\alpha x", r"\alpha  x")] == ["same"]
    assert marked_differences(r"\alpha x", r"\alpha  x")[0].text == r"\alpha x"


# -- deciding
def test_an_approval_takes_one_request_and_leads_to_the_next(w: Workspace, ada: SignedIn) -> None:
    answer = ada.decide(ONE, "approve")
    assert (answer.status_code, answer.location) == (303, f"/p/{OTHER}")
    (row,) = decisions(w)
    assert (row["verdict"], row["reviewer"], row["references"], row["hash"]) == (
        "approve",
        "Ada",
        ["approve", "approve"],
        dozen()[0].hash,
    )
    assert queue(w, "approved")[0].proposal.id == ONE


def test_one_reference_is_left_out_and_the_other_stays(w: Workspace, ada: SignedIn) -> None:
    ada.decide(ONE, "approve", reference=["1"])
    assert decisions(w)[0]["references"] == ["reject", "approve"]


def test_an_approval_without_a_reference_is_refused_on_the_same_page(w: Workspace, ada: SignedIn) -> None:
    answer = ada.decide(ONE, "approve", reference=[])
    assert answer.status_code == 409
    assert "no reference is left" in answer.get_data(True)
    assert decisions(w) == []


@pytest.mark.parametrize("reason", REASONS)
def test_a_rejection_has_a_reason_and_never_comes_back(w: Workspace, ada: SignedIn, reason: str) -> None:
    assert ada.decide(ONE, "", reject=reason).status_code == 303
    assert (decisions(w)[0]["verdict"], decisions(w)[0]["reason"]) == ("reject", reason)
    assert ONE not in ids(ada.get("/"))


def test_an_edit_is_previewed_then_approved_with_both_versions_kept(w: Workspace, ada: SignedIn) -> None:
    seen = ada.decide(ONE, "preview", tex=r"v = H_0 \, d").get_data(True)
    assert "The wiki accepts it" in seen
    ada.decide(ONE, "approve_edited", tex=r"v = H_0 \, d")
    (row,) = decisions(w)
    assert (row["tex"], row["record"]["tex"]) == (r"v = H_0 \, d", "v = H_0 d")


def test_an_edit_is_not_lost_by_the_plain_approval(w: Workspace, ada: SignedIn) -> None:
    answer = ada.decide(ONE, "approve", tex="v = H d")
    assert answer.status_code == 409
    assert "v = H d</textarea>" in answer.get_data(True)
    assert decisions(w) == []


def test_an_edit_that_the_wiki_would_refuse_is_refused_here(w: Workspace, ada: SignedIn) -> None:
    answer = ada.decide(ONE, "approve_edited", tex=r"\notamacro{x}")
    assert answer.status_code == 409
    assert r"\notamacro{x}</textarea>" in answer.get_data(True)
    assert decisions(w) == []


def test_a_skip_goes_on_and_says_nothing(w: Workspace, ada: SignedIn) -> None:
    assert ada.decide(ONE, "skip").location == f"/p/{OTHER}"
    assert ONE in ids(ada.get("/"))
    assert counting_decisions(w) == {}


def test_unsure_waits_apart(ada: SignedIn) -> None:
    ada.decide(ONE, "unsure")
    assert ids(ada.get("/?state=unsure")) == [ONE]


def test_a_word_is_undone_in_one_step_until_it_is_written(w: Workspace, ada: SignedIn) -> None:
    ada.decide(ONE, "approve")
    ada.decide(OTHER, "", reject="duplicate")
    assert ada.post("/undo").location.startswith(f"/p/{OTHER}")
    assert ada.post("/undo").location.startswith(f"/p/{ONE}")
    assert counting_decisions(w) == {}
    assert [r["verdict"] for r in decisions(w)] == ["approve", "reject", "withdraw", "withdraw"]
    assert ada.client.get(ada.post("/undo").location).status_code == 200
    assert len(decisions(w)) == 4


def test_a_written_proposal_is_neither_decided_nor_undone(w: Workspace, ada: SignedIn) -> None:
    ada.decide(ONE, "approve")
    with w.engine.begin() as db:
        db.execute(store.edits.insert().values(proposal=ONE, outcome="written", decision=1, undo=""))
    ada.post("/undo")
    assert len(decisions(w)) == 1
    assert "It is written" in ada.get(f"/p/{ONE}")


def test_a_changed_proposal_is_refused_and_comes_back(w: Workspace, ada: SignedIn) -> None:
    fields = ada.fields(ONE)
    changed = proposal(0, hash="another", references=(reference(3),))
    with w.engine.begin() as db:
        db.execute(
            store.proposals.update().where(store.proposals.c.id == ONE).values(hash="another", record=as_json(changed))
        )
    answer = ada.post(f"/p/{ONE}", **{**fields, "verdict": "approve"})
    assert answer.status_code == 409
    assert decisions(w) == []
    ada.app.extensions["review"].index.refresh(now=True)
    assert ada.decide(ONE, "approve").status_code == 303
    with w.engine.begin() as db:
        db.execute(
            store.proposals.update()
            .where(store.proposals.c.id == ONE)
            .values(hash="third", record=as_json(proposal(0, hash="third")))
        )
    ada.app.extensions["review"].index.refresh(now=True)
    assert ids(ada.get("/"))[0] == ONE
    assert "has changed since" in ada.get(f"/p/{ONE}")


def test_a_flagged_proposal_cannot_be_approved(w: Workspace, ada: SignedIn) -> None:
    assert 'value="approve"' not in ada.get(f"/p/{FLAGGED}")
    assert ada.decide(FLAGGED, "approve", reference=["0"]).status_code == 409
    assert decisions(w) == []


def test_only_green_ones_are_approved_together(w: Workspace, ada: SignedIn) -> None:
    boxes = re.findall(r'name="chosen" value="([^"]+)"', ada.get("/"))
    assert len(boxes) == 10
    noted = next(p for p in dozen() if p.id == NOTED)
    answer = ada.post("/batch", chosen=[*boxes[:3], f"{NOTED}:{noted.hash}:0", "rubbish", f"{STANDING}:wrong:0"])
    assert answer.status_code == 303
    assert len(decisions(w)) == 3
    assert NOTED not in {row["proposal"] for row in decisions(w)}
    ada.post("/undo")
    assert counting_decisions(w) == {}


def test_the_place_in_the_queue_is_kept(ada: SignedIn) -> None:
    view = "state=open&order=item&low=50"
    first = ada.client.get(f"/next?{view}").location
    assert "order=item" in first
    assert "low=50" in first
    id_ = first[3:19]
    ada.get(first)
    answer = ada.post(f"/p/{id_}", **{**ada.fields(id_), "verdict": "skip", "view": view})
    assert "order=item" in answer.location
    second = answer.location[3:19]
    assert ada.client.get(f"/next?{view}&after={second}&back=1").location[3:19] == id_
    last = f"{0:016x}"  # the item with the highest number but one
    assert ada.client.get(f"/next?{view}&after={last}").status_code in (200, 303)


def test_the_end_of_the_queue_says_so(ada: SignedIn) -> None:
    html = ada.get(f"/next?after={9:016x}")
    assert "The end of this queue" in html


def test_the_beginning_of_an_id_leads_to_the_proposal_that_is_leased(tmp_path: Path) -> None:
    with opened(tmp_path / "w", "Ada", proposals=[proposal(0, id="2fa814eb78c0ffee")]) as w:
        ada = signed_in(w, "Ada")
        answer = ada.client.get("/p/2fa814eb78?state=all")
        assert (answer.status_code, answer.location) == (303, "/p/2fa814eb78c0ffee?state=all")
        assert "is looking at it" not in ada.get(answer.location)


# -- several people
def test_two_people_get_two_proposals(w: Workspace, ada: SignedIn) -> None:
    ben = signed_in(w, "Ben")
    one, other = ada.client.get("/next").location, ben.client.get("/next").location
    assert one != other
    assert "Ada is looking at it" in ben.get(one)
    assert ben.decide(one[3:19], "approve").status_code == 409
    assert decisions(w) == []


def test_a_lease_ends_and_what_was_open_since_can_still_be_decided(w: Workspace, ada: SignedIn) -> None:
    ben = signed_in(w, "Ben")
    row = store.queue.c
    fields = ada.fields(ONE)
    assert ben.client.get("/next").location[3:19] == OTHER
    with w.engine.begin() as db:
        db.execute(store.queue.update().where(row.id == ONE).values(until="2026-01-01T00:00:00Z"))
    assert ada.post(f"/p/{ONE}", **{**fields, "verdict": "unsure"}).status_code == 303  # nobody else has taken it
    third = f"{2:016x}"
    fields = ada.fields(third)
    with w.engine.begin() as db:
        db.execute(store.queue.update().where(row.id == third).values(until="2026-01-01T00:00:00Z"))
    assert "is looking at it" not in ben.get(f"/p/{third}")
    assert ada.post(f"/p/{third}", **{**fields, "verdict": "approve"}).status_code == 409
    assert ben.decide(third, "approve").status_code == 303
    assert [(r["proposal"], r["reviewer"]) for r in decisions(w)] == [(ONE, "Ada"), (third, "Ben")]


def test_no_list_tells_the_first_word_to_who_says_the_second_unseen(w: Workspace, ada: SignedIn) -> None:
    change_rules(w, {"blind": "1"})
    ada.decide(ONE, "approve")
    ada.decide(OTHER, "", reject="duplicate")
    ben = signed_in(w, "Ben")
    for query in ("state=approved", "state=rejected", "reviewer=Ada", "state=all&reviewer=Ada"):
        assert ids(ben.get(f"/?{query}")) == [], query
        assert query == "reviewer=Ada" or ids(ada.get(f"/?{query}")) != []
    assert {ONE, OTHER} <= set(ids(ben.get("/")))


def test_who_goes_on_without_a_word_leaves_the_proposal_to_others(w: Workspace, ada: SignedIn) -> None:
    ben = signed_in(w, "Ben")
    first = ada.client.get("/next").location[3:19]
    assert ben.client.get("/next").location[3:19] != first
    ada.client.get(f"/next?after={first}")
    assert "is looking at it" not in ben.get(f"/p/{first}")
    assert ben.decide(first, "approve").status_code == 303


def test_the_second_word_on_one_page_is_refused(w: Workspace, ada: SignedIn) -> None:
    fields = ada.fields(ONE)
    decide(w, Decision(ONE, dozen()[0].hash, "reject", reason="duplicate", reviewer="Ben"))  # on the command line
    answer = ada.post(f"/p/{ONE}", **{**fields, "verdict": "approve"})
    assert answer.status_code == 409
    assert [row["verdict"] for row in decisions(w)] == ["reject"]


def test_with_two_persons_an_approval_waits_for_the_second(w: Workspace, ada: SignedIn) -> None:
    change_rules(w, {"two_persons": "true"})
    ada.decide(ONE, "approve")
    assert queue(w, "approved") == []
    assert ONE not in ids(ada.get("/"))
    ben = signed_in(w, "Ben")
    assert ids(ben.get("/"))[0] == ONE
    assert "by Ada" not in ben.get(f"/p/{ONE}")
    ben.decide(ONE, "approve")
    assert [row.proposal.id for row in queue(w, "approved")] == [ONE]


def test_two_persons_must_mean_the_same_content(w: Workspace, ada: SignedIn) -> None:
    change_rules(w, {"two_persons": "true"})
    ada.decide(ONE, "approve")
    signed_in(w, "Ben").decide(ONE, "approve", reference=["0"])
    assert queue(w, "approved") == []


def test_a_blind_second_word_that_disagrees_binds_nobody_until_a_third(w: Workspace, ada: SignedIn) -> None:
    change_rules(w, {"blind": "1"})
    signed_in(w, "Ben").decide(ONE, "approve")
    assert [row.proposal.id for row in queue(w, "approved")] == [ONE]
    cleo = signed_in(w, "Cleo")
    html = cleo.get(f"/p/{ONE}")
    assert "second opinion is needed" in html
    assert "Ben" not in html
    cleo.decide(ONE, "", reject="not_defining")
    assert queue(w, "approved") == queue(w, "rejected") == []
    assert ids(ada.get("/?state=disputed")) == [ONE]
    ada.decide(ONE, "approve")
    assert [row.proposal.id for row in queue(w, "approved")] == [ONE]


def test_known_wrong_proposals_are_measured_and_never_recorded(w: Workspace, ada: SignedIn) -> None:
    from bot.review.web import control_questions

    change_rules(w, {"known_wrong": "0.5"})
    assert control_questions.make_questions(w, 6) == 6
    known = {row["id"] for row in w.rows(sa.select(store.control_questions))}
    met = 0
    for _ in range(14):
        location = ada.client.get("/next").location
        if location is None:
            break
        met += location[3:19] in known
        ada.decide(location[3:19], "approve")
    assert met > 1
    assert not known & {row["proposal"] for row in decisions(w)}
    assert len(w.rows(sa.select(store.attention))) == met
    assert "control questions were noticed" in ada.get("/statistics")
    assert not known & {row.proposal.id for row in queue(w, "all")}


# -- formulas without item
def test_a_formula_gets_its_item_and_is_a_representation(w: Workspace, ada: SignedIn) -> None:
    assert "Hubble" in ada.get("/formulas/free-0")
    answer = ada.post("/formulas/free-0", pick="Q179916")
    assert answer.location == "/formulas/free-1"
    rows = w.rows(sa.select(store.representations).where(store.representations.c.qid == "Q179916"))
    assert [(row["tex"], row["reviewer"]) for row in rows] == [(r"v = H_0 d + 0", "Ada")]
    ada.post("/formulas/free-0", answer="withdraw")
    assert w.rows(sa.select(store.representations).where(store.representations.c.qid == "Q179916")) == []
    assert "/formulas/free-0" in ada.get("/formulas")


def test_the_wiki_is_asked_for_a_label_when_the_reviewer_wants_it(w: Workspace) -> None:
    from dataclasses import replace

    from bot.review.web import make_app
    from bot.review.web.security import OneTimeToken
    from bot.sandbox.wiki_server import Sandbox
    from bot.settings import Settings

    with Sandbox(port=0) as sandbox:
        sandbox.fill(
            [{"qid": "Q4242", "label": "law of the iterated logarithm", "description": "theorem", "formulas": []}]
        )
        token = OneTimeToken()
        settings = Settings(wiki=replace(sandbox.wiki, sandbox=False))
        app = make_app(w, settings, hosts={"localhost"}, token=token, reviewer="Ada")
        person = SignedIn(app, app.test_client())
        person.client.get(f"/sign-in/{token.text}")
        assert "Q4242" not in person.get("/formulas/free-0?q=law+of+the+iterated+logarithm")
        assert "Q4242" in person.get("/formulas/free-0?q=law+of+the+iterated+logarithm&wiki=1")
    assert "cannot be reached" in person.get("/formulas/free-0?q=something+else&wiki=1")


@pytest.mark.parametrize("said", ["none", "no_concept"])
def test_that_there_is_no_item_is_knowledge_too(w: Workspace, ada: SignedIn, said: str) -> None:
    ada.get("/formulas/free-0")
    ada.post("/formulas/free-0", answer=said)
    (row,) = w.rows(sa.select(store.representations))
    assert (row["qid"], row["reviewer"]) == ("", "Ada")
    assert "/formulas/free-0" not in ada.get("/formulas")


@pytest.mark.parametrize(
    "values", [{"answer": "item", "qid": "P31"}, {"answer": "item"}, {"answer": "maybe"}, {"pick": "<b>"}]
)
def test_an_answer_that_is_none_is_refused(w: Workspace, ada: SignedIn, values: dict[str, str]) -> None:
    ada.get("/formulas/free-0")
    ada.post("/formulas/free-0", **values)
    assert w.rows(sa.select(store.answers)) == []


# -- statistics
def test_statistics_count_words_reasons_and_precision(w: Workspace, ada: SignedIn) -> None:
    ada.decide(ONE, "approve")
    ada.decide(OTHER, "", reject="wrong_item")
    html = ada.get("/statistics")
    assert html.count("<svg viewBox") >= 3
    assert "Wrong item" in html
    assert "0.50" in html


def test_a_reviewer_sees_no_other_persons_figures(w: Workspace, ada: SignedIn) -> None:
    ada.decide(ONE, "approve")
    html = signed_in(w, "Ben").get("/statistics")
    assert "other people" in html
    assert ">Ada<" not in html


# -- packets
def test_a_packet_goes_out_and_comes_back_through_the_page(w: Workspace, ada: SignedIn) -> None:
    import io

    text = ada.client.get("/packets/out.csv?state=open").get_data(True)
    lines = text.splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(ONE))
    lines[at] = lines[at][: -len(",,,,,")] + "approve,,,,,"
    ada.get("/packets")
    sent = {"csrf": ada.csrf, "file": (io.BytesIO("\n".join(lines).encode()), "packet.csv")}
    ada.client.post("/packets", data=sent, content_type="multipart/form-data")
    assert [(row["proposal"], row["verdict"]) for row in decisions(w)] == [(ONE, "approve")]
    assert "1 recorded" in ada.get("/packets")


def test_a_file_that_is_no_packet_records_nothing(w: Workspace, ada: SignedIn) -> None:
    import io

    ada.get("/packets")
    for name, content in (
        ("x.csv", b"\xff\xfe"),
        ("x.jsonl", b"{"),
        ("x.exe", b""),
        ("x.jsonl", json.dumps({"proposal": ONE, "verdict": 3}).encode()),
    ):
        sent = {"csrf": ada.csrf, "file": (io.BytesIO(content), name)}
        assert ada.client.post("/packets", data=sent, content_type="multipart/form-data").status_code == 303
    assert decisions(w) == []
