"""Wikitext to flat text: comments, references, templates, links and tags gone, formulas as markers.

Of templates a few only wrap text, the rest goes. A scanner of our own: mwparserfromhell reads 2 MB/s of articles, this and
`wikitext` together several times that.
"""

import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.corpus import wikimath
from bot.corpus.draft import collapse_blanks
from bot.corpus.html.mathtags import MARKER, MARKER_CLOSE, MARKER_OPEN, cut_math, without_marker_characters
from bot.corpus.wiki_mathjax import mark_typed_formulas
from bot.records import NameHint, Role
from bot.wikibase import ITEM_ID

TABLE, TABLE_END = "\ue015", "\ue016"  # {| and |} while templates are resolved
BLOCK, BLOCK_END = "\ue017", "\ue018"  # around what a block template leaves: paragraphs of its own
BAR = "\ue01f"  # one that parts no arguments: in a link, or of `{{!}}`
EMPHASIS = re.compile(r"'{2,5}")

_INNERMOST = re.compile(r"\{\{((?:[^{}]|\{(?!\{)|\}(?!\}))*)\}\}")
_MAX_DEPTH = 40
_LINK = re.compile(r"\[\[(?:[^\[\]|]*\|)?([^\[\]|]*)\]\]")
_NESTED = re.compile(r"\[\[[^\[\]]*\]\]|<[^<>]*>")
_FIELD = re.compile(r"\s*([\w .\-()]{1,40}?)\s*=(?!=)\s*", re.S)

_FORMULA_TEMPLATES = frozenset(["math", "mvar", "mathcal", "bigmath", "var"])
# Those whose argument is TeX, and of them those that display it; `term=` and a stop behind it (`SZ=`) have those of the German Wikiversity.
_TEX_TEMPLATES = {"tmath": False, "mathl": False, "tmath block": True, "mathdisp": True, "math/disp": True}
_TEX = re.compile(r"\\[A-Za-z]")
# Templates whose last (or first) argument is the text that a reader sees.
_FIRST_ARGUMENT_TEMPLATES = frozenset(
    "nowrap|nobr|nobreak|abbr|small|big|em|strong|var|serif|center|block|indent|smaller|larger|resize|hlist|ubl|plainlist|unbulleted|list|angbr|not|a|typo|italics"
    "|lang-en|transl|ill|interlanguage|link|noitalic|bold|strongbad|dfn|not a typo|unbulleted list|interlanguage link|block indent|var serif|italics correction"
    "|nowrap begin".split("|")
)
_LAST_ARGUMENT_TEMPLATES = frozenset(
    ["lang", "tooltip", "color", "font color", "font", "fontcolor", "transliteration", "rtl-lang"]
)
_TEMPLATE_TEXT = {
    "=": "=", "!": BAR, "pi": "π", "spaces": " ", "nbsp": " ", "thinsp": " ", "snd": " – ", "spnd": " – ", "ndash": "–", "mdash": "—", "spaced ndash": " – ",
    "hbar": "ħ", "infin": "∞", "sdot": "⋅", "'": "'", "minus": "−", "times": "×", "-": "", "clear": "", "circumflex": "^", "(": "{", ")": "}", "((": "{", "))": "}",
    "tau": "τ", "phi": "φ", "theta": "θ", "lambda": "λ", "dot": "·", "middot": "·", "·": "·", "!!": "", "int": "∫", "oint": "∮",
}  # fmt: skip
# Boxes that show one formula under a title.
_BOX_TEMPLATES = frozenset(
    "equation box 1|equation box 2|equationbox|numblk|equation|formula|eqn|math theorem|math proof|quote|blockquote|quotation|cquote|quote box".split(
        "|"
    )
)
_EQUATIONS = ("equation", "eqn", "numblk", "math theorem", "formula")
_INFOBOXES = ("infobox", "taxobox", "drugbox")
# Templates of one pattern: {0} is the first argument.
_PATTERNS = {
    "sub": "<sub>{0}</sub>", "sup": "<sup>{0}</sup>", "subsup": "{0}<sub>{1}</sub><sup>{2}</sup>", "abs": "&#124;{0}&#124;", "norm": "‖{0}‖", "mset": "{{{0}}}",
    "bra": "⟨{0}&#124;", "ket": "&#124;{0}⟩", "bra-ket": "⟨{0}&#124;{1}⟩", "convert": "{0} {1}", "cvt": "{0} {1}", "e": " × 10<sup>{0}</sup>", "10^": "10<sup>{0}</sup>",
    **dict.fromkeys(("sqrt", "radic"), f"{wikimath.ROOT}{{0}}{wikimath.ROOT_END}"), **dict.fromkeys(("overset", "underset"), "{1}"), "nuclide": "",
    **dict.fromkeys(("overline", "vec", "ce", "visible anchor", "vanchor"), "{0}"),
}  # fmt: skip
# What is taken out before anything else, from left to right, so that one does not see into the other.
_OPENING = re.compile(
    r"<!--|<(?P<tag>math|tex|cmath|nowiki|ref|gallery|syntaxhighlight|source|pre|chem|ce|timeline|score|templatedata|imagemap|graph"
    r"|mapframe|code|hiero|references|noinclude)\b(?P<attributes>(?:[^<>\"']|\"[^\"<]*\"|'[^'<]*')*+)>",
    re.I,
)
# `<tex>` of Russian wikis of universities; `<cmath>` of Art of Problem Solving displays
_FORMULA_TAGS = ("math", "tex", "cmath")
_MATHML = re.compile(r"<(?:semantics|mrow|m[ion]|mstyle)\b")
_QID = re.compile(rf"\bqid\s*=\s*[\"']?\s*({ITEM_ID})(?![0-9])", re.I)
_BLOCK_DISPLAY = re.compile(r"\bdisplay\s*=\s*[\"']?\s*block", re.I)
_TABLE_START = re.compile(r"^[ \t:*]*\{\|", re.M)
_TABLE_STOP = re.compile(r"^[ \t]*\|\}(?!\})", re.M)
_WIKI_LINK = re.compile(r"\[\[((?:[^\[\]]++|\[(?!\[)[^\[\]]*+\])*+)\]\]")  # a caption may say “on [a, b]”
_WEB_LINK = re.compile(r"\[(?:https?:|ftp:|mailto:|//)[^\s\]]*\s*([^\]\n]*)\]")
_FILE = re.compile(
    r"\s*(?:file|image|media|datei|bild|fichier|archivo|imagen|immagine|ficheiro|imagem|bestand|afbeelding|plik|grafika|fil|soubor|tiedosto|kuva|dosya"
    r"|файл|изображение|зображення|ファイル|画像|文件|檔案|档案|图像|圖像|파일|그림|ملف|صورة|קובץ|تصویر|پرونده)\s*:",
    re.I,
)
_FILE_OPTION = re.compile(
    r"\s*(?:thumb(?:nail)?|frame(?:d|less)?|border|left|right|center|none|\d*x?\d+\s*px|upright[^|]*|baseline|middle|top|alt\s*=.*|link\s*=.*|page\s*=.*|lang\s*=.*|class\s*=.*)\s*",
    re.I | re.S,
)
_NO_TEXT_LINK = re.compile(
    r"\s*(?:category|kategorie|catégorie|categoría|categoria|categorie|kategoria|kategori|kategória|luokka|категория|категорія|カテゴリ|分类|分類|분류|تصنيف|קטגוריה|رده"
    r"|simple|[a-z]{2,3}(?:-[a-z]+)*)\s*:(?!\s)",
    re.I,
)
TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)\b[^<>]*>")
# Of tags
_TEXT_OF_TAG = dict.fromkeys("br p div li td tr /br /p /div /li /td /tr".split(), " ") | {"sub": "_", "sup": "^"}
_MARKS = re.compile("[\ue010-\ue01f]")  # those of formulas in templates
_SWITCH = re.compile(r"__[A-Z]+__")
CAPTION = "\ue019"  # a line that is the caption of a picture


@dataclass(frozen=True, slots=True)
class WikiFormula:
    """The formula of a marker, with role and hints from its place."""

    tex: str
    display: bool = False
    role: Role = "text"
    hints: tuple[NameHint, ...] = ()


def resolve_templates(text: str, formulas: list[WikiFormula]) -> str:
    """Return `text` without templates, innermost first; formulas found in them are added to the list."""
    for _ in range(_MAX_DEPTH):
        text, changed = _INNERMOST.subn(lambda m: _template(m[1], formulas), text)
        if not changed:
            break
    return text.replace("{{", "").replace("}}", "").replace(BAR, "|")


def split_arguments(body: str) -> list[str]:
    """Split at the bars outside of links and tags."""
    hidden = _NESTED.sub(lambda m: m[0].replace("|", BAR), body) if "[[" in body or "<" in body else body
    return [part.replace(BAR, "|") for part in hidden.split("|")]


def _template(body: str, formulas: list[WikiFormula]) -> str:
    name, *parts = split_arguments(body)
    name = " ".join(name.replace("_", " ").split()).lower().removeprefix("template:")
    if name in _TEMPLATE_TEXT:
        return _TEMPLATE_TEXT[name]
    if name in _TEX_TEMPLATES or (name == "math" and _TEX.search(body)):
        return _typed_tex(parts, _TEX_TEMPLATES.get(name, False), formulas)
    if name in _FORMULA_TEMPLATES:
        return _formula(_text(parts), formulas)
    texts = [_text([part]) for part in parts] + [""] * 4
    if name in _PATTERNS:
        return _PATTERNS[name].format(*texts)
    if name in _TEMPLATE_BUILDERS:
        return _TEMPLATE_BUILDERS[name](texts)
    if name in _FIRST_ARGUMENT_TEMPLATES:
        return _text(parts[:1])
    if name in _LAST_ARGUMENT_TEMPLATES:
        return _text(parts[-1:])
    if TABLE in body or MARKER.search(body):
        return _block(name, parts, formulas)
    return ""


def _text(parts: list[str]) -> str:
    """Return the first argument, which `1=` may name; other equals signs belong to its text."""
    named = next((part.lstrip()[2:] for part in parts if re.match(r"\s*1\s*=", part)), None)
    text = named.lstrip("= ") if named is not None else next(iter(parts), "")
    return text.strip()


def _formula(text: str, formulas: list[WikiFormula]) -> str:
    """Return a formula in wiki markup; `<math>` inside it stays, a link becomes its label."""
    text = _LINK.sub(r"\1", text)
    if whole := MARKER.fullmatch(text):
        return whole[0]
    pieces = enumerate(MARKER.split(text))
    texs = (formulas[int(piece)].tex if n % 2 else wikimath.to_tex(piece) for n, piece in pieces)
    tex = " ".join(filter(None, texs))
    return new_marker(WikiFormula(tex), formulas) if tex else ""


def _typed_tex(parts: list[str], display: bool, formulas: list[WikiFormula]) -> str:
    """Return the marker of a formula in TeX, and the stop that another argument puts behind it."""
    fields = dict(_field(part, 0) for part in parts if re.match(r"\s*(?:term|sz)\s*=", part, re.I))
    tex = html.unescape(fields.get("term") or _text(parts))
    if MARKER.search(tex):
        return _formula(tex, formulas)
    return (new_marker(WikiFormula(tex, display), formulas) if tex else "") + fields.get("sz", "")


def new_marker(formula: WikiFormula, formulas: list[WikiFormula]) -> str:
    formulas.append(formula)
    return f"{MARKER_OPEN}{len(formulas) - 1}{MARKER_CLOSE}"


def _block(name: str, parts: list[str], formulas: list[WikiFormula]) -> str:
    """Return the text of a template with formulas that is more than a wrapper: an infobox, an equation box, a list."""
    fields = [_field(part, number) for number, part in enumerate(parts, 1)]
    named = [key for key, _ in fields if not key.isdigit()]
    title = _title(fields)
    if name.startswith(_INFOBOXES) or (len(named) >= 4 and "name" in named and name not in _BOX_TEMPLATES):
        return _infobox(fields, title, formulas)
    equation = name.startswith(_EQUATIONS)
    hints = (NameHint("equation_title", title),) if equation and 3 < len(title) < 80 else ()
    values = []
    for key, value in fields:
        of_box = key.isdigit() and name in _BOX_TEMPLATES and len(value.split()) > 3
        if of_box or TABLE in value or MARKER.search(value):
            role: Role | None = "caption" if key.startswith("caption") else None
            _mark_formulas(value, formulas, role, hints, display=equation)
            values.append(value)
    if not named and len(values) == 1 and name not in _BOX_TEMPLATES:
        return values[0]
    text = "; ".join(values)
    return f"{BLOCK}{text}{BLOCK_END}" if TABLE in text or "\n" in text or equation else text


def _title(fields: list[tuple[str, str]]) -> str:
    found = (_title_text(value) for key, value in fields if key in ("title", "name", "1") and not MARKER.search(value))
    return next(filter(None, found), "")


def _infobox(fields: list[tuple[str, str]], title: str, formulas: list[WikiFormula]) -> str:
    """Each field with a formula is a line "title, field: formula"."""
    lines = []
    for key, value in fields:
        if MARKER.search(value):
            label = "" if key.isdigit() else key.replace("_", " ").strip()
            hints = tuple(NameHint("infobox", name) for name in (title, label) if name)
            _mark_formulas(value, formulas, "infobox", hints)
            lines.append(f"{', '.join(filter(None, (title, label)))}: {value}.")
    paragraphs = "\n\n".join(lines)
    return f"{BLOCK}{paragraphs}{BLOCK_END}"


def _field(part: str, number: int) -> tuple[str, str]:
    found = _FIELD.match(part)
    return (found[1].lower(), part[found.end() :].strip()) if found else (str(number), part.strip())


def _mark_formulas(
    text: str,
    formulas: list[WikiFormula],
    role: Role | None,
    hints: tuple[NameHint, ...] = (),
    *,
    display: bool = False,
) -> None:
    for number in map(int, MARKER.findall(text)):
        old = formulas[number]
        formulas[number] = WikiFormula(old.tex, old.display or display, role or old.role, (*old.hints, *hints))


def _title_text(text: str) -> str:
    text = _LINK.sub(r"\1", EMPHASIS.sub("", text))
    return " ".join(re.sub(r"<[^<>]*>|&nbsp;", " ", text).split()).strip(" :")


def _fraction(a: list[str]) -> str:
    """`{{sfrac|1|2}}` and with a whole number before: `{{sfrac|3|1|2}}`; one argument alone is a denominator."""
    whole, top, bottom = (a[0], a[1], a[2]) if a[2] else ("", a[0], a[1])
    if not bottom:
        top, bottom = "1", top
    return f"{whole}{wikimath.FRACTION}{top}{wikimath.OVER}{bottom}{wikimath.FRACTION_END}"


def _superscript_over_subscript(a: list[str]) -> str:
    """`{{su|b=lower|p=upper}}`"""
    tags = (("sub", "b="), ("sup", "p="))
    return "".join(f"<{tag}>{v[2:]}</{tag}>" for v in sorted(a) for tag, key in tags if v.startswith(key))


def _value(a: list[str]) -> str:
    """`{{val|9.8|u=m/s}}`"""
    unit = next((v.split("=", 1)[1] for v in a if re.match(r"ul?=", v)), "")
    return " ".join(filter(None, (a[0], unit)))


_TEMPLATE_BUILDERS: dict[str, Callable[[list[str]], str]] = {
    "su": _superscript_over_subscript,
    **dict.fromkeys(("sfrac", "frac", "fraction"), _fraction),
    "val": _value,
    "gaps": lambda a: "".join(v for v in a if "=" not in v),
    "chem": "".join,
    **dict.fromkeys(("equationref", "equationnote", "eqnref"), lambda a: f"({a[1] or a[0]})"),
    **dict.fromkeys(("section link", "slink"), lambda a: a[1] or a[0]),
}


def flatten(text: str, formulas: list[WikiFormula]) -> str:
    """Return wikitext without comments, references, templates and links; formulas are markers into `formulas`."""
    text = _extract_formulas(without_marker_characters(text), formulas)
    if not formulas and "\\" in text:
        text = _mark_typed_formulas(text, formulas)
    if "{|" in text:
        text = _TABLE_STOP.sub(TABLE_END, _TABLE_START.sub(TABLE, text))
    if "{{" in text:
        text = resolve_templates(text, formulas)
    for _ in range(6):  # a picture's caption holds links, a link in it rarely more
        text, changed = _WIKI_LINK.subn(lambda m: _link(m[1], formulas), text)
        if not changed:
            break
    return _SWITCH.sub("", _WEB_LINK.sub(r"\1", text))


def _mark_typed_formulas(text: str, formulas: list[WikiFormula]) -> str:
    marked, typed_so = mark_typed_formulas(text, lambda tex, display: new_marker(WikiFormula(tex, display), formulas))
    if not typed_so:
        formulas.clear()
    return marked if typed_so else text


def _extract_formulas(text: str, formulas: list[WikiFormula]) -> str:
    """Replace formulas by markers and drop what is not wikitext; one pass, also where tags are never closed."""
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
            parts.append(_replace_opaque_tag(tag, start["attributes"], text[at : closing.start()], formulas))
            at = closing.end()
    parts.append(text[at:])
    return "".join(parts)


def _replace_opaque_tag(tag: str, attributes: str, inside: str, formulas: list[WikiFormula]) -> str:
    if tag == "nowiki":
        return re.sub(r"[\[\]{}'|=*#:;<>]", lambda m: f"&#{ord(m[0])};", inside)
    if tag not in _FORMULA_TAGS or not inside.strip():
        return ""
    qid = _QID.search(attributes)
    hints = (NameHint("qid", qid[1].upper()),) if qid else ()
    # An editor escapes "<" in a formula now and then, as the page's HTML would.
    tex = html.unescape(inside) if "&" in inside else inside
    if _MATHML.search(inside):
        tex = cut_math(f"<math {attributes}>{inside}</math>")[1][0].tex
    display = tag == "cmath" or bool(_BLOCK_DISPLAY.search(attributes))
    return new_marker(WikiFormula(tex, display, hints=hints), formulas)


def _link(body: str, formulas: list[WikiFormula]) -> str:
    target, *parts = body.split("|")
    if _FILE.match(target):
        captions = [part for part in parts if not _FILE_OPTION.fullmatch(part)]
        if not captions or not MARKER.search(captions[-1]):
            return ""
        _mark_formulas(captions[-1], formulas, "caption")
        return f"\n{CAPTION}{' '.join(captions[-1].split())}\n"
    if not target.startswith(":") and _NO_TEXT_LINK.match(target):
        return ""
    return parts[-1] if parts and parts[-1] else target.lstrip(":").replace("_", " ")


def shown_text(text: str) -> str:
    """Return inline wikitext as a reader sees it; blanks at the edges stay."""
    if "<" in text:
        text = TAG.sub(lambda m: _TEXT_OF_TAG.get(f"{m[1]}{m[2].lower()}", ""), text)
    if "''" in text:
        text = EMPHASIS.sub("", text)
    if "&" in text:
        text = html.unescape(text).replace("\xa0", " ")
    if not text.isascii():
        text = _MARKS.sub(lambda m: "/" if m[0] == wikimath.OVER else "", text)
    return collapse_blanks(text)


def plain_wikitext(text: str, formulas: list[WikiFormula]) -> str:
    def readable(marker: re.Match[str]) -> str:
        return formulas[int(marker[1])].tex if int(marker[1]) < len(formulas) else ""

    return " ".join(shown_text(MARKER.sub(readable, text)).split())
