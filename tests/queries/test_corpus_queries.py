"""One matching and one non-matching case for each query of corpus."""

from __future__ import annotations


def test_items_of_a_class_with_an_article_and_no_formula_are_found_page_by_page(ask):
    article = '<http://en.example/wiki/{0}> schema:about wd:{0} ; schema:inLanguage "{1}" .\n'
    graph = "".join(article.format(qid, "en") for qid in ("Q10", "Q11", "Q12", "Q13")) + article.format("Q14", "it")
    graph += """
    wd:Q2 wdt:P279 wd:Q1 .
    wd:Q10 wdt:P31 wd:Q1 . wd:Q11 wdt:P31 wd:Q2 . wd:Q12 wdt:P279 wd:Q1 .
    wd:Q13 wdt:P31 wd:Q1 ; p:P2534 s:Q13-a . s:Q13-a ps:P2534 "<math/>" .
    wd:Q14 wdt:P31 wd:Q1 . wd:Q15 wdt:P31 wd:Q1 . wd:Q16 wdt:P31 wd:Q99 ."""
    name, asked = "corpus_items_without_formula", {"classes": ["Q1"], "languages": ["en", "de"], "limit": 2}
    assert ask(name, graph, after="", **asked) == [{"item": "Q10"}, {"item": "Q11"}]
    assert ask(name, graph, after="Q11", **asked) == [{"item": "Q12"}]
    assert ask(name, graph, after="Q12", **asked) == []
