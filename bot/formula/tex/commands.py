"""What each command does with what follows it: fractions, roots, fences, tables, accents, words, arrows.

For each kind of token a function of the reader, the token and its value, which returns a node, or None for what is not part of the formula.
"""

from __future__ import annotations

from bot.formula.tex import nodes
from bot.formula.tex import tokenizer as T
from bot.formula.tex.nodes import EMPTY, RawNode
from bot.formula.tex.reader import Command, TexReader, joined_letters, relation_in_braces
from bot.formula.tex.tokenizer import KINDS
from bot.formula.tex.tree import leaves


def _symbol(reader: TexReader, token: str, value: str) -> RawNode:
    return "~" + (value or token)


def _nothing(reader: TexReader, token: str, value: str) -> None:
    """\\label, \\tag, \\color: what does not belong to the formula."""
    reader.optional()
    reader.argument()


def _rule(reader: TexReader, token: str, value: str) -> None:
    reader.argument()
    reader.argument()


def _labelled(reader: TexReader, token: str, value: str) -> RawNode:
    """\\textcolor{red}{x}"""
    reader.argument()
    return reader.argument()


# -- fences ---------------------------------------------------------------------------------------------------------------
def _fence(reader: TexReader, token: str, value: str) -> RawNode:
    return reader.fence(value, _STOPS[value])


def _bar(reader: TexReader, token: str, value: str) -> RawNode:
    return reader.fence(value, frozenset([token, "\\rangle", "⟩"]) if value == "|" else frozenset([token]))


def _left_right(reader: TexReader, token: str, value: str) -> RawNode:
    opening = reader.delimiter()
    outer = reader.style
    node = reader.row(_RIGHT)
    reader.style = outer
    if reader.closed == "\\right":
        return nodes.Fenced(opening, reader.delimiter(), node)
    reader.put_back()  # cut off, or an alignment between \left and \right
    return nodes.Fenced(opening, "", node)


# -- fractions, roots, marks ------------------------------------------------------------------------------------------------
def _fraction(reader: TexReader, token: str, value: str) -> RawNode:
    if reader.tokens[reader.i] == "[":
        reader.optional()
    numerator = reader.argument()
    return nodes.Fraction(numerator, reader.argument())


def _root(reader: TexReader, token: str, value: str) -> RawNode:
    index = reader.optional()
    body = reader.argument()
    return nodes.SquareRoot(body) if index in (EMPTY, "#2") else nodes.Root(body, index)


def _style(reader: TexReader, token: str, value: str) -> RawNode:
    outer, reader.style = reader.style, value
    node = reader.argument()
    reader.style = outer
    return joined_letters(node) if value in ("rm", "sf", "tt", "") else node


def _accented(reader: TexReader, token: str, value: str) -> RawNode:
    body = reader.argument()
    return body if value == "vec" and body == "∇" else nodes.Accented(value, body)


# -- relations ----------------------------------------------------------------------------------------------------------
def _arrow(reader: TexReader, token: str, value: str) -> RawNode:
    lower, upper = reader.optional(), reader.argument()
    label = "".join(leaves(nodes.Stacked("binom", lower, upper)))
    return nodes.RelationSign(f"{value}[{label}]" if label else value)


def _stacked(reader: TexReader, token: str, value: str) -> RawNode:
    mark, base = reader.argument(), reader.argument()
    if sign := relation_in_braces(base):
        label = mark.lstrip('"%~') if mark.__class__ is str else "".join(leaves(mark)).lstrip('"%')
        return nodes.RelationSign(f"{sign}[{label}]" if label and label not in _DEFINED else sign)
    if base.__class__ is str and base[:1] == "~" and len(base) == 2:
        return nodes.RelationSign(base[1:] if mark in ("#", EMPTY) else base[1:] + "'")
    return nodes.Scripts(base, EMPTY, mark) if value == "over" else nodes.Scripts(base, mark, EMPTY)


def _wrapped(reader: TexReader, token: str, value: str) -> RawNode:
    inner = reader.argument()
    sign = relation_in_braces(inner)
    return nodes.RelationSign(sign) if sign else inner


def _negated(reader: TexReader, token: str, value: str) -> RawNode:
    kind, value = KINDS[reader.tokens[reader.i]]
    if kind != T.RELATION:
        return nodes.Accented("slashed", reader.argument())
    reader.i += 1
    return nodes.RelationSign(_NEGATED.get(value, "¬" + value))


def _starred(reader: TexReader, token: str, value: str) -> RawNode | None:
    kind, value_of_kind = KINDS[value]
    if kind == T.ID or kind == T.SYMBOL:  # \alpha*x: a product sign after a letter
        reader.tokens.insert(reader.i, "*")
        return value_of_kind
    return COMMANDS[kind](reader, value, value_of_kind)


def _prescripts(reader: TexReader, token: str, value: str) -> RawNode:
    first, second, body = reader.argument(), reader.argument(), reader.argument()
    if value == "side":
        return nodes.Prescripts(first, second, body)
    return nodes.Factors((nodes.Scripts(EMPTY, second, first), body))  # as {}^a_b x


# -- tables -------------------------------------------------------------------------------------------------------------
def _environment(reader: TexReader, token: str, value: str) -> RawNode:
    outer = reader.style
    rows: list[tuple[RawNode, ...]] = []
    cells: list[RawNode] = []
    while True:
        parts = reader.scan(_NOTHING, True)
        cells.append(
            parts[0][1] if len(parts) == 1 and parts[0][0] == "" else nodes.Parts(tuple(parts)) if parts else EMPTY
        )
        reader.style = outer
        kind = KINDS[reader.closed][0]
        if kind == T.CELL:
            continue
        rows.append(tuple(cells))
        cells = []
        if kind != T.ROW:
            break
        reader.skip_length()
    if kind != T.END:
        reader.put_back()
    if len(rows) > 1 and all([cell == EMPTY for cell in rows[-1]]):
        rows.pop()
    return nodes.Matrix(value, tuple(rows))


_DEFINED = frozenset(["def", "Def", "def.", "Δ", "△", "!"])  # over a sign that equality is
_NEGATED = {"=": "≠", "∈": "∉", "≡": "≢", "⊂": "⊄", "⊆": "⊈", "<": "≮", ">": "≯", "|": "∤"}
_NOTHING: frozenset[str] = frozenset()
_RIGHT = frozenset(["\\right"])
_ROUND = frozenset([")", "]", "\\rbrack", "\\rgroup"])
_ANGLE = frozenset(["\\rangle", "⟩", "\\rang"])
_STOPS = {
    "(": _ROUND, "[": _ROUND, "{": frozenset(["\\}", "\\rbrace"]), "⟨": _ANGLE, "⌊": frozenset(["\\rfloor", "⌋"]), "⌈": frozenset(["\\rceil", "⌉"]),
    "|": frozenset(["\\rvert"]), "‖": frozenset(["\\rVert"]), "⌜": frozenset(["\\urcorner"]), "⌞": frozenset(["\\lrcorner"]), "⟦": frozenset(["\\rrbracket", "⟧"]),
}  # fmt: skip
_TABLE: dict[int, Command] = {
    T.OPEN: _fence, T.BAR: _bar, T.LEFT: _left_right, T.FRAC: _fraction, T.SQRT: _root, T.STYLE: _style, T.ARROW: _arrow, T.STACK: _stacked, T.NOT: _negated,
    T.STARRED: _starred, T.BEGIN: _environment, T.SWALLOW: _nothing, T.RULE: _rule, T.LABELLED: _labelled,
    T.MIDDLE: lambda reader, token, value: nodes.RelationSign(reader.delimiter() or "|"),
    T.BINOM: lambda reader, token, value: nodes.Stacked("binom", reader.argument(), reader.argument()),
    T.BIG: lambda reader, token, value: nodes.Big(value),
    T.ACCENT: _accented,
    T.MOD: lambda reader, token, value: nodes.Modulo(reader.argument()),
    T.PRESCRIPT: _prescripts,
    T.OPERATOR: lambda reader, token, value: _style(reader, token, "rm"),
    **dict.fromkeys((T.WORDS, T.NAME), lambda reader, token, value: value),
    **dict.fromkeys((T.WRAP, T.TEXT), _wrapped),
}  # fmt: skip
COMMANDS: list[Command] = [_TABLE.get(kind, _symbol) for kind in range(T.STARRED + 1)]
