"""Only a formula that is surely another concept's is a mismatch; other letters, chains, special cases and conventions are none."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa
from web_records import opened, proposal

from bot import store
from bot.match.builtin import builtin_formulas
from bot.records import Item, Quote, Statement, as_json
from bot.review.exports import export
from bot.review.mismatches import mismatches
from bot.settings import Settings

EULER = ("Q2346904", "Euler's criterion", r"\left(\frac{a}{p}\right) \equiv a^{\frac{p-1}{2}} \pmod{p}")
ORTHOGONAL = r"Q^{\mathrm{T}} Q = Q Q^{\mathrm{T}} = I"


def item(qid: str, label: str, *values: str, rank: str = "normal") -> Item:
    statements = tuple(Statement(f"{qid}${n}", "P2534", value, rank) for n, value in enumerate(values))
    return Item(qid, label, statements=statements)


def found(qid: str, label: str, source: str, *values: str, **more: str) -> list[str]:
    flagged = proposal(30, qid=qid, kind="flag", tex=source)
    return [s.value for s in mismatches(flagged, item(qid, label, *values, **more), "P2534")]


@pytest.mark.parametrize(
    ("qid", "label", "source", "value"),
    [
        (*EULER, ORTHOGONAL),
        ("Q5563092", "gingerbreadman map", r"x_{n+1} = 1 - y_n + |x_n|, \quad y_{n+1} = x_n", r"\frac{1}{d_o} + \frac{1}{d_i} = \frac{1}{f}"),
        ("Q1817177", "Polarization identity", r"\langle x, y \rangle = \frac{1}{4} \left( \|x + y\|^2 - \|x - y\|^2 \right)", r"R_{\mu\nu} - \frac{1}{2}Rg_{\mu\nu} + \Lambda g_{\mu\nu} = \frac{8\pi G}{c^4}T_{\mu\nu}"),
    ],
)  # fmt: skip
def test_a_formula_of_another_concept_is_a_mismatch(qid: str, label: str, source: str, value: str) -> None:
    assert found(qid, label, source, value) == [value]


@pytest.mark.parametrize(
    ("source", "defines"),
    [(r"A = \frac{\sqrt{3}}{4}a^2", False), ("z_1^2 + z_2^2 + z_3^2 = z_1 z_2 + z_2 z_3 + z_3 z_1", True)],
)
def test_a_proposed_formula_that_does_not_define_the_item_denies_no_other(source: str, defines: bool) -> None:
    assert found("Q157002", "equilateral triangle", source, ORTHOGONAL) == [ORTHOGONAL] * defines


@pytest.mark.parametrize(
    ("label", "source", "value"),
    [
        ("Ohm's law", "V = I R", "U = R I"),
        ("Ohm's law", "V = I R", r"\mathbf J = \sigma \mathbf E"),
        ("frequency", r"f = \frac{1}{T}", r"f = \frac{\omega}{2\pi}"),
        ("kinetic energy", r"E = \frac12 mv^2", "E = mv^2"),
        ("kinetic energy", r"E = \frac12 mv^2", r"E = \frac{p^2}{2m} = \frac12 mv^2"),
        ("Hooke's law", "F = -kx", r"\sigma = E \varepsilon"),
        ("mass–energy equivalence", "E = mc^2", "F = ma"),
        ("Bayes' theorem", r"P(A|B) = \frac{P(B|A)P(A)}{P(B)}", r"P(H \mid E) = \frac{P(E \mid H) P(H)}{P(E)}"),
        ("peak signal-to-noise ratio", r"PSNR = 10 \log_{10} \frac{MAX_I^2}{MSE}", r"{\mathit {MSE}}=\frac{1}{mn}\sum_{i=0}^{m-1}\sum_{j=0}^{n-1}[I(i,j)-K(i,j)]^2"),
        ("admittance", r"Y = \frac{1}{Z}", r"G = \frac{1}{R}"),
        ("momentum", "p = mv", r"\sum ("),
    ],
)  # fmt: skip
def test_what_may_be_the_same_concept_is_none(label: str, source: str, value: str) -> None:
    qid = next(c.qid for c in builtin_formulas().values() if c.label.casefold() == label.casefold())
    assert found(qid, builtin_formulas()[qid].label, source, value) == []


def test_the_proposed_formula_and_the_item_must_be_sure_too() -> None:
    qid, label, source = EULER
    assert found(qid, label, "x = y + z", ORTHOGONAL) == [], "the list knows no such formula of this item"
    assert found("Q1", label, source, ORTHOGONAL) == [], "another wiki's item"
    assert found(qid, "Euler's formula", source, ORTHOGONAL) == [], "the item is called otherwise"
    assert found(qid, label, source, ORTHOGONAL, rank="deprecated") == []
    assert found(qid, label, source) == []


def rows(path: Path, proposals: Sequence[object], about: Item) -> list[dict[str, str]]:
    with opened(path, "Ada", proposals=proposals) as w:  # type: ignore[arg-type]
        with w.engine.begin() as db:
            db.execute(sa.delete(store.items).where(store.items.c.qid == about.qid))
            db.execute(store.items.insert().values(qid=about.qid, revision=7, record=as_json(about)))
        return list(csv.DictReader(io.StringIO(export(w, Settings(), "mismatch-finder"))))


def test_the_export_has_each_statement_once_from_the_likeliest_proposal(tmp_path: Path) -> None:
    qid, label, source = EULER
    quotes = (Quote("a", 0, "⟦0⟧", url="https://example.org/a", formulas=((0, source),), where="sentence"),)
    made = [
        proposal(40 + n, qid=qid, kind="flag", tex=tex, probability=odds, quotes=quotes)
        for n, (tex, odds) in enumerate([(source, 0.4), (source.replace(r"\left(", "(").replace(r"\right)", ")"), 0.6)])
    ]
    (row,) = rows(tmp_path / "w", made, item(qid, label, ORTHOGONAL, source))
    assert row == {
        "item_id": qid, "statement_guid": f"{qid}$0", "property_id": "P2534", "wikidata_value": ORTHOGONAL, "meta_wikidata_value": "",
        "external_value": made[1].tex, "external_url": "https://example.org/a", "type": "statement",
    }  # fmt: skip
