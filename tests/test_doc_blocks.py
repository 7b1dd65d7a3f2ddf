"""What the documents print is run as printed: each block of commands, settings, Python, JSON lines and RDF."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path

import click
import pytest
from cli_runner import CORPUS, ITEMS, SETTINGS, call
from doc_blocks import PAGES, ROOT, Block, Shell, block, blocks, free_port, interrupt
from rdflib import RDF, RDFS, Graph, URIRef

from bot.cli import cli
from bot.sandbox import Sandbox
from bot.settings import load

# Who tests a kind of block. A block of another kind fails: somebody has to say how it is tested.
KINDS = {"sh", "console", "toml", "python", "json", "text", "turtle", "mermaid"}
ALL = [b for page in PAGES for b in blocks(page)]
PROGRAM = cli.context_class(cli, info_name="formula-bot", **cli.context_settings)  # what a command keeps of its options


def of(language: str) -> list[Block]:
    return [b for b in ALL if b.language == language]


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    return Shell(tmp_path)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory, proposed_examples: Path) -> Path:
    """A workspace on the examples in which Ada's approval of E = mc² was written to the rehearsal wiki."""
    path = Path(shutil.copytree(proposed_examples, tmp_path_factory.mktemp("written") / "w"))
    where = ("--workspace", path, "--config", SETTINGS)
    call("review", "add-reviewer", "Ada", *where).well()
    call("review", "add-reviewer", "Ben", *where).well()
    call("review", "approve", "2fa814eb78", "--reviewer", "Ada", *where).well()
    call("write", *where).well()
    call("write", "--live", *where).well()
    return path


@contextmanager
def serving(shell: Shell, command: str, announces: str) -> Iterator[None]:
    running = shell.serve(command, announces)
    try:
        yield
    finally:
        interrupt(running)


def test_every_block_is_of_a_kind_that_is_tested() -> None:
    assert {(b.page, b.language) for b in ALL if b.language not in KINDS} == set()


def test_every_block_of_commands_belongs_to_a_test_below() -> None:
    source = Path(__file__).read_text(encoding="utf-8")
    untested = [b for b in of("sh") + of("console") if f'"{b.page}"' not in source and f'/{b.page}"' not in source]
    assert untested == []
    begun = re.findall(r'block\("(?:docs/)?([\w.-]+)", "(.*?)"\)', source)
    left = [b for b in of("sh") + of("console") if not any(b.page == p and b.text.startswith(t) for p, t in begun)]
    assert left == []


def test_commands_for_a_cluster_are_understood() -> None:
    """Their options are; they are run on two processes of this machine in tests/discover/test_spark.py."""
    found = (
        block("docs/cluster.md", "formula-bot discover lectures/"),
        block("docs/cluster.md", "formula-bot discover /shared/papers"),
        block("docs/cluster.md", "formula-bot discover /shared/pages"),
    )
    for each in found:
        program, command, *words = shlex.split(each.text.replace("\\\n", ""))
        given = cli.commands[command].make_context(command, words, parent=PROGRAM).params
        assert (program, given["engine"]) == ("formula-bot", "spark")
        assert all(setting.startswith("spark.") and "=" in setting for setting in given["spark_conf"])


def test_commands_that_fetch_are_understood() -> None:
    """Their options are; crawls are run against servers on this machine in tests/corpus."""
    for line in block("docs/crawling.md", "formula-bot crawl wikipedia --without").text.splitlines():
        program, command, source, *words = shlex.split(line)
        group = cli.commands[command]
        assert isinstance(group, click.Group)
        given = group.commands[source].make_context(source, words, parent=PROGRAM).params
        assert (program, given["config"]) == ("formula-bot", "bot.toml")
        assert given["into"].startswith("corpus/")


def test_the_targets_of_make_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for line in block("README.md", "make demo").text.splitlines():
        target = line.split("#")[0].split()
        assert target[0] == "make"
        assert re.search(rf"^{target[1]}:", makefile, re.MULTILINE)


def test_the_whole_way_of_the_readme(shell: Shell) -> None:
    printed = shell.run_block(block("README.md", "formula-bot discover"))
    assert len(printed) == 11
    assert "formulas by rank" in printed[1]
    assert "E=mc^{2}" in printed[6]
    assert re.search(r"planned 1, written 1,.* failed 0", printed[9])
    assert "1 present" in printed[10]


def test_fetching_from_a_folder_that_is_served(shell: Shell) -> None:
    (shell.folder / "bot.toml").write_text(
        block("docs/crawling.md", "[agent]").text.replace("seconds = 1.0", "seconds = 0.0")
    )
    shell.changes = {"8090": str(free_port())}
    server = f"python3 -u -m http.server {shell.changes['8090']} --bind 127.0.0.1 --directory examples/corpus"
    with serving(shell, server, "Serving HTTP"):
        planned, _, _ = shell.run_block(block("docs/crawling.md", "formula-bot crawl http"))
    assert planned.count("new http://127.0.0.1") == 14
    assert len(list((shell.folder / "corpus/lectures").rglob("lecture-*.html"))) == 13


def test_the_ranked_list_as_a_file(shell: Shell) -> None:
    shell.run_block(block("docs/discover.md", "formula-bot discover"))
    assert (shell.folder / "ranked.csv").read_text("utf-8").startswith("d,D,formularank,")


def test_the_built_in_list_is_printed(shell: Shell) -> None:
    (printed,) = shell.run_block(block("docs/builtin-list.md", "formula-bot formulas --list"))
    assert len(re.findall(r"\bQ\d+\b", printed)) == 20


def test_comparing(shell: Shell) -> None:
    first, second = (json.loads(said) for said in shell.run_block(block("docs/compare.md", "echo")))
    assert (first["relation"], second["relation"]) == ("typographic", "rearranged")


def test_recognising_prints_what_the_document_shows(shell: Shell) -> None:
    command, shown = block("docs/recognition.md", "$ echo").text.strip().split("\n")
    said = shell.run(command.removeprefix("$ ")).strip()
    pattern = ".+?".join(re.escape(part) for part in shown.split("…"))
    assert re.fullmatch(pattern, said), said


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_reconciling(shell: Shell) -> None:
    shell.changes = {"8095": str(free_port())}
    command, asking = shell.commands(block("docs/reconcile.md", "formula-bot reconcile"))
    with serving(shell, f"{command} --no-builtin --port {shell.changes['8095']}", "Ctrl-C ends it"):
        found = json.loads(shell.run(asking))["q0"]["result"]
    assert (found[0]["id"], found[0]["match"]) == ("Q72755", True)


def test_the_script_for_item_pages_is_printed_for_the_settings(shell: Shell) -> None:
    settings = block("docs/gadget.md", "[gadget]").text
    (shell.folder / "settings.toml").write_text(settings, encoding="utf-8")
    shell.run_block(block("docs/gadget.md", "formula-bot gadget"))
    text = (shell.folder / "formula-proposals.js").read_text(encoding="utf-8")
    assert text.startswith("// <nowiki> formula-bot ")
    assert '"server": "https://review.example.org", "wiki": "https://www.wikidata.org"' in text


def test_the_three_stages_ask_the_configured_wiki(shell: Shell) -> None:
    (shell.folder / "corpora").mkdir()
    (shell.folder / "corpora/lectures").symlink_to(CORPUS / "cnxml")
    page = "<mediawiki><page><title>Momentum</title><ns>0</ns><id>1</id><revision><id>2</id><text>'''Momentum''' is &lt;math&gt;p = mv&lt;/math&gt;.</text></revision></page></mediawiki>"
    with gzip.open(shell.folder / "corpora/articles.xml.gz", "wt", encoding="utf-8") as file:
        file.write(page)
    items = [json.loads(line) for line in ITEMS.read_text(encoding="utf-8").splitlines()]
    with Sandbox() as wiki:
        wiki.fill(items)
        (shell.folder / "w").mkdir(mode=0o700)
        (shell.folder / "w/settings.toml").write_text(
            f'[agent]\ncontact = "https://example.org/operator"\n[wiki]\nname = "here"\napi = "{wiki.wiki.api}"\n'
            f'sparql = "{wiki.wiki.sparql}"\nentity_prefix = "{wiki.wiki.entity_prefix}"\narticles = "{wiki.wiki.articles}"\n'
        )
        shell.run_block(block("docs/operating.md", "formula-bot discover"))
    assert (shell.folder / "w/reports/dry-run.html").exists()
    matches = [json.loads(line) for line in shell.run("formula-bot export matches -w w").splitlines()]
    assert {"Q41273", "Q2397319"} <= {row["qid"] for row in matches}


def test_undoing(shell: Shell, written: Path) -> None:
    w = shell.folder / "w"
    edit = call("export", "edits", "--workspace", written).rows[0]
    day = edit["time"][:10]
    fills = {
        "3f9c0a17be22": edit["group"],
        "Q179916": edit["qid"],
        "2026-11-20": day,
        "2026-11-21": str(date.fromisoformat(day) + timedelta(days=1)),
    }
    shell.changes = fills
    for command in shell.commands(block("docs/operating.md", "formula-bot undo")):
        shutil.copytree(written, w)
        shell.run(command)
        became = call("export", "edits", "--workspace", w).rows[0]["undo"]
        assert became.startswith("undone in revision"), (command, became)  # a rehearsal wiki wants no --live
        shutil.rmtree(w)


def test_pausing(shell: Shell, written: Path) -> None:
    shutil.copytree(written, shell.folder / "w")
    (shell.folder / "bot.toml").write_text('[run]\nsources = ["corpus"]\nworkspace = "w"\n', encoding="utf-8")
    paused, lifted = shell.run_block(block("docs/operating.md", "formula-bot pause"))
    assert paused.startswith("writing is paused")
    assert lifted.startswith("the pause has ended")


def test_a_formula_without_item_is_answered(shell: Shell, written: Path) -> None:
    shutil.copytree(written, shell.folder / "w")
    listed, given, taken = shell.run_block(block("docs/reviewing.md", "formula-bot review unmatched"))
    assert "P = I²R" in listed
    assert (given, taken) == ("bb6d2ff29a: Q25342\n", "bb6d2ff29a: withdraw\n")


def test_the_requirements_are_shown_on_real_input(shell: Shell, written: Path) -> None:
    shutil.copytree(written, shell.folder / "w")
    rows, graph, symbols = shell.run_block(block("docs/requirements.md", "formula-bot export representations"))
    approved = [json.loads(line) for line in rows.splitlines() if json.loads(line)["reviewer"] == "Ada"]
    assert {row["qid"] for row in approved} == {"Q35875"}
    parsed = Graph().parse(data=graph, format="turtle")
    assert (None, URIRef("http://www.wikidata.org/prop/direct/P2534"), None) in parsed
    said = {str(parsed.value(each, RDFS.label)) for each in parsed.subjects(RDF.type, RDF.Statement)}
    assert {"mass–energy equivalence has defining formula $E=mc^{2}$", "$E$ is energy"} <= said
    assert "energy" in {json.loads(line)["meaning"] for line in symbols.splitlines()}


def test_the_review_page_starts(shell: Shell, written: Path) -> None:
    shutil.copytree(written, shell.folder / "w")
    command = shell.commands(block("docs/reviewing.md", "formula-bot review serve"))[0]
    with serving(shell, f"{command} --port {free_port()}", "Ctrl-C ends it"):
        pass


def test_rules_of_the_queue(shell: Shell, written: Path) -> None:
    shutil.copytree(written, shell.folder / "w")
    held, _, _, log = shell.run_block(block("docs/reviewing.md", "formula-bot review rules"))
    assert "two_persons" in held
    assert "two_persons" in log


def test_a_shared_page(shell: Shell, written: Path) -> None:
    shutil.copytree(written, shell.folder / "w")
    shell.run("formula-bot review rules --set oauth_client=0123 --workspace w")
    command = shell.commands(block("docs/reviewing.md", "FORMULA_BOT_OAUTH_SECRET"))[0]
    with serving(shell, f"{command} --port {free_port()}", "https://review.example.org"):
        pass


def test_sessions_and_tokens(shell: Shell, written: Path) -> None:
    shutil.copytree(written, shell.folder / "w")
    shell.run("formula-bot review token Ada --workspace w")
    listed = shell.run("formula-bot review tokens --workspace w")
    shell.changes = {"5d0c1e88a3": str(re.search(r"\b[0-9a-f]{10}\b", listed)[0])}  # type: ignore[index]
    shell.run_block(block("docs/reviewing.md", "formula-bot review sessions"))
    assert shell.changes["5d0c1e88a3"] not in shell.run("formula-bot review tokens --workspace w")


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_api(shell: Shell, written: Path) -> None:
    shutil.copytree(written, shell.folder / "w")
    token = re.findall(r"\S{20,}", shell.run("formula-bot review token Ben --workspace w"))[0]
    waiting = json.loads(shell.run("formula-bot review list --json --workspace w").splitlines()[0])
    proposal, port = waiting["id"], str(free_port())
    full = next(
        r for r in map(json.loads, shell.run("formula-bot export proposals -w w").splitlines()) if r["id"] == proposal
    )
    shell.variables = {"TOKEN": token}
    shell.changes = {"0df029c826b1a3c4": proposal, "8090": port, '"…"': f'"{full["hash"]}"'}
    with serving(shell, f"formula-bot review serve --workspace w --port {port}", "Ctrl-C ends it"):
        listed, decided = shell.run_block(block("docs/reviewing.md", "curl"))
    assert proposal in listed
    assert "error" not in json.loads(decided), decided
    assert [json.loads(row)["reviewer"] for row in shell.run("formula-bot export decisions -w w").splitlines()] == [
        "Ada",
        "Ben",
    ]


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_the_live_path_on_a_served_rehearsal_wiki(shell: Shell) -> None:
    port = str(free_port())
    shell.changes = {"8484": port}
    shutil.copy(ITEMS, shell.folder / "items.jsonl")
    account = shell.folder / "account"
    account.mkdir(mode=0o700)
    named = [b for b in ALL if b.page == "sandbox.md" and b.language in ("python", "toml")]
    for b, name in zip(
        named,
        ("account/here_family.py", "account/user-config.py", "account/user-password.py", "live.toml"),
        strict=True,
    ):
        text = shell.filled(b)
        if name == "live.toml":
            text += SETTINGS.read_text(encoding="utf-8").partition("[encyclopaedia]")[0]
        (shell.folder / name).write_text(text, encoding="utf-8")
        os.chmod(shell.folder / name, 0o600)
    stage = "--workspace w --config live.toml"
    serve = shell.commands(block("docs/sandbox.md", "formula-bot sandbox"))[0]
    with serving(shell, serve, "WikiBot"):
        for command in (
            "discover examples/corpus --items items.jsonl",
            "match",
            "propose",
            "review add-reviewer Ada",
            "review approve 2fa814eb78",
        ):
            shell.run(f"formula-bot {command} {stage}")
        shell.apart = True  # pywikibot reads its settings once in a process
        *_, outcome = shell.run_block(block("docs/sandbox.md", "formula-bot write"))
    assert re.search(r"planned 1, (written 1, already there 0|written 0, already there 1), .*failed 0", outcome), (
        outcome
    )


# An audit of one's own (it begins with its description) is not a settings file; tests/audit reads such.
@pytest.mark.parametrize(
    "toml", [b for b in of("toml") if not b.text.startswith("description")], ids=lambda b: f"{b.page}-{b.text[:12]}"
)
def test_settings_are_such_as_the_bot_reads(toml: Block, tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text(toml.text, encoding="utf-8")
    assert load(tmp_path / "settings.toml").path


def test_python_is_python() -> None:
    for b in of("python"):
        compile(b.text, b.page, "exec")


def test_queries_can_be_asked(shell: Shell) -> None:
    for b in of("json"):
        (shell.folder / "queries.jsonl").write_text(b.text, encoding="utf-8")
        said = call("recognise", "--items", ITEMS, "--queries", shell.folder / "queries.jsonl").well().rows
        assert [row["tex"] for row in said] == [json.loads(line)["tex"] for line in b.text.splitlines()]


def test_entries_of_the_formula_list_stand_in_it() -> None:
    shipped = "\n".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "bot/match/builtin").glob("*.txt")))
    for b in of("text"):
        assert all(f"{line}\n" in shipped for line in b.text.splitlines()), b


def test_the_list_is_printed_in_its_own_order(shell: Shell) -> None:
    (said,) = shell.run_block(block("docs/builtin-list.md", "formula-bot formulas"))
    assert sum(line.startswith("Q") for line in said.splitlines()) == 20


def test_turtle_is_turtle() -> None:
    prefixes = "".join(
        f"@prefix {name}: <http://example.org/{name}/> .\n"
        for name in ("fcdb", "wd", "wdt", "prov", "rdf", "rdfs", "xsd")
    )
    for b in of("turtle"):
        plain = b.text.replace("…", "").replace("concept:", "concept").replace("reviewer:", "reviewer")
        assert (
            len(Graph().parse(data=prefixes + plain.replace("representation:", "representation"), format="turtle")) > 5
        )
