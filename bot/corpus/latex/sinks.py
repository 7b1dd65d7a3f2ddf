"""Where the scanner sends text and formulas: a Draft, or what collects a title, or nowhere."""

from __future__ import annotations

import re
from typing import Protocol

from bot.records import NameHint, Role


class Sink(Protocol):
    """Where text and formulas go: a Draft, or what collects a title."""

    def text(self, text: str) -> None: ...
    def paragraph(self) -> None: ...
    def line(self) -> None: ...
    def term(self, kind: str, name: str) -> None: ...
    def formula(
        self, tex: str, *, display: bool = False, role: Role = "text", hints: tuple[NameHint, ...] = ()
    ) -> None: ...


class TitleSink:
    """Collects a title as plain text, with its formulas readable, and the formulas."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.formulas: list[str] = []

    def text(self, text: str) -> None:
        self.parts.append(text)

    def paragraph(self) -> None:
        self.parts.append(" ")

    line = paragraph

    def term(self, kind: str, name: str) -> None:
        self.parts.append(name)

    def formula(
        self, tex: str, *, display: bool = False, role: Role = "text", hints: tuple[NameHint, ...] = ()
    ) -> None:
        self.formulas.append(tex)
        self.parts.append(re.sub(r"[{}]|\\[,;! ]", "", tex).lstrip("_^") if len(tex) < 40 else tex)

    def plain(self) -> str:
        return " ".join("".join(self.parts).split())


class NoSink(TitleSink):
    """Takes what stands before the document begins."""

    def text(self, text: str) -> None:
        pass

    def term(self, kind: str, name: str) -> None:
        pass

    def paragraph(self) -> None:
        pass

    line = paragraph
