"""Reconciliation as OpenRefine asks for it: formulas, names and both to items, properties, previews, and what is refused."""

from __future__ import annotations

import json
import os
import random
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sqlalchemy as sa
from flask.testing import FlaskClient

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from cli_runner import call
from fuzzing import json_value
from web_records import opened

from bot import store
from bot.errors import ItemsError
from bot.items_file import ItemRow, read_items
from bot.match.builtin import builtin_formulas
from bot.match.retrieval.recognise import Hit, Recogniser
from bot.records import Item, Statement, as_json
from bot.review.reconciliation import item_rows
from bot.review.reconciliation.known_items import KnownItems, ReconciliationRequest
from bot.review.reconciliation.service import make_service
from bot.settings import Settings, Wiki

LAW = "Q214070"
ROWS: list[ItemRow] = [
    {
        "qid": "Q35875",
        "label": "mass–energy equivalence",
        "aliases": ["E=mc²"],
        "formulas": ["E = m c^2"],
        "instance_of": [LAW],
        "description": "energy of a mass at rest",
    },
    {"qid": "Q2397319", "label": "Newton's second law", "formulas": [r"\mathbf{F} = m \mathbf{a}"], "instance_of": [LAW]},
    {"qid": "Q41591", "label": "Ohm's law", "formulas": ["V = I R"]},
    {"qid": "Q11382", "label": "conservation of energy", "instance_of": [LAW, "Q8"]},
    {"qid": "Q1", "label": "gauge"},
    {"qid": "Q2", "label": "gauge", "formulas": [r"\alpha"]},
    {"qid": "Q3", "label": "<script>alert(1)</script>", "formulas": [r"x_1 < y & \text{</math><script>}"]},
    {"qid": "Q4", "label": "Ohm law", "redirect": "Q41591"},
    {"qid": LAW, "label": "physical law"},
]  # fmt: skip
DRAFT = os.environ.get("FORMULA_BOT_RECONCILIATION_DRAFT", "")  # a folder with the draft's schemas/ and examples/


@pytest.fixture(scope="module")
def client() -> FlaskClient:
    return make_service(KnownItems(ROWS, {}), Wiki(), hosts={"localhost"}).test_client()


def asked(client: FlaskClient, **queries: object) -> dict[str, list[dict[str, Any]]]:
    answer = client.post("/", data={"queries": json.dumps(queries)})
    assert answer.status_code == 200, answer.text
    return {name: each["result"] for name, each in answer.get_json().items()}


def test_the_manifest_speaks_of_the_configured_wiki() -> None:
    wiki = Wiki(
        name="here", entity_prefix="https://here/entity/", page_prefix="https://here/wiki/", item_namespace="Item"
    )
    client = make_service(KnownItems(ROWS, {}), wiki, hosts={"localhost:80", "localhost"}).test_client()
    found = client.get("/").get_json()
    assert (found["versions"], found["name"]) == (["0.1", "0.2"], "Formula concepts (here)")
    assert (found["identifierSpace"], found["schemaSpace"]) == ("https://here/entity/", "https://here/prop/direct/")
    assert found["view"] == {"url": "https://here/wiki/Item:{{id}}"}
    assert found["preview"]["url"] == "http://localhost/preview/{{id}}"
    assert found["suggest"]["entity"] == {
        "service_url": "http://localhost",
        "service_path": "/suggest/entity",
        "flyout_service_url": "http://localhost",
        "flyout_service_path": "/flyout/entity?id=${id}",
    }
    assert found["batchSize"] == 50


def test_a_formula_is_recognised_and_only_what_recognition_accepts_is_a_match(client: FlaskClient) -> None:
    found = asked(
        client,
        same={"query": "$E=mc^{2}$"},
        other={"query": r"\phi(x)=\int_0^x t^5 dt"},
        one={"query": "R=V/I", "limit": 1},
    )
    first = found["same"][0]
    assert (first["id"], first["name"], first["match"]) == ("Q35875", "mass–energy equivalence", True)
    assert first["description"] == "energy of a mass at rest"
    assert first["type"] == [{"id": "item", "name": "any item"}, {"id": LAW, "name": "physical law"}]
    features = {each["id"]: each["value"] for each in first["features"]}
    assert features["same_formula"] is True
    assert first["score"] == pytest.approx(100 * features["formula"], abs=0.01)
    assert first["score"] > 90
    assert not any(each["match"] for each in found["other"])
    assert [each["id"] for each in found["one"]] == ["Q41591"]
    for each in found.values():
        scores = [one["score"] for one in each]
        assert scores == sorted(scores, reverse=True)


def test_a_name_finds_its_items_and_is_never_sure(client: FlaskClient) -> None:
    found = asked(
        client,
        plain={"query": "the Newton’s second laws"},
        twice={"query": "gauge"},
        unknown={"query": "flux capacitor"},
        no_character={"query": "\0=\0"},
        alias={"query": "E=mc²"},
        misspelled={"query": "Newtons 2nd law"},
        unknown_id={"query": "Q41592"},
        blank={"query": " "},
        endless={"query": "x" * 2001},
    )
    assert [(one["id"], one["score"], one["match"]) for one in found["plain"]] == [("Q2397319", 100.0, False)]
    assert [(one["id"], one["score"], one["match"]) for one in found["twice"]] == [
        ("Q1", 50.0, False),
        ("Q2", 50.0, False),
    ]
    assert [(one["id"], one["match"]) for one in found["misspelled"]] == [("Q2397319", False)]
    assert found["misspelled"][0]["score"] == pytest.approx(
        100 * found["misspelled"][0]["features"][0]["value"], abs=0.01
    )
    assert 80 <= found["misspelled"][0]["score"] < 100
    for name in ("unknown", "no_character", "unknown_id", "blank", "endless"):
        assert found[name] == []
    assert found["alias"][0]["id"] == "Q35875"
    assert found["alias"][0]["features"][-1]["id"] == "name"


def test_an_id_is_its_item(client: FlaskClient) -> None:
    found = asked(
        client, id={"query": "Q41591"}, address={"query": "http://www.wikidata.org/entity/Q41591"}, gone={"query": "Q4"}
    )
    for name in ("id", "address"):
        assert [(one["id"], one["score"], one["match"]) for one in found[name]] == [("Q41591", 100.0, True)]
    assert found["gone"] == []  # it was merged


def test_a_formula_beside_a_name_is_read_with_it_and_a_name_of_another_item_is_no_match(client: FlaskClient) -> None:
    both = [{"pid": "P2534", "v": "E=mc^2"}]
    found = asked(
        client,
        agree={"query": "mass–energy equivalence", "properties": both},
        differ={"query": "Ohm's law", "properties": both},
        turned={"query": "E=mc^2", "properties": [{"pid": "label", "v": ["Ohm's law"]}]},
        unreadable={"query": "Ohm's law", "properties": [{"pid": "P2534", "v": r"\frac{"}]},
        alone={"properties": [{"pid": "P2534", "v": {"id": "E=mc^2"}}]},
        two={"properties": [{"pid": "P2534", "v": ["E=mc^2", "V=IR"]}]},
    )
    assert (found["agree"][0]["id"], found["agree"][0]["match"]) == ("Q35875", True)
    assert found["turned"][0]["id"] == "Q35875"  # the name in the other column is not a second question
    assert {each["id"] for each in found["agree"][0]["features"]} == {"formula", "same_formula", "name"}
    for name in ("differ", "turned", "two"):
        assert not any(one["match"] for one in found[name])
    assert [one["id"] for one in found["unreadable"]] == ["Q41591"]
    assert (found["alone"][0]["id"], found["alone"][0]["match"]) == ("Q35875", True)


def test_classes_shut_out_what_is_known_to_be_something_else(client: FlaskClient) -> None:
    name, law = "conservation of energy", {"query": "V=IR", "type": LAW}
    found = asked(
        client,
        fits={"query": name, "type": ["Q9", LAW]},
        other={"query": name, "type": "Q9"},
        all={"query": name, "type": [LAW, "Q9"], "type_strict": "all"},
        should={"query": name, "type": "Q9", "type_strict": "should"},
        generic={"query": "V=IR", "type": "item"},
        not_known=law,
        by_property={"query": name, "properties": [{"pid": "P31", "v": {"id": "Q9"}}]},
    )
    assert {name: [one["id"] for one in each][:1] for name, each in found.items()} == {
        "fits": ["Q11382"],
        "other": [],
        "all": [],
        "should": ["Q11382"],
        "generic": ["Q41591"],
        "not_known": ["Q41591"],
        "by_property": [],
    }
    assert (found["generic"][0]["match"], found["not_known"][0]["match"]) == (True, False)
    assert found["not_known"][0]["features"][-1] == {"id": "type", "value": False}


def test_properties_are_fetched(client: FlaskClient) -> None:
    query = {"ids": ["Q35875", "Q77"], "properties": [{"id": name} for name in ("P2534", "P31", "label", "alias")]}
    found = client.get("/", query_string={"extend": json.dumps(query)}).get_json()
    assert found["meta"][0] == {"id": "P2534", "name": "defining formula"}
    assert found["rows"]["Q35875"] == {
        "P2534": [{"str": "E = m c^2"}],
        "P31": [{"id": LAW, "name": "physical law"}],
        "label": [{"str": "mass–energy equivalence"}],
        "alias": [{"str": "E=mc²"}],
    }
    assert found["rows"]["Q77"] == {"P2534": [], "P31": [], "label": [], "alias": []}
    proposed = client.get("/properties?type=item&limit=1").get_json()
    assert proposed == {"type": "item", "limit": 1, "properties": found["meta"][:1]}


def test_beginnings_of_names_are_completed(client: FlaskClient) -> None:
    def suggested(kind: str, prefix: str, cursor: int = 0) -> list[str]:
        answer = client.get(f"/suggest/{kind}", query_string={"prefix": prefix, "cursor": cursor})
        return [each["id"] for each in answer.get_json()["result"]]

    assert suggested("entity", "GAU") == ["Q1", "Q2"]
    assert suggested("entity", "gau", 1) == ["Q2"]
    assert suggested("entity", "Q41591") == ["Q41591"]
    assert suggested("entity", "energy") == ["Q11382", "Q35875"]  # a further word
    assert suggested("entity", "law")[:2] == ["Q41591", LAW]
    assert suggested("entity", "Ohms lav") == ["Q41591"]
    assert suggested("entity", "F=ma")[0] == "Q2397319"
    assert suggested("entity", "") == []
    assert suggested("property", "def") == ["P2534"]
    assert suggested("property", "p31") == ["P31"]
    assert suggested("type", "phys") == [LAW]
    assert suggested("type", "") == ["item", LAW, "Q8"]


def test_what_openrefine_asked_in_a_session_is_answered() -> None:
    """Its own requests on the example items: a column of formulas, one of names, search, previews, further columns."""
    rows = read_items(Path(__file__).resolve().parents[2] / "examples" / "items.jsonl")
    known = KnownItems(rows, {qid: builtin_formulas()[qid] for qid in ("Q35875", "Q46276", "Q2397319", "Q72755")})
    client = make_service(known, Wiki(), hosts={"127.0.0.1:8195"}).test_client()
    for each in json.loads(Path(__file__).with_name("data").joinpath("openrefine_session.json").read_text("utf-8")):
        form = (
            {"content_type": "application/x-www-form-urlencoded; charset=UTF-8", "data": each["body"]}
            if "body" in each
            else {}
        )
        answer = client.open(each["target"], method=each["method"], base_url="http://127.0.0.1:8195", **form)
        assert answer.status_code == 200, (each["target"], answer.text)
        assert essence(answer.get_json(silent=True) or answer.text) == each["found"], each["target"]


def essence(answer: Any) -> Any:
    """What of an answer is kept with the recorded session: ids and matches, values, the names in what is drawn."""
    if isinstance(answer, str) or "html" in answer:
        text = answer if isinstance(answer, str) else answer["html"]
        return [re.findall(r"<strong>(.*?)</strong>", text), "built-in list" in text, text.count("<math")]
    if "versions" in answer:
        return sorted(answer)
    if "rows" in answer:
        return answer["rows"]
    if "q0" in answer:
        return {key: [[one["id"], one["match"]] for one in answer[key]["result"][:1]] for key in sorted(answer)}
    return [each["id"] for each in answer.get("result", answer.get("properties"))]


def test_the_preview_draws_the_formula_and_runs_nothing(client: FlaskClient) -> None:
    plain, odd = client.get("/preview/Q35875"), client.get("/preview/Q3")
    assert "<msup><mi>c</mi><mn>2</mn></msup>" in plain.text
    assert "https://www.wikidata.org/wiki/Q35875" in plain.text
    assert "<script" not in odd.text
    assert "<script" not in client.get("/flyout/entity?id=Q3").get_json()["html"]
    for answer in (plain, odd):
        rules = answer.headers["Content-Security-Policy"].split("; ")
        assert rules[0] == "default-src 'none'"
        assert "script" not in answer.headers["Content-Security-Policy"]
        assert rules[-1].startswith("sandbox ")
        assert "X-Frame-Options" not in answer.headers  # OpenRefine shows it in a frame


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", 400), ("[]", 400), ("{", 400), ("[" * 5000, 400), ('{"q":' * 5000, 400), ('{"q": 1}', 400), ('{"q": {}}', 400),
        ('{"q": {"query": null}}', 400), ('{"q": {"query": 5}}', 400), ('{"q": {"query": "a", "limit": 0}}', 400),
        ('{"q": {"query": "a", "limit": 1e999}}', 400), ('{"q": {"query": "a", "limit": NaN}}', 400),
        ('{"q": {"query": "\\ud800"}}', 400),
        ('{"q": {"query": "a", "type_strict": "no"}}', 400), ('{"q": {"query": "a", "properties": [{"v": 1}]}}', 400),
        ('{"q": {"query": "a", "properties": [{"pid": "P1", "v": null}]}}', 400),
        ('{"q": {"query": "a", "properties": [{"pid": "P1", "v": ' + "[" * 900 + "]" * 900 + "}]}}", 400),
        (json.dumps({"q": {"query": "a", "properties": [{"pid": "P2534", "v": ["x=1"] * 21}]}}), 413),
        (json.dumps({str(n): {"query": "a"} for n in range(51)}), 413),
    ],
)  # fmt: skip
def test_what_is_no_query_batch_is_refused_as_json(client: FlaskClient, text: str, code: int) -> None:
    for answer in (client.post("/", data={"queries": text}), client.get("/", query_string={"queries": text})):
        assert answer.status_code == code, answer.text
        assert answer.get_json()["error"]["code"] == code
        assert answer.headers["Access-Control-Allow-Origin"] == "*"


def test_other_requests_are_refused_as_json(client: FlaskClient) -> None:
    unknown = json.dumps({"ids": ["Q1"], "properties": [{"id": "P999"}]})
    many = json.dumps({"ids": ["Q1"] * 501, "properties": []})
    for answer, code in (
        (client.post("/"), 400),
        (client.post("/", data={"queries": "{}", "extend": "{}"}), 400),
        (client.post("/", data={"extend": unknown}), 400),
        (client.post("/", data={"extend": many}), 413),
        (client.post("/", data={"queries": "x" * (1_000_001 - len("queries="))}), 413),
        (client.put("/"), 405),
        (client.get("/preview/Q999"), 404),
        (client.get("/flyout/entity?id=Q999"), 404),
        (client.get("/flyout/type?id=P31"), 404),
        (client.get("/preview/%ED%A0%80"), 404),
        (client.get("/suggest/everything"), 404),
        (client.get("/suggest/entity?prefix=a&cursor=-1"), 400),
        (client.get("/suggest/entity?prefix=a&cursor=²"), 400),
        (client.get("/properties?limit=0"), 400),
        (client.get("/", headers={"Host": "rebound.example"}), 400),
    ):
        assert answer.status_code == code
        assert answer.get_json()["error"]["code"] == code
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert client.get("/?callback=f").get_json()["versions"] == ["0.1", "0.2"]  # JSONP is not offered


def test_any_origin_may_read_and_no_cookie_is_set(client: FlaskClient) -> None:
    ahead = client.options("/", headers={"Origin": "http://elsewhere.example", "Access-Control-Request-Method": "POST"})
    assert (ahead.status_code, ahead.headers["Access-Control-Allow-Origin"]) == (200, "*")
    for path in ("/", "/preview/Q1", "/suggest/type?prefix=", "/properties"):
        answer = client.get(path, headers={"Origin": "http://elsewhere.example"})
        assert answer.headers["Access-Control-Allow-Origin"] == "*"
        assert "Access-Control-Allow-Credentials" not in answer.headers
        assert "Set-Cookie" not in answer.headers


def test_odd_values_are_never_an_error_of_the_service(client: FlaskClient) -> None:
    rng = random.Random(0)
    names = "query type limit properties type_strict ids pid v id".split()
    for _ in range(150):
        inner = {rng.choice(names): json_value(rng) for _ in range(rng.randrange(4))}
        text = json.dumps({"q": inner} if rng.random() < 0.7 else inner)
        answer = client.post("/", data={rng.choice(["queries", "extend"]): text})
        assert answer.status_code in (200, 400, 413), text


def test_items_of_a_workspace(tmp_path: Path) -> None:
    with opened(tmp_path / "w", "Ada") as workspace:
        with workspace.engine.begin() as db:
            db.execute(store.items.delete())
        with pytest.raises(ItemsError, match="holds no item"):
            item_rows(workspace, Settings())
        kept = [
            Statement("a", "P2534", "V = I R"),
            Statement("b", "P2534", "old", rank="deprecated"),
            Statement("c", "P18", "f"),
        ]
        items = [Item("Q41591", "Ohm's law", statements=tuple(kept), classes=(LAW,)), Item("Q9", missing=True)]
        with workspace.engine.begin() as db:
            rows = [
                {"qid": i.qid, "revision": 1, "record": as_json(i), "fetched": "2026-01-01T00:00:00Z"} for i in items
            ]
            db.execute(store.items.insert(), rows)
        found = item_rows(workspace, Settings())
        assert [(row["qid"], row["label"], row["formulas"], row["instance_of"]) for row in found] == [
            ("Q41591", "Ohm's law", ["V = I R"], [LAW])
        ]
        assert len(workspace.rows(sa.select(store.items))) == 2
        assert [row["qid"] for row in item_rows(workspace, Settings(), ROWS[:1])] == ["Q35875"]


def test_items_without_a_formula_are_found_by_name() -> None:
    items = KnownItems([{"qid": "Q1", "label": "gauge"}], {})
    named, formula = items.candidates([ReconciliationRequest("gauge"), ReconciliationRequest("E=mc^2")])
    assert [(one.qid, one.probability, one.sure) for one in named] == [("Q1", 1.0, False)]
    assert formula == []
    spelled = items.candidates([ReconciliationRequest(text) for text in ("gauze", "gauges", "gaud")])
    assert [[(one.qid, one.probability) for one in each] for each in spelled] == [[("Q1", 0.8)], [("Q1", 1.0)], []]


def test_candidates_stay_in_the_order_of_recognition(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first of a near miss is hardly believed; what stood behind it is believed no more."""
    near = [Hit("Q41591", 0.0, 0.1, "", "V=IR", np.zeros(0)), Hit("Q35875", -1.0, 0.3, "", "E=mc^2", np.zeros(0))]
    monkeypatch.setattr(Recogniser, "all_hits", lambda *_: [near])
    (found,) = KnownItems(ROWS, {}).candidates([ReconciliationRequest("V=IR^2")])
    assert [(one.qid, one.probability) for one in found] == [("Q41591", 0.1), ("Q35875", 0.1)]


def test_the_command_needs_items() -> None:
    call("reconcile").refused("--items", "--workspace")


@pytest.mark.skipif(not DRAFT, reason="FORMULA_BOT_RECONCILIATION_DRAFT names no folder with the draft's schemas")
def test_answers_are_what_the_schemas_of_the_draft_ask_for(client: FlaskClient) -> None:
    jsonschema_rs = pytest.importorskip("jsonschema_rs", reason="comes with schemathesis, of the extra [dev]")
    schemas = {
        path.stem: json.loads(path.read_text("utf-8")) | {"$schema": "http://json-schema.org/draft-07/schema#"}
        for path in sorted(Path(DRAFT, "schemas").glob("*.json"))
    }
    registry = jsonschema_rs.Registry([(schema["$id"], schema) for schema in schemas.values()])

    def check(name: str, answer: Any) -> None:
        assert answer.status_code == 200, answer.text
        jsonschema_rs.Draft7Validator(schemas[name], registry=registry).validate(answer.get_json())

    check("manifest", client.get("/"))
    for kind, name in (("entity", "entities"), ("property", "properties"), ("type", "types")):
        check(f"suggest-{name}-response", client.get(f"/suggest/{kind}?prefix=p"))
        check(f"suggest-{name}-response", client.get(f"/suggest/{kind}?prefix=g"))
    if "data-extension-property-proposal" in schemas:  # draft 0.1 has none
        check("data-extension-property-proposal", client.get("/properties?type=item"))
    extend = {
        "ids": ["Q35875", "Q3", "Q77"],
        "properties": [{"id": name} for name in ("P2534", "P31", "label", "alias", "description")],
    }
    check("data-extension-response", client.post("/", data={"extend": json.dumps(extend)}))
    batch = {
        "a": {"query": "E=mc^2"},
        "b": {"query": "gauge"},
        "c": {"query": "none"},
        "d": {"query": "V=IR", "type": LAW},
    }
    check("reconciliation-result-batch", client.post("/", data={"queries": json.dumps(batch)}))
    examples = Path(DRAFT, "examples/reconciliation-query-batch")
    for path in sorted(examples.glob("valid/*.json")):
        check("reconciliation-result-batch", client.post("/", data={"queries": path.read_text("utf-8")}))
    for path in sorted(examples.glob("invalid/*.json")):
        assert client.post("/", data={"queries": path.read_text("utf-8")}).status_code == 400, path.name
