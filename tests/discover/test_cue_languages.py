"""The cues of each language: what names a formula, what only mentions a concept, and what symbols mean."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.corpus import ParsedDocument
from bot.discover.cues.cue_language import CueLanguage, article_language, cue_language, languages
from bot.discover.cues.name_cues import defined_symbols
from bot.discover.cues.prose import prose_cues
from bot.discover.mine import mine_page
from bot.discover.phrases import first_full_name, is_law, is_quantity, is_usable_name, noun_phrases
from bot.discover.shards import unpack
from bot.records import Definition, Document, Occurrence

PROSE = [code for code in languages() if cue_language(code)]
WEAK = {
    "phrase",
    "phrase_law",
    "phrase_quantity",
    "window_law",
    "subject_first",
    "subject_first_part",
    "subject_before",
}

NAMED = [
    ("de", "Die kinetische Energie eines Körpers ist definiert als ⟦1⟧.", "kinetische Energie", "defined"),
    ("de", "Das Ohmsche Gesetz lautet ⟦1⟧, wobei ⟦2⟧ die Spannung ist.", "Ohmsche Gesetz", "states"),
    ("de", "Man erhält ⟦1⟧. Diese Gleichung heißt Wellengleichung.", "Wellengleichung", "called"),
    ("de", "Es gilt ⟦1⟧. Diese Gleichung wird als Satz von Gauß bezeichnet.", "Satz von Gauß", "called"),
    ("de", "Der Satz von Gauß besagt, dass ⟦1⟧.", "Satz von Gauß", "states"),
    ("de", "Das Trägheitsmoment des Stabs ist ⟦1⟧.", "Trägheitsmoment", "equals_part"),
    ("de", "Damit ist ⟦1⟧ (Newtonsches Gesetz).", "Newtonsches Gesetz", "parenthesis"),
    ("de", "Wir definieren das Drehmoment als ⟦1⟧.", "Drehmoment", "defined"),
    ("de", "Wir finden die Wellengleichung ⟦1⟧.", "Wellengleichung", "adjacent"),
    ("de", "Innere Energie Für die mittlere Energie ⟦1⟧ gilt das.", "mittlere Energie", "adjacent"),
    ("de", "Wir sehen dies anhand zweier Relationen: ⟦1⟧.", "Relationen", "adjacent"),
    ("de", "Es gilt ⟦1⟧. Dies wird Kontinuitätsgleichung genannt.", "Kontinuitätsgleichung", "called"),
    ("de", "Es gilt ⟦1⟧. Diese Größe bezeichnet man als Drehimpuls.", "Drehimpuls", "called"),
    ("de", "Es gilt ⟦1⟧. Man nennt diese Gleichung auch Wellengleichung.", "Wellengleichung", "called"),
    (
        "de",
        "Es gilt ⟦1⟧. Diese Determinante nennt man das charakteristische Polynom.",
        "charakteristische Polynom",
        "called",
    ),
    ("de", "Man bezeichnet ⟦1⟧ als Drehmoment.", "Drehmoment", "called"),
    ("de", "Es gilt ⟦1⟧. Diese Grösse heisst Drehimpuls.", "Drehimpuls", "called"),
    ("de", "Es folgt ⟦1⟧, die sogenannte Wellengleichung.", "Wellengleichung", "called"),
    ("de", "Man definiert seine kinetische Energie durch ⟦1⟧.", "kinetische Energie", "defined"),
    ("de", "Für die mittlere Energie gilt ⟦1⟧.", "mittlere Energie", "equals"),
    ("es", "El vector de velocidad ahora es ⟦1⟧.", "vector de velocidad", "equals"),
    ("fr", "L'énergie cinétique est définie par ⟦1⟧.", "énergie cinétique", "defined"),
    ("fr", "La loi d'Ohm s'écrit ⟦1⟧, où ⟦2⟧ est la tension.", "loi d'Ohm", "equals"),
    ("fr", "On obtient ⟦1⟧. Cette équation est appelée équation de Poisson.", "équation de Poisson", "called"),
    ("fr", "Le moment d’inertie d’une tige vaut ⟦1⟧.", "moment d’inertie", "equals"),
    ("fr", "Le théorème de l'énergie cinétique énonce que ⟦1⟧.", "théorème de l'énergie cinétique", "states"),
    ("fr", "On définit la vitesse angulaire par ⟦1⟧.", "vitesse angulaire", "defined"),
    ("fr", "On a la loi de Coulomb : ⟦1⟧.", "loi de Coulomb", "adjacent_law"),
    ("fr", "On a ⟦1⟧. Cette relation s'appelle l'équation de Poisson.", "équation de Poisson", "called"),
    ("fr", "On a ⟦1⟧. Elle porte le nom de relation de Chasles.", "relation de Chasles", "called"),
    ("fr", "On a ⟦1⟧. On l'appelle équation de Poisson.", "équation de Poisson", "called"),
    ("fr", "On a ⟦1⟧. On appelle cette relation la loi de Snell.", "loi de Snell", "called"),
    ("fr", "On appelle ⟦1⟧ la capacité thermique.", "capacité thermique", "called"),
    ("fr", "On trouve ⟦1⟧, dite équation de Poisson.", "équation de Poisson", "called"),
    ("fr", "On définit sa capacité thermique par ⟦1⟧.", "capacité thermique", "defined"),
    ("es", "Así ⟦1⟧. Esta relación recibe el nombre de ley de Snell.", "ley de Snell", "called"),
    ("es", "Así ⟦1⟧. A esta igualdad se le llama ecuación de onda.", "ecuación de onda", "called"),
    ("es", "Así ⟦1⟧. Estas ecuaciones se llaman ecuaciones de Maxwell.", "ecuaciones de Maxwell", "called"),
    ("es", "Llamaremos a ⟦1⟧ error cuadrático.", "error cuadrático", "called"),
    ("es", "Dado esto, definimos su función característica ⟦2⟧ como ⟦1⟧.", "función característica", "defined"),
    ("es", "La energía cinética se define como ⟦1⟧.", "energía cinética", "equals"),
    ("es", "Así ⟦1⟧, conocida como ecuación de Poisson.", "ecuación de Poisson", "called"),
    ("es", "El momento de inercia de una varilla es ⟦1⟧.", "momento de inercia de una varilla", "equals"),
    ("es", "La segunda ley de Newton establece que ⟦1⟧.", "segunda ley de Newton", "states"),
    ("es", "La velocidad angular viene dada por ⟦1⟧.", "velocidad angular", "defined"),
]

MENTIONED = [
    ("en", "This differs from Ohm's law, and ⟦1⟧ follows."),
    ("en", "Using Ohm's law we get ⟦1⟧."),
    ("en", "It is the analogue of Ohm's law, since here ⟦1⟧ holds."),
    ("en", "Compare this with Ohm's law; we now have ⟦1⟧."),
    ("de", "Im Vergleich zum Ohmschen Gesetz ist dies anders: ⟦1⟧."),
    ("de", "Mit dem Ohmschen Gesetz erhalten wir ⟦1⟧."),
    ("fr", "En utilisant la loi d'Ohm on obtient ⟦1⟧."),
    ("fr", "Cela diffère de la loi d'Ohm, donc on trouve ⟦1⟧."),
    ("es", "Usando la ley de Ohm obtenemos ⟦1⟧."),
    ("es", "Esto difiere de la ley de Ohm, y así tenemos ⟦1⟧."),
]


def language(code: str) -> CueLanguage:
    found = cue_language(code)
    assert found is not None
    return found


def strong(code: str, window: str) -> set[tuple[str, str]]:
    cues = prose_cues(window, 1, "", {2: "v"}, language(code))
    return {(name, kind) for name, kind in cues if name and kind not in WEAK}


@pytest.mark.parametrize(("code", "window", "name", "kind"), NAMED)
def test_a_sentence_names_its_formula(code: str, window: str, name: str, kind: str) -> None:
    assert (name, kind) in strong(code, window)


@pytest.mark.parametrize(("code", "window"), MENTIONED)
def test_a_concept_that_is_only_mentioned_names_nothing(code: str, window: str) -> None:
    assert not {name for name, _ in strong(code, window) if "Ohm" in name}


@pytest.mark.parametrize(
    ("code", "window", "meanings"),
    [
        ("de", "Es gilt ⟦1⟧, wobei ⟦2⟧ die Geschwindigkeit ist.", {"v": "Geschwindigkeit"}),
        ("de", "⟦1⟧ mit der Masse m und der Geschwindigkeit ⟦2⟧.", {"m": "Masse", "v": "Geschwindigkeit"}),
        ("fr", "On a ⟦1⟧, où ⟦2⟧ est la vitesse et m la masse.", {"v": "vitesse", "m": "masse"}),
        ("fr", "⟦1⟧ avec ⟦2⟧ l'énergie cinétique.", {"v": "énergie cinétique"}),
        ("es", "⟦1⟧, donde ⟦2⟧ es la velocidad angular.", {"v": "velocidad angular"}),
        ("es", "⟦1⟧, siendo ⟦2⟧ la velocidad y m la masa.", {"v": "velocidad", "m": "masa"}),
        ("es", "Son ⟦1⟧ y la masa.", {}),
    ],
)
def test_where_clauses_say_what_symbols_mean(code: str, window: str, meanings: dict[str, str]) -> None:
    found = defined_symbols(window, {1: "E = m v", 2: "v"}, language(code))
    assert set(found) == {Definition(symbol, meaning) for symbol, meaning in meanings.items()}


@pytest.mark.parametrize(
    ("code", "window", "name"),
    [
        ("de", "Die Größe ⟦2⟧, genannt Dämpfung, ist klein. Dann ⟦1⟧.", "Dämpfung"),
        ("fr", "La grandeur ⟦2⟧ est appelée amortissement. Alors ⟦1⟧.", "amortissement"),
        ("es", "La cantidad ⟦2⟧ se llama amortiguamiento. Entonces ⟦1⟧.", "amortiguamiento"),
    ],
)
def test_the_left_sides_symbol_may_be_called_by_name(code: str, window: str, name: str) -> None:
    assert (name, "symbol_called") in set(prose_cues(window, 1, "v", {2: "v"}, language(code)))


def test_a_mined_page_has_the_meanings_of_its_own_language() -> None:
    page = ParsedDocument(
        "a", "", Document("a", "", "de", kind="textbook"),
        (Occurrence("a", 0, "W = F s", True, "Dann ist ⟦0⟧, wobei W die Arbeit ist."),),
    )  # fmt: skip
    (row,) = mine_page(page)
    assert unpack(row["definitions"]) == [("W", "Arbeit")]
    assert ("Arbeit", "symbol") in {(name, kind) for name, kind in unpack(row["signs"])}


@pytest.mark.parametrize(
    ("code", "law", "quantity"),
    [
        ("en", "Hooke's law", "kinetic energy"),
        ("de", "hookesches Gesetz", "Trägheitsmoment"),
        ("de", "Satz von Gauß", "Elektronenmasse"),
        ("fr", "loi de Hooke", "énergie cinétique"),
        ("es", "ley de Hooke", "momento de inercia"),
    ],
)
def test_heads_tell_laws_from_quantities(code: str, law: str, quantity: str) -> None:
    assert is_law(law, language(code))
    assert not is_quantity(law, language(code))
    assert is_quantity(quantity, language(code))
    assert not is_law(quantity, language(code))


@pytest.mark.parametrize(
    ("code", "window"),
    [
        ("de", "Für reale Gase gilt ⟦1⟧."),  # what it holds for
        ("es", "Este fenómeno puede modelizarse considerando ⟦1⟧."),
        ("es", "En función de la temperatura ⟦1⟧."),
    ],
)
def test_conditions_verbs_and_prepositions_of_several_words_name_nothing(code: str, window: str) -> None:
    assert not {name for name, _ in strong(code, window)} - {"temperatura"}


@pytest.mark.parametrize(
    ("code", "text", "names"),
    [
        ("de", "der durch die Impulsantwort beschriebenen Systeme", ["Impulsantwort", "beschriebenen Systeme"]),
        ("de", "die Zustandsgleichung idealer Gase", ["Zustandsgleichung idealer Gase"]),
        ("de", "Lineare zeitinvariante Systeme", ["Lineare zeitinvariante Systeme"]),
        ("de", "die Masse umgibt Materie", ["Masse", "Materie"]),
        ("de", "die Energie pro Masse", ["Energie pro Masse"]),
        ("de", "mit Hilfe der Faltung", ["Faltung"]),
        ("fr", "à l'aide du théorème de Rolle", ["théorème de Rolle", "théorème", "Rolle"]),
        ("fr", "en fonction de l'angle", ["angle"]),
        ("fr", "la relation de Chasles devient", ["relation de Chasles", "relation", "Chasles"]),
        ("fr", "la formule de Taylor précédente", ["formule de Taylor", "formule", "Taylor"]),
        ("es", "a partir de la ecuación anterior", ["ecuación"]),
        ("es", "la suma converge absolutamente", ["suma"]),
        ("es", "los valores extremos", ["valores extremos"]),
    ],
)
def test_phrases_end_where_the_grammar_of_the_language_says(code: str, text: str, names: list[str]) -> None:
    assert [phrase.text for phrase in noun_phrases(text, language(code))] == names


def test_the_words_of_each_language_make_no_names() -> None:
    assert not is_usable_name("diese", language=language("de"))
    assert not is_usable_name("Vous devez savoir prouver ces formules", language=language("fr"))
    assert not is_usable_name("c’est une grandeur algébrique", language=language("fr"))
    assert not is_usable_name("Bestimme den Normalenvektor", language=language("de"))
    assert not is_usable_name("Exprimer l’accélération", language=language("fr"))
    assert not is_usable_name("Hallar la pendiente", language=language("es"))
    assert is_usable_name("Länge eines Vektors", language=language("de"))
    assert is_usable_name("plus petit élément", language=language("fr"))
    assert is_usable_name("d’Alembertien", language=language("fr"))
    assert not is_usable_name(r"équation \\frac|z-a||z-b|=k", language=language("fr"))
    assert [p.text for p in noun_phrases("Die träge Masse und der Satz des Pythagoras gelten", language("de"))] == [
        "träge Masse",
        "Satz des Pythagoras",
        "Satz",
        "Pythagoras",
    ]
    assert first_full_name("la loi de conservation de l'énergie", language("fr")) == "loi de conservation de l'énergie"


def test_codes_of_regions_are_their_languages_and_others_have_none() -> None:
    assert cue_language("de-AT") is cue_language("de") is not None
    assert cue_language("") is cue_language("en")
    assert cue_language("ja") is None
    assert cue_language("und") is None
    assert article_language("und").pattern("says").search("given by") is None


@pytest.mark.parametrize("code", languages())
def test_every_language_reads_articles_by_the_same_patterns(code: str) -> None:
    one, english = article_language(code), article_language("en")
    assert set(one.operations) == set(english.operations)
    assert {"says", "example", "special", "consequence", "condition", "statement", "aside", "quantity", "thing"} <= set(
        one.patterns
    )
    assert one.words("function")


def test_prose_of_a_language_that_is_read_in_articles_alone_names_nothing() -> None:
    assert (cue_language("it"), article_language("it").prose) == (None, False)


@pytest.mark.parametrize("code", PROSE)
def test_a_language_is_one_file_with_the_same_parts(code: str) -> None:
    one, english = language(code), language("en")
    assert set(one.patterns) >= {
        "called", "this_is", "is_the", "defined", "define_the", "for_the", "states", "clause", "pronoun", "where", "joint", "step",
    }  # fmt: skip
    assert set(one.patterns) <= set(english.patterns) | {
        "law_end", "quantity_end", "of_person", "object", "set_phrase", "calling", "called_so",
    }  # fmt: skip
    assert one.words("function")
    assert one.words("laws")
    assert one.words("quantities")
    assert one.words("articles")


@pytest.mark.parametrize("code", PROSE)
@given(st.text(alphabet=st.sampled_from("⟦1⟧⟦2⟧ ,.:()'’-aàéßoue nlsdmtirWx\n=\ue000"), max_size=120))
def test_no_window_of_any_text_raises(code: str, text: str) -> None:
    window = f"{text} ⟦1⟧ {text[::-1]}"
    for name, kind in prose_cues(window, 1, "x", {2: "x"}, language(code)):
        assert isinstance(name, str)
        assert kind
    defined_symbols(window, {1: "x=1", 2: "x"}, language(code))
