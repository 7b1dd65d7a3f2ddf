"""The defining formula of short articles of ours in five languages: found by the words of the language, or none accepted."""

from __future__ import annotations

import pytest

from bot.corpus.wikitext import article
from bot.discover.articles import DefiningFormula, defining_formula
from bot.discover.articles.article import ArticleFormulas
from bot.discover.cues.cue_language import article_language
from bot.records import Document, as_json

DENSITY = {
    "en": "'''Density''' is the ratio of the mass of a body to its volume.\n\n== History ==\nLet the buoyancy be\n: <math>F = g w</math>\n\n"
    "== Definition ==\nThe density is defined as\n: <math>\\rho = \\frac{m}{V}</math>\nwhere <math>m</math> is the mass and <math>V</math> is the volume.\n",
    "de": "Die '''Dichte''' ist der Quotient aus der Masse eines Körpers und seinem Volumen.\n\n== Geschichte ==\nFür den Auftrieb sei\n: <math>F = g w</math>\n\n"
    "== Definition ==\nDie Dichte ist definiert als\n: <math>\\rho = \\frac{m}{V}</math>\nmit der Masse <math>m</math> und dem Volumen <math>V</math>.\n",
    "fr": "La '''densité''' est le rapport de la masse d'un corps à son volume.\n\n== Histoire ==\nSoit la poussée\n: <math>F = g w</math>\n\n"
    "== Définition ==\nLa densité est définie par\n: <math>\\rho = \\frac{m}{V}</math>\noù <math>m</math> est la masse et <math>V</math> est le volume.\n",
    "es": "La '''densidad''' es el cociente entre la masa de un cuerpo y su volumen.\n\n== Historia ==\nSea el empuje\n: <math>F = g w</math>\n\n"
    "== Definición ==\nLa densidad se define como\n: <math>\\rho = \\frac{m}{V}</math>\ndonde <math>m</math> es la masa y <math>V</math> es el volumen.\n",
    "it": "La '''densità''' è il rapporto tra la massa di un corpo e il suo volume.\n\n== Storia ==\nSia la spinta\n: <math>F = g w</math>\n\n"
    "== Definizione ==\nLa densità è definita come\n: <math>\\rho = \\frac{m}{V}</math>\ndove <math>m</math> è la massa e <math>V</math> è il volume.\n",
}
TITLES = {"en": "Density", "de": "Dichte", "fr": "Densité", "es": "Densidad", "it": "Densità"}
LATHE = {
    "en": "A '''lathe''' is a machine that turns a workpiece.\n\n== Use ==\nFor example, the cutting speed is then\n: <math>v = d n</math>\n",
    "de": "Eine '''Drehbank''' ist eine Maschine, die ein Werkstück dreht.\n\n== Anwendung ==\nZum Beispiel ist die Schnittgeschwindigkeit dann\n: <math>v = d n</math>\n",
    "fr": "Un '''tour''' est une machine qui tourne une pièce.\n\n== Applications ==\nPar exemple, la vitesse de coupe est donc\n: <math>v = d n</math>\n",
    "es": "Un '''torno''' es una máquina que gira una pieza.\n\n== Aplicaciones ==\nPor ejemplo, la velocidad de corte es entonces\n: <math>v = d n</math>\n",
    "it": "Un '''tornio''' è una macchina che gira un pezzo.\n\n== Applicazioni ==\nPer esempio, la velocità di taglio è allora\n: <math>v = d n</math>\n",
}


def found(title: str, text: str, language: str) -> DefiningFormula:
    document = Document("x", title, language, format="wikitext", kind="encyclopaedia")
    return defining_formula(*article(text, document))


@pytest.mark.parametrize("language", DENSITY)
def test_the_definition_is_accepted_and_not_the_formula_before_it(language: str) -> None:
    one = found(TITLES[language], DENSITY[language], language)
    assert (one.tex, one.accepted) == (r"\rho = \frac{m}{V}", True)
    assert {"defines", "statement_section"} <= {name for name, _ in one.reasons}


@pytest.mark.parametrize("language", LATHE)
def test_a_machine_has_no_defining_formula(language: str) -> None:
    one = found("Lathe", LATHE[language], language)
    assert (one.tex, one.accepted) == ("v = d n", False)
    assert one.probability < 0.1


@pytest.mark.parametrize("language", DENSITY)
def test_a_file_that_says_english_is_read_in_its_own_language(language: str) -> None:
    document = Document("x", TITLES[language], "en", format="wikitext", kind="encyclopaedia")
    assert ArticleFormulas(*article(DENSITY[language], document)).language is article_language(language)


def test_the_opening_is_the_text_before_the_first_heading_with_its_formulas_masked() -> None:
    document, _ = article("The force <math>F</math> is ''a'' push.\n\n== Use ==\nMore.", Document("x", "Force"))
    assert document.opening == "The force ⟦0⟧ is a push."
    assert "opening" not in as_json(document)
