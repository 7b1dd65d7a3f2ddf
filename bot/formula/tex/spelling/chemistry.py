r"""Chemical formulas: \ce{2H2 + O2 -> 2H2O} and \mathrm{2Na + Cl_2 \to 2NaCl} with each element upright and its number below it."""

import re

from bot.formula.tex.spelling.groups import with_commands

_ONE_LETTER = "H B C N O F P S K V Y I W U".split()
_TWO_LETTERS = (
    "He Li Be Ne Na Mg Al Si Cl Ar Ca Sc Ti Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br Kr Rb Sr Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te Xe Cs Ba La Ce Pr "
    "Nd Pm Sm Eu Gd Tb Dy Ho Er Tm Yb Lu Hf Ta Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa Np Pu Am Cm"
).split()
_ELEMENT = f"(?:{'|'.join([*_TWO_LETTERS, *_ONE_LETTER])})"
_NAME = re.compile(_ELEMENT)
_SCRIPTS = r"(?:_(?:[0-9n]|\{[0-9a-z+-]+\}))?(?:\^(?:[-+]|\{[0-9]*[-+]+\}))?"
# As it is set by hand: elements with numbers below and charges above.
_SET = re.compile(rf"(?:{_ELEMENT}{_SCRIPTS}|[()\[\]]{_SCRIPTS})+")
_BETWEEN = re.compile(
    r"(\s+|\\[,;:! ]|~|(?<!\^)\+(?!\+*\})|=|\\(?:long)?rightarrow(?![A-Za-z])|\\to(?![A-Za-z])|\\rightleftharpoons(?![A-Za-z])|(?<![_^A-Za-z0-9{])[0-9]+(?=[A-Z(\[]))"
)
_UPRIGHT = re.compile(r"\\mathrm\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
# As mhchem reads it.
_CE = re.compile(r"\\ce(?=\s*\{)")
_TYPED = re.compile(
    rf"(?P<name>{_ELEMENT}|[A-Z])|(?P<electron>e(?=[-^]))|(?P<fence>[()\[\]])|(?P<number>[0-9]+)|\^\{{?(?P<charge>[0-9]*[-+]+)\}}?|\^\{{?(?P<mass>[0-9]+)\}}?"
    r"|_\{?(?P<below>[0-9n]+)\}?|(?P<sign>[-+])$|(?P<star>[*.])"
)
_ARROWS = {
    "->": "\\rightarrow",
    "<-": "\\leftarrow",
    "<=>": "\\rightleftharpoons",
    "<->": "\\leftrightarrow",
    "+": "+",
    "=": "=",
    "v": "\\downarrow",
    "^": "\\uparrow",
}
_STATE = re.compile(r"\((aq|g|l|s)\)")
_COEFFICIENT = re.compile(r"[0-9]+(?:\.[0-9]+)?(?=[A-Z(\[e]|$)|([0-9]+)/([0-9]+)(?=[A-Z(\[]|$)")


def with_chemistry(tex: str) -> str:
    r"""Return the formula with \ce{…} of mhchem as it is set by hand; one with more than plain formulas and arrows stays."""
    return with_commands(tex, _CE, 1, lambda _, groups: _typed(groups[0]) if groups else None)


def with_elements(tex: str) -> str:
    r"""Return the formula with elements in one upright group each upright: \mathrm{Na_2O} has no a."""
    return _UPRIGHT.sub(lambda found: _set_by_hand(found[1]) or found[0], tex)


def _set_by_hand(body: str) -> str:
    if "_" not in body and "^" not in body:
        return ""
    pieces = _BETWEEN.split(body)  # compounds and what is between them in turn
    compounds = [piece for piece in pieces[::2] if piece]
    if not all(map(_SET.fullmatch, compounds)):
        return ""
    if not any(len(name) > 1 for compound in compounds for name in _NAME.findall(compound)):
        return ""
    return " ".join(piece if at % 2 or not piece else _compound(piece) for at, piece in enumerate(pieces))


def _compound(piece: str) -> str:
    if piece.isalpha():
        return f"\\mathrm{{{piece}}}"
    upright = _NAME.sub(lambda found: f"\\mathrm{{{found[0]}}}", piece)
    return re.sub(r"\^\{([-+]{2,})\}", lambda found: f"^{{{len(found[1])}{found[1][0]}}}", upright)


def _typed(body: str) -> str | None:
    out: list[str] = []
    for word in body.split():
        if word in _ARROWS:
            out.append(_ARROWS[word])
            continue
        state = _STATE.search(word)
        if state and state.end() == len(word):
            word = word[: state.start()]
        if coefficient := _COEFFICIENT.match(word):
            above, below = coefficient.groups()
            out.append(f"\\frac{{{above}}}{{{below}}}" if above else coefficient[0])
            word = word[coefficient.end() :]
        written = _typed_compound(word)
        if written is None:
            return None
        out.append(written + (f"(\\mathrm{{{state[1]}}})" if state else ""))
    return " ".join(out)


def _typed_compound(word: str) -> str | None:
    if word.isalpha() and re.fullmatch(f"{_ELEMENT}+", word):
        return f"\\mathrm{{{word}}}"
    out: list[str] = []
    at = 0
    while at < len(word):
        found = _TYPED.match(word, at)
        if not found or (found["sign"] and not out):
            return None
        at = found.end()
        if found["name"]:
            out.append(f"\\mathrm{{{found['name']}}}")
        elif found[0] == "[" and (end := word.find("]", at)) > 0:  # a concentration, or a complex
            inner = _typed_compound(word[at:end])
            if inner is None:
                return None
            out.append(f"[{inner}")
            at = end
        elif found["electron"] or found["fence"]:
            out.append(found[0])
        elif found["charge"] or found["sign"]:
            out.append(f"^{{{found['charge'] or found['sign']}}}")
        elif found["mass"]:
            out.append(f"{'' if out else '{}'}^{{{found['mass']}}}")
        elif found["below"] or (found["number"] and out):
            out.append(f"_{{{found['below'] or found['number']}}}")
        elif found["star"]:
            out.append("\\cdot ")
        else:
            return None
    return "".join(out)
