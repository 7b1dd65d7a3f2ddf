"""Faults of every kind among right statements of the rehearsal wiki: which of them the audits find, and what they report besides.

    python benchmarks/planted_faults.py [--statements 20000] [--faults 300] [--seed 1] [--json]

Each right item has a formula of its own with a source; some have symbols, parts, a second formula, a deprecated one, an edit of ours.
A planted fault is one of KINDS; what an audit reports beside those is a false alarm.
"""

from __future__ import annotations

import copy
import random
import resource
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from command import arguments

from bot import store
from bot.audit import run_audits
from bot.console import table, write_json
from bot.lookup import Client
from bot.sandbox import Sandbox
from bot.settings import Agent, Settings
from bot.store import Workspace

Entity = dict[str, Any]
LAW, HUMAN, BOOK, NEWTON, JOULE = "Q10", "Q5", "Q12", "Q13", "Q14"
# quantity -> (symbol, ISQ dimension)
QUANTITIES = {
    "Q21": ("m", r"\mathsf{M}"),
    "Q22": ("a", r"\mathsf{L} \mathsf{T}^{-2}"),
    "Q23": ("F", r"\mathsf{L} \mathsf{M} \mathsf{T}^{-2}"),
    "Q24": ("v", r"\mathsf{L} \mathsf{T}^{-1}"),
    "Q25": ("E", r"\mathsf{L}^2 \mathsf{M} \mathsf{T}^{-2}"),
}
FIRST = 1000  # number of the first item


def snak(prop: str, kind: str, value: Any) -> Entity:
    types = {"wikibase-item": "wikibase-entityid", "time": "time"}
    return {
        "snaktype": "value",
        "property": prop,
        "datatype": kind,
        "hash": "",
        "datavalue": {"type": types.get(kind, "string"), "value": value},
    }


def item_value(qid: str) -> Entity:
    return {"entity-type": "item", "numeric-id": int(qid[1:]), "id": qid}


def statement(
    qid: str,
    prop: str,
    value: str,
    kind: str = "math",
    references: tuple[Entity, ...] = (),
    rank: str = "normal",
    **qualifiers: str,
) -> Entity:
    shown = item_value(value) if kind == "wikibase-item" else value
    guid = f"{qid}${str(uuid.uuid5(uuid.NAMESPACE_URL, f'{qid} {prop} {value} {rank}')).upper()}"
    found: Entity = {"id": guid, "type": "statement", "rank": rank, "mainsnak": snak(prop, kind, shown)}
    if qualifiers:
        found["qualifiers"] = {p: [_qualifier(p, v)] for p, v in qualifiers.items()}
        found["qualifiers-order"] = list(qualifiers)
    if references:
        found["references"] = list(references)
    return found


def _qualifier(prop: str, value: str) -> Entity:
    is_item = value[:1] == "Q" and value[1:].isdecimal()
    return snak(prop, "wikibase-item", item_value(value)) if is_item else snak(prop, "string", value)


def source(prop: str = "P248", value: str = BOOK, kind: str = "wikibase-item") -> Entity:
    shown = item_value(value) if kind == "wikibase-item" else value
    return {
        "hash": uuid.uuid5(uuid.NAMESPACE_URL, f"{prop} {value}").hex,
        "snaks": {prop: [snak(prop, kind, shown)]},
        "snaks-order": [prop],
    }


SOURCE = (source(),)
WIKIPEDIA = (source("P143", "Q328"),)
GONE = (source(value="Q19"),)


@dataclass
class World:
    """What is on the wiki, what was written by us, what has to be found."""

    entities: dict[str, Entity] = field(default_factory=dict)
    ours: list[str] = field(default_factory=list)  # items whose first formula we wrote
    later: list[tuple[str, str]] = field(default_factory=list)  # (what somebody does afterwards, item)
    expected: Counter[tuple[str, str]] = field(default_factory=Counter)  # (audit, item)
    kinds: dict[tuple[str, str], str] = field(default_factory=dict)
    statements: int = 0

    def add(self, qid: str, *claims: Entity, label: str = "", of: str = LAW) -> Entity:
        groups: dict[str, list[Entity]] = {}
        for claim in (*claims, *([statement(qid, "P31", of, "wikibase-item")] if of else [])):
            groups.setdefault(claim["mainsnak"]["property"], []).append(claim)
        labels = {"en": {"language": "en", "value": label or f"law {qid}"}}
        self.entities[qid] = {"id": qid, "type": "item", "labels": labels, "claims": groups}
        self.statements += len(groups.get("P2534", ()))
        return self.entities[qid]


def ground(world: World) -> None:
    """Add classes, quantities, units and the constraints of the property."""
    for qid, label in ((LAW, "law"), (HUMAN, "human"), (BOOK, "book of formulas"), ("Q328", "an encyclopaedia")):
        world.add(qid, label=label, of="")
    for qid, (letter, dimension) in QUANTITIES.items():
        unit = JOULE if letter == "E" else NEWTON
        recommended = [statement(qid, "P8111", unit, "wikibase-item")] if letter in "EF" else []
        world.add(
            qid, statement(qid, "P4020", dimension), statement(qid, "P7973", letter), *recommended, label=letter, of=""
        )
    world.add(NEWTON, statement(NEWTON, "P111", "Q23", "wikibase-item"), label="newton", of="")
    world.add(JOULE, statement(JOULE, "P111", "Q25", "wikibase-item"), label="joule", of="")
    kind = statement("P2534", "P2302", "Q21503250", "wikibase-item", P2308=LAW, P2309="Q21503252")
    claims = {"P2302": [kind]}
    world.entities["P2534"] = {"id": "P2534", "type": "property", "datatype": "math", "labels": {}, "claims": claims}


def right(world: World, qid: str, n: int, rng: random.Random) -> None:
    """Add an item without a fault, of one of many kinds."""

    def formula(tex: str, references: tuple[Entity, ...] = SOURCE, rank: str = "normal") -> Entity:
        return statement(qid, "P2534", tex, references=references, rank=rank)

    def symbols(*letters: str) -> list[Entity]:
        named = {letter: quantity for quantity, (letter, _) in QUANTITIES.items()}
        return [statement(qid, "P7235", letter, P9758=named[letter]) for letter in letters]

    plain = rng.choice(
        [
            rf"y_{{{n}}}=\alpha x_{{{n}}}+{n}",
            rf"\frac{{\mathrm{{d}}u_{{{n}}}}}{{\mathrm{{d}}t}}=-{n}\,u_{{{n}}}",
            rf"\sum_{{k=1}}^{{{n}}}a_k=b_{{{n}}},\quad b_{{{n}}}>0",
            rf"f_{{{n}}}(x)=\begin{{cases}}x^{{2}},&x\ge {n}\\0,&x<{n}\end{{cases}}",
            rf"\oint_{{C}}\vec{{E}}_{{{n}}}\cdot\mathrm{{d}}\vec{{l}}=0",
            rf"p_{{{n}}}=q_{{{n}}}=r_{{{n}}}",
            rf"N_{{{n}}}=N_0e^{{-\lambda t}}\quad\text{{where }}\lambda=\frac{{\ln 2}}{{T_{{{n}}}}}",
        ]
    )
    match n % 12:
        case 0:
            world.add(qid, formula(rf"F=ma+{n}ma"), *symbols("F", "m", "a"))
        case 1:
            world.add(
                qid, formula(rf"E=\frac{{1}}{{{n + 2}}}mv^2"), *symbols("E", "m", "v"), statement(qid, "P7973", "E")
            )
        case 2:  # a wrong one that somebody has deprecated already
            world.add(qid, formula(plain), formula(r"\nosuch{", (), "deprecated"))
        case 3:
            world.add(qid, formula(plain, (*WIKIPEDIA, *SOURCE)))
        case 4:  # parts with symbols, and no statement that they would hide
            world.add(qid, formula(plain), statement(qid, "P527", "Q21", "wikibase-item", P416="m"))
        case 5:  # the preferred one comes first
            world.add(qid, formula(plain, rank="preferred"), formula(rf"z_{{{n}}}=w_{{{n}}}"))
        case 6 if n > 6:  # the same formula as its part, in another notation
            world.add(qid, formula(rf"g_{{{n}}}={{h_{{{n}}} \over 3}}"))
            part = f"Q6{qid[1:]}"
            other = statement(part, "P2534", rf"g_{{{n}}}=\frac{{h_{{{n}}}}}{{3}}", references=SOURCE)
            world.add(part, other, statement(part, "P361", qid, "wikibase-item"))
        case 7:  # two laws of one item that are not near miss of one another
            world.add(qid, formula(rf"F_{{{n}}}=m a"), formula(rf"\nabla\times\vec{{B}}_{{{n}}}=\mu_0\vec{{J}}"))
        case _:
            world.add(qid, formula(plain))
    if n % 3 == 0:
        world.ours.append(qid)


Plant = Callable[[World, str, int], tuple[str, ...]]


def _formula(qid: str, tex: str, references: tuple[Entity, ...] = SOURCE, rank: str = "normal") -> Entity:
    return statement(qid, "P2534", tex, references=references, rank=rank)


def _plain(
    world: World, qid: str, n: int, *claims: Entity, tex: str = "", references: tuple[Entity, ...] = SOURCE
) -> None:
    world.add(qid, _formula(qid, tex or rf"Y_{{{n}}}=\beta X_{{{n}}}", references), *claims)


def _no_source(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, references=())
    return ("unreferenced",)


def _weak(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, references=WIKIPEDIA)
    return ("weak_references",)


def _weak_address(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, references=(source("P854", "https://en.wikipedia.org/wiki/Law", "url"),))
    return ("weak_references",)


def _dead(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, references=GONE)
    return ("dead_sources",)


def _shared(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, tex=rf"S_{{{n}}}=\frac{{a_{{{n}}}}}{{b}}")
    other = f"Q7{qid[1:]}"
    world.add(other, _formula(other, rf"S_{{{n}}} = {{a_{{{n}}} \over b}}"))
    return ("shared_formula",)


def _contradicting(world: World, qid: str, n: int) -> tuple[str, ...]:
    world.add(qid, _formula(qid, rf"W_{{{n}}}=mc^2"), _formula(qid, rf"W_{{{n}}}=mc^3"))
    return ("contradicting",)


def _sign(world: World, qid: str, n: int) -> tuple[str, ...]:
    world.add(qid, _formula(qid, rf"V_{{{n}}}=kx"), _formula(qid, rf"V_{{{n}}}=-kx"))
    return ("contradicting",)


def _several(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, tex=rf"x_{{{n}}}=\cos t,\quad y_{{{n}}}=\sin t")
    return ("several_equations",)


def _grammar(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, tex=rf"\frac{{a_{{{n}}}}}{{b")
    return ("invalid",)


def _long(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, tex=f"T_{{{n}}}=" + "+".join(f"t_{{{k}}}" for k in range(90)))
    return ("invalid",)


def _escaped(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, tex=rf"a_{{{n}}} &lt; b")
    return ("invalid",)


def _wrapped(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, tex=rf"{{\displaystyle A_{{{n}}}=B}}")
    return ("invalid",)


def _human(world: World, qid: str, n: int) -> tuple[str, ...]:
    world.add(qid, _formula(qid, rf"H_{{{n}}}=h"), of=HUMAN)
    return ("wrong_class", "constraints")


def _no_class(world: World, qid: str, n: int) -> tuple[str, ...]:
    world.add(qid, _formula(qid, rf"K_{{{n}}}=k"), of="")
    return ("constraints",)


def _unlike(world: World, qid: str, n: int) -> tuple[str, ...]:
    letters = {"E": "Q25", "m": "Q21", "v": "Q24"}
    _plain(
        world,
        qid,
        n,
        *(statement(qid, "P7235", s, P9758=q) for s, q in letters.items()),
        tex=rf"E=\frac{{1}}{{{n}}}mv^3",
    )
    return ("dimensions",)


def _unit(world: World, qid: str, n: int) -> tuple[str, ...]:
    dimension = statement(qid, "P4020", r"\mathsf{T}")
    _plain(world, qid, n, dimension, statement(qid, "P8111", NEWTON, "wikibase-item"))
    return ("units",)


def _symbol(world: World, qid: str, n: int) -> tuple[str, ...]:
    _plain(world, qid, n, statement(qid, "P7235", "Q", P9758="Q25"))
    return ("symbols",)


def _hidden(world: World, qid: str, n: int) -> tuple[str, ...]:
    part = statement(qid, "P527", "Q21", "wikibase-item")
    _plain(world, qid, n, part, statement(qid, "P7235", "X", P9758="Q21"), tex=rf"Y=X^{{{n}}}")
    return ("hidden_symbols",)


def _deprecated_first(world: World, qid: str, n: int) -> tuple[str, ...]:
    world.add(
        qid, _formula(qid, rf"D_{{{n}}}=d", rank="deprecated"), _formula(qid, rf"D_{{{n}}}=\int e\,\mathrm{{d}}s")
    )
    return ("shown_first",)


def _changed(what: str) -> Plant:
    def plant(world: World, qid: str, n: int) -> tuple[str, ...]:
        _plain(world, qid, n)
        world.ours.append(qid)
        world.later.append((what, qid))
        return ("seeded",)

    return plant


KINDS: dict[str, Plant] = {
    "no source": _no_source,
    "a Wikimedia project as source": _weak,
    "a page of Wikipedia as source": _weak_address,
    "a deleted source": _dead,
    "one formula on two items": _shared,
    "another exponent": _contradicting,
    "another sign": _sign,
    "several equations": _several,
    "no texvc": _grammar,
    "over-long": _long,
    "HTML-escaped": _escaped,
    "wrapped": _wrapped,
    "a person with a formula": _human,
    "outside the subject type": _no_class,
    "unlike dimensions": _unlike,
    "a unit of another dimension": _unit,
    "a symbol that is not there": _symbol,
    "symbols hidden by parts": _hidden,
    "a deprecated formula first": _deprecated_first,
    "our claim removed": _changed("removed"),
    "our claim changed": _changed("changed"),
    "our claim deprecated": _changed("deprecated"),
    "our claim merged away": _changed("merged"),
    "our item deleted": _changed("deleted"),
}


def build(statements: int, faults: int, seed: int) -> World:
    """Return a world of so many formula statements with so many faults, the same for the same seed."""
    rng, world = random.Random(seed), World()
    ground(world)
    bad = set(rng.sample(range(int(statements * 0.7)), faults))  # right items have more than one statement at times
    kinds = [name for _ in range(faults // len(KINDS) + 1) for name in KINDS][:faults]
    rng.shuffle(kinds)
    n = 0
    while world.statements < statements:
        qid, number = f"Q{FIRST + n}", n + 2
        if n in bad and kinds:
            kind = kinds.pop()
            for audit in KINDS[kind](world, qid, number):
                world.expected[audit, qid] += 1
                world.kinds[audit, qid] = kind
        else:
            right(world, qid, number, rng)
        n += 1
    assert not kinds, "every fault has its place"
    return world


def apply_later(sandbox: Sandbox, world: World) -> None:
    """Let somebody change what we wrote."""
    for what, qid in world.later:
        found = copy.deepcopy((sandbox.entity(qid) or {})["claims"]["P2534"][0])  # type: ignore[typeddict-item]
        if what == "removed":
            sandbox.act("PlainUser", action="wbremoveclaims", claim=found["id"])
        elif what == "deleted":
            sandbox.delete(qid)
        elif what == "merged":
            target = f"Q8{qid[1:]}"
            sandbox.load_entities(
                {
                    target: {
                        "id": target,
                        "type": "item",
                        "labels": {},
                        "claims": {"P31": [statement(target, "P31", LAW, "wikibase-item")]},
                    }
                }
            )
            sandbox.merge(qid, target)
        elif what == "deprecated":
            sandbox.act("PlainUser", action="wbsetclaim", claim={**found, "rank": "deprecated"})
        else:
            found["mainsnak"]["datavalue"]["value"] += "+1"
            sandbox.act("PlainUser", action="wbsetclaim", claim=found)


def write_ledger(workspace: Workspace, sandbox: Sandbox, world: World) -> None:
    """Keep that we wrote the first formula of some items, each approved."""
    time_ = "2026-11-01T00:00:00Z"
    with workspace.engine.begin() as db:
        db.execute(store.reviewers.insert().values(name="Ada", role="reviewer", added=time_))
        for qid in world.ours:
            claim = world.entities[qid]["claims"]["P2534"][0]
            made = {"proposal": qid, "hash": qid, "verdict": "approve", "reviewer": "Ada", "time": time_}
            n = db.execute(store.decisions.insert().values(**made)).inserted_primary_key
            row = {
                "proposal": qid,
                "hash": qid,
                "decision": n[0] if n else 0,
                "reviewer": "Ada",
                "qid": qid,
                "guid": claim["id"],
                "payload": claim,
                "time": time_,
            }
            db.execute(
                store.edits.insert().values(
                    **row, outcome="written", revision=sandbox.history(qid)[-1]["id"], group="g"
                )
            )


def measure(statements: int, faults: int, seed: int, folder: Path) -> dict[str, Any]:
    """Return figures, and what was missed and reported falsely."""
    world = build(statements, faults, seed)
    with Sandbox() as sandbox, Workspace.open(folder / "w") as workspace:
        sandbox.fill(())
        sandbox.load_entities(world.entities)
        write_ledger(workspace, sandbox, world)
        apply_later(sandbox, world)
        start = time.process_time()
        with Client(sandbox.wiki, Agent()) as client:
            findings = run_audits(workspace, client, Settings(wiki=sandbox.wiki))
        seconds = time.process_time() - start
    found = Counter((f.audit, f.item) for f in findings if f.severity in ("warning", "error") and f.item)
    missed = [(*key, world.kinds[key]) for key in world.expected if key not in found]
    false = [
        (f.audit, f.item, f.what, *f.formulas)
        for f in findings
        if f.severity in ("warning", "error") and f.item and (f.audit, f.item) not in world.expected
    ]
    return {
        "statements": world.statements,
        "planted": faults,
        "kinds": len(KINDS),
        "found": faults - len({qid for _, qid, _ in missed}),
        "false_alarms": len(false),
        "could_not_tell": [f"{f.audit}: {f.what}" for f in findings if f.severity == "unknown"],
        "missed": missed,
        "false": false,
        "processor_seconds": round(seconds, 1),
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--statements", type=int, default=20_000)
    parser.add_argument("--faults", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        result = measure(given.statements, given.faults, given.seed, Path(folder))
    if given.json:
        write_json(result)
        return
    figures = [(name, value) for name, value in result.items() if isinstance(value, int | float)]
    table("planted faults", ("what", "figure"), figures)
    table("missed", ("audit", "item", "kind"), result["missed"])
    table("false alarms", ("audit", "item", "what"), [row[:3] for row in result["false"]])
    for line in result["could_not_tell"]:
        print(line)


if __name__ == "__main__":
    main()
