"""What a formula is made of, in several groups of features: tokens, letters in their places, places alone, operators, which places one letter binds.

A place is the way from a leaf to the root. Sums, products, signs and relation sides leave no trace on it, so that moved terms and
factors keep their places; neither do denominators outside of functions and exponents.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, combinations, pairwise

from bot.errors import FormulaError
from bot.formula import tokens
from bot.formula.features.equation_terms import factors_of, main_letter, term_words
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.normal.render import render
from bot.formula.normal.stages import normal_forms
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, tag_of
from bot.formula.tex.symbols import INTEGRALS
from bot.formula.tex.tree import children

FEATURE_GROUPS = ("grams", "named", "placed", "letters", "folded", "operators", "bound", "together", "heads", "terms")
# Adjacent leaves, or places of one letter, that are paired; longer formulas have enough features without
_MAX_PAIRED = 60

_FAMILIES = {"ϕ": "φ", "ϵ": "ε", "ϑ": "θ", "ϱ": "ρ", "ϖ": "π", "ς": "σ", "ℓ": "l", "ϰ": "κ"}
_COORDINATES = frozenset("xyzr")
# Operators of one kind, for the groups that forget notation.
_COARSE = {
    "∇²": "D2", "□": "D2", "D:x2": "D2", "D:v2": "D2", "D:t2": "D2", "∇": "D1", "div": "D1", "grad": "D1", "D:x1": "D1", "D:v1": "D1",
    "ln": "log", "lg": "log", "binom": "!",
}  # fmt: skip

Path = tuple[str, ...]


@lru_cache(maxsize=2048)  # a formula's features are some kilobytes
def structural_features(tex: str) -> tuple[frozenset[str], ...]:
    """Return the features of each of FEATURE_GROUPS, many in the first and in `placed`, at most two in `heads`; FormulaError if there is no tree."""
    found = normal_forms(tex)
    walk = _FeatureWalk()
    try:
        for node in (*found.normal[0], *found.normal[1]):
            walk.statement(node)
        words_of_terms = term_words(found.normal[0])
    except RecursionError:
        raise FormulaError("too_deep") from None
    return (token_ngrams(tex), *walk.groups(), words_of_terms)


def token_ngrams(tex: str) -> frozenset[str]:
    """Return the token 1-, 2- and 3-grams of a formula's canonical tokens."""
    row = tokens(tex)
    pairs, triples = pairwise(row), zip(row, row[1:], row[2:], strict=False)
    return frozenset(chain(row, map("\x1f".join, pairs), map("\x1f".join, triples)))


@lru_cache(maxsize=4096)
def folded_letter(name: str) -> str:
    """Return the letter without case and variant shapes."""
    return _FAMILIES.get(name, name).lower()


@dataclass(slots=True)
class _FeatureWalk:
    leaves: list[tuple[str, str, Path]] = field(default_factory=list)  # letter, letter with its scripts, place
    inner: list[tuple[str, Path]] = field(default_factory=list)  # operator, its place
    extra: list[str] = field(default_factory=list)
    heads: set[str] = field(default_factory=set)
    pairs: set[str] = field(default_factory=set)

    def statement(self, node: NormalNode) -> None:
        if node.__class__ is nodes.Relation:
            for side in node.sides:
                if name := main_letter(side):
                    self.heads.add(folded_letter(name))
            for sign in set(node.signs):
                if sign != "=":
                    self.extra.append("rel" + sign)
            if all(side.__class__ is not nodes.Sum for side in node.sides):
                self.pair_letters([factor for side in node.sides for factor in factors_of(side)])
        self.visit(node, ())

    def pair_letters(self, factors: list[NormalNode]) -> None:
        names = sorted({folded_letter(name) for factor in factors[:_MAX_PAIRED] if (name := main_letter(factor))})
        self.pairs.update([f"{a} {b}" for a, b in combinations(names, 2)])

    def visit(self, node: NormalNode, path: Path) -> None:
        if node.__class__ is str:
            if node:
                self.add_leaf(node, node, path)
            return
        if handler := _VISITORS.get(node.__class__):
            handler(self, node, path)
        else:
            self.visit_children(node, path)

    def visit_children(self, node: NormalNode, path: Path) -> None:
        for child in children(node):
            self.visit(child, path)

    def add_leaf(self, leaf: str, full: str, path: Path) -> None:
        name = leaf.rpartition(".")[2] if is_name(leaf) else leaf
        self.leaves.append((name, full, path))

    def add_operator(self, label: str, path: Path) -> Path:
        self.inner.append((label, path))
        return (label, *path)

    def visit_Product(self, node: nodes.Product[NormalNode], path: Path) -> None:
        self.pair_letters([*node.numerator, *node.denominator])
        for part in node.numerator:
            self.visit(part, path)
        denominator_path = ("/", *path) if path else path
        for part in node.denominator:
            self.visit(part, denominator_path)

    def visit_Scripts(self, node: nodes.Scripts[NormalNode], path: Path) -> None:
        base, low, high = node.base, node.low, node.high
        if high != EMPTY:
            if base == "e":
                self.visit(high, self.add_operator("exp", path))
                return
            if high.__class__ is nodes.Signed and high.sign == "-":
                high = high.body
                path = ("/", *path) if path else path
            if high.__class__ is str and (high[:1] == "#" or high[:1] == "~"):
                path = self.add_operator("^" + high[1:], path)
            elif isinstance(high, (nodes.Letters, nodes.CommaList, nodes.Fenced)):
                self.visit(high, ("idx", *path))
            else:
                self.visit(high, self.add_operator("sup", path))
                path = ("^", *path)
        if low == EMPTY:
            self.visit(base, path)
            return
        name = main_letter(base)
        if not name:
            self.visit(base, path)
            self.visit(low, ("idx", *path))
            return
        self.add_leaf(name, render(nodes.Scripts(base, low, EMPTY)), path)
        rank = len(low.letters) if low.__class__ is nodes.Letters else 1
        if rank > 1:
            self.extra.append(f"rank{rank}")
        self.extra.append(f"{folded_letter(name)}_{render(low)}")

    def visit_Accented(self, node: nodes.Accented[NormalNode] | nodes.Primed[NormalNode], path: Path) -> None:
        if name := main_letter(node):
            self.add_leaf(name, render(node), path)
        else:
            self.visit_children(node, path)

    visit_Primed = visit_Accented

    def visit_Derivative(self, node: nodes.Derivative[NormalNode], path: Path) -> None:
        inside = path
        for variable, order in node.variables:
            kind = variable if variable == "t" else "x" if main_letter(variable) in _COORDINATES else "v"
            inside = self.add_operator(f"D:{kind}{order}", inside)
            self.visit(variable, ("by", *path))
        self.visit(node.body, inside)

    def visit_Applied(self, node: nodes.Applied[NormalNode], path: Path) -> None:
        head = node.head
        power: NormalNode = EMPTY
        if head.__class__ is nodes.Scripts:
            if head.base.__class__ is nodes.Big:
                self.visit_bounds(head, path)
            elif head.base.__class__ is str and head.base[:1] == "%":
                self.visit(head.low, ("low", *path))
            power = head.high
            head = head.base
        label = _label(head)
        if not label:
            self.visit(node.head, path)
            self.visit(node.body, path)
            return
        if power.__class__ is str and power[:1] == "#":
            path = self.add_operator("^" + power[1:], path)
        self.visit(node.body, self.add_operator(label, path))

    def visit_bounds(self, head: nodes.Scripts[NormalNode], path: Path) -> None:
        label = _label(head.base)
        for bound in (head.low, head.high):
            self.visit(bound, ("bound", *path))
            last = bound.sides[-1] if bound.__class__ is nodes.Relation else bound
            if last.__class__ is str and last[:1] in ("#", "~"):
                self.extra.append(f"{label}..{last}")

    def visit_FunctionCall(self, node: nodes.FunctionCall[NormalNode], path: Path) -> None:
        self.visit(node.function, path)
        self.visit(node.arguments, self.add_operator("[,]", path) if node.around == "[]" else ("call", *path))

    def visit_Fenced(self, node: nodes.Fenced[NormalNode], path: Path) -> None:
        around = node.opening + node.closing
        comma = node.body.__class__ is nodes.CommaList
        if around in ("()", "{}") or (around == "[]" and not comma):
            self.visit(node.body, path)
        else:
            self.visit(node.body, self.add_operator(f"{node.opening},{node.closing}" if comma else around, path))

    def visit_Infix(self, node: nodes.Infix[NormalNode], path: Path) -> None:
        signs = set(node.signs)
        self.pair_letters(list(node.operands))
        inside = path if signs <= {"·", "⋅"} else self.add_operator("".join(sorted(signs)), path)
        for part in node.operands:
            self.visit(part, inside)

    def visit_with_tag(self, node: NormalNode, path: Path) -> None:
        inside = self.add_operator(tag_of(node), path)
        for child in children(node):
            self.visit(child, inside)

    visit_Factorial = visit_Matrix = visit_Differential = visit_with_tag

    def visit_Stacked(self, node: nodes.Stacked[NormalNode], path: Path) -> None:
        (self.visit_with_tag if node.tag == "binom" else self.visit_children)(node, path)

    def visit_Relation(self, node: nodes.Relation[NormalNode], path: Path) -> None:
        inside = self.add_operator("rel" + node.signs[0], path) if path and node.signs != ("=",) else path
        for side in node.sides:
            self.visit(side, inside)

    # -- the groups -----------------------------------------------------------------------------------------------------
    def groups(self) -> tuple[frozenset[str], ...]:
        named, placed, letters, fold = set[str](), set[str](), set[str](), set[str]()
        operators = _DistinctFeatures()
        bound: dict[str, list[str]] = defaultdict(list)
        for name, full, path in self.leaves:
            parent, near_place, far_place, exact_place = _place(path[:3])
            own = _letter(name)
            if not own:
                operators.add(name)
                named.add(f"{name}|{near_place}")
                continue
            letters.add(name)
            if own[0] != "δ" or not own[1:].isdigit():
                fold.add(own)
                named.update((f"{own}|{parent}", f"{own}|{near_place}", f"{name}|{exact_place}"))
            bound[full].append(near_place)
            placed.update((f"v|{near_place}", f"v|{far_place}", f"v|{exact_place}"))
        for label, path in self.inner:
            parent, near_place, far_place, exact_place = _place((label, *path[:2]))
            operators.add(label)
            operators.add("~" + parent)
            placed.update((near_place, far_place, exact_place))
        for each in self.extra:
            operators.add(each)
        binds = set[str]()
        for places in bound.values():
            if len(places) == 1:
                binds.update(places)
                continue
            counted = _DistinctFeatures()
            for place in sorted(places)[:_MAX_PAIRED]:
                counted.add(place)
            counted_places = sorted(counted.found)
            binds.update(counted_places)
            binds.update([f"{a}&{b}" for a, b in combinations(counted_places[:12], 2)])
        sets = (named, placed, letters, fold, operators.found, binds, self.pairs, self.heads)
        return tuple(map(frozenset, sets))


@lru_cache(maxsize=8192)
def _place(path: Path) -> tuple[str, str, str, str]:
    """Return the last one, two and three steps of a path without notation, and three as written."""
    coarse = [_COARSE.get(part, part) for part in path]
    return coarse[0] if coarse else "", ">".join(coarse[:2]), ">".join(coarse), ">".join(path)


@lru_cache(maxsize=4096)
def _letter(name: str) -> str:
    """Return the folded letter; "" for anything else."""
    return folded_letter(name) if name[0] not in '#"%~' and is_name(name) else ""


class _DistinctFeatures:
    """A bag as a set: repeated features are numbered."""

    __slots__ = ("found", "numbers")

    def __init__(self) -> None:
        self.found: set[str] = set()
        self.numbers: dict[str, int] = defaultdict(int)

    def add(self, text: str) -> None:
        number = self.numbers[text] = self.numbers[text] + 1
        if number < 4:
            self.found.add(text if number == 1 else f"{text}×{number}")


def _label(head: NormalNode) -> str:
    if head.__class__ is not str:
        if head.__class__ is nodes.Big:
            return "∫" if head.sign in INTEGRALS else head.sign
        return ""
    return head[1:] if head[:1] == "%" else str(head)


_VISITORS = nodes.visitors_of(_FeatureWalk, _FeatureWalk.visit)
