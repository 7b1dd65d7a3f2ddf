"""Variables renamed: every variable gets a number from the places it stands in, so any one-to-one renaming gives the same string.

Colour refinement on the tree: a variable's colour is the multiset of its places; equal colours are told apart by fixing one
variable after another. A letter with its scripts is one variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias
from zlib import crc32

from bot.formula.keys.algebra import equation
from bot.formula.keys.polynomial import Number, Polynomial
from bot.formula.normal.arithmetic import minus, plus, times
from bot.formula.normal.commuting import is_certain_transposition_mark, plain_mark
from bot.formula.normal.render import render
from bot.formula.normal.scripts import calls_operator, plain_sign
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode, tag_of
from bot.formula.tex.symbols import COMMUTATIVE_INFIX, FUNCTIONS, LIMITS, SYMMETRIC
from bot.formula.tex.tree import children, leaves, map_children

MAX_VARIABLES = 24
MAX_WORK = 4000  # rounds times variables: thousands of similar variables are a list, and no round distinguishes them
KNOWN = FUNCTIONS | LIMITS
_TYPE_OR_HAT = re.compile(r"^\$(?:(?:b|cal|frak|sf|tt)\.)?|hat(?=_|$)")
_NO_NAME = frozenset(["", "#", '"', "%", "~"])
_CONSTANT = frozenset(["∂", "∇", "□", "∇²", "div", "curl", "d", "Δ", "π"])


def is_name(leaf: str) -> bool:
    """Tell whether a leaf is a letter, not a number, word, symbol or operator."""
    return leaf[:1] not in _NO_NAME and leaf not in _CONSTANT


def with_atomic_letters(node: NormalNode) -> NormalNode:
    """Return the tree with every scripted letter as one leaf; a power stays a power."""
    if node.__class__ is str:
        return _atom(node)
    if node.__class__ is nodes.Scripts:
        base, low, high = node.base, node.low, _superscript_leaf(node)
        if base.__class__ is nodes.Accented and base.body.__class__ is str and is_name(base.body):
            base = f"{base.body}{base.name}"  # x̂_j
        if base.__class__ is str and is_name(base):
            if high != EMPTY and _is_label(high):
                return "$" + render(node)
            if low != EMPTY:
                base = f"${base}_{low if low.__class__ is str else render(low)}^;"
                return base if high == EMPTY else nodes.Scripts(base, EMPTY, with_atomic_letters(high))
        return nodes.Scripts(
            with_atomic_letters(base),
            with_atomic_letters(low),
            _atom(high) if high.__class__ is str else with_atomic_letters(high),
        )
    if node.__class__ is nodes.Relation:
        return nodes.Relation(tuple(map(plain_sign, node.signs)), tuple(map(with_atomic_letters, node.sides)))
    if node.__class__ is nodes.FunctionCall and calls_operator(node):  # Proj is not Spec
        function = node.function
        if function.__class__ is nodes.Scripts:
            low, high = with_atomic_letters(function.low), with_atomic_letters(function.high)
            function = nodes.Scripts(function.base, low, high)
        return nodes.FunctionCall(function, node.around, with_atomic_letters(node.arguments))
    if node.__class__ is nodes.Accented:
        inner = with_atomic_letters(node.body)
        return (
            f"{inner}{node.name}" if inner.__class__ is str and inner[:1] == "$" else nodes.Accented(node.name, inner)
        )
    return map_children(node, with_atomic_letters)


def _superscript_leaf(node: nodes.Scripts[NormalNode]) -> NormalNode:
    """Return the superscript; the T of a transposed matrix becomes a symbol, as it is not a variable."""
    high = node.high
    if high.__class__ is str:
        return "~" + plain_mark(high) if high and is_certain_transposition_mark(node.base, high) else high
    if high.__class__ is nodes.Signed and high.sign == "-" and is_certain_transposition_mark(node.base, high.body):
        return nodes.Signed("-", "~" + plain_mark(high.body))
    return high


def scripted_variables(trees: Iterable[NormalNode]) -> set[str]:
    """Return the variables of normal trees; a letter with its scripts is one variable."""
    return {leaf for node in trees for leaf in leaves(with_atomic_letters(node)) if leaf[0] == "$"}


def _atom(leaf: str) -> str:
    if leaf[:1] in _NO_NAME:
        return "$" + leaf if leaf[:1] == "%" and leaf[1:] not in KNOWN else leaf
    return leaf if leaf in _CONSTANT else "$" + leaf


def _is_label(node: NormalNode) -> bool:
    if node.__class__ is str:
        return node[:1] in ('"', "%") or node in ("~∗", "~*", "~†", "~+", "~-", "~′", "~⋆")
    return node.__class__ is nodes.Fenced


def _order(order: str) -> list[str]:
    return ["$" + part if part.isalpha() else part for part in order.split("+")]


# A tree for colouring: (how it looks, tag, groups); a group is (commuting, its text, looks of the parts, parts), a part a leaf or a tree.
Form: TypeAlias = tuple[str, str, Sequence["Group"]]
Group: TypeAlias = tuple[bool, str, list[str], list["Form | str"]]


@nodes.kind("∂")
class _Differentiated:
    """A variable of a derivative, and the parts of its order."""

    parts: tuple[NormalNode, ...]


class _Names(dict[str, str]):
    """Map each leaf to its text, with one text for all variables."""

    def __missing__(self, leaf: str) -> str:
        look = self[leaf] = "v" if leaf[:1] == "$" else leaf
        return look


def _form(node: NormalNode | _Differentiated, names: _Names) -> Form:
    """Return the tree with its commuting parts marked and one text for all variables, which are added to `names`."""
    if isinstance(node, _Differentiated):
        group = _group(False, node.parts, names)
        return f"(∂|{group[1]})", "∂", (group,)
    tag = tag_of(node)
    trees: Iterable[NormalNode]
    if node.__class__ is nodes.Product:
        if node.denominator:
            return _pair_form("*", _group(True, node.numerator, names), _group(True, node.denominator, names))
        commuting, trees = True, node.numerator
    elif node.__class__ is nodes.Sum:
        commuting, trees = True, node.terms
    elif node.__class__ is nodes.System:
        commuting, trees = True, node.equations
    elif node.__class__ is nodes.Relation:
        signs = node.signs
        commuting, trees = signs[0] in SYMMETRIC and (len(signs) == 1 or len(set(signs)) == 1), node.sides
        tag = "".join(signs)
    elif node.__class__ is nodes.Derivative:
        variables = [_Differentiated((variable, *_order(order))) for variable, order in node.variables]
        return _pair_form("D" + node.style, _group(True, variables, names), _group(False, (node.body,), names))
    elif node.__class__ is nodes.Infix:
        commuting, trees = node.signs[0] in COMMUTATIVE_INFIX and len(set(node.signs)) == 1, node.operands
        tag = "".join(node.signs)
    else:
        commuting, trees = False, children(node)
        tag += _text(node)
    group = _group(commuting, trees, names)
    return f"({tag}|{group[1]})", tag, (group,)


def _text(node: NormalNode) -> str:
    """Return the text of a node without its children."""
    match node:
        case nodes.Accented(text, _) | nodes.Big(text) | nodes.Matrix(text, _) | nodes.FunctionCall(_, text, _):
            return text
        case nodes.Fenced(opening, closing, _):
            return opening + closing
        case nodes.Differential(sign, order, _):
            return sign + order
    return ""


def _pair_form(tag: str, first: Group, second: Group) -> Form:
    return f"({tag}|{first[1]}|{second[1]})", tag, (first, second)


def _group(commuting: bool, trees: Iterable[NormalNode | _Differentiated], names: _Names) -> Group:
    # Loops here and below, not comprehensions: most groups have two or three parts, and a comprehension costs a call.
    parts: list[Form | str] = []
    texts: list[str] = []
    for node in trees:
        if node.__class__ is str:
            texts.append(names[node])
            parts.append(node)
        else:
            form = _form(node, names)
            texts.append(form[0])
            parts.append(form)
    return commuting, ",".join(sorted(texts) if commuting else texts), texts, parts


def canonical_renaming(equations: Iterable[NormalNode]) -> tuple[str, str]:
    """Return (canonical string with numbered variables, skeleton) of equations: everything on one side, every scripted letter one variable."""
    form, names, skeleton = _ordered_form(equations)
    if len(names) < 2:  # one variable: the skeleton is the whole truth
        return skeleton, skeleton
    return _form_with_names(form, {name: f"v{number}" for number, name in enumerate(names)})[0], skeleton


def canonical_names(equations: Iterable[NormalNode]) -> list[str]:
    """Return the variables of equations in the order in which `canonical_renaming` numbers them."""
    return _ordered_form(equations)[1]


def _ordered_form(equations: Iterable[NormalNode]) -> tuple[Form, list[str], str]:
    names_by_leaf = _Names()
    group = _group(False, [_solved(equations)], names_by_leaf)
    skeleton: str = f"(|{group[1]})"
    form = (skeleton, "", (group,))
    names = [leaf for leaf in names_by_leaf if leaf[:1] == "$"]
    if len(names) < 2:
        return form, names, skeleton
    places: dict[str, list[int]] = {name: [] for name in names}
    _hash_paths(form, 0, places)
    ranks = _ranks({name: tuple(sorted(found)) for name, found in places.items()})
    if len(set(ranks.values())) < len(ranks) and not _interchangeable(form, ranks):
        ranks = _individualise(form, ranks)
    return form, sorted(names, key=lambda name: (ranks[name], plain_name(name), name)), skeleton


def plain_name(name: str) -> str:
    """Return a variable without the type and the hat of its letter."""
    return _TYPE_OR_HAT.sub("", name)


def _solved(equations: Iterable[NormalNode]) -> NormalNode:
    solved: list[NormalNode] = []
    for node in equations:
        node = with_atomic_letters(node)
        found = equation(node)
        solved.append(_tree_of_polynomial(*found) if found else node)
    return solved[0] if len(solved) == 1 else nodes.System(tuple(solved), ())


def _tree_of_polynomial(sign: str, found: Polynomial) -> NormalNode:
    """Return the normal tree of a polynomial: for an equation with the positive terms on one side, the negative ones on the other."""
    terms = [
        (number < 0, _tree_of_monomial(-number if number < 0 else number, powers, found))
        for number, powers in found.terms
    ]
    if not sign:
        return plus([minus(term) if negative else term for negative, term in terms])
    sides = ([term for negative, term in terms if negative is side] for side in (False, True))
    return nodes.Relation(
        (sign,), tuple([plus(side) if len(side) > 1 else side[0] if side else "#0" for side in sides])
    )


def _tree_of_monomial(number: Number, powers: dict[str, Number], found: Polynomial) -> NormalNode:
    numerator: list[NormalNode] = [] if number == 1 and powers else ["#" + str(number)]
    denominator: list[NormalNode] = []
    for key, power in powers.items():
        if power == 1:
            numerator.append(found.atoms[key])
        elif power == -1:
            denominator.append(found.atoms[key])
        else:
            (numerator if power > 0 else denominator).append(
                nodes.Scripts(found.atoms[key], EMPTY, "#" + str(abs(power)))
            )
    return times(numerator, denominator)


def _form_with_names(form: Form, names: dict[str, str]) -> Form:
    """Return the form with these names."""
    look = "(" + form[1]
    groups = []
    for commuting, _, _, old in form[2]:
        parts: list[Form | str] = []
        texts: list[str] = []
        for part in old:
            if isinstance(part, str):
                texts.append(names.get(part, part))
            else:
                part = _form_with_names(part, names)
                texts.append(part[0])
            parts.append(part)
        text = ",".join(sorted(texts) if commuting else texts)
        look += "|" + text
        groups.append((commuting, text, texts, parts))
    return look + ")", form[1], groups


def _hash_paths(form: Form, parent_hash: int, places: dict[str, list[int]]) -> None:
    """Hash the path from the root to every variable; a step among commuting parts is what the part looks like."""
    _, tag, groups = form
    for group, (commuting, text, texts, parts) in enumerate(groups):
        around = crc32(f"{parent_hash}{tag}{group}{text}".encode("utf-8", "surrogatepass"))
        last = None
        for number, part in enumerate(parts):
            if isinstance(part, str) and part not in places:
                continue
            way = texts[number] if commuting else str(number)
            if way != last:  # commuting variables often look alike
                path_hash = crc32(way.encode("utf-8", "surrogatepass"), around)
                last = way
            if isinstance(part, str):
                places[part].append(path_hash)
            else:
                _hash_paths(part, path_hash, places)


def _interchangeable(form: Form, ranks: dict[str, int]) -> bool:
    """Tell whether variables of one colour always commute with each other, as in F = ma: then any order of them is as good."""
    homes: dict[str, list[int]] = {name: [] for name in ranks}
    stack = [form]
    while stack:
        for commuting, _, texts, parts in stack.pop()[2]:
            home = id(texts)
            for part in parts:
                if not isinstance(part, str):
                    stack.append(part)
                elif part in homes:
                    homes[part].append(home if commuting else -1)
    shared: dict[int, list[int]] = {}
    for name, rank in ranks.items():
        found = sorted(homes[name])
        if shared.setdefault(rank, found) != found or (found is not shared[rank] and found[0] < 0):
            return False
    return True


def _ranks(colours: dict[str, tuple[int, ...]]) -> dict[str, int]:
    number = {colour: rank for rank, colour in enumerate(sorted(set(colours.values())))}
    return {name: number[colour] for name, colour in colours.items()}


def _refine(form: Form, ranks: dict[str, int]) -> dict[str, int]:
    places: dict[str, list[int]] = {name: [] for name in ranks}
    _hash_paths(_form_with_names(form, {name: f"v{rank}" for name, rank in ranks.items()}), 0, places)
    return _ranks({name: (ranks[name], *sorted(found)) for name, found in places.items()})


def _individualise(form: Form, ranks: dict[str, int]) -> dict[str, int]:
    """Refine; when refining stops, fix one variable of the first shared colour, and continue until all differ."""
    for _ in range(min(2 * min(len(ranks), MAX_VARIABLES), 2 + MAX_WORK // len(ranks))):
        number = len(set(ranks.values()))
        if number == len(ranks):
            break
        refined = _refine(form, ranks)
        if len(set(refined.values())) > number:
            ranks = refined
            continue
        counts: dict[int, list[str]] = {}
        for name, rank in refined.items():
            counts.setdefault(rank, []).append(name)
        crowded = min(rank for rank, members in counts.items() if len(members) > 1)
        # Equal colours are nearly always a symmetry of the formula: any choice is as good
        chosen = min(counts[crowded])
        ranks = {name: 2 * rank + (rank == crowded and name != chosen) for name, rank in refined.items()}
    return ranks
