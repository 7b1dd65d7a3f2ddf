"""The documents say what is: commands, options, benchmarks and extras that they name exist."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import click
import pytest

from bot.cli import cli
from bot.settings import CrawlOrder

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
_CODE = re.compile(r"```.*?```|`[^`\n]+`|^ {4,}formula-bot.*$", re.DOTALL | re.MULTILINE)
_CALL = re.compile(r"formula-bot((?:[ \t]+(?:\\\n)?[^|;&`\n#]+)*)")


def calls(page: Path) -> Iterator[str]:
    for code in _CODE.findall(page.read_text(encoding="utf-8")):
        yield from (found.group(1).strip() for found in _CALL.finditer(code))


def unknown(call: str) -> str:
    """Return what a call names that the command line does not have, or an empty string."""
    words = re.sub(r"[\\\[\]()]", " ", call).split()
    command: click.Command = cli
    options = {name for p in cli.params for name in p.opts} | {"--help", "--version"}
    for word in words:
        if isinstance(command, click.Group) and not word.startswith("-"):
            alternatives = word.split("|") if "|" in word else [word]
            missing = [w for w in alternatives if re.fullmatch(r"[a-z-]+", w) and w not in command.commands]
            if missing:
                return missing[0]
            command = command.commands.get(alternatives[0], command)
            options |= {name for p in command.params for name in (*p.opts, *p.secondary_opts)}
        elif word.startswith("--") and re.split(r"[=|.,…]", word)[0] not in options:
            return word
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_call_in_the_documents_is_one_that_the_command_line_takes(page: Path) -> None:
    assert [(call, what) for call in calls(page) if (what := unknown(call))] == []


def test_calls_that_do_not_exist_are_noticed() -> None:
    assert unknown("discvr corpus -w w") == "discvr"
    assert unknown("discover corpus --wrokspace w") == "--wrokspace"
    assert unknown("review list|shw") == "shw"
    assert unknown("review approve 3f9c0a17be --workspace w") == ""


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = [re.sub(r"[^\w\- ]", "", title.lower()) for title in re.findall(r"^#+ (.*)$", text, re.MULTILINE)]
    return {title.replace(" ", "-") for title in titles}


def test_every_link_between_the_documents_leads_somewhere() -> None:
    broken = []
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#\s]+)?(?:#([^)]*))?\)", page.read_text(encoding="utf-8")):
            other = page.parent / target if target else page
            if "://" in target:
                continue
            if not other.exists() or (anchor and other.suffix == ".md" and anchor not in anchors(other)):
                broken.append((page.name, target, anchor))
    assert broken == []


def test_what_docstrings_cite_is_in_the_project() -> None:
    numbered = set(re.findall(r"^(\d+)\. ", (ROOT / "docs/architecture.md").read_text(encoding="utf-8"), re.MULTILINE))
    for path in (ROOT / "bot").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        cited = set(re.findall(r"Guarantees? (\d+)(?: and (\d+))?", text))
        assert {n for pair in cited for n in pair if n} <= numbered, path
        named = re.findall(r"\b((?:docs/)?[\w-]+\.md)\b", text)
        assert [n for n in named if not (ROOT / n).exists() and not (ROOT / "docs" / n).exists()] == [], path


def test_every_benchmark_that_the_documents_name_exists_and_each_has_its_row() -> None:
    scripts = {p.name for p in (ROOT / "benchmarks").glob("*.py") if "__main__" in p.read_text(encoding="utf-8")}
    named = {n for p in PAGES for n in re.findall(r"benchmarks/(\w+\.py)", p.read_text(encoding="utf-8"))}
    table = set(re.findall(r"^\| `(\w+\.py)", (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert named <= {p.name for p in (ROOT / "benchmarks").glob("*.py")}
    assert scripts <= table


def test_every_extra_is_used_by_the_code() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    code = "\n".join(
        p.read_text(encoding="utf-8") for folder in ("bot", "benchmarks") for p in (ROOT / folder).rglob("*.py")
    ).lower()
    extras = {name: wanted for name, wanted in project["optional-dependencies"].items() if name != "dev"}
    unused = [
        (extra, package)
        for extra, wanted in extras.items()
        for package in (re.split(r"[>=\[<~!]", w)[0].lower() for w in wanted)
        if package not in code and package.replace("-", "_") not in code
    ]
    assert unused == []


def test_the_page_on_crawling_names_every_key_of_an_order() -> None:
    page = (ROOT / "docs/crawling.md").read_text(encoding="utf-8")
    section = page.partition("## In a scheduled run")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([a-z_]+)`", section)) == {"source", *(f.name for f in fields(CrawlOrder))}


def test_the_readme_names_every_command() -> None:
    rows = re.findall(r"^\| (`.*?) \|", (ROOT / "README.md").read_text(encoding="utf-8"), re.M)
    told = {word.split()[0] for row in rows for word in re.findall(r"`([^`]+)`", row)}
    assert set(cli.commands) <= told
