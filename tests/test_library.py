"""The library for other researchers: the notebook answers as it says, the estimator behaves as one."""

from __future__ import annotations

import ast
import json
import pprint
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import bot

DOCS = Path(__file__).parents[1] / "docs"
FORMULAS = [
    "F=ma",
    "ma=F",
    r"\vec F=m\vec a",
    "a=F/m",
    "E=mc^2",
    "E=m_0c^2",
    "m=E/c^2",
    "E/c^2=m",
    "V=IR",
    "I=V/R",
    "U=RI",
    "R=V/I",
]
LABELS = ["force"] * 4 + ["energy"] * 4 + ["resistance"] * 4


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


def test_comparison_asks_the_list_only_where_it_may() -> None:
    one, other = "pV=nRT", r"p=\rho R_sT"
    assert bot.compare(one, other).same_concept
    assert not bot.compare(one, other, builtin=False).same_concept


def test_groups_hold_every_place_once() -> None:
    assert bot.group([r"p=w\rho", "F=ma", r"p_X=w_X\rho_X", "ma=F", r"\sigma=E\varepsilon"]) == [[0, 2], [1, 3], [4]]
    assert bot.group([]) == []


def test_the_recogniser_is_an_estimator() -> None:
    model = bot.FormulaRecogniser(abstain="unknown")
    assert clone(model).get_params() == {"abstain": "unknown", "builtin": False}
    with pytest.raises(NotFittedError):
        model.predict(["F=ma"])
    model.fit(FORMULAS, LABELS)
    assert model.classes_.tolist() == ["energy", "force", "resistance", "unknown"]
    assert model.predict(["F=am", r"\nabla^2u=0", "{"]).tolist() == ["force", "unknown", "unknown"]
    likely = model.predict_proba(["F=am", r"\nabla^2u=0", "{"])
    assert np.allclose(likely.sum(axis=1), 1)
    assert likely.argmax(axis=1).tolist()[::2] == [1, 3]
    assert likely[0, 1] > 0.9 > likely[1].max()
    with pytest.raises(ValueError, match="1 formulas and 2 labels"):
        model.fit(["F=ma"], ["a", "b"])


def test_without_abstention_every_formula_gets_a_class() -> None:
    model = bot.FormulaRecogniser().fit([*FORMULAS, "F=dp/dt"], [*LABELS, "force"])
    assert model.predict(["E=m", "{"]).tolist() == ["energy", "force"]
    assert model.predict_proba(["{"]).tolist() == [[pytest.approx(1 / 3)] * 3]


def test_it_takes_part_in_cross_validation() -> None:
    assert cross_val_score(bot.FormulaRecogniser(), FORMULAS, LABELS, cv=4).mean() == 1.0
