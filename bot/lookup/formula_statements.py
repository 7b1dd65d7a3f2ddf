"""Which items carry the same formula: by canonical key over entity JSON, since the query service holds no TeX."""

from collections.abc import Iterable

from bot.errors import FormulaError
from bot.records import Item, Statement

FormulaStatement = tuple[Item, Statement]


def formula_statements(items: Iterable[Item], property_id: str) -> list[FormulaStatement]:
    """Return the formula statements that count: with a value, not deprecated; a merged item only under its own id."""
    return [(item, statement) for item in items if not item.redirect for statement in item.live_statements(property_id)]


def statements_by_key(statements: Iterable[FormulaStatement], level: str) -> dict[str, list[FormulaStatement]]:
    """Group formula statements by their key at a level (K0 to K6); a formula that has no tree stands alone."""
    groups: dict[str, list[FormulaStatement]] = {}
    for item, statement in statements:
        groups.setdefault(key_at_level(statement.value, level) or f"\0{statement.guid}", []).append((item, statement))
    return groups


def key_at_level(tex: str, level: str) -> str:
    """Return a formula's key, "" where it has none."""
    from bot.formula import keys

    try:
        return keys(tex).at(level)
    except FormulaError:
        return ""
