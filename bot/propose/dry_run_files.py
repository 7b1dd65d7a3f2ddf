"""The dry run in three more forms: JSON lines, QuickStatements CSV (new claims only) and a wikitext table."""

from __future__ import annotations

import json
import re

from bot.propose.cards import KINDS, page
from bot.propose.dry_run import DryRun
from bot.propose.quickstatements import claims_csv
from bot.propose.references import is_web
from bot.propose.source_formulas import source_formulas
from bot.records import Proposal, as_json


def json_lines(run: DryRun) -> str:
    """Return one JSON object a line: the whole proposal, the item's words, and what the item has."""
    lines = []
    for built, proposal in run.open():
        standing = [
            {
                "guid": each.statement.guid,
                "tex": each.statement.value,
                "rank": each.statement.rank,
                "references": as_json(each.statement.references),
                "relation": each.comparison.relation,
                "level": each.comparison.level,
                "note": each.comparison.note,
            }
            for each in built.standing
        ]
        words = {"label": built.item.label, "description": built.item.description, "standing": standing}
        words["source_formulas"] = as_json(source_formulas(proposal))
        if symbols := run.symbols_of(proposal):
            words["symbols"] = as_json(symbols)
        lines.append(json.dumps({**as_json(proposal), **words}, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def quickstatements(run: DryRun) -> str:
    """Return QuickStatements CSV: a row for each first formula of an item that has a source, and for each symbol of it."""
    claims = [p for _, p in run.open() if p.kind == "new_claim" and p.references and not p.beside]
    symbols = [symbol for claim in claims for symbol in run.symbols_of(claim)]
    ids = run.settings.wiki.properties
    names = [ids.defining_formula, *([ids.in_defining_formula] if symbols else [])]
    return claims_csv([*claims, *symbols], names)


def wikitext(run: DryRun) -> str:
    """Return a wikitext table of everything that is open."""
    rows = ['{| class="wikitable sortable"', "! Item !! Kind !! Formula !! Probability !! Source !! Remarks"]
    for built, p in run.open():
        address = page(run.wiki, p.qid)
        item = f"{f'[{address} {p.qid}]' if address else p.qid} {_plain(built.item.label)}"
        cells = (
            item,
            KINDS[p.kind],
            f"<math>{_math(p.tex)}</math>",
            f"{p.probability:.2f}",
            _source(p),
            _plain(p.flag),
        )
        rows += ["|-", "| " + " || ".join(cells)]
    return "\n".join([*rows, "|}", ""])


def _source(proposal: Proposal) -> str:
    for quote in proposal.quotes:
        title, where = _plain(quote.title or quote.document), f"formula {quote.position + 1}"
        return f"[{quote.url} {title}], {where}" if is_web(quote.url) else f"{title}, {where}"
    return ""


def _plain(text: str) -> str:
    """Return text that a wiki shows as it is: every character with a meaning there becomes an entity."""
    return re.sub(r"[^\w\s.,;:()+/–-]|(?<=/)/|__+", _entity, " ".join(text.split()))


def _entity(found: re.Match[str]) -> str:
    return "".join(f"&#{ord(character)};" for character in found[0])


def _math(tex: str) -> str:
    """Return TeX that stays inside its tag and its table cell, and means the same."""
    if r"\begin{array}" not in tex:  # there | draws a rule between columns
        tex = re.sub(r"\\\|", r"\\Vert ", tex).replace("|", r"\vert ")
    return re.sub(r"([{}])(?=\1)", r"\1 ", tex).replace("<", r"\lt ").replace(">", r"\gt ")
