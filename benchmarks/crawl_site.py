"""A site on this machine that a crawl asks: pages by path, faults by path, and who asked when and for what."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, quote, unquote, urlsplit

LICENCE = {
    "url": "https://creativecommons.org/licenses/by-sa/4.0/",
    "title": "Creative Commons Attribution-Share Alike 4.0",
}

PAGE = (
    "<!DOCTYPE html><html lang='en'><head><title>Page {number}</title></head><body>"
    "<p>The law is <math alttext='x={number}'><mi>x</mi></math>.</p></body></html>"
)


@dataclass
class SitePage:
    """One answer. `cut` sends so many bytes and hangs up; `drip` sends a byte in so many seconds; `hold` waits to be let go."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    drip: float = 0.0
    hold: threading.Event | None = None


@dataclass(frozen=True)
class Asking:
    path: str
    headers: Mapping[str, str]
    time: float
    body: str = ""

    @property
    def query(self) -> dict[str, str]:
        """Return the parameters of the address and of what was posted."""
        return dict(parse_qsl(urlsplit(self.path).query) + parse_qsl(self.body))


Answering = Callable[[Asking], SitePage]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of who hung up: a crawl that was killed, or one that had waited long enough."""


class CrawlSite:
    """Answers each path by its page or function, else 404; conditional requests for pages with an ETag get 304."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.pages: dict[str, SitePage | Answering] = {}
        self.faults: dict[str, list[SitePage]] = {}  # given out first, each once
        self.asked: list[Asking] = []
        self.told_to_wait: dict[str, float] = {}  # path: when it was answered by a Retry-After
        self.most_at_once = self._now = 0
        self.pause = threading.Event()  # set when the site is closed
        self._lock = threading.Lock()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            wbufsize = 1 << 16  # head and body in one packet: two would wait for each other

            def do_GET(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                asking = Asking(self.path, dict(self.headers), clock(), body)
                with site._lock:
                    site.asked.append(asking)
                    site._now += 1
                    site.most_at_once = max(site.most_at_once, site._now)
                    page = site.answer(asking)
                if page.hold:
                    page.hold.wait(10)
                body = page.body if page.status not in (204, 304) else b""
                with site._lock:
                    site._now -= 1  # before the answer leaves: who asks has it at once
                try:
                    self.send_response(page.status)
                    for name, value in {"Content-Type": "text/html; charset=utf-8", **page.headers}.items():
                        self.send_header(name, value)
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    for start in range(len(body)) if page.drip else ():
                        self.wfile.write(body[start : start + 1])
                        self.wfile.flush()
                        site.pause.wait(page.drip)
                    self.wfile.write(b"" if page.drip else body[: page.cut])
                    self.wfile.flush()
                except (BrokenPipeError, ConnectionResetError):
                    pass
                self.close_connection = page.cut is not None

            do_POST = do_GET

            def log_message(self, *_: object) -> None:
                pass

        self._http = _Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._http.server_port}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def answer(self, asking: Asking) -> SitePage:
        if waiting := self.faults.get(asking.path):
            fault = waiting.pop(0)
            if "Retry-After" in fault.headers:
                self.told_to_wait[asking.path] = asking.time
            return fault
        page = self.pages.get(asking.path) or self.pages.get(urlsplit(asking.path).path) or SitePage(status=404)
        if not isinstance(page, SitePage):
            page = page(asking)
        pairs = (("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since"))
        same = any(name in page.headers and asking.headers.get(asked) == page.headers[name] for name, asked in pairs)
        return SitePage(status=304) if same else page

    def paths(self) -> list[str]:
        return [unquote(asking.path) for asking in self.asked]

    def close(self) -> None:
        self.pause.set()
        self._http.shutdown()
        self._http.server_close()

    def page(self, path: str, text: str, etag: str = "", **headers: str) -> None:
        """Serve a page of HTML, with an ETag of its own unless one is given."""
        tag = etag or f'"{sha256(text.encode()).hexdigest()[:16]}"'
        self.pages[path] = SitePage(text.encode(), headers={"ETag": tag, **headers})

    def json(self, path: str, answer: Callable[[Asking], object]) -> None:
        """Serve what a function makes of each question, as JSON."""
        kind = {"Content-Type": "application/json"}
        self.pages[path] = lambda asking: SitePage(json.dumps(answer(asking)).encode(), headers=kind)

    def article(self, title: str, text: str, revision: int, language: str = "en") -> None:
        """Serve a page as MediaWiki's REST API does."""
        key = title.replace(" ", "_")
        body = {
            "id": revision // 10,
            "key": key,
            "title": title,
            "latest": {"id": revision, "timestamp": "2026-11-20T08:00:00Z"},
            "content_model": "wikitext",
            "license": LICENCE,
            "source": text,
        }
        data = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "ETag": f'"{sha256(data).hexdigest()[:16]}"'}
        self.pages[f"/{language}/w/rest.php/v1/page/{quote(key, safe='')}"] = SitePage(data, headers=headers)

    def redirect(self, path: str, to: str, status: int = 302) -> None:
        self.pages[path] = SitePage(status=status, headers={"Location": to})

    def robots(self, text: str, status: int = 200) -> None:
        self.pages["/robots.txt"] = SitePage(text.encode(), status, {"Content-Type": "text/plain"})

    def index(self, *names: str, path: str = "/book/") -> None:
        """Serve an index page with links, and for each a page with one formula."""
        links = "".join(f'<li><a href="{name}">{name}</a></li>' for name in names)
        self.page(path, f"<!DOCTYPE html><html><body><ul>{links}</ul></body></html>")
        for number, name in enumerate(names, 1):
            self.page(f"{path}{name}", PAGE.format(number=number))
