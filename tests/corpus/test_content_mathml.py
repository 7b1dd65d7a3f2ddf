"""Content MathML: what is applied to what, as TeX."""

from __future__ import annotations

from bot.corpus.mathml.mathml_scan import scan_mathml
from bot.corpus.mathml.mathml_to_tex import mathml_equations, mathml_to_tex
from bot.corpus.xml_parsing import parse_xml

A, B, N, T, X = (f"<ci>{letter}</ci>" for letter in "abntx")
ONE, TWO = "<cn>1</cn>", "<cn>2</cn>"
SUB = "<ci><msub><mi>R</mi><mtext>out</mtext></msub></ci>"


def of(*parts: str) -> str:
    """Return an application; a first part without a tag is the name of an operator."""
    head, *rest = parts
    return f"<apply>{head if head.startswith('<') else f'<{head}/>'}{''.join(rest)}</apply>"


def called(name: str, *parts: str) -> str:
    return of(f"<csymbol definitionURL='http://cnx.rice.edu/cd/cnxmath.ocd#{name}'/>", *parts)


FN = "<ci type='fn'>f</ci>"
VAR = f"<bvar>{X}</bvar>"
ROWS = [
    (of("eq", "<ci>v</ci>", of("times", "<ci>R</ci>", "<ci>i</ci>")), "v=Ri"),
    (of("leq", "<cn>0</cn>", called("probability", A), ONE), r"0\leq\mathrm{Pr}(a)\leq1"),
    (of("approx", of("plus", A, B)), r"\approx a+b"),
    (of("implies", of("eq", A, B), of("eq", B, A)), r"a=b\Rightarrow b=a"),
    # What holds together less strongly than it must stands in fences, and nothing else does.
    (of("times", of("plus", A, B), of("minus", A, B)), "(a+b)(a-b)"),
    (of("minus", A, of("plus", A, B)), "a-(a+b)"),
    (of("minus", of("minus", A, B), of("minus", TWO)), "a-b-(-2)"),
    (of("power", of("divide", A, B), TWO), r"\left(\frac{a}{b}\right)^{2}"),
    (of("power", of("minus", ONE), N), "(-1)^{n}"),
    (of("divide", of("plus", A, B), of("times", TWO, A)), r"\frac{a+b}{2a}"),
    (of("times", ONE, of("power", TWO, N)), r"1\cdot2^{n}"),
    (of("times", "<imaginaryi/>", TWO, "<pi/>", A), r"i\cdot2\pi a"),
    (of("exp", of("minus", of("times", A, T))), "e^{-at}"),
    (of(FN, of("minus", T, A)), "f(t-a)"),
    (of("cos", of("times", A, T)), r"\cos(at)"),
    (of("log", f"<logbase>{TWO}</logbase>", A), r"\log_{2}(a)"),
    (of("root", A), r"\sqrt{a}"),
    (of("root", "<degree><cn>3</cn></degree>", A), r"\sqrt[3]{a}"),
    (of("abs", of("plus", A, B)), "|a+b|"),
    (of("times", A, of("inverse", of("plus", A, B))), "a(a+b)^{-1}"),
    (of("factorial", of("plus", N, ONE)), "(n+1)!"),
    (of("transpose", "<ci type='vector'>x</ci>"), r"\mathbf{x}^{T}"),
    (of("selector", X, N, ONE), "x_{n,1}"),
    (called("estimate", A), r"\hat{a}"),
    (of("mean", A), r"\bar{a}"),
    (of("divergence", "<ci type='vector'>E</ci>"), r"\nabla\cdot\mathbf{E}"),
    (of("<mo>∥</mo>", SUB, A), r"R_{\text{out}}\parallel a"),
    (of("<mo>Δ</mo>", X), r"\Delta x"),
    (of("sum", f"<bvar>{N}</bvar>", f"<lowlimit>{ONE}</lowlimit>", "<uplimit><infinity/></uplimit>", of(FN, N)), r"\sum_{n=1}^{\infty}f(n)"),
    (of("times", A, of("sum", f"<bvar>{N}</bvar>", f"<domainofapplication>{N}</domainofapplication>", B)), r"a\left(\sum_{n}b\right)"),
    (of("int", VAR, f"<lowlimit>{A}</lowlimit>", f"<uplimit>{B}</uplimit>", of(FN, X)), r"\int\limits_{a}^{b}f(x)dx"),
    (of("int", VAR, f"<interval>{A}{B}</interval>", of("plus", X, ONE)), r"\int\limits_{a}^{b}(x+1)dx"),
    (of("limit", VAR, "<lowlimit><cn>0</cn></lowlimit>", of(FN, X)), r"\lim_{x\to0}f(x)"),
    (of("diff", VAR, A), r"\frac{da}{dx}"),
    (of("diff", f"<bvar>{X}<degree>{TWO}</degree></bvar>", A), r"\frac{d^{2}a}{dx^{2}}"),
    (of("partialdiff", VAR, f"<bvar>{T}</bvar>", A), r"\frac{\partial^{2}a}{\partial x\partial t}"),
    (of("forall", f"<bvar>{N}</bvar>", of("eq", A, B)), r"\forall n:a=b"),
    ("<cn type='rational'>1<sep/>2</cn>", r"\frac{1}{2}"),
    ("<cn type='e-notation'>6<sep/>23</cn>", r"6\times10^{23}"),
    ("<interval closure='closed-open'><cn>0</cn><cn>1</cn></interval>", "[0,1)"),
    (of("in", A, f"<set>{ONE}{TWO}</set>"), r"a\in\{1,2\}"),
    (f"<matrix><matrixrow>{A}{B}</matrixrow><matrixrow>{B}{A}</matrixrow></matrix>", r"\begin{pmatrix}a & b \\ b & a\end{pmatrix}"),
    (
        of("eq", A, f"<piecewise><piece>{ONE}{of('gt', T, '<cn>0</cn>')}</piece><otherwise>{TWO}</otherwise></piecewise>"),
        r"a=\begin{cases}1 & t>0 \\ 2\end{cases}",
    ),
    (f"<mrow>{of('plus', A, B)}<mo>=</mo>{N}</mrow>", "a+b=n"),
    (of("eq", A, B, N), "a=b=n"),
    (of("eq", A, of("eq", B, N)), "a=(b=n)"),
    (of("lt", of("leq", A, X), B), r"a\leq x<b"),
    (of("eq", of("eq", A, B), N), "a=b=n"),
    (of("lt"), "<"),
    (of("plus", A, of("vectorproduct", B, N)), r"a+b\times n"),
    # Fences where two signs side by side would say something else.
    (of("vectorproduct", A, of("vectorproduct", B, N)), r"a\times(b\times n)"),
    (of("and", A, of("or", B, N)), r"a\land(b\lor n)"),
    (of("and", A, of("and", B, N)), r"a\land b\land n"),
    (of("setdiff", A, of("union", B, N)), r"a\setminus(b\cup n)"),
    (of("implies", A, of("implies", A, B)), r"a\Rightarrow(a\Rightarrow b)"),
    (of("intersect", A, of("plus", B, N)), r"a\cap(b+n)"),
    (of("plus", A), "a"),
    (of("plus", A, of("plus", B, N)), "a+b+n"),
    (of("curl", of("times", A, B)), r"\nabla\times(ab)"),
    (of("not", A), r"\neg a"),
    (of("conjugate", of("plus", A, B)), r"\overline{a+b}"),
    (of("norm", A), r"\|a\|"),
    (of("floor", of("plus", A, B)), r"\lfloor a+b\rfloor"),
    (of("ceiling", A), r"\lceil a\rceil"),
    (of("real", A), r"\mathrm{Re}(a)"),
    (of("gcd", A, B), r"\gcd(a,b)"),
    (of("<mo>⊙</mo>", A, of("times", A, B)), r"a\odot ab"),
    (of("times", of("<mo>⊙</mo>", A, B), N), r"(a\odot b)n"),
    (of("times", of("<mo>Δ</mo>", A), N), r"\Delta an"),
    (of("minus", of("times", A, B)), "-ab"),
    (of("minus", A, of("minus", B)), "a-(-b)"),
    (of("times", A, of("minus", B)), "a(-b)"),
    (of("power", of("power", A, B), N), "(a^{b})^{n}"),
    (of("power", "<cn>-1</cn>", N), "(-1)^{n}"),
    (of("power", "<cn>−1</cn>", N), "(-1)^{n}"),
    (of("factorial", of("power", A, B)), "(a^{b})!"),
    (of("selector", of("plus", A, B), N), "(a+b)_{n}"),
    (of(of("power", FN, TWO), X), "f^{2}(x)"),
    (of(of("plus", FN, FN), X), "(f+f)(x)"),
    (of("<ci>f</ci>"), "f"),
    (of("<ci>f</ci>", X, T), "f(x,t)"),
    (of("<csymbol>erf</csymbol>", X), r"\mathrm{erf}(x)"),
    (of("<csymbol>p</csymbol>", f"<condition>{T}</condition>", X), "p(x|t)"),
    (of("<ci>p</ci>", f"<condition>{of('eq', A, B)}</condition>", X, T), "p(x,t|a=b)"),
    (f"<reln><gt/>{A}{B}</reln>", "a>b"),
    ("<reln><lt/><mrow><mi>P</mi><mo>(</mo><mi>X</mi></mrow><mrow><mi>x</mi><mo>)</mo></mrow></reln>", "P(X<x)"),
    (of("<ci><mo>×</mo></ci>", A, B), r"a\times b"),
    (of("<csymbol>+</csymbol>", A, B, N), "a+b+n"),
    (of("<ci>!</ci>", A), "!(a)"),
    (of("sum", A), r"\sum a"),
    (of("sum", f"<bvar>{N}</bvar>", A), r"\sum_{n}a"),
    (of("sum", f"<lowlimit>{ONE}</lowlimit>", A), r"\sum_{1}a"),
    (of("sum", f"<bvar>{N}</bvar>", f"<lowlimit>{ONE}</lowlimit>", of("plus", A, B)), r"\sum_{n=1}(a+b)"),
    (of("product", f"<bvar>{N}</bvar>", f"<condition>{of('gt', N, ONE)}</condition>", of("times", A, B)), r"\prod_{n>1}ab"),
    (of("int", A), r"\int a"),
    (of("int", VAR, A), r"\int adx"),
    (of("int", VAR, f"<lowlimit>{ONE}</lowlimit>", A), r"\int\limits_{1}adx"),
    (of("times", of("int", VAR, A), B), r"(\int adx)b"),
    (of("limit", f"<condition>{of('tendsto', X, ONE)}</condition>", A), r"\lim_{x\to1}a"),
    (of("plus", of("limit", VAR, f"<lowlimit>{ONE}</lowlimit>", of("plus", A, B)), N), r"\lim_{x\to1}(a+b)+n"),
    (of("diff", VAR, of("plus", A, B)), r"\frac{d(a+b)}{dx}"),
    (of("diff", VAR, f"<bvar>{T}</bvar>", A), r"\frac{d^{2}a}{dxdt}"),
    (of("partialdiff", f"<bvar>{X}<degree>{TWO}</degree></bvar>", A), r"\frac{\partial^{2}a}{\partial x^{2}}"),
    (of("forall", f"<bvar>{N}</bvar>", f"<condition>{of('gt', N, ONE)}</condition>", of("eq", A, B)), r"\forall n>1:a=b"),
    (of("times", "<cn type='complex-cartesian'>1<sep/>2</cn>", A), "(1+2i)a"),
    (of("power", "<cn type='e-notation'>6<sep/>23</cn>", N), r"(6\times10^{23})^{n}"),
    ("<cn type='rational'>-1<sep/>2</cn>", r"\frac{-1}{2}"),
    ("<cn> 3 </cn>", "3"),
    (f"<interval>{A}{B}</interval>", "[a,b]"),
    (f"<interval closure='open'>{A}{B}</interval>", "(a,b)"),
    (f"<interval closure='open-closed'>{A}{B}</interval>", "(a,b]"),
    (f"<list>{A}{B}</list>", "(a,b)"),
    # Qualifiers are shown where the operator shows them.
    (f"<set>{VAR}<condition>{of('gt', X, ONE)}</condition></set>", r"\{x|x>1\}"),
    (f"<set><condition>{of('gt', X, ONE)}</condition>{VAR}{of('plus', X, A)}</set>", r"\{x+a|x>1\}"),
    (called("norm", f"<domainofapplication>{TWO}</domainofapplication>", X), r"\|x\|_{2}"),
    (called("probability", f"<condition>{B}</condition>", A), r"\mathrm{Pr}(a|b)"),
    (of("<csymbol>p</csymbol>", f"<bvar>{A}</bvar>", X), "p_{a}(x)"),
    (of("max", f"<domainofapplication>{N}</domainofapplication>", X), r"\max_{n}(x)"),
    (called("argmax", VAR, of(FN, X)), r"\operatorname*{argmax}_{x}(f(x))"),
    (called("evaluateat", VAR, f"<lowlimit>{A}</lowlimit>", of(FN, X)), "f(x)|_{x=a}"),
    (called("evaluateat", VAR, f"<interval>{A}{B}</interval>", of("plus", X, N)), "(x+n)|_{x=a}^{b}"),
    (called("evaluateat", VAR, f"<condition>{of('exp', A)}</condition>", X), "x|_{x=e^{a}}"),
    (called("evaluateat", VAR, f"<condition>{of('gt', N, ONE)}</condition>", X), "x|_{n>1}"),
    # The derivative of a function whose variable has no name.
    (of("diff", X), "x'"),
    (of("diff", of(SUB, T)), r"R_{\text{out}}'(t)"),
    (of(of("diff", X), T), "x'(t)"),
    (called("convolve", of(FN, T), A), r"f(t)\ast a"),
    (of("<csymbol definitionURL='http://www.openmath.org/cd/combinat1.ocd'/>", N, A), r"\left({n \atop a}\right)"),
    (of("<msub><mi>w</mi><mn>0</mn></msub>"), "w_{0}"),
    (of("<mover><mi>x</mi><mo>^</mo></mover>", T), r"\hat{x}(t)"),
    (of(f"<piecewise><piece>{ONE}{of('gt', T, ONE)}</piece></piecewise>"), r"\begin{cases}1 & t>1\end{cases}"),
    (f"<matrix><matrixrow>{A}<ci> </ci></matrixrow></matrix>", r"\begin{pmatrix}a & \end{pmatrix}"),
    ("<set/>", r"\{\}"),
    (f"<set><bvar>{N}</bvar><condition>{of('gt', N, ONE)}</condition></set>", r"\{n|n>1\}"),
    (f"<set><bvar>{N}</bvar>{A}<condition>{of('gt', N, ONE)}</condition></set>", r"\{a|n>1\}"),
    (of("in", A, f"<interval>{A}{B}</interval>"), r"a\in[a,b]"),
    (f"<vector>{A}{B}</vector>", r"\begin{pmatrix}a \\ b\end{pmatrix}"),
    (of("plus", ONE, f"<piecewise><piece>{TWO}{A}</piece></piecewise>"), r"1+\begin{cases}2 & a\end{cases}"),
    ("<ci type='matrix'>M</ci>", r"\mathbf{M}"),
    (of("times", A, "<ci><mi>a</mi><mo>+</mo><mi>b</mi></ci>"), "a(a+b)"),
    (of("times", A, "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"), "a(a+b)"),
    (of("times", A, "<mrow><mi>b</mi></mrow>"), "ab"),
    (of("mean", f"<mphantom>{B}</mphantom>", A), r"\bar{a}"),
]  # fmt: skip


def test_what_is_applied_to_what_is_shown() -> None:
    for source, wanted in ROWS:
        math = parse_xml(f"<math>{source}</math>", "here")
        assert mathml_to_tex(math) == wanted, source
        assert mathml_equations(math) == [wanted], source
        assert scan_mathml(source) is None, source  # of it only a parser can tell


UNKNOWN = (
    "<lambda/>", "<csymbol definitionURL='#binomial'/>", "<fn/>", "<divide/>", "<power/>", "<partialdiff/>", f"<limit/>{VAR}", "<selector/>", "<forall/>",
)  # fmt: skip


def test_half_of_a_formula_is_none() -> None:
    for unknown in UNKNOWN:
        math = parse_xml(f"<math>{of('eq', A, of(unknown, B))}</math>", "here")
        assert mathml_to_tex(math) == "", unknown
        assert mathml_equations(math) == [], unknown


def test_what_has_parts_too_few_or_too_many_is_not_shown() -> None:
    for source in (
        of("minus", A, B, N), of("divide", A, B, N), of("sum", f"<bvar>{N}</bvar>", A, B), of("sum", f"<bvar>{N}</bvar>"), of("diff", A, B),
        of("int", VAR, f"<interval>{A}</interval>", A), of("limit", VAR, A), of("limit", f"<lowlimit>{ONE}</lowlimit>", A), of("diff", VAR, A, B),
        of("diff", "<bvar/>", A), of("partialdiff", f"<bvar>{X}<degree>{TWO}</degree></bvar>", f"<bvar>{T}</bvar>", A), of("forall", f"<bvar>{N}</bvar>", A, B),
        "<cn type='real'>1<sep/>2</cn>", "<cn type='rational'>1<sep/></cn>", "<cn></cn>", "<cn>1<sep/>2<sep/>3</cn>", "<matrix><matrixrow/></matrix>", "<ci></ci>",
        "<apply/>", of("plus"),
    ):  # fmt: skip
        assert mathml_to_tex(parse_xml(f"<math>{source}</math>", "here")) == "", source


def test_content_nested_by_the_hundred_costs_its_formula_only() -> None:
    deep = A
    for _ in range(250):
        deep = of("minus", deep)
    math = parse_xml(f"<math>{deep}</math>", "here")

    def from_far_down(depth: int) -> str:
        return from_far_down(depth - 1) if depth else mathml_to_tex(math)

    assert from_far_down(300) == ""
