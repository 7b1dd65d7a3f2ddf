"""One reader of settings: unknown keys and wrong types are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bot.errors import SettingsError
from bot.settings import Settings, load, resource


def write(folder: Path, text: str) -> Path:
    path = folder / "settings.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_without_a_file_the_defaults_hold_and_nothing_can_be_written(tmp_path: Path) -> None:
    loaded = load(workspace=tmp_path)
    assert loaded == Settings()
    assert not loaded.writing.site
    assert not loaded.writing.task


def test_the_workspace_s_own_file_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, '[discovery]\nmin_documents = 3\n[wiki.properties]\ndefining_formula = "P989"\n')
    loaded = load(workspace=tmp_path)
    assert loaded.discovery.min_documents == 3
    assert loaded.wiki.properties.defining_formula == "P989"
    assert loaded.path == str(path)


def test_a_whole_number_serves_where_a_fraction_is_meant(tmp_path: Path) -> None:
    assert load(write(tmp_path, "[writing]\nseconds_between_edits = 20\n")).writing.seconds_between_edits == 20.0


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[writing]\nspeed = 3\n", "unknown setting writing.speed"),
        ("[discovery]\nmin_documents = 'two'\n", "must be a whole number, not 'two'"),
        ("[discovery]\nmin_documents = true\n", "must be a whole number, not True"),
        ("[discovery]\nencodings = 'none'\n", "must be a list of texts, not 'none'"),
        (
            "[proposing]\nreport_language = 'xx'\n",
            "report_language: there is no catalogue of the language 'xx'; known: en, de",
        ),
        ("[review]\ntwo_persons = 'yes'\n", "must be true or false, not 'yes'"),
        ("[review]\nblind = 'a'\n", "must be a number, not 'a'"),
        ("wiki = 3\n", "must be a table"),
        ("[proposing]\nsources = [3]\n", "must be a table"),
        ("[[proposing.sources]]\npage = 3\n", "unknown setting"),
        ("[broken\n", "is not readable TOML"),
        ('[wiki]\nsparql = "nourl"', "wiki.sparql must be an address"),
        ('[wiki]\napi = ""', "wiki.api must be an address"),
        ('[wiki]\npage_prefix = "www.wikidata.org/wiki/"', "wiki.page_prefix must be an address"),
        (
            '[audit]\nsparql = "http://[x/sparql"',
            "audit.sparql must be an address",
        ),
    ],
)
def test_a_bad_file_is_named_with_its_key(tmp_path: Path, text: str, why: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SettingsError, match=why) as caught:
        load(path)
    assert str(path) in caught.value.line()


def test_what_is_no_text_or_no_file_is_told_apart_from_a_bad_line(tmp_path: Path) -> None:
    for path, why in ((tmp_path, "cannot be read (Is a directory)"), (tmp_path / "binary", "byte 0xff is not UTF-8")):
        if path != tmp_path:
            path.write_bytes(b"a = \xff\n")
        with pytest.raises(SettingsError) as caught:
            load(path)
        assert caught.value.line() == f"{path}: {why}; give a settings file in TOML"


def test_a_missing_file_is_said() -> None:
    with pytest.raises(SettingsError, match="no such settings file"):
        load("nowhere.toml")


def test_queries_and_examples_are_found() -> None:
    assert list(resource("queries").glob("*.rq"))
    assert resource("examples", "items.jsonl").exists()
