"""Hand-made records for the tests of propose/: one law, its item, its sentence; each test changes what it is about."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Any

from bot.messages import uncoded_message
from bot.propose.build import ProposalContext
from bot.propose.select import Suggestion, canonical_key
from bot.records import Document, Evidence, Item, Occurrence, Reference, Statement
from bot.settings import Properties, Proposing, Settings

TODAY = date(2026, 11, 20)
P = Properties()
TEX = r"v = H_0 d"
HUBBLE = Item("Q179916", "Hubble's law", ("Hubble–Lemaître law",), "law of cosmology", ("Q214070",), revision=7)
DOCUMENT = Document(
    "lectures/expansion.html", "The expanding universe", url="https://lectures.example.org/expansion", source="lectures"
)
PLACE = Occurrence(
    DOCUMENT.id, 4, TEX, True, "Galaxies obey Hubble’s law, ⟦4⟧, where ⟦5⟧ is the distance.", heading="Galaxies"
)


def statement(tex: str = TEX, rank: str = "normal", *references: Reference, **more: Any) -> Statement:
    return Statement("Q179916$1", P.defining_formula, tex, rank, references, **more)


def url(address: str) -> Reference:
    return Reference(((P.reference_url, "url", address), (P.retrieved, "time", "+2020-01-01T00:00:00Z")))


def entry(tex: str = TEX, probability: float = 0.93, **more: Any) -> Suggestion:
    evidence = (
        Evidence("name", 2.0, uncoded_message("the sentence names it")),
        Evidence("lonely", -0.5, uncoded_message("one document only")),
    )
    return replace(Suggestion("Q179916", canonical_key(tex), tex, probability, evidence, ("k1",)), **more)


def world(item: Item = HUBBLE, document: Document = DOCUMENT, *places: Occurrence, **more: Any) -> ProposalContext:
    places = places or (PLACE,)
    return ProposalContext(
        items={item.qid: item},
        documents={document.id: document},
        places={"k1": places},
        tex_at={(document.id, 5): "d"},
        labels={item.qid: item.label, "Q214070": "physical law"},
        **more,
    )


def settings(**proposing: Any) -> Settings:
    return Settings(proposing=replace(Proposing(), **proposing))
