"""Names as text and labels as items carry them: folding, and the spellings under which a name may be an item's label."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from bot.discover.phrases import EN

ALIAS = 0.9  # chosen: an alias names an item a little less surely than its label
# Heads that say what kind of statement it is, not which one: “Darcy's law” and “Darcy equation” are one name.
HEADS = tuple("law equation formula relation relationship rule principle theorem identity condition".split())
# “Energy of a photon” and “photon energy” are one name; what is longer says more than one noun can before another.
_OF = re.compile(r"^(?P<head>\S+(?: \S+)?) of (?:an? |the )?(?P<rest>\S+(?: \S+)?)$")
_OWNED = frozenset((*HEADS, "constant", "function", "inequality", "number"))  # “Coulomb constant” is Coulomb's
_ARTICLE = re.compile(r"^(?:the|an?) ")
_ARTICLE_AS_WRITTEN = re.compile(r"^(?:[Tt]he|[Aa]n?) ")
_BRACKET = re.compile(r"\s*\([^()]*\)\s*$")
QUOTES, _DASHES = "’‘ʼ′`´", "‐‑‒–—−"
INTERCHANGEABLE_HEADS = ("law", "equation", "formula", "relation")  # not theorem: Stokes' law is not Stokes' theorem


def with_one_sign(text: str, signs: str, sign: str) -> str:
    """Return a text with one sign for all of these: in long texts a tenth of the time of `str.translate`."""
    for each in signs:
        text = text.replace(each, sign)
    return text


@lru_cache(maxsize=32768)
def fold(name: str) -> str:
    """Return a name without case, kinds of dash and apostrophe, leading article and outer punctuation."""
    text = unicodedata.normalize("NFKC", with_one_sign(name, QUOTES, "'"))
    text = with_one_sign(text, _DASHES, "-").casefold()
    text = " ".join(text.split()).strip(" .,:;\"'“”*")
    return _ARTICLE.sub("", text)


@lru_cache(maxsize=16384)
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
        yield from ((spelling, weight * 0.95) for spelling in _spellings(base))
        if framed := EN.pattern("frame").match(base):
            yield framed["rest"], weight * 0.8
            yield from ((spelling, weight * 0.75) for spelling in _spellings(framed["rest"]))
        of_phrase = _OF.match(base)
        if of_phrase and not framed:
            stem, _, last = of_phrase["rest"].rpartition(" ")
            yield f"{stem} {singular(last)} {of_phrase['head']}".strip(), weight * 0.8
        yield from ((spelling, weight * 0.7) for spelling in _heads(base))


def _before_comma(text: str) -> str:
    head, comma, _ = text.partition(",")
    return head.strip() if comma else ""


def _spellings(text: str) -> Iterator[str]:
    """Yield number, possessive (also without its apostrophe) and hyphen spellings of one name."""
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
    elif any(singular(word) in _OWNED for word in words[1:]):
        if len(words) == 2 and last in _OWNED:
            yield f"{words[0]}'s {last}"
        if (owner := singular(words[0])) != words[0]:  # “Newtons law”
            yield f"{owner}'s {' '.join(words[1:])}"
    if "-" in text:
        yield text.replace("-", " ")


def _heads(text: str) -> Iterator[str]:
    """Yield the name without its head word, or with another one of the same meaning."""
    stem, _, last = text.rpartition(" ")
    if not stem or singular(last) not in INTERCHANGEABLE_HEADS:
        return
    if "'" not in stem and not stem.endswith((" of", " for")):
        yield stem
    yield from (f"{stem} {head}" for head in INTERCHANGEABLE_HEADS if head != last)


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
    tidy = _ARTICLE_AS_WRITTEN.sub("", " ".join(with_one_sign(name, QUOTES, "'").split()).strip(" .,:;"))
    forms = {tidy: None}
    words = {fold(word): word.strip(" .,:;") for word in tidy.split()}
    for variant, _ in variants(name) if variants_too else ():
        forms.setdefault(" ".join(words.get(word, word) for word in variant.split()))
    return tuple(form for form in forms if form)


def clause_head(text: str) -> str:
    """Return a phrase without its trailing modifiers: “net force on the body” gives “net force”."""
    return EN.pattern("phrase_end").split(text, maxsplit=1)[0]


def head_word(label: str) -> str:
    """Return the noun that a label is about: “moment of inertia” → moment, “angular velocity” → velocity."""
    return (clause_head(_BRACKET.sub("", fold(label))).split() or [""])[-1]


def is_statement(label: str) -> bool:
    """Tell whether a label names a statement, not a quantity, so that any side of its formula may be on the left."""
    word = singular(head_word(label))
    return EN.is_law_head(word) or word in EN.words("stating")
