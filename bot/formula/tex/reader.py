"""Rows, groups, fences and arguments: the part of the parser that every token passes, and therefore one file and few calls.

A row of tokens is read into factors, terms, sides and parts at once: no backtracking, so the time is linear. Only
groups, fences and arguments nest, and their depth is limited, so no input can exhaust the stack.
"""

# ruff: noqa: SIM109, I001 (two comparisons are quicker than a tuple made for every token; the kinds are listed, not stacked)
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from bot.errors import FormulaError
from bot.formula.tex.symbols import SWITCHES
from bot.formula.tex.tokenizer import (
    BAR, CELL, CLOSE, COMMA, END, EOF, ID, INFIX, KINDS, LBRACE, NUMBER, OPEN, OVER, PLUS, PRIME, RBRACE, RELATION, RIGHT, ROW, SLASH, SUB,
    SUP, SWITCH, SYMBOL, WIDE, WORDS, position,
    pair_bars,
)  # fmt: skip
from bot.formula.tex import nodes
from bot.formula.tex.nodes import EMPTY, RawNode
from bot.formula.tex.symbols import OPERATORS, separates
from bot.formula.tex.terms import build_term, is_quantifier
from bot.formula.tex.tree import side_by_side

MAX_DEPTH = 40
Part = tuple[str, RawNode]  # the separator before it ("" for the first), and the tree
# How a command reads its arguments, by its kind: from reader, token and value it returns a node, None if it is not part of the formula.
Command: TypeAlias = "Callable[[TexReader, str, str], RawNode | None]"


class OpenRow:
    """The open row: factors of the current term, terms of the side, sides of the relation, parts."""

    __slots__ = ("called", "factors", "ops", "parts", "separator", "sides", "sign", "special", "terms", "top")

    def __init__(self, called: set[str], top: bool = False) -> None:
        self.called, self.top = called, top
        self.parts: list[Part] = []
        self.separator = self.sign = ""
        self.factors: list[RawNode] = []  # one list for the life of the row: the reader refers to it
        self.terms: list[RawNode] = []
        self.sides: list[RawNode] = []
        self.ops: list[str] = []
        self.special = False  # some factor asks for more than juxtaposition

    def end_term(self) -> None:
        if factors := self.factors:
            if len(factors) == 1 and factors[0].__class__ is not nodes.Operator:
                term = factors[0]
            else:
                term = self.special_term() if self.special else nodes.Factors(tuple(factors))
            if self.sign == "+" and (self.terms or self.ops or not self.top or self.separator not in _CONTINUED):
                self.sign = ""
            self.terms.append(nodes.Signed(self.sign, term) if self.sign else term)
            factors.clear()
            self.special = False
        elif self.sign:
            self.terms.append("~" + self.sign)
        self.sign = ""

    def close_bar(self) -> None:
        """End a bar that nothing opened, with a script below it, around the fraction before it or the open term: f'(x)|_{x = 0}."""
        factors = self.factors
        if factors[-1].__class__ is nodes.Fraction or not factors[1:]:
            factors[-1] = nodes.Fenced("", "|", factors[-1])
        else:
            term = self.special_term() if self.special else nodes.Factors(tuple(factors))
            factors[:] = [nodes.Fenced("", "|", term)]
        self.special = True

    def special_term(self) -> RawNode:
        side = self.sides[-1] if self.ops and self.ops[-1] in "∈⊂⊆" and not self.terms else EMPTY
        scope = side.__class__ is nodes.Factors and any(map(is_quantifier, side.factors))  # ∀x ∈ A (x > 0)
        return build_term(self.factors, self.called, scope)

    def end_side(self) -> RawNode:
        factors = self.factors
        if not self.special and not self.terms and not self.sign:  # one term of letters and numbers side by side
            if not factors:
                return EMPTY
            term = factors[0] if len(factors) == 1 else nodes.Factors(tuple(factors))
            factors.clear()
            return term
        self.end_term()
        terms = self.terms
        if len(terms) == 1:
            return terms.pop()
        self.terms = []
        return nodes.Sum(tuple(terms)) if terms else EMPTY

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
        node = nodes.Relation(tuple(self.ops), tuple(self.sides))
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
        """Return the parts; at the top a separator after the last one is dropped."""
        if not self.empty() or (self.separator and not top) or self.separator[:1] == '"':
            self.parts.append((self.separator, self.end_relation()))
        return self.parts


class TexReader:
    """Reads tokens into a tree; keeps the position, style, depth, and the token that ended the last row."""

    __slots__ = ("bars", "called", "chained", "closed", "commands", "depth", "i", "style", "tex", "tokens")

    def __init__(self, tex: str, tokens: list[str], commands: Sequence[Command]) -> None:
        self.tex = tex
        self.tokens = tokens
        self.commands = commands
        self.i = 0
        self.depth = self.chained = 0
        self.style = ""
        self.closed = ""  # the token that ended the last row
        self.bars: dict[int, bool] | None = None
        self.called = _names_of_operators(tokens) if _NAMED.search(tex) else set()

    def error(self, code: str, index: int, **values: int) -> FormulaError:
        return FormulaError(code, position(self.tex, index), **values)

    # -- rows ---------------------------------------------------------------------------------------------------------
    def rows(self) -> list[Part]:
        """The whole formula: rows between \\\\ and cells between & stand as parts with these separators."""
        found: list[Part] = []
        separator = ""
        while True:
            for sep, node in self.scan(_NOTHING, True):
                found.append((sep or separator, node))
                separator = ""
            if not self.closed:
                return found
            kind = KINDS[self.closed][0]
            if kind == ROW:
                self.skip_length()
                separator = "\\\\"
            elif kind == CELL:
                separator = separator or "&"
            elif kind == RIGHT:
                self.delimiter()  # a \right, } or \end that closes nothing is read over

    def row(self, stops: frozenset[str]) -> RawNode:
        """Read up to a token of `stops` or one that ends every row; `closed` tells which."""
        parts = self.scan(stops, False)
        if len(parts) == 1 and not parts[0][0]:
            return parts[0][1]
        if parts and parts[0][0]:  # "_{,t}": nothing before the comma
            parts.insert(0, ("", EMPTY))
        return single_node(parts)

    def scan(self, stops: frozenset[str], top: bool) -> list[Part]:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error("deeper_than", self.i, most=MAX_DEPTH)
        tokens, kinds = self.tokens, KINDS
        style = self.style
        prefix = style + "." if style and style != "rm" else ""
        row = OpenRow(self.called, top)
        factors = row.factors
        over: tuple[str, RawNode] | None = None
        i = self.i
        while True:  # the common kinds first
            token = tokens[i]
            i += 1
            kind, value = kinds[token]
            if kind == ID:
                factors.append(prefix + value if prefix and value not in UNSTYLED else value)
                if value in HEADS:
                    row.special = True
            elif kind == NUMBER or kind == SYMBOL:
                if value == "~!" and factors:
                    self.postfix(factors)
                elif value:
                    factors.append(value)
            elif kind == SUP or kind == SUB:
                self.i = i
                argument = self.argument()
                i = self.i
                base = factors.pop() if factors and factors[-1].__class__ is not nodes.Operator else EMPTY
                factors.append(self.script(base, kind == SUP, argument))
            elif kind == LBRACE:
                self.i = i
                inner = self.group()
                i = self.i
                if inner.__class__ is not str or inner in HEADS or inner[:1] == "%":
                    row.special = True
                elif top and inner[:1] == '"' and separates(inner):
                    row.end_part(inner)
                    continue
                if sign := relation_in_braces(inner):
                    row.relation(sign)
                    continue
                factors.append(inner)
            elif token in stops or kind in ENDS:
                break
            elif kind == RELATION:
                row.relation(value)
            elif kind == PLUS:
                if factors == _BLANK:  # {} + a
                    factors.clear()
                if factors:
                    row.end_term()
                    row.sign = value
                elif row.sign == "-" and value == "-":
                    row.sign = "+"
                elif value != "+" or not row.sign:
                    row.sign = value
            elif kind == COMMA:
                row.end_part(value)
            elif kind == INFIX or kind == SLASH:
                if not factors and kind == INFIX:
                    factors.append("~" + value)
                else:
                    factors.append(nodes.Operator(value, tokens[i]))
                    row.special = True
            elif kind == PRIME:
                self.postfix(factors, len(value))
                row.special = True
            elif kind == WIDE:
                if top:
                    row.end_part(value)
            elif kind == WORDS and value[:1] == '"' and top and separates(value):
                row.end_part(value)
            elif kind == OVER:
                left = single_node(row.end())
                over = (value, left if over is None else _fraction_or_stack(over[0], over[1], left))
                row = OpenRow(self.called)
                factors = row.factors
            elif kind == BAR and not self.opens_bar(i - 1, factors, stops):
                if value == "|" and tokens[i] == "_" and factors and factors[-1].__class__ is not nodes.Operator:
                    row.close_bar()
                else:
                    row.relation(value)
            elif kind == SWITCH:
                style = self.style = SWITCHES[token]
                prefix = style + "." if style and style != "rm" else ""
            else:
                self.i = i
                node = self.commands[kind](self, token, value)
                i = self.i
                if node is None:
                    continue
                if node.__class__ is nodes.RelationSign:
                    row.relation(node.sign)
                else:
                    factors.append(node)
                    row.special = True
        self.i = i if token else i - 1  # the end is read again by every row that is still open
        self.closed = token
        self.depth -= 1
        if over is not None:
            return [("", _fraction_or_stack(over[0], over[1], single_node(row.end())))]
        return row.end(top)

    # -- groups, arguments, fences ------------------------------------------------------------------------------------
    def group(self) -> RawNode:
        outer = self.style
        tokens, i = self.tokens, self.i
        if tokens[i] and tokens[i + 1] == "}":  # {2} and {n}: most groups hold one token
            kind, value = KINDS[tokens[i]]
            if kind == ID or kind == NUMBER:
                self.i = i + 2
                self.closed = "}"
                return f"{outer}.{value}" if kind == ID and outer and outer != "rm" and value not in UNSTYLED else value
        node = self.row(_RBRACE)
        if self.style == "rm" != outer:
            node = joined_letters(node)
        self.style = outer
        closed = self.closed
        if closed != "}":
            if closed and KINDS[closed][0] in (CELL, ROW):
                return self.loose_rows(node)
            if closed not in _RBRACE:
                self.put_back()
        return node

    def loose_rows(self, node: RawNode) -> RawNode:
        """A group with rows but no environment (\\substack, \\matrix, or an author's slip)."""
        rows: list[tuple[RawNode, ...]] = []
        cells = [node]
        while True:
            kind = KINDS[self.closed][0]
            if kind != CELL:
                rows.append(tuple(cells))
                cells = []
                if kind != ROW:
                    break
                self.skip_length()
            cells.append(self.row(_RBRACE))
        if self.closed not in _RBRACE:
            self.put_back()
        return nodes.Matrix("", tuple(rows))

    def argument(self) -> RawNode:
        """Read the argument of a script, an accent or a fraction: a group or one token."""
        tokens = self.tokens
        token = tokens[self.i]
        kind, value = KINDS[token]
        if kind in ENDS:
            return EMPTY
        self.i += 1
        if kind == LBRACE:
            return self.group()
        if kind == ID:
            return f"{self.style}.{value}" if self.style and self.style != "rm" and value not in UNSTYLED else value
        if kind == NUMBER:
            if len(value) > 2 and token[0] != ".":  # TeX takes one digit
                self.i -= 1
                tokens[self.i] = value[2:]
                return value[:2]
            return value
        if kind == SYMBOL or kind == WORDS:
            return value
        if kind in _PLAIN:
            return "~" + value
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error("deeper_than", self.i, most=MAX_DEPTH)
        node = self.odd_argument(token, kind, value)
        self.depth -= 1
        return node

    def odd_argument(self, token: str, kind: int, value: str) -> RawNode:
        if kind == SWITCH:
            outer, self.style = self.style, SWITCHES[token]
            node = self.argument()
            self.style = outer
            return node
        if kind == SUP or kind == SUB:
            return self.script(EMPTY, kind == SUP, self.argument())
        if kind == PRIME:
            return "~" + "′" * len(value)
        found = self.commands[kind](self, token, value)
        if found is None:
            return self.argument()
        return "~" + found.sign if found.__class__ is nodes.RelationSign else found

    def script(self, base: RawNode, up: bool, argument: RawNode) -> RawNode:
        """Attach a sub- or superscript; a second one of the same kind nests. A prime belongs to the letter with its subscript: v'_1 is v_1'."""
        if base == "~∃" and argument in ("#1", "~!"):
            return nodes.Factorial(base)
        primes = _number_of_primes(argument) if up else 0
        if primes:
            return nodes.Primed(base, primes)
        if not up and base.__class__ is nodes.Primed and _has_no_subscript(base.base):
            return nodes.Primed(self.script(base.base, up, argument), base.number)
        if base.__class__ is nodes.Scripts:
            if not up and base.base.__class__ is nodes.Primed and _has_no_subscript(base.base.base):
                return nodes.Scripts(self.script(base.base, up, argument), EMPTY, base.high)
            if (base.high if up else base.low) == EMPTY:
                if up:
                    return nodes.Scripts(base.base, base.low, argument)
                return nodes.Scripts(base.base, argument, base.high)
            self.chain()
        return nodes.Scripts(base, EMPTY, argument) if up else nodes.Scripts(base, argument, EMPTY)

    def postfix(self, factors: list[RawNode], primes: int = 0) -> None:
        """Attach primes and factorials to the factor before them."""
        base = factors.pop() if factors and factors[-1].__class__ is not nodes.Operator else EMPTY
        if isinstance(base, (nodes.Primed, nodes.Factorial)):
            self.chain()
        factors.append(nodes.Primed(base, primes) if primes else nodes.Factorial(base))

    def chain(self) -> None:
        self.chained += 1
        if self.chained > MAX_DEPTH:
            raise self.error("many_marks", self.i, most=MAX_DEPTH)

    def skip_length(self) -> None:
        r"""Skip the star and the space after a row's end: \\\\* and \\\\[3pt]."""
        tokens = self.tokens
        if tokens[self.i] == "*":
            self.i += 1
        if tokens[self.i] == "[":
            ahead = tokens[self.i + 1 : self.i + 10]
            if "]" in ahead and _LENGTH.fullmatch("".join(ahead[: ahead.index("]")])):
                self.i += ahead.index("]") + 2

    def optional(self) -> RawNode:
        if self.tokens[self.i] != "[":
            return EMPTY
        self.i += 1
        node = self.row(_BRACKET)
        if self.closed != "]":
            self.put_back()
        return node

    def fence(self, opening: str, stops: frozenset[str]) -> RawNode:
        """Read up to the closing sign; without one the rest of the row is inside, and the token that ended it stays."""
        outer = self.style
        node = self.row(stops)
        self.style = outer
        if self.closed in stops:
            if node.__class__ is nodes.Factors and node.factors[0] in ('"mod', "%mod"):  # a ≡ b (mod n)
                return nodes.Modulo(side_by_side(node.factors[1:]))
            return nodes.Fenced(opening, KINDS[self.closed][1], node)
        self.put_back()
        return nodes.Fenced(opening, "", node)

    def put_back(self) -> None:
        """Put back the token that ended this row, so that it also ends the row around it."""
        if self.closed:
            self.i -= 1

    def opens_bar(self, index: int, factors: list[RawNode], stops: frozenset[str]) -> bool:
        after = bool(factors) and factors[-1].__class__ is not nodes.Operator
        if after and "\\rangle" in stops:
            return False
        if self.bars is None:
            self.bars = pair_bars(self.tokens)
        return self.bars.get(index, False)

    def delimiter(self) -> str:
        token = self.tokens[self.i]
        if not token or token == "}":
            return ""
        self.i += 1
        if token[0] == "." and len(token) > 1:  # "\right.5": the dot is the delimiter, 5 is not
            self.i -= 1
            self.tokens[self.i] = token[1:]
            return ""
        return "" if token == "." else KINDS[token][1].lstrip("~")


def _number_of_primes(script: RawNode) -> int:
    """Return how many primes a superscript is; 0 for one that is anything else."""
    if script.__class__ is str:
        return len(script) - 1 if script[:2] == "~′" else 0
    if script.__class__ is nodes.Factors and all([part == "~′" for part in script.factors]):
        return len(script.factors)
    return 0


def _has_no_subscript(node: RawNode) -> bool:
    return node != EMPTY and (node.__class__ is not nodes.Scripts or node.low == EMPTY)


def relation_in_braces(node: RawNode) -> str:
    """Return the sign of a group that is a relation without sides, a {=} b; "" for any other."""
    return "".join(node.signs) if node.__class__ is nodes.Relation and set(node.sides) == {EMPTY} else ""


def _names_of_operators(tokens: Iterable[str]) -> set[str]:
    """Return the upright names that call what follows: \\operatorname{cl} S is cl(S); capitals are more often a quantity."""
    found = {KINDS[token][1] for token in tokens if token[:13] == "\\operatorname"}
    named = {KINDS[token][1] for token in tokens if token[:7] == "\\mathrm"}
    return {name for name in found if len(name) == 1 or not name.isupper()} | (named & OPERATORS)


def _fraction_or_stack(tag: str, numerator: RawNode, denominator: RawNode) -> RawNode:
    return nodes.Fraction(numerator, denominator) if tag == "frac" else nodes.Stacked(tag, numerator, denominator)


def joined_letters(node: RawNode) -> RawNode:
    """Join letters side by side in one upright or bold group to one name: \\mathrm{Re}, {\\rm const}."""
    if node.__class__ is nodes.Factors and all(
        [part.__class__ is str and len(part.rpartition(".")[2]) == 1 and part[0] not in '#~"%' for part in node.factors]
    ):
        return "%" + "".join([str(part).rpartition(".")[2] for part in node.factors])
    return node


def single_node(parts: list[Part]) -> RawNode:
    """Return the one part, or a list of several."""
    if len(parts) == 1:
        return parts[0][1]
    return nodes.CommaList(tuple([sep for sep, _ in parts[1:]]), tuple([node for _, node in parts])) if parts else EMPTY


_NAMED = re.compile(r"\\(?:operatorname|mathrm|Re|Im)(?![A-Za-z])")
HEADS = frozenset("d∂∇Dδ□")
UNSTYLED = frozenset("∇∂□")  # an operator in bold or with an arrow is the same
ENDS = frozenset([RBRACE, RIGHT, CELL, ROW, END, EOF])
_NOTHING: frozenset[str] = frozenset()
_RBRACE = frozenset(["}", "\\egroup"])
_BRACKET = frozenset("]")
_BLANK = [EMPTY]
_CONTINUED = frozenset(["", "\\quad"])  # separators behind which a plus may go on with a sum, see systems.join
_LENGTH = re.compile(r"[+-]?[\d.]*(?:pt|pc|in|bp|cm|mm|dd|cc|sp|ex|em|mu|\\[A-Za-z]+)")
_PLAIN = frozenset([RELATION, PLUS, INFIX, SLASH, COMMA, BAR, OPEN, CLOSE])
