"""Which item a meaning names: by what is said, by the quantity, by its dimension."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import pytest

from bot.formula.quantities.dimensions import Dimension, parse_dimension
from bot.lookup import Client
from bot.match.symbols.symbol_items import SymbolItems, names_of, own_symbols, stated_dimension
from bot.records import Item, Statement
from bot.settings import Properties, Wiki


def item(qid: str, label: str, dimension: str = "", *aliases: str) -> Item:
    statements = (Statement(f"{qid}$1", "P4020", dimension),) if dimension else ()
    return Item(qid, label, aliases, statements=statements)


WORLD = SymbolItems(
    [
        item("Q1", "velocity"), item("Q2", "magnetic induction"), item("Q3", "magnetic field"), item("Q4", "strain", "1"), item("Q5", "strain"),
        item("Q6", "speed"), item("Q7", "permeability"), item("Q8", "work", r"\mathsf{M}\mathsf{L}^2\mathsf{T}^{-2}"), item("Q9", "power", r"\mathsf{L}"),
        item("Q10", "radius", "", "half-diameter"), item("Q11", "period"), item("Q12", "period"), item("Q13", "escape velocity of the Earth"), item("Q14", "Bessel function"), item("Q15", "thrust", "", "propulsive force", "driving force"),
        item("Q16", "pull", "", "driving force"), item("Q17", "magnetic field", "", "velocity"),
    ],
    Properties(),
)  # fmt: skip


@pytest.mark.parametrize(
    ("meaning", "quantity", "qid"),
    [
        ("initial velocity", "velocity", "Q1"),  # the kind of quantity
        ("magnetic field", "magnetic flux density", "Q2"),  # the item for the magnitude comes first
        ("escape velocity of the Earth", "escape velocity", "Q13"),  # what is said, before the quantity
        ("escape velocity", "escape velocity", "Q1"),  # it has no item here, and is a velocity
        ("speed of sound", "speed of sound", "Q6"),
        ("permeability of free space", "vacuum permeability", ""),  # a constant is itself only
        ("strain", "strain", "Q4"),  # of two, the one that states the dimension
        ("period", "period", ""),  # of two, neither does
        ("work", "work", "Q8"),
        ("power", "power", ""),  # states another dimension
        ("Bessel function", "", "Q14"),
        ("work", "", ""),  # a single word that is not a quantity here names nothing
        ("half-diameter", "radius", "Q10"),
        ("propulsive force", "", "Q15"),  # by an alias
        ("driving force", "", ""),  # two have it
    ],
)
def test_the_item_of_a_meaning(meaning: str, quantity: str, qid: str) -> None:
    assert WORLD.item_of(meaning, quantity) == qid


def test_of_several_items_the_one_counts_whose_own_symbol_it_is() -> None:
    stated = {"Q11": ("P7973", "T"), "Q12": ("P416", "τ"), "Q15": ("P7973", "T")}
    items = [Item(q, "period", statements=(Statement(f"{q}$1", prop, value),)) for q, (prop, value) in stated.items()]
    two = SymbolItems(items[:2], Properties())
    asked = [two.item_of("period", "period", symbol) for symbol in ("T", r"\mathrm{T}", r"\tau", "p")]
    assert asked == ["Q11", "Q11", "Q12", ""]
    assert SymbolItems(items, Properties()).item_of("period", "period", "T") == ""


def test_names_are_asked_for_in_order() -> None:
    assert names_of("drift speed of electrons", "drift velocity") == (
        "drift speed of electrons", "drift velocity", "drift speed", "velocity",
    )  # fmt: skip
    assert names_of("ball", "") == ()


def test_an_item_states_one_dimension_or_none() -> None:
    length, mass, time = (parse_dimension(text) or () for text in (r"\mathsf{L}", r"\mathsf{M}", r"\mathsf{T}"))

    def of(*stated: tuple[str, str]) -> Dimension | None:
        statements = tuple(Statement(f"Q1${n}", "P4020", value, rank) for n, (value, rank) in enumerate(stated))
        return stated_dimension(
            Item("Q1", "x", statements=(*statements, Statement("Q1$x", "P9999", "M"))), Properties()
        )

    assert of() is None
    assert of((r"\mathsf{L}", "normal")) == of((r"\mathsf{L}", "normal"), (r"L", "normal")) == length
    assert of((r"\mathsf{L}", "normal"), (r"\mathsf{M}", "normal")) is None
    assert of((r"\mathsf{L}", "normal"), (r"\mathsf{M}", "preferred")) == mass
    assert of((r"\mathsf{L}", "deprecated"), (r"\mathsf{T}", "normal"), ("", "normal")) == time


def test_own_symbols_are_those_that_are_stated_and_not_deprecated() -> None:
    stated = (("P7973", "m", "normal"), ("P416", r"\mathrm{M}", "preferred"), ("P7973", "q", "deprecated"), ("P4020", "L", "normal"), ("P416", "", "normal"))  # fmt: skip
    statements = tuple(Statement(f"Q1${n}", prop, value, rank) for n, (prop, value, rank) in enumerate(stated))
    assert own_symbols(Item("Q1", "mass", statements=statements), Properties()) == {"m", "M"}


def test_merged_deleted_and_implausible_items_name_no_quantity() -> None:
    of = {
        "Q1": {},
        "Q2": {"redirect": "Q1"},
        "Q3": {"missing": True},
        "Q4": {"classes": ("Q5",)},
    }
    items = {qid: Item(qid, "mass", **more) for qid, more in of.items()}  # type: ignore[arg-type]
    for qid in of:
        client = SimpleNamespace(
            wiki=Wiki(), items_by_label=lambda names, qid=qid: {"mass": [qid]}, entities=lambda qids, more: {q: items[q] for q in qids}
        )  # fmt: skip
        found = SymbolItems.fetch([("mass", "mass")], cast(Client, client), ["Q5"])
        assert found.item_of("mass", "mass") == (qid if qid == "Q1" else "")
