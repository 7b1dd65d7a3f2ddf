"""A ∑ beside the same sum written otherwise: with dots, by an index that stands twice, as its value for a few terms, or as a trace."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bot.formula.alignment.forms.operator_forms import whole_number, without_index
from bot.formula.alignment.tree_rewriting import NotReplaceable, bottom_up, quantities, with_values
from bot.formula.normal.arithmetic import map_children_flat, plus, times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.operators import INDEX_GREEK, INDEX_LATIN, laplacians
from bot.formula.numeric.expressions import ExpressionReader, NotComputable
from bot.formula.numeric.values import EVALUATION_ERRORS, compile_expression, random_numbers
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, children, find_all, is_whole, leaves, map_children, terms_of, walk

DOTS = ("~…", nodes.Signed("-", "~…"))
SUM = "%series"  # the leaf for both sums if they are equal
MIN_WRITTEN_TERMS = 2  # written terms before the dots; of fewer any sum is the beginning
_POINTS = 4
_CLOSE = 1e-9
_COUNTS = (3, 4)  # of terms


@dataclass(frozen=True, slots=True)
class Series:
    """A ∑ that starts at a number: the bound name, its first value, its last ("~∞" for none), and the general term."""

    node: NormalNode
    name: str
    first: int
    last: NormalNode
    term: NormalNode

    def term_at(self, index: NormalNode) -> NormalNode:
        """Return the term with this index."""
        return rename_leaves(self.term, {self.name: index})


def match_written_sums(one: NormalNode, other: NormalNode) -> tuple[NormalNode, NormalNode] | None:
    """Return both equations with their sums as one leaf; None unless one writes out what the other has as ∑.

    Other terms say nothing: one function has many series.
    """
    for first, second, swapped in ((one, other, False), (other, one, True)):
        written = next(_written_sums(first), None)
        series = next(_series(second), None)
        if written is None or series is None or next(_written_sums(second), None) is not None:
            continue
        if not _is_series(written.terms, series):
            return None
        left, right = _replaced(first, written, SUM), _replaced(second, series.node, SUM)
        return (right, left) if swapped else (left, right)
    return None


def has_written_sum(node: NormalNode) -> bool:
    """Tell whether an equation writes out a sum with dots."""
    return next(_written_sums(node), None) is not None


def has_series(node: NormalNode) -> bool:
    """Tell whether an equation has a ∑ from a number on."""
    return next(_series(node), None) is not None


def _written_sums(node: NormalNode) -> Iterator[nodes.Sum[NormalNode]]:
    """Yield the sums with dots, which are not the end of a list."""
    if node.__class__ is nodes.Sum and any(term in DOTS for term in node.terms):
        yield node
    for child in children(node):
        yield from _written_sums(child)


def _series(node: NormalNode) -> Iterator[Series]:
    if node.__class__ is nodes.Applied and node.head.__class__ is nodes.Scripts and node.head.base == nodes.Big("∑"):
        low, high = node.head.low, node.head.high
        if low.__class__ is nodes.Relation and low.signs == ("=",) and high != EMPTY:
            name, first = low.sides
            if name.__class__ is str and first.__class__ is str and first[:1] == "#" and first[1:].isdecimal():
                yield Series(node, name, int(first[1:]), high, node.body)
    for child in children(node):
        yield from _series(child)


def _is_series(terms: Sequence[NormalNode], series: Series) -> bool:
    """Tell whether the written terms are those of the series, as far as they can be computed."""
    position = next(number for number, term in enumerate(terms) if term in DOTS)
    head, tail = terms[:position], terms[position + 1 :]
    if len(head) < MIN_WRITTEN_TERMS or len(tail) > 1 or bool(tail) != (series.last != "~∞"):
        return False
    before, last, following = (term.__class__ is nodes.Signed for term in terms[position - 2 : position + 1])
    if not tail and (before is last) is not (last is following):  # how x + x² - … continues is unknown
        return False
    expected = [series.term_at(f"#{series.first + number}") for number in range(position)]
    if tail:
        expected.append(series.term_at(series.last))
    return all(map(_equal, [*head, *tail], expected))


def _equal(one: NormalNode, other: NormalNode) -> bool:
    """Tell whether two terms have the same value wherever it is computed."""
    names: dict[str, int] = {}
    try:
        sides = [compile_expression(ExpressionReader(names).read(node)) for node in (one, other)]
    except NotComputable:
        return False
    draw = random_numbers()
    agreed = 0
    for _ in range(_POINTS):
        point: list[float | complex] = [draw.uniform(0.3, 2.5) for _ in names]
        try:
            left, right = sides[0](point), sides[1](point)
        except EVALUATION_ERRORS:
            whole: list[float | complex] = [float(draw.randint(4, 8)) for _ in names]
            try:
                left, right = sides[0](whole), sides[1](whole)
            except EVALUATION_ERRORS:
                continue
        if abs(left - right) > _CLOSE * (abs(left) + abs(right)):
            return False
        agreed += 1
    return agreed == _POINTS


def _replaced(node: NormalNode, old: NormalNode, new: NormalNode) -> NormalNode:
    if node == old:
        return new
    return node if node.__class__ is str else map_children(node, lambda child: _replaced(child, old, new))


# -- the summation convention -------------------------------------------------------------------------------------------------
def with_convention(node: NormalNode) -> NormalNode:
    """Return an equation without each ∑ over an index that stands just twice in its term: ∑_i a_i b_i is a_i b_i (Einstein's convention).

    ∑_i ∂²u/∂x_i² is ∇²u. A sum without an end is a series, and one over an index that stands once, or outside of scripts, says something else than its term.
    """
    found = map_children(node, with_convention)
    if found.__class__ is nodes.Product and "∇²" in found.numerator:
        return nodes.Product(tuple(laplacians(list(found.numerator))), found.denominator)
    if found.__class__ is not nodes.Applied or not (name := _summation_index(found.head)):
        return found
    body = found.body
    if body.__class__ is nodes.Derivative and body.variables == ((name, "2"),):
        return nodes.Applied("∇²", body.body)
    count = Counter(leaves(body))[name]
    if count == 0 and (body == "∇²" or (body.__class__ is nodes.Applied and body.head in ("∇²", "div"))):
        return body  # an index that occurs twice makes it a sum
    return body if count == len(list(_scripts(body, name))) == 2 else found


def follows_convention(trees: Sequence[NormalNode]) -> bool:
    """Tell whether an index is twice in a term, or was before a pair of derivatives became ∇² or div."""
    for node in walk(trees):
        if node.__class__ is nodes.Applied and node.head in ("∇²", "div"):
            return True
        if node.__class__ in (nodes.Product, nodes.Derivative):
            names = [leaf for leaf in leaves(node) if leaf in INDEX_LATIN or leaf in INDEX_GREEK]
            if any(len(list(_scripts(node, name))) == 2 for name in dict.fromkeys(names)):
                return True
    return False


def _summation_index(head: NormalNode) -> str:
    """Return the index of a ∑; "" unless it is a sum of finitely many terms from 0 or 1."""
    if head.__class__ is not nodes.Scripts or head.base != nodes.Big("∑") or head.high == "~∞":
        return ""
    low = head.low
    if low.__class__ is nodes.Relation and low.signs == ("=",) and low.sides[1] in ("#0", "#1"):
        low = low.sides[0]
    return low if low.__class__ is str else ""


def _scripts(node: NormalNode, name: str) -> Iterator[str]:
    """Yield the index as often as it is a script or a variable of a derivative."""
    if node.__class__ is nodes.Scripts:
        for script in (node.low, node.high):
            yield from (each for each in (script.letters if script.__class__ is nodes.Letters else (script,)) if each == name)  # fmt: skip
        yield from _scripts(node.base, name)
    elif node.__class__ is nodes.Derivative:
        yield from (name for variable, order in node.variables if variable == name and order == "1")
        yield from _scripts(node.body, name)
    elif node.__class__ in (nodes.Product, nodes.Signed, nodes.Infix):
        for child in children(node):
            yield from _scripts(child, name)


# -- sums of a few terms ----------------------------------------------------------------------------------------------------
def with_few_terms(one: NormalNode, other: NormalNode) -> list[tuple[NormalNode, NormalNode]]:
    """Return both equations with sums of three and of four terms; [] if neither has a letter as upper limit, or one cannot be written so."""
    ends = {end for node in walk([one, other]) for end in _upper_limits(node)}
    indexed = {base for node in walk([one, other]) for base in _summed_letters(node)}
    if len(ends) != 1 and not (not ends and indexed):
        return []
    number = next(iter(ends), "n")
    found = []
    for count in _COUNTS:
        try:
            found.append(tuple([_FewTerms(number, count, indexed).visit(node) for node in (one, other)]))
        except (NotReplaceable, _NoUpperLimit):
            return []
    return found  # type: ignore[return-value]


class _NoUpperLimit(Exception):
    """A sum has no upper limit that can be set."""


def _limits(node: NormalNode) -> tuple[str, int, NormalNode] | None:
    """Return the bound name of a sum or product, its first value, and its last ("" if neither is given)."""
    head = node.head if node.__class__ is nodes.Applied else EMPTY
    base = base_of(head, nodes.Scripts)
    if base.__class__ is not nodes.Big or base.sign not in "∑∏":
        return None
    low, high = (head.low, head.high) if head.__class__ is nodes.Scripts else (EMPTY, EMPTY)
    if low.__class__ is nodes.Relation and low.signs == ("=",):
        name, first = low.sides
        if name.__class__ is str and str(first)[:1] == "#" and is_whole(str(first)[1:]):
            return name, int(str(first)[1:]), high
        return None
    if low == EMPTY:
        low = next(
            (part.low for part in find_all(nodes.Scripts, node.body) if part.low in ("i", "j", "k")),  # type: ignore[union-attr]
            EMPTY,
        )
    return (str(low), 1, high) if low.__class__ is str and low else None


def _upper_limits(node: NormalNode) -> Iterator[str]:
    """Yield the letters of upper limits, also of n - 1."""
    limits = _limits(node)
    if limits and limits[2] != EMPTY:
        letters = quantities([limits[2]])
        yield from (str(name) for name in letters if len(letters) == 1 and name.__class__ is str)


def _summed_letters(node: NormalNode) -> Iterator[NormalNode]:
    if limits := _limits(node):
        yield from (part.base for part in find_all(nodes.Scripts, node.body) if part.low == limits[0])  # type: ignore[union-attr]


class _FewTerms:
    def __init__(self, number: str, count: int, indexed: set[NormalNode]) -> None:
        self.number, self.count, self.indexed = number, count, indexed

    def visit(self, node: NormalNode) -> NormalNode:
        if node == self.number:
            return f"#{self.count}"
        if node.__class__ is nodes.Accented and node.name in ("bar", "overline") and node.body in self.indexed:
            return times(
                [plus([nodes.Scripts(node.body, f"#{position + 1}", EMPTY) for position in range(self.count)])],
                [f"#{self.count}"],
            )
        limits = _limits(node)
        if limits:
            return self.expand(node, *limits)
        return node if node.__class__ is str else map_children_flat(node, self.visit)

    def expand(self, node: NormalNode, name: str, first: int, last: NormalNode) -> NormalNode:
        end = self.count if last == EMPTY else _whole_number(with_values(last, {self.number: f"#{self.count}"}))
        body = self.visit(node.body)  # type: ignore[union-attr]
        terms = [rename_leaves(body, {name: f"#{index}"}) for index in range(first, end + 1)]
        if not 0 < len(terms) <= _COUNTS[-1] + 1 or name not in leaves(body):
            raise _NoUpperLimit
        return plus(terms) if base_of(node.head, nodes.Scripts) == nodes.Big("∑") else times(terms)  # type: ignore[union-attr]


def _whole_number(node: NormalNode) -> int:
    total = 0
    for number in map(whole_number, terms_of(node)):
        if number is None:
            raise _NoUpperLimit
        total += number
    return total


# -- traces -----------------------------------------------------------------------------------------------------------------
def as_traces(node: NormalNode, other: NormalNode) -> NormalNode:
    """Replace a sum over eigenvalues by a trace of the other formula's operator: ∑ e^{-βE_i} is Tr e^{-βH}."""
    found = quantities([part.body for part in find_all(nodes.Applied, other) if part.head == "%tr"]).keys()
    names = found - quantities([node]).keys() or {*found}
    return _with_traces_of(node, names.pop()) if len(names) == 1 else node


def _with_traces_of(node: NormalNode, operator: NormalNode) -> NormalNode:
    def trace(part: NormalNode) -> NormalNode:
        limits = _limits(part)
        if limits and len(set(_summed_letters(part))) == 1:
            body = without_index(part.body, limits[0], operator)  # type: ignore[union-attr]
            if limits[0] not in leaves(body):
                return nodes.Applied("%tr", body)
        return part

    return bottom_up(node, trace)
