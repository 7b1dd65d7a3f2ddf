"""LaTeX source: what is a formula, what is text, what the author's macros become, and which files make a document."""

from __future__ import annotations

import contextlib
import gzip
import io
import tarfile
from pathlib import Path

import pytest
from time_limit import at_most

from bot.corpus import ParsedDocument, list_sources, read
from bot.corpus.latex import project
from bot.corpus.latex.latex_reader import read_latex
from bot.corpus.siblings import FilesInMemory, SiblingFiles
from bot.errors import DocumentError, SourceError
from bot.messages import Message
from bot.records import Document, Occurrence


def read_text(source: str, **beside: str) -> tuple[Document, tuple[Occurrence, ...]]:
    files = {name.replace("_", "."): text.encode() for name, text in beside.items()}
    siblings = SiblingFiles("main.tex", FilesInMemory({"main.tex": source.encode(), **files}))
    return next(read_latex(source.encode(), path="main.tex", siblings=siblings))


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
    pages = list(
        read([str(tmp_path)], on_skip=lambda path, reason: skipped.append(f"{Path(path).name} {str(reason)[:17]}"))
    )
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
    (file,) = list_sources([str(root)]).files
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
    pages: list[ParsedDocument] = list(read([str(tmp_path / "in")]))
    assert [o.tex for p in pages for o in p.occurrences] == ["a"]


FORMULAS = [
    # delimiters and environments
    (r"\begin{align}\allowdisplaybreaks[1] a&=b\end{align}", ["a=b"]),
    (r"$a$, $$b$$, \(c\), \[d\]", ["a", "b", "c", "d"]),
    (r"\begin{equation*}a=b\tag{1}\label{x}\end{equation*}", ["a=b"]),
    (r"\begin{align}a&=b\\&=c\nonumber\\ d&=e\end{align}", ["a=b", "a=c", "d=e"]),
    (r"\begin{eqnarray}a&=&b\\&&{}+c\end{eqnarray}", ["a=b +c"]),
    (r"\begin{multline}a=b\\+c\end{multline}", ["a=b +c"]),
    (r"\begin{gather*}a=b\\c=d\end{gather*}", ["a=b", "c=d"]),
    (r"\begin{alignat}{2}a&=b&\quad c&=d\end{alignat}", ["a=b", "c=d"]),
    (r"\begin{align}a&=b\intertext{and $x$ so}c&=d\end{align}", ["a=b", "x", "c=d"]),
    (r"$$\eqalign{a&=b\cr c&=d\cr}$$", ["a=b", "c=d"]),
    # numbers of equations as TeX itself sets them
    (r"$$a=b\eqno(1)$$ $$c=d\leqno{\rm (A)}$$", ["a=b", "c=d"]),
    (r"$$\eqalign{a&=b\cr c&=d\cr}\eqno(1)$$", ["a=b", "c=d"]),
    (r"$$\eqalignno{a&=b&(1)\cr &=c&(2)\cr}$$", ["a=b", "a=c"]),
    (r"\begin{eqnarray}a&=&b\eqno(1)\\c&=&d\end{eqnarray}", ["a=b", "c=d"]),
    # the columns that are stated, and what surrounds a display
    (r"\begin{IEEEeqnarray}{rCl}a&=&b\\&=&c\end{IEEEeqnarray}", ["a=b", "a=c"]),
    (r"\begin{IEEEeqnarray*}{rl+rCl}a&=b&c&=&d\end{IEEEeqnarray*}", ["a=b", "c=d"]),
    (r"\begin{empheq}[left={f=\empheqlbrace}]{align*}a&=b\\c&=d\end{empheq}", ["a=b", "c=d"]),
    (r"\begin{empheq}[box=\fbox]{equation}a=b\end{empheq}", ["a=b"]),
    (r"\begin{align}\tcbhighmath[boxrule=1pt]{a=b}\\c&=d\enspace(e\textless f)\end{align}", ["a=b", r"c=d\;(e< f)"]),
    (
        r"\begin{equation}\begin{cases}a\\b\end{cases}\end{equation}",
        [r"\begin{cases}a\\ b\end{cases}"],
    ),
    (r"\begin{displaymath}a\\[2mm]b\end{displaymath}", [r"a\\ b"]),
    (r"\begin{math}a\end{math}", ["a"]),
    # macros
    (r"\newcommand{\R}{\mathbb R}$x\in\R$", [r"x\in\mathbb R"]),
    (r"\newcommand\p[2][x]{\partial_{#1}#2}$\p f=\p[y]{g}$", [r"\partial_{x}f=\partial_{y}g"]),
    (r"\def\d#1#2{\frac{d#1}{d#2}}$\d xt$", [r"\frac{dx}{dt}"]),
    (r"\def\E(#1|#2){E[#1\mid#2]}$\E(x|y)$", [r"E[x\mid y]"]),
    (r"\DeclareMathOperator{\tr}{tr}\DeclareMathOperator*{\am}{argmax}$\tr A+\am_x$",
     [r"\operatorname{tr} A+\operatorname*{argmax}_x"]),
    (r"\let\ov\overline$\ov x$", [r"\overline x"]),
    (r"\let\ov\vec\renewcommand{\vec}[1]{\ov{\mathbf{#1}}}$\vec x$", [r"\vec{\mathbf{x}}"]),
    (r"\NewDocumentCommand{\D}{s o m}{\IfBooleanTF{#1}{D}{d}\IfNoValueF{#2}{^{#2}}#3}$\D*[2]{x}+\D y$", ["D^{2}x+dy"]),
    (r"\newenvironment{eq}{\begin{equation}}{\end{equation}}\begin{eq}a=b\end{eq}", ["a=b"]),
    (r"\def\be{\begin{equation}}\def\ee{\end{equation}}\be a=b \ee", ["a=b"]),
    (r"\def\beq#1\eeq{\begin{equation}#1\end{equation}}\beq a=b\eeq", ["a=b"]),
    (r"\newcommand{\msun}{\ensuremath{M_\odot}}\msun and $2\msun$", [r"M_\odot", r"2{M_\odot}"]),
    (r"\def\k{\ifmmode k_B\else $k_B$\fi}\k and $\k T$", ["k_B", "k_B T"]),
    (r"\newcommand{\al}{\alpha}\newcommand{\f}[1]{\mathbf#1x}$\al b+\f y$", [r"\alpha b+\mathbf yx"]),
    (r"\newcommand{\half}{\frac12}\newcommand{\n}{\mathbf n}$x^\half+\hat\n+\frac\half\n$",
     [r"x^{\frac12}+\hat{\mathbf n}+\frac{\frac12}{\mathbf n}"]),
    (r"\DeclarePairedDelimiter{\abs}{\lvert}{\rvert}$\abs*{x}$", [r"\left\lvert x\right\rvert"]),
    (r"\expandafter\def\csname foo\endcsname{y}$\foo$", ["y"]),
    (r"\usepackage{physics}$\dv{f}{x}=\pdv[2]{g}{y}+\ket{a}$",
     [r"\frac{\mathrm{d}f}{\mathrm{d}x}=\frac{\partial^{2}g}{\partial y^{2}}+\left|a\right\rangle"]),
    (r"$c=\SI{3e8}{\metre\per\second}$ and $\num{1.5e-3}$", [r"c=3\times 10^{8}\,\mathrm{m}/\mathrm{s}", r"1.5\times 10^{-3}"]),
    ("\\makeatletter\\def\\p{\\@ifnextchar[{\\p@a}{p}}\\def\\p@a[#1]{p_{#1}}\\makeatother$\\p+\\p[2]$", ["p+p_{2}"]),
    (r"\begin{frame}<1->[t]\only<2>{So $a\pause=b$}\end{frame}", ["a=b"]),
    (r"$\SI{9.81(2)}{\metre\per\second\squared}=\si{\kilo\gram\per\cubic\metre}$", [r"9.81\,\mathrm{m}/\mathrm{s}^{2}=\mathrm{kg}/\mathrm{m}^{3}"]),
    # what is not a formula
    (r"It costs \$5 and \$6, not $x$.", ["x"]),
    ("It costs $5 a day.\n\nSo $x$.", ["x"]),
    ("% $a$\n$b$ \\% $c$ %$d$\n\\verb|$e$| \\begin{verbatim}$f$\\end{verbatim}\\begin{comment}$g$\\end{comment}$h$",
     ["b", "c", "h"]),
    (r"\iffalse $a$ \iftrue $b$ \fi \else $c$ \fi $d$", ["c", "d"]),
    (r"\newif\ifdraft \ifdraft $a$\else $b$\fi \drafttrue \ifdraft $c$\fi", ["b", "c"]),
    (r"\begin{tikzpicture}\node{$a$};\end{tikzpicture}\begin{lstlisting}$b$\end{lstlisting}$c$", ["c"]),
    (r"\begin{thebibliography}{9}\bibitem{a} On $x$.\end{thebibliography}\url{a$b$c}$d$", ["d"]),
    (r"\label{a$b}\includegraphics[width=$x$]{c$d}$e$", ["e"]),
    # words in mathematics
    (r"$a \text{ if $b>0$ and } c$", [r"a \text{ if }b>0\text{ and } c"]),
    (r"$a_{\mbox{\tiny max}}$", [r"a_{\mbox{ max}}"]),
    # a frame that a book puts around an equation; an operator of the same form is none
    (r"$$\mybox{~~ y=x^2 ~~}$$ $$\Prob{A}=1$$ $$\vv{a}=\vv{b}$$", [r"y=x^2", r"\Prob{A}=1", r"\vv{a}=\vv{b}"]),
    (r"\begin{dmath}[compact]a=b\end{dmath} \def\pair(#1, #2){#1:#2}$\pair(a,b)=1$", ["a=b", "a:b=1"]),
    ("$a\n=b$", ["a =b"]),
]  # fmt: skip


@pytest.mark.parametrize(("source", "found"), FORMULAS, ids=range(len(FORMULAS)))
def test_formulas_are_found_as_tex_sets_them(source: str, found: list[str]) -> None:
    assert tex_of(source) == found


ROLES = ("text", "text", "text", "text", "caption", "table", "table", "text")


def test_text_is_what_a_reader_sees() -> None:
    source = r"""\section{The \emph{first} law of $Q$}
Em\-phasis of ``words''~--- na\"{\i}ve \'etude, M\"uller \& S\o n \cite[p.~3]{x}, see~\ref{y}.\footnote{A note on $n$.}
So the {\it heat} $q$ is\vspace{2mm} \textcolor{red}{red} \href{http://x.y}{here}.

\begin{itemize}\item[a)] One $i$. \item Two $j$.\end{itemize}
\begin{table}\caption{All $t$}\begin{tabular}{l|c} a & $u$ \\ \hline b & $v$ \end{tabular}\end{table}
\section{Next} Now $z$."""
    _, found = read_text(source)
    assert [(o.tex, o.heading, o.role) for o in found] == [
        *((tex, "The first law of Q", role) for tex, role in zip("Qqijtuvn", ROLES, strict=True)),
        ("z", "Next", "text"),
    ]
    assert found[0].window == (
        "⟦0⟧\n\nEmphasis of “words” — naïve étude, Müller & Søn, see. So the heat ⟦1⟧ is red here. a) One ⟦2⟧. Two ⟦3⟧.\n\n"
        "All ⟦4⟧\n\na | ⟦5⟧\n\nb | ⟦6⟧\n\nA note on ⟦7⟧."
    )


@pytest.mark.parametrize(
    ("source", "window"),
    [
        (r"\captionof*{figure}[A]{All $t$} of it", "All ⟦0⟧ of it"),
        (r"A\vrule height 12pt depth 3pt width0pt b \hrule height\strutheight c $t$", "Ab c ⟦0⟧"),
        (
            r"A\kern2pt B\hskip 1em plus 1fil C \vskip-\baselineskip D \raise.5ex\hbox{E} \penalty-100 $t$",
            "AB C D E ⟦0⟧",
        ),
        (r"\magnification=\magstep1 \hsize=5truein \parindent0pt\baselineskip 12pt plus 1pt A $t$", "A ⟦0⟧"),
        (
            r"\font\big=cmbx10 scaled 1200 \newfam\f \textfont\f=\big \headline={\hss a}\pageno=1 \footline{b} A $t$",
            "A ⟦0⟧",
        ),
        (r"\column{0.4\textwidth} A\tabto{46mm}B\unknown{C} $t$", "ABC ⟦0⟧"),
        (r"\newcount\n \n=3 \advance\n by 1 \setbox0=\hbox to 3cm{C}\catcode`\@=11 A $t$ \number\n", "A ⟦0⟧"),
        ("A $t$\n\\endinput\nB $u$", "A ⟦0⟧"),
        ("A $t$ \\bye B $u$", "A ⟦0⟧"),
        (r"\pgfdeclarelayer{back}\pgfsetlayers{back,main}A $t$", "A ⟦0⟧"),
        (r"\put(427,\unitlength){A}\multiput(1,2)(3,4){5}{B} $t$", "AB ⟦0⟧"),
        (r"\newenvironment{fig}[2]{\includegraphics{#1} #2}{}\fig{a.png}{A} $t$", "A ⟦0⟧"),
        (r"$t$ \begin{align}u&=v&\textrm{(Law of Amp\`ere)}\\w&=0\end{align}", "⟦0⟧ ⟦1⟧ (Law of Ampère) ⟦2⟧"),
        (r"$\rule[-1pt]{0pt}{15pt}t$ A", "⟦0⟧ A"),
        (r"\write18{cp a b}\immediate\write\file{c} A $t$", "A ⟦0⟧"),
        (r"\Qcircuit @C=1em @R=.7em { & \gate{H} & \qw } A $t$", "A ⟦0⟧"),
        (r"\begin{SCfigure}[1][ht!]\caption{All $t$}\end{SCfigure}", "All ⟦0⟧"),
        (r"\algrenewcommand{\algorithmiccomment}[1]{$a$ #1} A $t$", "A ⟦0⟧"),
    ],
)
def test_what_only_sets_the_page_is_no_text(source: str, window: str) -> None:
    assert read_text(source)[1][0].window == window


def test_an_environment_that_is_defined_by_the_commands_of_another_is_that_one() -> None:
    own = "\\newenvironment{law}[1]{\\tcolorbox[beamer,%\ncolback=red,title=#1]}{\\endtcolorbox}"
    (found,) = read_text(own + r"\begin{law}{Hooke's law}So $F=kx$.\end{law}")[1]
    assert (found.window, [hint.name for hint in found.hints]) == ("Hooke's law. So ⟦0⟧.", ["Hooke's law"])


def test_slides_have_headings_and_questions_of_an_exam_are_exercises() -> None:
    _, found = read_text(
        r"\documentclass{beamer}\begin{document}\begin{frame}<1->[fragile]{The heat $q$}{An aside}So\alt<2>{$a$}{$b$} $\temporal<1>{c}{d}{e}$.\end{frame}\begin{frame}Then $f$.\end{frame}\end{document}"
    )
    assert [(o.tex, o.heading) for o in found] == [(tex, "The heat q") for tex in "qadf"]
    assert "An aside\n\nSo⟦1⟧ ⟦2⟧." in found[1].window
    source = r"\begin{questions}\question[5] Show $a$.\begin{parts}\part[2] Find $b$.\begin{solution}It is $c$.\end{solution}\end{parts}\end{questions}\begin{tasks}[a=b](2)\task Take $d$.\end{tasks}"
    exam, found = read_text(source)
    assert (exam.title, [(o.tex, o.role) for o in found]) == (
        "main",
        [*((tex, "exercise") for tex in "abc"), ("d", "text")],
    )
    assert found[0].window == "Show ⟦0⟧.\n\nFind ⟦1⟧.\n\nIt is ⟦2⟧.\n\nTake ⟦3⟧."


def test_names_come_from_theorems_and_terms() -> None:
    source = r"""\newtheorem{satz}{Satz}\newtheorem{prob}{Problem}
\begin{satz}[Cauchy's inequality, $n=2$] Then $a \le b$.\end{satz}
\begin{prob}[hard] Show $c=d$.\end{prob}
\begin{example} Take $e=f$.\end{example}
The equation $g=h$ is called the \emph{heat equation}. It is \emph{not} $k$ \emph{gladly}."""
    _, found = read_text(source)
    assert [(o.tex, o.role, [(h.kind, h.name) for h in o.hints]) for o in found] == [
        ("n=2", "text", []),
        ("a \\le b", "text", [("equation_title", "Cauchy's inequality, n=2")]),
        ("c=d", "exercise", []),
        ("e=f", "example", []),
        ("g=h", "text", [("defined_term", "heat equation")]),
        ("k", "text", []),
    ]


@pytest.mark.parametrize(
    "sentence",
    [
        r"Множество называется \emph{компактом}, если $x$.",
        r"Назовём \textbf{компактом} то, что $x$.",
        r"Zbiór nazywamy \emph{zwartym}, gdy $x$.",
        r"O conjunto diz-se \emph{compacto} se $x$.",
        r"La funzione è chiamata \emph{potenziale} se $x$.",
        r"El conjunto se denomina \emph{compacto} si $x$.",
        r"集合称为\textbf{紧集}，若$x$。",
    ],
)
def test_terms_are_introduced_in_other_languages(sentence: str) -> None:
    (found,) = read_text(sentence)[1]
    assert [hint.kind for hint in found.hints] == ["defined_term"]


def test_what_is_known_of_a_document() -> None:
    book, _ = read_text(
        r"\documentclass[11pt]{scrbook}\usepackage[english,ngerman]{babel}\title{Die\\Physik}\begin{document}$a$\end{document}"
    )
    assert (book.title, book.language, book.kind) == ("Die Physik", "de", "textbook")
    source = r"\documentclass[french]{article}\author{A $b$}\doi{10.1000/xyz.1}\begin{document}\section{Un}$a$ \doi{10.1/2}\end{document}"
    paper, _ = read_text(source)
    assert (paper.title, paper.language, paper.kind) == ("Un", "fr", "paper")
    assert paper.identifiers == (("doi", "10.1000/xyz.1"),)


@pytest.mark.parametrize(
    ("data", "window"),
    [
        ("naïve ßt $x$".encode(), "naïve ßt ⟦0⟧"),
        ("naïve ßt $x$".encode("latin-1"), "naïve ßt ⟦0⟧"),
        ("naïve ".encode() + b"\xdft $x$", "naïve ßt ⟦0⟧"),
        (b"\\usepackage[applemac]{inputenc}" + "naïve ßt $x$".encode("mac-roman"), "naïve ßt ⟦0⟧"),
        ("naïve ßt $x$".encode("utf-16"), "naïve ßt ⟦0⟧"),
    ],
)
def test_no_odd_byte_loses_a_document(data: bytes, window: str) -> None:
    _, (found,) = next(read_latex(data, path="a.tex"))
    assert found.window == window


def test_a_subfile_ends_where_it_says_and_the_main_file_goes_on() -> None:
    sub = r"\documentclass[main]{subfiles}\begin{document}$b$\end{document}$c$"
    main = r"\documentclass{book}\begin{document}$a$\subfile{sub} $d$ \import{parts/}{one}\end{document}"
    siblings = {"main.tex": main.encode(), "sub.tex": sub.encode(), "parts/one.tex": b"$e$ \\input{main} \\input{gone}"}
    found = next(read_latex(main.encode(), path="m", siblings=SiblingFiles("main.tex", FilesInMemory(siblings))))
    assert [o.tex for o in found[1]] == ["a", "b", "d", "e"]


def test_a_subfile_by_itself_has_the_macros_of_its_main_file_but_not_its_title(tmp_path: Path) -> None:
    (tmp_path / "main.tex").write_text(
        "\\documentclass{book}\\title{Book}\\input{own}\\def\\b{\\beta}\\begin{document}$no$\\end{document}"
    )
    (tmp_path / "own.tex").write_text("\\newcommand{\\a}{\\alpha}")
    (tmp_path / "parts").mkdir()
    part = tmp_path / "parts" / "one.tex"
    part.write_text("\\documentclass[../main]{subfiles}\\begin{document}\\section{One}$\\a + \\b$\\end{document}")
    found = {p.document.title: [o.tex for o in p.occurrences] for p in read([str(tmp_path)])}
    assert found == {"Book": ["no"], "One": ["\\alpha + \\beta"]}
    parts = {file.name: file.parts for file in list_sources([str(tmp_path)]).files}
    assert parts == {"main.tex": ("own.tex",), "parts/one.tex": ("main.tex", "own.tex")}


def test_lines_that_are_broken_by_themselves_are_one_row() -> None:
    source = r"\begin{align}a&=b\\&\begin{autobreak}=c+d\n+e\end{autobreak}\\ f&=g\end{align}".replace(r"\n", "\n")
    assert [o.tex for o in read_text(source)[1]] == ["a=b", "a=c+d +e", "f=g"]


def test_an_include_means_what_its_folder_is_last_defined_as(tmp_path: Path) -> None:
    parts = {"one/law.tex": "$a$", "two/law.tex": "$b$", "two.tex": "$c$"}
    for name, text in parts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "main.tex").write_text(
        "\\documentclass{book}\\newcommand*{\\here}{}\\begin{document}\\renewcommand*{\\here}{two}\\input{\\here/law}\\input{\\here}"
        "\\renewcommand*{\\here}{one}\\input{\\here/law}\\end{document}"
    )
    assert [[o.tex for o in page.occurrences] for page in read([str(tmp_path)])] == [["b", "c", "a"]]


def test_of_two_versions_the_larger_is_read_and_a_supplement_by_itself(tmp_path: Path) -> None:
    lines = "".join(f"The line with the number {n} says $x_{{{n}}}$.\n" for n in range(40))
    head, end = "\\documentclass{article}\n\\begin{document}\n", "\\end{document}\n"
    (tmp_path / "new.tex").write_text(f"{head}{lines}And $more$ is said here.\n{end}")
    (tmp_path / "old.tex").write_text(f"{head}{lines}{end}")
    (tmp_path / "supplement.tex").write_text(f"{head}$s$\n{end}")
    ignored: list[tuple[str, str]] = []
    pages = list(read([str(tmp_path)], on_ignore=lambda path, reason: ignored.append((Path(path).name, str(reason)))))
    assert [(Path(p.path).name, len(p.occurrences)) for p in pages] == [("new.tex", 41), ("supplement.tex", 1)]
    assert ignored == [("old.tex", "has most of its lines in common with another file beside it, which is read")]


LAUGHS = "".join(rf"\def\{'cdefghij'[n]}{{" + rf"\{'bcdefghi'[n]}" * 12 + "}" for n in range(8)) + r"\def\b{ha}"
ENDLESS = [
    (r"\def\a{\a}", r"\a"),
    (r"\def\a{x\a\a}", r"$\a$"),
    (r"\newcommand{\a}[1]{\a{#1#1}}", r"\a{b}"),
    (r"\newenvironment{a}{\begin{a}}{\end{a}}", r"\begin{a}x\end{a}"),
    (LAUGHS + r"\def\a{ha\i}", r"\a and \a"),
    (LAUGHS + r"\newenvironment{a}{\i}{\i}", r"\begin{a}x\end{a}"),
]


@pytest.mark.parametrize(("definition", "use"), ENDLESS)
def test_what_expands_for_ever_is_named_and_left_out(definition: str, use: str) -> None:
    notes: list[Message] = []
    source = f"{definition} $x$ {use} $y$".encode()
    _, found = next(read_latex(source, path="m", siblings=SiblingFiles("m", note=notes.append)))
    assert {"x", "y"} <= {o.tex for o in found}
    assert [str(note).partition(" expands for ever")[0] for note in notes] in (["the macro \\a"], ["the environment a"])


def test_a_change_in_a_chapter_reads_the_book_again(tmp_path: Path) -> None:
    from bot.discover.mine import fingerprint

    (tmp_path / "main.tex").write_text(r"\documentclass{book}\begin{document}\input{one}\end{document}")
    (tmp_path / "one.tex").write_text("$a$")
    (before,) = list_sources([str(tmp_path)]).files
    first = fingerprint(before)
    (tmp_path / "one.tex").write_text("$b$")
    (after,) = list_sources([str(tmp_path)]).files
    assert before == after
    assert first != fingerprint(after)


HOSTILE = {
    "laughs": (rf"\def\c{{{'x' * 100_000}}}\def\d{{\c\c}}" + r"\d " * 100, "its macros become more than"),
    "equations": (r"\begin{equation}" * 60_000, "too many formulas that are never closed"),
    "inputs": (r"\input{ring}" * 5000, "takes in more than 2,000 files"),
}  # fmt: skip


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_sources_are_skipped_by_name_and_the_run_goes_on(tmp_path: Path, kind: str) -> None:
    source, reason = HOSTILE[kind]
    source = "\\documentclass{article}\\begin{document}" + source
    ring = {"ring.tex": "\\input{bad} $x$"} if kind == "inputs" else {}
    tar_of({"bad.tex": source, **ring, "good/good.tex": "$a=b$"}, tmp_path / "papers.tar")
    skipped: list[tuple[str, str]] = []
    pages = list(read([str(tmp_path)], on_skip=lambda path, why: skipped.append((Path(path).name, str(why)))))
    assert ["a=b"] in [[o.tex for o in page.occurrences] for page in pages]
    assert [(name, reason in why) for name, why in skipped] == [("papers.tar!bad.tex", True)]


def test_a_text_without_formulas_is_a_document_and_one_whose_formulas_are_lost_is_not(tmp_path: Path) -> None:
    head = "\\documentclass{article}\\begin{document}A \\textbf{word}\\\\[2pt]\\emph{more}. "
    (tmp_path / "a.tex").write_text(head + "\\end{document}")
    (tmp_path / "b.tex").write_text(head + "\\begin{equation} \\alpha = \\section{x}")
    skipped: list[tuple[str, str]] = []
    pages = list(read([str(tmp_path)], on_skip=lambda path, why: skipped.append((Path(path).name, str(why)))))
    assert [(Path(p.path).name, len(p.occurrences)) for p in pages] == [("a.tex", 0)]
    assert skipped == [("b.tex", "holds formulas of which none is closed")]


OPENINGS = (
    "{ \\emph{ \\footnote{ \\section{ \\item[ \\cite[ $\\frac{ $\\text{ $$x\n\n $x\n\n \\iffalse \\begin{verbatim} \\begin{foo} \\newcommand{\\a}{ \\def\\a#1 "
    "\\' \\csname \\begin{theorem}[ \\begin{align}\\intertext{ $\\cases{ \\title{ \\verb|"
).split(" ")


@pytest.mark.parametrize("opening", OPENINGS)
def test_thousands_of_openings_are_read_in_linear_time(opening: str) -> None:
    with at_most(0.6), contextlib.suppress(DocumentError):
        next(read_latex((opening * 3000 + " $x$").encode(), path="m"))


def test_the_title_of_a_theorem_stands_in_the_text_with_its_formulas_in_place() -> None:
    theorem = r"\begin{theorem}[Bounding $\pi$ by the $\mathbb{Z}$-lattice] Then $a<b$.\end{theorem}"
    formulas = read_text(r"\newtheorem{theorem}{Theorem}\begin{document}" + theorem + r"\end{document}")[1]
    assert [f.tex for f in formulas] == [r"\pi", r"\mathbb{Z}", "a<b"]
    assert formulas[2].window.endswith("Bounding ⟦0⟧ by the ⟦1⟧-lattice. Then ⟦2⟧.")
    assert [hint.name for hint in formulas[2].hints] == [r"Bounding π by the Z-lattice"]


def test_a_heading_shows_one_of_the_two_forms_that_it_is_given_in() -> None:
    heading = r"\section{The \texorpdfstring{$\mathcal{N}=1$}{N = 1} algebra}"
    assert read_text(heading + "So $x$ is.")[1][-1].heading == "The N=1 algebra"


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (r"\mathchardef\mdash=\"2D $A\mdash B$".replace('\\"', '"'), [r"A- B"]),
        (r"$\bra{a}\ket\psi$", [r"\left\langle a\right|\left|\psi\right\rangle"]),
        (r"$\mathchoice{a}{b}{c}{d}=e$", ["a=e"]),
        (r"$a\mkern-12mu b\hskip.5cm c$", ["abc"]),
        (
            r"\begin{align*} a & = b\\ \uncover<2->{c & = d\\ \only<3>{e & = f}} \end{align*}",
            [r"a= b", r"c= d", r"e= f"],
        ),
        (r"\[ \alert<2>{x}^\alert{2} = y \]", ["x^{2} = y"]),
        (r"\def\be{\csname equation*\endcsname}\def\ee{\csname endequation*\endcsname} \be a=b \ee", ["a=b"]),
        (r"\def\be{\equation}\def\ee{\endequation} \be a=b \ee $c$ \align a&=b\\c&=d \endalign", ["a=b", "c", "a=b", "c=d"]),
        (r"\newenvironment{eqs}{\align}{\endalign} \begin{eqs}a&=b\\c&=d\end{eqs}", ["a=b", "c=d"]),
        (
            r"\usepackage{cases}\begin{numcases}{|x|=\label{a}}x,&if $x>0$\label{b}\\-x,&otherwise\end{numcases}",
            [r"|x|=\begin{cases}x,&\text{if }x>0\\ -x,&\text{otherwise}\end{cases}"],
        ),
        (
            r"\usepackage{cases}\begin{subnumcases}{}a=b\\c=d\end{subnumcases}$e$",
            [r"\begin{cases}a=b\\ c=d\end{cases}", "e"],
        ),
        (r"\[ f = \begin{dcases*} 1 & for even $n$ \end{dcases*} \]", [r"f = \begin{dcases} 1 &\text{ for even }n \end{dcases}"]),
        (r"\[ \Qcircuit @C=1em @R=.7em { & \gate{H} & \qw } \] $f$", ["f"]),
        (r"\def\Circuit{\xymatrix @*=<0em>} \[ \Circuit @C=1em { & \ar[r] } \] $f$", ["f"]),
        (
            r"\[\begin{matrix}\multicolumn{2}{c}{a}\\b&c\end{matrix}\refstepcounter{equation}\]",
            [r"\begin{matrix}{a}\\ b&c\end{matrix}"],
        ),
        (r"\[ \xymatrix@C=2pc{A \ar[r]^f & B} \] $f$", ["f"]),
        (r"\usepackage{derivative} $\odv[2]{x}{t} = \pdv{f}{x}$", [r"\frac{\mathrm{d}^{2}x}{\mathrm{d}t^{2}} = \frac{\partial f}{\partial x}"]),
    ],
)  # fmt: skip
def test_what_lecture_notes_write(source: str, found: list[str]) -> None:
    assert tex_of(source) == found


def test_of_the_editions_of_a_book_one_is_read_with_all_that_its_main_file_takes_in(tmp_path: Path) -> None:
    files = {
        "book-a4.tex": "\\def\\size{a4}\n\\input{options}\n\\input{main}\n",
        "book-ebook.tex": "\\input{options}\n\\input{main}\n",
        "options.tex": "\\newcommand{\\vv}[1]{\\mathbf{#1}}\n",
        "main.tex": "\\documentclass{book}\n\\begin{document}\n\\include{one}\n\\end{document}\n",
        "one.tex": "\\chapter{One} The force is $\\vv{F}$.\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    pages = list(read([str(tmp_path)]))
    assert [(Path(p.path).name, [o.tex for o in p.occurrences]) for p in pages] == [("book-a4.tex", [r"\mathbf{F}"])]


def test_definitions_are_found_in_a_folder_above(tmp_path: Path) -> None:
    text = "\\documentclass{article}\n\\input{header}\n\\begin{document} $\\R$ \\end{document}\n"
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "header.tex").write_text("\\newcommand{\\R}{\\mathbb{R}}\n\\section{Header}\n")
    (tmp_path / "two" / "header.tex").write_text("\\newcommand{\\R}{R}\n\\section{Header}\n")
    (tmp_path / "one" / "notes.tex").write_text(text)
    pages = [p for p in read([str(tmp_path)]) if p.path.endswith("notes.tex")]
    assert [o.tex for o in pages[0].occurrences] == [r"\mathbb{R}"]


def test_a_folder_of_definitions_alone_is_named_and_a_paper_in_plain_tex_is_read(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text("\\def\\R{r}\n\\def\\S{s}\n")
    with pytest.raises(SourceError) as error:
        list(read([str(tmp_path)]))
    assert str(tmp_path / "a.tex") in str(error.value)
    paper = "\\font\\bg=cmbx10\n\\def\\R{{\\bg r}}\n\\newcount\\n\n\\n=0\\advance\\n by 1\n\\def\\Eq{\\eqno(\\the\\n)}\nSo\\footnote{$^1\\,$}{A $n$ote.} $$\\R=1\\Eq$$ and $\\,{}$ $t$.\n\\end\n"
    (tmp_path / "a.tex").write_text(paper)
    (page,) = read([str(tmp_path)])
    assert [(o.tex, o.window) for o in page.occurrences][:2] == [
        (tex, "So ⟦0⟧ and ⟦1⟧.\n\nA ⟦2⟧ote.") for tex in ("{ r}=1", "t")
    ]


def test_chapters_that_an_authors_macro_takes_in_are_parts_of_the_book(tmp_path: Path) -> None:
    main = "\\newcommand{\\lecture}[2][x]{\\section{#1}\\input{lectures/lec-#2}}\n\\def\\load#1{\\import{parts/#1/}{main}}\n\\def\\R{r}\\begin{document}\\lecture[A]{one}\\load{two} $0$\\end{document}"
    files = {"main.tex": main, "lectures/lec-one.tex": "One $\\R=1$.", "parts/two/main.tex": "Two $\\R=2$."}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (page,) = read([str(tmp_path)])
    assert [o.tex for o in page.occurrences] == ["r=1", "r=2", "0"]


def test_an_included_file_may_have_another_case_where_none_has_the_name() -> None:
    main = r"\begin{document}\include{parts/waves}\input{b}\end{document}"
    assert tex_of(main, **{"parts/Waves_tex": "$a$", "b_tex": "$b$", "B_tex": "$c$"}) == ["a", "b"]


def test_packages_are_found_in_another_folder_and_beside_chapters_without_a_main_file(tmp_path: Path) -> None:
    macros = "\\ProvidesPackage{mine}\\RequirePackage[spanish]{babel}\\newcommand{\\R}{r}\\titleformat{\\section}{a}{b}{c}{d}\n"
    files = {
        "packages/mine.sty": macros,
        "course/notes.tex": "\\documentclass{article}\\usepackage{mine}\\begin{document}$\\R=1$\\end{document}",
        "other/config.sty": macros.replace("{r}", "{q}"),
        "other/chapter.tex": "\\section{Uno}\nSea $\\R=2$.",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = [(page.document.language, [o.tex for o in page.occurrences]) for page in read([str(tmp_path)])]
    assert found == [("es", ["r=1"]), ("es", ["q=2"])]
    (tmp_path / "again").mkdir()
    (tmp_path / "again" / "mine.sty").write_text(macros.replace("{r}", "{s}"))  # which of the two is meant is not known
    assert next(o.tex for page in read([str(tmp_path)]) for o in page.occurrences) == "\\R=1"


def test_a_glossary_prints_names_and_not_its_keys() -> None:
    source = (
        r"\newglossaryentry{mse}{name={mean squared error}, description=bad, symbol={\ensuremath{M}}}\newacronym{ode}{ODE}{ordinary differential equation}"
        r"\begin{document}The \gls{mse} $x$ of an \gls{ode}, \glspl{ode}, \Gls{mse}[s], \glssymbol{mse} and \gls{no_key}.\end{document}"
    )
    found = read_text(source)[1]
    words = "of an ordinary differential equation (ODE), ODEs, Mean squared errors,"
    assert found[0].window == f"The mean squared error ⟦0⟧ {words} ⟦1⟧ and no key."
    assert [o.tex for o in found] == ["x", "M"]
    linked = r"\newglossaryentry{k}{name=law} we \glslink{k}{state laws} \Glsdisp[x]{k}{of} $x$"
    assert read_text(linked)[1][0].window == "we state laws of ⟦0⟧"
    assert read_text(r"\newacronym{a}{\gls{a}}{b} \gls{a} \gls{a} $x$")[1][0].tex == "x"  # it prints itself
    assert (
        read_text(r"\loadglsentries{terms} a \gls{k} $x$", terms_tex=r"\newglossaryentry{k}{name=law}")[1][0].window
        == "a law ⟦0⟧"
    )


@pytest.mark.parametrize(
    "end",
    [
        r"\\verb",
        r"\\lstinline",
        r"\\verb|",
        r"\\footnote",
        r"\\begin",
        r"\\emph{",
        r"\\'",
        r"\\title",
        r"\\section{",
        "\\",
    ],
)
def test_a_text_may_end_in_the_middle_of_a_command(end: str) -> None:
    assert tex_of(f"Words of $a=1$ {end}") == ["a=1"]


def test_each_main_file_is_read_once_though_it_takes_itself_in_and_has_several_frames() -> None:
    main = rb"\documentclass{book}\begin{document}$%s=1$ \input{%s}\end{document}"
    files = FilesInMemory(
        {
            "a.tex": main % (b"a", b"a"), "b.tex": main % (b"b", b"c"), "c.tex": rb"\input{b} $c=1$",
            "a1.tex": rb"\def\x{1}\input{a}", "a2.tex": rb"\def\x{2}\input{a}", "wide-b.tex": rb"\def\x{1}\input{b}", "b9.tex": rb"\def\x{2}\input{b}",
        }
    )  # fmt: skip
    assert [project._included_files(files, name) for name in ("a.tex", "b.tex", "a1.tex")] == [[], ["c.tex"], ["a.tex"]]
    assert project._one_per_main({"a2.tex": "a.tex", "wide-b.tex": "b.tex", "a1.tex": "a.tex", "b9.tex": "b.tex"}) == [
        "a1.tex",
        "b9.tex",
    ]
    assert [*project.documents(files, files.names)] == ["a1.tex", "b9.tex"]


def test_the_title_is_not_a_later_running_head() -> None:
    source = r"\documentclass{book}\title{Old}\title{Waves}\begin{document}$x$ \title{Index}\end{document}"
    assert read_text(source)[0].title == "Waves"
    assert read_text(r"\documentclass{article}\begin{document}\title{Waves}$x$\end{document}")[0].title == "Waves"


@pytest.mark.parametrize(
    ("headings", "title"),
    [
        (r"\chapter{Waves}\section{Sound}\section{Light}", "Waves"),
        (r"\section{Sound}", "Sound"),
        (r"\chapter*{License}\chapter{Waves}", "main"),
        (r"\section{Introduction}\chapter{Waves}", "Waves"),
        ("", "main"),
    ],
)
def test_a_document_without_title_has_the_name_of_its_only_chapter_or_of_its_file(headings: str, title: str) -> None:
    assert read_text(rf"\begin{{document}}{headings} $x=1$\end{{document}}")[0].title == title


def test_signs_and_states_of_latex_between_dollars_are_no_formulas() -> None:
    found = read_text(r"\makeatletter The option K$\_$MAX, $^{\@thefnmark}$ and $x$.")[1]
    assert [(o.tex, o.window) for o in found] == [("x", "The option K_MAX, and ⟦0⟧.")]
    assert tex_of(r"\chardef\pct=37 $5\pct$ \[\mbox{\begin{tabular}{r|l}of & $b=1$\end{tabular}}\]") == [
        r"5\%",
        r"\mbox{of }b=1",
    ]


def test_words_and_states_of_latex_are_no_formulas_in_a_display_either() -> None:
    source = r"\makeatletter\def\d#1{\@for\x:=#1\do{\advance\count@1}} \begin{align} a&=b\\ \text{where} \\ c&=\d{y}\end{align} So $\text{Hom}$."
    assert [(o.tex, o.window) for o in read_text(source)[1]] == [
        ("a=b", "⟦0⟧ where So ⟦1⟧."),
        (r"\text{Hom}", "⟦0⟧ where So ⟦1⟧."),
    ]


def test_the_frame_of_one_chapter_is_no_second_document(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.tex").write_text(f"So $\\mine_{name[0]}=1$ in the chapter.")
    (tmp_path / "alone.tex").write_text("\\documentclass{article}\n\\begin{document}\n\\input{one}\n\\end{document}")
    (tmp_path / "book.tex").write_text(
        "\\documentclass{book}\n\\def\\mine{X}\n\\begin{document}\n\\input{one}\n\\input{two}\n\\end{document}"
    )
    assert [[o.tex for o in p.occurrences] for p in read([str(tmp_path)])] == [["X_o=1", "X_t=1"]]


def test_notes_and_captions_may_say_how_far_they_are_moved() -> None:
    source = r"""\begin{figure}\caption[short][3cm]{The mass $m$.}\end{figure} Text\sidenote[][-6cm]{Here $a$.} and
    \marginnote{There $b$.}[2cm] more $c$."""
    _, found = read_text(source)
    assert {o.tex for o in found} == {"m", "a", "b", "c"}
    assert not any("cm" in o.window for o in found)


def test_copies_of_a_package_in_several_folders_are_one() -> None:
    macros = rb"\newcommand{\E}{\mathcal{E}}\newcommand{\to}{\message{no}}"
    main = rb"\usepackage{mine,other}\begin{document}$\E\hyperlink{a}{x}\other\message{no}$\end{document}"
    files = {"main.tex": main, "a/tex/mine.sty": macros, "b/tex/mine.sty": macros}
    files |= {"a/other.sty": rb"\def\other{1}", "b/other.sty": rb"\def\other{2}"}
    _, found = next(read_latex(main, path="main.tex", siblings=SiblingFiles("main.tex", FilesInMemory(files))))
    assert [o.tex for o in found] == [r"\mathcal{E}{x}\other"]


def test_letters_of_other_languages_are_words_of_a_formula() -> None:
    assert tex_of(r"\newcommand{\Thorn}{\text{\TH}} $\Thorn/R$") == [r"\text{Þ}/R"]


def test_a_chapter_whose_include_is_commented_out_has_the_preamble_of_its_main_file(tmp_path: Path) -> None:
    main = "\\documentclass[german]{book}\\title{Book}\\newcommand{\\R}{r}\n\\begin{document}\n\\input{one}\n%\\input{parts/two.tex}\n$\\R$ \\end{document}"
    for name, text in {"main.tex": main, "one.tex": "One $\\R=1$.", "parts/two.tex": "\\chapter{Two}$\\R=2$."}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = {page.document.title: [o.tex for o in page.occurrences] for page in read([str(tmp_path)])}
    assert found == {"Book": ["r=1", "r"], "Two": ["r=2"]}


def test_the_label_of_an_item_names_the_formulas_of_its_entry() -> None:
    items = r"\item[Ohm's law:] $U = RI$ \item[Case 1] $a=1$ \item[\bfseries Hooke's law] $F = kx$ \item[$k$] a constant \item[(b)] $c$"
    _, found = read_text(rf"\begin{{description}}{items}\end{{description}}")
    names = {o.tex: [hint.name for hint in o.hints] for o in found}
    assert names == {"U = RI": ["Ohm's law"], "a=1": [], "F = kx": ["Hooke's law"], "k": [], "c": []}


ENTRY = r"""\documentclass{article}
\pmtitle{heat kernel}
\pmtype{Definition}
\pmsynonym{Gauss kernel}{HeatKernel}
\pmdefines{width}
\begin{document}
\PMlinkescapeword{time}
The \emph{heat kernel} at the time $t$ is a \PMlinkname{kernel}{KernelOfAnOperator} $k_t$, see \PMlinkexternal{here}{http://a.b}.
\section{Remarks}
It is $\ge 0$.
\end{document}
"""


def test_an_entry_of_planetmath_has_its_title_and_shows_of_links_what_a_reader_sees() -> None:
    document, (first, *_) = read_text(ENTRY)
    assert (document.title, document.kind) == ("heat kernel", "encyclopaedia")
    assert document.opening.startswith("The heat kernel")
    assert first.window == "The heat kernel at the time ⟦0⟧ is a kernel ⟦1⟧, see here."
    document, _ = read_text(ENTRY.replace("Definition", "Proof"))
    assert (document.title, document.kind) == ("heat kernel", "paper")


def test_files_with_one_preamble_are_not_versions_of_each_other(tmp_path: Path) -> None:
    preamble = "\n".join(
        rf"\newcommand{{\letter{letter}}}{{\mathbf{{{letter}}}}}" for letter in "abcdefghijklmnopqrstuvwxyz"
    )
    for name in ("one", "two"):
        text = rf"\documentclass{{article}}{preamble}\begin{{document}}The entry {name} says $x_{{{name}}}$.\end{{document}}"
        (tmp_path / f"{name}.tex").write_text(text)
    assert [page.document.title for page in read([str(tmp_path)])] == ["one", "two"]


def test_a_chapter_that_is_taken_in_with_a_preamble_of_its_own_shows_its_text_alone() -> None:
    chapter = r"\documentclass{report}\usepackage{own}\title{A chapter}\begin{document}Then $b$.\end{document}"
    main = r"\documentclass{report}\begin{document}\title{The book}So $a$. \input{chapter} Thus $c$.\end{document}"
    document, found = read_text(main, chapter_tex=chapter, own_sty="\\settings{here}\n\n\\newcommand\\x{x}")
    assert document.title == "The book"
    assert [(o.tex, o.window) for o in found] == [(x, "So ⟦0⟧. Then ⟦1⟧. Thus ⟦2⟧.") for x in "abc"]


@pytest.mark.parametrize(
    "before",
    [
        r"\printglossary[title=Names,style=long]",
        r"\tikzstyle{box} = [draw, text width={6em}]",
        r"\icmltitlerunning{Short}\icmlauthor{A}{B}\icmlkeywords{c}",
        r"\printindex[names]",
    ],
)
def test_options_of_lists_and_drawings_are_no_text(before: str) -> None:
    assert read_text(f"{before} So $a$.")[1][0].window.strip() == "So ⟦0⟧."


@pytest.mark.parametrize("command", ["icmltitle", "Title"])
def test_titles_of_conferences_are_titles(command: str) -> None:
    style = r"\def\icmltitle#1{\gdef\kept{#1}}"
    source = (
        rf"\documentclass{{article}}\usepackage{{own}}\begin{{document}}\{command}{{On $E$}}So $a$.\end{{document}}"
    )
    assert read_text(source, own_sty=style)[0].title == "On E"


def test_commands_written_in_the_language_of_latex3_leave_their_argument() -> None:
    own = r"\ExplSyntaxOn\NewDocumentCommand\kind{m}{\text_lowercase:n{#1}}\NewDocumentEnvironment{e}{}{\bool_set_true:N\x}{}\ExplSyntaxOff"
    assert read_text(own + r"\begin{document}\begin{e}The \kind{first} $a$.\end{e}")[1][0].window == "The first ⟦0⟧."


def test_a_command_of_the_author_for_capitals_is_no_list_of_acronyms() -> None:
    assert read_text(r"\newcommand\other{x}The (\acro{SI}) unit $a$.")[1][0].window == "The (SI) unit ⟦0⟧."


def test_a_formula_with_a_value_that_r_computes_is_left_out() -> None:
    assert tex_of(r"$D=\Sexpr{round(x, 2)}$ and $a$") == ["a"]


@pytest.mark.parametrize("definition", [r"\newcommand\parts{common/parts}", r"\def\parts{../common/parts}", ""])
def test_the_name_of_a_file_may_begin_with_a_command_for_its_folder(tmp_path: Path, definition: str) -> None:
    files = {
        "sheets/one.tex": rf"\documentclass{{article}}{definition}\begin{{document}}\input{{\parts/macros}}So $\x$.\end{{document}}",
        "common/parts/macros.tex": r"\newcommand{\x}{x_1}",
        "other/macros.tex": r"\newcommand{\x}{x_2}" if definition else "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    if not definition:
        (tmp_path / "other/macros.tex").unlink()
    (page,) = read([str(tmp_path)])
    assert [o.tex for o in page.occurrences] == ["x_1"]


def test_words_with_a_short_one_or_a_comma_between_are_no_formula() -> None:
    source = r"Eran $\text{ blancas y negras }$, $\text{no, yes}$ y $x$, $v_{\text{max}}$, $\text{max}$."
    assert tex_of(source) == ["x", r"v_{\text{max}}", r"\text{max}"]


def test_a_package_is_found_by_its_name_where_its_folder_is_that_of_another_file(tmp_path: Path) -> None:
    files = {
        "talks/one/a.tex": r"\documentclass{beamer}\input{../../style/start}\begin{document}So $\x$.\end{document}",
        "style/start.tex": r"\usepackage{../../style/own}",
        "style/own.sty": r"\newcommand{\x}{x_1}",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (page,) = read([str(tmp_path)])
    assert [o.tex for o in page.occurrences] == ["x_1"]


def test_colours_of_cells_and_places_of_boxes_are_no_text() -> None:
    source = r"\begin{tabular}{ll}\rowcolor[gray]{.9}\cellcolor{blue!20} one & $a$\end{tabular}\begin{textblock}{2}(1cm,2cm)So $b$.\end{textblock}"
    assert [o.window for o in read_text(source)[1]] == ["one | ⟦0⟧\n\nSo ⟦1⟧."] * 2


def test_an_entry_of_a_list_of_symbols_stands_behind_its_section() -> None:
    source = r"The mass\nomenclature[m]{$m$}{rest mass} $m$ is. \section{Next}"
    found = read_text(source)[1]
    assert found[0].window == "The mass ⟦0⟧ is.\n\n⟦1⟧: rest mass"
    assert [d.meaning for d in found[0].definitions] == ["rest mass"]
