"""Which vertical bars open an absolute value: a bar opens when another of its kind follows in the same group."""

from collections.abc import Sequence

from bot.formula.tex import tokenizer as T
from bot.formula.tex.tokenizer import KINDS

_DOWN = frozenset([T.LBRACE, T.OPEN, T.LEFT, T.BEGIN])
_UP = frozenset([T.RBRACE, T.CLOSE, T.RIGHT, T.END])


def pair_bars(tokens: Sequence[str]) -> dict[int, bool]:
    """Map the number of each bar token to whether a partner (another bar, or the ⟩ of a ket) follows at its level."""
    partner: dict[int, bool] = {}
    stack: list[dict[str, int]] = [{}]
    for index, token in enumerate(tokens):
        kind, value = KINDS[token]
        if kind == T.BAR:
            if index and tokens[index - 1] in ("\\left", "\\right", "\\middle"):
                continue
            level = stack[-1]
            if value in level:
                partner[level[value]] = True
            partner[index] = False
            level[value] = index
        elif kind in _DOWN:
            if not (index and tokens[index - 1] in ("\\left", "\\right")):
                stack.append({})
        elif kind in _UP:
            if value == "⟩" and "|" in stack[-1]:
                partner[stack[-1]["|"]] = True
                if len(stack) == 1:
                    continue
            if index and tokens[index - 1] in ("\\left", "\\right"):
                continue
            if len(stack) > 1:
                stack.pop()
        elif kind in (T.COMMA, T.CELL, T.ROW):
            stack[-1] = {} if kind != T.COMMA else stack[-1]
    return partner
