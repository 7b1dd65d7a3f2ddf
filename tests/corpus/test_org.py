"""Org files: their markup as Markdown, formulas and macros as in LaTeX, code and its results left out."""

from __future__ import annotations

from pathlib import Path

from bot.corpus import list_sources, read
from bot.corpus.org import read_org
from bot.records import NameHint

TEXT = r"""
#+TITLE: Optics of $\zeta$
#+LANGUAGE: de
#+LATEX_HEADER: \newcommand{\mean}[1]{\langle #1\rangle}
# a remark with $r$
* TODO [#A] Waves :physics:
:PROPERTIES:
:ID: $p$
:END:
  The *wave number* $k$ of [[file:a.org][a wave]] is =$code=, see [[https://example.org]] cite:some-key.[fn:1]
    Farther in, \(a=b\).
#+BEGIN_SRC python
print("$s$")
#+END_SRC
#+RESULTS:
: $o$
#+begin_export latex
\begin{align} c&=d \end{align}
#+end_export
#+BEGIN_EXAMPLE
$e$
#+END_EXAMPLE
#+begin_theorem
\[ \mean{x}=y \]
#+end_theorem
#+CAPTION: Of $z$.
| $u$ | 1 |
|-----+---|
| $v$ | 2 |
"""


def test_an_org_file_is_read_as_it_is_shown() -> None:
    ((document, found),) = read_org(TEXT.encode(), path="notes/optics.org")
    assert [(o.tex, o.display) for o in found] == [
        ("k", False), ("a=b", False), ("c=d", True), (r"\langle x\rangle=y", True), ("z", False), ("u", False), ("v", False)
    ]  # fmt: skip
    assert (document.title, document.language) == ("Optics of ζ", "de")
    assert found[0].heading == "Waves"
    assert found[0].window.startswith("The wave number ⟦0⟧ of a wave is $code, see .")
    assert NameHint("defined_term", "wave number") in found[0].hints


def test_a_block_that_is_never_closed_and_a_file_without_a_title_are_read() -> None:
    ((document, found),) = read_org(b"$a=b$\n#+begin_src\n$c$\n:PROPERTIES:\n", path="n/plane_waves.org")
    assert ([o.tex for o in found], document.title) == (["a=b"], "plane waves")


def test_comment_trees_and_verbatim_formulas_are_left_out() -> None:
    text = "Type =$a$= or ~\\x $a=b$~ for $y =c= z$.\n* COMMENT Old\n$p$\n** Part\n$q$\n* New\n$r$\n"
    ((_, found),) = read_org(text.encode(), path="a.org")
    assert [o.tex for o in found] == ["y =c= z", "r"]
    assert found[0].window == "Type $a$ or \\x $a=b$ for ⟦0⟧."


def test_keys_of_citations_and_references_are_no_text() -> None:
    text = "By Eq. eqref:eq:a-b and cite:Rev.7,doe:some.2. So $a=b$ label:x in Fig. ref:fig:c, cite:&key1;&key2."
    ((_, found),) = read_org(text.encode(), path="a.org")
    assert found[0].window == "By Eq. … and . So ⟦0⟧ in Fig. …, ."


def test_blocks_of_any_name_calls_of_macros_and_italics_are_text() -> None:
    text = "#+begin_math-example\nAn {{{dfn(even\nring)}}} is /only/ an $x/y$ in /a/b @@html:<b>@@or@@html:</b>@@ {{{doi}}} so.\n#+end_math-example\n"
    ((_, found),) = read_org(text.encode(), path="a.org")
    assert [(o.tex, o.display, o.window) for o in found] == [
        ("x/y", False, "An even ring is only an ⟦0⟧ in /a/b or so.")
    ]
    assert found[0].hints == (NameHint("defined_term", "even ring"),)


def test_macros_of_included_files_hold_and_a_change_of_one_is_a_change(tmp_path: Path) -> None:
    (tmp_path / "math").mkdir()
    (tmp_path / "math" / "a.org").write_text("#+INCLUDE: ../macros.org\nIn $\\ZZ$.\n")
    (tmp_path / "macros.org").write_text(
        '#+SETUPFILE: "more.org"\n#+BEGIN_SRC latex-macros\n\\newcommand{\\ZZ}{\\mathbb{Z}\\X}\n#+END_SRC\n'
    )
    (tmp_path / "more.org").write_text("#+LATEX_HEADER: \\newcommand{\\X}{x}\n")
    pages = {page.path: [o.tex for o in page.occurrences] for page in read([str(tmp_path)])}
    assert pages == {str(tmp_path / "math" / "a.org"): [r"\mathbb{Z}x"]}
    parts = {file.name: file.parts for file in list_sources([str(tmp_path)]).files}
    assert parts["math/a.org"] == ("macros.org", "more.org")
