"""How long is waited, and before what: each turn, each new try, the cap and the pages that are asked, to the second."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest
from rehearsal import Time

from bot.errors import WriteStopped
from bot.settings import Settings, Wiki, Writing
from bot.store import Workspace
from bot.write import ledger
from bot.write import session as pywikibot_session
from bot.write.plan import estimated_duration
from bot.write.rate_limit import RateLimiter, WriteSlot
from bot.write.wiki_policy import WikiPolicy
from bot.write.wiki_protocol import AccountStatus, WikiRefusal, WikiSession

LIVE, REHEARSAL = Wiki(name="test"), Wiki(name="sandbox", sandbox=True)
DAY = 86_400.0


def pace(folder: Path, time: Time, gap: float = 10.0) -> RateLimiter:
    return RateLimiter(folder, gap, clock=time, moment=time, sleep=time.sleep, boot="one")


def send(folder: Path, time: Time, took: float = 0.0, gap: float = 10.0) -> float:
    """Send something and return how long was waited before it."""
    slept = time.slept
    with pace(folder, time, gap).slot() as turn, turn.sending():
        waited = time.slept - slept
        time.now += took
    return waited


@pytest.mark.parametrize(("idle", "waited"), [(0.0, 10.0), (4.0, 6.0), (9.5, 0.5), (10.0, 0.0), (11.0, 0.0)])
def test_the_gap_is_from_the_end_of_one_sending_to_the_next(tmp_path: Path, idle: float, waited: float) -> None:
    time = Time()
    assert send(tmp_path, time, took=3.0) == 0.0
    time.now += idle
    assert send(tmp_path, time) == waited


def test_a_turn_without_sending_uses_nothing_up(tmp_path: Path) -> None:
    time = Time()
    with pace(tmp_path, time).slot():
        pass
    assert send(tmp_path, time) == 0.0


def test_a_second_sending_in_one_turn_waits_too(tmp_path: Path) -> None:
    time = Time()
    with pace(tmp_path, time).slot() as turn:
        with turn.sending():
            time.now += 1
        with turn.sending():
            assert time.slept == 10.0


def test_a_sending_that_fails_uses_the_turn_up(tmp_path: Path) -> None:
    time = Time()
    with pytest.raises(WikiRefusal), pace(tmp_path, time).slot() as turn, turn.sending():
        raise WikiRefusal("lost", "…")
    assert json.loads((tmp_path / "pace.json").read_text())["open"] is False
    assert send(tmp_path, time) == 10.0


def test_what_was_begun_and_not_ended_is_kept_as_open(tmp_path: Path) -> None:
    time = Time()
    with pace(tmp_path, time).slot() as turn, turn.sending():
        kept = json.loads((tmp_path / "pace.json").read_text())
    assert kept == {"boot": "one", "last": 1000.0, "open": True, "day": [[1000.0, 1000.0]]}
    (tmp_path / "pace.json").write_text(json.dumps(kept))
    time.now += 9.0
    assert send(tmp_path, time) == 10.0  # another process was killed while sending


@pytest.mark.parametrize(
    ("monotonic", "wall", "counted"),
    [
        (DAY - 1, DAY - 1, 1),
        (DAY, DAY, 0),
        (DAY - 1, DAY + 9, 1),
        (DAY + 9, DAY - 1, 1),
        (None, DAY - 1, 1),
        (None, DAY, 0),
    ],
)
def test_what_either_clock_saw_within_a_day_counts(
    tmp_path: Path, monotonic: float | None, wall: float, counted: int
) -> None:
    now = 10 * DAY
    day = [[None if monotonic is None else now - monotonic, now - wall]]
    kept = {"boot": "one", "last": 0.0, "open": False, "day": day}
    (tmp_path / "pace.json").write_text(json.dumps(kept))
    time = Time()
    time.now = now
    with pace(tmp_path, time).slot() as turn:
        assert turn.sent_today() == counted


def test_the_monotonic_clock_of_another_boot_counts_nothing(tmp_path: Path) -> None:
    kept = {"boot": "two", "last": 0.0, "open": False, "day": [[999.0, 1000.0 - DAY]]}
    (tmp_path / "pace.json").write_text(json.dumps(kept))
    with pace(tmp_path, Time()).slot() as turn:
        assert turn.sent_today() == 0


# WikiPolicy


class Asked:
    """A wiki that answers as told, once for each word; "" is an answer."""

    def __init__(self, *answers: str, pages: dict[str, str] | None = None, **status: Any) -> None:
        self.answers, self.status, self.pages = list(answers), status, pages or {}
        self.asked: list[tuple[str, ...]] = []
        self.logins, self.retry_after = 0, 0.0

    def read(self) -> str:
        code = self.answers.pop(0) if self.answers else ""
        if code:
            raise WikiRefusal(code, "…", self.retry_after)
        return "read"

    def account_status(self, pages: tuple[str, ...]) -> AccountStatus:
        self.asked.append(pages)
        self.read()
        return AccountStatus(pages={page: self.pages.get(page, "") for page in pages}, **self.status)

    def log_in(self) -> None:
        self.logins += 1


def policy(workspace: Workspace, time: Time, wiki: Wiki = LIVE, **writing: Any) -> WikiPolicy:
    settings = Settings(writing=Writing(**writing))
    folder = workspace.path / "account"
    return WikiPolicy(
        workspace, settings, wiki, folder, clock=lambda: 5000.0, monotonic=time, sleep=time.sleep, boot="one"
    )


def session(wiki: Asked) -> WikiSession:
    return cast(WikiSession, wiki)


@pytest.mark.parametrize(
    ("codes", "slept", "logins"),
    [
        ([], 0.0, 0),
        (["maxlag"], 5.0, 0),
        (["lost", "maxlag"], 15.0, 0),
        (["maxlag"] * 5, 155.0, 0),
        (["badtoken"], 5.0, 1),
        (["badtoken", "maxlag", "assertuserfailed"], 35.0, 2),
    ],
)
def test_a_question_is_asked_again_after_a_growing_wait(
    workspace: Workspace, codes: list[str], slept: float, logins: int
) -> None:
    time, wiki = Time(), Asked(*codes)
    assert policy(workspace, time).read_with_retries(wiki.read, session(wiki)) == "read"
    assert (time.slept, wiki.logins) == (slept, logins)


@pytest.mark.parametrize(
    ("codes", "slept"), [(["maxlag"] * 6, 155.0), (["protected"], 0.0), (["maxlag", "unheard-of"], 5.0)]
)
def test_a_question_is_given_up(workspace: Workspace, codes: list[str], slept: float) -> None:
    time, wiki = Time(), Asked(*codes)
    with pytest.raises(WikiRefusal, match=codes[-1]):
        policy(workspace, time).read_with_retries(wiki.read, session(wiki))
    assert (time.slept, wiki.answers) == (slept, [])


def test_a_wiki_that_asks_for_more_than_an_hour_is_left_to_a_later_run(workspace: Workspace) -> None:
    """Hours of sleep would hold the locks of account and workspace."""
    time, wiki = Time(), Asked("maxlag")
    wiki.retry_after = 3601
    wiki_policy = policy(workspace, time)
    with pytest.raises(WikiRefusal):
        wiki_policy.read_with_retries(wiki.read, session(wiki))
    assert time.slept == 0
    limits = [wiki_policy.max_resends(WikiRefusal("maxlag", "…", seconds)) for seconds in (3600, 3601)]
    assert limits == [5, 0]


@pytest.mark.parametrize(
    ("n", "retry", "live", "rehearsal"),
    [
        (0, 0.0, 5.0, 0.2),
        (4, 0.0, 80.0, 3.2),
        (5, 0.0, 80.0, 3.2),
        (9, 0.0, 80.0, 3.2),
        (0, 7.0, 7.0, 7.0),
        (0, 3.0, 5.0, 3.0),
    ],
)
def test_the_wait_before_a_new_try(workspace: Workspace, n: int, retry: float, live: float, rehearsal: float) -> None:
    for wiki, wanted in ((LIVE, live), (REHEARSAL, rehearsal)):
        time = Time()
        wiki_policy = policy(workspace, time, wiki)
        wiki_policy.wait_before_retry(n, WikiRefusal("maxlag", "…", retry))
        assert (time.slept, wiki_policy.max_retries) == (pytest.approx(wanted), 5)


def before_edit(wiki_policy: WikiPolicy, wiki: Asked, qid: str = "Q12") -> str:
    with wiki_policy.rate_limiter.slot() as turn:
        return str(wiki_policy.before_edit(session(wiki), qid, turn) or "")


def test_stop_page_and_exclusion_page_are_read_before_each_edit(workspace: Workspace) -> None:
    wiki_policy = policy(workspace, Time(), stop_page="Stop", exclusion_page="Not")
    wiki = Asked(pages={"Stop": " \n", "Not": "* Q12 and [[q7]], xQ8, Q9_(law), Q012"})
    excluded = {qid for n in range(1, 13) if before_edit(wiki_policy, wiki, qid := f"Q{n}")}
    assert excluded == {"Q12", "Q7", "Q9"}
    assert before_edit(wiki_policy, wiki) == "Q12 is on the exclusion page Not"
    assert wiki.asked[0] == ("Stop", "Not")
    with pytest.raises(WriteStopped) as stopped:
        before_edit(wiki_policy, Asked(pages={"Stop": f" {'x' * 90} "}))
    assert str(stopped.value.message) == f"the stop page says: {'x' * 80}"
    bare, wiki = policy(workspace, Time()), Asked()
    assert before_edit(bare, wiki) == ""
    assert wiki.asked == [()]


@pytest.mark.parametrize(
    ("status", "why"),
    [
        ({"blocked": "vandalism, by Ben"}, "the account is blocked: vandalism, by Ben"),
        ({"bot": False}, "the account has no bot right any more"),
        ({"blocked": "x", "bot": False}, "the account is blocked: x"),
    ],
)
def test_a_barred_account_sends_nothing(workspace: Workspace, status: dict[str, Any], why: str) -> None:
    wiki_policy = policy(workspace, Time())
    with pytest.raises(WriteStopped) as stopped:
        wiki_policy.checked_account(session(Asked(**status)))
    assert str(stopped.value.message) == why
    assert str(wiki_policy.stop_error(session(Asked(**status)), WikiRefusal("odd", "…"), "Q1").message) == why
    assert str(wiki_policy.stop_error(session(Asked()), WikiRefusal("odd", "…"), "Q1").message) == "odd: …"
    assert (
        str(wiki_policy.stop_error(session(Asked("lost", **status)), WikiRefusal("odd", "…"), "Q1").message) == "odd: …"
    )


def test_time_is_the_wikis_as_it_was_told_and_has_gone_on_since(workspace: Workspace) -> None:
    time = Time()
    wiki_policy = policy(workspace, time)
    assert wiki_policy.now() == 5000.0
    wiki_policy.checked_account(session(Asked()))
    assert wiki_policy.now() == 5000.0  # the wiki did not tell
    wiki_policy.checked_account(session(Asked(time=9000.0)))
    time.now += 30
    assert wiki_policy.now() == 9030.0
    time.now -= 60
    assert wiki_policy.now() == 9000.0
    assert wiki_policy.timestamp() == "1970-01-01T02:30:00Z"


def at(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.mark.parametrize(
    ("outcomes", "ago", "stopped"),
    [
        (["written"], 10, False),
        (["written", "written"], 10, True),
        (["written", "pending"], 10, True),
        (["written", "failed"], 10, True),
        (["written", "refused"], 10, False),
        (["written", "already_there"], 10, False),
        (["written", "written"], 86_399, True),
        (["written", "written"], 86_400, False),
        (["written", "written", "written"], 10, True),
    ],
)
def test_the_daily_cap_counts_what_may_have_reached_the_wiki(
    workspace: Workspace, outcomes: list[str], ago: int, stopped: bool
) -> None:
    told = 1_790_000_000.0
    for n, outcome in enumerate(outcomes):
        ledger.add_closed_row(workspace, outcome, qid="Q1", guid=f"Q1${n}", payload={}, time=at(told - ago))
    wiki_policy = policy(workspace, Time(), edits_a_day=2)
    if not stopped:
        assert before_edit(wiki_policy, Asked(time=told)) == ""
        return
    with pytest.raises(WriteStopped) as raised:
        before_edit(wiki_policy, Asked(time=told))
    assert str(raised.value.message) == "2 edits in 24 hours is the daily cap"
    assert before_edit(policy(workspace, Time(), REHEARSAL, edits_a_day=2), Asked(time=told)) == ""


def test_the_daily_cap_counts_the_accounts_other_workspaces(workspace: Workspace) -> None:
    time = Time()
    wiki_policy = policy(workspace, time, edits_a_day=2, seconds_between_edits=0.0)
    for sent in range(3):
        with wiki_policy.rate_limiter.slot() as turn:
            if sent == 2:
                with pytest.raises(WriteStopped, match="2 edits in 24 hours"):
                    wiki_policy.before_edit(session(Asked()), "Q1", turn)
                return
            assert wiki_policy.before_edit(session(Asked()), "Q1", turn) is None
            with cast(WriteSlot, turn).sending():
                pass


@pytest.mark.parametrize(
    ("edits", "gap", "cap", "said"),
    [
        (0, 10.0, 200, "no time"),
        (1, 10.0, 200, "about 10 seconds"),
        (1, 1.0, 200, "about 1 second"),
        (1, 0.0, 200, "about 1 second"),
        (10, 0.0, 200, "about 2 seconds"),
        (11, 10.0, 200, "about 110 seconds"),
        (12, 10.0, 200, "about 2 minutes"),
        (200, 10.0, 200, "about 33 minutes"),
        (201, 10.0, 200, "2 days at 200 edits a day"),
        (400, 10.0, 200, "2 days at 200 edits a day"),
        (401, 10.0, 200, "3 days at 200 edits a day"),
        (719, 10.0, 0, "about 120 minutes"),
        (720, 10.0, 0, "about 2 hours"),
        (2, 10.0, 1, "2 days at 1 edits a day"),
    ],
)
def test_how_long_so_many_edits_take(edits: int, gap: float, cap: int, said: str) -> None:
    settings = Settings(writing=Writing(seconds_between_edits=gap, edits_a_day=cap))
    assert str(estimated_duration(edits, LIVE, settings)) == said


@pytest.mark.parametrize(
    ("edits", "said"), [(0, "no time"), (5, "about 1 second"), (600, "about 2 minutes"), (36000, "about 2 hours")]
)
def test_a_rehearsal_knows_no_cap_and_no_gap(edits: int, said: str) -> None:
    assert str(estimated_duration(edits, REHEARSAL, Settings())) == said


KINDS: list[tuple[str, str]] = [
    ("maxlag", "later"),
    ("ratelimited", "later"),
    ("badtoken", "session"),
    ("wikibase-validator-math", "item"),
    ("abusefilter-disallowed", "item"),
    ("spam-blacklisted-link", "item"),
    ("captcha-edit-fail", "stop"),
    ("lost", "doubt"),
    ("internal_api_error_DBQueryError", "doubt"),
    ("assertbotfailed", "stop"),
    ("", "stop"),
]


@pytest.mark.parametrize(("code", "kind"), KINDS)
def test_what_a_refusal_allows(code: str, kind: str) -> None:
    assert WikiRefusal(code, "…").kind == kind


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("", 0.0), ("5", 5.0), ("1.5", 1.5), ("0", 0.0), ("-5", 0.0), ("1e9", 0.0), ("9" * 10, 0.0), ("Fri, 20 Nov 2026 12:00:00 GMT", 0.0)],
)  # fmt: skip
def test_how_long_the_wiki_asks_to_wait(header: str, seconds: float) -> None:
    assert pywikibot_session._seconds(header) == seconds


@pytest.mark.parametrize(
    ("code", "sends"),
    [("maxlag", 4), ("badtoken", 2), ("lost", 2), ("editconflict", 2), ("protectedpage", 0), ("blocked", 0)],
)
def test_how_often_something_is_sent_anew(workspace: Workspace, code: str, sends: int) -> None:
    wiki_policy = policy(workspace, Time())
    assert wiki_policy.max_resends(WikiRefusal(code, "…")) == (wiki_policy.max_retries if sends == 4 else sends)
