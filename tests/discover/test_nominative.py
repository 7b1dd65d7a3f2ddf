"""Names of German sentences in the nominative, and their places in any case."""

from __future__ import annotations

import pytest

from bot.discover.cues.cue_language import article_language, cue_language
from bot.discover.cues.mentions import mentions
from bot.discover.cues.name_cues import _folded_and_shown, _is_generic_title
from bot.discover.cues.nominative import nominative
from bot.discover.phrases import fold
from bot.records import NameHint, Occurrence

GERMAN = article_language("de")


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("homogenen Maxwell-Gleichungen", "homogene Maxwell-Gleichungen"),
        ("vollständigen Kontinuitätsgleichung", "vollständige Kontinuitätsgleichung"),
        ("Faradayschen Induktionsgesetz", "Faradaysches Induktionsgesetz"),
        ("Gaußsche Gesetz", "Gaußsches Gesetz"),
        ("mittlere Poynting-Vektor", "mittlerer Poynting-Vektor"),
        ("ursprünglich homogenen äußeren Feldes", "ursprünglich homogenes äußeres Feld"),
        ("Maxwell'schen Gleichungen", "Maxwell'sche Gleichungen"),
        ("zweiten Greenschen Identität", "zweite Greensche Identität"),
        ("Satzes von Gauß", "Satz von Gauß"),
        ("Gaußsches Gesetz", "Gaußsches Gesetz"),
        ("arithmetische Mittel", "arithmetisches Mittel"),
        ("Richtungswinkels eines Vektors", "Richtungswinkel eines Vektors"),
        ("Keplers Gesetz", "Keplers Gesetz"),
        ("tiefer Ursprung", "tiefer Ursprung"),  # not a noun in -ung
        ("bewegten Teilchen", "bewegten Teilchen"),  # one or more: it cannot be told
        ("Ursprung des bewegten Systems", "Ursprung des bewegten Systems"),
        ("reinen", "reinen"),
    ],
)
def test_a_name_is_put_into_the_nominative_where_its_noun_is_known(written: str, name: str) -> None:
    assert nominative(written, GERMAN) == name
    assert nominative(name, GERMAN) == name
    assert nominative(written, article_language("fr")) == written


def test_cases_of_one_name_are_one_name_but_what_an_author_gives_stays() -> None:
    prose = {
        _folded_and_shown(name, "phrase", GERMAN) for name in ("Ohmschen Gesetz", "Ohmsche Gesetz", "Ohmsches Gesetz")
    }
    assert prose == {(fold("Ohmsches Gesetz"), "Ohmsches Gesetz")}
    assert _folded_and_shown("Ohmsche Gesetz", "key_equations", GERMAN)[1] == "Ohmsche Gesetz"


def test_a_declined_name_is_found_where_it_stands() -> None:
    window = "Das folgt aus dem Ohmschen Gesetz, ⟦0⟧, an einem Leiter."
    one = Occurrence("d", 0, "U=RI", True, window, cues=(NameHint("called", "Ohmsches Gesetz"),))
    (found,) = mentions(one, GERMAN)
    assert (found.name, found.words) == ("Ohmsches Gesetz", 1)
    assert list(mentions(one)) == []


@pytest.mark.parametrize(
    ("code", "heading"),
    [("es", "Ecuaciones clave"), ("es", "Problemas"), ("fr", "Exercices"), ("fr", "Plan d'étude"), ("de", "Aufgaben")],
)
def test_headings_of_every_book_are_no_names_in_the_plural_too(code: str, heading: str) -> None:
    language = cue_language(code)
    assert language is not None
    assert _is_generic_title(heading, language)
