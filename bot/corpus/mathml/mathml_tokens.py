"""The token elements of MathML (identifiers, numbers, operators, text) as TeX, each spelt by what it is, not by its tag."""

import re
import unicodedata

from bot.formula.validity.unicode_tex import SYMBOLS, symbol

# Names that TeX sets upright by itself. Not max, min, deg: in texts these are labels and units as often.
FUNCTIONS = frozenset(
    "sin cos tan cot sec csc sinh cosh tanh coth arcsin arccos arctan ln log lg exp lim limsup liminf det ker dim gcd arg".split()
)
# Blanks of no width, invisible operators, and the selectors behind a script letter that say which of its faces is meant.
_INVISIBLE = dict.fromkeys([0x200B, 0x200C, 0x200D, *range(0x2060, 0x2065), 0xAD, 0xFEFF, *range(0xFE00, 0xFE10)], None)
_NUMBER = re.compile(r"[-−–]?\d+(?:[.,]\d+)*")
# Characters that stand inside \text as they are; others leave it. Not "-": a minus is not a hyphen.
_IN_TEXT = re.compile(r"[A-Za-z0-9+*,=():/;?.!'` \-]")
_ASCII = {
    "%": r"\%", "$": r"\$", "#": r"\#", "&": r"\&", "_": r"\_", "{": r"\{", "}": r"\}", "\\": r"\backslash", "^": r"\wedge", "~": r"\sim",
    '"': "''", "`": "'", "@": r"\text{(at)}",
}  # fmt: skip
_VARIANTS = {
    "script": "mathcal", "fraktur": "mathfrak", "double-struck": "mathbb", "sans-serif": "mathsf",
    "monospace": "mathtt",
}  # fmt: skip
_MAX_PRODUCT_LENGTH = 3  # letters; more are a word
_PARTS_OF_COMPLEX_NUMBERS = ("Re", "Im")  # set in Fraktur by tradition
_INEXACT_DIFFERENTIAL = "đ"  # no letter of TeX's: a wiki writes dQ or δQ, and others mean any differential by it
_MARKS = dict(
    zip(
        "\u0300\u0301\u0302\u0303\u0304\u0306\u0307\u0308\u030c\u20d7",
        "grave acute hat tilde bar breve dot ddot check vec".split(),
        strict=True,
    )
)  # accents of letters: ĝ
_EDGES = re.compile(r"^([.,;:?!=\s]*)(.*?)([.,;:?!=\s]*)$", re.S)


def token_to_tex(tag: str, text: str, variant: str = "") -> str:
    """Return TeX for one token element in a variant (inherited where it has none of its own); an empty one gives nothing."""
    text = text.translate(_INVISIBLE).replace("’", "'")
    plain = " ".join(text.split())
    if not plain:
        return ""
    if _NUMBER.fullmatch(plain):
        return _styled(number_to_tex(plain), "bold" if "bold" in variant else "")
    if plain in FUNCTIONS:
        return f"\\{plain}"
    if plain.isascii() and plain.isalpha() and len(plain) > 1:
        is_product = tag == "mtext" and len(plain) <= _MAX_PRODUCT_LENGTH and plain[0].isupper()  # of matrices
        if variant in _VARIANTS and plain not in _PARTS_OF_COMPLEX_NUMBERS and (tag == "mi" or is_product):
            return _styled(plain, variant)
        if variant == "bold" and is_product:
            return _styled(plain, variant)
        if tag == "mi":
            return _styled(f"\\mathrm{{{plain}}}", "bold" if "bold" in variant else "")
    if tag == "mi" and (accented := _accented(plain, variant)):
        return accented
    if len(plain) == 1:
        return _one_character(tag, plain, variant)
    return _text(text)


def _accented(text: str, variant: str) -> str:
    """Return a letter that is one character with its accent, as ĝ; "" for anything else, and for é and others of which words are made."""
    parts = unicodedata.normalize("NFD", text)
    letter, macro = parts[:1], _MARKS.get(parts[1:], "")
    is_common = max(unicodedata.normalize("NFC", text)) < "\u0100" and macro != "hat"
    if not macro or not letter.isalpha() or is_common:
        return ""
    return f"\\{macro}{{{_one_character('mi', letter, variant)}}}"


def number_to_tex(text: str) -> str:
    """Return a number; a comma between digits is a mark of thousands, not a list."""
    plain = unicodedata.normalize("NFKC", re.sub("[−–]", "-", text))  # 𝟏 and the like
    return re.sub(r"(?<=\d),(?=\d)", "{,}", plain)


def _one_character(tag: str, character: str, variant: str) -> str:
    if character == _INEXACT_DIFFERENTIAL:
        return "d"
    if not character.isalnum() or tag == "mo":
        return character_to_tex(character)
    if tag == "mtext" and character.isascii() and "bold" not in variant:
        return character if "italic" in variant else f"\\text{{{character}}}"
    return _styled(character_to_tex(character), variant)


def _text(text: str) -> str:
    if not any(character.isalpha() for character in text):
        return _characters_to_tex(text)
    found = _EDGES.match(text)
    lead, body, tail = found.groups() if found else ("", text, "")
    # A blank at the edge belongs to the words it parts from the formula.
    body = f"{' ' if lead.isspace() else ''}{body}{' ' if tail.isspace() else ''}"
    return _characters_to_tex(lead) + _text_groups(body) + _characters_to_tex(tail)


def _text_groups(text: str) -> str:
    r"""Return text in \text{…}; characters that a wiki refuses in a text group are put between groups as mathematics."""
    text = re.sub(r"\s+", " ", text)
    groups: list[str] = []
    letters = ""
    for character in text:
        if _IN_TEXT.match(character) or (not character.isascii() and character not in SYMBOLS and character.isalpha()):
            letters += character
            continue
        groups.append(_group(letters) + character_to_tex(character))
        letters = ""
    return "".join([*groups, _group(letters)])


def _group(text: str) -> str:
    if not text:
        return ""
    if not any(character.isalpha() for character in text):
        return text.strip().replace(" ", r"\ ") if text.strip() else r"\ "
    minus = re.match(r"-(?=\w)", text)  # "-k" set as text is a negative vector
    return f"-\\text{{{text[1:]}}}" if minus else f"\\text{{{text}}}"


def _characters_to_tex(text: str) -> str:
    """Return characters that are not words, side by side."""
    built = ""
    for character in text:
        tex = "" if character.isspace() else character_to_tex(character)
        built += (" " if re.search(r"\\[A-Za-z]+$", built) and tex[:1].isalpha() else "") + tex
    return built


def character_to_tex(character: str) -> str:
    """Return TeX for one character in math mode."""
    if character.isascii():
        return _ASCII.get(character, character)
    found = symbol(character)
    if found is not None:
        return found
    return f"\\text{{{character}}}" if character.isprintable() else ""


def _styled(tex: str, variant: str) -> str:
    if "bold" in variant and tex:
        return f"\\boldsymbol{{{tex}}}" if "italic" in variant or tex.startswith("\\") else f"\\mathbf{{{tex}}}"
    if variant == "normal" and len(tex) == 1 and tex.isalpha():
        return f"\\mathrm{{{tex}}}"
    macro = _VARIANTS.get(variant, "")
    return f"\\{macro}{{{tex}}}" if macro and tex.isalpha() else tex
