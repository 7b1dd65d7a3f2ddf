r"""Formulas in components of MDX: `<BlockMath math={"\\frac{a}{b}"} />`, `<Equation title="Energy" tex="E=mc^2" />`, `<TeX>{String.raw`a^2`}</TeX>`."""

import re
from dataclasses import dataclass

# The names of components that show a formula, and of the attributes that they take its TeX by.
_SHOWS_FORMULA = re.compile(r"(?i:equation|formula|math|katex|latex)|[Tt][Ee][Xx](?:[A-Z]|\Z)")
_NAMED = re.compile(r"(?:equation|formula|math|tex|latex|katex|expression|expr|eq|value|content|code|body)\Z", re.I)
_TITLES = ("title", "name", "heading")
_DISPLAYED = re.compile(r"block|display|\A(?:equation|formula)", re.I)
_INLINE = re.compile(r"inline", re.I)
_ATTRIBUTE = re.compile(
    r"\s*(?P<name>[A-Za-z][\w:-]{0,40})(?:\s*=\s*(?:\"(?P<double>[^\"]{0,4000})\"|'(?P<single>[^']{0,4000})'"
    r"|\{\s*(?P<raw>String\.raw\s*)?(?:`(?P<template>[^`]{0,4000})`|\"(?P<string>(?:[^\"\\]|\\.){0,4000})\"|'(?P<other>(?:[^'\\]|\\.){0,4000})')\s*\}"
    r"|\{[^{}]{0,400}\}))?",
    re.S,
)
_STRING_ARGUMENT = re.compile(r"(?P<name>[A-Za-z]\w*)\s*=\s*(?P<sign>[\"'`])(?P<text>.*?)(?P=sign)", re.S)
_CHILD = re.compile(
    r"\s*(?:\{\s*(?P<raw>String\.raw\s*)?(?P<quote>[`\"'])(?P<text>.*)(?P=quote)\s*\}|(?P<plain>[^{<].*))\s*\Z", re.S
)
_ESCAPED = re.compile(r"\\([\\`\"'])")
_TEX = re.compile(r"\\[A-Za-z]|[\^_]")
_WORD_OR_CROSS = re.compile(r"[A-Za-z]{3}|[A-Za-z]{2}\s+[A-Za-z]{2}|\s[x*]\s")
# Tags of components, alone in a line or within text, comments, and blanks: `<Quiz.Answer correct>`, `{/* … */}`, `{" "}`.
_VALUE = r"(?:[^<>{}\"']|\"[^\"]{0,2000}\"|'[^']{0,2000}'|\{(?:[^{}]|\{[^{}]{0,400}\}){0,2000}\})"
_TAG = rf"</?[A-Z]\w{{0,60}}(?:\.\w{{1,60}})*(?:\s{_VALUE}{{0,2000}}+)?/?>"
_TAG_LINE = re.compile(rf"^[ \t]*(?:{_TAG}[ \t]*)+$", re.M)
_TAG_OR_COMMENT = re.compile(rf"{_TAG}|\{{/\*(?:[^*{{]|\*(?!/\}})|\{{(?!/\*)){{0,5000}}+\*/\}}|\{{\s*([\"'])\s\1\s*\}}")
_MAX_LENGTH = 20_000  # characters up to the closing tag


@dataclass(frozen=True, slots=True)
class FormulaComponent:
    """A component that shows a formula: its TeX, which is empty where it is none, and where it ends."""

    tex: str
    title: str
    display: bool | None  # None: as it stands in the text
    end: int


def formula_component(text: str, at: int, name: str) -> FormulaComponent | None:
    """Read the component that opens at `at` behind its name; None for one that shows no formula of its own."""
    if not shows_formula(name):
        return None
    attributes: dict[str, str] = {}
    while (found := _ATTRIBUTE.match(text, at)) and found.end() > at:
        attributes[found["name"]] = _value(found)
        at = found.end()
    closing = re.compile(r"\s*(/?)>").match(text, at)
    if not closing:
        return None
    at = closing.end()
    tex = next((value for key, value in attributes.items() if _NAMED.match(key) and value.strip()), "")
    if not closing[1] and not tex:
        end = text.find(f"</{name}>", at, at + _MAX_LENGTH)
        inside = _CHILD.match(text[at:end]) if end >= 0 else None
        if inside is None or "$" in inside[0] or (inside["plain"] and "</" in inside[0]):
            return None
        tex = inside["plain"] or (inside["text"] if inside["raw"] else _ESCAPED.sub(r"\1", inside["text"]))
        at = end + len(name) + 3
    if not tex.strip():
        return None
    said = f"{name} {' '.join(attributes)}"
    display = False if _INLINE.search(said) else True if _DISPLAYED.search(said) else None
    title = next((attributes[key] for key in _TITLES if attributes.get(key)), "")
    return FormulaComponent(tex.strip() if is_tex(tex) else "", title, display, at)


def called_formula(name: str, arguments: str) -> str:
    """Return the TeX that a call in a template shows, as `katex(body="x^2")`; "" for one that shows none."""
    named = _STRING_ARGUMENT.finditer(arguments) if shows_formula(name) else ()
    return next((found["text"] for found in named if _NAMED.match(found["name"])), "")


def shows_formula(name: str) -> bool:
    """Say whether the name of a component or shortcode tells that it shows a formula."""
    return bool(_SHOWS_FORMULA.search(name))


def without_components(text: str) -> str:
    """Return a text of MDX without tags of components and comments; what is between the tags stays."""
    return _TAG_OR_COMMENT.sub(" ", _TAG_LINE.sub("\n", text))


def is_tex(text: str) -> bool:
    """Say whether a text is TeX: by its commands and scripts, or as an equation of single letters. "L = r x p" is none."""
    return bool(_TEX.search(text)) or ("=" in text and not _WORD_OR_CROSS.search(text))


def _value(attribute: re.Match[str]) -> str:
    plain = attribute["double"] or attribute["single"]
    if plain is not None:
        return plain
    value = attribute["template"] or attribute["string"] or attribute["other"] or ""
    return value if attribute["raw"] else _ESCAPED.sub(r"\1", value)
