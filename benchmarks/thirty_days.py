"""A month of scheduled runs against a rehearsal wiki, with a clock that moves: does the bot go on by itself, and does it say what happened?

python benchmarks/thirty_days.py --days 30

Every night `formula-bot run` in a process of its own, with writing, as on a real wiki (pywikibot, password file, pace, stop page). New
documents by night, two reviewers by day; other editors remove, correct, deprecate, merge and amend what the bot wrote. Two nights
are killed (kill -9), one finds the disk full in its middle (where this can be had: root, tmpfs), for three the wiki is away, one day the
constraints of the property change, and one day others remove so much that the bot must pause. What is told comes by webhook.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import time_machine
from command import arguments
from loopback_receivers import Webhook

from bot.cli import main as bot_main
from bot.items_file import read_items
from bot.sandbox.accounts import BOT_PASSWORD, BOT_PASSWORD_NAME, BOT_USER
from bot.sandbox.wiki_server import Sandbox
from bot.settings import resource

BEGIN = datetime(2026, 3, 2, 3, tzinfo=UTC)  # a Monday
HERE = Path(__file__).parent
DISK = "400m"  # of the folder, where the disk is to be full one night
FAMILY = """from pywikibot.family import DefaultWikibaseFamily, SingleSiteFamily


class Family(SingleSiteFamily, DefaultWikibaseFamily):
    name = "here"
    domain = "127.0.0.1:{port}"
    interwiki_forward = None

    def protocol(self, code):
        return "http"

    def scriptpath(self, code):
        return "/w"
"""
SETTINGS = """[run]
sources = ["corpus"]
workspace = "w"
audits = ["seeded", "survival", "ledger"]
write = true
pause_above = 0.15
[notify]
webhook = "{webhook}"
queue_days = 10
[agent]
contact = "https://example.org/operator"
cache_days = 0
[wiki]
name = "here"
api = "{address}/w/api.php"
sparql = "{address}/sparql"
entity_prefix = "http://sandbox.invalid/entity/"
page_prefix = "{address}/wiki/"
articles = "{address}/articles/{{language}}/api.php"
[writing]
site = "here"
task = "Project:Bot task"
account = "{user}"
family = "here"
code = "here"
seconds_between_edits = 0.0
stop_page = "User:{user}/stop"
exclusion_page = "User:{user}/exclude"
pywikibot_dir = "account"
"""


@dataclass(frozen=True)
class Month:
    """On which day what happens; a day that is not in it is a day like any other."""

    days: int = 30
    documents: int = 20  # nights with new ones
    reviewed: int = 22  # days on which people decide
    removed: int = 6
    corrected: int = 9
    constraint: int = 11
    merged: int = 12
    deprecated: int = 14
    amended: int = 15
    many: int = 20  # others remove many
    resumed: int = 22  # a person lifts the pause
    killed: tuple[tuple[int, str, int], ...] = ((8, "write", 1), (16, "discover", 1))
    full: int = 18
    away: tuple[int, ...] = (24, 25, 26)
    corpus: str = ""  # a folder of the examples, all of them by default


SHORT = Month(
    days=5, documents=1, reviewed=1, removed=0, corrected=3, constraint=0, merged=0, deprecated=0, amended=0, many=3, resumed=0,
    killed=((2, "write", 1),), full=0, away=(4,), corpus="wikitext",
)  # fmt: skip


@dataclass
class Change:
    """What another editor did with an edit of ours; `word` is how the audit calls it."""

    day: int
    guid: str
    qid: str
    word: str


@dataclass
class World:
    folder: Path
    month: Month
    wiki: Sandbox
    hook: Webhook
    port: int = 0
    day: int = 0
    moment: datetime = BEGIN
    since: float = 0.0
    dice: random.Random = field(default_factory=lambda: random.Random(7))
    changes: list[Change] = field(default_factory=list)
    nights: list[dict[str, Any]] = field(default_factory=list)
    untouched: bool = False  # nothing has happened since the last night

    def now(self) -> datetime:
        return self.moment + timedelta(seconds=time.monotonic() - self.since)

    def at(self, day: int, hour: int) -> None:
        self.day, self.moment = day, BEGIN + timedelta(days=day - 1, hours=hour - BEGIN.hour)
        self.since = time.monotonic()

    # -- the bot
    def bot(self, *args: object) -> str:
        """A command that a person gives, in this process."""
        out = io.StringIO()
        with time_machine.travel(self.now(), tick=True):
            try:
                with contextlib.redirect_stdout(out):
                    bot_main([*map(str, args), "--workspace", str(self.folder / "w")])
            except SystemExit as end:
                if end.code:
                    raise RuntimeError(f"{args} ended with {end.code}") from None
        return out.getvalue()

    def rows(self, table: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.bot("export", table).splitlines()]

    def night(self) -> None:
        fault: list[str] = []
        for day, stage, units in self.month.killed:
            if day == self.day:
                fault = ["--stage", stage, "--units", str(units), "--signal", "9"]
        ballast = self.folder / "ballast"
        full = self.day == self.month.full and disk_of_its_own(self.folder)
        if full:
            fault = ["--stage", "match", "--fill", str(ballast)]
        told = len(self.hook.told)
        time_ = ["--time", self.moment.isoformat()]
        command = [
            sys.executable,
            str(HERE / "run_at.py"),
            *time_,
            *fault,
            "--",
            "run",
            "--config",
            str(self.folder / "bot.toml"),
            "--json",
        ]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, cwd=self.folder)
        ballast.unlink(missing_ok=True)
        figures = json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else {}
        notices = [each for each in self.hook.told[told:]]
        self.nights.append(
            {
                "day": self.day,
                "code": done.returncode,
                "fault": fault[1]
                if fault and not full
                else "full"
                if full
                else "away"
                if self.day in self.month.away
                else "",
                "quiet": self.untouched,
                "figures": {k: v for k, v in figures.items() if k in FIGURES},
                "told": [each["cause"] for each in notices],
                "text": "\n".join(each["text"] for each in notices),
                "said": done.stderr[-400:],
            }
        )
        self.untouched = done.returncode in (0, 1)

    # -- the day
    def documents(self) -> None:
        waiting = sorted(path for path in (self.folder / "later").rglob("*") if path.is_file())
        nights = max(1, self.month.documents - self.day + 1)
        for path in self.dice.sample(waiting, -(-len(waiting) // nights)) if self.day <= self.month.documents else ():
            target = self.folder / "corpus" / path.relative_to(self.folder / "later")
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
            self.untouched = False

    def review(self) -> None:
        """Two people look at what waits: most is approved, some rejected, some left for another day."""
        for row in json.loads(
            "[" + ",".join(self.bot("review", "list", "--state", "open", "--json").splitlines()) + "]"
        ):
            luck = self.dice.random()
            who = ("--reviewer", self.dice.choice(("Ada", "Emmy")))
            if luck < 0.7 and row["references"]:
                self.bot("review", "approve", row["id"], *who)
            elif luck < 0.85:
                self.bot("review", "reject", row["id"], "--reason", "not_defining", *who)
            else:
                continue
            self.untouched = False

    def act(self, who: str, **params: object) -> dict[str, Any]:
        answer: dict[str, Any] = dict(self.wiki.act(who, **params))
        assert "error" not in answer, answer
        return answer

    def standing(self) -> list[dict[str, Any]]:
        """Return claims of ours that nobody has touched."""
        gone = {change.guid for change in self.changes} | {change.qid for change in self.changes}
        rows = [row for row in self.rows("edits") if row["outcome"] == "written" and row["undo_state"] == ""]
        claims = [row for row in rows if "mainsnak" in row["payload"]]
        return [row for row in claims if row["guid"] not in gone and row["qid"] not in gone]

    def other(self, word: str, count: int = 1) -> None:
        """Let another editor do something with edits of ours."""
        for row in self.standing()[:count]:
            guid, qid = row["guid"], row["qid"]
            if word == "removed":
                self.act("PlainUser", action="wbremoveclaims", claim=guid)
            elif word == "changed":
                self.act(
                    "PlainUser",
                    action="wbsetclaimvalue",
                    claim=guid,
                    snaktype="value",
                    value=json.dumps("a=b_{corrected}"),
                )
            elif word == "deprecated":
                claim = self.act("PlainUser", action="wbgetclaims", claim=guid)["claims"]
                claim = next(iter(claim.values()))[0]
                self.act("PlainUser", action="wbsetclaim", claim={**claim, "rank": "deprecated"})
            elif word == "merged":
                into = self.act(
                    "PlainUser",
                    action="wbeditentity",
                    new="item",
                    data={"labels": {"en": {"language": "en", "value": f"{qid} once more"}}},
                )
                self.wiki.merge(qid, into["entity"]["id"])
            elif word == "amended":
                snak = {"snaktype": "novalue", "property": "P31"}
                self.act("PlainUser", action="wbsetqualifier", claim=guid, **snak)
            self.changes.append(Change(self.day, guid, qid, word))
            self.untouched = False

    def constraint(self) -> None:
        """The property gets a format constraint that refuses a bar."""
        ids = self.wiki.properties
        regex = {
            "snaktype": "value",
            "property": ids.constraint_regex,
            "datavalue": {"type": "string", "value": "[^|]*"},
        }
        value = {"entity-type": "item", "id": ids.format_constraint}
        main = {
            "snaktype": "value",
            "property": ids.property_constraint,
            "datavalue": {"type": "wikibase-entityid", "value": value},
        }
        prop = ids.defining_formula
        claim = {
            "id": f"{prop}$00000000-0000-4000-8000-000000000001",
            "type": "statement",
            "rank": "normal",
            "mainsnak": main,
        }
        self.act("Admin", action="wbsetclaim", claim={**claim, "qualifiers": {ids.constraint_regex: [regex]}})
        self.untouched = False


FIGURES = (
    "propose_new",
    "propose_changed",
    "audit_new",
    "audit_unknown",
    "write_written",
    "write_paused",
    "write_planned",
    "catch_up_missed",
)


def disk_of_its_own(folder: Path) -> bool:
    return os.path.ismount(folder)


@contextmanager
def small_disk(folder: Path) -> Iterator[None]:
    """Put a small disk on the folder, where the account may."""
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK}", "tmpfs", str(folder)], capture_output=True, check=False
    )
    try:
        yield
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "-l", str(folder)], check=False)


def prepare(world: World) -> None:
    folder = world.folder
    examples = resource("examples")
    shutil.copytree(examples / "corpus" / world.month.corpus, folder / "later" / world.month.corpus)
    (folder / "corpus").mkdir()
    account = folder / "account"
    account.mkdir()
    (account / "here_family.py").write_text(FAMILY.format(port=world.port), encoding="utf-8")
    config = f'family_files["here"] = "here_family.py"\nusernames["here"]["here"] = "{BOT_USER}"\npassword_file = "user-password.py"\n'
    (account / "user-config.py").write_text(config, encoding="utf-8")
    (account / "user-password.py").write_text(
        f'("{BOT_USER}", BotPassword("{BOT_PASSWORD_NAME}", "{BOT_PASSWORD}"))\n', encoding="utf-8"
    )
    for path in account.iterdir():
        path.chmod(0o600)
    text = SETTINGS.format(webhook=world.hook.address, address=world.wiki.address, user=BOT_USER)
    text += (
        (examples / "settings.toml")
        .read_text(encoding="utf-8")
        .partition("[encyclopaedia]")[0]
        .replace("[[proposing", "\n[[proposing")
    )
    (folder / "bot.toml").write_text(text, encoding="utf-8")


def simulated(folder: Path, month: Month) -> dict[str, Any]:
    """Let the days pass; return what was seen."""
    items = read_items(resource("examples") / "items.jsonl")
    with Webhook() as hook:
        world = World(folder, month, Sandbox(folder / "wiki.db"), hook)
        world.wiki.site.db.close()
        world.at(1, 3)
        world.wiki = opened(world)
        constraint = {"qid": world.wiki.properties.format_constraint, "label": "format constraint"}
        world.wiki.fill([*items, {**constraint, "aliases": [], "formulas": [], "instance_of": []}])
        world.port = int(world.wiki.address.rpartition(":")[2])
        prepare(world)
        for day in range(1, month.days + 1):
            world.at(day, 3)
            if day in month.away:
                world.wiki.close()
            else:
                world.documents()
            world.night()
            if day == 1:
                for name in ("Ada", "Emmy"):
                    world.bot("review", "add-reviewer", name)
            if day in month.away:
                if day + 1 not in month.away:
                    world.wiki = opened(world)
                continue
            world.at(day, 14)
            the_day(world)
        found = judged(world)
        world.wiki.close()
    return found


def opened(world: World) -> Sandbox:
    return Sandbox(world.folder / "wiki.db", port=world.port, clock=world.now).start()


def the_day(world: World) -> None:
    month, day = world.month, world.day
    if day <= month.reviewed:
        world.review()
    for word, when in (("removed", month.removed), ("changed", month.corrected), ("merged", month.merged), ("deprecated", month.deprecated), ("amended", month.amended)):  # fmt: skip
        if day == when:
            world.other(word)
    if day == month.many:
        world.other("removed", 8)
    if day == month.constraint:
        world.constraint()
    if day == month.resumed:
        world.bot("resume", "--reason", "the editors were right; the source is out")
        world.untouched = False


def judged(world: World) -> dict[str, Any]:
    """Hold what happened against what should have."""
    good = [night for night in world.nights if not night["fault"]]
    edits = world.rows("edits")
    written = [row for row in edits if row["outcome"] == "written"]
    lost, doubled = [], []
    touched = {change.guid: change.word for change in world.changes}
    for row in written:
        history = world.wiki.entity(row["qid"])
        statements = [s for claims in (history or {}).get("claims", {}).values() for s in claims]
        here = [s for s in statements if s["id"] == row["guid"]]
        same = [
            s
            for s in statements
            if "mainsnak" in row["payload"]
            and s["mainsnak"].get("datavalue") == row["payload"]["mainsnak"].get("datavalue")
        ]
        expected = touched.get(row["guid"]) not in ("removed", "merged", "changed")
        if expected and (not here or ("mainsnak" in row["payload"] and not same)):
            lost.append(row["guid"])
        if len(same) > 1:
            doubled.append(row["guid"])
    proposals = [(row["proposal"], json.dumps(row["payload"], sort_keys=True)) for row in written]
    doubled += [each[0] for each in set(proposals) if proposals.count(each) > 1]
    unreported, late, twice = [], [], []
    for change in world.changes:
        if change.word in ("amended",):
            continue
        nights = [night for night in world.nights if f"- seeded, {change.qid}: {change.word}" in night["text"]]
        after = [night["day"] for night in good if night["day"] > change.day]
        if not nights:
            unreported.append((change.day, change.qid, change.word))
        elif after and nights[0]["day"] != after[0]:
            late.append((change.day, change.qid, change.word, nights[0]["day"]))
        twice += [change.qid] if len(nights) > 1 else []
    paused = [night["day"] for night in world.nights if "pause" in night["told"]]
    quiet = [night for night in good if night["quiet"]]
    approved = {row["proposal"] for row in world.rows("decisions") if row["verdict"] == "approve"}
    settled = {row["proposal"] for row in edits if row["outcome"] in ("written", "already_there", "refused")}
    while_paused = [
        night["day"]
        for night in world.nights
        if night["figures"].get("write_paused") and night["figures"].get("write_written")
    ]
    with time_machine.travel(world.now(), tick=True), contextlib.redirect_stdout(io.StringIO()):
        try:
            bot_main(
                ["audit", "ledger", "--workspace", str(world.folder / "w"), "--config", str(world.folder / "bot.toml")]
            )
        except SystemExit as end:
            ledger = end.code
    return {
        "days": world.month.days,
        "codes": "".join(f"{night['code']} " for night in world.nights).strip(),
        "good_nights_in_order": sum(night["code"] in (0, 1) for night in good) == len(good),
        "faults": {night["day"]: (night["fault"], night["code"]) for night in world.nights if night["fault"]},
        "written": len(written),
        "approved_not_settled": len(approved - settled),
        "lost": lost,
        "doubled": doubled,
        "pending": sum(row["outcome"] == "pending" for row in edits),
        "changes_by_others": len(world.changes),
        "unreported": unreported,
        "late": late,
        "reported_twice": twice,
        "paused_on": paused,
        "written_while_paused": while_paused,
        "quiet_nights": len(quiet),
        "quiet_nights_with_0": sum(night["code"] == 0 for night in quiet),
        "ledger_audit": ledger or 0,
        "told": [(night["day"], night["told"]) for night in world.nights if night["told"]],
        "nights": world.nights,
    }


def main() -> None:
    parser = arguments(__doc__, "--json")
    parser.add_argument("--days", type=int, default=30)
    given = parser.parse_args()
    month = Month(days=given.days)
    with tempfile.TemporaryDirectory() as name, small_disk(Path(name)):
        found = simulated(Path(name), month)
    if not given.json:
        for night in found.pop("nights"):
            print({key: value for key, value in night.items() if key not in ("text",)})
    print(json.dumps(found, indent=None if given.json else 1))


if __name__ == "__main__":
    main()
