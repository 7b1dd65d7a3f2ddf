"""TeX to tokens: one token for a command, a number, a sign, a whole \\text{…}, \\operatorname{…}, \\begin{…}; blanks and styling go.

`KINDS` says what a token is. The two together are the lexical half of the parser.
"""

import re
from collections.abc import Sequence
from string import ascii_letters, digits

from bot.errors import FormulaError
from bot.formula.tex import symbols as S
from bot.formula.tex.clean import MAX_LENGTH
from bot.formula.tex.spelling.respelled import respelled

# Groups of three digits are parted by a comma or a thin space: 1{,}234.5, 1\,234.5, 6.674\,30; a comma in braces before other groups is a decimal comma.
_SPACE = r"(?:\\[, ]|~|\\thinspace(?![A-Za-z])|\{\\,\}|[\u00a0\u2009\u202f]) ?"
_GROUPED = rf"[1-9][0-9]{{0,2}}(?:(?:(?:\{{,\}}|,)(?:\\!)?|{_SPACE})[0-9]{{3}})+(?![0-9])"
_UNSURE = r"\([0-9]{1,3}\)"  # of the last digits, behind three digits or more: 8.314(75); 2.5(4) is a product
TOKEN = re.compile(
    r"[A-Za-z(){}=+\-_^,]"
    r"|\\(?:text(?:rm|it|bf|sf|tt|normal|up|sc|sl)?|mbox|hbox|fbox|emph|mathrm|operatorname\*?|operatornamewithlimits)[ \n\t]*\{[^{}\\$_^&]*\}"
    r"|\\(?:begin|end)[ \n\t]*\{[A-Za-z]+\*?\}(?:[ \n\t]*\[[a-z]?\])?(?:(?<=array\})[ \n\t]*\{[^{}]*\}|(?<=\])[ \n\t]*\{[^{}]*\}|(?<=at\})[ \n\t]*\{[0-9]*\})?"
    r"|\\[A-Za-z]+\*?"
    r"|\\[^A-Za-z]"
    rf"|(?:{_GROUPED}|[0-9]+)(?:\.[0-9]{{3}}(?:{_SPACE}[0-9]{{3}})*{_SPACE}[0-9]{{1,4}}(?![0-9]|\s*\^)(?:{_UNSURE})*|\.[0-9]{{3,}}(?:{_UNSURE})+|(?:\.[0-9]+)+|\{{[.,]\}}[0-9]+(?![0-9]|\{{,\}}))?|\.[0-9]+"
    r"|'+|\.\.\.+|[^\s]",
    re.S,
)
_WHOLE = re.compile(rf"{_GROUPED}|[0-9]+")
_NO_DIGIT = re.compile("[^0-9]+")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

(ID, NUMBER, SYMBOL, RELATION, PLUS, INFIX, SLASH, COMMA, SUP, SUB, PRIME, LBRACE, RBRACE, OPEN, CLOSE, BAR, ACCENT, STYLE, SWITCH, TEXT,
 OPERATOR, NAME, BIG, FRAC, BINOM, OVER, SQRT, LEFT, RIGHT, MIDDLE, CELL, ROW, BEGIN, END, WRAP, SWALLOW, WIDE, STACK, ARROW, NOT,
 MOD, PRESCRIPT, LABELLED, RULE, EOF, WORDS, STARRED) = range(47)  # fmt: skip


def _kinds() -> dict[str, tuple[int, str]]:
    table = {letter: (ID, letter) for letter in ascii_letters} | {digit: (NUMBER, "#" + digit) for digit in digits}
    for source, kind, prefix in (
        (S.LETTERS, ID, ""), (S.RELATIONS, RELATION, ""), (S.PLUS, PLUS, ""), (S.INFIX, INFIX, ""), (S.BIG, BIG, ""), (S.OPEN, OPEN, ""), (S.CLOSE, CLOSE, ""),
        (S.BARS, BAR, ""), (S.ACCENTS, ACCENT, ""), (S.STYLES, STYLE, ""), (S.SWITCHES, SWITCH, ""), (S.INFIX_FRACTIONS, OVER, ""), (S.SYMBOLS, SYMBOL, "~"),
        (S.NAMES, NAME, "%"),
    ):  # fmt: skip
        table |= {token: (kind, prefix + name) for token, name in source.items()}
    table |= {name: (ID, name) for name in S.LETTERS.values() if len(name) == 1}
    for tokens, kind in (
        (S.FRACTIONS, FRAC), (S.BINOMIALS, BINOM), (S.WRAPPERS, WRAP), (S.SWALLOW, SWALLOW), (S.TEXT, TEXT), (S.OPERATOR, OPERATOR),
    ):  # fmt: skip
        table |= {token: (kind, token) for token in tokens}
    table |= dict.fromkeys(S.WIDE, (WIDE, "\\quad"))
    return table | {
        "/": (SLASH, "/"), ",": (COMMA, ","), ";": (COMMA, ";"), "^": (SUP, "^"), "_": (SUB, "_"), "\\sp": (SUP, "^"), "\\sb": (SUB, "_"),
        "{": (LBRACE, "{"), "}": (RBRACE, "}"), "\\bgroup": (LBRACE, "{"), "\\egroup": (RBRACE, "}"), "\\sqrt": (SQRT, ""),
        "\\left": (LEFT, ""), "\\right": (RIGHT, ""), "\\middle": (MIDDLE, ""), "&": (CELL, "&"), "\\\\": (ROW, "\\\\"), "\\cr": (ROW, "\\\\"),
        "\\tabularnewline": (ROW, "\\\\"), "\\newline": (ROW, "\\\\"), "\\not": (NOT, ""), "\\pmod": (MOD, ""), "\\pod": (MOD, ""),
        "\\stackrel": (STACK, "over"), "\\overset": (STACK, "over"), "\\underset": (STACK, "under"), "\\xrightarrow": (ARROW, "→"),
        "\\xleftarrow": (ARROW, "←"), "\\xrightleftharpoons": (ARROW, "⇌"), "\\xleftrightarrow": (ARROW, "↔"), "\\xRightarrow": (ARROW, "⇒"),
        "\\xlongequal": (ARROW, "="), "\\xhookrightarrow": (ARROW, "↪"), "\\sideset": (PRESCRIPT, "side"), "\\prescript": (PRESCRIPT, "pre"),
        "\\rule": (RULE, ""), "\\textcolor": (LABELLED, ""), "\\": (SYMBOL, "~\\"), "\\mathstrut": (SYMBOL, ""), ".": (SYMBOL, ""), "": (EOF, ""),
        "\\slash": (SLASH, "/"), "∕": (SLASH, "/"), "\\comma": (COMMA, ","), "′": (PRIME, "'"), "″": (PRIME, "''"), "\\colorbox": (LABELLED, ""),
    }  # fmt: skip


class _Kinds(dict[str, tuple[int, str]]):
    """The table of token kinds, with rules for tokens that cannot be listed: numbers, primes, words, environments."""

    def __missing__(self, token: str) -> tuple[int, str]:
        first = token[0]
        if token[:3] == "...":
            return SYMBOL, "~…"
        if first in "0123456789." and len(token.strip(".")):
            return NUMBER, _number(token)
        if first == "'":
            return PRIME, token
        if first != "\\":
            return (ID, token) if token.isalpha() else (SYMBOL, "~" + token)
        name, brace, rest = token.partition("{")
        name = name.rstrip()
        if name == "\\begin":
            return BEGIN, rest.partition("}")[0].rstrip("*")
        if name == "\\end":
            return END, rest.partition("}")[0]
        if brace:
            words = _words(name, rest[:-1])
            return (RELATION, "⇔") if words.lower() in _EQUIVALENCE else (WORDS, words)
        if name.endswith("*"):
            return STARRED, name[:-1]
        return ID, name


def _number(token: str) -> str:
    """Return the number with a decimal point, without uncertainty and digit group separators."""
    token = token.partition("(")[0]
    if token.replace(".", "").isdigit():
        return "#" + token
    whole = _WHOLE.match(token)
    end = whole.end() if whole else 0
    fraction = _NO_DIGIT.sub("", token[end:])
    return "#" + _NO_DIGIT.sub("", token[:end]) + ("." + fraction if fraction else "")


def _words(command: str, text: str) -> str:
    """\\mathrm{Var} and \\operatorname{Var} are the name %Var; \\text{ for all } is the text "for all", \\text{d} an upright d."""
    if command == "\\mathrm" or command.startswith("\\operatorname"):
        word = text.replace(" ", "").replace("\n", "").replace("~", "")
        word = _SAME_NAMES.get(word, word)
        if len(word) < 2:
            return KINDS[word][1] if word else ""
        return ("%" if word.isalpha() else '"') + word
    text_of_words = " ".join(text.replace("~", " ").split())
    if text_of_words.lower() in S.FUNCTIONS or text_of_words.lower() in S.LIMITS:
        return "%" + _SAME_NAMES.get(text_of_words, text_of_words)
    return text_of_words if text_of_words == "d" else '"' + text_of_words


KINDS = _Kinds(_kinds())
_SAME_NAMES = {name.capitalize(): name for name in "ker det rank dim deg gcd".split()} | {"rk": "rank", "Rk": "rank"}
_EQUIVALENCE = frozenset(
    ['"iff', '"if and only if', '"iff.', '"exactly if', '"genau dann, wenn', '"si et seulement si', '"si y solo si']
)
_DROP = S.SILENT | S.SPACES
_BEFORE_NORM = frozenset(["=", "+", "-", "(", "[", "{", "\\le", "\\leq", "\\leqslant", "<", "}", "\\cdot", ","])
_DELIMITED = ("\\left", "\\right", "\\middle")
_MAY_DROP = re.compile(r"\\[a-zA-Z ,;:!>\t\n/-]|[~\u00a0\u2009\u2061-\u2064\u200b]")


def tokenize(tex: str) -> list[str]:
    """Return the tokens, with "" at the end; FormulaError for control characters and for what is longer than any formula."""
    if len(tex) > MAX_LENGTH:
        raise FormulaError("long_formula", MAX_LENGTH, most=MAX_LENGTH)
    if bad := _CONTROL.search(tex):
        raise FormulaError("control_character", bad.start(), number=ord(bad.group()))
    tex = respelled(tex)
    tokens: list[str] = TOKEN.findall(tex)
    if _MAY_DROP.search(tex):
        tokens = [token for token in tokens if token not in _DROP]
    tokens.append("")
    if "||" in tex:
        tokens = _with_norms(tokens)
    if "." in tokens and "\\nabla" in tokens:
        tokens = [
            _dot(token, tokens[n - 1], tokens[n + 1]) if token == "." else token for n, token in enumerate(tokens)
        ]
    return tokens


def _with_norms(tokens: list[str]) -> list[str]:
    """Return the tokens with each || as ‖ where all bars stand in pairs, the first of them before something: ||x||, not |x||y|."""
    bars = [n for n, token in enumerate(tokens) if token == "|"]
    opening = not bars or tokens[bars[0] - 1] in _BEFORE_NORM or bars[0] == 0
    if len(bars) % 4 or not opening or any(other != one + 1 for one, other in zip(bars[::2], bars[1::2], strict=True)):
        return tokens
    second = set(bars[1::2])
    return ["\\|" if token == "|" else token for n, token in enumerate(tokens) if n not in second]


def _dot(token: str, before: str, after: str) -> str:
    """A point before or after ∇ is a product, \\nabla.\\mathbf{E}."""
    is_product = "\\nabla" in (before, after) and after and before not in _DELIMITED
    return "\\cdot" if is_product else token


def position(tex: str, index: int) -> int:
    """Return where in the text the token with this number (counted as `tokenize` counts) starts."""
    count = -1
    for found in TOKEN.finditer(tex):
        if found.group() not in _DROP:
            count += 1
            if count == index:
                return found.start()
    return len(tex)


def pair_bars(tokens: Sequence[str]) -> dict[int, bool]:
    """Map the number of each bar token to whether a partner (another bar, or the ⟩ of a ket) follows at its level."""
    partner: dict[int, bool] = {}
    stack: list[dict[str, int]] = [{}]
    for index, token in enumerate(tokens):
        kind, value = KINDS[token]
        fenced = tokens[index - 1] in _DELIMITED
        if kind == BAR:
            if fenced:
                continue
            level = stack[-1]
            if value in level:
                partner[level[value]] = True
            partner[index] = False
            level[value] = index
        elif kind in _DOWN:
            if not fenced:
                stack.append({})
        elif kind in _UP:
            if value == "⟩" and "|" in stack[-1]:
                partner[stack[-1]["|"]] = True
            if not fenced and len(stack) > 1:
                stack.pop()
        elif kind in (CELL, ROW):
            stack[-1] = {}
    return partner


_DOWN = frozenset([LBRACE, OPEN, LEFT, BEGIN])
_UP = frozenset([RBRACE, CLOSE, RIGHT, END])
