"""Formulas without a likely item: a person picks one of those that matching found or one by its name, or says that none fits."""

from flask import Blueprint, abort, flash, g, render_template, request
from markupsafe import Markup

from bot.errors import BotError, ReviewError
from bot.formula import mathml
from bot.lookup import Client
from bot.messages import Message
from bot.propose.cards import item_url
from bot.review import answers
from bot.review.answers import labels_of
from bot.review.web.queue_filters import whole_number
from bot.review.web.review_context import context
from bot.review.web.signin import Page, redirect_to
from bot.review.web.translation import error_text, translate
from bot.review.web.views import passages_of

formulas = Blueprint("formulas", __name__)
PAGE = 50
MAX_SENTENCES = 4  # sentences
MAX_ITEMS_OFFERED = 12  # items of the wiki that are offered
NAMES = 3  # of a formula, by which items are looked for before anybody asks
FEW = 6  # of these items that are shown
FORMULAS = 2  # of an item that is offered


@formulas.get("/formulas")
def page() -> Page:
    """List formulas that wait for an item, in the order of FormulaRank."""
    after = whole_number(request.args.get("after", ""), 0)
    threshold = context.settings.proposing.propose_from
    rows = answers.concepts_without_item(context.workspace, threshold, after, PAGE)
    return render_template(
        "formulas.html",
        rows=[{**row, "drawn": Markup(mathml(row["tex"]))} for row in rows],
        total=answers.number_without_item(context.workspace, threshold),
        more=after + PAGE if len(rows) == PAGE else 0,
    )


@formulas.get("/formulas/<key>")
def concept(key: str) -> Page:
    """Show a formula with the sentences it stands in, its names, the items that matching found, and items found by a name."""
    try:
        row = answers.find_concept(context.workspace, key)
    except ReviewError:
        abort(404, Message("error.no_formula"))
    key = row["key"]
    names = [n["name"] for n in row["names"]]
    query = request.args.get("q")
    search_text = (names[0] if names else "") if query is None else query[:190]
    if request.args.get("wiki") and search_text.strip():
        found = _on_the_wiki(search_text)
    else:
        item_labels = context.facets.get("labels", lambda: answers.item_names(context.workspace))
        found = (
            answers.items_with_similar_name(item_labels, search_text)
            if query is not None
            else answers.items_with_similar_name(item_labels, *names[:NAMES], limit=FEW)
        )
    candidates = answers.suggested_items(context.workspace, key, context.wiki.properties.defining_formula)
    listed = {each.qid for each in candidates}
    return render_template(
        "formula.html",
        row=row,
        seen=answers.content_digest(row),
        candidates=[
            (each, [Markup(mathml(tex)) for tex in each.formulas[:FORMULAS]], item_url(context.wiki, each.qid))
            for each in candidates
        ],
        drawn=Markup(mathml(row["tex"], display=True)),
        spellings=[(Markup(mathml(r["tex"])), r["occurrences"]) for r in row["representations"][:8]],
        names=names[:8],
        quotes=passages_of(context.workspace, [tuple(place) for place in row["places"][:MAX_SENTENCES]]),
        asked=search_text,
        can_ask=not context.wiki.sandbox,
        found=[
            (qid, label, description, item_url(context.wiki, qid))
            for qid, label, description in found
            if qid not in listed
        ],
        last=answers.last_answer(context.workspace, key),
    )


@formulas.post("/formulas/<key>")
def answer(key: str) -> Page:
    """Keep an answer and go on to the next formula."""
    form = request.form
    chosen = form.get("answer", "")
    qid = (form.get("qid") or "").strip().upper()
    if form.get("pick"):
        chosen, qid = "item", form["pick"]
    try:
        answers.record_answer(
            context.workspace,
            key,
            chosen,
            g.who,
            qid if chosen == "item" else "",
            form.get("seen", ""),
            read=context.read_item,
        )
    except BotError as error:
        flash(error_text(error), "error")
        return redirect_to("formulas.concept", key=key)
    label = labels_of(context.workspace, [qid]).get(qid, qid) if qid else ""
    flash(translate(f"answered_{chosen}", label=label), "done")
    threshold = context.settings.proposing.propose_from
    if chosen == "withdraw":
        return redirect_to("formulas.concept", key=key)
    following = answers.concepts_without_item(context.workspace, threshold, 0, 1)
    return redirect_to("formulas.concept", key=following[0]["key"]) if following else redirect_to("formulas.page")


def _on_the_wiki(name: str) -> list[tuple[str, str, str]]:
    """Return the items that carry a name, or a usual spelling of it, on the configured wiki as it is now; it is only read."""
    try:
        with Client(context.wiki, context.settings.agent) as client:
            qids = client.items_by_label([name])[name][:MAX_ITEMS_OFFERED]
            items = client.entities(qids) if qids else {}
    except BotError as error:
        flash(error_text(error), "error")
        return []
    return [(qid, i.label or qid, i.description) for qid, i in items.items() if not (i.missing or i.redirect)]
