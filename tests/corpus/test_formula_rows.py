"""JSON lines of formulas: one document for each that the rows name; bad rows are named and the others read."""

from __future__ import annotations

import json
from pathlib import Path

from cli_runner import call

from bot.corpus import ParsedDocument, formula_rows, read

ROWS = [
    {"i": 0, "tex": "E=mc^{2},", "doc": "astro-ph0001213.tei", "window500": ["rest", "xref", "energy", "vac}\\"]},
    {"i": 1, "tex": "F=ma", "doc": "astro-ph0002434.tei", "window500": ["force"]},
    {"i": 2, "tex": "p=mv", "doc": "astro-ph0001213.tei", "window500": ["momentum"]},
]


def pages(folder: Path, *lines: bytes | str) -> tuple[list[ParsedDocument], list[tuple[str, str]]]:
    skipped: list[tuple[str, str]] = []
    data = b"\n".join(line if isinstance(line, bytes) else line.encode() for line in lines)
    (folder / "rows.jsonl").write_bytes(data)
    found = list(
        read([str(folder / "rows.jsonl")], on_skip=lambda path, why: skipped.append((Path(path).name, str(why))))
    )
    return found, skipped


def test_rows_of_one_document_are_brought_together(tmp_path: Path) -> None:
    found, skipped = pages(tmp_path, *map(json.dumps, ROWS), "")
    assert [(p.document.id.partition("#")[2], [o.tex for o in p.occurrences]) for p in found] == [
        ("astro-ph0001213.tei", ["E=mc^{2}", "p=mv"]),
        ("astro-ph0002434.tei", ["F=ma"]),
    ]
    assert found[0].document.identifiers == (("arxiv", "astro-ph/0001213"),)
    assert (found[0].document.kind, found[0].document.title) == ("paper", "")
    assert [o.window for o in found[0].occurrences] == ["rest energy", "momentum"]
    assert [o.position for o in found[0].occurrences] == [0, 1]
    assert not skipped


def test_the_names_of_fields_in_the_catalogues_are_known(tmp_path: Path) -> None:
    (page,), _ = pages(tmp_path, '{"formula": "a=b", "file": "Hooke\'s_law.html", "surrounding_words": ["spring"]}')
    assert (page.document.title, page.occurrences[0].window) == ("Hooke's law", "spring")
    (page,), _ = pages(tmp_path, '{"tex": "a=b", "document": 7, "title": "Springs", "words": ["spring"], "id": "x"}')
    assert (page.document.title, page.document.id[-2:]) == ("Springs", "#7")


def test_masks_stay_where_positions_are_given(tmp_path: Path) -> None:
    row = {"tex": "a=b", "document": "d", "position": 4, "window": "So ⟦4⟧ and ⟦5⟧.", "display": True, "heading": "H"}
    (page,), _ = pages(tmp_path, json.dumps(row))
    (one,) = page.occurrences
    assert (one.position, one.window, one.display, one.heading) == (4, "So ⟦4⟧ and ⟦5⟧.", True, "H")
    del row["position"]
    (page,), _ = pages(tmp_path, json.dumps(row))
    assert page.occurrences[0].window == "So … and …."


def test_bad_rows_are_named_by_their_line_and_the_others_are_read(tmp_path: Path) -> None:
    found, skipped = pages(
        tmp_path,
        '{"tex": "a=b"}',
        '{"tex": "c=d"',
        '{"formulas": []}',
        b'{"tex": "\xff"}',
        "[" * 100_000,
        '["tex"]',
        '{"tex": "\\ud800"}',
        '{"tex": "e=f"}',
    )
    assert [o.tex for page in found for o in page.occurrences] == ["a=b", "e=f"]
    assert [path for path, _ in skipped] == [f"rows.jsonl#line {n}" for n in range(2, 8)]
    assert [reason.split(" (")[0] for _, reason in skipped] == [
        "is not JSON",
        "has no formula",
        "byte 0xff is not UTF-8",
        "is not JSON",
        "is not a JSON object",
        "holds half a character",
    ]


def test_a_character_may_be_escaped_as_a_pair_of_halves(tmp_path: Path) -> None:
    (page,), skipped = pages(
        tmp_path, '{"tex": "a=b", "title": "\\ud835\\udc00 \\uD835"}', '{"tex": "c", "title": "\\uD835\\uDC00"}'
    )
    assert (page.document.title, [path for path, _ in skipped]) == ("𝐀", ["rows.jsonl#line 1"])


def test_many_bad_rows_are_counted_and_a_long_one_does_not_end_the_run(tmp_path: Path) -> None:
    most, formula_rows._MAX_ROW_BYTES = formula_rows._MAX_ROW_BYTES, 1000
    try:
        found, skipped = pages(
            tmp_path, '{"tex": "a=b"}', '{"tex": "' + "x" * 3_000_000 + '"}', *["no"] * 30, '{"tex": "c"}'
        )
    finally:
        formula_rows._MAX_ROW_BYTES = most
    assert [o.tex for page in found for o in page.occurrences] == ["a=b", "c"]
    assert skipped[0][0] == "rows.jsonl#line 2"
    assert len(skipped) == 21
    assert skipped[-1] == ("rows.jsonl", "11 more of its rows cannot be read")


def test_rows_are_discovered_directly(tmp_path: Path) -> None:
    rows = [
        {"tex": "E = \\frac{1}{2} m v^2 + V", "doc": f"astro-ph000121{n}.tei", "window500": ["rest", "energy"]}
        for n in range(3)
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    assert call("discover", tmp_path / "rows.jsonl", "-w", tmp_path / "w").code == 0
    (concept,) = call("export", "concepts", "-w", tmp_path / "w").well().rows
    assert (concept["tex"], concept["occurrences"], concept["documents"]) == ("E = \\frac{1}{2} m v^2 + V", 3, 3)
