"""Which web domain a source belongs to, and whether the operator admits it. Pure functions over addresses."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from urllib.parse import urlsplit

# Second levels under which anybody registers, in the countries that have them; and hosts that give each user a name.
_SECOND_LEVELS = frozenset("ac co com edu gob gov go gv mil ne net nom or org sch school".split())
_HOSTING = frozenset(
    "github.io gitlab.io readthedocs.io blogspot.com wordpress.com netlify.app pages.dev herokuapp.com vercel.app".split()
)


def host(address: str) -> str:
    """Return the host of a web address in lower-case ASCII, or "" where there is none."""
    try:
        name = urlsplit(address if "//" in address else f"//{address}").hostname or ""
        return name.rstrip(".").encode("idna").decode("ascii").lower()
    except (ValueError, UnicodeError):
        return ""


def registrable(address: str) -> str:
    """Return the registrable domain of an address or host: en.wikipedia.org → wikipedia.org, a.b.ac.uk → b.ac.uk."""
    name = host(address)
    labels = name.split(".")
    if len(labels) < 3 or _is_number(name):
        return name
    suffix = ".".join(labels[-2:])
    two = suffix in _HOSTING or (len(labels[-1]) == 2 and labels[-2] in _SECOND_LEVELS)
    return ".".join(labels[-3:] if two else labels[-2:])


def admitted(address: str, allow: Collection[str], deny: Collection[str]) -> bool:
    """Say whether a source at this address may be cited; an empty allow list admits all that is not denied."""
    domain = registrable(address)
    if not domain or domain in {registrable(entry) for entry in deny}:
        return False
    return not allow or domain in {registrable(entry) for entry in allow}


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
