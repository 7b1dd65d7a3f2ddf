"""The commands as a person meets them, on the example corpus: the whole chain, the exports, and each command's own words."""

from __future__ import annotations

import csv
import html
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from cli_runner import CORPUS, EXAMPLES, ITEMS, STAGES, call, few_documents, finished, process, stage, started

from bot.cli import cli
from bot.cli_common import CommandGroup, Stopped
from bot.messages import Message, languages
from bot.review import web

COMMANDS = [
    (name, *rest)
    for name, command in cli.commands.items()
    for rest in ([()] + [(sub,) for sub in command.commands] if isinstance(command, CommandGroup) else [()])
]


@pytest.fixture(scope="module")
def proposed(tmp_path_factory: pytest.TempPathFactory, proposed_examples: Path) -> Path:
    """A workspace after discover, match and propose; for reading only."""
    return Path(shutil.copytree(proposed_examples, tmp_path_factory.mktemp("cli") / "w"))


@pytest.fixture
def w(proposed: Path, tmp_path: Path) -> Path:
    """A copy of it to work on."""
    return Path(shutil.copytree(proposed, tmp_path / "w"))


def _proposals(w: Path, *, kind: str = "new_claim") -> list[dict[str, Any]]:
    rows = call("review", "list", "--json", "-w", w).well().rows
    return [row for row in rows if row["kind"] == kind]


def _approved(w: Path, n: int = 2) -> list[dict[str, Any]]:
    call("review", "add-reviewer", "Ada", "-w", w).well()
    rows = _proposals(w)[:n]
    call("review", "approve", *(row["id"] for row in rows), "-w", w).well()
    return rows


# The chain


def test_the_chain_from_proposal_to_undo(w: Path) -> None:
    approved = _approved(w, 3)
    plan = call("write", "-w", w).well()
    assert "3 edits planned" in plan.out
    assert call("export", "edits", "-w", w).rows == []
    live = call("write", "--live", "-w", w).well()
    assert "written 3" in live.out
    assert "planned 0" in call("write", "--live", "-w", w).well().out
    edits = call("export", "edits", "-w", w).rows
    assert [e["proposal"] for e in edits] == [p["id"] for p in approved]
    assert {e["outcome"] for e in edits} == {"written"}
    assert call("review", "list", "--state", "written", "--json", "-w", w).rows
    seeded = json.loads(call("audit", "seeded", "--format", "json", "-w", w).well().out)
    assert seeded["exit_code"] == 0
    undone = call("undo", "--group", edits[0]["group"], "--json", "-w", w).well().rows
    assert [row["undo"].startswith("undone") for row in undone] == [True] * 3
    assert call("undo", "--edit", edits[0]["n"], "--json", "-w", w).well().rows[0]["undo"] == undone[-1]["undo"]
    assert "planned 0" in call("write", "--live", "-w", w).well().out


@pytest.mark.parametrize(
    ("form", "start"), [("text", "audits"), ("html", "<!doctype html>"), ("json", "{"), ("wikitext", "== ")]
)
def test_audits_speak_four_formats_and_the_exit_code_says_what_they_found(w: Path, form: str, start: str) -> None:
    said = call("audit", "unreferenced", "--format", form, "-w", w)
    assert said.code == 1
    assert said.out.lower().startswith(start)
    assert call("audit", "seeded", "--format", form, "-w", w).code == 0


def test_an_audit_goes_into_a_file(w: Path, tmp_path: Path) -> None:
    said = call("audit", "seeded", "--format", "json", "--output", tmp_path / "a.json", "-w", w)
    assert (said.code, said.out) == (0, "")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["findings"] is not None
    call("audit", "--output", tmp_path / "none" / "a.html", "-w", w).refused("none/a.html", "--output")


def test_a_plan_can_be_carried_out_by_its_id(w: Path) -> None:
    _approved(w, 1)
    plan = json.loads(call("write", "--json", "-w", w).well().out)
    done = json.loads(call("write", "--live", "--plan", plan["id"], "--json", "-w", w).well().out)
    assert (done["plan"], done["written"]) == (plan["id"], 1)


def test_writing_without_anything_approved_is_a_clean_nothing(w: Path) -> None:
    assert "planned 0" in call("write", "--live", "-w", w).well().out
    assert call("export", "edits", "-w", w).rows == []


# Review


def test_a_person_lists_shows_decides_and_takes_back(w: Path) -> None:
    call("review", "add-reviewer", "Ada", "-w", w).well()
    listed = call("review", "list", "-w", w).well().out
    first = _proposals(w)[0]
    assert f"  {min(99, int(100 * first['probability']))} %  " in listed
    assert first["tex"] in listed
    shown = call("review", "show", first["id"][:10], "-w", w).well().out
    assert first["hash"] in shown
    as_json = json.loads(call("review", "show", first["id"], "--json", "-w", w).well().out)
    assert (as_json["state"], as_json["hash"]) == ("open", first["hash"])
    assert "approved" in call("review", "approve", first["id"][:10], "-w", w).well().out
    assert call("review", "show", first["id"], "--json", "-w", w).rows[0]["state"] == "approved"
    call("review", "withdraw", first["id"], "-w", w).well()
    call("review", "reject", first["id"], "--reason", "not-defining", "-w", w).well()
    assert [d["verdict"] for d in call("export", "decisions", "-w", w).rows] == ["approve", "withdraw", "reject"]
    assert call("review", "list", "--state", "rejected", "--json", "-w", w).rows[0]["id"] == first["id"]


def test_a_decision_is_shown_with_who_made_it_and_the_formula_they_put_in(w: Path) -> None:
    call("review", "add-reviewer", "Ada", "-w", w).well()
    first, second = [row for row in _proposals(w) if row["kind"] == "new_claim"][:2]
    edited = first["tex"] + r"\,"
    call("review", "approve", first["id"], "--tex", edited, "-w", w).well()
    call("review", "reject", second["id"], "--reason", "not_defining", "-w", w).well()
    assert edited in call("review", "list", "--state", "approved", "-w", w).well().out
    shown = call("review", "show", first["id"], "-w", w).well().out
    assert "Approved by Ada, 20" in shown
    assert re.search(rf"edited formula +{re.escape(edited)}", shown)
    assert re.search(r"decision +Rejected by Ada, .*: not_defining", call("review", "show", second["id"], "-w", w).out)
    call("review", "rules", "--set", "two_persons=true", "-w", w).well()
    waiting = call("review", "show", first["id"], "-w", w).well().out
    assert "second" in waiting
    assert edited not in waiting
    assert "by Ada" not in waiting


def test_formulas_without_item_topics_tokens_and_rules_are_tables_and_json(w: Path) -> None:
    call("review", "add-reviewer", "Ada", "-w", w).well()
    shown = call("review", "unmatched", "--top", 2, "-w", w).well().out.splitlines()
    rows = call("review", "unmatched", "--top", 2, "--json", "-w", w).well().rows
    assert [line[:10] for line in shown[2:4]] == [row["key"][:10] for row in rows]
    assert len(rows) == 2 < int(shown[0].split()[0])
    assert rows[1]["candidates"][0]["qid"] in shown[3]
    key = rows[0]["key"]
    call("review", "answer", key, "-w", w).refused("--item")
    call("review", "answer", key, "--item", "Q1", "--none", "-w", w).refused("--item")
    call("review", "answer", key[:10], "--none", "--seen", "0", "-w", w).refused(code=2)
    call("review", "answer", key[:10], "--none", "--seen", rows[0]["seen"], "-w", w).well()
    assert key not in {row["key"] for row in call("review", "unmatched", "--json", "-w", w).well().rows}
    call("review", "topics", "--add", "sure", "--filter", "low=90", "-w", w).well()
    (topic,) = call("review", "topics", "--json", "-w", w).well().rows
    listed = call("review", "list", "--topic", "sure", "--json", "-w", w).well().rows
    assert (topic["name"], topic["query"], topic["waiting"]) == ("sure", "low=90", len(listed))
    assert min(row["probability"] for row in listed) >= 0.9 > min(row["probability"] for row in _proposals(w))
    call("review", "topics", "--forget", "sure", "--again", "sure", "-w", w).refused("one at a time")
    call("review", "topics", "--add", "x", "--items", w / "none.txt", "-w", w).refused("no such file")
    (w / "latin.txt").write_bytes(b"Q1 \xe9")
    for file in (w, w / "latin.txt"):
        call("review", "topics", "--add", "x", "--sparql", file, "-w", w).refused("cannot be read")
    call("review", "topics", "--forget", "sure", "-w", w).well()
    call("review", "token", "Ada", "-w", w).well()
    (token,) = call("review", "tokens", "--json", "-w", w).well().rows
    assert (token["reviewer"], token["revoked"]) == ("Ada", False)
    assert token["id"] in call("review", "tokens", "--revoke", "-w", w).well().out
    assert call("review", "tokens", "--json", "-w", w).well().rows == []
    call("review", "rules", "--set", "two_persons=true", "-w", w).well()
    rules = json.loads(call("review", "rules", "--json", "-w", w).well().out)
    assert (rules["two_persons"], rules["origin"]["two_persons"] != rules["origin"]["blind"]) == (True, True)
    assert call("review", "rules", "--log", "--json", "-w", w).well().rows[0]["rule"] == "two_persons"
    call("review", "rules", "--unset", "two_persons", "-w", w).well()
    assert json.loads(call("review", "rules", "--json", "-w", w).well().out)["two_persons"] is False


def test_a_proposal_is_left_for_later_or_for_others_or_closed(w: Path) -> None:
    call("review", "add-reviewer", "Ada", "-w", w).well()
    id_ = _proposals(w)[0]["id"]
    assert id_[:10] in call("review", "unsure", id_, "-w", w).well().out
    assert call("review", "show", id_, "--json", "-w", w).rows[0]["state"] == "unsure"
    call("review", "withdraw", id_, "-w", w).well()
    call("review", "close", id_, "--as", "leave", "-w", w).well()
    assert call("review", "list", "--state", "closed", "--json", "-w", w).rows[0]["id"] == id_
    assert "https://r.example" in call("gadget", "--server", "https://r.example").well().out.splitlines()[0]


def test_the_page_is_served_as_the_options_say(w: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served: list[dict[str, Any]] = []
    monkeypatch.setattr(web, "serve", lambda opened, settings, **how: served.append(how))
    call("review", "serve", "--port", 0, "--reviewer", "Ada", "-w", w).well()
    del served[0]["say"], served[0]["open_client"]
    assert served == [{"port": 0, "reviewer": "Ada", "public": "", "host": "127.0.0.1"}]


def test_an_edited_formula_and_a_rejected_reference_are_for_one_proposal(w: Path) -> None:
    call("review", "add-reviewer", "Ada", "-w", w).well()
    one, two = _proposals(w)[:2]
    call("review", "approve", one["id"], two["id"], "--tex", "x=y", "-w", w).refused("one proposal at a time")
    call("review", "approve", one["id"], "--tex", "x = y z", "-w", w).refused("--confirm-edit", "--approve-reference")
    edited = ("--tex", "x = y z", "--confirm-edit", "--approve-reference", 1)
    call("review", "approve", one["id"], *edited, "-w", w).well()
    decision = call("export", "decisions", "-w", w).rows[0]
    assert decision["tex"] == "x = y z"


def test_a_packet_goes_out_and_its_decisions_come_back_once(w: Path, tmp_path: Path) -> None:
    call("review", "add-reviewer", "Ada", "-w", w).well()
    packet = tmp_path / "packet.csv"
    call("review", "export", packet, "-w", w).well()
    with packet.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    rows[0]["verdict"] = "approve"
    rows[1] |= {"verdict": "reject", "reason": "wrong_item"}
    with packet.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0].keys())
        table.writeheader()
        table.writerows(rows)
    assert json.loads(call("review", "import", packet, "--json", "-w", w).well().out)["recorded"] == 2
    assert json.loads(call("review", "import", packet, "--json", "-w", w).well().out)["recorded"] == 0
    page = tmp_path / "packet.html"
    call("review", "export", page, "-w", w, "--language", "fr").well()
    assert '<html lang="fr">' in page.read_text(encoding="utf-8")
    assert "<math" in page.read_text(encoding="utf-8")
    call("propose", "-w", w, "--language", "xx").refused("no catalogue", "xx", "de, es, fr")


# Questions


def test_formulas_are_found_by_name_and_by_item(proposed: Path) -> None:
    by_name = call("find", "Hubble's law", "-w", proposed, "--json").well().rows
    by_item = call("find", "Q179916", "-w", proposed, "--json", "--top", 3).well().rows
    assert by_name[0]["tex"] == by_item[0]["tex"]
    assert len(by_item) <= 3
    assert {"tex", "score", "sentence", "document"} <= by_name[0].keys()
    assert call("find", "no such thing at all", "-w", proposed, "--json").well().rows == []


def test_a_formula_or_two_can_be_named_without_a_file() -> None:
    (row,) = call("formula", "E = m c^2").well().rows
    assert (row["tex"], row["valid"]) == ("E = m c^2", True)
    (row,) = call("compare", "E = mc^2", "m c^{2} = E").well().rows
    assert (row["a"], row["b"], row["relation"], row["level"]) == ("E = mc^2", "m c^{2} = E", "typographic", "K1")
    call("formula").refused("Give FORMULA or --input F.")
    call("formula", "x", "--input", "-").refused("Give FORMULA or --input F.")
    call("compare", "E = mc^2").refused("Give two formulas or --input F.")


@pytest.mark.parametrize("tex", ["-x = y", r"-\pi", "-h=y", "-w = 2"])
def test_a_formula_may_begin_with_a_minus_sign(tex: str, w: Path) -> None:
    if not tex.startswith("-w"):  # the option for the workspace
        assert "option" not in call("find", tex, "-w", w).err
    assert [row["tex"] for row in call("formula", tex).well().rows] == [tex]
    (row,) = call("compare", tex, "y=-x").well().rows
    assert (row["a"], row["b"]) == (tex, "y=-x")
    assert "No such option '-x'" in call("formula", "-x").err
    assert call("formula", "--", tex).well().rows[0]["tex"] == tex


def test_formula_answers_from_a_file_and_from_standard_input_and_leaves_other_fields(tmp_path: Path) -> None:
    line = json.dumps({"id": 7, "tex": "E = m c^2", "note": ["é"]}) + "\n"
    (tmp_path / "f.jsonl").write_text(line, encoding="utf-8")
    given = call("formula", "--input", "-", stdin=line).well().rows
    assert given == call("formula", "--input", tmp_path / "f.jsonl").well().rows
    assert (given[0]["id"], given[0]["note"], given[0]["valid"]) == (7, ["é"], True)
    assert set(given[0]["keys"]) >= {f"K{n}" for n in range(7)}
    assert {"why", "mended"} <= given[0].keys()


def test_compare_leaves_other_fields(tmp_path: Path) -> None:
    line = json.dumps({"a": "E=mc^2", "b": "E = m c^{2}", "pair": "p1"}) + "\n"
    (answer,) = call("compare", "--input", "-", stdin=line).well().rows
    assert answer["pair"] == "p1"
    assert answer["same_concept"] is True
    assert answer["relation"] in ("identical", "typographic")
    assert answer["level"].startswith("K")


def test_recognise_answers_each_query_with_each_item_once(tmp_path: Path) -> None:
    queries = json.dumps({"id": "a", "tex": "E=mc^2", "mine": 1}) + "\n" + json.dumps({"id": "b", "tex": "}{"}) + "\n"
    (tmp_path / "q.jsonl").write_text(queries, encoding="utf-8")
    said = call("recognise", "--items", ITEMS, "--queries", "-", "--top", 5, stdin=queries).well().rows
    assert said == call("recognise", "--items", ITEMS, "--queries", tmp_path / "q.jsonl", "--top", 5).well().rows
    assert [row["id"] for row in said] == ["a", "b"]
    assert said[0]["mine"] == 1
    qids = [hit["qid"] for hit in said[0]["hits"]]
    assert len(qids) == len(set(qids)) <= 5
    assert all({"qid", "score", "probability", "level", "formula"} <= hit.keys() for hit in said[0]["hits"])
    assert (said[1]["accepted"], said[1]["hits"]) == (False, [])
    from_input = call("recognise", "--items", "-", "--queries", tmp_path / "q.jsonl", stdin=ITEMS.read_bytes())
    assert [row["id"] for row in from_input.well().rows] == ["a", "b"]


# Help, and the program itself


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_every_command_has_help_that_says_more_than_its_name(command: tuple[str, ...]) -> None:
    for flag in ("--help", "-h"):
        said = call(*command, flag).well()
        assert said.out.startswith(f"Usage: formula-bot {' '.join(command)}")
    assert len(said.out) > 150
    assert "..." not in said.out.replace("...]", "").split("\n\n")[1]


def test_the_list_of_commands_follows_the_data_and_cuts_no_sentence() -> None:
    said = call("--help").well().out
    names = [line.split()[0] for line in said.split("Commands:")[1].strip().splitlines()]
    assert names[:8] == ["demo", "crawl", "discover", "match", "propose", "review", "write", "undo"]
    assert "..." not in said.split("Commands:")[1]
    assert "..." not in call("review", "--help").well().out.split("Commands:")[1]


def test_the_help_names_every_language_and_the_roles_that_can_be_given() -> None:
    said = call("propose", "--help").well().out
    named = re.search(r"Language of the output: ([\w, ]+)\.", " ".join(said.split()))
    assert named
    assert named[1].replace(" or ", ", ").split(", ") == list(languages())
    call("review", "add-reviewer", "Ada", "--role", "stand-in", "-w", "w").refused("'reviewer', 'operator'")


def test_the_module_is_the_script() -> None:
    script = Path(sys.executable).with_name("formula-bot")
    line = json.dumps({"tex": "a=b"}) + "\n"
    module = process("formula", "--input", "-", stdin=line)
    if not script.exists():
        pytest.skip("the package is not installed beside this Python")
    done = subprocess.run([script, "formula", "--input", "-"], input=line.encode(), capture_output=True, check=False)
    assert (done.returncode, done.stdout.decode()) == (module.code, module.out)


def test_help_needs_no_heavy_library() -> None:
    code = (
        "import sys, bot.cli\n"
        "heavy = {'sqlalchemy', 'rich', 'lxml', 'flask', 'duckdb', 'pyarrow', 'pywikibot', 'sklearn', 'requests'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    assert process(program=("-c", code)).well().out.strip() == "[]"


def test_a_reader_that_leaves_early_is_no_failure(proposed: Path) -> None:
    running = started("export", "occurrences", "-w", proposed)
    assert running.stdout is not None
    running.stdout.read(10)
    running.stdout.close()
    assert running.stderr is not None
    with running.stderr:
        assert running.stderr.read() == b""
    assert running.wait(30) == 0


def test_closed_streams_are_no_fault_and_no_stream_takes_the_place_of_another(proposed: Path) -> None:
    shell = f'"{sys.executable}" -m bot status -w '
    assert subprocess.run(f"{shell} '{proposed}' >&-", shell=True, capture_output=True).returncode == 0
    said = subprocess.run(f"{shell} nowhere 2>&-", shell=True, capture_output=True)
    assert (said.returncode, said.stdout) == (2, b"")
    said = subprocess.run(f'"{sys.executable}" -m bot formula --input - <&-', shell=True, capture_output=True)
    assert (said.returncode, said.stderr) == (0, b"")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_while_a_failure_is_being_said_is_one_line(number: signal.Signals, code: int) -> None:
    program = """if True:
        import os, sys, bot.__main__, bot.cli
        bot.cli._fail = lambda told, code: os.kill(os.getpid(), int(sys.argv.pop()))
        bot.__main__.main()
        """
    said = subprocess.run(
        [sys.executable, "-c", program, "status", "-w", "nowhere", str(int(number))], capture_output=True, text=True
    )
    told = "formula-bot: interrupted; finished work is kept, run it again to continue\n"
    assert (said.returncode, said.stdout, said.stderr) == (code, "", told)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_python_ends_without_looking_for_cycles_and_an_interrupt_meanwhile_prints_nothing(
    number: signal.Signals,
) -> None:
    program = """if True:
        import atexit, gc, os, sys, bot.__main__
        atexit.register(os.kill, os.getpid(), int(sys.argv.pop()))
        atexit.register(lambda: print("frozen", gc.get_freeze_count() > 1000, flush=True))
        bot.__main__.main()
        """
    said = subprocess.run([sys.executable, "-c", program, "query", str(int(number))], capture_output=True, text=True)
    assert (said.returncode, said.stderr, said.stdout.splitlines()[-1]) == (-number, "", "frozen True")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_before_the_command_is_there_is_one_line(number: signal.Signals, code: int) -> None:
    program = """if True:
        import os, sys, bot.__main__
        class Interrupting:
            def find_spec(self, name, path=None, target=None):
                if name == "bot.cli_crawl":
                    os.kill(os.getpid(), int(sys.argv[1]))
        sys.meta_path.insert(0, Interrupting())
        bot.__main__.main()
        """
    said = subprocess.run([sys.executable, "-c", program, str(int(number))], capture_output=True, text=True)
    told = "formula-bot: interrupted; finished work is kept, run it again to continue\n"
    assert (said.returncode, said.stdout, said.stderr) == (code, "", told)


def test_what_duckdb_makes_of_ctrl_c_is_an_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(tex: str) -> dict[str, object]:
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr("bot.formula.describe", interrupted)
    with pytest.raises(Stopped) as told:
        cli.main(["formula", "x = 1"], standalone_mode=False)
    assert told.value.code == 130


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_rehearsal_wiki_is_served_until_it_is_told_to_end(number: signal.Signals, tmp_path: Path) -> None:
    import urllib.request

    (tmp_path / "script.js").write_text("window.loaded = true", encoding="utf-8")
    running = started("sandbox", "serve", "--items", ITEMS, "--script", tmp_path / "script.js")
    assert running.stdout is not None
    head = [running.stdout.readline().decode() for _ in range(6)]
    api = next(line.split()[-1] for line in head if line.startswith("Action API"))
    with urllib.request.urlopen(f"{api}?action=wbgetentities&ids=Q35875&format=json", timeout=60) as answer:
        assert "Q35875" in json.load(answer)["entities"]
    with urllib.request.urlopen(api.replace("/w/api.php", "/wiki/Q35875"), timeout=60) as answer:
        loads = html.unescape(re.findall(r'<script src="(.*?)">', answer.read().decode())[0])
    with urllib.request.urlopen(api.replace("/w/api.php", loads), timeout=60) as answer:
        assert (answer.headers.get_content_type(), answer.read()) == ("text/javascript", b"window.loaded = true")
    running.send_signal(number)
    said = finished(running)
    assert (said.code, said.err) == (0, "")
    assert "stopped" in said.out


def test_the_demo_runs_in_a_folder_of_its_own_and_anew_each_time(tmp_path: Path, w: Path) -> None:
    said = call("demo", "--workspace", tmp_path / "demo").well()
    lines, text, made = said.out.splitlines(), " ".join(said.out.split()), tmp_path / "demo"
    steps = ("discover", "match", "propose", "review", "write", "audit")
    at = [text.find(f"{n} {name} {Message(f'told.demo_{name}')}") for n, name in enumerate(steps, 1)]
    assert at[0] == 0 < at[1]
    assert at == sorted(at)
    decisions, edits = (call("export", name, "-w", made).well().rows for name in ("decisions", "edits"))
    verdicts = Counter(row["verdict"] for row in decisions)
    assert str(Message("table.approved", approved=verdicts["approve"], rejected=verdicts["reject"])) in lines
    assert {row["reason"] for row in decisions if row["verdict"] == "reject"} == {"not_defining"}
    assert {row["reviewer"] for row in decisions} == {"stand-in (a script, not a person)"}
    for verdict in ("approve", "reject"):
        assert sum(line.endswith(f"  {verdict}") for line in lines) == verdicts[verdict] > 0
    planned = Message("write.edits", n=len(edits))
    told = Message("told.demo_plan", id=edits[0]["plan"], edits=planned, outcomes=f"{len(edits)} written")
    assert f"  {told}" in lines
    concepts = len(call("export", "concepts", "-w", made).well().rows)
    assert f" {concepts} concepts, " in lines[1]
    assert lines[3].startswith(f"  concepts {concepts}, items ")
    assert f"{len(edits)} edits of the ledger checked: {len(edits)} present" in text
    assert "dry-run.html" in said.out
    assert "planned again: 0 edits" in said.out
    assert str(Message("told.demo_next")) in said.out
    page = (tmp_path / "demo" / "reports" / "write-plan.html").read_text(encoding="utf-8")
    assert "Carried out, it takes about" in page
    call("demo", "--workspace", w).refused(w, "--workspace")
    assert not (EXAMPLES / "bot.db").exists()


def test_a_workspace_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    corpus, name = few_documents(tmp_path / "c"), Path('-w wö [2]* "x?#%41&=')
    for one in STAGES:
        call(*stage(one, name, corpus)).well()
    assert call("find", "Q35875", "-w", name, "--json").well().rows
    _approved(name, 1)
    assert "written 1" in call("write", "--live", "-w", name).well().out
    assert {path.name for path in tmp_path.iterdir()} == {"c", str(name)}


def test_a_file_whose_name_is_no_text_is_skipped_and_named(tmp_path: Path) -> None:
    shutil.copytree(CORPUS / "cnxml", tmp_path / "c")
    try:
        shutil.copy(CORPUS / "wikitext" / "Hookes_law.wiki", os.fsencode(tmp_path / "c") + b"/H\xff.wiki")
    except OSError:
        pytest.skip("this file system keeps names as text")
    said = call("discover", tmp_path / "c", "-w", tmp_path / "w").well()
    assert "H\\xff.wiki: its name is not UTF-8" in said.err
