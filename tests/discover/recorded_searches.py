"""What a corpus of lectures and of articles in three languages comes to beside a small list of known names, recorded.

`python tests/discover/recorded_searches.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from recorded_findings import DATA, ROOT, _plain, _short

from bot import store
from bot.discover import discover, find_by_name, load_concepts
from bot.discover.builtin_names import BuiltinFormulas, KnownName
from bot.discover.corpus_gaps import missing_corpus_data
from bot.discover.formula_search import find_formula
from bot.discover.name_search import KnownConcept
from bot.discover.retrieval_days import first_days
from bot.discover.stored_occurrences import all_occurrences, find_occurrences_again
from bot.formula import keys
from bot.messages import Message
from bot.records import Item, Statement
from bot.result_cache import ResultCache
from bot.settings import Settings
from bot.store import Workspace

KNOWN = {
    "E=mc^2": [("mass–energy equivalence", 0.95)],
    "F=ma": [("force", 0.9), ("law of inertia", 0.4)],
    "v=H_0d": [("Hubble's law", 0.6)],
    "U=RI": [("Ohm's law", 0.9)],
    "F=-kx": [("Hooke's law", 0.85), ("spring", 0.7)],
}
LETTERS = {frozenset(pair) for pair in (("w", "γ"), ("E", "U"), ("T", "K"), ("λ", "ℓ"))}
LABELS = [
    ("Q11402", "force"),
    ("Q11379", "energy"),
    ("Q179916", "Hubble's law"),
    ("Q41364", "wavelength"),
    ("Q12453", "work"),
]
FORMULAS = [
    r"E = m c^2",
    "V = R J",
    r"P V = n R T",
    r"\frac{G m_1 m_2}{r^{2}}",
    r"\frac{1}{2} m v^2",
    r"F = \frac{G m_1 m_2}{r^2}",
    r"E = \hbar \omega",
    "y = z w u",
]


class FewNames(BuiltinFormulas):
    """A list that knows three formulas, and letters that are usual for one quantity."""

    def version(self) -> str | None:
        return None

    def are_usual_letters(self, one: str, other: str) -> bool:
        return frozenset((one, other)) in LETTERS

    def is_name_unusual(self, name: str, formula: str) -> bool:
        return "energy" in name and not formula.startswith(("E", "U", "T", "K"))

    def names(self, formulas: Sequence[str], results: ResultCache) -> list[list[KnownName]]:
        """Name the three formulas."""
        by_key = {keys(tex).K3: names for tex, names in KNOWN.items()}
        return [
            [KnownName(name, sure, Message("cue.unusual")) for name, sure in by_key.get(keys(tex).K3, ())]
            for tex in formulas
        ]


def recorded() -> list[dict[str, Any]]:
    """Return what is found, step by step."""
    with tempfile.TemporaryDirectory() as folder, Workspace.open(Path(folder) / "w") as w:
        rows = [{"what": "nothing", "gaps": [each.code for each in missing_corpus_data(w, Settings())]}]
        copy = Path(folder) / "copies" / "Copy.wiki"
        copy.parent.mkdir()
        copy.write_text((ROOT / "examples/corpus/wikitext/Hubbles_law.wiki").read_text("utf-8"), encoding="utf-8")
        alone = _discovered(w, [copy], Settings())
        rows.append(
            {"what": "one document", **alone, "gaps": [each.code for each in missing_corpus_data(w, Settings())]}
        )
        settings = replace(Settings(), discovery=replace(Settings().discovery, min_documents=2, names_per_concept=4))
        sources = [
            ROOT / "examples/corpus/latexml",
            *(ROOT / "examples/articles" / code for code in ("de", "fr")),
            copy,
        ]
        rows.append(
            {
                "what": "all",
                **_discovered(w, sources, settings),
                "gaps": [each.code for each in missing_corpus_data(w, settings)],
            }
        )
        rows += [{"what": "concept", **_concept(each)} for each in load_concepts(w)]
        for tex in FORMULAS:
            hits = [
                [
                    hit["relation"],
                    hit["level"],
                    hit["tex"],
                    hit["name"],
                    hit["occurrences"],
                    hit["documents"],
                    hit["position"],
                    hit["title"],
                    hit["section"],
                    _short(hit["sentence"]),
                ]
                for hit in find_formula(w, tex, 6)
            ]
            rows.append({"what": "formula", "of": tex, "found": hits})
        item = Item("Q1", "Hubble law", ("expansion",), statements=(Statement("Q1$1", "P2534", "v=H_0 d"),))
        known = KnownConcept(("Hubble's law",), (r"v = H r",), lambda tex: 0.5 if "H" in tex else 0.0)
        for name, one, more in (
            ("energy", None, None),
            ("Q1", item, None),
            ("expansion", None, known),
            ("loi", None, None),
        ):
            found = [
                [row["tex"], row["level"], row["score"], row["title"], _short(row["sentence"])]
                for row in find_by_name(w, name, one, settings, more)
            ]
            rows.append({"what": "name", "of": name, "found": found})
        rows.append({"what": "stored", **_stored(w)})
        return _plain(rows)


def _discovered(w: Workspace, sources: Sequence[Path], settings: Settings) -> dict[str, Any]:
    found = discover(
        w,
        [str(each) for each in sources],
        settings,
        labels=LABELS,
        builtin=FewNames(),
        quiet=True,
        today=date(2026, 11, 20),
    )
    return {
        name: value for name, value in dataclasses.asdict(found).items() if name not in ("seconds", "ignored_files")
    }


def _concept(one: Any) -> dict[str, Any]:
    names = [[n.name, n.score, n.known, n.documents, [reason.code for reason in n.reasons]] for n in one.names]
    spelt = [[r.tex, r.level, r.occurrences, r.documents] for r in one.representations[:5]]
    more = {"definitions": one.definitions, "places": one.places[:4]}
    return {
        "of": one.tex,
        "key": one.key,
        "counted": [one.occurrences, one.documents],
        "names": names,
        "spelt": spelt,
        **more,
    }


def _stored(w: Workspace) -> dict[str, Any]:
    every = list(all_occurrences(w))
    by_document: dict[str, list[Any]] = {}
    for one in every:
        by_document.setdefault(one.document, []).append(
            [one.position, one.tex, one.role, one.heading, one.definitions, one.hints]
        )
    table = store.representations
    kept = w.rows(sa.select(table).order_by(table.c.concept, table.c.tex))
    ranks = [json.loads(line) for line in (w.reports / "formularank.jsonl").read_text("utf-8").splitlines()]
    again = find_occurrences_again(w, [(one.document, one.position + 1, keys("E=mc^2").K2) for one in every[::9]])
    days = first_days(w)
    documents = w.rows(sa.select(store.documents).order_by(store.documents.c.id))
    return {
        "documents": [[row["id"], row["title"], row["language"], row["kind"], days[row["id"]]] for row in documents],
        "occurrences": {name: [len(rows), _short(rows)] for name, rows in sorted(by_document.items())},
        "representations": [
            [row["concept"][:8], row["tex"], row["level"], row["document"], row["position"]] for row in kept
        ],
        "ranks": [list(row.values()) for row in ranks],
        "again": [[one.document, one.position] for one in again],
    }


if __name__ == "__main__":
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in recorded())
    (DATA / "recorded_searches.jsonl").write_text(text, encoding="utf-8")
