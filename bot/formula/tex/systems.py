"""Parts of a formula to what it states and under which conditions: systems, aligned rows, "for x > 0", ", n = 1, 2, …"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bot.formula.tex.nodes import EMPTY, CommaList, Factors, Relation, Sum
from bot.formula.tex.symbols import WIDE
from bot.formula.tex.tree import Node

Part = tuple[str, Node]
_ALIGNING = frozenset(
    "aligned align alignedat alignat split gathered gather multline eqnarray array cases rcases matrix smallmatrix dcases".split()
) | {""}
_RANGE = frozenset("∈∉<>≤≥≠→⊂⊆≪≫≲≳")
_ASIDE = frozenset(
    "for if where when with given provided subject unless on let at für wenn falls avec pour si se per para wobei".split()
)


def split(parts: Sequence[Part]) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
    """Return (equations, conditions). A formula that states nothing is its own only equation."""
    if len(parts) == 1 and _alone(parts[0][1]) is None:
        kept, *aside = _unfenced(parts[0][1])
        return (kept,), tuple(aside)
    statements = _with_lists(_join_rows(_expanded(parts)))
    equations: list[Node] = []
    conditions: list[Node] = []
    aside_now = False
    for separator, node in statements:
        words = separator[1:].lower().split() if separator[:1] == '"' else []
        if words and words[0].strip(".,:;") not in ("and", "or"):
            aside_now = any(word.strip(".,:;()") in _ASIDE for word in words)
        elif separator == "\\\\":
            aside_now = False
        for statement in _unfenced(node):
            if equations and statement[:1] == ("()",) and statement[3][:1] == ("rel",):
                statement = statement[3]  # a condition in parentheses
            if equations and (aside_now or _is_condition(statement, equations[0])):
                conditions.append(statement)
                aside_now = separator != "\\\\"
            else:
                equations.append(statement)
    return (tuple(equations) or (EMPTY,)), tuple(conditions)


def aside(parts: Sequence[Part]) -> tuple[str, ...]:
    """Return what `split` leaves out: the words between the parts, and equation numbers."""
    expanded = _expanded(parts)
    found = [separator for separator, _ in expanded if separator[:1] == '"']
    for number, (separator, node) in enumerate(expanded):
        if number and _is_number_of_equation(node, separator):
            found.append(node[3])
    return tuple(found)


def _with_lists(parts: Sequence[Part]) -> list[Part]:
    """Join what commas parted although it is one list: i, j = 1, 2 and x = 0, 1, …; drop equation numbers."""
    out: list[Part] = []
    index = 0
    while index < len(parts):
        separator, node = parts[index]
        index += 1
        if node == EMPTY or (out and _is_number_of_equation(node, separator)):
            continue
        if node[:1] != ("rel",):
            run = [node]
            ahead = index
            while (
                ahead < len(parts)
                and parts[ahead][0] in (",", ";")
                and parts[ahead][1][:1] != ("rel",)
                and parts[ahead][1] != EMPTY
            ):
                run.append(parts[ahead][1])
                ahead += 1
            heads = (
                ahead < len(parts)
                and parts[ahead][0] == ","
                and parts[ahead][1][:1] == ("rel",)
                and all(_is_letter(part) for part in run)
            )
            if heads and (not out or separator not in (",", ";") or parts[ahead][1][1][0] in _RANGE):
                out.append((separator, _with_prefix(run, parts[ahead][1])))
                index = ahead + 1
                continue
            if out and separator in (",", ";"):
                out[-1] = (out[-1][0], _extended(out[-1][1], separator, node))
                continue
        out.append((separator, node))
    return out


def _is_number_of_equation(node: Node, separator: str) -> bool:
    """(1), (*) and, after a wide space, (i) or (a)."""
    if node[:1] != ("()",) or node[1] != "(" or node[3].__class__ is not str:
        return False
    return node[3][:1] in ("#", "~") or (separator in WIDE and len(node[3].lstrip("%")) <= 3)


def _is_letter(node: Node) -> bool:
    return _simple(node) and node[:1] not in ("#", "~", '"')


def _expanded(parts: Iterable[Part]) -> list[Part]:
    """Open alignments that stand alone: their rows and cells become parts."""
    out: list[Part] = []
    for separator, node in parts:
        matrix = _alone(node)
        if matrix is None:
            out.append((separator, node))
            continue
        for cells in matrix[2]:
            for number, cell in enumerate(cells):
                sep = "&" if number else (separator if cells is matrix[2][0] else "\\\\")
                if cell[:1] == ("parts",):
                    first, *rest = cell[1]
                    out.append((first[0] or sep, first[1]))
                    out.extend(rest)
                else:
                    out.append((sep, cell))
    return out


def _alone(node: Node) -> Node | None:
    if node[:1] == ("()",) and node[1] in ("", "{") and node[2] == "":
        node = node[3]
    if node[:1] == ("mat",) and (node[1] in _ALIGNING and node[1] not in ("matrix", "smallmatrix")):
        states = any(
            cell[:1] == ("rel",) or (cell[:1] == ("parts",) and any(p[1][:1] == ("rel",) for p in cell[1]))
            for cells in node[2]
            for cell in cells[:1]
        )
        second = any(cell[:1] == ("rel",) and cell[2][0] == EMPTY for cells in node[2] for cell in cells[1:])
        if second or (states and (node[1] not in ("cases", "dcases", "rcases", "array", "") or _all_state(node))):
            return node
        if node[1] in ("aligned", "align", "split", "gathered", "gather", "multline", "eqnarray"):
            return node
    return None


def _all_state(node: Node) -> bool:
    return all(cells[0][:1] == ("rel",) or cells[0][:1] == ("parts",) or cells[0] == EMPTY for cells in node[2])


def _join_rows(parts: Iterable[Part]) -> list[Part]:
    """Join cells of a row, then rows that go on with a relation or a sign."""
    cells: list[Part] = []
    for separator, node in parts:
        if not cells or separator != "&":
            cells.append((separator, node))
            continue
        before = cells[-1][1]
        if before[:1] == ("rel",) and node[:1] == ("rel",) and node[2][0] != EMPTY and before[2][-1] != EMPTY:
            cells.append((",", node))
        else:
            cells[-1] = (cells[-1][0], join(before, node))
    out: list[Part] = []
    for separator, node in cells:
        if out and separator in ("\\\\", "\\quad", "\\qquad") and (_open_left(node) or _open_right(out[-1][1])):
            out[-1] = (out[-1][0], join(out[-1][1], node))
        else:
            out.append((separator, node))
    return out


def _open_left(node: Node) -> bool:
    if node[:1] == ("rel",):
        return bool(node[2][0] == EMPTY)
    first = node[1][0] if node[:1] == ("+",) else node
    return bool(first.__class__ is not str and first[0] in ("-", "+", "±", "∓") and len(first) == 2)


def _open_right(node: Node) -> bool:
    return bool(node[:1] == ("rel",) and node[2][-1] == EMPTY)


def join(left: Node, right: Node) -> Node:
    """Put two pieces of one line together again."""
    if left == EMPTY:
        return right
    if right == EMPTY:
        return left
    if right[:1] == ("rel",) and left[:1] == ("rel",):
        inner = join(left[2][-1], right[2][0])
        return Relation(left[1] + right[1], (*left[2][:-1], inner, *right[2][1:]))
    if right[:1] == ("rel",):
        return Relation(right[1], (join(left, right[2][0]), *right[2][1:]))
    if left[:1] == ("rel",):
        return Relation(left[1], (*left[2][:-1], join(left[2][-1], right)))
    terms = left[1] if left[:1] == ("+",) else (left,)
    more = right[1] if right[:1] == ("+",) else (right,)
    if _open_left(right):
        return Sum(terms + more)
    glued = Factors((terms[-1], more[0]))
    return Sum((*terms[:-1], glued, *more[1:])) if len(terms) + len(more) > 2 else glued


def _unfenced(node: Node) -> list[Node]:
    """Split "T (G = c = 1)" into the formula and the remark."""
    if node[:1] != ("rel",):
        return [node]
    side = node[2][-1]
    body = side[1][-1] if side[:1] == ("factors",) else side
    if body[:1] == ("fcall",) and _is_unit_remark(body[2]):
        kept, remark = body[1], body[2]
    elif side[:1] == ("factors",) and _is_unit_remark(body):
        kept, remark = None, body
    else:
        return [node]
    if side[:1] == ("factors",):
        rest = side[1][:-1] + ((kept,) if kept is not None else ())
        side = Factors(rest) if len(rest) > 1 else rest[0]
    else:
        side = kept
    return [Relation(node[1], (*node[2][:-1], side)), remark[3]]


def _is_unit_remark(node: Node) -> bool:
    return bool(
        node[:1] == ("()",)
        and node[3][:1] == ("rel",)
        and set(node[3][1]) == {"="}
        and node[3][2][-1][:1] == "#"
        and all(_simple(side) for side in node[3][2])
    )


def _simple(node: Node) -> bool:
    if node.__class__ is str:
        return True
    if node[0] in ("s", "'", "acc"):
        return True
    return bool(node[0] == "," and all(_simple(part) for part in node[2]))


def _extended(node: Node, separator: str, more: Node) -> Node:
    """n = 0, 1, 2: what follows the comma belongs to the last side."""
    if node[:1] == ("rel",):
        return Relation(node[1], (*node[2][:-1], _extended(node[2][-1], separator, more)))
    if node[:1] == (",",):
        return CommaList(node[1] + (separator,), node[2] + (more,))
    return CommaList((separator,), (node, more))


def _with_prefix(pending: list[Node], node: Node) -> Node:
    """i, j = 1, 2: what precedes the comma belongs to the first side."""
    if node[:1] != ("rel",):
        return CommaList((",",) * len(pending), (*pending, node))
    return Relation(node[1], (CommaList((",",) * len(pending), (*pending, node[2][0])), *node[2][1:]))


def _is_condition(node: Node, main: Node) -> bool:
    """Tell a range (n > 0, x ∈ S, k = 1, 2, …) from a further equation."""
    if main[:1] != ("rel",):
        return False
    if node[:1] != ("rel",):
        return True
    left = node[2][0]
    if left.__class__ is not str and left[0] == "factors" and left[1][0] in ("~∀", "~∃"):
        return True
    if not _simple(left) or left == EMPTY:
        return False
    if node[1][0] in _RANGE:
        return main[1][0] not in _RANGE or main[1][0] in "→∈"
    right = node[2][-1]
    return bool(
        node[1][0] == "="
        and (right[:1] == "#" or right[:1] == (",",))
        and main[2][0] != left
        and not isinstance(left, tuple)
    )
