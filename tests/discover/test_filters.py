"""Which formulas can be concepts."""

import pytest

from bot.discover.candidate_filters import is_candidate, is_numeric


@pytest.mark.parametrize(
    "tex", ["v = 3", r"F = (2.0)(9.8) = 19.6", r"T = 2.725\,\text{K}", r"x = 12.5 \times 10^{3}", r"W = 3.2 t + 17.5"]
)
def test_numbers_put_in_for_symbols(tex: str) -> None:
    assert is_numeric(tex)


@pytest.mark.parametrize(
    "tex",
    [
        r"K = \frac{1}{2}mv^2",
        r"V = \frac{4}{3}\pi r^3",
        r"\sum V = 0",
        r"\nabla\cdot B = 0",
        r"E=mc^2",
        r"M = 3.1 \sigma_0 a b",
    ],
)
def test_numbers_that_belong_to_a_law(tex: str) -> None:
    assert not is_numeric(tex)


def test_equations_pass_and_others_do_not() -> None:
    assert is_candidate("F = ma", "equation")
    assert is_candidate(r"\Delta x \Delta p \geq \hbar/2", "relation")
    assert not is_candidate(r"x \in A", "relation")
    for kind in ("stub", "expression", "dependence", "assignment", "unreadable"):
        assert not is_candidate("x = y", kind)
    assert not is_candidate("a = " + "b + " * 200 + "c", "equation")


@pytest.mark.parametrize(
    "tex",
    [
        r"H_{0}:\mu=5",
        r"H_{\text{a}}:\mu_{1}<\mu_{2}",
        r"\Delta H=-\Delta H_{1}=?",
        r"A\cap B=\{3,5\}",
        "|x|=-x>0",
        r"f(x)=\frac{1}{8}",
        r"\text{N}_{2}(g)+3\text{H}_{2}(g)\longrightarrow2\text{NH}_{3}(g)\qquad\Delta H=x",
        r"\Delta G=\text{102.0 kJ/mol}",
        r"P(A\cap B)=0.225",
        "x^{2}+0.0211x-0.0211=0",
        r"\theta=\frac{\pi}{6}",
        r"i=0,1,2,\ldots,\,n",
        "0.0211(1.00-x)=x^{2}",
        r"6.163\,\text{mol }C/1.233\,\text{ mol }\,N=5",
        r"\Delta H=EA=-328.2\text{kJ/mol}",
        r"\text{A}+\text{B}\rightleftharpoons\text{C}",
        r"\text{rate}=k[\text{NO}_{2}][\text{CO}]",
        r"Q_{P}=\frac{P_{\text{HI}}{}^{2}}{P_{H_{2}}P_{I_{2}}}=K_{P}",
    ],
)
def test_what_is_of_one_example_is_no_concept(tex: str) -> None:
    assert not is_candidate(tex, "equation", is_named_by_source=True)


@pytest.mark.parametrize(
    "tex", ["a>0", r"0\leq t\leq2\pi", r"\sigma_{1}^{2}<\sigma_{2}^{2}", "|r|<1", r"68-0.8225\leq\mu\leq68+0.8225"]
)
def test_a_bound_of_a_symbol_is_no_concept(tex: str) -> None:
    assert not is_candidate(tex, "relation")


@pytest.mark.parametrize(
    "tex",
    [
        r"f=\frac{d_{i}d_{o}}{d_{o}+d_{i}}",
        r"v_{\text{avg}}=\frac{\text{distance}}{\text{time}}",
        r"K_{w}=[\text{H}_{3}\text{O}^{+}][\text{OH}^{-}]",
        r"K_a=\frac{[\mbox{H}^+][\mbox{A}^-]}{[\mbox{HA}]}",
    ],
)
def test_distances_words_and_concentrations_are_symbols(tex: str) -> None:
    assert is_candidate(tex, "assignment")
    assert not is_candidate(r"[\text{A}]=\text{0.5 M}", "assignment")


@pytest.mark.parametrize(
    "tex", [r"\frac{1}{f}=\frac{1}{d_{i}}+\frac{1}{d_{o}}", r"k=\frac{1}{4\pi\varepsilon_{0}}=8.99\times10^{9}", r"\zeta(2)=\frac{\pi^{2}}{6}", r"H_{0}=\frac{\dot a}{a}", r"1\,\Omega=\text{1 V/A}", r"P(\Omega)=1", r"\Delta S=\Delta S_{1}+\Delta S_{2}>0"]
)  # fmt: skip
def test_what_looks_like_an_example_and_is_none(tex: str) -> None:
    assert is_candidate(tex, "equation")


def test_an_author_who_names_a_formula_is_believed() -> None:
    assert is_candidate("F_{AB} = -F_{BA}", "assignment", is_named_by_source=True)
    assert not is_candidate("x", "expression", is_named_by_source=True)


@pytest.mark.parametrize(
    ("tex", "kind", "fits"),
    [
        (r"f_{\text{s}}\leq\mu_{\text{s}}N", "relation", True),
        (r"a<b_{\text{x}}", "relation", False),
        (r"F_{AB}=-F_{BA}", "assignment", True),
        (r"g_{ij}=g_{ji}", "assignment", True),
        (r"F_{12}=-F_{12}", "assignment", False),
        (r"F_{12}=-F_{34}", "assignment", False),
        (r"F_{12}=-G_{21}", "assignment", False),
        (r"d\sin\theta=(m+\frac{1}{2})\lambda,\text{ for }m=0,1,-1,2,-2,\ldots\text{ (dark)}", "equation", True),
        (r"f_n=n\frac{v}{4L}\,(n=1,3,5,\ldots)", "equation", True),
        (r"v=3\,\text{m},n=1,2,3", "equation", False),
        (r"E_n=-\frac{13.6\,\text{eV}}{n^2}", "equation", True),
        (r"E_k=-\frac{13.6\,\text{eV}}{n^2}", "equation", False),
        (r"x_n=3.25n", "equation", False),
        (r"{}_Z^A\text{X}\to{}_{Z-2}^{A-4}\text{Y}+{}_2^4\text{He}", "relation", True),
        (r"^A_ZX\rightarrow{}^A_{Z+1}Y+e^-", "relation", True),
        (r"{}_{92}^{238}\text{U}\to{}_{90}^{234}\text{Th}+{}_2^4\text{He}", "relation", False),
        (r"\sin^2 t+\cos^2 t=1", "equation", True),
        (r"\sin\theta=1", "equation", False),
        (r"\sin t+\cos t=1.366", "equation", False),
    ],
)
def test_indices_turned_ranges_behind_and_identities_of_one_letter(tex: str, kind: str, fits: bool) -> None:
    assert is_candidate(tex, kind) is fits


@pytest.mark.parametrize(
    ("tex", "is_one"),
    [
        (r"x = \text{A} \to y", True),  # one element alone may be a name
        (r"x = \text{H}_2 + \text{Cl}_2 \to 2", False),
        (r"k = \text{H} \to \text{C}", False),
    ],
)
def test_a_reaction_has_two_elements(tex: str, is_one: bool) -> None:
    assert is_candidate(tex, "equation") is is_one
