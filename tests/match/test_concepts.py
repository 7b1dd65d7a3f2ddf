"""What the built-in list knows of two formulas; asked of the shipped list, with formulas that no development set holds."""

from __future__ import annotations

import pytest

from bot.formula import compare
from bot.match.retrieval.known_concepts import builtin_concepts, refine_comparison

ONE = [
    (r"i\hbar\frac{\partial\psi}{\partial t}=\hat{H}\psi", r"i\hbar\,\partial_t|\psi(t)\rangle=\hat{H}|\psi(t)\rangle"),
    (r"\Gamma(z)=\int_0^\infty t^{z-1}e^{-t}\,dt", r"\Gamma(n)=(n-1)!"),
    (r"pV=nRT", r"p=\rho R_s T"),
    # both are forms of one item, whatever other item has the first one, too
    (r"\mathcal{E}=-\frac{d\Phi_B}{dt}", r"\nabla\times\vec{E}=-\frac{\partial\vec{B}}{\partial t}"),
]  # fmt: skip
TWO = [
    (r"V=IR", r"F=ma"),
    (r"F=G\frac{m_1m_2}{r^2}", r"F=k\frac{q_1q_2}{r^2}"),
    (r"E=\frac12 mv^2", r"E=\frac12 kx^2"),
    (r"\sin^2x+\cos^2x=1", r"\cosh^2x-\sinh^2x=1"),
    (r"N_e=N_*-N_i", r"\tau=\tau_{\rm start}"),
    # what differs decisively from a form of a concept is none of it, however sure the list is of both
    (r"p=mv^2", r"p=mv"),
    (r"pV=nR+T", r"pV=nRT"),
    (r"\ddot{x}=-\omega^2x", r"\dot{x}=-\omega^2x"),
    # nor what differs so from another form of it than the one beside it
    (r"\mathbf{L}=\mathbf{r}\times\mathbf{p}", r"L_z=xp_y+yp_x"),
    (r"\mathbf{F}=q\mathbf{v}\times\mathbf{B}", r"F=qvB\cos\theta"),
    (r"n\lambda=2d\sin\theta", r"\theta=\arccos\frac{n\lambda}{2d}"),
]


@pytest.mark.parametrize(("a", "b"), ONE)
def test_unlike_forms_of_one_concept_are_told_with_its_name(a: str, b: str) -> None:
    plain = compare(a, b)
    found = refine_comparison(plain, a, b)
    assert not plain.same_concept
    assert found.same_concept
    assert "recognised as" in found.note
    assert found.relation == "variant"
    assert found.level == plain.level


def test_what_the_list_has_as_two_forms_of_one_item_is_no_misprint() -> None:
    a, b = "a + b = b + a", r"a\cdot b = b\cdot a"
    plain = compare(a, b)
    assert plain.differs is not None
    assert refine_comparison(plain, a, b).same_concept
    assert not refine_comparison(plain, a, r"a\cdot b = b + a").same_concept


@pytest.mark.parametrize(("a", "b"), TWO)
def test_look_alikes_of_two_concepts_are_two(a: str, b: str) -> None:
    found = refine_comparison(compare(a, b), a, b)
    assert (found.relation, found.same_concept) in (("different", False), ("variant", False))


@pytest.mark.parametrize(
    ("a", "b"), [("E=mc^2", "m=E/c^2"), ("f=1/T", "T=1/f"), ("V=IR", r"I=\frac{V}{R}"), (r"E=h\nu", r"\nu=\frac{E}{h}")]
)
def test_a_rearranged_equation_is_of_one_concept_whatever_items_share_it(a: str, b: str) -> None:
    for left, right in ((a, b), (b, a)):
        found = refine_comparison(compare(left, right), left, right)
        assert (found.relation, found.same_concept) == ("rearranged", True), found


def test_what_algebra_is_sure_of_stands() -> None:
    a, b = r"y=f(x)+g(x)", r"g(x)+f(x)=y"
    assert refine_comparison(compare(a, b), a, b) == compare(a, b)


def test_the_order_of_the_two_does_not_matter() -> None:
    for a, b in ONE + TWO:
        one, other = builtin_concepts().shared_concept(a, b), builtin_concepts().shared_concept(b, a)
        assert (one is None) is (other is None)
        if one and other:
            assert one.probability == pytest.approx(other.probability)


def test_an_unreadable_formula_meets_nothing() -> None:
    assert builtin_concepts().shared_concept(r"\sum " * 50, "E=mc^2") is None


def test_related_items_share_a_formula_and_the_relation_goes_both_ways() -> None:
    related = builtin_concepts().related
    assert related
    assert all(qid in related[other] for qid, others in related.items() for other in others)


def test_two_look_alikes_are_told_by_both_names() -> None:
    assert builtin_concepts().different_concepts("V=IR", "F=ma") == ("Ohm's law", "force")


def test_a_law_in_vectors_is_part_of_the_tensor_equations_and_of_no_other() -> None:
    tensors, vectors = (
        r"\nabla_\mu F^{\mu\nu}=\frac{4\pi}{c}j^\nu",
        r"\nabla\times\vec{B}=\frac{4\pi}{c}\vec{j}+\frac{1}{c}\frac{\partial\vec{E}}{\partial t}",
    )
    for one, other in ((tensors, vectors), (vectors, tensors)):
        found = refine_comparison(compare(one, other), one, other)
        assert (found.relation, found.same_concept) == ("variant", False)
        assert "Ampère's circuital law is part of Maxwell's equations" in found.note
    assert refine_comparison(compare(vectors, "F=ma"), vectors, "F=ma").relation == "different"


def test_what_no_tex_reads_is_compared_with_nothing_but_itself() -> None:
    a, b = "E=mc^2", r"E = \frac{m"
    found = refine_comparison(compare(a, b), a, b)
    assert (found.relation, found.level, found.same_concept) == ("different", "", False)
    assert found.note == "one of them cannot be read: { is never closed"
    assert refine_comparison(compare(b, b), b, b).relation == "identical"
