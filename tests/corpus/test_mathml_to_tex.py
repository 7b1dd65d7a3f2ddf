"""MathML without TeX becomes the TeX a person would type."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from json import loads
from pathlib import Path

import pytest
from lxml import etree

from bot.corpus.mathml.mathml_scan import scan_mathml
from bot.corpus.mathml.mathml_to_tex import mathml_to_tex
from bot.formula.drawing.mathml import mathml
from bot.formula.validity.check import check


def tex(inner: str) -> str:
    return mathml_to_tex(
        etree.fromstring(f'<m:math xmlns:m="http://www.w3.org/1998/Math/MathML">{_named(inner)}</m:math>')
    )


def _named(inner: str) -> str:
    return inner.replace("</", "</m:").replace("<", "<m:").replace("<m:/m:", "</m:")


VECTOR = '<mstyle mathvariant="bold"><mover accent="true"><mi>F</mi><mo>→</mo></mover></mstyle>'


def rows_of(*rows: str) -> str:
    cells = ("".join(f"<mtd>{cell}</mtd>" for cell in row.split("|")) for row in rows)
    return f"<mtable>{''.join(f'<mtr>{row}</mtr>' for row in cells)}</mtable>"


TABLE = "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable>"


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("<mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup>", "E=mc^{2}"),
        (f"{VECTOR}<mo>=</mo><mi>m</mi>{VECTOR.replace('F', 'a')}", r"\vec{\mathbf{F}}=m\vec{\mathbf{a}}"),
        ("<mover><mtext>E</mtext><mo>→</mo></mover>", r"\vec{E}"),
        ("<mover><mrow><mi>A</mi><mi>B</mi></mrow><mo>¯</mo></mover>", r"\overline{AB}"),
        ('<mstyle mathvariant="bold"><mover><mi>τ</mi><mo>^</mo></mover></mstyle>', r"\hat{\boldsymbol{\tau}}"),
        ("<mtext>−</mtext><mi>k</mi><mi>x</mi>", "-kx"),
        ("<mi>A</mi><mspace width='0.2em'/><mtext>cos</mtext><mspace width='0.2em'/><mi>φ</mi>", r"A\cos\varphi"),
        ("<mn>9.8</mn><mspace width='0.2em'/><msup><mtext>m/s</mtext><mn>2</mn></msup>", r"9.8\,\text{m/s}^{2}"),
        ("<mn>90</mn><mtext>°</mtext>", r"90^{\circ}"),
        ("<msup><mn>10</mn><mn>3</mn></msup><mtext>°C</mtext>", r"10^{3}{}^{\circ}\text{C}"),
        ("<mn>12,400</mn>", "12{,}400"),
        (
            "<mn>2.0</mn><mspace width='0.2em'/><mo>×</mo><mspace width='0.2em'/><msup><mn>10</mn><mn>−5</mn></msup>",
            r"2.0\times10^{-5}",
        ),
        ("<mtext>Δ</mtext><mi>t</mi>", r"\Delta t"),
        # letters with accents of their own; é and the like are letters of words
        ("<mi>ĝ</mi><mo>=</mo><mi>v⃗</mi><mo>+</mo><mi mathvariant='bold'>ẋ</mi>", r"\hat{g}=\vec{v}+\dot{\mathbf{x}}"),
        ("<mi>ᾱ</mi><mo>=</mo><mi>é</mi>", r"\bar{\alpha}=\text{é}"),
        # a variant holds for several letters
        (
            "<mi mathvariant='script'>SK</mi><mo>=</mo><mi mathvariant='double-struck'>RP</mi>",
            r"\mathcal{SK}=\mathbb{RP}",
        ),
        (
            "<mtext mathvariant='bold'>Hx</mtext><mo>+</mo><mi mathvariant='fraktur'>Re</mi><mi>z</mi>",
            r"\mathbf{Hx}+\mathrm{Re}z",
        ),
        # primes that are signs side by side
        ("<msup><mi>f</mi><mrow><mo>'</mo><mo>'</mo></mrow></msup>", "f''"),
        # a blank that is a script, or bears one
        (
            "<msubsup><mi>b</mi><mi>r</mi><mspace width='3pt'/></msubsup><mo>=</mo><msub><mi>c</mi><mspace width='3pt'/></msub>",
            "b_{r}=c",
        ),
        ("<mi>y</mi><msup><mspace width='0.2em'/><mi>T</mi></msup>", "y{}^{T}"),
        # the relation "parallel" as the two sides of a norm
        (
            "<mo>∥</mo><mi>x</mi><mo>∥</mo><mo>=</mo><mo>∥</mo><mi>y</mi><msub><mo>∥</mo><mn>2</mn></msub>",
            r"\|x\|=\|y\|_{2}",
        ),
        ("<mfenced open='∥' close='∥'><mi>x</mi></mfenced>", r"\|x\|"),
        ("<mi>l</mi><mo>∥</mo><mi>m</mi><mo>,</mo><mi>m</mi><mo>∥</mo><mi>n</mi>", r"l\parallel m,m\parallel n"),
        (
            "<munder><mrow><mtext>arg</mtext><mspace width='1pt'/><mtext>max</mtext></mrow><mi>θ</mi></munder><mi>L</mi>",
            r"\operatorname*{argmax}_{\theta}L",
        ),
        ("<munder><mtext>arg min</mtext><mi>x</mi></munder><mi>f</mi>", r"\operatorname*{argmin}_{x}f"),
        ("<mtext>KE = </mtext><mi>m</mi>", r"\text{KE}=m"),
        ("<msup><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow><mn>2</mn></msup>", "(a)^{2}"),
        ("<msup><mrow><mi>a</mi><mi>b</mi></mrow><mn>2</mn></msup>", "{ab}^{2}"),
        ("<msup><msub><mi>x</mi><mn>1</mn></msub><mn>2</mn></msup>", "x_{1}^{2}"),
        ("<msub><msup><mi>x</mi><mn>2</mn></msup><mn>1</mn></msub>", "{x^{2}}_{1}"),
        ("<msubsup><mi>x</mi><mi>i</mi><mo>′</mo></msubsup>", "x_{i}'"),
        ("<msup><mi>x</mi><mo>′</mo></msup><msup><mi>y</mi><mn>2</mn></msup><mo>′</mo>", "x'y^{2}{}'"),
        ("<mo>(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo>)</mo>", r"\left(\frac{a}{b}\right)"),
        ("<mo>(</mo><mi>a</mi><mo>)</mo>", "(a)"),
        ("<mfenced open='[' close=']'><mi>a</mi><mi>b</mi></mfenced>", "[a,b]"),
        ("<mfenced><mfrac><mi>a</mi><mi>b</mi></mfrac></mfenced>", r"\left(\frac{a}{b}\right)"),
        (
            "<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>N</mi></munderover><mi>i</mi>",
            r"\sum_{i=1}^{N}i",
        ),
        ("<munder><mtext>lim</mtext><mrow><mi>t</mi><mo>→</mo><mn>0</mn></mrow></munder>", r"\lim_{t\to0}"),
        ("<munder><mtext>max</mtext><mi>x</mi></munder>", r"\max_{x}"),
        ("<msub><mi>v</mi><mtext>max</mtext></msub>", r"v_{\text{max}}"),
        ("<munder><mo>∫</mo><mi>S</mi></munder>", r"\int\limits_{S}"),
        (f"<mo>(</mo>{TABLE}<mo>)</mo>", r"\begin{pmatrix}a & b \\ c & d\end{pmatrix}"),
        (f"<mo>{{</mo>{TABLE}", r"\begin{cases}a & b \\ c & d\end{cases}"),
        (TABLE, r"\begin{aligned}a & b \\ c & d\end{aligned}"),
        (
            rows_of("<mi>I</mi>|<mo>=</mo>|<mi>π</mi>", "|<mo>=</mo>|<mi>b</mi>", "|<mo>≈</mo>|<mi>c</mi>"),
            r"I=\pi=b\approx c",
        ),
        (rows_of("<mi>I</mi>|<mo>=</mo><mi>a</mi>", "|<mo>=</mo><mi>b</mi>"), "I=a=b"),
        (rows_of("<mi>I</mi><mo>=</mo><mi>a</mi>", "<mo>=</mo><mi>b</mi>"), "I=a=b"),
        (
            rows_of("<mi>I</mi>|<mo>=</mo>|<mi>a</mi>", "<mi>J</mi>|<mo>=</mo>|<mi>b</mi>"),
            r"\begin{array}{ccc}I & = & a \\ J & = & b\end{array}",
        ),
        (rows_of("<mi>I</mi>|<mi>a</mi>", "|<mi>b</mi>"), r"\begin{aligned}I & a \\  & b\end{aligned}"),
        (rows_of("<mi>I</mi>", "<mi>b</mi>"), r"\begin{array}{c}I \\ b\end{array}"),
        ("<msqrt><mi>a</mi><mo>+</mo><mi>b</mi></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt{a+b}\sqrt[3]{x}"),
        ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", r"{n \atop k}"),
        ("<menclose notation='updiagonalstrike'><mi>m</mi></menclose>", r"\cancel{m}"),
        (
            "<mmultiscripts><mi>X</mi><mi>a</mi><mi>b</mi><mprescripts/><mi>c</mi><none/></mmultiscripts>",
            "{}_{c}X_{a}^{b}",
        ),
        ("<mi>a</mi><mo>\u2062</mo><mi>b</mi>", "ab"),
        ("<mrow><mspace/><mi>ℰ\ufe00</mi></mrow><mo>=</mo><mi>ℒ\ufe01</mi>", r"\mathcal{E}=\mathcal{L}"),
        ("<mi>x</mi><mtext> and 5 % of it</mtext>", r"x\text{ and 5 }\%\text{ of it}"),
        ("<mi mathvariant='double-struck'>R</mi><mi>ℒ</mi>", r"\mathbb{R}\mathcal{L}"),
        ("<semantics><mi>x</mi><annotation encoding='application/x-tex'>\\xi</annotation></semantics>", r"\xi"),
        ("<msub><mi>F</mi><mfenced open='' close=''><mn>21</mn></mfenced></msub>", "F_{21}"),
        ("<mfenced open='' close='|'><mfrac><mn>1</mn><mi>x</mi></mfrac></mfenced>", r"\left.\frac{1}{x}\right|"),
        ("<msup><mo>∫</mo><mtext>&#8203;</mtext></msup><mi>x</mi>", r"\int x"),
        ("<msubsup><mi>x</mi><mrow></mrow><mn>2</mn></msubsup>", "x^{2}"),
        ("<msubsup><mi>x</mi><mn>2</mn><mrow></mrow></msubsup>", "x_{2}"),
        ("<munderover><mo>∑</mo><mi>n</mi><mrow></mrow></munderover><mi>n</mi>", r"\sum_{n}n"),
        ("<munder><mtext>lím</mtext><mi>x</mi></munder><mi>f</mi>", r"\lim_{x}f"),
        (
            "<semantics><mi>x</mi><annotation encoding='application/vnd.some.mathtex'>\\apply(x)</annotation></semantics>",
            "x",
        ),
        ("<mphantom><mi>x</mi></mphantom><mi>y</mi>", "y"),
        ("<msub><mi>x</mi></msub>", "x"),
        ("", ""),
    ],
)
def test_elements_become_tex(source: str, wanted: str) -> None:
    found = tex(source)
    assert found == wanted
    assert scan_mathml(_named(source), "m:") in (wanted, None)
    assert not found or (mathml(found).startswith("<math") and check(found).valid)


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        (f'{VECTOR}<mo form="infix">&lt;</mo><msup><mi/><mn>2</mn></msup><mspace width="1em"/>\n<none/>', True),
        ("<mi>E</mi>" * 3 + "<mrow>" * 90 + "<mn>1</mn>" + "</mrow>" * 90, True),
        (f"<mo>(</mo>{TABLE}<mo>)</mo><mo>></mo><mi>&#x3c0;</mi><mtext>a&#160;b</mtext>", True),
        (
            '<mtable columnalign="left right"><mtr><mtd/><mtd columnalign="right"><mi>a</mi></mtd><mtd/></mtr><mtr/></mtable>',
            True,
        ),
        (
            "<msup><mi>y</mi><mrow><mo>′</mo></mrow></msup><mrow/><mrow><mtext>″</mtext></mrow><mrow><mspace/></mrow>",
            True,
        ),
        ("<mtable><mi>x</mi><mtr><mtd><mi>a</mi></mtd></mtr></mtable>", False),
        ("<mtable><mtr><mi>x</mi><mtd><mi>a</mi></mtd></mtr></mtable>", False),
        ("<mtr><mtd><mi>a</mi></mtd></mtr>", False),
        ("<mi>a&#128;</mi>", False),
        ("<mrow><mi>x</mrow></mi>", False),
        ("<mrow><mi>x</mi>", False),
        ("<mi>x</mi></mrow>", False),
        ("<mi>&pi;</mi>", False),
        ("<mi>x</mi><!-- y --><mi>z</mi>", False),
        ('<mi a="1" a="2">x</mi>', False),
        ("<mi><mrow><mi>x</mi></mrow></mi>", False),
        ('<semantics><mi>x</mi><annotation encoding="TeX">y</annotation></semantics>', False),
    ],
)
def test_a_scan_says_what_a_parser_would_or_nothing(source: str, plain: bool) -> None:
    assert scan_mathml(_named(source), "m:") == (tex(source) if plain else None)


def test_nesting_as_deep_as_the_parser_lets_through_is_no_matter() -> None:
    assert tex("<mrow>" * 200 + "<mi>x</mi>" + "</mrow>" * 200) == "x"


def test_the_formulas_of_a_textbook_come_back_with_their_leaves(shared_data: Path, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[2]
    modules = sorted((shared_data / "corpora/openstax_university_physics_v1_v2/modules").iterdir())
    for module in modules if os.environ.get("FORMULA_BOT_LONG") else modules[::8]:
        shutil.copytree(module, tmp_path / module.name)
    done = subprocess.run(
        [sys.executable, str(root / "benchmarks/cnxml.py"), "--corpus", str(tmp_path), "--json"],
        capture_output=True,
        check=True,
        cwd=root,
    )
    result = loads(done.stdout)
    assert result["formulas"] >= 1936
    assert result["share"] >= 0.999
    assert result["drawn"] == result["formulas"]


def test_divides_signs_that_enclose_are_bars() -> None:
    assert (
        tex("<mo>∣</mo><mi>x</mi><mo>∣</mo><mo>=</mo><mo>∣</mo><mo>∣</mo><mi>y</mi><mo>∣</mo><mo>∣</mo>")
        == r"|x|=\|y\|"
    )
    assert tex("<mi>P</mi><mo>(</mo><mi>A</mi><mo>∣</mo><mi>B</mi><mo>)</mo>") == r"P(A\mid B)"


def test_upright_letters_in_a_row_are_a_word() -> None:
    letters = "".join(f"<mi mathvariant='normal'>{letter}</mi>" for letter in "Var")
    assert tex(f"{letters}<mi>x</mi>") == r"\mathrm{Var}x"
    assert tex("".join(f"<mi mathvariant='normal'>{letter}</mi>" for letter in "sin") + "<mi>x</mi>") == r"\sin x"
    assert tex("<mi mathvariant='normal'>m</mi><mi mathvariant='normal'>s</mi>") == r"\mathrm{m}\mathrm{s}"


def test_a_table_in_fences_is_a_matrix() -> None:
    rows = "<mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr></mtable>"
    assert tex(f"<mfenced open='[' close=']'>{rows}</mfenced>") == r"\begin{bmatrix}1 & 2\end{bmatrix}"
    assert tex(f"<mfenced open='{{' close=''>{rows}</mfenced>") == r"\begin{cases}1 & 2\end{cases}"
