"""Search by formula: relatives with their relation, grouped by concept; noise is left out."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runner import call

from bot import store
from bot.discover import formula_search
from bot.discover.formula_search import find_formula, is_formula
from bot.errors import InputError
from bot.formula import keys
from bot.store import Row, Workspace

TEXTS = {
    "Spring": [r"F = -k x", r"U = \frac{1}{2} k x^2", r"E = \frac{1}{2} m v^2 + \frac{1}{2} k x^2"],
    "Gas": [r"p V = n R T", r"V = \frac{n R T}{p}", r"F = m a"],
    "Force": [r"F_{\text{net}} = m a", r"a = F/m", r"Q = C U", r"F = m a = m \ddot{x}"],
    "Photon": [r"E = \frac{h}{2\pi} \omega + p q", r"p q = E - \hbar \omega"],
}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search")
    for title, formulas in TEXTS.items():
        lines = [f"The '''{title} law''' states that\n:<math>{tex}</math>\nas is known.\n" for tex in formulas]
        (folder / f"{title}.txt").write_text("== Basics ==\n" + "\n".join(lines), encoding="utf-8")
    call("discover", *sorted(folder.glob("*.txt")), "-w", folder / "w").well()
    return folder / "w"


def found(w: Path, tex: str, top: int = 20) -> list[tuple[str, str, str]]:
    with Workspace.open(w) as opened:
        return [(hit["relation"], hit["level"], hit["tex"].replace(" ", "")) for hit in find_formula(opened, tex, top)]


def test_the_same_statement_is_found_in_other_letters_and_on_other_sides(corpus: Path) -> None:
    hits = found(corpus, "F = ma")
    assert hits[0] == ("identical", "K0", "F=ma")
    assert set(hits[1:]) == {
        ("notation", "K3", r"F_{\text{net}}=ma"), ("rearranged", "K4", "a=F/m"), ("contains", "", r"F=ma=m\ddot{x}")
    }  # fmt: skip
    assert found(corpus, "F = ma", top=2) == hits[:2]


def test_capitals_are_no_other_letters_and_other_short_formulas_are_not_alike(corpus: Path) -> None:
    assert set(found(corpus, "PV = nRT")) == {("renamed", "K5", "pV=nRT"), ("renamed", "K5", r"V=\frac{nRT}{p}")}
    assert {tex for _, _, tex in found(corpus, "Q = C U")} == {"Q=CU"}, "it has the shape of F = ma"


def test_of_one_relation_what_shares_a_key_comes_first(corpus: Path) -> None:
    hits = [("rearranged", "K4", r"pq=E-\hbar\omega"), ("rearranged", "", r"E=\frac{h}{2\pi}\omega+pq")]
    assert found(corpus, r"E = \hbar\omega + pq") == hits


def test_a_term_or_a_side_is_found_where_it_is_contained(corpus: Path) -> None:
    hits = found(corpus, r"\frac{1}{2}kx^{2}")
    assert {(relation, tex) for relation, _, tex in hits} == {
        ("contains", r"U=\frac{1}{2}kx^2"), ("contains", r"E=\frac{1}{2}mv^2+\frac{1}{2}kx^2")
    }  # fmt: skip


def test_nothing_like_it_is_said_and_what_cannot_be_read_is_one_line(corpus: Path) -> None:
    assert found(corpus, r"\nabla\cdot\mathbf{E} = \rho/\varepsilon_0") == []
    assert call("find", r"e^{i\pi} = -1", "-w", corpus).well().out == "the corpus has no similar formula\n"
    assert call("find", r"e^{i\pi} = -1", "--json", "-w", corpus).well().out == ""
    said = call("find", r"\frac{", "-w", corpus)
    assert (said.code, said.err.count("\n")) == (2, 1)
    call("find", r"E = \frac{m", "-w", corpus).refused("cannot be read ({ is never closed)")
    with Workspace.open(corpus) as opened, pytest.raises(InputError, match="too short"):
        find_formula(opened, "x_1")


def test_a_hit_says_where_it_stands(corpus: Path) -> None:
    (first, *_) = call("find", "F=-kx", "--json", "-w", corpus).well().rows
    assert (first["title"], first["section"], first["relation"]) == ("Spring", "Basics", "identical")
    assert "Spring law" in first["sentence"]
    assert first["tex"] in first["sentence"]
    assert (first["occurrences"], first["documents"], first["name"]) == (1, 1, "Spring law")
    assert "F = −kx" in call("find", "F=-kx", "-w", corpus).well().out


def test_a_hit_quotes_its_own_document_the_spelling_that_was_asked_for_first(tmp_path: Path) -> None:
    for name, text in (
        ("A", "where $a$ is one, and $z=kx^{2}$"),
        ("B", "as $z=k\\,x^2$"),
        ("C", "or $z = kx^2$ with $k$"),
    ):
        (tmp_path / f"{name}.md").write_text(f"The rule is known {text} here.\n", encoding="utf-8")
    call("discover", *sorted(tmp_path.glob("*.md")), "-w", tmp_path / "w").well()
    for asked, relation, sentence in (
        ("z=kx^2", "identical", "The rule is known or $z = kx^2$ with $k$ here."),
        ("kx^2=z", "typographic", "The rule is known where $a$ is one, and $z=kx^{2}$ here."),
    ):
        (hit,) = call("find", asked, "--json", "-w", tmp_path / "w").well().rows
        assert (hit["relation"], hit["sentence"]) == (relation, sentence)


@pytest.mark.parametrize(
    ("text", "formula"),
    [("E=mc^2", True), (r"\frac12 kx^2", True), ("a < b", True), ("Hubble's law", False), ("Q179916", False), ("C*-algebra", False)],
)  # fmt: skip
def test_a_formula_is_told_from_a_name(text: str, formula: bool) -> None:
    assert is_formula(text) is formula


def row_of(tex: str) -> Row:
    own = keys(tex)
    return {"tex": tex, "leaves": own.leaves, **{level: own.at(level) for level in ("K1", "K2", "K3", "K4", "K5")}}


def compared(tex: str, *texts: str) -> list[str]:
    return [row["tex"] for row in formula_search._candidates(tex, keys(tex), [*map(row_of, texts)])]


@pytest.mark.parametrize(
    ("tex", "texts", "chosen"),
    [
        # With a key in common, then what holds all signs of it, then what has most signs in common; the shortest first.
        ("F=ma", "F=ma+kx+cv+d F=ma+kx p=q+r G=xy F=mb F=ma", "F=ma F=mb G=xy F=ma+kx F=ma+kx+cv+d"),
        ("E=mc^2", "V=IR E=mc^2+V W=mc^2 E=mv^2", "E=mv^2 W=mc^2 E=mc^2+V"),
        ("F=ma", "a+b+c+d+e+f+g=h", ""),
        ("F=ma", "", ""),
    ],
)
def test_formulas_are_compared_that_share_a_key_or_hold_it_or_are_alike(tex: str, texts: str, chosen: str) -> None:
    assert compared(tex, *texts.split()) == chosen.split()


@pytest.mark.parametrize(
    ("bound", "value", "chosen"),
    [
        ("_KEYED", 1, "F=ma F=ma+kx F=ma+kx+cv+d"),
        ("_HOLDING", 1, "F=ma F=mb G=xy F=ma+kx"),
        ("_HOLDING", 0, "F=ma F=mb G=xy F=ma+kx"),  # the shorter is much alike
        ("_LIKENESS", 0.0, "F=ma F=mb G=xy F=ma+kx F=ma+kx+cv+d p=q+r"),
    ],
)
def test_of_each_reason_so_many_are_compared(
    monkeypatch: pytest.MonkeyPatch, bound: str, value: float, chosen: str
) -> None:
    monkeypatch.setattr(formula_search, bound, value)
    assert compared("F=ma", *"F=ma+kx+cv+d F=ma+kx p=q+r G=xy F=mb F=ma".split()) == chosen.split()


@pytest.mark.parametrize(
    ("side", "terms"),
    [
        ("a+b-c", ["a", "b", "c"]),
        (r"a\pm b\mp c", ["a", " b", " c"]),
        ("a−b", ["a", "b"]),
        ("(a+b)c-d", ["(a+b)c", "d"]),
        ("-a+b", ["", "a", "b"]),
        (r"\frac{a+b}{c}", []),
        (r"a\mpfoo b", []),
        ("a", []),
    ],
)
def test_terms_stand_between_signs_outside_brackets(side: str, terms: list[str]) -> None:
    assert list(formula_search._terms(side)) == terms


@pytest.mark.parametrize(
    ("tex", "part", "holds"),
    [
        (r"E=mc^2+\frac{p^2}{2m}", r"\frac{p^2}{2m}", True),
        ("E=mc^2", "mc^2", True),
        ("a=b+c=d", "b+c", True),
        ("a=b+c=de", "a=b+c", True),
        ("x=(b+c)d", "b+c", False),
        ("x=b+c+d", "b+c", False),
        ("x=yz", "x=yw", False),
    ],
)
def test_a_formula_holds_its_sides_terms_and_the_equalities_of_a_chain(tex: str, part: str, holds: bool) -> None:
    assert formula_search._contains(tex, keys(part)) is holds


@pytest.mark.parametrize(
    ("tex", "other", "relation"),
    [
        ("F=ma", "ma=F", ("typographic", "K1")),
        ("PV=nRT", "pV=nRT", ("renamed", "K5")),
        ("F=ma", "F=mb", None),
        ("mc^2", "E=mc^2", ("contains", "")),
        ("F=ma", "p=q+r", None),
    ],
)
def test_a_formula_of_the_corpus_is_related_or_another_one(
    tex: str, other: str, relation: tuple[str, str] | None
) -> None:
    assert formula_search._relation(tex, keys(tex), row_of(other)) == relation


def test_signs_are_counted_without_styles_and_blanks() -> None:
    assert formula_search._tokens(r"\left( \mathbf{F}_{12} = m \quad \, a \right)") == {
        "(": 1, "F": 1, "_": 1, "1": 1, "2": 1, "=": 1, "m": 1, "a": 1, ")": 1,
    }  # fmt: skip


def test_a_concept_is_found_by_its_key_and_by_each_of_its_spellings(workspace: Workspace) -> None:
    with workspace.engine.begin() as db:
        for key, spellings in (("k1", ["a = b", "b = a"]), ("k2", []), ("x=y", ["z = y"]), ("k3", ["x = y"])):
            rows = [{"tex": tex} for tex in spellings]
            db.execute(store.concepts.insert().values(key=key, names=[], representations=rows))
        db.execute(store.concepts.insert().values(key="k4", names=None, representations=None))
    found = {name: row["key"] for name, row in formula_search._concepts(workspace).items()}
    assert found.pop("x=y") in ("k3", "x=y")
    assert found == {"k1": "k1", "k2": "k2", "k3": "k3", "k4": "k4", "a=b": "k1", "b=a": "k1", "z=y": "x=y"}
