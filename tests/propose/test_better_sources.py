"""A source that is found later changes nothing of what was approved or rejected: it becomes a proposal of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest
import sqlalchemy as sa
from propose_records import DOCUMENT, HUBBLE, PLACE, TEX, TODAY, P, settings, statement
from test_run import OTHER, Wikibase

from bot import store
from bot.propose.further_sources import _new_sources
from bot.propose.run import propose
from bot.propose.summary import ProposeSummary
from bot.records import (
    Decision,
    Document,
    FormulaConcept,
    Item,
    Occurrence,
    Proposal,
    Reference,
    Representation,
    as_json,
)
from bot.review import add_reviewer, decide, queue
from bot.review.queue import QueueRow
from bot.review.queue_rules import change_rules
from bot.store import Workspace


@dataclass
class Corpus:
    """Documents that each name the law beside its formula; `tex` is how they spell it."""

    workspace: Workspace
    documents: tuple[str, ...] = ("a",)
    tex: str = TEX
    also: tuple[str, ...] = ()  # other spellings that the corpus has
    shift: int = 0  # formulas that came before the others
    places: int = 12

    def occurrence(self, name: str) -> Occurrence:
        at = 4 + self.shift
        window = PLACE.window.replace("⟦4⟧", f"⟦{at}⟧").replace("⟦5⟧", f"⟦{at + 1}⟧")
        return replace(PLACE, document=f"lectures/{name}", position=at, window=window, tex=self.tex)

    def all(self) -> list[Occurrence]:
        return [self.occurrence(name) for name in self.documents]

    def concept(self) -> FormulaConcept:
        said = [o for o in self.all() if o.tex == self.tex]
        places = tuple((o.document, o.position) for o in said[: self.places])
        spelt = tuple(Representation(tex, "K1") for tex in (self.tex, *self.also))
        return FormulaConcept("k1", self.tex, len(said), len(said), spelt, places=places)

    def run(self, *items: Item, days: int = 0, **proposing: Any) -> ProposeSummary:
        with self.workspace.engine.begin() as db:
            for table in (store.documents, store.sources, store.matches, store.concepts):
                db.execute(table.delete())
            db.execute(store.concepts.insert().values(key="k1", tex=self.tex, names=[], representations=[]))
            for name in self.documents:
                row = {k: v for k, v in as_json(document(name)).items() if k in store.documents.c}
                db.execute(store.documents.insert().values(**row, path=name))
                db.execute(store.sources.insert().values(path=name, part=f"{self.tex} {self.shift}"))
            if self.documents:
                values = {"concept": "k1", "qid": HUBBLE.qid, "tex": self.tex, "probability": 0.93, "evidence": []}
                db.execute(store.matches.insert().values(**values))
        wiki: Any = Wikibase(*(items or (HUBBLE,)), OTHER)
        day = TODAY + timedelta(days=days)
        return propose(self.workspace, wiki, settings(**proposing), today=day, quiet=True)

    def rows(self, state: str = "all") -> list[QueueRow]:
        return queue(self.workspace, state)

    def decide(self, verdict: str = "approve", who: str = "Ada", **values: Any) -> Proposal:
        (row,) = self.rows("open") or self.rows()
        decide(self.workspace, Decision(row.proposal.id, row.proposal.hash, verdict, reviewer=who, **values))
        return row.proposal

    def written(self, p: Proposal) -> None:
        """Note that what was approved of a proposal is on the item."""
        n = self.workspace.rows(sa.select(sa.func.max(store.decisions.c.n).label("n")))[0]["n"]
        row = {"proposal": p.id, "hash": p.hash, "qid": p.qid, "guid": "g", "decision": n, "outcome": "written"}
        with self.workspace.engine.begin() as db:
            db.execute(store.edits.insert().values(**row, reviewer="Ada", payload={}))


def document(name: str) -> Document:
    return replace(DOCUMENT, id=f"lectures/{name}", url=f"https://{name}.example.org/")


def addresses(references: tuple[Reference, ...]) -> list[str]:
    return [r.snaks[0][2].removeprefix("https://").removesuffix(".example.org/") for r in references]


def on_the_item(*references: Reference, tex: str = TEX) -> Item:
    return replace(HUBBLE, statements=(statement(tex, "normal", *references),))


@pytest.fixture
def corpus(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    made = Corpus(workspace)
    add_reviewer(workspace, "Ada")

    def there(wanted: Callable[[Occurrence], bool]) -> list[Occurrence]:
        return [o for o in made.all() if wanted(o)]

    patch = {
        "load_concepts": lambda *_, **__: iter([made.concept()]),
        "occurrences_of": lambda _, places: there(lambda o: (o.document, o.position) in set(places)),
        "tex_of": lambda _, places: {
            (o.document, o.position): o.tex for o in there(lambda o: (o.document, o.position) in set(places))
        },
        "find_occurrences_again": lambda _, asked: there(lambda o: o.document in {d for d, *_ in asked}),
    }
    for name, function in patch.items():
        monkeypatch.setattr(f"bot.propose.proposal_context.{name}", function, raising=False)
    return made


def test_an_approval_stands_when_one_more_source_is_found(corpus: Corpus) -> None:
    corpus.run()
    approved = corpus.decide()
    corpus.documents = ("z", "a", "b")  # the new ones are told first
    summary = corpus.run(days=1)
    assert (summary.changed, summary.unchanged, summary.new) == (0, 1, 0)
    assert summary.sources_waiting == 2
    report = (corpus.workspace.reports / "dry-run.html").read_text(encoding="utf-8")
    assert "2 new sources for claims that are approved wait until those are written" in report
    assert [(r.proposal, r.state, r.reopened) for r in corpus.rows()] == [(approved, "approved", False)]


def test_an_approved_source_that_is_not_among_the_first_any_more_still_counts(corpus: Corpus) -> None:
    corpus.run()
    corpus.decide()
    corpus.documents = (*"zyxwvutsrqponml", "a")
    corpus.run(days=1)
    assert [r.state for r in corpus.rows()] == ["approved"]
    corpus.shift = 3
    corpus.run(days=2)
    assert [r.state for r in corpus.rows()] == ["approved"]


def test_a_new_source_is_a_proposal_of_its_own_once_the_claim_is_written(corpus: Corpus) -> None:
    corpus.run()
    first = corpus.decide()
    corpus.documents = ("z", "a")
    corpus.run(days=1)
    corpus.written(first)
    summary = corpus.run(on_the_item(*first.references), days=2)
    assert (summary.add_references, summary.new, summary.changed) == (1, 1, 0)
    (row,) = corpus.rows("open")
    more = row.proposal
    assert (more.kind, more.statement, more.claim) == ("add_reference", "Q179916$1", first.id)
    assert addresses(more.references) == ["z"]
    assert more.id != first.id
    assert more.expires > first.expires
    assert [q.document for q in more.quotes] == ["lectures/z"]
    assert [r.state for r in corpus.rows() if r.proposal == first] == ["written"]
    again = corpus.run(on_the_item(*first.references), days=3)
    assert (again.new, again.changed, again.unchanged) == (0, 0, 1)


def test_a_decision_on_one_more_source_is_bound_to_that_source_alone(corpus: Corpus) -> None:
    corpus.run()
    first = corpus.decide()
    corpus.written(first)
    item = on_the_item(*first.references)
    corpus.documents = ("z", "a")
    corpus.run(item, days=1)
    more = corpus.decide()
    corpus.documents = ("y", "z", "x", "a")
    corpus.run(item, days=2)
    assert [r.proposal for r in corpus.rows("approved")] == [more]
    assert [addresses(r.proposal.references) for r in corpus.rows("open")] == [["y"]]


def test_a_claim_with_enough_sources_gets_no_more_and_open_ones_keep_their_place(corpus: Corpus) -> None:
    corpus.run()
    first = corpus.decide()
    corpus.written(first)
    item = on_the_item(*first.references)
    corpus.documents = ("a", "b", "c", "d", "e")
    corpus.run(item, days=1)
    assert sorted(addresses(r.proposal.references) for r in corpus.rows("open")) == [["b"], ["c"]]
    corpus.documents = ("z", "y", "x", *corpus.documents)
    summary = corpus.run(item, days=2)
    assert (summary.new, summary.withdrawn) == (0, 0)
    full = on_the_item(*first.references, *(r.proposal.references[0] for r in corpus.rows("open")))
    assert corpus.run(full, days=3).withdrawn == 2
    assert corpus.rows("open") == []


def test_a_rejected_source_is_not_proposed_again(corpus: Corpus) -> None:
    corpus.run()
    first = corpus.decide()
    corpus.written(first)
    corpus.documents = ("a", "b")
    item = on_the_item(*first.references)
    corpus.run(item, days=1)
    corpus.decide("reject", reason="bad_source")
    assert corpus.run(item, days=2).new == 0
    assert corpus.rows("open") == []
    corpus.documents = ("a", "b", "c")
    corpus.run(item, days=3)
    assert [addresses(r.proposal.references) for r in corpus.rows("open")] == [["c"]]
    corpus.decide("reject", reason="wrong_item")
    corpus.documents = ("a", "b", "c", "d")
    corpus.run(item, days=4)
    assert corpus.rows("open") == []


def test_a_source_that_was_left_out_of_an_approval_does_not_come_back(corpus: Corpus) -> None:
    corpus.documents = ("a", "b")
    corpus.run()
    first = corpus.decide(references=("approve", "reject"))
    corpus.written(first)
    corpus.run(on_the_item(first.references[0]), days=1)
    assert corpus.rows("open") == []


def test_a_rejection_for_the_source_holds_until_there_is_another_one(corpus: Corpus) -> None:
    corpus.run()
    corpus.decide("reject", reason="bad_source")
    corpus.run(days=1)
    assert [r.state for r in corpus.rows()] == ["rejected"]
    corpus.documents = ("a", "b")
    corpus.run(days=2)
    (row,) = corpus.rows("open")
    assert (addresses(row.proposal.references), row.reopened) == (["b"], True)


def test_a_rejection_for_the_spelling_holds_when_a_source_is_found(corpus: Corpus) -> None:
    corpus.run()
    corpus.decide("reject", reason="bad_tex")
    corpus.documents = ("a", "b")
    corpus.run(days=1)
    assert [r.state for r in corpus.rows()] == ["rejected"]


def test_a_removed_source_reopens_unless_it_was_not_approved(corpus: Corpus) -> None:
    corpus.documents = ("a", "b")
    corpus.run()
    corpus.decide(references=("approve", "reject"))
    corpus.documents = ("a", "c")
    corpus.run(days=1)
    assert [r.state for r in corpus.rows()] == ["approved"]
    corpus.documents = ("b", "c")
    corpus.run(days=2)
    (row,) = corpus.rows("open")
    assert (row.reopened, addresses(row.proposal.references)) == (True, ["c"])


def test_an_approval_whose_only_source_is_gone_is_shown_as_flagged_and_stands_again_when_it_is_back(
    corpus: Corpus,
) -> None:
    corpus.run()
    approved = corpus.decide()
    corpus.documents = ()
    assert corpus.run(days=1).flagged == 1
    (row,) = corpus.rows("flagged")
    assert (row.proposal.id, row.reopened) == (approved.id, True)
    assert "source" in row.proposal.flag
    corpus.run(days=2)
    assert [r.state for r in corpus.rows()] == ["flagged"]
    corpus.documents = ("a",)
    corpus.run(days=3)
    assert [r.state for r in corpus.rows()] == ["approved"]


def test_a_spelling_that_is_more_frequent_now_is_no_change_and_one_that_is_gone_is(corpus: Corpus) -> None:
    corpus.run()
    corpus.decide()
    corpus.documents, corpus.tex, corpus.also = ("a", "b"), "v=H_{0}d", (TEX,)
    corpus.run(days=1)
    assert [(r.state, r.proposal.tex) for r in corpus.rows()] == [("approved", TEX)]
    corpus.also = ()
    corpus.run(days=2)
    assert [(r.state, r.reopened) for r in corpus.rows()] == [("open", True)]


def test_a_changed_kind_reopens(corpus: Corpus) -> None:
    corpus.run()
    corpus.decide()
    corpus.run(on_the_item(), days=1)
    assert [(r.state, r.reopened, r.proposal.kind) for r in corpus.rows()] == [("open", True, "add_reference")]


def test_two_people_see_the_same_content_though_a_source_came_between_them(corpus: Corpus) -> None:
    add_reviewer(corpus.workspace, "Ben")
    change_rules(corpus.workspace, {"two_persons": "true"})
    corpus.run()
    first = corpus.decide()
    corpus.documents = ("z", "a")
    corpus.run(days=1)
    decide(corpus.workspace, Decision(first.id, first.hash, "approve", reviewer="Ben"))
    assert [r.proposal for r in corpus.rows("approved")] == [first]


def test_what_two_people_dispute_stays_as_it_was_shown(corpus: Corpus) -> None:
    add_reviewer(corpus.workspace, "Ben")
    change_rules(corpus.workspace, {"blind": "1"})
    corpus.run()
    first = corpus.decide()
    decide(corpus.workspace, Decision(first.id, first.hash, "reject", reason="bad_source", reviewer="Ben"))
    corpus.documents = ("z", "a")
    corpus.run(days=1)
    assert [r.proposal for r in corpus.rows()] == [first]


def test_a_withdrawn_approval_takes_the_new_sources(corpus: Corpus) -> None:
    corpus.run()
    corpus.decide()
    corpus.decide("withdraw")
    corpus.documents = ("z", "a")
    corpus.run(days=1)
    (row,) = corpus.rows("open")
    assert addresses(row.proposal.references) == ["z", "a"]
    corpus.decide()
    corpus.documents = ("y", "z", "a")
    corpus.run(days=2)
    assert [addresses(r.proposal.references) for r in corpus.rows("approved")] == [["z", "a"]]


def test_an_edited_approval_stands_too(corpus: Corpus) -> None:
    corpus.run()
    corpus.decide(tex="v=H_{0}d")
    corpus.documents = ("z", "a")
    corpus.run(days=1)
    assert [(r.state, r.decision.tex) for r in corpus.rows() if r.decision] == [("approved", "v=H_{0}d")]


def test_an_approved_source_for_a_standing_claim_stays_and_the_next_one_is_apart(corpus: Corpus) -> None:
    corpus.run(on_the_item())
    first = corpus.decide()
    corpus.documents = ("z", "a")
    corpus.run(on_the_item(), days=1)
    assert [r.proposal for r in corpus.rows("approved")] == [first]
    assert [addresses(r.proposal.references) for r in corpus.rows("open")] == [["z"]]
    corpus.documents = ("z", "a", "b", "c", "d")
    corpus.run(on_the_item(), days=2)
    assert len(corpus.rows("open")) == 2, "three sources in all, of which one is approved and not there yet"


def test_the_formula_database_does_not_lose_a_claim_with_one_source_of_it(corpus: Corpus) -> None:
    corpus.run()
    first = corpus.decide()
    corpus.written(first)
    corpus.documents = ("a", "b")
    corpus.run(on_the_item(*first.references), days=1)
    corpus.decide("reject", reason="bad_source")
    rows = corpus.workspace.rows(sa.select(store.representations.c.qid))
    assert {row["qid"] for row in rows} == {HUBBLE.qid}


def test_a_source_is_new_where_it_supports_the_claim_and_nobody_has_or_rejected_it() -> None:
    sources = [Reference(((P.reference_url, "url", f"https://{n}.example.org/x"),)) for n in range(5)]
    supported = [(SimpleNamespace(where="sentence"), SimpleNamespace(reference=each)) for each in sources[:4]]
    weak = [
        (SimpleNamespace(where=""), SimpleNamespace(reference=sources[4])),
        (supported[0][0], SimpleNamespace(reference=None)),
    ]
    case: Any = SimpleNamespace(cited=[*weak, *supported, supported[3]])
    row: Any = SimpleNamespace(rejected_references=(sources[1],))
    assert _new_sources(row, case, [sources[0]], P) == (sources[2], sources[3])
