"""HTML pages of any tool: each formula once, in its sentence, displayed or not, whoever was to set it."""

from __future__ import annotations

import pytest
from time_limit import at_most

from bot.corpus.html.html_page import read_html
from bot.errors import DocumentError
from bot.records import Document, NameHint, Occurrence

MATHJAX = '<script src="https://cdn.jsdelivr.net/npm/mathjax@3/es5/tex-chtml.js"></script>'
ASSISTIVE = "<math><mi>E</mi><mo>=</mo><mi>m</mi><msup><mi>c</mi><mn>2</mn></msup></math>"


def read(body: str, head: str = "") -> tuple[Document, tuple[Occurrence, ...]]:
    page = f"<!DOCTYPE html><html lang='en'><head><title>Notes</title>{head}</head><body>{body}</body></html>"
    return next(read_html(page.encode(), path="notes/page.html"))


def formulas(body: str, head: str = "") -> list[tuple[str, bool]]:
    return [(o.tex, o.display) for o in read(body, head)[1]]


def windows(body: str, head: str = "") -> list[str]:
    return [o.window for o in read(body, head)[1]]


def test_delimiters_of_mathjax_are_read_as_it_reads_them() -> None:
    body = (
        r"<h2>Energy</h2><p>A body at rest has \(E = m c^2\), where \(m\) is its <b>rest mass</b>:"
        r"\[ p = \gamma m v. \]</p><p>Then $$F = ma$$ and \begin{equation} x = 1 \label{eq:x} \end{equation} by \eqref{eq:x}.</p>"
    )
    document, found = read(body)
    assert [(o.tex, o.display) for o in found] == [
        ("E = m c^2", False),
        ("m", False),
        (r"p = \gamma m v", True),
        ("x = 1", True),
    ]
    assert [(o.tex, o.display) for o in read(body, MATHJAX)[1]][3:] == [("F = ma", True), ("x = 1", True)]
    assert (
        found[0].window == "A body at rest has ⟦0⟧, where ⟦1⟧ is its rest mass: ⟦2⟧.\n\nThen $$F = ma$$ and ⟦3⟧ by …."
    )
    assert found[0].heading == "Energy"
    assert (found[0].hints, found[2].hints) == ((), (NameHint("defined_term", "rest mass"),))
    assert (document.title, document.language) == ("Notes", "en")


def test_single_dollars_are_formulas_where_the_page_says_so() -> None:
    body = "<p>Of $x+1$ cats each costs $5.</p>"
    config = "<script>MathJax = {tex: {inlineMath: [['$', '$'], ['\\\\(', '\\\\)']]}};</script>"
    katex = (
        "<script>renderMathInElement(document.body, {delimiters: [{left: '$', right: '$', display: false}]});</script>"
    )
    assert formulas(body) == []
    for head in (config, katex):
        assert formulas(body, head) == [("x+1", False)]
    assert formulas(r"<p>It costs \$5, and $y$ is \$6.</p>", config) == [("y", False)]
    assert windows(r"<p>It costs \$5, and $y$ is \$6.</p>", config) == ["It costs $5, and ⟦0⟧ is $6."]
    # Its settings stand elsewhere: only what can hardly be money is a formula.
    assert formulas("<p>Of $x+1$ cats each costs $5 or $6.</p>", MATHJAX) == [("x+1", False)]


def test_delimiters_in_code_and_in_what_a_page_excludes_are_text() -> None:
    body = r"<p><code>\(a\)</code></p><pre>\[b\]</pre><div class='tex2jax_ignore'>\(c\) <span class='math'>\(d\)</span></div><p>\(e\)</p>"
    assert formulas(body) == [("d", False), ("e", False)]


def test_a_delimiter_closes_where_its_braces_are_closed_and_lines_may_break_inside() -> None:
    assert formulas(r"<p>\[ x \text{ if \(y\)} = <br> 2 \]</p>") == [("x \\text{ if \\(y\\)} = 2", True)]
    assert formulas(r"<p>An open \( x and text.</p>") == []
    assert windows(r"<p>An open \( x and \(y\).</p>")[0] == "An open ⟦0⟧."


def test_a_blank_may_stand_before_the_name_of_an_environment() -> None:
    body = r"<p>So \begin {align} a &= b, \\ c &= \begin {pmatrix} 1 \\ 2 \end {pmatrix}. \end {align} holds.</p>"
    assert formulas(body) == [("a= b", True), (r"c= \begin{pmatrix} 1 \\ 2 \end{pmatrix}", True)]
    assert windows(body)[0] == "So ⟦0⟧, ⟦1⟧. holds."


def test_elements_of_distill_hold_tex() -> None:
    body = (
        r"<d-article><p>With <d-math>k &lt; n</d-math> terms,</p><d-math block>s = \sum_k x_k</d-math>"
        "<p>and <dt-math>t_0</dt-math>.</p></d-article>"
    )
    assert formulas(body) == [("k < n", False), (r"s = \sum_k x_k", True), ("t_0", False)]


def test_a_footnote_of_distill_is_read_behind_its_section() -> None:
    body = "<p>The ratio <d-math>q</d-math><d-footnote>Named after <d-math>Q</d-math>.</d-footnote> is small.</p><h2>More</h2><p>Text.</p>"
    assert windows(body) == ["The ratio ⟦0⟧ is small.\n\nNamed after ⟦1⟧."] * 2


def test_marks_of_notes_are_no_text() -> None:
    marks = (
        '<a href="#fn1"><sup>12</sup></a>',
        '<sup><a href="notes.html#n3">[3]</a></sup>',
        '<a role="doc-noteref" href="#n">1</a>',
    )
    for mark in marks:
        assert windows(rf"<p>The radius{mark} is \(r\).{mark}</p>") == ["The radius is ⟦0⟧."]
    assert windows(r"<p>Of <a href='#a'>12</a> m<sup>2</sup> \(A\) is left.</p>") == ["Of 12 m2 ⟦0⟧ is left."]


def test_the_title_of_a_statement_of_pretext_names_its_formulas() -> None:
    body = (
        '<article class="theorem theorem-like"><h6 class="heading"><span class="type">Theorem</span> <span class="codenumber">2.1</span>'
        r'<span class="period">.</span> <span class="title">Law of Sines.</span></h6><p>Then \(a/b = c\).</p></article>'
    )
    assert read(body)[1][0].hints == (NameHint("equation_title", "Law of Sines"),)


def test_examples_and_exercises_are_told_from_the_text() -> None:
    body = (
        r'<div class="theorem example"><p><strong>Example 1 (Line)</strong> \(a\)</p><table><tr><td>x</td><td>\(b\)</td></tr></table></div><p>\(c\)</p>'
        r'<section class="exercises"><article class="exercise exercise-like"><p>\(d\)</p></article><div class="example">\(e\)</div></section>'
    )
    assert [o.role for o in read(body)[1]] == ["example", "example", "text", "exercise", "exercise"]
    assert read(body)[1][0].hints[0].name == "Line"


def test_what_a_page_of_pretext_opens_on_a_click_is_read() -> None:
    body = (
        '<a class="assistive" href="#content">Skip to main content</a>'
        r'<div class="hidden-content">\(\newcommand{\amp}{&}\numberwithin{equation}{section}\)</div>'
        r'<p>By <a data-knowl="" data-refid="hk-1">Example 1</a> the rate is \(k\text{.}\)</p>'
        r'<div class="hidden-content tex2jax_ignore" id="hk-1"><p>Here \(k = 2\text{,}\) so'
        r"\begin{align*}a \amp = b\\ c \amp = d\text{.}\end{align*}</p></div>"
    )
    assert formulas(body) == [("k", False), ("k = 2", False), ("a= b", True), ("c= d", True)]
    assert windows(body)[0].startswith("By Example 1 the rate is ⟦0⟧.")


def test_pictures_of_latex2html_are_read_by_their_whole_tex() -> None:
    body = '<P>Let <IMG SRC="img1.png" ALT="$ A$"> have <IMG SRC="img2.png" ALT="$ &lt; 3$"> rows:<IMG SRC="img3.png" ALT="{}"></P>'
    assert [tex for tex, _ in formulas(body.format("$ B$"))] == ["A", "< 3", "B"]
    cut = "$\\displaystyle x = \\sum_i a_i\\mathb...\n...f{{b}}$"
    assert [tex for tex, _ in formulas(body.format(cut))] == ["A", "< 3"]
    assert windows(body.format(cut))[0] == "Let ⟦0⟧ have ⟦1⟧ rows:…"
    whole = f'<P><!-- MATH\n \\begin{{equation}}\nx < \\sum_i a_i\\mathbf{{b}}\n\\end{{equation}}\n --></P><DIV ALIGN="CENTER"> <IMG SRC="1.png" ALT="{cut}"></DIV>'
    assert formulas(whole) == [(r"x < \sum_i a_i\mathbf{b}", True)]
    for other in (whole.replace("equation", "eqnarray"), whole.replace("MATH", "none")):
        with pytest.raises(DocumentError):
            formulas(other)


def test_spaces_between_delimiters_are_no_formula() -> None:
    assert formulas(r"<p>\(\quad\)First words\(~\, \).</p>") == []
    assert windows(r"<p>\(\quad\) Of \(a\;\).</p>") == ["Of ⟦0⟧."]


def test_the_navigation_of_latex2html_is_no_text() -> None:
    body = "<!--Navigation Panel--><B>Next:</B> <A>About this document</A><!--End of Navigation Panel-->"
    assert windows(body + r"<P>Let \(a\) be.") == ["Let ⟦0⟧ be."]


def test_numbers_and_tex_in_titles_are_set_as_text() -> None:
    body = r"<h2><span>1.2.3</span><span>Orders of growth</span></h2><p>\(a\)</p>"
    assert read(body)[1][0].heading == "1.2.3 Orders of growth"
    page = (
        rb"<html><head><title>How to find \(\boldsymbol{X}\) and \(y\)</title></head><body><p>\(a\)</p></body></html>"
    )
    assert next(read_html(page, path="a.html"))[0].title == "How to find X and y"


def test_a_table_that_only_lays_out_equations_is_no_table() -> None:
    one = r"<table><tr><td>\(v = a t\),</td><td></td><td>(2.1)</td></tr></table>"
    body = f"<p>The speed is</p>{one}<p>and the rest.</p>"
    assert formulas(body) == [("v = a t", True)]
    assert [(o.window, o.role) for o in read(body)[1]] == [("The speed is ⟦0⟧, and the rest.", "text")]
    cut = r"<table><tr><td>\(f(x)\)</td><td>\(\displaystyle =\)</td><td>\(a x\)</td></tr>"
    cut += r"<tr><td>&nbsp;</td><td>\(\leq\)</td><td>\(b\).</td><td>(3)</td></tr></table>"
    assert formulas(cut) == [("f(x)=a x", True), (r"f(x)\leq b", True)]
    values = r"<table><tr><td>\(x\)</td><td>\(x^2\)</td></tr><tr><td>\(2\)</td><td>\(4\)</td></tr></table>"
    assert {o.role for o in read(values)[1]} == {"table"}


def test_rows_of_a_display_are_formulas_of_their_own_and_rows_that_go_on_are_not() -> None:
    body = r"\begin{align} a &= b + c \label{a} \\ &= d \nonumber \\ f &= g \\ & \quad + h \end{align}"
    assert formulas(f"<p>{body}</p>") == [("a= b + c", True), ("a= d", True), (r"f= g \quad + h", True)]


def test_scripts_of_mathjax_count_once_beside_what_is_set_of_them() -> None:
    inline = (
        '<span class="MathJax_Preview">E=mc^2</span><span class="MathJax" id="MathJax-Element-1-Frame" data-mathml="'
        f"{ASSISTIVE}"
        f'"><nobr>E=mc2</nobr><span class="MJX_Assistive_MathML">{ASSISTIVE}</span></span>'
        '<script type="math/tex" id="MathJax-Element-1">E=mc^2</script>'
    )
    shown = (
        '<div class="MathJax_Display"><span class="MathJax" id="MathJax-Element-2-Frame">F=ma</span></div>'
        '<script type="math/tex; mode=display" id="MathJax-Element-2">% <![CDATA[\nF=ma %]]></script>'
    )
    body = f"<p>So {inline} holds.</p>{shown}"
    assert formulas(body) == [("E=mc^2", False), ("F=ma", True)]
    assert windows(body)[0] == "So ⟦0⟧ holds. ⟦1⟧"
    # Without the script, the MathML is the source.
    assert formulas(body.replace("math/tex", "text/x")) == [("E=mc^{2}", False)]


def test_output_of_mathjax_3_is_read_from_its_mathml_or_its_latex() -> None:
    math = f'<mjx-math><mjx-c class="mjx-c1D438"></mjx-c></mjx-math><mjx-assistive-mml display="block">{ASSISTIVE}</mjx-assistive-mml>'
    assert formulas(f'<p>So <mjx-container display="true">{math}</mjx-container></p>') == [("E=mc^{2}", True)]
    latex = '<mjx-container><mjx-math data-latex="E=m c^2"><mjx-c></mjx-c></mjx-math></mjx-container>'
    assert formulas(f"<p>So {latex}.</p>") == [("E=m c^2", False)]


def test_katex_is_read_from_its_annotation_and_its_visible_copy_is_no_text() -> None:
    inner = (
        '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow>'
        '<annotation encoding="application/x-tex">\\alpha = x</annotation></semantics></math></span>'
        '<span class="katex-html" aria-hidden="true"><span class="mord">α=x</span></span></span>'
    )
    body = f'<p>Here {inner} is.</p><p><span class="katex-display">{inner}</span></p>'
    assert formulas(body) == [(r"\alpha = x", False), (r"\alpha = x", True)]
    assert windows(body)[0] == "Here ⟦0⟧ is. ⟦1⟧"


def test_mathml_whose_alttext_is_no_tex_is_converted() -> None:
    body = "<p>So <math alttext='{}'>" + ASSISTIVE.removeprefix("<math>") + "</p>"
    for useless in ("Alternative text not available", "upper E equals m c squared", ""):
        assert formulas(body.format(useless)) == [("E=mc^{2}", False)]
    assert formulas(body.format("E=mc^2")) == [("E=mc^2", False)]


def test_mathml_alone_in_its_paragraph_is_displayed_and_its_rows_are_equations() -> None:
    cell = "<mtd columnalign='{}'>{}</mtd>"
    rows = "".join(
        f"<mtr>{cell.format('right', left)}{cell.format('left', f'<mo>=</mo><mi>{right}</mi>')}<mtd><mspace width='2em'/></mtd></mtr>"
        for left, right in (("<mi>a</mi>", "b"), ("", "c"), ("<mi>d</mi>", "e"))
    )
    assert formulas(f"<p> {ASSISTIVE} </p>") == [("E=mc^{2}", True)]
    assert formulas(f"<p><math display='block'><mtable>{rows}</mtable></math></p>") == [
        ("a=b", True),
        ("a=c", True),
        ("d=e", True),
    ]


def test_pictures_are_read_by_their_tex_and_others_are_counted() -> None:
    tex = '<p>So <img class="math" alt="E = m c^2" src="_images/math/1.png"> and <img alt="\\[F = ma\\]" src="form_1.png">.</p>'
    assert formulas(tex) == [("E = m c^2", False), ("F = ma", True)]
    mixed = tex + '<p><span class="inline-formula"><img src="e1.gif"></span> and <img alt="a cat" src="cat.png"></p>'
    assert str(read(mixed)[0].unread) == "1 of 3 formulas are pictures only"
    with pytest.raises(DocumentError, match="shows its formulas as pictures; none of 1 could be read"):
        read('<p><span class="inline-formula"><img src="e1.gif"></span></p>')
    assert formulas('<p><img src="https://latex.codecogs.com/gif.latex?E%3Dmc%5E2"></p>') == [("E=mc^2", False)]


def test_classes_of_tools_tell_formulas_without_delimiters() -> None:
    katex = '<script src="katex.min.js"></script>'
    assert formulas('<p>Of <span class="math inline">x^2</span></p>', katex) == [("x^2", False)]
    assert formulas('<p>Of <span class="math inline"><em>m</em><em>c</em><sup>2</sup></span>.</p>') == [("mc^2", False)]
    assert formulas('<div class="math notranslate nohighlight">\n\\[E = m c^2\\]</div>') == [("E = m c^2", True)]
    assert formulas('<pre><code class="language-math">E = mc</code></pre><code class="js-render-math">x</code>') == [
        ("E = mc", True),
        ("x", False),
    ]


def test_what_a_theme_puts_around_the_text_is_no_text() -> None:
    body = (
        "<nav>Menu</nav><div class='sphinxsidebar'>Side</div><main><h1>Ohm<a class='headerlink'>¶</a></h1>"
        "<div class='highlight'><pre>code()</pre></div><p>Then \\(V=IR\\) holds.</p></main><footer>Foot</footer>"
    )
    document, (found,) = read(body, "<title>x</title>")
    assert (document.title, found.window, found.heading) == ("Ohm", "Then ⟦0⟧ holds.", "Ohm")


def test_the_name_of_a_statement_names_its_displayed_formulas() -> None:
    body = "<div class='proof theorem'><p class='admonition-title'>Theorem 1.2 (Noether)</p><p>So \\[ a = b \\]</p></div><p>\\[c = d\\]</p>"
    first, second = read(body)[1]
    assert first.hints == (NameHint("equation_title", "Noether"),)
    assert second.hints == ()


def test_the_page_says_its_licence_address_and_doi() -> None:
    head = '<link rel="canonical" href="https://example.org/a"><meta name="citation_doi" content="10.1/x"><meta name="citation_title" content="Of Ohm">'
    document, _ = read('<p><a href="https://creativecommons.org/licenses/by/4.0/">CC</a></p>', head)
    assert (document.licence, document.url, document.title) == (
        "https://creativecommons.org/licenses/by/4.0/",
        "https://example.org/a",
        "Of Ohm",
    )
    assert (document.identifiers, document.kind) == ((("doi", "10.1/x"),), "paper")


def test_many_open_delimiters_cost_no_more_than_their_number() -> None:
    assert formulas("<p>" + r"\({" * 20_000 + r" \(x\)</p>", MATHJAX) in ([], [("x", False)])


def test_macros_that_the_page_declares_are_expanded() -> None:
    settings = r"""<script>MathJax = {tex: {macros: {RR: "{\\bf R}", bold: ["{\\bf #1}", 1], pd: ["\\partial_{#1}", 1, "t"]}}};</script>"""
    assert formulas(r"<p>Of \(\RR^n\), \(\bold{x}\) and \(x^\RR\), \(\pd f\).</p>", settings) == [
        (r"{\bf R}^n", False), (r"{\bf x}", False), (r"x^{{\bf R}}", False), (r"\partial_{t}f", False),
    ]  # fmt: skip
    hidden = (
        r"<div style='display:none'>\(\newcommand{\eps}{\varepsilon} \def\abs#1{|#1|}\)</div><p>Of \(\abs{\eps}\).</p>"
    )
    assert formulas(hidden) == [(r"|\varepsilon|", False)]
    katex = r"""<script>renderMathInElement(document.body, {macros: {"\\Set": "\\mathbb{S}"}})</script>"""
    assert formulas(r"<p>Of \(\Set\).</p>", katex) == [(r"\mathbb{S}", False)]


def test_macros_hold_however_their_strings_are_quoted() -> None:
    settings = r"""<script>window.MathJax = {tex: {macros: {En: `E_{\\mathrm{kin}}`, half: String.raw`\frac{1}{2}`, 'vv': ['\\mathbf{#1}', 1]}}};</script>"""
    assert formulas(r"<p>Of \(\En = \half m \vv{v}^2\).</p>", settings) == [
        (r"E_{\mathrm{kin}} = \frac{1}{2} m \mathbf{v}^2", False)
    ]


@pytest.mark.parametrize(
    "settings",
    [
        "MathJax = {loader: {load: ['[tex]/physics']}, tex: {packages: {'[+]': ['physics']}}}",
        "MathJax = {tex: {packages: ['base', 'ams', 'physics']}}",
        'MathJax.Hub.Config({TeX: {extensions: ["[Contrib]/physics/physics.js"]}})',
    ],
)
def test_packages_that_the_page_loads_are_known(settings: str) -> None:
    body = r"<p>Of \(\dv{x}{t} = \pdv[2]{u}{x}\) and \(\qty(a+b)\), of \(\grad{f}\).</p>"
    assert formulas(body, f"<script>{settings}</script>") == [
        (r"\frac{\mathrm{d}x}{\mathrm{d}t}= \frac{\partial^{2}u}{\partial x^{2}}", False),
        (r"\left(a+b\right)", False),
        (r"\nabla\left(f\right)", False),
    ]
    assert formulas(body, "<script>MathJax = {tex: {}}</script>")[1] == (r"\qty(a+b)", False)


def test_macros_that_never_end_leave_the_other_formulas() -> None:
    assert formulas(r"<p>\(\newcommand{\a}{\a\a}\) Of \(x + \a\) and \(y\).</p>") == [(r"x + \a", False), ("y", False)]


def test_wiki_formulas_on_any_page_are_read_as_their_author_typed_them() -> None:
    math = (
        '<span class="mwe-math-element" data-mw=\'{"attrs":{"qid":"Q35875"},"body":{"extsrc":"E=mc^2"}}\'><math alttext="{E}"><mi>E</mi></math>'
        '<img src="https://wikimedia.org/api/rest_v1/media/math/render/svg/1"></span>'
    )
    (found,) = read(f"<p>So {math}.</p>")[1]
    assert (found.tex, found.hints, found.window) == ("E=mc^2", (NameHint("qid", "Q35875"),), "So ⟦0⟧.")


def test_a_page_that_declares_no_encoding_is_read_as_browsers_do() -> None:
    page = "<html><body><p>Größe \\(m\\)</p></body></html>"
    for encoding in ("utf-8", "cp1252", "utf-16"):
        ((_, (found,)),) = read_html(page.encode(encoding), path="a.html")
        assert found.window == "Größe ⟦0⟧"


def test_macros_that_grow_are_expanded_up_to_a_bound() -> None:
    steps = "".join(rf"\(\def\{letter}{{{(chr(92) + before) * 10}}}\)" for before, letter in ("xa", "ab", "bc", "cd"))
    body = rf"<p>\(\def\x{{yyyyyyyyyy}}\){steps}" + r"\(\d\d\d\d\d\d\d\)" * 5 + "</p>"
    assert {tex for tex, _ in formulas(body)} == {r"\d\d\d\d\d\d\d"}


def test_elements_that_are_never_closed_end_in_one_line() -> None:
    with pytest.raises(DocumentError, match="KaTeX output without its source; none of 1 could be read"):
        read('<span class="katex">' * 2000 + "x")
    assert formulas("<div>" * 200 + r"\(x\)") == [("x", False)]


def test_formulas_around_the_text_are_none_of_the_page_and_those_in_it_must_be_read() -> None:
    menu = r"<nav><ul><li><span class='math inline'>\(x\)</span></li></ul></nav><div class='toc'>\(y\)</div>"
    assert formulas(f"{menu}<p>Words.</p>") == []
    assert read(f"{menu}<p>Words.</p>", "<title>Waves | Notes</title>")[0].title == "Notes"
    for body in (r"<p>Of $x = \alpha$.</p>", "<p>Of <math><mi></mi></math></p>"):
        with pytest.raises(DocumentError, match="shows mathematics, and nothing on the page says how it is to be read"):
            read(menu + body)


def test_the_name_of_a_site_is_no_part_of_a_title() -> None:
    page = b"<html><head><title>Waves | Notes</title></head><body><h1>A</h1><h1>B</h1><p>Of \\(x\\).</p></body></html>"
    assert next(read_html(page, path="a.html"))[0].title == "Waves"


def test_a_numbered_statement_is_no_term() -> None:
    assert read(r"<p><b>Lemma 4.2</b> So <b>Ohm's law</b> is \(V=IR\).</p>")[1][0].hints == (
        NameHint("defined_term", "Ohm's law"),
    )


def test_one_mark_is_enough_for_a_formula_that_is_set_already() -> None:
    marks = (
        '<script type="math/tex">E=mc</script>',
        '<span typeof="mw:Extension/math" data-mw=\'{"body":{"extsrc":"E=mc"}}\'><img alt="x"></span>',
        '<span data-tex="E=mc">?</span>',
        '<span data-latex="E=mc">?</span>',
    )
    assert [formulas(f"<p>So {mark} holds.</p>") for mark in marks] == [[("E=mc", False)]] * len(marks)


def test_a_page_in_a_layout_is_read_as_its_layout_may_show_it() -> None:
    front = "---\nlayout: post\ntitle: Bandits\nlang: de\n---\n"
    body = r"<p>Of $x_1+\alpha$, $\beta$ and $\gamma$ for $2$ cats at $5 each and $6 each we have $$F = ma$$</p><pre>echo $a $b</pre>"
    document, found = next(read_html(f"{front}{body}".encode(), path="p.html"))
    assert [(o.tex, o.display) for o in found] == [
        *((tex, False) for tex in (r"x_1+\alpha", r"\beta", r"\gamma", "2")),
        ("F = ma", True),
    ]
    assert "at $5 each and $6 each" in found[0].window
    assert (document.title, document.language) == ("Bandits", "de")
    few = front + "<p>We take $2$ of $x+1$ cats.</p>"  # no more than two sums of money, perhaps
    assert [o.tex for o in next(read_html(few.encode(), path="p.html"))[1]] == ["x+1"]


UNSHOWN = [
    (r"\(x\) <del>\(y\)</del><s>\(y\)</s><p hidden>\(y\)</p><p style='Display: none'>\(y\)</p><i aria-hidden='true'>\(z\)</i>", ["x", "z"]),
    (r"<a href='#one'>show</a><p hidden id='one'>\(x\)</p><p hidden id='two'>\(y\)</p><p hidden class='my-spoiler'>\(z\)</p>", ["x", "z"]),
    (r"<p>Is <b><math><mi>E</mi></math><i aria-hidden='true'>E = m</i></b> or \(x\)<i aria-hidden='true'>\(x\)</i></p>", ["E", "x"]),
    (r"<p><span>\(x\)</span> is <i aria-hidden='true'>the momentum \(y\)</i></p>", ["x", "y"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "shown"), UNSHOWN)
def test_what_a_page_does_not_show_is_not_read(body: str, shown: list[str]) -> None:
    assert [tex for tex, _ in formulas(body, MATHJAX)] == shown
    assert "E = m" not in windows(body, MATHJAX)[0]


def test_many_hidden_elements_take_no_long_time() -> None:
    for repeated in ("<i aria-hidden='true'>x</i>", "<b hidden id='a'>x</b>"):
        with at_most(3, repeated):
            assert formulas(r"\(a\)" + repeated * 8000, MATHJAX) == [("a", False)]


def test_html_that_calls_itself_xhtml_is_read_as_html() -> None:
    page = (
        "<!DOCTYPE html><html xmlns='http://www.w3.org/1999/xhtml' lang='en'><head><meta charset='utf-8'><title>T</title></head>"
        r"<body><p>Example:<br> Let \(a=b\) and <img src='x.png' alt='a > b'> \(c=d\).</p>"
        f"{MATHJAX}</body></html>"
    )
    ((_, found),) = read_html(page.encode(), path="p.html")
    assert [o.tex for o in found] == ["a=b", "c=d"]
    sound = (
        page.replace("<br>", "<br/>")
        .replace("'utf-8'>", "'utf-8'/>")
        .replace("b'>", "b'/>")
        .replace("<title>T</title>", "<title/>")
    )
    ((_, found),) = read_html(sound.encode(), path="p.html")
    assert [o.tex for o in found] == ["a=b", "c=d"]


def test_the_name_of_the_book_in_the_header_is_not_the_title_of_its_page() -> None:
    header = "<header><h1><a href='book.html'>The Book</a></h1></header>"
    assert read(f"{header}<main><h2>Sums</h2><p>\\(a=b\\)</p></main>", MATHJAX)[0].title == "Notes"
    assert read(f"{header}<p>\\(a=b\\)</p>", MATHJAX)[0].title == "The Book"


def test_a_dialog_that_enlarges_formulas_of_the_page_is_no_text() -> None:
    shown, other = (f"<math><mi>{letter}</mi><mo>=</mo><mi>m</mi></math>" for letter in "Ep")
    opened = "<div class='modal fade' role='dialog' aria-hidden='true'>"
    body = f"<p>So {shown}.</p><div>{opened}{shown}</div></div><div>{opened}{other}</div></div>"
    assert [tex for tex, _ in formulas(body)] == ["E=m", "p=m"]


def test_a_language_that_only_the_head_states() -> None:
    page = f"<html><head>{MATHJAX}<meta name='citation_language' content='pt-BR'></head><body>\\(a=b\\)</body></html>"
    assert next(read_html(page.encode(), path="p.html"))[0].language == "pt"


def test_mathml_that_cannot_be_read_is_counted() -> None:
    unknown = "<math><apply><unknown/><ci>x</ci></apply></math>"
    document, found = read(f"<p>So {ASSISTIVE} is {unknown} and <math><mphantom><mi>x</mi></mphantom></math>.</p>")
    assert (len(found), str(document.unread)) == (1, "1 of 2 formulas are unreadable MathML only")
