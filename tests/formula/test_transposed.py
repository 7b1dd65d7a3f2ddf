"""One table says what marks a matrix: keys and comparison keep the order of its products, whichever way the mark is written."""

from __future__ import annotations

import pytest

from bot.formula import compare, keys

SURE = (
    "^T", "^{T}", r"^\top", r"^{\top}", r"^{\mathrm T}", r"^{\mathrm{T}}", r"^{\text{T}}", r"^{\rm T}", r"^\mathsf{T}", r"^{\mathsf T}", r"^\intercal",
    r"^{\intercal}", r"^\dagger", r"^{\dagger}", r"^\dag", "^H", r"^{\mathrm H}", r"^{\mathsf H}", r"^{\mathrm{tr}}", "^{-T}", r"^{-\top}",
)  # fmt: skip
AT_CAPITALS = ("^t", "^{t}", "^*", "^{*}", r"^\ast", r"^{\ast}", r"^{\star}")


def same(a: str, b: str) -> bool:
    one, other = compare(a, b), compare(b, a)
    assert one.same_concept == other.same_concept
    assert (keys(a).K1 == keys(b).K1) <= one.same_concept, "equal keys are one formula"
    return one.same_concept


@pytest.mark.parametrize("mark", SURE + AT_CAPITALS)
def test_a_marked_matrix_does_not_commute(mark: str) -> None:
    assert not same(f"C=A{mark} B", f"C=BA{mark}")
    assert not same(f"C=A{mark} A", f"C=AA{mark}")
    assert not same(f"C=A{mark} B+D", f"C-D=BA{mark}")
    assert not same(f"C=(AB){mark}", f"C=(BA){mark}")
    assert not same(f"C=(AB){mark} D", f"C=(BA){mark} D")
    assert not same(rf"\mathbf C=\mathbf A{mark} \mathbf B", rf"\mathbf C=\mathbf B\mathbf A{mark}")
    assert not same(f"C=A{mark} B", "C=AB")


@pytest.mark.parametrize("mark", SURE)
def test_a_sure_mark_is_one_at_any_letter(mark: str) -> None:
    assert not same(f"c=x{mark} Ay", f"c=yAx{mark}")


@pytest.mark.parametrize("mark", SURE + AT_CAPITALS)
def test_order_that_is_kept_is_the_same(mark: str) -> None:
    assert compare(f"C=A{mark} B", rf"C = A{mark} \, B").same_concept
    assert compare(f"C=A{mark} B+D", f"C-D=A{mark} B").relation == "rearranged"
    assert compare(f"C=2A{mark} B", f"C=A{mark} B2").same_concept


@pytest.mark.parametrize("mark", [r"^\top", r"^{\mathrm T}", r"^\mathsf{T}", r"^\intercal"])
def test_the_other_order_keeps_its_key_apart(mark: str) -> None:
    assert keys(f"C=A{mark} B").K1 != keys(f"C=BA{mark}").K1


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("B=P^{-1}AP", "B=PAP^{-1}"),
        ("B=P^{-1}AP", "B=A"),
        ("A=PDP^{-1}", "A=P^{-1}DP"),
        ("C=A^{-1}B^T", "C=B^TA^{-1}"),
        (r"\mathbf C=\mathbf A^{-1}\mathbf B", r"\mathbf C=\mathbf B\mathbf A^{-1}"),
        ("x=(A^TA)^{-1}A^Tb", "x=A^Tb(A^TA)^{-1}"),
    ],
)
def test_an_inverse_beside_what_tells_a_matrix_keeps_its_place(a: str, b: str) -> None:
    assert not same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("n=NV^{-1}", "n=V^{-1}N"),
        ("n=NV^{-1}", r"n=\frac{N}{V}"),
        ("b=(RT)^{-1}", "b=(TR)^{-1}"),
        ("P=P_0(1+r)^T", "P=(1+r)^TP_0"),
        ("c=2^Tb", "c=b2^T"),
        ("v=ab^t", "v=b^ta"),
        (r"\rho=\psi^*\psi", r"\rho=\psi\psi^*"),
        ("E=mc^2", "E=c^2m"),
        ("k=A^+B", "k=BA^+"),
    ],
)
def test_numbers_and_powers_commute(a: str, b: str) -> None:
    assert same(a, b)
