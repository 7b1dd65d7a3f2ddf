"""What becomes of a suggestion on items, documents and under settings of many kinds, recorded with its card; and the reports of a dry run.

`python tests/propose/recorded_proposals.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import astuple, fields, is_dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from propose_records import DOCUMENT, HUBBLE, PLACE, TODAY, P, entry, settings, statement, url, world

from bot.messages import Message
from bot.messages import uncoded_message as told
from bot.propose import card_pages
from bot.propose.build import ProposalContext, build
from bot.propose.cards import card, marked_differences
from bot.propose.dry_run import DryRun, html, json_lines, quickstatements, wikitext
from bot.propose.proposal_context import RunCounts
from bot.propose.select import Suggestion
from bot.propose.trimming import members, trimmed
from bot.records import Check, Evidence, Item, Occurrence, Reference
from bot.settings import CitationRule, Settings, Wiki

DATA = Path(__file__).parent / "data" / "recorded_proposals.jsonl"
REPORTS = DATA.with_name("recorded_reports.txt")
OTHER = replace(DOCUMENT, id="lectures/later.html", url="https://lectures.example.net/later", title="Later")
LONG = "word " * 60 + "by Hubble's law we have ⟦4⟧, " + "where ⟦5⟧ is the distance and so on, " * 12


def said(window: str, **more: Any) -> Occurrence:
    return replace(PLACE, window=window, **more)


def item(*tex: str, **more: Any) -> Item:
    kept = tuple(replace(statement(each), guid=f"Q179916${n}") for n, each in enumerate(tex))
    return replace(HUBBLE, statements=kept, **more)


def cases() -> Iterator[tuple[str, ProposalContext, Suggestion, Settings]]:
    plain = settings()
    for tex in ("v = H_0 d", "v=H_{0}d,", "v = H_0 d = 70 d", r"v = H_0 d \quad (1)", "v", r"v = \nonsense d", "v=" + "a+" * 200 + "b", "v = 3", r"v \approx H_0 d", r"\begin{cases} v = H_0 d \\ w = 2 \end{cases}", "v = H_0 d + v_p = x"):  # fmt: skip
        yield f"formula {tex[:40]}", world(), entry(tex), plain
    for what, one in {
        "its formula": item("v = H_0 d"), "a variant": item("v=H_{0}d"), "turned": item("d = v / H_0"), "another": item("E = m c^2"),
        "two": item("E = m c^2", "v=H d"), "deprecated": replace(HUBBLE, statements=(statement("v = H_0 d", "deprecated"),)),
        "preferred": replace(HUBBLE, statements=(statement("v = H_0 d", "preferred", url("https://lectures.example.org/expansion")),)),
        "sourced": replace(HUBBLE, statements=(statement("v = H_0 d", "normal", url("https://a.example")),)),
        "no class": replace(HUBBLE, classes=()), "another class": replace(HUBBLE, classes=("Q5",)), "gone": Item("Q179916", missing=True),
        "merged": replace(HUBBLE, redirect="Q1"), "no value": replace(HUBBLE, statements=(replace(statement(""), snaktype="novalue"),)),
        "another name": replace(HUBBLE, label="Ohm's law", aliases=()), "no label": replace(HUBBLE, label="", aliases=()),
    }.items():  # fmt: skip
        yield f"item with {what}", world(one), entry(), plain
        yield f"item with {what}, likely", world(one), entry(probability=0.999), settings(propose_from=0.5)
    for what, document in {
        "no address": replace(DOCUMENT, url=""), "a DOI": replace(DOCUMENT, url="", identifiers=(("doi", "10.1/x"),)),
        "arXiv": replace(DOCUMENT, identifiers=(("arxiv", "2101.00001"),)), "a file": replace(DOCUMENT, url="file:///x"),
        "a wiki": replace(DOCUMENT, url="https://en.wikipedia.org/wiki/X"), "German": replace(DOCUMENT, language="de"), "no title": replace(DOCUMENT, title=""),
    }.items():  # fmt: skip
        yield f"document with {what}", world(HUBBLE, document), entry(), plain
    windows = ["Galaxies obey ⟦4⟧.", "⟦4⟧ is Hubble's law.", LONG, "HUBBLE'S LAW: ⟦4⟧", "the law of Hubble ⟦4⟧ and Hubble–Lemaître law", "", "no mask here", "Hubble's law ⟦5⟧ is not ⟦4⟧; Hubble’s law"]  # fmt: skip
    for window in windows:
        yield f"sentence {window[:40]}", world(HUBBLE, DOCUMENT, said(window)), entry(), plain
        heading = said(window, heading="Hubble's law", role="example")
        yield f"heading over {window[:40]}", world(HUBBLE, DOCUMENT, heading), entry(probability=0.4), plain
    both = replace(world(HUBBLE, DOCUMENT, PLACE, replace(PLACE, document=OTHER.id)), documents={DOCUMENT.id: DOCUMENT, OTHER.id: OTHER}, read_on={DOCUMENT.id: "2026-11-03"})  # fmt: skip
    for what, given in {
        "all": settings(), "one source": settings(references_per_claim=1), "a rule": settings(sources=(CitationRule("lectures/*", item="Q77"),)),
        "a denied domain": settings(deny_domains=("example.net",)), "soon over": settings(expires_days=10),
    }.items():  # fmt: skip
        yield f"two documents, {what}", both, entry(), given
    doubts = tuple(Evidence(f"d{n}", (-1) ** n * n / 4, told(f"reason {n}")) for n in range(9))
    yield "many reasons", world(), entry(evidence=doubts), plain


def recorded() -> list[dict[str, Any]]:
    """Return what becomes of each case, and what trimming and marking make of formulas."""
    rows: list[dict[str, Any]] = []
    for what, known, wanted, given in cases():
        built = build(wanted, known, given, TODAY)
        row: dict[str, Any] = {"what": what, "id": built.id, "standing": built.existing_claims}
        row |= {"refused": built.refused, "nothing": built.reason_for_nothing, "proposal": built.proposal}
        if built.proposal:
            shown = card(built, Wiki(), known.documents, known.labels)
            row["card"] = {
                f.name: getattr(shown, f.name) for f in fields(shown) if f.name not in ("proposal", "reasons")
            }
            row["card"] |= {"signs": shown.main_evidence, "weaker": shown.further_evidence, "of 100": shown.of_100}
            row["card"]["quoted"] = [shown.quotes_of(n) for n in range(len(shown.references) + 1)]
        rows.append(row)
    for tex in (
        "a = b + c = 7",
        "F = m a = 3 \\cdot 4 = 12",
        "y = x, z = 2",
        "v = \\frac{d}{t}.",
        "a=b=b",
        "p = mv \\text{ where } m",
    ):
        rows.append({"what": f"trimmed {tex}", "to": [trimmed(tex), list(members(tex))]})
    for a, b in (
        ("E = mc^2", "E = mc^3"),
        ("F = ma", "F = m a"),
        ("a+b", "a-b+c"),
        (r"\frac{a}{b}", r"\frac{a}{c}"),
        ("", "x"),
    ):
        rows.append({"what": f"marked {a} {b}", "to": [list(astuple(run)) for run in marked_differences(a, b)]})
    plain: list[dict[str, Any]] = _plain(rows)
    return plain


def _plain(value: Any) -> Any:
    match value:
        case Check():
            return [value.name, value.state, _plain(value.detail)]
        case Evidence():
            return f"{value.name} {value.score}"
        case Message():  # its code, not its wording
            return [value.code, *(_plain(each) for each in value.values.values())]
        case Reference():
            return [list(snak) for snak in value.snaks]
        case str():
            return re.sub(r"<math.*?</math>", "<math>", str(value), flags=re.S)
        case dict():
            return {str(key): _plain(each) for key, each in value.items()}
        case list() | tuple():
            return [_plain(each) for each in value]
        case _ if is_dataclass(value):
            return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    return value if value is None or isinstance(value, bool | int | float) else str(value)


def dry_run() -> DryRun:
    """Return a run that proposes a few of the cases, with other probabilities, symbols, and one that somebody has decided on."""
    ways = list(cases())[::4]
    made = [build(replace(wanted, probability=round((n * 0.37 + 0.05) % 1, 2)), known, given, TODAY) for n, (_, known, wanted, given) in enumerate(ways)]  # fmt: skip
    built = tuple(
        replace(one, proposal=one.proposal and replace(one.proposal, id=f"{n:016x}")) for n, one in enumerate(made)
    )
    (claim, *_), (decided, *_) = (
        [p for b in built[at:] if (p := b.proposal) and p.kind == "new_claim"] for at in (0, 5)
    )
    symbols = [replace(claim, id=f"s{n}", kind="symbol", property=P.in_defining_formula, tex=tex, qualifiers=((P.symbol_represents, "wikibase-item", qid),), claim=claim.id) for n, (tex, qid) in enumerate([("v", "Q11465"), ("d", "Q126017")])]  # fmt: skip
    return DryRun(
        "2026-11-20", Wiki(), settings(propose_from=0.1), RunCounts(3, 400, 50, 20, 10, len(built), 0.93), built,
        {DOCUMENT.id: DOCUMENT, OTHER.id: replace(OTHER, source="papers")}, {"Q11465": "velocity", "Q214070": "physical law"},
        {decided.id: "approve", "s9": "reject"}, (told("the query service is away"),), (told("no licence"),), 2, 3,
        ((0.15, 0.05, 40), (0.5, 0.4, 30), (0.75, 0.8, 20), (0.95, 0.97, 10)), (*symbols, replace(symbols[0], id="s9")),
    )  # fmt: skip


def reports() -> str:
    """Return the reports of a run: the page by codes and not by wordings, without what all pages have alike, then the other files."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(card_pages, "sentence", lambda message, *_: re.sub(r'[][",]', "", json.dumps(_plain(message))))
        page = html(dry_run())
    page = page[page.index("<body>") : page.index("<script>")]
    lines = [line.strip() for line in re.sub(r"<math.*?</math>", "<math>", page, flags=re.S).splitlines()]
    rest = (make(dry_run()) for make in (quickstatements, wikitext))
    whole = [json.loads(line) for line in json_lines(dry_run()).splitlines()]
    beside = [
        {name: row.get(name) for name in ("id", "label", "standing", "source_formulas", "symbols")} for row in whole
    ]
    return "".join(f"{line}\n" for line in (*filter(None, lines), *rest, *map(json.dumps, beside)))


if __name__ == "__main__":
    DATA.parent.mkdir(exist_ok=True)
    REPORTS.write_text(reports(), encoding="utf-8")
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in recorded())
    DATA.write_text(text, encoding="utf-8")
