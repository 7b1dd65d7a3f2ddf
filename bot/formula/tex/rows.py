"""What the parser has read of a row so far, and how factors become terms, terms sides, sides relations, relations parts."""

from __future__ import annotations

from bot.formula.tex.nodes import EMPTY, Factors, Operator, RawNode, Relation, Signed, Sum
from bot.formula.tex.terms import build_term

Part = tuple[str, RawNode]  # the separator before it ("" for the first), and the tree


class OpenRow:
    """What has been read of a row: factors of this term, terms of this side, sides of this relation, parts."""

    __slots__ = ("called", "factors", "ops", "parts", "separator", "sides", "sign", "special", "terms")

    def __init__(self, called: set[str]) -> None:
        self.called = called
        self.parts: list[Part] = []
        self.separator = self.sign = ""
        self.factors: list[RawNode] = []  # one list for the life of the row: the reader holds it
        self.terms: list[RawNode] = []
        self.sides: list[RawNode] = []
        self.ops: list[str] = []
        self.special = False  # some factor asks for more than juxtaposition

    def end_term(self) -> None:
        factors = self.factors
        if factors:
            if len(factors) == 1 and factors[0].__class__ is not Operator:
                term = factors[0]
            else:
                term = build_term(factors, self.called) if self.special else Factors(tuple(factors))
            self.terms.append(Signed(self.sign, term) if self.sign and self.sign != "+" else term)
            factors.clear()
            self.special = False
        elif self.sign:
            self.terms.append("~" + self.sign)
        self.sign = ""

    def end_side(self) -> RawNode:
        factors = self.factors
        if not self.special and not self.terms and not self.sign:  # one term of letters and numbers side by side
            if not factors:
                return EMPTY
            term = factors[0] if len(factors) == 1 else Factors(tuple(factors))
            factors.clear()
            return term
        self.end_term()
        terms = self.terms
        if len(terms) == 1:
            return terms.pop()
        self.terms = []
        return Sum(tuple(terms)) if terms else EMPTY

    def relation(self, sign: str) -> None:
        side = self.end_side()
        if side == EMPTY and self.ops:
            self.ops[-1] += sign  # "= >" and the like: one sign in two tokens
            return
        self.sides.append(side)
        self.ops.append(sign)

    def end_relation(self) -> RawNode:
        side = self.end_side()
        if not self.ops:
            return side
        self.sides.append(side)
        node = Relation(tuple(self.ops), tuple(self.sides))
        self.ops, self.sides = [], []
        return node

    def empty(self) -> bool:
        return not (self.factors or self.terms or self.ops or self.sign)

    def end_part(self, separator: str) -> None:
        if self.empty() and not (separator == "," and self.separator == ","):
            self.separator = separator if self.separator[:1] != '"' else self.separator
            return
        self.parts.append((self.separator, self.end_relation()))
        self.separator = separator

    def end(self, top: bool = False) -> list[Part]:
        """Return the parts; at the top a separator after the last one parts nothing."""
        if not self.empty() or (self.separator and not top) or self.separator[:1] == '"':
            self.parts.append((self.separator, self.end_relation()))
        return self.parts
