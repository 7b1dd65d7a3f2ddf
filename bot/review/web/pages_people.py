"""Who may decide: the allow-list with roles, for operators."""

from __future__ import annotations

import dataclasses

from flask import Blueprint, abort, flash, redirect, render_template, request, url_for

from bot.errors import ReviewError
from bot.review.people import add_reviewer, reviewers
from bot.review.web.desk import Desk, desk
from bot.review.web.signin import Page
from bot.review.web.words import translate

people = Blueprint("people", __name__)


@people.get("/people")
def page() -> Page:
    """List people and the rules of the queue."""
    here = _operators_only()
    return render_template("people.html", people=reviewers(here.workspace), rules=dataclasses.asdict(here.rules))


@people.post("/people")
def add() -> Page:
    """Make a person known, or change a role. A stand-in is a script's and is never made here."""
    here = _operators_only()
    name, role = request.form.get("name", "").strip(), request.form.get("role", "reviewer")
    try:
        if role == "stand-in" or reviewers(here.workspace).get(name) == "stand-in":
            raise ReviewError("is a script, not a person", where=name)
        flash(translate("person_added", name=add_reviewer(here.workspace, name, role)), "done")
    except ReviewError as error:
        flash(error.line(), "error")
    return redirect(url_for("people.page"), 303)


def _operators_only() -> Desk:
    here = desk()
    if here.role() != "operator":
        abort(403, "this page is for operators")
    return here
