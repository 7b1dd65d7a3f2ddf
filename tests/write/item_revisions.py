"""One item as a list of its revisions, and a policy that waits for nothing: what tests of proofs and preconditions read."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any, TypeVar, cast

from bot.errors import WriteStopped
from bot.messages import Message, uncoded_message
from bot.records import Reference
from bot.write import payload
from bot.write.entry import PlanEntry
from bot.write.wiki_protocol import Revision, WikiRefusal

T = TypeVar("T")
SOURCE = payload.reference(Reference((("P854", "url", "https://example.org/a"),)))
OTHER = payload.reference(Reference((("P854", "url", "https://example.org/b"),)))
OURS, GUID = payload.claim("Q1$b", "P2534", "p=mv", ()) | {"references": [SOURCE]}, "Q1$b"
THEIRS = payload.claim("Q1$a", "P2534", "E=mc^2", ())
SYMBOL = payload.claim("Q1$s", "P7235", "p", (), (("P9758", "wikibase-item", "Q41273"),)) | {"references": [SOURCE]}


def entity(revision: int, *claims: dict[str, Any]) -> dict[str, Any]:
    groups: dict[str, list[dict[str, Any]]] = {}
    for claim in copy.deepcopy(claims):
        groups.setdefault(claim["mainsnak"]["property"], []).append(claim)
    return {"id": "Q1", "lastrevid": revision, "claims": groups}


def entry(kind: str = "new_claim", **values: Any) -> PlanEntry:
    plain = {"new_claim": (GUID, OURS), "add_reference": ("Q1$a", SOURCE), "symbol": ("Q1$s", SYMBOL)}[kind]
    made = PlanEntry("p", "h", 1, "Ada", "Q1", kind, plain[0], plain[1], 7, {}, (), "", otherwise=(SOURCE, OTHER))
    if kind == "symbol":
        made = replace(made, about="p=mv", otherwise=())
    return replace(made, **values)


def moments(*said: str) -> Callable[[], str]:
    """Return a clock that tells these times one after another."""
    left = list(said)
    return lambda: left.pop(0)


class Wiki:
    """Revisions of one item, each with its comment; `sends` is called by every edit."""

    def __init__(self, *revisions: dict[str, Any], comments: dict[int, str] | None = None) -> None:
        self.revisions = {r["lastrevid"]: r for r in revisions}
        self.comments, self.sends = comments or {}, cast(Callable[[str], int], lambda call: 0)
        self.calls: list[str] = []
        self.logins = 0

    def entity(self, qid: str) -> dict[str, Any]:
        return self.revisions[max(self.revisions)]

    def entity_at(self, revision: int) -> dict[str, Any]:
        return self.revisions[revision]

    def history(self, qid: str, since: int) -> list[Revision]:
        numbers = sorted(self.revisions)
        before = dict(zip(numbers, [0, *numbers], strict=False))
        return [Revision(n, before[n], "", self.comments.get(n, "")) for n in numbers if n > since]

    def add_claim(self, qid: str, claim: dict[str, Any], summary: str, base: int) -> int:
        self.calls.append(f"add {claim['id']} {base}: {summary}")
        return self.sends("add")

    def add_claims(self, qid: str, payloads: Sequence[dict[str, Any]], summary: str, base: int) -> int:
        self.calls.append(f"add {' '.join(each['id'] for each in payloads)} {base}: {summary}")
        return self.sends("add")

    def add_reference(self, qid: str, statement: str, reference: dict[str, Any], summary: str) -> int:
        self.calls.append(f"source of {statement}: {summary}")
        return self.sends("source")

    def log_in(self) -> None:
        self.logins += 1

    def remove_claim(self, qid: str, statement: str, summary: str, base: int) -> int:
        self.calls.append(f"remove {statement} {base}")
        return self.sends("remove")

    def remove_reference(self, qid: str, statement: str, reference_hash: str, summary: str) -> int:
        self.calls.append(f"remove {reference_hash} of {statement}")
        return self.sends("remove")


Answer = tuple[Any, ...]  # revisions that come, and then a number or the code of a refusal


def answers(wiki: Wiki, *given: Answer) -> None:
    """Let each edit bring revisions and be answered with a number, or with a refusal."""
    left = list(given)

    def sends(call: str) -> int:
        *revisions, answer = left.pop(0)
        wiki.revisions |= {r["lastrevid"]: r for r in revisions}
        if isinstance(answer, str):
            raise WikiRefusal(answer, "…")
        return cast(int, answer)

    wiki.sends = sends


class PermissivePolicy:
    """A policy that asks once and never waits; its write slot is always free."""

    max_retries = 2

    def __init__(self, excluded: Message | None = None) -> None:
        self.waited: list[int] = []
        self.excluded, self.rate_limiter = excluded, self

    def slot(self) -> Any:
        return nullcontext(self)

    def before_edit(self, session: Any, qid: str, slot: Any) -> Message | None:
        return self.excluded

    def checked_account(self, session: Any) -> None:
        pass

    def max_resends(self, refusal: WikiRefusal) -> int:
        return self.max_retries if refusal.kind in ("later", "session", "doubt") else 0

    def timestamp(self) -> str:
        return "2026-11-20T00:00:00Z"

    def read_with_retries(self, ask: Callable[[], T], session: Any) -> T:
        return ask()

    def wait_before_retry(self, n: int, refusal: WikiRefusal) -> None:
        self.waited.append(n)

    def stop_error(self, session: Any, refusal: WikiRefusal, where: str) -> WriteStopped:
        return WriteStopped(uncoded_message(f"stopped by {refusal.code}"))

    def sending(self) -> Any:
        return nullcontext()
