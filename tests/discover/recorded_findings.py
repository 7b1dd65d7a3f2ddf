"""What discover finds in texts, names, formulas and small corpora, recorded to the digit.

`python tests/discover/recorded_findings.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from bot.corpus.wikitext import article
from bot.discover import discover, find_by_name, left_sides, load_concepts, names, occurrences_of, phrases
from bot.discover.articles import defining_formula
from bot.discover.articles.article import ArticleFormulas
from bot.discover.articles.selection import scored_candidates
from bot.discover.candidate_filters import is_candidate, is_numeric
from bot.discover.cues.prose import names_before_symbol, names_in_clause, prose_cues
from bot.discover.document_language import is_foreign
from bot.discover.engines import OneMachine
from bot.discover.grouping.encoding_names import FAST
from bot.discover.grouping.equivalents import Equivalents, FormulaInContext
from bot.discover.grouping.formularank import FormulaRank
from bot.discover.name_ranking import CorpusUsage
from bot.discover.phrases import EN
from bot.formula import statement_kind
from bot.formula.alignment.equations import Symbol, stated_equations
from bot.formula.alignment.tree_alignment import Alignment, best_alignment
from bot.records import Document, Item, Statement, as_json
from bot.settings import Settings
from bot.store import Workspace

DATA = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[2]
FORMULAS = ROOT / "tests" / "formula" / "data" / "spellings.txt"
SETTINGS = Settings()


def _texts(name: str) -> list[str]:
    return (DATA / name).read_text(encoding="utf-8").splitlines()


def of_window(window: str) -> dict[str, Any]:
    """Return what a sentence calls its formula 1, with and without a symbol on the left, and its phrases."""
    return {
        "said": list(prose_cues(window, 1, "", {})),
        "with": list(prose_cues(window, 1, "F", {0: "F", 2: r"\vec F", 3: "a=b"})),
        "phrases": [(p.text, p.start, p.end, p.head) for p in phrases.noun_phrases(window)],
        "opening": phrases.first_full_name(window),
        "before": phrases.name_at_end(window.partition("⟦1⟧")[0]),
        "after": phrases.name_at_start(window.partition("⟦1⟧")[2]),
        "apposed": list(names_before_symbol(window.partition("⟦1⟧")[0], "whole")),
        "foreign": is_foreign([window]),
    }


def of_name(name: str) -> dict[str, Any]:
    """Return what is made of a name."""
    return {
        "fold": phrases.fold(name),
        "singular": [phrases.singular(word) for word in name.split()],
        "tidy": phrases.display_form(name),
        "suffixes": list(phrases.shorter_names(name)) if name.split() else [],
        "usable": [
            phrases.is_usable_name(name),
            phrases.is_usable_name(name, from_source=True),
            phrases.is_usable_name(name, is_bare_cue=True),
        ],
        "is": [phrases.is_law(name), phrases.is_quantity(name)],
        "breaks": [EN.is_break(word) for word in name.lower().split()],
        "parts": list(names_in_clause(name, "symbol")),
    }


def of_formula(tex: str) -> dict[str, Any]:
    """Return what a formula's TeX says: its sides, its symbol, whether it can be a concept, what it states."""
    what = statement_kind(tex)
    return {
        "sides": left_sides.sides(tex),
        "plain": [left_sides.plain_symbol(tex), left_sides.strip_styling(tex), left_sides.single_symbol(tex)],
        "left": [left_sides.left_side(tex), left_sides.left_text(tex)],
        "candidate": [what, is_candidate(tex, what), is_candidate(tex, what, True), is_numeric(tex)],
        "states": [[each.shape, sorted(s.name for s in each.symbols), _short(each)] for each in stated_equations(tex)],
    }


def of_pair(pair: str) -> dict[str, Any]:
    """Return how what two formulas state is laid over each other."""
    one, other = map(stated_equations, pair.split(" ~ "))
    usual = frozenset((frozenset("AS"), frozenset("UV"), frozenset("Eε")))
    found = [best_alignment(a, b, lambda x, y: frozenset((x, y)) in usual) for a in one for b in other]
    return {"laid": [each and [*each, each.cost, each.is_short] for each in found]}


def of_article(path: str) -> dict[str, Any]:
    """Return the clues of each formula of a shipped article, and what is chosen."""
    file = ROOT / "examples" / path
    language = file.parent.name if len(file.parent.name) == 2 else "en"
    title = file.stem.replace("_", " ")
    document = Document("x", title, language, source="s", format="wikitext", kind="encyclopaedia")
    found = article(file.read_text(encoding="utf-8"), document)
    read = ArticleFormulas(found[0], tuple(found[1]))
    clues = [
        [one.tex, one.rank, one.rank_in_section, one.repeated, list(scores.items())]
        for one, scores in scored_candidates(read)
    ]
    best = defining_formula(*found)
    told = [
        best.tex,
        best.position,
        best.probability,
        best.accepted,
        best.reasons,
        best.others,
    ]
    return {"names": [read.names, read.mentions, sorted(read.symbols.items())], "clues": clues, "chosen": told}


def of_corpus(path: str) -> dict[str, Any]:
    """Return all concepts of a small corpus, and what is found in it by name."""
    with tempfile.TemporaryDirectory() as folder, Workspace.open(Path(folder) / "w") as workspace:
        summary = discover(
            workspace,
            [str(ROOT / path)],
            SETTINGS,
            labels=[("Q11402", "force"), ("Q7", "Hooke's law")],
            quiet=True,
            engine=OneMachine(1),
        )
        concepts = [as_json(each) for each in load_concepts(workspace)]
        for name in (name for concept in concepts for name in concept["names"]):
            name.pop("messages", None)
        statement = Statement("Q1$1", SETTINGS.wiki.properties.defining_formula, "F=ma")
        items = (None, Item("Q1", "force", statements=(statement,)))
        found = [[(row["tex"], row["level"], row["score"], row["document"]) for row in find_by_name(workspace, name, item, SETTINGS)] for item in items for name in ("force", "Hooke's law", "energy")]  # fmt: skip
        places = [place for concept in concepts[:12] for place in map(tuple, concept["places"][:2])]
        seen = [[o.document, o.position, o.heading, o.role, [dataclasses.astuple(d) for d in o.definitions], [dataclasses.astuple(h) for h in o.hints]] for o in occurrences_of(workspace, places)]  # fmt: skip
        kept = {
            name: value
            for name, value in dataclasses.asdict(summary).items()
            if "second" not in name and "workspace" not in name
        }
        return {"summary": kept, "concepts": concepts, "found": found, "seen": seen}


def of_equivalents(name: str) -> dict[str, Any]:
    """Return the neighbours of shipped formulas, and their FormulaRank."""
    rows = [json.loads(line) for line in (ROOT / "tests" / "quality" / name).read_text(encoding="utf-8").splitlines()]
    given = [FormulaInContext(row["tex"], row["doc"], tuple(row["window500"])) for row in rows]
    model = Equivalents(k=4, encodings=FAST).fit(given)
    near = [
        [(n.row, n.probability, n.level, n.cosine) for n in model.neighbours(row)[:6]]
        for row in range(0, len(given), 3)
    ]
    rank = FormulaRank(k=3).fit([one.tex for one in given], [n % 4 + 1 for n in range(len(given))])
    return {
        "near": near,
        "bundles": [model.group(row) for row in range(0, len(given), 5)],
        "rank": rank.score_,
        "order": rank.order_,
    }


NAMES = "force|Force|net force|the net force|speed|peak speed|mean peak speed|law of motion|Hooke's law|significant law|field strength|Magnetic Field|magnetic field|energy|E. Noether theorem|rate of change of speed|wire|thin wire".split("|")  # fmt: skip
KINDS = (*sorted(names.CUE_KINDS), "none known")
LEFT = ("F = m a", r"\vec F = q \vec E", "a + b = c d", "E = mc^2", "H(t) = x", "")


def of_naming(seed: str) -> dict[str, Any]:
    """Return what names mentions put together by chance come to, with and without what the corpus calls symbols."""
    chance = Random(int(seed))
    few = chance.sample(KINDS, chance.choice((1, 2, 4, 9)))

    def mentions(most: int) -> list[names.NameMention]:
        return [
            names.NameMention(chance.choice(NAMES), chance.choice(few), chance.choice("abc"), chance.randrange(3), chance.choice(("text", "text", "example", "table", "exercise")))
            for _ in range(chance.randint(1, most))
        ]  # fmt: skip

    tex, told = chance.choice(LEFT), mentions(9)
    usage = CorpusUsage.of(names.formula_usage(each, mentions(8)) for each in LEFT)
    known = {"net force": "Q1", "wire": "Q2"} if chance.random() < 0.5 else {}
    found = [
        names.name_candidates(told, most=4, titles={"a": "Motion"}, qids_by_label=known),
        names.name_candidates(told, most=4, qids_by_label=known, formula=tex, usage=usage),
    ]
    return {
        "names": [[[n.name, n.score, n.documents, [str(r) for r in n.reasons]] for n in each] for each in found],
        "short": names.scored_names(told, most=3, qids_by_label=known),
        "usage": _short([usage.heads, usage.names, usage.totals, usage.phrase_documents]),
    }


ARTICLES = [f"corpus/wikitext/{name}" for name in ("Hookes_law.wiki", "Lorentz_force.wiki", "Heat_equation.wiki", "Schwarzschild_radius.wiki", "Bayes_theorem.wiki")]  # fmt: skip
ARTICLES += ["articles/de/Hubble-Gesetz.wiki", "articles/fr/Loi_d'Ohm.wiki", "articles/en/Ideal_gas_law.wiki"]
WORK: dict[str, tuple[Callable[[str], dict[str, Any]], list[str]]] = {
    "window": (of_window, _texts("windows.txt")),
    "name": (of_name, _texts("names.txt")),
    "formula": (of_formula, [*FORMULAS.read_text(encoding="utf-8").splitlines(), *_texts("formulas.txt")]),
    "pair": (of_pair, _texts("pairs.txt")),
    "article": (of_article, ARTICLES),
    "corpus": (of_corpus, ["examples/corpus/wikitext", "examples/corpus/cnxml"]),
    "naming": (of_naming, [str(n) for n in range(160)]),
    "equivalents": (of_equivalents, ["formulas.jsonl"]),
}


def made(what: str, of: str) -> Any:
    """Return what is made of a text now."""
    return _plain(WORK[what][0](of))


def _plain(value: Any) -> Any:
    if isinstance(value, float | np.floating):
        return round(float(value), 5) + 0.0
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if dataclasses.is_dataclass(value):  # asdict would take the nodes of trees apart
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Symbol | Alignment):
        return {name: _plain(each) for name, each in value._asdict().items()}
    if isinstance(value, set | frozenset):
        return sorted((_plain(each) for each in value), key=str)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return value


def _short(value: Any) -> str:
    return blake2b(json.dumps(_plain(value)).encode(), digest_size=4).hexdigest()


def rows() -> Iterator[tuple[str, str]]:
    yield from ((what, text) for what, (_, texts) in WORK.items() for text in dict.fromkeys(texts))


if __name__ == "__main__":
    with (DATA / "recorded.jsonl").open("w", encoding="utf-8") as file:
        for what, text in rows():
            file.write(json.dumps({"what": what, "of": text, "made": made(what, text)}, ensure_ascii=False) + "\n")
