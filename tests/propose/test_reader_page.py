"""What readers are shown of an item, and what an item itself says of the symbols of its formulas."""

from __future__ import annotations

from bot.propose.reader_page import ReaderPage, element, reader_page, stated_symbols
from bot.records import Item, Statement
from bot.settings import Properties

IDS = Properties()


def said(prop: str, value: str, rank: str = "normal", **qualifiers: str) -> Statement:
    return Statement(f"Q1${value}", prop, value, rank, qualifiers=tuple(qualifiers.items()))


def test_readers_see_the_first_formula_whatever_its_rank() -> None:
    first, best = said("P2534", "a=b", "deprecated"), said("P2534", "a=c", "preferred")
    assert reader_page(Item("Q1", statements=(first, best)), IDS).formula == first
    assert reader_page(Item("Q1", statements=(said("P2534", ""), best)), IDS).formula == best
    assert reader_page(Item("Q1"), IDS) == ReaderPage(None, ())


def test_parts_hide_symbols_even_where_they_have_none_themselves() -> None:
    symbol = said("P7235", "m", P9758="Q11423")
    assert reader_page(Item("Q1", statements=(symbol,)), IDS).parts == (("m", "Q11423"),)
    assert reader_page(Item("Q1", statements=(symbol, said("P527", "Q5", P416="F"))), IDS).parts == (("F", "Q5"),)
    assert reader_page(Item("Q1", statements=(symbol, said("P527", "Q5", "deprecated"))), IDS).parts == ()


def test_an_item_names_a_symbol_and_what_it_represents_in_either_order() -> None:
    assert element(said("P7235", "m", P9758="Q11423"), IDS) == ("m", "Q11423")
    assert element(said("P527", "Q11423", P416="m"), IDS) == ("m", "Q11423")
    assert element(said("P527", "Q11423", P7235="m"), IDS) == ("m", "Q11423")
    assert element(said("P7235", "m", P416="M", P9758="Q11423"), IDS) == (
        "M",
        "Q11423",
    )  # the qualifier is the symbol itself
    assert element(said("P7235", "m"), IDS) is element(said("P527", "Q11423"), IDS) is None
    assert element(said("P7235", "m", P416="", P9758="Q11423"), IDS) == ("m", "Q11423")  # a qualifier without a value
    assert element(said("P527", "Q11423", P416="m", P9758=""), IDS) == ("m", "Q11423")
    statements = (
        said("P7235", "m", P9758="Q1"), said("P7235", "m", P9758="Q2"), said("P527", "Q3", P416="F"), said("P7235", "v", "deprecated", P9758="Q4"), said("P7973", "x", P9758="Q5"),
    )  # fmt: skip
    assert stated_symbols(Item("Q9", statements=statements), IDS) == {"m": ("m", "Q1"), "F": ("F", "Q3")}
