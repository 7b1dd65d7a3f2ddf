"""The guard of all tests: connections and look-ups of names go to this machine only."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch


class NetworkForbidden(AssertionError):
    """A test tried to leave this machine."""


tried_hosts: list[str] = []  # since the last test


def _check(address: Any) -> None:
    host = address[0] if isinstance(address, tuple) else address
    if isinstance(host, str) and not (host.startswith(("127.", "/", "\0")) or host in {"localhost", "::1", ""}):
        tried_hosts.append(host)
        raise NetworkForbidden(f"a test tried to connect to {host}")


@contextmanager
def local_only() -> Iterator[None]:
    """Fail before a byte leaves: connections and name look-ups only to loopback."""
    connect, connect_ex, resolve = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def guarded_connect(self: socket.socket, address: Any) -> Any:
        _check(address)
        return connect(self, address)

    def guarded_connect_ex(self: socket.socket, address: Any) -> Any:
        _check(address)
        return connect_ex(self, address)

    def guarded_resolve(host: Any, *args: Any, **kwargs: Any) -> Any:
        _check(host.decode() if isinstance(host, bytes) else host or "")
        return resolve(host, *args, **kwargs)

    guarded = {"connect": guarded_connect, "connect_ex": guarded_connect_ex}
    with patch.multiple(socket.socket, **guarded), patch.object(socket, "getaddrinfo", guarded_resolve):
        yield
