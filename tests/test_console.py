"""JSON lines in and out."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from bot.console import read_lines, table
from bot.errors import ItemsError


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
