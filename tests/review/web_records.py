"""A workspace by hand for the tests of the review page, and a server for it: what reviewers meet, in a dozen proposals."""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask
from flask.testing import FlaskClient
from waitress import wasyncore
from waitress.server import create_server

from bot import store
from bot.messages import uncoded_message
from bot.records import Check, Decision, Document, Evidence, Item, Proposal, Quote, Reference, Statement, as_json
from bot.review import add_reviewer
from bot.review.proposal_state import decision_of, statuses
from bot.review.web import make_app
from bot.review.web.security import OneTimeToken
from bot.settings import Settings
from bot.store import Workspace

LAWS = (
    ("Q179916", "Hubble's law", r"v = H_0 d", 0.97, "law of cosmology"),
    ("Q35875", "mass–energy equivalence", r"E = m c^{2}", 0.95, "relation of mass and energy"),
    ("Q11412", "Newton's law of universal gravitation", r"F = G \frac{m_1 m_2}{r^2}", 0.91, "classical statement of gravity"),
    ("Q179380", "Hooke's law", r"F = -k x", 0.9, "force of a spring"),
    ("Q41591", "Ohm's law", r"V = I R", 0.86, "relation of voltage and current"),
    ("Q11518", "Pythagorean theorem", r"a^2 + b^2 = c^2", 0.84, "relation in a right triangle"),
    ("Q182505", "Bayes' theorem", r"P(A \mid B) = \frac{P(B \mid A) P(A)}{P(B)}", 0.72, "theorem about probabilities"),
    ("Q165498", "Schrödinger equation", r"i \hbar \frac{\partial}{\partial t} \psi = \hat{H} \psi", 0.66, "equation of quantum mechanics"),
    ("Q83327", "electric current", r"I = \frac{\mathrm{d}Q}{\mathrm{d}t}", 0.55, "flow of charge"),
    ("Q83213", "Lorentz force", r"\mathbf{F} = q (\mathbf{E} + \mathbf{v} \times \mathbf{B})", 0.41, "force on a charge in a field"),
)  # fmt: skip


def reference(n: int, address: str = "https://lectures.example.org/expansion") -> Reference:
    return Reference((("P854", "url", f"{address}/{n}"), ("P813", "time", "+2026-11-20T00:00:00Z")))


def proposal(n: int, **values: Any) -> Proposal:
    qid, label, tex, probability, _ = LAWS[n % len(LAWS)]
    document = f"lectures/{n % 3}"
    plain: dict[str, Any] = {
        "id": f"{n:016x}",
        "kind": "new_claim",
        "qid": qid,
        "property": "P2534",
        "tex": tex,
        "references": (reference(0), reference(1)),
        "evidence": (
            Evidence("name", 2.0, uncoded_message(f"the sentence names “{label}” beside it")),
            Evidence("title", 1.0, uncoded_message("it is the first equation of the chapter")),
            Evidence("lonely", -0.5, uncoded_message("it stands in one document only")),
        ),
        "checks": (
            Check("item", "ok", uncoded_message("exists, revision 7")),
            Check("grammar", "ok", uncoded_message("the wiki takes it")),
            Check("source", "ok", uncoded_message("one sentence holds both formula and name")),
        ),
        "probability": probability,
        "base_revision": 7,
        "hash": f"hash-of-{n:03d}-{tex[:3]}".encode().hex()[:40],
        "expires": "2999-01-01",
        "concept": f"concept-{n}",
        "quotes": (
            Quote(
                document, 4, f"The {label} is usually written ⟦4⟧, where ⟦5⟧ is what is measured.", "First laws", label,
                "Lectures on physics", "https://lectures.example.org/expansion", ((4, tex), (5, "x")), "sentence",
            ),
        ),
        "runners_up": (("Q41591", "Ohm's law", 0.12),),
        "other_formulas": ((r"z = \frac{\Delta\lambda}{\lambda}", 0.2),),
    }  # fmt: skip
    return Proposal(**{**plain, **values})


def dozen() -> list[Proposal]:
    """Ten plain ones, one that adds a reference, one that is flagged."""
    made = [proposal(n) for n in range(10)]
    made[2] = proposal(
        2, checks=(*made[2].checks, Check("other items", "warn", uncoded_message("another item has this formula")))
    )
    standing = proposal(10, qid="Q35875", kind="add_reference", tex=r"E=mc^2", statement="Q35875$1", probability=0.88)
    checks = (Check("standing formulas", "fail", uncoded_message("the item has another formula: U = R I")),)
    flagged = proposal(11, qid="Q41591", kind="flag", checks=checks, probability=0.5)
    return [*made, standing, flagged]


def fill(workspace: Workspace, proposals: list[Proposal] | None = None) -> list[Proposal]:
    """Put items, documents, concepts and proposals into a workspace."""
    proposals = dozen() if proposals is None else proposals
    statements = {
        "Q35875": (Statement("Q35875$1", "P2534", "E=mc^2", "normal", (reference(7),)),),
        "Q41591": (Statement("Q41591$1", "P2534", "U = R I", "preferred"),),
        "Q182505": (Statement("Q182505$1", "P2534", r"P(A|B)=\frac{P(B|A)P(A)}{P(B)}", "deprecated"),),
    }
    items = [
        Item(qid, label, (f"{label} (physics)",), about, ("Q214070",), statements.get(qid, ()), 7)
        for qid, label, _, _, about in LAWS
    ]
    documents = [
        Document(f"lectures/{n}", "Lectures on physics", url="https://lectures.example.org", source="lectures")
        for n in range(3)
    ]
    with workspace.engine.begin() as db:
        for item in items:
            db.execute(store.items.insert().values(qid=item.qid, revision=7, record=as_json(item)))
        for d in documents:
            db.execute(
                store.documents.insert().values(id=d.id, title=d.title, url=d.url, source=d.source, identifiers=[])
            )
        for n, (_, label, tex, _, _) in enumerate(LAWS):
            row = {
                "key": f"concept-{n}",
                "tex": tex,
                "occurrences": 40 - n,
                "documents": 9,
                "names": [],
                "places": [],
                "definitions": [],
            }
            spelling = {"tex": tex, "level": "K0", "occurrences": 40 - n, "documents": 9}
            db.execute(store.concepts.insert().values(**row, representations=[spelling]))
            db.execute(
                store.matches.insert().values(concept=f"concept-{n}", qid="Q1", tex=tex, probability=0.9, evidence=[])
            )
            free = {**row, "key": f"free-{n}", "tex": f"{tex} + {n}", "names": [{"name": label, "score": 0.9}]}
            db.execute(store.concepts.insert().values(**free, representations=[{**spelling, "tex": free["tex"]}]))
        for p in proposals:
            names = ("id", "kind", "qid", "probability", "hash", "expires")
            row = {name: getattr(p, name) for name in names}
            db.execute(
                store.proposals.insert().values(**row, record=as_json(p), created="2026-11-20", seen="2026-11-20")
            )
    return proposals


def opened(path: Path, *people: str, proposals: list[Proposal] | None = None) -> Workspace:
    """Return a filled workspace; the first person is an operator."""
    return _copied(_filled(people, None if proposals is None else tuple(proposals)), path)


def _copied(database: bytes, path: Path) -> Workspace:
    path.mkdir(0o700, exist_ok=True)
    (path / "bot.db").touch(0o600)
    (path / "bot.db").write_bytes(database)
    return Workspace.open(path)


@cache
def _new() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        Workspace.open(folder).close()
        return (Path(folder) / "bot.db").read_bytes()


@cache
def _filled(people: tuple[str, ...], proposals: tuple[Proposal, ...] | None) -> bytes:
    """Return the database of a filled workspace: to copy it takes a tenth of the time."""
    with tempfile.TemporaryDirectory() as folder:
        with _copied(_new(), Path(folder) / "w") as workspace:
            fill(workspace, None if proposals is None else list(proposals))
            for n, name in enumerate(people):
                add_reviewer(workspace, name, "reviewer" if n else "operator")
        return (Path(folder) / "w" / "bot.db").read_bytes()


@dataclass
class SignedIn:
    """A signed-in person: a test client that knows the session's form token."""

    app: Flask
    client: FlaskClient
    csrf: str = ""

    def get(self, path: str, code: int = 200) -> str:
        answer = self.client.get(path)
        assert answer.status_code == code, (path, answer.status, answer.get_data(True)[-600:])
        text = answer.get_data(True)
        if found := re.search(r'data-csrf="([^"]+)"', text):
            self.csrf = found[1]
        return text

    def post(self, path: str, **data: Any) -> Any:
        answer = self.client.post(path, data={"csrf": self.csrf, **data})
        assert (
            answer.status_code == 303 or "Location" not in answer.headers
        )  # a form that was taken is answered by a page to get
        return answer

    def fields(self, id_: str) -> dict[str, Any]:
        """Return what the form of a proposal's page carries: hash, words, and the ticked references."""
        html = self.get(f"/p/{id_}")
        found: dict[str, Any] = dict(re.findall(r'name="(hash|words|view)" value="([^"]*)"', html))
        found["reference"] = re.findall(r'name="reference" value="(\d+)" checked', html)
        return found

    def decide(self, id_: str, verdict: str, **more: Any) -> Any:
        return self.post(f"/p/{id_}", **{**self.fields(id_), "verdict": verdict, **more})


def reads(item: Callable[[str], Item]) -> Any:
    """Return what opens a wiki of which only these items can be read."""

    class Readable:
        def entities(self, qids: list[str], *, fresh: bool) -> dict[str, Item]:
            return {qid: item(qid) for qid in qids}

    return lambda: nullcontext(Readable())


def signed_in(workspace: Workspace, name: str, **values: Any) -> SignedIn:
    """Return a signed-in person at the workspace's page."""
    token = OneTimeToken()
    app = make_app(workspace, Settings(), hosts={"localhost"}, token=token, reviewer=name, **values)
    person = SignedIn(app, app.test_client())
    assert person.client.get(f"/sign-in/{token.text}").status_code == 303
    person.get("/")
    return person


@contextmanager
def served(workspace: Workspace, **values: Any) -> Iterator[tuple[str, OneTimeToken]]:
    """Serve a workspace on a free port of this machine; yields the address and its one-time token."""
    token = OneTimeToken()
    server: Any = create_server(lambda environ, start: [], host="127.0.0.1", port=0, threads=8)
    host = f"127.0.0.1:{server.effective_port}"
    server.application = make_app(workspace, Settings(), hosts={host}, token=token, **values)
    with running(server):
        yield f"http://{host}", token


@contextmanager
def running(server: Any) -> Iterator[None]:
    """Run a waitress server in a thread of its own and close it at the end."""

    def run() -> None:
        with suppress(OSError):  # it is closed from outside while it waits
            server.run()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield
    finally:
        # In the thread that waits for requests: a socket that is closed from outside does not wake it.
        with suppress(OSError):  # it has come to its end already
            server.trigger.pull_trigger(lambda: wasyncore.close_all(server._map, ignore_all=True))
        thread.join(5)
        server.task_dispatcher.shutdown()


def counting_decisions(workspace: Workspace) -> dict[str, Decision]:
    """Return the decision that counts on each proposal as it is now."""
    return {id_: decision_of(s.decision) for id_, s in statuses(workspace).items() if s.decision is not None}
