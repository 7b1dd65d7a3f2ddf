"""What each clue says about one formula of an article: its score, and where it has nothing to say."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from bot.discover.articles.article import ArticleCandidate, ArticleFormulas, bare_symbol
from bot.discover.articles.clues import CLUES
from bot.discover.articles.selection import ArticleModel, choose_formula, scored_candidates
from bot.records import Definition, Document, NameHint, Occurrence


def occurrence(tex: str = "F = m a", window: str = "", position: int = 0, **more: Any) -> Occurrence:
    return Occurrence("a", position, tex, more.pop("display", False), window, **more)


def article(*occurrences: Occurrence, title: str = "Force", language: str = "en") -> ArticleFormulas:
    return ArticleFormulas(Document("a", title, language=language), occurrences)


def one(tex: str = "F = m a", **more: Any) -> ArticleCandidate:
    made = {
        "kind": "equation",
        "left": "F",
        "leaves": 5,
        "rank": 0,
        "rank_in_section": 0,
        "repeated": 0,
        "before": "",
        "after": "",
    }
    about = {key: more.pop(key) for key in list(more) if key in made}
    return ArticleCandidate(occurrence(tex, **more), **(made | about))  # type: ignore[arg-type]


def score(name: str, candidate: ArticleCandidate, about: ArticleFormulas | None = None) -> float | None:
    return round(float(CLUES[name](about or article(candidate.occurrence), candidate)), 4) or None


@pytest.mark.parametrize(
    ("clue", "holds", "fails"),
    [
        ("first", [one(rank=0)], [one(rank=1), one(rank=0, kind="expression")]),
        (
            "opens_section",
            [one(heading="Use")],
            [one(), one(heading="Use", rank_in_section=1), one(heading="Use", kind="expression")],
        ),
        ("lead", [one()], [one(heading="Use")]),
        ("display", [one(display=True)], [one()]),
        ("infobox", [one(role="infobox")], [one(), one(role="table")]),
        (
            "out_of_text",
            [one(role=r) for r in ("table", "caption", "example", "exercise")],
            [one(), one(role="infobox")],
        ),
        (
            "boxed",
            [one(hints=(NameHint("equation_title", "Law"),))],
            [one(hints=(NameHint("bold_title", "Law"),)), one()],
        ),
        (
            "bold_title",
            [one(hints=(NameHint("bold_title", "Law"),))],
            [one(hints=(NameHint("equation_title", "Law"),))],
        ),
        ("statement_section", [one(heading="Mathematical statement")], [one(heading="History"), one()]),
        ("aside_section", [one(heading="History")], [one(heading="Mathematical statement"), one()]),
        (
            "says",
            [one(before="The force is given by "), one(before="The law states that ")],
            [one(before="Consider "), one(before="is given by " + "x" * 120)],
        ),
        ("example", [one(before="For example, "), one(before="Suppose that ")], [one(before="The force is ")]),
        ("special", [one(before="In this case "), one(before="It can also be ")], [one(before="The force is ")]),
        ("step", [one(before="Therefore "), one(before="Integrating it, we get ")], [one(before="The force is ")]),
        ("condition", [one(before="If it moves, ")], [one(before="The force is ")]),
        (
            "other_law",
            [one(before="and by the Schrödinger equation "), one(heading="Einstein field equations")],
            [one(before="By the equation "), one(before="The Schrödinger equation holds for the mass ")],
        ),
        ("named_after", [one(after=" is called the force.")], [one(after=" is called the work.")]),
        ("notation", [one(r"X \sim N"), one(r"f : A \to B")], [one(), one(r"v = \lim_{t \to 0} x")]),
        (
            "definition_sign",
            [one("F := m a"), one(r"F \equiv m a"), one(r"F \stackrel{\mathrm{def}}{=} m a")],
            [one()],
        ),
        ("explained", [one(after=", where m is the mass")], [one(after=" and so on")]),
        ("symbol_left", [one()], [one(left="")]),
        (
            "title_section",
            [one(heading="The force"), one(heading="Definition of force")],
            [one(heading="Work"), one(heading="Average force"), one(heading="Coulomb force law"), one()],
        ),
        (
            "narrow_section",
            [one(heading="Average force"), one(heading="Force on a wire")],
            [one(heading="Net force on a body"), one(heading="Work"), one()],
        ),
        (
            "formula_field",
            [one(hints=(NameHint("infobox", "Formula"),))],
            [one(hints=(NameHint("infobox", "Unit"),)), one(hints=(NameHint("bold_title", "Formula"),)), one()],
        ),
        (
            "besides",
            [one(before="so that q, where "), one(before="and")],
            [one(before="where it is "), one(before="The force is ")],
        ),
        ("expression", [one(kind="expression")], [one()]),
        (
            "relation",
            [one(kind="relation"), one(r"X \sim N"), one(r"F \approx m a")],
            [one(), one(r"F = m a \approx 3", kind="equation"), one(r"\approx a", kind="expression")],
        ),
        (
            "numbers",
            [one("v = 3"), one(r"l = 3\,\mathrm{km}"), one("5+2=7"), one("X = 2, X = 3")],
            [one(), one("v = 3, w = k u"), one(r"K=\frac{1}{2}mv^2")],
        ),
        (
            "mean",
            [one(r"\bar{v} = x"), one(r"\Delta v = x"), one(heading="Average force"), one(before="The mean force is ")],
            [one(), one(r"v = \Delta x")],
        ),
    ],
)
def test_a_clue_counts_one_where_it_holds_and_is_silent_elsewhere(
    clue: str, holds: list[ArticleCandidate], fails: list[ArticleCandidate]
) -> None:
    assert [score(clue, each) for each in holds] == [1.0] * len(holds)
    assert [score(clue, each) for each in fails] == [None] * len(fails)


@pytest.mark.parametrize("title", ["Average speed", "Mean free path", "Energy difference", "Change of state"])
def test_a_mean_is_no_fault_where_the_article_is_about_one(title: str) -> None:
    assert score("mean", one(r"\bar{v} = x"), article(title=title)) is None
    assert score("mean", one(r"\bar{v} = x"), article(title="Meaning")) == 1.0


@pytest.mark.parametrize(
    ("clue", "candidate", "wanted"),
    [
        ("far", one(rank=0), None),
        ("far", one(rank=1), round(1 / 6, 4)),
        ("far", one(rank=7), 0.5),
        ("far", one(rank=63), 1.0),
        ("far", one(rank=500), 1.0),
        ("repeated", one(repeated=0), None),
        ("repeated", one(repeated=1), 0.5),
        ("repeated", one(repeated=3), 1.0),
        ("repeated", one(repeated=9), 1.0),
        ("large", one(leaves=45), None),
        ("large", one(leaves=46), round(math.log2(46 / 45), 4)),
        ("large", one(leaves=90), 1.0),
        ("large", one(leaves=400), 1.0),
        ("meanings", one(), None),
        ("meanings", one(definitions=(Definition("F", "force"),)), 0.3333),
        ("meanings", one(definitions=(Definition("F", "force"), Definition("m_1", "mass"), Definition("q", "charge"))), 0.6667),
        ("meanings", one(definitions=tuple(Definition(s, s) for s in "Fma")), 1.0),
    ],
)  # fmt: skip
def test_clues_that_have_degrees(clue: str, candidate: ArticleCandidate, wanted: float | None) -> None:
    assert score(clue, candidate) == wanted


def test_a_subscript_of_an_explained_symbol_explains_no_letter_of_the_formula() -> None:
    assert score("meanings", one("F = m a", definitions=(Definition("q_a", "charge"),))) is None


@pytest.mark.parametrize(("rank", "wanted"), [(0, 1.0), (1, 0.5), (3, 0.25)])
def test_an_article_on_a_law_speaks_for_its_first_equations(rank: int, wanted: float) -> None:
    assert score("of_a_law", one(rank=rank), article(title="Hooke's law")) == wanted
    assert score("of_a_law", one(rank=rank), article(title="Hooke's law (physics)")) == wanted
    assert score("of_a_law", one(rank=rank), article(title="Spring")) is None
    assert score("of_a_law", one(rank=rank), article(title="")) is None


@pytest.mark.parametrize(
    ("left", "title", "wanted"),
    [
        ("F", "Force", 1.0),
        ("f", "Force", 1.0),
        ("F", "Net force", 1.0),
        ("n", "Net force", 1.0),
        ("F_s", "Force", 1.0),
        ("g", "Force", None),
        ("", "Force", None),
        (r"\alpha", "Alpha decay", None),
    ],
)
def test_the_initial_is_that_of_the_title_or_of_its_last_word(left: str, title: str, wanted: float | None) -> None:
    assert score("initial", one(left=left), article(title=title)) == wanted


def test_the_articles_own_symbol_counts_by_how_often_it_is_introduced() -> None:
    said = [
        occurrence("F", "the force ⟦0⟧ acts"),
        occurrence("G", "a force ⟦1⟧", 1),
        occurrence("F", "The force ⟦2⟧", 2),
    ]
    about = article(*said)
    assert dict(about.symbols) == {"F": 4, "G": 2}
    assert [score("own_symbol", one(left=left), about) for left in ("F", "G", "H", "")] == [1.0, 0.5, None, None]
    assert [score("other_symbol", one(left=left), about) for left in ("F", "G", "H", "")] == [None, None, 1.0, None]
    assert score("other_symbol", one(left="H"), article()) is None


def test_symbols_come_from_definitions_formulas_and_letters_in_the_text() -> None:
    defined = occurrence("x = y", "⟦0⟧", definitions=(Definition("P", "the force"), Definition("Q", "mass")))
    text = occurrence("a = b", "The force K of the spring, and the mass M.", 1)
    assert dict(article(defined, text).symbols) == {"P": 1, "K": 1}
    again = occurrence("c = d", "The force K of the spring, and the mass M.", 2)
    assert article(text, again).symbols["K"] == 1, "one window is read once"


def test_an_equation_that_another_one_just_used_serves_it_but_not_another_one_of_its_own_letter() -> None:
    texs = ("F = m a", "a = d v", "b = c d", "a_0 = g a")
    about = article(*(occurrence(tex, position=n) for n, tex in enumerate(texs)))
    served = {c.tex: score("serves_another", c, about) for c in about.candidates}
    assert served == {"F = m a": None, "a = d v": 1.0, "b = c d": None, "a_0 = g a": 1.0}
    alone = article(occurrence("a_0 = g a"), occurrence("a = d v", position=1))
    assert score("serves_another", alone.candidates[1], alone) is None


@pytest.mark.parametrize(("between", "wanted"), [(5, 1.0), (6, None)])
def test_what_stands_more_than_six_equations_before_is_not_served(between: int, wanted: float | None) -> None:
    middle = [occurrence(f"p_{n} = q r", position=n + 1) for n in range(between)]
    about = article(occurrence("F = m a"), *middle, occurrence("a = d v", position=between + 1))
    assert score("serves_another", about.candidates[-1], about) == wanted


def test_letters_shared_with_the_other_formulas_make_one_central() -> None:
    texs = ("F = m a", "F = q E", "x = y z")
    about = article(*(occurrence(tex, position=n) for n, tex in enumerate(texs)))
    assert [score("central", c, about) for c in about.candidates] == [round(1 / 6, 4), round(1 / 6, 4), None]
    two = article(*(occurrence(tex, position=n) for n, tex in enumerate(texs[:2])))
    assert score("central", two.candidates[0], two) is None
    assert dict(about.letter_counts) == {"F": 2, "m": 1, "a": 1, "q": 1, "E": 1, "x": 1, "y": 1, "z": 1}


@pytest.mark.parametrize(
    ("before", "gap"),
    [("The force is ", 1), ("The force ", 0), ("A force and then the force is simply ", 2), ("The torque is ", -1), ("forceful ", -1)],
)  # fmt: skip
def test_words_from_the_last_mention_of_the_subject_are_counted(before: str, gap: int) -> None:
    about = article(occurrence("F = m a", f"{before}⟦0⟧ here."))
    assert {at: words for at, (words, _) in about.names_after_mentions.items()} == ({0: gap} if gap >= 0 else {})
    (candidate,) = about.candidates
    assert score("title_in_sentence", candidate, about) == (1.0 if gap >= 0 else None)
    assert score("title_near", candidate, about) == (round(math.exp(-gap / 6), 4) if gap >= 0 else None)


@pytest.mark.parametrize(
    ("title", "language", "before", "wanted"),
    [
        ("Force", "en", "The force is given by ", ("subject", "says", "defines")),
        ("Force", "en", "The work of the force is given by ", ("says",)),
        ("Quantum fidelity", "en", "The fidelity is defined as ", ("short_subject", "says", "defines")),
        ("Quantum fidelity", "en", "For the fidelity is given ", ()),
        ("Stochastic map", "en", "The map is defined as ", ("short_subject", "says", "defines")),
        ("Stochastic pi", "en", "The pi is defined as ", ("says",)),
        ("Force", "en", "In every simple force the work is given by ", ("says",)),
        ("Force", "en", "The force balance sheet is given by ", ("says",)),
        ("Force", "en", "In mechanics, force F is given by ", ("subject", "says", "defines")),
        ("Force", "en", "The force expression is given by ", ("subject", "says", "defines")),
        ("Force", "en", "The force has the form ", ("subject", "says", "defines")),
        ("Kraft", "de", "Die Kraft ist definiert als ", ("subject", "says", "defines")),
        ("Kraft", "de", "Die Arbeit der Reibung durch die Kraft lautet ", ("says",)),
        ("Travail d'une force", "fr", "Le travail est défini par ", ("short_subject", "says", "defines")),
        ("Velocidad", "es", "La velocidad se define como ", ("subject", "says", "defines")),
        ("Velocità", "it", "La derivata della velocità è definita ", ("says",)),
    ],
)
def test_the_sentence_may_be_about_the_subject_or_about_something_of_it(
    title: str, language: str, before: str, wanted: tuple[str, ...]
) -> None:
    about = article(occurrence(window=f"{before}⟦0⟧", heading="Use"), title=title, language=language)
    (found,) = about.candidates
    assert tuple(n for n in ("subject", "short_subject", "says", "defines") if score(n, found, about)) == wanted


@pytest.mark.parametrize(
    ("before", "wanted"),
    [
        ("The force is the rate of change, ", ("said_to_be",)),
        ("The force on the body, ", ()),
        ("The work of the force is ", ()),
        ("The force is related to the work by ", ("said_to_be", "relates")),
    ],
)
def test_a_sentence_says_in_words_what_the_subject_is_or_connects_it_with_something_else(
    before: str, wanted: tuple[str, ...]
) -> None:
    about = article(occurrence(window=f"{before}⟦0⟧", heading="Use"))
    (found,) = about.candidates
    assert tuple(n for n in ("said_to_be", "relates") if score(n, found, about)) == wanted


def test_the_first_formula_of_which_a_clue_holds_is_marked() -> None:
    said = [
        ("a b c", "Of ⟦0⟧."),  # which states nothing
        ("F = m a", "Then ⟦1⟧."),
        ("F = m b", "The force is given by ⟦2⟧."),
        ("F = m c", "The force is given by ⟦3⟧."),
    ]
    about = article(*(occurrence(tex, window, n) for n, (tex, window) in enumerate(said)))
    scored = [{name for name in scores if name.startswith("first_")} for _, scores in scored_candidates(about)]
    assert scored == [set(), {"first_lead"}, {"first_defines", "first_title_in_sentence"}, set()]


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("Definition", 1),
        ("Properties", -1),
        ("Basic properties", -1),
        ("Derivation of the formula", -1),
        ("Formulas of related kinds", 1),
        ("Formula and examples", 1),
        ("Motion by definition", 1),
        ("Motion", 0),
    ],
)
def test_the_head_of_a_heading_says_what_its_section_does(heading: str, wanted: int) -> None:
    found = one(heading=heading)
    states, aside = score("statement_section", found), score("aside_section", found)
    assert (states, aside) == (1.0 if wanted > 0 else None, 1.0 if wanted < 0 else None)


@pytest.mark.parametrize(
    ("title", "language", "opening", "called", "kinds"),
    [
        ("Bézier", "en", "A Bézier is a parametric curve of some kind.", "a parametric curve", {}),
        ("Speed", "en", "In kinematics, speed is the rate of change of place.", "the rate", {"quantity": 1.0}),
        ("Lathe", "en", "A lathe is a machine tool that turns a workpiece.", "a machine tool", {"thing": 1.0}),
        ("Sorting problem", "en", "The sorting problem is a function of lists.", "a function", {"thing": 0.5, "quantity": 0.5}),
        ("Timer", "en", "A timer is a function device of some kind.", "a function device", {"thing": 1.0}),
        ("Tour", "fr", "Le tour est une machine fonction pour les pièces.", "une machine fonction", {"thing": 1.0}),
        ("Dichte", "de", "Die Dichte ist der Quotient von Masse und Volumen.", "der Quotient", {"quantity": 1.0}),
        ("Drehbank", "de", "Die Drehbank ist eine Werkzeugmaschine für runde Teile.", "eine Werkzeugmaschine", {"thing": 1.0}),
        ("Vitesse", "fr", "La vitesse est le rapport de la distance au temps.", "le rapport", {"quantity": 1.0}),
        ("Topologie", "fr", "La topologie est une branche des mathématiques.", "une branche", {"thing": 1.0}),
        ("Torno", "es", "El torno es una máquina de medida que gira.", "una máquina", {"thing": 1.0}),
        ("Tornio", "it", "Il tornio è una macchina per pezzi rotondi.", "una macchina", {"thing": 1.0}),
        ("Redshift", "en", "A redshift is a kind of shift of lines.", "shift", {"quantity": 1.0}),
        ("Bracket", "en", "The bracket is a generalization of the Lie algebra.", "Lie algebra", {"quantity": 0.5, "thing": 0.5}),
        ("Wärme", "de", "Wärme ist eine Form der Energie.", "Energie", {"quantity": 1.0}),
        ("Chaleur", "fr", "La chaleur est une forme d'énergie.", "énergie", {"quantity": 1.0}),
        ("Calor", "es", "El calor es una forma de energía.", "energía", {"quantity": 1.0}),
        ("Calore", "it", "Il calore è una forma di energia.", "energia", {"quantity": 1.0}),
        ("Speed", "ru", "Скорость — это величина.", "", {}),
    ],
)  # fmt: skip
def test_what_the_article_calls_its_subject_says_whether_it_is_calculated(
    title: str, language: str, opening: str, called: str, kinds: dict[str, float]
) -> None:
    about = ArticleFormulas(Document("a", title, language=language, opening=opening), (occurrence(),))
    assert (about.called_in_definition, about.subject) == (called, kinds)
    assert score("quantity", one(), about) == kinds.get("quantity")
    assert score("thing", one(), about) == kinds.get("thing")


@pytest.mark.parametrize(
    ("language", "opening", "tex", "wanted"),
    [
        ("en", "Speed is the ratio of distance to time.", r"v = \frac{s}{t}", 1.0),
        ("en", "Speed is the ratio of distance to time.", "v = s t", None),
        ("de", "Das Effektive ist die Wurzel aus dem Mittel.", r"x = \sqrt{y}", 1.0),
        ("fr", "La force est la dérivée de l'impulsion.", r"F = \frac{dp}{dt}", 1.0),
        ("es", "La energía es la suma de las partes.", r"E = \sum_i e_i", 1.0),
        ("it", "Il flusso è l'integrale della densità.", r"F = \int f", 1.0),
    ],
)
def test_the_formula_has_the_operation_of_the_definition_in_words(
    language: str, opening: str, tex: str, wanted: float | None
) -> None:
    about = ArticleFormulas(Document("a", "", language=language, opening=opening), ())
    assert score("operation", one(tex), about) == wanted


def test_the_formula_has_the_quantities_of_the_definition_in_words() -> None:
    told = (Definition("m", "mass of the body"), Definition("v", "velocity"), Definition("q", "charge"))
    opening = "Momentum is the product of mass and velocity."
    about = ArticleFormulas(Document("a", "Momentum", opening=opening), (occurrence("p = m v", definitions=told),))
    found = [score("ingredients", one(tex), about) for tex in ("p = m v", "p = m q", "m = q", "q = m v w")]
    assert found == [1.0, 0.5, None, 1.0]
    itself = (Definition("p", "momentum"),)  # named by the article, and so by every definition of it
    about = ArticleFormulas(about.document, (occurrence("E = p c", definitions=itself),))
    assert score("ingredients", one("E = p c"), about) is None


@pytest.mark.parametrize(
    ("tex", "wanted"), [(r"\{f, g\}_{DB} = 0 f", 1.0), (r"x_\mathrm{db} = y", 1.0), ("d = b", None), ("b_d = x", None)]
)
def test_the_left_side_may_have_the_initials_of_the_title(tex: str, wanted: float | None) -> None:
    assert score("initials", one(tex), article(title="Dirac bracket")) == wanted


def test_what_the_left_symbol_is_explained_as() -> None:
    about = article(occurrence(definitions=(Definition("F", "the force"), Definition("p", "the momentum"))))
    assert [score("own_meaning", one(left=left), about) for left in "Fpx"] == [1.0, None, None]
    assert [score("other_meaning", one(left=left), about) for left in "Fpx"] == [None, 1.0, None]


@pytest.mark.parametrize(
    ("title", "opening", "wanted"),
    [
        ("List of forces", "", 1.0),
        ("Forces", "This is a summary of forces.", 1.0),
        ("Force", "A force is a push.", None),
    ],
)
def test_a_list_is_known_by_its_title_or_its_first_sentence(title: str, opening: str, wanted: float | None) -> None:
    about = ArticleFormulas(Document("a", title, opening=opening), ())
    assert score("listing", one(), about) == wanted


@pytest.mark.parametrize(
    ("heading", "wanted"),
    [
        ("Definition", (1.0, None)),
        ("Definition and properties", (1.0, None)),
        ("Properties and definition", (None, 1.0)),
        ("Force", (None, None)),
        ("Einstein field equations", (None, None)),
        ("Formula of the force", (1.0, None)),
    ],
)
def test_a_heading_states_or_does_something_else_by_its_first_word_of_either_kind(
    heading: str, wanted: tuple[float | None, float | None]
) -> None:
    candidate, about = one(heading=heading), article()
    assert (score("statement_section", candidate, about), score("aside_section", candidate, about)) == wanted


def test_a_heading_may_name_the_article_by_any_of_its_names() -> None:
    bold = one(hints=(NameHint("bold_title", "Thrust"),))
    about = article(bold.occurrence, title="Force")
    assert about.names == ("force", "thrust")
    assert [score("initial", one("x = y", left=left), about) for left in ("F", "T")] == [1.0, None]
    assert [score("title_section", one(heading=h), about) for h in ("The thrust", "The force", "Work")] == [1, 1, None]


def test_the_law_of_an_ideal_gas_is_not_the_law_of_the_article_on_gas() -> None:
    candidate = one(heading="Ideal gas law")
    found = {
        title: score("other_law", candidate, article(title=title)) for title in ("Gas", "Ideal gas law", "Gas law")
    }
    assert found == {"Gas": 1.0, "Ideal gas law": None, "Gas law": None}


def test_a_theorem_may_be_stated_in_words() -> None:
    assert score("of_a_law", one(), article(title="Hilbert's theorem")) is None


def test_the_subject_is_also_called_by_its_initials_and_a_law_by_its_head() -> None:
    names = article(title="Simple harmonic motion").mentions
    assert names == ("simple harmonic motion", "shm")
    assert article(title="Hooke's law").mentions == ("hooke law", "law")
    assert article(title="Kinetic energy").mentions == ("kinetic energy",)
    bold = occurrence(hints=(NameHint("bold_title", "Newton's second law"), NameHint("heading", "Use")))
    assert article(bold).names == ("force", "newton second law")
    assert article(bold, title=" ").names == ("newton second law",)


def test_formulas_too_small_too_long_or_without_a_tree_are_no_candidates_and_rank_counts_what_states() -> None:
    long = "p = " + "q + " * 400 + "r"
    texs = ["F", "F = m a", "a + b + c", r"\frac{", long, "x = x(t)", "F=ma", "G = k h"]
    about = article(*(occurrence(tex, position=n, heading="Use" if n > 5 else "") for n, tex in enumerate(texs)))
    found = {c.tex: (c.rank, c.rank_in_section, c.repeated) for c in about.candidates}
    assert found == {"F = m a": (0, 0, 1), "a + b + c": (1, 1, 0), "F=ma": (1, 0, 1), "G = k h": (2, 1, 0)}


@pytest.mark.parametrize(("length", "there"), [(1000, True), (1001, False)])
def test_up_to_a_thousand_characters_a_formula_is_a_candidate(length: int, there: bool) -> None:
    tex = "p = q + r".ljust(length - 1) + "s"
    assert bool(article(occurrence(tex)).candidates) is there


def test_what_stands_before_and_after_in_its_own_sentence() -> None:
    window = "It moves. The force is ⟦0⟧, where it acts. Here m is the mass."
    (candidate,) = article(occurrence(window=window)).candidates
    assert (candidate.before, candidate.after) == ("The force is ", ", where it acts. Here m is the mass.")
    (bare_window,) = article(occurrence(window="no mask here")).candidates
    assert (bare_window.before, bare_window.after) == ("", "")
    (start,) = article(occurrence(window="⟦0⟧ is the force.")).candidates
    assert (start.before, start.after) == ("", " is the force.")


@pytest.mark.parametrize(
    ("tex", "plain"), [("F", "F"), (r"\vec{F}", "F"), ("F = 1", ""), ("x, y", ""), ("a<b", ""), ("x_" + "{aaaaaaaaaaaaaa}", "x_aaaaaaaaaaaaaa"), ("x_" + "{aaaaaaaaaaaaaaa}", "")]
)  # fmt: skip
def test_the_plain_form_of_one_symbol(tex: str, plain: str) -> None:
    assert bare_symbol(tex) == plain


def test_the_choice_has_its_share_among_all_formulas_and_a_probability_of_its_own() -> None:
    rows = [(one("F = m a", position=0), {"first": 1.0, "lead": 0.5}), (one("x = y z", position=1), {})]  # fmt: skip
    model = ArticleModel({"first": 2.0, "lead": 1.0}, {"share": 2.0, "lead": 1.0}, -1.0, 0.5)
    share = math.exp(2.5) / (math.exp(2.5) + 1)
    wanted = 1 / (1 + math.exp(1 - 2 * share - 0.5))
    found = choose_formula(Document("a", "Force"), rows, model)
    assert (found.tex, found.position, found.accepted) == ("F = m a", 0, True)
    assert found.probability == round(wanted, 4)
    assert found.others == (("x = y z", round(1 - share, 4)),)
    assert found.reasons == (("first", round(math.tanh(2), 4)), ("lead", round(math.tanh(1), 4)))
    assert choose_formula(Document("a", "Force"), rows, replace(model, accept_from=wanted)).accepted
    assert not choose_formula(Document("a", "Force"), rows, replace(model, accept_from=0.9)).accepted


def test_the_strongest_reasons_are_told_whichever_way_they_speak_and_those_without_weight_are_not() -> None:
    names = [f"e{n}" for n in range(8)]
    model = ArticleModel({name: (-1) ** n * (n + 1) / 10 for n, name in enumerate(names)}, {})
    rows = [(one(), dict.fromkeys([*names, "unknown"], 1.0))]
    assert [name for name, _ in choose_formula(Document("a", "Force"), rows, model).reasons] == [
        "e7",
        "e6",
        "e5",
        "e4",
        "e3",
        "e2",
    ]


def test_equal_formulas_count_together_and_the_earlier_one_is_shown() -> None:
    rows = [(one(tex, position=n), {}) for n, tex in enumerate(("x = y z", "F = m a", "F=ma"))]
    found = choose_formula(Document("a", "Force"), rows, ArticleModel({}, {"share": 1.0}))
    assert (found.tex, found.probability) == ("F = m a", round(1 / (1 + math.exp(-2 / 3)), 4))
    assert found.others == (("F=ma", 0.6667), ("x = y z", 0.3333))


def test_only_the_six_best_are_compared_and_three_others_shown() -> None:
    rows = [(one(f"F_{{{n}}} = m a_{{{n}}} + {n}b", position=n), {"e": 1 - n / 10}) for n in range(8)]
    found = choose_formula(Document("a", "Force"), rows, ArticleModel({"e": 1.0}, {}))
    assert found.position == 0
    assert [tex for tex, _ in found.others] == [row[0].tex for row in rows[1:4]]


@pytest.mark.parametrize(("characters", "wanted"), [(112, 1.0), (113, None)])
def test_an_example_is_heard_in_the_last_120_characters(characters: int, wanted: float | None) -> None:
    assert score("example", one(before="suppose " + "x" * characters)) == wanted


def test_a_name_of_two_letters_introduces_no_symbol() -> None:
    text = occurrence("a = b", "So here the pH K is measured, and the gas G of it.")
    assert dict(article(text, title="pH").symbols) == {}
    assert dict(article(text, title="Gas").symbols) == {"G": 1}


def test_where_there_are_no_letters_no_meaning_is_told() -> None:
    assert score("meanings", one("1 + 1 = 2")) is None


@pytest.mark.parametrize(
    ("listed", "scores"),
    [
        (None, (0.0, 0.0, 0.0, 0.0)),
        ((), (0.0, 0.0, 0.0, 0.0)),
        (("F = m a",), (1.0, 1.0, 1.0, 1.0)),
        (("E = h", "F = m a"), (1.0, 1.0, 1 / 14, 1.0)),
        (("F = m a + k",), (1.0, 9 / 15, 9 / 15, 9 / 15)),
        (("F = m",), (1.0, 6 / 9, 6 / 9, 1.0)),
    ],
)
def test_how_much_of_a_formula_the_list_has_of_the_subject(
    listed: tuple[str, ...] | None, scores: tuple[float, ...]
) -> None:
    about = replace(article(occurrence()), listed=listed)
    names = ("is_listed", "like_listed", "like_first_listed", "contains_listed")
    assert [float(CLUES[name](about, one())) for name in names] == pytest.approx(scores)
