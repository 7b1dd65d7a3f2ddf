"""A mail server and a webhook on this machine, which keep what they are sent and fail as they are told."""

from __future__ import annotations

import json
import socketserver
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any


class _Serving(socketserver.TCPServer):
    """Serves in a thread of its own until the `with` block ends: a thread that was not told so would go on, on a socket that is another's by then."""

    def serve(self) -> None:
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()


class MailServer(_Serving, socketserver.ThreadingTCPServer):
    """Enough of SMTP for smtplib: EHLO, STARTTLS, AUTH PLAIN, MAIL, RCPT, DATA, QUIT."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, certificate: Path | None = None, *, at_once: bool = False, refuse: int = 0) -> None:
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.tls = None
        if certificate:
            self.tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.tls.load_cert_chain(certificate)
        self.at_once, self.refuse = at_once, refuse
        self.mails: list[str] = []
        self.encrypted: list[bool] = []
        self.logins: list[str] = []
        self.serve()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that does not trust the certificate hangs up."""


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        secure = False
        if self.server.at_once and self.server.tls:
            self._encrypt()
            secure = True
        self._say("220 loopback")
        while line := self.rfile.readline().decode().strip():
            word = line.split()[0].upper()
            if word == "EHLO":
                offers = ["STARTTLS"] if self.server.tls and not secure else ["AUTH PLAIN"]
                self._say("250-loopback", *(f"250 {offer}" for offer in offers))
            elif word == "STARTTLS":
                self._say("220 go on")
                self._encrypt()
                secure = True
            elif word == "AUTH":
                self.server.logins.append(line)
                self._say("235 well")
            elif word == "MAIL" and self.server.refuse:
                self.server.refuse -= 1
                self._say("451 try later, said the server to bot@example.org")
            elif word == "DATA":
                self._say("354 go on")
                lines = []
                while (text := self.rfile.readline().decode()) != ".\r\n":
                    lines.append(text)
                self.server.mails.append("".join(lines))
                self.server.encrypted.append(secure)
                self._say("250 taken")
            elif word == "QUIT":
                self._say("221 bye")
                return
            else:
                self._say("250 well")

    def finish(self) -> None:
        super().finish()
        self.connection.close()

    def _encrypt(self) -> None:
        assert self.server.tls
        plain, self.connection = (
            self.connection,
            self.server.tls.wrap_socket(self.connection, server_side=True, do_handshake_on_connect=False),
        )
        plain.close()
        self.connection.do_handshake()
        self.rfile, self.wfile = self.connection.makefile("rb"), self.connection.makefile("wb", 0)

    def _say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())


class Webhook(_Serving, ThreadingHTTPServer):
    """Keeps the JSON of each POST; answers with these status codes first, then 200."""

    daemon_threads = True

    def __init__(self, *codes: int) -> None:
        super().__init__(("127.0.0.1", 0), _Hook)
        self.codes, self.told, self.asked = list(codes), list[dict[str, Any]](), 0
        self.serve()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/hook/secret-token"


class _Hook(BaseHTTPRequestHandler):
    server: Webhook

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.asked += 1
        code = self.server.codes.pop(0) if self.server.codes else 200
        if code == 200:
            self.server.told.append(json.loads(body))
        self.send_response(code)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        return None
