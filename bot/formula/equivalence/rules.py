"""Substitution rules `symbol = expression`: read from the text ("where κ = …"), or one of the few that always hold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from bot.errors import FormulaError, InputError
from bot.formula.keys.alpha_equivalence import is_name
from bot.formula.normal.scripts import is_power
from bot.formula.normal.stages import normal_forms
from bot.formula.tex.nodes import EMPTY, Accented, Letters, Product, Relation, Scripts, Signed, Sum
from bot.formula.tex.nodes import NormalNode as Node
from bot.formula.tex.tree import leaves, walk
from bot.messages import Message

MAX_RULES = 12
_HIGH = str.maketrans("0123456789-/", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᐟ")
_LOW = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


@dataclass(frozen=True, slots=True)
class SubstitutionRule:
    """`symbol` may be replaced by `expression`; both are normal trees."""

    tex: str
    symbol: Node
    expression: Node

    def readable(self) -> str:
        """Return the rule as plain text, κ = 8πG/c⁴, or as TeX if that is not possible."""
        try:
            return f"{_plain_text(self.symbol)} = {_plain_text(self.expression)}"
        except ValueError:
            return self.tex


@lru_cache(maxsize=1024)
def read_rule(tex: str) -> SubstitutionRule:
    """Return the rule that a TeX string states; FormulaError if it is not a rule."""
    found = normal_forms(tex)
    equations, conditions = found.normal
    equation = equations[0] if len(equations) == 1 else EMPTY
    if conditions or equation.__class__ is not Relation:
        raise FormulaError("no_rule", tex=tex[:80])
    if equation.signs != ("=",) or EMPTY in equation.sides:
        raise FormulaError("rule_sides", tex=tex[:80])
    symbol, expression = equation.sides
    if not is_symbol(symbol):
        raise FormulaError("rule_left", tex=tex[:80])
    if symbol in walk([expression]):
        raise FormulaError("rule_circular", tex=tex[:80])
    return SubstitutionRule(tex, symbol, expression)


def read_rules(texts: Sequence[str]) -> tuple[SubstitutionRule, ...]:
    """Return the rules of a list of TeX strings; FormulaError for the first that is not a rule, or for too many."""
    if len(texts) > MAX_RULES:
        raise FormulaError("many_rules", most=MAX_RULES)
    return tuple(read_rule(tex) for tex in texts)


def rules_of_row(row: Mapping[str, object], number: int) -> tuple[SubstitutionRule, ...]:
    """Return the rules of a row's optional field "where"; InputError names the row."""
    texts = row.get("where", [])
    todo = "where_list"
    if not isinstance(texts, list) or not all(isinstance(tex, str) for tex in texts):
        raise InputError("no_rule_list", where=Message("at.row", n=number), todo=todo)
    try:
        return read_rules(texts)
    except FormulaError as error:
        reason = error.message if error.position else error.reason
        raise InputError(reason, where=Message("at.row", n=number), todo=todo) from None


def is_symbol(node: Node) -> bool:
    """Tell whether a node is one letter or word, perhaps with an accent, an index or a label, but without a power."""
    match node:
        case str():
            return is_name(node) or (node[:1] in '%"' and len(node) > 1)
        case Accented():
            return is_symbol(node.body)
        case Scripts(base, low, high):
            power = high != EMPTY and is_power(base, high)
            return is_symbol(base) and not power and (low != EMPTY or high != EMPTY)
    return False


# -- a rule in plain signs ----------------------------------------------------------------------------------------------
def _plain_text(node: Node, inside: bool = False) -> str:
    """Return a tree as plain text; ValueError if that is not possible."""
    match node:
        case str():
            return node[1:] if node and node[:1] in '#%"' else node.rpartition(".")[2]
        case Product(factors, divisors):
            numerator, denominator = ("".join([_plain_text(part, True) for part in row]) for row in (factors, divisors))
            if not divisors:
                return numerator
            return f"{numerator}/{denominator if len(divisors) == 1 else f'({denominator})'}"
        case Scripts():
            low, high = _script(node.low), _script(node.high)
            down = low.translate(_LOW) if low.isdigit() else f"_{low}" if low else ""
            up = high.translate(_HIGH) if high.isdigit() else f"^{high}" if high else ""
            return _plain_text(node.base, True) + down + up
        case Sum():
            text = " + ".join([_plain_text(term) for term in node.terms]).replace("+ -", "- ")
            return f"({text})" if inside else text
        case Signed("-"):
            return "-" + _plain_text(node.body, True)
    raise ValueError("no plain signs")


def _script(node: Node) -> str:
    match node:
        case str():
            return node.lstrip("#%")
        case Letters(letters):
            return "".join(letters)
    raise ValueError("no plain signs")


# -- rules that always apply --------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class ShippedRule:
    """A rule that always holds where its symbol stands beside one of `together_with`, or where both formulas have `shared` other letters; nothing said asks for nothing."""

    rule: str
    together_with: frozenset[str] = frozenset()
    shared: int = 0

    @cached_property
    def letter(self) -> str:
        return next(leaves(read_rule(self.rule).symbol))

    @cached_property
    def expression_letters(self) -> frozenset[str]:
        return frozenset(leaf for leaf in leaves(read_rule(self.rule).expression) if is_name(leaf))


SHIPPED_RULES = (
    ShippedRule(r"k=\frac{1}{4\pi\varepsilon_0}", frozenset("qQ")),
    ShippedRule(r"k_e=\frac{1}{4\pi\varepsilon_0}"),
    ShippedRule(r"k_{\mathrm e}=\frac{1}{4\pi\varepsilon_0}"),
    ShippedRule(r"k_C=\frac{1}{4\pi\varepsilon_0}", frozenset("qQ")),
    ShippedRule(r"\hbar=\frac{h}{2\pi}"),
    ShippedRule(
        r"\omega=2\pi\nu", frozenset(["ħ"]), 2
    ),  # ω = 2π/T and f = 1/T, with one letter in common, are two concepts
    ShippedRule(r"\omega=2\pi f", frozenset(["ħ"]), 2),
)


def applicable_rules(letters: frozenset[str]) -> Iterator[str]:
    """Yield the shipped rules that may rewrite a formula of these letters; see `joining_rules`."""
    for each in SHIPPED_RULES:
        if (
            each.letter in letters
            and not each.expression_letters & letters
            and (each.shared or not each.together_with or each.together_with & letters)
        ):
            yield each.rule


def reaching_rules(letters: frozenset[str]) -> Iterator[str]:
    """Yield the shipped rules that may rewrite another formula into one with these letters."""
    return (each.rule for each in SHIPPED_RULES if each.letter not in letters and each.expression_letters <= letters)


def joining_rules(left: frozenset[str], right: frozenset[str]) -> tuple[SubstitutionRule, ...]:
    """Return the shipped rules that may join formulas of these letters: the symbol in one of them only, what it stands for in the other."""
    joining = {*applicable_rules(left)}.intersection(reaching_rules(right))
    joining |= {*applicable_rules(right)}.intersection(reaching_rules(left))
    both, common = left | right, len(left & right)
    return tuple(
        read_rule(each.rule)
        for each in SHIPPED_RULES
        if each.rule in joining and (not each.shared or each.together_with & both or common >= each.shared)
    )
