"""Articles about an item as evidence: two languages that agree are strong, one is less, another formula speaks against."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest
from match_pairs import item, pair, place

from bot import store
from bot.discover.articles import ArticleReading
from bot.errors import InputError, LookupFailed
from bot.lookup import Client
from bot.match import load_matches, match
from bot.match.features.ranking_evidence import encyclopaedia
from bot.match.model import shipped_model
from bot.messages import uncoded_message
from bot.records import Evidence, FormulaConcept, NameCandidate, as_json
from bot.sandbox import Sandbox
from bot.settings import Agent, Encyclopaedia, Settings
from bot.store import Workspace

GAS = item("ideal gas law")
EN = ArticleReading("en", "Ideal gas law", "pV = nRT", 0.9, True)
DE = ArticleReading("de", "Allgemeine Gasgleichung", r"p \cdot V = n\,R\,T", 0.8, True)
FR = ArticleReading("fr", "Gaz parfait", "U = n c T", 0.8, True)
ES = ArticleReading("es", "Gas ideal", "U = n c T", 0.3, False)


def score(tex: str, *told: ArticleReading) -> float:
    found = encyclopaedia(replace(pair(tex, GAS, place()), articles=told))
    return found.score if found else 0.0


def test_two_languages_that_agree_count_most() -> None:
    assert score("PV=nRT", EN, DE) == 1.0
    assert 0 < score("PV=nRT", EN) < score("PV=nRT", EN, DE)


def test_a_doubtful_choice_counts_less() -> None:
    assert 0 < score("U=ncT", ES) < score("U=ncT", FR)


def test_articles_that_say_another_formula_speak_against_this_one() -> None:
    assert score("E=mc^2", EN, DE) < score("E=mc^2", EN) < 0
    assert score("E=mc^2", ES) == 0.0
    assert score("E=mc^2") == 0.0


def test_one_language_that_two_others_outvote_counts_half() -> None:
    assert score("U=ncT", FR, EN, DE) == pytest.approx(score("U=ncT", FR, EN) / 2)


def test_disagreement_is_shown() -> None:
    found = encyclopaedia(replace(pair("PV=nRT", GAS, place()), articles=(EN, DE, FR)))
    assert found is not None
    assert str(found.detail) == (
        "“Ideal gas law” (en) and “Allgemeine Gasgleichung” (de) give this formula as the definition; “Gaz parfait” (fr) has another formula: U = n c T"
    )


def test_the_sentence_and_the_revision_that_were_read_are_quoted() -> None:
    read = replace(EN, revision=71, day="2026-11-22", sentence="The law is $pV = nRT$.")
    found = encyclopaedia(replace(pair("PV=nRT", GAS, place()), articles=(read, DE)))
    assert found is not None
    assert str(found.detail).endswith("en, revision 71, read on 2026-11-22: “The law is $pV = nRT$.”")
    other = encyclopaedia(replace(pair("E=mc^2", GAS, place()), articles=(read,)))
    assert other is not None
    assert "revision" not in str(other.detail)


def test_its_weight_is_set_by_hand() -> None:
    assert shipped_model("matching").weights["encyclopaedia"] == shipped_model("hand").weights["encyclopaedia"] > 0


ROWS = [
    {
        "qid": "Q1",
        "label": "ideal gas law",
        "sitelinks": {
            "enwiki": "Ideal gas law",
            "dewiki": "Thermische Zustandsgleichung idealer Gase",
            "frwiki": "Loi des gaz parfaits",
        },
    },
]
CONCEPTS = [
    FormulaConcept(
        "k1", "PV=nRT", 5, 3, names=(NameCandidate("ideal gas law", 0.8, (uncoded_message("a table says so"),), 3),)
    ),
    FormulaConcept(
        "k2", "W=-P V_1", 5, 3, names=(NameCandidate("ideal gas law", 0.8, (uncoded_message("a heading"),), 3),)
    ),
]


def run(workspace: Workspace, *languages: str, **more: Any) -> dict[str, tuple[float, Evidence | None]]:
    """Match two concepts of one name on a rehearsal wiki; return probability and what the articles say of each."""
    with workspace.engine.begin() as db:
        db.execute(store.concepts.delete())
        db.execute(store.concepts.insert(), [cast(dict[str, Any], as_json(concept)) for concept in CONCEPTS])
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        settings = Settings(wiki=sandbox.wiki, encyclopaedia=Encyclopaedia(languages=languages, **more))
        with Client(replace(sandbox.wiki, **({} if languages else {"articles": "-"})), Agent()) as client:
            match(workspace, client, settings, quiet=True)
    return {
        m.concept: (m.probability, next((e for e in m.evidence if e.name == "encyclopaedia"), None))
        for m in load_matches(workspace)
    }


def test_articles_in_three_languages_tell_two_formulas_of_one_name_apart(workspace: Workspace) -> None:
    plain = run(workspace)
    assert [told for _, told in plain.values()] == [None, None]
    told = run(workspace, "en", "de", "fr")
    assert told["k1"][0] > plain["k1"][0]
    assert told.get("k2", (0.0,))[0] < plain["k2"][0]
    assert told["k1"][1] is not None
    assert "(en)" in str(told["k1"][1].detail)
    assert "(de)" in str(told["k1"][1].detail)


def test_items_that_are_hardly_meant_are_not_looked_at(workspace: Workspace) -> None:
    assert run(workspace, "en", least=1.0)["k1"][1] is None
    assert run(workspace, "en", most_items=0)["k1"][1] is None


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (
            {"languages": ("en",) * 2 + ("de", "fr", "es", "it", "nl")},
            "encyclopaedia.languages: 6 languages are too many",
        ),
        ({"languages": ("en de",)}, "encyclopaedia.languages: 'en de' is not a language code"),
        ({"languages": ("en",), "dumps": ("no-such-file",)}, "no-such-file"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_judged(
    workspace: Workspace, more: dict[str, Any], said: str
) -> None:
    run(workspace)
    with Sandbox() as sandbox, Client(sandbox.wiki, Agent()) as client:
        settings = Settings(wiki=sandbox.wiki, encyclopaedia=Encyclopaedia(**more))
        sandbox.fault("sparql_down", times=None)  # nothing is asked before
        with pytest.raises(InputError) as caught:
            match(workspace, client, settings, quiet=True)
    assert caught.value.line().startswith(said)


def test_five_languages_are_asked_without_any_setting() -> None:
    assert Settings().encyclopaedia.languages == ("en", "de", "fr", "es", "it")


def test_an_encyclopaedia_that_does_not_answer_is_no_evidence_and_is_told(workspace: Workspace) -> None:
    plain = run(workspace)
    with workspace.engine.begin() as db:
        db.execute(store.concepts.delete())
        db.execute(store.concepts.insert(), [cast(dict[str, Any], as_json(concept)) for concept in CONCEPTS])
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        wiki = replace(sandbox.wiki, articles=f"{sandbox.address}/nowhere/{{language}}")
        with Client(wiki, Agent(timeout=5), sleep=lambda _: None) as client:
            summary = match(workspace, client, Settings(wiki=wiki), quiet=True)
    assert [str(line).count("nowhere") for line in summary.articles_away] == [1, 1, 1]
    found = load_matches(workspace)
    assert {m.concept: m.probability for m in found} == {concept: p for concept, (p, _) in plain.items()}
    with Sandbox() as sandbox:
        sandbox.fill(ROWS)
        wiki = replace(sandbox.wiki, articles=f"{sandbox.address}/nowhere/{{language}}")
        with (
            Client(wiki, Agent(timeout=5), sleep=lambda _: None) as client,
            pytest.raises(LookupFailed, match="nowhere/en"),
        ):
            client.articles.articles_of(["Q1"], ["en"])
