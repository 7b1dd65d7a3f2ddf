"""Elements of MathML side by side and around one another: which signs open and close, what stands in braces, where space is kept."""

from __future__ import annotations

from test_mathml_to_tex import TABLE, _named, rows_of, tex

from bot.corpus.mathml.mathml_rows import space_to_tex
from bot.corpus.mathml.mathml_scan import scan_mathml

FRACTION = "<mfrac><mi>a</mi><mi>b</mi></mfrac>"
THIN, WIDE = "<mspace width='0.2em'/>", "<mspace width='1em'/>"


def of(*parts: str) -> str:
    """Return elements: a letter is an identifier, a digit a number, any other character a sign, and what begins with < an element."""
    made = []
    for part in parts:
        if part.startswith("<m"):
            made.append(part)
        else:
            tag = "mi" if part.isalpha() else "mn" if part.isdigit() else "mo"
            made.append(f"<{tag}>{part}</{tag}>")
    return "".join(made)


def over(tag: str, *parts: str) -> str:
    """Return an element with its parts, a row for each that has more than one character."""
    return f"<{tag}>{''.join(of(p) if len(p) == 1 or p.startswith('<m') else f'<mrow>{of(*p)}</mrow>' for p in parts)}</{tag}>"


def upright(word: str) -> str:
    return "".join(f"<mi mathvariant='normal'>{letter}</mi>" for letter in word)


def text(word: str) -> str:
    return f"<mtext>{word}</mtext>"


def shown(rows: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return the rows with what each becomes, read by the parser and, where it can, by the scan."""
    for source, wanted in rows:
        assert scan_mathml(_named(source), "m:") in (wanted, None), source
    return [(source, tex(source)) for source, _ in rows]


def test_divides_signs_are_bars_where_they_open_and_close() -> None:
    rows = [
        (of(*"∣x∣"), "|x|"),
        (of(*"a=∣x∣"), "a=|x|"),
        (of(*"∣x∣+∣y∣"), "|x|+|y|"),
        (of(*"(∣x∣)"), "(|x|)"),
        (of(*"∣∣x∣∣"), r"\|x\|"),
        (of(*"∣a∣b∣"), r"|a|b\mid"),
        (of(*"x∣y∣z"), r"x\mid y\mid z"),
        (of(*"a)∣x∣"), r"a)\mid x\mid"),
        (of(*"a!∣x∣"), r"a!\mid x\mid"),
        (of(*"a∣b"), r"a\mid b"),
    ]
    assert shown(rows) == rows


def test_fences_are_made_to_fit_what_is_tall() -> None:
    rows = [
        (of("∣", FRACTION, "∣"), r"\left|\frac{a}{b}\right|"),
        (of("(", "x", ")", "|", FRACTION, "|"), r"(x)|\frac{a}{b}|"),
        (of("|", FRACTION, "|", "|", "x", "|"), r"|\frac{a}{b}||x|"),
        (of("(", "[", FRACTION, "]", ")"), r"\left(\left[\frac{a}{b}\right]\right)"),
        (of("(", "[", "x", "]", FRACTION, ")"), r"\left([x]\frac{a}{b}\right)"),
        (of("(", "x", ")", FRACTION), r"(x)\frac{a}{b}"),
        (of("{", FRACTION, "}"), r"\left\{\frac{a}{b}\right\}"),
        (of("⌊", FRACTION, "⌋"), r"\left\lfloor\frac{a}{b}\right\rfloor"),
        (of("(", FRACTION, "]", "(", FRACTION, ")"), r"(\frac{a}{b}]\left(\frac{a}{b}\right)"),
        (of(")", FRACTION, "("), r")\frac{a}{b}("),
        (f"<mfenced>{of('a')}{FRACTION}</mfenced>", r"\left(a,\frac{a}{b}\right)"),
        (f"<mfenced separators=';,'>{of(*'abcd')}</mfenced>", "(a;b,c,d)"),
        (f"<mfenced open='|' close='|' separators=''>{of(*'ab')}</mfenced>", "|ab|"),
        (f"<mfenced separators=''>{of('λ', 'r', 't')}</mfenced>", r"(\lambda rt)"),
        (f"<mfenced open='' close='}}'>{of('a')}</mfenced>", r"\left.a\right\}"),
        (f"<mfenced open='⟨' close='⟩'>{of('a')}</mfenced>", r"\langle a\rangle"),
        ("<mfenced/>", "()"),
    ]
    assert shown(rows) == rows


def test_tables_in_fences_are_matrices_and_behind_a_brace_cases() -> None:
    wide = rows_of("<mi>a</mi>|<mi>b</mi>|<mi>c</mi>")
    body = r"a & b \\ c & d"
    rows = [
        (of("[", TABLE, "]"), rf"\begin{{bmatrix}}{body}\end{{bmatrix}}"),
        (of("|", TABLE, "|"), rf"\begin{{vmatrix}}{body}\end{{vmatrix}}"),
        (of("‖", TABLE, "‖"), rf"\begin{{Vmatrix}}{body}\end{{Vmatrix}}"),
        (of("{", TABLE, "}"), rf"\begin{{Bmatrix}}{body}\end{{Bmatrix}}"),
        (of("A", "=", "(", TABLE, ")", "x"), rf"A=\begin{{pmatrix}}{body}\end{{pmatrix}}x"),
        (of("{", wide), r"\left\{\begin{array}{ccc}a & b & c\end{array}\right."),
        (of("(", TABLE, "]"), rf"(\begin{{aligned}}{body}\end{{aligned}}]"),
        (of("(", TABLE), rf"(\begin{{aligned}}{body}\end{{aligned}}"),
        (of("x", TABLE), rf"x\begin{{aligned}}{body}\end{{aligned}}"),
    ]
    assert shown(rows) == rows


def test_three_upright_letters_in_a_row_are_a_word() -> None:
    rows = [
        (of("x", upright("Var"), "y", upright("Cov")), r"x\mathrm{Var}y\mathrm{Cov}"),
        (upright("abc"), r"\mathrm{abc}"),
        (of(upright("ab"), "x", upright("cd")), r"\mathrm{a}\mathrm{b}x\mathrm{c}\mathrm{d}"),
        (of("x", upright("cos"), "y"), r"x\cos y"),
    ]
    assert shown(rows) == rows


def test_thin_spaces_stay_between_words_and_units_only() -> None:
    rows = [
        (of("3", THIN, text("kg")), r"3\,\text{kg}"),
        (of("3", THIN, "<mfrac><mtext>m</mtext><mtext>s</mtext></mfrac>"), r"3\,\frac{\text{m}}{\text{s}}"),
        (of(text("a"), THIN, "b"), r"\text{a}\,b"),
        (of("a", THIN, "b"), "ab"),
        (of("a", THIN, "=", THIN, text("kg")), r"a=\text{kg}"),
        (of("<mi>sin</mi>", THIN, text("kg")), r"\sin\text{kg}"),
        (of(THIN, text("kg")), r"\text{kg}"),
        (of("a", WIDE, "b"), r"a\quad b"),
        (of("a", THIN, THIN, THIN, "b"), r"a\quad b"),
        (of("a", THIN, THIN, "b"), "ab"),
        (of("a", WIDE, WIDE, WIDE, "b"), r"a\quad\quad\quad b"),
    ]
    assert shown(rows) == rows


def test_a_width_becomes_the_nearest_space() -> None:
    widths = {
        "0.12em": "", "0.13em": r"\,", "0.34em": r"\,", "0.35em": r"\;", "0.89em": r"\;", "0.9em": r"\quad", "1.89em": r"\quad", "1.9em": r"\qquad",
        "-1em": "", "2px": "", "3px": r"\,", "1ex": r"\;", "2pt": r"\,", "4.pt": r"\;", "10mu": r"\;", "1": r"\quad", "thickmathspace": r"\;",
        "verythickmathspace": r"\;", "thinmathspace": r"\,", "wide": "",
    }  # fmt: skip
    assert {width: space_to_tex(width) for width in widths} == widths


def test_scripts_hold_on_to_what_they_belong_to() -> None:
    rows = [
        (over("msup", "<mn>12</mn>", "2"), "12^{2}"),
        (over("msup", "(a)(b)", "2"), "{(a)(b)}^{2}"),
        (f"<msup><mrow>{of('(', FRACTION, ')')}</mrow>{of('2')}</msup>", r"\left(\frac{a}{b}\right)^{2}"),
        (over("msup", "-a", "2"), "{-a}^{2}"),
        (over("msup", over("msqrt", "a"), "2"), r"\sqrt{a}^{2}"),
        (over("msub", over("msub", "a", "b"), "c"), "{a_{b}}_{c}"),
        (over("msubsup", "ab", "c", "d"), "{ab}_{c}^{d}"),
        (over("msup", "x", "″"), "x''"),
        (over("msup", "x", "°"), r"x^{\circ}"),
        (over("msubsup", "x", "1", "°"), r"x_{1}^{\circ}"),
        (f"<msub>{text('KE')}{of('i')}</msub>", r"\text{KE}_{i}"),
        (over("mmultiscripts", *"Xabcd"), "X_{a}^{b}{}_{c}^{d}"),
        (f"<mmultiscripts>{of('X')}<none/>{of('b')}</mmultiscripts>", "X^{b}"),
        (f"<mmultiscripts>{of('X')}<mprescripts/>{of('a', 'b')}</mmultiscripts>", "{}_{a}^{b}X"),
        ("<mi>=</mi><msup><mi/><mn>2</mn></msup>", "={}^{2}"),
        (of("=", "′"), "={}'"),
        (of("α", "b"), r"\alpha b"),
        (of("α", "2"), r"\alpha2"),
    ]
    assert shown(rows) == rows


def test_marks_over_and_under() -> None:
    rows = [
        (over("mover", "x", "n"), r"\overset{n}{x}"),
        (over("munder", "x", "n"), r"\underset{n}{x}"),
        (over("munderover", "x", "n", "m"), r"\overset{m}{\underset{n}{x}}"),
        (over("mover", "∑", "n"), r"\sum^{n}"),
        (over("munderover", "∫", "0", "1"), r"\int\limits_{0}^{1}"),
        (over("munder", "xy", "⏟"), r"\underbrace{xy}"),
        (over("munder", over("mover", "xy", "⏞"), "n"), r"\overbrace{xy}_{n}"),
        (over("munder", "<mi>argmax</mi>", "x"), r"\operatorname*{argmax}_{x}"),
        (over("munder", text("sup"), "x"), r"\sup_{x}"),
        (over("mover", "xy", "^"), r"\widehat{xy}"),
        (over("mover", "α", "~"), r"\tilde{\alpha}"),
        (over("mover", "x", "∼"), r"\tilde{x}"),
        (over("mover", "x", "←"), r"\overleftarrow{x}"),
        (over("mover", "→", "k"), r"\overset{k}{\to}"),
        (over("munder", "x", "_"), r"\underline{x}"),
    ]
    assert shown(rows) == rows


def test_attributes_of_fractions_and_frames() -> None:
    rows = [
        (over("mfrac", "n", "k").replace("<mfrac>", "<mfrac linethickness='0pt'>"), r"{n \atop k}"),
        (over("mfrac", "n", "k").replace("<mfrac>", "<mfrac linethickness='0.5'>"), r"\frac{n}{k}"),
        (over("mroot", "x", "[n]"), r"\sqrt[{[n]}]{x}"),
        (f"<menclose notation='box'>{of('m')}</menclose>", "m"),
        (f"<menclose notation='radical'>{of('m', 'n')}</menclose>", r"\sqrt{mn}"),
        (f"<menclose notation='top right'>{of('m')}</menclose>", r"\overline{m}"),
        (f"<menclose notation='downdiagonalstrike'>{of('m')}</menclose>", r"\bcancel{m}"),
    ]
    assert shown(rows) == rows


def test_a_table_is_one_chain_where_all_rows_but_the_first_go_on() -> None:
    rows = [
        (rows_of("<mi>I</mi>", "<mo>≤</mo><mi>b</mi>"), r"I\leq b"),
        (rows_of("<mi>I</mi>", "<mo>≤</mo><mi>b</mi>", "<mi>c</mi>"), r"\begin{array}{c}I \\ \leq b \\ c\end{array}"),
        (
            rows_of("<mi>I</mi>|<mo>=</mo>|<mi>a</mi>", "|<mo>+</mo>|<mi>b</mi>"),
            r"\begin{array}{ccc}I & = & a \\  & + & b\end{array}",
        ),
        (rows_of("<mi>I</mi>|<mo>=</mo>|<mi>a</mi>"), r"\begin{array}{ccc}I & = & a\end{array}"),
        (
            rows_of("|<mo>=</mo>|<mi>a</mi>", "|<mo>=</mo>|<mi>b</mi>"),
            r"\begin{array}{ccc} & = & a \\  & = & b\end{array}",
        ),
        (rows_of("<mi>I</mi>|<mo>=</mo><mi>α</mi>", "|<mo>=</mo><mi>b</mi>"), r"I=\alpha=b"),
        (rows_of("<mi>a</mi>|<mi>b</mi>", ""), r"\begin{aligned}a & b\end{aligned}"),
    ]
    assert shown(rows) == rows


def test_columns_stand_as_their_table_and_their_cells_say() -> None:
    cells = "<mtd><mi>a</mi></mtd><mtd columnalign='right'><mi>b</mi></mtd><mtd><mi>c</mi></mtd>"
    of_table = {"left": "lrl", "left left center": "lrc", "": "crc"}
    for said, sides in of_table.items():
        source = f"<mtable columnalign='{said}'><mtr>{cells}</mtr></mtable>"
        assert tex(source) == rf"\begin{{array}}{{{sides}}}a & b & c\end{{array}}", said


def test_words_and_signs_set_as_text() -> None:
    rows = [
        (text("a-k"), r"\text{a-k}"),
        (text("-k"), r"-\text{k}"),
        (text("5 % and 12"), r"5\%\text{ and 12}"),
        (of("a", text("+"), "b"), "a+b"),
        (of(text("đ"), "t", "<mi>ⅆ</mi>"), "dtd"),
        (text("đi"), r"\text{đi}"),
        (of("x", text("if α is")), r"x\text{if }\alpha\text{ is}"),
    ]
    assert shown(rows) == rows
