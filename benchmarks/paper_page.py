"""Put the results of `make paper` into the documents: tables between their marks, figures, and all values as docs/paper_values.csv.

A table of the documents stands between `<!-- table: TITLE DIGEST -->` and `<!-- /table -->`; it is the table under the heading TITLE of the page that
`paper.py` wrote. The digest is of its text: a table that was edited by hand is noticed.

    python benchmarks/paper_page.py [--out DIR] [--docs DIR]
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

ROOT = Path(__file__).resolve().parents[1]
PAGES = ("paper.md", "requirements.md")
_HEADED = re.compile(r"^#{2,3} (?P<title>.+)\n\n(?P<table>(?:\|.*\n)+)", re.M)
_BLOCK = re.compile(
    r"<!-- table: (?P<title>.+?)(?: (?P<digest>[0-9a-f]{12}))? -->\n(?P<table>.*?)<!-- /table -->", re.S
)


def headed(page: str) -> dict[str, str]:
    """Return the first table under each heading of a page."""
    return {found["title"]: found["table"] for found in _HEADED.finditer(page)}


def filled(text: str, tables: Mapping[str, str]) -> str:
    """Return a document with its tables from `tables`; raises KeyError for a table that is not there."""

    def block(found: re.Match[str]) -> str:
        table = tables[found["title"]]
        return f"<!-- table: {found['title']} {_digest(table)} -->\n{table}<!-- /table -->"

    return _BLOCK.sub(block, text)


def edited(text: str) -> Iterator[str]:
    """Yield the titles of the tables that are not as they were put in."""
    for found in _BLOCK.finditer(text):
        if found["digest"] != _digest(found["table"]):
            yield found["title"]


def _digest(table: str) -> str:
    return sha256(table.encode()).hexdigest()[:12]


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "build/paper", metavar="DIR", help="what paper.py wrote")
    parser.add_argument("--docs", type=Path, default=ROOT / "docs", metavar="DIR")
    given = parser.parse_args()
    tables = headed((given.out / "paper.md").read_text(encoding="utf-8"))
    pages = {given.docs / name: (given.docs / name).read_text(encoding="utf-8") for name in PAGES}
    try:
        new = {page: filled(text, tables) for page, text in pages.items()}
    except KeyError as missing:
        parser.error(f"{given.out / 'paper.md'} has no table {missing}: run `make paper` without --only first")
    for page, text in new.items():
        page.write_text(text, encoding="utf-8")
    shutil.copyfile(given.out / "values.csv", given.docs / "paper_values.csv")
    for figure in sorted((given.out / "figures").glob("*.svg")):
        shutil.copyfile(figure, given.docs / "figures" / figure.name)


if __name__ == "__main__":
    main()
