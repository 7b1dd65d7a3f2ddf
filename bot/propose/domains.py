"""Which registrable domain a source belongs to, by the public suffix list, and whether the operator admits it."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from tldextract import TLDExtract

_HAS_SCHEME = re.compile(r"(?:[a-z][a-z0-9+.-]*:)?//", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*")
# Hosts that give each user a name and are not in that list.
_OF_USERS = """
    angelfire.com beehiiv.com bearblog.dev blog.hu canalblog.com edublogs.org fandom.com fc2.com ghost.io gitbook.io
    hashnode.dev home.blog jimdofree.com jimdosite.com livejournal.com medium.com micro.blog mystrikingly.com neocities.org
    over-blog.com pbworks.com quarto.pub seesaa.net shinyapps.io sourceforge.io squarespace.com strikingly.com substack.com surge.sh
    tripod.com tumblr.com typepad.com ucoz.ru webnode.page weebly.com wikia.com wikidot.com wordpress.com write.as
""".split()
_BLOGSPOT = """
    ae al am ba be bg bj ca cf ch cl co.at co.id co.il co.ke co.nz co.uk co.za com com.ar com.au com.br com.by com.co com.cy com.ee
    com.eg com.es com.mt com.ng com.tr com.uy cv cz de dk fi fr gr hk hr hu ie in is it jp kr li lt lu md mk mr mx my nl no pe pt qa re
    ro rs ru se sg si sk sn td tw ug vn
""".split()


def host(address: str) -> str:
    """Return the host of a web address in lower-case ASCII, or "" where there is none that can be told."""
    import idna

    if "\\" in address:  # a browser reads it as a slash, a parser as part of the user's name
        return ""
    try:
        name = (urlsplit(address if _HAS_SCHEME.match(address) else f"//{address}").hostname or "").removesuffix(".")
        if not name.isascii():
            name = idna.encode(name, uts46=True).decode("ascii")
    except (ValueError, UnicodeError):
        return ""
    return name if _is_number(name) or (_NAME.fullmatch(name) and len(name) < 254) else ""


def registrable(address: str) -> str:
    """Return what one owner registered: en.wikipedia.org → wikipedia.org, a.b.ac.uk → b.ac.uk, one user of a host of users.

    An IP address, a public suffix and a name of one label are returned whole.
    """
    name = host(address)
    if not name or _is_number(name):
        return name
    found = _list()(name)
    if not found.suffix:  # a top level that is in no list, e.g. of an intranet
        return ".".join(name.split(".")[-2:])
    return found.top_domain_under_public_suffix or name


def admitted(address: str, allow: Collection[str], deny: Collection[str]) -> bool:
    """Say whether a source at this address may be cited; an empty allow list admits all that is not denied.

    A denied public suffix, such as a host that gives each user a name, denies all below it; an allowed one only itself.
    """
    name, domain = host(address), registrable(address)
    if not domain or domain in {registrable(entry) for entry in deny}:
        return False
    if any(name.endswith(f".{host(entry)}") for entry in deny if host(entry)):
        return False
    return not allow or domain in {registrable(entry) for entry in allow}


@lru_cache(maxsize=1)
def _list() -> TLDExtract:
    """Return the list that ships with tldextract; nothing is fetched or kept on disk."""
    from tldextract import TLDExtract

    more = (*_OF_USERS, *(f"blogspot.{country}" for country in _BLOGSPOT))
    return TLDExtract(cache_dir=None, suffix_list_urls=(), include_psl_private_domains=True, extra_suffixes=more)


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
