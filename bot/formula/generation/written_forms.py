"""From a formula to forms that another person or field would write, and to formulas that only look like it, each with what was done to it."""

from dataclasses import dataclass
from random import Random
from zlib import crc32

from bot.errors import FormulaError
from bot.formula.alignment.compare import compare
from bot.formula.generation.near_misses import CHANGES
from bot.formula.generation.tex_pieces import without_needless_blanks
from bot.formula.generation.transformations import TRANSFORMATIONS, apply_transformations
from bot.formula.keys.levels import keys
from bot.formula.tex.clean import clean


@dataclass(frozen=True, slots=True)
class WrittenForm:
    """A generated formula: the names of its transformations, and whether it is still the same formula concept."""

    tex: str
    transformations: tuple[str, ...]
    same_concept: bool


def equivalent_forms(tex: str, *, seed: int = 0, steps: int = 1) -> list[WrittenForm]:
    """Return equivalent forms of the formula, one for each transformation that applies, in a fixed order.

    With more `steps` each form goes through as many further transformations, drawn by `seed`. A form differs from the formula and can be read.
    Raises FormulaError for a formula that has no tree.
    """
    start = without_needless_blanks(clean(tex))
    keys(start)
    found: dict[str, WrittenForm] = {}
    for name in TRANSFORMATIONS:
        rng = Random(crc32(f"{name}|{seed}|{tex}".encode()))
        others = [other for other in TRANSFORMATIONS if other != name]
        form, done = apply_transformations(start, [name, *rng.sample(others, len(others))], rng, steps)
        if done[:1] == [name] and form not in found and form != tex and _is_read(form):
            found[form] = WrittenForm(form, tuple(done), True)
    return list(found.values())


def near_misses(tex: str, *, seed: int = 0) -> list[WrittenForm]:
    """Return formulas that look similar but mean something else, at most one for each kind of change, drawn by `seed`.

    What comparison takes for the same formula after all is left out. Raises FormulaError for a formula that has no tree.
    """
    start = clean(tex)
    keys(start)
    found = []
    for kind, ways in CHANGES.items():
        rng = Random(crc32(f"{kind}|{seed}|{tex}".encode()))
        changed = sorted({other for other in ways(start) if other != start})
        for other in rng.sample(changed, len(changed)):
            if _is_read(other) and not compare(tex, other).same_concept:
                found.append(WrittenForm(other, (kind,), False))
                break
    return found


def _is_read(tex: str) -> bool:
    try:
        keys(tex)
    except FormulaError:
        return False
    return True
