"""MathML of CNXML documents to TeX and back: do the same leaves come out, in the same order and places?

Each <math> is turned into TeX, drawn by math-core, and both sides are read as sequences of characters of mi, mn, mo, mtext (and
the fences of mfenced). Before comparing, both are folded alike: NFKC (styled letters to plain ones, so bold is not judged),
blanks and invisible operators dropped, and the look-alikes of FOLDS made one. `share` compares these sequences; `shape_share`
also the place of each character (in a subscript, superscript, numerator, denominator, root; over and under count as scripts).

    python benchmarks/cnxml.py --corpus DIR [--json] [--show N]
"""

from __future__ import annotations

import json
import sys
import time
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lxml import etree

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot.corpus.mathml.mathml_to_tex import mathml_to_tex
from bot.formula.drawing.mathml import mathml
from bot.formula.validity.check import check

MATHML = "{http://www.w3.org/1998/Math/MathML}math"
# Left: what the books or math-core write; right: the one sign both stand for.
FOLDS = str.maketrans(
    {
        **dict.fromkeys("−–—‐‑‒¯‾_̲̄̅﹣", "-"),  # every dash; the bar of an accent is one too
        **dict.fromkeys("ˆ̂⌃", "^"),
        **dict.fromkeys("⃗", "→"),
        **dict.fromkeys("˜̃∼", "~"),
        **dict.fromkeys("⋅∙•", "·"),
        **dict.fromkeys("∘˚º", "°"),
        **dict.fromkeys("’‘ʹ", "′"),
        **dict.fromkeys("'", "′"),
        **dict.fromkeys("〈〈", "⟨"),
        **dict.fromkeys("〉〉", "⟩"),
        **dict.fromkeys("ǁ∥", "‖"),
        **dict.fromkeys("∕", "/"),
        **dict.fromkeys("∶", ":"),
        **dict.fromkeys("⟂", "⊥"),
        **dict.fromkeys("│∣", "|"),
        **dict.fromkeys("∆", "Δ"),
        **dict.fromkeys("Ɵϴ", "Θ"),
        **dict(zip("ΑΒΕΖΗΙΚΜΝΟΡΤΧο", "ABEZHIKMNOPTXo", strict=True)),  # Greek capitals that are drawn as Latin ones
        **dict.fromkeys("\u2044\u2061\u2062\u2063\u2064\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe00\ufe01"),
    }
)
ROLES = {
    "msub": ("", "sub"), "munder": ("", "sub"), "msup": ("", "sup"), "mover": ("", "sup"), "msubsup": ("", "sub", "sup"), "munderover": ("", "sub", "sup"),
    "mfrac": ("num", "den"), "mroot": ("root", "index"), "msqrt": ("root",) * 99,
}  # fmt: skip
Leaf = tuple[str, tuple[str, ...]]


def leaves(math: etree._Element) -> list[Leaf]:
    """Return (character, place) for every visible character, folded, in document order."""
    found: list[Leaf] = []
    waiting: list[tuple[etree._Element | str, tuple[str, ...]]] = [(math, ())]
    while waiting:
        element, place = waiting.pop()
        if isinstance(element, str):
            found += placed(element, place)
            continue
        tag = str(element.tag).rpartition("}")[2]
        if tag in {"mi", "mn", "mo", "mtext", "ms"}:
            found += placed("".join(element.itertext()), place)
        elif tag not in {"mphantom", "annotation", "annotation-xml"}:
            waiting += reversed(list(inside(element, tag, place)))
    return found


def placed(text: str, place: tuple[str, ...]) -> Iterator[Leaf]:
    """Yield the characters of a leaf; degrees and primes are raised by themselves in one notation, as scripts in the other."""
    for character in folded(text):
        raised = character in "°′" and place[-1:] == ("sup",)
        yield character, place[:-1] if raised else place


def inside(
    element: etree._Element, tag: str, place: tuple[str, ...]
) -> Iterator[tuple[etree._Element | str, tuple[str, ...]]]:
    children = [child for child in element if isinstance(child.tag, str)]
    roles = ROLES.get(tag, ())
    marks = "".join((element.get("separators") or ",").split())
    if tag == "mfenced":
        yield element.get("open", "("), place
    for n, child in enumerate(children):
        if tag == "mfenced" and n and marks:
            yield marks[min(n - 1, len(marks) - 1)], place
        role = roles[n] if n < len(roles) else ""
        yield child, (*place, role) if role else place
    if tag == "mfenced":
        yield element.get("close", ")"), place


def folded(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text.translate(FOLDS)).translate(FOLDS)
    return "".join("".join(plain.split()).replace("″", "′′").replace("‴", "′′′"))


def compared(before: list[Leaf], after: list[Leaf] | None) -> str:
    """Return same, or the kind of the difference."""
    if after is None:
        return "not drawn"
    if before == after:
        return "same"
    old, new = [c for c, _ in before], [c for c, _ in after]
    if old == new:
        return "same leaves, another place"
    if sorted(old) == sorted(new):
        return "another order"
    gone, added = Counter(old) - Counter(new), Counter(new) - Counter(old)
    return " and ".join(
        f"{word} {''.join(sorted(set(signs)))}" for word, signs in (("lost", gone), ("added", added)) if signs
    )


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--corpus", type=Path, required=True, help="a folder with *.cnxml files")
    parser.add_argument("--show", type=int, default=0, help="print so many differing formulas")
    given = parser.parse_args()
    kinds: Counter[str] = Counter()
    examples: list[tuple[str, str, str]] = []
    valid = mended = documents = 0
    seconds = 0.0
    for path in sorted(given.corpus.rglob("*.cnxml")):
        documents += 1
        for math in etree.parse(path).iter(MATHML):
            start = time.perf_counter()
            tex = mathml_to_tex(math)
            seconds += time.perf_counter() - start
            drawn = mathml(tex)
            after = leaves(etree.fromstring(drawn)) if drawn.startswith("<math") else None
            kind = compared(leaves(math), after)
            kinds[kind] += 1
            verdict = check(tex)
            valid += verdict.valid
            mended += bool(verdict.mended) and not verdict.valid
            if kind != "same":
                examples.append((kind, path.parent.name, tex))
    formulas = sum(kinds.values())
    same_leaves = kinds["same"] + kinds["same leaves, another place"]
    result = {
        "documents": documents,
        "formulas": formulas,
        "agree": same_leaves,
        "share": round(same_leaves / max(formulas, 1), 5),
        "shape_share": round(kinds["same"] / max(formulas, 1), 5),
        "drawn": formulas - kinds["not drawn"],
        "valid": valid,
        "valid_after_mend": valid + mended,
        "formulas_per_second": round(formulas / max(seconds, 1e-9)),
        "differences": {kind: count for kind, count in kinds.most_common() if kind != "same"},
    }
    for kind, module, tex in examples[: given.show]:
        print(f"{kind:30} {module}  {tex}", file=sys.stderr)
    print(json.dumps(result, ensure_ascii=False) if given.json else "\n".join(f"{k}: {v}" for k, v in result.items()))


if __name__ == "__main__":
    main()
