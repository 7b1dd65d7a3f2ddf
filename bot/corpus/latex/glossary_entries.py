r"""Glossaries and acronyms (packages glossaries, acronym, acro): an entry is defined once, and `\gls{key}` prints its name."""

import re
from dataclasses import dataclass, field

from bot.corpus.latex.stream import TokenStream

_KEY_VALUE = re.compile(r"\s*([A-Za-z-]+)\s*=\s*")
_ENTRY = frozenset(["newglossaryentry", "provideglossaryentry", "longnewglossaryentry", "DeclareAcronym"])
_ACRONYM = frozenset(["newacronym", "newabbreviation", "acro", "acrodef", "newacro"])
DEFINING = _ENTRY | _ACRONYM
# What a command prints: the field of the entry, or with an empty string the long form and, from the second time on, the short one.
_FIELDS = {
    **dict.fromkeys("gls glspl ac acp acfp glsuseri glsxtrp".split(), ""),
    **dict.fromkeys("glstext glsname glsentrytext glsentryname glsplural glsentryplural glsfirst".split(), "name"),
    **dict.fromkeys("acrshort glsxtrshort glsentryshort acs acsp acrshortpl glsxtrshortpl".split(), "short"),
    **dict.fromkeys("acrlong glsxtrlong glsentrylong acl aclp acrlongpl glsxtrlongpl".split(), "long"),
    **dict.fromkeys("acrfull glsxtrfull acf".split(), "full"),
    **dict.fromkeys("glssymbol glsentrysymbol".split(), "symbol"),
    **dict.fromkeys("glsdesc glsentrydesc".split(), "description"),
    **dict.fromkeys("glslink glsdisp".split(), "words"),  # which it states itself
}
_PLURAL = re.compile(r"pl\Z|plural\Z|\Aac[lsf]?p\Z")
_MAX_ENTRIES = 20_000
_MAX_FIELD_LENGTH = 2000  # characters of a field


@dataclass(slots=True)
class Glossary:
    """The entries of a document."""

    entries: dict[str, dict[str, str]] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)  # keys of acronyms that were printed

    def define(self, command: str, stream: TokenStream) -> str:
        r"""Read the definition of an entry. Return what it prints where it stands: that of `\acro`, in a list of them, does."""
        if command in _ACRONYM:
            stream.optional()
            key = stream.argument().strip()
            if command == "acro" and stream.peek() not in ("[", "{"):
                return key  # an author's command for capitals
            short = stream.optional()
            if command in ("newacronym", "newabbreviation"):
                short = stream.argument()
            fields = {"short": short or key, "long": stream.argument()}
        else:
            key = stream.argument().strip()
            fields = _fields(stream.argument())
            if command == "longnewglossaryentry":
                stream.argument()
        if len(self.entries) < _MAX_ENTRIES:
            self.entries[key] = {name: value[:_MAX_FIELD_LENGTH] for name, value in fields.items()}
        return f"{fields['short']}: {fields['long']}. " if command == "acro" else ""

    def text(self, command: str, stream: TokenStream) -> str | None:
        """Read a call and return what it prints, None if `command` is none. An unknown key prints as it is."""
        # \GLS is in capitals
        wanted = _FIELDS.get(command.lower() if command.isupper() else command[:1].lower() + command[1:])
        if wanted is None or not self.entries:
            return None
        stream.skip_star()
        stream.optional()
        key = stream.argument().strip()
        if wanted == "words":
            return stream.argument()
        top = stream.top
        inserted = stream.optional() if top.text.startswith("[", top.position) else None
        entry = self.entries.get(key)
        printed = key.replace("_", " ") if entry is None else self._printed(key, entry, wanted)
        if _PLURAL.search(command):
            printed = (entry or {}).get("plural") or f"{printed}s"
        if command[:1].isupper():
            printed = printed[:1].upper() + printed[1:]
        return printed + (inserted or "")

    def _printed(self, key: str, entry: dict[str, str], wanted: str) -> str:
        name = entry.get("text") or entry.get("name") or entry.get("short") or key
        short, long = entry.get("short") or name, entry.get("long") or name
        if wanted == "full" or (not wanted and "long" in entry and key not in self.used):
            self.used.add(key)
            return f"{long} ({short})"
        if not wanted and "long" in entry:
            return short
        return {"short": short, "long": long}.get(wanted) or entry.get(wanted, name)


def _fields(text: str) -> dict[str, str]:
    """Return the fields `key = {value}, key = value` of an entry."""
    stream, found = TokenStream(text), dict[str, str]()
    while stream.top.position < len(text):
        key = _KEY_VALUE.match(text, stream.top.position)
        start = stream.top.position = key.end() if key else stream.top.position
        braced = stream.group() if key and stream.peek() == "{" else None
        end = text.find(",", start if braced is None else stream.top.position)
        end = len(text) if end < 0 else end
        if key:
            found[key[1]] = (text[start:end] if braced is None else braced).strip()
        stream.top.position = end + 1
    return found
