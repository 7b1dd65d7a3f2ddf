"""How fast documents become formulas with windows: MB/s on one core, beside lxml's bare iterparse and plain reading.

python benchmarks/extraction.py --corpus DIR [--corpus DIR] --json

`ratio_iterparse` and `ratio_read` are our speed divided by theirs on the same bytes: 1 is as fast, 0.5 half as fast.
iterparse is measured on the HTML and XML files only (and compared with our speed on these); 0 where there are none.
`--beside pylatexenc` (or mwparserfromhell) lets that parser read the same texts in turn; `ratio_beside` is our speed divided by its.
Notebooks count with the text of their cells alone. All is processor time of one core; Python looks for cycles as rarely as in the commands.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from command import arguments
from lxml import etree

from bot.cli_common import tune_garbage_collection
from bot.corpus import SourceFile, list_sources, read_file

_MARKUP = {"latexml": True, "mediawiki_html": True, "mediawiki_xml": False, "cnxml": False}  # whether it is HTML


def plain_read(files: Sequence[SourceFile]) -> int:
    """Read every byte and do nothing."""
    return sum(len(path.read_bytes()) for file in files for path in paths(file))


def iterparse(files: Sequence[SourceFile]) -> int:
    """Let lxml build and drop each element, and look at no formula but its tag."""
    found = 0
    for file in files:
        for _, element in etree.iterparse(file.path, html=_MARKUP[file.format], recover=True, huge_tree=True):
            found += isinstance(element.tag, str) and element.tag.rpartition("}")[2] == "math"
            if element.tag == "p":
                element.clear()
    return found


def ours(files: Sequence[SourceFile]) -> int:
    """Read documents with windows, definitions and names."""
    return sum(len(page.occurrences) for file in files for page in read_file(file))


def texts(files: Sequence[SourceFile]) -> list[str]:
    """Return what the files hold as text; of a notebook its cells."""
    found = []
    for file in files:
        for path in paths(file):
            data = path.read_bytes()
            cells = json.loads(data).get("cells", ()) if file.format == "notebook" else ()
            found.append("\n\n".join("".join(cell["source"]) for cell in cells) or data.decode("utf-8", "replace"))
    return found


def paths(file: SourceFile) -> list[Path]:
    """Return a file and those that its document is made of."""
    return [Path(file.path), *(Path(file.root, name) for name in file.parts)]


def beside(parser: str, files: Sequence[SourceFile]) -> int:
    """Let another parser read the texts; what it cannot read is nothing to it."""
    count = 0
    for text in texts(files):
        with suppress(Exception):
            count += len(_nodes(parser, text))
    return count


def _nodes(parser: str, text: str) -> Sequence[object]:
    if parser == "mwparserfromhell":
        import mwparserfromhell

        nodes: Sequence[object] = mwparserfromhell.parse(text).nodes
    else:
        from pylatexenc.latexwalker import LatexWalker

        nodes = LatexWalker(text, tolerant_parsing=True).get_latex_nodes()[0]
    return nodes


def seconds(work: Callable[[Sequence[SourceFile]], int], files: Sequence[SourceFile], runs: int) -> tuple[float, int]:
    """Return the least processor time and what the work returned; each run in a process of its own, which keeps nothing of one before."""
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        return min(pool.apply(_timed, (work, files)) for _ in range(runs))


def _timed(work: Callable[[Sequence[SourceFile]], int], files: Sequence[SourceFile]) -> tuple[float, int]:
    start = time.process_time()
    result = work(files)
    return time.process_time() - start, result


def measure(corpora: Sequence[str], runs: int, parser: str = "") -> dict[str, float]:
    """Return the figures for all files of the corpora together, beside another parser where one is named."""
    files = list_sources(corpora).files
    size = sum(path.stat().st_size for file in files for path in paths(file)) / 1e6
    marked = [file for file in files if file.format in _MARKUP]
    ours(files[:1])  # imports
    time_ours, formulas = seconds(ours, files, runs)
    time_read, _ = seconds(plain_read, files, max(3, runs))
    time_marked = time_ours if len(marked) == len(files) else seconds(ours, marked, runs)[0] if marked else 0.0
    time_parse = seconds(iterparse, marked, runs)[0] if marked else 0.0
    figures: dict[str, float] = {}
    if parser:
        other = seconds(partial(beside, parser), files, 1)[0]
        figures = {"ratio_beside": round(other / time_ours, 2), "mb_per_s_beside": round(size / other, 2)}
    return figures | {
        "mb_per_s": round(size / time_ours, 2),
        "ratio_iterparse": round(time_parse / time_marked, 4) if marked else 0.0,
        "ratio_read": round(time_read / time_ours, 6),
        "mb": round(size, 2),
        "files": len(files),
        "formulas": formulas,
        "formulas_per_s": round(formulas / time_ours),
    }


def main() -> None:
    options = arguments(__doc__, "--json")
    options.add_argument("--corpus", action="append", required=True, help="a folder, file or archive; may be repeated")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument(
        "--beside", choices=("pylatexenc", "mwparserfromhell"), help="a parser to run on the same texts"
    )
    given = options.parse_args()
    tune_garbage_collection()
    result = measure(given.corpus, given.runs, given.beside or "")
    if given.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{value:>12} {name}")


if __name__ == "__main__":
    main()
