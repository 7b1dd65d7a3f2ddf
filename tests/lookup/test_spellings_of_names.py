"""The ways in which a wiki may spell a name that a text spells in one way."""

from __future__ import annotations

import pytest

from bot.lookup.queries import spellings


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("Ideal gas law", "ideal gas law"),
        ("ideal gas law", "Ideal gas law"),
        ("Ideal Gas Law", "ideal gas law"),
        ("Hubble's Law", "Hubble's law"),
        ("Hubble’s law", "Hubble's law"),
        ("  ideal\n gas  law ", "ideal gas law"),
        ("Euler-Lagrange equation", "Euler–Lagrange equation"),
        ("Euler–Lagrange equation", "Euler-Lagrange equation"),
        ("NMR shift", "NMR shift"),
        ("Theory of NMR Shifts", "theory of NMR shifts"),
        ("Law of pH Value", "Law of pH value"),
    ],
)
def test_a_label_is_among_the_spellings(name, label):
    assert label in spellings(name)


def test_an_acronym_keeps_its_capitals():
    for name in ("NMR Shift", "DMol Method"):
        assert all(form.startswith(name[:4]) for form in spellings(name))


def test_the_name_itself_comes_first_and_the_ways_are_few():
    assert spellings("Stefan-Boltzmann Law")[0] == "Stefan-Boltzmann Law"
    assert len(spellings("Stefan-Boltzmann Law")) <= 10


def test_nothing_has_no_spelling():
    assert spellings("  ") == ()


@pytest.mark.parametrize("name", ["law\0", "law \ud800"])
def test_what_no_label_can_hold_has_no_spelling(name):
    assert spellings(name) == ()
