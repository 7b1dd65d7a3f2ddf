"""`formula-bot review`: decisions on proposals, from the command line."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from bot.cli_common import (
    Command,
    CommandGroup,
    choice_option,
    in_workspace,
    json_option,
    known_language,
    language_option,
    number_option,
    open_wiki_and_client,
    print_rows,
    print_summary,
    text_option,
    workspace_option,
    write_output,
)
from bot.console import localised, print_message, table, write_json, write_lines
from bot.errors import AlreadyWritten, BotError, InputError, ReviewError, UnconfirmedEdit
from bot.messages import Message

if TYPE_CHECKING:
    import sqlalchemy as sa
    from _typeshed import DataclassInstance

    from bot.lookup import Client
    from bot.records import Decision, Item
    from bot.review.queue import QueueRow
    from bot.settings import Settings
    from bot.store import Workspace


@click.group(cls=CommandGroup)
def review() -> None:
    """Decide on proposals, as a person.

    Decisions are stored and never changed. Each holds for exactly the content that was shown: if a proposal changes, it
    needs a new decision. The guide is docs/reviewing.md.

    \b
    formula-bot review add-reviewer Ada --workspace w
    formula-bot review serve --workspace w
    formula-bot review list --workspace w
    formula-bot review approve 0df029c826 --workspace w
    formula-bot review reject d8da3a8eee --reason not_defining --workspace w
    """


@review.command("add-reviewer")
@click.argument("name")
@choice_option("--role", ("reviewer", "operator"), "An operator also settles disputes and sees the figures of all people and the list of people.")  # fmt: skip
@in_workspace
def review_add(opened: Workspace, settings: Settings, name: str, role: str) -> None:
    """Add a person to the reviewers of the workspace.

    Only reviewers on this list can decide. Adding a person again changes the role.
    """
    from bot.review import add_reviewer

    print_message("known_as", who=add_reviewer(opened, name, role), role=role)


@review.command("remove-reviewer")
@click.argument("name")
@in_workspace
def review_remove(opened: Workspace, settings: Settings, name: str) -> None:
    """Remove a person from the reviewers.

    The person can no longer decide; their sessions and tokens end. Their rejections stay; their approvals that are not
    written yet go back to review.
    """
    from bot.review import remove_reviewer

    remove_reviewer(opened, name)
    print_message("known_no_more", who=name)


@review.command("serve")
@number_option("--port", 8090, "Port to listen on; 0: any free port.", least=0, most=65535)
@text_option("--reviewer", "NAME", "Who decides; default: the page asks.")
@text_option("--public", "URL", "Serve a shared page at this URL, with sign-in through the wiki.")
@text_option("--host", "IP", "With --public: the address to listen on.", default="127.0.0.1", show_default=True)
@in_workspace
def review_serve(opened: Workspace, settings: Settings, **options: Any) -> None:
    """Serve the review page until Ctrl-C.

    It listens on this machine only and prints an address that works once. With --public, people sign in through the wiki
    (see docs/reviewing.md). The page never writes to a wiki.
    """
    from bot.review.web import serve

    serve(opened, settings, say=click.echo, open_client=partial(opened_client, opened, settings), **options)


@contextmanager
def opened_client(workspace: Workspace, settings: Settings) -> Iterator[Client]:
    """Open the wiki that is proposed to, the rehearsal wiki too, which answers only while something is open."""
    with open_wiki_and_client(workspace, settings) as (_, client):
        yield client


def read_item(workspace: Workspace, settings: Settings, qid: str) -> Item:
    """Read an item as it is now."""
    with opened_client(workspace, settings) as client:
        return client.entities([qid], fresh=True)[qid]


@review.command("rules")
@text_option("--set", "NAME=VALUE", "Set a rule of the workspace, such as two_persons=true. Repeatable.", "changes", multiple=True)  # fmt: skip
@text_option("--unset", "NAME", "Use the value of the settings file again. Repeatable.", "drop", multiple=True)
@click.option("--log", is_flag=True, help="List all changes of rules.")
@in_workspace
@json_option
def review_rules(
    opened: Workspace, settings: Settings, changes: tuple[str, ...], drop: tuple[str, ...], log: bool, as_json: bool
) -> None:
    """Show or change the rules of the review queue.

    The rules are the table [review] of the settings, among them: two_persons, blind (share of proposals that get a second,
    independent decision), known_wrong (share of control questions, which are wrong on purpose), lease_minutes,
    session_hours, and oauth_client for a shared page. A rule that is set here overrides the file. All changes are
    recorded. Without an option it prints each rule and who set it.
    """
    from bot.review import queue_rules

    new_values = dict(change.partition("=")[::2] for change in changes)
    if new_values or drop:
        queue_rules.change_rules(opened, new_values, drop)
    found = queue_rules.all_rules(opened)
    if log:
        names, title = ("time", "rule", "value", "where"), Message("table.changes")
        rows = queue_rules.rule_changes(opened)
        print_rows(rows, as_json, title, names, lambda c: ["–" if c[n] is None else str(c[n]) for n in names])
    elif as_json:
        write_json({**{r.name: r.value for r in found}, "origin": {r.name: r.origin for r in found}})
    else:
        table(Message("table.rules"), ("rule", "value", "set_by"), [(r.name, str(r.value), r.origin) for r in found])


@review.command("token")
@click.argument("reviewer", metavar="NAME")
@number_option("--days", 90, "Days until the token expires.", most=3650)
@in_workspace
def review_token(opened: Workspace, settings: Settings, reviewer: str, days: int) -> None:
    """Make an API token for a reviewer and print it once.

    The review page describes the API at /api/v1/openapi.json.
    """
    from bot.review.web.rest import make_token

    click.echo(make_token(opened, reviewer, days))


@review.command("sessions", short_help="List sessions of the review page, or end them.")
@click.argument("ids", nargs=-1, metavar="[ID...]")
@text_option("--reviewer", "NAME", "Only those of this person.")
@click.option("--end", "drop", is_flag=True, help="End the listed sessions.")
@in_workspace
@json_option
def review_sessions(opened: Workspace, settings: Settings, **choice: Any) -> None:
    """List who is signed in on the review page, or end sessions.

    It lists all sessions, those of one person, or those with the given ids. Removing a reviewer ends their sessions too.
    """
    from bot.store import sessions

    _list_or_end_sessions(opened, sessions, "last_request", "ended", **choice)


@review.command("tokens")
@click.argument("ids", nargs=-1, metavar="[ID...]")
@text_option("--reviewer", "NAME", "Only those of this person.")
@click.option("--revoke", "drop", is_flag=True, help="Revoke the listed tokens.")
@in_workspace
@json_option
def review_tokens(opened: Workspace, settings: Settings, **choice: Any) -> None:
    """List API tokens, or revoke them.

    It lists all tokens, those of one person, or those with the given ids. Removing a reviewer revokes their tokens too.
    """
    from bot.store import api_tokens

    _list_or_end_sessions(opened, api_tokens, "good_until", "revoked", **choice)


def _list_or_end_sessions(
    opened: Workspace,
    sessions_table: sa.Table,
    until: str,
    drop_field: str,
    *,
    ids: tuple[str, ...],
    reviewer: str,
    drop: bool,
    as_json: bool,
) -> None:
    from bot.review import sessions

    found = sessions.list_open(opened, sessions_table, ids, reviewer)
    if drop:
        sessions.end_listed(opened, sessions_table, found)
    if as_json:
        write_lines({**_fields(each), drop_field: drop} for each in found)
        return
    unnamed = localised(Message("told.not_named"))
    rows = [(each.id, each.reviewer or unnamed, each.created, each.until) for each in found]
    title = f"table.doors_{sessions_table.name}" + (f"_{drop_field}" if drop else "")
    table(Message(title, n=len(rows)), ("id", "person", "begun", until), rows)


@review.command("list")
@text_option("--state", "STATE", "open, second (waits for a second person), disputed, unsure, approved, rejected, closed, written, flagged, expired or all.", default="open", show_default=True)  # fmt: skip
@text_option("--topic", "NAME", "Only proposals of this topic, in its order; see `review topics`.")
@text_option("--reviewer", "NAME", "Owner of the topic; needed if there are several reviewers.")
@in_workspace
@json_option
def review_list(opened: Workspace, settings: Settings, state: str, topic: str, reviewer: str, as_json: bool) -> None:
    """List proposals, the most probable first.

    Other commands accept a shortened id if it is unambiguous.
    """
    from bot.propose.cards import percent
    from bot.review import queue

    rows = queue(opened, state)
    if topic:
        from bot.review.web.queue_selection import proposals_in_topic

        at = {id_: n for n, id_ in enumerate(proposals_in_topic(opened, topic, reviewer))}
        rows = sorted((row for row in rows if row.proposal.id in at), key=lambda row: at[row.proposal.id])
    if as_json:
        write_lines(map(_row, rows))
        return
    lines = [
        (p.id[:10], p.kind, p.qid, f"{percent(p.probability)} %", (d.tex if d else "") or p.tex)
        for p, d in ((row.proposal, _shown_decision(row)) for row in rows)
    ]
    table(Message("table.proposals", n=len(rows), state=state), ("id", "kind", "item", "probability", "formula"), lines)


@review.command("topics")
@text_option("--add", "NAME", "Save a topic; it replaces one of the same name.", "name")
@text_option("--filter", "QUERY", "With --add: the filter, as in the URL of the page: field=Q11397&low=90.", "view")
@text_option("--items", "FILE", "With --add: a text with the QIDs of the items; - is standard input.")
@text_option("--sparql", "FILE", "With --add: a SELECT query for ?item, sent now, that finds the items.")
@text_option("--again", "NAME", "Send the query of this topic again.")
@text_option("--forget", "NAME", "Delete this topic.")
@text_option("--reviewer", "NAME", "Owner of the topics; needed if there are several reviewers.")
@in_workspace
@json_option
def review_topics(
    opened: Workspace,
    settings: Settings,
    name: str,
    view: str,
    items: str,
    sparql: str,
    again: str,
    forget: str,
    reviewer: str,
    as_json: bool,
) -> None:
    """List, save or delete topics of a reviewer.

    A topic is a filter of the queue (field, class, source, probability, order) and, optionally, a set of items: a list, or
    the result of a query on the wiki, which is stored with its date. A query that fails changes nothing.

    \b
    formula-bot review topics --add mechanics --filter "field=Q11397" --workspace w
    formula-bot review list --topic mechanics --workspace w
    """
    from bot.review import known_reviewer, topics
    from bot.review.web.queue_filters import stated_filter
    from bot.review.web.queue_selection import proposals_in_topic

    if sum(map(bool, (name, again, forget))) > 1 or ((view or items or sparql) and not name):
        raise InputError("topic_options")
    who = known_reviewer(opened, reviewer)

    def ask(query: str) -> list[str]:
        with opened_client(opened, settings) as client:
            return client.items_of_query(query, topics.MAX_ITEMS)

    if name:
        topics.save_topic(opened, who, name, stated_filter(view).query(), _content(items), _content(sparql), ask)
    elif again:
        topics.ask_again(opened, who, again, ask)
    elif forget:
        topics.remove_topic(opened, who, forget)
    found = [(each, len(proposals_in_topic(opened, each.name, who))) for each in topics.topics_of_person(opened, who)]
    if as_json:
        write_lines({**_fields(each), "waiting": number} for each, number in found)
        return
    everything = localised(Message("told.all"))
    lines = [(each.name, number, each.query, len(each.items) or everything, each.asked[:10]) for each, number in found]
    table(Message("table.topics", n=len(lines), who=who), ("topic", "waiting", "filter", "items", "asked"), lines)


def _content(file: str) -> str:
    """Return the text of a file that was named, - is standard input; "" where none was. Raises InputError."""
    if not file:
        return ""
    try:
        with click.open_file(file, encoding="utf-8") as opened:
            text: str = opened.read()
    except FileNotFoundError:
        raise InputError("no_file", where=file, todo="check_path") from None
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("unreadable", reason=getattr(error, "strerror", "") or str(error), where=file) from None
    return text


@review.command("show")
@click.argument("proposal")
@in_workspace
@json_option
def review_show(opened: Workspace, settings: Settings, proposal: str, as_json: bool) -> None:
    """Show a proposal with its sources, evidence and checks."""
    from bot.propose.cards import percent
    from bot.propose.source_formulas import source_formulas
    from bot.review import show
    from bot.review.packet import plain_window, reference_text, source_formula, symbol_meanings

    row = show(opened, proposal)
    written = source_formulas(row.proposal)
    if as_json:
        write_json({**_row(row), "source_formulas": written})
        return
    p = row.proposal
    changed = f" ({localised(Message('told.changed_since'))})" if row.reopened else ""
    lines = [("state", row.state + changed), ("kind", p.kind)]
    lines += [("item", p.qid), ("formula", p.tex), *_decision_lines(_shown_decision(row))]
    lines += [("probability", f"{percent(p.probability)} %"), ("hash", p.hash)]
    lines += [("symbol", localised(each)) for each in symbol_meanings(p)]
    lines += [("source", f"{q.title}: {plain_window(q)}") for q in p.quotes]
    lines += [("differs" if each.differs else "source_writes", localised(source_formula(each))) for each in written]
    lines += [("reference", reference_text(r.snaks)) for r in p.references]
    lines += [("for" if e.score > 0 else "against", localised(e.detail)) for e in p.evidence if e.score]
    lines += [("check", f"{c.name}, {c.state}: {localised(c.detail)}") for c in p.checks]
    lines += [("flagged", p.flag)] if p.flag else []
    cells = [(localised(Message(f"column.{name}")), text) for name, text in lines]
    table(Message("table.proposal", id=p.id), ("field", "value"), cells)


def _shown_decision(row: QueueRow) -> Decision | None:
    """Return the decision that counts; from who gives the second opinion the first one stays hidden."""
    return None if row.state == "second" else row.decision


def _decision_lines(decision: Decision | None) -> list[tuple[str, str]]:
    """Return who decided what, when and why, and the formula that they put in place of the proposed one."""
    if decision is None:
        return []
    verdict = localised(Message(f"page.verdict_{decision.verdict}"))
    said = localised(Message("page.said", verdict=verdict, name=decision.reviewer, time=decision.time))
    lines = [("decision", ": ".join(filter(None, (said, decision.reason))))]
    return [*lines, ("edited_formula", decision.tex)] if decision.tex else lines


def _decision_options(command: Command) -> Command:
    command = text_option("--reviewer", "NAME", "Who decides; needed if there are several reviewers.")(command)
    command = text_option("--hash", "HASH", "Refuse if the content of the proposal no longer has this hash.", "seen", default=None)(command)  # fmt: skip
    return click.argument("proposals", nargs=-1, required=True, metavar="PROPOSAL...")(in_workspace(command))


def _decide(opened: Workspace, settings: Settings, proposals: tuple[str, ...], seen: str | None, **values: Any) -> None:
    from bot.records import Decision
    from bot.review import State, decide, same_earlier_decision, show
    from bot.review.people import known_reviewer
    from bot.review.proposal_answers import complete_decision

    name = values.pop("reviewer")
    for row in [show(opened, p) for p in proposals]:
        found, who = row.proposal, known_reviewer(opened, name)
        read = partial(read_item, opened, settings)
        hash_ = found.hash if seen is None else seen  # an empty one, as of an unset variable, is another content's
        decision = Decision(proposal=found.id, hash=hash_, reviewer=who, **values)
        decision, other = complete_decision(opened, settings, found, decision, read)
        before = None if row.state is State.WRITTEN else same_earlier_decision(opened, decision)
        try:
            stored = before or decide(opened, decision)
        except AlreadyWritten as error:
            raise _error_of_changed_edits(opened, settings, error) from None
        except UnconfirmedEdit as error:
            raise UnconfirmedEdit(error.message, where=error.where, todo="confirm_edit_option") from None
        summary = f"{found.id[:10]} {found.qid} {stored.tex or found.tex}"
        line = Message(f"told.decided_{stored.verdict}", what=summary, who=stored.reviewer)
        if before:
            print_message("exists_already", time=stored.time, line=line)
        else:
            click.echo(localised(line))
        if other is not None and (id_ := other.enqueue(opened)):
            print_message("proposed_for", qid=other.qid, id=id_[:10])
        elif other is not None:
            print_message("nothing_left_for", qid=other.qid, why=other.reason_for_nothing or "")


def _error_of_changed_edits(opened: Workspace, settings: Settings, error: AlreadyWritten) -> ReviewError:
    """Read the items and return an error that names the edits which somebody has removed or changed since; undo would leave them."""
    from bot.audit.edit_states import SURVIVED, edit_state
    from bot.records import EditOutcome

    try:
        with open_wiki_and_client(opened, settings) as (_, client):
            entities = client.raw_entities(sorted({row.qid for row in error.rows}))
    except BotError:
        return error
    found = [(row, edit_state(row, entities[row.qid])) for row in error.rows if row.outcome == EditOutcome.WRITTEN]
    removed = [(row, became) for row, became in found if became.state not in SURVIVED]
    if not removed:
        return error
    changes = "; ".join(f"edit {row.n} on {row.qid}: {became.message}" for row, became in removed)
    return ReviewError("written_and_changed", told=changes, where=error.where, todo="discuss")


@review.command("approve")
@click.option("--reject-reference", type=int, multiple=True, metavar="N", help="Leave out reference N, counted from 1. Repeatable.")  # fmt: skip
@click.option("--approve-reference", type=int, multiple=True, metavar="N", help="Approve only reference N, counted from 1. Repeatable.")  # fmt: skip
@text_option("--tex", "TEX", "Approve this TeX instead; both versions are stored.", default=None)
@click.option("--confirm-edit", is_flag=True, help="With --tex: confirm that another formula than the proposed one is meant.")  # fmt: skip
@_decision_options
def review_approve(
    opened: Workspace,
    settings: Settings,
    proposals: tuple[str, ...],
    tex: str | None,
    confirm_edit: bool,
    reject_reference: tuple[int, ...],
    approve_reference: tuple[int, ...],
    **who: str,
) -> None:
    """Approve proposals, as they are now, for writing.

    All references are approved unless you choose some. If TEX differs from the proposed formula in more than notation, it
    is another formula: it needs --confirm-edit, and --approve-reference for each source that contains it.
    """
    from bot.review import find

    if tex is not None and not tex.strip():
        raise InputError("empty_tex", todo="without_tex")
    options = tex or confirm_edit or reject_reference or approve_reference
    if options and len(proposals) > 1:
        raise InputError("one_at_a_time")
    if reject_reference and (approve_reference or confirm_edit):
        raise InputError("approved_or_rejected")
    if confirm_edit and not tex:
        raise InputError("confirm_without_edit", todo="with_tex")
    verdicts: tuple[str, ...] = ()
    if reject_reference or approve_reference:
        count = len(find(opened, proposals[0]).references)
        if wrong := {*reject_reference, *approve_reference} - set(range(1, count + 1)):
            raise InputError("no_reference_number", number=min(wrong), todo="proposal_has", count=count)
        approved = approve_reference or set(range(1, count + 1)) - set(reject_reference)
        verdicts = tuple("approve" if n in approved else "reject" for n in range(1, count + 1))
    values: dict[str, Any] = {"tex": tex or "", "references": verdicts, "edit_confirmed": confirm_edit, **who}
    _decide(opened, settings, proposals, verdict="approve", **values)


@review.command("source", short_help="Add a source to a new claim.")
@click.argument("proposal")
@click.argument("source")
@text_option("--reviewer", "NAME", "Who decides; needed if there are several reviewers.")
@text_option("--hash", "HASH", "Refuse if the content of the proposal no longer has this hash.", "seen", default=None)
@in_workspace
def review_source(
    opened: Workspace, settings: Settings, proposal: str, source: str, reviewer: str, seen: str | None
) -> None:
    """Add a source to a new claim: a QID, a DOI, an arXiv ID, a URL, or a BibTeX entry (- reads it from standard input).

    For a DOI, title, authors, date and pages are requested from Crossref, and the item of the publication from the wiki.

    The source becomes a reference of the proposal, which you then approve as usual.
    """
    from bot.review import find, name_source

    found = find(opened, proposal)
    if source == "-":
        source = _content(source)
    made = name_source(
        opened,
        settings,
        found.id,
        found.hash if seen is None else seen,
        source,
        reviewer,
        lambda: opened_client(opened, settings),
    )
    print_message("source_named", what=f"{made.id[:10]} {made.qid} {made.tex}", n=len(made.references), hash=made.hash)


@review.command("reject")
@text_option("--reason", "REASON", "wrong_item, not_defining, wrong_formula, special_case, duplicate, bad_source, bad_tex or needs_modelling.")  # fmt: skip
@text_option("--item", "QID", "The formula belongs to this item; it is proposed for that item. Default reason then: wrong_item.")  # fmt: skip
@_decision_options
def review_reject(
    opened: Workspace, settings: Settings, proposals: tuple[str, ...], reason: str, item: str, **who: str
) -> None:
    """Reject proposals, with a reason.

    The formula is not proposed for this item again; after bad_source or bad_tex it may be, with another source or
    spelling. With --item the formula is proposed for that item and needs its own decision.
    """
    reason = reason.replace("-", "_") or ("wrong_item" if item else "")
    _decide(opened, settings, proposals, verdict="reject", reason=reason, about=item.upper(), **who)


@review.command("close")
@text_option("--as", "REASON", "by_hand, leave or item_wrong; see above.", "reason", required=True)
@text_option("--statement", "GUID", "With item_wrong: the statement whose formula is wrong.")
@_decision_options
def review_close(
    opened: Workspace, settings: Settings, proposals: tuple[str, ...], reason: str, statement: str, **who: str
) -> None:
    """Close proposals without writing anything.

    by_hand: somebody changed the item by hand; the bot checks this on the wiki and stores the revision. leave: the item is
    good as it is. item_wrong: a formula of the item is wrong; `audit wrong` reports it, and it is in the export for the
    Mismatch Finder.
    """
    _decide(opened, settings, proposals, verdict="close", reason=reason.replace("-", "_"), about=statement, **who)


def _plain_verdict(name: str, text: str) -> None:
    @review.command(name, help=text)
    @_decision_options
    def command(opened: Workspace, settings: Settings, proposals: tuple[str, ...], **who: str) -> None:
        _decide(opened, settings, proposals, verdict=name, **who)


_plain_verdict("skip", "Leave proposals for later.\n\nAn earlier decision still counts.")
_plain_verdict("unsure", "Mark proposals as unsure, for somebody else to decide.")
_plain_verdict("withdraw", "Withdraw your earlier decision, until it is written.")


@review.command("unmatched")
@number_option("--top", 20, "Number of formulas.")
@in_workspace
@json_option
def review_unmatched(opened: Workspace, settings: Settings, top: int, as_json: bool) -> None:
    """List formulas without a likely item.

    They are sorted by FormulaRank. Each has the items that matching found for it; all of them are below the threshold for
    proposals. Answer with `review answer`.
    """
    from bot.formula.drawing.plain_text import plain_text
    from bot.propose.cards import percent
    from bot.review import answers

    prop, threshold = settings.wiki.properties.defining_formula, settings.proposing.propose_from
    found = answers.concepts_without_item(opened, threshold, 0, top)
    offered = {row["key"]: answers.suggested_items(opened, row["key"], prop) for row in found}
    total = answers.number_without_item(opened, threshold)
    if as_json:
        rows = ({**row, "seen": answers.content_digest(row), "candidates": offered[row["key"]]} for row in found)
        write_lines(rows)
        return
    lines = [
        (
            row["key"][:10],
            row["documents"],
            plain_text(row["tex"]),
            row["names"][0]["name"] if row["names"] else "",
            ", ".join(f"{each.qid} {each.label} ({percent(each.probability)} %)" for each in offered[row["key"]]),
        )
        for row in found
    ]
    table(Message("table.unmatched", n=total), ("concept", "D", "formula", "name", "candidates"), lines)


@review.command("answer")
@click.argument("concept")
@text_option("--item", "QID", "It is a formula of this item.", "qid")
@click.option("--none", "said", flag_value="none", help="No item fits.")
@click.option("--no-concept", "said", flag_value="no_concept", help="It is not a concept.")
@click.option("--withdraw", "said", flag_value="withdraw", help="Withdraw an earlier answer.")
@text_option("--reviewer", "NAME", "Who answers; needed if there are several reviewers.")
@text_option("--seen", "HASH", "Refuse if this is not the current `seen` of `unmatched --json`.")
@in_workspace
def review_answer(
    opened: Workspace, settings: Settings, concept: str, qid: str, said: str | None, reviewer: str, seen: str
) -> None:
    """Say to which item a formula without item belongs.

    CONCEPT is its key in `review unmatched`, or the beginning of it. Give exactly one of the first four options. The
    answer is evidence for the next `match`; a claim is proposed and needs its own decision.

    \b
    formula-bot review answer 3f9c0a17be --item Q35875 --workspace w
    formula-bot review answer 3f9c0a17be --withdraw --workspace w
    """
    from bot.review import answers

    if bool(qid) == bool(said):
        raise InputError("one_answer_option")
    key = answers.find_concept(opened, concept)["key"]
    qid, read = qid.strip().upper(), partial(read_item, opened, settings)
    answers.record_answer(opened, key, said or "item", reviewer, qid, seen, read=read)
    print_message(f"answer_{said or 'item'}", key=key[:10], item=qid)


@review.command("export", short_help="Write a packet for offline review, or a file for other tools.")
@click.argument("file", metavar="FILE")
@text_option("--state", "STATE", "For a packet: state of the proposals, as in `review list`.", default="open", show_default=True)  # fmt: skip
@text_option("--for", "TOOL", "Another tool: quickstatements, quickstatements-csv, mismatch-finder or primary-sources.", "form")  # fmt: skip
@language_option
@in_workspace
def review_export(opened: Workspace, settings: Settings, file: str, state: str, form: str, language: str) -> None:
    """Write a packet for offline review, or a file for another tool.

    A packet FILE ends in .html (a page that works offline and saves decisions) or .csv (for a spreadsheet).

    With --for, FILE gets what is approved and not yet written, in the format of that tool; for the Mismatch Finder it gets
    existing statements that are wrong. - prints it.
    """
    from bot.review import export_packet
    from bot.review.exports import FORMATS, export

    if form and form not in FORMATS:
        raise InputError("no_tool", tool=repr(form), todo="known", known=", ".join(FORMATS))
    if form:
        write_output(export(opened, settings, form), file, opened.path, newline="")
        return
    count = export_packet(opened, file, settings, state=state, language=known_language(language) or "en")
    print_message("packet", n=count, path=file)


@review.command("import")
@click.argument("file", metavar="FILE")
@text_option("--reviewer", "NAME", "Who decided; needed if there are several reviewers.")
@in_workspace
@json_option
def review_import(opened: Workspace, settings: Settings, file: str, reviewer: str, as_json: bool) -> None:
    """Record the decisions of a completed packet.

    FILE is the .csv, or the .jsonl that the HTML page saved. Prints counts and the refused rows. Importing a packet again
    records nothing twice.
    """
    from bot.review import import_packet
    from bot.review.proposal_answers import complete_decision

    read = partial(read_item, opened, settings)
    outcome = import_packet(
        opened, file, reviewer, lambda found, made: complete_decision(opened, settings, found, made, read)
    )
    print_summary("import", outcome, as_json)
    if not as_json:
        for proposal, why in outcome.refused:
            print_message("refused", err=True, what=proposal[:10], why=why)


@click.command()
@text_option("--server", "URL", "URL of the review page; default: [gadget] server of the settings.")
@workspace_option("The workspace whose settings are used.")
@text_option("--config", "FILE", "Settings (TOML); default: settings.toml in W.", default=None)
def gadget(server: str, workspace: str | None, config: str | None) -> None:
    """Print the user script for item pages of the wiki.

    The script shows the waiting proposals of an item among the statements on the item's own page, where a person can
    decide on them. See docs/gadget.md.

    \b
    formula-bot gadget --config settings.toml > formula-proposals.js
    formula-bot gadget --server https://review.example.org
    """
    from bot.review.gadget import script
    from bot.settings import load

    loaded = load(config, workspace=workspace)
    if server:
        loaded = dataclasses.replace(loaded, gadget=dataclasses.replace(loaded.gadget, server=server))
    click.echo(script(loaded), nl=False)


def _row(row: QueueRow) -> dict[str, object]:
    """Return a proposal with its state, as JSON has it."""
    return {"state": row.state, "reopened": row.reopened, "decision": row.decision, **_fields(row.proposal)}


def _fields(record: DataclassInstance) -> dict[str, object]:
    return {f.name: getattr(record, f.name) for f in dataclasses.fields(record)}
