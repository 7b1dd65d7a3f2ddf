"""Which registrable domain a source belongs to, and whether it is admitted."""

from __future__ import annotations

import pytest

from bot.propose.references import _suffix_list, host, is_admitted, is_public, registrable_domain

HOSTS = {
    "https://en.wikipedia.org/wiki/X": "wikipedia.org",
    "http://user@www.maths.ox.ac.uk:8080/a?b#c": "ox.ac.uk",
    "www.bbc.co.uk": "bbc.co.uk",
    "https://a.b.example.com.au/": "example.com.au",
    "https://www.city.kawasaki.jp/": "city.kawasaki.jp",
    "https://www.gov.uk/x": "www.gov.uk",
    "https://someone.github.io/notes": "someone.github.io",
    "https://deep.someone.github.io/notes": "someone.github.io",
    "github.io": "github.io",
    "https://alice.substack.com/p/1": "alice.substack.com",
    "https://substack.com/": "substack.com",
    "http://physics.blogspot.com/": "physics.blogspot.com",
    "http://physics.blogspot.co.uk/": "physics.blogspot.co.uk",
    "https://notes.wordpress.com": "notes.wordpress.com",
    "https://x.pages.dev": "x.pages.dev",
    "https://book.readthedocs.io/en/latest": "book.readthedocs.io",
    "https://team.notion.site/page": "team.notion.site",
    "https://bucket.s3.amazonaws.com/f.pdf": "bucket.s3.amazonaws.com",
    "arxiv.org": "arxiv.org",
    "arxiv.org/abs//1": "arxiv.org",
    "HTTPS://WWW.EXAMPLE.ORG/": "example.org",
    "https://EXAMPLE.org./": "example.org",
    "https://bücher.example/": "xn--bcher-kva.example",
    "https://www.bücher.de/": "xn--bcher-kva.de",
    "https://www.xn--bcher-kva.de/": "xn--bcher-kva.de",
    "https://faß.de/": "xn--fa-hia.de",
    "http://127.0.0.1:80/x": "127.0.0.1",
    "http://[2001:db8::1]:8080/x": "2001:db8::1",
    "http://localhost:8000/": "localhost",
    "http://wiki.intranet/": "wiki.intranet",
    "http://a.wiki.intranet/": "wiki.intranet",
    "http://[::1/": "",
    "https://good.org\\@evil.org/": "",
    "https://a..example.org/": "",
    "https://exa mple.org/": "",
    "": "",
}


@pytest.mark.parametrize(("address", "domain"), HOSTS.items())
def test_registrable_domain(address: str, domain: str) -> None:
    assert registrable_domain(address) == domain


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("https://example.org/x", True), ("https://www.bbc.co.uk", True), ("https://medium.com/@me/post", True), ("https://me.substack.com", True), ("https://www.xn--bcher-kva.de/", True),
        ("http://10.0.0.1/x", False), ("http://127.0.0.1:80", False), ("http://[::1]/x", False), ("http://[2001:db8::1]:8080/x", False), ("http://2130706433/", False), ("http://0x7f.1/", False),
        ("http://localhost/x", False), ("http://intranet/x", False), ("http://wiki.intranet/", False), ("http://printer.local/", False), ("http://metadata.internal/", False), ("http://com/", False), ("", False),
    ],
)  # fmt: skip
def test_a_public_name_is_told_from_the_machines_of_a_network_of_one_s_own(address: str, public: bool) -> None:
    assert is_public(address) is public


def test_nothing_is_fetched_or_kept_on_disk_to_know_a_domain() -> None:
    found = _suffix_list()
    assert not found.suffix_list_urls
    assert not found._cache.enabled
    assert found.fallback_to_snapshot


def test_one_author_of_a_host_is_allowed_and_the_others_are_not() -> None:
    assert is_admitted("https://alice.substack.com/p", ("alice.substack.com",), ())
    assert not is_admitted("https://bob.substack.com/p", ("alice.substack.com",), ())
    assert not is_admitted("https://bob.substack.com/p", ("substack.com",), ())
    assert not is_admitted("https://bob.substack.com/p", (), ("substack.com",))
    assert is_admitted("https://bob.substack.com/p", (), ("alice.substack.com",))


def test_denied_domain_is_denied_with_all_its_hosts_but_not_its_namesakes() -> None:
    assert not is_admitted("https://de.wikipedia.org/wiki/X", (), ("wikipedia.org",))
    assert is_admitted("https://notwikipedia.org/X", (), ("wikipedia.org",))


def test_allow_list_admits_nothing_else_and_denial_goes_first() -> None:
    assert is_admitted("https://www.example.org/", ("example.org",), ())
    assert not is_admitted("https://example.com/", ("example.org",), ())
    assert not is_admitted("https://example.org/", ("example.org",), ("example.org",))


@pytest.mark.parametrize(("more", "known"), [(0, True), (1, False)])
def test_a_name_of_253_characters_is_a_host_and_a_longer_one_is_none(more: int, known: bool) -> None:
    name = ".".join(["a" * 63] * 3 + ["b" * (57 + more), "org"])
    assert len(name) == 253 + more
    assert host(f"https://{name}/x") == (name if known else "")


@pytest.mark.parametrize(("size", "known"), [(63, True), (64, False)])
def test_a_part_of_a_host_has_63_characters_at_most(size: int, known: bool) -> None:
    assert bool(host(f"{'a' * size}.org")) is known
