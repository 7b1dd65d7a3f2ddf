"""The queue: a list that can be filtered and sorted, with progress; several green ones approved at once; items."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import Blueprint, abort, flash, g, render_template, request, session
from markupsafe import Markup
from msgspec.structs import asdict
from msgspec.structs import replace as msgspec_replace

from bot.errors import BotError, ReviewError
from bot.formula import mathml
from bot.messages.glossary import QUESTIONS, TERMS
from bot.propose.cards import KINDS, expected_of_100, item_url, percent
from bot.propose.proposal_context import KIND_LABELS
from bot.records import Decision
from bot.review.answers import labels_of
from bot.review.outcomes import personal_outcome
from bot.review.proposal_answers import stored_item
from bot.review.proposal_state import State, state_on_day, today
from bot.review.queue import STATES
from bot.review.topics import ask_again, remove_topic, save_topic, topics_of_person
from bot.review.web import queue_selection
from bot.review.web.queue_filters import ORDERS, Filter, filter_of, whole_number
from bot.review.web.queue_index import QueueEntry
from bot.review.web.queue_selection import PAGE
from bot.review.web.recording import record_decision, withdraw
from bot.review.web.review_context import context
from bot.review.web.signin import Page, redirect_to
from bot.review.web.translation import error_text, translate
from bot.review.web.views import statements_of
from bot.wikibase import is_item_id

queue = Blueprint("queue", __name__)
SESSION = 20  # decisions of a short session
FIELDS = 12  # that the page of topics offers
FEW = 5  # rows in other states that are shown where a filter finds none in its own


@queue.get("/")
def page() -> Page:
    """Show the queue through a filter."""
    view = Filter.read(request.args)
    after = request.args.get("after", "")
    found = queue_selection.rows(context.workspace, view, g.who, after)
    return render_template(
        "queue.html",
        chosen=view,
        rows=[shown_row(row) for row in found],
        total=_total(view, found, after),
        more=found[-1].id if len(found) == PAGE else "",
        after=after,
        states=STATES,
        orders=tuple(ORDERS),
        kinds=KINDS,
        elsewhere=_other_states(view, after, bool(found)),
        choices=context.counted("choices", _choices),
        progress=progress(),
        session_size=SESSION,
        counts=[(name, number) for name, number in _counts().items() if number],
    )


@queue.get("/topics")
def topics() -> Page:
    """Show this person's topics with what waits in each, and what is ready-made."""
    own = [
        (each, msgspec_replace(filter_of(each.query), topic=each.id))
        for each in topics_of_person(context.workspace, g.who)
    ]
    ready = [
        ("easy", Filter(low=90, green="1")),
        ("hard", Filter(high=80, order="learn")),
        ("flagged", Filter(state="flagged")),
        ("unsure", Filter(state="unsure")),
    ]
    return render_template(
        "topics.html",
        own=[(each, view, _waiting(view)) for each, view in own],
        ready=[(name, view, _waiting(view)) for name, view in ready],
        asked=Filter.read(request.args),
        queries=context.rules.sparql_topics,
        fields=[(label, view, _waiting(view)) for label, view in _fields()],
    )


@queue.post("/topics")
def change_topics() -> Page:
    """Keep a topic, ask its query again, or forget it."""
    form = request.form
    try:
        if form.get("remove"):
            remove_topic(context.workspace, g.who, form["remove"])
        else:
            if form.get("again"):
                topic = ask_again(context.workspace, g.who, form["again"], context.ask_items)
            else:
                name, items, sparql = (form.get(name, "") for name in ("name", "items", "sparql"))
                topic = save_topic(
                    context.workspace, g.who, name, view_of(form).query(), items, sparql, context.ask_items
                )
            flash(translate("topic_kept", name=topic.name, n=len(topic.items)), "done")
    except BotError as error:  # the query may have failed, too: then the items stay as they are
        flash(error_text(error), "error")
    return redirect_to("queue.topics")


@queue.post("/session")
def begin_session() -> Page:
    """Begin a short session: after a number of decisions it ends with the outcomes of earlier ones."""
    view = view_of(request.form)
    session["until"] = int(session.get("count", 0)) + SESSION
    return redirect_to("queue.following", view.query())


@queue.get("/session")
def end_session() -> Page:
    """Show how far others agreed with this person, and the outcomes of earlier decisions."""
    session.pop("until", None)
    outcome, done = personal_outcome(context.workspace, g.who), int(session.get("count", 0))
    return render_template("session.html", o=outcome, done=done, chosen=Filter.read(request.args), size=SESSION)


def session_is_over() -> bool:
    """Say whether as much is decided as a short session has."""
    return "until" in session and int(session.get("count", 0)) >= int(session["until"])


@queue.get("/next")
def following() -> Page:
    """Go to the next proposal of a filter, or the one before."""
    view = Filter.read(request.args)
    back, left = request.args.get("back") == "1", request.args.get("after", "")
    if left:
        queue_selection.release(context.workspace, left, g.who)  # a person who skips a proposal leaves it to others
    context.lease_to_reviewer()
    if session_is_over():
        return redirect_to("queue.end_session", view.query())
    found = context.next(view, left, back=back)
    if not found:
        return render_template("end.html", chosen=view, after=left, back=back, progress=progress())
    return redirect_to("proposals.page", view.query(), proposal=found)


@queue.post("/batch")
def batch() -> Page:
    """Approve several at once: only where every check is green, each as it was shown."""
    done, refused = [], []
    view = view_of(request.form)
    for entry in request.form.getlist("chosen")[:PAGE]:
        id_, _, rest = entry.partition(":")
        hash_, _, decision_count = rest.partition(":")
        row = queue_selection.row_of(context.workspace, id_)
        try:
            if row is None or not row.green:
                raise ReviewError("not_green", where=id_[:16])
            if row.kind == "new_claim" and queue_selection.other_formulas_of_item(
                context.workspace, id_, row.qid, g.who
            ):
                raise ReviewError("beside_another", where=id_[:16])
            decision = Decision(id_, hash_, "approve", reviewer=g.who)
            record_decision(context.workspace, context.index, decision, whole_number(decision_count, -1))
            done.append(id_)
        except ReviewError as error:
            refused.append(error_text(error))
    if done:
        context.remember(done, len(done))
    now_ = [queue_selection.row_of(context.workspace, id_) for id_ in done]
    waiting = sum(row is not None and row.state is State.SECOND for row in now_)
    flash(translate("approved_n", n=len(done)), "done")
    if waiting:
        flash(translate("wait_for_second_n", n=waiting), "done")
    for line in refused:
        flash(line, "error")
    return redirect_to("queue.page", view.query())


@queue.post("/undo")
def undo() -> Page:
    """Take back the last decision, or the last batch, and go back to it."""
    view, done = view_of(request.form), list(session.get("done", []))
    if not done:
        flash(translate("nothing_to_undo"), "error")
        return redirect_to("queue.page", view.query())
    last = done.pop()
    session["done"] = done
    withdrawn = []
    for id_ in last:
        try:
            withdraw(context.workspace, context.index, id_, g.who)
            withdrawn.append(id_)
        except ReviewError as error:
            flash(error_text(error), "error")
    if withdrawn:
        flash(translate("undone_n", n=len(withdrawn)), "done")
    # The others are their symbols
    listed = [id_ for id_ in last if queue_selection.row_of(context.workspace, id_) is not None]
    session["count"] = max(0, int(session.get("count", 0)) - sum(id_ in withdrawn for id_ in listed))
    if len(listed) < 2:
        return redirect_to("proposals.page", view.query(), proposal=last[0])
    return redirect_to("queue.page", view.query())


@queue.get("/item/<qid>")
def item(qid: str) -> Page:
    """Show an item as the wiki does: label, description, statements with rank and references, proposals under them."""
    if not is_item_id(qid):
        abort(404)
    found = stored_item(context.workspace, qid)
    view = Filter(state="all", q=qid)
    return render_template(
        "item.html",
        item=found,
        statements=statements_of(found, context.wiki),
        classes=labels_of(context.workspace, found.classes),
        link=item_url(context.wiki, qid),
        rows=[shown_row(row) for row in queue_selection.rows(context.workspace, view, g.who)],
        chosen=view,
        view=Filter.read(request.args),
    )


@queue.get("/help")
def help() -> Page:
    """Explain decisions and keys."""
    return render_template("help.html", terms=TERMS, questions=QUESTIONS)


def _total(view: Filter, found: list[QueueEntry], after: str) -> int | str | None:
    """Return how many rows there are, `500+` where a search finds many, or None where the page says it already."""
    if not after and len(found) < PAGE:
        return len(found)
    if not view.narrowed and view.state != "open":
        return None
    total = _waiting(view)
    return f"{queue_selection.MAX_COUNTED}+" if view.words and total > queue_selection.MAX_COUNTED else total


@dataclass(frozen=True, slots=True)
class OtherStates:
    """What a filter finds in other states: numbers by state, and the rows where they are few; `wider` without its other conditions."""

    numbers: dict[str, int]
    rows: list[ShownRow]
    chosen: Filter
    wider: bool


def _other_states(view: Filter, after: str, found: bool) -> OtherStates | None:
    if after or not view.narrowed:
        return None
    numbers, searched = queue_selection.counts_in_other_states(context.workspace, view, g.who), view
    if not (found or numbers) and view.q.strip() and (only := Filter(state=view.state, q=view.q)) != view:
        searched = only
        numbers = queue_selection.counts_in_other_states(context.workspace, only.in_state("all"), g.who)
    if not numbers:
        return None
    few = [] if found else queue_selection.rows(context.workspace, searched.in_state("all"), g.who, limit=FEW)
    return OtherStates(numbers, [shown_row(row) for row in few], searched, searched != view)


def view_of(form: Mapping[str, str]) -> Filter:
    """Return the filter that a form carries with it."""
    return filter_of(form.get("view", ""))


def _waiting(view: Filter) -> int:
    return context.counted(("count", g.who, view), lambda: queue_selection.count(context.workspace, view, g.who))


class ShownRow(QueueEntry, frozen=True, kw_only=True):
    """An entry of the queue as `g.who` may see it, with its formula drawn."""

    drawn: Markup
    percent: int

    @property
    def of_100(self) -> int:
        """Return how many of 100 like it were accepted."""
        return expected_of_100(self.percent)


def shown_row(row: QueueEntry) -> ShownRow:
    """Return an entry of the queue with its formula drawn; from who decides second, the first decision stays hidden."""
    blind = row.first_decider and row.first_decider != g.who
    state = state_on_day(row.state, row.expires, today())
    state = State.OPEN if blind and state in (State.APPROVED, State.REJECTED) else state
    values = {**asdict(row), "state": state, "reviewer": "" if blind else row.reviewer}
    return ShownRow(**values, drawn=Markup(mathml(row.tex)), percent=percent(row.probability))


def progress() -> dict[str, int]:
    """Return how far the queue is, and how much this person has done in this session."""
    found = context.states() if g.who else {}
    done = sum(found.get(name, 0) for name in ("approved", "rejected", "written"))
    total = sum(found.values()) - found.get("flagged", 0)
    share = int(100 * done / total) if total else 0
    return {"done": done, "total": total, "mine": int(session.get("count", 0)), "percent": share}


def _counts() -> dict[str, int]:
    found = context.states()
    return {name: found.get(name, 0) for name in STATES if name != "all"}


def _fields() -> list[tuple[str, Filter]]:
    """Return the most frequent fields of items, by their label, each as a filter."""
    found = context.counted("choices", _choices)["field"][:FIELDS]
    return [(label, Filter(field=value)) for value, _, label in found]


def _choices() -> dict[str, list[tuple[str, int, str]]]:
    found = queue_selection.filter_choices(context.workspace)
    kinds = [value for name in ("field", "class") for value, _ in found[name]]
    labels = {**context.workspace.get(KIND_LABELS, {}), **labels_of(context.workspace, kinds)}
    return {
        name: [(value, number, labels.get(value, value)) for value, number in values] for name, values in found.items()
    }
