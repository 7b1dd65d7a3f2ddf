"""All formulas of a parsed page as markers in its text: those that MathJax or KaTeX has typeset or would typeset, scripts, pictures with TeX.

Each formula counts once: copies for the eye or for a screen reader beside it are taken out of the tree.
"""

import html
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Set
from urllib.parse import unquote_plus, urlsplit

from lxml import etree

from bot.corpus.html import xpaths
from bot.corpus.html.mathtags import MARKER, MARKER_CLOSE, MARKER_OPEN, MathTag, cut_math
from bot.corpus.html.tex_delimiters import Delimiters, PageSettings, replace_strict_dollars
from bot.corpus.single_dollars import replace_single_dollars
from bot.corpus.tex_equations import equations, without_delimiters
from bot.corpus.tex_macros import TexMacros
from bot.corpus.wikimath import to_tex
from bot.corpus.xml_parsing import Element, element_name, text_of
from bot.wikibase import ITEM_ID

_QID = re.compile(ITEM_ID)
_MAX_DATA_LENGTH = 100_000  # characters of what Parsoid says of one tag
# Classes and words of the markup (in small letters) of which a page has none where `_replace_typeset` would find nothing but pictures.
_TYPESET_CLASSES = xpaths.MATHJAX | xpaths.KATEX | xpaths.RAW_TEX | {"mwe-math-element"}
_TYPESET_WORDS = ("mjx-container", "math/", "mw:extension/math", "data-tex", "data-latex", "<d-math", "<dt-math")
_SOURCE_ATTRIBUTES = ("data-latex", "data-mathml")
_MIN_TEX_FORMULAS = 3
_BREAK = "\ue002"  # a <br> inside of a run of text
_CDATA = re.compile(r"\s*%?\s*(?:<!\[CDATA\[|\]\]>)\s*")
_MARKUP = {"i": "i", "b": "b", "em": "i", "strong": "b", "sub": "sub", "sup": "sup", "var": "i"}
_SCREEN_ONLY = re.compile(r"clip:|position:\s*absolute|display:\s*none")
_DELIMITED = re.compile(r"\s*(?:\$\$?.+\$\$?|\\\(.+\\\)|\\\[.+\\\]|\\begin\s*\{.+\})\s*", re.S)
_SPACES = re.compile(r"(?:\\q?quad(?![A-Za-z])|\\[,;:! ]|~|\s)*+")
_TEX_SIGNS = re.compile(r"\\[A-Za-z]|[\^_{}=]|\A\s*\\?[A-Za-z]\w?\s*\Z")
_SHORTENED = re.compile(r"\.\.\.\s+\.\.\.")  # LaTeX2HTML leaves out the middle of a long formula
_WHOLE_TEX = re.compile(
    r"<!--\s*MATH\s(?P<tex>.{1,20000}?)-->(?P<between>(?:\s|&nbsp;|<(?!img\b|!)[^<>]*+>)*+<img\b[^>]*?\balt\s*=\s*)\"(?P<alt>[^\"]*+)\"",
    re.S | re.I,
)
_SEVERAL_PICTURES = re.compile(r"\\begin\s*\{(?:eqnarray|align)")
_RENDERER = re.compile(
    r"latex\.php|codecogs|mimetex|mathtex|cht=tx|texrend|math/render|imgmath|_images/math|latexit", re.I
)


def with_whole_tex(page: str) -> str:
    """Return a page of LaTeX2HTML with shortened formulas as they stand in the comments before their pictures."""

    def whole(found: re.Match[str]) -> str:
        known = _SHORTENED.search(found["alt"]) and not _SEVERAL_PICTURES.search(found["tex"])
        return f'{found["between"]}"{html.escape(found["tex"].strip())}"' if known else found[0]

    return _WHOLE_TEX.sub(whole, page) if "<!-- MATH" in page else page


class PageFormulas:
    """Turns the formulas of a page into markers; `math` gets what they point at, `unreadable` what could not be read.

    `lowered` is the page's markup without its `<math>` in small letters, `settings` what that says, `classes` all of its elements.
    """

    def __init__(
        self, root: Element, math: list[MathTag], settings: PageSettings, lowered: str, classes: Set[str]
    ) -> None:
        self.root, self.math, self.settings, self.lowered, self.classes = root, math, settings, lowered, classes
        self.unreadable: Counter[str] = Counter()
        self.macros = TexMacros()
        for package in sorted(settings.packages):
            self.macros.load(package)
        self.macros.add(settings.macros)
        self.delimiters = Delimiters(settings.delimiters, self.add_formula, len(lowered))
        self.scripts = {each.get("id") for each in root.iter("script") if _is_math(each)}

    def mark_formulas(self) -> None:
        """Replace formulas by markers: first those typeset already, then those in the text; each only where the page has any."""
        if _TYPESET_CLASSES & self.classes or any(word in self.lowered for word in _TYPESET_WORDS):
            waiting = [self.root]
            while waiting:
                element = waiting.pop()
                if isinstance(element.tag, str) and not self._replace_typeset(element):
                    waiting.extend(reversed(element))
        else:
            for image in list(self.root.iter("img")):
                self._replace_typeset(image)
        text = str(etree.tostring(self.root, method="text", encoding="unicode"))
        if "\\" in text or any(opening in text for opening in self.delimiters.ends) or "math" in self.classes:
            self._replace_in_text(self.delimiters.replace_formulas)
        if self.settings.engine and not self.settings.configured and not any(tag.inline for tag in self.math):
            before = len(self.math)
            self._replace_in_text(lambda text: replace_strict_dollars(text, self.add_formula))
            if sum("\\" in tag.tex for tag in self.math[before:]) >= _MIN_TEX_FORMULAS:  # the author types formulas so
                self._replace_in_text(lambda text: replace_single_dollars(text, self.add_formula))

    def add_formula(self, tex: str, display: bool) -> str:
        """Store a formula, its macros expanded, and return its marker; "" for one that only defines macros, or is a space."""
        expanded = self.macros.expand(tex.replace(_BREAK, "\n"))
        rows = equations(expanded, display=display)
        if all(_SPACES.fullmatch(row) for row in rows):
            return ""
        return self._new_marker(MathTag(r" \\ ".join(rows), display, tuple(rows), not display))

    def _new_marker(self, tag: MathTag) -> str:
        self.math.append(tag)
        return f"{MARKER_OPEN}{len(self.math) - 1}{MARKER_CLOSE}"

    def _mark_unreadable(self, element: Element, kind: str) -> bool:
        self.unreadable[kind] += 1
        return replace_element(element, "…")

    # Formulas typeset already: each method replaces the element and returns True, or leaves it.

    def _replace_typeset(self, element: Element) -> bool:
        tag, names = element.tag, frozenset((element.get("class") or "").split())
        if tag == "script":
            return _is_math(element) and self._script(element)
        if tag == "mjx-container" or names & xpaths.MATHJAX:
            return self._mathjax(element, names)
        if "mwe-math-element" in names or element.get("typeof") == "mw:Extension/math":
            return self._mediawiki(element)
        if names & xpaths.KATEX:
            return self._katex(element, names)
        if tag == "img":
            return self._picture(element, names)
        if source := element.get("data-tex") or element.get("data-latex"):
            return replace_element(element, self.add_formula(source, tag == "div"))
        if tag in xpaths.TEX_TAGS:
            return replace_element(element, self.add_formula(text_of(element), element.get("block") is not None))
        if names & xpaths.RAW_TEX:
            display = element.get("data-math-style") == "display" or "display" in names
            return replace_element(
                element, self.add_formula(text_of(element), display or element_name(element.getparent()) == "pre")
            )
        return False

    def _script(self, element: Element) -> bool:
        kind = str(element.get("type")).lower()
        source = _CDATA.sub("", element.text or "")
        if kind.startswith("math/tex"):
            return replace_element(element, self.add_formula(source, "display" in kind))
        if marker := self._mathml(source, "display" in kind):
            return replace_element(element, marker)
        return self._mark_unreadable(element, "scripts")

    def _mathml(self, source: str, display: bool) -> str:
        """Return a marker for MathML in a script, an attribute or an element, perhaps cut out of it already; nothing for none."""
        numbers = MARKER.findall(source)
        tags = [self.math[int(number)] for number in numbers if int(number) < len(self.math)] or cut_math(source)[1]
        tag = next((tag for tag in tags if tag.tex), None)
        if tag is None:
            return ""
        display = display or tag.display
        if tag.rows:
            return self._new_marker(MathTag(tag.tex, display, tag.rows, not display))
        return self.add_formula(tag.tex, display)

    def _mathjax(self, element: Element, names: frozenset[str]) -> bool:
        """Replace what MathJax has typeset: version 2 keeps the source in a script behind it, 3 and 4 leave MathML or nothing."""
        frames = (str(each.get("id", "")).removesuffix("-Frame") for each in element.iter())
        if any(frame in self.scripts for frame in frames if frame):
            return replace_element(element, "")
        if "MathJax_Preview" in names:
            following = element.getnext()
            return following is not None and _is_mathjax(following) and replace_element(element, "")
        display = element.get("display") == "true" or bool(names & xpaths.MATHJAX_DISPLAYS)
        sources = [str(value) for each in element.iter() for key in _SOURCE_ATTRIBUTES if (value := each.get(key))]
        if sources and "<math" not in sources[0] and not MARKER.search(sources[0]):
            return replace_element(element, self.add_formula(sources[0], display))
        if marker := self._mathml("".join(sources[:1]) or text_of(element), display):
            return replace_element(element, marker)
        return self._mark_unreadable(element, "mathjax") if len(element) or text_of(element) else False

    def _mediawiki(self, element: Element) -> bool:
        """Read a formula of a MediaWiki: as its author typed it (Parsoid), as MathML, or by the text of its picture."""
        typed = _parsoid_data(element.get("data-mw") or "")
        attributes, body = _json_object(typed.get("attrs")), _json_object(typed.get("body"))
        numbers = [int(number) for number in MARKER.findall(text_of(element))]
        found = next((tag for n in numbers if n < len(self.math) and (tag := self.math[n]).tex), MathTag("", False))
        alt = next((str(image.get("alt")) for image in element.iterfind(".//img[@alt]")), "")
        tex = html.unescape(str(body.get("extsrc") or found.tex or alt or element.get("alt") or ""))
        if not tex.strip():
            pictured = element.tag == "img" or element.find(".//img") is not None
            return pictured and self._mark_unreadable(element, "pictures")
        class_names = " ".join(str(each.get("class")) for each in element.iter() if each.get("class"))
        block = any(name in class_names for name in ("mwe-math-mathml-display", "mwe-math-element-block"))
        display = found.display or block or attributes.get("display") == "block"
        qid = str(attributes.get("qid") or "").upper()
        tag = MathTag(tex, display, found.rows, False, qid if _QID.fullmatch(qid) else "")
        return replace_element(element, self._new_marker(tag))

    def _katex(self, element: Element, names: frozenset[str]) -> bool:
        parent = element.getparent()
        display = parent is not None and "katex-display" in (parent.get("class") or "").split()
        if "katex-error" in names:
            return replace_element(element, self.add_formula(text_of(element), display))
        if marker := self._mathml(text_of(element), display):
            return replace_element(element, marker)
        return self._mark_unreadable(element, "katex")

    def _picture(self, element: Element, names: frozenset[str]) -> bool:
        """Read a picture of a formula by the TeX that it carries; other pictures stay."""
        alt, source = str(element.get("alt") or ""), str(element.get("src") or "")
        drawn = _RENDERER.search(source)
        if not drawn and not _DELIMITED.fullmatch(alt) and not names & xpaths.FORMULA_PICTURES:
            parent = element.getparent()
            around = frozenset((parent.get("class") or "").lower().split()) if parent is not None else frozenset()
            if not around & xpaths.FORMULA_PICTURES:
                return False
        if not _TEX_SIGNS.search(alt) and drawn:
            query = urlsplit(source).query
            alt = unquote_plus(query.partition("latex=")[2] or query.partition("chl=")[2] or query).partition("&")[0]
        if not (_TEX_SIGNS.search(alt) or _DELIMITED.fullmatch(alt)) or _SHORTENED.search(alt):
            return self._mark_unreadable(element, "pictures")
        display = bool(names & {"formulaDsp", "displaymath"}) or alt.strip().startswith(("\\[", "$$", "\\begin"))
        return replace_element(element, self.add_formula(without_delimiters(alt), display or _display_around(element)))

    # Formulas in the text.

    def _replace_in_text(self, replaced: Callable[[str], str]) -> None:
        """Put markers for the formulas in the text; what a page excludes, and code, is left alone."""
        waiting = [(self.root, False)]
        while waiting:
            element, ignored = waiting.pop()
            if not isinstance(element.tag, str) or element.tag in xpaths.NO_TEX_TAGS:
                continue
            names = frozenset((element.get("class") or "").split())
            ignored = (ignored or bool(names & xpaths.TEX_IGNORED)) and not names & xpaths.TEX_PROCESSED
            if not ignored:
                for run in _text_runs(element):
                    _rewrite(run, replaced)
            if "math" in names and element.tag in ("span", "div") and not MARKER.search(text_of(element)):
                self._replace_math_class(element, names)
                continue
            waiting.extend((child, ignored) for child in reversed(element))

    def _replace_math_class(self, element: Element, names: frozenset[str]) -> None:
        """Read a formula that only its class tells: TeX without delimiters, or letters in italics (Pandoc)."""
        text = text_of(element)
        if not text.strip():
            return
        typed = len(element) > 0 or not (_TEX_SIGNS.search(text) or self.settings.engine)
        display = "display" in names or element.tag == "div"
        _set_text(element, self.add_formula(to_tex(formula_markup(element)) if typed else text, display))


def _parsoid_data(data: str) -> dict[str, object]:
    """Return Parsoid's data of an extension's tag."""
    try:
        return _json_object(json.loads(data)) if data and len(data) < _MAX_DATA_LENGTH else {}
    except (ValueError, RecursionError):
        return {}


def _json_object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def formula_markup(element: Element) -> str:
    """Return an element's content as the few tags that a formula in HTML is made of."""
    inner = html.escape(element.text or "", quote=False)
    for child in element:
        if isinstance(child.tag, str) and not _SCREEN_ONLY.search(child.get("style") or ""):
            inner += formula_markup(child)
        inner += html.escape(child.tail or "", quote=False)
    tag = _MARKUP.get(element.tag, "")
    if not tag and ("mvar" in (element.get("class") or "") or "italic" in (element.get("style") or "")):
        tag = "i"
    return f"<{tag}>{inner}</{tag}>" if tag else inner


def _is_math(element: Element) -> bool:
    return element.tag == "script" and str(element.get("type", "")).strip().lower().startswith("math/")


def _is_mathjax(element: Element) -> bool:
    return _is_math(element) or bool(xpaths.MATHJAX.intersection((element.get("class") or "").split()))


def _display_around(element: Element) -> bool:
    parent = element.getparent()
    return parent is not None and (parent.tag == "div" or "display" in (parent.get("class") or "").lower())


def replace_element(element: Element, text: str) -> bool:
    """Put text in an element's place; returns True."""
    parent, before = element.getparent(), element.getprevious()
    if parent is not None:
        text += element.tail or ""
        if before is not None:
            before.tail = (before.tail or "") + text
        else:
            parent.text = (parent.text or "") + text
        element.tail = None
        parent.remove(element)
    return True


def _set_text(element: Element, text: str) -> None:
    """Set the text of an element and remove its children."""
    for child in list(element):
        element.remove(child)
    element.text = text


_TextRun = list[tuple[Element, bool]]  # each text of a run: its element, and whether it is that element's tail


def _text_runs(element: Element) -> Iterator[_TextRun]:
    """Yield the texts that MathJax reads as one: separated by line breaks only."""
    run: _TextRun = [(element, False)]
    for child in element:
        if child.tag not in ("br", "wbr"):
            yield run
            run = []
        run.append((child, True))
    yield run


def _rewrite(run: _TextRun, replaced: Callable[[str], str]) -> None:
    texts = [(each.tail if tail else each.text) or "" for each, tail in run]
    text = _BREAK.join(texts)
    if "\\" not in text and "$" not in text and "[" not in text:
        return
    new = replaced(text)
    if new == text:
        return
    parts = new.split(_BREAK)
    for (each, tail), part in zip(run, [*parts, *([""] * (len(run) - len(parts)))], strict=True):
        if tail:
            each.tail = part
        else:
            each.text = part
    for each, _ in run[len(parts) :]:
        parent = each.getparent()
        if parent is not None:
            parent.remove(each)
