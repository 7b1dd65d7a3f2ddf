"""What commands print in a workspace made by hand, one after the other: tables, JSON, errors and exit codes.

`python tests/recorded_commands.py` records it anew, where a change is meant.
"""

from __future__ import annotations

import getpass
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import sqlalchemy as sa
from cli_runner import call
from review.web_records import LAWS, dozen, opened
from write.rehearsal import put

from bot import store
from bot.propose.build import recomputed_hash
from bot.records import Proposal
from bot.sandbox import open_wiki
from bot.settings import Settings
from bot.store import Workspace

DATA = Path(__file__).parent / "data" / "commands.jsonl"
UNSTABLE = (
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?", "TIME"),
    (r"20\d\d-\d\d-\d\d", "DAY"),
    (r"127\.0\.0\.1:\d+", "HERE"),
    (r"\b[0-9a-f]{64}\b", "DIGEST"),
    (r'"score": 0\.\d{2,}|(?m:^\d\.\d{3}\b)', "SCORE"),  # it depends on the built-in list
    (r"\b[0-9a-f]{10}\b(?= +Ada +TIME)", "ID"),
    (r"fb_\S+|\b[\w-]{40,}\b", "TOKEN"),
    (r"Q\d+\$[0-9A-Fa-f-]{36}", "GUID"),
)
W = "<W>"
P = [f"{n:016x}" for n in range(12)]
Command = tuple[str, ...]
A, B = ("--reviewer", "Ada"), ("--reviewer", "Ben")
PACKET = "proposal,hash,verdict,reason\n"

REVIEW: list[Command] = [
    ("review", "list"), ("review", "list", "--json"), ("review", "list", "--state", "all"), ("review", "list", "--state", "flagged"), ("review", "list", "--state", "odd"),
    ("review", "show", P[0]), ("review", "show", P[2], "--json"), ("review", "show", P[10]), ("review", "show", P[11]), ("review", "show", "000000000000000"), ("review", "show", "none"),
    ("review", "approve", P[0]), ("review", "approve", P[0], "--reviewer", "Nobody"), ("review", "approve", P[0], *A), ("review", "approve", P[0], *A), ("review", "approve", P[1], P[3], *B), ("review", "show", P[0]),
    ("review", "approve", P[4], "--hash", "0", *A), ("review", "approve", P[4], "--tex", "V = RI", *A), ("review", "approve", P[5], "--tex", "a + b = c", *A), ("review", "approve", P[5], "--reject-reference", "2", *A),
    ("review", "reject", P[6], *A), ("review", "reject", P[6], "--reason", "not-defining", *A), ("review", "reject", P[6], "--reason", "not-defining", *A), ("review", "reject", P[7], "--reason", "odd", *A),
    ("review", "reject", P[7], "--item", "q41591", *A), ("review", "reject", P[8], "--item", "Q83327", *A), ("review", "reject", P[9], "--item", "x", *A),
    ("review", "unsure", P[8], *B), ("review", "skip", P[8], *A), ("review", "withdraw", P[8], *B), ("review", "withdraw", P[9], *B), ("review", "close", P[11], "--as", "leave", *A), ("review", "close", P[9], "--as", "odd", *A), ("review", "close", P[11], "--as", "item_wrong", *A),
    ("review", "source", P[9], "https://books.example.org/force", *A), ("review", "source", P[9], "not a source", *A), ("review", "show", P[9]), ("review", "list", "--state", "approved"), ("review", "list", "--state", "rejected", "--json"), ("review", "list", "--state", "closed"),
    ("review", "rules"), ("review", "rules", "--set", "two_persons=true", "--set", "blind=0.5"), ("review", "rules", "--set", "odd=1"), ("review", "rules", "--set", "blind=much"), ("review", "rules", "--json"), ("review", "rules", "--unset", "blind"), ("review", "rules", "--log"), ("review", "rules", "--log", "--json"), ("review", "rules", "--unset", "two_persons"),
    ("review", "topics", "--add", "likely", "--filter", "low=90", *A), ("review", "topics", "--filter", "low=90", *A), ("review", "topics", "--add", "few", "--items", f"{W}/qids.txt", *A), ("review", "topics", "--add", "odd", "--filter", "low=x", *A), ("review", "topics", *A), ("review", "topics", "--json", *A),
    ("review", "list", "--topic", "likely", *A), ("review", "list", "--topic", "few", *A), ("review", "list", "--topic", "none", *A), ("review", "topics", "--again", "few", *A), ("review", "topics", "--again", "few", "--forget", "few", *A), ("review", "topics", "--forget", "few", *A), ("review", "topics", "--forget", "few", *A),
    ("review", "token", "Nobody"), ("review", "token", "Ada", "--days", "3"), ("review", "tokens"), ("review", "tokens", "none"), ("review", "tokens", "--reviewer", "Ben", "--json"), ("review", "tokens", "--revoke"), ("review", "tokens"), ("review", "sessions"), ("review", "sessions", "--json"), ("review", "sessions", "--end"),
    ("review", "unmatched", "--top", "2"), ("review", "unmatched", "--top", "1", "--json"), ("review", "answer", "free-1", "--none", *A), ("review", "answer", "free-2", "--item", "q41591", *A), ("review", "answer", "free-3", "--no-concept", *B), ("review", "answer", "free-3", "--withdraw", *B), ("review", "answer", "free-4", "--withdraw", *B), ("review", "answer", "free-4", *B), ("review", "answer", "free-4", "--none", "--item", "Q1", *B), ("review", "answer", "none", "--none", *B), ("review", "answer", "free-4", "--none", "--seen", "0", *B),
    ("review", "export", f"{W}/packet.csv"), ("review", "export", f"{W}/packet.html", "--language", "de", "--state", "approved"), ("review", "export", f"{W}/packet.odd"), ("review", "export", "-", "--for", "odd"), ("review", "export", "-", "--for", "quickstatements"), ("review", "export", "-", "--for", "quickstatements-csv"), ("review", "export", "-", "--for", "mismatch-finder"), ("review", "export", "-", "--for", "primary-sources"),
    ("review", "import", f"{W}/decisions.csv", *B), ("review", "import", f"{W}/decisions.csv", "--json", *B), ("review", "import", f"{W}/none.csv", *B),
    ("review", "add-reviewer", "Cy", "--role", "operator"), ("review", "add-reviewer", " "), ("review", "remove-reviewer", "Cy"), ("review", "remove-reviewer", "Cy"), ("gadget",), ("gadget", "--server", "ftp://x"),
]  # fmt: skip
OTHERS: list[Command] = [
    ("export", "decisions"), ("export", "odd"), ("export", "occurrences"), ("export", "matches"), ("find", "nothing at all"), ("find", "nothing at all", "--json"), ("find", "Q5"), ("find", "E = m c^2"),
    ("formulas",), ("formulas", "--by", "D", "--top", "2", "--json"), ("formulas", "--min-length", "20", "--csv", "-"), ("formulas", "--duplicates", "--top", "2"), ("formulas", "--json", "--csv", "-"), ("formulas", "--list", "--csv", "-"),
    ("representations", "import", f"{W}/odd.jsonl", *A), ("representations", "import", f"{W}/list.jsonl", *A), ("representations", "import", f"{W}/list.jsonl", "--json", *A), ("representations", "export"), ("representations", "export", "--format", "ntriples", "--output", f"{W}/none/x.nt"), ("export", "representations"),
    ("status",), ("pause", "--reason", "to look"), ("status",), ("resume", "--reason", "looked"), ("query", "lookup_labels"), ("query", "lookup_labels", "--set", "items=x"), ("train",), ("train", "--reset"), ("discover", "none"), ("export", "proposals"), ("export", "concepts"), ("export", "findings"), ("find", "Ohm's law"), ("find", "Q179916", "--json"), ("status", "--json"),
]  # fmt: skip
WRITING: list[Command] = [
    ("write",), ("write", "--json"), ("write", "--plan", "none"), ("undo",), ("undo", "--edit", "1"), ("write", "--live", "--json"), ("write", "--live"), ("export", "edits"), ("review", "withdraw", "<1>", *A), ("review", "show", "<1>"),
    ("audit", "--list"), ("audit", "odd"), ("audit", "seeded", "ledger"), ("audit", "ledger", "--head", "0" * 64), ("audit", "unreferenced"), ("audit", "unreferenced", "--format", "csv"), ("audit", "--mute", "x"), ("audit", "--mute", "x", "--reason", "so"), ("audit", "--unmute", "x"),
    ("undo", "--item", "Q1001", "--since", "soon"), ("undo", "--item", "q1001", "--json"), ("undo", "--edit", "2", "--json"), ("undo", "--reviewer", "Ada"), ("undo", "--item", "Q5"), ("audit", "seeded"), ("status",), ("export", "edits"),
]  # fmt: skip


def recorded(name: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each command of a sequence: what was called, its exit code, and what it printed on both streams."""
    commands, fill = SEQUENCES[name]
    with tempfile.TemporaryDirectory() as folder, patch.object(getpass, "getuser", lambda: "operator"):
        path = Path(folder) / "w"
        ids = fill(path)
        for command in commands:
            words = [ids.get(word, word).replace(W, str(path)) for word in command]
            own = () if command[:2] == ("formulas", "--list") or command[0] == "query" else ("-w", path)
            done = call(*words, *own)
            out, err = _stable(done.out, path, ids), _stable(done.err, path, ids)
            yield {"sequence": name, "command": " ".join(command), "code": done.code, "out": out, "err": err}


def _stable(text: str, path: Path, ids: dict[str, str]) -> list[str]:
    text = text.replace(str(path), W)
    for name, value in ids.items():
        text = text.replace(value, name).replace(value[:10], name)
    for pattern, name in UNSTABLE:
        text = re.sub(pattern, name, text)
    return [" ".join(line.split()) if not line.startswith("{") else line for line in text.splitlines()][:60]


def _with_own_hash(made: Proposal) -> Proposal:
    object.__setattr__(made, "hash", recomputed_hash(made))
    return made


def _by_hand(path: Path) -> dict[str, str]:
    """Fill a workspace with a dozen proposals, two reviewers and a rehearsal wiki."""
    rows = [
        {"qid": qid, "label": label, "formulas": [tex] if n > 7 else []} for n, (qid, label, tex, *_) in enumerate(LAWS)
    ]
    with opened(path, "Ada", "Ben", proposals=[_with_own_hash(each) for each in dozen()]) as workspace:
        _open_wiki(workspace, rows)
    (path / "qids.txt").write_text("Q179916 and Q41591, not Q5", encoding="utf-8")
    (path / "decisions.csv").write_text(f"{PACKET}{P[2]},0,approve,\nnone,0,reject,\n", encoding="utf-8")
    lines = [json.dumps({"qid": "Q41591", "tex": tex, "source": "a book"}) for tex in ("U = R I", "}{")]
    (path / "list.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (path / "odd.jsonl").write_text('{"qid": "x", "tex": "a=b"}', encoding="utf-8")
    return {}


def _approved(path: Path) -> dict[str, str]:
    """Fill a workspace with three approved claims that a rehearsal wiki can take."""
    rows = [{"qid": f"Q{1000 + n}", "label": f"item {n}", "formulas": ["x=y"] if n == 2 else []} for n in range(3)]
    with opened(path, "Ada", proposals=[]) as workspace:
        made = [put(workspace, f"Q{1000 + n}", f"a_{n} = b^2") for n in range(3)]
        _open_wiki(workspace, rows)
        with workspace.engine.begin() as db:
            db.execute(sa.update(store.proposals).values(seen="2026-11-20"))
    names = {f"<{n}>": each.id for n, each in enumerate(made)}
    call("review", "approve", *names.values(), "--reviewer", "Ada", "-w", path).well()
    return names


def _open_wiki(workspace: Workspace, rows: list[dict[str, Any]]) -> None:
    items = workspace.path / "items.jsonl"
    items.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    with open_wiki(workspace, Settings(), items):
        pass


SEQUENCES: dict[str, tuple[list[Command], Callable[[Path], dict[str, str]]]] = {
    "review": (REVIEW, _by_hand),
    "others": (OTHERS, _by_hand),
    "writing": (WRITING, _approved),
}

if __name__ == "__main__":
    rows = (row for name in SEQUENCES for row in recorded(name))
    DATA.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
