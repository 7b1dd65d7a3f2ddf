"""Findings for people and for programs: text, HTML, JSON, wikitext; and the exit code that sums them up."""

import csv
import io
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from bot.audit.findings_page import charts, page
from bot.audit.known_findings import needs_attention, number_with_severity
from bot.audit.run import AUDITS, Audit
from bot.audit.survey import is_audit_note
from bot.console import localised, table
from bot.errors import InputError
from bot.messages import Message, joined_message, sentence
from bot.records import Finding, as_json
from bot.settings import Wiki
from bot.store import Workspace

FORMATS = ("text", "html", "json", "wikitext", "csv")
SEVERITIES = ("unknown", "error", "warning", "info")
ROWS_IN_TEXT = 30  # of one audit; the other formats hold more
ROWS_IN_WIKITEXT = 500


def exit_code(findings: Iterable[Finding]) -> int:
    """Return 0 for clean, 1 where something was found that nobody has accepted, 2 where an audit could not tell."""
    found = list(findings)
    return 2 if any(f.severity == "unknown" for f in found) else int(any(map(needs_attention, found)))


def render(
    findings: Sequence[Finding],
    form: str,
    *,
    audits: Sequence[str] = (),
    wiki: Wiki | None = None,
    all_audits: Mapping[str, Audit] = AUDITS,
    language: str = "en",
    workspace: Workspace | None = None,
    printed: bool = False,
) -> str:
    """Return the findings as text, html, json (one object, always in English), wikitext or csv.

    `audits` names those that were run, so that one without a word is shown as such; `wiki` makes items links; `all_audits` are all
    audits that there are. With a `workspace` the HTML shows charts of what it keeps. A text that is `printed` is laid out for
    the terminal, where standard output is one.
    """
    described = {name: describe(name, all_audits, language) for name in (*audits, *(f.audit for f in findings))}
    ordered = sorted(
        findings, key=lambda f: (_order(f), f.audit, bool(f.muted), not f.new, SEVERITIES.index(f.severity))
    )
    groups = {name: list(group) for name, group in groupby(ordered, key=lambda f: f.audit)}
    groups |= {name: [] for name in audits if name not in groups}
    if form == "text":
        return _text(groups, described, language, _PrintedText() if printed else io.StringIO())
    if form == "html":
        return page(groups, described, wiki, language, charts(workspace, language) if workspace else "")
    if form == "json":
        return _json(groups, all_audits)
    if form == "wikitext":
        return _wikitext(groups, described, wiki or Wiki(), language)
    if form == "csv":
        return _csv(groups, wiki, language)
    raise InputError("no_form", form=form, todo="known", known=", ".join(FORMATS))


def describe(name: str, all_audits: Mapping[str, Audit] = AUDITS, language: str = "en") -> str:
    """Return what an audit looks for, in words."""
    if name not in all_audits:
        return ""
    return sentence(all_audits[name].description or Message(f"audit.{name}"), language)


def _order(finding: Finding) -> int:
    names = list(AUDITS)
    return names.index(finding.audit) if finding.audit in AUDITS else len(names)


class _PrintedText(io.StringIO):
    """A text that is going to standard output."""

    def isatty(self) -> bool:
        return sys.stdout.isatty()


def _text(groups: dict[str, list[Finding]], described: Mapping[str, str], language: str, out: io.StringIO) -> str:
    summary = []
    for name, group in groups.items():
        counts = [number_with_severity(group, severity) for severity in SEVERITIES[:3]]
        new = sum(f.new and needs_attention(f) for f in group)
        summary.append((name, *counts, new, _closing(group, language)))
    headings = ("audit", "unknown", "error", "warning", "new", "in_words")
    table(Message("table.audits"), headings, summary, file=out, language=language)
    for name, group in groups.items():
        rows = [f for f in group if needs_attention(f) and not is_audit_note(f)]
        if not rows:
            continue
        cells = []
        for f in rows[:ROWS_IN_TEXT]:
            severity = f"{f.severity}, {localised(Message('column.new'), language)}" if f.new else f.severity
            said = "\n".join((sentence(f.explanation, language), *f.formulas, *_step(f, language)))
            cells.append((f.id, severity, f"{f.item} {f.label}".strip(), said))
        table(
            f"{name}: {described.get(name, '')}", ("id", "severity", "item", "what"), cells, file=out, language=language
        )
        if len(rows) > ROWS_IN_TEXT:
            out.write(f"{sentence(Message('told.more_findings', n=len(rows) - ROWS_IN_TEXT), language)}\n")
    return out.getvalue().rstrip()


def _json(groups: dict[str, list[Finding]], all_audits: Mapping[str, Audit]) -> str:
    findings = [f for group in groups.values() for f in group]
    audits = {
        name: {"what": describe(name, all_audits), **{each: number_with_severity(group, each) for each in SEVERITIES}}
        for name, group in groups.items()
    }
    rows = [{**as_json(f), "step": str(f.next_step or "")} for f in findings]
    answer = {"exit_code": exit_code(findings), "audits": audits, "findings": rows}
    return json.dumps(answer, ensure_ascii=False)


def _csv(groups: dict[str, list[Finding]], wiki: Wiki | None, language: str) -> str:
    """Return a row for each finding; text that a spreadsheet would take for a formula is marked as text."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(
        ("audit", "id", "severity", "new", "accepted", "item", "label", "address", "what", "formulas", "step")
    )
    for finding in (f for group in groups.values() for f in group):
        address = f"{wiki.page_prefix}{wiki.title(finding.item)}" if wiki and finding.item else ""
        texts = (finding.item, finding.label, address, sentence(finding.explanation, language))
        cells = (*texts, "\n".join(finding.formulas), "".join(_step(finding, language)))
        head = (finding.audit, finding.id, finding.severity, int(finding.new))
        rows.writerow(
            (*head, *(f"'{c}" if c[:1] in ("=", "+", "-", "@", "\t", "\r") else c for c in (finding.muted, *cells)))
        )
    return out.getvalue().rstrip("\n")


def _step(finding: Finding, language: str) -> tuple[str, ...]:
    return (f"→ {sentence(finding.next_step, language)}",) if finding.next_step else ()


def _wikitext(groups: dict[str, list[Finding]], described: Mapping[str, str], wiki: Wiki, language: str) -> str:
    parts = []
    for name, group in groups.items():
        parts.append(
            f"== {name.replace('_', ' ')} ==\n{_plain(described.get(name, ''))}. {_plain(_closing(group, language))}\n"
        )
        rows = [f for f in group if needs_attention(f) and not is_audit_note(f)]
        if rows:
            lines = [_wiki_row(f, wiki, language) for f in rows[:ROWS_IN_WIKITEXT]]
            headings = (
                localised(Message(f"column.{name}"), language) for name in ("severity", "item", "what", "formula")
            )
            head = f'{{| class="wikitable sortable"\n! {" !! ".join(headings)}\n'
            parts.append(f"{head}{''.join(lines)}|}}\n")
        if len(rows) > ROWS_IN_WIKITEXT:
            omitted = Message("audit_page.more_rows", n=len(rows) - ROWS_IN_WIKITEXT)
            parts.append(f"{sentence(omitted, language)}\n")
    return "\n".join(parts) or sentence(Message("audit_page.no_audit"), language)


def _wiki_row(finding: Finding, wiki: Wiki, language: str) -> str:
    title = wiki.title(finding.item)
    link = f"[[{title}|{finding.item}]]" if wiki.item_namespace else f"[[{title}]]"
    item = f"{link} {_plain(finding.label)}" if finding.item else ""
    # A formula is shown as its source: what an audit complains of is often what <math> cannot draw.
    formulas = "<br>".join(f"<code>{_plain(tex)}</code>" for tex in finding.formulas)
    return f"|-\n| {finding.severity}{', new' if finding.new else ''} || {item.strip()} || {_plain(sentence(finding.explanation, language))} || {formulas}\n"


def _plain(text: str) -> str:
    """Text that wikitext shows as it is: entities mean the same everywhere, <nowiki> can be closed by its content."""
    return "".join(f"&#{ord(c)};" if c in "<>&[]{}|'~_*#:;=\\\"" or c < " " else c for c in text)


def _closing(group: Sequence[Finding], language: str) -> str:
    """Return the closing line of an audit: how much it checked, or why it could not."""
    own = [f.explanation for f in group if is_audit_note(f)]
    if muted := sum(bool(f.muted) for f in group):
        own.append(Message("audit_page.accepted", n=muted))
    found = joined_message(*own) if own else Message("audit_page.see_below" if group else "audit_page.nothing_found")
    return sentence(found, language)
