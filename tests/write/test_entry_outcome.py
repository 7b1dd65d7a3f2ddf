"""What the rows of the ledger say became of an entry, and how it is told."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from lxml import html

from bot.formula import mathml
from bot.messages import Message, sentence, to_json, uncoded_message
from bot.records import Edit, EditOutcome, Reference
from bot.write import outcome, payload, plan_report
from bot.write.entry import Plan, PlanEntry, is_attempt_of, is_source_attempt_of, outcome_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser

A, B = (payload.reference(Reference((("P854", "url", f"https://example.org/{name}"),))) for name in "ab")
OTHERWISE = "only its sources are added to that statement, except those that it already has"
CLAIM = payload.claim("Q1$b", "P2534", "p=mv", ()) | {"references": [A, B]}
NEW = PlanEntry(
    "p", "h", 1, "Ada", "Q1", "new_claim", "Q1$b", CLAIM, 7, {}, ("E=mc^2 (normal)",), "", "momentum", otherwise=(A, B)
)
SOURCE = replace(NEW, kind="add_reference", statement="Q1$a", payload=A, otherwise=(), about="E=mc^2")
THERE = replace(SOURCE, kind="already_there", payload={})


def row(n: int, outcome: str, guid: str = "Q1$b", sent: dict[str, Any] | None = CLAIM, reason: str = "") -> Edit:
    end = EditOutcome(outcome)
    return Edit(n=n, guid=guid, payload=sent or {}, outcome=end, reason=reason or f"reason {n}", revision=10 + n)


def part(n: int, outcome: str, sent: dict[str, Any] = A) -> Edit:
    return row(n, outcome, "Q1$c", sent)


CASES: list[tuple[list[Edit], tuple[str, str, int, int, bool]]] = [
    ([], ("", "", 0, 0, False)),
    ([row(1, "written")], ("written", "reason 1", 1, 1, False)),
    ([row(1, "already_there")], ("already_there", "reason 1", 1, 1, False)),
    ([row(1, "refused")], ("refused", "reason 1", 1, 1, False)),
    ([row(1, "pending")], ("", "reason 1", 1, 1, False)),
    ([row(1, "failed")], ("", "reason 1", 1, 1, False)),
    ([row(1, "failed"), row(2, "failed")], ("", "reason 2", 2, 2, False)),
    ([row(1, "failed"), row(2, "written"), row(3, "failed")], ("written", "reason 2", 2, 3, False)),
    ([row(1, "written", sent=A)], ("", "", 0, 0, False)),
    ([row(1, "written", guid="Q1$z")], ("", "", 0, 0, False)),
    ([part(1, "written")], ("", "reason 1", 1, 1, True)),
    ([part(1, "written"), part(2, "written", B)], ("written", "reason 1", 1, 2, True)),
    ([part(1, "written"), part(2, "already_there", B)], ("written", "reason 1", 1, 2, True)),
    ([part(1, "already_there"), part(2, "already_there", B)], ("already_there", "reason 1", 1, 2, True)),
    ([part(1, "written"), part(2, "failed", B)], ("", "reason 2", 2, 2, True)),
    ([part(1, "written"), part(2, "refused", B)], ("refused", "reason 2", 2, 2, True)),
    ([part(1, "refused")], ("refused", "reason 1", 1, 1, True)),
    ([row(1, "failed"), part(2, "written"), part(3, "written", B)], ("written", "reason 2", 2, 3, True)),
    ([part(1, "written"), part(2, "written", B), row(3, "written")], ("written", "reason 3", 3, 3, False)),
]


@pytest.mark.parametrize(("rows", "said"), CASES)
def test_what_became_of_an_entry(rows: list[Edit], said: tuple[str, str, int, int, bool]) -> None:
    found = outcome_of(NEW, rows)
    n = found.row.n if found.row else 0
    assert (found.outcome or "", str(found.reason), n, found.attempts, found.source_only) == said


def test_a_row_is_of_an_entry_or_of_a_source_of_it_alone() -> None:
    assert is_attempt_of(row(1, "written"), NEW)
    assert not is_attempt_of(part(1, "written"), NEW)
    assert is_source_attempt_of(part(1, "written"), NEW)
    assert not is_source_attempt_of(row(1, "written", sent=A), NEW)
    assert not is_source_attempt_of(row(1, "written", "Q1$c"), NEW)
    assert is_attempt_of(row(1, "already_there", "Q1$a", None), THERE)


def told(entry: PlanEntry, *rows: Edit) -> tuple[Any, ...]:
    found = outcome._outcome_row(entry, list(rows))
    return found["outcome"], found["reason"], found["edit"], found["revision"], found["kind"], found["guid"]


def test_the_outcome_of_an_entry_is_told() -> None:
    assert told(NEW) == ("failed", "not sent: the run ended before it", 0, 0, "new_claim", "Q1$b")
    assert told(NEW, row(1, "written")) == ("written", "reason 1", 1, 11, "new_claim", "Q1$b")
    assert told(NEW, row(1, "failed")) == ("failed", "reason 1", 1, 11, "new_claim", "Q1$b")
    begun = "begun and not known to be done: the next run looks first"
    assert told(NEW, row(1, "pending")) == ("failed", begun, 1, 11, "new_claim", "Q1$b")
    parts = part(1, "written"), part(2, "written", B)
    assert told(NEW, *parts) == ("written", "reason 1", 1, 11, "source_only", "Q1$c")


def test_an_edited_formula_is_told_with_who_edited_it() -> None:
    edited = replace(NEW, edited_from="p=m v")
    assert NEW.edit_note is None
    assert str(edited.edit_note) == "edited by Ada from p=m v to p=mv"
    assert edited.edit_note is not None
    assert sentence(edited.edit_note, "de") == "von Ada geändert von p=m v zu p=mv"
    assert str(replace(SOURCE, edited_from="x").edit_note) == "edited by Ada from x to E=mc^2"
    why = {"reason": "why", "message": to_json(uncoded_message("why"))}
    assert str(outcome.outcome_remark(edited, why)) == f"{edited.edit_note}; why"
    assert outcome.outcome_remark(NEW, why) == uncoded_message("why")
    assert str(outcome.outcome_remark(NEW, {"reason": ""})) == ""


def test_a_plan_counts_what_it_sends() -> None:
    assert Plan("i", "w", "g", (NEW, SOURCE, THERE), ()).number_of_edits == 2


def test_an_entry_in_lines() -> None:
    sources = ["  +     source: P854 https://example.org/a", "  +     source: P854 https://example.org/b"]
    head = "Q1 momentum, revision 7: {}, approved by Ada"
    assert plan_report.diff_lines(NEW) == [head.format("new_claim"), "    E=mc^2 (normal)", "  + p=mv", *sources]
    lines = [head.format("add_reference"), "    E=mc^2 (normal)", "    E=mc^2, which gets", sources[0]]
    assert plan_report.diff_lines(SOURCE) == lines
    assert plan_report.diff_lines(replace(SOURCE, about=""))[2] == "    Q1$a, which gets"
    nothing = [head.format("already_there"), "    E=mc^2 (normal)", "    nothing: everything is already there"]
    assert plan_report.diff_lines(THERE) == nothing
    assert plan_report.diff_lines(replace(NEW, edited_from="x"))[1] == "    edited by Ada from x to p=mv"


def test_a_plan_is_printed_with_what_it_does_and_what_goes_back(capsys: pytest.CaptureFixture[str]) -> None:
    def printed(plan: Plan, as_json: bool = False) -> list[str]:
        plan_report.show_plan(plan, Message("takes.minutes", n=2), as_json)
        return capsys.readouterr().out.splitlines()

    plan = Plan("p1", "sandbox", "g1", (NEW, THERE), (("0123456789abc", Message("refused.redirect", qid="Q2")),))
    lines = printed(plan)
    assert lines[0] == "plan p1 for sandbox, edit group g1: nothing has been sent"
    assert lines[1:-3] == [*plan_report.diff_lines(NEW), *plan_report.diff_lines(THERE)]
    assert lines[-3] == "back to review: 0123456789: Q2 is a redirect now"
    assert lines[-2] == f"if somebody else adds one of these formulas first: {OTHERWISE}"
    end = "1 back to review; about 2 minutes; `--live --plan p1` sends this plan"
    assert lines[-1] == f"2 edits planned (1 of them already there), {end}"
    alone = printed(replace(plan, entries=(replace(NEW, otherwise=()),)))
    assert alone[-2].startswith("back to review")
    assert alone[-1] == f"1 edit planned, {end}"
    empty = replace(plan, entries=(), refused=())
    assert printed(empty) == ["nothing to plan: there is nothing approved that is not yet written"]
    told = json.loads(printed(empty, True)[0])
    assert (told["id"], told["estimate"], told["entries"]) == ("p1", "about 2 minutes", [])


def test_what_an_entry_adds_in_one_line() -> None:
    assert str(plan_report.addition_line(NEW)) == "p=mv"
    assert str(plan_report.addition_line(SOURCE)) == "a source for Q1$a: P854"
    snaks = (("P248", "wikibase-item", "Q42"), ("P813", "time", "+2026-11-20T00:00:00Z"))
    dated = replace(SOURCE, payload=payload.reference(Reference(snaks)))
    assert plan_report.diff_lines(dated)[-1] == "  +     source: P248 Q42, P813 2026-11-20"
    named = payload.reference(Reference((("P356", "external-id", "10.1/X"), ("P1476", "monolingualtext", "de:Titel"))))
    assert plan_report.diff_lines(replace(NEW, payload=CLAIM | {"references": [named]}))[-1] == (
        "  +     source: P356 10.1/X, P1476 Titel"
    )


def texts(page: str) -> list[str]:
    """Return the texts of a page in order, without its formulas and styles."""
    body = html.fromstring(page).find("body")
    assert body is not None
    found = body.xpath(".//text()[not(ancestor::*[local-name()='math'])]")
    return [text.strip() for text in found if text.strip()]


def test_the_page_of_a_plan_counts_its_edits_and_escapes_what_it_shows() -> None:
    entry = replace(NEW, label="<b>momentum</b>", edited_from="p=m v", otherwise=(A,), otherwise_summary="the sources")
    plan = Plan("p1", "w<iki", "g", (entry,), (("0123456789abc", uncoded_message("why & how")),))
    values: dict[str, Any] = {
        "takes": Message("takes.minutes", n=2),
        "names": {"P854": Message("property.reference_url")},
        "otherwise": Message("write.otherwise"),
    }
    one = texts(plan_report.load_template("plan.html", plan=plan, count=Message("write.edits", n=1), **values))
    assert one[:3] == ["Plan", "p1", "1 edit on w<iki, edit group"]
    assert one[5:7] == ["<b>momentum</b>", "Q1 · new claim · approved by Ada"]
    assert one[7:12] == ["before, revision 7", "E=mc^2 (normal)", "after", "E=mc^2 (normal)", "reference URL"]
    assert "edited by Ada from p=m v to p=mv" in one
    assert one[-3:] == ["Back to review", "0123456789", "why & how"]
    none = texts(
        plan_report.load_template(
            "plan.html", plan=replace(plan, entries=()), count=Message("write.edits", n=0), **values
        )
    )
    assert "0 edits on w<iki, edit group" in none
    assert "Nothing is approved and unwritten." in none


def test_the_page_of_a_plan_shows_what_a_statement_gains() -> None:
    def of(entry: PlanEntry) -> str:
        plan = Plan("p1", "wiki", "g", (entry,), ())
        values = {
            "takes": Message("takes.nothing"),
            "names": {},
            "otherwise": Message("write.otherwise"),
            "count": Message("write.edits", n=1),
        }
        return plan_report.load_template("plan.html", plan=plan, **values)

    assert of(SOURCE).count('<div class="new">') == of(replace(SOURCE, about="p=mv")).count('<div class="new">') == 1
    assert "</code><div" in of(SOURCE)  # inside the statement that gets it
    assert "</ul><div" in of(replace(SOURCE, about="p=mv"))  # below the others: the statement is not among those shown
    assert "nothing is added: all of it is there" in of(THERE)
    assert '<div class="new">' not in of(THERE)
    assert "no such statement" in of(replace(NEW, standing=()))
    assert mathml("f (x) = y") in of(replace(NEW, standing=("f (x) = y (preferred)",)))  # its rank is the last bracket


def test_the_page_of_an_outcome() -> None:
    told = [
        outcome._outcome_row(NEW, [row(1, "written")]),
        outcome._outcome_row(SOURCE, []),
        outcome._outcome_row(THERE, []),
    ]
    told[2]["outcome"] = "already_there"
    values = {"plan": Plan("p1", "wiki", "g", (), ()), "counts": {"already_there": 1}}
    rows = [(e, one, outcome.outcome_remark(e, one)) for e, one in zip((NEW, SOURCE, THERE), told, strict=True)]
    page = plan_report.load_template("outcome.html", rows=rows, stopped=uncoded_message("a <stop> page"), **values)
    said = texts(page)
    assert said[:7] == [
        "Outcome of plan",
        "p1",
        "on wiki",
        "The run was stopped: a <stop> page",
        "already there",
        "1",
        said[6],
    ]
    assert said[12:17] == ["momentum", "Q1", "written", "reason 1", "11"]
    assert said[17:22] == ["momentum", "Q1", "failed", "a source for", "not sent: the run ended before it"]
    assert said[22:26] == ["momentum", "Q1", "already there", "there already:"]
    assert "The run was stopped" not in plan_report.load_template("outcome.html", rows=rows, stopped=None, **values)
    german = plan_report.load_template("outcome.html", "de", rows=rows, stopped=None, **values)
    assert '<html lang="de">' in german
    assert texts(german)[3:5] == ["schon da", "1"]
    assert {"geschrieben", "gescheitert", "nicht gesendet: Der Lauf endete vorher", "Version"} <= set(texts(german))


@pytest.mark.parametrize("width", [400, 800, 1280])
def test_a_long_label_pushes_neither_outcome_nor_reason_off_the_page(browser: Browser, width: int) -> None:
    one = outcome._outcome_row(
        replace(NEW, label="Newton's second law of motion for a constant mass that does not move fast"),
        [row(1, "failed", reason="the wiki asks to wait since its replicas are behind")],
    )
    values = {"plan": Plan("p1", "wiki", "g", (), ()), "counts": {}, "stopped": None}
    rows = [(NEW, one, outcome.outcome_remark(NEW, one))]
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(plan_report.load_template("outcome.html", rows=rows, **values))
    assert page.evaluate("(e => e.scrollWidth - e.clientWidth)(document.querySelector('.wide'))") == 0
