"""Which registrable domain a source belongs to, and whether it is admitted."""

from __future__ import annotations

import pytest

from bot.propose.domains import admitted, registrable


@pytest.mark.parametrize(
    ("address", "domain"),
    [
        ("https://en.wikipedia.org/wiki/X", "wikipedia.org"),
        ("http://user@www.maths.ox.ac.uk:8080/a?b#c", "ox.ac.uk"),
        ("https://someone.github.io/notes", "someone.github.io"),
        ("arxiv.org", "arxiv.org"),
        ("https://EXAMPLE.org./", "example.org"),
        ("https://bücher.example/", "xn--bcher-kva.example"),
        ("http://127.0.0.1:80/x", "127.0.0.1"),
        ("http://[::1/", ""),
        ("", ""),
    ],
)
def test_registrable_domain(address: str, domain: str) -> None:
    assert registrable(address) == domain


def test_denied_domain_is_denied_with_all_its_hosts_but_not_its_namesakes() -> None:
    assert not admitted("https://de.wikipedia.org/wiki/X", (), ("wikipedia.org",))
    assert admitted("https://notwikipedia.org/X", (), ("wikipedia.org",))


def test_allow_list_admits_nothing_else_and_denial_goes_first() -> None:
    assert admitted("https://www.example.org/", ("example.org",), ())
    assert not admitted("https://example.com/", ("example.org",), ())
    assert not admitted("https://example.org/", ("example.org",), ("example.org",))
