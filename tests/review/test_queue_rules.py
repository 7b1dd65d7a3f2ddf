"""The rules of a queue: a settings file states them, the workspace takes them over, a command stands above, all of it recorded."""

from __future__ import annotations

import json
import re

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from web_records import dozen, signed_in

from bot import hashchain, store
from bot.cli import cli
from bot.errors import BotError, ReviewError, SettingsError
from bot.records import Decision
from bot.review import add_reviewer, decide, queue, remove_reviewer, reviewers
from bot.review.queue_rules import all_rules, change_rules, load_rules, rule_changes, take_over_settings
from bot.review.web import make_app
from bot.review.web.rest import make_token
from bot.settings import Reviewing, Settings, load
from bot.store import Workspace

ONE, TWO = f"{0:016x}", f"{1:016x}"


def stated(w: Workspace, text: str) -> Settings:
    path = w.path / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return load(workspace=w.path)


def test_every_rule_can_be_stated_in_the_settings_file(w: Workspace) -> None:
    values = {
        "two_persons": True, "blind": 0.2, "known_wrong": 0.05, "lease_minutes": 5, "session_hours": 2.5, "oauth_client": "us",
        "oauth_authorize": "https://wiki.example/a", "oauth_token": "https://wiki.example/t", "oauth_profile": "https://wiki.example/p",
        "oauth_name": "name", "trusted_proxy": "10.0.0.7", "forwarded_header": "forwarded", "sparql_topics": False, "reviewers": ["Cleo"], "operators": ["Dora", "Ben"],
    }  # fmt: skip
    text = "[review]\n" + "".join(f"{name} = {json.dumps(value)}\n" for name, value in values.items())
    assert values.keys() == {name for name in Reviewing.__slots__}
    assert take_over_settings(w, stated(w, text))
    assert not take_over_settings(w, stated(w, text))
    found = load_rules(w)
    assert all(getattr(found, name) == value for name, value in values.items() if not isinstance(value, list))
    assert {rule.origin for rule in all_rules(w)} == {"settings file"}
    assert reviewers(w) == {"Ada": "operator", "Ben": "operator", "Cleo": "reviewer", "Dora": "operator"}


def test_a_rule_set_here_stands_above_the_file_until_it_is_dropped(w: Workspace) -> None:
    take_over_settings(w, stated(w, "[review]\nblind = 0.2\n"))
    change_rules(w, {"blind": "0.5", "two_persons": "yes"})
    take_over_settings(w, stated(w, "[review]\nblind = 0.3\ntwo_persons = false\n"))
    assert (load_rules(w).blind, load_rules(w).two_persons) == (0.5, True)
    change_rules(w, {}, drop=["blind"])
    assert (load_rules(w).blind, load_rules(w).two_persons) == (0.3, True)
    said = [(c["rule"], c["value"], c["where"].rpartition("/")[2]) for c in rule_changes(w)]
    assert said == [
        ("blind", 0.2, "settings.toml"),
        ("blind", 0.5, "workspace"),
        ("two_persons", True, "workspace"),
        ("blind", 0.3, "settings.toml"),
        ("two_persons", False, "settings.toml"),
        ("blind", None, "workspace"),
    ]


def test_a_file_that_states_nothing_loosens_nothing(w: Workspace) -> None:
    take_over_settings(w, stated(w, "[review]\ntwo_persons = true\n"))
    assert not take_over_settings(w, stated(w, "[discovery]\nmin_documents = 3\n"))
    assert load_rules(w).two_persons
    take_over_settings(w, stated(w, "[review]\nblind = 0.1\n"))
    assert not load_rules(w).two_persons


def test_who_is_taken_from_the_file_is_no_longer_known(w: Workspace) -> None:
    take_over_settings(w, stated(w, '[review]\nreviewers = ["Cleo", "Dora"]\n'))
    token = {"Authorization": f"Bearer {make_token(w, 'Cleo')}"}
    cleo = signed_in(w, "Cleo")
    take_over_settings(w, stated(w, '[review]\nreviewers = ["Dora"]\n'))
    assert reviewers(w) == {"Ada": "operator", "Ben": "reviewer", "Dora": "reviewer"}
    assert cleo.client.get("/").location == "/sign-in"
    client = make_app(w, Settings(), hosts={"localhost"}).test_client()
    assert client.get("/api/v1/proposals", headers=token).status_code == 401
    add_reviewer(w, "Cleo")
    assert client.get("/api/v1/proposals", headers=token).status_code == 401


def test_who_was_removed_by_command_does_not_come_back_with_another_rule_of_the_file(w: Workspace) -> None:
    people = 'reviewers = ["Cleo", "Dora"]\noperators = ["Ben"]\n'
    take_over_settings(w, stated(w, f"[review]\n{people}"))
    remove_reviewer(w, "Cleo")
    add_reviewer(w, "Ben", "reviewer")
    take_over_settings(w, stated(w, f"[review]\ntwo_persons = true\n{people}"))
    assert load_rules(w).two_persons
    assert reviewers(w) == {"Ada": "operator", "Ben": "reviewer", "Dora": "reviewer"}


def test_approvals_of_somebody_who_left_come_back_to_review_and_rejections_stay(w: Workspace) -> None:
    decide(w, Decision(ONE, dozen()[0].hash, "approve", reviewer="Ben"))
    decide(w, Decision(TWO, dozen()[1].hash, "reject", reason="not_defining", reviewer="Ben"))
    remove_reviewer(w, "Ben")
    assert queue(w, "approved") == []
    assert {row.proposal.id: row.reopened for row in queue(w, "open")}[ONE]
    assert [row.proposal.id for row in queue(w, "rejected")] == [TWO]
    assert len(w.rows(sa.select(store.decisions))) == 2
    add_reviewer(w, "Ben")
    assert [row.proposal.id for row in queue(w, "approved")] == [ONE]
    remove_reviewer(w, "Ben")
    with pytest.raises(ReviewError, match="is not a reviewer"):
        remove_reviewer(w, "Ben")


@pytest.mark.parametrize(
    "text",
    ["blind = 2", "two_persons = 1", 'oauth_token = "http://evil.example"', 'reviewers = ["a|b"]', "speed = 1", 'operators = ["robot"]',
     "session_hours = 0", 'trusted_proxy = "*"', 'trusted_proxy = "proxy.example"', 'forwarded_header = "x-real-ip"'],
)  # fmt: skip
def test_an_impossible_rule_of_a_file_is_refused(w: Workspace, text: str) -> None:
    add_reviewer(w, "robot", "stand-in")
    with pytest.raises((SettingsError, ReviewError)):
        take_over_settings(w, stated(w, f"[review]\n{text}\n"))
    assert load_rules(w) == Reviewing()
    assert rule_changes(w) == []


def test_the_commands_take_the_file_over_and_show_what_holds(w: Workspace) -> None:
    stated(w, "[review]\ntwo_persons = true\n")
    run, at = CliRunner(), ["-w", str(w.path)]
    shown = run.invoke(cli, ["review", "rules", *at])
    assert re.search(r"two_persons\s+True\s+settings file", shown.output)
    assert run.invoke(cli, ["review", "approve", ONE, "--reviewer", "Ada", *at]).exit_code == 0
    assert queue(w, "approved") == []
    found = json.loads(run.invoke(cli, ["review", "rules", "--set", "two_persons=false", "--json", *at]).output)
    assert (found["two_persons"], found["origin"]["two_persons"]) == (False, "workspace")
    assert [row.proposal.id for row in queue(w, "approved")] == [ONE]
    run.invoke(cli, ["review", "rules", "--unset", "two_persons", *at])
    assert load_rules(w).two_persons
    log = run.invoke(cli, ["review", "rules", "--log", *at]).output
    assert log.count("two_persons") == 3
    assert isinstance(run.invoke(cli, ["review", "rules", "--unset", "nothing", *at]).exception, BotError)
    assert run.invoke(cli, ["review", "remove-reviewer", "Ben", *at]).output == "Ben is no longer registered\n"


def test_no_command_goes_by_other_rules_than_its_settings_file(w: Workspace) -> None:
    run, at = CliRunner(), ["-w", str(w.path)]
    assert run.invoke(cli, ["review", "approve", ONE, "--reviewer", "Ada", *at]).exit_code == 0
    other = w.path / "other.toml"
    other.write_text("[review]\ntwo_persons = true\n", encoding="utf-8")
    assert [row.proposal.id for row in queue(w, "approved")] == [ONE]
    shown = run.invoke(cli, ["export", "decisions", "--config", str(other), *at])
    assert shown.exit_code == 0
    assert queue(w, "approved") == []


def test_an_operator_takes_somebody_off_the_list(w: Workspace) -> None:
    ada, ben = signed_in(w, "Ada"), signed_in(w, "Ben")
    ada.get("/people")
    ada.post("/people", remove="Ada")
    assert "another operator" in ada.get("/people")
    ben.post("/people", remove="Ada")
    assert "Ada" in reviewers(w)
    ada.post("/people", remove="Ben")
    assert "Ben was removed" in ada.get("/people")
    assert ben.client.get("/").location == "/sign-in"
    assert w.rows(sa.select(store.reviewers.c.name)) == [{"name": "Ada"}]


def test_every_rule_is_put_into_words(w: Workspace) -> None:
    assert "page.rule_" not in signed_in(w, "Ada").get("/people")


def test_who_may_decide_and_by_which_rules_is_noted_under_the_lock(
    w: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    for name in ("lock", "note_authority"):
        original = getattr(hashchain, name)
        monkeypatch.setattr(hashchain, name, lambda db, name=name, original=original: (done.append(name), original(db)))
    for change in (
        lambda: change_rules(w, {"two_persons": "true"}),
        lambda: add_reviewer(w, "Cleo"),
        lambda: remove_reviewer(w, "Cleo"),
    ):
        done.clear()
        change()
        assert done[:2] == ["lock", "note_authority"]
        assert done == ["lock", "note_authority"] * (len(done) // 2)
    done.clear()
    decide(w, Decision(ONE, dozen()[0].hash, "approve", reviewer="Ada"))
    assert done == ["lock"]
