"""Write a corpus of any size with known truth, and compare what a workspace has found with it.

    python benchmarks/make_corpus.py --into DIR (--documents N | --bytes 10G) [--seed N]
    python benchmarks/make_corpus.py --check WORKSPACE --into DIR [--json]

DIR/corpus holds pages as LaTeXML writes them and, every fifth document, a LaTeX paper; DIR/truth.jsonl which formulas stand how often in
which document, how each concept is called, and which forms are one concept; DIR/items.jsonl an item for each concept that has a name, two
in three with its formula. Concepts are drawn by Zipf's law; each has forms that differ
in typography, in order, and in letters; a third of all formulas is noise: symbols and numbers in sentences, equations that stand once.
Nothing is kept but one document, and the same seed gives the same bytes.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import table, write_json
from bot.formula import clean

FORMULAS = 90  # of a document, on average
PAPERS = 5  # every fifth document is LaTeX, where both formats are wanted
FORMATS = ("latexml", "latex")
FOLDER = 500  # documents of a folder
PROSE = 80  # sentences without a formula before one with, at most: about 350,000 formulas a gigabyte in all
SIZES = {"K": 10**3, "M": 10**6, "G": 10**9}

Node = tuple[
    Any, ...
]  # (kind, parts): v letter, n number, s letter and script, * factors, / above and below, ^ base and power, + terms, r radicand

_LATIN = "abcfghjklmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ"
_GREEK = dict(
    zip(
        "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau phi chi psi omega Gamma Lambda Omega Phi Psi".split(),
        "αβγδϵζηθκλμνξρστϕχψωΓΛΩΦΨ",
        strict=True,
    )
)
_LETTERS = [*_LATIN, *(f"\\{name}" for name in _GREEK)]
_SCRIPTS = "0 1 2 i j k m s c T eff max min".split()
_QUANTITIES = "rate density velocity energy pressure frequency length temperature mass momentum entropy flux intensity capacity resistance coefficient".split()
_ADJECTIVES = (
    "specific mean radial thermal magnetic angular critical effective optical kinetic residual axial molar spectral internal turbulent relative "
    "surface acoustic elastic nuclear orbital viscous dynamic static electric chemical cosmic inertial tidal"
).split()
_NOUNS = "drift shear plasma disk bubble shock wave cloud crystal fluid lattice beam cavity halo filament membrane grain vortex layer jet".split()
_HEADS = "law equation theorem relation formula".split()
_SYLLABLES = "ba dor kel mi ran tos ver lin gar hol pet sch ul wen zan bri cor fel nor tak".split()
_SUBJECTS = "model sample method result measurement spectrum approach survey region simulation observer profile boundary analysis".split()
_VERBS = "shows follows requires suggests confirms includes describes extends supports resembles".split()
_OBJECTS = "earlier work, a second region, the usual case, several stages, the outer part, more data, an open question, the same trend, both limits, weak scatter".split(
    ", "
)


@dataclass(frozen=True)
class Form:
    """A way of writing a concept: its tree, what it is beside the first form, and whether it is a spelling of it only."""

    tree: tuple[Node, Node]  # left and right side
    relation: str  # base, turned (sides exchanged), renamed


@dataclass(frozen=True)
class Concept:
    name: str  # "" where the corpus never says one
    law: bool
    forms: tuple[Form, ...]


class World:
    """All concepts of a corpus with so many documents, made when they are asked for."""

    def __init__(self, seed: int, documents: int) -> None:
        self.seed = seed
        self.concepts = max(40, int(20 * documents**0.75))  # new documents bring ever fewer new formulas (Heaps' law)
        self.concept = lru_cache(maxsize=20_000)(self._concept)

    def drawn(self, chance: random.Random) -> int:
        """Return the number of a concept, by Zipf's law."""
        return int(self.concepts ** chance.random()) - 1

    def _concept(self, number: int) -> Concept:
        chance = random.Random(f"{self.seed} concept {number}")
        left, right = equation(chance)
        forms = [Form((left, right), "base")]
        if chance.random() < 0.4:
            forms.append(Form((right, left), "turned"))
        if chance.random() < 0.3:
            names = sorted({leaf for side in (left, right) for leaf in letters(side)})
            others = [letter for letter in _LETTERS if letter not in names]
            new = dict(zip(names[:1], chance.sample(others, 1), strict=True))
            forms.append(Form((renamed(left, new), renamed(right, new)), "renamed"))
        said, law = chance.random(), chance.random() < 0.4
        head = f"{surname(chance)}'s {chance.choice(_HEADS)}" if law else quantity(chance)
        return Concept(head if said < 0.7 else "", law, tuple(forms))


def surname(chance: random.Random) -> str:
    return "".join(chance.sample(_SYLLABLES, chance.choice((2, 3)))).capitalize()


def quantity(chance: random.Random) -> str:
    return f"{chance.choice(_ADJECTIVES)} {chance.choice(_NOUNS)} {chance.choice(_QUANTITIES)}"


def equation(chance: random.Random) -> tuple[Node, Node]:
    """Return a random equation: a symbol, and three to seven others on the right."""
    names = chance.sample(_LETTERS, chance.choice((4, 4, 5, 5, 6, 7)))
    symbols = [("s", name, chance.choice(_SCRIPTS)) if chance.random() < 0.25 else ("v", name) for name in names]
    right = _tree(symbols[1:], chance)
    return symbols[0], ("*", ("n", chance.choice("23468")), right) if chance.random() < 0.2 else right


def _tree(symbols: list[Node], chance: random.Random) -> Node:
    if len(symbols) == 1:
        roll = chance.random()
        return ("^", symbols[0], chance.choice("234")) if roll < 0.25 else symbols[0]
    cut = chance.randrange(1, len(symbols))
    one, other = symbols[:cut], symbols[cut:]
    roll = chance.random()
    if roll < 0.4:
        return "/", _tree(one, chance), _tree(other, chance)
    if roll < 0.6:
        return "+", _tree(one, chance), chance.choice("+-"), _tree(other, chance)
    if roll < 0.7:
        return "*", _tree(one, chance), ("r", _tree(other, chance))
    return "*", _tree(one, chance), _tree(other, chance)


def letters(node: Node) -> Iterator[str]:
    """Yield the letters of a tree."""
    if node[0] in ("v", "s"):
        yield node[1]
    elif node[0] != "n":
        for part in node[1:]:
            if isinstance(part, tuple):
                yield from letters(part)


def renamed(node: Node, new: dict[str, str]) -> Node:
    """Return the tree with other letters."""
    if node[0] in ("v", "s"):
        return (node[0], new.get(node[1], node[1]), *node[2:])
    return (node[0], *(renamed(part, new) if isinstance(part, tuple) else part for part in node[1:]))


STYLES = ("plain", "tight", "loose")  # ways of typing one and the same formula


def tex_of(node: Node, style: str) -> str:
    """Return a tree as TeX in one way of typing it."""
    kind = node[0]
    if kind == "n" or kind == "v":
        return str(node[1])
    if kind == "s":
        script = rf"\mathrm{{{node[2]}}}" if len(node[2]) > 1 else node[2]
        return f"{node[1]}_{script}" if style == "tight" and len(node[2]) == 1 else f"{node[1]}_{{{script}}}"
    if kind == "^":
        base = tex_of(node[1], style)
        base = f"{{{base}}}" if "_" in base else base
        return f"{base}^{node[2]}" if style == "tight" else f"{base}^{{{node[2]}}}"
    if kind == "/":
        return rf"\frac{{{tex_of(node[1], style)}}}{{{tex_of(node[2], style)}}}"
    if kind == "+":
        return f"{tex_of(node[1], style)} {node[2]} {_term(node[3], style, node[2] == '-')}"
    if kind == "r":
        return rf"\sqrt{{{tex_of(node[1], style)}}}"
    between = {"plain": " ", "tight": " ", "loose": r"\, "}[style]
    return between.join(_term(part, style, True) for part in node[1:])


def _term(node: Node, style: str, closed: bool) -> str:
    text = tex_of(node, style)
    if node[0] != "+" or not closed:
        return text
    return rf"\left( {text} \right)" if style == "loose" else f"({text})"


def written(form: Form, style: str) -> str:
    """Return a form as TeX."""
    return f"{tex_of(form.tree[0], style)} = {tex_of(form.tree[1], style)}"


def mathml(node: Node, count: Iterator[int]) -> tuple[str, str]:
    """Return presentation and content markup of a tree, cross-referenced as LaTeXML does; @ stands for the id of the formula."""
    n = next(count)
    ids = f'id="@.{n}" xref="@.{n}.cmml"', f'id="@.{n}.cmml" xref="@.{n}"'
    kind = node[0]
    if kind == "n":
        return f"<mn {ids[0]}>{node[1]}</mn>", f'<cn type="integer" {ids[1]}>{node[1]}</cn>'
    if kind == "v":
        letter = _GREEK.get(node[1][1:], node[1])
        return f"<mi {ids[0]}>{letter}</mi>", f"<ci {ids[1]}>{letter}</ci>"
    parts = [
        mathml(("v", part) if isinstance(part, str) else part, count) for part in node[1:] if part not in ("+", "-")
    ]
    shown, meant = [one for one, _ in parts], "".join(other for _, other in parts)
    tag = {"s": "msub", "^": "msup", "/": "mfrac", "r": "msqrt"}.get(kind, "mrow")
    name = {"s": '<csymbol cd="ambiguous">subscript</csymbol>', "^": '<csymbol cd="ambiguous">superscript</csymbol>'}
    operator = name.get(kind) or {"/": "<divide/>", "r": "<root/>", "+": "<plus/>", "=": "<eq/>"}.get(kind, "<times/>")
    sign = {"+": f"<mo>{node[2]}</mo>", "=": "<mo>=</mo>"}.get(kind, "<mo>⁢</mo>") if tag == "mrow" else ""
    return f"<{tag} {ids[0]}>{sign.join(shown)}</{tag}>", f"<apply {ids[1]}>{operator}{meant}</apply>"


@lru_cache(maxsize=4000)
def math_element(tex: str, tree: Node, display: bool) -> str:
    shown, meant = mathml(tree, iter(range(1, 1000)))
    return (
        f'<math id="@" class="ltx_Math" alttext="{_escaped(tex)}" display="{"block" if display else "inline"}"><semantics id="@a">{shown}'
        f'<annotation-xml encoding="MathML-Content" id="@b">{meant}</annotation-xml><annotation encoding="application/x-tex" id="@c">{_escaped(tex)}'
        "</annotation></semantics></math>"
    )


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


@dataclass
class Piece:
    """A formula in a sentence: its TeX and tree."""

    tex: str
    tree: Node
    display: bool


Sentence = list[str | Piece]


class Document:
    """One document: sections of sentences, and what truth says of it."""

    def __init__(self, world: World, number: int, is_paper: bool) -> None:
        self.is_paper = is_paper
        self.chance = random.Random(f"{world.seed} document {number}")
        self.world, self.number = world, number
        self.truth: Counter[str] = Counter()
        self.formulas = 0
        self.title = f"{quantity(self.chance).capitalize()} in {self.chance.choice(_NOUNS)} {number}"
        self.sections = list(self._sections())

    def _sections(self) -> Iterator[tuple[str, list[list[Sentence]]]]:
        wanted = max(8, int(self.chance.gauss(FORMULAS, FORMULAS / 4)))
        while self.formulas < wanted:
            heading = f"{self.chance.choice(_ADJECTIVES).capitalize()} {self.chance.choice(_SUBJECTS)}s"
            yield heading, [self._paragraph() for _ in range(self.chance.randrange(2, 6))]

    def _paragraph(self) -> list[Sentence]:
        found: list[Sentence] = []
        for _ in range(self.chance.randrange(2, 6)):
            roll = self.chance.random()
            found += [self._filler() for _ in range(self.chance.randrange(PROSE))]
            found += [self._concept() if roll < 0.45 else self._single() if roll < 0.55 else self._symbols()]
        return found

    def _filler(self) -> Sentence:
        c = self.chance
        more = f" and the {c.choice(_SUBJECTS)} {c.choice(_VERBS)} {c.choice(_OBJECTS)}" if c.random() < 0.7 else ""
        return [f"The {c.choice(_SUBJECTS)} {c.choice(_VERBS)} {c.choice(_OBJECTS)}{more}."]

    def _concept(self) -> Sentence:
        number = self.world.drawn(self.chance)
        concept = self.world.concept(number)
        at = 0 if self.chance.random() < 0.7 else self.chance.randrange(len(concept.forms))
        form, style = concept.forms[at], self.chance.choice(STYLES)
        display = self.chance.random() < 0.6
        piece = self._piece(written(form, style), ("=", *form.tree), display)
        self.truth[f"{number}.{at}"] += 1
        if not concept.name or self.chance.random() < 0.5:
            return [self.chance.choice(("One finds", "This leads to", "It follows that", "We have")), piece, "."]
        if concept.law:
            laws: tuple[Sentence, ...] = (
                [f"{concept.name} states that", piece, "."],
                ["The equation", piece, f"is called {concept.name}."],
                [f"This is {concept.name},", piece, "."],
            )
            return self.chance.choice(laws)
        if form.relation != "base":
            return [f"The {concept.name} follows from", piece, "."]
        said: tuple[Sentence, ...] = (
            [f"The {concept.name} is given by", piece, "."],
            [f"The {concept.name} is defined as", piece, "."],
            [f"For the {concept.name} we write", piece, "."],
        )
        return self.chance.choice(said)

    def _single(self) -> Sentence:
        tree = ("=", *equation(self.chance))
        tex = f"{tex_of(tree[1], 'plain')} = {tex_of(tree[2], 'plain')}"
        return [
            f"In this {self.chance.choice(_SUBJECTS)} we use",
            self._piece(tex, tree, self.chance.random() < 0.5),
            ".",
        ]

    def _symbols(self) -> Sentence:
        c = self.chance
        one, other = ("v", c.choice(_LETTERS)), ("n", str(c.randrange(2, 500)))
        first = self._piece(tex_of(one, "plain"), one, False)
        second = self._piece(f"{one[1]} = {other[1]}", ("=", one, other), False)
        return ["where", first, f"is the {quantity(c)}, here", second, "."]

    def _piece(self, tex: str, tree: Node, display: bool) -> Piece:
        self.formulas += 1
        return Piece(tex, tree, display)

    def text(self) -> str:
        return self._latex() if self.is_paper else self._page()

    def _page(self) -> str:
        out = [
            f'<!DOCTYPE html><html lang="en">\n<head>\n<meta http-equiv="content-type" content="text/html; charset=UTF-8">\n<title>{self.title}</title>\n'
            "<!--Generated by LaTeXML (version 0.8.7) http://dlmf.nist.gov/LaTeXML/.-->\n</head>\n<body>\n"
            f'<div class="ltx_page_main">\n<div class="ltx_page_content">\n<article class="ltx_document">\n<h1 class="ltx_title ltx_title_document">{self.title}</h1>\n'
        ]
        for s, (heading, paragraphs) in enumerate(self.sections, 1):
            out.append(
                f'<section id="S{s}" class="ltx_section">\n<h2 class="ltx_title ltx_title_section"><span class="ltx_tag ltx_tag_section">{s} </span>{heading}</h2>\n'
            )
            for p, sentences in enumerate(paragraphs, 1):
                count = iter(range(1, 1000))
                parts = [self._html(part, f"S{s}.p{p}", count) for sentence in sentences for part in sentence]
                out.append(f'<div id="S{s}.p{p}" class="ltx_para">\n<p class="ltx_p">{" ".join(parts)}</p>\n</div>\n')
            out.append("</section>\n")
        return "".join([*out, "</article>\n</div>\n</div>\n</body>\n</html>\n"])

    def _html(self, part: str | Piece, where: str, count: Iterator[int]) -> str:
        if isinstance(part, str):
            return part
        n = next(count)
        math = math_element(part.tex, part.tree, part.display).replace("@", f"{where}.m{n}")
        if not part.display:
            return math
        return (
            f'</p>\n<table id="{where}.E{n}" class="ltx_equation ltx_eqn_table">\n<tr class="ltx_equation ltx_eqn_row ltx_align_baseline">\n'
            f'<td class="ltx_eqn_cell ltx_align_center">{math}</td>\n</tr>\n</table>\n<p class="ltx_p">'
        )

    def _latex(self) -> str:
        out = [f"\\documentclass{{article}}\n\\title{{{self.title}}}\n\\begin{{document}}\n\\maketitle\n"]
        for heading, paragraphs in self.sections:
            out.append(f"\\section{{{heading}}}\n")
            for sentences in paragraphs:
                out.append(" ".join(_in_latex(part) for sentence in sentences for part in sentence) + "\n\n")
        return "".join([*out, "\\end{document}\n"])


def _in_latex(part: str | Piece) -> str:
    if isinstance(part, str):
        return part
    return f"\n\\begin{{equation}}\n{part.tex}\n\\end{{equation}}\n" if part.display else f"${part.tex}$"


def write(into: Path, documents: int, size: int, seed: int, formats: Sequence[str] = FORMATS) -> dict[str, int]:
    """Write the corpus and its truth; `size` in bytes ends it early, 0 does not. Return what was written."""
    world = World(seed, documents or max(1, size // 200_000))
    used = bytearray(world.concepts)
    done = {"documents": 0, "formulas": 0, "bytes": 0}
    (into / "corpus").mkdir(parents=True, exist_ok=True)
    with (
        (into / "truth.jsonl").open("w", encoding="utf-8") as truth,
        (into / "items.jsonl").open("w", encoding="utf-8") as items,
    ):
        while (done["documents"] < documents) if documents else (done["bytes"] < size):
            number = done["documents"]
            paper = "latexml" not in formats or ("latex" in formats and number % PAPERS == PAPERS - 1)
            made = Document(world, number, paper)
            path = (
                into
                / "corpus"
                / f"{made.number // FOLDER:04}"
                / f"d{made.number:07}.{'tex' if made.is_paper else 'html'}"
            )
            path.parent.mkdir(exist_ok=True)
            done["bytes"] += path.write_bytes(made.text().encode())
            done["documents"] += 1
            done["formulas"] += made.formulas
            for key in made.truth:
                used[int(key.partition(".")[0])] = 1
            row = {
                "document": str(path.relative_to(into)),
                "formulas": made.formulas,
                "forms": dict(sorted(made.truth.items())),
            }
            truth.write(json.dumps(row) + "\n")
        for number in (n for n, there in enumerate(used) if there):
            concept = world.concept(number)
            forms = [{"tex": [written(f, s) for s in STYLES], "relation": f.relation} for f in concept.forms]
            truth.write(json.dumps({"concept": number, "name": concept.name, "forms": forms}) + "\n")
            if concept.name:
                formulas = [written(concept.forms[-1], "plain")] if number % 3 else []
                items.write(json.dumps({"qid": f"Q{number + 1}", "label": concept.name, "formulas": formulas}) + "\n")
    return done


@dataclass
class Truth:
    """What truth.jsonl says: by form its occurrences and documents, by concept its name and forms."""

    documents: int
    formulas: int
    occurrences: Counter[str]
    where: dict[str, array[int]]
    names: dict[str, str]
    relations: dict[str, str]
    of_tex: dict[str, str]

    @classmethod
    def read(cls, path: Path) -> Truth:
        found = cls(0, 0, Counter(), defaultdict(lambda: array("I")), {}, {}, {})
        with path.open(encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if "document" in row:
                    found.occurrences.update(row["forms"])
                    for form in row["forms"]:
                        found.where[form].append(found.documents)
                    found.documents += 1
                    found.formulas += row["formulas"]
                else:
                    found.names[str(row["concept"])] = row["name"]
                    for n, form in enumerate(row["forms"]):
                        found.relations[f"{row['concept']}.{n}"] = form["relation"]
                        found.of_tex |= {_spelt(tex): f"{row['concept']}.{n}" for tex in form["tex"]}
        return found


def _spelt(tex: str) -> str:
    return " ".join(clean(tex).split())


def check(truth: Truth, rows: Iterator[dict[str, Any]]) -> dict[str, Any]:
    """Return how exported concepts agree with the truth: shares of 1, and numbers of what was looked at."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()

    def note(what: str, is_right: bool) -> None:
        total[what] += 1
        right[what] += is_right

    group_of: dict[str, int] = {}
    for n, row in enumerate(rows):
        forms = {
            truth.of_tex[r["tex"]] for r in row["representations"] if r["tex"] in truth.of_tex
        } & truth.occurrences.keys()
        if not forms:
            continue
        group_of |= dict.fromkeys(forms, n)
        documents = set().union(*(truth.where[form] for form in forms))
        note("occurrences", row["occurrences"] == sum(truth.occurrences[form] for form in forms))
        note("documents", row["documents"] == len(documents))
        concepts = {form.partition(".")[0] for form in forms}
        for a, b in combinations(sorted(forms), 2):
            note("grouping_precision", a.partition(".")[0] == b.partition(".")[0])
        name = next((truth.names[c] for c in sorted(concepts)), "")
        if name:
            said = [each["name"].casefold() for each in row["names"]]
            note("name_first", said[:1] == [name.casefold()])
            note("name_in_5", name.casefold() in said[:5])
    for form, where in truth.where.items():
        if len(where) > 1:
            note("found", form in group_of)
    for form, relation in truth.relations.items():
        base = f"{form.partition('.')[0]}.0"
        if relation != "base" and form in group_of and base in group_of:
            note(f"grouping_recall_{relation}", group_of[form] == group_of[base])
    shares: dict[str, Any] = {what: round(right[what] / total[what], 4) for what in sorted(total)}
    return {**shares, "checked": dict(sorted(total.items()))}


def exported(workspace: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of `formula-bot export concepts`."""
    command = [sys.executable, "-m", "bot", "export", "concepts", "--workspace", workspace]
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8", cwd=root) as process:
        assert process.stdout is not None
        yield from map(json.loads, process.stdout)
    if process.returncode:
        raise SystemExit(process.returncode)


def size_of(text: str) -> int:
    """Return the bytes that a size like 10G, 300M or 5000 stands for."""
    unit = SIZES.get(text[-1:].upper())
    return int(float(text[:-1]) * unit) if unit else int(text)


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--into", required=True, metavar="DIR", type=Path, help="where the corpus and truth.jsonl are")
    much = parser.add_mutually_exclusive_group(required=True)
    much.add_argument("--documents", type=int, default=0, metavar="N")
    much.add_argument("--bytes", type=size_of, default=0, metavar="SIZE", help="such as 10G")
    much.add_argument("--check", metavar="WORKSPACE", help="compare what `export concepts` gives with the truth")
    parser.add_argument("--seed", type=int, default=0, metavar="N")
    parser.add_argument("--formats", nargs="+", choices=FORMATS, default=FORMATS)
    given = parser.parse_args()
    if given.check:
        found = check(Truth.read(given.into / "truth.jsonl"), exported(str(Path(given.check).resolve())))
    elif given.documents < 0:
        parser.error("argument --documents: must be above 0")
    elif (given.into / "corpus").exists():
        parser.error(
            f"{given.into}/corpus is there already, and truth.jsonl would not tell of its documents; give another --into"
        )
    else:
        found = dict(write(given.into, given.documents, given.bytes, given.seed, given.formats))
    if given.json:
        write_json(found)
    else:
        table("corpus", ("what", "figure"), list(found.items()))


if __name__ == "__main__":
    main()
