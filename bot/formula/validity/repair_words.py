"""Characters and words: signs of other alphabets as macros or as text, mathematics out of text groups."""

import re
import unicodedata

from bot.formula.validity import refused
from bot.formula.validity import texvc_macros as known
from bot.formula.validity.unicode_tex import symbol

GROUP = r"\{((?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.|\{(?:[^{}\\]|\\.)*\})*\})*)\}"  # a braced group, two groups deep
_TEXT = re.compile(rf"\\(text|mbox|hbox|vbox|textrm|textbf|textit|textsf|texttt|emph)\s*{GROUP}")
_BOX_CHARACTER = re.compile(r"[-0-9a-zA-Z+*,=():/;?.!'` \[\]]")
_BOLDMATH = re.compile(r"\\boldmath(?![A-Za-z])\s*|\$")


def repair_characters(tex: str) -> str:
    """Remove control characters; write mathematical characters as macros, letters of other alphabets as text."""
    tex = unicodedata.normalize("NFC", "".join(c if c.isprintable() else " " for c in tex))
    if tex.isascii() and not refused.ASCII.keys() & set(tex):
        return tex
    built, at = [], 0
    for text in _TEXT.finditer(tex):
        built += [_outside(tex[at : text.start()]), text[0]]
        at = text.end()
    return "".join([*built, _outside(tex[at:])])


def _outside(tex: str) -> str:
    built: list[str] = []
    for n, character in enumerate(tex):
        escaped = n > 0 and tex[n - 1] == "\\"
        if character.isascii():
            built.append(refused.ASCII.get(character, character) if not escaped else character)
            continue
        replacement = symbol(character)
        replacement = f"\\text{{{character}}}" if replacement is None else replacement
        spaced = f"{replacement} " if re.search(r"\\[A-Za-z]+$", replacement) else replacement
        twice = built and spaced[:1] in "^_" and built[-1].startswith(spaced[:2]) and built[-1].endswith("}")
        if twice:  # x² written with two raised characters is one script
            built[-1] = built[-1][:-1] + spaced[2:]
        else:
            built.append(spaced)
    return "".join(built)


def repair_text_groups(tex: str) -> str:
    r"""Words in text groups stay there; mathematics in them comes out: \text{if $x$} becomes \text{if }x."""
    tex = re.sub(r"\\(text|[mh]box)\s+([A-Za-z0-9])(?![A-Za-z0-9])", r"\\\1{\2}", tex)
    return _TEXT.sub(_text, tex)


def _text(found: re.Match[str]) -> str:
    macro, words = found[1], found[2]
    if "\\boldmath" in words:
        return f"\\boldsymbol{{{_BOLDMATH.sub('', words).strip()}}}"
    box = macro in known.BOXES
    if box and words and all(_BOX_CHARACTER.match(c) or not c.isascii() for c in words):
        return found[0]
    if not box and words.isascii() and not re.search(r"[$\"#&@`]", words):
        return found[0]
    parts = re.split(r"(?<!\\)\$", words)
    built = [part.strip() if n % 2 else _words(macro if box else "text", part) for n, part in enumerate(parts)]
    return "{" + "".join(built) + "}" if any(built) else ""


def _words(macro: str, words: str) -> str:
    built, text = [], ""
    for piece in re.findall(r"\\(?:[A-Za-z]+\s*|.)|.", words, re.S):
        if piece == "~" or piece.strip() in ("\\ ", "\\"):
            text += " "
        elif _BOX_CHARACTER.fullmatch(piece) or not piece.isascii():
            text += piece
        elif piece in "{}":
            continue
        else:
            built += [f"\\{macro}{{{text}}}" if text else "", _TEXT_SIGNS.get(piece, piece)]
            text = ""
    return "".join([*built, f"\\{macro}{{{text}}}" if text else ""])


_TEXT_SIGNS = {sign: f"\\{sign}" for sign in "&_#%$"} | {'"': "''", "^": "", "@": "", "\n": " "}
