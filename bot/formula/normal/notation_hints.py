"""What a formula says about its notation: what a prime differentiates by, below which letters coordinates stand, whether anything is partial."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import Formula, base_of, indices, walk

COORDINATES = frozenset("txyzr")
FIELDS = frozenset("uφϕψΨΦ")
_USUAL = "x"
_DENSITIES = frozenset(["f", "g", "h", "L", "l", "ℓ", "cal.L"])
_PARAMETERS = frozenset("θμσλαβγδηνρτφψκξΣΘ") | frozenset(["b.θ", "b.μ", "b.β", "b.α", "b.λ", "b.η", "b.Σ"])
UNKNOWN_VARIABLE = "~x"  # the variable of a prime if it is unknown: x, but different from an x of the formula


@dataclass
class NotationHints:
    """Facts about the notation of a formula, from all of its trees."""

    prime_variable: NormalNode = UNKNOWN_VARIABLE  # the variable of primes
    coordinate_subscripts: dict[str, set[str]] = field(default_factory=dict)  # letter -> its coordinate subscripts
    partial: bool = False  # some derivative that is certainly partial
    laplacian: bool = False  # Δ before the letter of a field
    congruence: bool = False
    densities: dict[NormalNode, bool] = field(
        default_factory=dict
    )  # letter -> whether each call has parameters behind a bar
    functions: frozenset[str] = frozenset()  # letters whose coordinate letters below are derivatives
    subscript_of_terms: bool = False  # a coordinate below a bracket: (uv)_x


_HINT_TOKENS = frozenset(
    "\\dot \\ddot \\dddot \\ddddot \\vec \\overrightarrow \\partial ∂ \\nabla ∇ \\Delta Δ \\Box □ \\square ' '' ''' \\prime ′ ″ \\exp "
    "\\phi ϕ \\epsilon ϵ \\vartheta ϑ \\varrho ϱ \\varsigma ς \\varkappa ϰ \\varpi ϖ \\ell ℓ \\equiv ≡ : \\colon \\triangleq \\doteq "
    "\\coloneqq ≔ \\eqqcolon \\coloneq \\circeq \\Pr \\mathbb \\| \\Vert \\lVert ‖ \\underline \\imath \\jmath".split()
)
# Hints of several tokens: coordinates or a comma in a subscript, many primes, words that are operators, and functions with other names.
_HINT_TEXT = re.compile(
    r"(?:_|\\sb)[\s{]*(?:\\[a-zA-Z]+[\s{]*)?[txyz,]|'''|exp|det|\\lambda\s*(?:\\[a-z]+[\s{]*)?[IE1]|\{Pr\}|div|rot|curl|grad|Tr|tg|lg|ln|log|arc|sen|cosec|\{(?:sh|ch|th|lb|sign|var|cov|res|colim)\}|\\var(?:lim|inj|proj)|(?:sin|cos|tan|cot|sec|csc)h?\s*\^|i\s*\\hbar|\\(?:mathbf|bf|boldsymbol|bm)[\s{]*[NZQRC]\b|[_^][\s{]*\w[\s}]*(?:\\mathrm\s*\{?)?C\}?\s*_|[fghlL]\}?\s*(?:_\w|_\{\w+\})?\s*(?:\\left)?\s*\([^()|]*?(?:\||\\mid|\\vert)"
)


def needs_notation(formula: Formula) -> bool:
    """Check quickly whether K2 may rewrite anything besides derivatives, by tokens and text."""
    return not _HINT_TOKENS.isdisjoint(formula.tokens) or _HINT_TEXT.search(formula.tex) is not None


def notation_hints_of(trees: Iterable[NormalNode]) -> NotationHints:
    """Collect the hints of normal trees."""
    found = NotationHints()
    variables: dict[NormalNode, None] = {}
    arguments: dict[NormalNode, None] = {}
    of_second_order = with_x = moves = False
    for node in walk(trees):
        if node.__class__ is str:
            found.partial = found.partial or node == "∇" or node == "□"
            with_x = with_x or node == _USUAL
        elif node.__class__ is nodes.Primed:
            of_second_order = of_second_order or node.number > 1
            moves = moves or node.base == _USUAL
        elif node.__class__ is nodes.Derivative:
            variables.update((variable, None) for variable, _ in node.variables)
            found.partial = found.partial or node.style[0] in "∂∇"
        elif node.__class__ is nodes.Scripts and node.base.__class__ is str and node.low != EMPTY:
            key = "".join(coordinates_below(node))
            found.coordinate_subscripts.setdefault(node.base, set()).add(key or "?")
        elif node.__class__ is nodes.Scripts and is_bracket_of_terms(node.base):
            found.subscript_of_terms = found.subscript_of_terms or bool(coordinates_below(node))
        elif node.__class__ is nodes.Product:
            pairs = pairwise(node.numerator) if "Δ" in node.numerator else ()
            found.laplacian = found.laplacian or any(one == "Δ" and letter_of(two) in FIELDS for one, two in pairs)
        elif node.__class__ is nodes.Modulo:
            found.congruence = True
        elif node.__class__ is nodes.FunctionCall and (density := base_of(node.function, nodes.Scripts)) in _DENSITIES:
            found.densities[density] = found.densities.get(density, True) and has_parameters(node.arguments)
        elif (
            node.__class__ is nodes.FunctionCall
            and node.function.__class__ is nodes.Primed
            and letter_of(node.arguments)
        ):
            arguments[letter_of(node.arguments)] = None
    if len(arguments) == 1:
        found.prime_variable = next(iter(arguments))
    elif len(variables) == 1:
        found.prime_variable = next(iter(variables))
    elif of_second_order and with_x and not moves:  # x²y'' + xy'
        found.prime_variable = _USUAL
    found.functions = _letters_with_derivative_subscripts(found)
    return found


def coordinates_below(node: nodes.Scripts[NormalNode]) -> tuple[str, ...]:
    """Return the letters below a node if all are coordinates, else nothing."""
    letters = indices(node.low)
    found = tuple([letter for letter in letters if letter.__class__ is str and letter in COORDINATES])
    return found if len(found) == len(letters) else ()


def is_bracket_of_terms(node: NormalNode) -> bool:
    """Tell whether a node is a sum, or a product of plain letters, as in (u + v)_x and (uv)_x."""
    letters = node.numerator if node.__class__ is nodes.Product else ()
    return node.__class__ is nodes.Sum or (
        bool(letters) and all(part.__class__ is str and part[:1] not in '~%"' for part in letters)
    )


def _letters_with_derivative_subscripts(hints: NotationHints) -> frozenset[str]:
    """Return letters whose coordinate subscripts are derivatives: u_{tt}, u_t beside u_{xx} or (uv)_x, u_x beside v_y, never T_{ij} or v_x alone."""
    letters = {
        letter: marks
        for letter, marks in hints.coordinate_subscripts.items()
        if not marks & {"?", "r"} and letter.islower()
    }
    found = {
        letter
        for letter, marks in letters.items()
        if any(len(mark) > 1 for mark in marks) or ("t" in marks and (len(marks) > 1 or hints.subscript_of_terms))
    }
    if found:
        found |= {letter for letter, marks in letters.items() if marks & {"t", "x", "y"}}
    elif sum(len(marks) > 1 for marks in letters.values()) > 1 and set(letters) <= set("uvwφψ"):
        found = set(letters)
    elif hints.partial or hints.laplacian:
        found = {letter for letter, marks in letters.items() if "t" in marks and letter in FIELDS}
    return frozenset(found)


def has_parameters(arguments: NormalNode) -> bool:
    """Tell whether a bar parts Greek letters, which are parameters, from others: f(x | μ, σ²), L(θ | x)."""
    sides = parts_at_bar(arguments)
    greek = [{base_of(one, nodes.Scripts, nodes.Accented) in _PARAMETERS for one in side} for side in sides]
    return len(sides) == 2 and sorted(map(sorted, greek)) == [[False], [True]]


def parts_at_bar(arguments: NormalNode) -> list[list[NormalNode]]:
    """Return the arguments on each side of the bars among them."""
    sides: list[list[NormalNode]] = [[]]
    for part in arguments.parts if arguments.__class__ is nodes.CommaList else (arguments,):
        barred = part.__class__ is nodes.Relation and set(part.signs) == {"|"}
        first, *behind = part.sides if barred else (part,)  # type: ignore[union-attr]
        sides[-1].append(first)
        sides += [[side] for side in behind]
    return sides


def letter_of(node: NormalNode) -> str:
    """Return the letter under scripts, primes, accents and arguments; "" for anything else."""
    found = base_of(node, nodes.Scripts, nodes.Primed, nodes.FunctionCall, nodes.Accented)
    return found.rpartition(".")[2] if found.__class__ is str and found[:1] not in ("#", "~") else ""
