"""The codes that the source makes, against the catalogue: none without a sentence, no sentence without a code."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import bot
from bot.database_errors import DatabaseFault
from bot.discover.names import KINDS
from bot.messages import _catalogue
from bot.propose.checks import CHECKS

CODES = {code for context, code in _catalogue("en").texts if not context}
PREFIXES = {"Message": "", "Evidence.of": "evidence.", "Check.of": "check.", "_why": "check.standing_formulas."}
FILES = sorted(
    path for path in Path(bot.__file__).parent.rglob("*.py") if path.name != "records.py"
)  # it makes any code


def _patterns(node: ast.expr) -> Iterator[str]:
    """Yield the codes that an argument can be, as patterns: a name in an f-string is any word."""
    match node:
        case ast.Constant(value=str(text)):
            yield re.escape(text)
        case ast.JoinedStr(values=parts):
            yield "".join(re.escape(part.value) if isinstance(part, ast.Constant) else r"[\w.]+" for part in parts)  # type: ignore[arg-type]
        case ast.IfExp(body=one, orelse=other):
            yield from (*_patterns(one), *_patterns(other))


def _made(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and node.args and (prefix := PREFIXES.get(ast.unparse(node.func))) is not None:
            yield from (re.escape(prefix) + found for found in _patterns(node.args[0]))
        match node:
            case ast.keyword(arg="todo", value=given) | ast.Assign(targets=[ast.Name("todo")], value=given):
                yield from (rf"todo\.{found}" for found in _patterns(given) if found)
            case ast.Call(func=ast.Attribute(ast.Name("HealthCheck"), "of"), args=[_, _, _, given]):
                yield from (rf"todo\.{found}" for found in _patterns(given) if found)


@cache
def all_made() -> list[str]:
    found = {pattern for path in FILES for pattern in _made(path)}
    return sorted(found - {r"todo\.[\w.]+"})  # what an error makes of its argument


def test_many_codes_are_found() -> None:
    assert len(all_made()) > 150


def test_what_the_source_says_has_a_sentence() -> None:
    for pattern in all_made():
        assert any(re.fullmatch(pattern, code) for code in CODES), pattern


@pytest.mark.parametrize(
    "group", ["evidence", "check", "cue", "constraint", "cite", "gap", "unsuitable", "where", "nothing", "todo"]
)
def test_no_sentence_is_left_over(group: str) -> None:
    known = "|".join(
        [
            *all_made(),
            "check.standing_formulas.(no|some)_value",
            *(rf"todo\.{fault.value}" for fault in DatabaseFault),
        ]
    )
    assert [code for code in CODES if code.startswith(f"{group}.") and not re.fullmatch(known, code)] == []


def test_every_cue_has_a_sentence() -> None:
    assert {f"cue.{cue.message}" for cue in KINDS.values()} <= CODES


def test_every_check_has_a_name() -> None:
    named = {code.split(".")[1] for code in CODES if code.startswith("check.")}
    assert {f"checkname.{name}" for name in named} <= CODES
    assert len(named - {"removed"}) == len(CHECKS)  # what others removed is refused beside the checks
