"""The symbols of a proposal's formula on its page and in the API: meaning, item, sentence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from web_records import opened, proposal, signed_in

from bot import store
from bot.records import Item, Statement, as_json
from bot.review.symbols_shown import symbols_of_proposal
from bot.review.web.rest import make_token
from bot.settings import Properties
from bot.store import Workspace

HOOKE = proposal(3, tex="F = -k x")
PLAIN = proposal(4)
ROWS = (
    ("x", "displacement", "Q190291", "displacement", 0.91, "where $x$ is the displacement <b>of</b> the end", True),
    ("F", "force of the spring", "Q11402", "force", 0.97, "the force $F$ of a spring", True),
    ("k", "spring constant", "", "", 0.7, "", True),
    ("w", "weight", "Q25288", "weight", 0.9, "no symbol of it", True),
)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path / "w", "Ada", proposals=[HOOKE, PLAIN]) as made:
        names = ("symbol", "meaning", "qid", "label", "probability", "sentence", "agrees")
        rows = [
            {
                "concept": HOOKE.concept,
                "n": n,
                "document": "lectures/0",
                "position": 4,
                **dict(zip(names, row, strict=True)),
            }
            for n, row in enumerate(ROWS)
        ]
        with made.engine.begin() as db:
            db.execute(store.symbols.insert(), rows)
        yield made


def test_they_stand_in_the_order_of_the_formula_and_only_its_own(workspace: Workspace) -> None:
    assert [(row["symbol"], row["tex"]) for row in symbols_of_proposal(workspace, HOOKE, Properties())] == [
        (s, HOOKE.tex) for s in "Fkx"
    ]
    assert symbols_of_proposal(workspace, PLAIN, Properties()) == []


def test_the_statements_of_the_item_tell_what_the_corpus_does_not(workspace: Workspace) -> None:
    def stated(symbol: str, qid: str, rank: str = "normal") -> Statement:
        return Statement(f"{HOOKE.qid}${symbol}", "P7235", symbol, rank, qualifiers=(("P9758", qid),))

    own = (stated("k", "Q338261"), stated("F", "Q1"), stated("x", "Q2", "deprecated"))
    with workspace.engine.begin() as db:
        record = as_json(Item(HOOKE.qid, "Hooke's law", statements=own, revision=7))
        db.execute(store.items.update().where(store.items.c.qid == HOOKE.qid).values(record=record))
        db.execute(store.symbols.delete().where(store.symbols.c.symbol == "k"))
    rows = symbols_of_proposal(workspace, HOOKE, Properties())
    found = [(row["symbol"], row["qid"], row["stated"], row["probability"]) for row in rows]
    assert found == [("F", "Q11402", "Q1", 0.97), ("k", "Q338261", "Q338261", 0.88), ("x", "Q190291", "", 0.91)]
    page = signed_in(workspace, "Ada").get(f"/p/{HOOKE.id}")
    assert "The item says so itself." in page
    assert "The item says that it is Q1." in page


def test_the_page_names_each_with_its_sentence(workspace: Workspace) -> None:
    page = signed_in(workspace, "Ada").get(f"/p/{HOOKE.id}")
    row = page.partition('<details class="symbols">')[2].partition("</details>")[0]
    summary, _, sentences = row.partition("</summary>")
    assert "force of the spring (Q11402)" in summary
    assert "spring constant</span>" in summary
    assert "It is the usual meaning" not in summary
    assert "No sentence says so: it is the usual meaning." in sentences
    assert "displacement &lt;b&gt;of&lt;/b&gt; the end" in sentences
    assert sentences.count("<math") == 5  # three symbols, and two in sentences
    assert "physical dimensions" not in row
    assert '<details class="symbols">' not in signed_in(workspace, "Ada").get(f"/p/{PLAIN.id}")


def test_a_disagreement_of_dimensions_is_said(workspace: Workspace) -> None:
    with workspace.engine.begin() as db:
        db.execute(store.symbols.update().values(agrees=False, qid=""))
    assert "the physical dimensions of the two sides differ" in signed_in(workspace, "Ada").get(f"/p/{HOOKE.id}")


def test_the_api_has_them(workspace: Workspace) -> None:
    token = make_token(workspace, "Ada")
    head = {"Authorization": f"Bearer {token}"}
    found = signed_in(workspace, "Ada").client.get(f"/api/v1/proposals/{HOOKE.id}", headers=head).json["symbols"]
    assert [(row["symbol"], row["qid"], row["probability"]) for row in found] == [
        ("F", "Q11402", 0.97),
        ("k", "", 0.7),
        ("x", "Q190291", 0.91),
    ]
