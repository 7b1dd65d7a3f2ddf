"""Near misses: items' own formulas with one exponent, sign, operation or factor changed, a fraction turned over, or a term left out.

Each is made from a formula of the items by rule, the same in every run, and kept where comparison does not call the two one formula and no item of
the file or the built-in list has it. None may be accepted: `accepted` is the share that is, by kind of change. `held` is the share of the unchanged formulas
that are accepted, in another spelling.
"""

from __future__ import annotations

import random
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any
from zlib import crc32

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "tests" / "formula"))

import mutating
from command import arguments

from bot.console import read_lines, table, write_json
from bot.errors import FormulaError
from bot.formula import compare, keys
from bot.match import Recogniser

KINDS = ("exponent", "sign", "operation", "factor", "turned over", "term left out")
_LETTER = re.compile(r"[A-Za-z]|\\(?:alpha|beta|gamma|delta|epsilon|varepsilon|eta|theta|kappa|lambda|mu|nu|xi|rho|sigma|tau|phi|varphi|chi|psi|omega|Omega|Phi|Psi)")  # fmt: skip
_DERIVATIVE = re.compile(r"(?<![A-Za-z\\])[dD](?![A-Za-z]{2})|\\(?:partial|delta|Delta|mathrm|rm)\b")
_FRACTION = re.compile(r"\\[dt]?frac\s*\{")
_NO_OPERAND = frozenset("=+-<>([{,:;^_&") | {"\\leq", "\\geq", "\\approx", "\\equiv", "\\to", "\\left", "\\quad", "\\qquad", "\\\\", "\\cdot", "\\times"}  # fmt: skip


def near_misses(tex: str) -> Iterator[tuple[str, str]]:
    """Yield (kind, TeX) for each kind of change that the formula allows; where it allows several, one is drawn by the formula itself."""
    rng = random.Random(crc32(tex.encode()))
    for kind, ways in zip(KINDS, (_exponents, _signs, _operations, _factors, _turned, _shortened), strict=True):
        found = sorted({changed for changed in ways(tex) if changed != tex})
        if found:
            yield kind, rng.choice(found)


def _exponents(tex: str) -> Iterator[str]:
    """Another number above; ² at the last letter where no number is above."""
    found = list(re.finditer(r"(\^\s*\{?\s*)(\d)(?!\d|\.)", tex))
    for each in found:
        digit = int(each[2])
        yield tex[: each.start(2)] + str(2 if digit == 3 else digit + 1) + tex[each.end(2) :]
    if not found:
        sides = mutating.split_top(tex, ("=",)) or []
        pieces = mutating.tokens(sides[2]) if len(sides) == 3 else []
        for k in range(len(pieces) - 1, -1, -1):
            if pieces[k] != "d" and _LETTER.fullmatch(pieces[k]) and mutating._free(pieces, k):
                yield f"{sides[0]}={''.join(pieces[:k])}{pieces[k]}^2{''.join(pieces[k + 1 :])}"
                return


def _signs(tex: str) -> Iterator[str]:
    """Plus for minus and minus for plus, on the line; a minus that opens a side left out."""
    pieces = mutating.tokens(tex)
    for k, (piece, level) in enumerate(zip(pieces, mutating.levels(pieces), strict=True)):
        if piece not in ("+", "-") or (level and _in_script(pieces, k)):
            continue
        before = next((p for p in reversed(pieces[:k]) if p.strip()), "=")
        if before not in _NO_OPERAND:
            yield "".join([*pieces[:k], "-" if piece == "+" else "+", *pieces[k + 1 :]])
        elif before == "=" and piece == "-":
            yield "".join([*pieces[:k], *pieces[k + 1 :]])


def _operations(tex: str) -> Iterator[str]:
    """A product for a quotient, a sum for a product of two letters, a product for a sum."""
    for above, below, start, end in _fractions(tex):
        if not _DERIVATIVE.search(below):
            yield f"{tex[:start]}{_grouped(above)} {_grouped(below)}{tex[end:]}"
    pieces = mutating.tokens(tex)
    depth = mutating.levels(pieces)
    equals = [k for k, piece in enumerate(pieces) if piece == "=" and not depth[k]]
    if len(equals) != 1:
        return
    for k in range(equals[0] + 1, len(pieces)):
        if pieces[k] == "/" and not depth[k]:
            yield "".join([*pieces[:k], " ", *pieces[k + 1 :]])
        elif pieces[k] == "+" and not depth[k]:
            yield "".join([*pieces[:k], " \\cdot ", *pieces[k + 1 :]])
        elif k > equals[0] + 1 and _LETTER.fullmatch(pieces[k]) and not depth[k]:
            before = next((p for p in reversed(pieces[:k]) if p.strip()), "=")
            if _LETTER.fullmatch(before) and before != "d" and pieces[k] != "d":
                yield "".join([*pieces[:k], "+", *pieces[k:]])


def _factors(tex: str) -> Iterator[str]:
    """Another whole number on the line; 2 before the right side where that is one term."""
    pieces = mutating.tokens(tex)
    for k, piece in enumerate(pieces):
        beside = "".join(pieces[max(k - 1, 0) : k] + pieces[k + 1 : k + 2])
        if piece in "23456789" and not re.search(r"[\d.,^_]", beside) and not _in_script(pieces, k):
            yield "".join([*pieces[:k], str(int(piece) + 1) if piece != "9" else "8", *pieces[k + 1 :]])
    sides = mutating.split_top(tex, ("=",))
    if (
        not sides
        or len(sides) != 3
        or mutating.has_top(sides[2], ("+", "-", "\\pm", "\\mp", ",", "\\quad", "\\approx"))
    ):
        return
    if re.search("[A-Za-z]", re.sub(r"\\(?:text|mbox)\s*\{[^{}]*\}", "", sides[2])) and not re.match(
        r"\s*\d", sides[2]
    ):
        yield f"{sides[0]}= 2 {sides[2].lstrip()}"


def _turned(tex: str) -> Iterator[str]:
    for above, below, start, end in _fractions(tex):
        if not _DERIVATIVE.search(below):
            yield f"{tex[:start]}\\frac{{{below}}}{{{above}}}{tex[end:]}"


def _shortened(tex: str) -> Iterator[str]:
    """A side of several terms without its last one, or without its first."""
    sides = mutating.split_top(tex, ("=",))
    if not sides or len(sides) != 3 or re.search(r"\\(?:dots|ldots|cdots|pm|mp|sum|int|prod|begin|text|quad)|,", tex):
        return
    for k in (0, 2):
        terms = mutating.split_top(sides[k], ("+", "-"))
        if terms and len(terms) >= 3 and terms[0].strip() and all(term.strip() for term in terms[::2]):
            yield "".join([*sides[:k], "".join(terms[:-2]), *sides[k + 1 :]])
            yield "".join([*sides[:k], "".join([*("-" if terms[1] == "-" else "")]), *terms[2:], *sides[k + 1 :]])


def _fractions(tex: str) -> Iterator[tuple[str, str, int, int]]:
    for found in _FRACTION.finditer(tex):
        above, middle = mutating._group(tex, found.end() - 1)
        if tex[middle : middle + 1] == "{":
            below, end = mutating._group(tex, middle)
            if above.strip() and below.strip():
                yield above, below, found.start(), end


def _grouped(part: str) -> str:
    return f"({part})" if mutating.has_top(part, ("+", "-")) else part


def _in_script(pieces: list[str], k: int) -> bool:
    depth = 0
    for j in range(k - 1, -1, -1):
        if pieces[j] == "}":
            depth += 1
        elif pieces[j].endswith("{") or pieces[j] == "{":
            depth -= 1
            if depth < 0:
                before = next((p for p in reversed(pieces[:j]) if p.strip()), "")
                if before in ("_", "^"):
                    return True
                depth = 0
    return next((p for p in reversed(pieces[:k]) if p.strip()), "") in ("_", "^")


def changed(tex: str, known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the near misses of a formula that are read, are not the same to comparison, and are no known formula (`known`: keys at K2 and K3)."""
    for kind, other in near_misses(tex):
        try:
            found = keys(other)
            if found.K2 in known or found.K3 in known or compare(tex, other).same_concept:
                continue
        except FormulaError:
            continue
        yield kind, other


def known_keys(texts: Iterable[str]) -> set[str]:
    """Return the keys K2 and K3 of formulas."""
    found: set[str] = set()
    for tex in texts:
        try:
            found |= {keys(tex).K2, keys(tex).K3}
        except FormulaError:
            continue
    return found


def main() -> None:
    parser = arguments(__doc__, "--items", "--no-builtin", "--json")
    parser.add_argument("--sample", type=int, default=300, help="formulas that are changed")
    parser.add_argument("--show", action="store_true", help="the near misses that are accepted")
    args = parser.parse_args()
    items = list(read_lines(args.items, {"qid": str}))
    recogniser = Recogniser(items, book={} if args.no_builtin else None)
    listed = sorted(
        [(row["qid"], tex) for row in items for tex in row.get("formulas") or ()],
        key=lambda each: crc32("|".join(each).encode()),
    )
    known = known_keys(entry.tex for entry in recogniser.index.entries)
    rows, plain = [], []
    for qid, tex in listed[: args.sample]:
        rows += [{"qid": qid, "kind": kind, "of": tex, "tex": other} for kind, other in changed(tex, known)]
        plain.append(
            {"qid": qid, "tex": mutating.restyled(mutating.fractions(mutating.swapped(tex) or tex, "slash"), 5)}
        )
    answers = list(recogniser.answers(rows))
    by_kind: dict[str, list[bool]] = defaultdict(list)
    for answer in answers:
        by_kind[answer["kind"]].append(answer["accepted"])
    held = [answer["accepted"] for answer in recogniser.answers(plain)]
    found = {
        "near_misses": len(rows),
        "accepted": round(sum(answer["accepted"] for answer in answers) / max(len(rows), 1), 4),
        **{
            f"accepted_{kind.replace(' ', '_')}": round(sum(by_kind[kind]) / max(len(by_kind[kind]), 1), 4)
            for kind in KINDS
        },
        "held": round(sum(held) / max(len(held), 1), 4),
    }
    if args.json:
        write_json(found)
        return
    if args.show:
        shown = [(a["kind"], a["of"], a["tex"], a["hits"][0]["formula"], a["hits"][0]["level"], a["hits"][0]["probability"]) for a in answers if a["accepted"]]  # fmt: skip
        table("accepted", ("kind", "of", "query", "formula", "level", "p"), shown)
    table("near misses", ("what", "figure"), list(found.items()))


if __name__ == "__main__":
    main()
