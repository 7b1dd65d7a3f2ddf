"""One entry for each item and canonical formula; its rivals beside it."""

from __future__ import annotations

from itertools import permutations

from propose_records import TEX

from bot.messages import uncoded_message
from bot.propose.select import canonical_key, suggestions
from bot.records import Evidence, ItemMatch

NAME = Evidence("name", 1.0, uncoded_message("named"))


def test_the_rest_of_a_formulas_items_and_an_items_formulas_are_kept_as_rivals() -> None:
    matches = [
        ItemMatch("k1", TEX, "Q1", 0.9, (NAME,)),
        ItemMatch("k1", TEX, "Q2", 0.45),
        ItemMatch("k2", r"E = m c^2", "Q1", 0.4),
    ]
    (entry,) = suggestions(matches, 0.5)
    assert (entry.qid, entry.concepts, entry.evidence) == ("Q1", ("k1",), (NAME,))
    assert entry.runners_up == (("Q2", 0.45),)
    assert entry.other_formulas == ((r"E = m c^2", 0.4),)


def test_nothing_below_the_threshold_is_queued() -> None:
    assert suggestions([ItemMatch("k1", TEX, "Q1", 0.49)], 0.5) == []


def test_order_of_the_matches_changes_nothing() -> None:
    matches = [ItemMatch(f"k{n}", f"a_{n} = b^2", f"Q{1 + n % 2}", 0.8) for n in range(4)]
    assert len({tuple(suggestions(list(order), 0.5)) for order in permutations(matches)}) == 1


def test_spellings_of_one_formula_have_one_key_and_a_formula_without_a_tree_its_own() -> None:
    assert canonical_key(r"\frac{a}{b}") == canonical_key(r"{a} \over {b}")
    assert canonical_key(r"\frac{a") == canonical_key(r" \frac{a ")
    assert canonical_key(r"\frac{a") != canonical_key(r"\frac{b")


def test_the_threshold_itself_is_queued_and_the_likeliest_comes_first() -> None:
    matches = [
        ItemMatch("k1", TEX, "Q10", 0.5),
        ItemMatch("k2", "F = m a", "Q9", 0.5),
        ItemMatch("k3", "E = m c^2", "Q8", 0.75),
        ItemMatch("k4", "V = I R", "Q7", 0.499),
    ]
    assert [(e.qid, e.probability) for e in suggestions(matches, 0.5)] == [("Q8", 0.75), ("Q9", 0.5), ("Q10", 0.5)]


def test_likeliest_spelling_stands_for_all_with_the_rivals_of_its_concept() -> None:
    weak, doubt = (
        Evidence("title", 0.5, uncoded_message("in the title")),
        Evidence("lonely", -1.0, uncoded_message("one document")),
    )
    matches = [
        ItemMatch("k1", TEX, "Q1", 0.8, (doubt, NAME)),
        ItemMatch("k2", "v=H_{0}d", "Q1", 0.9, (weak, NAME)),
        ItemMatch("k1", TEX, "Q2", 0.3),
        ItemMatch("k2", "v=H_{0}d", "Q3", 0.2),
        ItemMatch("k2", "v=H_{0}d", "Q2", 0.1),
    ]
    (entry,) = suggestions(matches, 0.5)
    assert (entry.tex, entry.probability, entry.concepts) == ("v=H_{0}d", 0.9, ("k2",))
    assert entry.evidence == (NAME, weak)
    assert entry.runners_up == (("Q3", 0.2), ("Q2", 0.1))
    assert entry.other_formulas == ()


def test_five_rivals_and_five_other_formulas_are_kept_the_likeliest() -> None:
    items = [ItemMatch("k1", TEX, f"Q{n}", 0.4 - n / 100) for n in range(2, 9)]
    formulas = [ItemMatch(f"m{n}", f"a_{n} = b^2", "Q1", 0.4 - n / 100) for n in range(2, 9)]
    respelt = ItemMatch("n", "a_{2} = b^{2}", "Q1", 0.39)
    (entry,) = suggestions([ItemMatch("k1", TEX, "Q1", 0.9), *items, *formulas, respelt], 0.5)
    assert [qid for qid, _ in entry.runners_up] == ["Q2", "Q3", "Q4", "Q5", "Q6"]
    assert [tex for tex, _ in entry.other_formulas] == [
        "a_{2} = b^{2}",
        "a_3 = b^2",
        "a_4 = b^2",
        "a_5 = b^2",
        "a_6 = b^2",
    ]


def test_evidence_of_one_strength_is_ordered_by_name_and_sentence() -> None:
    evidence = tuple(Evidence(name, 1.0, uncoded_message(text)) for name, text in (("b", "x"), ("a", "y"), ("a", "x")))
    (entry,) = suggestions([ItemMatch("k1", TEX, "Q1", 0.9, evidence)], 0.5)
    assert [(e.name, str(e.detail)) for e in entry.evidence] == [("a", "x"), ("a", "y"), ("b", "x")]


def test_a_chain_is_one_entry_with_the_part_that_defines_the_item() -> None:
    told = Evidence.of("handbook_first.part", 0.9, tex="P=IV")
    matches = [
        ItemMatch("k1", "P=IV=I^2R", "Q1", 0.9, (told,)),
        ItemMatch("k2", "P = I V", "Q1", 0.8, (NAME,)),
        ItemMatch("k3", "p = b^2/c", "Q1", 0.7),
    ]
    first, second = suggestions(matches, 0.5)
    assert (first.key, first.parts) == (canonical_key("P=IV"), ("P=IV",))
    assert (second.tex, second.parts) == ("p = b^2/c", ())
    assert first.other_formulas == (("p = b^2/c", 0.7),)
