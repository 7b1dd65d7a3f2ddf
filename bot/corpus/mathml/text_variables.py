r"""Variables that a writer of MathML set as text (`\text{mv}^{2}`, `\text{r}\omega`): which letters these are, the rest of the document tells."""

import re
import string
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain

_SUBSCRIPT = r"_(?:\{(?:[^{}]|\{[^{}]*\})*\}|\w)"
# What holds no bare letter: words, scripts below, commands, and the e of exponentials.
_NO_VARIABLE = re.compile(rf"\\(?:text|mathrm|operatorname)\{{[^{{}}]*\}}|{_SUBSCRIPT}|\\[A-Za-z]+|e(?<![A-Za-z]e)\^")
_LETTERS = frozenset(string.ascii_letters)
_SCRIPTS_BELOW = re.compile(_SUBSCRIPT)
_PIECE = re.compile(r"\\(?:text|mathrm)\{([^{}]*)\}")
_WORD = re.compile(r"\\text\{([A-Za-z]{1,4})\}|\\mathrm\{([A-Za-z]{2,4})\}")
_STATES = re.compile(r"[=<>]|\\(?:propto|approx|leq|geq|equiv)(?![A-Za-z])")
# Measured numbers, reactions, nuclides, charges, elements with a number, degrees: there, letters set as text are units and elements.
_NO_VARIABLES = re.compile(
    r"\d\.|\d(?:\\[,; ])?\\text\{|10\^|\\(?:long)?(?:left)?(?:right)?(?:arrow|harpoons)|\\to(?![a-z])|^\{\}|\{\}[\^_]"
    r"|\^\{[^{}]*[+-]\}|\\text\{[A-Z][a-z]?\}_\{?\d|\\(?:circ|degree)(?![a-z])"
)
_UNIT = re.compile(
    r"\d|\b(?:[kcmnµ]?m|k?g|m?s|k?N|[kM]?J|[kM]?W|m?[CFT]|[kMG]?eV|k?Pa|[kM]?Hz|mol|min|hr?|rad|atm|rem|L|K)\b"
)
_SPACE_BEFORE, _SPACE_AFTER = re.compile(r"(?:\\[,;: ]|\\q?quad|\s)\Z"), re.compile(r"\\[,;: ]|\\q?quad|\s")
_COMMAND_BEFORE = re.compile(r"\\[A-Za-z]+\Z")
_MIN_FORMULAS = 3  # formulas with each letter of a word in capitals, which may as well be an abbreviation (KE, SSR)


def text_variable_counts(texs: Iterable[str]) -> Counter[str]:
    """Return the number of formulas of a document in which each letter is a variable."""
    return Counter(chain.from_iterable(_LETTERS.intersection(_NO_VARIABLE.sub(" ", tex)) for tex in texs))


def with_variables(tex: str, counts: Mapping[str, int]) -> str:
    """Return a formula with words of up to four letters as products of variables, where the document uses each of the letters as one."""
    if "\\text{" not in tex and "\\mathrm{" not in tex:
        return tex
    if not _STATES.search(tex) or not any(_are_variables(one or other, counts) for one, other in _WORD.findall(tex)):
        return tex
    if _NO_VARIABLES.search(tex):
        return tex
    subscripts = _spans(tex)

    def product(found: re.Match[str]) -> str:
        letters, before = found[1] or found[2], tex[: found.start()]
        if not _are_variables(letters, counts) or any(start <= found.start() < end for start, end in subscripts):
            return found[0]
        if _SPACE_BEFORE.search(before) or _SPACE_AFTER.match(tex, found.end()):
            return found[0]
        return (" " if _COMMAND_BEFORE.search(before) else "") + letters

    written = _WORD.sub(product, tex)
    left = (piece for piece in _PIECE.finditer(written) if not any(a <= piece.start() < b for a, b in _spans(written)))
    return tex if any(_UNIT.search(piece[1]) for piece in left) else written


def _spans(tex: str) -> list[tuple[int, int]]:
    return [script.span() for script in _SCRIPTS_BELOW.finditer(tex)]


def _are_variables(letters: str, counts: Mapping[str, int]) -> bool:
    if _UNIT.fullmatch(letters) and len(letters) > 1:
        return False
    if len(letters) == 4 and (letters[1:].islower() or letters.isupper()):
        return False
    least = _MIN_FORMULAS if len(letters) > 1 and letters.isupper() else 1
    return all(counts.get(letter, 0) >= least for letter in letters)
