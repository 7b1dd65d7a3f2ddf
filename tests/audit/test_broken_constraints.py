"""The constraints of the property as the wiki states them, and addresses of references that are gone; over HTTP against the rehearsal wiki."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bot.audit import run_audits
from bot.lookup import Client
from bot.records import Finding
from bot.sandbox import Sandbox
from bot.settings import Agent, Settings
from bot.store import Workspace

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from planted_faults import LAW, SOURCE, Entity, World, ground, source, statement

FORMAT, DISTINCT, SINGLE, BEST, CITATION, TYPE = (
    "Q21502404", "Q21502410", "Q19474404", "Q52060874", "Q54554025", "Q21503250",
)  # fmt: skip


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as running:
        running.fill(())
        yield running


def audit(workspace: Workspace, sandbox: Sandbox, world: World, name: str) -> list[Finding]:
    sandbox.load_entities(world.entities)
    with Client(sandbox.wiki, Agent(timeout=5)) as client:
        return run_audits(workspace, client, Settings(wiki=sandbox.wiki), (name,))


def formula(qid: str, tex: str, references: tuple[Entity, ...] = SOURCE, rank: str = "normal") -> Entity:
    return statement(qid, "P2534", tex, references=references, rank=rank)


def world_with(kind: str, **qualifiers: str) -> World:
    world = World()
    ground(world)
    stated = statement("P2534", "P2302", kind, "wikibase-item", **qualifiers)
    world.entities["P2534"]["claims"] = {"P2302": [stated]}
    world.add("Q1001", formula("Q1001", "a=b"))
    return world


@pytest.mark.parametrize(
    ("kind", "qualifiers", "claims", "what"),
    [
        (FORMAT, {"P1793": "[a-z=]+"}, ["A=B"], "its formula does not fit the format [a-z=]+"),
        (DISTINCT, {}, ["a=b"], "its formula stands on Q1001 too, and the property wants distinct values"),
        (SINGLE, {}, ["c=d", "e=f"], "it has 2 formulas, and the property wants a single one"),
        (BEST, {}, ["c=d", "e=f"], "2 formulas of it are of the best rank, and the property wants a single one"),
        (CITATION, {}, [""], "its formula names no source, and the property wants one"),
    ],
)
def test_what_breaks_a_constraint_is_found(
    workspace: Workspace, sandbox: Sandbox, kind: str, qualifiers: dict[str, str], claims: list[str], what: str
) -> None:
    world = world_with(kind, **qualifiers)
    world.add("Q1002", *(formula("Q1002", tex or "g=h", SOURCE if tex else ()) for tex in claims))
    found = {f.item: f.what for f in audit(workspace, sandbox, world, "constraints") if f.severity == "warning"}
    assert found.pop("Q1002") == what
    assert set(found) == ({"Q1001"} if kind == DISTINCT else set())


def test_an_exception_and_a_preferred_formula_break_nothing(workspace: Workspace, sandbox: Sandbox) -> None:
    world = world_with(BEST, P2303="Q1003")
    world.add("Q1002", formula("Q1002", "c=d", rank="preferred"), formula("Q1002", "e=f"))
    world.add("Q1003", formula("Q1003", "i=j"), formula("Q1003", "k=l"))
    assert [f.severity for f in audit(workspace, sandbox, world, "constraints")] == ["info"]


@pytest.mark.parametrize(
    ("relation", "right"), [("Q21503252", "Q1002"), ("Q21514624", "Q1003"), ("Q30208840", "Q1002 Q1003")]
)
def test_a_class_may_be_any_number_of_steps_away(
    workspace: Workspace, sandbox: Sandbox, relation: str, right: str
) -> None:
    world = world_with(TYPE, P2308="Q34", P2309=relation)
    for low, high in ((LAW, "Q31"), ("Q31", "Q32"), ("Q32", "Q33"), ("Q33", "Q34")):
        world.add(low, statement(low, "P279", high, "wikibase-item"), of="")
    world.entities.pop("Q1001")
    world.add("Q1002", formula("Q1002", "c=d"))
    world.add("Q1003", formula("Q1003", "e=f"), statement("Q1003", "P279", LAW, "wikibase-item"), of="")
    world.add("Q1004", formula("Q1004", "g=h"), of="Q5")
    found = {f.item for f in audit(workspace, sandbox, world, "constraints") if f.severity == "warning"}
    assert found == {"Q1002", "Q1003", "Q1004"} - set(right.split())


def test_kinds_that_are_not_looked_at_are_named(workspace: Workspace, sandbox: Sandbox) -> None:
    found = audit(workspace, sandbox, world_with("Q21510856"), "constraints")
    assert found[0].what == "1 kind of constraint is not checked: Q21510856"


class _Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response({"/gone": 404, "/there": 200}.get(self.path, 503))
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        return None


def test_an_address_that_is_gone_is_found_and_one_that_fails_could_not_tell(
    workspace: Workspace, sandbox: Sandbox
) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        site = f"http://127.0.0.1:{server.server_port}"
        world = world_with(CITATION)
        for n, place in enumerate(("gone", "there", "ill"), 2):
            world.add(f"Q100{n}", formula(f"Q100{n}", f"x_{n}=y", (source("P854", f"{site}/{place}", "url"),)))
        found = audit(workspace, sandbox, world, "dead_links")
        server.shutdown()
    assert [(f.item, f.what) for f in found if f.severity == "warning"] == [
        ("Q1002", f"a reference names {site}/gone, which is gone")
    ]
    assert [f.what for f in found if f.severity == "unknown"] == [
        "could not tell: 1 address of a reference gave no answer that tells whether there is a page"
    ]
