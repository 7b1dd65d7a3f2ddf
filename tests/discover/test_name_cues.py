"""What one occurrence says about its formula's name, with its document at hand."""

from __future__ import annotations

import pytest

from bot.discover.cues.name_cues import DocumentContext, name_cues
from bot.records import Definition, Document, NameHint, Occurrence

ARTICLE = Document("a", "Angular momentum (physics)", kind="encyclopaedia")


def said(document: Document, occurrence: Occurrence, *others: Occurrence) -> set[tuple[str, str]]:
    everything = sorted((occurrence, *others), key=lambda o: o.position)
    context = DocumentContext.of(document, everything, {o.position for o in everything if "=" in o.tex})
    return {(s.name, s.kind) for s in name_cues(occurrence, context)}


def formula(tex: str, window: str = "", position: int = 0, **more: object) -> Occurrence:
    return Occurrence("a", position, tex, True, window, **more)  # type: ignore[arg-type]


def test_the_first_equation_of_an_article_may_be_the_articles() -> None:
    assert ("Angular momentum", "title_first") in said(ARTICLE, formula("L = I\\omega"))
    assert ("Angular momentum", "title") in said(ARTICLE, formula("a = b + c", position=1), formula("L = I\\omega"))


def test_an_article_is_not_about_a_formula_whose_left_side_is_something_else() -> None:
    force = formula("F = M g", "⟦0⟧ where", definitions=(Definition("F", "force"),))
    assert ("Mass", "title") in said(Document("a", "Mass", kind="encyclopaedia"), force)
    mass = formula("M = F / g", definitions=(Definition("M", "load"),))
    assert ("Mass", "title") in said(Document("a", "Mass", kind="encyclopaedia"), mass)
    beside = formula("M", "the mass ⟦5⟧ is", position=5)  # one of two things that it is called is enough
    assert ("Mass", "title_first") in said(Document("a", "Mass", kind="encyclopaedia"), mass, beside)


def test_what_the_left_side_means_is_a_name_wherever_the_document_says_it() -> None:
    elsewhere = formula("L", "the angular momentum ⟦5⟧ is", position=5)
    found = said(ARTICLE, formula("L = r p", position=1), elsewhere)
    assert ("angular momentum", "symbol_far") in found
    assert ("Angular momentum", "title_symbol") in found


def test_what_other_symbols_mean_is_known_as_such() -> None:
    momentum = formula("p = m v", definitions=(Definition("p", "the momentum"), Definition("m", "the mass")))
    found = said(ARTICLE, momentum)
    assert ("momentum", "symbol") in found
    assert ("mass", "constituent") in found


def test_a_term_that_is_another_symbol_of_the_formula_does_not_name_it() -> None:
    term = (NameHint("defined_term", "dipole operator"),)
    moment = formula("R = p m", "where ⟦5⟧ is it", definitions=(Definition("m", "dipole operator"),), hints=term)
    assert "defined_term" not in {kind for _, kind in said(ARTICLE, moment)}
    apposed = formula("J = L + S", "the spin ⟦5⟧, thus ⟦0⟧", hints=(NameHint("defined_term", "spin"),))
    assert "defined_term" not in {kind for _, kind in said(ARTICLE, apposed, formula("S", position=5))}
    assert ("spin", "defined_term") in said(ARTICLE, apposed, formula(r"\vec{J}", position=5))
    process = (NameHint("defined_term", "reversible process"),)
    case = formula("s = q", "For any reversible process, ⟦0⟧.", hints=process)
    assert "defined_term" not in {kind for _, kind in said(ARTICLE, case)}
    beside = formula("s = q", "In a reversible process ⟦0⟧.", hints=process)
    assert ("reversible process", "defined_term") in said(ARTICLE, beside)
    bracket = formula("A B - B A = [A, B]", definitions=(Definition("[A, B]", "commutator"),))
    assert "commutator" not in {name for name, kind in said(ARTICLE, bracket) if kind == "constituent"}
    own = formula("m = p q", definitions=(Definition("m", "dipole operator"),), hints=term)
    assert ("dipole operator", "defined_term") in said(ARTICLE, own)


@pytest.mark.parametrize(
    ("language", "given", "name"),
    [("es", "La ley de Ohm", "ley de Ohm"), ("de", "Das Drehmoment", "Drehmoment"), ("fr", "L’énergie", "énergie")],
)
def test_a_name_is_shown_without_the_article_of_its_language(language: str, given: str, name: str) -> None:
    book = Document("a", "3", language=language, kind="textbook")
    assert (name, "key_equations") in said(book, formula("a = b", hints=(NameHint("key_equations", given),)))


def test_the_caption_of_a_picture_is_no_heading() -> None:
    book = Document("a", "3", kind="textbook")
    assert said(book, formula("a = b", heading="Figure 3. Traffic speed")) == set()


def test_hints_of_the_author_are_taken_as_they_stand() -> None:
    table = formula("a = b", hints=(NameHint("key_equations", "Commutative law"),))
    assert ("Commutative law", "key_equations") in said(ARTICLE, table)


def test_headings_of_steps_name_nothing() -> None:
    assert not any("Derivation" in name for name, _ in said(ARTICLE, formula("a = b", heading="Derivation of the law")))
    found = said(ARTICLE, formula("a = b", heading="Kepler's third law"))
    assert ("Kepler's third law", "heading_law") in found


def test_parts_of_any_textbook_name_nothing_and_a_standard_deviation_is_one() -> None:
    book = Document("a", "Spread", kind="textbook")
    for part in ("Learning Objectives", "Check Your Understanding", "1.2 Key Terms"):
        titled = formula(
            "a = b", heading=part, hints=(NameHint("equation_title", f"{part[4:] if part[0] == '1' else part}:"),)
        )
        assert said(book, titled) == {("Spread", "chapter")}
    assert ("Standard deviation", "heading_part") in said(book, formula("a = b", heading="Standard deviation of data"))


def test_headings_and_chapters_give_the_names_that_they_hold_for_less() -> None:
    book = Document("a", "Energy in Electric Circuits", kind="textbook")
    found = said(book, formula("a = b", heading="Forces on a Thin Wire"))
    assert {("Forces on a Thin Wire", "heading_only"), ("Thin Wire", "heading_part")} <= found
    assert {("Energy in Electric Circuits", "chapter"), ("Electric Circuits", "chapter_part")} <= found


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("3.2 Kinetic energy", "Kinetic energy"),
        ("1. Kinetic energy", "Kinetic energy"),
        ("02b Kalman filter", "Kalman filter"),
        ("2D Ising model", "2D Ising model"),
        ("C. Eulerian description", "Eulerian description"),
        (r"\chi^2 test", "chi-squared test"),
    ],
)
def test_the_number_of_a_heading_or_title_is_no_part_of_the_name(heading: str, name: str) -> None:
    assert (name, "heading_only") in said(Document("a", "Spread", kind="textbook"), formula("a = b", heading=heading))
    assert (name, "chapter") in said(Document("a", heading, kind="textbook"), formula("a = b"))


def test_the_row_of_a_table_is_called_by_its_first_cell() -> None:
    row = formula("W = F d", "Force ⟦1⟧ Work done ⟦0⟧ Power ⟦2⟧", role="table")
    assert any(kind == "row" and name.startswith("Work") for name, kind in said(ARTICLE, row))
    first = formula("W = F d", "Force ⟦1⟧ | ⟦0⟧ Kinetic energy | ⟦2⟧ Power |", role="table")
    assert ("Kinetic energy", "row") in said(ARTICLE, first)


@pytest.mark.parametrize("start", ["", "| "])  # readers begin a row with a bar or not
def test_a_row_does_not_take_the_name_of_the_next_one(start: str) -> None:
    rows = ("Quantity | Linear | Angular", "Momentum | ⟦1⟧ | ⟦0⟧", "Kinetic energy | ⟦2⟧ | ⟦3⟧", "⟦4⟧ | Torque")
    window = "\n\n".join(start + row for row in rows)
    found = said(ARTICLE, formula("L = I w", window, role="table"))
    assert {name for name, kind in found if kind == "row"} == {"Momentum"}
    ended = said(ARTICLE, formula("W = F d", "Work ⟦0⟧\n\n|\n\nPower ⟦1⟧\n\n|", role="table"))
    assert {name for name, kind in ended if kind == "row"} == {"Work"}
    last = said(ARTICLE, formula("M = I a", window, 4, role="table"))
    assert {name for name, kind in last if kind == "row"} == {"Torque"}


def test_a_law_that_stands_behind_a_formula_names_it() -> None:
    book = Document("a", "Waves", kind="textbook")
    assert ("Gauss’s law", "parenthesis") in said(book, formula(r"\oint E=Q \quad\text{(Gauss’s law)}"))
    magnetism = said(book, formula(r"\oint B=0 \qquad(\text{Gauss's law for magnetism})"))
    assert ("Gauss's law for magnetism", "parenthesis") in magnetism
    behind = said(book, formula(r"\oint E=Q \quad\text{(constant field)}"))
    assert "constant field" not in {name for name, _ in behind}


def test_a_change_of_a_symbol_is_named_like_a_symbol() -> None:
    book = Document("a", "Heat", kind="textbook")
    window = "The free energy change ⟦1⟧ tells more. Here ⟦0⟧."
    told = formula(r"\Delta G=a-b", window, definitions=(Definition(r"\Delta G", "the free energy change"),))
    assert ("free energy change", "symbol") in said(book, told)


def test_what_a_heading_tells_to_do_and_the_kind_of_a_box_are_no_names() -> None:
    book = Document("a", "Motion", kind="textbook")
    drawn = said(book, formula("a = b", heading="Graphing position"))
    assert ("position", "heading_part") in drawn
    assert "Graphing position" not in {name for name, _ in drawn}
    titled = formula("a = b", hints=(NameHint("equation_title", "Rule: The Disk Method"),))
    assert ("Disk Method", "equation_title") in said(book, titled)
    assert ("Disk Method", "heading_only") in said(book, formula("a = b", heading="Theorem 3.2: Disk Method"))
    several = said(book, formula("a = b", heading="Drag force"), formula("c = d", position=1, heading="Drag force"))
    assert ("Drag force", "heading_first") in several
    assert ("Drag force", "heading_only") in said(book, formula("a = b", heading="Drag force"))


@pytest.mark.parametrize(
    ("code", "heading", "name"),
    [
        ("fr", "Définition du noyau", "noyau"),
        ("fr", "Définition de la somme directe de deux sous-espaces", "somme directe de deux sous-espaces"),
        ("fr", "Définition de la somme de deux droites", "somme de deux droites"),
        ("fr", "Calcul de (A+B)^p lorsque AB=BA", ""),
        ("fr", "Vecteur vitesse: Définition", "Vecteur vitesse"),
        ("es", "Caso 4: Muestreo pareado", "Muestreo pareado"),
        ("de", "Exkurs: Normalapproximation", "Normalapproximation"),
        ("de", "Fehlerfunktion ableiten", ""),
        ("de", "Berechnung des Gesamtwiderstands", "Gesamtwiderstand"),
        ("de", "Schritt 2: Berechnung der Energie", "Energie"),
        ("de", "b) Berechnung der Energie", "Energie"),
        ("de", "Schritt 2: Ergebnis", ""),
        ("de", "Herleitung der Energie", ""),
    ],
)
def test_headings_of_other_languages_name_what_they_are_about(code: str, heading: str, name: str) -> None:
    found = said(Document("a", "Lehrbuch", code, kind="textbook"), formula("a = b + c", "⟦0⟧", heading=heading))
    assert {each for each, kind in found if kind in ("heading_first", "heading_only")} == ({name} if name else set())


def test_a_title_is_without_the_symbol_that_it_names_and_without_its_kind() -> None:
    book = Document("a", "Motion", kind="textbook")
    assert ("Moment of inertia", "heading_only") in said(book, formula("J = m r", heading="Moment of inertia J"))
    assert ("Torque constant K_t", "heading_only") in said(book, formula("a = K_t", heading="Torque constant K_t"))
    entropy = formula("h(q) = q", hints=(NameHint("equation_title", "Binary entropy function h"),))
    assert ("Binary entropy function", "equation_title") in said(book, entropy)
    bold = formula("a = b", "Definition: Skewness ⟦0⟧", hints=(NameHint("defined_term", "Definition: Skewness"),))
    assert ("Skewness", "defined_term") in said(book, bold)
    done = formula("a = b", hints=(NameHint("equation_title", "Satisfying Walras' law"),))
    assert "equation_title" not in {kind for _, kind in said(book, done)}


@pytest.mark.parametrize(
    ("window", "kind"),
    [
        ("Hoeffding's inequality. Let ⟦1⟧ be binary variables with ⟦0⟧ and ⟦2⟧. Then ⟦3⟧.", "bold_near"),
        ("Hoeffding's inequality. If ⟦1⟧ and ⟦0⟧, then ⟦3⟧.", "bold_near"),
        ("Hoeffding's inequality. We have ⟦1⟧, where by convention, ⟦0⟧.", "bold_near"),
        ("Hoeffding's inequality. Let ⟦1⟧ be binary variables with ⟦2⟧. Then ⟦0⟧.", "equation_title"),
        ("Hoeffding's inequality. There is a bound if and only if ⟦0⟧.", "equation_title"),
        ("Hoeffding's inequality. For all ⟦1⟧, ⟦0⟧.", "equation_title"),
        ("Hoeffding's inequality. It is the one with distribution ⟦1⟧ given by ⟦0⟧.", "equation_title"),
    ],
)
def test_the_title_of_a_box_names_what_it_states_and_less_what_it_holds_for(window: str, kind: str) -> None:
    book = Document("a", "Chance", kind="textbook")
    found = said(book, formula("a = b", window, hints=(NameHint("equation_title", "Hoeffding's inequality"),)))
    assert {k for name, k in found if name == "Hoeffding's inequality" and k in ("bold_near", "equation_title")} == {
        kind
    }


def test_in_other_languages_only_the_structure_speaks() -> None:
    finnish = Document("a", "Drehimpuls", language="fi", kind="encyclopaedia")
    found = said(finnish, formula("L = I\\omega", "Der Drehimpuls is called the spin law ⟦0⟧."))
    assert {kind for _, kind in found} <= {"title_first", "title", "heading", "constituent"}
