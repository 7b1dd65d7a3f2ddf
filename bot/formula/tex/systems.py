"""Parts of a formula to what it states and under which conditions: systems, aligned rows, "for x > 0", ", n = 1, 2, …"."""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import islice, zip_longest
from typing import TypeGuard

from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, RawNode
from bot.formula.tex.symbols import INFIX, PLUS
from bot.formula.tex.tree import side_by_side, walk

Part = tuple[str, RawNode]
# Environments of rows, those that are rows if they state something, and those that are if each row does.
_ROWS = frozenset("aligned align split gathered gather multline eqnarray".split())
_COLUMNS = frozenset(["alignat", "alignedat"])
_TABLES = frozenset(["array", "cases", "rcases", "dcases", ""])
_ADDING, _BINDING = frozenset(PLUS.values()), frozenset(INFIX.values())
_RANGE = frozenset("∈∉<>≤≥≠→⊂⊆≪≫≲≳")
_CONDITION_WORDS = frozenset(
    "for if where when with given provided subject unless on let at für wenn falls avec pour si se per para wobei".split()
)
# (1), (2.3a), (2-3), (A.1), (*)
_NUMBER = re.compile(r"[0-9]+(?:[-.][0-9]+)*[a-z]?[*']*|[A-Z]?\.[0-9]+[a-z]?|[^\w\s]+")
_NUMERAL = re.compile(r"[ivxIVX]+|\w{1,3}")  # (iv), (a), (L2)


def split_statements(parts: Sequence[Part]) -> tuple[tuple[RawNode, ...], tuple[RawNode, ...]]:
    """Return (equations, conditions). A formula that states nothing is its own only equation."""
    parts, quantified = _split_quantifiers(parts)
    if len(parts) == 1 and _single_alignment(parts[0][1]) is None:
        formula, *aside = _split_unit_remark(parts[0][1])
        return (formula,), (*quantified, *map(_without_quantifier, aside))
    statements = _with_lists(_join_rows(_with_open_alignments(parts)))
    equations: list[RawNode] = []
    conditions: list[RawNode] = [*quantified]
    aside_now = False
    for separator, node in statements:
        words = separator[1:].lower().split() if separator[:1] == '"' else []
        if words and words[0].strip(".,:;") not in ("and", "or"):
            aside_now = any(word.strip(".,:;()") in _CONDITION_WORDS for word in words)
        elif separator == "\\\\":
            aside_now = False
        for statement in _split_unit_remark(_without_leading_plus(node)):
            if equations and statement.__class__ is nodes.Fenced and statement.body.__class__ is nodes.Relation:
                statement = statement.body  # a condition in parentheses
            if equations and (aside_now or _is_condition(statement, equations[0])):
                conditions.append(_without_quantifier(statement))
                aside_now = separator != "\\\\"
            else:
                equations.append(statement)
    return (tuple(equations) or (EMPTY,)), tuple(conditions)


def _split_quantifiers(parts: Sequence[Part]) -> tuple[Sequence[Part], list[RawNode]]:
    """Split "for all" off in front of a statement: ∀ g, h ∈ G: φ(gh) = φ(g)φ(h). Nothing if quantifiers are in the statement, too."""
    rest = list(parts)
    ranges: list[RawNode] = []
    letters: list[RawNode] = []
    while rest:
        separator, node = rest[0]
        body = _without_quantifier(node)
        continues = letters and separator == "," and node.__class__ is nodes.Relation
        if body == node and not continues:
            break
        statement: RawNode = EMPTY
        if body.__class__ is nodes.Relation and ":" in body.signs:
            at = body.signs.index(":")
            statement = _relation(body.signs[at + 1 :], body.sides[at + 1 :])
            body = _relation(body.signs[:at], body.sides[: at + 1])
        if body.__class__ is nodes.Relation:
            ranges.append(_with_prefix(letters, body) if letters else body)
            letters = []
        else:
            letters.append(body)
        rest[:1] = [("", statement)] if statement != EMPTY else []
    left = [*letters, *(node for _, node in rest)]
    if not rest or not ranges or any(part in ("~∀", "~∃") for part in walk(left)):
        return parts, []
    return rest, [*letters, *ranges]


def _relation(signs: tuple[str, ...], sides: tuple[RawNode, ...]) -> RawNode:
    return nodes.Relation(signs, sides) if signs else sides[0]


def _without_quantifier(node: RawNode) -> RawNode:
    """Return a range without ∀ in front; any other statement as it is."""
    if node.__class__ is nodes.Factors and node.factors[0] == "~∀":
        return side_by_side(node.factors[1:])
    return _with_first(node, _without_quantifier) if isinstance(node, (nodes.Relation, nodes.CommaList)) else node


def _with_first(node: RawNode, change: Callable[[RawNode], RawNode]) -> RawNode:
    """Return a relation, list or sum with `change` applied to its first part; any other node as it is."""
    if node.__class__ is nodes.Relation:
        return nodes.Relation(node.signs, (change(node.sides[0]), *node.sides[1:]))
    if node.__class__ is nodes.CommaList:
        return nodes.CommaList(node.separators, (change(node.parts[0]), *node.parts[1:]))
    return nodes.Sum((change(node.terms[0]), *node.terms[1:])) if node.__class__ is nodes.Sum else node


def left_out_parts(parts: Sequence[Part]) -> tuple[str, ...]:
    """Return what `split_statements` leaves out: the words between the parts, and equation numbers."""
    expanded = _with_open_alignments(parts)
    found = [separator for separator, _ in expanded if separator[:1] == '"']
    for number, (separator, node) in enumerate(expanded):
        if number and (text := _number_of_equation(node, separator)):
            found.append('"' + text)
    return tuple(found)


def _with_lists(parts: Sequence[Part]) -> list[Part]:
    """Join lists that were split at commas: i, j = 1, 2 and x = 0, 1, …; drop equation numbers."""
    out: list[Part] = []
    index = 0
    while index < len(parts):
        separator, node = parts[index]
        index += 1
        if node == EMPTY or (out and _number_of_equation(node, separator)):
            continue
        if node.__class__ is not nodes.Relation:
            run = [node]
            for sign, following in islice(parts, index, None):
                if sign not in (",", ";") or following.__class__ is nodes.Relation or following == EMPTY:
                    break
                run.append(following)
            ahead = index + len(run) - 1
            heads = (
                ahead < len(parts) and parts[ahead][0] == "," and all(map(_is_letter, map(_without_quantifier, run)))
            )
            head = parts[ahead][1] if heads else EMPTY
            if head.__class__ is nodes.Relation and (not out or separator not in (",", ";") or head.signs[0] in _RANGE):
                out.append((separator, _with_prefix(run, head)))
                index = ahead + 1
                continue
            if out and separator in (",", ";"):
                out[-1] = (out[-1][0], _with_list_item(out[-1][1], separator, node))
                continue
        out.append((separator, node))
    return out


def _number_of_equation(node: RawNode, separator: str) -> str:
    """Return the text of (1), (2.3a), (*) and, after a wide space, (ii) or (a); "" for anything else."""
    if node.__class__ is not nodes.Fenced or node.opening != "(":
        return ""
    text = _visible_text(node.body)
    is_number = _NUMBER.fullmatch(text) or (separator == "\\quad" and _NUMERAL.fullmatch(text))
    return text if is_number and (separator == "\\quad" or node.body.__class__ is str) else ""


def _visible_text(node: RawNode) -> str:
    """Return adjacent letters, digits and primes as text, with a blank for anything else."""
    match node:
        case str():
            return node.lstrip('#%"~').rpartition(".")[2] if node[:1] not in ("#", "~") else node[1:]
        case nodes.Factors():
            return "".join(map(_visible_text, node.factors))
        case nodes.Sum((first, nodes.Signed("-", second))):
            return f"{_visible_text(first)}-{_visible_text(second)}"
        case nodes.Primed(base, number):
            return _visible_text(base) + "'" * number
    return " "


def _is_letter(node: RawNode) -> bool:
    return _is_simple(node) and not (node.__class__ is str and node[:1] in ("#", "~", '"'))


def _with_open_alignments(parts: Iterable[Part]) -> list[Part]:
    """Replace alignments that are whole parts by their rows and cells."""
    out: list[Part] = []
    for separator, node in parts:
        matrix = _single_alignment(node)
        if matrix is None:
            out.append((separator, node))
            continue
        for cells in matrix.rows:
            for number, cell in enumerate(cells):
                sep = "&" if number else (separator if cells is matrix.rows[0] else "\\\\")
                if cell.__class__ is nodes.Parts:
                    first, *rest = cell.pairs
                    out.append((first[0] or sep, first[1]))
                    out.extend(rest)
                else:
                    out.append((sep, cell))
    return out


def _single_alignment(node: RawNode) -> nodes.Matrix[RawNode] | None:
    if node.__class__ is nodes.Fenced and node.opening in ("", "{") and node.closing == "":
        node = node.body
    if node.__class__ is not nodes.Matrix:
        return None
    firsts = [cells[0] for cells in node.rows]
    states = any(map(_states, firsts)) and (
        node.environment in _COLUMNS
        or (
            node.environment in _TABLES
            and all(cell == EMPTY or isinstance(cell, (nodes.Relation, nodes.Parts)) for cell in firsts)
        )
    )
    continues = node.environment in _COLUMNS | _TABLES and any(
        cell.__class__ is nodes.Relation and cell.sides[0] == EMPTY for cells in node.rows for cell in cells[1:]
    )
    return node if node.environment in _ROWS or states or continues else None


def _states(cell: RawNode) -> bool:
    parts = [part for _, part in cell.pairs] if cell.__class__ is nodes.Parts else [cell]
    return any(part.__class__ is nodes.Relation for part in parts)


def _join_rows(parts: Sequence[Part]) -> list[Part]:
    """Join cells of a row, then rows that continue with a relation or a sign."""
    cells: list[Part] = []
    for (separator, node), (next_separator, following) in zip_longest(parts, parts[1:], fillvalue=("", EMPTY)):
        indented = separator == "\\quad" and cells and cells[-1][1] == EMPTY
        if not cells or (separator != "&" and not indented):
            cells.append((separator, node))
            continue
        before = cells[-1][1]
        if before.__class__ is nodes.Relation and before.sides[-1] != EMPTY:
            opens = next_separator == "&" and following.__class__ is nodes.Relation and following.sides[0] == EMPTY
            if node.__class__ is nodes.Relation:
                separate = node.sides[0] != EMPTY
            else:  # "a &= b & c &= d": two equations
                separate = node != EMPTY and opens and not (_continues_left(node) or _continues_right(before))
            if separate or _number_of_equation(node, "\\quad"):
                cells.append(("\\quad" if not separate else ",", node))
                continue
        cells[-1] = (cells[-1][0], join_pieces(before, node))
    out: list[Part] = []
    for separator, node in cells:
        if out and separator in ("\\\\", "\\quad") and (_continues_left(node) or _continues_right(out[-1][1])):
            out[-1] = (out[-1][0], join_pieces(out[-1][1], node))
        else:
            out.append((separator, node))
    return out


def _continues_left(node: RawNode) -> bool:
    if node.__class__ is nodes.Relation:
        return bool(node.sides[0] == EMPTY)
    first = node.terms[0] if node.__class__ is nodes.Sum else node
    if first.__class__ is nodes.Factors:
        return _lone_sign(first.factors[0]) in _BINDING
    return first.__class__ is nodes.Signed or bool(_lone_sign(first))


def _continues_right(node: RawNode) -> bool:
    if node.__class__ is nodes.Relation:
        node = node.sides[-1]
        if node == EMPTY:
            return True
    last = node.terms[-1] if node.__class__ is nodes.Sum else node
    return bool(_lone_sign(last)) or (last.__class__ is nodes.Infix and last.operands[-1] == EMPTY)


def _lone_sign(node: RawNode) -> str:
    """Return the sign if a node is only a sign instead of a term or factor; "" for anything else."""
    return node[1:] if node.__class__ is str and node[:1] == "~" and node[1:] in _ADDING | _BINDING else ""


def _without_leading_plus(node: RawNode) -> RawNode:
    """Drop a plus at the beginning of a statement."""
    if node.__class__ is nodes.Signed and node.sign == "+":
        return node.body
    return _with_first(node, _without_leading_plus) if isinstance(node, (nodes.Relation, nodes.Sum)) else node


def join_pieces(left: RawNode, right: RawNode) -> RawNode:
    """Join two pieces of one line."""
    if left == EMPTY:
        return right
    if right == EMPTY:
        return left
    if right.__class__ is nodes.Relation and left.__class__ is nodes.Relation:
        inner = join_pieces(left.sides[-1], right.sides[0])
        return nodes.Relation(left.signs + right.signs, (*left.sides[:-1], inner, *right.sides[1:]))
    if right.__class__ is nodes.Relation:
        return nodes.Relation(right.signs, (join_pieces(left, right.sides[0]), *right.sides[1:]))
    if left.__class__ is nodes.Relation:
        return nodes.Relation(left.signs, (*left.sides[:-1], join_pieces(left.sides[-1], right)))
    terms = left.terms if left.__class__ is nodes.Sum else (left,)
    right_terms = right.terms if right.__class__ is nodes.Sum else (right,)
    last, first = terms[-1], right_terms[0]
    if (sign := _lone_sign(last)) in _ADDING and _lone_sign(first) not in _ADDING:  # "a +" at the end of a row
        terms = terms[:-1]
        first = first if first.__class__ is nodes.Signed else nodes.Signed(sign, first)
    elif first.__class__ is not nodes.Signed and _lone_sign(first) not in _ADDING:
        terms, first = terms[:-1], _join_terms(last, first)
    if terms:
        first = _without_leading_plus(first)
    joined = (*terms, first, *right_terms[1:])
    return nodes.Sum(joined) if len(joined) > 1 else joined[0]


def _join_terms(left: RawNode, right: RawNode) -> RawNode:
    """Join two pieces of one term; an infix sign may end the first or begin the second."""
    if left.__class__ is nodes.Signed:
        return nodes.Signed(left.sign, _join_terms(left.body, right))
    if left.__class__ is nodes.Infix and left.operands[-1] == EMPTY:
        return nodes.Infix(left.signs, (*left.operands[:-1], right))
    if right.__class__ is nodes.Factors and (sign := _lone_sign(right.factors[0])) in _BINDING:
        return nodes.Infix((sign,), (left, side_by_side(right.factors[1:])))
    return nodes.Factors((left, right))


def _split_unit_remark(node: RawNode) -> list[RawNode]:
    """Split "T (G = c = 1)" into the formula and the remark."""
    if node.__class__ is not nodes.Relation:
        return [node]
    side = node.sides[-1]
    body = side.factors[-1] if side.__class__ is nodes.Factors else side
    function: tuple[RawNode, ...] = ()
    remark = body
    if body.__class__ is nodes.FencedCall:
        function, remark = (body.function,), body.arguments
    if remark.__class__ is not nodes.Fenced or not _is_unit_remark(remark.body):
        return [node]
    if side.__class__ is not nodes.Factors and not (function and len(remark.body.signs) > 1):  # P(X = 1)
        return [node]
    rest = side.factors[:-1] + function if side.__class__ is nodes.Factors else function
    return [nodes.Relation(node.signs, (*node.sides[:-1], side_by_side(rest))), remark.body]


def _is_unit_remark(node: RawNode) -> TypeGuard[nodes.Relation[RawNode]]:
    if node.__class__ is not nodes.Relation or set(node.signs) != {"="}:
        return False
    last = node.sides[-1]
    return last.__class__ is str and last[:1] == "#" and all(map(_is_simple, node.sides))


def _is_simple(node: RawNode) -> bool:
    if node.__class__ is nodes.CommaList:
        return all(map(_is_simple, node.parts))
    return isinstance(node, (str, nodes.Scripts, nodes.Primed, nodes.Accented))


def _with_list_item(node: RawNode, separator: str, item: RawNode) -> RawNode:
    """Append an item to the last side: n = 0, 1, 2."""
    if node.__class__ is nodes.Relation:
        return nodes.Relation(node.signs, (*node.sides[:-1], _with_list_item(node.sides[-1], separator, item)))
    if node.__class__ is nodes.CommaList:
        return nodes.CommaList((*node.separators, separator), (*node.parts, item))
    return nodes.CommaList((separator,), (node, item))


def _with_prefix(pending: list[RawNode], node: nodes.Relation[RawNode]) -> RawNode:
    """Put items before the first side: i, j = 1, 2."""
    return _with_first(node, lambda first: nodes.CommaList((",",) * len(pending), (*pending, first)))


def _is_condition(node: RawNode, main: RawNode) -> bool:
    """Tell whether a statement is a condition (n > 0, x ∈ S, k = 1, 2, …), not a further equation."""
    if main.__class__ is not nodes.Relation:
        return False
    if node.__class__ is not nodes.Relation:
        return True
    left = node.sides[0]
    first = left.parts[0] if left.__class__ is nodes.CommaList else left
    if first.__class__ is nodes.Factors and first.factors[0] in ("~∀", "~∃"):
        return True
    if not _is_simple(left) or left == EMPTY:
        return False
    if node.signs[0] in _RANGE:
        return main.signs[0] not in _RANGE or main.signs[0] in "→∈"
    right = node.sides[-1]
    return bool(
        node.signs[0] == "="
        and (right[:1] == "#" if right.__class__ is str else right.__class__ is nodes.CommaList)
        and main.sides[0] != left
        and left.__class__ is str
    )
