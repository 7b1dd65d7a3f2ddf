"""A document that declares no language is not read by English rules where it is not English."""

from __future__ import annotations

import pytest

from bot.discover.document_language import is_foreign, with_language
from bot.records import UNKNOWN_LANGUAGE, Document

ENGLISH = "The force on a body that moves with the acceleration ⟦0⟧ is given by ⟦1⟧ where ⟦2⟧ is the mass."
FOREIGN = {
    "pl": "Prawo to mówi, że prędkość galaktyk ⟦0⟧ jest proporcjonalna do odległości od obserwatora.",
    "de": "Das hookesche Gesetz beschreibt die elastische Verformung von Federn und lautet ⟦0⟧ mit der Auslenkung.",
    "nl": "De wet van Ohm zegt dat de stroom door een geleider evenredig is met het voltage ⟦0⟧ over de geleider.",
    "it": "La legge afferma che la forza della molla è proporzionale alla deformazione ⟦0⟧ del corpo.",
    "zh": "质点的运动由位矢确定，速度是位矢对时间的导数⟦0⟧，加速度是速度对时间的导数。",
    "ko": "물체에 작용하는 힘은 질량과 가속도의 곱 ⟦0⟧ 과 같다고 하는 법칙이다.",
    "uk": "Сила дорівнює добутку маси тіла на його прискорення ⟦0⟧ у будь-який момент її дії.",
    "bg": "Силата е равна на произведението на масата на тялото и неговото ускорение ⟦0⟧ във всеки момент.",
    "sr": "Сила је једнака производу масе тела и његовог убрзања ⟦0⟧ у сваком тренутку кретања.",
    "ar": "القوة تساوي حاصل ضرب كتلة الجسم في تسارعه ⟦0⟧ في كل لحظة من الزمن.",
    "ja": "銀河の後退速度が距離に比例するという法則である。⟦0⟧ここで速度と距離を表す。",
    "ru": "Сила равна произведению массы тела на его ускорение ⟦0⟧, в любой момент времени и для любых тел.",
}


@pytest.mark.parametrize(("foreign_code", "text"), FOREIGN.items())
def test_other_languages_are_told_from_english(foreign_code: str, text: str) -> None:
    assert is_foreign([text])
    assert with_language(Document("d", "t"), [text]).language == (
        UNKNOWN_LANGUAGE if foreign_code in ("pl", "nl", "bg", "sr", "ar") else foreign_code
    )


@pytest.mark.parametrize(
    "text",
    [
        ENGLISH,
        "⟦0⟧ ⟦1⟧",
        "See Schrödinger, Ångström, Poincaré ⟦0⟧",
        "Quantity Symbol Unit Length Mass Time Current Temperature Amount ⟦0⟧ metre kilogram second ampere kelvin mole",
    ],
)
def test_english_lists_and_what_says_too_little_are_not(text: str) -> None:
    assert not is_foreign([text])


def test_a_declared_language_is_believed() -> None:
    assert with_language(Document("d", "t", language="de"), [ENGLISH]).language == "de"
    assert with_language(Document("d", "t"), [ENGLISH]).language == "en"


def test_an_english_page_that_cites_another_language_stays_english() -> None:
    assert not is_foreign(
        [ENGLISH] * 2 + ["The title “Über die Elektrodynamik bewegter Körper” was given by Einstein."]
    )


GERMAN = "und ist der das ein eine mit wird"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (GERMAN, True),  # of eight words
        (GERMAN.removesuffix(" wird"), False),
        (f"the {GERMAN} {GERMAN} {GERMAN} des", True),  # one English word of 26, and of 25
        (f"the {GERMAN} {GERMAN} {GERMAN}", False),
        ("а" * 16, True),  # letters of another script, sixteen of them
        ("а" * 15, False),
        ("абв " * 4 + "xx " * 4, True),  # and more than half of all
        ("аб " * 4 + "xx " * 4, False),
        ("und " + "qq " * 99, True),  # one word in a hundred
        ("und " + "qq " * 100, False),
        ("žák " + "qq " * 99, True),
        ("žák " + "qq " * 100, False),
        ("žá " + "qq " * 99, False),
    ],
)
def test_where_another_language_begins(text: str, expected: bool) -> None:
    assert is_foreign([text]) is expected
