"""A crawl of a site on this machine that misbehaves, killed (kill -9) several times: is all there, and was anything asked for in vain?

python benchmarks/crawl.py --pages 500 --kills 3

Through the command. Of the pages, by turns: 429 and 503 with Retry-After, bodies that break off, a byte a second, errors of the server, redirects,
pages that robots.txt forbids, that are gone, or that redirect in a circle. Each page counts the requests that its own faults made
necessary; at a kill one request may be on its way, whose answer is lost. A request beyond these is one in vain.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from command import arguments
from crawl_site import CrawlSite, SitePage

PATH = "/book/"
SECONDS = 0.04  # between two requests: what the settings of the crawl ask for
RETRY_AFTER = 1
TIMEOUT = 1.0


@dataclass(frozen=True)
class Plan:
    """What the pages of the site are: the requests that each needs, and those that cannot be had."""

    needed: dict[str, int]
    vanished: frozenset[str]
    forbidden: frozenset[str]
    failing: frozenset[str]


def serve(site: CrawlSite, pages: int) -> Plan:
    """Put pages on the site, and a fault on every fifth of them."""
    names = [f"page{number}.html" for number in range(pages - 1)]
    site.index(*names, path=PATH)
    site.robots(f"User-agent: *\nDisallow: {PATH}secret\n")
    needed = {PATH + name: 1 for name in ("", *names)} | {"/robots.txt": 1}
    sets: dict[str, set[str]] = {"vanished": set(), "forbidden": set(), "failing": set()}
    slow = 0
    for number, name in enumerate(names):
        path, kind = PATH + name, (number // 5) % 10 if number % 5 == 0 else -1
        whole = site.pages[path]
        assert isinstance(whole, SitePage)
        wait = {"Retry-After": str(RETRY_AFTER)}
        if kind == 0 and slow < 3:
            slow += 1
            site.faults[path] = [SitePage(whole.body, drip=1.0)]
        elif kind == 1:
            site.faults[path] = [SitePage(status=429, headers=wait)] if number < 150 else [SitePage(status=500)]
        elif kind == 2:
            site.faults[path] = [SitePage(status=503, headers=wait)] if number < 150 else [SitePage(whole.body, cut=9)]
        elif kind in (3, 4):
            site.faults[path] = [SitePage(whole.body, cut=len(whole.body) // 2)]
        elif kind == 5:
            site.pages[f"{PATH}moved/{name}"] = whole
            site.redirect(path, f"{PATH}moved/{name}")
            needed[f"{PATH}moved/{name}"] = 1
            continue
        elif kind == 6:
            site.pages[path] = SitePage(status=410)
            sets["vanished"].add(path)
        elif kind == 7:
            site.pages[PATH] = _without(site.pages[PATH], name)
            del site.pages[path], needed[path]
            secret = f"{PATH}secret{name}"
            site.pages[PATH] = _with(site.pages[PATH], f"secret{name}")
            site.pages[secret] = whole
            needed[secret] = 0
            sets["forbidden"].add(secret)
        elif kind == 8 and number % 200 < 50:
            site.redirect(path, path)
            needed[path] = 6  # five redirects are followed
            sets["failing"].add(path)
        needed[path] = needed.get(path, 0) + len(site.faults.get(path, ())) if path in needed else 0
    needed = {path: count for path, count in needed.items() if path in site.pages}
    return Plan(needed, *(frozenset(sets[name]) for name in ("vanished", "forbidden", "failing")))


def _without(page: Any, name: str) -> SitePage:
    link = f'<li><a href="{name}">{name}</a></li>'.encode()
    return SitePage(page.body.replace(link, b""), headers=page.headers)


def _with(page: Any, name: str) -> SitePage:
    link = f'<li><a href="{name}">{name}</a></li></ul>'.encode()
    return SitePage(page.body.replace(b"</ul>", link), headers=page.headers)


def settings(folder: Path) -> Path:
    path = folder / "bot.toml"
    path.write_text(
        f'[agent]\ncontact = "User:Benchmark"\ntimeout = {TIMEOUT}\n[crawling]\nseconds = {SECONDS}\n', encoding="utf-8"
    )
    return path


def crawl(folder: Path, site: CrawlSite) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "bot", "crawl", "http", f"{site.address}{PATH}", "--json"]
    given = ["--into", str(folder / "corpus"), "--config", str(settings(folder))]
    return subprocess.Popen([*command, *given], stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def killed(folder: Path, site: CrawlSite, after: int) -> bool:
    """Crawl, and kill the process when the site has been asked so often; False where it ended before."""
    running = crawl(folder, site)
    while len(site.asked) < after:
        if running.poll() is not None:
            return False
        time.sleep(0.001)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    return True


def finished(folder: Path, site: CrawlSite) -> dict[str, Any]:
    out, err = crawl(folder, site).communicate()
    if not out:
        raise SystemExit(err.decode())
    found: dict[str, Any] = json.loads(out)
    return found


def broken_limits(site: CrawlSite) -> int:
    """Return how many requests came sooner than the settings or a Retry-After allow, or beside another."""
    times = [asking.time for asking in site.asked]
    early = sum(b - a < SECONDS * 0.8 for a, b in pairwise(times))
    for asking, after in pairwise(site.asked):
        fault = asking.path in site.told_to_wait and asking.time == site.told_to_wait[asking.path]
        early += fault and after.time - asking.time < RETRY_AFTER * 0.95
    return early + (site.most_at_once > 1)


def main() -> None:
    options = arguments(__doc__, "--json")
    options.add_argument("--pages", type=int, default=500)
    options.add_argument("--kills", type=int, default=3)
    given = options.parse_args()
    site = CrawlSite(time.monotonic)
    plan = serve(site, given.pages)
    total = sum(plan.needed.values())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kills = sum(killed(folder, site, total * (n + 1) // (given.kills + 1)) for n in range(given.kills))
        found = finished(folder, site)
        counts = {path: 0 for path in plan.needed}
        for asking in site.asked:
            counts[asking.path] = counts.get(asking.path, 0) + 1
        in_vain = {path: n - plan.needed.get(path, 0) for path, n in counts.items() if n > plan.needed.get(path, 0)}
        asked, limits = len(site.asked), broken_limits(site)
        expected = len([p for p in plan.needed if p != "/robots.txt" and "/moved/" not in p])
        kept = len(list((folder / "corpus").rglob("*.html")))
        had = expected - len(plan.vanished) - len(plan.forbidden) - len(plan.failing)
        for path in plan.failing:
            site.page(path, "<!DOCTYPE html><html><body>mended</body></html>")
        mended = finished(folder, site)
        later = finished(folder, site)
    site.close()
    result = {
        "pages": expected,
        "kills": kills,
        "kept": kept,
        "complete": kept == had and found["documents"] == expected and found["not_asked"] == 0,
        "vanished": len(found["vanished"]) == len(plan.vanished),
        "forbidden": len(found["forbidden"]) == len(plan.forbidden),
        "failed": len(found["failed"]) == len(plan.failing),
        "requests": asked,
        "requests_per_page": round(asked / expected, 3),
        "requests_needed": total,
        "requests_in_vain": sum(in_vain.values()),
        "requests_in_vain_allowed": kills,
        "broken_limits": limits,
        "run_again": {"mended": len(plan.failing), "requests": mended["requests"], "failed": len(mended["failed"])},
        "next_crawl": {key: later[key] for key in ("requests", "fetched", "unchanged")},
    }
    if given.json:
        print(json.dumps(result))
        return
    for key, value in result.items():
        print(f"{key.replace('_', ' '):26} {value}")
    for path, n in sorted(in_vain.items()):
        print(f"  {n} in vain: {path}")


if __name__ == "__main__":
    main()
