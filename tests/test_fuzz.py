"""Nothing that is handed in crashes or hangs: mutated formulas, documents and settings; more with FORMULA_BOT_LONG=1."""

from __future__ import annotations

import json
import random
import resource
from contextlib import suppress
from pathlib import Path

import pytest
from cli_runner import SETTINGS
from fuzzing import LONG, damaged, documents, formulas, in_time, json_value, mutated, packed, wiki_documents

from bot.corpus import list_sources, read_file
from bot.discover.mine import mine_page
from bot.errors import BotError, FormulaError, SourceError
from bot.formula import check, compare, describe, identifiers, keys, mathml, statement_kind, tokens
from bot.messages import Message
from bot.settings import load

MEMORY = 1 << 19  # KiB: half a gigabyte above what the tests before needed


def peak() -> int:
    """Return the most memory that this process has held, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


@pytest.mark.parametrize("seed", range(100) if LONG else range(1))
def test_mutated_formulas(seed: int) -> None:
    rng, known, before = random.Random(seed), formulas(), peak()
    for _ in range(40):
        tex = mutated(rng.choice(known), known, rng)
        other = rng.choice([rng.choice(known), mutated(tex, known, rng)])
        with in_time((tex, other)):
            for ask in (keys, statement_kind, tokens, identifiers):
                with suppress(FormulaError):
                    ask(tex)
            check(tex), describe(tex), compare(tex, other)
            assert mathml(tex).startswith(("<math", "<code"))
    assert peak() - before < MEMORY


@pytest.mark.parametrize("seed", range(100) if LONG else range(1))
def test_damaged_documents(seed: int, tmp_path: Path) -> None:
    rng, known = random.Random(seed), documents()
    for _ in range(30 if LONG else 6):
        name, data = rng.choice(known)
        _read(name, damaged(data, rng), tmp_path)


@pytest.mark.parametrize("seed", range(100) if LONG else range(1))
def test_damaged_wiki_pages(seed: int, tmp_path: Path) -> None:
    rng, known = random.Random(seed), wiki_documents()
    for name, data in known * (4 if LONG else 1):
        _read(name, damaged(data, rng), tmp_path)


@pytest.mark.parametrize("seed", range(100) if LONG else range(1))
def test_damaged_archives(seed: int, tmp_path: Path) -> None:
    """Whole archives of damaged documents, and damaged archives of both."""
    rng, known = random.Random(seed), documents() + wiki_documents()
    for how in ("gz", "zip", "tar", "tar.gz") * (2 if LONG else 1):
        files = [(name, damaged(data, rng)) for name, data in rng.sample(known, 3)]
        name, data = packed(files, how)
        _read(name, damaged(data, rng) if rng.random() < 0.5 else data, tmp_path)


def _read(name: str, data: bytes, folder: Path) -> None:
    """Read and mine a file as `discover` does; no document in it may need the guard around each."""
    path = folder / name
    path.write_bytes(data)
    faults: list[Message] = []
    with in_time(data), suppress(SourceError):  # of no known format any more
        for file in list_sources([str(path)]).files:
            for page in read_file(file, lambda _, why: faults.append(why)):
                list(mine_page(page, lambda _, why: faults.append(why)))
    assert not [why for why in faults if why.code in ("error.unreadable", "unread.fault", "unread.formula")]


@pytest.mark.parametrize("seed", range(100) if LONG else range(1))
def test_mutated_settings(seed: int, tmp_path: Path) -> None:
    rng, text = random.Random(seed), SETTINGS.read_bytes()
    path = tmp_path / "settings.toml"
    for _ in range(30):
        data = damaged(text, rng)
        for _ in range(rng.randrange(3)):
            name = rng.choice(["agent", "wiki", "review", "proposing", "writing", "run", "discovery"])
            value = json.dumps(json_value(rng), ensure_ascii=rng.random() < 0.5)
            data += f"\n[{name}]\n{rng.choice(['timeout', 'name', 'blind', 'sources', 'contact'])} = {value}\n".encode(
                errors="replace"
            )
        path.write_bytes(data)
        with in_time(data), suppress(BotError):
            load(path)
