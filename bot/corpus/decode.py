"""Bytes to text by what the file declares, then as UTF-8; anything else is an error with its position."""

import codecs
import re

from bot.errors import DocumentError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_DECLARED = re.compile(
    rb"""<\?xml[^>]{0,80}?encoding\s*=\s*["']([\w.:-]+)|<meta[^>]{0,200}?charset\s*=\s*["']?([\w.:-]+)""", re.I
)
_HEAD = 4096
# Control characters that XML forbids; a stray one is harmless damage.
_CONTROL = dict.fromkeys([*range(0x00, 0x09), 0x0B, 0x0C, *range(0x0E, 0x20), 0xFFFE, 0xFFFF], None)
_CONTROL_BYTES = bytes(sign for sign in _CONTROL if sign < 0x20)
# References to half of a surrogate pair (55296 to 57343): no character, and a recovering XML parser makes bytes of it that are not text.
_HALF_PAIR = re.compile(
    r"&#(?:[xX]0*[dD][89a-fA-F][0-9a-fA-F]{2}|0*(?:5529[6-9]|55[3-9]\d\d|56\d{3}|57[0-2]\d\d|573[0-3]\d|5734[0-3]));"
)
# As bytes, and references to the characters of private use that markers are made of (57344 and on).
_NO_CHARACTER_BYTES = re.compile(rb"&#(?:[xX]0*(?:[dD][89a-fA-F]|[eE]0)|0*5[567])")

# The codes of three letters for languages that have one of two.
_THREE_LETTERS = dict(
    pair.split(":")
    for pair in "eng:en ger:de deu:de fre:fr fra:fr spa:es ita:it por:pt rus:ru dut:nl nld:nl pol:pl ukr:uk chi:zh zho:zh jpn:ja kor:ko".split()
)


def language_code(stated: str) -> str:
    """Return the code of a language as documents state it (`en-GB`, `eng`): with two letters if it has them, "" for an invalid one."""
    code = stated.strip().replace("_", "-").split("-")[0].lower()
    return _THREE_LETTERS.get(code, code) if code.isascii() and code.isalpha() else ""


def decode(data: bytes, path: str, otherwise: str = "") -> str:
    """Return the text of a document without control characters or half pairs, and with plain line ends.

    `otherwise` is the encoding of a file that declares none and is not in UTF-8. Raises DocumentError for binary data and for bytes that are not in the declared encoding (UTF-8 if none is).
    """
    encoding = encoding_of(data)
    if is_binary(data):
        raise DocumentError("binary", where=path)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        if otherwise and not declared_encoding(data):
            return decode(data.decode(otherwise, "replace").encode(), path)
        code = "byte_not_declared" if declared_encoding(data) else "byte_not_expected"
        byte, at = data[error.start], error.start
        raise DocumentError(code, byte=byte, at=at, encoding=encoding, where=path, todo="encoding") from None
    return _HALF_PAIR.sub("", cleaned_text(text, data if encoding == "utf-8" else None))


def is_clean_utf8(data: bytes) -> bool:
    """Tell whether `decode` would only decode it from UTF-8, provided that it is UTF-8 and `has_invalid_references` is false."""
    return (
        encoding_of(data) == "utf-8"
        and not is_binary(data)
        and not any(sign in data for sign in (b"\r", b"\xef"))  # the first byte of U+FFFE and U+FFFF
        and len(data.translate(None, _CONTROL_BYTES)) == len(data)
    )


def has_invalid_references(data: bytes) -> bool:
    """Tell whether there are references to half pairs or to characters of markers."""
    return bool(_NO_CHARACTER_BYTES.search(data))


def cleaned_text(text: str, data: bytes | None = None) -> str:
    """Return a text without control characters, and with plain line ends; `data` is it in UTF-8."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    # Three times as fast as a pattern over the text.
    data = text.encode("utf-8", "surrogatepass") if data is None else data
    if "\ufffe" in text or "\uffff" in text or len(data.translate(None, _CONTROL_BYTES)) != len(data):
        text = text.translate(_CONTROL)
    return text


def encoding_of(data: bytes) -> str:
    """Return the Python codec for `data`: byte order mark, declaration, UTF-8."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name
    return declared_encoding(data) or "utf-8"


def declared_encoding(data: bytes) -> str:
    """Return the text encoding that the first bytes declare, or an empty string."""
    found = _DECLARED.search(data[:_HEAD])
    name = (found[1] or found[2]).decode("ascii") if found else ""
    try:
        codec = codecs.lookup(name) if name else None
        b"".decode(name or "utf-8")  # refuses codecs that make no text
    except LookupError:
        return ""
    # A document whose declaration could be read as ASCII cannot really be UTF-16: some writers copy that line.
    return "" if codec is None or codec.name.startswith(("utf-16", "utf-32")) else codec.name


def is_binary(data: bytes) -> bool:
    """Return whether the first bytes hold NULs that no declared wide encoding explains."""
    return b"\0" in data[:_HEAD] and not encoding_of(data).startswith(("utf-16", "utf-32"))
