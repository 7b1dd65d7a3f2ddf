"""A person's own parts of the queue, and short sessions that end with what became of earlier decisions."""

from __future__ import annotations

import re
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from cli_runner import call
from web_records import SignedIn, dozen, opened, signed_in

from bot import store
from bot.errors import LookupFailed, ReviewError
from bot.messages import uncoded_message
from bot.records import Decision
from bot.review import decide, topics
from bot.review.outcomes import RemovedEditOutcome, personal_outcome
from bot.review.queue_rules import change_rules
from bot.review.web import pages_queue
from bot.review.web.rest import make_token
from bot.store import Workspace

HUBBLE, EINSTEIN, NEWTON, OHM = (f"{n:016x}" for n in (0, 1, 2, 4))


@pytest.fixture
def w(tmp_path: Path) -> Any:
    with opened(tmp_path / "w", "Ada", "Ben") as workspace:
        yield workspace


@pytest.mark.parametrize(
    "text",
    [
        "Q35875, Q41591 and Q35875 again",
        "item,itemLabel\nhttp://www.wikidata.org/entity/Q35875,mass\nhttp://www.wikidata.org/entity/Q41591,Ohm",
        '[{"item": {"type": "uri", "value": "http://www.wikidata.org/entity/Q35875"}}, "Q41591"]',
        "Q35875\tP2534\tQ41591\tQ0 XQ12 Q99999999999",
    ],
)
def test_items_are_read_from_a_list_or_the_result_of_a_query(text: str) -> None:
    assert topics.items_in(text) == ["Q35875", "Q41591"]


def test_a_topic_narrows_the_queue_to_its_items_and_filter(w: Workspace, ada: SignedIn) -> None:
    ada.post("/topics", name="relativity and currents", items="Q35875 Q41591", view="low=90")
    made = topics.topics_of_person(w, "Ada")[0]
    assert (made.query, made.items) == ("low=90", ("Q35875", "Q41591"))
    page = ada.get("/topics")
    assert f"/?low=90&amp;topic={made.id}" in page
    rows = ada.get(f"/?low=90&topic={made.id}")
    assert f"/p/{EINSTEIN}" in rows
    assert f"/p/{OHM}" not in rows  # .86
    assert f"/p/{HUBBLE}" not in rows
    assert topics.topics_of_person(w, "Ben") == []
    assert 'href="/?order=learn&amp;high=80"' in page, "what is hard is not all there is"


def test_a_topic_is_replaced_by_one_of_its_name_and_forgotten_by_its_owner(w: Workspace, ada: SignedIn) -> None:
    topics.save_topic(w, "Ada", "mine", "", "Q1")
    again = topics.save_topic(w, "Ada", "mine", "", "Q2")
    assert [each.items for each in topics.topics_of_person(w, "Ada")] == [("Q2",)]
    topics.remove_topic(w, "Ben", again.id)
    assert topics.topics_of_person(w, "Ada") == [again]
    other = topics.save_topic(w, "Ada", "another", "", "Q3")
    topics.remove_topic(w, "Ada", "unknown")
    assert topics.topics_of_person(w, "Ada") == [other, again]  # by name
    topics.remove_topic(w, "Ada", "another")
    assert topics.topics_of_person(w, "Ada") == [again]
    ada.post("/topics", remove=again.id)
    assert topics.topics_of_person(w, "Ada") == []
    assert "/p/" not in ada.get(f"/?topic={again.id}"), "a forgotten topic is not the whole queue"


@pytest.mark.parametrize(("name", "text"), [(" ", ""), ("x" * 101, ""), ("n", "no item"), ("n", "x\ud800")])
def test_what_is_no_topic_is_not_kept(w: Workspace, name: str, text: str) -> None:
    with pytest.raises(ReviewError):
        topics.save_topic(w, "Ada", name, "", text)
    with pytest.raises(ReviewError):
        topics.save_topic(w, "Ada", "long", "", " ".join(f"Q{n}" for n in range(1, topics.MAX_ITEMS + 2)))
    assert topics.topics_of_person(w, "Ada") == []


SELECT = "SELECT ?item WHERE { ?item ?p ?o }"


class Wiki:
    """Answers queries with `items`, or fails with what `items` is."""

    def __init__(self, *items: str) -> None:
        self.items: Any = list(items)

    def items_of_query(self, text: str, most: int) -> list[str]:
        if isinstance(self.items, Exception):
            raise self.items
        return list(self.items)


def test_the_items_of_a_query_are_kept_with_the_day_until_it_is_answered_again(w: Workspace) -> None:
    wiki = Wiki("Q35875", "Q41591")
    ada = signed_in(w, "Ada", open_client=lambda: nullcontext(wiki))
    ada.post("/topics", name="asked", sparql=SELECT, view="low=90")
    (first,) = topics.topics_of_person(w, "Ada")
    assert (first.items, first.sparql, first.query) == (("Q35875", "Q41591"), SELECT, "low=90")
    assert f"2 items that the query found on {first.asked[:10]}" in ada.get("/topics")
    for failed in (
        LookupFailed(uncoded_message("ran out of time on this query")),
        [],
    ):  # an empty answer would be the whole queue
        wiki.items = failed
        answer = ada.client.post("/topics", data={"csrf": ada.csrf, "again": first.id}, follow_redirects=True)
        said = "ran out of time" if failed else "the query found no item"
        assert said in answer.get_data(True)
        assert topics.topics_of_person(w, "Ada") == [first]
    wiki.items = ["Q41591"]
    ada.post("/topics", again=first.id)
    assert [each.items for each in topics.topics_of_person(w, "Ada")] == [("Q41591",)]


def test_a_query_is_sent_only_where_the_rules_permit_it(w: Workspace) -> None:
    ada = signed_in(w, "Ada", open_client=lambda: nullcontext(Wiki("Q1")))
    assert 'name="sparql"' in ada.get("/topics")
    change_rules(w, {"sparql_topics": "false"})
    assert 'name="sparql"' not in ada.get("/topics")
    ada.post("/topics", name="asked", sparql=SELECT)
    assert "does not permit queries" in ada.get("/topics")
    with pytest.raises(ReviewError, match="not both"):
        topics.save_topic(w, "Ada", "two", "", "Q1", SELECT, lambda text: ["Q1"])
    assert topics.topics_of_person(w, "Ada") == []


def test_a_topic_is_the_same_on_the_page_by_command_and_in_the_api(w: Workspace, tmp_path: Path) -> None:
    with w.engine.begin() as db:
        table = store.items
        for qid, fields in (("Q35875", ["Q11455"]), ("Q179916", ["Q338", "Q11455"])):
            record = {**w.rows(sa.select(table.c.record).where(table.c.qid == qid))[0]["record"], "fields": fields}
            db.execute(table.update().where(table.c.qid == qid).values(record=record))
        db.execute(
            store.documents.update()
            .values(identifiers=[["arxiv_class", "gr-qc"]])
            .where(store.documents.c.id == "lectures/1")
        )
    options = ("--reviewer", "Ada", "-w", str(w.path))
    call("review", "topics", "--add", "relativity", "--filter", "field=Q11455&order=item", *options).well()
    (row,) = call("review", "topics", "--json", *options).rows
    assert (row["name"], row["query"], row["waiting"]) == ("relativity", "order=item&field=Q11455", 3)
    by_command = [each["id"] for each in call("review", "list", "--topic", "relativity", "--json", *options).rows]
    ada = signed_in(w, "Ada")
    on_page = re.findall(r'href="/p/(\w+)\?', ada.get(f"/?{row['query']}&topic={row['id']}"))
    head = {"Authorization": f"Bearer {make_token(w, 'Ada')}"}
    asked = ada.client.get(f"/api/v1/proposals?{row['query']}&topic={row['id']}", headers=head)
    assert by_command == list(dict.fromkeys(on_page)) == [each["id"] for each in asked.json["proposals"]]
    assert by_command == [EINSTEIN, f"{10:016x}", HUBBLE]
    assert ada.client.get("/api/v1/topics", headers=head).json["topics"][0]["id"] == row["id"]
    assert "Q11455" in ada.get("/topics")
    assert f"/p/{EINSTEIN}?" in ada.get("/?field=gr-qc")  # its document's class
    made = ada.client.post("/api/v1/topics", headers=head, json={"name": "two", "filter": {"low": 90}, "items": ["Q1"]})
    assert (made.status_code, made.json["query"], made.json["items"]) == (201, "low=90", ["Q1"])
    call("review", "topics", "--forget", "relativity", *options).well()
    assert ada.client.delete(f"/api/v1/topics/{made.json['id']}", headers=head).json == {"topics": []}
    for wrong in (("--filter", "field=x"), ("--add", "x", "--filter", "low=many"), ("--again", "none")):
        assert call("review", "topics", *wrong, *options).code == 2


def test_a_session_ends_after_its_number_of_decisions(
    w: Workspace, ada: SignedIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages_queue, "SESSION", 2)
    assert ada.post("/session").headers["Location"].startswith("/next")
    assert "/p/" in ada.decide(HUBBLE, "approve").headers["Location"]
    ada.decide(EINSTEIN, "skip")
    assert ada.decide(NEWTON, "approve").headers["Location"].startswith("/session")
    page = ada.get("/session")
    assert "You have made 2 decisions" in page
    assert "2 wait to be written" in page
    assert "/p/" in ada.client.get("/next").headers["Location"]  # whoever goes on is not stopped again


def test_what_became_of_ones_decisions_and_who_agreed(w: Workspace) -> None:
    def said(id_: str, verdict: str, name: str) -> None:
        found = next(each for each in dozen() if each.id == id_)
        reason = "not_defining" if verdict == "reject" else ""
        decide(w, Decision(id_, found.hash, verdict, reason=reason, reviewer=name))

    for id_ in (HUBBLE, EINSTEIN, NEWTON, OHM):
        said(id_, "approve", "Ada")
    said(HUBBLE, "approve", "Ben")
    said(EINSTEIN, "reject", "Ben")
    said(EINSTEIN, "approve", "Ada")
    with w.engine.begin() as db:
        for n, (id_, qid, undo) in enumerate(
            ((HUBBLE, "Q179916", ""), (NEWTON, "Q11412", ""), (OHM, "Q41591", "undone")), 1
        ):
            db.execute(store.edits.insert().values(n=n, proposal=id_, qid=qid, outcome="written", undo_state=undo))
        db.execute(store.edit_states.insert().values(edit=2, state="removed", user="Cleo", revision=812))
    found = personal_outcome(w, "Ada")
    assert (found.written, found.waiting, found.undone) == (1, 1, 1)
    assert found.gone == (
        RemovedEditOutcome("Q11412", "Newton's law of universal gravitation", "removed", "Cleo", 812),
    )
    assert (found.shared, found.same) == (2, 1)
    assert personal_outcome(w, "Ben").shared == 2
    page = signed_in(w, "Ada").get("/session")
    assert "was removed by Cleo, in revision 812" in page
    assert "Somebody else judged 2 of the proposals that you judged, and in 1 all of you said the same." in page
    assert w.rows(sa.select(store.edits.c.n).where(store.edits.c.proposal == EINSTEIN)) == []
