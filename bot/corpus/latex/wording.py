"""Text as it is printed, and which emphasised words are a term that is introduced."""

from __future__ import annotations

import re

from bot.records import Role

_TERM = re.compile(r"[^\W\d_]{3}")
_LONGEST_TERM = 80
# What stands before a term that is introduced, in the languages that textbooks we read are in; and what is emphasised for its own sake.
_INTRODUCES = re.compile(
    r"(?:\b(?:called|named|termed|dubbed|known as|referred to as|said to be|defined as|define|is|are|be|as|or|the|an?|its|their|following"
    r"|heißt|heißen|nennt man|nennen wir|genannt|sogenannte[nrs]?|bezeichnet|als|der|die|das|dem|den|ein|eine[nrms]?|sind|ist"
    r"|appelée?s?|appelle|dite?s?|nommée?s?|est|sont|une?|le|la|les|du|des|de|llamad[oa]s?|es|el|los|las|un|una|il|lo|detto|detta|chiama)|[(«“:]|l[’'])\s*$",
    re.I,
)
_NO_TERMS = frozenset(
    "not only unique all any every never always same both must very exactly also one two each more less most precisely does cannot and but should will whether "
    "nicht nur alle immer nie genau auch beide nein pas tous deux toujours jamais exactement même seulement".split()
)
# What a paragraph is headed by is no term: "Proof.", "First example."
_HEADS = frozenset(
    "proof proofs example examples exercise exercises remark remarks claim definition definitions theorem lemma proposition corollary solution hint answer note notes "
    "warning question problem case step summary abstract keywords beweis beispiel aufgabe bemerkung definitionen satz lösung hinweis preuve démonstration exemple "
    "exemples exercice remarque remarques théorème définition proposition corollaire".split()
)
_LOOSE = re.compile(r" (?=[,.](?:\s|$))")  # before it stood what was cited


def is_term(name: str, before: str, role: Role) -> bool:
    """Say whether emphasised words are a term that is introduced, by the words before them: "is called", "the", nothing at all."""
    found = name.strip(" .:,;").lower()
    if not 4 <= len(found) <= _LONGEST_TERM or not _TERM.search(found) or len(found.split()) > 6:
        return False
    if role not in ("text", "caption") or any(word in _NO_TERMS for word in found.split()):
        return False
    if found in _HEADS or (not before.strip() and found.split()[-1] in _HEADS):
        return False
    return bool(_INTRODUCES.search(before)) or not before.strip()


def printed(text: str) -> str:
    """Return text as it is printed: quotes, dashes, one blank for many."""
    if "`" in text or "''" in text:
        text = text.replace("``", "“").replace("''", "”").replace("`", "‘")
    if "--" in text:
        text = text.replace("---", "—").replace("--", "–")
    text = " ".join(f"x{text}x".split())[1:-1]
    return _LOOSE.sub("", text) if " ," in text or " ." in text else text
