"""All that there is to say about a few hundred pairs of formula and item, in sentences of many kinds, beside a small list of known concepts; recorded to the digit.

`python tests/match/recorded_evidence.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import blake2b
from random import Random
from typing import Any

from match_pairs import PROPERTY, place
from recorded_hits import DATA, EXTRA, ITEMS, recogniser

from bot.discover.articles import ArticleReading
from bot.match.builtin import Concept
from bot.match.builtin.reviewer_answers import ReviewerAnswer
from bot.match.candidates import CandidateQuery, claims_index, similar_items
from bot.match.features.candidate_pair import CandidatePair, ConceptView
from bot.match.model import EvidenceModel
from bot.match.retrieval.known_concepts import ConceptIndex
from bot.match.score import CompetingFormulas, Judge, Scored, matches, naming_strength, with_probabilities
from bot.records import FormulaConcept, Item, NameCandidate, Statement

KNOWN = ConceptIndex(
    {
        row["qid"]: Concept(
            row["qid"], row["label"], "physics", tuple(row.get("formulas", ())), (), tuple(row.get("part_of", ()))
        )
        for row in [*ITEMS, *EXTRA]
    }
)
KNOWN.__dict__["recogniser"] = recogniser()  # a ranker of its own: no training changes what is recorded
CLASSES = {"Q214070": "law of physics", "Q107715": "physical quantity", "Q11424": "film", "Q11345": "equation"}
FORMULAS = [
    r"\vec F=m\vec a", "F=ma", "F=ma_x", r"F=m\frac{dv}{dt}=\frac{dp}{dt}", "E=mc^2", "m=E/c^2", "E_0=m_0c^2", "V=IR", "U=RI", r"R=\frac VI",
    r"F=G\frac{m_1m_2}{r^2}", r"F=k\frac{q_1q_2}{r^2}", r"F=\frac{1}{4\pi\varepsilon_0}\frac{q_1q_2}{r^2}", "F=-kx", "F=kx", "pV=nRT", "PV=NkT", r"K=\frac12mv^2",
    r"E_k=\frac12mv^2=\frac{p^2}{2m}", "p=mv", r"\vec p=m\vec v", r"\vec L=\vec r\times\vec p", "L=rp", r"j=\sigma T^4", r"E=h\nu=\hbar\omega",
    r"\frac{\partial u}{\partial t}=\alpha\nabla^2u", r"\frac{\partial u}{\partial t}=\alpha\frac{\partial^2u}{\partial x^2}",
    r"\frac{\partial^2u}{\partial t^2}=c^2\nabla^2u", r"p+\frac12\rho v^2+\rho gh=\mathrm{const}", r"p_1+\rho gh_1=p_2+\rho gh_2", r"n_1\sin\theta_1=n_2\sin\theta_2",
    r"\mathbf F=q(\mathbf E+\mathbf v\times\mathbf B)", "F=qvB", r"\gamma=\frac{1}{\sqrt{1-v^2/c^2}}", "v=H_0D", "v=70d", r"v=\sqrt{\frac{2GM}{R}}", r"r_s=\frac{2GM}{c^2}",
    "a^2+b^2=c^2", r"c^2=a^2+b^2-2ab\cos\gamma", r"P(A\mid B)=\frac{P(B\mid A)P(A)}{P(B)}", r"\Delta x\Delta p\geq\frac\hbar2", r"p=\frac FA", r"\rho=\frac mV",
    r"P=\frac Wt", "P=12.5", "W=Fs", r"W=\int F\,ds", r"W=Fs\cos\theta", r"F_c=\frac{mv^2}{r}", r"X\sim N(\mu,\sigma^2)", r"x_{n+1}=rx_n(1-x_n)", r"v=\frac{dx}{dt}=0", r"\frac{",
]  # fmt: skip
WINDOWS = [
    "⟦3⟧", "The {name} is ⟦3⟧.", "The {name} is given by ⟦3⟧, where F is the force and m the mass.", "⟦3⟧ is known as the {name}.", "This is called {name}: ⟦3⟧",
    "It follows from the {name} that ⟦3⟧.", "For example, let ⟦3⟧ hold.", "If the body is at rest, then ⟦3⟧.", "The average {name} is ⟦3⟧.", "By {name}, ⟦2⟧ and ⟦3⟧.",
    "The {name} of a planet is defined as ⟦3⟧.", "The {name} is defined as the ratio of two things: ⟦3⟧", "It moves. The {name} acts. We see that ⟦3⟧ holds.",
    "In the one-dimensional case, ⟦3⟧ is the {name}.", "where ⟦3⟧ as before", "The {name} (or simply law) ⟦3⟧ is used here; the {other} is another.",
    "The {other} is ⟦3⟧.", "Unlike the {other}, the {name} reads ⟦3⟧.", "Suppose that ⟦3⟧.", "The {name} vector ⟦3⟧, where p is the pressure, v is the velocity.",
]  # fmt: skip
KINDS = ("encyclopaedia", "textbook", "article")
ROLES = ("text", "text", "text", "example", "exercise", "table", "caption")
HINTS = ("key_equation", "equation_title", "infobox", "defined_term")
PATTERN = EvidenceModel(-0.5, {"name_score": 1.5, "handbook": 0.5, "one_word": -0.3, "twin_given": 0.7, "called": 0.4})


def pairs() -> Iterator[CandidatePair]:
    """Yield pairs, each formula with a few items, in places put together by chance."""
    chance = Random(12)
    for number, tex in enumerate(FORMULAS * 5):
        hits = recogniser().hits(tex, 6)
        near = [row for row in ITEMS if row["qid"] in {hit.qid for hit in hits}]
        of = chance.sample(near, min(2, len(near))) + chance.sample(ITEMS, 1)
        name, other = of[0]["label"], chance.choice(ITEMS)["label"]
        places = [_place(chance, name, other) for _ in range(chance.choice((0, 1, 1, 2, 3)))]
        names = [NameCandidate(each, chance.choice((0.9, 0.5, 0.3, 0.15, 0.1))) for each in (name, f"{name}s", other)]
        concept = FormulaConcept(f"{tex} {number}", tex, 3, 2, names=tuple(names[: chance.choice((0, 1, 2, 3))]))
        answers = [None] * 5 + [ReviewerAnswer("no_concept", "", "2026-01-02"), ReviewerAnswer("item", of[0]["qid"], "2026-01-02"), ReviewerAnswer("none", "", "2026-01-02", (of[0]["qid"],))]  # fmt: skip
        removed = {"d1": (1, 2)} if chance.random() < 0.2 else {}
        view = ConceptView(concept, tuple(places), KNOWN, hits, chance.choice(answers), removed)
        for row in of:
            yield CandidatePair(view, _item(row, chance), PROPERTY, tuple(_articles(row, chance)))


def _place(chance: Random, name: str, other: str) -> Any:
    said = {"hints": [(chance.choice(HINTS), chance.choice((name, other)))]} if chance.random() < 0.3 else {}
    return place(
        chance.choice(WINDOWS).format(name=name, other=other),
        title=chance.choice((name, other, f"{name} in practice", "Mechanics")),
        document=chance.choice(("d1", "d2", "d3")),
        kind=chance.choice(KINDS),
        rank=chance.randrange(4),
        heading=chance.choice(("", "", name, f"Average {name}", "Special cases", "Examples")),
        role=chance.choice(ROLES),
        definitions=[("F", "force"), ("m", "mass")] if chance.random() < 0.3 else [],
        **said,
    )


def _item(row: dict[str, Any], chance: Random) -> Item:
    held = chance.choice([(), row["formulas"], [chance.choice(FORMULAS)]])
    statements = [Statement(f"{row['qid']}${n}", PROPERTY, tex, chance.choice(("normal", "deprecated"))) for n, tex in enumerate(held)]  # fmt: skip
    description = chance.choice(("", "", "law of nature", "physical quantity", "album of 1999", "family name"))
    return Item(row["qid"], row["label"], tuple(row["aliases"]), description, tuple(row["instance_of"]), statements=tuple(statements))  # fmt: skip


def _articles(row: dict[str, Any], chance: Random) -> Iterator[ArticleReading]:
    for language in ("en", "de", "fr")[: chance.choice((0, 0, 1, 2, 3))]:
        tex = chance.choice([*row["formulas"], chance.choice(FORMULAS)])
        yield ArticleReading(language, row["label"], tex, chance.choice((0.4, 0.9)), chance.random() < 0.6)


def _asked(view: ConceptView) -> list[Any]:
    asked = CandidateQuery.of(view)
    return [dict(sorted(asked.names.items())), sorted(asked.qids)]


def recorded() -> list[dict[str, Any]]:
    """Return what is said of each pair by itself and beside the others, and what is chosen for each formula."""
    every, judge, rivals = list(pairs()), Judge(CLASSES), CompetingFormulas()
    concepts: dict[str, list[CandidatePair]] = {}
    for each in every:
        concepts.setdefault(each.view.concept.key, []).append(each)
    found = judge.evidence(list(concepts.values()))
    rows = [Scored(pair, said) for of, all_said in zip(concepts.values(), found, strict=True) for pair, said in zip(of, all_said, strict=True)]  # fmt: skip
    for row in rows:
        rivals.add(row.pair, naming_strength(row.evidence))
    rows = with_probabilities(rivals.with_competitors(rows, judge), PATTERN)
    made = [
        {
            "of": row.pair.view.concept.key,
            "item": row.pair.item.qid,
            "said": {each.name: round(each.score, 5) for each in row.evidence},
            "in words": blake2b(
                " ".join(str(each.detail) for each in row.evidence).encode(), digest_size=4
            ).hexdigest(),
        }
        for row in rows
    ]
    index = claims_index({pair.item.qid: pair.item for pair in every}.values(), PROPERTY)
    asked = [
        {"of": key, "asks": _asked(pairs[0].view), "alike": sorted(similar_items(pairs[0].view.concept.tex, index))}
        for key, pairs in concepts.items()
    ]
    return [*made, *asked, {"chosen": [[m.concept, m.qid, m.probability] for m in matches(rows, PATTERN)]}]


if __name__ == "__main__":
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in recorded())
    (DATA / "recorded_evidence.jsonl").write_text(text, encoding="utf-8")
