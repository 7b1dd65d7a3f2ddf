"""Fault injection: the failures of real wikis, armed from code or over HTTP.

`times` limits how often a fault is triggered (None: until cleared), `after` lets that many calls pass first, `on`
narrows it to one API action, or to `write` for all that edit.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypedDict, Unpack

from bot.sandbox.parameters import MODULES

# Kind -> which calls it affects: api = any call, write = a call that edits, sparql = the query endpoint.
KINDS = {
    "lag": "api",  # answers maxlag where the call allows less lag than this (`lag` seconds, `host`)
    "readonly": "write",  # `reason`
    "ratelimit": "write",
    "too_many_requests": "api",  # HTTP 429 with Retry-After (`retry_after`)
    "block": "write",  # the writer is blocked (`reason`)
    "right_lost": "write",  # the writer is taken out of the bots
    "bad_token": "write",
    "session_lost": "write",  # the call arrives without a session
    "lost_before": "write",  # the connection drops before anything is done
    "lost_reply": "write",  # the edit is committed, then the connection drops
    "other_edit": "write",  # another edit comes just before (`edit`: a callable, or the parameters of an API call)
    "database_locked": "write",
    "http_502": "api",
    "truncated_json": "api",  # status 200, half a body; an edit is committed all the same
    "garbled_json": "api",
    "slow": "api",  # `seconds`
    "sparql_down": "sparql",
    "sparql_timeout": "sparql",  # status 200 and a stack trace inside truncated JSON, as Blazegraph does
    "sparql_busy": "sparql",  # HTTP 429 with Retry-After
    "slow_sparql": "sparql",  # `seconds`
}


class FaultOptions(TypedDict, total=False):
    """What some kinds take besides; the comments above say which."""

    lag: float
    host: str
    reason: str
    retry_after: int
    seconds: float
    edit: Callable[[], object]


@dataclass
class SimulatedFault:
    kind: str
    times: int | None = 1
    after: int = 0
    on: str = ""
    options: FaultOptions = field(default_factory=FaultOptions)
    strikes: int = 0  # how often it was triggered


class Faults:
    """The armed faults of one wiki; thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._armed: list[SimulatedFault] = []

    def arm(
        self, kind: str, times: int | None = 1, after: int = 0, on: str = "", **options: Unpack[FaultOptions]
    ) -> SimulatedFault:
        """Arm a fault; raises ValueError for a kind that does not exist."""
        if kind not in KINDS:
            raise ValueError(f"no fault is called {kind!r}; known: {', '.join(KINDS)}")
        fault = SimulatedFault(kind, times, after, on, options)
        with self._lock:
            self._armed.append(fault)
        return fault

    def clear(self, kind: str = "") -> None:
        with self._lock:
            self._armed = [fault for fault in self._armed if kind and fault.kind != kind]

    def trigger(
        self, kind: str, action: str = "", when: Callable[[SimulatedFault], bool] | None = None
    ) -> SimulatedFault | None:
        """Return the armed fault of this kind that applies to this call, counting it; None where none does."""
        with self._lock:
            for fault in self._armed:
                if fault.kind != kind or not _applies(fault, action) or (when and not when(fault)):
                    continue
                if fault.after > 0:
                    fault.after -= 1
                    continue
                if fault.times is None or fault.strikes < fault.times:
                    fault.strikes += 1
                    return fault
        return None

    def listing(self) -> list[dict[str, object]]:
        """Return what is armed, for a person to read."""
        with self._lock:
            return [
                {"kind": f.kind, "times": f.times, "after": f.after, "on": f.on, "strikes": f.strikes}
                for f in self._armed
            ]


def _applies(fault: SimulatedFault, action: str) -> bool:
    """Whether a fault is meant for this action."""
    module = MODULES.get(action)
    return fault.on in ("", action) or (fault.on == "write" and module is not None and module.edits)
