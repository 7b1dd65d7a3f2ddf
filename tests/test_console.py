"""JSON lines in and out."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from bot.console import localised, print_message, progress, read_lines, table
from bot.errors import ItemsError
from bot.lookup import CacheUse
from bot.messages import Message


def test_lines_pass_through_with_their_extra_fields(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_text('{"qid": "Q1", "mine": 3}\n\n{"qid": "Q2"}\n', encoding="utf-8")
    assert list(read_lines(path, {"qid": str})) == [{"qid": "Q1", "mine": 3}, {"qid": "Q2"}]


@pytest.mark.parametrize("line", ["{", "[1]", '{"qid": 3}', '{"label": "x"}', "\xff\xfe", '{"qid": "Q1"}{'])
def test_a_bad_line_is_named_by_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(b'{"qid": "Q1"}\n' + line.encode("latin-1") + b"\n")
    with pytest.raises(ItemsError) as caught:
        list(read_lines(path, {"qid": str}))
    assert "items.jsonl:2" in caught.value.line()


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(ItemsError, match="no such file"):
        list(read_lines(tmp_path / "none.jsonl"))


def test_a_table_takes_markup_in_cells_as_text() -> None:
    out = io.StringIO()
    table("t", ("a", "b"), [("[bold]x[/bold]", 1)], file=out)
    assert "[bold]x[/bold]" in out.getvalue()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


LONG = (("0df029c826", "add_reference", r"\partial_{t}u=" + r"\alpha\nabla^{2}u" * 9, 0.25),)


def test_where_output_is_no_terminal_a_row_is_a_line_and_nothing_is_cut() -> None:
    out = io.StringIO()
    table("queue", ("id", "kind", "formula", "probability"), LONG, file=out)
    assert out.getvalue().splitlines()[-1].split() == ["0df029c826", "add_reference", LONG[0][2], "0.250"]


@pytest.mark.parametrize("width", ["30", "60", "80", "200"])
def test_a_terminal_of_any_width_shows_every_character(monkeypatch: pytest.MonkeyPatch, width: str) -> None:
    monkeypatch.setenv("COLUMNS", width)
    out = Terminal()
    table("queue", ("id", "kind", "formula", "probability"), LONG, file=out)
    shown = "".join(c for c in out.getvalue() if not c.isspace() and c not in "│┃")
    assert "0df029c826" in shown
    assert out.getvalue().count("nabla") + out.getvalue().count("\\alpha") >= 9
    assert "…" not in shown


def test_on_a_narrow_terminal_what_is_long_stands_below_its_row_in_whole_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    out = Terminal()
    rows = [
        ("0df0", 0.25, r"\frac{d^2\mathbf{x}}{dt^2}=\alpha\nabla^2 u", "so it is said in words of a book"),
        ("1a", 1.0, "a=b", ""),
    ]
    table("queue", ("id", "score", "formula", "sentence"), rows, file=out)
    assert out.getvalue().splitlines() == [
        "queue",
        "id    score",
        "0df0  0.250",
        r"    formula: \frac{d^2\mathbf{x}}{dt^2}=\alpha\nabla^2",
        "      u",
        "    sentence: so it is said in words of",
        "      a book",
        "1a    1.000",
        "    formula: a=b",
    ]
    out = Terminal()
    table("links", ("rule", "address"), [("oauth", "https://meta.wikimedia.org/w/rest.php/oauth2")], file=out)
    assert out.getvalue().splitlines()[-1] == "    address: https://meta.wikimedia.org/w/rest.php/oauth2"


def test_columns_stand_below_each_other_whatever_their_letters_are() -> None:
    out = io.StringIO()
    table("t", ("formula", "name"), [("p\u20d7 = mv\u20d7", "momentum"), ("\u901f\u5ea6", "speed")], file=out)
    assert out.getvalue().splitlines()[1:] == [
        "formula  name",
        "p\u20d7 = mv\u20d7   momentum",
        "\u901f\u5ea6     speed",
    ]


def test_an_empty_table_is_its_head() -> None:
    drawn = Terminal()
    table("write", ("item", "outcome"), [], file=drawn)
    assert "outcome" in drawn.getvalue()
    out = io.StringIO()
    table("write", ("item", "outcome"), [], file=out)
    assert out.getvalue() == "write\nitem  outcome\n"


def test_a_cell_of_several_lines_goes_on_below_itself() -> None:
    out = io.StringIO()
    table("t", ("item", "what"), [("Q1", "is wrong\nx=y")], file=out)
    assert out.getvalue().splitlines()[2:] == ["Q1    is wrong", "      x=y"]


def test_tables_and_lines_are_said_in_the_language_asked_for(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table(Message("table.undo", plan="p"), ("edit", "item"), [(1, "Q1")], language="de")
    assert capsys.readouterr().out == "Zurücknahme, Plan p\nBearbeitung  Datenobjekt\n          1  Q1\n"
    monkeypatch.setenv("FORMULA_BOT_LANGUAGE", "fr")
    print_message("skipped", err=True, path="a.tex", why=Message("error.archive_ends_in_block"))
    remarks = [localised(each) for each in CacheUse(3, 0.5, Message("error.broke_off")).remarks()]
    assert capsys.readouterr().err == "ignoré a.tex\u00a0: l’archive se termine au milieu d’un bloc\n"
    assert remarks[1] == "3 réponses du wiki viennent du cache\u202f; la plus ancienne date d’il y a 30 minutes."
    with progress(Message("told.reading_bar")):
        table("t", ("document", "seconds"), [("a", 2.5)])
    said = capsys.readouterr()
    assert said.err == "Lecture\u00a0: terminé\n"
    assert "2,500" in said.out
    monkeypatch.setenv("FORMULA_BOT_LANGUAGE", "xx")
    assert localised(Message("wiki.no_answer", n=502)) == "no answer that could be read (HTTP 502)"


def test_a_column_without_a_code_is_shown_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    table("growth", ("", "top 1"), [("x", 2)])
    assert capsys.readouterr().out == "growth\n   top 1\nx      2\n"


@pytest.mark.parametrize(
    ("longest", "width", "boxed"),
    [
        (24, 34, True),  # whole: the cells, and of each column three characters beside the first line
        (24, 33, False),
        (25, 30, True),  # folded to the least width
        (25, 29, False),
        (200, 30, True),
    ],
)
def test_a_box_is_drawn_where_short_columns_stand_whole_and_long_ones_have_twenty_characters(
    monkeypatch: pytest.MonkeyPatch, longest: int, width: int, boxed: bool
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = Terminal()
    cell = ("word " * 50)[:longest].rstrip().ljust(longest, "s")
    table("t", ("one", "two"), [(cell, "aaa")], file=out)
    assert ("┃" in out.getvalue()) is boxed
    assert (cell in out.getvalue()) is (longest <= 24)


@pytest.mark.parametrize(("longest", "beside"), [(24, True), (25, False)])
def test_below_its_row_stands_what_is_longer_than_24_characters(
    monkeypatch: pytest.MonkeyPatch, longest: int, beside: bool
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    out = Terminal()
    table("t", ("one", "two", "more"), [("x" * longest, 1.5, "a\nb" + "y" * 40)], file=out)
    lines = out.getvalue().splitlines()
    first = ["one", "x" * 24] if beside else ["  two", "1.500", f"    one: {'x' * 25}"]
    then = [] if not beside else ["    two: 1.500"]
    assert lines == ["t", *first, *then, "    more: a", "      b" + "y" * 40]


def test_a_column_is_padded_to_sixty_characters_and_numbers_among_texts_stand_to_the_left() -> None:
    out = io.StringIO()
    table("t", ("a", "b", "x"), [("y" * 61, 3, 10), ("z", "-", 5)], file=out)
    assert out.getvalue().splitlines() == [
        "t",
        f"{'a':60}  b   x",
        f"{'y' * 61}  3  10",
        f"{'z':60}  -   5",
    ]
