"""The page of one proposal, and the decision on it."""

import sqlalchemy as sa
from flask import Blueprint, abort, flash, g, render_template, request
from markupsafe import Markup

from bot import store
from bot.errors import BotError, ReviewError, UnconfirmedEdit
from bot.formula import mathml
from bot.messages import Message
from bot.propose.cards import shown_pieces
from bot.propose.stored_proposals import proposal_from_record
from bot.records import Decision, Proposal
from bot.review.decide import REASONS
from bot.review.named_source import name_source
from bot.review.proposal_answers import OtherItem, complete_decision, possible_answers
from bot.review.proposal_state import State, decision_of
from bot.review.queue import find
from bot.review.symbols_shown import proposed_symbols, readers_view
from bot.review.web import control_questions, queue_selection
from bot.review.web.pages_queue import progress, session_is_over, view_of
from bot.review.web.queue_filters import Filter, whole_number
from bot.review.web.queue_index import QueueEntry
from bot.review.web.recording import record_decision, reference_verdicts
from bot.review.web.review_context import context
from bot.review.web.signin import Page, redirect_to
from bot.review.web.translation import error_text, translate
from bot.review.web.views import edit_preview as preview_of
from bot.review.web.views import passages_of, proposal_view
from bot.store import Row, now

SOURCE = 10_000  # characters of a source that is named, such as a BibTeX entry
proposals = Blueprint("proposals", __name__)


@proposals.get("/p/<proposal>")
def page(proposal: str) -> Page:
    """Show a proposal with all that is needed to decide on it."""
    return _page(proposal, Filter.read(request.args))


def _page(id_: str, view: Filter, *, tex: str = "", confirm: bool = False, code: int = 200) -> Page:
    found, row = _found(id_)
    whole = found.claim if found.kind == "symbol" else found.id
    if whole != id_:  # a symbol is decided on with its formula; the address may be the beginning of an id
        return redirect_to("proposals.page", view.query(), proposal=whole)
    leased = True
    # A person who cannot decide does not block the proposal for others.
    if row.needs_review and row.first_decider != g.who and not _is_control_question(id_):
        leased = context.lease_to_reviewer(id_)
        row = queue_selection.row_of(context.workspace, id_) or row
    blind = bool(row.first_decider) and row.first_decider != g.who
    prepared = proposal_view(context.workspace, context.wiki, found)
    last = None if blind else _last(id_)
    proposed = () if _is_control_question(id_) else proposed_symbols(context.workspace, context.wiki, found)
    html = render_template(
        "proposal.html",
        s=prepared,
        answers=possible_answers(found, prepared.item, context.wiki.properties),
        statements=[
            (s, Markup(mathml(s.value)))
            for s in prepared.item.live_statements(context.wiki.properties.defining_formula)
        ],
        from_=_origin_of_reassigned(found),
        p=found,
        row=row,
        view=view,
        mine=leased,
        last=last,
        blind=blind,
        proposed=proposed,
        readers=readers_view(context.workspace, context.wiki, prepared.item, found, proposed),
        expired=found.expires < now()[:10],
        tex=tex or found.tex,
        preview=preview_of(found.tex, tex) if tex else None,
        confirm=confirm,
        beside=queue_selection.other_formulas_of_item(context.workspace, found.id, found.qid, g.who)
        if found.kind == "new_claim"
        else [],
        progress=progress(),
    )
    return html, code


@proposals.get("/p/<proposal>/source/<int:number>")
def source(proposal: str, number: int) -> Page:
    """Show the passage that a quote is from as the workspace keeps it, uncut, and which document it is."""
    found, row = _found(proposal)
    if not 1 <= number <= len(found.quotes):
        abort(404)
    quote = found.quotes[number - 1]
    stored = passages_of(context.workspace, [(quote.document, quote.position)])
    shown = proposal_view(context.workspace, context.wiki, found).card.sources[number - 1]
    pieces = stored[0][1] if stored else shown_pieces(quote)
    return render_template("passage.html", p=found, label=row.label or row.qid, source=shown, pieces=pieces)


@proposals.post("/p/<proposal>")
def decide(proposal: str) -> Page:
    """Record a decision and show the next proposal; an error is shown on the same page."""
    form = request.form
    view = view_of(form)
    found, row = _found(proposal)
    verdict, reason, tex = form.get("verdict", ""), form.get("reason", ""), form.get("tex", "").strip()
    if form.get("reject") in REASONS:
        verdict, reason = "reject", form["reject"]
    about, qid = "", (form.get("other" if verdict == "other" else "instead") or "").strip().upper()
    if form.get("close"):
        verdict, (reason, _, about) = "close", form["close"].partition(":")
    elif qid:
        verdict, reason, about = "reject", "wrong_item", qid
    if verdict == "preview":
        return _page(proposal, view, tex=tex)
    if verdict == "take_over":
        queue_selection.take_over(context.workspace, proposal, g.who, context.rules.lease_minutes)
        return redirect_to("proposals.page", view.query(), proposal=proposal)
    if verdict == "symbols":
        if done := _decide_on_symbols(found):
            context.remember(done, 0)
        return redirect_to("proposals.page", view.query(), proposal=proposal)
    if verdict == "source":
        return _name_source(found, form.get("source", "")[:SOURCE], form.get("hash", ""), view)
    edited = tex if verdict in ("approve_edited", "approve_changed") and tex != found.tex else ""
    # Another formula is confirmed as it was shown, with the references that are ticked for it.
    confirmed = verdict == "approve_changed" and form.get("confirmed") == tex
    try:
        if verdict == "approve" and tex and tex != found.tex:
            raise ReviewError(Message("error.edited"), where=proposal)
        control = control_questions.record_of(context.workspace, proposal)
        decision = Decision(
            proposal=proposal,
            hash=form.get("hash", ""),
            verdict="approve" if verdict in ("approve_edited", "approve_changed") else verdict,
            references=reference_verdicts(form.getlist("reference"), len(found.references))
            if verdict.startswith("approve")
            else (),
            reason=reason if verdict in ("reject", "close") else "",
            about=about,
            reviewer=g.who,
            tex=edited,
            edit_confirmed=bool(edited) and confirmed,
        )
        decision, other = complete_decision_now(found, decision, wrong_on_purpose=control is not None)
        if control is not None:
            _record_control_answer(control, decision, row)
        else:
            record_decision(context.workspace, context.index, decision, whole_number(form.get("words", ""), -1))
            along = _decide_on_symbols(found) if decision.verdict == "approve" else []
            if decision.verdict != "skip":
                context.remember([proposal, *along], 1)
            _flash_result(decision, queue_selection.row_of(context.workspace, proposal) or row)
            if other is not None:
                return _redirect_to_other_item(other, view, proposal)
    except UnconfirmedEdit:
        return _page(proposal, view, tex=tex, confirm=True, code=409)
    except BotError as error:
        flash(error_text(error), "error")
        return _page(proposal, view, tex=tex if tex != found.tex else "", confirm=bool(edited) and confirmed, code=409)
    if session_is_over():
        return redirect_to("queue.end_session", view.query())
    return _redirect_to_next(context.next(view, proposal), view, proposal)


def _redirect_to_next(following: str, view: Filter, after: str) -> Page:
    """Go to this proposal, or where there is none to the end of the queue."""
    if following:
        return redirect_to("proposals.page", view.query(), proposal=following)
    return redirect_to("queue.following", view.query(after=after))


def _decide_on_symbols(formula: Proposal) -> list[str]:
    """Record what the form says of each symbol of the formula, and return the ids of what was recorded; say what was not."""
    form, done = request.form, []
    for each in proposed_symbols(context.workspace, context.wiki, formula):
        id_ = each.proposal.id
        verdict = form.get(f"symbol:{id_}", "")
        if verdict not in ("approve", "reject"):
            continue
        hash_, _, decision_count = form.get(f"shown:{id_}", "").partition(":")
        reason = "wrong_item" if verdict == "reject" else ""
        decision = Decision(id_, hash_, verdict, reason=reason, reviewer=g.who)
        try:
            record_decision(context.workspace, context.index, decision, whole_number(decision_count, -1))
            done.append(id_)
        except ReviewError as error:
            flash(f"{each.proposal.tex}: {error_text(error)}", "error")
    if done:
        flash(translate("told_symbols_n", n=len(done)), "done")
    return done


def complete_decision_now(
    found: Proposal, decision: Decision, *, wrong_on_purpose: bool
) -> tuple[Decision, OtherItem | None]:
    """Return `complete_decision` of a decision by the wiki as it is now; of a proposal that is wrong on purpose no other item is wanted."""
    if wrong_on_purpose and decision.verdict != "close":
        return decision, None
    return complete_decision(context.workspace, context.settings, found, decision, context.read_item)


def enqueue_other_item(other: OtherItem) -> str:
    """Put the other item's proposal into the queue, and return its id; "" where there is nothing to decide on."""
    if placed := other.enqueue(context.workspace):
        context.index.refresh(now=True)
    return placed


def _redirect_to_other_item(other: OtherItem, view: Filter, after: str) -> Page:
    """Redirect to the other item's card; where there is nothing to decide, show a message and the next proposal."""
    if not (placed := enqueue_other_item(other)) and (why := other.reason_for_nothing):
        flash(translate("nothing_for_it", qid=other.qid, why=why), "done")
    return _redirect_to_next(placed, view, after)


def _name_source(found: Proposal, text: str, seen_hash: str, view: Filter) -> Page:
    """Give the proposal the source that the reviewer names, and show it again: the decision is made on what is shown then."""
    try:
        name_source(context.workspace, context.settings, found.id, seen_hash, text, g.who, context.client)
    except BotError as error:
        flash(error_text(error), "error")
        return _page(found.id, view, code=409)
    context.index.refresh(now=True)
    return redirect_to("proposals.page", view.query(), proposal=found.id)


@proposals.post("/leave")
def leave() -> Page:
    """Release a proposal whose page was closed. The session is unchanged: the next page may be loading."""
    queue_selection.release(context.workspace, request.form.get("proposal", ""), g.who)
    return "", 204


@proposals.post("/preview")
def preview() -> Page:
    """Draw an edited formula and say what the wiki would say."""
    found, _ = _found(request.form.get("proposal", ""))
    return render_template("preview.html", preview=preview_of(found.tex, request.form.get("tex", "").strip()))


def _found(id_: str) -> tuple[Proposal, QueueEntry]:
    try:
        found, row = with_row(id_)
    except ReviewError:
        abort(404, Message("error.no_proposal"))
    if row is None:
        context.index.refresh(now=True)
        row = queue_selection.row_of(context.workspace, found.id)
    if row is None:
        abort(404, Message("error.not_in_queue"))
    return found, row


def with_row(id_: str) -> tuple[Proposal, QueueEntry | None]:
    """Return a proposal with its row of the queue, None where it is in none yet; a control question looks like one. Raises ReviewError."""
    if (record := control_questions.record_of(context.workspace, id_)) is not None:
        return proposal_from_record(record), control_questions.row_of(context.workspace, record)
    found = find(context.workspace, id_)
    return found, queue_selection.row_of(context.workspace, found.id) or queue_selection.row_of_symbol(
        context.workspace, found
    )


def _is_control_question(id_: str) -> bool:
    return control_questions.record_of(context.workspace, id_) is not None


def _record_control_answer(record: Row, decision: Decision, row: QueueEntry) -> None:
    noticed = control_questions.record_answer(context.workspace, record, decision)
    if noticed is None:
        _flash_result(decision, row)
    else:
        flash(translate("known_wrong_noticed" if noticed else "known_wrong_missed"), "done" if noticed else "error")


def _origin_of_reassigned(found: Proposal) -> dict[str, str] | None:
    """Return who said that the formula belongs here, and the label of the item that it was proposed for."""
    decision = _last(found.instead_of) if found.instead_of else None
    if decision is None or decision.about != found.qid:
        return None
    before = queue_selection.row_of(context.workspace, found.instead_of)
    return {"name": decision.reviewer, "label": before.label or before.qid if before else ""}


def _last(id_: str) -> Decision | None:
    decisions = store.decisions
    query = sa.select(decisions).where(decisions.c.proposal == id_, decisions.c.verdict != "skip")
    rows = context.workspace.rows(query.order_by(decisions.c.n.desc()))
    return decision_of(rows[0]) if rows else None


def _flash_result(decision: Decision, row: QueueEntry) -> None:
    key = {
        "approve": "approved",
        "reject": "moved" if decision.about else "rejected",
        "close": decision.reason,
        "unsure": "put_aside",
        "skip": "skipped",
        "withdraw": "withdrawn",
    }
    outcome = key[decision.verdict]
    if outcome in ("approved", "rejected") and row.state in (State.SECOND, State.DISPUTED):
        outcome = f"{outcome}_{row.state}"
    flash(translate(f"told_{outcome}", label=row.label or row.qid, about=decision.about), "done")
