"""Item pages of the wiki: what waits on an item as the script there shows it, and the window that connects it to a signed-in person.

The script is `bot/review/gadget.js`. It gets a token by postMessage to the wiki's own origin, and no cookie of this server.
"""

from flask import Blueprint, abort, current_app, g, redirect, render_template, request, session, url_for

from bot.formula import mathml
from bot.messages import Message, sentence, uncoded_message
from bot.propose.cards import Snak, property_names, with_escapes
from bot.records import Check
from bot.review.proposal_answers import possible_answers
from bot.review.queue import find
from bot.review.web.api_schema import ItemPageProposal, ShownPiece, ShownQuote, ShownSnak
from bot.review.web.queue_index import QueueEntry
from bot.review.web.review_context import context
from bot.review.web.signin import Page
from bot.review.web.translation import language, name_in_language
from bot.review.web.views import proposal_view
from bot.store import now

item_page = Blueprint("item_page", __name__)
_QUOTES = 3  # of a proposal; the others are on its card


@item_page.route("/connect", methods=["GET", "POST"])
def connect() -> Page:
    """Give the item page that opened this window a token of the person who is signed in, once the person agreed in this session."""
    if not context.wiki.origin:
        abort(404, Message("error.rehearsal_page"))
    if not g.who:
        if "wiki_oauth" in current_app.extensions:
            return redirect(url_for("signin.start", connect=1), 303)
        return render_template("connect.html", origin=context.wiki.origin, token="")
    if request.method == "POST":
        session["connected"] = True
    token = context.connected.new_token(str(session["sid"])) if session.get("connected") else ""
    return render_template("connect.html", origin=context.wiki.origin, token=token)


def of_item_page(row: QueueEntry) -> ItemPageProposal:
    """Return a proposal of the queue as an item page shows it, to `g.who`, or without a person."""
    found = find(context.workspace, row.id)
    prepared = proposal_view(context.workspace, context.wiki, found)
    card = prepared.card
    names = property_names(context.wiki.properties)
    open_checks = (*card.failed, *(check for check, _, _ in card.open_checks))
    leased_by = row.lease if g.who and row.lease != g.who and row.until > now() else ""
    return ItemPageProposal(
        id=found.id,
        hash=found.hash,
        kind=found.kind,
        property=found.property,
        property_name=_plain_sentence(names.get(found.property, uncoded_message(found.property))),
        statement=found.statement,
        tex=_plain(found.tex),
        drawn=card.formula.drawn,
        percent=card.percent,
        second=bool(found.beside),
        warnings=[_warning(check) for check in open_checks],
        quotes=[
            ShownQuote(_plain(each.title), each.link, [ShownPiece(kind, _plain(text)) for kind, text in each.pieces])
            for each in card.sources[:_QUOTES]
        ],
        references=[[_snak(snak) for snak in reference] for reference in card.references],
        answers=list(possible_answers(found, prepared.item, context.wiki.properties))
        if g.who and not leased_by
        else [],
        looked_at_by=_plain(leased_by),
        address=url_for("proposals.page", proposal=found.id),
        decided=row.decided,
    )


def _snak(snak: Snak) -> ShownSnak:
    return ShownSnak(_plain_sentence(snak.name), _plain(snak.value), snak.link)


def _warning(check: Check) -> list[ShownPiece]:
    """Return what a check that did not pass says, its formulas drawn."""
    warning = sentence(
        check.detail, language(), lambda name, text: f"\0{mathml(text)}\0" if name == "tex" else _plain(text)
    )
    pieces = f"{name_in_language('checkname', check.name).striptags()}: {warning}".split("\0")
    return [ShownPiece("formula" if n % 2 else "text", piece) for n, piece in enumerate(pieces) if piece]


def _plain_sentence(message: Message) -> str:
    return sentence(message, language(), lambda _, text: _plain(text))


def _plain(text: str) -> str:
    """Return text with hidden characters shown; MathML of ours is returned as it is."""
    return str(with_escapes(text))
