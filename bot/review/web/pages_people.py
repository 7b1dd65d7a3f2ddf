"""Who may decide: the allow-list with roles, for operators."""

import dataclasses

from flask import Blueprint, abort, flash, g, render_template, request

from bot.errors import ReviewError
from bot.messages import Message
from bot.review.people import SCRIPTED_ROLE, add_reviewer, remove_reviewer, reviewers
from bot.review.queue_rules import PEOPLE
from bot.review.web.review_context import context
from bot.review.web.signin import Page, redirect_to
from bot.review.web.translation import error_text, translate

people = Blueprint("people", __name__)


@people.get("/people")
def page() -> Page:
    """List people and the rules of the queue."""
    _operators_only()
    rules = {name: value for name, value in dataclasses.asdict(context.rules).items() if name not in PEOPLE}
    return render_template("people.html", people=reviewers(context.workspace), rules=rules)


@people.post("/people")
def add() -> Page:
    """Make a person known, change a role, or take somebody off the list. A scripted reviewer is never made on the page."""
    _operators_only()
    if removed := request.form.get("remove", ""):
        return _remove(removed)
    name, role = request.form.get("name", "").strip(), request.form.get("role", "reviewer")
    try:
        if SCRIPTED_ROLE in (role, reviewers(context.workspace).get(name)):
            raise ReviewError("script", where=name)
        flash(translate("person_added", name=add_reviewer(context.workspace, name, role)), "done")
    except ReviewError as error:
        flash(error_text(error), "error")
    return redirect_to("people.page")


def _remove(name: str) -> Page:
    try:
        if name == g.who:
            raise ReviewError("own_removal", where=name)
        remove_reviewer(context.workspace, name)
        flash(translate("person_removed", name=name), "done")
    except ReviewError as error:
        flash(error_text(error), "error")
    return redirect_to("people.page")


def _operators_only() -> None:
    if context.role() != "operator":
        abort(403, Message("error.operators"))
