"""Spellings of a source that an editor would not copy: function names typed as products of letters, another macro's name, marks of layout in the formula.

What is written then is what the source means; where that is not certain, the spelling stays.
"""

import re
from functools import lru_cache

from bot.formula import check
from bot.formula.validity.repair_words import GROUP

_BOX = r"\\(?:text[a-z]*|[mh]box|math[a-z]+|operatorname\*?|boldsymbol|bold|bm|begin|end)\s*\{[^{}]*\}"
_LETTERS = re.compile(rf"{_BOX}|\\[A-Za-z]+|(?P<run>[A-Za-z]{{2,}})")
_ELEMENTARY = r"sinh|cosh|tanh|coth|sin|cos|tan|cot|sec|csc|log|exp"
# Up to two letters may stand before one: i sin(x). One that ends in a may be an inverse: asin
_FUNCTION = re.compile(
    rf"(?P<before>(?:[A-Za-z]?[B-Zb-z])?)(?P<name>{_ELEMENTARY})|(?P<alone>arc(?:sin|cos|tan)|det|max|min|lim|ln)"
)
_OPERATOR = re.compile(r"Var|Cov|rank|diag|sgn|argmax|argmin")
_SCRIPT = r"(?:\s*[_^]\s*(?:\{[^{}]*\}|\d|[A-Za-z]|\\[A-Za-z]+))"
_BRACKET = re.compile(rf"{_SCRIPT}*\s*(?:\\left\s*)?[(\[]")
_ARGUMENT = re.compile(
    rf"{_BRACKET.pattern}|{_SCRIPT}?(?:\s*\\(?:[a-z]*frac|alpha|beta|gamma|theta|varphi|phi|psi|omega|pi|delta|lambda)(?![A-Za-z])|\s+[A-Za-z](?![A-Za-z]))"
)
_OVER = re.compile(r"\s*_")  # max over x
_MATHOP = re.compile(r"\\mathop\s*\{\s*(max|min|lim|sup|inf)\s*\}(?![A-Za-z])")
_LARGE = r"\\(?:sum|prod|i*int|oint|bigcup|bigcap|lim)(?![A-Za-z])\s*(?:\\(?:no)?limits)?"
_INFIMUM = re.compile(
    rf"(?P<before>{_LARGE}\s*(?:[_^]\s*(?:\{{[^{{}}]*\}}|[A-Za-z0-9])\s*)?[_^]\s*(?:\{{[^{{}}]*)?|\\(?:to|rightarrow)\s*[-+]?\s*)\\inf(?=\s*(?:\}}|\)|\Z)|(?<=[_^]\\inf)(?![A-Za-z]))"
)
_DIFFERENTIAL = re.compile(r"(\\[A-Za-z]+)?(?:\\mathbb\s*\{\s*d\s*\}|\\text\s*\{\s*đ\s*\}|đ)\s*")
_QUOTIENT = re.compile(rf"\\[dt]?frac\s*{GROUP}\s*{GROUP}")
_INTEGRAL = re.compile(r"(?P<sign>\\i*int|\\oint)(?![A-Za-z])(?P<before>.*?)\\mathbb\s*\{\s*d\s*\}\s*", re.S)
_VECTOR = r"\\(?:mathbf|boldsymbol|bm|vec)\s*(?:\{(?:[A-Za-z]|\\[A-Za-z]+)\}|\\[A-Za-z]+|(?<=vec)\s[A-Za-z])"
_VECTORS = re.compile(rf"({_VECTOR}{_SCRIPT}?)\s*(x|\.)\s*(?={_VECTOR})")
_BETWEEN_SUMS = re.compile(r"\)\s*\.\s*(?=\()")
_LONE_X = re.compile(rf"{_BOX}|\\[A-Za-z]+|(x)")
_EVENTS = re.compile(
    rf"(?P<before>(?:\\Pr|(?<![A-Za-z])P|\{{P\}})\s*(?:\\left\s*)?\(\s*[A-Z]{_SCRIPT}?)\s*\\(?:text|mbox|textrm)\s*\{{\s*(?P<word>and|or)\s*\}}\s*(?=[A-Z]{_SCRIPT}?\s*(?:\\right\s*)?\))"
)
_BRACE = re.compile(rf"\\(?:under|over)brace\s*{GROUP}\s*[_^]\s*{GROUP}")
_ANY_BRACE = re.compile(r"\\(?:under|over)brace(?![A-Za-z])")
_REPEATS = re.compile(r"\\[a-z]?dots(?![A-Za-z])|\.\.\.|…")
_LABEL_WORDS = re.compile(r"\\(?:text[a-z]*|[mh]box)\s*\{[^{}]*[A-Za-z]{3}[^{}]*\}")
_COUNTS = re.compile(r"\b(?:times|terms|factors|copies|digits|elements|mal|fois)\b")


@lru_cache(maxsize=20_000)
def respelled(tex: str) -> str:
    """Return a cleaned formula with what its signs mean; the formula itself where nothing is to be mended."""
    text = _MATHOP.sub(r"\\\1", tex)
    text = _LETTERS.sub(_function, text)
    for _ in range(2):  # the lower and the upper bound
        text = _INFIMUM.sub(r"\g<before>\\infty", text)
    text = _differentials(text)
    text = _products_of_vectors(text)
    text = _EVENTS.sub(lambda found: rf"{found['before']}\{'cap' if found['word'] == 'and' else 'cup'} ", text)
    if not _ANY_BRACE.search(without := _BRACE.sub(_without_brace, text)):
        text = without
    return text if text == tex or check(text).valid or not check(tex).valid else tex


def _function(found: re.Match[str]) -> str:
    """Write a run of letters that names a function, and is followed by what it is applied to, as that function."""
    run, text, end = found["run"], found.string, found.end()
    if not run:
        return found[0]
    if _OPERATOR.fullmatch(run) and _BRACKET.match(text, end):
        return rf"\operatorname{{{run}}}"
    function = _FUNCTION.fullmatch(run)
    if not function:
        return run
    if function["name"]:
        applied = bool(_ARGUMENT.match(text, end))
    else:
        over = run in ("max", "min", "lim") and _OVER.match(text, end)
        applied = bool(over or (run != "lim" and _BRACKET.match(text, end)))
    if not applied:
        return run
    return f"{function['before'] or ''}\\{function['name'] or function['alone']}"


def _differentials(tex: str) -> str:
    """Write the differentials of derivatives and integrals plain; the stroke of đ alone marks one that is not exact: it has no quotient."""
    text, n = _INTEGRAL.subn(r"\g<sign>\g<before>\,d", tex)
    while n:
        text, n = _INTEGRAL.subn(r"\g<sign>\g<before>\,d", text)
    quotients = _QUOTIENT.finditer(text)
    if not any(_DIFFERENTIAL.match(each[1].strip()) and _DIFFERENTIAL.match(each[2].strip()) for each in quotients):
        return text
    return _DIFFERENTIAL.sub(lambda found: f"{found[1]} d" if found[1] else "d", text)


def _products_of_vectors(tex: str) -> str:
    r"""Between two vectors a full stop is the sign \cdot, and a letter x that stands nowhere else the sign \times."""
    signs = [found[2] for found in _VECTORS.finditer(tex)]
    only_sign = sum(bool(found[1]) for found in _LONE_X.finditer(tex)) == signs.count("x")

    def product(found: re.Match[str]) -> str:
        if found[2] == ".":
            return rf"{found[1]}\cdot "
        return rf"{found[1]}\times " if only_sign else found[0]

    text = _VECTORS.sub(product, tex)
    return _BETWEEN_SUMS.sub(r")\\cdot ", text) if "." in signs else text


def _without_brace(found: re.Match[str]) -> str:
    """Leave out a brace that says in words what a term is, or that it vanishes here; not one that counts terms."""
    body, label = found[1], found[2]
    if _REPEATS.search(body) or _COUNTS.search(label):
        return found[0]
    vanishes = re.match(r"\s*=", label) and "=" not in found.string[found.end() :]
    return body.strip().rstrip(",") if vanishes or _LABEL_WORDS.search(label) else found[0]
