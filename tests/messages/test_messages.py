"""What the bot says as data, and the catalogues that word it."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator
from html import escape
from pathlib import Path

import pytest
from babel.messages.pofile import read_po

import bot.messages as catalogues
from bot.messages import Message, export_sentence, from_json, has_message, languages, numeral, sentence, to_json

TITLE = Message("evidence.title.nth", n=1, title="Torque")
FILES = sorted(Path(catalogues.__file__).parent.glob("*.po"))

# Translators follow the program: what they have not reached yet is said in English.
MOST_UNTRANSLATED = {"fr": 80, "es": 80}

POLISH = r"""
msgid ""
msgstr ""
"Language: pl\n"
"Content-Type: text/plain; charset=UTF-8\n"
"Plural-Forms: nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<12 || n%100>14) ? 1 : 2);\n"

msgid "evidence.other_formula.n"
msgid_plural "evidence.other_formula.n"
msgstr[0] "{n} dokument nazywa go tak"
msgstr[1] "{n} dokumenty nazywają go tak"
msgstr[2] "{n} dokumentów nazywa go tak"
"""


@pytest.fixture
def polish(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for path in FILES:
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "pl.po").write_text(POLISH, encoding="utf-8")
    catalogues._catalogue.cache_clear()
    monkeypatch.setattr(catalogues, "_FOLDER", tmp_path)
    yield
    catalogues._catalogue.cache_clear()


def test_a_message_is_worded_in_each_language() -> None:
    assert sentence(TITLE) == "it is the first equation of the article “Torque”"
    assert sentence(TITLE, "de") == "sie ist die erste Gleichung des Artikels „Torque“"
    assert (
        sentence(Message("evidence.title.nth", n=2, title="Torque"), "de")
        == "sie ist Gleichung 2 des Artikels „Torque“"
    )


def test_exports_keep_their_own_wording() -> None:
    assert export_sentence(TITLE) == str(TITLE) == "it is equation 1 of “Torque”"
    assert export_sentence(Message("where.title")) == sentence(Message("where.title"))


def test_messages_inside_messages_are_worded_too() -> None:
    cues = (Message("cue.called"), Message("cue.phrase"))
    named = Message("evidence.name_score.cues", name="work", cues=cues)
    assert export_sentence(named) == "“work”; the text gives it this name; its sentence mentions it"
    assert sentence(named, "de") == "„work“: der Text nennt sie so; ihr Satz erwähnt es"


def test_the_hook_shows_every_text_and_no_number() -> None:
    def marked(name: str, text: str) -> str:
        return f"<math>{text}</math>" if name.startswith("tex") else escape(text)

    said = sentence(Message("evidence.encyclopaedia.other", titles="<a>{0}", tex="E"), "en", marked)
    assert said == "&lt;a&gt;{0} has another formula: <math>E</math>"
    assert sentence(TITLE, "de", lambda name, text: name) == "sie ist die erste Gleichung des Artikels „title“"


def test_a_third_language_is_a_file_with_its_own_plural_forms(polish: None) -> None:
    def said(n: int) -> str:
        return sentence(Message("evidence.other_formula.n", n=n), "pl")

    assert [said(n) for n in (1, 3, 5, 22)] == [
        "1 dokument nazywa go tak",
        "3 dokumenty nazywają go tak",
        "5 dokumentów nazywa go tak",
        "22 dokumenty nazywają go tak",
    ]
    assert languages() == {"en": "English", "de": "Deutsch", "es": "español", "fr": "français", "pl": "polski"}


def test_french_counts_none_in_the_singular_and_keeps_its_spaces() -> None:
    assert [sentence(Message("page.references_n", n=n), "fr") for n in (0, 1, 2)] == [
        "0 référence",
        "1 référence",
        "2 références",
    ]
    assert sentence(Message("page.references_n", n=0), "es") == "0 referencias"
    assert sentence(Message("page.section", heading="Torque"), "fr") == "section «\u00a0Torque\u00a0»"


def test_numbers_are_written_as_the_language_writes_them() -> None:
    for language, thousands, share in (
        ("en", "12,345 rows", "98%"),
        ("de", "12.345 Zeilen", "98\u00a0%"),
        ("fr", "12\u202f345 lignes", "98\u00a0%"),
        ("es", "12\u202f345 filas", "98\u00a0%"),
    ):
        assert export_sentence(Message("closing.custom", n=12345), language) == thousands
        assert share in sentence(Message("evidence.words_beside.share", percent="98%"), language)
    next_item = Message("check.choice_of_item.next", label="v1.5", qid="Q1", one=0.25, two=0.5)
    assert sentence(next_item, "de") == "das nächste Datenobjekt, v1.5 (Q1), hat Wahrscheinlichkeit 0,25"
    assert [numeral(0.5, ".1f", each) for each in ("en", "de", "fr", "es")] == ["0.5", "0,5", "0,5", "0,5"]


def test_messages_in_one_value_are_parted_as_the_language_parts_them() -> None:
    named = Message("parts", parts=(Message("cue.called"), Message("cue.phrase")))
    assert sentence(named, "fr").count("\u202f; ") == 1
    assert sentence(named, "de").count("; ") == 1


def test_french_signs_have_unbreakable_spaces_before_them_and_its_apostrophes_are_round() -> None:
    for code, texts in _sentences("fr").items():
        for text in texts:
            assert not re.search(r" [;:!?»](?!item|\w)|« |\d %|} %", text), (code, text)
            assert not re.search(r"(?<=[a-zéè])'(?=[a-zéêà])", text), (code, text)


def test_what_a_language_lacks_is_said_in_english(polish: None) -> None:
    assert sentence(TITLE, "pl") == sentence(TITLE)
    assert not has_message("evidence.title.nth", "pl")


def test_a_code_that_no_catalogue_has_is_shown_itself() -> None:
    assert sentence(Message("evidence.no_such.thing", n=3), "de") == "evidence.no_such.thing"


def test_a_sentence_without_a_code_is_shown_as_it_was_recorded() -> None:
    assert sentence(Message("recorded", text="so it {is}"), "de") == "so it {is}"


def test_json_gives_the_message_back() -> None:
    message = Message("x", a=(Message("y", n=1), Message("z")), b=1.5, c="d", e=Message("f"))
    assert from_json(json.loads(json.dumps(to_json(message)))) == message
    assert hash(message) == hash(Message("x", e=Message("f"), c="d", b=1.5, a=(Message("y", n=1), Message("z"))))
    for wrong in (None, "x", {"code": "x"}, {"code": "x", "values": {"a": None}}, {"code": 3, "values": {}}):
        with pytest.raises(ValueError, match="not a message"):
            from_json(wrong)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_catalogue_has_the_codes_of_the_english_one_with_the_same_values_and_its_plural_forms(path: Path) -> None:
    english, mine = _sentences("en"), _sentences(path.stem)
    untranslated = sorted(english.keys() - mine.keys())
    assert len(untranslated) <= MOST_UNTRANSLATED.get(path.stem, 0), f"{len(untranslated)} untranslated: {untranslated}"
    assert mine.keys() <= english.keys()
    for code, texts in mine.items():
        assert len(texts) == len(english[code]), code
        assert _values(texts[-1]) == _values(english[code][-1]), code
        assert all(_values(text) <= _values(texts[-1]) for text in texts), code


def _sentences(language: str) -> dict[str, list[str]]:
    with FILES[0].with_stem(language).open("rb") as source:
        found = [m for m in read_po(source, locale=language) if m.id and not m.context]
    return {
        m.id if isinstance(m.id, str) else m.id[0]: [m.string] if isinstance(m.string, str) else list(m.string)
        for m in found
    }


def _values(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


def test_each_code_that_the_program_names_has_a_sentence() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(catalogues.__file__).parents[1].rglob("*.py")]
    codes = {code for text in sources for code in re.findall(r'\bMessage\(\s*"([a-z_.]+)"', text)}
    assert {"refused.removed", "error.written"} <= codes
    assert [code for code in sorted(codes) if not has_message(code)] == []


def test_german_has_one_word_for_a_concept() -> None:
    english, german = _sentences("en"), _sentences("de")
    concepts = [code for code, texts in english.items() if "concept" in " ".join(texts)]
    assert len(concepts) > 20
    assert [code for code in concepts if "Begriff" in " ".join(german[code])] == []
