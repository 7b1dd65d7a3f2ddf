"""Time, memory and disk as a corpus grows: the same documents again and again, each copy with other letters and other words.

In a copy the letters of every formula are renamed, all by one permutation, and every word that is not common in the corpus gets a
syllable in front: so the formulas are new and their names are, too, and nothing pools that would not in a corpus of that size. Each
size and stage runs in a process of its own; memory is the sum over that process and its readers. Reads wiki text, MediaWiki exports
and CNXML; the items stay what they are.
"""

from __future__ import annotations

import math
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.console import table, write_json
from bot.corpus import SourceFile, list_sources

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TIMES = (1, 4, 16)
STAGES = ("discover", "match", "propose")
COMMON = 0.4  # of the documents: words in more of them are the language's and the field's, and stay
LOOK = 0.05  # seconds between two looks at the memory

_GREEK = "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi rho sigma tau phi chi psi omega".split()
_LATIN = "abcfghjklmnopqrstuvwxyz"  # d, e and i are often signs
_KEPT = re.compile(
    r"\\(?:text|mbox|mathrm|textrm|operatorname|begin|end|color)\s*\*?\s*\{[^{}]*\}|\\[a-zA-Z]+|[a-zA-Z]"
)
_MATH = re.compile(r"(<math\b[^<>]*>|&lt;math\b.*?&gt;)(.*?)(</math>|&lt;/math&gt;)", re.DOTALL)
_CNXML = re.compile(r"(<m:mi\b[^<>]*>)([^<>]*)(</m:mi>)")
_PROSE = re.compile(r">[^<>]*<")
_WORD = re.compile(r"(?<![\w\\&/:.{-])[A-Za-z][a-z]{3,}(?=[^\w:/]|$)(?!\.\w|\s*=)")
_BODY = re.compile(r"(<title>|<text\b[^<>]*>)(.*?)(</title>|</text>)", re.DOTALL)


def renaming(copy: int) -> dict[str, str]:
    """Return letter -> letter, and Greek command -> Greek command, for one copy; nothing changes in copy 0."""
    chance = random.Random(copy)
    found: dict[str, str] = {}
    for letters in (_LATIN, _LATIN.upper(), _GREEK):
        shuffled = list(letters)
        if copy:
            chance.shuffle(shuffled)
        found |= dict(zip(letters, shuffled, strict=True))
    return found


def renamed(tex: str, letters: Mapping[str, str]) -> str:
    """Return a formula with its letters renamed; commands, words and environments stay."""

    def one(found: re.Match[str]) -> str:
        token = found[0]
        if token.startswith("\\"):
            return "\\" + letters[token[1:]] if token[1:] in letters and len(token) > 2 else token
        return letters.get(token, token)

    return _KEPT.sub(one, tex)


def syllable(copy: int) -> str:
    """Return the syllables that stand for a copy: ba, be, …, baba."""
    text = ""
    while copy:
        copy, n = divmod(copy - 1, 40)
        text += "bdfgklmp"[n // 5] + "aeiou"[n % 5]
    return text


def reworded(text: str, copy: int, common: frozenset[str]) -> str:
    """Return prose with a syllable before each word that is not common."""
    front = syllable(copy)

    def one(found: re.Match[str]) -> str:
        word = found[0]
        if word.lower() in common:
            return word
        return front.capitalize() + word.lower() if word[0].isupper() else front + word

    return _WORD.sub(one, text)


def altered(text: str, format_: str, copy: int, common: frozenset[str]) -> str:
    """Return a document as its copy has it."""
    if not copy:
        return text
    letters = renaming(copy)
    if format_ == "cnxml":
        said = _PROSE.sub(lambda m: reworded(m[0], copy, common) if len(m[0]) > 6 else m[0], text)
        return _CNXML.sub(lambda m: m[1] + letters.get(m[2].strip(), m[2]) + m[3], said)
    if format_ == "mediawiki_xml":
        return _BODY.sub(lambda m: m[1] + altered(m[2], "wikitext", copy, common) + m[3], text)
    kept: list[str] = []

    def math(found: re.Match[str]) -> str:
        kept.append(found[1] + renamed(found[2], letters) + found[3])
        return f"\ue000{len(kept) - 1}\ue001"

    said = reworded(_MATH.sub(math, text), copy, common)
    return re.sub("\ue000(\\d+)\ue001", lambda m: kept[int(m[1])], said)


def common_words(texts: Sequence[str]) -> frozenset[str]:
    """Return the words that stand in more than two fifths of the documents."""
    found = Counter(word for text in texts for word in {w.lower() for w in _WORD.findall(text)})
    return frozenset(word for word, n in found.items() if n > max(1, COMMON * len(texts)))


def documents(files: Sequence[SourceFile]) -> list[tuple[SourceFile, str]]:
    """Read the files; a format that cannot be altered is refused."""
    for file in files:
        if file.format not in ("wikitext", "mediawiki_xml", "cnxml"):
            raise SystemExit(
                f"{file.path}: {file.format} cannot be altered; give wiki text, MediaWiki exports or CNXML"
            )
    return [(file, Path(file.path).read_text(encoding="utf-8")) for file in files]


def grow(read: Sequence[tuple[SourceFile, str]], times: int, folder: Path) -> int:
    """Write the corpus with so many copies of each document; return its bytes."""
    pages = [page for _, text in read for page in (re.split(r"(?=<page>)", text) if "<page>" in text else [text])]
    common = common_words(pages)
    size = 0
    for copy in range(times):
        for n, (file, text) in enumerate(read):
            stem, suffix = Path(file.path).stem.replace("_", " "), Path(file.path).suffix
            title = reworded(stem, copy, common).replace(" ", "_")
            # The title of a wiki text is its file's name; a folder for each document keeps equal names apart.
            path = folder / f"copy-{copy}" / f"{n // 500}" / f"{title}{suffix}"
            path = path if not path.exists() else path.with_name(f"{title}_{n}{suffix}")
            path.parent.mkdir(parents=True, exist_ok=True)
            size += path.write_bytes(altered(text, file.format, copy, common).encode())
    return size


def tree(pid: int) -> Iterator[int]:
    """Yield a process and all below it."""
    yield pid
    try:
        for task in os.listdir(f"/proc/{pid}/task"):
            for child in Path(f"/proc/{pid}/task/{task}/children").read_text().split():
                yield from tree(int(child))
    except OSError:
        return


def resident(pid: int) -> int:
    """Return the bytes a process holds in memory, 0 when it has gone."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


def watched(command: Sequence[str]) -> dict[str, Any]:
    """Run a command; return its wall time, processor time and the most memory that it and its readers held at once."""
    before, start = os.times(), time.perf_counter()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        running = subprocess.Popen(command, stdout=out, stderr=err)
        most = own = 0
        while running.poll() is None:
            held = [resident(pid) for pid in tree(running.pid)]
            most, own = max(most, sum(held)), max(own, held[0])
            time.sleep(LOOK)
        seconds, after = time.perf_counter() - start, os.times()
        out.seek(0)
        err.seek(0)
        said = out.read()
        if running.returncode:
            raise SystemExit(f"{' '.join(command[3:5])}: exit code {running.returncode}: {err.read()[-500:]}")
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return {"seconds": seconds, "cpu": used, "mb": most / 1e6, "parent_mb": own / 1e6, "said": said}


def measure(
    read: Sequence[tuple[SourceFile, str]], times: int, items: str, stages: Sequence[str], folder: Path
) -> dict[str, Any]:
    """Return the figures of one size."""
    import json

    corpus, workspace = folder / "corpus", folder / "w"
    row: dict[str, Any] = {"times": times, "mb": round(grow(read, times, corpus) / 1e6, 2)}
    given = ("--items", items) if items else ()
    arguments: dict[str, tuple[str, ...]] = {"discover": (str(corpus), *given), "match": given, "propose": ()}
    for stage in stages:
        found = watched(
            [sys.executable, "-m", "bot", stage, *arguments[stage], "--workspace", str(workspace), "--json"]
        )
        said = json.loads(found["said"])
        if stage == "discover":
            row |= {k: said[k] for k in ("documents", "formulas", "distinct", "concepts", "named")}
        elif stage == "match":
            row |= {"matched": said["matched"]}
        else:
            row |= {"proposals": said["new_claims"] + said["add_references"] + said["flagged"]}
        row |= {
            f"{stage}_s": round(found["seconds"], 2),
            f"{stage}_cpu_s": round(found["cpu"], 2),
            f"{stage}_mb": round(found["mb"], 1),
            f"{stage}_parent_mb": round(found["parent_mb"], 1),
        }
    row["disk_mb"] = round(sum(p.stat().st_size for p in workspace.rglob("*") if p.is_file()) / 1e6, 2)
    return row


def exponent(points: Mapping[float, float]) -> float:
    """Return the slope of the line through the points in log-log: 1 is linear."""
    xs, ys = [math.log(x) for x in points], [math.log(max(y, 1e-9)) for y in points.values()]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((a - x) ** 2 for a in xs)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / spread if spread else 0.0


def exponents(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return figure -> its growth over formulas: of all sizes, and of the last step alone, where what is fixed counts least."""
    figures = [k for k in rows[0] if k.endswith(("_s", "_mb")) and "parent" not in k]
    found = {}
    for name in figures:
        points = {float(row["formulas"]): float(row[name]) for row in rows}
        last = dict(sorted(points.items())[-2:])
        found[name] = {"all": round(exponent(points), 3), "last": round(exponent(last), 3)}
    return found


def figure(rows: Sequence[Mapping[str, Any]], stages: Sequence[str]) -> Figure:
    """Return the chart: processor time, memory and disk over formulas, both axes logarithmic."""
    from charts import growth_charts

    def lines(suffix: str) -> dict[str, dict[float, float]]:
        return {stage: {row["formulas"]: row[f"{stage}_{suffix}"] for row in rows} for stage in stages}

    disk = {"on disk": {row["formulas"]: row["disk_mb"] for row in rows}}
    charts = {"processor time (s)": lines("cpu_s"), "memory (MB)": lines("mb"), "size on disk (MB)": disk}
    return growth_charts("Growth with the corpus", charts, below="formulas")


def main() -> None:
    options = arguments(__doc__, "--corpus", "--json")
    options.add_argument(
        "--items", default="", metavar="F", help="JSON lines of items; without them only discover runs"
    )
    options.add_argument("--times", type=int, nargs="+", default=TIMES, metavar="N")
    options.add_argument("--stages", nargs="+", choices=STAGES, default=STAGES)
    options.add_argument("--figure", metavar="F", help="draw the chart (SVG)")
    given = options.parse_args()
    read = documents(list_sources(given.corpus).files)
    stages = [s for s in STAGES if s in given.stages and (given.items or s == "discover")]
    rows = []
    for times in sorted(given.times):
        with tempfile.TemporaryDirectory(prefix="corpus-growth-") as folder:
            rows.append(measure(read, times, given.items, stages, Path(folder)))
            if not given.json:
                print(f"x{times}: {rows[-1]['formulas']} formulas", file=sys.stderr)
    slopes = exponents(rows) if len(rows) > 1 else {}
    if given.figure:
        from charts import save

        save(figure(rows, stages), given.figure)
    if given.json:
        write_json({"sizes": rows, "exponents": slopes})
        return
    names = list(rows[0])
    table("growth", ("figure", *(f"x{row['times']}" for row in rows)), [(n, *(row[n] for row in rows)) for n in names])
    table("exponent", ("figure", "all sizes", "last step"), [(n, s["all"], s["last"]) for n, s in slopes.items()])


if __name__ == "__main__":
    main()
