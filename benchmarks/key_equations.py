"""Names of a textbook's key equations: the table's name among our first, and first three, candidates.

`--corpus`: the book (CNXML); `--gold`: JSON lines {"module", "name", "mathml": [...]} from its “Key Equations” tables.
With `--hide-tables` those tables and the summary sections are taken out before mining; then only formulas that also occur
elsewhere count. Accepted is the table's name or a part of it that says what the formula is (see `accepts`).

`--work W` instead of `--gold`: the first concepts of a work by FormulaRank, whose right names we judged by reading
(names_judged.jsonl, {"work", "document", "tex", "names"}; the works are listed in docs/models.md). Accepted is just one of these
names. A concept without a right name should have none that is likely: `unnamed` is the share of them.
"""

from __future__ import annotations

import dataclasses
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments
from lxml import etree

from bot.console import read_lines, write_json
from bot.corpus import ParsedDocument, read
from bot.corpus.mathml.mathml_to_tex import mathml_to_tex
from bot.discover.builtin_names import BuiltinFormulas
from bot.discover.label_automaton import Labels
from bot.discover.mine import MinedFile, mine_page, store_mined_file
from bot.discover.naming import build_concepts
from bot.discover.phrases import display_form, fold
from bot.discover.shard_files import ShardWriter
from bot.discover.stored_concepts import load_concepts
from bot.formula import FormulaError, clean, keys
from bot.match.knowledge import Knowledge
from bot.match.retrieval.known_concepts import builtin_concepts as known
from bot.match.retrieval.known_concepts import empty_concepts
from bot.records import LIKELY_SCORE, FormulaConcept
from bot.settings import Settings
from bot.store import Workspace

JUDGED = Path(__file__).with_name("names_judged.jsonl")
MATHML = "http://www.w3.org/1998/Math/MathML"
HIDDEN = ("key_equations", "summary")
FUNCTION = frozenset("of for the a an to in and or on at by with from as is are its under between due using".split())
CUT = re.compile(
    r"\s(?:of|for|in|on|at|by|with|from|as|under|between|due|using|along|near|through|about|per|when|without|inside|outside|that|\w+[^\W\d_]ed|done|going|in terms|equals|is)\s|[,:;]"
)


def accepts(wanted: str, name: str) -> bool:
    """Say whether a reader would take `name` for the table's name `wanted` or for the part of it that matters.

    The core of a name is what stands before “of”, “for”, “in” …, less words that say nothing (definition, form, vector).
    A part is accepted when it adds nothing and holds the whole core, or the core's last word and one more; the whole name
    is accepted with up to three words more.
    """
    whole, core = words(wanted.replace("(", " ").replace(")", " ")), telling(wanted)
    for ours in {words(name), words(CUT.split(name)[0])}:
        if not ours or not whole:
            continue
        if ours == whole or (whole < ours and len(whole) > 1 and len(ours) - len(whole) <= 3):
            return True
        held = ours & set(core)
        if ours - VAGUE <= whole and core and (set(core) <= ours or (core[-1] in ours and len(held) > 1)):
            return True
    return False


VAGUE = frozenset(
    "magnitude component equation relation relationship value form vector scalar definition common expression general coefficient law".split()
)


def telling(name: str) -> list[str]:
    """Return the words of a name's core, in order."""
    lead = re.sub(
        r"^(?:the\s+)?(?:\w+\s+)?(?:definition|expression|magnitude|relationship|equation|form|components?)\s+(?:of|between|for)\s+",
        "",
        display_form(name),
        flags=re.I,
    )
    found = [word for word in fold(CUT.split(lead)[0]).split() if word not in FUNCTION]
    return [word for word in found if word not in VAGUE] or found


def words(name: str) -> frozenset[str]:
    return frozenset(word for word in fold(display_form(name)).split() if word not in FUNCTION)


def without_tables(page: ParsedDocument) -> ParsedDocument:
    """Return the page as if its tables of key equations and its summaries were not there."""
    kept = (o for o in page.occurrences if o.role not in HIDDEN)
    bare = tuple(
        dataclasses.replace(o, hints=tuple(h for h in o.hints if not h.kind.startswith("key_equation"))) for o in kept
    )
    return dataclasses.replace(page, occurrences=bare)


def concepts(
    corpus: Sequence[str],
    hide: bool,
    builtin: BuiltinFormulas,
    labels: Labels = Labels(()),  # noqa: B008  # holds nothing
) -> tuple[dict[str, FormulaConcept], set[str]]:
    """Return the concept of each key, and the keys of all formulas read."""
    seen: set[str] = set()
    with tempfile.TemporaryDirectory() as folder, Workspace.open(folder) as workspace:
        for number, page in enumerate(read(corpus)):
            rows = list(mine_page(without_tables(page) if hide else page))
            seen |= {key for row in rows for key in (row["K1"], row["K2"], row["K3"], row["K4"], row["K5"])}
            shard = f"{number:06d}.parquet"
            with ShardWriter(workspace.occurrences / shard, page.path) as writer:
                writer.write(rows)
            store_mined_file(
                workspace, MinedFile(page.path, page.digest, shard if rows else "", (page.document,), len(rows))
            )
        build_concepts(workspace, Settings(), labels, builtin)
        found = list(load_concepts(workspace))
    at = {}
    for concept in reversed(found):
        for tex in [*(r.tex for r in reversed(concept.representations)), concept.tex]:
            for level in ("K3", "K2"):
                at[key_of(tex, level)] = concept
    return at, seen


def key_of(tex: str, level: str = "K2") -> str:
    try:
        return keys(clean(tex)).at(level)
    except FormulaError:
        return ""


def wanted(path: str) -> Iterator[tuple[str, list[str]]]:
    """Yield (name, TeX of its formulas)."""
    for row in read_lines(path, {"name": str, "mathml": list}):
        yield row["name"], [mathml_to_tex(etree.fromstring(f'<x xmlns:m="{MATHML}">{m}</x>')[0]) for m in row["mathml"]]


def judged(work: str) -> list[tuple[str, list[str], str]]:
    """Return (document, right names, TeX) of the concepts of a work."""
    rows = read_lines(JUDGED, {"work": str, "document": str, "tex": str, "names": list})
    return [(row["document"], row["names"], row["tex"]) for row in rows if row["work"] == work]


def is_one_of(right: Sequence[str], name: str) -> bool:
    """Say whether a name has the words of a right one, in whatever order."""
    return words(name) in set(map(words, right))


def score_judged(work: str, at: dict[str, FormulaConcept], quiet: bool) -> dict[str, float]:
    """Return the shares of concepts of a work whose name is right first, and among three; of those without one that have none."""
    first = three = named = unnamed = nameless = gone = 0
    for _, right, tex in judged(work):
        concept = at.get(key_of(tex)) or at.get(key_of(tex, "K3"))
        if concept is None:
            gone += 1
            continue
        names = [n.name for n in concept.names[:3]]
        verdicts = [is_one_of(right, n) for n in names]
        if right:
            named += 1
            first += verdicts[:1] == [True]
            three += any(verdicts)
        else:
            nameless += 1
            unnamed += not concept.names or concept.names[0].score < LIKELY_SCORE
        if not quiet:
            print("+" if verdicts[:1] == [True] else "~" if any(verdicts) else "-", tex, right, names, file=sys.stderr)
    shares = {"first": first / max(named, 1), "in_3": three / max(named, 1), "unnamed": unnamed / max(nameless, 1)}
    counts = {"named": named, "nameless": nameless, "no_concept": gone}
    return {name: round(share, 4) for name, share in shares.items()} | counts


def main() -> None:
    parser = arguments(__doc__, "--corpus", "--no-builtin", "--json")
    parser.add_argument("--hide-tables", action="store_true")
    gold = parser.add_mutually_exclusive_group(required=True)
    gold.add_argument("--gold", metavar="F")
    gold.add_argument("--work", metavar="W")
    given = parser.parse_args()
    at, seen = concepts(given.corpus, given.hide_tables, Knowledge(empty_concepts if given.no_builtin else known))
    if given.work:
        write_json(score_judged(given.work, at, given.json))
        return
    first = three = total = elsewhere = 0
    for name, formulas in wanted(given.gold):
        places = [k for tex in formulas for k in (key_of(tex), key_of(tex, "K3")) if k in seen]
        if not places:
            elsewhere += 1
            continue
        total += 1
        concept = next((at[k] for k in places if k in at), None)
        names = [n.name for n in concept.names[:3]] if concept else []
        verdicts = [accepts(name, n) for n in names]
        first += verdicts[:1] == [True]
        three += any(verdicts)
        if not given.json:
            print(
                f"{'+' if verdicts[:1] == [True] else '~' if any(verdicts) else '-'} {name} | {formulas[0][:80]} | {names or concept}",
                file=sys.stderr,
            )
    write_json(
        {
            "first": round(first / max(total, 1), 4),
            "in_3": round(three / max(total, 1), 4),
            "formulas": total,
            "not_in_text": elsewhere,
        }
    )


if __name__ == "__main__":
    main()
