"""One matching and one non-matching case for each query of lookup."""

from __future__ import annotations

FORMULA = 'wd:{0} p:P2534 s:{0}-a . s:{0}-a ps:P2534 "<math/>"^^<http://www.w3.org/1998/Math/MathML> .\n'


def test_items_with_a_formula_are_found_page_by_page_and_others_are_not(ask):
    graph = "".join(FORMULA.format(q) for q in ("Q1", "Q10", "Q2")) + 'wd:Q3 p:P1 s:Q3-a . s:Q3-a ps:P1 "x" .'
    graph += "wd:Q4 p:P2534 s:Q4-a . s:Q4-a a wdno:P2534 ."  # “no value” is not a formula
    assert ask("lookup_items_with_formula", graph, after="", limit=2) == [{"item": "Q1"}, {"item": "Q10"}]
    assert ask("lookup_items_with_formula", graph, after="Q10", limit=2) == [{"item": "Q2"}]
    assert ask("lookup_items_with_formula", graph, after="Q2", limit=2) == []


def test_a_name_finds_labels_and_aliases_in_its_language_only(ask):
    graph = (
        'wd:Q1 rdfs:label "energy"@en . wd:Q2 skos:altLabel "energy"@en . wd:Q3 rdfs:label "energy"@nl, "Energie"@de .'
    )
    rows = ask("lookup_items_by_name", graph, names=[("energy", "en"), ("energy", "mul"), ("Energie", "en")])
    assert sorted(row["item"] for row in rows) == ["Q1", "Q2"]


def test_labels_come_in_the_wanted_languages_only(ask):
    graph = 'wd:Q1 rdfs:label "law"@en, "Gesetz"@de, "L"@mul . wd:Q2 rdfs:label "x"@en .'
    rows = ask("lookup_labels", graph, items=["Q1", "Q9"], languages=["en", "mul"])
    assert sorted((r["item"], r["label"], r["language"]) for r in rows) == [("Q1", "L", "mul"), ("Q1", "law", "en")]


def test_classes_are_followed_three_steps_up_and_no_further(ask):
    graph = "wd:Q1 wdt:P31 wd:Q2 . wd:Q2 wdt:P279 wd:Q3 . wd:Q3 wdt:P279 wd:Q4 . wd:Q4 wdt:P279 wd:Q5 . wd:Q5 wdt:P279 wd:Q6 ."
    assert sorted(r["class"] for r in ask("lookup_classes", graph, items=["Q1"])) == ["Q2", "Q3", "Q4", "Q5"]
    assert ask("lookup_classes", graph, items=["Q6"]) == []


def test_an_item_leads_to_its_articles_in_the_wanted_languages_only(ask):
    graph = (
        '<http://en.example/wiki/X> schema:about wd:Q1 ; schema:name "Ohm\'s law"@en ; schema:inLanguage "en" ; schema:isPartOf <http://en.example/> .'
        '<http://it.example/wiki/X> schema:about wd:Q1 ; schema:name "Legge"@it ; schema:inLanguage "it" ; schema:isPartOf <http://it.example/> .'
    )
    assert ask("lookup_sitelinks", graph, items=["Q1"], languages=["en", "de"]) == [
        {"item": "Q1", "title": "Ohm's law", "language": "en", "project": "http://en.example/"}
    ]
    assert ask("lookup_sitelinks", graph, items=["Q2"], languages=["en"]) == []


def test_a_doi_leads_to_the_items_that_have_it_and_to_no_others(ask):
    graph = 'wd:Q1 wdt:P356 "10.1/A" . wd:Q2 wdt:P356 "10.1/B" . wd:Q3 wdt:P818 "10.1/A" .'
    assert ask("lookup_items_by_doi", graph, dois=[("10.1/A", "")]) == [{"item": "Q1", "doi": "10.1/A"}]
    assert ask("lookup_items_by_doi", graph, dois=[("10.1/C", "")]) == []
