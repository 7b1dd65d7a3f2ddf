r"""Numbers with their units as they are typed: decimal commas, 1.4e-23, \SI{8.3}{\joule\per\mole}, \mathrm{J/(mol\,K)}, each as factors with exponents."""

import re
from collections.abc import Sequence

from bot.formula.tex.spelling.groups import with_commands
from bot.formula.tex.symbols import FUNCTIONS

_PREFIXES = dict(
    zip(
        "yocto zepto atto femto pico nano micro milli centi deci deca hecto kilo mega giga tera peta exa".split(),
        "y z a f p n μ m c d da h k M G T P E".split(),
        strict=True,
    )
)
_NAMED = {
    "metre": "m", "meter": "m", "second": "s", "gram": "g", "kilogram": "kg", "ampere": "A", "kelvin": "K", "mole": "mol", "candela": "cd", "hertz": "Hz",
    "newton": "N", "pascal": "Pa", "joule": "J", "watt": "W", "coulomb": "C", "volt": "V", "farad": "F", "ohm": "\\Omega", "siemens": "S", "weber": "Wb",
    "tesla": "T", "henry": "H", "lumen": "lm", "lux": "lx", "becquerel": "Bq", "gray": "Gy", "sievert": "Sv", "litre": "L", "liter": "L", "minute": "min",
    "hour": "h", "day": "d", "electronvolt": "eV", "dalton": "Da", "bar": "bar", "tonne": "t", "percent": "\\%", "Omega": "\\Omega", "angstrom": "Å",
}  # fmt: skip
_SYMBOLS = frozenset(
    "m s g A K mol cd Hz N Pa J W C V F Ω S Wb T H lm lx Bq Gy Sv L l min h eV Da bar t cal atm u".split()
)
_PREFIXED = frozenset(prefix + symbol for prefix in (*_PREFIXES.values(), "") for symbol in _SYMBOLS)
UNITS = frozenset(f"%{name}" for name in _PREFIXED if len(name) > 1 and name not in FUNCTIONS)  # as upright names
_BEFORE, _SUFFIXES = {"square": 2, "cubic": 3}, {"squared": "2", "cubed": "3"}
_VALUE = re.compile(r"\\(SI|qty)(?![A-Za-z])(?:\s*\[[^\[\]]*\])?(?=\s*\{)")
_PART = re.compile(r"\\(si|unit|num)(?![A-Za-z])(?:\s*\[[^\[\]]*\])?(?=\s*\{)")
_PIECE = re.compile(
    r"\\([A-Za-z]+)\s*(?:\{([^{}]*)\})?|([A-Za-zμ]+)|(/)|\^\s*(?:\{\s*([+-]?[0-9]+)\s*\}|([0-9]))|([().~\s]|\\[,;:! ])"
)
_DECIMALS = re.compile(r"([0-9.]+)(?:\(([0-9]+)\))?(?:[eE]([+-]?[0-9]+))?")
_SPACE = r"(?:\s|~|\\[,;:! ])*"
_UNITS = re.compile(
    rf"(?P<number>(?:[0-9]|10\s*\^\s*(?:\{{[^{{}}]*\}}|[0-9])){_SPACE})\\mathrm\s*\{{(?P<units>(?:[^{{}}]|\{{[^{{}}]*\}})*)\}}"
)
_UPRIGHT_EXPONENT = re.compile(
    r"(?<=[0-9])\s*(?:\\(?:mathrm|text|rm)\s*\{\s*[eE]\s*\}\s*\{\s*([+-]?[0-9]+)\s*\}|\\(?:mathrm|text)\s*\{\s*[eE]\s*([+-]?[0-9]+)\s*\})"
)
_TYPED_EXPONENT = re.compile(r"(?<![\w.])([0-9]\.[0-9]+)(?:E([+-]?[0-9]+)|e([+-][0-9]{2}))(?![0-9.])")
_SCIENTIFIC = re.compile(rf"(?<![0-9.}}])([0-9])\{{,\}}([0-9]{{3}})(?={_SPACE}\\(?:times|cdot){_SPACE}10\s*\^)")
_BELOW_ONE = re.compile(r"(?<![0-9}])0\{,\}[0-9]")
_POINT = re.compile(r"[0-9]\.[0-9]")
_COMMA = re.compile(r"(?<=[0-9])\{,\}(?=[0-9])")
_WIDTH = re.compile(r"\\hspace\*?\s*\{\s*([0-9]*\.?[0-9]+)\s*(pt|bp|mm|cm|in|pc|ex|em|mu)\s*\}")
# The lengths of TeX in points, in type of ten points.
POINTS = {"pt": 1.0, "bp": 1.0, "mm": 2.8, "cm": 28.0, "in": 72.0, "pc": 12.0, "ex": 4.3, "em": 10.0, "mu": 10 / 18}
# Dimensionless numbers by two letters as some write them: Re = ρvL/μ in italics, N_{Re}.
_NAMED_NUMBER = "Bi|Bo|Da|De|Ec|Ek|Eu|Fo|Fr|Gr|Gz|Ha|Ja|Kn|Le|Mo|Nu|Oh|Pe|Pr|Re|Ri|Ro|Sc|Sh|St|We|Wi|Wo"
ITALIC_NUMBER = re.compile(
    rf"\A\s*(?P<name>(?P<letter>[A-Z])[a-z])(?<=(?:{_NAMED_NUMBER}))(?=\s*(?:=|:=|\\(?:equiv|approx|sim|triangleq)(?![a-z])))(?!.*(?<![A-Za-z\\])(?P=letter)(?![A-Za-z]))",
    re.S,
)
_LABELLED_NUMBER = re.compile(
    rf"(?<![A-Za-z\\])N_(?:\{{\s*({_NAMED_NUMBER})\s*\}}|\{{\s*\\(?:mathrm|text|mathit)\s*\{{({_NAMED_NUMBER})\}}\s*\}}|\{{\s*\\rm\s+({_NAMED_NUMBER})\s*\}}|\\(?:mathrm|text)\{{({_NAMED_NUMBER})\}})"
)


def with_decimal_points(tex: str) -> str:
    """Return the formula with commas in braces as decimal points where they cannot part thousands: before a power of ten, or beside 0{,}5."""
    if _BELOW_ONE.search(tex) and not _POINT.search(tex):
        return _COMMA.sub(".", tex)
    return _SCIENTIFIC.sub(r"\1.\2", tex)


def with_powers_of_ten(tex: str) -> str:
    r"""Return the formula with 1.4\mathrm{e}{-23} and 1.4E-23 as numbers with a power of ten."""
    tex = _UPRIGHT_EXPONENT.sub(lambda found: f"\\times10^{{{found[1] or found[2]}}}", tex)
    return _TYPED_EXPONENT.sub(lambda found: f"{found[1]}\\times10^{{{found[2] or found[3]}}}", tex)


def with_siunitx(tex: str) -> str:
    r"""Return the formula with \SI{8.3}{\joule\per\mole} and the like of siunitx as numbers and units."""

    def value(found: re.Match[str], groups: Sequence[str]) -> str | None:
        if len(groups) < 2 or (number := _number(groups[0])) is None or (units := _units(groups[1])) is None:
            return None
        return f"{number}\\ {units}"

    def part(found: re.Match[str], groups: Sequence[str]) -> str | None:
        return (_number if found[1] == "num" else _units)(groups[0]) if groups else None

    return with_commands(with_commands(tex, _VALUE, 2, value), _PART, 1, part)


def with_units(tex: str) -> str:
    r"""Return the formula with upright units behind a number, \mathrm{J/(mol\,K)} and \mathrm{m\,s^{-1}}, each with its exponent."""

    def separated(found: re.Match[str]) -> str:
        inner = found["units"]
        if inner.isalpha() or not (units := _units(inner)):
            return found[0]
        return found["number"] + units

    return _UNITS.sub(separated, tex)


def with_wide_spaces(tex: str) -> str:
    r"""Return the formula with each \hspace of an em or more as \quad."""
    return _WIDTH.sub(lambda found: r"\quad " if float(found[1]) * POINTS[found[2]] >= POINTS["em"] else found[0], tex)


def with_italic_number(tex: str) -> str:
    """Return a formula of a dimensionless number that is written in italics, Re = ρvL/μ, with its upright name."""
    return ITALIC_NUMBER.sub(r"\\mathrm{\g<name>}", tex)


def with_labelled_numbers(tex: str) -> str:
    """Return the formula with dimensionless numbers by their labels, N_{Re}, as upright names."""
    return _LABELLED_NUMBER.sub(lambda found: f"\\mathrm{{{next(filter(None, found.groups()))}}}", tex)


def _number(text: str) -> str | None:
    found = _DECIMALS.fullmatch(text.replace(" ", "").replace(",", "."))
    if not found:
        return None
    unsure = f"({found[2]})" if found[2] else ""
    return found[1] + unsure + (f"\\times10^{{{int(found[3])}}}" if found[3] else "")


def _units(text: str) -> str | None:
    """Return units as factors, each upright with its exponent; None if something else is among them."""
    units: list[tuple[str, int, bool]] = []  # with its exponent, and whether it is below a slash
    prefix, power = "", 1
    below = False
    at = depth = 0
    while at < len(text):
        piece = _PIECE.match(text, at)
        if not piece:
            return None
        at = piece.end()
        command, argument, symbol, slash, exponent, digit, gap = piece.groups()
        raised = exponent or digit or (argument if command in ("tothe", "raiseto") else _SUFFIXES.get(command))
        if raised and units and raised.lstrip("-").isdecimal():
            unit, before, is_below = units.pop()
            units.append((unit, before * int(raised), is_below))
        elif command in _PREFIXES:
            prefix = _PREFIXES[command]
        elif command in _BEFORE:
            power = _BEFORE[command]
        elif command in _NAMED or symbol in _PREFIXED:
            units.append((symbol or prefix + _NAMED[command], power, below))
            prefix, power = "", 1
            below = below and depth > 0
        elif slash or command == "per":
            below = True
        elif gap:
            depth += (gap == "(") - (gap == ")")
            below = below and gap != ")"
        elif command != "cdot":
            return None
    if not units or depth or prefix:
        return None
    written = [
        ("/" if is_below else "\\,") + f"\\mathrm{{{unit}}}" + (f"^{{{power}}}" if power != 1 else "")
        for unit, power, is_below in units
    ]
    product = ("1" if units[0][2] else "") + "".join(written).removeprefix("\\,")
    return f"{{{product}}}" if any(is_below for *_, is_below in units) else product
