"""TeX to operator trees, in one pass over the tokens.

A row of tokens is read into factors, terms, sides and parts at once: no backtracking, so the time is linear. Only
groups, fences and arguments nest, and their depth is limited, so no input can exhaust the stack.
"""

from __future__ import annotations

from bot.errors import FormulaError
from bot.formula import tokenizer as T
from bot.formula.bars import pair_bars
from bot.formula.rows import Part, Row
from bot.formula.symbols import SWITCHES
from bot.formula.tokenizer import KINDS, position, tokenize
from bot.formula.tree import EMPTY, Node, leaves
from bot.formula.words import separates

MAX_DEPTH = 40


def parse_parts(tex: str) -> tuple[list[Part], list[str], set[str]]:
    """Return the parts of a formula between commas, wide spaces, connecting words and row ends; its tokens, and the letters called as functions."""
    reader = _Reader(tex)
    return reader.rows(), reader.tokens, reader.called


class _Reader:
    __slots__ = ("bars", "called", "chained", "closed", "depth", "i", "style", "tex", "tokens")

    def __init__(self, tex: str) -> None:
        self.tex = tex
        self.tokens = tokenize(tex)
        self.i = 0
        self.depth = self.chained = 0
        self.style = ""
        self.closed = ""  # the token that ended the last row
        self.bars: dict[int, bool] | None = None
        self.called: set[str] = set()

    def error(self, what: str, index: int) -> FormulaError:
        return FormulaError(what, position(self.tex, index))

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
            if kind == T.ROW:
                separator = "\\\\"
            elif kind == T.CELL:
                separator = separator or "&"
            elif kind == T.RIGHT:
                self.delimiter()  # a \right, } or \end that closes nothing is read over

    def row(self, stops: frozenset[str]) -> Node:
        """Read up to a token of `stops` or one that ends every row; `closed` tells which."""
        parts = self.scan(stops, False)
        if parts and parts[0][0]:  # "_{,t}": what stands before the comma is nothing
            parts.insert(0, ("", EMPTY))
        if len(parts) == 1:
            return parts[0][1]
        return (",", tuple(sep for sep, _ in parts[1:]), tuple(node for _, node in parts)) if parts else EMPTY

    def scan(self, stops: frozenset[str], top: bool) -> list[Part]:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"nested more than {MAX_DEPTH} deep", self.i)
        tokens, kinds = self.tokens, KINDS
        style = self.style
        prefix = style + "." if style and style != "rm" else ""
        row = Row(self.called)
        over: tuple[str, Node] | None = None
        i = self.i
        while True:
            token = tokens[i]
            i += 1
            kind, value = kinds[token]
            if kind == 0:  # an identifier
                row.factors.append(prefix + value if prefix else value)
                if value in _HEADS:
                    row.special = True
            elif kind == T.SUP or kind == T.SUB:
                self.i = i
                argument = self.argument()
                i = self.i
                factors = row.factors
                base = factors.pop() if factors and factors[-1][:1] != ("op",) else EMPTY
                factors.append(self.script(base, kind == T.SUP, argument))
            elif token in stops or kind in _ENDS:
                break
            elif kind == T.LBRACE:
                self.i = i
                inner = self.group()
                i = self.i
                if top and inner.__class__ is str and inner[:1] == '"' and separates(inner):
                    row.end_part(inner)
                    continue
                row.factors.append(inner)
                if inner.__class__ is not str or inner in _HEADS or inner[:1] == "%":
                    row.special = True
            elif kind == T.NUMBER or kind == T.SYMBOL:
                if value == "~!" and row.factors:
                    self.postfix(row.factors, "!")
                elif value:
                    row.factors.append(value)
            elif kind == T.PLUS:
                if row.factors:
                    row.end_term()
                    row.sign = value
                elif row.sign == "-" and value == "-":
                    row.sign = "+"
                elif value != "+" or not row.sign:
                    row.sign = value
            elif kind == T.RELATION:
                row.relation(value)
            elif kind == T.COMMA:
                row.end_part(value)
            elif kind == T.INFIX or kind == T.SLASH:
                if not row.factors and kind == T.INFIX:
                    row.factors.append("~" + value)
                else:
                    row.factors.append(("op", value, tokens[i]))
                    row.special = True
            elif kind == T.PRIME:
                self.postfix(row.factors, "'", len(value))
                row.special = True
            elif kind == T.WIDE:
                if top:
                    row.end_part(value)
            elif kind == T.WORDS and value[:1] == '"' and top and (separates(value)):
                row.end_part(value)
            elif kind == T.OVER:
                left = _joined_parts(row)
                over = (value, left if over is None else (over[0], over[1], left))
                row = Row(self.called)
            elif kind == T.BAR and not self.opens_bar(i - 1, row, stops):
                row.relation(value)
            elif kind == T.SWITCH:
                style = self.style = SWITCHES[token]
                prefix = style + "." if style and style != "rm" else ""
            else:
                self.i = i
                node = self.atom(token, kind, value)
                i = self.i
                if node is None:
                    continue
                if node.__class__ is tuple and node[0] == "sign":
                    row.relation(node[1])
                else:
                    row.factors.append(node)
                    row.special = True
        self.i = i if token else i - 1  # the end is read again by every row that is still open
        self.closed = token
        self.depth -= 1
        if over is not None:
            return [("", (over[0], over[1], _joined_parts(row)))]
        if not row.empty() or (row.separator and not top) or row.separator[:1] == '"':
            row.parts.append((row.separator, row.end_relation()))
        return row.parts

    # -- groups, arguments, fences ------------------------------------------------------------------------------------
    def group(self) -> Node:
        outer = self.style
        tokens, i = self.tokens, self.i
        if tokens[i] and tokens[i + 1] == "}":  # {2} and {n}: most groups hold one token
            kind, value = KINDS[tokens[i]]
            if kind == 0 or kind == T.NUMBER:
                self.i = i + 2
                self.closed = "}"
                return f"{outer}.{value}" if kind == 0 and outer and outer != "rm" else value
        node = self.row(_RBRACE)
        if self.style == "rm" != outer:
            node = word(node)
        self.style = outer
        if self.closed and KINDS[self.closed][0] in (T.CELL, T.ROW):
            return self.loose_rows(node)
        if self.closed not in _RBRACE:
            self.put_back()
        return node

    def loose_rows(self, node: Node) -> Node:
        """A group with rows but no environment (\\substack, \\matrix, or an author's slip)."""
        rows: list[tuple[Node, ...]] = []
        cells = [node]
        while True:
            kind = KINDS[self.closed][0]
            if kind != T.CELL:
                rows.append(tuple(cells))
                cells = []
                if kind != T.ROW:
                    break
            cells.append(self.row(_RBRACE))
        if self.closed not in _RBRACE:
            self.put_back()
        return ("mat", "", tuple(rows))

    def argument(self) -> Node:
        """Read what a script, an accent or a fraction takes: a group or one token."""
        tokens = self.tokens
        token = tokens[self.i]
        kind, value = KINDS[token]
        if kind in _ENDS:
            return EMPTY
        self.i += 1
        if kind == T.LBRACE:
            return self.group()
        if kind == 0:
            return f"{self.style}.{value}" if self.style and self.style != "rm" else value
        if kind == T.NUMBER:
            if len(value) > 2 and token[0] != ".":  # TeX takes one digit
                self.i -= 1
                tokens[self.i] = token[1:]
                return value[:2]
            return value
        if kind == T.SYMBOL or kind == T.WORDS:
            return value
        if kind in _PLAIN:
            return "~" + value
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.error(f"nested more than {MAX_DEPTH} deep", self.i)
        node = self.odd_argument(token, kind, value)
        self.depth -= 1
        return node

    def odd_argument(self, token: str, kind: int, value: str) -> Node:
        if kind == T.SWITCH:
            outer, self.style = self.style, SWITCHES[token]
            node = self.argument()
            self.style = outer
            return node
        if kind == T.SUP or kind == T.SUB:
            return self.script(EMPTY, kind == T.SUP, self.argument())
        if kind == T.PRIME:
            return "~" + "′" * len(value)
        node = self.atom(token, kind, value)
        if node is None:
            return self.argument()
        return "~" + node[1] if node[:1] == ("sign",) else node

    def script(self, base: Node, up: bool, argument: Node) -> Node:
        """Attach a sub- or superscript; a second one of the same kind nests."""
        if base.__class__ is tuple and base[0] == "s":
            if base[3 if up else 2] == EMPTY:
                return ("s", base[1], base[2], argument) if up else ("s", base[1], argument, base[3])
            self.chain()
        if up and isinstance(argument, str) and argument[:2] == "~′":
            return ("'", base, len(argument) - 1)
        if up and argument.__class__ is tuple and argument[0] == "*" and all(part == "~′" for part in argument[1]):
            return ("'", base, len(argument[1]))
        return ("s", base, EMPTY, argument) if up else ("s", base, argument, EMPTY)

    def postfix(self, factors: list[Node], tag: str, *rest: int) -> None:
        """Primes and factorials: they belong to the factor before them."""
        base = factors.pop() if factors and factors[-1][:1] != ("op",) else EMPTY
        if base.__class__ is tuple and base[0] in ("'", "!"):
            self.chain()
        factors.append((tag, base, *rest))

    def chain(self) -> None:
        self.chained += 1
        if self.chained > MAX_DEPTH:
            raise self.error(f"more than {MAX_DEPTH} scripts or marks on marks", self.i)

    def optional(self) -> Node:
        if self.tokens[self.i] != "[":
            return EMPTY
        self.i += 1
        node = self.row(_BRACKET)
        if self.closed != "]":
            self.put_back()
        return node

    def fence(self, opening: str, stops: frozenset[str]) -> Node:
        """Read up to the closing sign; where there is none, the rest of the row is inside and what ended it stays."""
        outer = self.style
        node = self.row(stops)
        self.style = outer
        if self.closed in stops:
            return ("()", opening, KINDS[self.closed][1], node)
        self.put_back()
        return ("()", opening, "", node)

    def put_back(self) -> None:
        """What ended this row ends the one around it, too."""
        if self.closed:
            self.i -= 1

    def opens_bar(self, index: int, row: Row, stops: frozenset[str]) -> bool:
        after = bool(row.factors) and row.factors[-1][:1] != ("op",)
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

    def left_right(self) -> Node:
        opening = self.delimiter()
        outer = self.style
        node = self.row(_RIGHT)
        self.style = outer
        if self.closed == "\\right":
            return ("()", opening, self.delimiter(), node)
        self.put_back()  # cut off, or an alignment between \left and \right
        return ("()", opening, "", node)

    def environment(self, name: str) -> Node:
        outer = self.style
        rows: list[tuple[Node, ...]] = []
        cells: list[Node] = []
        while True:
            parts = self.scan(_NOTHING, True)
            cells.append(
                parts[0][1] if len(parts) == 1 and parts[0][0] == "" else ("parts", tuple(parts)) if parts else EMPTY
            )
            self.style = outer
            kind = KINDS[self.closed][0]
            if kind == T.CELL:
                continue
            rows.append(tuple(cells))
            cells = []
            if kind == T.ROW:
                self.skip_length()
                continue
            if kind == T.END:
                break
            self.put_back()
            break
        if len(rows) > 1 and all(cell == EMPTY for cell in rows[-1]):
            rows.pop()
        return ("mat", name, tuple(rows))

    def skip_length(self) -> None:
        """\\\\[3pt]: the space between two rows."""
        tokens, i = self.tokens, self.i
        if tokens[i] == "[" and i + 2 < len(tokens) and tokens[i + 1][:1] in "0123456789.-":
            for ahead in range(i, min(i + 8, len(tokens))):
                if tokens[ahead] == "]":
                    self.i = ahead + 1
                    return

    # -- commands -----------------------------------------------------------------------------------------------------
    def styled(self, style: str) -> Node:
        outer, self.style = self.style, style
        node = self.argument()
        self.style = outer
        return word(node) if style in ("rm", "sf", "tt", "") else node

    def atom(self, token: str, kind: int, value: str) -> Node | None:
        """Read what stands behind a command or an opening fence; None for what is not part of the formula."""
        if kind == T.WORDS or kind == T.NAME:
            return value
        if kind == T.OPEN:
            return self.fence(value, _STOPS[value])
        if kind == T.FRAC:
            if self.tokens[self.i] == "[":
                self.optional()
            top = self.argument()
            return ("frac", top, self.argument())
        if kind == T.SQRT:
            index = self.optional()
            body = self.argument()
            return ("sqrt", body) if index in (EMPTY, "#2") else ("root", body, index)
        if kind == T.LEFT:
            return self.left_right()
        if kind == T.BIG:
            return ("big", value)
        if kind == T.STYLE:
            return self.styled(value)
        if kind == T.ACCENT:
            return ("acc", value, self.argument())
        if kind == T.BEGIN:
            return self.environment(value)
        if kind == T.BAR:
            return self.fence(value, frozenset([token, "\\rangle", "⟩"]) if value == "|" else frozenset([token]))
        if kind == T.OPERATOR:
            return self.styled("rm")
        if kind == T.BINOM:
            top = self.argument()
            return ("binom", top, self.argument())
        return self.odd_atom(token, kind, value)

    def odd_atom(self, token: str, kind: int, value: str) -> Node | None:
        if kind == T.CLOSE:
            return "~" + value
        if kind == T.WRAP or kind == T.TEXT:
            return self.argument()
        if kind == T.NOT:
            return self.negated()
        if kind == T.MOD:
            return ("mod", self.argument())
        if kind == T.STACK:
            return self.stacked(value)
        if kind == T.ARROW:
            below, above = self.optional(), self.argument()
            label = "".join(leaves(("binom", below, above)))
            return ("sign", f"{value}[{label}]" if label else value)
        if kind == T.SWALLOW:
            self.optional()
            self.argument()
            return None
        if kind == T.PRESCRIPT:
            first, second = self.argument(), self.argument()
            return ("pre", first, second, self.argument())
        if kind == T.LABELLED:
            self.argument()
            return self.argument()
        if kind == T.RULE:
            self.argument()
            self.argument()
            return None
        if kind == T.MIDDLE:
            return ("sign", self.delimiter() or "|")
        if kind == T.STARRED:
            return self.starred(value)
        return "~" + (value or token)

    def stacked(self, where: str) -> Node:
        mark, base = self.argument(), self.argument()
        if isinstance(base, str) and base[:1] == "~" and len(base) == 2:
            return ("sign", base[1:] if mark in ("#", EMPTY) else base[1:] + "'")
        return ("s", base, EMPTY, mark) if where == "over" else ("s", base, mark, EMPTY)

    def starred(self, name: str) -> Node | None:
        kind, value = KINDS[name]
        if kind == T.ID or kind == T.SYMBOL:  # \alpha*x: a product sign after a letter
            self.tokens.insert(self.i, "*")
            return value
        return self.atom(name, kind, value)

    def negated(self) -> Node:
        kind, value = KINDS[self.tokens[self.i]]
        if kind != T.RELATION:
            return ("acc", "not", self.argument())
        self.i += 1
        return (
            "sign",
            {"=": "≠", "∈": "∉", "≡": "≢", "⊂": "⊄", "⊆": "⊈", "<": "≮", ">": "≯", "|": "∤"}.get(value, "¬" + value),
        )


def word(node: Node) -> Node:
    """Letters side by side in one upright or bold group are one name: \\mathrm{Re}, {\\rm const}."""
    if (
        node.__class__ is tuple
        and node[0] == "*"
        and all(
            isinstance(part, str) and len(part.rpartition(".")[2]) == 1 and part[0] not in '#~"%' for part in node[1]
        )
    ):
        return "%" + "".join(part.rpartition(".")[2] for part in node[1])
    return node


def _joined_parts(row: Row) -> Node:
    if not row.empty() or row.separator:
        row.parts.append((row.separator, row.end_relation()))
    parts = row.parts
    if len(parts) == 1:
        return parts[0][1]
    return (",", tuple(sep for sep, _ in parts[1:]), tuple(node for _, node in parts)) if parts else EMPTY


_HEADS = frozenset("d∂∇Dδ□")
_NOTHING: frozenset[str] = frozenset()
_RBRACE = frozenset(["}", "\\egroup"])
_RIGHT = frozenset(["\\right"])
_BRACKET = frozenset("]")
_ROUND = frozenset([")", "]", "\\rbrack", "\\rgroup"])
_ANGLE = frozenset(["\\rangle", "⟩", "\\rang"])
_STOPS = {
    "(": _ROUND, "[": _ROUND, "{": frozenset(["\\}", "\\rbrace"]), "⟨": _ANGLE, "⌊": frozenset(["\\rfloor", "⌋"]), "⌈": frozenset(["\\rceil", "⌉"]),
    "|": frozenset(["\\rvert"]), "‖": frozenset(["\\rVert"]), "⌜": frozenset(["\\urcorner"]), "⌞": frozenset(["\\lrcorner"]), "⟦": frozenset(["\\rrbracket", "⟧"]),
}  # fmt: skip
_ENDS = frozenset([T.RBRACE, T.RIGHT, T.CELL, T.ROW, T.END, T.EOF])
_PLAIN = frozenset([T.RELATION, T.PLUS, T.INFIX, T.SLASH, T.COMMA, T.BAR, T.OPEN, T.CLOSE])
