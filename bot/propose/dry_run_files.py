"""The dry run in three more forms: JSON lines, QuickStatements CSV (new claims only) and a wikitext table."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Sequence

from bot.propose.cards import KINDS, page
from bot.propose.dry_run import DryRun
from bot.propose.references import is_web
from bot.propose.source_formulas import source_formulas
from bot.records import Proposal, Reference, as_json

_DAY = "/11"  # QuickStatements' precision of a day


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
        lines.append(json.dumps({**as_json(proposal), **words}, ensure_ascii=False))
    return "".join(f"{line}\n" for line in lines)


def quickstatements(run: DryRun) -> str:
    """Return QuickStatements CSV: a row for each first formula of an item that has a source, a group of columns for each reference.

    A capital S opens a reference and a small s goes on with it, so every leading property has columns of its own.
    """
    claims = [p for _, p in run.open() if p.kind == "new_claim" and p.references and not p.beside]
    groups = _groups(claims)
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    names = [("S" if n == 0 else "s") + name[1:] for group, _ in groups for n, name in enumerate(group)]
    table.writerow(["qid", run.settings.wiki.properties.defining_formula, *names])
    for claim in claims:
        table.writerow([claim.qid, _string(claim.tex), *_cells(claim.references, groups)])
    return out.getvalue()


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


def _groups(claims: Iterable[Proposal]) -> list[tuple[tuple[str, ...], int]]:
    """Return the columns of references: (properties of one reference, which one of that form it is in its row)."""
    most: dict[tuple[str, ...], int] = {}
    for claim in claims:
        forms = [_form(reference) for reference in claim.references]
        for form in forms:
            most[form] = max(most.get(form, 0), forms.count(form))
    return [(form, n) for form in sorted(most) for n in range(most[form])]


def _cells(references: Sequence[Reference], groups: Sequence[tuple[tuple[str, ...], int]]) -> list[str]:
    cells = []
    for form, n in groups:
        of_form = [reference for reference in references if _form(reference) == form]
        cells += [_value(d, v) for _, d, v in of_form[n].snaks] if n < len(of_form) else [""] * len(form)
    return cells


def _form(reference: Reference) -> tuple[str, ...]:
    return tuple(property_id for property_id, _, _ in reference.snaks)


def _value(datatype: str, value: str) -> str:
    if datatype == "wikibase-item":
        return value
    return f"{value}{_DAY}" if datatype == "time" else _string(value)


def _string(value: str) -> str:
    return f'"{value}"'


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
