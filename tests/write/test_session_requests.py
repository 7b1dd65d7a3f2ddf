"""What the session asks of a wiki and what it makes of the answers, past the library."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bot.errors import WriteRefused, WriteStopped
from bot.settings import Wiki
from bot.write.session import _family, _login, _PywikibotSession, _refuse_to_ask
from bot.write.wiki_protocol import AccountStatus, Revision, WikiRefusal

SNAKS = {"snaks": {"P854": []}, "snaks-order": ["P854"]}


class Asked:
    """A session whose requests are kept and answered from a list."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *answers: Any) -> None:
        self.parameters: list[dict[str, Any]] = []
        self.answers = list(answers)
        site: Any = SimpleNamespace(tokens={"csrf": "token"})
        self.session = _PywikibotSession(site, Wiki())
        monkeypatch.setattr(self.session, "_ask", self._ask)

    def _ask(self, **parameters: Any) -> Any:
        self.parameters.append(parameters)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


SENT = {"summary": "why", "bot": True, "token": "token"}
CLAIM = {"action": "wbsetclaim", "claim": json.dumps({"id": "Q1$1"})}
CLAIMS = {"action": "wbeditentity", "id": "Q1", "data": '{"claims": [{"id": "Q1$1"}, {"id": "Q1$2"}]}'}
REFERENCE = {"action": "wbsetreference", "statement": "Q1$1", "snaks": '{"P854": []}', "snaks-order": '["P854"]'}


@pytest.mark.parametrize(
    ("edit", "sent"),
    [
        (lambda s: s.add_claim("Q1", {"id": "Q1$1"}, "why", 7), {**CLAIM, "baserevid": 7}),
        (lambda s: s.add_claim("Q1", {"id": "Q1$1"}, "why", 0), CLAIM),
        (lambda s: s.add_claims("Q1", ({"id": "Q1$1"}, {"id": "Q1$2"}), "why", 7), {**CLAIMS, "baserevid": 7}),
        (lambda s: s.add_claims("Q1", ({"id": "Q1$1"}, {"id": "Q1$2"}), "why", 0), CLAIMS),
        (lambda s: s.add_reference("Q1", "Q1$1", SNAKS, "why"), REFERENCE),
        (lambda s: s.remove_claim("Q1", "Q1$1", "why", 7), {"action": "wbremoveclaims", "claim": "Q1$1", "baserevid": 7}),
        (lambda s: s.remove_claim("Q1", "Q1$1", "why", 0), {"action": "wbremoveclaims", "claim": "Q1$1"}),
        (lambda s: s.remove_reference("Q1", "Q1$1", "abc", "why"), {"action": "wbremovereferences", "statement": "Q1$1", "references": "abc"}),
    ],
)  # fmt: skip
def test_an_edit_is_sent_with_its_base_where_it_has_one(edit: Any, sent: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    asked = Asked(monkeypatch, {"pageinfo": {"lastrevid": 12}}, {"entity": {"lastrevid": 13}}, {})
    assert edit(asked.session) == 12
    assert asked.parameters == [{**sent, **SENT}]
    assert edit(asked.session) == 13
    assert edit(asked.session) == 0, "an answer that names no revision"


def test_an_edit_without_the_bot_right_asks_who_we_are(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {"query": {"userinfo": {}}}
    asked = Asked(monkeypatch, WikiRefusal("assertbotfailed", "no"), answer, WikiRefusal("blocked", "no"))
    for code, more in (("assertbotfailed", 2), ("blocked", 1)):
        before = len(asked.parameters)
        with pytest.raises(WikiRefusal) as refused:
            asked.session.remove_claim("Q1", "Q1$1", "why", 0)
        assert (refused.value.code, len(asked.parameters) - before) == (code, more)


def test_an_item_is_read_once_and_its_history_under_its_title(monkeypatch: pytest.MonkeyPatch) -> None:
    revisions = [{"revid": n, "parentid": n - 1, "user": "A", "comment": "c"} for n in (6, 7, 8)] + [
        {"revid": 9, "parentid": 8}
    ]
    found = {"entities": {"Q1": {"id": "Q1", "title": "Item:Q1"}}}
    history = {"query": {"pages": [{"revisions": revisions}, {}]}}
    asked = Asked(monkeypatch, found, history, {"entities": {"Q2": {"id": "Q2", "missing": ""}}})
    assert asked.session.entity("Q1") == {"id": "Q1", "title": "Item:Q1"}
    assert asked.session.history("Q1", 6) == [
        Revision(7, 6, "A", "c"),
        Revision(8, 7, "A", "c"),
        Revision(9, 8, "", ""),
    ]
    assert (asked.parameters[1]["titles"], asked.parameters[1]["rvdir"], asked.parameters[1]["rvstartid"]) == (
        "Item:Q1",
        "newer",
        6,
    )
    with pytest.raises(WikiRefusal) as refused:
        asked.session.entity("Q2")
    assert refused.value.kind == "item"


def test_a_revision_is_read_as_the_item_was_then(monkeypatch: pytest.MonkeyPatch) -> None:
    slots = {"main": {"content": '{"id": "Q1"}'}}
    asked = Asked(monkeypatch, {"query": {"pages": [{"revisions": [{"slots": slots}]}]}})
    assert asked.session.entity_at(5) == {"id": "Q1", "lastrevid": 5}
    assert asked.parameters[0]["revids"] == 5
    hidden = {"main": {"texthidden": True}}
    asked = Asked(monkeypatch, {"query": {"pages": [{"revisions": [{"slots": hidden}]}]}})
    with pytest.raises(WikiRefusal) as refused:
        asked.session.entity_at(5)
    assert refused.value.kind == "item"


@pytest.mark.parametrize(
    ("user", "said", "status"),
    [
        ({"rights": ["bot"]}, "2026-11-20T00:00:00+00:00", AccountStatus("", True, {"A": "stop", "B": ""}, 1795132800.0)),
        ({"rights": ["edit"]}, "", AccountStatus("", False, {"A": "stop", "B": ""}, 0.0)),
        ({"blockid": 1, "blockreason": "spam", "blockedby": "C"}, "", AccountStatus("spam (by C)", False, {"A": "stop", "B": ""}, 0.0)),
        ({"blockid": 1}, "", AccountStatus(" (by ?)", False, {"A": "stop", "B": ""}, 0.0)),
    ],
)  # fmt: skip
def test_the_account_is_asked_with_the_pages_that_may_stop_it(user: Any, said: str, status: AccountStatus, monkeypatch: pytest.MonkeyPatch) -> None:  # fmt: skip
    page = {"title": "a", "revisions": [{"slots": {"main": {"content": "stop"}}}]}
    query = {
        "userinfo": user,
        "normalized": [{"from": "A", "to": "a"}],
        "pages": [page, {"title": "B", "missing": True}],
    }
    asked = Asked(monkeypatch, {"query": query, "curtimestamp": said}, {"query": {"userinfo": user}})
    assert asked.session.account_status(("A", "B")) == status
    assert asked.parameters[0]["titles"] == "A|B"
    assert asked.session.account_status(()).pages == {}
    assert "titles" not in asked.parameters[1]


@pytest.mark.parametrize("pages", [[], [{"title": "A", "invalid": True}], [{"title": "B"}]])
def test_a_stop_page_that_the_wiki_cannot_have_stops_the_run(pages: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, {"query": {"userinfo": {"rights": ["bot"]}, "pages": pages}})
    with pytest.raises(WriteStopped, match="A: no page of the wiki can have this title"):
        asked.session.account_status(("A",))


@pytest.mark.parametrize("prefix", ["", "http://www.wikidata.org/entity/", "http://other.invalid/entity/"])
def test_a_wiki_that_is_another_one_by_its_own_word_is_refused(prefix: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked(monkeypatch, {"query": {"general": {"wikibase-conceptbaseuri": prefix} if prefix else {}}})
    with pytest.raises(WriteRefused, match="the wiki says") if "other" in prefix else nullcontext():
        asked.session.check_wiki()


def test_a_question_of_the_library_stops_the_run_with_one_line() -> None:
    with pytest.raises(WriteStopped) as stopped:
        _refuse_to_ask("Password for user Bot on wiki (no characters will be shown):", True)
    assert (
        stopped.value.line()
        == "cannot log in (pywikibot asks: Password for user Bot on wiki); put the password into user-password.py"
    )


@pytest.mark.parametrize(
    ("status", "told", "code", "wait"),
    [
        ((429, 37.0), {}, "too-many-requests", 37.0),
        ((503, 5.0), {}, "lost", 5.0),
        ((200, 9.0), {"code": "maxlag", "info": "slow"}, "maxlag", 9.0),
    ],
)
def test_a_request_is_sent_once_and_its_refusal_says_how_long_to_wait(
    status: tuple[int, float], told: dict[str, str], code: str, wait: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = SimpleNamespace(write=False, last_error=told, submit=lambda: request.wait())
    site: Any = SimpleNamespace(simple_request=lambda **_: request, throttle=SimpleNamespace(retry_after=60))
    session = _PywikibotSession(site, Wiki())
    monkeypatch.setattr(session, "_watch_responses", lambda: setattr(session, "_last", status))
    with pytest.raises(WikiRefusal) as refused:
        session._ask(action="query")
    assert (refused.value.code, refused.value.retry_after, site.throttle.retry_after) == (code, wait, 0)


def test_on_a_wiki_with_readers_the_library_logs_in_with_the_operators_password() -> None:
    said: list[dict[str, Any]] = []
    _login(SimpleNamespace(login=lambda **given: said.append(given)), Wiki())  # type: ignore[arg-type]
    assert said == [{}]


def test_a_login_that_was_forgotten_is_made_from_the_beginning() -> None:
    before: list[tuple[dict[str, str], bool, int]] = []
    site: Any = SimpleNamespace(tokens={"csrf": "old"}, userinfo={"name": "Bot"}, _loginstatus=3)
    site.login = lambda: before.append((dict(site.tokens), hasattr(site, "userinfo"), site._loginstatus))
    _PywikibotSession(site, Wiki()).log_in()
    assert before == [({}, False, -1)]  # -1: pywikibot's word for one that has not tried yet


@pytest.mark.parametrize(
    ("file", "text", "code", "why"),
    [
        ("gone_family.py", None, "not_a_file", ""),
        ("broken_family.py", "1 / 0", "config_unusable", "ZeroDivisionError: division by zero"),
        ("empty_family.py", "x = 1", "config_unusable", "AttributeError: "),
        ("", None, "no_family", ""),
    ],
)
def test_a_family_that_cannot_be_loaded_is_named_with_its_file(
    file: str, text: str | None, code: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pywikibot import config

    files = {"unheard of": file} if file else {}
    monkeypatch.setattr(config, "family_files", files)
    if text is not None:
        (tmp_path / file).write_text(text)
    with pytest.raises(WriteRefused) as refused:
        _family("unheard of", tmp_path)
    assert refused.value.message.code == f"error.{code}"
    assert str(tmp_path / (file or "user-config.py")) in refused.value.line()
    assert why in refused.value.line()
