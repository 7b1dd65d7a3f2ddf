"""The paper's four encodings by name, and which of them a setting may name."""

from collections.abc import Sequence
from typing import Literal

from bot.errors import SettingsError

Encoding = Literal["math2vec", "math tf-idf", "semantics2vec", "semantics tf-idf"]
ENCODINGS: tuple[Encoding, ...] = ("math2vec", "math tf-idf", "semantics2vec", "semantics tf-idf")
USUAL: tuple[Encoding, ...] = ("math tf-idf",)  # what discover uses without a setting
FAST: tuple[Encoding, ...] = ("math tf-idf", "semantics tf-idf")  # the others train a model


def known_encodings(names: Sequence[str]) -> tuple[Encoding, ...]:
    """Return the encodings that a setting names. Raises SettingsError for an unknown one."""
    found = tuple(each for each in ENCODINGS if each in names)
    if unknown := set(names).difference(found):
        raise SettingsError("no_encoding", name=repr(min(unknown)), todo="known", known=", ".join(ENCODINGS))
    return found
