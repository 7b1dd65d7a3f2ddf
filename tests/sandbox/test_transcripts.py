"""The recorded transcripts are the sandbox's contract: sent in the recorded order, answered as recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from replay import Exchange, Replay, read_case

from bot.sandbox import Sandbox

TOTAL = 181  # 180 transcripts and the summary of their outcomes

# Where the recording began anew from initial_entities.json.
FRESH = (
    "siteinfo_general",
    "pwb_01_login_siteinfo",
    "pwb_fail_invalid_latex",
    "conflict_wbsetclaim_of_removed_statement_stale_baserevid",
)

# Who sent a case: calls that edit came from the bot and calls that read from nobody, but for these.
SENDERS = {
    "tokens_csrf": "bot",
    "userinfo_loggedin": "bot",
    "tokens_login": "door",
    "login_success": "door",
    "login_wrong_password": "door2",
    "login_bad_token": "door3",
    "conflict_other_user_changes_value": "plain",
    "conflict_other_user_deletes": "plain",
    "assert_user_anon": "anon",
    "assert_bot_by_plain_user": "plain",
    "assertuser_mismatch": "plain",
    "bot_param_without_bot_right": "plain",
    "permission_botpassword_without_edit_grant": "noedit",
    "permission_blocked": "blocked",
    "permission_new_property": "plain",
    "ratelimited": "plain",
    "logout": "leaver",
    "after_logout_old_token_assert_user": "anon",
    "after_logout_old_token": "anon",
    "anon_edit_allowed": "anon",
    "wbparsevalue_math_401": "anon",
}
CLAIM = {"type": "statement", "rank": "normal"}

# Cases that do not agree yet, each with its reason.
NOT_YET: dict[str, str] = {}


def _claim(guid: str, tex: str) -> dict[str, Any]:
    snak = {"snaktype": "value", "property": "P2534", "datavalue": {"type": "string", "value": tex}}
    return {**CLAIM, "id": guid, "mainsnak": snak}


def _two_items(first: str, second: str) -> Callable[[Replay], None]:
    def make(replay: Replay) -> None:
        for label in (first, second):
            data = {"labels": {"en": {"language": "en", "value": label}}}
            replay.sandbox.act("Admin", action="wbeditentity", new="item", data=data)

    return make


def _written_and_removed(guid: str, tex: str, **params: object) -> Callable[[Replay], None]:
    def make(replay: Replay) -> None:
        done = replay.sandbox.act("WikiBot", action="wbsetclaim", claim=_claim(guid, tex), bot=1, **params)
        assert "error" not in done, done
        replay.sandbox.act("PlainUser", action="wbremoveclaims", claim=guid)

    return make


def _redirect_made(replay: Replay) -> None:
    _two_items("T", "S")(replay)
    replay.sandbox.act("Admin", action="wbmergeitems", fromid="Q900000002", toid="Q900000001")


def _deleted_item(replay: Replay) -> None:
    data = {"labels": {"en": {"language": "en", "value": "to be deleted"}}}
    replay.sandbox.act("Admin", action="wbeditentity", new="item", data=data)
    replay.sandbox.delete("Q900000003")


def _fault(kind: str, times: int | None = 1, **options: Any) -> Callable[[Replay], None]:
    def arm(replay: Replay) -> None:
        replay.sandbox.clear_faults()
        replay.sandbox.fault(kind, times, **options)

    return arm


def _calm(replay: Replay) -> None:
    replay.sandbox.clear_faults()


# What was done to the wiki before a case's n-th call (`case#n`), and secrets that were sent (`case parameter`).
BEFORE: dict[str, Any] = {
    "login_wrong_password#0": lambda replay: replay.client("door2").refresh_tokens(),
    "login_wrong_password lgpassword": "wrong",
    "login_bad_token lgtoken": "bad+\\",
    "login_success#0": lambda replay: replay.client("door").refresh_tokens(),
    "badtoken token": "bad+\\",
    "permission_protected_item#0": lambda replay: replay.sandbox.protect("Q328"),
    "readonly#0": _fault("readonly", reason="Testing read-only mode"),
    "ratelimited#0": _fault("ratelimit"),
    "maxlag_wdqs#0": _fault("lag", lag=7.3),
    "maxlag_wdqs_fv2#0": _fault("lag", lag=7.3),
    "redirect_setup_claim#0": _two_items("merge target", "merge source"),
    "wbgetentities_deleted#0": _deleted_item,
    "logout#0": lambda replay: replay.clients.update(leaver=replay.clients.pop("bot")),
    "after_logout_old_token_assert_user#0": lambda replay: setattr(
        replay.client("anon"), "csrf", replay.clients["leaver"].csrf
    ),
    "anon_edit_allowed token": "+\\",
    "assert_user_anon token": "+\\",
    "pwb_fail_badtoken_recovers#1": _fault("bad_token"),
    "pwb_fail_session_lost#1": _fault("session_lost"),
    "pwb_fail_session_lost#2": lambda replay: replay.client("bot").log_in(),
    "pwb_fail_redirect_get#0": _redirect_made,
    "pwb_fail_maxlag_clears_after_4s#1": _fault("lag", lag=6),
    "pwb_fail_maxlag_never_clears_max_retries_3#1": _fault("lag", None, lag=6),
    "pwb_fail_readonly_never_clears#0": _fault("readonly", None),
    "pwb_fail_protected#0": lambda replay: (_calm(replay), replay.sandbox.protect("Q328")),
    "pwb_fail_blocked#1": lambda replay: replay.sandbox.block("WikiBot", "t"),
    "conflict_wbsetclaim_of_removed_statement_stale_baserevid#0": _written_and_removed(
        "Q35875$c0d5a15e-0ab2-4ac5-b401-2a1233bab18a", "k=1"
    ),
    "conflict_wbsetclaim_of_removed_statement_no_baserevid#0": _written_and_removed(
        "Q35875$684f1fd4-5924-48a7-a07f-527fe626a8a8", "k=1"
    ),
    "conflict_retry_after_human_removed_new_claim#0": _written_and_removed(
        "Q35875$b06e7e78-6dca-41cf-be5a-bd68b8ce29d7", "m=1", baserevid=31
    ),
}


def _who(case: str, n: int, exchange: Exchange) -> str:
    if case in SENDERS:
        return SENDERS[case]
    if case.startswith("pwb_"):
        return _who_of_pywikibot(case, n, exchange)
    return "bot" if exchange.method == "POST" else "anon"


def _who_of_pywikibot(case: str, n: int, exchange: Exchange) -> str:
    if case == "pwb_01_login_siteinfo":
        return "door"
    another = exchange.params.get("meta") == "tokens" and "type" not in exchange.params
    if another or (exchange.method == "POST" and "assert" not in exchange.params):
        return "plain"
    return "bot"


def _fresh(data: Path) -> Sandbox:
    """Start a wiki in the state that each recording began with."""
    sandbox = Sandbox(
        entity_prefix="http://127.0.0.1:8181/entity/", site_name="Test Wikibase", site_id="wikidb"
    ).start()
    sandbox.set_page("Main Page", "Main Page")
    sandbox.load_entities(json.loads((data / "initial_entities.json").read_text(encoding="utf-8")))
    sandbox.set_page("Project:Rehearsal", "The last page of the recording's start.")
    sandbox.block("BlockedUser", "test block")
    return sandbox


@pytest.fixture(scope="module")
def replayed() -> tuple[dict[str, list[str]], dict[str, str]]:
    """Replay everything once: for each case its differences, and its outcome in one line."""
    data = Path(__file__).resolve().parents[3] / "shared" / "data" / "wikibase"
    if not data.exists():
        pytest.skip("the recorded transcripts are not beside this checkout")
    found: dict[str, list[str]] = {}
    outcomes: dict[str, str] = {}
    replay: Replay | None = None
    for case in json.loads((data / "order.json").read_text(encoding="utf-8"))[0]:
        if case in FRESH:
            if replay:
                replay.sandbox.close()
            replay = Replay(_fresh(data))
        assert replay is not None
        found[case] = list(replay.play(case, read_case(data / "transcripts" / f"{case}.json"), _who, BEFORE))
        outcomes |= replay.outcomes
    if replay:
        replay.sandbox.close()
    summary = json.loads((data / "transcripts" / "00_SUMMARY.json").read_text(encoding="utf-8"))
    found["00_SUMMARY"] = [
        f"{case}: {told}, {outcomes.get(case)}"
        for case, told in summary.items()
        if not _agrees(told, outcomes.get(case, "")) and case not in NOT_YET
    ]
    return found, outcomes


def _agrees(told: str, ours: str) -> bool:
    return (told.startswith("ok ") and ours == "ok") or ours.startswith(told.split(" WARN ")[0][:60])


def test_the_sandbox_answers_as_the_real_wiki_did(replayed: tuple[dict[str, list[str]], dict[str, str]]) -> None:
    found, _ = replayed
    good = [case for case, differences in found.items() if not differences]
    print(f"\nreplayed {len(good)} of {TOTAL}")
    bad = {case: differences for case, differences in found.items() if differences and case not in NOT_YET}
    report = "\n".join(
        f"{case}: {len(diffs)} differences\n    " + "\n    ".join(diffs[:4]) for case, diffs in bad.items()
    )
    assert not bad, f"replayed {len(good)} of {TOTAL}\n{report}"
    assert len(found) == TOTAL


def test_no_case_is_excused_that_agrees(replayed: tuple[dict[str, list[str]], dict[str, str]]) -> None:
    found, _ = replayed
    assert [case for case in NOT_YET if not found[case]] == []
