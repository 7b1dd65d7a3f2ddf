"""An occurrence as the columns of a shard: pairs as text, and nothing that UTF-8 has not."""

from __future__ import annotations

import pytest

from bot.discover.cues.name_cues import NameCue
from bot.discover.shards import mined_row, unpack
from bot.records import Definition, NameHint, Occurrence

KEYS = ("a", "b", "c", "d", "e")


def test_an_occurrence_as_it_is_stored() -> None:
    of = Occurrence("d", 3, r"\mathbf{F} = m a", True, "so ⟦3⟧", "Forces", "example", (Definition("m", "mass"),), (NameHint("label", "force"),))  # fmt: skip
    row = mined_row(of, KEYS, 4, "equation", True, [NameCue("force", "called")], False)
    assert (row["document"], row["position"], row["tex"], row["display"]) == ("d", 3, of.tex, True)
    assert (row["window"], row["heading"], row["role"]) == ("so ⟦3⟧", "Forces", "example")
    assert [unpack(row[name]) for name in ("definitions", "hints", "signs")] == [[("m", "mass")], [("label", "force")], [("force", "called")]]  # type: ignore[literal-required]  # fmt: skip
    assert tuple(row[f"K{n}"] for n in range(1, 6)) == KEYS  # type: ignore[literal-required]
    assert (row["leaves"], row["length"], row["kind"], row["candidate"], row["named"]) == (
        4,
        4,
        "equation",
        True,
        False,
    )
    bare = mined_row(Occurrence("d", 0, "x", False), KEYS, 1, "symbol", False, (), True)
    assert (bare["definitions"], bare["hints"], bare["signs"], unpack("")) == ("", "", "", [])
    assert (bare["candidate"], bare["named"]) == (False, True)


@pytest.mark.parametrize(("text", "kept"), [("plain", "plain"), ("Schrödinger ψ 𝔸", "Schrödinger ψ 𝔸"), ("half\ud800", "half?")])  # fmt: skip
def test_half_a_character_is_no_text(text: str, kept: str) -> None:
    of = Occurrence(text, 0, text, False, text, text, definitions=(Definition(text, text),))
    row = mined_row(of, (text,) * 5, 1, "equation", True, [NameCue(text, "called")], True)
    assert {row[name] for name in ("document", "tex", "window", "heading", "K1", "K5")} == {kept}  # type: ignore[literal-required]
    assert (unpack(row["definitions"]), unpack(row["signs"])) == ([(kept, kept)], [(kept, "called")])
