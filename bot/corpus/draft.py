"""A document under construction: readers add text, formulas, terms and headings; the result are Occurrences.

Windows of whole sentences around a masked formula ⟦n⟧, and definitions, pairs of symbol and meaning (“where ⟦3⟧ is the mass,
⟦4⟧ the speed of light”), are cut once a section, when its text is complete. Text is what a reader sees: formulas are
masks, a blank line ends a paragraph.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import accumulate, chain, pairwise

from bot.corpus.html.aligned_rows import AlignedCell, formulas_of_rows, goes_on, without_open_relation
from bot.corpus.wikimath import to_tex
from bot.errors import DocumentError
from bot.formula.tex.clean import clean
from bot.messages import Message
from bot.records import MASK_CLOSE, MASK_OPEN, Definition, Document, NameHint, Occurrence, Role

WINDOW_CHARACTERS = 500  # characters of context on each side, as in the data of the paper; whole sentences, so a little less or (for one long sentence) more

PARAGRAPH = "\n\n"  # between the paragraphs of a window

MASK = re.compile(f"{MASK_OPEN}(\\d+){MASK_CLOSE}")

# A full stop after one of these does not end a sentence unless a paragraph ends there too.
_ABBREVIATIONS = frozenset(
    "eq eqs eqn eqns fig figs ref refs sec sect secs ch chap vol vols no nos pp p par para app tab tbl thm lem "
    "prop cor def ex e.g i.e eg ie cf viz vs et al etc ca approx resp incl esp ed eds cit op ibid i.i.d w.r.t a.k.a "
    "dr mr mrs ms prof st jr sr ph.d rev phys lett astron astrophys math mon soc proc univ inst dept jan feb mar apr jun "
    "jul aug sep sept oct nov dec u.s u.k".split()
)
# "al", "etc" and the like do end sentences when a capital word follows that is not a name; we rather join than cut.
# One set of characters in front, which a pattern is searched by fastest; no sentence ends before a small letter.
_STOP = re.compile(r"[.!?…\n](?:(?<!\n)(?:[\"'”’»)\]]|&quot;)*(?=\s)(?! [a-z])|(?<=\n)[ \t]*\n)")
_WORD_ENDS = re.compile(r"[\s(\[{“\"'⟦⟧]")
_FOLLOWING = re.compile(r"(\s*)[\"'“‘«(\[]*(.?)", re.S)
# A symbol is a masked formula or, where the markup set it in plain italics, one letter with perhaps a short index.
SYMBOL = rf"(?:{MASK_OPEN}\d+{MASK_CLOSE}|(?<![\w.'’])[^\W\d_](?:[\d′₀-₉]|_\w{{1,3}})?(?![\w'’]))"
_IS_DEFINED_AS = (
    r"(?:is|are|being|denotes?|denoting|represents?|representing|stands? for|designates?|means|symboli[sz]es"
    r"|is used for|(?:is|are) (?:called|defined (?:as|to be)|given by|taken to be))"
)
# The meaning is only looked at: the next symbol's definition may begin inside it. A pattern is tried where it can begin: to search
# for it takes five times as long, except for one that begins with letters or a line end.
# ⟦1⟧ is the mass
_IS = re.compile(
    rf"(?P<symbol>{SYMBOL})(?:\s*\([^()]{{0,40}}\))?,?\s+(?:here\s+|now\s+|simply\s+)?{_IS_DEFINED_AS}\s+(?=(?P<meaning>[^⟦]{{3,120}}))"
)
# …, ⟦2⟧ the velocity: only after a comma, "and", "with" or "where", and only with an article
_BEFORE = re.compile(
    rf"(?:,|;|:|and(?<!\wand)|with(?<!\wwith)|where(?<!\wwhere)|while(?<!\wwhile))\s+(?P<symbol>{SYMBOL})\s+(?=(?:the|an?)\s)(?=(?P<meaning>[^⟦]{{3,120}}))"
)
_ARTICLE = re.compile(rf"{SYMBOL}\s+(?:the|an?)\s")
# we denote the mass by ⟦1⟧
_DENOTE = re.compile(
    rf"(?:denote(?<!\wdenote)|call(?<!\wcall)|write(?<!\wwrite))d?\s+(?P<meaning>the\s[^⟦,.;]{{3,80}}?)\s+(?:by|as)\s+(?P<symbol>{SYMBOL})"
)
_VERBS = ("denote", "call", "write")
# let ⟦1⟧ be the mass
_LET = re.compile(
    rf"et(?<=\b[Ll]et)\s+(?P<symbol>{SYMBOL})\s+(?:be|denote|represent|stand for)\s+(?=(?P<meaning>[^⟦]{{3,120}}))"
)
# a list of symbols: "⟦1⟧: mass", "⟦1⟧ = mass", "⟦1⟧ – mass" at the start of a line
_LISTED = re.compile(rf"\n\s*(?P<symbol>{SYMBOL})\s*(?:[:–—=]|-\s)\s*(?=(?P<meaning>[^⟦\n]{{3,120}}))")
# Each character as one byte: a letter, a digit, one that is not ASCII, one of .', a blank for any other.
_CHARACTER_KINDS = bytes(
    ord("u" if sign == "?" else "a" if sign.isalpha() else "0" if sign.isdigit() or sign == "_" else sign if sign in ".'" else " ")
    for sign in map(chr, range(128))
) + bytes(128)  # fmt: skip
_LONE_LETTER = (re.compile(rb" (?=[au][ 0u])"), re.compile(rb"u(?=[au][ 0u])"))
_MEANING_END = re.compile(
    r"[,;:.](?=\s|$)|[()\[\]\n]|\s(?:which|that|where|whose|when|while|if|so|because|since|as|such|given|measured|defined"
    r"|and is|and are|but|is|are|was|were|has|have|can|may|will|must|then|with respect|i\.e|e\.g)\b|\s[–—]\s"
)
_LEADING_WORDS = re.compile(
    r"\A(?:(?:the|an?|its|their|our|some|any|another|something|now|just|simply|also|known as|called|so-called|defined as|respectively|again)\s+)+",
    re.I,
)
_TRAILING_WORDS = re.compile(
    r"(?:[\s,]+(?:of|and|or|in|at|for|to|by|with|from|the|an?|on|between|per|its|than|about|respectively))+$", re.I
)
_ADJECTIVES = (
    r"(?:small|large|zero|positive|negative|constant|equal|given|known|finite|independent|real|even|odd|related|perpendicular|parallel|applied"
    r"|chosen|set|bounded|continuous|unknown|invariant|conserved|non-?negative|[\w-]*definite)"
)
# "⟦1⟧ is orthogonal": without an article, a word of this shape tells a property and names nothing.
_PROPERTY = re.compile(
    r"(?!the\s|an?\s)(?:[\w-]*(?:(?<!e)ed|(?<!mi)(?<!ma)(?<!mb)(?<!pp)ly|ous|able|ible|gonal|less|complex|unique|free|due)(?:\s|[.,;]|$)"
    rf"|{_ADJECTIVES}\b"
    # "⟦1⟧ is prime" too, but not "⟦1⟧ is damping coefficient"
    r"|(?:non-?\w+|\w+ing|integers?|prime|infinite|(?:anti)?symmetric|hermitian|unitary|convex|concave|smooth|compact|singular|diagonal|linear|analytic|stationary|uniform|random|optimal|close)"
    r"(?=[.,;:)]|$|\s(?:and|or|if|in|on|for|with|over|then|so|but|at|to|under|the|an?)\b))",
    re.I,
)
# "the momentum and r | is the position", "the mass and the | …": the next definition begins
_NEXT = re.compile(r"\s(?:and|while|or)\s(?:the\s\w+\s(?:is|of)\b|[^\W\d_]\w?(?:\s|$)|$)")
_MAX_WORDS = 12
_WORD = re.compile(r"[^\W\d_]{3}")
_MAX_TERM_LENGTH = 80  # characters
# "⟦1⟧ is small", "⟦1⟧ is not …" say something about a symbol but do not define it.
_NO_MEANING = re.compile(
    r"(?:not|very|much|too|proportional|greater|less|larger|smaller|true|false|valid|also|there|in|on|at|of|to|only|always|never|often|usually"
    r"|sometimes|(?:one|two)(?!-)|used|found|obtained|defined|expressed|required|simply|shown|taken|it|this|that"
    r"|no|more|most|here|still|well|both|all|possible|impossible|necessary|what|how|where|when|called|same|and|or|because|since)\b"
    r"|.*\bones?\Z"
    # "a constant", "a positive number"
    rf"|{_ADJECTIVES}(?:\s+(?:{_ADJECTIVES}|constants?|numbers?|integers?|functions?|parameters?|variables?|values?|scalars?|vectors?|matri(?:x|ces)|quantit(?:y|ies)))*\Z",
    re.I,
)
# A relation, a fraction, several symbols in a row: no symbol
_EXPRESSION = re.compile(
    r"[=<>]|\\(?:leq?|geq?|neq?|equiv|approx|sim|to|(?:long)?rightarrow|propto|ll|gg|in|subset(?:eq)?|frac)(?![A-Za-z])|^[^(){}\[\]]*[,;]"
)
_NO_MASKS = str.maketrans({MASK_OPEN: "[", MASK_CLOSE: "]"})
_RELATION = re.compile(r"[=<>]|\\(?:leq?|geq?|approx|equiv|sim(?:eq)?|propto)(?![A-Za-z])")
_RIGHT_BEFORE = re.compile(f"[\\s:,(\"“”’'*–—-]*{MASK.pattern}")  # between a term and a formula that it is the name of
# Both lengths were set by hand when the first LaTeXML chapters were read.
_DEFINED_AFTER = 200  # characters behind the window where "where m is the mass" may still stand
# Display formulas carry the stop of their sentence inside; it is not part of the formula, but the text needs it.
_STOP_INSIDE = re.compile(r"(?<!\\)([.,;])(?:\s|\\[,;:! ]|\}|\\q?quad)*$")
CELLS = " | "  # between the cells of a row
_ALONE_IN_PARAGRAPH = re.compile(f"{MASK.pattern}[.,;:]?")
_GOES_ON = re.compile(rf"\n\s*\n\s*(?=[a-z{MASK_OPEN}])")
_SENTENCE_PARTS = 40  # texts and formulas that a sentence is looked for in
_MAX_CLEANED_LENGTH = 4000  # a "formula" beyond this is an accident of markup, and no pattern need run over it
_MAX_JOINED_LENGTH = 1000  # characters of a formula that others may take their left sides from
# Characters of an article's lead: its first sentence, behind captions and the rows of an infobox
_OPENING_CHARACTERS = 600
_TITLE_WINDOW = 250  # characters of whole sentences between a bold article title and its formula


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) spans of the sentences of `text`, in order, without the blanks between them."""
    found = []
    start = 0
    for stop in _STOP.finditer(text):
        at, end = stop.span()
        if (text[at] == "\n" or _ends_sentence(text, at, end)) and (sentence := text[start:end].lstrip()):
            start = end - len(sentence)
            found.append((start, start + len(sentence.rstrip())))
            start = end
    if sentence := text[start:].lstrip():
        start = len(text) - len(sentence)
        found.append((start, start + len(sentence.rstrip())))
    return found


def window_spans(text: str, bounds: Sequence[tuple[int, int]], *limits: int) -> list[dict[int, tuple[int, int]]]:
    """Return for each limit the windows of the masks of `text` as spans: the sentence and whole neighbours up to `limit` each side.

    `bounds` are its sentences; no limit is above WINDOW_CHARACTERS.
    """
    starts, ends = [start for start, _ in bounds], [end for _, end in bounds]
    found: list[dict[int, tuple[int, int]]] = [{} for _ in limits]
    for mask in MASK.finditer(text):
        at, after = mask.span()
        own = bisect_right(starts, at) - 1
        for windows, limit in zip(found, limits, strict=True):
            first = min(own, bisect_left(starts, at - limit))
            last = max(own, bisect_right(ends, after + limit) - 1)
            start, end = starts[first], ends[last]
            # One endless sentence (a table, a list without stops) is cut between words, the only cut inside a sentence.
            if at - starts[own] > 2 * WINDOW_CHARACTERS:
                start = text.find(" ", at - WINDOW_CHARACTERS, at) + 1 or at
            if ends[own] - after > 2 * WINDOW_CHARACTERS:
                end = max(text.rfind(" ", after, after + WINDOW_CHARACTERS), after)
            windows[int(mask[1])] = start, end
    return found


def window_texts(
    text: str, bounds: Sequence[tuple[int, int]], windows: Iterable[tuple[int, int]]
) -> dict[tuple[int, int], str]:
    """Return the text of each window with collapsed blanks; each sentence is collapsed once, as windows overlap.

    A sentence that ends with its paragraph ends with PARAGRAPH, as a displayed formula often has no full stop; it goes on in a paragraph
    that begins with a small letter (“where …”) or is a formula alone; a row of a table is no such paragraph.
    """
    first, after = {start: n for n, (start, _) in enumerate(bounds)}, {end: n + 1 for n, (_, end) in enumerate(bounds)}
    plain = [squeeze(text[start:end]) for start, end in bounds]
    for n, ((_, end), (then, _)) in enumerate(pairwise(bounds)):
        following = plain[n + 1]
        goes_on = not (then > end + 1 and "\n\n" in text[end:then]) or (
            CELLS not in following and (following[:1].islower() or _ALONE_IN_PARAGRAPH.fullmatch(following))
        )
        plain[n] += " " if goes_on else PARAGRAPH
    return {
        (start, end): "".join(plain[first[start] : after[end]]).rstrip()
        if start in first and end in after
        else squeeze(text[start:end])
        for start, end in set(windows)
    }


def may_be_term(text: str) -> bool:
    """Tell whether emphasised text may be a term: it has a word, and is not long."""
    return len(text) <= _MAX_TERM_LENGTH and bool(_WORD.search(text))


def squeeze(text: str) -> str:
    """Return `text` with each run of blanks and line ends as one blank, without those at its ends."""
    return collapse_blanks(text).strip()


def collapse_blanks(text: str) -> str:
    """Return `text` with each run of blanks and line ends as one blank, also at its ends."""
    # All blanks but " " are unprintable: most texts need nothing, which is told in a fifth of the time.
    return text if text.isprintable() and "  " not in text else " ".join(f"x{text}x".split())[1:-1]


def _ends_sentence(text: str, at: int, end: int) -> bool:
    following = text[end + 1 : end + 2]
    if text[end] != " " or not following.isalnum():
        blanks, following = _FOLLOWING.match(text, end, end + 40).groups()  # type: ignore[union-attr]  # matches anything
        if "\n\n" in blanks:
            return True
    if not following or following.islower() or following in ",;:)=":
        return False
    if text[at] != ".":
        return True
    word = text[max(0, at - 20) : at].rpartition(" ")[2]
    if not word.isalpha():
        word = _WORD_ENDS.split(word)[-1]
    if len(word) == 1 and word.isalpha() and word.isupper():  # an initial: "A. Einstein"
        return False
    return word.lower() not in _ABBREVIATIONS


def find_definitions(text: str, formulas: Mapping[int, str]) -> Iterator[tuple[int, str, str]]:
    """Yield (offset, symbol as TeX, meaning) for every definition in `text`; `formulas` gives the TeX of its masks."""
    text = f"\n{text}"
    symbols = _symbol_starts(text)
    verbs = sorted(found.start() for verb in _VERBS if verb in text for found in re.finditer(verb, text))
    for match in chain(
        _matches(_IS, symbols, text),
        _matches(_BEFORE, _phrase_starts(symbols, text), text),
        _LET.finditer(text),
        _matches(_DENOTE, verbs, text),
        _LISTED.finditer(text),
    ):
        symbol = symbol_tex(match["symbol"], formulas)
        meaning = _noun_phrase(match["meaning"])
        if symbol and meaning:
            yield match.start("symbol") - 1, symbol, meaning


def _symbol_starts(text: str) -> list[int]:
    """Return the positions where a symbol may begin: at each mask and each single letter."""
    kinds = text.encode("ascii", "replace").translate(_CHARACTER_KINDS) + b" "
    starts = {found.end() for pattern in _LONE_LETTER for found in pattern.finditer(kinds)}
    starts.update(found.start() for found in MASK.finditer(text))
    return sorted(starts)


def _phrase_starts(symbols: Iterable[int], text: str) -> Iterator[int]:
    """Yield where the word or sign before a symbol with an article may begin."""
    for start in symbols:
        if _ARTICLE.match(text, start):
            while text[start - 1].isspace():
                start -= 1
            yield from (start - length for length in (5, 4, 3, 1) if length < start)


def _matches(pattern: re.Pattern[str], starts: Iterable[int], text: str) -> Iterator[re.Match[str]]:
    """Yield the matches of a pattern that can begin at no other place."""
    end = 0
    for start in starts:
        if start >= end and (found := pattern.match(text, start)):
            end = found.end()
            yield found


def symbol_tex(symbol: str, formulas: Mapping[int, str]) -> str:
    """Return the symbol's TeX; an equation or a long expression is not a symbol."""
    if not symbol.startswith(MASK_OPEN):
        return to_tex(re.sub(r"_(\w+)", r"<sub>\1</sub>", symbol))
    tex = formulas.get(int(symbol[1:-1]), "").strip()
    return tex if 0 < len(tex) <= 40 and not _EXPRESSION.search(tex) else ""


def _noun_phrase(text: str) -> str:
    """Return the noun phrase that `text` begins with, "" if there is none."""
    if _PROPERTY.match(text):
        return ""
    end = _MEANING_END.search(text)
    phrase = _LEADING_WORDS.sub("", text[: end.start()] if end else text, count=1)
    phrase = _NEXT.split(phrase, maxsplit=1)[0]
    phrase = _TRAILING_WORDS.sub("", " ".join(phrase.split())).strip(" \"'“”*")
    words = phrase.split()
    if not words or len(words) > _MAX_WORDS or _NO_MEANING.match(phrase) or not _WORD.search(phrase):
        return ""
    return phrase


Notice = Callable[[str, Message], None]  # takes the path of what was left out, and the reason
DocumentFormulas = tuple[Document, tuple[Occurrence, ...]]


class NoArticle(DocumentError):
    """A redirect, talk page or template: sound, but not an article."""


_Term = tuple[int, NameHint]  # where it begins


@dataclass(slots=True)
class _Formula:
    position: int
    tex: str
    display: bool
    role: Role
    hints: tuple[NameHint, ...]


@dataclass(slots=True)
class Draft:
    """Collects one document; call `occurrences` at the end."""

    document: str
    unreadable: Counter[str] = field(default_factory=Counter)  # formulas whose places in the text are gaps, by kind
    opening: str = ""  # how the text before the first heading begins
    _heading: str = ""
    _parts: list[str] = field(default_factory=list)
    _formulas: list[_Formula] = field(default_factory=list)
    _terms: list[tuple[int, NameHint]] = field(default_factory=list)  # each with the number of parts before it
    _count: int = 0
    _finished: list[Occurrence] = field(default_factory=list)
    _pending_break: str = ""  # "", a line or a paragraph end, written before the next text
    _sentence_is_open: bool = False  # the last thing was a display formula whose sentence has not ended

    def text(self, text: str) -> None:
        """Add rendered text."""
        if self._pending_break:
            text = text.lstrip()
        if not text:
            return
        if self._pending_break:
            goes_on = self._sentence_is_open and (text[0].islower() or text[0] in ",;.")
            self._write_break("" if goes_on else self._pending_break)
        self._sentence_is_open = False
        self._parts.append(text.translate(_NO_MASKS) if MASK_OPEN in text or MASK_CLOSE in text else text)

    def paragraph(self, *, closed: bool = False) -> None:
        """End the paragraph, and so the sentence, unless a display formula follows or an open one went before.

        After a `closed` one no sentence goes on.
        """
        self._pending_break = "\n\n"
        self._sentence_is_open = self._sentence_is_open and not closed

    def line(self) -> None:
        """End the line: an item of a list, a row of a table."""
        self._pending_break = self._pending_break or "\n"

    def term(self, kind: str, name: str) -> None:
        """Add a bold or defined term as text and remember it as a name for formulas near by."""
        self._write_break(self._pending_break)
        self._terms.append((len(self._parts), NameHint(kind, squeeze(name))))
        self.text(name)

    def unfinished_sentence(self) -> str:
        """Return the unfinished sentence at the end of the text, formulas masked; "" where the last one has ended."""
        text = _GOES_ON.sub(" ", "".join(self._parts[-_SENTENCE_PARTS:])[-WINDOW_CHARACTERS:])
        bounds = sentence_spans(text)
        return text[slice(*bounds[-1])] if bounds and not text.rstrip().endswith((".", "!", "?")) else ""

    def formula(
        self, tex: str, *, display: bool = False, role: Role = "text", hints: tuple[NameHint, ...] = ()
    ) -> None:
        """Add a formula, and its mask to the text. Blank TeX adds nothing.

        One that goes on where a formula right before it stops at a relation is part of that one, or gets its left side, as a row does.
        """
        cleaned = clean(tex) if len(tex) <= _MAX_CLEANED_LENGTH else tex.strip()
        if not cleaned:
            return
        tail = tex[-40:]
        found = _STOP_INSIDE.search(tail) if "." in tail or "," in tail or ";" in tail else None
        stop = found[1] if found else ""
        at = self._mask_right_before(display, role)
        if at is not None and goes_on(self._formulas[-1].tex, cleaned):
            before = self._formulas[-1]
            before.tex, *rest = formulas_of_rows([[AlignedCell(before.tex)], [AlignedCell(cleaned)]])
            if not rest:
                before.display, before.hints = before.display or display, tuple(dict.fromkeys(before.hints + hints))
                self._parts[at:] = [f"{self._parts[at].rstrip()}{stop}{' ' * before.display}"]
                self._pending_break, self._sentence_is_open = "", before.display and stop != "."
                return
            cleaned = rest[0]
        self._formulas.append(_Formula(self._count, cleaned, display, role, hints))
        self._write_break("" if display else self._pending_break)
        mask = f"{MASK_OPEN}{self._count}{MASK_CLOSE}{stop}"
        self._parts.append(f" {mask} " if display else mask)
        self._sentence_is_open = display and stop != "."
        self._count += 1

    def _mask_right_before(self, display: bool, role: Role) -> int | None:
        """Return the part with the mask of a formula of that role that nothing but blanks are behind; before or behind one that is displayed a paragraph may end, too."""
        before = self._formulas[-1] if self._formulas else None
        if before is None or before.role != role or len(before.tex) > _MAX_JOINED_LENGTH or self._pending_break == "\n":
            return None
        if self._pending_break and not (display or before.display):
            return None
        mask = f"{MASK_OPEN}{before.position}{MASK_CLOSE}"
        for at in range(len(self._parts) - 1, -1, -1):
            if part := self._parts[at].strip():
                return at if part == mask else None
        return None

    def heading(self, heading: str) -> None:
        """Close the section and open one named `heading`."""
        self._close_section()
        self._heading = squeeze(heading.translate(_NO_MASKS))

    def add_unreadable(self, kind: str) -> None:
        """Count a formula that cannot be read; `kind` is a code of the catalogues below `lost.`. The text gets a gap."""
        self.unreadable[kind] += 1
        self.text("…")

    def result(self, document: Document) -> DocumentFormulas:
        """Return the document with a note of its unreadable formulas, and all others.

        Raises DocumentError where there are formulas and none could be read.
        """
        occurrences = self.occurrences()
        lost = sum(self.unreadable.values())
        if lost and not occurrences:
            raise DocumentError("formulas_lost", kinds=self._unreadable_kinds(), n=lost, where=document.id)
        every = lost + len(occurrences)
        unread = Message("unread.formulas", lost=lost, n=every, kinds=self._unreadable_kinds()) if lost else None
        opening = self.opening if document.kind == "encyclopaedia" else ""
        return replace(document, opening=opening, unread=unread), occurrences

    def _unreadable_kinds(self) -> Message:
        kinds = (Message(f"lost.{kind}") for kind in sorted(self.unreadable))
        return reduce(lambda one, other: Message("lost.and", one=one, other=other), kinds)

    def occurrences(self) -> tuple[Occurrence, ...]:
        """Close the last section and return all formulas in the order of the text."""
        self._close_section()
        return tuple(self._finished)

    def _write_break(self, waiting: str) -> None:
        if self._pending_break and self._parts:
            self._parts.append(waiting or " ")
        self._pending_break, self._sentence_is_open = "", False

    def _close_section(self) -> None:
        text = "".join(self._parts)
        if not self._heading and not self.opening:
            self.opening = squeeze(text[: 2 * _OPENING_CHARACTERS])[:_OPENING_CHARACTERS]
        for formula in self._formulas:
            formula.tex = without_open_relation(formula.tex)
        if self._formulas:
            self._finished.extend(self._section_occurrences(text))
        self._parts, self._formulas, self._terms = [], [], []
        self._pending_break, self._sentence_is_open = "", False

    def _section_occurrences(self, text: str) -> list[Occurrence]:
        bounds = sentence_spans(text)
        offsets = list(accumulate(map(len, self._parts), initial=0)) if self._terms else []
        terms = [(offsets[parts], hint) for parts, hint in self._terms]
        limits = (WINDOW_CHARACTERS, 0, _TITLE_WINDOW) if terms else (WINDOW_CHARACTERS,)
        window_of, *close = window_spans(text, bounds, *limits)
        for f in self._formulas:
            if f.role == "key_equations":  # other rows of the table are about other formulas
                window_of[f.position] = _within_paragraph(
                    text, window_of[f.position], f"{MASK_OPEN}{f.position}{MASK_CLOSE}"
                )
        windows = window_texts(text, bounds, window_of.values())
        found = sorted(find_definitions(text, {f.position: f.tex for f in self._formulas}))
        starts, definitions_found = [start for start, _, _ in found], [Definition(*each) for _, *each in found]
        definitions = {span: _definitions_in(starts, definitions_found, span) for span in windows} if found else {}
        owned = list(zip(terms, self._owners(text, terms), strict=True))
        done = []
        for f in self._formulas:
            span, hints = window_of[f.position], f.hints
            if close:
                hints += _terms_near(f.position, owned, *(spans[f.position] for spans in close))
            where = (windows[span], self._heading, f.role, definitions.get(span, ()), hints)
            done.append(Occurrence(self.document, f.position, f.tex, f.display, *where))
        return done

    def _owners(self, text: str, terms: Sequence[_Term]) -> list[int | None]:
        """Return for each term the equation that it stands right before; None where it is of any formula of its sentence."""
        equations = {f.position for f in self._formulas if _RELATION.search(f.tex)}
        found = (_RIGHT_BEFORE.match(text, at + len(hint.name)) for at, hint in terms)
        return [int(mask[1]) if mask and int(mask[1]) in equations else None for mask in found]


def _terms_near(
    position: int, terms: Sequence[tuple[_Term, int | None]], own: tuple[int, int], near: tuple[int, int]
) -> tuple[NameHint, ...]:
    """Return the names for a formula: a bold title within `near`, any other term, each with its owner, only within the formula's `own` sentence."""
    found: dict[NameHint, None] = {}
    for (at, hint), owner in terms:
        of_sentence = own[0] <= at < own[1] and owner in (None, position)
        if near[0] <= at < near[1] and (hint.kind == "bold_title" or of_sentence):
            found[hint] = None
    return tuple(found)


def _within_paragraph(text: str, window: tuple[int, int], mask: str) -> tuple[int, int]:
    """Return the part of a window that lies in the paragraph of a mask."""
    at = text.index(mask, *window)
    start, end = text.rfind("\n\n", window[0], at), text.find("\n\n", at, window[1])
    return window[0] if start < 0 else start + 2, window[1] if end < 0 else end


def _definitions_in(
    starts: Sequence[int], definitions: Sequence[Definition], window: tuple[int, int]
) -> tuple[Definition, ...]:
    """Return the first definition of each symbol in a window or shortly behind it."""
    start, end = window
    first: dict[str, Definition] = {}
    for each in definitions[bisect_left(starts, start) : bisect_left(starts, end + _DEFINED_AFTER)]:
        first.setdefault(each.symbol, each)
    return tuple(first.values())
