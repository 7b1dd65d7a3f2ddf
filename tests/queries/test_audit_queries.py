"""One matching and one non-matching case for each query of audit."""

from __future__ import annotations

STATEMENT = """
wd:{0} p:P2534 s:{0}-a .
s:{0}-a ps:P2534 "<math/>"^^<http://www.w3.org/1998/Math/MathML> ; wikibase:rank wikibase:{1}Rank .
"""


def test_formulas_without_a_source_are_found_and_sourced_or_deprecated_ones_are_not(ask):
    graph = (
        STATEMENT.format("Q1", "Normal") + STATEMENT.format("Q2", "Preferred") + STATEMENT.format("Q3", "Deprecated")
    )
    graph += "s:Q2-a prov:wasDerivedFrom ref:abc ."
    name = "audit_formulas_without_reference"
    assert ask(name, graph, after="", limit=10) == [{"item": "Q1"}]
    assert ask(name, graph, after="Q1", limit=10) == []
