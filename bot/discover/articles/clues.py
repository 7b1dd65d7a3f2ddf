"""Why a formula would, or would not, be the one that defines what its article is about.

Each function looks at one formula in its article and returns one Evidence (score 0 to 1) or None where it has nothing to say;
whether it speaks for or against, and how loud, is the model's affair (model.json).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from bot.discover.articles.article import ArticleFormulas, Candidate, right_side
from bot.discover.candidate_filters import numeric
from bot.formula import identifiers
from bot.messages import recorded
from bot.records import Evidence

Clue = Callable[[ArticleFormulas, Candidate], Evidence | None]
_NEAR = 120  # characters before the formula in which its introduction stands
_MEAN = re.compile(r"\\(?:bar|overline|Delta|langle|tilde)(?![a-zA-Z])")
_LIKE = re.compile(r"\\(?:thick)?sim(?![a-zA-Z])")  # distributed as, or of the order of
_UNIT = re.compile(
    r"\\(?:mathrm|text|rm|operatorname)\s*\{?\s*(?:~|\\[ ,])*(?:[kMGmcnμ]?(?:m|s|kg|eV|K|J|W|N|Hz|T|V|Pa)|km|pc|yr|AU)\b"
)
LARGE = 45  # leaves: above, it is a derivation or a table


def first(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("first", one.rank == 0 and one.kind != "expression", "it is the article's first equation")


def opens_section(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    opens = bool(one.occurrence.heading) and one.under == 0 and one.kind != "expression"
    return _if("opens_section", opens, f"it is the first equation under “{one.occurrence.heading}”")


def far(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """How far down, on a scale where every doubling counts the same."""
    score = min(1.0, math.log2(1 + one.rank) / 6)
    return _clue("far", round(score, 4), f"{one.rank} equations stand before it") if one.rank else None


def lead(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("lead", not one.occurrence.heading, "it stands in the article's lead")


def display(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("display", one.occurrence.display, "it stands on a line of its own")


def infobox(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("infobox", one.occurrence.role == "infobox", "it stands in the infobox")


def out_of_text(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    role = one.occurrence.role
    return _if("out_of_text", role in ("table", "caption", "example", "exercise"), f"it stands in a {role}")


def boxed(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    titles = [h.name for h in one.occurrence.hints if h.kind == "equation_title"]
    return _if("boxed", bool(titles), f"the box around it is titled “{titles[0] if titles else ''}”")


def statement_section(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = article.words.statement.search(one.occurrence.heading.lower())
    return _if("statement_section", bool(found), f"it stands under “{one.occurrence.heading}”")


def aside_section(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = article.words.aside.search(one.occurrence.heading.lower())
    return _if("aside_section", bool(found), f"it stands under “{one.occurrence.heading}”")


def bold_title(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = any(h.kind == "bold_title" for h in one.occurrence.hints)
    return _if("bold_title", found, "the bold title stands in its sentence or beside it")


def title_in_sentence(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("title_in_sentence", _gap(article, one) >= 0, f"its sentence names “{article.document.title}”")


def title_near(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The title, or what stands for it, is near before the formula."""
    gap = _gap(article, one)
    return _clue("title_near", round(math.exp(-gap / 6), 4), f"{gap} words after the name") if gap >= 0 else None


def _gap(article: ArticleFormulas, one: Candidate) -> int:
    return article.gaps[one.occurrence.position]


def says(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = article.words.says.search(one.before.lower()[-_NEAR:])
    return _if("says", bool(found), f"the sentence says so: “{found[0].strip() if found else ''}”")


def doubts(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = article.words.doubts.search(one.before.lower()[-_NEAR:])
    return _if("doubts", bool(found), f"an example, a case or a step: “{found[0] if found else ''}”")


def besides(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = article.words.besides.search(one.before.lower()[-60:])
    return _if("besides", bool(found), "it explains a symbol of another formula")


def meanings(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The part of its letters whose meaning the text near it tells."""
    letters = set(identifiers(one.tex))
    told = {letter for d in one.occurrence.definitions for letter in identifiers(d.symbol)[:1]}
    share = len(letters & told) / len(letters) if letters else 0.0
    return (
        _clue("meanings", round(share, 4), f"{len(letters & told)} of its {len(letters)} letters are explained")
        if share
        else None
    )


def own_symbol(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """Its left side is the symbol that the text introduces beside the title."""
    most = max(article.symbols.values(), default=0)
    found = article.symbols[one.left] / most if one.left and most else 0.0
    return _clue("own_symbol", round(found, 4), f"{one.left} is the article's own symbol") if found else None


def other_symbol(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The article has a symbol of its own, and the left side is another one."""
    other = bool(article.symbols) and bool(one.left) and not article.symbols[one.left]
    return _if("other_symbol", other, f"{one.left} is not the article's own symbol")


def initial(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """Its left side begins with the letter that a word of the title begins with."""
    letter = one.left.lstrip("\\")[:1].lower() if len(re.split(r"[_^]", one.left)[0].lstrip("\\")) == 1 else ""
    heads = {name.split()[-1][:1] for name in article.names[:1]} | {name[:1] for name in article.names[:1]}
    return _if("initial", bool(letter) and letter in heads, f"{one.left} is the initial of the title")


def serves_another(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The symbol on its left stands on the right side of an equation before it."""
    letter = identifiers(one.left)[:1] if one.left else ()
    served = bool(letter) and any(
        other.rank < one.rank and other.left != one.left and letter[0] in identifiers(right_side(other.tex))
        for other in article.candidates
        if other.left and other.rank >= one.rank - 6
    )
    return _if("serves_another", served, f"an equation before it uses {one.left}")


def repeated(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    if not one.repeated:
        return None
    return _clue(
        "repeated", round(min(1.0, math.log2(1 + one.repeated) / 2), 4), f"the article repeats it {one.repeated} times"
    )


def central(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """Its letters are those of the article's other formulas."""
    letters = set(identifiers(one.tex))
    total = len(article.candidates)
    if total < 3 or not letters:
        return None
    share = sum(article.used[letter] - 1 for letter in letters) / (len(letters) * (total - 1))
    return _clue("central", round(share, 4), "its letters are those of the other formulas")


def relation(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("relation", one.kind == "relation" or bool(_LIKE.search(one.tex)), "it states no equality")


def expression(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("expression", one.kind == "expression", "it states nothing")


def numbers(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = numeric(one.tex) or bool(_UNIT.search(one.tex)) or not identifiers(one.tex)
    return _if("numbers", found, "numbers or units were put in for symbols")


def mean(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """A mean or a difference on the left, where the title names none."""
    about = re.search(r"\b(?:average|mean|difference|change)\b", article.document.title.lower())
    found = bool(_MEAN.search(one.tex.partition("=")[0])) and not about
    return _if("mean", found, "it is about a mean or a difference")


def large(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    score = min(1.0, math.log2(max(one.leaves, LARGE) / LARGE))
    return _clue("large", round(score, 4), f"it is long ({one.leaves} symbols)") if score else None


def of_a_law(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """An article on a law, an equation or a theorem has one, and early."""
    return (
        _clue("of_a_law", round(1 / (1 + one.rank), 4), f"“{article.document.title}” is a law")
        if article.is_law
        else None
    )


CLUES: tuple[Clue, ...] = (
    first, opens_section, far, lead, display, infobox, out_of_text, boxed, statement_section, aside_section, bold_title, title_in_sentence, title_near,
    says, doubts, besides, meanings, own_symbol, other_symbol, initial, serves_another, repeated, central, relation, expression,
    numbers, mean, large, of_a_law,
)  # fmt: skip


def _if(name: str, holds: bool, sentence: str) -> Evidence | None:
    return _clue(name, 1.0, sentence) if holds else None


def _clue(name: str, score: float, sentence: str) -> Evidence:
    return Evidence(name, score, recorded(sentence))
