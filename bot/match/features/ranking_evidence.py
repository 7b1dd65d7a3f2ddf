"""Evidence for a match: the names of the formula in the corpus, and their places.

Each function looks at one pair and returns one Evidence (score 0 to 1, odds from -1) or None where it has nothing to say.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from operator import attrgetter

from bot.discover.articles import ArticleReading
from bot.discover.cues.mentions import Mention
from bot.discover.phrases import EN
from bot.match.features.agreement import equivalent
from bot.match.features.candidate_pair import CandidatePair, Features
from bot.match.item_labels import is_statement
from bot.messages import Message
from bot.records import Evidence

NAMED_BY = ("mentioned", "key_equation", "equation_title", "title")
_SHOWN = 160  # characters of a sentence
SUREST_CUE = 2 / 3  # what the surest cue of a sentence is worth in `called`


def _named_by_author(pair: CandidatePair, kind: str) -> Evidence | None:
    """The document's structure gives the formula the item's name, by hints of this kind."""
    found = [
        (pair.closeness(hint.name), hint.name)
        for one in pair.view.occurrences
        for hint in one.occurrence.hints
        if hint.kind == kind
    ]
    best, name = max(found, default=(0.0, ""))
    return Evidence.of(f"{kind}.named", best, name=name) if best else None


key_equation, equation_title, infobox, defined_term = (
    partial(_named_by_author, kind=kind) for kind in ("key_equation", "equation_title", "infobox", "defined_term")
)


def author_says(pair: CandidatePair) -> Evidence | None:
    """The source itself ties the formula to this item."""
    for one in pair.view.occurrences:
        for hint in one.occurrence.hints:
            if hint.kind == "qid" and hint.name == pair.item.qid:
                return Evidence.of("author_says.marks", 1.0, title=one.document.title, qid=pair.item.qid)
    return None


def title(pair: CandidatePair) -> Evidence | None:
    """An article is about the item, and its first equations are likely the item's."""
    best: tuple[float, int, str] = (0.0, 0, "")
    for one in pair.view.occurrences:
        if one.document.kind == "encyclopaedia":
            score = pair.closeness(one.document.title) / (1 + 0.5 * one.rank)
            best = max(best, (score, -one.rank, one.document.title))
    if not best[0]:
        return None
    return Evidence.of("title.nth", best[0], n=1 - best[1], title=best[2])


def article_defines(pair: CandidatePair) -> Evidence | None:
    """It is the defining formula of the article about the item, by the article's sentences and sections."""
    found = ((pair.closeness(one.document.title) * one.defines, one) for one in pair.view.occurrences if one.defines)
    best, one = max(found, default=(0.0, None), key=lambda each: each[0])
    return Evidence.of("article_defines.chosen", round(best, 4), title=one.document.title) if one and best else None


def words_beside(pair: CandidatePair) -> Evidence | None:
    """Title, heading and text around it use the words of the item's label, whether it is named or not: averaged over its places."""
    return _label_words_used(pair, "words_beside", [one.words for one in pair.view.occurrences])


def words_above(pair: CandidatePair) -> Evidence | None:
    """Title and heading use them."""
    return _label_words_used(pair, "words_above", [one.words_above for one in pair.view.occurrences])


def _label_words_used(pair: CandidatePair, name: str, texts: Sequence[frozenset[str]]) -> Evidence | None:
    label_words = pair.label_words
    used = sum(len(label_words & text) for text in texts)
    if not used:
        return None
    share = used / (len(label_words) * len(texts))
    return Evidence.of(f"{name}.share", round(share, 4), percent=f"{share:.0%}")


def explained(pair: CandidatePair) -> Evidence | None:
    """What is stated for its own sake has its symbols explained; a step has not."""
    share = pair.view.share_with_symbols_explained
    return Evidence.of("explained.behind", share) if share else None


def holds_if(pair: CandidatePair) -> Evidence | None:
    """The words before it state a condition, as before a law."""
    share = pair.view.share_introduced_as("condition")
    return Evidence.of("holds_if.said", share) if share else None


def defining(pair: CandidatePair) -> Evidence | None:
    """The words before it define a quantity: it is defined as, is the ratio of, changes at the rate."""
    if is_statement(pair.item.label):
        return None
    matches = (one.language.pattern("defining").search(one.sentence[0]) for one in pair.view.occurrences)
    found = next((each for each in matches if each), None)
    return Evidence.of("defining.said", 1.0, text=found.group()) if found else None


def called(pair: CandidatePair) -> Evidence | None:
    """A sentence says in so many words that the formula is called this, or that this is given by the formula."""
    return _in_sentence(pair, "called.so", attrgetter("confidence"))


def mentioned(pair: CandidatePair) -> Evidence | None:
    """The name stands near the formula, the nearer the better."""
    return _in_sentence(pair, "mentioned.beside", attrgetter("nearness"))


def _in_sentence(pair: CandidatePair, code: str, weigh: Callable[[Mention], float]) -> Evidence | None:
    weighed = ((one, weight) for one in _mentions(pair) if (weight := weigh(one)))
    found = ((pair.closeness(one.name) * weight, one.sentence, one.name) for one, weight in weighed)
    best, sentence, name = max(found, default=(0.0, "", ""))
    return Evidence.of(code, round(best, 4), text=_short(sentence, name)) if best else None


def named_alone(found: Sequence[Evidence]) -> Evidence | None:
    """The text names it and the built-in list does not have it: both together count less than their sum."""
    scores = {each.name: each.score for each in found}
    named = max(scores.get("called", 0.0) / SUREST_CUE, *(scores.get(name, 0.0) for name in NAMED_BY))
    listed = scores.get("handbook", 0.0)
    alone = (1 - listed) * min(1.0, named)
    return Evidence.of("named_alone.too" if listed else "named_alone.so", round(alone, 4)) if alone else None


def called_eponym(found: Sequence[Evidence]) -> Evidence | None:
    """A sentence calls it so, and the name is one statement's: it counts more than for a name that many formulas have."""
    scores = {each.name: each.score for each in found}
    score = min(1.0, scores.get("called", 0.0) / SUREST_CUE) if "eponym" in scores else 0.0
    return Evidence.of("called_eponym.so", round(score, 4)) if score else None


def name_score(pair: CandidatePair) -> Evidence | None:
    """What discovery made of all signs for the name, pooled over the concept's places."""
    found = [
        (weight * close * pair.view.corpus_names[rank].score, rank)
        for label, weight in pair.labels.items()
        if label in pair.view.names
        for rank, close in [pair.view.names[label]]
    ]
    if not found:
        return None
    best, rank = max(found)
    if best <= 0:
        return None
    name = pair.view.corpus_names[rank]
    if not name.reasons:
        return Evidence.of("name_score.alone", round(best, 4), name=name.name)
    return Evidence.of("name_score.cues", round(best, 4), name=name.name, cues=name.reasons[:3])


def encyclopaedia(pair: CandidatePair) -> Evidence | None:
    """The item's articles in several languages define it by this formula; below 0 where they define it by another.

    Two languages that agree are taken at their word. The weight is set by hand: no development corpus has the articles.
    """
    same = [one for one in pair.articles if equivalent(pair.view.concept.tex, one.tex)]
    others = [one for one in pair.articles if one not in same]
    firm = [one for one in others if one.accepted]
    outvoted = len(firm) > 1 and any(equivalent(firm[0].tex, one.tex) for one in firm[1:])
    if len(same) > 1:
        score = 1.0
    elif same:
        score = (0.7 if same[0].accepted else 0.4) * same[0].probability * (0.5 if outvoted else 1.0)
    elif firm:
        score = -0.5 if outvoted else -0.25
    else:
        return None
    parts = [Message("evidence.encyclopaedia.same", n=len(same), titles=_quoted_titles(same))] if same else []
    parts += [Message("evidence.encyclopaedia.other", titles=_quoted_titles([one]), tex=one.tex) for one in others]
    parts += [
        Message(
            "evidence.encyclopaedia.quote", language=one.language, revision=one.revision, day=one.day, text=one.sentence
        )
        for one in same[:1]
        if one.revision and one.sentence
    ]
    return Evidence(
        "encyclopaedia", round(score, 4), parts[0] if len(parts) == 1 else Message("parts", parts=tuple(parts))
    )


def _quoted_titles(found: Sequence[ArticleReading]) -> Message:
    """“Hubble's law” (en) and “Hubble-Gesetz” (de), in the quotation marks of the reader"""
    *names, last = [Message("titles.one", title=one.title, language=one.language) for one in found]
    if not names:
        return last
    return Message(
        "titles.and", one=reduce(lambda one, other: Message("titles.more", one=one, other=other), names), other=last
    )


def eponym(pair: CandidatePair) -> Evidence | None:
    """A statement named after somebody is one statement; “wave equation” is a kind of many."""
    return (
        Evidence.of("eponym.named", 1.0, name=pair.item.label) if EN.pattern("eponym").search(pair.item.label) else None
    )


CONTEXT_FEATURES: Features = (
    key_equation,
    equation_title,
    infobox,
    defined_term,
    author_says,
    title,
    article_defines,
    words_beside,
    words_above,
    explained,
    holds_if,
    defining,
    called,
    mentioned,
    name_score,
    encyclopaedia,
    eponym,
)


def _mentions(pair: CandidatePair) -> Iterator[Mention]:
    return (mention for one in pair.view.occurrences for mention in one.mentions)


def _short(window: str, name: str) -> str:
    """Return what stands around the name in a window, formulas as dots, as a person can read it; dots where it is cut."""
    text = " ".join(re.sub(r"⟦\d+⟧", "…", window).split())
    if len(text) <= _SHOWN:
        return text
    at = text.casefold().find(" ".join(name.split()).casefold())
    start = min(max(0, at + len(name) - _SHOWN // 2), len(text) - _SHOWN)
    begin = text.rfind(" ", 0, start) + 1 if start else 0
    end = len(text) if start + _SHOWN >= len(text) else text.rfind(" ", begin, start + _SHOWN)
    shown = text[begin:end] if end > begin else text[begin : start + _SHOWN]
    return "…" * (begin > 0 and shown[0] != "…") + shown + "…" * (end < len(text) and shown[-1] != "…")
