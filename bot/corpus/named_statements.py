"""Definitions, theorems and laws of a text: the name in their heading, and which of their formulas it names."""

import re

from bot.records import NameHint, Role

_HEAD = re.compile(
    r"(?:(?:definition|theorem|lemma|proposition|corollary|axiom|law|postulate|principle|property|identity|claim|conjecture"
    r"|satz|korollar|théorème|définition|corollaire|teorema|definición|lema|corolario|definizione|corollario|proposizione|definição|proposição|corolário"
    r"|теорема|определение|лемма|следствие|утверждение|предложение|аксиома)"
    r"(?:\s+[\dIVXivx.]+[\w.]*)?|(?:定理|定义|定義|引理|补题|補題|命题|命題|推论|公理|定律|性质|系)\s*[\d.]*'?)"
    r"\s*(?:[(（](?P<name>[^()（）]{3,80})[)）]|[“\"](?P<quoted>[^”\"]{3,80})[”\"])?\s*[:.：．。]?",
    re.I,
)
_PROOF = re.compile(
    r"(?:(?:proof|beweis|preuve|démonstration|demostración|dimostrazione|prova|solution|remark|example|note|доказательство|решение|замечание|пример)\b"
    r"|(?:证明|証明|证|解答|解|例子?|注)[一二三\d\s.:：．。]*\Z"
    r"|(?:question|exercise|exercice|ejercicio|exercício|aufgabe|problem|problème|step|case|étape|schritt|задача|упражнение)(?:\s+[\dIVX]+[a-z]?)?\s*[:.)]*\Z)",
    re.I,
)
_NAMED_BEHIND = re.compile(r"\s*[:.]?\s*[(（]([^()（）]{3,80})[)）]\s*[:.]?")
# Blocks for anything: what they are says their title.
_GENERAL_BLOCKS = frozenset("note info abstract summary important tip quote success".split())
# What a statement assumes is none of what it states.
_ASSUMED = re.compile(
    r"\W*(?:let|assume|assuming|consider|suppose|given|under|where|with|sei|seien|soit|soient|sea|sean|sia|siano)\b(?!.*\b(?:then|if and only if|defined|given by|called)\b)",
    re.I | re.S,
)
_IF = re.compile(r"\W*(?:if|whenever|let|suppose|assume)\b(?!.*\bthen\b)", re.I | re.S)
_SENTENCE = re.compile(r"(?<=[.;:])\s+")
_WORD = re.compile(r"[^\W\d_]{3}")
_NAME = re.compile(r"\(([^()]{4,80})\)")
_NAME_AT_END = re.compile(_NAME.pattern + r"\W*$")
_EXERCISES = re.compile(
    r"(?:exercises?|problems?|questions?|homework|übungen|aufgaben|exercices|ejercicios|esercizi)\b[\s\d.:]*\Z", re.I
)
_SUMMARY = re.compile(r"(?:summary|recap|key (?:points|equations)|zusammenfassung|résumé|resumen)\Z", re.I)


def name_at_end(title: str) -> str:
    """Return the name in brackets at the end of a title, "" if there is none."""
    found = _NAME_AT_END.search(title)
    return found[1] if found else ""


def title_in_brackets(title: str) -> tuple[NameHint, ...]:
    """Return the name that stands in brackets in the title of a theorem."""
    found = _NAME.search(title)
    return (NameHint("equation_title", found[1]),) if found else ()


def is_assumption(sentence: str) -> bool:
    """Tell whether what a sentence says up to a formula makes the formula a supposition: “If … ⟦0⟧, then”, “Let … ⟦0⟧”."""
    return bool(_IF.match(sentence))


class NamedStatement:
    """The statement that the text is in, if any. `name` is what it is called; "" for none."""

    def __init__(self, name: str = "", default: str = "") -> None:
        self.name = name if _WORD.search(name) else ""
        self.default = default  # the name of one that has none of its own: a document's that is one statement
        self._sentence = ""

    @property
    def hints(self) -> tuple[NameHint, ...]:
        """Return the names of a formula that is displayed here."""
        assumed = _ASSUMED.match(self._sentence)
        return (NameHint("equation_title", self.name),) if self.name and not assumed else ()

    def read_text(self, text: str) -> None:
        """Read the text before the next formula."""
        if self.name and _WORD.search(text):
            self._sentence = _SENTENCE.split(f"{self._sentence}{text}")[-1]

    def read_label(self, text: str, following: str) -> bool:
        """Begin or end a statement by the emphasised words at the head of a paragraph; return whether they do either."""
        words = " ".join(text.split())
        if _PROOF.match(words):
            self.name = ""
            return True
        found = _HEAD.fullmatch(words)
        if found is None:
            # A heading in the line, as "Law of Ohm." or "Units:"
            if words.endswith((".", ":")) and _WORD.search(words):
                self.name = ""
            return False
        name = found["name"] or found["quoted"]
        if not name and (after := _NAMED_BEHIND.match(following)):
            name = after[1]
        name = name or self.default
        self.name, self._sentence = name if _WORD.search(name) else "", ""
        return True


def block_kind(kind: str, title: str, role: Role, statement: NamedStatement) -> tuple[Role, NamedStatement]:
    """Return role and statement inside of a block called `kind`: an exercise, an example, a theorem, a proof."""
    kind = kind.rpartition(":")[2].lower()
    if kind in _GENERAL_BLOCKS and (head := _HEAD.fullmatch(title.strip(" *_"))):
        return role, NamedStatement(head["name"] or head["quoted"] or "")
    title = title.strip(" *_\"'()")
    if kind == "admonition" and (head := _HEAD.match(title)):
        return role, NamedStatement(head["name"] or head["quoted"] or title[head.end() :].strip(" :.()"))
    if kind.startswith(("exercise", "problem", "question")):
        return "exercise", NamedStatement()
    if kind.startswith(("example", "solution")):
        return "example", NamedStatement()
    if kind == "proof":
        return role, NamedStatement()
    return role, NamedStatement(title) if _HEAD.match(kind) else statement


def is_kind_of_statement(heading: str) -> bool:
    """Say whether a heading tells the kind of a statement alone, as “Definition”: what is defined says something else."""
    found = _HEAD.fullmatch(heading.strip())
    return found is not None and not (found["name"] or found["quoted"])


def is_exercises(heading: str) -> bool:
    return bool(_EXERCISES.match(heading))


def is_summary(heading: str) -> bool:
    return bool(_SUMMARY.match(heading))
