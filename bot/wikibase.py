"""What Wikibase fixes of its data model: ids of entities with their order, and the length of a value."""

import re
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]  # an object of JSON: an entity, a statement, a reference or a snak, a line of a file

MAX_CHARACTERS = 400  # of a math value, a string and an external id: the default of Wikibase's `string-limits`
ITEM_ID = "Q[1-9][0-9]{0,9}"  # WikibaseDataModel, ItemId::PATTERN; numbers end at 2,147,483,647
_ITEM = re.compile(ITEM_ID)
_ENTITY = re.compile("[QP][1-9][0-9]{0,9}")
_LANGUAGE = re.compile("[a-z]{2,8}(-[A-Za-z0-9]{1,8})*")


def is_item_id(text: str) -> bool:
    """Say whether a text is the id of an item, as Q42."""
    return _ITEM.fullmatch(text) is not None


def is_entity_id(text: str) -> bool:
    """Say whether a text is the id of an item or a property."""
    return _ENTITY.fullmatch(text) is not None


def is_language_code(text: str) -> bool:
    """Say whether a text can be the code of a language, as de or zh-hans."""
    return _LANGUAGE.fullmatch(text) is not None


def item_number(qid: str) -> int:
    """Return the number of an item id, by which items are sorted; 0 for any other text."""
    return int(qid[1:]) if is_item_id(qid) else 0
