"""All formulas of a parsed page as markers in its text: what MathJax or KaTeX has set or would set, scripts, pictures with TeX.

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
from bot.corpus.html.mathtags import CLOSE, MARKER, OPEN, MathTag, cut
from bot.corpus.html.tex_delimiters import Delimiters, PageSettings, dollars
from bot.corpus.single_dollars import single_dollars
from bot.corpus.tex_equations import bare, equations
from bot.corpus.tex_macros import TexMacros
from bot.corpus.wikimath import to_tex
from bot.corpus.xml_parsing import Element, name, text_of
from bot.wikibase import ITEM_ID

_QID = re.compile(ITEM_ID)
_LONGEST_DATA = 100_000  # characters of what Parsoid says of one tag
# Classes and words of the markup (in small letters) of which a page has none where `_set` would find nothing but pictures.
_SET_CLASSES = xpaths.MATHJAX | xpaths.KATEX | xpaths.RAW_TEX | {"mwe-math-element"}
_SET_WORDS = ("mjx-container", "math/", "mw:extension/math", "data-tex", "data-latex")
_SOURCES = ("data-latex", "data-mathml")
_SEVERAL = 3
_BREAK = "\ue002"  # a <br> inside of a run of text
_CDATA = re.compile(r"\s*%?\s*(?:<!\[CDATA\[|\]\]>)\s*")
_MARKUP = {"i": "i", "b": "b", "em": "i", "strong": "b", "sub": "sub", "sup": "sup", "var": "i"}
_SCREEN_ONLY = re.compile(r"clip:|position:\s*absolute|display:\s*none")
_DELIMITED = re.compile(r"\s*(?:\$\$?.+\$\$?|\\\(.+\\\)|\\\[.+\\\]|\\begin\s*\{.+\})\s*", re.S)
_TEX_SIGNS = re.compile(r"\\[A-Za-z]|[\^_{}=]|\A\s*\\?[A-Za-z]\w?\s*\Z")
_RENDERER = re.compile(
    r"latex\.php|codecogs|mimetex|mathtex|cht=tx|texrend|math/render|imgmath|_images/math|latexit", re.I
)


class PageFormulas:
    """Turns the formulas of a page into markers; `math` gets what they point at, `lost` what could not be read.

    `lowered` is the page's markup without its `<math>` in small letters, `settings` what that says, `classes` all of its elements.
    """

    def __init__(
        self, root: Element, math: list[MathTag], settings: PageSettings, lowered: str, classes: Set[str]
    ) -> None:
        self.root, self.math, self.settings, self.lowered, self.classes = root, math, settings, lowered, classes
        self.lost: Counter[str] = Counter()
        self.macros = TexMacros()
        for package in sorted(settings.packages):
            self.macros.load(package)
        self.macros.add(settings.macros)
        self.delimiters = Delimiters(settings.delimiters, self.put, len(lowered))
        self.scripts = {each.get("id") for each in root.iter("script") if _is_math(each)}

    def mark(self) -> None:
        """Go over the page once for what is set already, and once for its text; where nothing of that is in sight, not at all."""
        if _SET_CLASSES & self.classes or any(word in self.lowered for word in _SET_WORDS):
            waiting = [self.root]
            while waiting:
                element = waiting.pop()
                if isinstance(element.tag, str) and not self._set(element):
                    waiting.extend(reversed(element))
        else:
            for image in list(self.root.iter("img")):
                self._set(image)
        text = str(etree.tostring(self.root, method="text", encoding="unicode"))
        if "\\" in text or any(opening in text for opening in self.delimiters.ends) or "math" in self.classes:
            self._texts(self.delimiters.replaced)
        if self.settings.engine and not self.settings.configured and not any(tag.inline for tag in self.math):
            before = len(self.math)
            self._texts(lambda text: dollars(text, self.put))
            if sum("\\" in tag.tex for tag in self.math[before:]) >= _SEVERAL:  # its author types formulas like that
                self._texts(lambda text: single_dollars(text, self.put))

    def put(self, tex: str, display: bool) -> str:
        """Keep a formula, its macros expanded, and return its marker; one that only defines macros leaves nothing."""
        expanded = self.macros.expanded(tex.replace(_BREAK, "\n"))
        rows = equations(expanded) if display else [bare(expanded)]
        return self._marker(MathTag(r" \\ ".join(rows), display, tuple(rows), not display)) if any(rows) else ""

    def _marker(self, tag: MathTag) -> str:
        self.math.append(tag)
        return f"{OPEN}{len(self.math) - 1}{CLOSE}"

    def _lose(self, element: Element, kind: str) -> bool:
        self.lost[kind] += 1
        return _replace(element, "…")

    # What is set already: each method replaces the element and returns True, or leaves it.

    def _set(self, element: Element) -> bool:
        tag, names = element.tag, frozenset((element.get("class") or "").split())
        if tag == "script":
            return _is_math(element) and self._script(element)
        if tag == "mjx-container" or names & xpaths.MATHJAX:
            return self._mathjax(element, names)
        if "mwe-math-element" in names or element.get("typeof") == "mw:Extension/math":
            return self._wiki(element)
        if names & xpaths.KATEX:
            return self._katex(element, names)
        if tag == "img":
            return self._picture(element, names)
        if source := element.get("data-tex") or element.get("data-latex"):
            return _replace(element, self.put(source, tag == "div"))
        if names & xpaths.RAW_TEX:
            display = element.get("data-math-style") == "display" or "display" in names
            return _replace(element, self.put(text_of(element), display or name(element.getparent()) == "pre"))
        return False

    def _script(self, element: Element) -> bool:
        kind = str(element.get("type")).lower()
        source = _CDATA.sub("", element.text or "")
        if kind.startswith("math/tex"):
            return _replace(element, self.put(source, "display" in kind))
        if marker := self._mathml(source, "display" in kind):
            return _replace(element, marker)
        return self._lose(element, "scripts")

    def _mathml(self, source: str, display: bool) -> str:
        """Return a marker for MathML in a script, an attribute or an element, perhaps cut out of it already; nothing for none."""
        numbers = MARKER.findall(source)
        tags = [self.math[int(number)] for number in numbers if int(number) < len(self.math)] or cut(source)[1]
        tag = next((tag for tag in tags if tag.tex), None)
        if tag is None:
            return ""
        display = display or tag.display
        if tag.rows:
            return self._marker(MathTag(tag.tex, display, tag.rows, not display))
        return self.put(tag.tex, display)

    def _mathjax(self, element: Element, names: frozenset[str]) -> bool:
        """The source of what MathJax 2 has set is a script behind it; MathJax 3 and 4 leave MathML, or nothing."""
        frames = (str(each.get("id", "")).removesuffix("-Frame") for each in element.iter())
        if any(frame in self.scripts for frame in frames if frame):
            return _replace(element, "")
        if "MathJax_Preview" in names:
            following = element.getnext()
            return following is not None and _is_mathjax(following) and _replace(element, "")
        display = element.get("display") == "true" or bool(names & xpaths.MATHJAX_DISPLAYS)
        sources = [str(value) for each in element.iter() for key in _SOURCES if (value := each.get(key))]
        if sources and "<math" not in sources[0] and not MARKER.search(sources[0]):
            return _replace(element, self.put(sources[0], display))
        if marker := self._mathml("".join(sources[:1]) or text_of(element), display):
            return _replace(element, marker)
        return self._lose(element, "mathjax") if len(element) or text_of(element) else False

    def _wiki(self, element: Element) -> bool:
        """Read a formula of a MediaWiki: as its author typed it (Parsoid), as MathML, or by the text of its picture."""
        typed = _typed(element.get("data-mw") or "")
        attributes, body = _object(typed.get("attrs")), _object(typed.get("body"))
        numbers = [int(number) for number in MARKER.findall(text_of(element))]
        found = next((tag for n in numbers if n < len(self.math) and (tag := self.math[n]).tex), MathTag("", False))
        alt = next((str(image.get("alt")) for image in element.iterfind(".//img[@alt]")), "")
        tex = html.unescape(str(body.get("extsrc") or found.tex or alt or element.get("alt") or ""))
        if not tex.strip():
            pictured = element.tag == "img" or element.find(".//img") is not None
            return pictured and self._lose(element, "pictures")
        shown = " ".join(str(each.get("class")) for each in element.iter() if each.get("class"))
        block = any(name in shown for name in ("mwe-math-mathml-display", "mwe-math-element-block"))
        display = found.display or block or attributes.get("display") == "block"
        qid = str(attributes.get("qid") or "").upper()
        tag = MathTag(tex, display, found.rows, False, qid if _QID.fullmatch(qid) else "")
        return _replace(element, self._marker(tag))

    def _katex(self, element: Element, names: frozenset[str]) -> bool:
        above = element.getparent()
        display = above is not None and "katex-display" in (above.get("class") or "").split()
        if "katex-error" in names:
            return _replace(element, self.put(text_of(element), display))
        if marker := self._mathml(text_of(element), display):
            return _replace(element, marker)
        return self._lose(element, "katex")

    def _picture(self, element: Element, names: frozenset[str]) -> bool:
        """Read a picture of a formula by the TeX that it carries; a picture that nothing says to be of one is left alone."""
        alt, source = str(element.get("alt") or ""), str(element.get("src") or "")
        drawn = _RENDERER.search(source)
        if not drawn and not _DELIMITED.fullmatch(alt) and not names & xpaths.FORMULA_PICTURES:
            above = element.getparent()
            around = frozenset((above.get("class") or "").lower().split()) if above is not None else frozenset()
            if not around & xpaths.FORMULA_PICTURES:
                return False
        if not _TEX_SIGNS.search(alt) and drawn:
            query = urlsplit(source).query
            alt = unquote_plus(query.partition("latex=")[2] or query.partition("chl=")[2] or query).partition("&")[0]
        if not _TEX_SIGNS.search(alt):
            return self._lose(element, "pictures")
        display = bool(names & {"formulaDsp", "displaymath"}) or alt.strip().startswith(("\\[", "$$", "\\begin"))
        return _replace(element, self.put(bare(alt), display or _display_around(element)))

    # What is still text.

    def _texts(self, replaced: Callable[[str], str]) -> None:
        """Put markers for the formulas in the text; what a page excludes, and code, is left alone."""
        waiting = [(self.root, False)]
        while waiting:
            element, ignored = waiting.pop()
            if not isinstance(element.tag, str) or element.tag in xpaths.NO_TEX_TAGS:
                continue
            names = frozenset((element.get("class") or "").split())
            ignored = (ignored or bool(names & xpaths.TEX_IGNORED)) and not names & xpaths.TEX_PROCESSED
            if not ignored:
                for run in _runs(element):
                    _rewrite(run, replaced)
            if "math" in names and element.tag in ("span", "div") and not MARKER.search(text_of(element)):
                self._bare(element, names)
                continue
            waiting.extend((child, ignored) for child in reversed(element))

    def _bare(self, element: Element, names: frozenset[str]) -> None:
        """Read a formula that only its class tells: TeX without delimiters, or letters in italics (Pandoc)."""
        text = text_of(element)
        if not text.strip():
            return
        typed = len(element) > 0 or not (_TEX_SIGNS.search(text) or self.settings.engine)
        display = "display" in names or element.tag == "div"
        _fill(element, self.put(to_tex(markup(element)) if typed else text, display))


def _typed(data: str) -> dict[str, object]:
    """Return what Parsoid says of an extension's tag."""
    try:
        return _object(json.loads(data)) if data and len(data) < _LONGEST_DATA else {}
    except (ValueError, RecursionError):
        return {}


def _object(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}


def markup(element: Element) -> str:
    """Return an element's content as the few tags that a formula in HTML is made of."""
    inner = html.escape(element.text or "", quote=False)
    for child in element:
        if isinstance(child.tag, str) and not _SCREEN_ONLY.search(child.get("style") or ""):
            inner += markup(child)
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
    above = element.getparent()
    return above is not None and (above.tag == "div" or "display" in (above.get("class") or "").lower())


def _replace(element: Element, text: str) -> bool:
    """Put text in an element's place; returns True."""
    above, before = element.getparent(), element.getprevious()
    if above is not None:
        text += element.tail or ""
        if before is not None:
            before.tail = (before.tail or "") + text
        else:
            above.text = (above.text or "") + text
        element.tail = None
        above.remove(element)
    return True


def _fill(element: Element, text: str) -> None:
    """Make text all that is in an element."""
    for child in list(element):
        element.remove(child)
    element.text = text


_Run = list[tuple[Element, bool]]  # each text of a run: its element, and whether it is that element's tail


def _runs(element: Element) -> Iterator[_Run]:
    """Yield what MathJax looks at as one text: texts parted by nothing but line breaks."""
    run: _Run = [(element, False)]
    for child in element:
        if child.tag not in ("br", "wbr"):
            yield run
            run = []
        run.append((child, True))
    yield run


def _rewrite(run: _Run, replaced: Callable[[str], str]) -> None:
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
