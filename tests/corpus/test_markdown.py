"""Markdown in its dialects: which formulas are found, which are displayed, what names them, and what the window shows."""

from __future__ import annotations

from pathlib import Path

import pytest
from time_limit import at_most

from bot.corpus import read
from bot.corpus.markdown.markdown_reader import read_markdown
from bot.corpus.siblings import SiblingFiles
from bot.errors import DocumentError, SourceError
from bot.records import Document, Occurrence


def page(text: str, name: str = "book/notes.md") -> tuple[Document, tuple[Occurrence, ...]]:
    ((document, occurrences),) = read_markdown(text.encode(), path=name, siblings=SiblingFiles("notes.md"))
    return document, occurrences


def tex(text: str) -> list[tuple[str, bool]]:
    return [(o.tex, o.display) for o in page(text)[1]]


def window(text: str) -> str:
    return page(text)[1][0].window


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("So $a=b$ holds.", [("a=b", False)]),
        ("So\n$$\na = b\n$$\nholds.", [("a = b", True)]),
        ("So $$a=b$$ and $c$ hold.", [("a=b", True), ("c", False)]),
        (r"So \(a=b\) and \[c=d\]", [("a=b", False), ("c=d", True)]),
        (r"So \\(a=b\\) and \\[c=d\\]", [("a=b", False), ("c=d", True)]),
        ("```math\na=b\n```", [("a=b", True)]),
        ("GitLab has $`a=b`$.", [("a=b", False)]),
        ("MyST has {math}`a=b`.", [("a=b", False)]),
        ("```{math}\n:label: one\na=b\n```\nSee {eq}`one`.", [("a=b", True)]),
        (":::{math}\na=b\n:::", [("a=b", True)]),
        ("\\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}", [("a= b", True), ("c= d", True)]),
        ("$$ \\label{eq:one}\n\\begin{split}\na &= b \\\\\n&= c\n\\end{split}\n$$", [("a= b", True), ("a= c", True)]),
        ("> So\n> $$\n> a\n> = b\n> $$", [("a = b", True)]),
        ("- one\n\n    $$a=b$$\n- two $c$", [("a=b", True), ("c", False)]),
        ("{{< katex display >}}a=b{{< /katex >}}", [("a=b", True)]),
        ("<p>So $a=b$ in <b>HTML</b></p>", [("a=b", False)]),
        ('<script type="math/tex; mode=display">a=b</script>', [("a=b", True)]),
        ("| $a$ | b |\n|---|---|\n| c | $d=e$ |", [("a", False), ("d=e", False)]),
        ("**$a_1*b*c_2$** and _$x_1$_", [("a_1*b*c_2", False), ("x_1", False)]),
        ("a\r\n$$\r\nb=c\r\n$$\r\n", [("b=c", True)]),
        ("over two\nlines $a\n+b$.", [("a +b", False)]),
        (r"$a \overset{\eqref{eq:one}}{=} b$", [("a = b", False)]),
        ("$2\\times$ and 3$\\times$3 and degree-$3$", [(r"2\times", False), (r"\times", False), ("3", False)]),
        ("At $>$5 Hz it rises, by $<$ 2.", [(">", False), ("<", False)]),
        ("1. a\n2. $1-x$ and $1-p$", [("1-x", False), ("1-p", False)]),
    ],
)
def test_formulas_of_every_dialect(text: str, found: list[tuple[str, bool]]) -> None:
    assert tex(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10 a day, or $5-$10.",
        "Between US$5 million and US$6 million were spent.",
        r"An escaped \$a=b\$ is text.",
        "Code `$a=b$` and ``$c`$`` are not mathematics.",
        "```sh\necho $HOME $PATH\n$$\n```",
        "~~~\n$a=b$\n~~~",
        "    indented $a=b$ code",
        "<!-- $a=b$ -->",
        "<pre>$a=b$</pre>",
        r"A citation \[1\], a \[link\](a_b) and \(optional\) words.",
        "A [link](http://a.b/$c$d) alone",
        "It is $5 for the first and for each of the others less than 3$ then.",
    ],
)
def test_what_is_no_formula(text: str) -> None:
    assert [o for o in tex(text) if "http" not in text] == []


def test_two_dollar_signs_within_a_line_stand_for_one_where_no_single_ones_are_used() -> None:
    kramdown = "The mass $$m$$ is in the law\n\n$$F = m a$$\n\nof Newton, where\n$$a$$ is the acceleration."
    assert tex(kramdown) == [("m", False), ("F = m a", True), ("a", False)]
    assert tex(f"{kramdown} And $x$.")[0] == ("m", True)


def test_the_window_is_what_a_reader_sees() -> None:
    text = (
        "The **work** of a [force](a.md) *F*[^1] in :numref:`fig` is `W`, see \\eqref{eq:w} [@smith2000]: $W=Fs$ {#eq:w}."
        "\n\n[^1]: A vector."
    )
    assert window(text) == "The work of a force F in … is W, see …: ⟦0⟧.\n\nA vector."


def test_a_text_that_is_too_large_is_refused() -> None:
    with pytest.raises(DocumentError, match="more than 16 MB of text"):
        page("a b\n" * 4_200_000)


def test_marks_that_enclose_nothing_are_not_shown() -> None:
    assert window("As [~~*old*~~*seen*] (** $a=b$. **) in `x**2`.") == "As [seen] ( ⟦0⟧. ) in x**2."


def test_front_matter_describes_the_document() -> None:
    text = (
        '---\ntitle: "Bayes\' theorem"\nlang: de-AT\nlicense: {name: CC BY 4.0, url: https://l}\n'
        "source: https://a.b/c\ndoi: https://doi.org/10.1000/182\n---\n# Another\nSo $a=b$."
    )
    document, _ = page(text)
    assert (document.title, document.language, document.licence) == ("Bayes' theorem", "de", "CC BY 4.0")
    assert (document.url, document.identifiers, document.kind) == ("https://a.b/c", (("doi", "10.1000/182"),), "paper")
    assert page("+++\ntitle = 'Waves'\n+++\n$a$")[0].title == "Waves"
    assert page("# Heat $q$\nSo $a$.")[0].title == "Heat q"
    assert page("So $a$.", "book/heat_flow/index.md")[0].title == "heat flow"
    assert page("## Heat\n### Its flow\nSo $a$.")[0].title == "Heat"
    assert page("## Heat\nSo $a$.\n## Flow")[0].title == "notes"
    assert page("---\n: {[\n---\nSo $a$.")[0].title == "notes"


def names(text: str) -> dict[str, list[str]]:
    return {o.tex: [f"{h.kind} {h.name}" for h in o.hints] for o in page(text)[1]}


@pytest.mark.parametrize(
    "text",
    [
        "**Theorem (Ohm's law):** So\n$$U=RI$$",
        "**Definition 1.2** (Ohm's law). So $$U=RI$$",
        ":::{prf:theorem} Ohm's law\nSo $$U=RI$$\n:::",
        '::: {.theorem name="Ohm\'s law"}\nSo $$U=RI$$\n:::',
        '!!! theorem "Ohm\'s law"\n    So\n\n    $$U=RI$$\n',
        '!!! note "Theorem 1 (Ohm\'s law)"\n    So\n\n    $$U=RI$$\n',
        "> [!note] 定理 2（Ohm's law）\n> So $$U=RI$$",
        "**Теорема 2** (Ohm's law). So $$U=RI$$",
        "---\ntitle: Ohm's law\nlayout: definition\n---\n**Definition:** So $$U=RI$$",
    ],
)
def test_a_statement_names_what_is_displayed_in_it(text: str) -> None:
    found = names(f"{text}\n\n**Proof:** As\n\n$$a=b$$\n")
    assert found["U=RI"] == ["equation_title Ohm's law"]
    if not text.startswith((":", "!", ">")):
        assert found["a=b"] == []


def test_what_a_statement_assumes_is_not_named_by_it() -> None:
    text = "**Theorem (Ohm's law):** Let\n\n$$I=Q/t$$\n\nbe a current. Then the voltage is\n\n$$U=RI$$"
    assert names(text) == {"I=Q/t": [], "U=RI": ["equation_title Ohm's law"]}


def test_bold_terms_name_formulas_of_their_sentence_and_labels_do_not() -> None:
    assert names("The **wave equation** is $a=b$.")["a=b"] == ["defined_term wave equation"]
    for label in ("Proof.", "Доказательство.", "证明", "Question 2", "Étape 1 :"):
        assert names(f"**{label}** It is $a=b$.")["a=b"] == []


def test_headings_are_headings_and_exercises_are_exercises() -> None:
    _, found = page("# Book\n## Waves {#sec:w}\n$a$\n## Exercises\n### One\n$b$\n## Sound\n$c$")
    assert [(o.tex, o.heading, o.role) for o in found] == [
        ("a", "Waves", "text"),
        ("b", "One", "exercise"),
        ("c", "Sound", "text"),
    ]


def test_a_text_without_mathematics_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# A book\nRun `echo $PATH $HOME`. It costs $5 or $6.")
    (tmp_path / "one.md").write_text("So $a=b$.")
    ignored: list[tuple[str, str]] = []
    pages = list(read([str(tmp_path)], on_ignore=lambda path, why: ignored.append((Path(path).name, str(why)))))
    assert [p.document.title for p in pages] == ["one"]
    assert ignored == [("README.md", "holds no mathematics")]
    with pytest.raises(SourceError, match="holds no mathematics"):
        list(read([str(tmp_path / "README.md")]))


@pytest.mark.parametrize(
    "text",
    [
        "[" * 20_000,
        "$a" * 10_000,
        "**a*" * 5000,
        ">" * 20_000,
        "{% " * 9000,
        "{{a('" * 9000,
        "{{a(" + "'a'" * 9000,
        "{% sidenote" + " 'a'" * 400 + "%}" + "{% sidenote '" * 4000,
        "\\[a_" * 5000,
        "```math\n" * 3000,
        "|a" * 9000,
        "#a " * 20_000 + "!",
        "[[a[b]" * 5000,
        "- " * 100 + "a\n" + "\t- b\n" * 5000,
        "$\\<" + "a\\<" * 400 + "$",
    ],
    ids=lambda text: text[:5],
)
def test_hostile_markup_is_read_in_bounded_time(text: str) -> None:
    with at_most(2):
        page(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"$${\color{orange} \vec a}\cdot{\color{#3d81f6} \vec b}=0$$", [r"{\vec a}\cdot{\vec b}=0"]),
        (r"$$\sum F=0 ;\Rightarrow; p=c$$ and $p(x;\theta;\mu)$", [r"\sum F=0 \;\Rightarrow\; p=c", r"p(x;\theta;\mu)"]),
        (r"$$r=z, \quad **thin lens**$$ and $a**b**c$", [r"r=z, \quad \text{thin lens}", "a**b**c"]),
        ("AdS$_5$ and Beta$(a, b)$, but US$5 and A$6", ["_5", "(a, b)"]),
        ("time $ 0 $, $ ' $ and $dS $ of $ R R'$", ["0", "'", "dS", "R R'"]),
        ("from $HOME to $PATH", []),
        ("over \\\\(W, b\\\\) of f\\(x, y\\)", ["W, b"]),
        ("\\begin{aligned} a &= b \\\\ c &= d \\end{aligned}", ["a= b", "c= d"]),
        (r"So $\braket{a|b} = \ket\psi$.", [r"\left\langle a|b\right\rangle = \left|\psi\right\rangle"]),
        ("\\newcommand{\\E}{\\operatorname{E}}\n\\newcommand{\\N}[1]{N(#1)}\n\nSo $\\E=\\N x$.", [r"\operatorname{E}=N(x)"]),
    ],
)  # fmt: skip
def test_formulas_of_lecture_notes(text: str, found: list[str]) -> None:
    assert [formula for formula, _ in tex(text)] == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("See [[Notes/Gauss law|the law]] and [[Flux#Units]] of $x$ ![[plot.png]].", "See the law and Flux of ⟦0⟧ ."),
        ("The list [[1, 2], [3, 4]] has $x$.", "The list [[1, 2], [3, 4]] has ⟦0⟧."),
        ("A ==marked word== of $x$. %%not shown%% ^block-1", "A marked word of ⟦0⟧."),
        ("The mean is `r mean(x)`, or `{python} 1+1`, of $x$.", "The mean is …, or …, of ⟦0⟧."),
        (r"It is $`r round(max(F), 2)`$, $\beta=`r coef(m)[2]`$, $`{python} f(x)`$ or $`r = \alpha`$.", "It is …, …, … or ⟦0⟧."),
        ("````{toggle} Show\nSo $x$.\n````", "So ⟦0⟧."),
        ("::::{grid} 1 2 2 3\n:::{grid-item}\nSo $x$.\n:::\n::::", "So ⟦0⟧."),
        ("```{list-table} Units\n* - Force\n  - $x$\n```", "Units\n\nForce ⟦0⟧"),
        ("```{figure-md} fig:a\n![](a.png)\n\nA wave of $x$.\n```", "A wave of ⟦0⟧."),
        ('So $x$ is.\n\n+++ {"tags": ["hide"]}\n', "So ⟦0⟧ is."),
        ('See [eq:a]{reference-type="ref" reference="eq:a"} and ![](a.png){width="50%"} of $x$.', "See … and of ⟦0⟧."),
        ("\\small\n\n| A |\n|---|\n| $x$ |\n| \\normalsize |\n\n\\vspace{1em}\nEnd.", "| A\n\n| ⟦0⟧\n\nEnd."),
        ("By $\\S$ 4.2, $x$ rises.", "By § 4.2, ⟦0⟧ rises."),
        ("As [said before](Lecture 01 - Heat.ipynb), $x$ rises.", "As said before, ⟦0⟧ rises."),
        ("```{figure} ../a.png\n---\nwidth: 50%\nname: fig:a\n---\nA wave of $x$.\n```", "A wave of ⟦0⟧."),
    ],
)  # fmt: skip
def test_marks_of_dialects_are_no_text(text: str, shown: str) -> None:
    assert window(text) == shown


def test_a_note_within_a_sentence_stands_behind_its_section() -> None:
    text = "Water rises^[By how much,\nsee [there](a.md), depends on $h$.] to $z$.\n\n# Next\n\nIt falls to $k$."
    shown = [(o.tex, o.window) for o in page(text)[1]]
    first = "Water rises to ⟦0⟧.\n\nBy how much, see there, depends on ⟦1⟧."
    assert shown == [("z", first), ("h", first), ("k", "It falls to ⟦2⟧.")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("<img\n src='a.png'\n width=3>\n**Figure 2:** *the flow $q$.*\n\nEnd.", "Figure 2: the flow ⟦0⟧.\n\nEnd."),
        ("- One\n<div>is</div>\n    - **first** of $q$\n<div>and</div>\n    - last", "One is first of ⟦0⟧ and last"),
        ("<div>\nThe *x* and\n<b>so</b> $q$\n</div>", "The *x* and so ⟦0⟧"),
        ("<div>\nSee **[the <cite>law</cite>](http://a.b/c)** of $q$\n</div>", "See the law of ⟦0⟧"),
    ],
)  # fmt: skip
def test_lines_between_elements_of_html_are_markdown(text: str, shown: str) -> None:
    assert window(text) == shown


def test_a_callout_is_a_block_with_a_title() -> None:
    text = "> [!theorem]- Gauss law\n> The flux is\n> $$\\Phi = Q$$\n\nAnd\n$$a=b$$\n\n> [!Exercise flux]\n> Find $x$."
    flux, other, asked = page(text)[1]
    assert [hint.name for hint in flux.hints] == ["Gauss law"]
    assert flux.window.startswith("Gauss law\n\nThe flux is ⟦0⟧")
    assert not other.hints
    assert asked.role == "exercise"


@pytest.mark.parametrize(
    "attributes", ["{-}", "{- #space.section}", "{ data-toc-label='The $n$-space' }", '{id="a" .b}']
)
def test_a_heading_shows_formulas_as_words_and_no_attributes(attributes: str) -> None:
    assert page(f"# The space $\\mathbb{{R}}^n$ {attributes}\n\nHas $x$.")[1][-1].heading == "The space R^n"


@pytest.mark.parametrize(
    ("name", "text", "title", "kind"),
    [
        ("notas/Teorema de los residuos.md", "# Definición\n\nSea $f$. Entonces $$a=b$$", "Teorema de los residuos", "encyclopaedia"),
        ("notes/Wave equation.md", "## Definition\n$$a=b$$\n## Examples", "Wave equation", "encyclopaedia"),
        ("book/Chapter 3.md", "# Definition\n$$a=b$$", "Definition", "textbook"),
        ("book/Waves.md", "# Definition 2 (Wave)\n$$a=b$$", "Definition 2 (Wave)", "textbook"),
        ("book/Waves.md", "# Sound\n## Definition\n$$a=b$$", "Sound", "textbook"),
        ("book/Waves.md", "---\ntitle: Sound\n---\n# Definition\n$$a=b$$", "Sound", "textbook"),
    ],
)  # fmt: skip
def test_a_note_that_opens_with_the_heading_definition_defines_what_its_file_is_called(
    name: str, text: str, title: str, kind: str
) -> None:
    document, _ = page(text, name)
    assert (document.title, document.kind) == (title, kind)
