"""TeX to tokens: one token for a command, a number, a sign, a whole \\text{…}, \\operatorname{…}, \\begin{…}; blanks and styling go.

`KINDS` says what a token is. The two together are the lexical half of the parser.
"""

import re
from collections.abc import Callable, Sequence

from bot.errors import FormulaError
from bot.formula.tex import symbols as S
from bot.formula.tex.clean import MAX_LENGTH
from bot.formula.tex.package_macros import NAMES, SPELLED, with_expanded_macros, with_one_spelling
from bot.formula.tex.spelling.respelled import TOKENS, respelled, respelled_commands

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
# {\big (} is how texvc writes them
_BIG_IN_BRACES = re.compile(r"\{\s*\\(?:big|Big|bigg|Bigg)[lrm]?\s*([()\[\]|/]|\\[{}|]|\\[a-z]+)\s*\}")
# So is {\bmod {7}}
_MOD_IN_BRACES = re.compile(r"(?<![_^\\])\{\s*(\\b?mod(?![a-zA-Z])[^{}]*(?:\{[^{}]*\}[^{}]*)?)(?<!\\)\}")
_WHOLE = re.compile(rf"{_GROUPED}|[0-9]+")
_NO_DIGIT = re.compile("[^0-9]+")
_WIDTH = re.compile(r"\\hspace\*?\s*\{\s*([0-9]*\.?[0-9]+)\s*(pt|bp|mm|cm|in|pc|ex|em|mu)\s*\}")
# In type of ten points.
_EM = {"pt": 0.1, "bp": 0.1, "mm": 0.28, "cm": 2.8, "in": 7.2, "pc": 1.2, "ex": 0.43, "em": 1.0, "mu": 1 / 18}
# Dimensionless numbers by two letters as some write them: Re = ρvL/μ in italics, N_{Re}.
_NAMED_NUMBER = "Bi|Bo|Da|De|Ec|Ek|Eu|Fo|Fr|Gr|Gz|Ha|Ja|Kn|Le|Mo|Nu|Oh|Pe|Pr|Re|Ri|Ro|Sc|Sh|St|We|Wi|Wo"
_ITALIC_NUMBER = re.compile(
    rf"\s*(?P<name>(?P<letter>[A-Z])[a-z])(?<=(?:{_NAMED_NUMBER}))(?=\s*(?:=|:=|\\(?:equiv|approx|sim|triangleq)(?![a-z])))(?!.*(?<![A-Za-z\\])(?P=letter)(?![A-Za-z]))",
    re.S,
)
_LABELLED_NUMBER = re.compile(
    rf"(?<![A-Za-z\\])N_(?:\{{\s*({_NAMED_NUMBER})\s*\}}|\{{\s*\\(?:mathrm|text|mathit)\s*\{{({_NAMED_NUMBER})\}}\s*\}}|\{{\s*\\rm\s+({_NAMED_NUMBER})\s*\}}|\\(?:mathrm|text)\{{({_NAMED_NUMBER})\}})"
)
# Mathematics in a box of text: \mbox{if $x_{1} > 0$}, \mbox{\boldmath$k$}.
_INNER = r"\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}"
_BOX = re.compile(
    rf"\\(?:text(?:rm|it|bf|sf|tt|normal|up|sc|sl)?|mbox|hbox|fbox)\s*\{{((?:[^{{}}$]|{_INNER})*\$(?:[^{{}}]|{_INNER})*)\}}"
)
_PART = re.compile(r"\\(Re|Im)(?![A-Za-z])")  # of a complex number
# Numbers and signs of Unicode that stand above the line: E = mc², 10⁻³.
_ON_THE_LINE = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n")
_RAISED = re.compile("[⁰¹²³⁴-⁹⁺⁻ⁿ]+")
_DOLLAR = re.compile(r"(?<!\\)\$")
_COMMANDS = re.compile(r"(?:\\[a-zA-Z]+|\s)*")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

(ID, NUMBER, SYMBOL, RELATION, PLUS, INFIX, SLASH, COMMA, SUP, SUB, PRIME, LBRACE, RBRACE, OPEN, CLOSE, BAR, ACCENT, STYLE, SWITCH, TEXT,
 OPERATOR, NAME, BIG, FRAC, BINOM, OVER, SQRT, LEFT, RIGHT, MIDDLE, CELL, ROW, BEGIN, END, WRAP, SWALLOW, WIDE, STACK, PAIR, ARROW, NOT,
 MOD, PRESCRIPT, LABELLED, RULE, EOF, WORDS, STARRED) = range(48)  # fmt: skip


def _kinds() -> dict[str, tuple[int, str]]:
    table: dict[str, tuple[int, str]] = {c: (ID, c) for c in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"}
    table.update({digit: (NUMBER, "#" + digit) for digit in "0123456789"})
    for source, kind in (
        (S.LETTERS, ID), (S.RELATIONS, RELATION), (S.PLUS, PLUS), (S.INFIX, INFIX), (S.BIG, BIG), (S.OPEN, OPEN), (S.CLOSE, CLOSE),
        (S.BARS, BAR), (S.ACCENTS, ACCENT), (S.STYLES, STYLE), (S.SWITCHES, SWITCH), (S.INFIX_FRACTIONS, OVER),
    ):  # fmt: skip
        table.update({token: (kind, name) for token, name in source.items()})
    table.update({token: (ID, name) for token, name in S.LETTERS.items() if token.startswith("\\")})
    table.update({name: (ID, name) for token, name in S.LETTERS.items() if len(name) == 1})
    table.update({token: (SYMBOL, "~" + name) for token, name in S.SYMBOLS.items()})
    table.update({token: (NAME, "%" + name) for token, name in S.NAMES.items()})
    for tokens, kind in (
        (S.FRACTIONS, FRAC),
        (S.BINOMIALS, BINOM),
        (S.WRAPPERS, WRAP),
        (S.SWALLOW, SWALLOW),
        (S.TEXT, TEXT),
    ):
        table.update({token: (kind, token) for token in tokens})
    table.update(dict.fromkeys(S.WIDE, (WIDE, "\\quad")))
    table.update({token: (OPERATOR, token) for token in S.OPERATOR})
    table.update({
        "/": (SLASH, "/"), ",": (COMMA, ","), ";": (COMMA, ";"), "^": (SUP, "^"), "_": (SUB, "_"), "\\sp": (SUP, "^"), "\\sb": (SUB, "_"),
        "{": (LBRACE, "{"), "}": (RBRACE, "}"), "\\bgroup": (LBRACE, "{"), "\\egroup": (RBRACE, "}"), "\\sqrt": (SQRT, ""),
        "\\left": (LEFT, ""), "\\right": (RIGHT, ""), "\\middle": (MIDDLE, ""), "&": (CELL, "&"), "\\\\": (ROW, "\\\\"), "\\cr": (ROW, "\\\\"),
        "\\tabularnewline": (ROW, "\\\\"), "\\newline": (ROW, "\\\\"), "\\not": (NOT, ""), "\\pmod": (MOD, ""), "\\pod": (MOD, ""),
        "\\stackrel": (STACK, "over"), "\\overset": (STACK, "over"), "\\underset": (STACK, "under"), "\\xrightarrow": (ARROW, "→"),
        "\\xleftarrow": (ARROW, "←"), "\\xrightleftharpoons": (ARROW, "⇌"), "\\xleftrightarrow": (ARROW, "↔"), "\\xRightarrow": (ARROW, "⇒"),
        "\\xlongequal": (ARROW, "="), "\\xhookrightarrow": (ARROW, "↪"), "\\sideset": (PRESCRIPT, "side"), "\\prescript": (PRESCRIPT, "pre"),
        "\\rule": (RULE, ""), "\\textcolor": (LABELLED, ""), "\\": (SYMBOL, "~\\"), "\\mathstrut": (SYMBOL, ""), ".": (SYMBOL, ""), "": (EOF, ""),
        "\\slash": (SLASH, "/"), "∕": (SLASH, "/"), "\\comma": (COMMA, ","), "′": (PRIME, "'"), "″": (PRIME, "''"), "\\colorbox": (LABELLED, ""),
    })  # fmt: skip
    return table


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
_COMMANDS_TO_REWRITE = NAMES | TOKENS
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
    return _tokens(tex, respelled_commands)


def _tokens(given: str, respell: Callable[[str], str] | None) -> list[str]:
    tex = respelled(given)
    if "\\big" in tex or "\\Big" in tex:
        tex = _BIG_IN_BRACES.sub(r" \1 ", tex)
    if "mod" in tex:
        tex = _MOD_IN_BRACES.sub(r" \1 ", tex)
    if "\\hspace" in tex:
        tex = _WIDTH.sub(lambda m: r"\quad " if float(m[1]) * _EM[m[2]] >= 1 else m[0], tex)
    if italic := _ITALIC_NUMBER.match(tex):
        tex = f"\\mathrm{{{italic['name']}}}{tex[italic.end() :]}"
    if "N_" in tex:
        tex = _LABELLED_NUMBER.sub(lambda m: f"\\mathrm{{{next(filter(None, m.groups()))}}}", tex)
    if "$" in tex:
        tex = _DOLLAR.sub(" ", _BOX.sub(_open_box, tex))
    if "\\Re" in tex or "\\Im" in tex:
        tex = _PART.sub(r"\\operatorname{\1}", tex)
    tex = _RAISED.sub(lambda found: f"^{{{found[0].translate(_ON_THE_LINE)}}}", tex) if not tex.isascii() else tex
    if SPELLED.search(tex):
        tex = with_one_spelling(tex)
    tokens: list[str] = TOKEN.findall(tex)
    if not _COMMANDS_TO_REWRITE.isdisjoint(tokens):
        if respell and (other := respell(given)) != given:
            return _tokens(other, None)
        tokens = with_expanded_macros(tokens)
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


def _open_box(box: re.Match[str]) -> str:
    """Return a box of text as its words and its mathematics in turn; without words it is a group, in which its styles hold."""
    parts = _DOLLAR.split(box[1])
    if all(map(_COMMANDS.fullmatch, parts[::2])):
        return f"{{{' '.join(parts)}}}"
    return " ".join(part if n % 2 or not part.strip() else f"\\text{{{part}}}" for n, part in enumerate(parts))


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
        if kind == BAR:
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
        elif kind in (COMMA, CELL, ROW):
            stack[-1] = {} if kind != COMMA else stack[-1]
    return partner


_DOWN = frozenset([LBRACE, OPEN, LEFT, BEGIN])
_UP = frozenset([RBRACE, CLOSE, RIGHT, END])
