"""Walking pages, and names to items over HTTP."""

from __future__ import annotations

import pytest

from bot.errors import LookupFailed

BASE = "http://wiki.example/entity/"


def table(*rows):
    columns = list(rows[0]) if rows else ["item"]
    bindings = [
        {c: {"type": "uri" if v.startswith("http") else "literal", "value": v} for c, v in row.items()} for row in rows
    ]
    return {"head": {"vars": columns}, "results": {"bindings": bindings}}


def items(*ids):
    return table(*({"item": BASE + each} for each in ids))


def test_pages_are_walked_until_one_is_empty(server, answers, make):
    answers(items("L7-S1", "P31", "Q1"), items("Q10", "Q2"), items())
    assert make().qids_with_formula() == ["Q1", "Q10", "Q2"]
    assert [
        f'> "{BASE}{last}"' in a.values["query"] for last, a in zip(("Q1", "Q2"), server.asked[1:], strict=True)
    ] == [True] * 2


@pytest.mark.parametrize("page", [items("Q2", "Q1"), items("Q1")])
def test_a_service_that_does_not_order_is_found_out(answers, make, page):
    answers(items("Q1"), page)
    with pytest.raises(LookupFailed, match="does not order"):
        make().qids_with_formula()


def test_a_page_that_fails_fails_the_whole(answers, make):
    answers(items("Q1"), '{"head": ')
    with pytest.raises(LookupFailed):
        make().qids_with_formula()


def test_names_are_asked_for_in_batches_and_come_back_under_the_name_asked_for(server, answers, make):
    found = table({"name": "Hubble's law", "item": f"{BASE}Q179916"}, {"name": "Hubble's law", "item": f"{BASE}P5"})
    answers(found, table({"name": "name 90", "item": f"{BASE}Q20"}, {"name": "Name 90", "item": f"{BASE}Q3"}))
    names = ["Hubble’s Law", *(f"name {n}" for n in range(120))]
    by_name = make().items_by_label(names)
    assert list(by_name) == names
    assert by_name["Hubble’s Law"] == ["Q179916"]
    assert by_name["name 90"] == ["Q3", "Q20"]
    assert by_name["name 1"] == []
    assert len(server.asked) == 2
    assert '"Hubble\'s law"@en "Hubble\'s law"@mul' in server.asked[0].values["query"]


def test_items_and_classes_come_in_the_order_of_their_numbers(answers, make):
    qids = [f"Q{n}" for n in (1000, 9, 10, 7, 100, 8, 1, 99)]
    answers(table(*({"item": f"{BASE}Q1", "class": f"{BASE}{qid}"} for qid in (*qids, "Q9", "P5"))))
    assert make().classes_of(["Q1", "Q2"]) == {"Q1": ("Q1", "Q7", "Q8", "Q9", "Q10", "Q99", "Q100", "Q1000"), "Q2": ()}


def test_labels_come_in_the_wanted_language_first(answers, make):
    rows = [("Q1", "L", "mul"), ("Q1", "law", "en"), ("Q2", "M", "mul")]
    answers(table(*({"item": BASE + q, "label": label, "language": lang} for q, label, lang in rows)))
    assert make().labels_of(["Q1", "Q2", "Q3"]) == {"Q1": "law", "Q2": "M"}
