"""Keys from strict to loose: equal keys at a level mean the same formula up to what that level forgets.

K0 tokens · K1 canonical tree · K2 derivatives and dummy indices in normal form · K3 no index or label scripts, no shown arguments ·
K4 constants and numeric factors dropped, sign-free, on one side, denominators cleared · K5 variables renamed · K6 skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from bot.errors import FormulaError
from bot.formula.keys.algebra import equation, loose, tree
from bot.formula.keys.alpha_equivalence import atomic, renamed
from bot.formula.keys.constants import MARK, is_constant, marked
from bot.formula.normal.notation_hints import UNKNOWN
from bot.formula.normal.render import render
from bot.formula.normal.scripts import apart, unshown
from bot.formula.normal.stages import Forms, forms, states
from bot.formula.tex.nodes import NormalNode, System
from bot.formula.tex.tree import count

LEVELS = ("K0", "K1", "K2", "K3", "K4", "K5", "K6")


@dataclass(frozen=True, slots=True)
class Keys:
    """Digests of one formula at every level, how many leaves it has, whether it states an equation, and what the looser levels left out."""

    K0: str
    K1: str
    K2: str
    K3: str
    K4: str
    K5: str
    K6: str
    leaves: int
    equation: bool
    constants: tuple[str, ...] = ()  # that K4 drops
    signs: bool = False  # K4 ignores the signs of terms
    conditions: bool = False  # compared at K1 and K2 only

    def at(self, level: str) -> str:
        value: str = getattr(self, level)
        return value

    def shared_level(self, other: Keys) -> str:
        """Return the strictest level at which both have one key; "" for none."""
        return next((level for level in LEVELS if self.at(level) == other.at(level)), "")


@lru_cache(maxsize=8192)
def keys(tex: str) -> Keys:
    """Return the keys of a formula; FormulaError where it has no tree."""
    found = forms(tex)
    try:
        return _keys(found)
    except RecursionError:
        raise FormulaError("nested too deep") from None


def strict_keys(tex: str) -> tuple[str, str]:
    """Return K1 and K2 alone, for those who only look for the same formula."""
    return _strict(forms(tex))


def _strict(found: Forms) -> tuple[str, str]:
    first, second = _strings(found)
    return _digest("K1", first), _digest("K2", second)


def _strings(found: Forms) -> tuple[str, str]:
    """What K1 and K2 hash; trees that are equal are rendered once."""
    first = _system(*found.strict)
    return first, first if found.noted == found.strict else _system(*found.noted).replace(UNKNOWN, "x")


def _keys(found: Forms) -> Keys:
    first, second = _strings(found)
    equations, conditions = found.noted
    bare = found.bare
    third = second if bare == equations and not conditions else _system(bare, []).replace(UNKNOWN, "x")
    algebraic, constants, signs = _algebraic(equations, bare is not equations)
    renaming, skeleton = renamed(_solved(unshown(found.named) if found.formula.called else found.named))
    return Keys(
        K0=_digest("K0", " ".join(found.formula.tokens)),
        K1=_digest("K1", first),
        K2=_digest("K2", second),
        K3=_digest("K3", third),
        K4=_digest("K4", algebraic.replace(UNKNOWN, "x")),
        K5=_digest("K5", renaming),
        K6=_digest("K6", skeleton),
        leaves=sum([count(node) for node in found.formula.equations]),
        equation=any([states(node) for node in found.formula.equations]),
        constants=constants,
        signs=signs,
        conditions=bool(conditions),
    )


def shown_alike(one: Forms, other: Forms) -> bool:
    """Tell two formulas that are equal after renaming with their shown arguments kept."""
    return renamed(_solved(one.named))[0] == renamed(_solved(other.named))[0]


_STARTED = {level: blake2b(level.encode(), digest_size=16) for level in LEVELS}


def _digest(level: str, text: str) -> str:
    digest = _STARTED[level].copy()  # level and text are hashed as one string
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _system(equations: list[NormalNode], conditions: list[NormalNode]) -> str:
    if len(equations) == 1 and not conditions:
        return render(equations[0])
    return (
        ";".join(sorted([render(node) for node in equations]))
        + "|"
        + ";".join(sorted([render(node) for node in conditions]))
    )


def _algebraic(equations: list[NormalNode], dressed: bool) -> tuple[str, tuple[str, ...], bool]:
    """The sets of monomials of all equations, the constants that were left out, and whether signs were; letters that are not dressed need not be told apart."""
    texts: list[str] = []
    dropped: dict[str, None] = {}
    signs = False
    nodes = [marked(node) for node in equations]
    for node in apart(nodes) if dressed else nodes:
        found = equation(node, is_constant)
        kinds = "".join([atom[:1] for atom in found[1].atoms]) if found else ""
        if found is None or not kinds.strip("#"):
            texts.append(render(node))  # no algebra, or numbers only
            continue
        texts.append(loose(*found))
        if MARK in kinds:
            dropped.update(dict.fromkeys([atom[1:] for atom in found[1].atoms if atom[:1] == MARK]))
        terms = found[1].terms
        signs = signs or (len(terms) > 2 and len({number > 0 for number, _ in terms}) > 1)
    return ";".join(sorted(texts)), tuple(dropped), signs


def _solved(equations: list[NormalNode]) -> NormalNode:
    """Everything on one side with every scripted letter as one variable: what renaming works on."""
    solved = []
    for node in equations:
        node = atomic(node)
        found = equation(node)
        solved.append(tree(*found) if found else node)
    return solved[0] if len(solved) == 1 else System(tuple(solved), ())
