"""What stands between which delimiters of Markdown, and what becomes of all that is not a formula."""

from __future__ import annotations

from pathlib import Path

import pytest
from test_markdown import page

from bot.corpus import list_sources, read
from bot.corpus.markdown.markdown_math import _fence_name_and_title

WINDOWS = [
    # comments, raw HTML and code
    ("a <!-- $x$ --> $y$", ["y"], "a ⟦0⟧"),
    ("<!---->$y$", ["y"], "⟦0⟧"),
    ("<script>$x$</script>$y$", ["y"], "⟦0⟧"),
    ("<script>$x$", ["x"], "⟦0⟧"),  # never closed
    ("<style>$x$</style>$y$", ["y"], "⟦0⟧"),
    ("`$a$` $b$", ["b"], "$a$ ⟦0⟧"),
    ("``a`b`` $b$", ["b"], "⟦0⟧"),
    ("`{r} 1+1` $b$", ["b"], "… ⟦0⟧"),
    ("`a $b$", ["b"], "`a ⟦0⟧"),
    ("```\n$x$\n```\n$y$", ["y"], "⟦0⟧"),
    ("```{code}\n$x$\n```\n$y$", ["y"], "⟦0⟧"),
    ("%% $x$ %% $y$", ["y"], "⟦0⟧"),
    # definitions, and text behind them
    (r"\newcommand{\R}{\mathbb{R}} Let $x\in\R$.", [r"x\in\mathbb{R}"], "Let ⟦0⟧."),
    ("\\def\\f#1{\\left(\n#1\\right)} $\\f{x}$", [r"\left( x\right)"], "⟦0⟧"),
    (r"the \newcommand of $x$", ["x"], r"the \newcommand of ⟦0⟧"),
    (r"\newcommand{\a never closed, $x$", ["x"], "never closed, ⟦0⟧"),
    # shortcodes and roles
    ("{{% math %}}x=y{{% /math %}}", ["x=y"], "⟦0⟧"),
    ("{{< math >}}$x=y$ text{{< /math >}}", ["x=y"], "⟦0⟧ text"),
    ("{{< other >}}$x$", ["x"], "⟦0⟧"),
    ("{{< katex >}}x=y{{</ katex >}} {%m%}z{% em %}", ["x=y", "z"], "⟦0⟧ ⟦1⟧"),
    ("{{< katex >}}\n\nHere stands a line of words. {{< katex >}}z{{< /katex >}}", ["z"], "Here stands a line of words. ⟦0⟧"),
    ("{% inlmath() %}x_a=y_b{% end %} and {{ katex(body=\"z_(1)\") }}", ["x_a=y_b", "z_(1)"], "⟦0⟧ and ⟦1⟧"),
    ("{{ image(\nsrc=\"a.svg\",\ndesc='Of $y$ (2)'\n) }} {% note(of=\"a\") %}So $x${% end %}", ["x"], "So ⟦0⟧"),
    ("A{% sidenote 'a' 'The *tree* of $y$.' %} is $x$.{% marginnote \"b\" \"\" %}", ["x", "y"], "A is ⟦0⟧.\n\nThe tree of ⟦1⟧."),
    (f"A{{% include sidenote.html id=\"a\" note=\"It's {'long ' * 150} $y$.\" %}} is $x$.", ["x", "y"], "A is ⟦0⟧."),
    ("The minimum of<br>\\newline\nall $x$", ["x"], "The minimum of all ⟦0⟧"),
    ("{math}`a=b` {eq}`c` $x$", ["a=b", "x"], "⟦0⟧ … ⟦1⟧"),
    ("{label}`a` $x$", ["x"], "⟦0⟧"),
    ("so is\n\n(eq_heat)=\n$$x=y$$\n", ["x=y"], "so is ⟦0⟧"),
    ("so is\n$$\nx=y\n$$ (Heat)\nand", ["x=y"], "so is ⟦0⟧ and"),
    ("so is $$x=y$$ (eq:heat)\nand", ["x=y"], "so is ⟦0⟧ and"),
    ("so is $$x=y$$ (Ohm)\nand", ["x=y"], "so is ⟦0⟧ (Ohm) and"),
    ("so is $$x=y$$ (t_0) and", ["x=y"], "so is ⟦0⟧ (t_0) and"),
    ("so is $f$\n(t)= $x$", ["f", "x"], "so is ⟦0⟧ (t)= ⟦1⟧"),
    ("{citealp}`a` $x$", ["x"], "⟦0⟧"),
    ("{term}`Heat <heat>` $x$", ["x"], "Heat ⟦0⟧"),
    ("$`a=b`$ $`c", ["a=b"], "⟦0⟧ $`c"),
    # delimiters that are not closed, or enclose no formula
    ("\\begin{align}a&=b $c$", ["c"], "\\begin{align}a&=b ⟦0⟧"),
    ("$$ $x$", ["x"], "$$ ⟦0⟧"),
    ("$$This is a sentence of many words here\n\nand more$$ $x$", ["x"], "$$This is a sentence of many words here and more$$ ⟦0⟧"),
    ("\\[a link\\](http) $x$", ["x"], "[a link ⟦0⟧"),
    ("f\\(x, y\\) $a$", ["a"], "f(x, y) ⟦0⟧"),
    ("\\\\(x\\\\) $a$", ["x", "a"], "⟦0⟧ ⟦1⟧"),
    ("\\(a=b $c$", ["c"], "(a=b ⟦0⟧"),
    ("$1 + 2x + x^2 + xy = 0$ costs $5 or so", ["1 + 2x + x^2 + xy = 0"], "⟦0⟧ costs $5 or so"),
    ("$\\{ AB, AC, BA, BC, CA, CB \\}$", [r"\{ AB, AC, BA, BC, CA, CB \}"], "⟦0⟧"),
    ("\\$5 and $x$", ["x"], "$5 and ⟦0⟧"),
    ("$\\$5$", [r"\$5"], "⟦0⟧"),
    ("$ x=y $", ["x=y"], "⟦0⟧"),
    ("$ (M-1)/2 $ of $ n + 1 $ for $ 5 - 6 $", ["(M-1)/2", "n + 1"], "⟦0⟧ of ⟦1⟧ for $ 5 - 6 $"),
    ("AdS$_3$", ["_3"], "AdS⟦0⟧"),
    ("a$b$c", ["b"], "a⟦0⟧c"),
    ("the array a\\[i\\] or f\\[n+1\\] of $x$", ["x"], "the array a[i] or f[n+1] of ⟦0⟧"),
    ("So\\[x=y\\]因此\\[z\\]", ["x=y", "z"], "So ⟦0⟧ 因此 ⟦1⟧"),
    ("$$\\begin{align}a&=b\\\\\\text{and then}\\\\c&=d\\end{align}$$", ["a=b", "c=d"], "⟦0⟧ and then ⟦1⟧"),
    ("the [[Nabla operator|nabla]](partial derivatives) $x$ [[1]](a.b)", ["x"], "the nabla(partial derivatives) ⟦0⟧ [1]"),
    # Obsidian's names of blocks, and links to them
    ("A pilot $x$ ^07afa4\n\n^6ef307", ["x"], "A pilot ⟦0⟧"),
    ("By [[#^140314|(6)]], [[#^a-b]], [[#Bounds]] $x$ [[1,2],[3]]", ["x"], "By (6), …, Bounds ⟦0⟧ [[1,2],[3]]"),
    ("x$\\alpha$y", [r"\alpha"], "x⟦0⟧y"),
    ("$a&lt;b$", ["a<b"], "⟦0⟧"),
    # directives
    ("```{theorem} Bayes\n$x=y$\n```", ["x=y"], "Bayes ⟦0⟧"),
    ("```{prf:theorem} Bayes\n:label: l\n$x=y$\n```", ["x=y"], "Bayes ⟦0⟧"),
    ("::: theorem \"Bayes rule\"\n$x=y$\n:::", ["x=y"], "Bayes rule ⟦0⟧"),
    ("!!! note \"The case $n=1$[^1]\"\n\n    so $x$", ["n=1", "x"], "The case ⟦0⟧ so ⟦1⟧"),
    ("???+ tip\n\tso $n$\n\n\tand\n\n\t- an $x$\n\nend $y$", ["n", "x", "y"], "so ⟦0⟧ and an ⟦1⟧ end ⟦2⟧"),
    ("<p>(\\#fig:a-1)Of $x$</p>", ["x"], "Of ⟦0⟧"),
    ("# A\n\t- of $x$", ["x"], "of ⟦0⟧"),
    ("!!! note \"On `new`\"\n\n    a $x$\n\n    !!! tip \"By `b`\"\n\n        c $y$\n\nd $z$", ["x", "y", "z"], "On new a ⟦0⟧\n\nBy b c ⟦1⟧ d ⟦2⟧"),
    ("| $/GB[^1] | a |\n|---|---|\n| $\\infty$ | b |", [r"\infty"], "| $/GB | a\n\n| ⟦0⟧ | b"),
    ("[[a/b#of $x$ [1], see|the part]] of $y$", ["y"], "the part of ⟦0⟧"),
    ("As @doe2:x and [-@doe, 3] say to a@b.org, `@jit`, {\\em now} \\emph{a} $x$", ["x"], "As … and say to a@b.org, @jit, now a ⟦0⟧"),
    ("![](a.png){ width=40% } a { .b } $x$", ["x"], "a ⟦0⟧"),
    ("```{figure} a.png\nCaption $x$\n```", ["x"], "Caption ⟦0⟧"),
    # text
    ("| a | $x$ |\n|---|---|\n| $y$ | b |", ["x", "y"], "| a | ⟦0⟧\n\n| ⟦1⟧ | b"),
    ("a  \nb $x$", ["x"], "a b ⟦0⟧"),
    ("\u200ba $x$ \u200b.", ["x"], "a ⟦0⟧ ."),
    ("<b>a</b><br>$x$", ["x"], "a ⟦0⟧"),
    ("&alpha; &amp; $x$", ["x"], "α & ⟦0⟧"),
    ("a[^1] $x$\n\n[^1]: note $y$", ["x", "y"], "a ⟦0⟧ note ⟦1⟧"),
    ("[[wiki|shown]] $x$", ["x"], "shown ⟦0⟧"),
    ("a ^block\n\n$x$", ["x"], "a ⟦0⟧"),
    ("==mark== $x$", ["x"], "mark ⟦0⟧"),
    # what Logseq keeps beside its blocks; `a::b` and a line of prose are none of it
    ("- a\n  id:: 63b\n  card-last-score:: 5\n\t- collapsed:: true\n\t\t- b $x$ #card #[[To do]]", ["x"], "a b ⟦0⟧"),
    ("As ((01234567-89ab-cdef-0123-456789abcdef)) says {{cloze ^^now^^ $x$}}", ["x"], "As … says now ⟦0⟧"),
    ("- {{embed ((01234567-89ab-cdef-0123-456789abcdef))}} a::b C# #5 $x$", ["x"], "a::b C# #5 ⟦0⟧"),
    ("#+LATEX_HEADER: \\newcommand{\\E}{E}\n\n#+BEGIN_NOTE\na $\\E$\n#+END_NOTE", ["E"], "a ⟦0⟧"),
    ("![alt $x$](a.png)", ["x"], "alt ⟦0⟧"),
    ("$r(a) \\sim p, defining a POMDP with\n$s = 1$", ["s = 1"], "$r(a) \\sim p, defining a POMDP with ⟦0⟧"),
    ("=== \"Tab\"\n\n    a $x$\n\nb $y$", ["x", "y"], "Tab a ⟦0⟧ b ⟦1⟧"),
    (r"By \@ref(eq:a) is $$a=b (\#eq:a)$$", ["a=b"], "By … is ⟦0⟧"),
    ("a ~~$x$ b~~ <del>$y$</del> $z$", ["z"], "a ⟦0⟧"),
    ("$D$\\[also $E$\\]", ["D", "E"], "⟦0⟧[also ⟦1⟧]"),
    # what a program escaped, and what none did
    (r"\\(x\_{i}=\left\\{a\\\\b\right\\}\\) $$b\_1^\*$$", [r"x_{i}=\left\{a\\b\right\}", "b_1^*"], "⟦0⟧ ⟦1⟧"),
    (r"$$\sum\_{i=1} x\_i^\* \\\\ y$$ $n\_a$", [r"\sum_{i=1} x_i^* \\ y", "n_a"], "⟦0⟧ ⟦1⟧"),
    (r"$learning\_rate$ $\mathrm{a\_b}_1$ $a\_{b}_1$", [r"learning\_rate", r"\mathrm{a\_b}_1", r"a\_{b}_1"], "⟦0⟧ ⟦1⟧ ⟦2⟧"),
    (r"$$\begin{cases}a\\[4pt]\mathrm{b\_c}\end{cases}$$", [r"\begin{cases}a\\[4pt]\mathrm{b\_c}\end{cases}"], "⟦0⟧"),
    (r"$n \\leq a\[i\]$, $b\[j\]\<2$ and $\sqrt\[3\]{x}$", [r"n \leq a[i]", "b[j]<2", r"\sqrt[3]{x}"], "⟦0⟧, ⟦1⟧ and ⟦2⟧"),
    (r"$$\\begin{matrix}1\\\\2\\end{matrix}$$ $x\in\\{1,2\\}$", [r"\begin{matrix}1\\2\end{matrix}", r"x\in\{1,2\}"], "⟦0⟧ ⟦1⟧"),
    (r"$$\[a=b\]$$ $$c \\and \\[2pt] d$$ $\<a\>=1$", ["a=b", r"c \\and \\[2pt] d", r"\<a\>=1"], "⟦0⟧ ⟦1⟧ ⟦2⟧"),
    (r"$\set{x}$ $\def\set#1{<#1>}\set{y}$", [r"\{x\}", "<y>"], "⟦0⟧ ⟦1⟧"),
    (r"\index{{\tt a}!{b}|page} a $x$", ["x"], "a ⟦0⟧"),
    (r"\\(x_{i} \\ y\\)", [r"x_{i} \\ y"], "⟦0⟧"),
    (r"$$\newcommand{iid}{\sim}$$ $x \iid p$ $$\large\begin{aligned}a&=b\\c&=d\end{aligned}$$", [r"x \sim p", "a=b", "c=d"], "⟦0⟧ ⟦1⟧ ⟦2⟧"),
]  # fmt: skip


def test_formulas_and_the_text_around_them() -> None:
    for source, formulas, window in WINDOWS:
        found = page(source)[1]
        assert ([each.tex for each in found], found[0].window) == (formulas, window), source


NO_FORMULA = ["a <!-- $x$", "{{< math >}}x=y", "{math}`a=b", "It costs $5 and $6 today.", "a$x=y$1", "A$x=y$ b", "$x$5"]


@pytest.mark.parametrize("source", NO_FORMULA)
def test_what_encloses_no_formula(source: str) -> None:
    assert page(f"word {source}")[1] == ()


DISPLAYED = [
    ("\\[a=b\\]", True),
    ("\\(a=b\\)", False),
    ("text $$a=b$$ more", False),
    ("text $$a=b$$", True),
    ("1. $$a=b$$", True),
    ("> $$\n> a=b\n> $$", True),
    ("~~~math\na=b\n~~~", True),
    ("{% katex %}a=b{% endkatex %}", False),
    ("{% katex display %}a=b{% endkatex %}", True),
    ("{{< katex >}}\na=b\n\n{{< /katex >}}", False),
    ("{% math() %}\na=b\n{% end %}", True),
    ("{% katex(block=true) %}a=b{% end %}", True),
    ("{% katex() %}a=b{% end %}", False),
    ("{{< katex >}}\na\n=b\n{{< /katex >}}", True),
    ("<script type='math/tex'>a=b</script>", False),
    ("\\begin{align}a&=b\\end{align}", True),
]


@pytest.mark.parametrize(("source", "display"), DISPLAYED)
def test_which_formulas_are_displayed(source: str, display: bool) -> None:
    (found,) = page(source)[1]
    assert (found.tex.replace(" ", ""), found.display) == ("a=b", display)


def test_the_items_of_a_deep_outline_are_read() -> None:
    outline = "".join("\t" * depth + f"- item $x_{{{depth}}}$\n" for depth in range(16))
    assert [found.tex for found in page(outline)[1]] == [f"x_{{{depth}}}" for depth in range(16)]


def test_what_is_indented_below_a_heading_of_logseq_is_read() -> None:
    found = page("# Waves #card\ncollapsed:: true\n\t- a $x$\n\t\t- b $y$\n\n# Heat\n\t- c $z$\n")[1]
    assert [(each.tex, each.heading, each.window) for each in found] == [
        ("x", "Waves", "a ⟦0⟧ b ⟦1⟧"), ("y", "Waves", "a ⟦0⟧ b ⟦1⟧"), ("z", "Heat", "c ⟦2⟧"),
    ]  # fmt: skip


def test_headings_roles_and_terms() -> None:
    (found,) = page("Title\n=====\n\n## Sub\n\n$y$")[1]
    assert (found.heading, found.role) == ("Sub", "text")
    (found,) = page("# Exercises\n\n$x$")[1]
    assert (found.heading, found.role) == ("Exercises", "exercise")
    assert [each.heading for each in page("# Energy of $x$\n$y$")[1]] == ["Energy of x", "Energy of x"]
    assert [each.role for each in page("| $x$ |\n|---|\n| $y$ |")[1]] == ["table", "table"]
    (found,) = page("**Heat law**: $x=y$")[1]
    assert [(hint.kind, hint.name) for hint in found.hints] == [("defined_term", "Heat law")]
    assert page("*Heat* $x$")[1][0].hints == ()


def test_the_name_and_title_of_a_fence() -> None:
    fences = {
        "{prf:theorem} Bayes": ("prf:theorem", "Bayes"), 'theorem "Bayes"': ("theorem", "Bayes"), '{.theorem name="Bayes"}': ("theorem", "Bayes"),
        "{.a .b}": ("a", ""), "{#thm-x}": ("theorem", ""), "{#fig-x}": ("#fig-x", ""), "": ("", ""), "math": ("math", ""),
        "{.r title='A b'}": ("r", "A b"), "!!": ("", ""), 'lemma{#b title="A b"}': ("lemma", "A b"), "lemma{#b} A": ("lemma", "A"),
        "lemma[A b]{#b}": ("lemma", "A b"), "lemma{#b}": ("lemma", ""), "details Why {a}": ("details", "Why {a"),
    }  # fmt: skip
    assert {info: _fence_name_and_title(info) for info in fences} == fences


def test_macros_of_the_files_that_a_quarto_book_includes_are_known(tmp_path: Path) -> None:
    (tmp_path / "_quarto.yml").write_text(
        "format:\n  html:\n    include-in-header:\n      - file: macros.jax\n      - text: '\\newcommand{\\X}{\\mathbf{X}}'\n    include-before-body: pre.tex\n"
    )
    (tmp_path / "macros.jax").write_text(r'<script>MathJax={tex:{macros:{E:"\\mathbb{E}"}}}</script>')
    (tmp_path / "pre.tex").write_text("% \\newcommand{\\X}{old}\n\\newcommand{\\mb}[1]{\\mathbf{#1}}\n")
    (tmp_path / "_own.qmd").write_text(r"\def\Y{\mathcal{Y}}")
    (tmp_path / "a.qmd").write_text(
        "---\ntitle: Means of $\\X$ and $\\zeta$\n---\n{{< include _own.qmd >}}\n```{=tex}\n\\newcommand{\\Z}{Z}\n```\n\n$\\E[\\X]=\\mb{m}+\\Y\\Z$"
    )
    told: list[object] = []
    (found,) = read([str(tmp_path)], on_skip=lambda path, why: told.append(why))
    assert [o.tex for o in found.occurrences] == [r"\mathbb{E}[\mathbf{X}]=\mathbf{m}+\mathcal{Y}Z"]
    assert found.document.title == "Means of X and ζ"
    assert not told


def test_macros_that_a_quarto_book_includes_hold_for_its_chapters(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "book.qmd").write_text("{{< include /parts/_own.qmd >}}\n{{< include parts/_a.qmd >}}\n")
    (tmp_path / "parts" / "_own.qmd").write_text("$$\n\\newcommand{\\gm}[1][]{g_{m#1}}\n$$")
    (tmp_path / "parts" / "_a.qmd").write_text("So $\\gm=\\gm[2]$.")
    (found,) = read([str(tmp_path)])
    assert [o.tex for o in found.occurrences] == ["g_{m}=g_{m2}"]
    parts = {file.name: file.parts for file in list_sources([str(tmp_path)]).files}
    assert parts["parts/_a.qmd"] == ("book.qmd", "parts/_own.qmd")


def test_macros_of_a_book_in_r_and_of_a_vault_hold_in_all_their_files(tmp_path: Path) -> None:
    (tmp_path / "index.Rmd").write_text(
        "---\nheader-includes:\n- \\def\\bt{\\boldsymbol t}\n- \\usepackage{a}\n---\nText.\n"
    )
    (tmp_path / "preamble.sty").write_text("\\newcommand{\\bb}[1]{\\mathbb{#1}}\n")
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "a.Rmd").write_text("So $\\bt\\in\\bb R$.")
    (found,) = read([str(tmp_path)])
    assert [o.tex for o in found.occurrences] == [r"\boldsymbol t\in\mathbb{R}"]


def test_macros_of_a_layout_and_of_a_script_hold_for_the_pages(tmp_path: Path) -> None:
    (tmp_path / "_includes").mkdir()
    (tmp_path / "_includes" / "mathjax.html").write_text(r'<script>MathJax={tex:{macros:{E:"\\mathbb{E}"}}}</script>')
    (tmp_path / "_layouts").mkdir()
    (tmp_path / "_layouts" / "page.html").write_text("{% include head/signs %}{% include ../a.md %}")
    (tmp_path / "_includes" / "head").mkdir()
    (tmp_path / "_includes" / "head" / "signs.html").write_text(r"\( \newcommand{\Vx}{\mathbf{x}} \)")
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("extra_javascript:\n  - js/math.js\n  - https://example.org/x.js\n")
    (tmp_path / "docs" / "js").mkdir()
    (tmp_path / "docs" / "js" / "math.js").write_text(r'MathJax={tex:{macros:{V:"\\mathbb{V}"}}}')
    (tmp_path / "docs" / "a.md").write_text(r"So $\E=\V\Vx$.")
    found = next(page for page in read([str(tmp_path)]) if page.path.endswith("a.md"))
    assert [o.tex for o in found.occurrences] == [r"\mathbb{E}=\mathbb{V}\mathbf{x}"]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("docusaurus.config.ts", r'const katexMacros = {"\\E": "\\mathbb{E}"}; export default {plugins: [[katex, {macros: katexMacros}]]}'),
        (".vitepress/config.mts", r"export default defineConfig({markdown: {math: {tex: {macros: {E: '\\mathbb{E}'}}}}})"),
        ("templates/base.html", r"<script>renderMathInElement(document.body, {macros: {'\\E': '\\mathbb{E}'}})</script>"),
    ],
)  # fmt: skip
def test_macros_of_the_settings_of_a_site_hold_for_its_pages(tmp_path: Path, name: str, settings: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(settings)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(r"So $\E X=0$.")
    found = next(page for page in read([str(tmp_path)]) if page.path.endswith("a.md"))
    assert [o.tex for o in found.occurrences] == [r"\mathbb{E} X=0"]


def test_macros_of_sphinx_hold_for_pages_of_jupyter_books(tmp_path: Path) -> None:
    (tmp_path / "_config.yml").write_text(
        "sphinx:\n  config:\n    mathjax_config:\n      TeX:\n        Macros:\n          bx: \\mathbf{x}\n"
    )
    (tmp_path / "_templates").mkdir()
    (tmp_path / "_templates" / "layout.html").write_text(r"<div>\( \newcommand{\d}{\mathrm{d}} \)</div>")
    (tmp_path / "a.md").write_text(r"So $\d\bx=0$.")
    found = next(page for page in read([str(tmp_path)]) if page.path.endswith("a.md"))
    assert [o.tex for o in found.occurrences] == [r"\mathrm{d}\mathbf{x}=0"]


def test_a_theorem_of_a_knitted_chapter_is_one() -> None:
    label = '<div class="theorem"><span class="theorem" id="thm:b"><strong>(\\#thm:b)  \\iffalse (Bayes) \\fi{} </strong></span>'
    proof = '\\BeginKnitrBlock{proof}<div class="proof">\\iffalse{} <span class="proof"><em>Proof. </em></span>  \\fi{}'
    found = page(
        f"\\BeginKnitrBlock{{theorem}}{label}So\n\n$$a=b$$\n</div>\\EndKnitrBlock{{theorem}}\n\n{proof}By $$c=d$$</div>\\EndKnitrBlock{{proof}}"
    )[1]
    assert [[hint.name for hint in each.hints] for each in found] == [["Bayes"], []]
    assert found[0].window == "Bayes\n\nSo ⟦0⟧\n\nBy ⟦1⟧"


def test_a_heading_in_the_line_ends_the_statement_before() -> None:
    found = page("**Theorem (Bayes).** So\n\n$$a=b$$\n\n**Law of Ohm.** It says\n\n$$U=RI$$")[1]
    assert [[hint.name for hint in each.hints] for each in found] == [["Bayes"], []]


STATEMENTS = r"""
\begin{theorem}[Cayley, \cite{C}]\label{cayley}
Let $G$ be a group. Then
$$G \cong H$$
\end{theorem}
\begin{proof}
By Theorem \ref{cayley}.
\begin{tikzcd} A \ar[r, "$f$"] & B \end{tikzcd}
$$c = d$$
\end{proof}

+-- {: .rightHandSide}
### Context
[[!include cohomology - contents]]
=--

+-- {: .num_defn #heat}
###### Definition (heat kernel)

It is in [[small type|$U_0$-small]] sets
$$k = e^{-t}$$
=--

$$\xymatrix{A \ar[r] & B}$$ The rest $$x = y$$
[[!redirects heat]]
"""


def test_statements_of_latex_and_of_maruku_are_blocks_and_drawings_are_none() -> None:
    _, found = page(STATEMENTS)
    assert [(o.tex, [hint.name for hint in o.hints]) for o in found if o.display] == [
        (r"G \cong H", ["Cayley"]),
        ("c = d", []),
        ("k = e^{-t}", ["heat kernel"]),
        ("x = y", []),
    ]
    assert found[0].window == "Cayley\n\nLet ⟦0⟧ be a group. Then ⟦1⟧\n\nBy Theorem …. ⟦2⟧"
    assert found[-1].window == "heat kernel\n\nIt is in ⟦3⟧-small sets ⟦4⟧\n\nThe rest ⟦5⟧"
