"""Variables renamed: every variable gets a number from the places it stands in, so any one-to-one renaming gives the same string.

Colour refinement on the tree: a variable's colour is the multiset of its places; equal colours are told apart by fixing one
variable after another. A letter with its scripts is one variable.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

from bot.formula.render import render
from bot.formula.symbols import COMMUTATIVE_INFIX, FUNCTIONS, LIMITS, SYMMETRIC
from bot.formula.tree import EMPTY, NORMAL_SHAPES, Node, children, rebuilt

MAX_VARIABLES = 24
KNOWN = FUNCTIONS | LIMITS
_CONSTANT = frozenset(["∂", "∇", "□", "∇²", "div", "curl", "d", "Δ", "π"])


def is_name(leaf: str) -> bool:
    """Tell letters from numbers, words, symbols and operators."""
    return bool(leaf) and leaf[0] not in '#"%~' and leaf not in _CONSTANT


def atomic(node: Node) -> Node:
    """Return the tree with every scripted letter as one leaf; a power stays a power."""
    if node.__class__ is str:
        return "$" + node if is_name(node) or (node[:1] == "%" and node[1:] not in KNOWN) else node
    if node[0] == "s":
        base = node[1]
        if base.__class__ is str and is_name(base) and (node[2] != EMPTY or _is_label(node[3])):
            if _is_label(node[3]):
                return "$" + render(node)
            low = "$" + render(("s", base, node[2], EMPTY))
            return low if node[3] == EMPTY else ("s", low, EMPTY, atomic(node[3]))
        return ("s", atomic(base), atomic(node[2]), atomic(node[3]))
    if node[0] == "acc":
        inner = atomic(node[2])
        return f"{inner}{node[1]}" if inner.__class__ is str and inner[:1] == "$" else ("acc", node[1], inner)
    if node[0] == "rel":
        return ("rel", tuple([sign.partition("[")[0] for sign in node[1]]), tuple([atomic(side) for side in node[2]]))
    if node[0] == "seq":
        return ("seq", tuple([atomic(part) for part in node[1]]))
    return rebuilt(node, atomic)


def _is_label(node: Node) -> bool:
    if node.__class__ is str:
        return node[:1] in ('"', "%") or node in ("~∗", "~*", "~†", "~+", "~-", "~′", "~⋆")
    return node[0] in ("()",)


def _order(order: str) -> list[str]:
    return ["$" + part if part.isalpha() else part for part in order.split("+")]


# A tree for colouring: a leaf, or (tag, ((commuting, parts), …)).
Shape = Any


def shape(node: Node) -> Shape:
    """Return the tree with its commuting parts marked."""
    if node.__class__ is str:
        return node
    tag = node[0]
    if tag == "*":
        if node[2]:
            return "*", (
                (True, tuple([shape(part) for part in node[1]])),
                (True, tuple([shape(part) for part in node[2]])),
            )
        return "*", ((True, tuple([shape(part) for part in node[1]])),)
    if tag == "+":
        return tag, ((True, tuple([shape(part) for part in node[1]])),)
    if tag == "system":
        return tag, ((True, tuple([shape(part) for part in node[1]])),)
    if tag == "rel":
        signs = node[1]
        same = len(set(signs)) == 1 and signs[0] in SYMMETRIC
        return "".join(signs), ((same, tuple([shape(part) for part in node[2]])),)
    if tag == "D":
        return tag + node[1], (
            (True, tuple([("∂", ((False, (shape(variable), *_order(order))),)) for variable, order in node[2]])),
            (False, (shape(node[3]),)),
        )
    if tag == "in":
        return "".join(node[1]), (
            (len(set(node[1])) == 1 and node[1][0] in COMMUTATIVE_INFIX, tuple([shape(part) for part in node[2]])),
        )
    if tag == "seq":
        return tag, ((False, node[1]),)
    plain = tag + "".join(
        [part for kind, part in zip(NORMAL_SHAPES[tag], node[1:], strict=True) if kind == "-" and part.__class__ is str]
    )
    return plain, ((False, tuple([shape(child) for child in children(node, NORMAL_SHAPES)])),)


def renamed(node: Node) -> tuple[str, str]:
    """Return (canonical string with numbered variables, skeleton) of a tree of atomic leaves."""
    form = ("", ((False, (shape(node),)),))
    names: set[str] = set()
    _collect(form, names)
    marked = _annotated(form, dict.fromkeys(names, "v"))
    skeleton: str = marked[0]
    if not names:
        return skeleton, skeleton
    places: dict[str, list[int]] = {name: [] for name in names}
    _places(marked, 0, places)
    ranks = _ranked({name: tuple(sorted(found)) for name, found in places.items()})
    if len(set(ranks.values())) < len(ranks):
        ranks = _told_apart(form, ranks)
    elif len(names) == 1:  # one variable: the skeleton is the whole truth
        return skeleton, skeleton
    order = sorted(names, key=lambda name: (ranks[name], name))
    return _annotated(form, {name: f"v{number}" for number, name in enumerate(order)})[0], skeleton


def _collect(form: Shape, names: set[str]) -> None:
    if form.__class__ is str:
        if form[:1] == "$":
            names.add(form)
        return
    for _, parts in form[1]:
        for part in parts:
            _collect(part, names)


def _annotated(form: Shape, names: dict[str, str]) -> Any:
    """Return (how it looks with these names, leaf or tag, groups of annotated parts)."""
    if form.__class__ is str:
        return names.get(form, form), form, None
    groups = []
    look = "(" + form[0]
    for commuting, parts in form[1]:
        marked = [_annotated(part, names) for part in parts]
        looks = [part[0] for part in marked]
        if commuting:
            looks.sort()
        text = ",".join(looks)
        look += "|" + text
        groups.append((commuting, text, marked))
    return look + ")", form[0], groups


def _places(marked: Any, above: int, places: dict[str, list[int]]) -> None:
    """Hash the way from the root to every variable; among commuting parts a place is what the part looks like."""
    for group, (commuting, text, parts) in enumerate(marked[2]):
        around = crc32(f"{above}{marked[1]}{group}{text}".encode("utf-8", "surrogatepass"))
        for number, part in enumerate(parts):
            here = crc32((part[0] if commuting else f"{number}").encode("utf-8", "surrogatepass"), around)
            if part[2] is None:
                if part[1] in places:
                    places[part[1]].append(here)
            else:
                _places(part, here, places)


def _ranked(colours: dict[str, tuple[int, ...]]) -> dict[str, int]:
    number = {colour: rank for rank, colour in enumerate(sorted(set(colours.values())))}
    return {name: number[colour] for name, colour in colours.items()}


def _refined(form: Shape, ranks: dict[str, int]) -> dict[str, int]:
    places: dict[str, list[int]] = {name: [] for name in ranks}
    _places(_annotated(form, {name: f"v{rank}" for name, rank in ranks.items()}), 0, places)
    return _ranked({name: (ranks[name], *sorted(found)) for name, found in places.items()})


def _told_apart(form: Shape, ranks: dict[str, int]) -> dict[str, int]:
    """Refine; where refining stops, fix one variable of the first shared colour, and go on until all differ."""
    for _ in range(2 * min(len(ranks), MAX_VARIABLES)):
        number = len(set(ranks.values()))
        if number == len(ranks):
            break
        refined = _refined(form, ranks)
        if len(set(refined.values())) > number:
            ranks = refined
            continue
        counts: dict[int, list[str]] = {}
        for name, rank in refined.items():
            counts.setdefault(rank, []).append(name)
        crowded = min(rank for rank, members in counts.items() if len(members) > 1)
        chosen = min(
            counts[crowded]
        )  # equal colours are nearly always a symmetry of the formula: any choice is as good
        ranks = {name: 2 * rank + (rank == crowded and name != chosen) for name, rank in refined.items()}
    return ranks
