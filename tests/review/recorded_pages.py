"""What each page and each answer of the API is given when three people work through a dozen proposals, recorded.

`python tests/review/recorded_pages.py` records it anew, where a change is meant. Times, secrets and drawings are left out, and the
wording of the templates: this is what they are filled with.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tempfile
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import msgspec
from flask import template_rendered
from web_records import SignedIn, counting_decisions, dozen, opened, proposal, signed_in

from bot import store
from bot.messages import Message
from bot.records import Proposal
from bot.review import answers, exports, fcdb, fcdb_rdf, sessions
from bot.review.judgements import judgements
from bot.review.packet import export_packet
from bot.review.queue_rules import change_rules
from bot.review.ranked_list import ORDERS, ranked_concepts
from bot.review.web.rest import make_token
from bot.settings import Settings
from bot.store import Workspace

ROOT = Path(__file__).parents[2]
DATA = Path(__file__).parent / "data" / "recorded_pages.jsonl"
# What every page has, or what is another at each time.
LEFT_OUT = frozenset(
    "g request session t shown named numeral drawn csrf moment language_query languages wiki reasons".split()
)
_TIME = re.compile(r"20\d\d-\d\d-\d\d[T ][\d:]+(?:\.\d+)?Z?")
_MATH = re.compile(r"<math.*?</math>", re.S)


class Recorder:
    """People who ask for pages and send forms; keeps of every answer what it was given."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.rows = workspace, list[dict[str, Any]]()
        self.people: dict[str, SignedIn] = {}
        today = datetime.now(UTC).date()
        self.days = {(today - timedelta(days=n)).strftime("%m-%d"): f"day {n}" for n in range(8)}
        self.today = today.isoformat()

    def person(self, name: str) -> SignedIn:
        if name not in self.people:
            self.people[name] = signed_in(self.workspace, name)
        return self.people[name]

    def get(self, name: str, path: str) -> None:
        person = self.person(name)
        self._keep(f"{name} GET {path}", person, lambda: person.client.get(path))

    def post(self, name: str, path: str, /, **form: Any) -> None:
        person = self.person(name)
        self._keep(f"{name} POST {path} {form}", person, lambda: person.post(path, **form))

    def decide(self, name: str, n: int, verdict: str, **more: Any) -> None:
        """Open a proposal and decide on it."""
        person = self.person(name)
        fields = {**person.fields(f"{n:016x}"), "verdict": verdict, **more}
        what = f"{name} decides on {n}: {verdict} {more}"
        self._keep(what, person, lambda: person.post(f"/p/{n:016x}", **fields))

    def api(self, name: str, method: str, path: str, **asked: Any) -> None:
        person, head = self.person(name), {"Authorization": f"Bearer {make_token(self.workspace, name)}"}
        client = person.app.test_client()
        self._keep(
            f"{name} {method} {path} {asked}", person, lambda: client.open(path, method=method, headers=head, **asked)
        )

    def _keep(self, what: str, person: SignedIn, ask: Callable[[], Any]) -> None:
        given: list[dict[str, Any]] = []

        def note(_: object, template: Any, context: Mapping[str, Any], **__: object) -> None:
            if template.name in PAGES:
                values = {key: value for key, value in context.items() if key not in LEFT_OUT}
                given.append({"page": template.name, "given": self._plain(values)})

        with template_rendered.connected_to(note, person.app):
            answer = ask()
        row: dict[str, Any] = {"asked": what, "code": answer.status_code}
        if answer.location:
            row["goes to"] = answer.location
        if answer.is_json:
            row["answer"] = self._plain(answer.get_json())
        with person.client.session_transaction() as session:
            if said := session.pop("_flashes", None):
                row["said"] = self._plain(said)
        self.rows.append({**row, **(given[0] if given else {})})

    def keep(self, what: str, value: Any) -> None:
        self.rows.append({"asked": what, "given": self._plain(value)})

    def _plain(self, value: Any) -> Any:
        if isinstance(value, Message):  # its code, not its wording
            return [value.code, *(self._plain(each) for each in value.values.values())]
        if isinstance(value, str):
            text = _MATH.sub("<math>", _TIME.sub("TIME", str(value))).replace(self.today, "TODAY")
            return re.sub(r"\b\d\d-\d\d\b", lambda m: self.days.get(m[0], m[0]), text) if "<svg" in text else text
        if isinstance(value, float):
            return round(value, 6)
        if isinstance(value, Mapping):
            return {str(key): self._plain(each) for key, each in value.items()}
        if isinstance(value, Proposal):
            return value.id
        if isinstance(value, msgspec.Struct):
            return {name: self._plain(getattr(value, name)) for name in value.__struct_fields__}
        if dataclasses.is_dataclass(value):
            return {f.name: self._plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
        if isinstance(value, set | frozenset):
            return sorted(map(self._plain, value))
        if isinstance(value, list | tuple):
            return [self._plain(each) for each in value]
        return value if value is None or isinstance(value, bool | int) else str(value)


def _files(r: Recorder) -> None:
    """What leaves the workspace in files and lists."""
    w, wiki = r.workspace, Settings().wiki
    for form in exports.FORMATS:
        r.keep(f"export {form}", exports.export(w, Settings(), form).splitlines())
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "packet.csv"
        r.keep(
            f"packet of {export_packet(w, file, Settings(), state='all')}",
            file.read_text(encoding="utf-8").splitlines(),
        )
    rows = fcdb.representations(w)
    told = [[row["concept"], row["qid"], row["tex"], row["level"], row["reviewer"], row["not"]] for row in rows]
    r.keep("representations", sorted(told))
    items = [{"qid": "Q179916", "formulas": ["v = H d"]}, {"qid": "Q41591"}]
    r.keep("items with them", list(fcdb.with_representations(items, rows)))
    r.keep(
        "as triples", sorted(fcdb_rdf.export(rows, (), {}, fcdb_rdf.document_urls(w), wiki, "ntriples").splitlines())
    )
    r.keep("judged pairs", judgements(w))
    r.keep(
        "decisions",
        {id_: [said.verdict, said.reviewer, said.tex, said.references] for id_, said in counting_decisions(w).items()},
    )
    for order in ORDERS:
        ranked = [[row["key"], row["centrality"], row["place"]] for row in ranked_concepts(w, order)]
        r.keep(f"ranked by {order}", ranked)
    for table in (store.sessions, store.api_tokens):
        r.keep(f"open {table.name}", sorted(one.reviewer for one in sessions.list_open(w, table)))
    r.keep(
        "labels",
        [
            answers.items_with_similar_name(answers.item_names(w), asked)
            for asked in ("law", "LAW of", "equiv", "x", "Q41591", "hubble law")
        ],
    )
    r.keep("offered", [answers.suggested_items(w, f"concept-{n}", "P2534") for n in (0, 4)])


PAGES = {path.name for path in (ROOT / "bot" / "review" / "web" / "templates").glob("*.html")}


def recorded() -> list[dict[str, Any]]:
    """Return all answers, in order."""
    made = dozen()
    made[6] = proposal(6, expires="2026-01-01")
    made[7] = proposal(7, kind="add_reference", statement="Q165498$9", references=())
    with tempfile.TemporaryDirectory() as folder, opened(Path(folder) / "w", "Ada", "Ben", "Cem", proposals=made) as w:
        found = Recorder(w)
        _alone(found)
        _two(found)
        _formulas(found)
        _api(found)
        _files(found)
        return found.rows


def _alone(r: Recorder) -> None:
    for n in (0, 1, 2, 10):
        r.get("Ada", f"/p/{n:016x}")
    for path in ("/", "/?q=law&order=item", "/?q=zzz", "/?state=approved&q=law", "/?state=all&low=50&high=90", "/?state=expired", "/?kind=flag", "/help"):  # fmt: skip
        r.get("Ada", path)
    r.get("Ada", "/next")
    r.decide("Ada", 0, "approve")
    r.decide("Ada", 0, "approve")
    r.decide("Ada", 1, "reject", reason="special_case")
    r.decide("Ada", 2, "approve", reference=["1"])
    r.decide("Ada", 3, "unsure")
    r.decide("Ada", 4, "skip")
    r.decide("Ada", 5, "preview", tex=r"c^2 = a^2 + b^2")
    r.decide("Ada", 5, "approve_edited", tex=r"c^2 = a^2 + b^2")
    r.decide("Ada", 6, "approve")
    r.decide("Ada", 8, "approve_edited", tex="I = Q t")
    r.decide("Ada", 11, "approve")
    for n in (6, 7, 10, 11):
        r.get("Ada", f"/p/{n:016x}")
    r.get("Ada", f"/next?after={3:016x}")
    r.get("Ada", f"/next?after={8:016x}&back=1&q=law")
    r.get("Ada", f"/next?after={9:016x}&q=zzz")
    green = [f"{row.id}:{row.hash}:0" for row in dozen() if int(row.id, 16) in (4, 9, 10, 11)]
    r.post("Ada", "/batch", chosen=[*green, "nothing::"], view="q=law")
    r.get("Ada", "/?state=approved")
    r.post("Ada", "/undo", view="state=approved")
    r.post("Ada", "/undo")
    for path in (
        "/item/Q35875",
        "/item/Q41591",
        "/item/Q99",
        "/item/7",
        "/statistics",
        "/packets",
        "/people",
        "/p/nothing",
    ):
        r.get("Ada", path)
    r.post("Ada", "/people", name=" Dora ", role="reviewer")
    r.post("Ada", "/people", name="Dora", role="king")
    r.post("Ada", "/people", remove="Ada")
    r.post("Ada", "/people", remove="Dora")
    r.post("Ada", "/preview", proposal=f"{1:016x}", tex=r"E = m c^{2} \nonsense")


def _two(r: Recorder) -> None:
    change_rules(r.workspace, {"two_persons": "true", "blind": "1"})
    r.get("Ben", "/")
    r.decide("Ben", 1, "approve")
    r.decide("Ada", 9, "approve")
    r.decide("Ben", 9, "reject", reason="wrong_item")
    r.decide("Ada", 3, "approve")
    r.get("Cem", f"/p/{3:016x}")
    r.get("Ben", f"/p/{3:016x}")  # Cem looks at it
    r.decide("Cem", 3, "approve")
    for path in ("/?state=disputed", "/?state=second", "/?state=all&q=law", "/statistics", "/people", f"/p/{9:016x}"):
        r.get("Ben", path)
    r.get("Ada", "/?state=disputed&lang=de")
    r.get("Ada", "/?state=all&reviewer=Ben&lang=en")
    r.get("Ada", "/statistics")


def _formulas(r: Recorder) -> None:
    for path in ("/formulas", "/formulas?after=3", "/formulas/free-0", "/formulas/free-1?q=law", "/formulas/none"):
        r.get("Ada", path)
    r.post("Ada", "/formulas/free-0", answer="item", qid="q179916")
    r.post("Ada", "/formulas/free-1", pick="Q35875")
    r.post("Ada", "/formulas/free-2", answer="none")
    r.post("Ada", "/formulas/free-2", answer="withdraw")
    r.post("Ada", "/formulas/free-3", answer="item", qid="x")
    r.get("Ada", "/formulas/free-0")


def _api(r: Recorder) -> None:
    r.api("Ben", "GET", "/api/v1/proposals?q=law")
    r.api("Ben", "GET", f"/api/v1/proposals/{4:016x}")
    r.api("Ben", "GET", "/api/v1/proposals/nothing")
    r.api("Ben", "POST", "/api/v1/next", json={"state": "open", "low": 50})
    one = proposal(4)
    r.api(
        "Ben",
        "POST",
        f"/api/v1/proposals/{4:016x}/decisions",
        json={"hash": one.hash, "verdict": "reject", "reason": "wrong_item"},
    )
    r.api("Ben", "POST", f"/api/v1/proposals/{4:016x}/decisions", json={"hash": "x", "verdict": "approve"})
    r.api("Ben", "POST", f"/api/v1/proposals/{4:016x}/decisions", json={"verdict": "approve"})
    r.api("Ben", "POST", "/api/v1/preview", json={"proposal": one.id, "tex": "V = R I"})
    r.api("Ben", "GET", "/api/v1/statistics")
    r.api("Ada", "GET", "/api/v1/statistics")


if __name__ == "__main__":
    DATA.parent.mkdir(exist_ok=True)
    lines = [json.dumps(row, ensure_ascii=False) for row in recorded()]
    DATA.write_text("\n".join(lines) + "\n", encoding="utf-8")
