"""Names as text and labels as items carry them: folding, and the spellings under which a name may be an item's label."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from bot.discover.phrases import EN

ALIAS = 0.9  # chosen: an alias names an item a little less surely than its label
# Heads that say what kind of statement it is, not which one: “Darcy's law” and “Darcy equation” are one name.
HEADS = tuple("law equation formula relation relationship rule principle theorem identity condition".split())
# What stands before “of X” or “for X” when the whole is only a way of saying X.
_FRAMES = re.compile(
    r"^(?:the )?(?:(?:general|common|usual|basic|mathematical|simple|full|standard|defining|governing) )*"
    r"(?:definition|formula|equation|expression|expressions|form|statement|law|relation|value|magnitude|rule|unit|calculation)s? "
    r"(?:of|for) (?:the |an? )?(?P<rest>.+)$"
)
# “Energy of a photon” and “photon energy” are one name; what is longer says more than one noun can before another.
_OF = re.compile(r"^(?P<head>\S+(?: \S+)?) of (?:an? |the )?(?P<rest>\S+(?: \S+)?)$")
_OWNED = frozenset((*HEADS, "constant", "function", "inequality", "number"))  # “Coulomb constant” is Coulomb's
_ARTICLE = re.compile(r"^(?:the|an?) ")
_ARTICLE_AS_WRITTEN = re.compile(r"^(?:[Tt]he|[Aa]n?) ")
_BRACKET = re.compile(r"\s*\([^()]*\)\s*$")
_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")
_QUOTES = dict.fromkeys(map(ord, "’‘ʼ′`´"), "'")
EXCHANGED = ("law", "equation", "formula", "relation")  # not theorem: Stokes' law is not Stokes' theorem
# What a name says of a label's concept: it itself, it in some form or of anything whatever, or one case of it.
SAME, GENERAL, NARROW = "same", "general", "narrow"
# Words before a label that leave it as wide as it is: an instantaneous velocity is the velocity.
_NEUTRAL = frozenset(
    "general generalized generalised instantaneous total net overall universal usual common classical conventional corresponding resulting whole given following above "
    "important famous so-called standard-form basic simple definition statement law local physical mathematical modern familiar original well-known ordinary actual same "
    "first second our".split()
)
_ANY = frozenset(
    "a an the any some given single certain particular continuous arbitrary general such one two its this that each every whole entire rigid closed moving of".split()
)
# What everything is: the energy of a particle, of a system, of a body is the energy.
_ANYTHING = frozenset(
    "particle particles system systems object objects body bodies sample substance substances material materials medium media surface region volume space point points "
    "element elements process molecule molecules matter thing fluid curve function variable variables set quantity quantities vector vectors time".split()
)
_FORM = re.compile(
    r"(?: (?:law|equation|formula|theorem|rule|relation))?(?:,? (?:in terms of|in the form|as|in (?:vector|scalar|component|general|this|other|which|question))\b.*"
    r"|,? (?:(?:vector|scalar|component|general|differential|integral) form|vector|magnitude|definition|formula|equation|expression|\(.*\)))$|[,;:(]"
)
_CASE = re.compile(
    r",? (?:due to|stored in|produced by|acting on|relative to|for|of|in|on|at|with|under|near|inside|outside|between|from|undergoing|through|across|by|around|along|over|per|"
    r"during|after|before|against|within|among|without|above|below|about|to|into) "
)
_LINKS = frozenset("of in for to by with between and from on at or".split())


@lru_cache(maxsize=200_000)
def fold(name: str) -> str:
    """Return a name without case, kinds of dash and apostrophe, leading article and outer punctuation."""
    text = unicodedata.normalize("NFKC", name).translate(_DASHES).translate(_QUOTES).casefold()
    text = " ".join(text.split()).strip(" .,:;\"'“”*")
    return _ARTICLE.sub("", text)


@lru_cache(maxsize=200_000)
def variants(name: str) -> tuple[tuple[str, float], ...]:
    """Return folded spellings of a name with how far each is from it: 1.0 the same, less the more was changed."""
    found: dict[str, float] = {}
    for text, weight in _steps(fold(name)):
        if len(text) > 1 and text not in found:
            found[text] = weight
    return tuple(found.items())


def _steps(text: str) -> Iterator[tuple[str, float]]:
    yield text, 1.0
    plain = _BRACKET.sub("", text)
    for base, weight in ((text, 1.0), (plain, 0.9), (_before_comma(plain), 0.75)):
        if not base:
            continue
        yield base, weight
        yield from ((spelt, weight * 0.95) for spelt in _spellings(base))
        framed = _FRAMES.match(base)
        if framed:
            yield framed["rest"], weight * 0.8
            yield from ((spelt, weight * 0.75) for spelt in _spellings(framed["rest"]))
        turned = _OF.match(base)
        if turned and not framed:
            stem, _, last = turned["rest"].rpartition(" ")
            yield f"{stem} {singular(last)} {turned['head']}".strip(), weight * 0.8
        yield from ((spelt, weight * 0.7) for spelt in _heads(base))


def _before_comma(text: str) -> str:
    head, comma, _ = text.partition(",")
    return head.strip() if comma else ""


def _spellings(text: str) -> Iterator[str]:
    """Yield number, possessive and hyphen spellings of one name."""
    words = text.split()
    last = words[-1]
    stem = " ".join(words[:-1])
    # Labels stand in the singular, except where the statement itself is several equations.
    for form in (singular(last), plural(last) if last in HEADS else last):
        if form != last:
            yield f"{stem} {form}".strip()
    if "'s " in text:
        yield text.replace("'s ", " ")
        if "s's " in text:
            yield text.replace("s's ", "s' ")
    elif "s' " in text:
        yield text.replace("s' ", "s ")
        yield text.replace("s' ", "s's ")
    elif len(words) == 2 and last in _OWNED:
        yield f"{words[0]}'s {last}"
    if "-" in text:
        yield text.replace("-", " ")


def _heads(text: str) -> Iterator[str]:
    """Yield the name without its head word, or with another one of the same meaning."""
    stem, _, last = text.rpartition(" ")
    if not stem or singular(last) not in EXCHANGED:
        return
    if "'" not in stem and not stem.endswith((" of", " for")):
        yield stem
    yield from (f"{stem} {head}" for head in EXCHANGED if head != last)


def singular(word: str) -> str:
    """Return an English noun's singular by its ending; words that only look like plurals stay."""
    if len(word) < 4 or word.endswith(("ss", "us", "is", "'s", "ics")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("shes", "ches", "xes", "sses")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def plural(word: str) -> str:
    """Return the regular English plural of a noun; plurals and short symbols stay."""
    if len(word) < 3 or word.endswith("s"):
        return word
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("x", "ch", "sh")) else "s")


def labels_to_ask(name: str, *, variants_too: bool = True) -> tuple[str, ...]:
    """Return the strings to look up as labels for a name: itself and its variants, with the capitals of its words."""
    tidy = _ARTICLE_AS_WRITTEN.sub("", " ".join(name.translate(_QUOTES).split()).strip(" .,:;"))
    asked = {tidy: None}
    words = {fold(word): word.strip(" .,:;") for word in tidy.split()}
    for variant, _ in variants(name) if variants_too else ():
        asked.setdefault(" ".join(words.get(word, word) for word in variant.split()))
    return tuple(form for form in asked if form)


def clause_head(text: str) -> str:
    """Return a phrase up to what says of what, where or which: “net force on the body” gives “net force”."""
    return EN.pattern("phrase_end").split(text, maxsplit=1)[0]


@lru_cache(maxsize=200_000)
def scope(name: str, label: str) -> str:
    """Return how a folded name that contains a folded label stands to it: SAME, GENERAL, NARROW, or "" where it is about something else.

    “Torque vector” and “density of a substance” are as wide as torque and density; “average velocity” and “period of a pendulum” are narrower.
    """
    found = re.search(rf"(?<!\w){re.escape(label)}s?(?!\w)", name) if len(label) > 2 else None
    if not found:
        return ""
    before, after = name[: found.start()].strip(), re.sub(r"^ \w(?=[ ,]|$)", "", name[found.end() :])
    if not before and not after:
        return SAME
    words = [] if _FRAMES.match(f"{before} x") else before.split()
    if any(word in _LINKS or word.endswith(("'s", "s'")) for word in words) or after.startswith(("'", "-")):
        return ""
    narrow = any(word not in _NEUTRAL | _ANY and not word.endswith(("ly", "ing")) for word in words)
    if after and not _FORM.match(after):
        if not (case := _CASE.match(after)):
            return ""  # “energy density” is no energy
        what = re.split(r"[,;(]", after[case.end() :])[0].split()
        narrow |= any(len(word) > 1 and word not in _ANY | _ANYTHING for word in what)
    return NARROW if narrow else GENERAL


def head_word(label: str) -> str:
    """Return the noun that a label is about: “moment of inertia” → moment, “angular velocity” → velocity."""
    return (clause_head(_BRACKET.sub("", fold(label))).split() or [""])[-1]


def states(label: str) -> bool:
    """Say whether a label names a statement, not a quantity: any side of its formula may stand on the left."""
    word = singular(head_word(label))
    return EN.heads_law(word) or word in EN.words("stating")
