"""Packets out and in, and the approved in the forms of other tools. A download changes nothing."""

import tempfile
from functools import partial
from pathlib import Path

from flask import Blueprint, Response, abort, flash, g, render_template, request
from markupsafe import Markup

from bot.errors import BotError
from bot.review.exports import FORMATS, export
from bot.review.packet import export_packet, import_packet
from bot.review.queue import STATES
from bot.review.web.pages_proposal import complete_decision_now
from bot.review.web.review_context import context
from bot.review.web.signin import Page, redirect_to
from bot.review.web.translation import language, message_markup, translate

packets = Blueprint("packets", __name__)
_TYPES = {"html": "text/html", "csv": "text/csv", "txt": "text/plain", "ttl": "text/turtle"}


@packets.get("/packets")
def page() -> Page:
    """Offer packets and exports."""
    return render_template("packets.html", states=[s for s in STATES if s != "written"], formats=FORMATS)


@packets.get("/packets/out.<suffix>")
def out(suffix: str) -> Page:
    """Return a packet of the proposals in one state."""
    state = request.args.get("state", "open")
    if suffix not in ("html", "csv") or state not in STATES:
        abort(404)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"packet.{suffix}"
        export_packet(context.workspace, path, context.settings, state=state, language=language())
        return _download(path.read_text(encoding="utf-8"), f"packet.{suffix}", suffix)


@packets.get("/packets/for/<form>")
def exported(form: str) -> Page:
    """Return what is approved in another tool's form."""
    if form not in FORMATS:
        abort(404)
    return _download(export(context.workspace, context.settings, form), f"{form}.{FORMATS[form]}", FORMATS[form])


@packets.post("/packets")
def back() -> Page:
    """Read a filled packet in, in the name of whoever is signed in."""
    upload = request.files.get("file")
    suffix = Path(upload.filename or "").suffix if upload else ""
    if upload is None or suffix not in (".csv", ".jsonl"):
        flash(translate("packet_file"), "error")
        return redirect_to("packets.page")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"packet{suffix}"
        upload.save(path)
        try:
            done = import_packet(context.workspace, path, g.who, partial(complete_decision_now, wrong_on_purpose=False))
        except BotError as error:
            flash(message_markup(error.message_without(str(path))), "error")  # the copy's place tells nobody anything
            return redirect_to("packets.page")
    context.index.refresh()
    flash(
        translate(
            "packet_done", recorded=done.recorded, known=done.known_already, empty=done.empty, refused=len(done.refused)
        ),
        "done",
    )
    for proposal, why in done.refused[:20]:
        flash(Markup("{}: {}").format(proposal[:16], message_markup(why)), "error")
    return redirect_to("packets.page")


def _download(text: str, name: str, suffix: str) -> Response:
    # A packet carries its own script and is never shown by this server: it is a file to keep.
    response = Response(text, mimetype=_TYPES[suffix])
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["Content-Security-Policy"] = "sandbox; default-src 'none'"
    return response
