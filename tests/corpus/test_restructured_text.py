"""reStructuredText: roles and directives of mathematics, Sphinx's markup as text, and what names formulas."""

from __future__ import annotations

from contextlib import suppress

import pytest
from time_limit import at_most

from bot.corpus.restructured_text import read_restructured_text
from bot.corpus.siblings import FilesInMemory, SiblingFiles
from bot.errors import DocumentError
from bot.records import Document, Occurrence


def page(text: str, **files: str) -> tuple[Document, tuple[Occurrence, ...]]:
    held = {name.replace("_", ".", 1): data.encode() for name, data in files.items()}
    beside = SiblingFiles("waves.rst", FilesInMemory(held))
    ((document, occurrences),) = read_restructured_text(text.encode(), path="book/waves.rst", siblings=beside)
    return document, occurrences


def tex(text: str, **files: str) -> list[tuple[str, bool]]:
    return [(o.tex, o.display) for o in page(text, **files)[1]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (r"So :math:`a_1=\alpha` holds.", [(r"a_1=\alpha", False)]),
        ("A role :math:`a\n+b` over lines, :math:`\nc` and :math:`d `.", [("a +b", False), ("c", False), ("d", False)]),
        ("the:math:`n`th and :math:`x`-axis", [("n", False), ("x", False)]),
        (".. math:: a=b", [("a=b", True)]),
        (".. math::\n   :label: one\n\n   a=b\n\nSee :eq:`one`.", [("a=b", True)]),
        (".. math::\n\ta=b\n\t:label: one\n", [("a=b", True)]),
        (".. math::\n\n   a=b\n\n   c=d\n", [("a=b", True), ("c=d", True)]),
        (".. math::\n\n   a=b\n   =\n\n   =c\n   =\n\n   =d\n", [("a=b", True), ("a=c", True), ("a=d", True)]),
        (".. math::\n\n   a &= b \\\\\n   c &= d\n", [("a= b", True), ("c= d", True)]),
        (".. math::\n   :nowrap:\n\n   \\begin{eqnarray}\n   a & = & b \\\\\n   c & = & d\n   \\end{eqnarray}\n", [("a=b", True), ("c=d", True)]),
        (".. math:: E_n = nh\n\n with :math:`h` a constant.", [("E_n = nh", True), ("h", False)]),
        (".. math:: a=b\n\n So\n\n.. math::\n   c=d\n\n which is (as said) positive,\nand so\n\n.. math::\n   e=f\n\n then\n", [("a=b", True), ("c=d", True), ("e=f", True)]),
        (".. math::\n\n   a\n\n   mc\n", [("a", True), ("mc", True)]),
        (".. default-role:: math\n\nSo `a=b`.", [("a=b", False)]),
        (".. |law| replace:: :math:`a=b`\n\nSo |law|.", [("a=b", False)]),
        (".. note::\n   So :math:`a=b`\n\n   .. math:: c=d\n", [("a=b", False), ("c=d", True)]),
        (".. purpose::\n\n   So :math:`a=b`\n", [("a=b", False)]),
        (".. figure:: a.png\n\n   Where :math:`a=b`\n", [("a=b", False)]),
        ("- one :math:`a`\n- two\n\n  .. math:: b=c\n", [("a", False), ("b=c", True)]),
        ("========= =====\nA         B\n========= =====\n:math:`a` b\n========= =====\n", [("a", False)]),
        ("+--------------+-----------+\n| :math:`a + b | :math:`c` |\n| = d`         | e         |\n+--------------+-----------+\n", [("a + b = d", False), ("c", False)]),
        ("As [1]_.\n\n.. [1] Where :math:`a=b`.", [("a=b", False)]),
        ("US$5 or $6, ``$a=b$`` and ``:math:`c``` are text.\n\n.. code-block:: rst\n\n   :math:`d`\n\n.. a comment :math:`e`\n", []),
    ],
)  # fmt: skip
def test_formulas(text: str, found: list[tuple[str, bool]]) -> None:
    assert tex(text) == found


def test_the_settings_of_sphinx_hold_for_its_documents() -> None:
    settings = 'default_role = "math"\nrst_prolog = r"""\n.. |law| replace:: :math:`a=b`\n"""\n'
    assert tex("So |law| and `c`.", conf_py=settings) == [("a=b", False), ("c", False)]


def test_macros_of_the_settings_of_sphinx_are_read_and_not_run() -> None:
    settings = (
        'import none\nlatex_elements = {"preamble": r"""\n\\newcommand{\\half}{\\tfrac12}\n% \\newcommand{\\x}{old}\n"""}\n'
        'mathjax3_config = {"tex": {"macros": {"half": r"{1\\over2}", "vv": [r"\\mathbf{#1}", 1]}}}\n'
        'other = {"macros": open("x")}\n1/0\n'
    )
    assert tex(r":math:`\half m\vv{v}\x`", conf_py=settings) == [(r"{1\over2} m\mathbf{v}\x", False)]
    assert tex(r":math:`\half`", conf_py='a = r"\\def\\half{b}"\nno python') == [(r"\half", False)]


def test_the_window_is_what_a_reader_sees() -> None:
    text = (
        "Waves\n=====\n\nThe **wave equation** of :ref:`Ampere's law <ampere>` in :numref:`fig` (*here* ``x``) is, as :cite:`smith` "
        "says in `a link <https://a.b>`__,\n\n.. math:: a=b\n\nso :sub:`far`."
    )
    document, (one,) = page(text)
    assert document.title == "Waves"
    assert one.window == "The wave equation of Ampere's law in … (here x) is, as says in a link, ⟦0⟧ so far."
    assert [(h.kind, h.name) for h in one.hints] == [("defined_term", "wave equation")]


@pytest.mark.parametrize(
    "head", [".. prf:theorem:: Ohm's law", ".. theorem:: Ohm's law", ".. admonition:: Theorem (Ohm's law)"]
)
def test_a_statement_names_what_is_displayed_in_it(head: str) -> None:
    _, found = page(f"{head}\n\n   So\n\n   .. math:: U=RI\n\nAnd\n\n.. math:: a=b\n")
    assert [[h.name for h in o.hints] for o in found] == [["Ohm's law"], []]


def test_sections_and_tables_have_their_roles() -> None:
    _, found = page(
        "Book\n====\n\nWaves\n-----\n\n:math:`a`\n\nExercises\n---------\n\n:math:`b`\n\n=== ===\n:math:`c` d\n=== ===\n"
    )
    assert [(o.tex, o.heading, o.role) for o in found][:2] == [("a", "Waves", "text"), ("b", "Exercises", "exercise")]


@pytest.mark.parametrize(
    "text", ["`" * 20_000, ":math:`" * 3000, "*a " * 5000, ".. a::\n" * 2000, "|a" * 5000, "=\n" * 5000, "- " * 400, "a" * 200_000],
    ids=lambda text: text[:6],
)  # fmt: skip
def test_hostile_markup_is_read_or_refused_in_bounded_time(text: str) -> None:
    with at_most(2), suppress(DocumentError):
        page(text)


def test_a_text_that_is_too_large_is_refused() -> None:
    with pytest.raises(DocumentError, match="larger than 8 MB"):
        page("a b\n" * 2_200_000)


def test_macros_of_an_included_file_hold_and_such_a_file_is_no_document() -> None:
    macros = ".. math::\n\n   \\newcommand{\\IR}{{\\mathbb{R}}}\n"
    assert tex(".. include:: macros.rst\n\nIn :math:`\\IR`.", macros_rst=macros) == [(r"{\mathbb{R}}", False)]
    with pytest.raises(DocumentError, match="mathematics"):
        page(macros)


def test_text_of_an_included_file_is_read_where_that_is_no_document_itself() -> None:
    assert tex(".. include:: part.inc\n", part_inc="So :math:`a=b`.\n\n.. include:: part.inc\n") == [("a=b", False)]
    assert tex(".. include:: part.rst\n\nSo :math:`c`.", part_rst="So :math:`a=b`.") == [("c", False)]


def test_a_list_of_fields_in_the_text_is_read_and_what_a_document_says_of_itself_is_not() -> None:
    text = (
        ":orphan:\n:Version: :math:`v`\n\nWaves\n=====\n\nKinds:\n\n:plane: With :math:`x=a`.\n:ball: With :math:`r`.\n"
    )
    _, found = page(text)
    assert [o.tex for o in found] == ["x=a", "r"]
    assert found[0].window == "Kinds: plane: With ⟦0⟧. ball: With ⟦1⟧."


def test_the_number_of_a_reference_is_a_gap() -> None:
    assert page("See :numref:`Table %s <t>` of :math:`x`.")[1][0].window == "See Table … of ⟦0⟧."


DOLLARS = "So $a=b_1$-th and $mn$, ``$x$``.\n\n$$\\frac{a}{b}\n  = c$$\n\nas $$d^2$$ here::\n\n    $y_1$\n\n    $z_1$\n"


def test_dollars_are_read_where_they_can_hardly_be_anything_else() -> None:
    assert tex(DOLLARS) == [("a=b_1", False), ("\\frac{a}{b} = c", True), ("d^2", False)]


def test_dollars_are_read_where_the_settings_say_so() -> None:
    found = tex(DOLLARS, conf_py="extensions = ['sphinx_math_dollar']\n")
    assert found == [("a=b_1", False), ("mn", False), ("\\frac{a}{b} = c", True), ("d^2", False)]


def test_a_figure_or_table_with_an_option_of_a_theme_is_read() -> None:
    assert tex(".. figure:: a.png\n   :lightbox: yes\n\n   Where :math:`x=1`.\n") == [("x=1", False)]
    assert tex(".. list-table:: T\n   :class: wide\n   :sortable:\n\n   * - :math:`a`\n     - b\n") == [("a", False)]


def test_text_between_the_lines_of_a_session_that_plots_is_text() -> None:
    assert tex(".. plot::\n\n    >>> x = 1\n\n    Where :math:`x=1`.\n\n.. plot::\n\n    # :math:`y`\n") == [
        ("x=1", False)
    ]
