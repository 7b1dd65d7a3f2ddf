"""pywikibot itself, in a process of its own, logs in, reads, writes a claim built whole and reads it back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bot.sandbox import BOT_PASSWORD, BOT_PASSWORD_NAME, BOT_USER, Sandbox

FAMILY = """
from pywikibot import family

class Family(family.SingleSiteFamily, family.WikibaseFamily):
    name = "rehearsal"
    domain = "{domain}"

    def protocol(self, code): return "http"
    def scriptpath(self, code): return "/w"
    def interface(self, code): return "DataSite"
    def calendarmodel(self, code): return "http://www.wikidata.org/entity/Q1985727"
    def entity_sources(self, code):
        return dict.fromkeys(("item", "property"), (code, self.name))
"""
CONFIG = """
family, mylang = "rehearsal", "rehearsal"
usernames["rehearsal"]["rehearsal"] = "{user}"
password_file = "passwords.py"
family_files["rehearsal"] = {family!r}
write_maxlag, put_throttle, minthrottle, maxthrottle = 5, 0, 0, 0
max_retries, retry_wait, retry_max = 2, 1, 1
"""
BOT = r"""
import json
import pywikibot

site = pywikibot.Site()
site.login()
repo = site.data_repository()
item = pywikibot.ItemPage(repo, "Q11518")
item.get()
claim = pywikibot.Claim(repo, "P2534", datatype="math")
claim.setTarget(r"c=\sqrt{a^2+b^2}")
stated = pywikibot.Claim(repo, "P248")
stated.setTarget(pywikibot.ItemPage(repo, "Q5227355"))
url = pywikibot.Claim(repo, "P854")
url.setTarget("https://dlmf.nist.gov/4.2")
retrieved = pywikibot.Claim(repo, "P813")
retrieved.setTarget(pywikibot.WbTime(2026, 11, 20))
for source in (stated, url, retrieved):
    source.isReference = True
claim.sources.append({source.getID(): [source] for source in (stated, url, retrieved)})
item.addClaim(claim, bot=True, summary="adds a formula")
again = pywikibot.ItemPage(repo, "Q11518")
again.get(force=True)
found = again.claims["P2534"][-1]
page = pywikibot.Page(site, "User:WikiBot/stop")
page.text = "go on"
page.save("a plain page", bot=True)
print(json.dumps({
    "user": site.user(),
    "rights": "bot" in site.userinfo["rights"],
    "tex": found.getTarget(),
    "sources": sorted(prop for source in found.sources for prop in source),
    "before": [c.getTarget() for c in again.claims["P2534"]][:-1],
    "page": pywikibot.Page(site, "User:WikiBot/stop").get(force=True),
    "labels": dict(again.labels),
}))
"""
ROWS = [
    {"qid": "Q11518", "label": "Pythagorean theorem", "aliases": ["Pythagoras"], "formulas": ["a^2+b^2=c^2"]},
    {"qid": "Q5227355", "label": "Digital Library of Mathematical Functions"},
]


def _run(folder: Path, sandbox: Sandbox, script: str) -> subprocess.CompletedProcess[str]:
    family = folder / "rehearsal_family.py"
    family.write_text(FAMILY.format(domain=urlsplit(sandbox.address).netloc))
    (folder / "user-config.py").write_text(CONFIG.format(user=BOT_USER, family=str(family)))
    passwords = folder / "passwords.py"
    passwords.write_text(f'("{BOT_USER}", BotPassword("{BOT_PASSWORD_NAME}", "{BOT_PASSWORD}"))\n')
    passwords.chmod(0o600)
    environment = {**os.environ, "PYWIKIBOT_DIR": str(folder), "no_proxy": "127.0.0.1", "NO_PROXY": "127.0.0.1"}
    return subprocess.run(
        [sys.executable, "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, object], list[dict[str, object]]]:
    """What the bot printed, and the item's history on the wiki."""
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        done = _run(tmp_path_factory.mktemp("pywikibot"), sandbox, BOT)
        assert done.returncode == 0, done.stderr[-2000:]
        return json.loads(done.stdout.splitlines()[-1]), sandbox.history("Q11518")


def test_logs_in_with_a_bot_password(told: tuple[dict[str, object], list[dict[str, object]]]) -> None:
    assert told[0]["user"] == BOT_USER
    assert told[0]["rights"] is True


def test_writes_a_claim_built_whole_in_one_edit_and_reads_it_back(
    told: tuple[dict[str, object], list[dict[str, object]]],
) -> None:
    printed, history = told
    assert printed["tex"] == r"c=\sqrt{a^2+b^2}"
    assert printed["sources"] == ["P248", "P813", "P854"]
    assert printed["before"] == ["a^2+b^2=c^2"]
    assert [(one["user"], one["bot"]) for one in history] == [("Admin", 0), (BOT_USER, 1)]


def test_reads_and_writes_plain_pages(told: tuple[dict[str, object], list[dict[str, object]]]) -> None:
    assert told[0]["page"] == "go on"
