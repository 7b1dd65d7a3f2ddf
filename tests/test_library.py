"""The library for other researchers: the notebook and the page answer as they say."""

from __future__ import annotations

import ast
import json
import pprint
import re
from pathlib import Path

import pytest

import bot

DOCS = Path(__file__).parents[1] / "docs"


def test_the_notebook_answers_as_it_says() -> None:
    cells = json.loads((DOCS / "library.ipynb").read_text(encoding="utf-8"))["cells"]
    names: dict[str, object] = {}
    shown = 0
    for cell in cells:
        if cell["cell_type"] == "code":
            *body, last = ast.parse("".join(cell["source"])).body
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            assert isinstance(last, ast.Expr)
            answer = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            assert pprint.pformat(answer) == "".join(cell["outputs"][0]["data"]["text/plain"])
            shown += 1
    assert shown == 5


def test_the_page_has_an_example_of_each_function_that_answers_as_it_says() -> None:
    page = (DOCS / "library.md").read_text(encoding="utf-8")
    lines = re.findall(r"^(bot\..*?) +# (.*)$", page, re.M)
    assert len(lines) == 5
    for code, said in lines:
        assert said.startswith(repr(eval(code, {"bot": bot}))), code


def test_what_is_not_there_is_said_in_the_usual_way() -> None:
    assert {"keys", "compare", "recognise", "group", "FormulaRecogniser"} <= set(dir(bot))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        bot.nothing  # noqa: B018


def test_items_of_ones_own_are_recognised_and_what_is_none_of_them_is_not_accepted() -> None:
    items = [{"qid": "Q1", "label": "one", "formulas": ["F=ma"]}, {"qid": "Q2", "label": None, "formulas": ["E=mc^2"]}]
    first, second, broken = bot.recognise(
        ["ma=F", r"\zeta(s)=\sum_{n=1}^\infty n^{-s}", "{"], items=items, builtin=False
    )
    assert (first[0].qid, first[0].label, first[0].level, first[0].accepted) == ("Q1", "one", "K1", True)
    assert not any(hit.accepted for hit in second)
    assert broken == []


def test_a_formula_without_a_sign_is_like_none() -> None:
    assert bot.recognise(["", "{{{", r"\,"]) == [[], [], []]
    items = [{"qid": "Q1", "label": "indeterminate form", "formulas": [r"\frac{\infty}{\infty}"]}]
    assert bot.recognise(["", r"\infty/\infty"], items=items)[0] == []


def test_one_text_for_a_list_and_no_hits_at_all_are_refused() -> None:
    for function in (bot.recognise, bot.group):
        with pytest.raises(TypeError, match="give a list of formulas"):
            function("E=mc^2")
    with pytest.raises(ValueError, match="at least 1"):
        bot.recognise(["E=mc^2"], top=0)
    with pytest.raises(ValueError, match="0 formulas and 0 labels"):
        bot.FormulaRecogniser().fit([], [])


def test_words_belong_to_their_formulas() -> None:
    with pytest.raises(ValueError, match="2 formulas and 1 lists of words"):
        bot.group(["E=mc^2", "F=ma"], [["energy"]])
    with pytest.raises(TypeError, match="words is one text"):
        bot.group(["E=mc^2", "F=ma"], ["energy", "force"])


def test_concepts_of_the_list_have_their_labels() -> None:
    assert bot.recognise(["E=mc^2"], builtin=False)[0][0].label == "mass–energy equivalence"


def test_comparison_asks_the_list_only_where_it_may() -> None:
    one, other = r"\oint\mathbf E\cdot d\mathbf A=\frac{Q}{\varepsilon_0}", r"\partial_iE_i=4\pi\rho"
    assert bot.compare(one, other).same_concept
    assert not bot.compare(one, other, builtin=False).same_concept


def test_groups_hold_every_place_once() -> None:
    assert bot.group([r"p=w\rho", "F=ma", r"p_X=w_X\rho_X", "ma=F", r"\sigma=E\varepsilon"]) == [
        [0, 2],
        [1, 3],
        [4],
    ]
    assert bot.group([]) == []
