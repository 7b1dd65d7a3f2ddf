"""Why a formula would, or would not, be the one that defines what its article is about.

Each clue of the table `CLUES` looks at one formula in its article and returns a score from 0 to 1, 0 where it has nothing to say;
whether it speaks for or against, and how much, the model says (model.json).
"""

import math
import re
from collections.abc import Callable

from bot.corpus.draft import MASK
from bot.discover.articles.article import ArticleCandidate, ArticleFormulas
from bot.discover.candidate_filters import is_numeric
from bot.discover.label_scope import GENERAL, NARROW, SAME, name_scope
from bot.discover.left_sides import sides
from bot.discover.phrases import fold, folded_clauses, is_law, noun_phrases
from bot.formula import identifiers

Clue = Callable[[ArticleFormulas, ArticleCandidate], float]
_NEAR = 120  # characters before the formula in which its introduction stands
_STATING = ("equation", "relation", "assignment")  # kinds with a left side
_MEAN = re.compile(r"\\(?:bar|overline|Delta|langle|tilde)(?![a-zA-Z])")
_LIKE = re.compile(r"\\(?:thick)?sim(?![a-zA-Z])")  # distributed as, or of the order of
_ABOUT = re.compile(r"^[^=]*\\(?:approx|simeq|propto)(?![a-zA-Z])")
_MAP = re.compile(r":[^=]*\\(?:to|rightarrow|longrightarrow)(?![a-zA-Z])|\\(?:mapsto|longmapsto)(?![a-zA-Z])")
_UNIT = re.compile(
    r"\d(?:\s|~|\\[ ,;:])*\\(?:mathrm|text|rm|operatorname)\s*\{?\s*(?:~|\\[ ,])*(?:[kMGmcnμ]?(?:m|s|kg|eV|K|J|W|N|Hz|T|V|Pa)|km|pc|yr|AU)\b"
)
_LISTED = re.compile(r",|\\q?quad(?![a-zA-Z])")
_LETTERS = re.compile(r"[A-Za-z]")
_COMMANDS = re.compile(r"\\[a-zA-Z]+")
_DEFINED = re.compile(
    r":=|=:|\\(?:equiv|coloneqq|triangleq|doteq|stackrel\s*\{?\\?[a-z{]*\s*def|overset\s*\{?\\?[a-z{]*\s*def)(?![a-zA-Z])|\\mathrel\{:=\}"
)
_OPERATIONS = {
    "derivative": re.compile(
        r"\\frac\s*\{\s*\\?(?:d|mathrm\s*\{?d|partial|Delta|operatorname\{d)|\\d{1,3}ot|\\partial|\\nabla|\\over\s*\{?d|\bd[a-z]\s*/\s*d"
    ),
    "fraction": re.compile(r"\\[tdc]?frac|/|\\over(?![a-z])"),
    "root": re.compile(r"\\sqrt|\\surd"),
    "sum": re.compile(r"\\sum|\\[lc]?dots\s*\+|\+\s*\\[lc]?dots"),
    "integral": re.compile(r"\\i{1,3}nt(?![a-z])|\\oint"),
    "limit": re.compile(r"\\lim(?![a-z])|\\(?:sup|inf)(?![a-z])"),
    "product": re.compile(r"\\(?:times|cdot|prod)(?![a-z])"),
    "power": re.compile(r"\^"),
    "log": re.compile(r"\\(?:log|ln|exp)(?![a-z])|e\s*\^"),
}
LARGE = 45  # leaves: above, it is a derivation or a table


def _hinted(one: ArticleCandidate, kind: str) -> list[str]:
    return [hint.name for hint in one.occurrence.hints if hint.kind == kind]


def _section(article: ArticleFormulas, one: ArticleCandidate) -> int:
    """Return 1 under a heading that announces the statement, -1 under one that announces something else."""
    heading = article.without_names(one.occurrence.heading)
    phrase = article.pattern("preposition").split(article.pattern("conjunction").split(heading)[0])[0]
    found = _announced(article, phrase) or _announced(article, heading)
    return int(_own(article, law_at_end(one.occurrence.heading))) if found > 0 else found


def _announced(article: ArticleFormulas, text: str) -> int:
    """Return 1 or -1 by the word that is nearest to the head of a phrase: “Basic properties” are properties."""
    kinds = {1: article.pattern("statement"), -1: article.pattern("aside")}
    found = [(match.start(), kind) for kind, pattern in kinds.items() for match in pattern.finditer(text)]
    return (min(found) if article.language.head_first else max(found))[1] if found else 0


def title_section(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """Its section is about the article's subject: neither about another law that has its name, nor about one kind of it."""
    heading = fold(one.occurrence.heading)
    named = any(f" {name} " in f" {heading} " for name in article.names)
    return named and _own(article, law_at_end(one.occurrence.heading)) and not narrow_section(article, one)


def narrow_section(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """Its section is about one kind of the article's subject: “Average velocity”."""
    heading = fold(one.occurrence.heading)
    found = {name_scope(heading, name, article.language) for name in article.names}
    return NARROW in found and not found & {SAME, GENERAL}


def title_near(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The title, or a pronoun for it, is shortly before the formula."""
    gap, _ = article.names_after_mentions.get(one.occurrence.position, (math.inf, False))
    return math.exp(-gap / 6)


def subject(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """Its sentence is about the article's subject."""
    _, about = article.names_after_mentions.get(one.occurrence.position, (math.inf, False))
    return about


def short_subject(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The sentence is about “the law”, or in the lead about “it”."""
    if subject(article, one):
        return False
    if not one.occurrence.heading and article.pattern("anaphor").search(one.before):
        return True
    if len(article.head) < 3:
        return False
    before = rf"(.*?){article.pattern('determiner').pattern}"
    found = re.search(rf"{before}{re.escape(article.head)}\b", one.before, re.I)
    if found is None or article.pattern("governed").search(found[1]):
        return False
    behind = folded_clauses(MASK.sub(" ", one.before[found.end() :])).split()
    return not (behind and article.is_continued(behind[0]))


def _says(name: str) -> Clue:
    """Return the clue that a pattern of the language is found shortly before the formula."""
    return lambda article, one: bool(article.pattern(name).search(one.before[-_NEAR:]))


def defines(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The sentence is about the article's subject and says what it is."""
    return bool(subject(article, one) or short_subject(article, one)) and bool(_says("says")(article, one))


def meanings(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The part of its letters whose meaning the text near it tells."""
    letters = set(identifiers(one.tex))
    explained = {letter for d in one.occurrence.definitions for letter in identifiers(d.symbol)[:1]}
    return len(letters & explained) / len(letters) if letters else 0.0


def own_symbol(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """Its left side is the symbol that the text introduces beside the title."""
    most = max(article.symbols.values(), default=0)
    return article.symbols[one.left] / most if one.left and most else 0.0


def initial(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """Its left side begins with the letter that a word of the title begins with."""
    letter = one.left.lstrip("\\")[:1].lower() if len(re.split(r"[_^]", one.left)[0].lstrip("\\")) == 1 else ""
    heads = {name.split()[-1][:1] for name in article.names[:1]} | {name[:1] for name in article.names[:1]}
    return bool(letter) and letter in heads


def own_meaning(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """Its left side is explained as the article's subject."""
    return not article.meanings.get(one.left, set()).isdisjoint(article.mentions)


def initials(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """Its left side has two or more letters that are the initials of the title: `\\{f, g\\}_{DB}`, `x_{rms}`."""
    letters = "".join(_LETTERS.findall(_COMMANDS.sub(" ", sides(one.tex)[0]))).lower()
    acronyms = {"".join(word[0] for word in name.split()) for name in article.names}
    return any(len(each) > 1 and re.search(rf"{each}|{each[0]}.*\b{each[1:]}", letters) for each in acronyms)


def serves_another(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The symbol on its left stands on the right side of an equation before it, which is about another symbol."""
    letter = identifiers(one.left)[:1] if one.left else ()
    return bool(letter) and any(
        letter[0] in identifiers(sides(other.tex)[1]) and identifiers(other.left)[:1] != letter
        for other in article.candidates
        if other.left and one.rank - 6 <= other.rank < one.rank
    )


def central(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """Its letters are those of the article's other formulas."""
    letters = set(identifiers(one.tex))
    total = len(article.candidates)
    if total < 3 or not letters:
        return 0.0
    return sum(article.letter_counts[letter] - 1 for letter in letters) / (len(letters) * (total - 1))


def relation(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """It states no equality."""
    return one.kind == "relation" or (one.kind != "expression" and bool(_LIKE.search(one.tex) or _ABOUT.match(one.tex)))


def numbers(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """Numbers or units were put in for symbols."""
    listed = [part for part in _LISTED.split(one.tex) if part.strip()]
    return (
        not identifiers(one.tex) or bool(_UNIT.search(one.tex)) or all(map(is_numeric, listed)) or is_numeric(one.tex)
    )


def mean(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """A mean or a difference, where the article is about none: its left side or the text before it says so."""
    average, title = article.pattern("average"), article.document.title
    marked = _MEAN.search(one.tex.partition("=")[0]) and not article.pattern("change").search(title)
    named = average.search(one.occurrence.heading) or average.search(one.before[-_NEAR:])
    return bool(marked or named) and not average.search(f"{title} {article.definition}")


def other_law(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """A law that is not the article's is named right before it, or in its heading."""
    return not all(_own(article, law_at_end(text)) for text in (one.before[-_NEAR:], one.occurrence.heading))


def law_at_end(text: str) -> str:
    """Return the law that the end of a text names, or an empty string: “… is given by the Schrödinger equation”."""
    found = noun_phrases(text)
    if not found or len(text[found[-1].end :].split()) > 2 or not is_law(found[-1].text):
        return ""
    return found[-1].text if any(word[:1].isupper() for word in found[-1].text.split()) else ""


def _own(article: ArticleFormulas, law: str) -> bool:
    """Say whether a law is the article's, or none at all. That of an ideal gas is not that of the article on gas."""
    own = fold(law)
    return not own or any(own in each or (article.is_law and each in own) for each in article.names)


def named_after(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The text behind it calls it by the article's name: “…, which is called the velocity”."""
    text = f" {fold(MASK.sub(' ', one.after))} "
    return any(f" {name} " in text for name in article.mentions)


def operation(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The article's definition in words names an operation, and the formula has it: a rate and a derivative, a ratio and a fraction."""
    language, definition = article.language, article.definition
    named_operations = [name for name in language.operations if language.operation(name).search(definition)]
    return any(_OPERATIONS[name].search(one.tex) for name in named_operations)


def ingredients(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The part of the letters on its right side whose meanings the article's definition in words names, at most two."""
    words = set(fold(article.definition).split()) - set(article.names[0].split() if article.names else ())
    letters = set(identifiers(sides(one.tex)[1])) if one.kind in _STATING else set()
    return min(2, sum(not words.isdisjoint(article.explained.get(letter, ())) for letter in letters)) / 2


def like_listed(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The share of its token n-grams, and of those of the listed formula that is most like it, that both have."""
    own = one.ngrams if article.listed_ngrams else frozenset()
    return max((_shared(own, listed) for listed in article.listed_ngrams), default=0.0)


def _shared(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the Jaccard index of two sets, one of which is not empty."""
    return len(one & other) / len(one | other)


def contains_listed(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The part of a listed formula that it contains."""
    own = one.ngrams if article.listed_ngrams else frozenset()
    return max((len(own & listed) / len(listed) for listed in article.listed_ngrams), default=0.0)


def listing(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """The article is a list or a summary."""
    pattern = article.pattern("listing")
    return bool(pattern.search(article.document.title) or pattern.search(article.definition))


def of_a_law(article: ArticleFormulas, one: ArticleCandidate) -> float:
    """An article on a law or an equation has one, and early; a theorem may be stated in words."""
    law = article.is_law and not article.pattern("theorem").search(article.head)
    return 1 / (1 + one.rank) if law else 0.0


CLUES: dict[str, Clue] = {
    # where it stands
    "first": lambda _, one: one.rank == 0 and one.kind != "expression",
    "opens_section": lambda _, one: (
        bool(one.occurrence.heading) and not one.rank_in_section and one.kind != "expression"
    ),
    "far": lambda _, one: min(1.0, math.log2(1 + one.rank) / 6),  # down: every doubling counts the same
    "lead": lambda _, one: not one.occurrence.heading,
    "display": lambda _, one: one.occurrence.display,
    "infobox": lambda _, one: one.occurrence.role == "infobox",
    "out_of_text": lambda _, one: one.occurrence.role in ("table", "caption", "example", "exercise"),
    "boxed": lambda _, one: bool(_hinted(one, "equation_title")),  # the box around it has a title
    "bold_title": lambda _, one: bool(_hinted(one, "bold_title")),  # in its sentence or beside it
    # a row of the infobox that is for the formula
    "formula_field": lambda article, one: any(map(article.pattern("field").search, _hinted(one, "infobox"))),
    "statement_section": lambda article, one: _section(article, one) > 0,
    "aside_section": lambda article, one: _section(article, one) < 0,
    "title_section": title_section,
    "narrow_section": narrow_section,
    # what its sentence says
    "title_in_sentence": lambda article, one: one.occurrence.position in article.names_after_mentions,
    "title_near": title_near,
    "subject": subject,
    "short_subject": short_subject,
    "defines": defines,
    # of the article's subject what it is, in words before the formula
    "said_to_be": lambda article, one: subject(article, one) and bool(article.pattern("copula").search(one.before)),
    "says": _says("says"),  # it is the statement
    "example": _says("example"),  # or an assumption
    "special": _says("special"),  # a case or another form
    "condition": _says("condition"),
    "relates": _says("relates"),  # to something else
    "step": _says("consequence"),
    # it explains a symbol of another formula
    "besides": lambda article, one: bool(article.pattern("besides").search(one.before)),
    # its symbols and what they mean
    "meanings": meanings,
    "own_symbol": own_symbol,
    # the article has a symbol of its own, and the left side is another one
    "other_symbol": lambda article, one: bool(article.symbols and one.left) and not article.symbols[one.left],
    "initial": initial,
    "own_meaning": own_meaning,
    # its left side is explained as something else than the article's subject
    "other_meaning": lambda article, one: bool(article.meanings.get(one.left)) and not own_meaning(article, one),
    "initials": initials,
    "definition_sign": lambda _, one: bool(_DEFINED.search(one.tex)),
    # its symbols are explained behind it
    "explained": lambda article, one: bool(article.pattern("explained").search(one.after)),
    "symbol_left": lambda _, one: bool(one.left),  # one side is a single symbol
    "serves_another": serves_another,
    "repeated": lambda _, one: min(1.0, math.log2(1 + one.repeated) / 2),  # the article writes it again
    "central": central,
    # what it states
    "relation": relation,
    "expression": lambda _, one: one.kind == "expression",
    "numbers": numbers,
    "mean": mean,
    "large": lambda _, one: min(1.0, math.log2(max(one.leaves, LARGE) / LARGE)),
    "other_law": other_law,
    "named_after": named_after,
    # how something is written: “x is distributed as …”, a mapping from one set to another
    "notation": lambda _, one: bool(_LIKE.search(one.tex) or _MAP.search(one.tex)),
    "operation": operation,
    "ingredients": ingredients,
    # a list of concepts that has formulas of the article's subject, the usual one first
    "is_listed": lambda article, _: bool(article.listed),
    "like_listed": like_listed,
    "like_first_listed": lambda article, one: (
        _shared(one.ngrams, article.listed_ngrams[0]) if article.listed_ngrams else 0.0
    ),
    "contains_listed": contains_listed,
    # what the article is about: something that is calculated or stated; a thing, a field of study, a class of something
    "quantity": lambda article, _: article.subject.get("quantity", 0.0),
    "thing": lambda article, _: article.subject.get("thing", 0.0),
    "listing": listing,
    "of_a_law": of_a_law,
}
