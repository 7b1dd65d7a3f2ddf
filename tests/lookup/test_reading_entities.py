"""Entity JSON to Item, and the API requests around it."""

from __future__ import annotations

import json

import pytest

from bot.errors import InputError, LookupFailed
from bot.lookup import MathVerdict
from bot.lookup.entities import revisions_after, to_item
from bot.records import Item, Reference
from bot.settings import Properties


def snak(pid, value, kind="string", datatype="string"):
    return {"snaktype": "value", "property": pid, "datavalue": {"value": value, "type": kind}, "datatype": datatype}


def item_snak(pid, qid):
    return snak(pid, {"entity-type": "item", "id": qid}, "wikibase-entityid", "wikibase-item")


def entity(qid="Q7", **changes):
    claim = {
        "mainsnak": snak("P2534", "pV=nRT", datatype="math"),
        "id": f"{qid}$A",
        "rank": "preferred",
        "type": "statement",
        "qualifiers": {"P416": [snak("P416", "p")], "P9758": [item_snak("P9758", "Q11")]},
        "qualifiers-order": ["P9758", "P416"],
        "references": [
            {
                "snaks": {
                    "P813": [snak("P813", {"time": "+2026-11-20T00:00:00Z"}, "time", "time")],
                    "P248": [item_snak("P248", "Q5")],
                },
                "snaks-order": ["P248", "P813"],
            }
        ],
    }
    bare = {"snaktype": "somevalue", "property": "P2534", "datatype": "math"}
    return {
        "id": qid,
        "type": "item",
        "lastrevid": 42,
        "labels": {"en": {"language": "en", "value": "ideal gas law"}, "mul": {"language": "mul", "value": "IGL"}},
        "descriptions": {"en": {"language": "en", "value": "law of physics"}},
        "aliases": {"en": [{"language": "en", "value": "perfect gas law"}], "fr": [{"language": "fr", "value": "loi"}]},
        "claims": {
            "P2534": [claim, {"mainsnak": bare, "id": f"{qid}$B", "rank": "normal", "type": "statement"}],
            "P31": [{"mainsnak": item_snak("P31", "Q9"), "id": f"{qid}$C", "rank": "normal", "type": "statement"}],
            "P999": [{"mainsnak": snak("P999", "not of interest"), "id": f"{qid}$D", "rank": "normal"}],
        },
        "sitelinks": {"enwiki": {"site": "enwiki", "title": "Ideal gas law", "badges": []}},
        **changes,
    }


def read(raw, qid="Q7", languages=("en", "mul")):
    return to_item(qid, raw, Properties(), languages)


@pytest.mark.parametrize(
    ("there", "languages", "label"),
    [
        (("fr", "mul", "en", "aa"), ("en", "fr"), "en"),
        (("fr", "mul", "aa"), ("en", "fr"), "fr"),
        (("fr", "mul", "aa"), ("en",), "mul"),
        (("fr", "de"), ("en",), "de"),
        ((), ("en",), ""),
    ],
)
def test_a_label_is_in_the_first_language_that_there_is(there, languages, label):
    texts = {language: {"language": language, "value": language} for language in there}
    item = read(entity(labels=texts, descriptions=texts), languages=languages)
    assert (item.label, item.description) == (label, label)


def test_an_alias_counts_once_and_in_the_languages_asked_for():
    said = {"en": ["gas law", "law"], "mul": ["law", "PV"], "fr": ["loi"]}
    texts = {language: [{"language": language, "value": each} for each in names] for language, names in said.items()}
    assert read(entity(aliases=texts), languages=("en",)).aliases == ("gas law", "law", "PV")


def test_classes_that_the_item_deprecates_or_does_not_name_are_none():
    claims = [("Q9", "deprecated"), ("Q8", "normal"), ("Q8", "preferred")]
    made = [{"mainsnak": item_snak("P31", qid), "id": f"Q7${n}", "rank": rank} for n, (qid, rank) in enumerate(claims)]
    made.append({"mainsnak": {"snaktype": "somevalue", "property": "P31"}, "id": "Q7$z", "rank": "normal"})
    assert read(entity(claims={"P31": made})).classes == ("Q8",)


def test_the_history_of_a_page_is_what_came_after_a_revision_in_all_parts_of_the_answer():
    def row(n):
        return {"revid": n, "user": f"U{n}", "timestamp": f"t{n}", "comment": ""}

    parts = [{"query": {"pages": [{"revisions": [row(7), row(8)]}]}, "continue": {"rvcontinue": "x|9"}}, {"query": {"pages": [{"revisions": [row(9)]}]}}]  # fmt: skip
    asked = []

    class Wiki:
        def ask(self, **values):
            asked.append((values.get("rvcontinue"), values["rvstartid"], values["rvdir"]))
            return parts[len(asked) - 1]

    assert [each.revision for each in revisions_after(Wiki(), "Q1", 7)] == [8, 9]
    assert asked == [(None, "7", "newer"), ("x|9", "7", "newer")]


def test_an_item_is_read_whole():
    item = read(entity())
    first, second = item.statements
    assert (item.label, item.description, item.aliases) == ("ideal gas law", "law of physics", ("perfect gas law",))
    assert (item.classes, item.revision, item.redirect, item.missing) == (("Q9",), 42, "", False)
    assert item.sitelinks == (("enwiki", "Ideal gas law"),)
    assert (first.guid, first.property, first.value, first.rank) == ("Q7$A", "P2534", "pV=nRT", "preferred")
    assert first.qualifiers == (("P9758", "Q11"), ("P416", "p"))
    assert first.references == (
        Reference((("P248", "wikibase-item", "Q5"), ("P813", "time", "+2026-11-20T00:00:00Z"))),
    )
    assert (second.value, second.snaktype) == ("", "somevalue")


@pytest.mark.parametrize(
    ("labels", "label"),
    [(("en", "mul", "de"), "en"), (("mul", "de"), "mul"), (("fr", "de"), "de"), ((), "")],
)
def test_a_label_comes_in_the_wanted_language_then_mul_then_any(labels, label):
    assert read(entity(labels={code: {"language": code, "value": code} for code in labels})).label == label


def test_empty_maps_may_be_written_as_lists():
    item = read({"id": "Q7", "labels": [], "aliases": [], "descriptions": [], "claims": [], "sitelinks": []})
    assert item == Item("Q7")


def test_a_redirect_shows_its_target():
    assert read(entity("Q8"), "Q7").redirect == "Q8"


@pytest.mark.parametrize("missing", ["", True])
def test_a_missing_item_is_marked(missing):
    assert read({"id": "Q7", "missing": missing}) == Item("Q7", missing=True)


@pytest.mark.parametrize("broken", [{"claims": {"P2534": [{}]}}, {"labels": {"en": "ideal"}}, {"claims": "none"}])
def test_json_of_another_shape_is_a_failure(broken):
    with pytest.raises(LookupFailed, match="entity JSON of Q7"):
        read(entity(**broken))


def test_property_ids_come_from_the_settings():
    other = Properties(defining_formula="P989", instance_of="P1", in_defining_formula="P2", has_part="P3")
    assert to_item("Q7", entity(), other, ("en",)).statements == ()


def test_every_sample_of_wikidata_can_be_read(shared_data):
    sample = json.loads((shared_data / "wikidata" / "entities_sample_60.json").read_text())
    entities = sample.get("entities", sample)
    items = [read(raw, qid) for qid, raw in entities.items()]
    assert len(items) >= 60
    assert all(item.label or item.missing for item in items)
    assert sum(any(s.references for s in item.statements) for item in items) > 5


def test_many_items_are_asked_for_fifty_at_a_time(server, answers, make):
    ids = [f"Q{n}" for n in range(1, 121)]
    answers(*({"body": {"entities": {q: entity(q) for q in ids[i : i + 50]}}} for i in (0, 50, 100)))
    assert list(make().entities(ids)) == ids
    assert [len(a.values["ids"].split("|")) for a in server.asked] == [50, 50, 20]
    assert server.asked[0].values["languages"] == "en|mul"


def test_an_item_without_a_wanted_label_is_asked_for_in_all_languages(server, answers, make):
    german = {"labels": {"de": {"language": "de", "value": "Gasgesetz"}}}
    answers({"body": {"entities": {"Q7": entity(labels={})}}}, {"body": {"entities": {"Q7": entity(**german)}}})
    assert make().entities(["Q7"])["Q7"].label == "Gasgesetz"
    assert "languages" not in server.asked[1].values


def test_a_merged_item_stands_under_the_id_that_was_asked_for(answers, make):
    merged = entity("Q8", redirects={"from": "Q7", "to": "Q8"})
    answers({"body": {"entities": {"Q7": merged, "Q8": entity("Q8")}}})
    items = make().entities(["Q7", "Q8"])
    assert [(qid, item.qid, item.redirect) for qid, item in items.items()] == [("Q7", "Q7", "Q8"), ("Q8", "Q8", "")]


def test_an_item_that_the_answer_leaves_out_is_a_failure(answers, make):
    answers({"body": {"entities": {"Q7": entity()}, "success": 1}})
    with pytest.raises(LookupFailed, match="did not answer about Q8"):
        make().entities(["Q7", "Q8"])


def test_an_api_error_under_status_200_is_a_failure_with_its_code(answers, make):
    answers({"body": {"error": {"code": "no-such-entity", "info": "Could not find it"}}})
    with pytest.raises(LookupFailed, match="no-such-entity: Could not find it"):
        make().entities(["Q7"])


def test_lag_is_waited_for(answers, make, time):
    lagged = {"error": {"code": "maxlag", "info": "7 seconds lagged", "lag": 7}}
    answers({"body": lagged, "headers": {"Retry-After": "5"}}, {"body": {"entities": {"Q7": entity()}}})
    assert make().entities(["Q7"])["Q7"].label == "ideal gas law"
    assert time.slept == [5.0]


@pytest.mark.parametrize("body", ["<html>", '{"entities": {"Q7": {"id"', "[]", '{"success": 1}', ""])
def test_an_answer_of_another_shape_is_a_failure(answers, make, body):
    answers({"body": body})
    with pytest.raises(LookupFailed):
        make().entities(["Q7"])


@pytest.mark.parametrize("bad", ["Q0", "q7", "Q7|Q8", "P31", "7", "Q7> . ?s ?p ?o", "Q7\n", ""])
def test_only_ids_are_asked_for(make, bad):
    with pytest.raises(InputError, match="is not an item id"):
        make().labels_of([bad])


def test_no_ids_ask_nothing(make):
    assert make().entities([]) == {}


def parsed(*results):
    return {"body": {"results": list(results), "error": {"code": "x", "info": "the first refusal"}}}


def test_math_values_are_judged_by_the_wiki(server, answers, make):
    refused = {
        "error": "ValidationError",
        "messages": [{"name": "m", "html": {"*": "unknown function &#34;\\foo&#34;"}}],
    }
    answers(parsed({"raw": "|x|", "value": "|x|", "valid": ""}, {"raw": "\\foo", **refused}))
    verdicts = make().parse_math(["|x|", "\\foo", "|x|", "", " a", "e\u0301"])
    assert [(v.valid, str(v.why)) for v in verdicts[:4]] == [
        (True, ""),
        (False, 'unknown function "\\foo"'),
        (True, ""),
        (False, "is empty"),
    ]
    assert not any(v.valid for v in verdicts[4:])
    assert server.asked[0].values["values"] == "\x1f|x|\x1f\\foo"
    assert (server.asked[0].values["datatype"], server.asked[0].values["validate"]) == ("math", "1")


def test_verdicts_on_other_values_are_not_believed(answers, make):
    answers(parsed({"raw": "y", "value": "y", "valid": ""}))
    with pytest.raises(LookupFailed, match="other values"):
        make().parse_math(["x"])


def test_the_recorded_verdicts_of_a_real_wiki_are_understood(answers, make, shared_data):
    recorded = json.loads((shared_data / "wikibase" / "transcripts" / "wbparsevalue_math_mixed.json").read_text())
    answers({"body": recorded["response"]})
    assert make().parse_math(["a^2", "|x|", "\\foo"]) == [
        MathVerdict("a^2", True),
        MathVerdict("|x|", True),
        MathVerdict("\\foo", False, 'Malformed input: unknown function "\\foo"'),
    ]


def test_the_cache_answers_until_it_is_too_old(server, answers, make, time, tmp_path):
    answers({"body": {"entities": {"Q7": entity()}}})
    for _ in range(2):  # a second client finds what the first has stored
        assert make(cache=tmp_path / "cache.db").entities(["Q7"])["Q7"].revision == 42
    assert len(server.asked) == 1
    make(cache=tmp_path / "cache.db").entities(["Q7"], fresh=True)
    assert len(server.asked) == 2
    time.now += 86401
    make(cache=tmp_path / "cache.db").entities(["Q7"])
    assert len(server.asked) == 3


def test_the_cache_keeps_wikis_apart(server, answers, make, wiki, tmp_path):
    from dataclasses import replace

    answers({"body": {"entities": {"Q7": entity()}}})
    make(cache=tmp_path / "cache.db").entities(["Q7"])
    make(cache=tmp_path / "cache.db", wiki=replace(wiki, entity_prefix="http://other.example/entity/")).entities(["Q7"])
    assert len(server.asked) == 2


def test_a_failure_is_never_cached(server, answers, make, tmp_path):
    answers({"body": {"error": {"code": "x", "info": "y"}}}, {"body": {"entities": {"Q7": entity()}}})
    client = make(cache=tmp_path / "cache.db")
    with pytest.raises(LookupFailed):
        client.entities(["Q7"])
    assert client.entities(["Q7"])["Q7"].label == "ideal gas law"


def test_a_cache_that_is_no_database_says_which_file(make, tmp_path):
    (tmp_path / "cache.db").write_text("this is not a database, but long enough to be taken for one " * 20)
    with pytest.raises(LookupFailed, match=r"cache\.db: the cache cannot be used.*remove it"):
        make(cache=tmp_path / "cache.db").entities(["Q7"])
