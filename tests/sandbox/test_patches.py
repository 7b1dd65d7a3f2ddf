"""An edit on an old revision: what is carried over, what is a conflict, and what is never lost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.sandbox import entity_json, repository

Json = dict[str, Any]


def _statement(name: str, tex: str) -> Json:
    return {"id": f"Q1${name}", "mainsnak": {"property": "P2534", "value": tex}, "rank": "normal"}


def _item(*statements: tuple[str, str], **labels: str) -> Json:
    entity = entity_json.blank_entity("Q1")
    for name, tex in statements:
        entity = entity_json.put_statement(entity, _statement(name, tex))
    return {**entity, "labels": {key: {"language": key, "value": text} for key, text in labels.items()}}


def _values(entity: Json) -> dict[str, str]:
    return {one["id"][3:]: one["mainsnak"]["value"] for one in entity_json.statements(entity)}


def test_an_addition_joins_another_persons_addition() -> None:
    patched, warning = repository.rebase(_item(), _item(("a", "x")), _item(("b", "y")), False)
    assert patched is not None
    assert _values(patched) == {"a": "x", "b": "y"}
    assert warning == "wikibase-conflict-patched"


def test_a_change_overwrites_another_persons_change_of_the_same_statement() -> None:
    base, new, current = _item(("a", "x")), _item(("a", "bot")), _item(("a", "person"))
    patched, _ = repository.rebase(base, new, current, False)
    assert patched is not None
    assert _values(patched) == {"a": "bot"}


def test_the_same_addition_again_is_a_conflict() -> None:
    new = _item(("a", "x"))
    assert repository.rebase(_item(), new, new, True) == (None, "")


def test_a_change_of_a_removed_statement_is_a_conflict() -> None:
    assert repository.rebase(_item(("a", "x")), _item(("a", "y")), _item(), False) == (None, "")


def test_a_removed_new_statement_is_added_again_by_a_retry() -> None:
    patched, _ = repository.rebase(_item(), _item(("a", "x")), _item(), False)
    assert patched is not None
    assert _values(patched) == {"a": "x"}


def test_a_half_lost_patch_of_ones_own_goes_through_with_another_warning() -> None:
    base, current = _item(en="one"), _item(("a", "x"), en="one")
    patched, warning = repository.rebase(base, _item(("a", "x"), en="two"), current, True)
    assert warning == "wikibase-self-conflict-patched"
    assert patched is not None
    assert patched["labels"]["en"]["value"] == "two"


def test_a_label_that_another_person_changed_is_a_conflict() -> None:
    assert repository.rebase(_item(en="a"), _item(en="b"), _item(en="c"), False) == (None, "")


Aliases = dict[str, str]


@pytest.mark.parametrize(
    ("base", "new", "current", "left"),
    [
        ({"en": "a"}, {"en": "ab"}, {"en": "ac"}, {"en": "acb"}), ({"en": "a"}, {}, {"en": "ac"}, {"en": "c"}), ({"en": "a"}, {}, {"en": "a"}, {}), ({"en": "a"}, {"en": "b"}, {"en": "a"}, {"en": "b"}),
        ({"en": "a"}, {"en": "a", "de": "x"}, {"en": "a", "de": "y"}, {"en": "a", "de": "yx"}), ({"en": "ab"}, {"en": "bd"}, {"en": "ab", "fr": "z"}, {"fr": "z", "en": "bd"}),
        ({}, {"en": "b"}, {"en": "b", "de": "c"}, None), ({"en": "a"}, {"en": "ab"}, {"en": "b"}, None),
    ],
)  # fmt: skip
def test_aliases_of_two_people_are_all_kept_and_each_once(
    base: Aliases, new: Aliases, current: Aliases, left: Aliases | None
) -> None:
    def item(aliases: Aliases) -> Json:
        found = {key: [{"language": key, "value": text} for text in texts] for key, texts in aliases.items()}
        return {**_item(), "aliases": found}

    patched, _ = repository.rebase(item(base), item(new), item(current), False)
    assert (patched and patched["aliases"]) == (item(left)["aliases"] if left is not None else None)


_items = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("xyz")).map(lambda d: _item(*d.items()))


@given(_items, _items)
def test_a_difference_applied_gives_the_new_entity(old: Json, new: Json) -> None:
    assert _values(repository.apply(old, repository.diff(old, new))) == _values(new)


@given(_items, _items, _items)
def test_statements_that_an_edit_does_not_touch_are_never_lost(base: Json, new: Json, current: Json) -> None:
    patched, _ = repository.rebase(base, new, current, False)
    touched = {(old or made)["id"][3:] for _, _, old, made in repository.diff(base, new)}
    if patched is not None:
        kept = {name: tex for name, tex in _values(current).items() if name not in touched}
        assert kept.items() <= _values(patched).items()
