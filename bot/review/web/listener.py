"""The listening side of the review page: how many connections, how long an idle one is kept, how large a request may be."""

import resource
from collections.abc import Callable
from typing import Protocol

from waitress.channel import HTTPChannel
from waitress.server import create_server

from bot.errors import ReviewError
from bot.review.queue_rules import Rules
from bot.review.web.security import MAX_BODY_BYTES

THREADS = 12
CONNECTIONS = 500  # open at once, half-open ones among them
IDLE = 60  # seconds after which a connection without a request is closed, and by which a request has come in whole


class Server(Protocol):
    """A server of waitress; its application may be given after it listens."""

    application: Callable[..., object]
    effective_port: int

    def run(self) -> None: ...

    def close(self) -> None: ...


class _Channel(HTTPChannel):  # type: ignore[misc]
    """One connection. A request that comes in drops is not activity: it has the same time as an idle connection."""

    last_activity: float

    def handle_read(self) -> None:
        before, pending = self.last_activity, self.request
        super().handle_read()
        if pending is not None and self.request is pending:
            self.last_activity = before


def listen(
    app: Callable[..., object], host: str, port: int, rules: Rules | None = None, *, idle: float = IDLE
) -> Server:
    """Return a server that listens and does not run yet. `rules` are those of a shared page: they name its proxy.

    Raises ReviewError where the port is taken.
    """
    try:
        server = create_server(
            app,
            host=host,
            port=port,
            threads=THREADS,
            ident="",
            connection_limit=min(CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2),  # a file for each
            channel_timeout=idle,
            cleanup_interval=idle / 4,
            max_request_body_size=MAX_BODY_BYTES,
            asyncore_use_poll=True,  # select() cannot watch a file whose number is 1,024 or more
            clear_untrusted_proxy_headers=True,
            **_proxy(rules),
        )
    except OSError as error:
        raise ReviewError("cannot_listen", reason=str(error.strerror), where=f"{host}:{port}", todo="port") from None
    server.channel_class = _Channel
    listening: Server = server
    return listening


def _proxy(rules: Rules | None) -> dict[str, str | set[str]]:
    """Failed sign-ins are counted for each address: behind the proxy of the rules, and no other, for the one it names."""
    if rules is None or not rules.trusted_proxy:
        return {}
    return {"trusted_proxy": rules.trusted_proxy, "trusted_proxy_headers": {rules.forwarded_header}}
