"""What a wiki's math datatype accepts, where a fault is, and the safe mends."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from time_limit import at_most

from bot.formula.validity.check import check
from bot.wikibase import MAX_CHARACTERS


@pytest.mark.parametrize(
    "tex",
    [
        r"E=mc^2", r"{}^{14}_{6}C", r"\sqrt[3]{x}", r"\sqrt[\frac12]{x}", r"\sqrt 2", r"\frac12", r"\frac a{bc}", r"{a \over b}", r"a \over b", r"{n \choose k}",
        r"\left(\frac{a}{b}\right]", r"\left.x\right|_0", r"\left\{x\right.", r"\big( x \big)", r"\Biggl\langle x\Biggr\rangle", r"\text{für } x>0", r"\mbox{a [b] 'c'}",
        r"\begin{array}{l|cr}a&b&c\\\hline d&e&f\end{array}", r"\begin{alignat}{2}a&=b\end{alignat}", r"\begin{cases}1&x>0\\0&\text{else}\end{cases}", r"\color{red}x",
        r"\color[rgb]{1,.5,0}x", r"{\rm d}x", r"x'^2", r"\hat\mathbf{x}", r"x^\frac12", r"\operatorname{arg\,max}_x", r"\xrightarrow[a]{b}", r"\sideset{_1}{^2}\sum", r"a\bmod b",
        r"x_\text{eff}", r"\underset{x\to 0}{\lim}", r"]0,1[", r"$a$", r"\alef \and \infin", r"\not\in", r"\ ", "x" * MAX_CHARACTERS,
    ],
)  # fmt: skip
def test_what_a_wiki_accepts_is_valid(tex: str) -> None:
    assert check(tex).valid, check(tex).why
    assert check(tex).mended == ""


@pytest.mark.parametrize(
    ("tex", "position"),
    [
        ("", 0), (" x", 0), ("x ", 1), ("x\ty", 1), ("a\nb", 1), ("x" * (MAX_CHARACTERS + 1), MAX_CHARACTERS), ("{a", 0), ("a}", 1), (r"\frac{a}", 0), (r"x^", 1), ("x^^2", 2), (r"\left(a", 0), (r"a\right)", 1),
        (r"{\left(a}\right)", 8), (r"\left a", 0), (r"\big{(}", 0), (r"a & b", 2), (r"a \\ b", 2), (r"\begin{gather}a\end{gather}", 0), (r"\begin{matrix}a\end{cases}", 15), (r"\begin{array}a\end{array}", 0),
        (r"\left(a\over b\right)", 7), (r"\text{a_b}", 0), (r"\text x", 0), (r"\mbox{}", 0), ("α", 0), ("a−b", 1), (r"\foo", 0), (r"a\:b", 1), ("a\\", 1), ('"', 0), ("a#", 1), (r"\over b", 0), (r"{a\over}", 7),
        (r"{a\over b\over c}", 9), (r"\hline", 0), (r"x_\rm a", 2), ("a\u202eb", 1),
    ],
)  # fmt: skip
def test_a_fault_is_named_with_its_place(tex: str, position: int) -> None:
    verdict = check(tex)
    assert not verdict.valid
    assert verdict.why
    assert verdict.position == position


@pytest.mark.parametrize(
    ("tex", "mended"),
    [
        (r"\bm{x}", r"\boldsymbol{x}"), (r"\bm x", r"\boldsymbol x"), (r"\mathscr{L}", r"\mathcal{L}"), ("a &lt; b #", r"a < b \#"), (r"$\bm a$", r"\boldsymbol a"), (r"\(a\)", "a"), (r"\[a\]", "a"),
        (r"E=mc^2 \label{eq1}", "E=mc^2"), (r"a=b\tag{3}", "a=b"), (r"a=b\nonumber", "a=b"), ("α=β", r"\alpha =\beta"), ("x²≤ℏ", r"x^{2}\leq \hbar"), ("a−b", "a-b"), (r"a\:b", r"a\;b"),
        (r"\begin{equation}a=b\end{equation}", "a=b"), (r"\begin{gather}a\\b\end{gather}", r"\begin{aligned}a\\b\end{aligned}"), (r"\begin{align*}a&=b\end{align*}", "a=b"), (r"\begin{align*}a&=b\\&=c\end{align*}", r"\begin{aligned}a&=b\\&=c\end{aligned}"),
        (r"a&=b\\c&=d", r"\begin{aligned}a&=b\\c&=d\end{aligned}"), (r"a=b\\", "a=b"), (r"\pmatrix{a&b\cr c&d\cr}", r"\begin{pmatrix}a&b\\ c&d\end{pmatrix}"),
        (r"\begin{array}[]{cc}a&b\end{array}", r"\begin{array}{cc}a&b\end{array}"), (r"\sum_{\substack{a\\b}}", r"\sum_{\begin{smallmatrix}a\\b\end{smallmatrix}}"),
        (r"\big{(}x\big{)}", r"\big(x\big)"), (r"\left<x\right>", r"\left\langle x\right\rangle"), (r"\left\lVert x\right\rVert", r"\left\| x\right\|"), (r"\lvert x\rvert", "| x|"),
        (r"\left(a\over b\right)", r"\left({a\over b}\right)"), (r"\text{if $x$}", r"{\text{if }x}"), (r"\textbf{für}", r"{\text{für}}"), (r"x_\rm{a}", r"x_{\rm {a}}"),
        (r"\sech x", r"\operatorname{sech} x"), (r"\norm{x}", r"\|x\|"), (r"a\hspace{1cm}b", r"a\quad b"), (r"{\left(a}\right)", "{(a})"), (r"\dddot{x}", r"\overset{...}{x}"), ("x\n=1", "x =1"),
        (r"\matrix{a&b}\cr", r"\begin{matrix}a&b\end{matrix}"), (r"\foo{x}", ""), ("{a", ""), ('x" display="inline"', ""), (r"\newcommand{\a}{b}", ""),
    ],
)  # fmt: skip
def test_safe_mends_are_offered_and_nothing_else(tex: str, mended: str) -> None:
    assert not check(tex).valid
    assert check(tex).mended == mended
    assert not mended or check(mended).valid


def test_a_refused_macro_comes_with_what_to_write() -> None:
    assert r"use \boldsymbol" in check(r"\bm{x}").why
    assert r"use \begin{aligned}" in check(r"\begin{split}a\end{split}").why
    assert "leave it out" in check(r"a\label{x}").why


def test_a_formula_that_is_only_too_wide_in_spelling_is_tightened() -> None:
    tex = "+".join([r"\displaystyle x"] * 30)
    assert len(tex) > MAX_CHARACTERS
    assert check(tex).mended == "+".join(["x"] * 30)


@pytest.mark.parametrize(
    "tex",
    ["{" * 10_000_000, "{" * 399, "\\" * 10_000, r"\sqrt[{" * 60, r"\sqrt[" * 600, r"\begin{array}{" + "|" * 380, r"\begin{array}{" + "|" * 3000, r"\buildrel " * 39, r"\matrix{" * 490, r"\left(" * 60,
     "$" * 4000, r"\color[rgb]{" + "1" * 380, r"\left(" + r"\alpha" * 60 + r"\over", r"\hspace{1" * 40, "[ " * 1900, "\x00" * 5000, "\ud800", r"\text{" * 60, r"\begin{a} [" * 30],
)  # fmt: skip
def test_hostile_input_is_answered_at_once(tex: str) -> None:
    with at_most(0.5):
        assert not check(tex).valid


def test_every_recorded_verdict_is_met(shared_data: Path) -> None:
    rows = [
        json.loads(line)
        for line in (shared_data / "wikibase/math_validity_dev.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    assert [row["tex"] for row in rows if check(row["tex"]).valid != row["valid"]] == []


def test_recorded_claims_are_judged_as_the_server_did(shared_data: Path) -> None:
    judged = 0
    for path in sorted((shared_data / "wikibase/transcripts").glob("math_value_*.json")):
        row = json.loads(path.read_text(encoding="utf-8"))
        try:
            value = json.loads(row["request"]["params"]["claim"])["mainsnak"]["datavalue"]["value"]
        except (KeyError, ValueError):
            continue
        if isinstance(value, str):
            judged += 1
            assert check(value).valid == ("pageinfo" in row["response"]), path.name
    assert judged >= 15


def test_the_formulas_that_stand_on_wikidata_are_valid(shared_data: Path) -> None:
    rows = (shared_data / "wikidata/items_2019.jsonl").read_text(encoding="utf-8").splitlines()
    refused = [
        tex
        for row in rows
        for tex in json.loads(row)["formulas"]
        if len(tex) <= MAX_CHARACTERS and not check(tex).valid
    ]
    assert refused == []
