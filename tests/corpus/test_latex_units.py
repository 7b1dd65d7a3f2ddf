"""Numbers, units and words within formulas of LaTeX."""

from __future__ import annotations

from test_latex import read_text, tex_of

from bot.corpus.latex.latex_commands import number, unit

NUMBERS = [
    ("1.5e8", r"1.5\times 10^{8}"),
    ("1E+6", r"1\times 10^{6}"),
    ("2d-3", r"2\times 10^{-3}"),
    ("e5", "10^{5}"),
    ("+3", "+3"),
    ("-2,5", "-2.5"),
    (r"\pm 4", r"\pm4"),
    ("12 000", "12000"),
    ("1.5(2)", "1.5"),
    (r"3 \pm 0,1", r"3\pm 0.1"),
    ("3+-1e4", r"(3\pm 1)\times 10^{4}"),
    ("x", "x"),
    ("(3)", "(3)"),
    ("", ""),
]


def test_a_number_is_written_with_its_power_of_ten() -> None:
    for written, shown in NUMBERS:
        assert number(written) == shown, written


UNITS = [
    (r"\metre\per\second", r"\mathrm{m}/\mathrm{s}"),
    (r"N\cdot m^2/C^2", r"\mathrm{N}\cdot\mathrm{m}^2/\mathrm{C}^2"),
    (r"\text{N}\times\mathrm{m}\,s", r"\text{N}\times\mathrm{m}\,\mathrm{s}"),
    (r"\kilo\gram\metre\per\square\second", r"\mathrm{kg}\,\mathrm{m}/\mathrm{s}^{2}"),
    (r"\joule\per\kelvin\per\mole", r"\mathrm{J}/\mathrm{K}/\mathrm{mol}"),
    (r"\per\second", r"/\mathrm{s}"),
    (r"\cubic\centi\metre", r"\mathrm{cm}^{3}"),
    (r"\metre\cubed", r"\mathrm{m}^{3}"),
    (r"\second\squared\metre", r"\mathrm{s}^{2}\,\mathrm{m}"),
    (r"\micro\farad\metre", r"\mu\mathrm{F}\,\mathrm{m}"),
    (r"\kilo\ohm", r"\mathrm{k}\Omega"),
    (r"\percent", r"\%"),
    (r"\metre\tothe{4}\second", r"\mathrm{m}^{4}\,\mathrm{s}"),
    (r"\widget", r"\mathrm{widget}"),
    ("kg.m~s^2", r"\mathrm{kg}\,\mathrm{m}\,\mathrm{s}^2"),
    ("km / h", r"\mathrm{km}/\mathrm{h}"),
]


def test_a_unit_is_written_in_upright_letters() -> None:
    for written, shown in UNITS:
        assert unit(written) == shown, written


QUANTITIES = [
    (r"$\qty{3}{\metre}+\unit{\kilo\gram}$", r"3\,\mathrm{m}+\mathrm{kg}"),
    (r"$\SI[per-mode=symbol]{3}[\$]{\metre}$", r"3\,\mathrm{m}"),
    (r"$\unit[5]{kg}$", r"5\,\mathrm{kg}"),
    (r"$\ang{45}a$", r"45{}^\circ a"),
    (r"$\qty{3}{\ohm}a$", r"3\,\Omega a"),
    (r"$x^\SI{2}{\metre}y$", r"x^{2\,\mathrm{m}}y"),
    (r"$x_\num{2}\num{3}$", "x_{2}3"),
    (r"$\si{\metre} a$", r"\mathrm{m} a"),
    (r"$\frac\num{2}\num{3}\num{4}$", r"\frac{2}{3}4"),
    (r"\newcommand\qty[1]{(#1)}$\qty{a}{b}$", "(a){b}"),
    (r"$\SIrange{1}{2e3}{\metre}$", r"1\text{–}2\times 10^{3}\,\mathrm{m}"),
    (r"$\numrange{1}{2}$", r"1\text{–}2"),
    (r"\DeclareSIUnit\sun{\ensuremath{M_\odot}}$\SI{3}{\mega\sun}$", r"3\,\mathrm{M}M_\odot"),
    (r"\DeclareSIUnit[a=b]{\yr}{a}$\qty{3}{\kilo\yr}$", r"3\,\mathrm{ka}"),
    (r"\DeclareSIUnit\kmh{\kilo\metre\per\hour}$\si{\kmh}$", r"\mathrm{km}/\mathrm{h}"),
    (r"\newcommand\sun{M_\odot}$\SI{3}{\sun}$", r"3\,M_\odot"),
    (r"$\SI{3}{\kilo\Omega}a$", r"3\,\mathrm{k}\Omega a"),
    (r"$\qty{3}{\mu m}$", r"3\,\mu\mathrm{m}"),
]


def test_a_quantity_is_its_number_and_its_unit() -> None:
    for source, found in QUANTITIES:
        assert tex_of(source) == [found], source


WORDED = [
    (r"$a\text{if \(b\) or \ensuremath{c}}d$", r"a\text{if }b\text{ or }cd"),
    (r"$a \mbox{ see \cite[p.~2]{x} and \ref{y} now}$", r"a \mbox{ see and now}"),
    (r"$\text{\ss\ u\ldots}$", r"\text{ß u…}"),
    (r"$\text{a\\b, c\;d\!e\/f\%}$", r"\text{a b, c def\%}"),
    (r"$\text{a & b}$", r"\text{a b}"),
    (r"$\text{$a$ $b$}$", "a b"),
    (r"$x^\text{if $a$ b}$", r"x^{\text{if }a\text{ b}}"),
    ("$\\text{a % no $x$\nb}$", r"\text{a b}"),
    (r"\newcommand\foo{bar}$\text{a \foo c}$", r"\text{a bar c}"),
    (r"$\hbox to 3cm{ab $x$}$", r"\hbox{ab }x"),
    (r"$\textbf{a}+\fbox{b}+\parbox[t]{3cm}{c}$", r"\textbf{a}+\text{b}+\text{c}"),
    (r"$a\text{ }b$", "ab"),
]


def test_words_within_a_formula_stay_words_and_formulas_within_them_formulas() -> None:
    for source, found in WORDED:
        assert tex_of(source) == [found], source


def test_the_title_of_a_paragraph_stands_in_its_text() -> None:
    first, second = read_text(r"\section{A}\paragraph*{Energy of $E$} So $x$.")[1]
    assert (first.tex, second.tex, first.heading, second.heading) == ("E", "x", "A", "A")
    assert second.window.endswith("Energy of ⟦0⟧ So ⟦1⟧.")
    *_, last = read_text(r"\section{A} a $y$ \subparagraph[E]{Energy} So $x$.")[1]
    assert last.window.endswith("\n\nEnergy: So ⟦1⟧.")


def test_an_authors_unit_in_running_text_is_printed() -> None:
    source = r"\DeclareSIUnit\sun{\ensuremath{M_\odot}} at \SI{3}{\sun} and \SI{2}{\kpc} $x$."
    assert read_text(source)[1][0].window == "at 3 M_⊙ and 2 kpc ⟦0⟧."


def test_quantities_in_running_text_are_printed() -> None:
    source = r"at \SI{10}{\metre\per\second}, \ang{30}, \SIrange{1}{2}{\kilo\gram}, \num{1e5}, \si{\ohm}, \qty{3.5}{\micro\metre\squared}, \unit[11.8]{kg}, \SI{90}{\degree} and \SI{20}{\celsius} $x$."
    assert read_text(source)[1][0].window == "at 10 m/s, 30°, 1–2 kg, 1×10^5, Ω, 3.5 µm^2, 11.8 kg, 90° and 20 °C ⟦0⟧."


def test_a_fraction_of_units_is_one() -> None:
    source = r"$\SI{8e-12}{\frac{\ampere\second}{\volt\metre}}$ and \SI{3}{\dfrac{\kilogram}{\metre^{2}}}"
    _, found = read_text(source)
    assert [o.tex for o in found] == [r"8\times 10^{-12}\,\frac{\mathrm{A}\,\mathrm{s}}{\mathrm{V}\,\mathrm{m}}"]
    assert "and 3 kg/m^2" in found[0].window


def test_a_list_and_a_product_of_numbers_have_their_unit() -> None:
    _, found = read_text(r"$\SIlist{1;2e3}{\m}$ $\numproduct{3x4}$ $\qtyproduct{5 x 6}{\cm}$ are \qtylist{7;8}{\s}.")
    assert [o.tex for o in found] == [r"1, 2\times 10^{3}\,\mathrm{m}", r"3\times 4", r"5\times 6\,\mathrm{cm}"]
    assert found[0].window.endswith("are 7, 8 s.")
