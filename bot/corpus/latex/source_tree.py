"""The files of one LaTeX document: bytes to text whatever their encoding, and names to files of the same folder or archive."""

from __future__ import annotations

import codecs
import posixpath
import re
from dataclasses import dataclass

from bot.corpus.decode import is_binary, tidied
from bot.corpus.siblings import Siblings
from bot.errors import DocumentError

_DECLARED = re.compile(
    rb"\\(?:usepackage|RequirePackage|inputencoding)\s*(?:\[([\w-]+)\]\s*\{inputenc\}|\{([\w-]+)\})|-\*-.{0,40}coding:\s*([\w-]+)|^%\s*!TeX encoding\s*=\s*([\w-]+)",
    re.I | re.M,
)
_CODECS = {
    "latin1": "cp1252", "latin9": "iso8859-15", "latin2": "iso8859-2", "latin5": "iso8859-9", "ansinew": "cp1252", "applemac": "mac-roman", "macce": "mac-latin2",
    "cp1252": "cp1252", "cp1250": "cp1250", "cp1251": "cp1251", "koi8-r": "koi8-r", "cp866": "cp866", "cp437": "cp437", "cp850": "cp850", "latin3": "iso8859-3",
    "latin4": "iso8859-4", "latin10": "iso8859-16",
}  # fmt: skip
_ENDINGS = ("", ".tex", ".ltx", ".latex", ".sty", ".cls")


def _as_windows(error: UnicodeError) -> tuple[str, int]:
    """Read a byte that is no UTF-8 as the Windows character that it is on most machines."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    odd = error.object[error.start : error.end]
    return odd.decode("cp1252", "replace"), error.end


codecs.register_error("latex-windows", _as_windows)


def decoded(data: bytes, path: str) -> str:
    """Return the text of a LaTeX file: UTF-8 where it is that, else what inputenc declares, else UTF-8 with odd bytes read as Windows-1252.

    Raises DocumentError for binary data only: one odd byte must not lose a document.
    """
    if is_binary(data):
        raise DocumentError("is binary, not text", where=path)
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return tidied(data.decode("utf-16", "replace"))
    try:
        return tidied(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        found = _DECLARED.search(data)
        name = next((g for g in found.groups() if g), b"").decode().lower() if found else ""
        if codec := _CODECS.get(name):
            return tidied(data.decode(codec, "replace"))
        return tidied(data.decode("utf-8", "latex-windows"))


@dataclass(slots=True)
class SourceTree:
    """Resolves the names in \\input and its like; `home` is the main file's name among the siblings."""

    home: str
    siblings: Siblings

    def find(self, name: str, of: str) -> str:
        """Return the file that a name in the file `of` means, or an empty string: beside the main file, beside `of`, then anywhere by its last parts."""
        name = name.strip().strip('"')
        return self.exactly(name, of) or self._by_end(name)

    def exactly(self, name: str, of: str) -> str:
        for folder in dict.fromkeys((posixpath.dirname(self.home), posixpath.dirname(of))):
            for ending in _ENDINGS:
                path = posixpath.normpath(posixpath.join(folder, name + ending))
                if path in self.siblings.names:
                    return path
        return ""

    def _by_end(self, name: str) -> str:
        """A name that search paths would find: the one file that is called so, if there is one only."""
        last = posixpath.basename(name)
        found = [
            n
            for n in self.siblings.names
            if posixpath.basename(n) in (last + ".tex", last) and n.endswith(_ENDINGS[1:])
        ]
        return found[0] if last and len(found) == 1 else ""

    def text(self, file: str) -> str:
        """Return the text of a file; a binary or missing one is empty."""
        data = self.siblings.read(file)
        if data is None:
            return ""
        try:
            return decoded(data, file)
        except DocumentError:
            return ""
