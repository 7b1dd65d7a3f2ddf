r"""What the author's macros and conditionals become: each source shows in its formulas which branch was taken and which argument went where."""

from __future__ import annotations

import pytest
from test_latex import read_text, tex_of

from bot.corpus.latex.latex_reader import read_latex
from bot.corpus.siblings import FilesInMemory, SiblingFiles
from bot.messages import Message

BRANCHES = [  # $a$ stands where the condition holds, $b$ where it does not
    (r"\ifnum 1<2 {}", "a"),
    (r"\ifnum 2<1 {}", "b"),
    (r"\ifnum 1<1 {}", "b"),
    (r"\ifnum 2>1 {}", "a"),
    (r"\ifnum 1>1 {}", "b"),
    (r"\ifnum 1=1 {}", "a"),
    (r"\ifnum 1=2 {}", "b"),
    (r"\ifnum -1=1 {}", "b"),
    (r"\ifnum\x=2 {}", "b"),  # a counter whose value is not known
    (r"\ifodd 1 {}", "a"),
    (r"\ifdim 1pt<2pt {}", "b"),
    (r"\ifpdf {}", "b"),
    (r"\ifmmode {}", "b"),
    (r"\ifoption {}", "a"),  # of a class that is not there
    (r"\def\x{{1}}\ifdefined\x {}", "a"),
    (r"\ifdefined\x {}", "b"),
    (r"\def\x{{1}}\ifcsname x\endcsname {}", "a"),
    (r"\ifcsname x\endcsname {}", "b"),
    (r"\def\x{{1}}\def\y{{1}}\ifx\x\y {}", "a"),
    (r"\def\x{{1}}\def\y{{2}}\ifx\x\y {}", "b"),
    (r"\ifx\x\x {}", "a"),
    (r"\ifx\x\y {}", "b"),
    (r"\ifx\x\undefined {}", "a"),
    (r"\def\x{{1}}\ifx\x\undefined {}", "b"),
    (r"\ifx\empty\@empty {}", "a"),
    (r"\ifx\empty\x {}", "b"),
    (r"\if ab {}", "b"),
    (r"\if aa {}", "a"),
]


@pytest.mark.parametrize(("condition", "taken"), BRANCHES)
def test_a_conditional_takes_the_branch_that_holds(condition: str, taken: str) -> None:
    assert tex_of(condition.format(r"$a$\else $b$\fi $c$")) == [taken, "c"]


SKIPPED = [
    (r"\iffalse\ifnum 1<2 $a$\else $b$\fi\else $c$\fi $d$", ["c", "d"]),
    (r"\iftrue $a$\else\iftrue $b$\fi $c$\fi $d$", ["a", "d"]),
    (r"\iffalse\ifthenelse{x}{$a$}{$b$}\fi $c$", ["c"]),
    (r"\iffalse $a\iff b$\fi $c$", ["c"]),
    (r"\iffalse\newif\ifx $a$\fi $c$", ["c"]),
    ("\\iffalse $a$ % \\fi\n$b$\\fi $c$", ["c"]),
    (r"\iffalse $a$\or $b$\else $c$\fi $d$", ["c", "d"]),
    (r"\iffalse $a$", ["a"]),  # never ends
    (r"\ifcase 1 $a$\or $b$\fi $c$", ["a", "c"]),
    # In a formula one is read, and the first where it is not known which.
    (r"\newcommand\d[2][]{d\ifthenelse{\equal{#1}{}}{}{^{#1}}#2}$\d x+\d[2]{x}$", ["dx+d^{2}x"]),
    (r"$\ifthenelse{\NOT\equal{a}{b}}{a}{b}\ifthenelse{\isempty{}}{c}{d}\ifthenelse{x}{e}{f}$", ["ace"]),
    (r"$\ifstrempty{x}{a}{b}\ifblank{ }{c}{d}\ifstrequal{x}{x}{e}{f}\ifbool{x}{g}{h}$", ["bceg"]),
    (
        r"\def\x{}$\ifdef{\x}{a}{b}\ifundef{\y}{c}{d}\ifcsdef{x}{e}{f}\ifcsundef{x}{g}{h}\ifdefempty{\x}{i}{j}$",
        ["acehi"],
    ),
    # Of conditionals with their arguments in braces both are read in the text.
    (r"\ifthenelse{x}{$a$}{$b$}", ["a", "b"]),
    (r"\ifthenelse{\isodd{\thepage}}{$a$}{$b$}\ifthenelse{\pageref{x}=\pageref{y}}{$c$}{$d$}", ["a", "c"]),
    (
        r"\newboolean{x}\ifthenelse{\boolean{x}}{$a$}{$b$}\setboolean{x}{true}\ifthenelse{\boolean{x}}{$c$}{$d$}",
        ["b", "c"],
    ),
    (
        r"\newtoggle{x}\iftoggle{x}{$a$}{$b$}\toggletrue{x}\iftoggle{x}{$c$}{$d$}\ifthenelse{\NOT\boolean{y}}{$e$}{$f$}",
        ["b", "c", "e", "f"],
    ),
    (r"\newbool{x}\setbool{x}{true}\ifbool{x}{$a$}{$b$}\ifthenelse{\not\boolean{x}}{$c$}{$d$}", ["a", "d"]),
    (r"\ifstrequal{$x$}{$y$}{$a$}{$b$}", ["a", "b"]),
    (r"\ifstrempty{$x$}{$a$}{$b$}", ["a", "b"]),
]


def test_a_branch_ends_at_its_own_end() -> None:
    for source, found in SKIPPED:
        assert tex_of(source) == found, source


TESTED = [
    (r"\makeatletter\@ifstar{$a$}{$b$}*$c$", ["a", "c"]),
    (r"\makeatletter\@ifstar{$a$}{$b$}$c$", ["b", "c"]),
    (r"\makeatletter\@ifnextchar({$a$}{$b$}(x)$c$", ["a", "c"]),
    (r"\makeatletter\@ifnextchar({$a$}{$b$}x$c$", ["b", "c"]),
    (r"\IfNoValueTF{-NoValue-}{$a$}{$b$}", ["a"]),
    (r"\IfNoValueTF{x}{$a$}{$b$}", ["b"]),
    (r"\IfNoValueF{x}{$a$}$b$", ["a", "b"]),
    (r"\IfValueT{x}{$a$}$b$", ["a", "b"]),
    (r"\IfValueT{-NoValue-}{$a$}$b$", ["b"]),
    (r"\IfValueF{x}{$a$}$b$", ["b"]),
    (r"\IfBooleanT\BooleanTrue{$a$}$b$", ["a", "b"]),
    (r"\IfBooleanF\BooleanTrue{$a$}$b$", ["b"]),
    (r"\IfBooleanTF\BooleanFalse{$a$}{$b$}", ["b"]),
]


def test_what_follows_and_what_was_given_decides() -> None:
    for source, found in TESTED:
        assert tex_of(source) == found, source


DEFINED = [
    (r"\providecommand\x{1}\providecommand\x{2}$\x$", "1"),
    (r"\newcommand\x{1}\providecommand\x{2}\renewcommand\x{3}$\x$", "3"),
    (r"\newcommand*{\x}[2]{#2#1}$\x{a}b$", "ba"),
    (r"\newcommand\x[3][q]{#1#2#3}$\x ab\x[c]de$", "qabcde"),
    (r"\renewcommand\frac{x}$\frac ab$", r"\frac ab"),  # what sets the page only is not the author's
    (r"\def\x#1#2{#2##}$\x ab$", "b#"),
    (r"\def\x!#1{[#1]}$\x!b$", "[b]"),
    (r"\def\x#1.{[#1]}$\x{a}+b.c$", "[{a}+b]c"),
    (r"\def\x#1;{[#1]}$\x{a;b};c$", "[a;b]c"),  # a delimiter in braces is none
    (r"\def\x#1;{[#1]}$\x{a}{b};c$", "[{a}{b}]c"),
    (r"\def\x#1;{[#1]}$\x\{a\};c$", r"[\{a\}]c"),
    (r"\def\x#1;{[#1]}$\x{a};{b};c$", "[a]{b};c"),
    (r"\let\x=\alpha $\x b$", r"\alpha b"),
    (r"\let\x\x $\x$", r"\x"),
    (r"\let\x=b $\x$", "b"),
    (r"\DeclareMathSymbol{\myto}{\mathrel}{symbols}{33}\let\to\myto $a\to b$", r"a\to b"),
    (r"\def\y{2}\let\x\y\def\y{3}$\x\y$", "23"),
    (r"\chardef\x=65 $\x$", "A"),
    (r"\mathchardef\x=321 $\x$", "A"),
    (r'\mathchardef\x="226A $\x$', "j"),
    (r"\chardef\x=33 $\x$", "!"),
    (r"\chardef\x=127 $\x$", r"\x"),
    (r"\chardef\x=200 $\x$", r"\x"),
    (r"\DeclareMathOperator\x{xx}$\x a$", r"\operatorname{xx} a"),
    (r"\DeclarePairedDelimiter\n{\|}{\|}$\n[\big]{x}$", r"\left\| x\right\|"),
    (r"\DeclarePairedDelimiterX\n[2]{(}{)}{#1\delimsize\vert#2}$\n*{x}{y}$", r"\left( x\middle\vert y\right)"),
    (r"\DeclarePairedDelimiterXPP{\n}[1]{E}{[}{]}{_2}{#1}$\n[\big]{x}$", r"E\left[ x\right]_2"),
    (r"\newenvironment{q}[1]{\begin{equation}#1}{+c\end{equation}}\begin{q}{a}=b\end{q}", "a=b+c"),
    (r"\newenvironment{equation}{}{}\begin{equation}a\end{equation}", "a"),
    (r"\NewDocumentEnvironment{q}{m}{\begin{equation}#1}{\end{equation}}\begin{q}{a}=b\end{q}", "a=b"),
    (r"\NewDocumentCommand\x{r()m}{#1;#2}$\x(a)b$", "a;b"),
    (r"\NewDocumentCommand\x{D<>{k}m}{#1;#2}$\x b\x<l>c$", "k;bl;c"),
    (r"\NewDocumentCommand\x{mG{k}}{#1#2}$\x a\x a{b}$", "akab"),
    (r"\NewDocumentCommand\x{g}{[#1]}$\x{a_{b}}c$", "[a_{b}]c"),  # braces and brackets nest
    (r"\NewDocumentCommand\x{d()}{[#1]}$\x(f(a))c$", "[f(a)]c"),
    (r"\NewDocumentCommand\x{O{1}>{\y}m}{#1#2}$\x a\x[2]b$", "1a2b"),
    (r"\NewDocumentCommand\x{e{^_}+m}{(#1)}$\x a$", "(a)"),
    (r"\NewDocumentCommand\x{u;v}{#2#1}$\x a;b$", "b a"),
]


def test_a_call_becomes_what_its_definition_says() -> None:
    for source, found in DEFINED:
        assert tex_of(source) == [found], source


@pytest.mark.parametrize(
    "definition",
    [
        r"\declaretheorem[name=Exercise]{q}",
        r"\declaretheorem[style=x, title={Exercise}]{q}",
        r"\declaretheorem{p,q}[heading=Exercise]",
        r"\newtheorem*{q}{Exercise}",
        r"\newtheorem{q}[equation]{Exercise}",
        r"\newtheorem{q}{Exercise}[section]",
        r"\spnewtheorem{q}{Exercise}{\bfseries}{\itshape}",
    ],
)
def test_what_an_environment_is_called_says_what_its_formulas_are_for(definition: str) -> None:
    (found,) = read_text(rf"{definition}\begin{{q}} Show $a=b$.\end{{q}}")[1]
    assert (found.tex, found.role, found.window) == ("a=b", "exercise", "Show ⟦0⟧.")


@pytest.mark.parametrize(
    ("source", "window", "name"),
    [
        (r"\newtcbtheorem[auto counter]{q}{Law}{colback=red}{l}\begin{q}[k=v]{Hooke's law}{x} So $a=b$.\end{q}", "Hooke's law. So ⟦0⟧.", "Hooke's law"),
        (r"\newtcbtheorem{q}{Law}{}{l}\begin{q*}{Hooke's law} So $a=b$.\end{q*}", "Hooke's law. So ⟦0⟧.", "Hooke's law"),
        (r"\newtcbtheorem{q}{Law}{}{l}\begin{q}{}{} So $a=b$.\end{q}", "So ⟦0⟧.", ""),
        (r"\newtcolorbox[auto counter]{q}[2][]{title={Law, #2},#1}\begin{q}[a=b]{Hooke} So $a=b$.\end{q}", "Law, Hooke. So ⟦0⟧.", "Law, Hooke"),
        (r"\NewTColorBox{q}{O{}m}{title=#2}\begin{q}{Hooke's law} So $a=b$.\end{q}", "Hooke's law. So ⟦0⟧.", "Hooke's law"),
        (r"\begin{tcolorbox}[colback=red,title=Example 3] So $a=b$.\end{tcolorbox}", "Example 3. So ⟦0⟧.", ""),
        (r"\begin{mdframed}[frametitle={Hooke's law}] So $a=b$.\end{mdframed}", "Hooke's law. So ⟦0⟧.", "Hooke's law"),
        (r"\newmdtheoremenv[a=b]{q}{Law}\begin{q}[Hooke's law] So $a=b$.\end{q}", "Hooke's law. So ⟦0⟧.", "Hooke's law"),
        (r"\begin{theorem}[name={Hooke's law},label=x] So $a=b$.\end{theorem}", "Hooke's law. So ⟦0⟧.", "Hooke's law"),
        (r"\begin{theorem}[label=x] So $a=b$.\end{theorem}", "So ⟦0⟧.", ""),
        (r"\begin{restatable}[Hooke's law]{theorem}{hooke} So $a=b$.\end{restatable}", "Hooke's law. So ⟦0⟧.", "Hooke's law"),
        (r"\newtheorem{q}{Legge}\begin{q}[di Hooke] So $a=b$.\end{q}", "di Hooke. So ⟦0⟧.", "di Hooke"),
    ],
)  # fmt: skip
def test_titles_of_boxes_and_theorems_are_names(source: str, window: str, name: str) -> None:
    (found,) = read_text(source)[1]
    assert (found.window, [hint.name for hint in found.hints], found.role) == (window, [name] if name else [], "text")


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (r"$\faktor{\mathbb{Z}}{n\mathbb{Z}}$", r"\mathbb{Z}/n\mathbb{Z}"),
        (r"\usepackage{braket}$\Set{x|x>0}$", r"\left\{x|x>0\right\}"),
        (r"$\Set{x}$", r"\Set{x}"),  # a category, say
        (r"\newcommand\d[2][]{\frac{d^{#1}#2}{dt^{{#1}}}}$\d x+\partial_{ }^{}y\_{}$", r"\frac{dx}{dt}+\partial y\_{}"),
        (r"\newcommand\restr[2]{{\left.\kern-\nulldelimiterspace #1\right|_{#2}}}$\restr fA$", r"{\left.f\right|_{A}}"),
        (r"\newcommand\lln{\mathrel{\ooalign{$<$\cr\raise1pt\hbox{$-$}\cr}}}$a\lln b$", r"a\lln b"),  # a drawing
        (
            r"\newcommand\yo{\text{\usefont{U}{min}{m}{n}\symbol{'210}}}$\yo X$",
            r"\yo X",
        ),  # a character of a font by its number
        (
            r"\usepackage{physics}$\ev**{A}{n}\qfor\mel**{a}{B}{c}$",
            r"\left\langle n\middle|A\middle|n\right\rangle\quad\text{for}\quad\left\langle a\middle|B\middle|c\right\rangle",
        ),
        (
            r"\usepackage{physics}$\pderivative[2]{f}{x}=\pmqty{a\\b}$",
            r"\frac{\partial^{2}f}{\partial x^{2}}=\begin{pmatrix}a\\ b\end{pmatrix}",
        ),
        (r"$\upalpha+\Updelta$", r"\alpha+\Delta"),
        (r"$(a\vrule b)\vrule height 2ex width 0pt$", "(a| b)"),
        (
            r"\usepackage{physics}$\var{S}=\variation[2]{f}+\trace A\qq*{if}b$",
            r"\delta S=\delta^{2}f+\operatorname{tr} A\quad\text{if}\quad b",
        ),
        (r"\usepackage{tensor}$\tensor*{R}{^a_b}=\tensor[^c]{T}{_d}$", "R^a_b={}^cT_d"),
        (r"\usepackage{physics}$\pdv{f_{a}}{x_{b}}$", r"\frac{\partial f_{a}}{\partial x_{b}}"),
        (r"\makeatletter\newcommand\widebar[1]{\wide@bar{#1}{0}}\makeatother $\widebar x$", r"\overline{x}"),
        (r"\NewDocumentCommand{\D}{t+ m}{\IfBooleanTF{#1}{D^+}{D}#2}$\D+{x}=\D y$", "D^+x=Dy"),
        (r"\NewDocumentCommand{\D}{+m !o}{D#1\IfNoValueF{#2}{_{#2}}}$\D x[y]$", "Dx_{y}"),
    ],
)
def test_macros_that_packages_and_authors_define_in_ways_of_their_own(source: str, found: str) -> None:
    assert tex_of(source) == [found]


def test_a_macro_that_expands_for_ever_is_named_once_however_often_it_is_defined() -> None:
    told: list[Message] = []
    source = rb"\def\a{\a}\a $x$" b"\n\n" rb"\def\a{\a\a}\a $y$"
    siblings = SiblingFiles("main.tex", FilesInMemory({"main.tex": source}), told.append)
    list(read_latex(source, path="main.tex", siblings=siblings))
    assert len(told) == 1


def test_mathematics_that_a_macro_ensures_within_words_is_expanded() -> None:
    macros = r"\newcommand{\hexp}{\dot{e}}\newcommand{\boxed}[1]{\ensuremath{[#1]}}"
    assert tex_of(macros + r"$\text{\boxed{\hexp} or } x$") == [r"[\dot{e}]\text{ or } x"]


@pytest.mark.parametrize(
    ("source", "formula"),
    [
        (
            r"\newcommand\indep{\mathpalette{\drawn}{\perp}}"
            r"\def\drawn#1#2{\mathrel{\setbox0\hbox{$#1#2$}\copy0\kern-\wd0\mkern4mu\box0}} $X \indep Y$",
            r"X \mathrel{\perp\perp} Y",
        ),
        (r"$\setbox12=\hbox{a} b\copy12\box3$", "ba"),
        (r"$\setbox0\hbox{a}\setbox0\hbox{\box0 b}\box0$ \box0", "ab"),
        (r"$\smash[b]{\hat x}_f = \smash{y}$", r"{\hat x}_f = y"),
        (r"$a \xlongrightarrow{f} b$", r"a \xrightarrow{f} b"),
        (
            r"\makeatletter\newcommand*{\group}{\@dblarg\@group}\def\@group[#1]#2{\expandafter\newcommand\csname B#2\endcsname"
            r"{\mathrm{B#1}}}\makeatother\group{Aut}\group[x]{G}$\BAut = \BG$",
            r"\mathrm{BAut} = \mathrm{Bx}",
        ),
        (
            r"\newcommand{\pile}[2]{\vbox{\ialign{##\cr$#1$\cr$#2$\cr}}}"
            r"\newcommand{\eqto}{\mathrel{\mathchoice{\pile{=}{\to}}{a}{b}{c}}} $a \eqto b$",
            r"a \eqto b",
        ),
        (
            r"\makeatletter\newcommand*{\op}[1]{\mathop{\newmcodes@\kern\z@ #1}\nolimits@}\makeatother $\op{\mathrm{Hom}}(a)$",
            r"\mathop{\mathrm{Hom}}(a)",
        ),
        (r"\documentclass{ximera}$\answer[given]{-1}=x$", "-1=x"),
        (r"\usepackage{esvect} $\vv{a} + \vv*{b}{1}$", r"\vec{a} + \vec{b}_{1}"),
    ],
)
def test_boxes_and_signs_of_packages_become_what_they_show(source: str, formula: str) -> None:
    assert tex_of(source) == [formula]


def test_several_words_alone_between_dollars_are_words() -> None:
    _, found = read_text(r"A $\textbf{Kinds of change:}$ here, $\textbf{A}$ and $\text{if }x$.")
    assert [o.tex for o in found] == [r"\textbf{A}", r"\text{if }x"]
    assert "A Kinds of change: here" in found[0].window


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (r"\newcommand\gp[1]{{\settoheight{\h}{#1}\resizebox{!}{.9\h}{#1}}}$x\sim\gp{GP}$", r"x\sim{\text{GP}}"),
        (r"$\overbrace{a+b}^{\hidewidth c \hidewidth}\idotsint\displaylimits_D$", r"\overbrace{a+b}^{ c }\idotsint_D"),
        (r"$a=b\quad\rlap{(by $c$)}$", r"a=b\quad\text{(by }c\text{)}"),
        (r"$\sin\MakeLowercase{x}$", r"\sin x"),
    ],
)
def test_what_sets_a_formula_out_is_no_part_of_it(source: str, found: str) -> None:
    assert tex_of(source) == [found]


def test_alphabets_and_letters_of_classes_of_journals_are_read_without_the_class() -> None:
    assert tex_of(r"\documentclass{mnras}\begin{document}$\mathbfss{A}\mathbfit{x}=2\upi\umu$\end{document}") == [
        r"\boldsymbol{\mathsf{A}}\boldsymbol{x}=2\pi\mu"
    ]


def test_a_class_that_makes_room_for_the_commands_of_a_package_takes_none_away() -> None:
    kind = r"\DeclareOption{times}{\let\vec\relax\let\iint\mathbf}\DeclareOption*{\let\hat\mathbf}\let\iiint\relax\let\mine\relax"
    source = r"\documentclass{own}\begin{document}$\iiint\mine\iint\vec a\hat b$\end{document}"
    assert tex_of(source, own_cls=kind) == [r"\iiint\iint\vec a\hat b"]


def test_options_of_a_package_are_carried_out_where_it_is_loaded_with_them_or_says_so() -> None:
    package = r"\DeclareOption{upright}{\def\D{\mathrm{d}}}\DeclareOption{italic}{\def\D{d}}\ExecuteOptions{upright}\ProcessOptions\relax"
    source = r"\begin{document}$\D x$\end{document}"
    assert tex_of(rf"\usepackage{{own}}{source}", own_sty=package) == [r"\mathrm{d} x"]
    assert tex_of(rf"\usepackage[draft,italic]{{own}}{source}", own_sty=package) == ["d x"]


def test_an_environment_may_take_its_whole_body() -> None:
    own = (
        r"\makeatletter\define@key{slide}{size}{\def\slide@size{#1}}\def\slide@size{}"
        r"\NewEnviron{slide}[2][]{\setkeys{slide}{size=,#1}\begin{frame}{#2}\csname \slide@size\endcsname\BODY\end{frame}}\makeatother"
    )
    source = own + r"\begin{document}\begin{slide}[size=small]{Springs}So $a=b$.\end{slide}\end{document}"
    assert [(o.tex, o.heading, o.window) for o in read_text(source)[1]] == [("a=b", "Springs", "So ⟦0⟧.")]


def test_at_is_a_letter_in_packages_and_in_no_other_file() -> None:
    package = r"\newif\if@wide\@widefalse\if@wide\def\x{x_1}\else\def\x{x_2}\fi"
    assert tex_of(r"\usepackage{own}\begin{document}\@ So $\x$.\end{document}", own_sty=package) == ["x_2"]
    assert read_text(r"\begin{document}end\@. So $x$.\end{document}")[1][0].window == "end. So ⟦0⟧."


@pytest.mark.parametrize(
    ("source", "found"),
    [
        (r"$\lambda\approx\numprint{4.9}=\numprint[m]{5}$", [r"\lambda\approx4.9=5\,\mathrm{m}"]),
        (r"$f\mleft(x\mright)$", [r"f\left(x\right)"]),
        (r"$a\sout{+b}+\uwave{c}$", ["a+c"]),
        (r"$\usebeamercolor[fg]{item}a\action<2->{=b}$", ["a=b"]),
        (r"\tikz[baseline]\node[anchor=base,inner sep=0] (n) {$a=b$}; and $c$", ["a=b", "c"]),
        (r"\tikz{\draw (0,0) -- (1,$y$);} and $c$", ["c"]),
        (r"\begin{mathpar}\inferrule[lab=x]{$a$}{b}\end{mathpar}$c$", ["c"]),
        (r"\newenvironment{rules}{\jot 2em\begin{mathpar}}{\end{mathpar}}\begin{rules}$a$\end{rules}$c$", ["c"]),
        (r"\iffalse\ifbibliography{$a$}{$b$}\ifnameundef {$a$}{$b$}\fi$c$", ["c"]),
        (r"\newif\ifwide\iffalse\ifwide{$a$}\fi$b$\fi$c$", ["c"]),
    ],
)
def test_commands_of_packages_that_mark_what_is_shown(source: str, found: list[str]) -> None:
    assert tex_of(source) == found


def test_a_class_of_a_publisher_is_not_read_and_an_authors_own_is() -> None:
    source = r"\documentclass{own}\begin{document}$\x$\end{document}"
    made = "%%\n%% This is file `own.cls',\n%% generated with the docstrip utility.\n%%\n"
    assert tex_of(source, own_cls=r"\newcommand\x{x_1}") == ["x_1"]
    assert tex_of(source, own_cls=made + r"\newcommand\x{x_1}") == [r"\x"]


def test_what_an_environment_would_copy_sign_by_sign_is_read_as_it_stands() -> None:
    own = r"\def\copying{\let\do\other\dospecials\next}\def\next#1{\keep{#1}\next}\newenvironment{again}{\copying}{}"
    assert tex_of(own + r"\begin{document}\begin{again}So $a$.\end{again} Then $b$.\end{document}") == ["a", "b"]
