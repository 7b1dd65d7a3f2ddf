"""What sentences say a formula is called."""

import pytest

from bot.discover.cues.prose import prose_cues


def strong(window: str, symbol: str = "", formulas: dict[int, str] | None = None) -> set[tuple[str, str]]:
    weak = {"phrase", "phrase_law", "phrase_quantity", "window_law", "window_quantity"}
    return {(name, kind) for name, kind in prose_cues(window, 1, symbol, formulas or {}) if name and kind not in weak}


@pytest.mark.parametrize(
    ("window", "name", "kind"),
    [
        ("We have ⟦1⟧, known as the virial theorem.", "virial theorem", "called"),
        ("We have ⟦1⟧. This is called the Poisson equation.", "Poisson equation", "called"),
        ("It obeys ⟦1⟧. This is the Friedmann equation.", "Friedmann equation", "this_is"),
        ("It obeys the Klein–Gordon equation ⟦1⟧.", "Klein–Gordon equation", "adjacent_law"),
        ("This quantity is known as the time constant: ⟦1⟧.", "time constant", "called_before"),
        ("The moment of inertia of a ring is defined as ⟦1⟧.", "moment of inertia", "defined"),
        ("We define the damping ratio as ⟦1⟧.", "damping ratio", "defined"),
        ("The equation for the range is ⟦1⟧.", "range", "defined"),
        ("The Navier–Stokes equations for incompressible flow: ⟦1⟧.", "Navier–Stokes equations", "defined"),
        ("The Hamiltonian equations of motion: ⟦1⟧.", "Hamiltonian equations of motion", "adjacent_law"),
        ("This is a statement of Ohm's law: ⟦1⟧.", "Ohm's law", "adjacent_law"),
        ("Then it's dynamics are ⟦1⟧.", "dynamics", "equals"),
        ("Newton's second law states that ⟦1⟧.", "Newton's second law", "states"),
        ("It grows by ⟦1⟧ (Hubble's law).", "Hubble's law", "parenthesis"),
        ("So we get ⟦0⟧, where ⟦1⟧ is the inductive time constant.", "inductive time constant", "is_the"),
        ("The block moves with a tangential velocity of ⟦1⟧.", "tangential velocity", "adjacent_of"),
        ("Mean or expected value: ⟦1⟧ Variance: ⟦2⟧", "expected value", "label_before"),
        ("It turns out that the line of best fit has the equation: ⟦1⟧.", "line of best fit", "equals"),
        ("This is called the flow rate. In symbols, this is written as ⟦1⟧.", "flow rate", "called_before"),
        ("Then ⟦1⟧. This equation defines the maximum height of a ball.", "maximum height", "this_gives_part"),
        ("The change in the internal energy is ⟦1⟧.", "change in the internal energy", "equals"),
        ("Solution. (a) The capacitance of the capacitor is ⟦1⟧.", "capacitance of the capacitor", "equals"),
        ("We use the lens/mirror equation ⟦1⟧.", "lens/mirror equation", "adjacent_law"),
        ("It obeys the distributive law: ⟦1⟧.", "distributive law", "adjacent_law"),
        ("The current gain is therefore ⟦1⟧.", "current gain", "equals"),
        ("It is tied to the z-components of spin, expressed by ⟦1⟧.", "z-components of spin", "adjacent"),
        ("We see the angular magnification M, which is defined by ⟦1⟧.", "angular magnification", "defined"),
        ("One is the z-component of spin. This component is given by ⟦1⟧.", "z-component of spin", "subject_before"),
    ],
)
def test_patterns(window: str, name: str, kind: str) -> None:
    assert (name, kind) in strong(window)


def test_a_noun_that_stands_for_no_fuller_name_gives_none() -> None:
    assert "subject_before" not in {
        kind for _, kind in strong("We see the spin of it. This component is given by ⟦1⟧.")
    }


def test_a_sentence_is_no_label_and_a_remark_no_name() -> None:
    assert "label_before" not in {kind for _, kind in strong("This quantity is known as the time constant: ⟦1⟧.")}
    assert "parenthesis" not in {kind for _, kind in strong("It is ⟦1⟧ (The subscript will be omitted henceforth.)")}


def test_a_law_is_not_cut_before_of() -> None:
    found = strong("The Hamiltonian equations of motion: ⟦1⟧.")
    assert ("Hamiltonian equations", "defined") not in found


def test_what_a_formula_holds_for_is_no_name() -> None:
    assert {kind for _, kind in strong("It is so. For an ideal gas: ⟦1⟧.")} == {"subject_first", "subject_first_part"}
    assert ("mean energy", "label_before") in strong("It is so. For the mean energy: ⟦1⟧.")


@pytest.mark.parametrize(
    ("window", "name"),
    [
        ("For an exothermic reaction (⟦1⟧) it falls.", "exothermic reaction"),
        ("Now integrate from the South Pole (⟦1⟧).", "South Pole"),
        ("In a process at constant temperature (⟦1⟧) it falls.", "constant temperature"),
    ],
)
def test_what_a_preposition_governs_before_a_parenthesis_is_no_name(window: str, name: str) -> None:
    assert not {(name, "parenthesis"), (name, "adjacent")} & strong(window)
    assert ("Newton's second law", "label_before") in strong("Newton's second law for constant mass: ⟦1⟧.")
    assert ("constant mass", "label_before") not in strong("Newton's second law for constant mass: ⟦1⟧.")
    assert ("degrees of freedom", "parenthesis") in strong("It depends on its level and degrees of freedom (⟦1⟧).")


def test_a_law_that_is_made_use_of_does_not_name_the_result() -> None:
    assert not strong("Plugging this into the Navier–Stokes equation for constant pressure, we find ⟦1⟧.") & {
        ("Navier–Stokes equation", "defined"),
        ("constant pressure", "defined"),
    }
    assert "states" not in {kind for _, kind in strong("Poincaré's theorem tells us that we can write ⟦1⟧.")}
    assert "states" not in {kind for _, kind in strong("The Navier–Stokes equation implies: ⟦1⟧.")}


def test_a_value_is_no_part_of_the_name() -> None:
    found = strong("It makes a reference voltage of value ⟦1⟧.")
    assert ("reference voltage", "adjacent_of") in found
    assert ("reference voltage of value", "adjacent") not in found


def test_words_before_the_left_side_symbol_name_it() -> None:
    window = "We find ⟦1⟧. Thus the tangential acceleration ⟦2⟧ grows."
    assert ("tangential acceleration", "apposition") in strong(window, "a", {2: r"\vec{a}"})
    assert ("flow rate", "apposition") in strong("The flow rate Q is ⟦1⟧.", "Q")
    assert ("kinetic energy", "apposition") in strong("The kinetic energy (KE) is ⟦1⟧.", "KE")


def test_the_left_side_symbol_may_be_called_by_name() -> None:
    window = "It depends on the quantity ⟦2⟧. The quantity V is called the Hall voltage and is small. Then ⟦1⟧."
    assert ("Hall voltage", "symbol_called") in strong(window, "V")
    assert ("flux vector", "symbol_called") in strong(
        "Here ⟦2⟧, known as the flux vector, is ⟦1⟧.", "S", {2: r"\vec S"}
    )
    assert not any(kind == "symbol_called" for _, kind in strong(window, "U"))


def test_a_name_given_after_another_formula_is_not_this_ones() -> None:
    names = {name for name, _ in strong("From ⟦1⟧ follows ⟦2⟧. This is called the Poisson equation.")}
    assert "Poisson equation" not in names


def test_a_name_given_to_a_symbol_is_not_the_formulas() -> None:
    names = {name for name, _ in strong("Then ⟦1⟧, where the number ⟦2⟧ is called the coupling strength.")}
    assert "coupling strength" not in names


def test_a_window_without_the_formula_gives_every_short_run_of_words() -> None:
    names = set(prose_cues("describes dark energy equation state", 1, "", {}))
    assert ("equation state", "close_law") in names
    assert ("dark energy", "close_quantity") in names


def test_a_ratio_gets_its_name_back_from_a_bare_window() -> None:
    assert ("muon to tau mass ratio", "close_quantity") in set(
        prose_cues("we measure ratio muon tau masses", 1, "", {})
    )
    assert not any(
        "to" in name.split() for name, _ in prose_cues("dimensionless ratio angular diameter distance", 1, "", {})
    )
