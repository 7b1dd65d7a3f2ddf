"""What became of what we wrote: the ledger against the wiki as it is now."""

from __future__ import annotations

import pytest

from bot.records import Reference
from bot.write import payload

SOURCE = Reference((("P248", "wikibase-item", "Q5"), ("P813", "time", "+2026-11-01T00:00:00Z")))
OTHER = Reference((("P854", "url", "https://example.org/book"),))


def claim(tex="pV=nRT", *references, guid="Q7$A", **changes):
    return {**payload.claim(guid, "P2534", tex, references), **changes}


OURS = claim("pV=nRT", SOURCE)


@pytest.mark.parametrize(
    ("standing", "severity", "word"),
    [
        ([OURS], "info", "present"),
        ([claim("x=y", guid="Q7$B"), OURS], "info", "present"),
        ([{**OURS, "hash": "abc", "type": "statement"}], "info", "present"),
        ([claim("pV=nRT", SOURCE, OTHER)], "info", "amended"),
        ([claim("pV=nRT", SOURCE, rank="preferred")], "info", "amended"),
        ([claim("pV=nRT", SOURCE, rank="deprecated")], "warning", "deprecated"),
        ([claim("pV = nRT", SOURCE)], "info", "amended"),
        ([claim("pV=nRT")], "error", "changed"),
        ([claim("pV=nRT", OTHER)], "error", "changed"),
        ([claim("pV=nRT", SOURCE, guid="Q7$B")], "error", "removed"),
        ([], "error", "removed"),
    ],
)
def test_a_claim_of_ours_has_one_fate(bench, standing, severity, word):
    bench.edit("Q7", OURS)
    bench.wiki.put("Q7", *standing, label="ideal gas law")
    [found] = bench.about("seeded")
    assert (found.item, found.label, found.severity) == ("Q7", "ideal gas law", severity)
    assert found.what.startswith(f"{word}: ")
    assert found.formulas == ("pV=nRT",)


def test_a_changed_value_is_shown(bench):
    bench.edit("Q7", OURS)
    bench.wiki.put("Q7", claim("pV=NkT", SOURCE))
    assert "pV=NkT" in bench.about("seeded")[0].what


@pytest.mark.parametrize(
    ("standing", "word"),
    [
        (claim("pV=nRT", OTHER, SOURCE), "present"),
        (claim("pV=nRT", SOURCE, rank="deprecated"), "deprecated"),
        (claim("pV=nRT", OTHER), "removed"),
    ],
)
def test_a_reference_of_ours_has_one_fate(bench, standing, word):
    bench.edit("Q7", payload.reference(SOURCE), guid="Q7$A")
    bench.wiki.put("Q7", standing)
    assert bench.about("seeded")[0].what.startswith(f"{word}: ")


def test_a_deleted_item_takes_the_claim_with_it(bench):
    bench.edit("Q7", OURS)
    [found] = bench.about("seeded")
    assert (found.severity, found.what) == ("error", "deleted: the item was deleted")


@pytest.mark.parametrize(
    ("kept", "severity", "word"),
    [(claim("pV=nRT", SOURCE, guid="Q8$NEW"), "warning", "merged"), (claim("x=y", guid="Q8$NEW"), "error", "removed")],
)
def test_after_a_merge_the_content_is_looked_for_on_the_target(bench, kept, severity, word):
    bench.edit("Q7", OURS)
    bench.wiki.put("Q7", kept, id="Q8", redirects={"from": "Q7", "to": "Q8"})
    [found] = bench.about("seeded")
    assert (found.severity, found.what.split(":")[0]) == (severity, word)
    assert "merged into Q8" in found.what


def test_only_what_was_written_and_not_undone_is_looked_for(bench):
    bench.edit("Q7", OURS, outcome="refused")
    bench.edit("Q7", OURS, outcome="pending")
    bench.edit("Q7", OURS, undo_state="undone")
    assert bench.about("seeded") == []
    bench.edit("Q7", OURS, undo_state="kept")
    assert len(bench.about("seeded")) == 1


def test_an_empty_ledger_is_clean_and_asks_little(bench):
    [closing] = bench.audit("seeded")
    assert (closing.severity, closing.what) == ("info", "0 edits of the ledger checked")


def test_survival_counts_by_age(bench):
    for n, days in enumerate((0.5, 2, 8, 40), 1):
        ours = claim(f"x=y_{n}", SOURCE, guid=f"Q{n}$A")
        bench.edit(f"Q{n}", ours, days=days)
        bench.wiki.put(f"Q{n}", ours)
    bench.wiki.put("Q4")  # the oldest was removed
    assert [(f.severity, f.what) for f in bench.audit("survival")] == [
        ("warning", "of 3 edits at least 1 day old, 2 are there still (67%)"),
        ("warning", "of 2 edits at least 7 days old, 1 are there still (50%)"),
        ("warning", "of 1 edit at least 30 days old, 0 are there still (0%)"),
    ]


def test_survival_without_edits_says_so(bench):
    assert {f.severity for f in bench.audit("survival")} == {"info"}


def test_the_ledger_fits_when_every_edit_has_its_approval(bench):
    bench.edit("Q7", OURS)
    assert bench.about("ledger") == []


@pytest.mark.parametrize(
    ("values", "severity", "words"),
    [
        ({"outcome": "pending"}, "warning", "never closed"),
        ({"decision": 99}, "error", "without a decision"),
        ({"hash": "another"}, "error", "about other content"),
    ],
)
def test_the_ledger_shows_what_does_not_fit(bench, values, severity, words):
    bench.edit("Q7", OURS, **values)
    [found] = bench.about("ledger")
    assert (found.item, found.severity) == ("Q7", severity)
    assert words in found.what


def test_the_ledger_shows_a_claim_that_was_written_twice(bench):
    bench.edit("Q7", OURS)
    bench.edit("Q7", OURS)
    assert [f.what for f in bench.about("ledger")] == ["edit 2 says the same as edit 1, which was written too"]


def test_the_ledger_shows_a_decision_by_nobody_known(bench):
    from bot import store

    with bench.workspace.engine.begin() as db:
        db.execute(store.decisions.insert().values(proposal="p", hash="h", verdict="reject", reviewer="Nobody"))
    assert "Nobody" in bench.about("ledger")[0].what
