"""A comparison is one answer: relation and concept agree, and it is the same whichever formula comes first."""

from __future__ import annotations

import json
import os
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import pytest
from cli_runner import call

from bot.errors import FormulaError
from bot.formula import Comparison, compare, keys
from bot.formula.equivalence.comparison import Relation
from bot.formula.generation.tex_pieces import tokens
from bot.match.builtin import builtin_formulas
from bot.match.retrieval.known_concepts import refine_comparison

SAME = ("identical", "typographic", "notation", "renamed", "rearranged")
PAIRS = Path(__file__).parent / "data/rearranged.jsonl"
LONG = bool(os.environ.get("FORMULA_BOT_LONG"))
MANY = 3000 if LONG else 60
Pair = tuple[str, str, Sequence[str]]


def agrees(found: Comparison) -> bool:
    """A variant may be of one concept; every other relation says by itself whether the two are."""
    return found.relation == "variant" or found.same_concept == (found.relation in SAME)


def answer(found: Comparison) -> tuple[str, str, bool]:
    return found.relation, found.level, found.same_concept


def hold(pairs: Sequence[Pair]) -> None:
    for a, b, where in pairs:
        one, other = compare(a, b, where), compare(b, a, where)
        assert one.relation in get_args(Relation)
        assert agrees(one), (a, b, one)
        assert one.relation != "variant" or not one.same_concept, "algebra alone does not call a variant one concept"
        assert answer(one) == answer(other), (a, b, one, other)
        if not where:
            one, other = refine_comparison(one, a, b), refine_comparison(other, b, a)
            assert agrees(one), (a, b, one)
            assert answer(one) == answer(other), (a, b, one, other)


def shipped() -> Iterator[Pair]:
    """Yield pairs of one concept, of two, and of a formula and its misprint, from the shipped list."""
    chance = random.Random(11)
    lists = [concept.formulas for concept in builtin_formulas().values() if len(concept.formulas) > 1]
    every = [tex for formulas in lists for tex in formulas]
    for _ in range(MANY):
        one, other = chance.sample(chance.choice(lists), 2)
        yield one, other, ()
        yield one, chance.choice(every), ()
        yield one, misprint(one, chance.choice(every), chance), ()


def misprint(tex: str, other: str, chance: random.Random) -> str:
    parts = tokens(tex)
    at = chance.randrange(len(parts))
    parts[at : at + 1] = [] if chance.random() < 0.4 else [chance.choice(tokens(other))]
    return "".join(parts)


def of_items(path: Path) -> Iterator[Pair]:
    """Yield pairs of formulas that share a loose key, which are the hard ones, and pairs of any two."""
    chance = random.Random(12)
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    formulas = sorted(
        {tex for row in chance.sample(rows, min(len(rows), 12000 if LONG else 600)) for tex in row["formulas"]}
    )
    alike = defaultdict(list)
    for tex in formulas:
        try:
            found = keys(tex)
        except FormulaError:
            continue
        for level in ("K3", "K4", "K5", "K6"):
            alike[level, found.at(level)].append(tex)
    groups = [group for group in alike.values() if len(group) > 1]
    for _ in range(MANY):
        yield *chance.sample(chance.choice(groups), 2), ()
        yield *chance.sample(formulas, 2), ()


def test_written_pairs_with_and_without_their_rules() -> None:
    rows = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    hold([(row["a"], row["b"], row.get("where", ())) for row in rows[:: 1 if LONG else 3]])


def test_formulas_of_the_shipped_list() -> None:
    hold(list(shipped()))


def test_formulas_of_items(shared_data: Path) -> None:
    hold(list(of_items(shared_data / "wikidata/items_2019.jsonl")))


def test_hard_pairs(shared_data: Path) -> None:
    lines = (shared_data / "recognition/hard_pairs_dev.jsonl").read_text(encoding="utf-8").splitlines()
    hold([(row["a"], row["b"], ()) for row in map(json.loads, lines)])


@pytest.mark.parametrize(
    ("a", "b", "relation", "same"),
    [
        ("E = mc^2", "m = E/c^2", "rearranged", True),
        ("f = 1/T", "T = 1/f", "rearranged", True),
        (r"\Gamma(z)=\int_0^\infty t^{z-1}e^{-t}\,dt", r"\Gamma(n)=(n-1)!", "variant", True),
        ("V = IR", "F = ma", "different", False),
        ("E = mv^2", r"E = \frac12 mv^2", "variant", False),
        ("(", "E = mc^2", "different", False),
    ],
)
def test_the_command_gives_one_answer(a: str, b: str, relation: str, same: bool) -> None:
    for left, right in ((a, b), (b, a)):
        (found,) = call("compare", "--input", "-", stdin=json.dumps({"a": left, "b": right})).well().rows
        assert (found["relation"], found["same_concept"]) == (relation, same), found
