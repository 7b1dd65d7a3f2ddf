"""Formulas on a page: what texvc draws is drawn, and nothing in a formula can act on the page."""

from __future__ import annotations

import json
import re
import threading
import time
import xml.etree.ElementTree as ET
from importlib import import_module
from pathlib import Path

import pytest

from bot.formula.drawing.mathcore import draw
from bot.formula.drawing.mathml import mathml
from bot.formula.worker import LimitedProcess


def test_inline_and_display_forms_differ_only_in_the_attribute() -> None:
    assert mathml("E=mc^2").startswith('<math alttext="E=mc^2"><mi>E</mi>')
    assert mathml("E=mc^2", display=True).startswith('<math alttext="E=mc^2" display="block">')


def test_the_tex_is_the_name_of_a_formula_and_cannot_leave_its_attribute() -> None:
    assert mathml('a < "b"').startswith('<math alttext="a &lt; &quot;b&quot;">')
    assert mathml("a \n = b").startswith('<math alttext="a = b">')


@pytest.mark.parametrize("name", ["align", "equation", "gather", "multline"])
def test_rows_carry_no_numbers(name: str) -> None:
    drawn = mathml(rf"\begin{{{name}}} a=b \end{{{name}}}")
    assert rf'alttext="\begin{{{name}}} a=b \end{{{name}}}"' in drawn
    assert "(1)" not in drawn


@pytest.mark.parametrize(
    ("tex", "drawn"),
    [
        (r"\sum_{\substack{i<n\\ j<\sqrt{m}}} a", "<mtable"),
        (r"\begin{eqnarray} a&=&b\\ c&=&d \end{eqnarray}", "<mtable"),
        (r"\begin{alignat}{2} a&=b&c&=d\end{alignat}", "<mtable"),
        (r"\pmb{\nabla} f", "𝛁"),
        (r"\boldsymbol{\alpha}", "𝜶"),
        (r"\bm{\omega}", "𝝎"),
        (r"\mathbf{\Gamma}", "𝚪"),
    ],
)
def test_stacked_conditions_old_arrays_and_bold_greek_are_drawn(tex: str, drawn: str) -> None:
    assert drawn in mathml(tex)
    assert mathml(tex).startswith("<math")


@pytest.mark.parametrize(
    "tex",
    [
        r"{\mbox{pH}}=-\log_{10}[{\mbox{H}}^+]",
        r"\hbox{ab}",
        r"a_1,\dotsc,a_n",
        r"a\dotsm b\dotsb c\dotso",
        r"\varprojlim_n X_n",
        r"A\smallsetminus B",
        r"\widetilde{A}",
        r"\sgn x",
        r"z\in\C",
        r"12\,\AA",
        r"\euro 5",
        r"\sum_{\begin{smallmatrix}i\\j\end{smallmatrix}}a",
        r"\biggl{(}x\biggr{)}",
        r"{\bigg .}x",
        r"\begin{array}[]{cc}a&b\end{array}",
        r"\text{if $x\ne 0$}",
        r"a=b\label{eq:1}\nonumber",
        r"a&amp;lt;b".replace("&amp;", "&"),
        r"\mbox{\boldmath$x$}",
    ],
)
def test_habits_of_texvc_and_of_the_corpora_are_drawn(tex: str) -> None:
    assert mathml(tex).startswith("<math")


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{a}{b",
        "",
        " ",
        r"\nosuchmacro{x}",
        "a & b",
        r"\sin x",
        "\x00",
        "\ud800",
        r"\begin{align}a&=b\label{q}\\c&=\eqref{q}\end{align}",
    ],
)
def test_what_comes_out_is_one_well_formed_element(tex: str) -> None:
    assert ET.fromstring(mathml(tex)).tag in {"math", "code"}


@pytest.mark.parametrize(
    "tex",
    [
        "<script>alert(1)</script>",
        r"\text{<img src=x onerror=alert(1)>}",
        r"&lt;script&gt;",
        r"\href{javascript:alert(1)}{x}",
        r"\style{background:url(x)}{x}",
        r"\begin{align}a&=b\label{q}\\c&=\eqref{q}\end{align}",
        r'\color{red" onclick="alert(1)}x',
    ],
)
def test_nothing_in_a_formula_acts_on_the_page(tex: str) -> None:
    for element in ET.fromstring(mathml(tex)).iter():
        assert element.tag not in {"script", "img", "a"}
        assert not {name for name in element.attrib if name.startswith("on") or name in {"href", "src", "id"}}
        assert "url(" not in element.get("style", "")


def test_hidden_characters_are_shown_not_obeyed() -> None:
    for hidden in "\u202e\u200b\u2066\ufeff\x07":
        shown = mathml(f"a{hidden}b")
        assert hidden not in shown
        assert f"\\u{ord(hidden):04x}" in shown


@pytest.mark.parametrize(
    "tex",
    [
        "{" * 1_000_000,
        "{" * 5000 + "}" * 5000,
        r"\sqrt" * 100_000,
        r"\left(" * 50_000,
        "\\" * 10_000,
        r"\def\a{\a\a}\a",
        "x^{" * 4000,
        "$" * 100_000,
        r"\text{" * 30_000,
        r"\operatorname{" * 1400,
    ],
)
def test_hostile_input_is_answered_at_once(tex: str) -> None:
    start = time.perf_counter()
    assert mathml(tex)
    assert time.perf_counter() - start < 20  # without the limit it takes hours


def drawing_process() -> LimitedProcess:
    found = import_module("bot.formula.drawing.mathml")._PROCESS  # the package's own `mathml` is the function
    assert isinstance(found, LimitedProcess)
    return found


UNCLOSED = ["(", "[", r"\{", r"\lfloor ", r"\langle ", "⌈", "f(", "{(", r"\frac{(", r"\left.(", "a_{(", r"\lparen["]
FAULTY = ["(x^)", r"[\text]"]


@pytest.mark.parametrize("piece", UNCLOSED)
def test_delimiters_that_are_never_closed_are_answered_at_once(piece: str) -> None:
    assert mathml(piece * 40 + "x").startswith("<code")


@pytest.mark.parametrize("piece", FAULTY)
def test_closed_delimiters_with_a_fault_in_each_are_given_up_and_shown_as_tex(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing_process(), "seconds", 0.3)
    tex = piece * 30
    assert mathml(tex) == f'<code class="tex">{tex}</code>'


def test_drawing_that_takes_long_holds_up_no_other_thread() -> None:
    hostile = threading.Thread(target=mathml, args=("(y^)" * 31,))
    hostile.start()
    drawn: list[str] = []
    while hostile.is_alive():
        drawn.append(mathml(f"E=mc^{{{len(drawn)}}}"))
        time.sleep(0.001)
    assert len(drawn) > 10
    assert all(one.startswith("<math") for one in drawn)


def test_long_formulas_are_drawn_by_the_limited_process_as_here() -> None:
    tex = "+".join(f"f_{{{n}}}(x)" for n in range(30))
    assert mathml(tex) == draw(tex, False).replace("<math", f'<math alttext="{tex}"', 1)
    assert mathml(tex, display=True) == draw(tex, True).replace("<math", f'<math alttext="{tex}"', 1)


def test_nearly_every_formula_of_the_items_is_drawn(shared_data: Path) -> None:
    rows = (shared_data / "wikidata/items_2019.jsonl").read_text(encoding="utf-8").splitlines()
    formulas = [tex for row in rows for tex in json.loads(row)["formulas"]]
    undrawn = [tex for tex in formulas if not mathml(tex).startswith("<math")]
    assert len(undrawn) <= len(formulas) * 0.001, undrawn[:5]


def test_an_arrow_stands_over_its_letter() -> None:
    drawn = mathml(r"\vec{p}=m\vec{v}")
    assert "\u20d7" not in drawn
    assert drawn.count("→</mo></mover>") == 2


def test_a_formula_without_a_name_holds_no_tex() -> None:
    assert mathml("E=mc^2", display=True, named=False).startswith('<math display="block"><mi>E</mi>')


def test_accents_are_ones_that_are_read_aloud_and_stretch() -> None:
    assert '<mi>H</mi><mo stretchy="false">^</mo></mover>' in mathml(r"\hat{H}")
    assert '<mo stretchy="true">\u203e</mo></mover>' in mathml(r"\overline{ABC}")
    assert '<mo stretchy="true">\u203e</mo></munder>' in mathml(r"\underline{AB}")
    assert '</mrow><mo stretchy="true">\u02dc</mo></mover>' in mathml(r"\widetilde{AB}")
    for narrow in (r"\tilde{AB}", r"\widetilde{x}", r"\tilde{x}"):
        assert '<mo stretchy="false">~</mo></mover>' in mathml(narrow)
    assert "<mi>x</mi><mo>…</mo></mover>" in mathml(r"\dddot{x}")


def test_what_is_below_a_limit_with_a_line_is_below_it_in_a_display() -> None:
    assert re.search(
        r"<munder><mpadded.*</mpadded><mrow><mi>n</mi>", mathml(r"\varliminf_{n\to\infty} a_n", display=True)
    )
    assert "</mpadded><mi>n</mi></munder>" in mathml(r"\varlimsup_n a_n", display=True)
    assert "</mpadded><mi>n</mi></msub>" in mathml(r"\varlimsup_n a_n")


def test_a_sized_delimiter_with_a_script_is_in_a_row_where_browsers_size_it() -> None:
    assert re.search(r"<msup><mrow><mo [^>]*>\)</mo></mrow><mn>2</mn></msup>", mathml(r"\Bigl(\sum a\Bigr)^2"))
    assert "<msup><mo" not in mathml(r"\bigl|x\bigr|^{1/p}")


def test_rows_of_a_limit_are_small_and_other_tables_are_not() -> None:
    assert 'scriptlevel="1"' in mathml(r"\sum_{\substack{i<m \\ j<n}} a", display=True)
    assert 'scriptlevel="1"' not in mathml(r"x = \begin{matrix} a \\ b \end{matrix}", display=True)
