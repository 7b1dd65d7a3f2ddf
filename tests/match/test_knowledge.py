"""What the built-in list and the table of symbols tell discover."""

from bot.match.knowledge import LIKELY, Knowledge


def test_the_built_in_list_calls_a_formula_by_its_label() -> None:
    hubble, nothing = Knowledge().names_of([r"H(t)=\dot{a}/a", r"x_{17}+q=\zeta_{3}"])
    assert hubble[0].name == "Hubble's law"
    assert hubble[0].probability > 0.9
    assert "Q179916" in str(hubble[0].reason)
    assert all(one.probability >= LIKELY for one in nothing)


def test_a_quantity_with_other_symbols_than_the_left_side_is_unusual() -> None:
    asked = Knowledge().unusual
    assert asked("energy density", r"\Omega=\rho/\rho_{c}")
    assert not asked("energy density", r"u=E/V")
    assert not asked("density parameter", r"\Omega=\rho/\rho_{c}")  # no symbols are known for it
    assert not asked("energy density", r"a+b=c")  # nothing stands alone on the left
