"""Many formulas at once are answered as one after another."""

from __future__ import annotations

from typing import Any

import pytest

from bot.errors import ItemsError
from bot.match import Recogniser, recognise
from bot.match.builtin import builtin_formulas
from bot.match.retrieval.feature_groups import ChannelIndex
from bot.match.retrieval.inverted_index import IndexedFormula
from bot.match.retrieval.recognise import CHUNK

LAWS = [
    (r"E=mc^{2}", r"E_{0}=m_{0}c^{2}"),
    (r"F=G\frac{m_1 m_2}{r^2}",),
    (r"\frac{\partial u}{\partial t}=\alpha\nabla^{2}u", r"u_t=\alpha u_{xx}"),
    (r"P=\frac{U^{2}}{R}=UI=I^{2}R",),
    (r"pV=nRT",),
    (r"F=ma", r"\mathbf{F}=\frac{d\mathbf{p}}{dt}"),
]
ITEMS: list[dict[str, Any]] = [
    {"qid": f"Q{n}", "label": f"law {n}", "formulas": list(formulas), "part_of": ["Q1"] if n == 2 else []}
    for n, formulas in enumerate(LAWS, 1)
]
TEXTS = ["E = m c^2", "", r"\sum " * 50, "7", "P=UI", r"F=G\frac{mM}{r^2}", "E = m c^2", r"u_t = k u_{xx}", "$pV=NkT$", "F", r"a=b=c"]  # fmt: skip
ROWS = [{"id": n, "tex": tex, "context": "law 2 of nature" if n % 3 == 0 else ""} for n, tex in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def recogniser() -> Recogniser:
    return Recogniser(ITEMS, book={})


def test_a_batch_is_answered_like_its_queries_alone(recogniser: Recogniser) -> None:
    together = list(recogniser.answers(ROWS, 4))
    assert together == [recogniser.answer(row, 4) for row in ROWS]
    assert [answer["id"] for answer in together] == list(range(len(ROWS)))
    assert [n for n, answer in enumerate(together) if not answer["hits"]] == [1, 2, 3]


def test_chunks_leave_no_trace(recogniser: Recogniser) -> None:
    rows = [ROWS[n % len(ROWS)] for n in range(2 * CHUNK + 5)]
    assert list(recogniser.answers(rows)) == [recogniser.answer(ROWS[n % len(ROWS)]) for n in range(len(rows))]


def test_nothing_asked_and_nothing_known_give_nothing(recogniser: Recogniser) -> None:
    assert list(recogniser.answers([])) == []
    assert recogniser.all_ranked([]) == []
    assert [answer["hits"] for answer in Recogniser([], book={}).answers(ROWS)] == [[]] * len(ROWS)
    assert all(not answer["hits"] for answer in recogniser.answers([{"tex": ""}, {"tex": r"\sum " * 50}]))


def test_all_that_stands_before_a_faulty_query_is_answered() -> None:
    answers = recognise(ITEMS, [*ROWS[:3], {"id": "x"}, ROWS[3]])
    assert [next(answers)["id"] for _ in range(3)] == [0, 1, 2]
    with pytest.raises(ItemsError, match="needs"):
        next(answers)


def test_of_equally_alike_entries_the_first_are_looked_at() -> None:
    index = ChannelIndex([IndexedFormula(f"Q{n}", "x+y=z") for n in range(1, 60)] + [IndexedFormula("Q99", "x+y=0")])
    near = index.search_tex("x+y=w+v", 10)
    assert near is not None
    assert near.rows.tolist() == list(range(10))


def test_the_built_in_list_is_answered_in_batches_too() -> None:
    concept = builtin_formulas()["Q181465"]
    recogniser = Recogniser([{"qid": concept.qid, "label": concept.label}, *ITEMS])
    rows = [{"tex": tex} for tex in concept.formulas[:5]]
    assert list(recogniser.answers(rows)) == [recogniser.answer(row) for row in rows]
    assert all(answer["hits"][0]["qid"] == concept.qid for answer in recogniser.answers(rows))
