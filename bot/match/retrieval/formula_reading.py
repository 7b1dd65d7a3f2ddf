"""A formula as the recognition index sees it: its traits by channel, its keys, and the keys of its links where it is a chain."""

from dataclasses import dataclass

from bot.errors import FormulaError
from bot.formula import Keys, clean, keys
from bot.formula.features.sides import chain_equalities, without_approximation
from bot.formula.features.structural import structural_features


@dataclass(frozen=True, slots=True)
class FormulaReading:
    """The features and keys of a formula in the index. `links` are the equalities of a chain a = b = c, without an approximate number at its end; () if there is only one."""

    channels: tuple[frozenset[str], ...]
    keys: Keys
    links: tuple[Keys, ...] = ()


def read_formula(tex: str) -> FormulaReading | None:
    """Return the features and keys of a formula; None if it has no tree."""
    try:
        return FormulaReading(structural_features(tex), keys(tex), tuple(_links(tex)))
    except FormulaError:
        return None


def _links(tex: str) -> list[Keys]:
    exact = without_approximation(tex)
    found = chain_equalities(exact) if exact.count("=") > 1 else ()
    link_keys = []
    for link in found if len(found) > 1 else (exact,) if exact != tex else ():
        try:
            link_keys.append(keys(clean(link)))
        except FormulaError:
            continue
    return link_keys
