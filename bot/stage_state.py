"""What each stage was last run on: where nothing of that has changed, what it stored holds, and the work is not done again."""

import hashlib
import json
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

from bot import store
from bot.records import as_json
from bot.settings import resource
from bot.store import Workspace
from bot.wikibase import Json

# Libraries whose versions may change a figure.
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "gensim", "duckdb", "pyarrow", "rapidfuzz", "lxml", "pyahocorasick", "math-core")  # fmt: skip


@cache
def code_version() -> str:
    """Return a digest of all that decides what a stage makes of its input: our code and data, and the libraries' versions."""
    found = hashlib.sha256(f"{sys.version} {[version(name) for name in _LIBRARIES]}".encode())
    for folder in (Path(__file__).parent, resource("queries")):
        for path in sorted(folder.rglob("*")):
            if path.suffix not in (".pyc", ".arrays", "") and path.is_file():
                found.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:40]


def inputs_digest(*parts: object) -> str:
    """Return a digest of what a stage reads; the version of the code is part of it."""
    text = json.dumps([code_version(), *parts], default=as_json, sort_keys=True)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]


def last_outcome(workspace: Workspace, stage: str, inputs: str | None) -> Json | None:
    """Return what a stage noted when it was last run to its end, if it was run on exactly these inputs; `None` inputs are never the same."""
    last = workspace.get(_key(stage))
    return last["outcome"] if last and inputs and last["inputs"] == inputs else None


def last_inputs(workspace: Workspace, stage: str) -> str | None:
    """Return the inputs of the last run of a stage that came to its end, if nothing has been begun since."""
    last = workspace.get(_key(stage))
    return last["inputs"] if last else None


def forget_run(workspace: Workspace, stage: str) -> None:
    """Forget the last run of a stage: what it stored is about to be replaced."""
    workspace.change(store.meta.delete().where(store.meta.c.key == _key(stage)))


def record_run(workspace: Workspace, stage: str, inputs: str | None, **outcome: object) -> None:
    """Note that a stage came to its end, with what its summary says."""
    if inputs:
        workspace.put(_key(stage), {"inputs": inputs, "outcome": outcome})


def _key(stage: str) -> str:
    return f"stage:{stage}"
