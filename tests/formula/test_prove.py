"""Proof in a worker: what it confirms, and that it can be killed, missing or slow without harm."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction

import pytest

from bot.formula import compare
from bot.formula.normal.stages import normal_forms
from bot.formula.numeric import values
from bot.formula.numeric.proof_worker import is_proved
from bot.formula.numeric.prove import Prover, has_sympy
from bot.formula.numeric.system_pair import read_system_pair


@pytest.fixture(scope="module")
def prover() -> Iterator[Prover]:
    pytest.importorskip("sympy", reason="needs sympy, of the extra [sympy]")
    with Prover(limit=20) as opened:  # a busy machine
        yield opened


def proves(prover: Prover, a: str, b: str) -> bool | None:
    pair = read_system_pair(normal_forms(a).unscripted, normal_forms(b).unscripted)
    return prover.proves(pair) if pair else None


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (r"y=\sin^2x", r"y=1-\cos^2x"),
        (r"N=Me^{-kt}", r"t=-\frac1k\ln\frac NM"),
        (r"y=\sinh x", r"y=\frac{e^x-e^{-x}}2"),
        (r"y=Ae^{i\omega t}", r"y=A(\cos\omega t+i\sin\omega t)"),
    ],
)
def test_identities_are_proved(prover: Prover, a: str, b: str) -> None:
    assert proves(prover, a, b) is True
    found = compare(a, b, (), prover)
    assert "proved by algebra" in found.note


@pytest.mark.parametrize(("a", "b"), [(r"y=\sin^2x", r"y=1+\cos^2x"), ("y=ab", "y=a+b"), ("E=mv^2", r"E=\frac12mv^2")])
def test_what_is_false_is_not_proved(prover: Prover, a: str, b: str) -> None:
    assert proves(prover, a, b) is None


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("a=bc", "2b=2a/c", True),
        (r"N=Me^{-kt}", r"t=-\frac1k\ln\frac NM", True),
        (r"y=\sin^2x", r"y=1-\cos^2x", True),
        (r"y=\sqrt{x}", r"x=y^2", True),
        (r"y=\frac{1}{3}x", r"3y=x", True),
        (r"y=|x|\pi", r"x=\frac{y}{\pi}", True),
        (r"y=\sin x", r"y=\cos x", False),
        ("y=x^2", "y=x^3", False),
    ],
)
def test_a_ratio_that_is_never_zero_or_solutions_of_each_other_prove(a: str, b: str, same: bool) -> None:
    pytest.importorskip("sympy", reason="needs sympy, of the extra [sympy]")
    asked: list[bool] = []
    prover = Prover()
    prover.worker.ask = lambda question: asked.append(is_proved(question)) or asked[-1]  # type: ignore[method-assign]
    assert (proves(prover, a, b), asked) == (True if same else None, [same])


def test_one_worker_serves_many_pairs(prover: Prover) -> None:
    for _ in range(3):
        assert proves(prover, "a=bc", "b=a/c")
    assert prover.worker.started == 1


def test_a_slow_proof_ends_the_worker_and_the_next_one_starts_anew() -> None:
    pytest.importorskip("sympy", reason="needs sympy, of the extra [sympy]")
    with Prover(limit=0.0) as prover:
        start = time.monotonic()
        assert proves(prover, r"y=\sin^2x", r"y=1-\cos^2x") is None
        assert time.monotonic() - start < 40
        assert not prover.worker.running
        prover.worker.seconds = 20
        assert proves(prover, "a=bc", "b=a/c")
        assert (prover.worker.started, prover.worker.running) == (2, True)
    assert not prover.worker.running


def test_without_sympy_sampling_keeps_its_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bot.formula.numeric.prove.has_sympy", lambda: False)
    with Prover() as prover:
        found = compare(r"y=\sin^2x", r"y=1-\cos^2x", (), prover)
        assert found.same_concept
        assert "sampled" in found.note
        assert prover.worker.started == 0


def test_what_cannot_be_sent_is_not_started() -> None:
    with Prover() as prover:
        assert proves(prover, "a=b", "c=d") is None
        assert prover.worker.started == 0


def test_the_worker_reads_expressions_only() -> None:
    pytest.importorskip("sympy", reason="needs sympy, of the extra [sympy]")
    with pytest.raises(ValueError, match="system"):
        is_proved({"one": [["system", ["v", 0]], ["v", 1]], "other": [["v", 0], ["v", 1]], "imaginary": -1})


def test_asking_for_sympy_does_not_load_it() -> None:
    assert isinstance(has_sympy(), bool)


@pytest.mark.parametrize(("power", "value"), [(Fraction(1, 3), -2.0), (Fraction(2, 3), 4.0), (Fraction(-1, 3), -0.5)])
def test_an_odd_root_of_what_is_negative_is_the_real_one(power: Fraction, value: float) -> None:
    assert values._rational(lambda at: -8.0, power)({}) == pytest.approx(value)
