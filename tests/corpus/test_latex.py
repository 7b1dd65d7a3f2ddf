"""LaTeX source: what is a formula, what is text, what the author's macros become, and which files make a document."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

from bot.corpus import Page, read, survey
from bot.corpus.latex.latex_reader import read_latex
from bot.corpus.siblings import HeldFiles, Siblings
from bot.records import Document, Occurrence


def read_text(source: str, **beside: str) -> tuple[Document, tuple[Occurrence, ...]]:
    files = {name.replace("_", "."): text.encode() for name, text in beside.items()}
    siblings = Siblings("main.tex", HeldFiles({"main.tex": source.encode(), **files}))
    return next(read_latex(source.encode(), path="main.tex", source="s", siblings=siblings))


def tex_of(source: str, **beside: str) -> list[str]:
    return [o.tex for o in read_text(source, **beside)[1]]


def tar_of(files: dict[str, str | bytes], target: Path | io.BytesIO, mode: str = "w:gz") -> None:
    where = {"fileobj": target} if isinstance(target, io.BytesIO) else {"name": str(target)}
    with tarfile.open(mode=mode, **where) as archive:  # type: ignore[call-overload]
        for name, text in files.items():
            data = text if isinstance(text, bytes) else text.encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))


PAPER = r"""\documentclass{article}
\usepackage[utf8]{inputenc}
\input{macros}
\title{On $E$ and {\em mass}}
\begin{document}
\maketitle
\input{sections/one}
\end{document}
$after$ the end
"""
FILES = {
    "ms.tex": PAPER,
    "macros.tex": "\\newcommand{\\vv}[1]{\\mathbf{#1}}\n\\def\\be{\\begin{equation}}\n\\def\\ee{\\end{equation}}\n",
    "sections/one.tex": "\\section{Energy}\nThe energy is\n\\be \\label{e} \\vv{F} = m\\vv a, \\ee\nwhere $m$ is the mass.\n",
}


def test_an_eprint_is_one_document_with_the_files_it_takes_in(tmp_path: Path) -> None:
    tar_of(FILES, tmp_path / "1707.08043.tar.gz")
    (page,) = read([str(tmp_path)])
    assert page.path.endswith("1707.08043.tar.gz!ms.tex")
    assert page.document.title == "On E and mass"
    assert page.document.identifiers == (("arxiv", "1707.08043"),)
    assert page.document.url == "https://arxiv.org/abs/1707.08043"
    assert (page.document.format, page.document.kind, page.document.language) == ("latex", "paper", "en")
    assert [(o.tex, o.display, o.heading) for o in page.occurrences] == [
        (r"\mathbf{F} = m\mathbf{a}", True, "Energy"),
        ("m", False, "Energy"),
    ]
    assert page.occurrences[0].window == "The energy is ⟦0⟧, where ⟦1⟧ is the mass."
    assert [(d.symbol, d.meaning) for d in page.occurrences[0].definitions] == [("m", "mass")]


def test_the_bulk_files_of_arxiv_are_archives_of_papers(tmp_path: Path) -> None:
    inner = io.BytesIO()
    tar_of(FILES, inner)
    bulk = {
        "0001/1707.08043.gz": inner.getvalue(),
        "0001/astro-ph0001197.gz": gzip.compress(b"\\documentclass{article}\\begin{document}So $a=b$.\\end{document}"),
        "0001/1707.08044.pdf": b"%PDF-1.5 ...",
        "0001/1707.08045.gz": gzip.compress(b"\\documentclass{article}" + bytes(range(32, 127)) * 400)[:-40],
    }
    tar_of(bulk, tmp_path / "arXiv_src_0001_001.tar", "w")
    skipped: list[str] = []
    pages = list(read([str(tmp_path)], on_skip=lambda path, reason: skipped.append(f"{Path(path).name} {reason[:17]}")))
    assert [(dict(p.document.identifiers)["arxiv"], len(p.occurrences)) for p in pages] == [
        ("1707.08043", 2),
        ("astro-ph/0001197", 1),
    ]
    assert skipped == ["1707.08045 is cut off or dam"]


def test_a_folder_is_read_as_its_archive_is_and_a_chapter_once(tmp_path: Path) -> None:
    root = tmp_path / "book"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (file,) = survey([str(root)]).files
    assert (file.name, file.parts) == ("ms.tex", ("macros.tex", "sections/one.tex"))
    (page,) = read([str(root)])
    assert [o.tex for o in page.occurrences] == [r"\mathbf{F} = m\mathbf{a}", "m"]


def test_chapters_without_a_main_file_are_documents_with_the_macros_beside_them(tmp_path: Path) -> None:
    for number in "12":
        text = f"\\chapter{{Part {number}}}\nSo $\\kb T_{number}$."
        (tmp_path / f"chapter{number}.tex").write_text(text)
    (tmp_path / "symbols.tex").write_text("% local\n\\newcommand{\\kb}{k_{\\mathrm{B}}}\n")
    pages = list(read([str(tmp_path)]))
    assert [(p.document.title, p.document.kind) for p in pages] == [("Part 1", "textbook"), ("Part 2", "textbook")]
    assert [o.tex for p in pages for o in p.occurrences] == [r"k_{\mathrm{B}} T_1", r"k_{\mathrm{B}} T_2"]


def test_nothing_outside_of_the_folder_is_taken_in(tmp_path: Path) -> None:
    (tmp_path / "secret.tex").write_text("So $x=1$.")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "link.tex").symlink_to(tmp_path / "secret.tex")
    source = (
        r"\documentclass{article}\begin{document}$a$ \input{../secret} \input{/etc/passwd} \input{link}\end{document}"
    )
    (tmp_path / "in" / "main.tex").write_text(source)
    pages: list[Page] = list(read([str(tmp_path / "in")]))
    assert [o.tex for p in pages for o in p.occurrences] == ["a"]
