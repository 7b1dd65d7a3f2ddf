"""Keys from strict to loose: equal keys at a level mean the same formula up to what that level forgets.

K0 tokens · K1 canonical tree · K2 derivatives and dummy indices in normal form · K3 no index or label scripts, no shown arguments ·
K4 constants and numeric factors dropped, sign-free, on one side, denominators cleared · K5 variables renamed · K6 skeleton.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b

from bot.errors import FormulaError
from bot.formula.keys.alpha_equivalence import canonical_renaming
from bot.formula.keys.constants import without_constants
from bot.formula.normal.notation_hints import UNKNOWN_VARIABLE
from bot.formula.normal.render import render_all
from bot.formula.normal.scripts import without_shown_arguments
from bot.formula.normal.stages import recent_normal_forms

LEVELS = ("K0", "K1", "K2", "K3", "K4", "K5", "K6")


@dataclass(frozen=True, slots=True)
class Keys:
    """Digests of one formula at every level, the number of its leaves, whether it is an equation, and what the looser levels left out."""

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
        """Return the strictest level at which both keys are equal; "" if there is none."""
        for level in LEVELS:
            if getattr(self, level) == getattr(other, level):
                return level
        return ""


@lru_cache(maxsize=32768)  # some .8 kB each
def keys(tex: str) -> Keys:
    """Return the keys of a formula; FormulaError if it has no tree."""
    found = recent_normal_forms(tex)
    equations, conditions = found.normal
    try:
        first = render_all(*found.canonical)
        second = (
            first
            if found.normal == found.canonical
            else render_all(equations, conditions).replace(UNKNOWN_VARIABLE, "x")
        )
        same = found.unscripted == equations and not conditions
        third = second if same else render_all(found.unscripted, []).replace(UNKNOWN_VARIABLE, "x")
        algebraic, constants, signs = without_constants(equations, scripted=found.unscripted is not equations)
        renaming, skeleton = canonical_renaming(
            without_shown_arguments(found.normal_with_names)
            if found.formula.called_letters
            else found.normal_with_names
        )
    except RecursionError:
        raise FormulaError("too_deep") from None
    texts = (
        " ".join(found.formula.tokens),
        first,
        second,
        third,
        algebraic.replace(UNKNOWN_VARIABLE, "x"),
        renaming,
        skeleton,
    )
    digests = {level: text_digest(level, text) for level, text in zip(LEVELS, texts, strict=True)}
    return Keys(
        **digests,
        leaves=found.leaves,
        equation=found.has_relation,
        constants=constants,
        signs=signs,
        conditions=bool(conditions),
    )


def text_digest(level: str, text: str) -> str:
    """Return the key at a level of what a formula is at it, as text."""
    digest = _HASHERS[level].copy()  # level and text are hashed as one string
    digest.update(text.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


_HASHERS = {level: blake2b(level.encode(), digest_size=16) for level in LEVELS}
