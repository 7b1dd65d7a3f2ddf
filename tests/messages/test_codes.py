"""The codes that the source makes, against the catalogue: none without a sentence, no sentence without a code.

docs/architecture.md, "What the bot says", has the rule: what is stored, sent, shown or printed as a result is a code.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import bot
from bot.database_errors import DatabaseFault
from bot.discover.names import CUE_KINDS
from bot.messages import _catalogue
from bot.propose.checks import CHECKS

CODES = {code for context, code in _catalogue("en").texts if not context}
ROOT = Path(bot.__file__).parent
FILES = sorted(path for path in ROOT.rglob("*.py") if path.name != "records.py")  # it makes any code
# What is called with a code as its first argument, and what the code begins with.
PREFIXES = {"Message": "", "Evidence.of": "evidence.", "Check.of": "check.", "_why": "check.standing_formulas."}
ERRORS = frozenset(
    "CodedError BotError InputError SourceError ItemsError SettingsError WorkspaceError FormulaError DocumentError"
    " OutOfTime LookupFailed ReviewError UnconfirmedEdit WriteError WriteRefused WriteStopped NoArticle Unread Unusable"
    " Transient Forbidden NotDelivered self._failure self.error self._wrong_prefix _named wrong".split()
)
PREFIXES |= dict.fromkeys(ERRORS, "error.")
PREFIXES |= {"Damaged": "error.", "tell": "told.", "_refuse": "reconcile.", "_ask_once_more": "question."}
# Who takes a code, a message or a name, and would put any text before a person or into the database.
TAKERS = ERRORS | frozenset(
    "Message Evidence.of Check.of HealthCheck HealthCheck.of Finding SourceFile on_skip on_ignore skip self.on_skip self.on_ignore"
    " self.note self.draft.lost problems.append self.problems.append db.execute values update insert"
    " Damaged WikiRefusal MathVerdict abort _refuse _noted tell table print_rows print_summary print_remarks"
    " click.echo click.confirm print".split()
)
SENTENCE = re.compile(r"(?<![\w`-])[a-z]+,? [a-z]+,? [a-z]+(?![\w`-])")
SQL = re.compile(r"\b(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA)\b")


def _patterns(node: ast.expr) -> Iterator[str]:
    """Yield the codes that an argument can be, as patterns: a name in an f-string is any word."""
    match node:
        case ast.Constant(value=str(text)):
            yield re.escape(text)
        case ast.JoinedStr(values=parts):
            yield "".join(re.escape(part.value) if isinstance(part, ast.Constant) else r"[\w.]+" for part in parts)  # type: ignore[arg-type]
        case ast.IfExp(body=one, orelse=other):
            yield from (*_patterns(one), *_patterns(other))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _made(path: Path) -> Iterator[str]:
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Call) and node.args and (prefix := PREFIXES.get(ast.unparse(node.func))) is not None:
            yield from (re.escape(prefix) + found for found in _patterns(node.args[0]))
        match node:
            case ast.keyword(arg="todo", value=given) | ast.Assign(targets=[ast.Name("todo")], value=given):
                yield from (rf"todo\.{found}" for found in _patterns(given) if found)
            case (
                ast.Call(func=ast.Name("table"), args=[_, ast.Tuple(columns), *_])
                | ast.Assign(targets=[ast.Name("headings" | "HEADINGS"), *_], value=ast.Tuple(columns))
            ):
                yield from (rf"column\.{found}" for each in columns for found in _patterns(each))
            case ast.Call(func=ast.Name("_noted"), args=[_, what]):
                yield from (rf"unasked\.{found}" for found in _patterns(what))
            case ast.Call(func=ast.Attribute(ast.Name("HealthCheck"), "of"), args=[_, _, what, *todo]):
                yield from (rf"health\.{found}" for found in _patterns(what))
                yield from (rf"todo\.{found}" for given in todo for found in _patterns(given) if found)


def _assigned() -> Iterator[str]:
    """Yield what a code may be that is named before the call that takes it."""
    for node in (node for path in FILES for node in ast.walk(_tree(path))):
        match node:
            case ast.Assign(targets=[ast.Name("what" | "code")], value=given):
                yield from (rf"(?:(?:error|health)\.)?{found}" for found in _patterns(given) if found)


@cache
def all_made() -> list[str]:
    found = {pattern for path in FILES for pattern in _made(path)}
    return sorted(found - {r"todo\.[\w.]+", r"error\.[\w.]+", r"health\.[\w.]+"})  # what an error makes of its argument


def test_many_codes_are_found() -> None:
    assert len(all_made()) > 600


def test_what_the_source_says_has_a_sentence() -> None:
    for pattern in all_made():
        assert any(re.fullmatch(pattern, code) for code in CODES), pattern


@cache
def _known() -> re.Pattern[str]:
    left = ["check.standing_formulas.(no|some)_value", *(rf"todo\.{fault.value}" for fault in DatabaseFault)]
    return re.compile("|".join([*all_made(), *_assigned(), *left]))


@pytest.mark.parametrize(
    "group",
    "evidence check cue constraint cite gap unsuitable where nothing todo error unread lost convert health next run at"
    " table told question reconcile unasked unsendable cached rights wiki".split(),
)
def test_no_sentence_is_left_over(group: str) -> None:
    assert [code for code in CODES if code.startswith(f"{group}.") and not _known().fullmatch(code)] == []


def _sentences(tree: ast.Module) -> Iterator[str]:
    """Yield the texts of three words or more that are handed to a taker, directly or within another expression."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and ast.unparse(call.func) in TAKERS:
            for given in (*call.args, *(each.value for each in call.keywords)):
                for node in ast.walk(given):
                    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
                    if SENTENCE.search(text) and not SQL.search(text):
                        yield text


def test_a_sentence_in_the_program_is_found() -> None:
    def found(source: str) -> list[str]:
        return list(_sentences(ast.parse(source)))

    assert found('raise InputError("there is no such file", where=path)') == ["there is no such file"]
    assert found('raise LookupFailed(f"did not answer within {n} s")') == ["did not answer within "]
    assert found('Message("error.unreadable", reason=f"cannot be read ({e})")') == ["cannot be read ("]
    assert found('db.execute(runs.insert().values(error="ended without a word"))') == ["ended without a word"]
    assert found('raise InputError("no_file", where=path); db.execute("SELECT a from b where c")') == []


def test_no_sentence_is_program_data() -> None:
    told = {str(path.relative_to(ROOT)): list(_sentences(_tree(path))) for path in FILES}
    assert {path: found for path, found in told.items() if found} == {}


def test_every_cue_has_a_sentence() -> None:
    assert {f"cue.{cue.message}" for cue in CUE_KINDS.values()} <= CODES


def test_every_check_has_a_name() -> None:
    named = {code.split(".")[1] for code in CODES if code.startswith("check.")}
    assert {f"checkname.{name}" for name in named} <= CODES
    assert len(named - {"removed"}) == len(CHECKS)  # what others removed is refused beside the checks
