"""Two formulas in the letters, parameters and definitions of unlike conventions, brought into one: β for 1/kT, τ for 1/λ, D for 2R, ν for c/λ.

What then is equal is the same, what then differs in a sign, a factor or a value is not. Definitions and the letters of one quantity are laid on each other; the
letters left over are renamed only where most of the formula stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from itertools import islice, permutations, product

from bot.errors import FormulaError
from bot.formula.alignment.brackets import with_commutators, with_poisson_brackets
from bot.formula.alignment.forms.cartesian import component_forms, differentiation_variables
from bot.formula.alignment.forms.components import (
    factors_in_order,
    magnitudes,
    matrix_products,
    matrix_rows,
    ordered_names,
    with_inner_products,
)
from bot.formula.alignment.forms.equation_systems import (
    chain_equations,
    eliminate,
    is_curve,
    substitute_definitions,
    with_polar_elements,
)
from bot.formula.alignment.forms.function_solutions import solves, without_kets
from bot.formula.alignment.forms.means import mean_forms
from bot.formula.alignment.forms.operator_forms import with_derivatives_for_subscripts, with_operators_expanded
from bot.formula.alignment.forms.solutions import is_solution_with_parameter, unknown_function
from bot.formula.alignment.forms.vector_forms import AXES
from bot.formula.alignment.forms.written_sums import as_traces, with_few_terms
from bot.formula.alignment.notations.notation_rewriting import in_notation_of
from bot.formula.alignment.tree_alignment import UsualLetters, no_usual_letters
from bot.formula.alignment.tree_rewriting import NotReplaceable, bottom_up, letter_of, quantities, top_down, with_values
from bot.formula.equivalence.analysed import analyse_formula
from bot.formula.equivalence.comparison import Comparison
from bot.formula.equivalence.order import has_same_products, products
from bot.formula.equivalence.renamed import state_functions
from bot.formula.equivalence.rewriting import match_indices, rename_indices
from bot.formula.equivalence.rules import read_rule
from bot.formula.keys.algebra import equation, exact_texts, without_numbers
from bot.formula.keys.expanded import expand_abbreviations
from bot.formula.keys.polynomial import number_of
from bot.formula.normal.arithmetic import HALF, map_children_flat, minus, plus, square, times
from bot.formula.normal.bound_variables import rename_leaves
from bot.formula.normal.notation_hints import UNKNOWN_VARIABLE
from bot.formula.normal.stages import normal_forms
from bot.formula.numeric.sampling import compare_solutions, is_same_bound
from bot.formula.numeric.system_pair import read_system_pair
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, NormalNode
from bot.formula.tex.tree import base_of, find_all, fraction_of, is_statement, leaves, signed_body, walk
from bot.messages import Message

MAX_LEAVES = 90  # a bound for hostile input
MIN_LEAVES_RENAMED = 8  # leaves of a formula in which one letter may be any other
MIN_LEAVES_USUAL = 6  # leaves of one in which letters may be others of their quantity
_MAX_LONE = 6  # quantities that one formula has alone
# Ways to put definitions in; renamings that are tried by algebra, and by sampling, for each pair of trees.
_WAYS, _PERMUTED, _SAMPLED = 24, 24, 12
_EXACT, _CASE, _USUAL, _NEVER = 3, 2, 1, -1
_REARRANGED = Comparison("rearranged", "", True, Message("note.convention"))
_RENAMED = replace(_REARRANGED, relation="renamed")
# Between a parameter and its replacement: rate and time, precision and deviation
_POWERS = ("-1", "2", "-2", "1/2", "-1/2")

# A quantity and its other form; the other formula must have the letters of the second side, and both the leaf after a stroke.
DEFINITIONS = r"""
\hbar=\frac{h}{2\pi}
\omega=2\pi\nu
\omega=2\pi f
\omega=\frac{2\pi}{T}
n=\frac{2\pi}{T}
f=\frac{1}{T}
\nu=\frac{1}{T}
k=\frac{2\pi}{\lambda}
k=\frac{\omega}{c}
\nu=\frac{c}{\lambda}
f=\frac{c}{\lambda}
n=\frac{c}{v} | %sin
n=\frac{Nk}{R}
v=cz
\beta=\frac{1}{kT}
\beta=\frac{v}{c}
\gamma=\frac{1}{\sqrt{1-v^2/c^2}}
\mu=GM
\nu=\frac{\mu}{\rho}
\nu=\frac{\eta}{\rho}
\alpha=\frac{k}{\rho c}
R=N_Ak
H=U+PV
H=U+pV
D=2R
d=2r
D=2r
d=2R
q=1-p
\tau=RC
\tau=\frac{L}{R}
t_{1/2}=\frac{\ln2}{\lambda}
T_{1/2}=\frac{\ln2}{\lambda}
t_{1/2}=\frac{\ln2}{k}
t_{1/2}=\tau\ln2
\sigma=\frac{2\pi^5k^4}{15c^2h^3}
\sigma=\frac{\pi^2k^4}{60\hbar^3c^2}
\mu_0=\frac{1}{\varepsilon_0c^2}
c=\frac{1}{\sqrt{\mu_0\varepsilon_0}}
\alpha=\frac{e^2}{4\pi\varepsilon_0\hbar c}
a_0=\frac{4\pi\varepsilon_0\hbar^2}{me^2}
r_s=\frac{2GM}{c^2}
H=\frac{\dot a}{a}
z_R=\frac{\pi w_0^2}{\lambda}
F=\frac{4R}{(1-R)^2}
\omega_0=\sqrt{\frac{k}{m}}
\omega_0=\frac{1}{\sqrt{LC}}
\mathbf H=\frac{\mathbf B}{\mu_0}
\mathbf D=\varepsilon\mathbf E
s=\frac{a+b+c}{2}
\varphi=\frac{1+\sqrt5}{2}
\psi=\frac{1-\sqrt5}{2}
W_N=e^{-2\pi i/N}
S=\frac{1}{\rho}
\kappa=\frac{8\pi G}{c^4}
V_{\max}=k_{cat}E_0
K_i=\frac{K_p}{T_i}
K_d=K_pT_d
p=\hbar k
p=mv
\mathbf p=m\mathbf v
v=\dot x
a=\dot v
a=\ddot x
\mathbf v=\dot{\mathbf r}
\mathbf a=\dot{\mathbf v}
\mathbf a=\ddot{\mathbf r}
\omega=\dot\theta
I=\dot Q
I=\dot q
i=\dot q
\mathbf B=\nabla\times\mathbf A
\mathbf E=-\nabla\phi
\mathbf E=-\nabla V
\mathbf g=-\nabla\Phi
h=\frac{\Delta p}{\rho g}
\sigma=\frac{F}{A}
\varepsilon=\frac{\Delta L}{L_0}
\mu=\frac{m}{L}
L=\Delta H
V_T=\frac{kT}{q}
\rho=\frac{1}{\sigma}
R_\infty=\frac{me^4}{8\varepsilon_0^2h^3c}
"""
TENSORS = (r"G_{\mu\nu}=R_{\mu\nu}-\frac12Rg_{\mu\nu}", r"F_{\mu\nu}=\partial_\mu A_\nu-\partial_\nu A_\mu")
_LAST = frozenset(["#2", "f", "t", "%t"])  # labels of final states
_CONCENTRATION = re.compile(
    r"\[\s*(?:\\(?:mathrm|text|rm|ce)\s*)?\{?\s*([A-Z][A-Za-z0-9]*)\s*\}?\s*\](?:_(?:\{(\w+)\}|(\w)))?"
)
_HYDRONIUM = re.compile(r"H_\{?3\}?\s*O\s*(?=\^\{?\+)")  # an ion H+ in water
_LAPLACIAN = re.compile(r"\\nabla\s*\^\s*\{?2")
_PH = re.compile(r"(?<![A-Za-z\\{])pH(?![A-Za-z])")
_STANDARD_STATE = frozenset(["~∘", "~⊖", "~⊝", "~°"])
_STAGGERED = re.compile(r"\{\}(?=[_^])")  # between an upper index and a lower one
_SAMPLE = re.compile(r"(?<=[A-Za-z}])\[([nkmlij0-9+\- ]+)\](?![_^])")  # x[n-k] is x_{n-k}
_DOTTED = re.compile(
    r"\\(d?dot)\s*\{?\s*([A-Za-z])\s*\}?\s*\^\s*\{?\s*(\\(?:alpha|beta|gamma|lambda|kappa|mu|nu|rho|sigma)(?![a-z]))\s*\}?"
)
_COMMA = re.compile(
    r"([A-Z]|\\[a-z]+|[a-z])_\{([a-z]|(?:[a-z]|\\[a-z]+ ?){1,3})([,;])\s*([a-z]|\\[a-z]+)\}"
)  # A_{b,a} is ∂_a A_b
_CALLED = re.compile(r"(?:(?<!\{)d|[A-Zabce-z\])}])\s*$")
_CONSTANT = frozenset(["%const", "%constant", '"const', '"constant', '"const.', "%const."])
_MIN_QUANTITIES_NATURAL = 3  # quantities of a formula that is the same in other units
_PROBABILITIES = (0.05, 0.95)
_NATURAL: tuple[NormalNode, ...] = ("c", "ħ", "G", nodes.Scripts("k", "B", EMPTY), nodes.Scripts("k", "%B", EMPTY))
_SI: dict[NormalNode, NormalNode] = {  # in Gaussian units
    nodes.Scripts("ε", "#0", EMPTY): nodes.Product(("#1",), ("#4", "π")),
    nodes.Scripts("μ", "#0", EMPTY): nodes.Product(("#4", "π"), (square("c"),)),
}
_GAUSSIAN_FIELDS: dict[NormalNode, NormalNode] = {name: nodes.Product((name,), ("c",)) for name in ("b.B", "B", "b.A")}
_BY_A_FACTOR = frozenset(map(frozenset, ("ħh", "Rk", "ων", "ωf")))  # letters that are never two names of one quantity
_SETTLED = frozenset(f"note.{name}" for name in ("accents", "four_vector", "one_way", "root_signs", "spacetime_part"))
_UNSEEN = frozenset(["c"])  # common factors
_NUMBERS = {"#2.303": nodes.Applied("%ln", "#10"), "#0.693": nodes.Applied("%ln", "#2")}


def compare_conventions(found: Comparison, a: str, b: str, usual: UsualLetters = no_usual_letters) -> Comparison:
    """Return a comparison after both formulas are in one convention; `usual` tells letters of one quantity.

    Formulas that are equal up to letters stay so, unless a letter stands for a function of the other one: n for c/v.
    """
    certain = found.same_concept and found.relation != "renamed"
    if certain or found.message.code in _SETTLED:
        return found
    answer = in_one_convention(a, b, usual)
    if answer is None or (answer.same_concept and found.same_concept):
        return found
    if answer.same_concept or found.same_concept:
        return answer
    if found.differs or answer.differs is None:
        return found
    return replace(
        found, message=Message("note.differs", note=found.message, differs=answer.differs), differs=answer.differs
    )


def in_one_convention(a: str, b: str, usual: UsualLetters = no_usual_letters) -> Comparison | None:
    """Return how two formulas are related once both are in one convention; None if they are not related and do not differ decisively either."""
    try:
        left, right = _equations(_with_nabla(a, b)), _equations(_with_nabla(b, a))
        if not left or not right:
            return None
        search = _Search(b, usual)
        if len(left) == len(right) == 1:
            return search.compare_chain(
                _without_shown_argument(left[0], right[0]), _without_shown_argument(right[0], left[0])
            )
        if len(left) == len(right):
            return search.compare_systems(left, right)
        return search.compare_unlike_systems(left, right)
    except (FormulaError, RecursionError, NotReplaceable):
        return None


def _with_nabla(tex: str, other: str) -> str:
    r"""Return a formula with ∇² for its Δ if the other one has ∇² and no Δ."""
    if "\\Delta" not in tex or "\\nabla" in tex or "\\Delta" in other or not _LAPLACIAN.search(other):
        return tex
    return tex.replace("\\Delta", "\\nabla^2 ")


@lru_cache(maxsize=1024)
def _equations(tex: str) -> list[NormalNode]:
    """Return the equations of a formula, with definitions substituted and matrices row by row; [] if it is too long or not of equations."""
    tex = _PH.sub(r"\\mathrm{pH}", _HYDRONIUM.sub("H", tex))
    formula = analyse_formula(
        _with_concentrations(
            _COMMA.sub(_comma_derivative, _DOTTED.sub(r"\\\1{\2^{\3}}", _STAGGERED.sub("", _SAMPLE.sub(r"_{\1}", tex))))
        )
    )
    if not all(map(is_statement, formula.nodes)) or formula.keys.leaves > MAX_LEAVES:
        return []
    trees = list(map(_with_proper_time, expand_abbreviations(formula.nodes)))
    plain = [_without_arguments(node, frozenset(_call_heads(node))) for node in trees]
    trees_to_use = plain if set(quantities(plain)) == set(quantities(trees)) else trees
    found = _with_own_definitions([_simplified(with_operators_expanded(node)) for node in trees_to_use])
    return (matrix_rows(found[0]) or found) if len(found) == 1 else found


def _with_proper_time(node: NormalNode) -> NormalNode:
    """Write τ for a supposed index that is only a variable of second derivatives."""
    by = {name for name in differentiation_variables(node) if str(name)[:1] == "ι"}
    scripts = {
        leaf for part in find_all(nodes.Scripts, node) for script in (part.low, part.high) for leaf in leaves(script)
    }
    return rename_leaves(node, {str(name): "τ" for name in by - scripts}) if by and "τ" in leaves(node) else node


def _with_own_definitions(trees: list[NormalNode]) -> list[NormalNode]:
    """Substitute what the other equations define in the first one: u = U(1 - e^{-t/τ}), τ = RC."""
    stated, *definitions = trees
    values: dict[NormalNode, NormalNode] = {}
    for node in definitions:
        symbol, expression = _sides(node) if len(_sides(node)) == 2 else (EMPTY, EMPTY)
        if not letter_of(symbol) or symbol not in quantities([stated]) or symbol in quantities([expression]):
            return trees
        values[symbol] = expression
    try:
        return [_simplified(with_values(stated, values))] if values else trees
    except NotReplaceable:
        return trees


def _with_concentrations(tex: str) -> str:
    """[A] of a substance as one quantity, where k[A] or d[A] would be a call: one that nothing or a d of a fraction stands before makes them all so."""
    found = list(_CONCENTRATION.finditer(tex))
    if all(_CALLED.search(tex[: each.start()]) for each in found):
        return tex
    return _CONCENTRATION.sub(_concentration, tex)


def _comma_derivative(found: re.Match[str]) -> str:
    sign = r"\partial" if found[3] == "," else r"\nabla"
    return rf" {sign}_{{{found[4]}}} {found[1]}_{{{found[2]}}} "


def _concentration(bracket: re.Match[str]) -> str:
    name, label = bracket[1], bracket[2] or bracket[3]
    if len(name) == 1:
        return f" {name}_{{{label}}}" if label else f" {name} "
    return f" c_{{{name}{label or ''}}}"


def _call_heads(node: NormalNode) -> Iterator[NormalNode]:
    """Yield the functions that are called in one way, by one letter."""
    calls: dict[NormalNode, set[NormalNode]] = {}
    for part in find_all(nodes.FunctionCall, node):
        if part.function != "Γ":
            calls.setdefault(part.function, set()).add(part.arguments)
    yield from (head for head, arguments in calls.items() if len(arguments) == 1 and arguments.pop().__class__ is str)


def _without_shown_argument(node: NormalNode, other: NormalNode) -> NormalNode:
    """Write H for H(X) if this is a side and neither formula has another X."""
    calls = list(find_all(nodes.FunctionCall, node))
    if len(calls) != 1 or calls[0] not in _sides(node) or calls[0].arguments.__class__ is not str:
        return node
    stripped = _without_arguments(node, frozenset([calls[0].function]))
    removed = quantities([node]).keys() - quantities([stripped]).keys()
    return node if removed & quantities([other]).keys() else stripped


def _without_arguments(node: NormalNode, heads: frozenset[NormalNode]) -> NormalNode:
    """N for N(t)."""

    def head(part: NormalNode) -> NormalNode | None:
        return part.function if part.__class__ is nodes.FunctionCall and part.function in heads else None

    return top_down(node, head)


def _simplified(node: NormalNode) -> NormalNode:
    """Return the tree with numbers multiplied, known decimals as logarithms, and derivatives of logarithms as those of their arguments."""
    if node.__class__ is str:
        return _NUMBERS.get(node, node)
    found = map_children_flat(node, _simplified)
    match found:
        case nodes.Applied("%hav", body) | nodes.FunctionCall("%hav", _, body):
            return nodes.Applied(square("%sin"), times([body], ["#2"]))
        case nodes.Scripts(base, low, high) if high in _STANDARD_STATE:
            return nodes.Scripts(base, low, "~⊖")
        case nodes.Scripts(nodes.Derivative(style, ((("t" | "~x"), _),) as variables, body), low, "") if (
            low != EMPTY
        ):  # the dot of q_i
            return nodes.Derivative(style, variables, nodes.Scripts(body, low, EMPTY))
        case nodes.Scripts(base, low, nodes.Product(numerator, denominator)):
            return nodes.Scripts(base, low, _with_one_number(numerator, denominator))
        case nodes.Relation(("|",), (divisor, number)):
            return nodes.Relation(("≡",), (number, nodes.Modulo(divisor)))
        case nodes.Relation(("≡",), (left, right)):
            return _congruence(left, right) or found
        case nodes.Relation(("≈" | "≃" | "∼" | "≅",), sides):
            return _simplified(nodes.Relation(("=",), sides))
        case nodes.Relation(("=",), (left, right)) if right in _CONSTANT:
            return nodes.Relation(("=",), (left, "%const"))
    if found.__class__ is nodes.Derivative and found.style == "" and len(found.variables) == 1:
        (variable, order), body = found.variables[0], found.body
        match variable:
            case nodes.Product(("#1",), (inverse,)) if order == "1":  # df/d(1/x) is -x² df/dx
                slope = _simplified(nodes.Derivative("", ((inverse, "1"),), body))
                return minus(times([square(inverse), slope]))
        if order == "1" and (_logarithm(body) or _logarithm(variable)):
            inner = nodes.Derivative("", ((_logarithm(variable) or variable, "1"),), _logarithm(body) or body)
            factors = [_logarithm(variable)] if _logarithm(variable) else []
            return times([*factors, inner], [_logarithm(body)] if _logarithm(body) else [])
    return found


def _with_one_number(numerator: Sequence[NormalNode], denominator: Sequence[NormalNode]) -> NormalNode:
    """Return a product with its numbers multiplied: (a/2)(b/2) is ab/4."""
    number = Fraction(1)
    rest: tuple[list[NormalNode], list[NormalNode]] = ([], [])
    for is_denominator, row in enumerate((numerator, denominator)):
        for part in row:
            value = number_of(part) if part.__class__ is str and part[:1] == "#" else None
            if value:
                number = number / value if is_denominator else number * value
            else:
                rest[is_denominator].append(part)
    return times([f"#{number.numerator}", *rest[0]], [f"#{number.denominator}", *rest[1]])


def _congruence(left: NormalNode, right: NormalNode) -> NormalNode | None:
    """Write n ≡ -1 (mod p) as n + 1 ≡ 0 (mod p), without the zero."""
    negative, body = signed_body(right)
    (*factors, modulus), denominator = fraction_of(body)
    if modulus.__class__ is not nodes.Modulo or denominator:
        return None
    value = times(factors or ["#1"])
    return nodes.Relation(("≡",), (plus([left, value if negative else minus(value)]), modulus))


def _logarithm(node: NormalNode) -> NormalNode:
    return node.body if node.__class__ is nodes.Applied and node.head in ("%ln", "%log") else EMPTY


def _has_computed_index(node: NormalNode) -> bool:
    """Tell whether an index is computed: C_{n+1} is not another name for C_n."""
    return any(part.low.__class__ is nodes.Sum for part in find_all(nodes.Scripts, node))


def _axis(node: NormalNode) -> str:
    """Return the axes of a component; v_y is not another name for v_x."""
    low = node.low if node.__class__ is nodes.Scripts else EMPTY
    names = low.letters if low.__class__ is nodes.Letters else (low,)
    return "".join(map(str, names)) if all(name in AXES for name in names) else ""


# -- definitions ----------------------------------------------------------------------------------------------------------
@lru_cache(maxsize=1)
def _definitions() -> list[tuple[NormalNode, NormalNode, tuple[NormalNode, ...], str]]:
    """Return each symbol, its expression, the quantities of the expression, and a leaf that the formula must have."""
    found = []
    for line in filter(None, DEFINITIONS.splitlines()):
        tex, _, condition = line.partition(" | ")
        (node,) = expand_abbreviations(normal_forms(tex).normal[0])
        symbol, expression = node.sides  # type: ignore[union-attr]
        found.append((symbol, expression, tuple(quantities([expression])), condition))
    return found


@lru_cache(maxsize=1)
def _reparametrised_pairs() -> frozenset[frozenset[str]]:
    """Return pairs of letters that are functions of each other, so that neither is another name for the other."""
    constants = ("c", "h", "ħ", "k")
    found = set()
    for symbol, _, needed, _ in _definitions():
        if symbol.__class__ is nodes.Scripts:
            continue  # a half-life is a time like any other
        letters = {letter_of(each) for each in needed}
        for rest in (letters, letters - {*constants}):
            if len(rest) == 1:
                found.add(frozenset({letter_of(symbol), *rest}))
    return frozenset(found)


def _is_reparametrised(one: NormalNode, other: NormalNode) -> bool:
    return frozenset((letter_of(one), letter_of(other))) in _reparametrised_pairs()


def _matching_quantity(wanted: NormalNode, candidates: Iterable[NormalNode]) -> NormalNode | None:
    """Return the quantity of a formula that matches one of a definition: with its scripts, without, or the only one with its letter."""
    candidates = list(candidates)
    if wanted in candidates:
        return wanted
    letter = letter_of(wanted)
    same = [each for each in candidates if letter_of(each) == letter]
    return same[0] if len(same) == 1 else None


def _substitutions(
    left: Mapping[NormalNode, None], right: Mapping[NormalNode, None], names_of_leaves: set[str]
) -> Iterator[tuple[NormalNode, dict[NormalNode, NormalNode]]]:
    """Yield a symbol, and what may be put for it, or for each of it with scripts, in a formula beside one that does not have it."""
    alone = [each for each in left if each not in right]
    both = {**right, **left}
    for rule in map(read_rule, TENSORS):
        for each in alone:
            if (names := match_indices(rule.symbol, each)) and letter_of(rule.symbol) not in map(letter_of, right):
                yield rule.symbol, {each: rename_indices(rule.expression, names)}
    for symbol, expression, needed, condition in _definitions():
        if (condition and condition not in names_of_leaves) or (
            not needed and not names_of_leaves.issuperset(leaves(expression))
        ):
            continue
        found = _matching_quantity(symbol, [each for each in alone if symbol.__class__ is str or each == symbol])
        group = [found] if found else [each for each in alone if symbol == letter_of(each)]
        values: dict[NormalNode, NormalNode] = {}
        for each in group:
            replacements = {part: _with_scripts_of(each, part, right) or _matching_quantity(part, right) or _matching_quantity(part, both) or ("#1" if part in _UNSEEN else None) for part in needed}  # fmt: skip
            if (
                None in replacements.values()
                or each in replacements.values()
                or (needed and all(at in left for at in replacements.values()))
            ):
                break
            values[each] = with_values(expression, {part: at for part, at in replacements.items() if at is not None})
        else:
            if values:
                yield symbol, values


def _with_scripts_of(one: NormalNode, wanted: NormalNode, candidates: Mapping[NormalNode, None]) -> NormalNode | None:
    """v_1 for v beside n_1."""
    scripted = nodes.Scripts(wanted, one.low, one.high) if one.__class__ is nodes.Scripts else wanted
    return scripted if scripted in candidates else None


def _increments(node: NormalNode, other: NormalNode) -> dict[NormalNode, NormalNode]:
    """Return values of increments: Δλ as λ' - λ, or as x_2 - x_1, if the other formula has these."""
    right = set(walk([other]))
    pairs = (part.terms for part in find_all(nodes.Sum, other) if len(part.terms) == 2)
    written = {base_of(term, nodes.Signed) for pair in pairs for term in pair}
    found: dict[NormalNode, NormalNode] = {}
    for part in find_all(nodes.Differential, node):
        if part.sign == "Δ" and part not in right:
            name = part.variable
            ends: list[tuple[NormalNode, NormalNode]] = [(nodes.Derivative("", (("~x", "1"),), name), name)]
            ends += [(nodes.Scripts(name, last, EMPTY), nodes.Scripts(name, first, EMPTY)) for last, first in (("#2", "#1"), ("f", "i"), ("#1", "#0"))]  # fmt: skip
            ends += [(name, nodes.Scripts(name, "#0", EMPTY))]
            labelled = [each for each in written if each.__class__ is nodes.Scripts and each.base == name]
            ends += [(last, first) for last in labelled for first in labelled if plus([last, minus(first)]) in right]
            for last, first in ends:
                if last in right and first in right:
                    found[part] = plus([last, minus(first)])
                    break
    return found


# -- the search -----------------------------------------------------------------------------------------------------------
class _Search:
    def __init__(self, tex: str, usual: UsualLetters) -> None:
        self.tex, self.usual = tex, usual
        self.differs: Message | None = None
        self.leaves = MAX_LEAVES  # of the shorter equation as it is written
        self.natural = False  # in units in which a speed is its share of that of light

    def compare(self, one: NormalNode, other: NormalNode) -> Comparison | None:
        self.leaves = min(sum(1 for _ in leaves(each)) for each in (one, other))
        for first, second in _equation_forms(one, other):
            if first == second:
                return _REARRANGED
            for left, right in _with_definitions_substituted(first, second):
                self.samples = _SAMPLED
                found = self.compare_with_solution(left, right) or self.compare_renamed(left, right)
                if found is not None:
                    return found
        differs = self.differs
        for left, right in _looser_forms(one, other):
            self.natural = True
            found = self.compare_renamed(left, right)
            self.natural = False
            if found is not None:
                return found
        few = with_few_terms(one, other)
        if few and all(self.are_equal(left, right, decisive=False) for left, right in few):
            return _REARRANGED
        self.differs = differs  # a size has no sign, and units have factors of their own
        return self.different_comparison()

    def compare_chain(self, one: NormalNode, other: NormalNode) -> Comparison | None:
        """Compare two equations, of which one may be a chain a = b = c."""
        found = self.compare(one, other)
        chains = [*chain_equations(one)], [*chain_equations(other)]
        if (found is None or not found.same_concept) and bool(chains[0]) != bool(chains[1]):
            differs = self.differs
            for left, right in product(chains[0] or [one], chains[1] or [other]):
                comparison = self.compare(left, right)
                if comparison and comparison.same_concept:
                    return comparison
            self.differs = differs
        return found

    def compare_unlike_systems(self, left: Sequence[NormalNode], right: Sequence[NormalNode]) -> Comparison | None:
        """Compare a system with one of fewer equations: unknowns may be eliminated, or a parameter of a curve."""
        for system, rest in ((left, right), (right, left)):
            if len(rest) == 1 and len(system) > 1:
                on = is_curve(system, rest[0])
                if on:
                    return _REARRANGED
                if on is False:
                    self.differs = Message("differs.value", tex=self.tex)
                    return self.different_comparison()
                system, rest = substitute_definitions(system, rest[0])
                one = eliminate(system, quantities(rest))
                if one is not None:
                    return self.compare_chain(one, rest[0])
        return None

    def compare_systems(self, first: Sequence[NormalNode], second: Sequence[NormalNode]) -> Comparison | None:
        """Compare two systems with the same number of equations, each with the one that is equal."""
        lone_first, lone_second = _lone_quantities(first, second)
        if len(lone_first) != len(lone_second) or len(lone_first) > _MAX_LONE:
            return None
        names, weak, usual = next(self.likely_renamings(lone_first, lone_second), ({}, lone_first, lone_first))
        if (lone_first and (weak or usual)) or len(first) > 4:
            return None
        left, waiting = [with_values(node, names) for node in first], list(second)
        for node in left:
            self.samples = _SAMPLED
            found = next((each for each in waiting if self.are_equal(node, each, decisive=_sides(node)[0] == _sides(each)[0])), None)  # fmt: skip
            if found is None and not lone_first:
                rearranged = (
                    each for each in waiting if (answer := self.compare(node, each)) and answer.relation == "rearranged"
                )
                found = next(rearranged, None)
            if found is None:
                return self.different_comparison()
            waiting.remove(found)
        return _RENAMED if names else _REARRANGED

    def note_difference(self, code: str) -> None:
        """Keep how the formulas differ, unless another difference was found before."""
        self.differs = self.differs or Message(code, tex=self.tex)

    def different_comparison(self) -> Comparison | None:
        if self.differs is None:
            return None
        note = Message("note.not_in_form", form=Message("note.convention"), differs=self.differs)
        return Comparison("different", "", False, note, self.differs)

    def compare_with_solution(self, one: NormalNode, other: NormalNode) -> Comparison | None:
        """Return a comparison if one is a solution of the other."""
        for law, solution in ((one, other), (other, one)):
            for answer in _solution_verdicts(law, solution):
                if answer:
                    return Comparison("rearranged", "", True, Message("note.solution"))
                if answer is False:
                    self.note_difference("differs.solution")
        return None

    def compare_renamed(self, left: NormalNode, right: NormalNode) -> Comparison | None:
        """Compare two equations up to the names of their letters."""
        lone_first, lone_second = _lone_quantities([left], [right])
        shared = len(quantities([left])) - len(lone_first)
        if len(lone_first) != len(lone_second) or len(lone_first) > _MAX_LONE:
            return None
        if state_functions([left]) != state_functions([right]):
            return None
        least = min(sum(1 for _ in leaves(each)) for each in (left, right))
        for names, weak, usual in self.likely_renamings(lone_first, lone_second):
            if (
                len(weak) == 1
                and shared > 1
                and frozenset(map(letter_of, (weak[0], names[weak[0]]))) in _BY_A_FACTOR
                and not self.natural
                and all(letter_of(one) == letter_of(two) for one, two in names.items() if one != weak[0])
            ):
                with suppress(NotReplaceable):
                    if self.are_equal(with_values(left, names), right, decisive=False):
                        self.note_difference("differs.factor")
            if len(weak) == 1 and self.natural:
                continue  # T for m where k is one: the units of one and a letter of the other
            several = len(weak) > 1
            if several:
                least = min(least, self.leaves)  # components are more than is written
                if least < (MIN_LEAVES_USUAL if self.natural else MIN_LEAVES_RENAMED):
                    continue
                if not self.natural and any(_is_reparametrised(each, names[each]) for each in weak):
                    continue
            elif len(usual) > shared and least < MIN_LEAVES_RENAMED:
                continue  # σ = Mc/I and τ = Tc/J
            elif (usual or weak) and (least < MIN_LEAVES_USUAL or (weak and shared < 2)):
                continue
            try:
                moved = with_values(left, names)
            except NotReplaceable:
                continue
            if several:
                if (texts := exact_texts([moved])) is not None and texts == exact_texts([right]):
                    return _RENAMED
                continue
            other_parameter = any(least < MIN_LEAVES_RENAMED or _is_reparametrised(each, names[each]) for each in weak)
            if not other_parameter and self.are_equal(moved, right, decisive=not weak and not usual):
                return _RENAMED if names else _REARRANGED
            for parameter in weak or usual:
                reverse_names = {other: one for one, other in names.items()}
                if self.is_reparametrised(left, right, names, parameter) or self.is_reparametrised(
                    right, left, reverse_names, names[parameter]
                ):
                    return _REARRANGED
        return None

    def likely_renamings(
        self, lone_first: Sequence[NormalNode], lone_second: Sequence[NormalNode]
    ) -> Iterator[tuple[dict[NormalNode, NormalNode], list[NormalNode], list[NormalNode]]]:
        """Yield renamings, the most likely first, with the letters renamed without a reason, and those renamed because both are usual."""
        names: dict[NormalNode, NormalNode] = {}
        left, right = list(lone_first), list(lone_second)
        for level in (_EXACT, _CASE):
            for each in [*left]:
                fitting = [other for other in right if self.pairing_strength(each, other) >= level]
                fitting_back = [one for one in left if fitting and self.pairing_strength(one, fitting[0]) >= level]
                if len(fitting) == len(fitting_back) == 1:
                    names[each] = fitting[0]
                    left.remove(each)
                    right.remove(fitting[0])
        ways = []
        for order in islice(permutations(right), _PERMUTED):
            pairs = list(zip(left, order, strict=True))
            strengths = [self.pairing_strength(*pair) for pair in pairs]
            if _NEVER in strengths:
                continue
            weak, usual = ([one for (one, _), strength in zip(pairs, strengths, strict=True) if strength == level] for level in (0, _USUAL))  # fmt: skip
            ways.append((len(weak), -sum(strengths), dict(pairs), weak, usual))
        for _, _, pairs_, weak, usual in sorted(ways, key=lambda way: way[:2]):
            yield names | pairs_, weak, usual

    def pairing_strength(self, one: NormalNode, other: NormalNode) -> int:
        """Return how likely two letters are one quantity."""
        left, right = letter_of(one), letter_of(other)
        if _has_computed_index(one) != _has_computed_index(other) or len({_axis(one), _axis(other)} - {""}) == 2:
            return _NEVER
        if left == right:
            return _EXACT
        if _is_reparametrised(one, other):
            return 0
        if left.casefold() == right.casefold():
            return _CASE
        return _USUAL if self.usual(left, right) else 0

    def is_reparametrised(
        self, left: NormalNode, right: NormalNode, names: Mapping[NormalNode, NormalNode], weak: NormalNode
    ) -> bool:
        """Tell whether a parameter is a power of the other formula's: a rate instead of a time, a precision instead of a deviation."""
        if weak in _sides(left) or names[weak] in _sides(right):
            return False
        least = min(sum(1 for _ in leaves(each)) for each in (left, right))
        if least < MIN_LEAVES_RENAMED and min(_count(weak, left), _count(names[weak], right)) < 2:
            return False
        for power in _POWERS:
            exponent: NormalNode = "#" + power.lstrip("-") if "/" not in power else HALF
            value = nodes.Scripts(names[weak], EMPTY, exponent) if exponent != "#1" else names[weak]
            value = times([], [value]) if power[0] == "-" else value
            try:
                moved = with_values(left, {**names, weak: value})
            except NotReplaceable:
                return False
            if self.are_equal(moved, right, decisive=False):
                return True
        return False

    def are_equal(self, left: NormalNode, right: NormalNode, *, decisive: bool) -> bool:
        """Tell whether two equations of the same letters are equal; if `decisive`, store how they differ."""
        if not has_same_products(products([left]), products([right])):
            return False
        if _is_order(left) and _is_order(right):
            return is_same_bound(left, right)
        first, second = exact_texts([left]), exact_texts([right])
        if first is not None and first == second:
            verdict = compare_solutions(read_system_pair([left], [right]))  # squares and roots may have gone
            return verdict.outcome in ("same", "unknown") or bool({*filter(letter_of, _sides(left))} & {*_sides(right)})
        if decisive and first is not None and second is not None:
            one, other = equation(left), equation(right)
            if one and other and without_numbers(*one) == without_numbers(*other) and len(one[1].terms) == len(other[1].terms):  # fmt: skip
                self.note_difference("differs.factor")
                return False
        self.samples -= 1
        if self.samples < 0:
            return False
        pair = read_system_pair([left], [right])
        verdict = compare_solutions(pair)
        if verdict.outcome == "unknown":
            verdict = compare_solutions(pair, values=_PROBABILITIES)
        if verdict.outcome == "unknown" and pair is not None:  # other points
            verdict = compare_solutions(read_system_pair([right], [left]))
        if decisive and verdict.outcome == "unlike" and not any(map(_is_opaque, walk([left, right]))):
            self.note_difference("differs.value")
        return verdict.outcome == "same"


def _lone_quantities(
    first: Sequence[NormalNode], second: Sequence[NormalNode]
) -> tuple[list[NormalNode], list[NormalNode]]:
    """Return the quantities that only the first equations have, and those that only the second have."""
    left, right = quantities(first), quantities(second)
    return [each for each in left if each not in right], [each for each in right if each not in left]


def _solution_verdicts(law: NormalNode, solution: NormalNode) -> Iterator[bool | None]:
    """Yield whether one equation is a solution of the other, as a function and in any form; None where nothing is certain."""
    yield solves(law, solution)
    if (name := unknown_function(law)) and not unknown_function(solution):
        yield is_solution_with_parameter(law, _with_variable_endpoint(solution, law, name))


def _is_order(node: NormalNode) -> bool:
    return node.__class__ is nodes.Relation and len(node.sides) == 2 and node.signs[0] in ("<", ">", "≤", "≥")


def _is_opaque(node: NormalNode) -> bool:
    if node.__class__ is nodes.Fenced and node.opening == "[" and node.body.__class__ is not nodes.CommaList:
        return False  # a concentration
    return isinstance(
        node, (nodes.Derivative, nodes.Big, nodes.Infix, nodes.Matrix, nodes.Fenced, nodes.FunctionCall)
    ) or (node.__class__ is nodes.Differential and node.sign != "Δ")


def _count(quantity: NormalNode, node: NormalNode) -> int:
    return sum(part == quantity for part in walk([node]))


def _sides(node: NormalNode) -> tuple[NormalNode, ...]:
    return node.sides if node.__class__ is nodes.Relation else ()


def _with_variable_endpoint(solution: NormalNode, law: NormalNode, name: str) -> NormalNode:
    """Return a solution between two states with a variable second one: p and T for p_2 and T_2, if the equation has these."""
    plain = {each for each in quantities([law]) if each.__class__ is str}
    in_solution = quantities([solution])
    values: dict[NormalNode, NormalNode] = {}
    for each in in_solution:
        if each.__class__ is nodes.Scripts and each.base in plain and each.low in _LAST and each.high == EMPTY:
            values[each] = each.base
        elif each.__class__ is str and name not in in_solution and letter_of(each).casefold() == name.casefold():
            values[each] = name
    names_endpoint = name in values.values() and not any(value in in_solution for value in values.values())
    return with_values(solution, values) if names_endpoint else solution


def _equation_forms(one: NormalNode, other: NormalNode) -> Iterator[tuple[NormalNode, NormalNode]]:
    """Yield both equations as they are and in common forms: components, differentials, means, matrices and others."""
    one, other = _with_one_imaginary_unit(one, other), _with_one_imaginary_unit(other, one)
    one, other = _with_named_variable(one, other), _with_named_variable(other, one)
    written = in_notation_of(one, other), in_notation_of(other, one)
    if written != (one, other):
        yield written
    yield from _with_renamed_variable(one, other)
    for left, right in _in_one_unit_system(one, other):
        yield left, right
        yield from component_forms(left, right)
    if means := mean_forms(one, other):
        yield means
    primed = [_is_primed(part) for part in find_all(nodes.Derivative, one, other)]
    if primed and all(primed):
        yield _with_primed_letters(one), _with_primed_letters(other)
    taken_apart = (
        *(with_commutators, with_poisson_brackets, _with_hamiltonian, _with_radial_laplacian),
        *(with_derivatives_for_subscripts, with_inner_products),
    )
    for form in (*taken_apart, as_traces, _as_two_states, with_polar_elements):
        left, right = form(one, other), form(other, one)
        if (left, right) != (one, other):
            yield left, right
            if form in taken_apart:
                yield from component_forms(left, right)
    bases = [{part.low for part in find_all(nodes.Scripts, node) if part.base == "%log"} for node in (one, other)]
    if bool(bases[0]) != bool(bases[1]) and max(map(len, bases)) == 1 and "%log" in leaves(other if bases[0] else one):
        yield with_operators_expanded(_without_base(one)), with_operators_expanded(_without_base(other))
    if _has_differentials(one) != _has_differentials(other):
        left, right = (_simplified(expand_abbreviations([node], quotients=True)[0]) for node in (one, other))
        yield left, right
    matrix_forms = [matrix_products(node) for node in (one, other)]
    if (matrix_forms[0] is None) != (matrix_forms[1] is None):
        names = {name for node in matrix_forms if node is not None for name in ordered_names(node)}
        left, right = (
            node or factors_in_order(tree, names) for node, tree in zip(matrix_forms, (one, other), strict=True)
        )
        yield left, right


def _with_one_imaginary_unit(node: NormalNode, other: NormalNode) -> NormalNode:
    """Write i for the imaginary unit j if it is not an index and the other formula has i."""
    left, right = ({*leaves(each)} for each in (node, other))
    return (
        rename_leaves(node, {"j": "i"})
        if "j" in quantities([node]) and "i" not in left and "i" in right and "j" not in right
        else node
    )


def _with_named_variable(node: NormalNode, other: NormalNode) -> NormalNode:
    """Make primes derivatives by the variable of the other formula, if that has only one."""
    primes, others = (
        {name for name in differentiation_variables(each) if name.__class__ is str} for each in (node, other)
    )
    candidates = (primes | others) - {UNKNOWN_VARIABLE}
    variable = "t" if "t" in candidates else candidates.pop() if len(candidates) == 1 else ""
    return rename_leaves(node, {UNKNOWN_VARIABLE: str(variable)}) if variable and UNKNOWN_VARIABLE in primes else node


def _with_renamed_variable(one: NormalNode, other: NormalNode) -> Iterator[tuple[NormalNode, NormalNode]]:
    """Yield two ordinary differential equations with one letter for what is differentiated by, primes standing for that of any letter."""
    variables = [differentiation_variables(node) for node in (one, other)]
    if not all(len(each) == 1 and next(iter(each)).__class__ is str for each in variables):
        return
    for node, target, swapped in ((one, other, False), (other, one, True)):
        (left,), (right,) = variables if not swapped else variables[::-1]
        letters = [name for name in quantities([node]) if name.__class__ is str]
        bodies = [part.body for part in find_all(nodes.Derivative, node)]
        has_letter_elsewhere = list(leaves(node)).count(str(right)) > len(bodies)
        names: list[NormalNode] = []
        if left == right and not has_letter_elsewhere and str(right) in leaves(target):
            names = [name for name in letters if name not in bodies]  # primes by a letter of this formula's own
        elif left != right and not swapped and right not in letters:
            names = [left]
        for name in names:
            renamed = rename_leaves(node, {str(name): str(right)})
            yield renamed, target
            yield from component_forms(renamed, target)


def _with_hamiltonian(node: NormalNode, other: NormalNode) -> NormalNode:
    """Write Hψ as -ħ²/2m ∇²ψ + Vψ if the other formula has a Laplacian or a second derivative, and a potential."""
    second = next((part for part in walk([other]) if _second_derivative(part, EMPTY)), EMPTY)
    potential = next((each for each in ("V", "U") if each in quantities([other])), EMPTY)
    operators = [each for each in ("H", nodes.Accented("hat", "H")) if each in quantities([node])]
    if not second or not potential or len(operators) != 1:
        return node

    def energy(product: NormalNode) -> NormalNode:
        match product:
            case nodes.Product((*before, "H", state), ()):
                kinetic = times([square("ħ"), _second_derivative(second, state)], ["#2", "m"])
                return times([*before, plus([minus(kinetic), times([potential, state])])])
        return product

    return bottom_up(without_kets(node), energy)


def _second_derivative(part: NormalNode, function: NormalNode) -> NormalNode:
    """Return a Laplacian or a second derivative with another function in it; EMPTY for anything else."""
    match part:
        case nodes.Applied("∇²"):
            return nodes.Applied("∇²", function)
        case nodes.Derivative(_, ((_, "2"), *_) as variables):
            return nodes.Derivative("", variables, function)
    return EMPTY


def _with_radial_laplacian(node: NormalNode, other: NormalNode) -> NormalNode:
    """∇²φ of a function of r alone, where the other formula has derivatives by r alone: φ'' + 2φ'/r, about an axis φ'' + φ'/r."""
    if differentiation_variables(other) != {"r"}:
        return node
    number = "#2" if square("r") in walk([other]) else "#1"

    def radial(part: NormalNode) -> NormalNode:
        match part:
            case nodes.Applied("∇²", body):
                first, second = (nodes.Derivative("", (("r", order),), body) for order in "12")
                return plus([second, times([number, first], ["r"])])
        return part

    return bottom_up(node, radial)


def _is_primed(node: NormalNode) -> bool:
    return (
        node.__class__ is nodes.Derivative
        and node.variables == ((UNKNOWN_VARIABLE, "1"),)
        and node.body.__class__ is str
    )


def _with_primed_letters(node: NormalNode) -> NormalNode:
    """Make u' a quantity of its own if the equation has no derivatives."""
    return top_down(node, lambda part: nodes.Accented("prime", part.body) if _is_primed(part) else None)  # type: ignore[union-attr]


def _in_one_unit_system(one: NormalNode, other: NormalNode) -> Iterator[tuple[NormalNode, NormalNode]]:
    """Yield both equations as they are, and with the one in SI units converted to Gaussian units."""
    yield one, other
    for si, gaussian, swapped in ((one, other, False), (other, one, True)):
        left, right = quantities([si]), quantities([gaussian])
        if any(each in left for each in _SI) and not any(each in right for each in _SI):
            for fields in ({}, _GAUSSIAN_FIELDS):
                in_gaussian = _simplified(with_values(si, _SI | fields))
                yield (gaussian, in_gaussian) if swapped else (in_gaussian, gaussian)


def _as_two_states(node: NormalNode, other: NormalNode) -> NormalNode:
    """Write an equation with a constant for two states, if the other formula has these: pV = const as p_1 V_1 = p_2 V_2."""
    if (
        node.__class__ is not nodes.Relation
        or node.signs != ("=",)
        or "%const" not in node.sides
        or "%const" in leaves(other)
    ):
        return node
    labelled = [
        each
        for each in quantities([other])
        if each.__class__ is nodes.Scripts and each.low.__class__ is str and each.high == EMPTY
    ]
    labels = sorted({str(each.low) for each in labelled})
    letters = {letter_of(each).casefold() for each in labelled}
    value = node.sides[1 - node.sides.index("%const")]
    moving = [each for each in quantities([value]) if each.__class__ is str and letter_of(each).casefold() in letters]
    if len(labels) != 2 or not moving:
        return node
    return nodes.Relation(
        ("=",),
        tuple([with_values(value, {each: nodes.Scripts(each, label, EMPTY) for each in moving}) for label in labels]),
    )


def _looser_forms(one: NormalNode, other: NormalNode) -> Iterator[tuple[NormalNode, NormalNode]]:
    """Yield both equations with magnitudes for vectors, and in units where constants that only one of them has are one."""
    yield from ((size, other) for size in magnitudes(one, other))
    yield from ((one, size) for size in magnitudes(other, one))
    plain = _without_means(one), _without_means(other)
    if (plain[0] != one and plain[1] == other) or (plain[0] == one and plain[1] != other):
        yield plain
    first, second = quantities([one]), quantities([other])
    natural = [[each for each in _NATURAL if each in own and each not in others] for own, others in ((first, second), (second, first))]  # fmt: skip
    if bool(natural[0]) != bool(natural[1]) and min(len(first), len(second)) >= _MIN_QUANTITIES_NATURAL:
        primed = all(map(_is_primed, find_all(nodes.Derivative, one, other)))
        left, right = (_with_primed_letters(node) if primed else node for node in (one, other))
        yield from _with_definitions_substituted(*(_simplified(with_values(node, dict.fromkeys(names, "#1"))) for node, names in zip((left, right), natural, strict=True)))  # fmt: skip


def _without_means(node: NormalNode) -> NormalNode:
    """T for ⟨T⟩: a mean of a letter."""

    def letter(part: NormalNode) -> NormalNode | None:
        mean = part.__class__ is nodes.FunctionCall and part.function == "bb.E" and part.arguments.__class__ is str
        return part.arguments if mean else None  # type: ignore[union-attr]

    return top_down(node, letter)


def _without_base(node: NormalNode) -> NormalNode:
    """Remove the base of logarithms, which is only a unit of information if the other formula names none."""
    return top_down(node, lambda part: "%log" if part.__class__ is nodes.Scripts and part.base == "%log" else None)


def _has_differentials(node: NormalNode) -> bool:
    return any(part.sign == "d" for part in find_all(nodes.Differential, node))


def _is_half_life(symbol: NormalNode) -> bool:
    return symbol.__class__ is nodes.Scripts and symbol.low == HALF


def _with_definitions_substituted(one: NormalNode, other: NormalNode) -> Iterator[tuple[NormalNode, NormalNode]]:
    """Yield both equations as they are, with each applicable definition substituted, and with all of them."""
    yield one, other
    left, right = _increments(one, other), _increments(other, one)
    if left or right:
        one, other = with_values(one, left), with_values(other, right)
        yield one, other
    first, second = quantities([one]), quantities([other])
    options: dict[tuple[int, NormalNode], list[dict[NormalNode, NormalNode]]] = {}
    for side, steps in enumerate(
        (_substitutions(first, second, {*leaves(other)}), _substitutions(second, first, {*leaves(one)}))
    ):
        for symbol, values in steps:
            if _is_half_life(symbol) and not values.keys().isdisjoint(_sides((one, other)[side])):
                continue  # it is what this formula gives: a lifetime is another one
            options.setdefault((side, symbol), [{}]).append(values)
    ways = sorted(islice(product(*options.values()), _WAYS), key=lambda way: sum(map(bool, way)))
    for way in ways[1:]:
        put = [{symbol: value for (side, _), each in zip(options, way, strict=True) if side == at for symbol, value in each.items()} for at in (0, 1)]  # fmt: skip
        try:
            yield _cancelled(with_values(one, put[0])), _cancelled(with_values(other, put[1]))
        except NotReplaceable:
            continue


def _cancelled(node: NormalNode) -> NormalNode:
    """Return an equation without the factors that stand above and below, or below both sides: pV = (Nk/R)RT as pV = NkT."""
    if node.__class__ is not nodes.Relation or len(node.sides) != 2 or node.signs != ("=",):
        return node
    (above, below), (above_other, below_other) = (map(list, fraction_of(side)) for side in node.sides)
    for one, other in ((above, below), (above_other, below_other), (below, below_other)):
        for factor in [*one]:
            if factor in other:
                one.remove(factor)
                other.remove(factor)
    return nodes.Relation(("=",), (times(above, below), times(above_other, below_other)))
