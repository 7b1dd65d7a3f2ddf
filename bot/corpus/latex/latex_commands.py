"""What the scanner knows of LaTeX's own commands and environments, from latex_commands.toml; numbers and units of siunitx to plain TeX."""

import re
import tomllib
from collections.abc import Callable
from importlib import resources

from bot.formula.tex.symbols import LETTERS

_FILE = tomllib.loads(resources.files(__package__).joinpath("latex_commands.toml").read_text(encoding="utf-8"))


def _words_of_file(name: str) -> frozenset[str]:
    return frozenset(_FILE[name].split())


def _table(name: str) -> dict[str, str]:
    """Return word -> the key under which a table of the file has it."""
    return {word: key for key, words in _FILE[name].items() for word in words.split()}


SINGLE, ALIGNED, ARRAYED, GATHERED, JOINED = map(_words_of_file, ("single", "aligned", "arrayed", "gathered", "joined"))
ROWS = ALIGNED | ARRAYED | GATHERED | JOINED
DISPLAYED = SINGLE | ROWS
COUNTED, OPAQUE, BOOKS = _words_of_file("counted"), _words_of_file("opaque"), _words_of_file("books")
ENVIRONMENTS, TABLES = _table("environments"), _table("tables")
EXAMPLE_WORDS, EXERCISE_WORDS, THEOREMS = map(_words_of_file, ("example_words", "exercise_words", "theorems"))
ARGUMENTS, CITING = _table("arguments"), _words_of_file("citing")
EMPHASISED, SWITCHES = _table("emphasised"), _words_of_file("switches")
HEADINGS = {word: int(level) for word, level in _table("headings").items()}
VALUED, TOKEN_LISTS, REGISTERS = map(_words_of_file, ("valued", "token_lists", "registers"))
RUN_IN = _words_of_file("headings_run_in")
SYMBOLS, ACCENTS, LANGUAGES = _table("symbols"), _table("accents"), _table("languages")
NOT_MATHEMATICS, WORDS, AS_WORDS = _table("not_mathematics"), _table("words"), _table("as_words")
ARITY = {word: int(arguments) for word, arguments in _table("arity").items()}
_UNITS, _PREFIXES = _table("units"), _table("prefixes")
_DECLARED = re.compile(r"\s*\\(?:ensuremath|text|textrm|mathrm)\s*\{(.*)\}\s*", re.S)
_COMMAND = re.compile(r"\\([A-Za-z]+)")
_OF_UNITS = frozenset("per square cubic squared cubed tothe raiseto".split())
QUANTITIES = frozenset(
    "SI si num qty unit ang SIrange qtyrange numrange SIlist qtylist numlist qtyproduct numproduct".split()
)  # of siunitx and units
UNITS = frozenset(["si", "unit"])
WITH_UNIT = QUANTITIES - {"num", "ang", "numrange", "numlist", "numproduct"}
_PRINTED = re.compile(
    r"\\mathrm\{([^{}]*)\}|\\(times|pm|mu|Omega|circ|odot|oplus|AA|%|,)(?![A-Za-z])\s?|\{\}(\^(?=\\circ))?"
)
_POWERS = {"square": "2", "cubic": "3"}
_POWERS_BEHIND = {"squared": "^{2}", "cubed": "^{3}", "tothe": "^"}
_SIGNS = {
    "times": "×",
    "pm": "±",
    "mu": "µ",
    "Omega": "Ω",
    "circ": "°",
    "odot": "⊙",
    "oplus": "⊕",
    "AA": "Å",
    "%": "%",
    ",": " ",
}
_NUMBER = re.compile(
    r"\s*(?P<sign>[+-]|\\pm\s*)?\s*(?P<digits>[\d.,\s]*)(?:\((?P<doubt>\d+)\))?(?:\s*(?:\\pm|\+-)\s*(?P<error>[\d.,]+))?(?:[eEdD]\s*(?P<power>[+-]?\d+))?\s*"
)
_FRACTION = re.compile(r"\\[dt]?frac\s*" + r"\{((?:[^{}]|\{[^{}]*\})*)\}\s*" * 2)
_UNIT_TOKEN = re.compile(
    r"(?P<printed>\\(?:mathrm|text|textrm|mathup)\s*\{[^{}]*\}|\\(?:cdot|times|circ)(?![A-Za-z])|\\[^A-Za-z\s])"
    r"|\\(?P<name>[A-Za-z]+)|(?P<letters>[A-Za-z]+)|\s+|(?P<sign>[^\\\s])"
)


def number(text: str) -> str:
    """Return a number: `1.5e8` as 1.5\\times 10^{8}; anything else as it is."""
    found = _NUMBER.fullmatch(text)
    if not found or not (found["digits"].strip() or found["power"]):
        return text
    digits = re.sub(r"\s", "", found["digits"]).replace(",", ".")
    value = (found["sign"] or "").strip() + digits
    if found["error"]:
        value += rf"\pm {found['error'].replace(',', '.')}"
    if not found["power"]:
        return value
    power = f"10^{{{found['power'].removeprefix('+')}}}"
    if found["error"]:
        value = f"({value})"
    return rf"{value}\times {power}" if digits else value + power


def numbers(text: str, command: str) -> str:
    """Return the argument of a command of siunitx: a number, a list as 1, 2 or a product as 1\\times 2."""
    if command.endswith("list"):
        return ", ".join(map(number, text.split(";")))
    return r"\times ".join(map(number, text.split("x"))) if command.endswith("product") else number(text)


def is_unit(name: str) -> bool:
    """Tell whether siunitx has a unit of this name."""
    return name in _UNITS


def _declared_symbol(body: str) -> str:
    """Return the symbol of a unit that an author declares: letters, other units or mathematics."""
    found = _DECLARED.fullmatch(body)
    inside = found[1] if found else body.strip()
    names = _COMMAND.findall(inside)
    of_units = names and all(name in _UNITS or name in _PREFIXES or name in _OF_UNITS for name in names)
    return unit(inside) if of_units else inside


def unit(text: str, declared: Callable[[str], str | None] = lambda name: None) -> str:
    """Return a unit: `\\metre\\per\\square\\second` and `m/s^{2}` as \\mathrm{m}/\\mathrm{s}^{2}; `declared` gives what an author's own unit is."""
    if found := _FRACTION.search(text):
        before, behind = text[: found.start()], text[found.end() :]
        return rf"{unit(before, declared)}\frac{{{unit(found[1], declared)}}}{{{unit(found[2], declared)}}}{unit(behind, declared)}"
    out: list[str] = []
    prefix = power = ""
    per = False
    for token in _UNIT_TOKEN.finditer(text):
        name = token["name"]
        if name is None:
            if token["letters"]:
                out.append(rf"\mathrm{{{token['letters']}}}")
            elif sign := token["printed"] or token["sign"]:
                out.append({"~": r"\,", ".": r"\,"}.get(sign, sign))
            continue
        if name in _PREFIXES:
            prefix = _PREFIXES[name]
        elif name == "per":
            per = True
        elif name in _POWERS:
            power = _POWERS[name]
        elif name in _POWERS_BEHIND:
            out.append(_POWERS_BEHIND[name])
        elif name not in ("raiseto", "highlight", "of"):
            body = declared(name)
            letter = f"\\{name}" if f"\\{name}" in LETTERS else name
            symbol = _UNITS.get(name, letter) if body is None else _declared_symbol(body)
            plain = symbol.isalpha() and symbol.isascii()
            if prefix == r"\mu":
                tex = rf"\mu\mathrm{{{symbol}}}"
            elif plain:
                tex = rf"\mathrm{{{prefix}{symbol}}}"
            else:
                tex = (rf"\mathrm{{{prefix}}}" if prefix else "") + symbol
            between = "/" if per else r"\," if out else ""
            out.append(between + tex + (f"^{{{power}}}" if power else ""))
            prefix = power = ""
            per = False
    return "".join(out)


def printed(tex: str) -> str:
    """Return a number with its unit as running text: `10\\,\\mathrm{m}/\\mathrm{s}^{2}` as 10 m/s^2."""
    text = _PRINTED.sub(lambda found: found[1] if found[1] is not None else _SIGNS.get(found[2] or "", ""), tex)
    text = re.sub(r"\^\{(-?\d+)\}", r"^\1", text)
    return re.sub(r"\\frac\{([^{}]*)\}\{([^{}]*)\}", r"\1/\2", text)
