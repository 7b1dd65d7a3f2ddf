"""What the bot says, as data: a code with values. The sentences of each language are a catalogue, `<language>.po`, whose ids are the codes.

A new language is a new file. What a catalogue lacks is said in English.
"""

import gettext
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeAlias, Union

Value: TypeAlias = Union[str, int, float, "Message", tuple["Message", ...]]
Draw: TypeAlias = Callable[[str, str], str]  # name and text of a value -> how it is shown
_NUMERALS = frozenset({"percent", "probability", "share"})  # values that are stored as texts of a number
EXPORT = "export"  # context of the sentences whose wording exports and commands keep
_FIELD = re.compile(r'^(?:(msgctxt|msgid|msgid_plural|msgstr)(?:\[\d\])? )?"(.*)"$', re.M)
_PLURAL = re.compile(r"plural=([^;]+);")
_BLANKS = re.compile(r"[^\S\xa0\u202f]+")
_FOLDER = Path(__file__).parent


class Message:
    """What is said, in no language: a code such as "evidence.title.nth", and the values that its sentence takes. Hashable."""

    __slots__ = ("code", "items")

    def __init__(self, code: str, /, **values: Value) -> None:
        self.code = code
        self.items = tuple(sorted(values.items()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Message) and (self.code, self.items) == (other.code, other.items)

    def __hash__(self) -> int:
        return hash((self.code, self.items))

    def __repr__(self) -> str:
        return f"Message({', '.join([repr(self.code), *(f'{name}={value!r}' for name, value in self.items)])})"

    @property
    def values(self) -> dict[str, Value]:
        return dict(self.items)

    def __str__(self) -> str:
        return export_sentence(self)


def uncoded_message(text: str) -> Message:
    """Return the message of a sentence whose code is not known: it is shown as it is, in every language."""
    return Message("recorded", text=text)


def joined_message(*messages: Message) -> Message:
    """Return one message of several; of none one that says nothing."""
    return (
        messages[0] if len(messages) == 1 else Message("together", parts=messages) if messages else uncoded_message("")
    )


def sentence(message: Message, language: str = "en", value: Draw | None = None) -> str:
    """Return a message in a language, as the review page words it.

    `value` gets each text that is put in, with its name, and returns how it is shown: the place to escape it, to draw a
    value named `tex…` and to set one named `code…` as code. Numbers are written as the language writes them; several
    messages in one value are parted by semicolons.
    """
    return _rendered(message, language, "", value)


def export_sentence(message: Message, language: str = "en") -> str:
    """Return the sentence of exports and commands; the English one's wording is kept from release to release."""
    return _rendered(message, language, EXPORT, None)


def one_line(text: str) -> str:
    """Return a text without breaks and double blanks; the spaces that a language puts before its marks stay."""
    return _BLANKS.sub(" ", text).strip()


def numeral(value: float, form: str = "", language: str = "en") -> str:
    """Return a number in Python's format, such as ",d" or ".0%", with the decimal sign, the grouping and the percent sign of a language."""
    return _local_signs(format(value, form), language)


def has_message(code: str, language: str = "en") -> bool:
    """Tell whether the catalogue of a language has a code."""
    return ("", code) in _catalogue(language).texts


def languages() -> dict[str, str]:
    """Return the languages that have a catalogue, each with its own name, English first."""
    from babel import Locale

    found = sorted((path.stem for path in _FOLDER.glob("*.po")), key=lambda name: (name != "en", name))
    return {name: Locale.parse(name).get_display_name(name) or name for name in found}


def to_json(message: Message) -> dict[str, object]:
    """Return a message as plain JSON values: `code` and `values`."""
    return {"code": message.code, "values": {name: _value_to_json(value) for name, value in message.items}}


def from_json(value: object) -> Message:
    """Return the message that `to_json` turned into plain values; other keys are left aside. Raises ValueError for what is none."""
    match value:
        case {"code": str(code), "values": dict(values)}:
            return Message(code, **{name: _value_from_json(each) for name, each in values.items()})
    raise ValueError(f"not a message: {value!r}")


@dataclass(frozen=True, slots=True)
class _Catalogue:
    texts: Mapping[tuple[str, str], tuple[str, ...]]  # (context, code) -> the sentence, or one for each plural form
    plural: Callable[[int], int]


@cache
def _catalogue(language: str) -> _Catalogue:
    """Read a catalogue. Its entries are parted by blank lines; babel takes four times as long for it, which each command would wait for."""
    header, texts = "", dict[tuple[str, str], tuple[str, ...]]()
    for entry in (_FOLDER / f"{language}.po").read_text(encoding="utf-8").split("\n\n"):
        fields: dict[str, list[str]] = {"msgctxt": [], "msgid": [], "msgid_plural": [], "msgstr": []}
        name = ""
        for begun, text in _FIELD.findall(entry):
            if begun:
                name = begun
                fields[name].append("")
            fields[name][-1] += json.loads(f'"{text}"')
        code, context, strings = "".join(fields["msgid"]), "".join(fields["msgctxt"]), tuple(fields["msgstr"])
        if code and all(strings):
            texts[context, code] = strings
        header = header or "".join(strings)
    plural = _PLURAL.search(header)
    return _Catalogue(texts, gettext.c2py(plural[1] if plural else "0"))


def _rendered(message: Message, language: str, context: str, draw: Draw | None) -> str:
    values = {name: _rendered_value(name, value, language, context, draw) for name, value in message.items}
    text = _text(message, language, context)
    return message.code if text is None else text.format_map(values)


@dataclass(frozen=True, slots=True)
class _Numeral:
    """A number that is written in a language, in whatever format its sentence asks for."""

    value: float
    language: str

    def __format__(self, form: str) -> str:
        return numeral(self.value, form, self.language)


def _local_signs(text: str, language: str) -> str:
    return text if language == "en" else text.translate(_signs(language))


@cache
def _signs(language: str) -> dict[int, str]:
    """Return how a language writes the signs of an English number, which its catalogue says."""
    codes = {".": "decimal", ",": "group", "%": "percent"}
    return {ord(sign): _texts(f"number.{code}", language, "")[0][0] for sign, code in codes.items()}


def _text(message: Message, language: str, context: str) -> str | None:
    """Return the first sentence that there is: of this context, of none, in this language, in English."""
    found, plural = _texts(message.code, language, context)
    if len(found) < 2:
        return found[0] if found else None
    number = message.values.get("n")
    return found[plural(number) if isinstance(number, int) else -1]


@cache
def _texts(code: str, language: str, context: str) -> tuple[tuple[str, ...], Callable[[int], int]]:
    catalogues = [_catalogue(of) for of in dict.fromkeys((language, "en"))]
    every = ((each.texts.get((where, code)), each) for each in catalogues for where in dict.fromkeys((context, "")))
    return next(((found, each.plural) for found, each in every if found), ((), catalogues[0].plural))


def _rendered_value(name: str, value: Value, language: str, context: str, draw: Draw | None) -> str | _Numeral:
    match value:
        case Message():
            return _rendered(value, language, context, draw)
        case tuple():
            semicolon = _texts("page.semicolon", language, "")[0][0]
            return f"{semicolon} ".join(_rendered(part, language, context, draw) for part in value)
        case str():
            value = _local_signs(value, language) if name in _NUMERALS else value
            return draw(name, value) if draw else value
    return _Numeral(value, language)


def _value_to_json(value: Value) -> object:
    match value:
        case Message():
            return to_json(value)
        case tuple():
            return [to_json(part) for part in value]
    return value


def _value_from_json(value: object) -> Value:
    match value:
        case str() | int() | float():
            return value
        case list():
            return tuple(map(from_json, value))
    return from_json(value)
