"""Names of the built-in list beside those of the corpus."""

import pytest

from bot.discover.builtin_names import BuiltinFormulas, KnownName, merge_names, with_builtin_names
from bot.messages import Message, uncoded_message
from bot.records import FormulaConcept, NameCandidate


def known(name: str, probability: float = 1.0) -> KnownName:
    return KnownName(name, probability, Message("cue.builtin_same", qid="Q1"))


def test_a_name_that_both_give_is_raised_and_says_by_how_much() -> None:
    said = [
        NameCandidate("thing law", 0.5, (uncoded_message("the text says so"),), 2),
        NameCandidate("wave law", 0.4, (), 1),
    ]
    first, second = merge_names(said, [known("Wave law")])
    assert (first.name, second.name) == ("wave law", "thing law")
    assert round(first.score - first.known, 4) == 0.4
    assert first.reasons == (Message("cue.builtin_same", qid="Q1"),)


def test_the_fuller_name_of_the_text_stays_before_the_shorter_of_the_built_in_list() -> None:
    said = [NameCandidate("tangential acceleration", 0.3, (), 1), NameCandidate("acceleration", 0.2, (), 1)]
    assert [n.name for n in merge_names(said, [known("acceleration")])] == ["tangential acceleration", "acceleration"]


def test_what_the_text_says_plainly_stays_before_what_the_built_in_list_alone_says() -> None:
    plain = [NameCandidate("flow law", 0.6, (), 1), NameCandidate("flow", 0.1, (), 1)]
    assert [n.name for n in merge_names(plain, [known("Darcy's law")])] == ["flow law", "Darcy's law", "flow"]
    near = [NameCandidate("porous rock", 0.1, (), 1)]
    assert [n.name for n in merge_names(near, [known("Darcy's law")])] == ["Darcy's law", "porous rock"]


def test_a_thing_or_an_unsure_name_is_not_put_first() -> None:
    near = [NameCandidate("string", 0.1, (), 1)]
    assert merge_names(near, [known("pendulum")])[0].name == "string"
    assert merge_names(near, [known("wave equation", 0.6)])[0].name == "string"


def test_what_the_corpus_says_can_be_had_back() -> None:
    said = (NameCandidate("a law", 0.6, (), 1), NameCandidate("b law", 0.5, (), 1), NameCandidate("c law", 0.2, (), 1))
    names = merge_names(said, [known("b law"), known("d law")])
    assert [n.name for n in names] == ["b law", "a law", "d law", "c law"]
    back = FormulaConcept("k", "a=b", 1, 1, names=names).names_from_corpus
    assert [(n.name, n.score, n.known) for n in back] == [(n.name, n.score, 0.0) for n in said]


class Table(BuiltinFormulas):
    def is_name_unusual(self, name: str, formula: str) -> bool:
        return name == "energy density" and formula.startswith("\\Omega")


def test_a_name_whose_quantity_has_other_symbols_counts_less_and_can_be_had_back() -> None:
    said = (NameCandidate("energy density", 0.5, (), 2), NameCandidate("density parameter", 0.45, (), 1))
    (found,) = with_builtin_names([FormulaConcept("k", "\\Omega=x", 1, 1, names=said)], Table())
    assert [n.name for n in found.names] == ["density parameter", "energy density"]
    assert found.names[1].reasons == (Message("cue.unusual"),)
    assert [(n.name, n.score) for n in found.names_from_corpus] == [
        ("energy density", 0.5),
        ("density parameter", 0.45),
    ]


def test_an_authors_own_name_is_not_doubted() -> None:
    said = (NameCandidate("energy density", 0.95, (), 2),)
    (found,) = with_builtin_names([FormulaConcept("k", "\\Omega=x", 1, 1, names=said)], Table())
    assert found.names == said


Named = list[tuple[str, float, int]]  # name, score, documents


@pytest.mark.parametrize(
    ("said", "names", "weighs"),
    [
        ([("thing law", 0.5, 2), ("wave law", 0.4, 1)], [known("Wave law")], [("wave law", 0.7, 0.3), ("thing law", 0.5, 0.0)]),
        ([], [known("Ohm's law", 0.8)], [("Ohm's law", 0.48, 0.48)]),
        ([], [known("pendulum", 0.8)], [("pendulum", 0.48, 0.48)]),
        ([("flow law", 0.6, 1), ("flow", 0.1, 1)], [known("Darcy's law")], [("flow law", 0.6, 0.0), ("Darcy's law", 0.599, 0.599), ("flow", 0.1, 0.0)]),
        ([("rock", 0.1, 1)], [known("Darcy's law", 0.8)], [("Darcy's law", 0.48, 0.48), ("rock", 0.1, 0.0)]),
        ([("rock", 0.1, 1)], [known("Darcy's law", 0.79)], [("rock", 0.1, 0.0), ("Darcy's law", 0.099, 0.099)]),
        ([("rock", 0.24, 1)], [known("Darcy's law", 0.9)], [("Darcy's law", 0.54, 0.54), ("rock", 0.24, 0.0)]),
        ([("rock", 0.25, 1)], [known("Darcy's law", 0.9)], [("rock", 0.25, 0.0), ("Darcy's law", 0.249, 0.249)]),
        ([("acceleration of a car", 0.3, 1), ("acceleration", 0.2, 1)], [known("acceleration")], [("acceleration of a car", 0.3, 0.0), ("acceleration", 0.299, 0.099)]),
        ([("a law", 0.99, 3)], [known("a law")], [("a law", 0.995, 0.005)]),
        ([("a law", 0.6, 1)], [known("a law", 0.5), known("A law", 0.9)], [("a law", 0.7, 0.1)]),  # the first of one name counts
    ],
)  # fmt: skip
def test_what_names_weigh_together(said: Named, names: list[KnownName], weighs: list[tuple[str, float, float]]) -> None:
    corpus = [NameCandidate(name, score, (), documents) for name, score, documents in said]
    assert [(n.name, n.score, n.known) for n in merge_names(corpus, names)] == weighs
