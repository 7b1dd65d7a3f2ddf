"""Substitutions: read, put in everywhere or not at all, and never without being given."""

from __future__ import annotations

import json

import pytest
from cli_runner import call

from bot.errors import FormulaError, InputError
from bot.formula import compare
from bot.formula.equivalence.rewriting import apply_rules
from bot.formula.equivalence.rules import joining_rules, read_rule, read_rules, rules_of_row
from bot.formula.normal.render import render
from bot.formula.normal.stages import normal_forms

EFE1 = r"G_{\mu\nu}+\Lambda g_{\mu\nu}=\kappa T_{\mu\nu}"
EFE3 = r"R_{\mu\nu}-\frac12g_{\mu\nu}R+\Lambda g_{\mu\nu}=8\pi GT_{\mu\nu}"
EFE12 = r"G_{\mu\nu}-g_{\mu\nu}\Lambda=\frac{8\pi G}{c_0^4\phi^4}T_{\mu\nu}"


def after(tex: str, *rules: str) -> str:
    found = apply_rules(normal_forms(tex), [read_rule(rule) for rule in rules])
    return render(found.normal[0][0]) if found else ""


def test_the_field_equations_meet_only_by_the_rule() -> None:
    assert compare(EFE1, EFE12).relation == "different"
    met = compare(EFE1, EFE12, [r"\kappa=\frac{8\pi G}{c_0^4\phi^4}"])
    assert (met.relation, met.level) == ("variant", "K4")
    assert "signs" in met.note  # the sign of Λ differs, so they are not one formula
    assert not met.same_concept
    near = compare(EFE1, EFE12, [r"\kappa=\frac{8\pi G}{c^4}"])
    assert (near.relation, near.same_concept) == ("variant", False)
    assert "φ = 1" in near.note


def test_a_rule_that_makes_them_equal_is_named() -> None:
    found = compare(EFE1, EFE12.replace("-", "+"), [r"\kappa=\frac{8\pi G}{c_0^4\phi^4}"])
    assert (found.relation, found.level, found.same_concept) == ("notation", "K2", True)
    assert "after substituting κ = 8πG/(c₀⁴φ⁴)" in found.note


def test_rules_work_together_and_for_other_indices() -> None:
    rules = [r"\kappa=8\pi G", r"G_{ab}=R_{ab}-\frac12Rg_{ab}"]
    assert compare(EFE1, EFE3).relation == "different"
    found = compare(EFE1, EFE3, rules)
    assert found.same_concept
    assert "G_ab" in found.note
    assert "κ = 8πG" in found.note


@pytest.mark.parametrize(
    ("a", "b", "rule"),
    [
        ("P=UI", "P=RI^2", "U=RI"),
        (r"E=\frac12mv^2", r"E=\frac{p^2}{2m}", "p=mv"),
        (r"x=A\sin kz", r"x=A\sin(2\pi z/\lambda)", r"k=\frac{2\pi}{\lambda}"),
        (r"N=N_0e^{-\lambda t}", r"N=N_02^{-t/T}", r"\lambda=\frac{\ln2}{T}"),
        (r"E=k_BT", r"E=\frac{RT}{N_A}", r"k_B=\frac{R}{N_A}"),
    ],
)
def test_both_sides_may_be_rewritten(a: str, b: str, rule: str) -> None:
    for left, right in ((a, b), (b, a)):
        assert not compare(left, right).same_concept
        assert compare(left, right, [rule]).same_concept
        assert not compare(left, right, [rule + "+q"]).same_concept


PUT_IN = {  # a formula and rules -> what it is with all of them put in, "" where one cannot be
    ("y=a_kb", "a_k=cd"): "<(b·c·d)=y>",
    (r"y=\int\kappa\,dx", r"\kappa=ab"): "<big(∫)@((a·b·d1(x)))=y>",
    (r"y=\int\kappa\,d\kappa", r"\kappa=ab"): "",
    (r"y=\kappa\,\delta\kappa", r"\kappa=ab"): "",
    (r"y=g(\kappa)", r"\kappa=ab"): "<g@()(a·b)=y>",
    (r"y=\kappa(t)", r"\kappa=ab"): "",
    (r"y=\sum_\kappa x", r"\kappa=ab"): "",
    (r"y=\frac{d\kappa}{dt}", r"\kappa=ab"): "<D(t1|(a·b))=y>",
    (r"y=\frac{\partial u}{\partial\kappa_2}", r"\kappa_2=ab"): "",
    (r"y=\sin\kappa", r"\kappa=ab"): "<%sin@((a·b))=y>",
    (r"y=2^{\kappa x}", r"\kappa=ab"): "<#2^(a·b·x);=y>",
    (r"y=x_i^{\kappa q}", r"\kappa=ab"): "<x_i^(a·b·q);=y>",
    (r"y=k_B^2T", r"k_B=\frac RN"): "<((R/N)^#2;·T)=y>",
    (r"y=k_A^qT", r"k_B=\frac RN"): "",
    (r"y=\hat\kappa", r"\kappa=ab"): "",
    (r"y=\hat\kappa x", r"\hat\kappa=ab"): "<(a·b·x)=y>",
    (r"y=\kappa^2+\kappa\beta", r"\kappa=ab", r"\beta=c+d"): "<[([c+d]·a·b)+(a·b)^#2;]=y>",
    # the indices of a rule are any
    (r"G_{\alpha\beta}=x", r"G_{\mu\nu}=\partial_\mu A_\nu"): "<D(α1|A_β^;)=x>",
    (r"G_{\alpha\beta}=x", r"G_{\mu\nu}=\sin(A_\mu B_\nu)+q"): "<[%sin@((A_α^;·B_β^;))+q]=x>",
    ("G_{ab}G_{cd}=x", r"G_{\mu\nu}=A_\mu B_\nu"): "<(A_a^;·A_c^;·B_b^;·B_d^;)=x>",
    (r"G_{\alpha\alpha}=x", r"G_{\mu\nu}=A_\mu B_\nu"): "",
    (r"G^{\alpha\beta}=x", r"G_{\mu\nu}=A_\mu B_\nu"): "",
    (r"G_{\alpha}=x", r"G_{\mu\nu}=A_\mu B_\nu"): "",
    (r"H_{\alpha\beta}=x", r"G_{\mu\nu}=A_\mu B_\nu"): "",
    ("G_{12}=x", r"G_{\mu\nu}=A_\mu B_\nu"): "",
    ("G_{(ab)}=x", r"G_{\mu\nu}=A_\mu B_\nu"): "",
}


@pytest.mark.parametrize("given", PUT_IN)
def test_what_rules_make_of_a_formula(given: tuple[str, ...]) -> None:
    assert after(*given) == PUT_IN[given]


def test_a_symbol_is_replaced_everywhere_but_not_in_scripts() -> None:
    assert after(r"y=\kappa x+\kappa^2", r"\kappa=ab") == render(normal_forms("y=abx+(ab)^2").normal[0][0])
    assert "κ" in after(r"y=\kappa x_\kappa", r"\kappa=ab")
    assert after("y=k_Bx", "k=ab") == ""
    assert after("y=k_B^2x", "k_B=ab") != ""


@pytest.mark.parametrize("tex", [r"y=\frac{dx}{d\omega}\omega", r"y=\omega(t)+\omega", r"d\omega=\omega\,dt"])
def test_a_symbol_that_cannot_be_replaced_everywhere_stays(tex: str) -> None:
    assert after(tex, r"\omega=2\pi f") == ""


@pytest.mark.parametrize(
    "tex", ["x+1=2", r"\kappa", "a=b=c", "2=x", "x^2=y", "x=x+1", "x<y", "a=b,c=d", r"\sin x=y", "=x", r"\frac"]
)
def test_what_is_no_rule_is_said(tex: str) -> None:
    with pytest.raises(FormulaError):
        read_rule(tex)


def test_too_many_rules_are_refused() -> None:
    with pytest.raises(FormulaError, match="more than"):
        read_rules(["x=y"] * 13)


@pytest.mark.parametrize("where", ["x=y", [1], {"x": "y"}, None, ["x+1=2"]])
def test_a_bad_field_names_its_row(where: object) -> None:
    with pytest.raises(InputError, match="row 7"):
        rules_of_row({"where": where}, 7)
    assert rules_of_row({}, 7) == ()


def test_shipped_rules_need_their_surroundings() -> None:
    assert joining_rules(frozenset("Fkqr"), frozenset("Fεqr"))
    assert len(joining_rules(frozenset("Fkx"), frozenset("Fεx"))) < len(
        joining_rules(frozenset("Fkq"), frozenset("Fεq"))
    )
    assert not joining_rules(frozenset("Fkqrε"), frozenset("Fεqr"))
    assert compare(r"E=h\nu", r"E=\hbar\omega").same_concept
    assert not compare(r"E=h\nu", r"E=\hbar\nu").same_concept


def test_rules_are_checked_also_where_they_are_not_needed() -> None:
    with pytest.raises(FormulaError):
        compare("a=b", "a=b", ["x+1=2"])


def test_the_command_takes_rules_and_names_a_bad_one() -> None:
    good = {"id": 4, "a": "P=UI", "b": "P=RI^2", "where": ["U=RI"]}
    answered = call("compare", "--no-proofs", "--input", "-", stdin=json.dumps(good)).well()
    row = json.loads(answered.out)
    assert (row["id"], row["relation"], row["same_concept"], row["where"]) == (4, "rearranged", True, ["U=RI"])
    bad = json.dumps(good) + "\n" + json.dumps({**good, "where": ["x+1=2"]})
    refused = call("compare", "--no-proofs", "--input", "-", stdin=bad)
    assert refused.code == 2
    assert "row 2" in refused.err
    assert "one symbol" in refused.err
