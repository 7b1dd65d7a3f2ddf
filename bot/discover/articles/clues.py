"""Why a formula would, or would not, be the one that defines what its article is about.

Each function looks at one formula in its article and returns one Evidence (score 0 to 1) or None where it has nothing to say;
whether it speaks for or against, and how much, the model says (model.json).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from bot.corpus.draft import MASK
from bot.discover.articles.article import ArticleFormulas, Candidate, right_side
from bot.discover.candidate_filters import numeric
from bot.discover.left_sides import sides
from bot.discover.phrases import fold, is_law, phrases
from bot.formula import identifiers
from bot.messages import recorded
from bot.records import Evidence

Clue = Callable[[ArticleFormulas, Candidate], Evidence | None]
_NEAR = 120  # characters before the formula in which its introduction stands
_MEAN = re.compile(r"\\(?:bar|overline|Delta|langle|tilde)(?![a-zA-Z])")
_LIKE = re.compile(r"\\(?:thick)?sim(?![a-zA-Z])")  # distributed as, or of the order of
_MAP = re.compile(r":[^=]*\\(?:to|rightarrow|longrightarrow)(?![a-zA-Z])|\\(?:mapsto|longmapsto)(?![a-zA-Z])")
_UNIT = re.compile(
    r"\d(?:\s|~|\\[ ,;:])*\\(?:mathrm|text|rm|operatorname)\s*\{?\s*(?:~|\\[ ,])*(?:[kMGmcnμ]?(?:m|s|kg|eV|K|J|W|N|Hz|T|V|Pa)|km|pc|yr|AU)\b"
)
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
    return _if("statement_section", _section(article, one) > 0, f"it stands under “{one.occurrence.heading}”")


def aside_section(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("aside_section", _section(article, one) < 0, f"it stands under “{one.occurrence.heading}”")


def _section(article: ArticleFormulas, one: Candidate) -> int:
    """Return 1 under a heading that announces the statement, -1 under one that announces something else, by the word that comes first."""
    heading = article.without_names(one.occurrence.heading)
    states, aside = article.pattern("statement").search(heading), article.pattern("aside").search(heading)
    if states and not (aside and aside.start() < states.start()):
        law = law_at_end(one.occurrence.heading)
        return 0 if law and not _own(article, law) else 1
    return -1 if aside else 0


def bold_title(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = any(h.kind == "bold_title" for h in one.occurrence.hints)
    return _if("bold_title", found, "the bold title stands in its sentence or beside it")


def title_in_sentence(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    named = one.occurrence.position in article.named
    return _if("title_in_sentence", named, f"its sentence names “{article.document.title}”")


def title_near(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The title, or what stands for it, is near before the formula."""
    gap, _ = article.named.get(one.occurrence.position, (-1, False))
    return _clue("title_near", round(math.exp(-gap / 6), 4), f"{gap} words after the name") if gap >= 0 else None


def _is_about(article: ArticleFormulas, one: Candidate) -> bool:
    _, about = article.named.get(one.occurrence.position, (-1, False))
    return about


def subject(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("subject", _is_about(article, one), f"its sentence is about “{article.document.title}”")


def short_subject(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The sentence is about “the law”, or in the lead about “it”."""
    return _if("short_subject", _short(article, one), f"its sentence is about the {article.head}")


def _short(article: ArticleFormulas, one: Candidate) -> bool:
    if _is_about(article, one):
        return False
    if not one.occurrence.heading and article.pattern("anaphor").search(one.before):
        return True
    if len(article.head) < 3:
        return False
    before = rf"(.*?){article.pattern('determiner').pattern}"
    found = re.search(rf"{before}{re.escape(article.head)}\b", one.before, re.I)
    return found is not None and not article.pattern("governed").search(found[1])


def defines(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The sentence is about the article's subject and says what it is."""
    about = _is_about(article, one) or _short(article, one)
    return _if("defines", about and bool(says(article, one)), f"its sentence says what “{article.document.title}” is")


def title_section(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    heading = f" {fold(one.occurrence.heading)} "
    named = any(f" {name} " in heading for name in article.names)
    return _if("title_section", named, f"it stands under “{one.occurrence.heading}”")


def says(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = article.pattern("says").search(one.before[-_NEAR:])
    return _if("says", bool(found), f"the sentence says so: “{found[0].strip() if found else ''}”")


def example(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _says(article.pattern("example"), one, "example", "an example or an assumption")


def special(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _says(article.pattern("special"), one, "special", "a case, an approximation or another form")


def step(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _says(article.pattern("consequence"), one, "step", "a consequence or a step")


def condition(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _says(article.pattern("condition"), one, "condition", "a condition")


def _says(pattern: re.Pattern[str], one: Candidate, name: str, what: str) -> Evidence | None:
    found = pattern.search(one.before[-_NEAR:])
    return _clue(name, 1.0, f"{what}: “{found[0].strip()}”") if found else None


def besides(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = article.pattern("besides").search(one.before)
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


def own_meaning(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    told = article.meanings.get(one.left, set()) if one.left else set()
    return _if(
        "own_meaning", bool(told & set(article.mentions)), f"{one.left} is explained as “{article.document.title}”"
    )


def other_meaning(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    told = article.meanings.get(one.left, set()) if one.left else set()
    return _if(
        "other_meaning", bool(told) and not told & set(article.mentions), f"{one.left} is explained as something else"
    )


def initials(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """Its left side has two or more letters that are the initials of the title: `\\{f, g\\}_{DB}`, `x_{rms}`."""
    letters = "".join(_LETTERS.findall(_COMMANDS.sub(" ", sides(one.tex)[0]))).lower()
    wanted = {"".join(word[0] for word in name.split()) for name in article.names}
    held = any(len(each) > 1 and re.search(rf"{each}|{each[0]}.*\b{each[1:]}", letters) for each in wanted)
    return _if("initials", held, "its left side has the initials of the title")


def definition_sign(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("definition_sign", bool(_DEFINED.search(one.tex)), "it is written with a sign of definition")


def explained(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("explained", bool(article.pattern("explained").search(one.after)), "its symbols are explained behind it")


def symbol_left(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _if("symbol_left", bool(one.left), "a symbol stands alone on one side")


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


def other_law(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """A law that is not the article's is named right before it, or in its heading."""
    last = law_at_end(one.before[-_NEAR:]), law_at_end(one.occurrence.heading)
    name = next((each for each in last if each and not _own(article, each)), "")
    return _if("other_law", bool(name), f"“{name}” is named beside it")


def law_at_end(text: str) -> str:
    """Return the law that the end of a text names, or an empty string: “… is given by the Schrödinger equation”."""
    found = phrases(text)
    if not found or len(text[found[-1].end :].split()) > 2 or not is_law(found[-1].text):
        return ""
    return found[-1].text if any(word[:1].isupper() for word in found[-1].text.split()) else ""


def _own(article: ArticleFormulas, name: str) -> bool:
    own = fold(name)
    return any(own in each or each in own for each in article.mentions)


def named_after(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The text behind it calls it by the article's name: “…, which is called the velocity”."""
    text = f" {fold(MASK.sub(' ', one.after))} "
    return _if(
        "named_after",
        any(f" {name} " in text for name in article.mentions),
        "the text behind it names the article's subject",
    )


def notation(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """It says how something is written: “x is distributed as …”, a mapping from one set to another."""
    found = _LIKE.search(one.tex) or _MAP.search(one.tex)
    return _if("notation", bool(found), "it is a notation")


def operation(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The article's definition in words names an operation, and the formula has it: a rate and a derivative, a ratio and a fraction."""
    said = [mark for mark, pattern in article.language.operations.items() if pattern.search(article.definition)]
    found = any(_OPERATIONS[mark].search(one.tex) for mark in said)
    return _if("operation", found, "it has the operation that the article's first sentence names")


def ingredients(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """The part of the letters on its right side whose meanings the article's definition in words names, at most two."""
    words = set(fold(article.definition).split()) - set(article.names[0].split() if article.names else ())
    letters = set(identifiers(right_side(one.tex))) if one.kind in ("equation", "relation", "assignment") else set()
    told = [letter for letter in letters if words & article.explained.get(letter, set())]
    score = min(2, len(told)) / 2
    return (
        _clue("ingredients", score, f"the article's first sentence names {len(told)} of its quantities")
        if told
        else None
    )


def formula_field(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """A row of the infobox that is for the formula."""
    fields = [h.name for h in one.occurrence.hints if h.kind == "infobox"]
    found = any(article.pattern("field").search(name) for name in fields)
    return _if("formula_field", found, "it stands in the infobox's field for it")


def quantity(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _subject(article, "quantity")


def thing(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    return _subject(article, "thing")


def _subject(article: ArticleFormulas, kind: str) -> Evidence | None:
    called = article.called or article.head
    return (
        _clue(kind, article.subject[kind], f"the article calls its subject “{called}”")
        if kind in article.subject
        else None
    )


def listing(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    found = article.pattern("listing").search(article.document.title) or article.pattern("listing").search(
        article.definition
    )
    return _if("listing", bool(found), "the article is a list or a summary")


def of_a_law(article: ArticleFormulas, one: Candidate) -> Evidence | None:
    """An article on a law or an equation has one, and early; a theorem may be stated in words."""
    law = article.is_law and not article.pattern("theorem").search(article.head)
    return _clue("of_a_law", round(1 / (1 + one.rank), 4), f"“{article.document.title}” is a law") if law else None


CLUES: tuple[Clue, ...] = (
    first, opens_section, far, lead, display, infobox, out_of_text, boxed, statement_section, aside_section, bold_title, title_in_sentence, title_near,
    subject, short_subject, defines, title_section, says, example, special, step, condition, besides, own_meaning, other_meaning, initials, definition_sign, explained, symbol_left, meanings, own_symbol, other_symbol, initial, serves_another, repeated, central, relation, expression,
    numbers, mean, large, other_law, named_after, notation, operation, ingredients, formula_field, quantity, thing, listing, of_a_law,
)  # fmt: skip


def _if(name: str, holds: bool, sentence: str) -> Evidence | None:
    return _clue(name, 1.0, sentence) if holds else None


def _clue(name: str, score: float, sentence: str) -> Evidence:
    return Evidence(name, score, recorded(sentence))
