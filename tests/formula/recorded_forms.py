"""What is made of many formulas, recorded: keys are stored in workspaces, so that no change of them may go unseen.

`python tests/formula/recorded_forms.py` records them anew, where a change is meant.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from bot.errors import FormulaError
from bot.formula import check, compare, describe, identifiers, keys, parse, statement_kind, tokens
from bot.formula.equivalence.renamed import containment
from bot.formula.features.annotations import increments, strip_annotations
from bot.formula.features.equation_terms import term_words
from bot.formula.features.feature_words import features
from bot.formula.features.sides import chain_equalities, sides
from bot.formula.features.structural import structural_features, token_ngrams
from bot.formula.keys.levels import Keys
from bot.formula.keys.shapes import shapes
from bot.formula.normal.render import render
from bot.formula.normal.stages import normal_forms
from bot.formula.tex.tree import Formula

DATA = Path(__file__).parent / "data"
QUALITY = Path(__file__).parents[1] / "quality"
LEVELS = ("K0", "K1", "K2", "K3", "K4", "K5", "K6")


def formulas() -> list[str]:
    own = (DATA / "spellings.txt").read_text(encoding="utf-8").splitlines()
    shipped = [row["tex"] for name in ("queries", "negatives") for row in _rows(QUALITY / f"{name}.jsonl")]
    return list(dict.fromkeys((*own, *shipped)))


def pairs() -> list[tuple[str, str]]:
    own = [line.split(" ~ ") for line in (DATA / "spelling_pairs.txt").read_text(encoding="utf-8").splitlines()]
    rows = (*_rows(QUALITY / "pairs.jsonl"), *_rows(DATA / "rearranged.jsonl")[::6])
    return [(a, b) for a, b in own] + [(row["a"], row["b"]) for row in rows]


def recorded(tex: str) -> dict[str, Any]:
    """Return what is made of one formula."""
    found = {name: _tried(make, tex) for name, make in MADE.items()}
    return {"tex": tex, **found}


def recorded_pair(a: str, b: str) -> dict[str, Any]:
    """Return how two formulas are related, in both orders."""
    one, other = compare(a, b), compare(b, a)
    return {
        "a": a,
        "b": b,
        "relation": [one.relation, one.level, one.same_concept, one.loose, one.note],
        "turned": [other.relation, other.level, other.same_concept, other.loose, other.note],
        "containment": _tried(
            lambda tex: containment(shapes(normal_forms(tex).normal[0]), shapes(normal_forms(b).normal[0])), a
        ),
    }


def _tree(found: Formula) -> list[Any]:
    return [repr(found.equations), repr(found.conditions), found.tokens, sorted(found.called_letters), found.left_out]


def _forms(tex: str) -> list[list[str]]:
    found = normal_forms(tex)
    parts = (*found.canonical, *found.normal, found.normal_with_names, found.unscripted)
    return [[render(node) for node in part] for part in parts]


def _keys(tex: str) -> list[Any]:
    found = keys(tex)
    return [*[found.at(level)[:8] for level in LEVELS], found.leaves, found.equation, *_left_out(found)]


def _left_out(found: Keys) -> list[str]:
    said = [f"K4 drops the constants {', '.join(found.constants)}"] if found.constants else []
    said += ["K4 ignores the signs of terms"] if found.signs else []
    return said + (["conditions are compared at K1 and K2 only"] if found.conditions else [])


def _check(tex: str) -> list[Any]:
    found = check(tex)
    return [found.valid, found.why, found.position, found.mended]


def _without_annotations(tex: str) -> list[Any]:
    bound, named = strip_annotations(tex), strip_annotations(tex, bound=False)
    grown = increments(bound)
    return [_lines(bound), _lines(named), grown and _lines(grown)]


def _lines(nodes: Any) -> list[str]:
    return [render(node) for node in nodes]


MADE: dict[str, Callable[[str], Any]] = {
    "tree": lambda tex: _short(_tree(parse(tex))),
    "forms": _forms,
    "keys": _keys,
    "kind": statement_kind,
    "names": identifiers,
    "check": _check,
    "describe": lambda tex: _short(describe(tex)),
    "chain": lambda tex: [chain_equalities(tex), sides(tex)],
    "undressed": _without_annotations,
    "terms": lambda tex: term_words(normal_forms(tex).normal[0]),
    "traits": lambda tex: [_short(part) for part in structural_features(tex)],
    "grams": lambda tex: _short([tokens(tex), token_ngrams(tex)]),
    "words": lambda tex: _short(features(tex)),
    "shapes": lambda tex: shapes(normal_forms(tex).unscripted),
}


def _tried(make: Callable[[str], Any], tex: str) -> Any:
    try:
        return _plain(make(tex))
    except FormulaError as error:
        return str(error)


def _plain(value: Any) -> Any:
    """Return a value as JSON has it: sets in order, numbers to six places."""
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in sorted(value.items(), key=lambda pair: str(pair[0]))}
    if isinstance(value, set | frozenset):
        return sorted((_plain(each) for each in value), key=str)
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if value is None or isinstance(value, str | int):
        return value
    fields = getattr(value, "__dataclass_fields__", None) or getattr(value, "__slots__", ())
    return [_plain(getattr(value, name)) for name in fields]


def _short(value: Any) -> str:
    return blake2b(json.dumps(_plain(value)).encode(), digest_size=4).hexdigest()


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _made() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    yield "recorded_forms.jsonl", [recorded(tex) for tex in formulas()]
    yield "recorded_pairs.jsonl", [recorded_pair(a, b) for a, b in pairs()]


if __name__ == "__main__":
    for name, rows in _made():
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (DATA / name).write_text(text, encoding="utf-8")
