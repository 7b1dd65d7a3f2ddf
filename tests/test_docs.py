"""The documents say what is: commands, options, benchmarks and extras that they name exist."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import click
import pytest

from bot.cli import cli
from bot.sandbox.faults import KINDS
from bot.settings import CitationRule, CrawlOrder, Properties, ReviewerAddress, Settings

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


_NO_SETTING = {"path", "stated", "unstated", "sandbox"}  # what a file cannot say


def defaults(table: object) -> dict[str, Any]:
    """Return the default of each setting of a table, without tables in it, as TOML has it."""
    values = {f.name: getattr(table, f.name) for f in fields(table) if f.name not in _NO_SETTING}  # type: ignore[arg-type]
    rows = {"sources", "crawl", "reviewers"}  # tables in lists have their own defaults
    kinds = get_type_hints(type(table))
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in values.items()
        if not is_dataclass(value) and not (name in rows and "str" not in str(kinds[name]))
    }


def test_the_page_on_settings_has_each_with_its_default() -> None:
    page = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    sections = re.split(r"^## `\[(.*)\]`$", page, flags=re.M)
    told = dict(zip(["", *sections[1::2]], sections[::2], strict=True))
    wanted: dict[str, dict[str, Any]] = {"": defaults(Settings())}
    for field in fields(Settings):
        if is_dataclass(table := getattr(Settings(), field.name)):
            wanted[field.name] = defaults(table)
    wanted["wiki.properties"] = defaults(Properties())
    wanted["proposing"] |= {f"sources.{name}": value for name, value in defaults(CitationRule()).items()}
    wanted["notify"] |= {f"reviewers.{name}": value for name, value in defaults(ReviewerAddress()).items()}
    wanted["run"]["crawl.languages"] = list(CrawlOrder().languages)
    assert [f.name for f in fields(CrawlOrder) if getattr(CrawlOrder(), f.name)] == ["languages"]
    assert set(told) == set(wanted)
    for table, section in told.items():
        own, *of_rows = re.split(r"^`\[\[\w+\.(\w+)\]\]`", section, flags=re.M)
        found: dict[str, Any] = {}
        for rows, text in [("", own), *zip(of_rows[::2], of_rows[1::2], strict=True)]:
            for stated in re.findall(r"`(\w+ = [^`]+)`", text):
                found |= {f"{rows}.{name}" if rows else name: value for name, value in tomllib.loads(stated).items()}
        assert found == wanted[table], table


def test_the_page_on_the_rehearsal_wiki_names_every_fault() -> None:
    page = (ROOT / "docs/sandbox.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:any|that edit|queries) \| (.*) \|$", page, re.M)
    assert set(KINDS) <= {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def test_the_books_of_judged_pairs_add_up() -> None:
    page = (ROOT / "docs/models.md").read_text(encoding="utf-8")
    section = page.partition("### Books of judged pairs")[2].partition("\n## ")[0]
    told = [n for row in re.findall(r"^\| ([\d, ]+) \|", section, re.M) for n in row.split(", ")]
    with (ROOT / "benchmarks/judged_pairs.jsonl").open(encoding="utf-8") as file:
        books = Counter(json.loads(line)["book"] for line in file)
    assert sorted(int(n.replace(",", "")) for n in told) == sorted(books.values())


def test_the_package_is_installed_from_its_source_since_no_registry_has_it() -> None:
    texts = [*PAGES, *(ROOT / "bot/messages").glob("*.po")]
    assert [p.name for p in texts if re.search(r"install '?formula-concept-bot", p.read_text(encoding="utf-8"))] == []
