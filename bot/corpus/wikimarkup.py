"""Wikitext to flat text: comments, references, templates, links and tags gone, formulas as markers."""

from __future__ import annotations

import html
import re

from bot.corpus import wikitemplates
from bot.corpus.html.mathtags import MARKER, without_private
from bot.corpus.wikitemplates import TABLE, TABLE_END, WikiFormula
from bot.records import NameHint
from bot.wikibase import ITEM_ID

# What is taken out before anything else, from left to right, so that one does not see into the other.
_OPENING = re.compile(
    r"<!--|<(?P<tag>math|nowiki|ref|gallery|syntaxhighlight|source|pre|chem|ce|timeline|score|templatedata|imagemap|graph"
    r"|mapframe|code|hiero|references|noinclude)\b(?P<attributes>(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+)>",
    re.I,
)
_QID = re.compile(rf"\bqid\s*=\s*[\"']?\s*({ITEM_ID})(?![0-9])", re.I)
_BLOCK_DISPLAY = re.compile(r"\bdisplay\s*=\s*[\"']?\s*block", re.I)
_TABLE_START = re.compile(r"^[ \t:*]*\{\|", re.M)
_TABLE_STOP = re.compile(r"^[ \t]*\|\}(?!\})", re.M)
_LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
_WEB_LINK = re.compile(r"\[(?:https?:|ftp:|mailto:|//)[^\s\]]*\s*([^\]\n]*)\]")
_FILE = re.compile(r"\s*(?:file|image|media|datei|bild|fichier|archivo|imagen)\s*:", re.I)
_FILE_OPTION = re.compile(
    r"\s*(?:thumb(?:nail)?|frame(?:d|less)?|border|left|right|center|none|\d*x?\d+\s*px|upright[^|]*|baseline|middle|top|alt\s*=.*|link\s*=.*|page\s*=.*|lang\s*=.*|class\s*=.*)\s*",
    re.I | re.S,
)
_NO_TEXT_LINK = re.compile(r"\s*(?:category|kategorie|catégorie|categoría|[a-z]{2,3}(?:-[a-z]+)?)\s*:(?!\s)", re.I)
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>")
_SHOWN = dict.fromkeys("br p div li td tr /br /p /div /li /td /tr".split(), " ") | {"sub": "_", "sup": "^"}  # of tags
_SWITCH = re.compile(r"__[A-Z]+__")
CAPTION = "\ue019"  # a line that is the caption of a picture


def flatten(text: str, formulas: list[WikiFormula]) -> str:
    """Return wikitext without comments, references, templates and links; formulas are markers into `formulas`."""
    text = _take_out(without_private(text), formulas)
    if "{|" in text:
        text = _TABLE_STOP.sub(TABLE_END, _TABLE_START.sub(TABLE, text))
    if "{{" in text:
        text = wikitemplates.resolve(text, formulas)
    for _ in range(6):  # a picture's caption holds links, a link in it rarely more
        text, changed = _LINK.subn(lambda m: _link(m[1], formulas), text)
        if not changed:
            break
    return _SWITCH.sub("", _WEB_LINK.sub(r"\1", text))


def _take_out(text: str, formulas: list[WikiFormula]) -> str:
    """Replace formulas by markers and drop what is no wikitext; one pass, also where tags are never closed."""
    parts: list[str] = []
    unclosed: set[str] = set()
    at = 0
    while start := _OPENING.search(text, at):
        tag = (start["tag"] or "").lower()
        parts.append(text[at : start.start()])
        at = start.end()
        if not tag:
            end = text.find("-->", at)
            at = end + 3 if end >= 0 else len(text)
        elif not start["attributes"].endswith("/") and tag not in unclosed:
            closing = re.compile(rf"</{tag}\s*>", re.I).search(text, at)
            if closing is None:
                unclosed.add(tag)  # only the tag itself goes
                continue
            parts.append(_opaque(tag, start["attributes"], text[at : closing.start()], formulas))
            at = closing.end()
    parts.append(text[at:])
    return "".join(parts)


def _opaque(tag: str, attributes: str, inside: str, formulas: list[WikiFormula]) -> str:
    if tag == "nowiki":
        return re.sub(r"[\[\]{}'|=*#:;<>]", lambda m: f"&#{ord(m[0])};", inside)
    if tag != "math" or not inside.strip():
        return ""
    qid = _QID.search(attributes)
    hints = (NameHint("qid", qid[1].upper()),) if qid else ()
    # An editor escapes "<" in a formula now and then, as the page's HTML would.
    tex = html.unescape(inside) if "&" in inside else inside
    return wikitemplates.new_marker(WikiFormula(tex, bool(_BLOCK_DISPLAY.search(attributes)), hints=hints), formulas)


def _link(body: str, formulas: list[WikiFormula]) -> str:
    target, *parts = body.split("|")
    if _FILE.match(target):
        captions = [part for part in parts if not _FILE_OPTION.fullmatch(part)]
        if not captions or not MARKER.search(captions[-1]):
            return ""
        for marker in MARKER.finditer(captions[-1]):
            old = formulas[int(marker[1])]
            formulas[int(marker[1])] = WikiFormula(old.tex, old.display, "caption", old.hints)
        return f"\n{CAPTION}{' '.join(captions[-1].split())}\n"
    if not target.startswith(":") and _NO_TEXT_LINK.match(target):
        return ""
    return parts[-1] if parts and parts[-1] else target.lstrip(":").replace("_", " ")


def shown_text(text: str) -> str:
    """Return inline wikitext as a reader sees it; blanks at the edges stay."""
    if "<" in text:
        text = TAG.sub(lambda m: _SHOWN.get(f"{m[1]}{m[2].lower()}", ""), text)
    if "''" in text:
        text = wikitemplates.EMPHASIS.sub("", text)
    if "&" in text:
        text = html.unescape(text).replace("\xa0", " ")
    if "\ue010" <= max(text, default="") <= "\ue01f":
        text = re.sub("[\ue010-\ue01f]", lambda m: "/" if m[0] == "\ue011" else "", text)
    return re.sub(r"\s+", " ", text)


def plain(text: str, formulas: list[WikiFormula]) -> str:
    def shown(marker: re.Match[str]) -> str:
        return formulas[int(marker[1])].tex if int(marker[1]) < len(formulas) else ""

    return " ".join(shown_text(MARKER.sub(shown, text)).split())
