"""Bound names in one form: summation indices, integration variables, limits, and pairs of tensor indices get numbers by their place.

∑_i x_i and ∑_k x_k are the same; so are A_μ B^μ and A_ν B^ν. A name that also stands outside its binder is left alone.

What is constant under a sum, an integral or a limit stands before it: ∑ m r_i² is m ∑ r_i². Under an integral only numbers are certainly constant: p may
depend on V in ∫ p dV. ∬ and ∭ are ∫.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import permutations

from bot.formula.normal.arithmetic import map_children_flat, minus, times
from bot.formula.normal.commuting import is_transposed, is_vector, keeps_order
from bot.formula.normal.render import render
from bot.formula.normal.scripts import LABELS
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.symbols import BIG, INTEGRALS
from bot.formula.tex.tree import Formula, children, leaves, map_children

MAX_PAIRS = 4
_BINDING = frozenset(["∑", "∏", "∐", "⋃", "⋂", "⨁", "⨂", "⨆", "⋁", "⋀"])
_LIMIT = re.compile("lim|max|min|sup|inf(?!ty)")
_SCRIPT = re.compile(r"[_^]\s*(\{[^{}]*\}|\\[a-zA-Z]+|[^\s{\\])")
_LETTER = re.compile(r"\\[a-zA-Z]+|[^\W\d_]")
_BINDERS = frozenset(BIG) | {"\\partial", "\\nabla"}
_LIMITING = frozenset(["%lim", "%max", "%min", "%sup", "%inf", "%limsup", "%liminf"])


def may_bind(formula: Formula) -> bool:
    """Check quickly whether a formula may have bound names: a big operator, a limit, or a letter in two scripts."""
    tokens = formula.tokens
    if not _BINDERS.isdisjoint(tokens) or _LIMIT.search(formula.tex):
        return True
    if "_" not in tokens:
        return False
    scripts = _SCRIPT.findall(formula.tex)
    if len(scripts) != tokens.count("_") + tokens.count("^"):
        return True  # scripts in scripts
    letters = _LETTER.findall("".join(scripts))
    return len(set(letters)) < len(letters)


def with_numbered_bound_names(trees: list[NormalNode]) -> list[NormalNode]:
    """Return the trees with bound names numbered."""
    return [_number_index_pairs(_number_binders(node, 0)) for node in trees]


# -- binders ------------------------------------------------------------------------------------------------------------
def _number_binders(node: NormalNode, depth: int) -> NormalNode:
    if node.__class__ is nodes.Applied and (names := binder_names(node)):
        renamed = _numbered(node, names, [f"δ{depth + number}" for number in range(len(names))])
        assert renamed.__class__ is nodes.Applied
        return nodes.Applied(
            _number_binders(renamed.head, depth + len(names)), _number_binders(renamed.body, depth + len(names))
        )
    return map_children(node, lambda child: child if child.__class__ is str else _number_binders(child, depth))


def _numbered(node: NormalNode, names: list[str], marks: list[str]) -> NormalNode:
    """Return the tree with marks for these names, of not too many in the order that gives the smallest string."""
    orders = permutations(names) if len(names) <= MAX_PAIRS else [names]
    tries = [rename_leaves(node, dict(zip(order, marks, strict=True))) for order in orders]
    return min(tries, key=render) if len(tries) > 1 else tries[0]


def binder_names(node: nodes.Applied[NormalNode]) -> list[str]:
    """Return the names that ∑, ∏, ∫ with bounds, lim, max … bind."""
    head = node.head
    if head.__class__ is not nodes.Scripts:
        return []
    base = head.base
    if base.__class__ is nodes.Big:
        if base.sign in INTEGRALS:
            return _integration_variables(node.body) if head.low != EMPTY else []
        if base.sign in _BINDING:
            return list(dict.fromkeys(_declared_names(head.low)))
    elif base.__class__ is str and base in _LIMITING:
        return list(dict.fromkeys(_declared_names(head.low)))
    return []


def _declared_names(limit: NormalNode) -> Iterator[str]:
    if limit.__class__ is str:
        if _is_letter(limit):
            yield limit
        return
    parts: Iterable[NormalNode] = ()
    if limit.__class__ is nodes.Relation:
        sides = limit.sides if limit.signs[0] in ("<", "≤", "≠") else limit.sides[:1]
        parts = [side for side in sides if isinstance(side, (str, nodes.CommaList, nodes.Letters))]
    elif isinstance(limit, (nodes.CommaList, nodes.Letters)):
        parts = [part for part in children(limit) if isinstance(part, (str, nodes.Relation))]
    elif isinstance(limit, (nodes.Matrix, nodes.Parts)):
        parts = children(limit)
    for part in parts:
        yield from _declared_names(part)


def _integration_variables(body: NormalNode) -> list[str]:
    """Return the variables of dx in the integrand, also of nested integrals."""
    found: list[str] = []
    stack = [body]
    while stack:
        node = stack.pop()
        if node.__class__ is str:
            continue
        if node.__class__ is nodes.Differential:
            variable = node.variable.base if node.variable.__class__ is nodes.Scripts else node.variable
            if variable.__class__ is str and _is_letter(variable):
                found.append(variable)
        elif isinstance(node, (nodes.Product, nodes.Applied, nodes.Sum)) or (
            node.__class__ is nodes.Signed and node.sign == "-"
        ):
            stack.extend(children(node))
    return list(dict.fromkeys(found))[:1]


def _is_letter(name: str) -> bool:
    return bool(name) and name[0] not in '#"%~' and name not in ("∂", "∇")


def rename_leaves(node: NormalNode, names: Mapping[str, NormalNode]) -> NormalNode:
    """Return the tree with these leaves renamed, or with trees for them."""
    if node.__class__ is str:
        return names.get(node, node)
    return map_children(
        node, lambda child: names.get(child, child) if child.__class__ is str else rename_leaves(child, names)
    )


# -- tensor indices -----------------------------------------------------------------------------------------------------
def _index_names(script: NormalNode) -> tuple[str, ...]:
    if script.__class__ is str:
        return (script,) if _is_letter(script) else ()
    if (
        script.__class__ is nodes.Letters
        and len(set(script.letters)) == len(script.letters)
        and "".join(script.letters) not in LABELS
    ):
        return tuple([name for name in script.letters if _is_letter(name)])
    return ()


def _number_index_pairs(node: NormalNode) -> NormalNode:
    """Number the indices that occur exactly twice in a term, term by term."""
    if isinstance(node, (nodes.Product, nodes.Derivative, nodes.Infix)):
        counts = Counter(_indices(node))
        both = Counter(name for name, _ in counts)
        names = sorted(
            name
            for name, places in both.items()
            if sum(counts[name, up] for up in (True, False)) == 2 and (name in _INDEX if places == 2 else name in _SURE)
        )
        if names and len(names) <= MAX_PAIRS and not _is_also_factor(node, names):
            return _numbered(node, names, [f"ι{number}" for number in range(len(names))])
        return node
    return map_children(node, _number_index_pairs)


def _indices(node: NormalNode) -> Iterator[tuple[str, bool]]:
    """Yield (name, whether it is a superscript) of the scripts of letters and the variables of derivatives, not in powers and nested terms."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            continue
        if current.__class__ is nodes.Scripts and (
            current.base.__class__ is str or current.base.__class__ is nodes.Accented
        ):
            yield from [(name, False) for name in _index_names(current.low)]
            if current.low != EMPTY or current.high.__class__ is not str or current.high in _GREEK:
                yield from [(name, True) for name in _index_names(current.high)]
        elif current.__class__ is nodes.Derivative:
            for variable, order in current.variables:
                if variable.__class__ is str and order == "1" and variable in _INDEX:
                    yield variable, current.style[-1:] == "^"
            stack.append(current.body)
        elif isinstance(
            current,
            (nodes.Product, nodes.FunctionCall, nodes.Applied, nodes.Primed, nodes.Infix, nodes.Differential),
        ) or (current.__class__ is nodes.Signed and current.sign == "-"):
            stack.extend(children(current))


def _is_also_factor(node: NormalNode, names: list[str]) -> bool:
    """Tell whether a name is also a factor, so that it is not an index."""
    stack = [node]
    while stack:
        current = stack.pop()
        if current.__class__ is str:
            if current in names:
                return True
            continue
        if current.__class__ is nodes.Scripts:
            stack.append(current.base)
        elif current.__class__ is nodes.Derivative:
            stack.append(current.body)
        else:
            stack.extend(children(current))
    return False


_GREEK = frozenset("αβγδμνρσλκτ")
_INDEX = _GREEK | frozenset("abcdefijklmnpqrsABCDIJKMN")
_SURE = _GREEK | frozenset("ijk")  # these are indices even if both are subscripts


# -- what is constant under a sum, an integral or a limit ------------------------------------------------------------------
_ONE_SIGN = {**dict.fromkeys(["∬", "∭", "⨌", "∫…∫"], "∫"), **dict.fromkeys(["∯", "∰"], "∮")}
_LINEAR = INTEGRALS | {"∑"}
_TOKENS = frozenset(command for command, sign in BIG.items() if sign in _LINEAR) | {"\\lim"}
_LABELLED = ("ε", "μ", "k")  # of free space, and Boltzmann's
_SCALARS = (str, nodes.Scripts, nodes.FunctionCall, nodes.Applied, nodes.Factorial, nodes.Sum, nodes.Product, nodes.Stacked)  # fmt: skip


def has_big_operators(formula: Formula) -> bool:
    return not _TOKENS.isdisjoint(formula.tokens)


def with_constants_in_front(node: NormalNode) -> NormalNode:
    """Return a normal tree with one sign for all integrals, and constant factors before sums, integrals and limits."""
    if node.__class__ is nodes.Applied:
        node = _with_one_sum(node)
    found = map_children_flat(node, with_constants_in_front) if node.__class__ is not str else node
    return _one_form(found.head, found.body) if found.__class__ is nodes.Applied else found


def _with_one_sum(node: nodes.Applied[NormalNode]) -> nodes.Applied[NormalNode]:
    """Return sums directly within a sum, each over a letter of its own without bounds or all within the same, as one: ∑_i ∑_j is ∑_{i,j}, as is ∑_{ij}."""
    head, body = node.head, node.body
    if head.__class__ is not nodes.Scripts or head.base != nodes.Big("∑"):
        return node
    names, first = _letters_below(head.low)
    while names and body.__class__ is nodes.Applied and body.head.__class__ is nodes.Scripts:
        inner = body.head
        more, other = _letters_below(inner.low)
        if inner.base != head.base or inner.high != head.high or other != first or not more or set(more) & set(names):
            break
        names, body = [*names, *more], body.body
    if len(names) < 2:
        return node
    last = nodes.Relation(("=",), (names[-1], first)) if first != EMPTY else names[-1]
    low = nodes.CommaList((",",) * (len(names) - 1), (*names[:-1], last))
    return nodes.Applied(nodes.Scripts(head.base, low, head.high), body)


def _letters_below(low: NormalNode) -> tuple[list[NormalNode], NormalNode]:
    """Return the letters below a sum, and the number with which all of them begin, EMPTY without one; no letters if anything else is there."""
    first: NormalNode = EMPTY
    parts: tuple[NormalNode, ...] = (low,)
    if low.__class__ is nodes.CommaList:
        parts = low.parts
    elif low.__class__ is nodes.Letters:
        parts = low.letters if len(set(low.letters)) == len(low.letters) else ()
    last = parts[-1] if parts else EMPTY
    if last.__class__ is nodes.Relation and last.signs == ("=",) and str(last.sides[1])[:1] == "#":
        parts, first = (*parts[:-1], last.sides[0]), last.sides[1]
    letters = all([part.__class__ is str and _is_letter(part) for part in parts])
    return (list(parts), first) if letters else ([], EMPTY)


def _one_form(head: NormalNode, body: NormalNode) -> NormalNode:
    sign = head.base if head.__class__ is nodes.Scripts else head
    if sign.__class__ is nodes.Big and sign.sign in INTEGRALS:
        if sign.sign in _ONE_SIGN:
            sign = nodes.Big(_ONE_SIGN[sign.sign])
            head = nodes.Scripts(sign, head.low, head.high) if head.__class__ is nodes.Scripts else sign
        if head.__class__ is nodes.Scripts and _is_boundary(head.low):
            head = nodes.Scripts(nodes.Big("∮"), head.low, head.high)
        if head == nodes.Big("∫") and body.__class__ is nodes.Applied and _is_integral(body.head):
            return body  # ∫∫_D
        return _applied(head, body, _is_number)
    if sign != nodes.Big("∑") and sign != "%lim":
        return nodes.Applied(head, body)
    if head.__class__ is nodes.Scripts and head.high == EMPTY:
        match head.low:
            case nodes.Relation(("≤", "≤"), (first, name, last)):  # ∑_{1≤i≤n}
                head = nodes.Scripts(sign, nodes.Relation(("=",), (name, first)), last)
    names = frozenset(binder_names(nodes.Applied(head, body)))
    return _applied(head, body, lambda factor: _is_number(factor) or (bool(names) and _is_free_of(factor, names)))


def _applied(head: NormalNode, body: NormalNode, is_constant: Callable[[NormalNode], bool]) -> NormalNode:
    """Return a linear operator of a body, with the constant factors and the sign of the body before it."""
    if body.__class__ is nodes.Signed and body.sign == "-":
        return minus(_applied(head, body.body, is_constant))
    if body.__class__ is not nodes.Product:
        return nodes.Applied(head, body)
    if any(map(is_transposed, body.numerator)):
        is_constant = _is_number
    numerator = [factor for factor in body.numerator if not is_constant(factor)]
    denominator = [factor for factor in body.denominator if not is_constant(factor)]
    if not numerator and not denominator:
        return nodes.Applied(head, body)
    constant = [factor for factor in body.numerator if factor not in numerator]
    below = [factor for factor in body.denominator if factor not in denominator]
    if not constant and not below:
        return nodes.Applied(head, body)
    return times([*constant, nodes.Applied(head, times(numerator, denominator))], below)


def _is_integral(head: NormalNode) -> bool:
    sign = head.base if head.__class__ is nodes.Scripts else head
    return sign.__class__ is nodes.Big and sign.sign in INTEGRALS


def _is_boundary(low: NormalNode) -> bool:
    return low.__class__ is nodes.Letters and low.letters[0] == "∂"


def _is_number(node: NormalNode) -> bool:
    """Tell whether a factor consists of numbers, π and constants with a label."""
    if node.__class__ is nodes.Scripts and node.low != EMPTY:
        return node.base in _LABELLED and node.low in ("#0", "B", "%B")
    return isinstance(node, _SCALARS) and all(
        leaf[:1] == "#" or leaf == "π" for leaf in ([node] if node.__class__ is str else leaves(node))
    )


def _is_free_of(node: NormalNode, names: frozenset[str]) -> bool:
    """Tell whether a factor is a scalar in which none of these names occurs."""
    if not isinstance(node, _SCALARS) or is_vector(node) or keeps_order(node):
        return False
    return node != EMPTY and names.isdisjoint([node] if node.__class__ is str else leaves(node))
