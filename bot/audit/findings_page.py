"""One self-contained HTML page of findings: formulas as MathML, no script, readable on a telephone and on paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from urllib.parse import quote

from bot.audit.known_findings import counts
from bot.audit.survey import is_note
from bot.messages import sentence
from bot.records import Finding
from bot.settings import Wiki
from bot.store import now

OPEN_ROWS = 25  # chosen: new findings of one audit that are shown at once; the others open on a click
FEW_ROWS = 3  # the same where there are more than MANY new ones in all
MANY = 50
PAGE = 50  # findings that open on one click
ROWS = 500  # of one kind on the page; the rest is counted and stands in the JSON
_WORDS = {"unknown": "could not tell", "error": "error", "warning": "warning", "info": "note"}


def page(
    groups: Mapping[str, Sequence[Finding]],
    descriptions: Mapping[str, str],
    wiki: Wiki | None,
    language: str = "en",
    charts: str = "",
) -> str:
    """Return the page for findings grouped by audit; items are links where the wiki is known. `charts` is HTML."""
    new = sum(f.new and counts(f) for group in groups.values() for f in group)
    open_ = OPEN_ROWS if new <= MANY else FEW_ROWS
    template = files("bot.audit").joinpath("page.html").read_text(encoding="utf-8")
    where = f"{wiki.name}{' (a rehearsal wiki)' if wiki.sandbox else ''}, " if wiki else ""
    parts = {
        "when": escape(f"{where}{now()[:16].replace('T', ' ')} UTC"),
        "verdict": _verdict([f for group in groups.values() for f in group]),
        "charts": charts,
        "summary": "".join(_summary(name, group, descriptions[name]) for name, group in groups.items()),
        "audits": "".join(
            _section(name, group, descriptions[name], wiki, language, open_) for name, group in groups.items()
        ),
    }
    for name, text in parts.items():
        template = template.replace(f"<!--{name}-->", text, 1)
    return template


def _title(name: str) -> str:
    return escape(name.replace("_", " ").capitalize())


def _verdict(findings: Sequence[Finding]) -> str:
    unknown = {f.audit for f in findings if f.severity == "unknown"}
    found, new = sum(map(counts, findings)), sum(f.new and counts(f) for f in findings)
    what = f"{found:,} finding{'' if found == 1 else 's'}, {new:,} of them new" if found else "Nothing found"
    if not unknown:
        return f'<p class="verdict">{what}.</p>'
    names = ", ".join(sorted(unknown)).replace("_", " ")
    return f'<p class="verdict unknown">{what}; could not tell: {escape(names)}.</p>'


def _summary(name: str, group: Sequence[Finding], description: str) -> str:
    counts = "".join(_cell(group, severity) for severity in ("unknown", "error", "warning"))
    link = f'<a href="#{escape(name)}">{_title(name)}</a>'
    return f'<tr><th scope="row">{link}<small>{escape(description)}</small></th>{counts}</tr>\n'


def _cell(group: Sequence[Finding], severity: str) -> str:
    n = sum(f.severity == severity and not f.muted for f in group)
    return f'<td class="{severity if n else "none"}">{n:,}</td>'


def _section(
    name: str, group: Sequence[Finding], description: str, wiki: Wiki | None, language: str, open_: int
) -> str:
    notes = [f for f in group if is_note(f)]
    rows = [f for f in group if not is_note(f)]
    head = f'<section id="{escape(name)}"><h2>{_title(name)}</h2><p>{escape(description)}</p>'
    said = "".join(f'<p class="note {f.severity}">{escape(sentence(f.explanation, language))}</p>' for f in notes)
    new = [f for f in rows if counts(f) and f.new]
    known = [f for f in rows if counts(f) and not f.new]
    accepted = [f for f in rows if f.muted]
    notes_of_items = [f for f in rows if f.severity == "info" and not f.muted]
    parts = (
        _list(new[:open_], wiki, language),
        _folded(new[open_:], "more new", wiki, language),
        _folded(known, "known before", wiki, language),
        _folded(accepted, "accepted as they are", wiki, language),
        _folded(notes_of_items, "notes", wiki, language),
    )
    return f"{head}{said}{''.join(parts)}</section>\n"


def _list(findings: Sequence[Finding], wiki: Wiki | None, language: str) -> str:
    return f"<ol>{''.join(_row(f, wiki, language) for f in findings)}</ol>" if findings else ""


def _folded(findings: Sequence[Finding], what: str, wiki: Wiki | None, language: str) -> str:
    """Return a list that opens on a click; what is beyond ROWS is counted."""
    if not findings:
        return ""
    more = (
        f'<p class="note">… and {len(findings) - ROWS:,} more, which the JSON holds.</p>'
        if len(findings) > ROWS
        else ""
    )
    shown = findings[:ROWS]
    pages = [_list(shown[n : n + PAGE], wiki, language) for n in range(0, len(shown), PAGE)]
    first, *others = pages
    paged = "".join(
        f"<details><summary>{n * PAGE + 1:,}–{min((n + 1) * PAGE, len(shown)):,}</summary>{each}</details>"
        for n, each in enumerate(others, 1)
    )
    return f"<details><summary>{len(findings):,} {what}</summary>{first}{paged}{more}</details>"


def _row(finding: Finding, wiki: Wiki | None, language: str) -> str:
    badge = f'<span class="badge {finding.severity}">{_WORDS[finding.severity]}</span>'
    head = f'<p>{badge} {_item(finding, wiki)}<span class="what">{escape(sentence(finding.explanation, language))}</span></p>'
    formulas = "".join(_formula(tex) for tex in finding.formulas)
    evidence = f'<p class="evidence">{escape(finding.evidence)}</p>' if finding.evidence else ""
    step = f'<p class="step">{_step_link(finding, wiki, language)}</p>' if finding.next_step else ""
    return f"<li>{head}{formulas}{step}{evidence}{_history(finding)}</li>\n"


def _history(finding: Finding) -> str:
    """Return the finding's id, by which it can be accepted, since when it is known, and why it is accepted."""
    if not finding.id or finding.severity == "info":
        return ""
    since = f", since {finding.first_seen[:10]}" if finding.first_seen else ""
    why = f"; accepted: {escape(finding.muted)}" if finding.muted else ""
    return f'<p class="evidence">finding <code>{finding.id}</code>{since}{why}</p>'


def _step_link(finding: Finding, wiki: Wiki | None, language: str) -> str:
    """Return the next step as a link to where on the item it is done, as text where there is no item."""
    text = escape(sentence(finding.next_step, language)) if finding.next_step else ""
    if not wiki or not finding.item:
        return f"<span>{text}</span>"
    address = _address(finding.item, wiki)[:-1]
    return f'<a href={address}#{escape(wiki.properties.defining_formula)}">{text}</a>'


def _item(finding: Finding, wiki: Wiki | None) -> str:
    if not finding.item:
        return ""
    name = escape(finding.label or finding.item)
    shown = f"<a href={_address(finding.item, wiki)}>{name}</a>" if wiki else f"<strong>{name}</strong>"
    return f"{shown} <small>{escape(finding.item)}</small> "


def _address(item: str, wiki: Wiki) -> str:
    return f'"{escape(wiki.page_prefix + quote(wiki.title(item), safe=":"), quote=True)}"'


def _formula(tex: str) -> str:
    from bot.formula import mathml

    return f'<div class="formula">{mathml(tex, True)}</div><p class="tex"><code>{escape(tex)}</code></p>'
