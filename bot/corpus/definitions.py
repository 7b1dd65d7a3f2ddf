"""Local definitions in rendered text: “where ⟦3⟧ is the mass, ⟦4⟧ the speed of light” to (symbol, meaning) pairs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from bot.corpus.wikimath import to_tex
from bot.records import MASK_CLOSE, MASK_OPEN

# A symbol is a masked formula or, where the markup set it in plain italics, one letter with perhaps a short index.
SYMBOL = rf"(?:{MASK_OPEN}\d+{MASK_CLOSE}|(?<![\w.'’])[^\W\d_](?:[\d′₀-₉]|_\w{{1,3}})?(?![\w'’]))"
_SAYS = (
    r"(?:is|are|being|denotes?|denoting|represents?|representing|stands? for|designates?|means|symboli[sz]es"
    r"|is used for|(?:is|are) (?:called|defined (?:as|to be)|given by|taken to be))"
)
# The meaning is only looked at: the next symbol's definition may begin inside it. A pattern that begins with letters is
# found several times as fast as one with an assertion in front of them: those stand behind.
_PATTERNS = (
    # ⟦1⟧ is the mass
    re.compile(
        rf"(?P<symbol>{SYMBOL})(?:\s*\([^()]{{0,40}}\))?,?\s+(?:here\s+|now\s+|simply\s+)?{_SAYS}\s+(?=(?P<meaning>[^⟦]{{3,120}}))"
    ),
    # …, ⟦2⟧ the velocity: only after a comma, "and", "with" or "where", and only with an article
    re.compile(
        rf"(?:,|;|:|and(?<!\wand)|with(?<!\wwith)|where(?<!\wwhere)|while(?<!\wwhile))\s+(?P<symbol>{SYMBOL})\s+(?=(?:the|an?)\s)(?=(?P<meaning>[^⟦]{{3,120}}))"
    ),
    # let ⟦1⟧ be the mass; we denote the mass by ⟦1⟧
    re.compile(
        rf"et(?<=\b[Ll]et)\s+(?P<symbol>{SYMBOL})\s+(?:be|denote|represent|stand for)\s+(?=(?P<meaning>[^⟦]{{3,120}}))"
    ),
    re.compile(
        rf"(?:denote(?<!\wdenote)|call(?<!\wcall)|write(?<!\wwrite))d?\s+(?P<meaning>the\s[^⟦,.;]{{3,80}}?)\s+(?:by|as)\s+(?P<symbol>{SYMBOL})"
    ),
    # a list of symbols: "⟦1⟧: mass", "⟦1⟧ = mass", "⟦1⟧ – mass" at the start of a line
    re.compile(rf"(?:^|\n)\s*(?P<symbol>{SYMBOL})\s*(?:[:–—=]|-\s)\s*(?=(?P<meaning>[^⟦\n]{{3,120}}))"),
)
_END = re.compile(
    r"[,;:.](?=\s|$)|[()\[\]\n]|\s(?:which|that|where|whose|when|while|if|so|because|since|as|such|given|measured|defined|per unit"
    r"|and is|and are|but|is|are|was|were|has|have|can|may|will|must|then|with respect|i\.e|e\.g)\b|\s[–—]\s"
)
_LEAD = re.compile(
    r"(?:(?:the|an?|its|their|some|any|now|just|simply|also|known as|called|defined as|respectively|again)\s+)+", re.I
)
_TAIL = re.compile(r"(?:[\s,]+(?:of|and|or|in|at|for|to|by|with|from|the|an?|on|between|per|its|than|about))+$", re.I)
# "⟦1⟧ is orthogonal": without an article, a word of this shape tells a property and names nothing.
_PROPERTY = re.compile(
    r"(?!the\s|an?\s)[\w-]*(?:(?<!e)ed|(?<!mi)(?<!ma)(?<!mb)(?<!pp)ly|ous|able|ible|gonal|less|complex|unique|free|due)(?:\s|[.,;]|$)",
    re.I,
)
# "the momentum and r | is the position", "the mass and the | …": the next definition begins
_NEXT = re.compile(r"\s(?:and|while|or)\s(?:the\s\w+\s(?:is|of)\b|[^\W\d_]\w?(?:\s|$)|$)")
_MAX_WORDS = 12
# "⟦1⟧ is small", "⟦1⟧ is not …" say something about a symbol but do not define it.
_NO_MEANING = re.compile(
    r"(?:not|very|much|too|small|large|zero|positive|negative|constant|equal|given|known|finite|independent|proportional|greater|less|larger|smaller"
    r"|true|false|valid|also|there|in|on|at|of|to|only|always|never|often|usually|sometimes|one|two|real|even|odd|used|found|obtained|related|defined|expressed|perpendicular|parallel|applied|chosen|set|required|simply|shown|taken|it|this|that"
    r"|no|more|most|here|still|well|both|all|bounded|continuous|unknown|invariant|conserved|possible|impossible|necessary|what|how|where|when|called|and|or|because|since)\b",
    re.I,
)


def located(text: str, formulas: Mapping[int, str]) -> Iterator[tuple[int, str, str]]:
    """Yield (offset, symbol as TeX, meaning) for every definition in `text`; `formulas` gives the TeX of its masks."""
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            symbol = symbol_tex(match["symbol"], formulas)
            meaning = _noun_phrase(match["meaning"])
            if symbol and meaning:
                yield match.start("symbol"), symbol, meaning


def symbol_tex(symbol: str, formulas: Mapping[int, str]) -> str:
    """Return the symbol's TeX; an equation or a long expression is no symbol."""
    if not symbol.startswith(MASK_OPEN):
        return to_tex(re.sub(r"_(\w+)", r"<sub>\1</sub>", symbol))
    tex = formulas.get(int(symbol[1:-1]), "").strip()
    return tex if 0 < len(tex) <= 40 and not re.search(r"[=<>]|\\(?:leq?|geq?|equiv|approx|sim|to|frac)\b", tex) else ""


def _noun_phrase(text: str) -> str:
    """Return the noun phrase that `text` begins with, or an empty string where it begins with none."""
    if _PROPERTY.match(text):
        return ""
    end = _END.search(text)
    phrase = _LEAD.sub("", text[: end.start()] if end else text, count=1)
    phrase = _NEXT.split(phrase, maxsplit=1)[0]
    phrase = _TAIL.sub("", " ".join(phrase.split())).strip(" \"'“”*")
    words = phrase.split()
    if not words or len(words) > _MAX_WORDS or _NO_MEANING.match(phrase) or not re.search(r"[^\W\d_]{3}", phrase):
        return ""
    return phrase
