"""Offline packets: proposals out as one HTML page or a CSV table, a person's decisions back in."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import sqlalchemy as sa
from markupsafe import Markup

from bot import store
from bot.console import read_lines
from bot.errors import BotError, ItemsError, ReviewError
from bot.file_permissions import write_named_file
from bot.formula import mathml
from bot.messages import Message
from bot.propose.card_pages import groups, render
from bot.propose.cards import with_escapes
from bot.propose.source_formulas import SourceFormula, source_formulas
from bot.propose.stored_proposals import proposal_from_record
from bot.records import MASK_CLOSE, MASK_OPEN, PAIRS, Decision, Proposal, Quote
from bot.review.answers import labels_of
from bot.review.decide import REASONS, decide, is_same_decision, proposal_row, same_earlier_decision
from bot.review.people import known_reviewer
from bot.review.proposal_answers import OtherItem, possible_answers
from bot.review.proposal_state import decision_of
from bot.review.queue import queue
from bot.review.workspace_cards import displayed_wiki, workspace_card
from bot.settings import Settings
from bot.store import Row, Workspace

# What a person reads, then what a person fills in. The hash binds the answer to what was shown, the number of decisions
# (`words`) to what others had decided by then.
SHOWN_COLUMNS = tuple(
    "proposal hash words kind item label formula sources_write probability source sentence references".split()
)
ANSWER_COLUMNS = ("verdict", "reason", "reference_verdicts", "edited_tex", "edit_confirmed", "about")
LookUp = Callable[[Proposal, Decision], tuple[Decision, OtherItem | None]]  # see `complete_decision`


@dataclass(frozen=True, slots=True)
class PacketImport:
    """The result of importing a packet; `refused` holds (proposal, why)."""

    recorded: int
    known_already: int
    empty: int
    refused: tuple[tuple[str, Message], ...] = field(metadata=PAIRS)


def export_packet(
    workspace: Workspace, path: str | Path, settings: Settings, *, state: str = "open", language: str = "en"
) -> int:
    """Write the proposals in one state to `path` (.csv, or .html in a language) and return how many.

    Raises ReviewError for another suffix or a path that cannot be written.
    """
    proposals = symbols_after_formulas([row.proposal for row in queue(workspace, state)])
    decided, file = _decided(workspace), Path(path)
    if file.suffix not in (".csv", ".html"):
        raise ReviewError("packet_form", where=str(path), todo="one_of_two")
    if file.suffix == ".csv":
        text = _as_csv(proposals, labels_of(workspace, [p.qid for p in proposals]), decided)
    else:
        text = _as_html(workspace, proposals, decided, settings, language)
    try:
        write_named_file(file, text, workspace.path, newline="")
    except OSError as error:
        raise ReviewError("unwritable", reason=str(error.strerror), where=str(path)) from None
    return len(proposals)


def symbols_after_formulas(proposals: list[Proposal]) -> list[Proposal]:
    """Return the proposals in their order, each symbol behind its formula."""
    position_of = {p.id: n for n, p in enumerate(proposals)}
    symbol = {p.id: p.kind == "symbol" for p in proposals}
    return sorted(
        proposals, key=lambda p: (position_of.get(p.claim if symbol[p.id] else p.id, position_of[p.id]), symbol[p.id])
    )


def import_packet(
    workspace: Workspace, path: str | Path, reviewer: str = "", look_up: LookUp | None = None
) -> PacketImport:
    """Record the decisions of a filled packet (.csv, or the JSON lines that the HTML page saves) for one reviewer.

    What a person cannot say, such as the revision of a change by hand, is looked up; without `look_up` such a row is
    refused. An id may be shortened as long as it is unambiguous. Every row passes the checks of any other decision, and is refused where somebody else has decided since the packet
    went out; importing a packet twice records nothing twice.
    Raises ItemsError for an unreadable packet, before anything is recorded.
    """
    name = known_reviewer(workspace, reviewer)
    rows = list(_read_csv(Path(path)) if str(path).endswith(".csv") else read_lines(path, {"proposal": str}))
    recorded = repeated = empty = 0
    refused: list[tuple[str, Message]] = []
    for answered in rows:
        proposal, answer = str(answered["proposal"]), _decision(answered, name)
        if not any(str(answered.get(column) or "").strip() for column in ANSWER_COLUMNS):
            empty += 1
            continue
        whole, other = answer, None
        try:
            row = proposal_row(workspace, answer.proposal)
            whole = replace(answer, proposal=row["id"])
            if look_up is not None and same_earlier_decision(workspace, whole) is None:
                whole, other = look_up(proposal_from_record(row["record"], f"proposals {row['id']}"), whole)
            if same_earlier_decision(workspace, whole) is not None:
                repeated += 1
                continue
            decide(workspace, whole, _refuse_concurrent_decision(whole, _number(answered.get("words"))))
            recorded += 1
            if other is not None:
                other.enqueue(workspace)
        except BotError as error:
            refused.append((proposal, error.message_without(answer.proposal, whole.proposal)))
    return PacketImport(recorded, repeated, empty, tuple(refused))


def _refuse_concurrent_decision(answer: Decision, decision_count: int) -> Callable[[sa.Connection], None]:
    """Return a guard against decisions of others that the person who filled the packet in could not know of, and against a packet that comes back after its answer was withdrawn or undone."""
    decisions = store.decisions
    query = sa.select(decisions).where(decisions.c.proposal == answer.proposal, decisions.c.verdict != "skip")

    def guard(db: sa.Connection) -> None:
        for row in db.execute(query.order_by(decisions.c.n)).mappings().all()[decision_count:]:
            if row["reviewer"] != answer.reviewer:
                name = row["reviewer"]
                raise ReviewError(Message("error.decided_since", name=name), where=answer.proposal, todo="again")
            if is_same_decision(decision_of(dict(row)), answer):
                raise ReviewError("own_before", where=answer.proposal, todo="again")

    return guard


def _number(value: object) -> int:
    """Return the number of decisions that a row was shown with; none where its cell says nothing that can be read."""
    found = re.fullmatch(r"\s*(\d{1,9})([.,]0+)?\s*", str(value))
    return int(found[1]) if found else 0


def _decided(workspace: Workspace) -> dict[str, int]:
    decisions = store.decisions.c
    query = sa.select(decisions.proposal, sa.func.count().label("number")).where(decisions.verdict != "skip")
    return {row["proposal"]: row["number"] for row in workspace.rows(query.group_by(decisions.proposal))}


def _decision(row: Row, reviewer: str) -> Decision:
    def text(key: str) -> str:
        return str(row.get(key) or "").strip()

    reason = text("reason") if text("verdict").lower() in ("reject", "close") else ""
    return Decision(
        proposal=text("proposal"),
        hash=text("hash"),
        verdict=text("verdict").lower(),
        references=tuple(text("reference_verdicts").split()),
        reason=reason,
        reviewer=reviewer,
        tex=_typed_value(text("edited_tex")),
        edit_confirmed=text("edit_confirmed").lower() in ("yes", "true", "1", "x"),
        about=text("about"),
    )


def _read_csv(path: Path) -> Iterator[Row]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        # Where numbers have a decimal comma, spreadsheets put semicolons between cells.
        delimiter = max(",;\t", key=text.partition("\n")[0].count)
        table = csv.DictReader(io.StringIO(text), strict=True, delimiter=delimiter)
        if missing := {"proposal", "hash", "verdict"} - set(table.fieldnames or ()):
            raise ItemsError("lacks_columns", columns=", ".join(sorted(missing)), where=str(path), todo="export_again")
        yield from table
    except FileNotFoundError:
        raise ItemsError("no_file", where=str(path), todo="check_path") from None
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ItemsError("no_csv", reason=str(error), where=str(path), todo="utf8_csv") from None


def _as_csv(proposals: list[Proposal], labels: dict[str, str], decided: dict[str, int]) -> str:
    out = io.StringIO()
    table = csv.writer(out)
    table.writerow(SHOWN_COLUMNS + ANSWER_COLUMNS)
    for p in proposals:
        quote = p.quotes[0] if p.quotes else Quote("", 0, "")
        cells = (
            p.id,
            p.hash,
            str(decided.get(p.id, 0)),
            p.kind,
            p.qid,
            labels.get(p.qid, ""),
            p.tex,
            " · ".join(map(str, (*map(source_formula, differing_sources(p)), *symbol_meanings(p)))),
            f"{p.probability:.2f}",
            quote.title,
            plain_window(quote),
        )
        table.writerow(
            [_cell(v) for v in (*cells, " · ".join(reference_text(r.snaks) for r in p.references))]
            + [""] * len(ANSWER_COLUMNS)
        )
    return out.getvalue()


# Characters that begin a formula in a spreadsheet, East Asian ones included; a blank before them does not help everywhere.
_FORMULA = re.compile(r"\s*[=+\-@\t\r\n＝＋－＠]")


def _cell(value: str) -> str:
    """Return a text that no spreadsheet reads as a formula, with hidden characters made visible."""
    text = str(with_escapes(value))
    return f"'{text}" if _FORMULA.match(text) else text


def _typed_value(value: str) -> str:
    """Return what was typed into a cell; a formula that was copied from its cell brings our apostrophe with it."""
    return value[1:] if value[:1] == "'" and _FORMULA.match(value[1:]) else value


def reference_text(snaks: tuple[tuple[str, str, str], ...]) -> str:
    """Return a reference's snaks as one line."""
    return ", ".join(f"{prop}: {value}" for prop, _, value in snaks)


def differing_sources(p: Proposal) -> list[SourceFormula]:
    """Return what the sources of a proposal write where that is another formula, by more than typography."""
    return [each for each in source_formulas(p) if each.differs] if p.kind != "flag" else []


def symbol_meanings(p: Proposal) -> list[Message]:
    """Return what a symbol represents in its formula; nothing of other proposals."""
    return [Message("told.symbol_meaning", qid=qid, tex=p.formula) for _, _, qid in p.qualifiers]


def source_formula(each: SourceFormula) -> Message:
    """Return what a source writes, and how that compares with the claim."""
    return Message("told.source_formula", title=each.title, tex=each.tex, relation=each.relation, note=each.note)


def plain_window(quote: Quote) -> str:
    """Return a quote as text, its masked formulas as TeX in dollars."""
    text = " ".join(quote.window.split())
    for position, tex in quote.formulas:
        text = text.replace(f"{MASK_OPEN}{position}{MASK_CLOSE}", f"${tex}$")
    return text


def _as_html(
    workspace: Workspace, proposals: list[Proposal], decided: dict[str, int], settings: Settings, language: str
) -> str:
    wiki, cards, possible = displayed_wiki(workspace, settings.wiki), [], {}
    for proposal in proposals:
        card, item, _ = workspace_card(workspace, wiki, proposal)
        wrong = [(s.guid, Markup(mathml(s.value))) for s in item.live_statements(wiki.properties.defining_formula)]
        cards.append(card)
        possible[proposal.id] = {"possible": possible_answers(proposal, item, wiki.properties), "wrong": wrong}
    low, folder = settings.proposing, Path(__file__).parent
    return render(
        "packet.html",
        cards,
        groups(cards, low.propose_from, low.low_below),
        language=language,
        folder=folder,
        script=(folder / "packet.js").read_text(encoding="utf-8"),
        style=(folder / "packet.css").read_text(encoding="utf-8"),
        answers=possible,
        decided=decided,
        reasons=REASONS,
    )
