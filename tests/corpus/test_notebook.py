"""Jupyter notebooks: Markdown and raw cells as one text, macros from cell to cell, code left out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bot.corpus import read
from bot.corpus.markdown.markdown_reader import read_notebook
from bot.corpus.siblings import FilesInMemory, SiblingFiles
from bot.errors import DocumentError
from bot.records import Document, Occurrence

OUTPUT = {"output_type": "display_data", "data": {"text/latex": ["$q=r$"], "text/plain": "x" * 100_000}}


def cell(source: str | list[str], kind: str = "markdown", **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "metadata": {}, "source": source, **more}


def page(
    *cells: dict[str, Any], files: dict[str, bytes] | None = None, **more: Any
) -> tuple[Document, tuple[Occurrence, ...]]:
    data = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, **more}).encode()
    beside = SiblingFiles("part/waves.ipynb", FilesInMemory(files or {}))
    ((document, occurrences),) = read_notebook(data, path="book/part/waves.ipynb", siblings=beside)
    return document, occurrences


def test_cells_of_text_are_read_and_code_is_not() -> None:
    document, found = page(
        cell(["# Waves\n", "So $a=b$"]),
        cell("$c=d$", "code", outputs=[OUTPUT]),
        cell("\\begin{equation}\ne=f\n\\end{equation}", "raw"),
    )
    assert document.title == "Waves"
    assert [(o.tex, o.display) for o in found] == [("a=b", False), ("q=r", True), ("e=f", True)]


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        ({"text/latex": ["$\\displaystyle ", "x^2$"]}, ["x^2"]),
        ({"text/latex": "\\begin{align}a&=b\\\\c&=d\\end{align}"}, ["a=b", "c=d"]),
        ({"text/latex": "\\begin{tabular}{ll}a & b\\end{tabular}"}, []),
        ({"text/latex": "$\\displaystyle \\\\ \\textbf{Voltage [V]}$"}, []),
        ({"text/latex": "$x$ is $y$"}, []),
        ({"text/latex": "$\\displaystyle -5416.67$"}, []),
        ({"text/plain": "$x$"}, []),
        ({"text/latex": "$" + "x+" * 1000 + "x$"}, []),
    ],
)
def test_of_what_code_shows_a_formula_in_tex_is_read(data: dict[str, object], shown: list[str]) -> None:
    output = {"output_type": "execute_result", "data": data}
    _, found = page(cell("$k$"), cell("f(x)", "code", outputs=[output]))
    assert [o.tex for o in found[1:]] == shown
    _, former = page(cell("$k$"), cell("f(x)", "code", outputs=[{"latex": data.get("text/latex")}]))
    assert [o.tex for o in former[1:]] == shown


def test_the_labels_of_plots_are_no_mathematics_of_the_text(tmp_path: Path) -> None:
    plot = json.dumps({"cells": [cell("A plot."), cell('plt.ylabel(r"$\\beta_1$")', "code")], "nbformat": 4})
    (tmp_path / "plot.ipynb").write_text(plot)
    (tmp_path / "other.ipynb").write_text(json.dumps({"cells": [cell("So $a=b$")], "nbformat": 4}))
    skipped, ignored = [], []
    list(
        read([str(tmp_path)], on_skip=lambda at, why: skipped.append(at), on_ignore=lambda at, why: ignored.append(at))
    )
    assert (skipped, [Path(at).name for at in ignored]) == ([], ["plot.ipynb"])


def test_what_one_cell_leaves_open_ends_with_it() -> None:
    _, found = page(cell("An open $$ a"), cell("```\nopen"), cell("<!-- open"), cell("So $a=b$"))
    assert [o.tex for o in found] == ["a=b"]


def test_a_macro_holds_in_the_cells_behind_its_own() -> None:
    _, found = page(
        cell("$\\newcommand{\\mean}[1]{\\langle #1\\rangle}\\def\\dd{\\mathrm{d}}$"),
        cell("$\\mean{x^2}=\\int x^2 p\\,\\dd x$ and $\\loop$ with $\\newcommand{\\loop}{\\loop}\\loop$"),
    )
    assert found[0].tex == r"\langle x^2\rangle=\int x^2 p\,\mathrm{d} x"
    assert len(found) == 3


def test_macros_are_looked_up_in_the_settings_of_the_book() -> None:
    settings = b'sphinx: {config: {mathjax3_config: {tex: {macros: {RR: "\\\\mathbb{R}", bm: ["\\\\mathbf{#1}", 1]}}}}}'
    katex = b"# Fields\n\\field:{\\mathbb{F}}\n"
    book = b'[preprocessor.katex]\nmacros = "macros.txt"\n'
    files = {"_config.yml": settings, "part/book.toml": book, "part/macros.txt": katex}
    assert [o.tex for o in page(cell("$\\bm x\\in\\RR$, $\\field$"), files=files)[1]] == [
        r"\mathbf{x}\in\mathbb{R}",
        r"\mathbb{F}",
    ]


def test_a_notebook_describes_itself_in_its_metadata_or_front_matter() -> None:
    metadata = {"title": "Optics", "language": "python", "kernelspec": {"language": "R"}}
    document, _ = page(cell("So $a$"), metadata=metadata)
    assert (document.title, document.language) == ("Optics", "en")
    document, _ = page(cell("---\ntitle: Optik\nlang: de\n---", "raw"), cell("So $a$"))
    assert (document.title, document.language) == ("Optik", "de")


def test_format_3_is_read() -> None:
    sheets = [{"cells": [cell("Waves", "heading", level=1), cell("So $a=b$")]}]
    data = json.dumps({"worksheets": sheets, "nbformat": 3}).encode()
    ((document, found),) = read_notebook(data, path="a.ipynb", siblings=SiblingFiles("a.ipynb"))
    assert (document.title, [o.tex for o in found]) == ("Waves", ["a=b"])


@pytest.mark.parametrize("data", ['{"cells": [', "[" * 100_000, "[]", '{"cells": 3}', '{"nbformat": 4}'])
def test_what_is_no_notebook_is_an_error_that_says_why(data: str) -> None:
    with pytest.raises(DocumentError, match=r"is not (JSON|a notebook)"):
        list(read_notebook(data.encode(), path="a.ipynb", siblings=SiblingFiles("a.ipynb")))


def test_cells_of_odd_shapes_are_passed_over() -> None:
    odd = [
        {"cell_type": "markdown"},
        {"cell_type": "markdown", "source": 3},
        {},
        {"source": "$a$"},
        cell(["So ", 3, "$a$"]),
    ]
    assert [o.tex for o in page(*odd)[1]] == ["a"]
