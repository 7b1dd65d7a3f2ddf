"""Each reason and doubt, to the digit: what it scores, what it says, and from where on it says nothing."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from match_pairs import PROPERTY, item, pair, place

from bot.discover.articles import ArticleReading
from bot.match import classes
from bot.match.builtin import Concept
from bot.match.features import agreement, builtin_list, existing_claims, left_side, negative, ranking_evidence
from bot.match.features.candidate_pair import CandidatePair, ConceptOccurrence, ConceptView
from bot.match.retrieval.known_concepts import ConceptIndex, builtin_concepts
from bot.match.retrieval.recognise import Hit
from bot.messages import Message, uncoded_message
from bot.records import Definition, Document, Evidence, FormulaConcept, Item, NameCandidate, Statement

FORCE = item("force", aliases=("net push",))


def _said(found: Evidence | None) -> tuple[float, str] | None:
    return (found.score, str(found.detail)) if found else None


def _named(*names: tuple[str, float], about: Item = FORCE, reasons: tuple[str, ...] = ()) -> CandidatePair:
    found = tuple(NameCandidate(name, score, tuple(map(uncoded_message, reasons))) for name, score in names)
    return CandidatePair(ConceptView(FormulaConcept("key", "F=ma", 1, 1, names=found), (), builtin_concepts()), about)


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        ("key_equation", "a table of key equations names it “net push”"),
        ("equation_title", "the box around it is titled “net push”"),
        ("infobox", "the infobox gives it as “net push”"),
        ("defined_term", "the text defines the term “net push” with it"),
    ],
)
def test_a_hint_counts_for_its_own_kind_only_and_the_nearest_name_is_shown(kind: str, sentence: str) -> None:
    hinted = pair("F=ma", FORCE, place(hints=[(kind, "work"), (kind, "net push")]))
    assert _said(getattr(ranking_evidence, kind)(hinted)) == (0.9, sentence)
    both = pair("F=ma", FORCE, place(hints=[(kind, "net push")]), place(hints=[(kind, "Force")]))
    assert getattr(ranking_evidence, kind)(both).score == 1.0
    others = {"key_equation", "equation_title", "infobox", "defined_term"} - {kind}
    assert [getattr(ranking_evidence, other)(hinted) for other in sorted(others)] == [None] * 3


def test_the_author_s_item_is_heard_from_a_qid_only() -> None:
    about = item("force", qid="Q11402")
    marked = pair("F=ma", about, place(title="Mechanics", hints=[("infobox", "Q11402"), ("qid", "Q11402")]))
    assert _said(ranking_evidence.author_says(marked)) == (1.0, "“Mechanics” links the formula to Q11402")
    assert ranking_evidence.author_says(pair("F=ma", about, place(hints=[("infobox", "Q11402")]))) is None


@pytest.mark.parametrize(("rank", "score"), [(0, 1.0), (1, 2 / 3), (2, 0.5), (4, 1 / 3)])
def test_a_title_is_worth_less_the_later_the_equation_stands(rank: int, score: float) -> None:
    sentence = f"it is equation {rank + 1} of “Force”"
    article = pair("F=ma", FORCE, place(title="Force", rank=rank))
    chapter = pair("F=ma", FORCE, place(title="Force", rank=rank, kind="textbook"))
    assert _said(ranking_evidence.title(article)) == (pytest.approx(score), sentence)
    assert ranking_evidence.title(chapter) is None
    assert ranking_evidence.title(pair("F=ma", FORCE, place(title="Work", rank=rank))) is None


def test_the_formula_that_the_article_about_it_defines_it_by_counts_as_that_is_likely() -> None:
    likely, titled = replace(place(title="Net push"), defines=0.8), replace(place(title="Work"), defines=0.9)
    told = ranking_evidence.article_defines(pair("F=ma", FORCE, place(title="Force"), titled, likely))
    sentence = "it is the formula by which the article “Net push” defines its subject"
    assert _said(told) == (pytest.approx(0.72), sentence)
    assert ranking_evidence.article_defines(pair("F=ma", FORCE, titled)) is None
    assert ranking_evidence.article_defines(pair("F=ma", FORCE, place(title="Force"))) is None


def test_the_best_title_counts() -> None:
    late, early = place(title="Force", rank=3), place(title="Net push", rank=0)
    assert _said(ranking_evidence.title(pair("F=ma", FORCE, late, early))) == (0.9, "it is equation 1 of “Net push”")


@pytest.mark.parametrize(
    ("window", "near"),
    [
        ("the force ⟦3⟧", 1.0),
        ("the force ⟦2⟧ ⟦3⟧", 0.6),
        ("the force of this ⟦3⟧", math.exp(-2 / 8)),
        ("⟦3⟧ acts as the force", math.exp(-3 / 8)),
        ("the forces are ⟦3⟧", 0.95 * math.exp(-1 / 8)),
        ("enforce ⟦3⟧", None),
        ("the force ⟦4⟧", None),
    ],
)
def test_a_name_loses_with_each_word_and_formula_between(window: str, near: float | None) -> None:
    found = ranking_evidence.mentioned(pair("F=ma", FORCE, place(window)))
    assert (found and found.score) == (near if near is None else pytest.approx(near, abs=1e-4))


def test_the_nearest_of_two_mentions_is_the_one_quoted() -> None:
    far, near = place("It moves. The force, it has been said, is ⟦3⟧"), place("It rests. This is the force ⟦3⟧")
    assert _said(ranking_evidence.mentioned(pair("F=ma", FORCE, far, near))) == (
        1.0,
        "the name is next to it: “This is the force …”",
    )


@pytest.mark.parametrize(
    ("window", "score"),
    [
        ("⟦3⟧ is known as the force", 0.7),
        ("The force is given by ⟦3⟧.", 0.5),
        ("the force (see above) is ⟦3⟧", 0.42),
        ("the forces are ⟦3⟧", 0.95 * 0.42),
        ("the net push is given by ⟦3⟧", 0.9 * 0.5),
        ("the force ⟦3⟧", 0.3),
        ("the force, is ⟦3⟧", None),
        ("the force here ⟦3⟧", None),
        ("⟦3⟧ and the force", None),
        ("is ⟦3⟧ force", None),
    ],
)
def test_a_sentence_counts_as_its_kind_of_cue_does(window: str, score: float | None) -> None:
    found = ranking_evidence.called(pair("F=ma", FORCE, place(window)))
    assert (found and found.score) == (score if score is None else pytest.approx(score, abs=1e-4))


def test_the_surest_sentence_is_quoted() -> None:
    places = place("The force: ⟦3⟧. It acts."), place("It acts. This, ⟦3⟧, is called the force.")
    found = ranking_evidence.called(pair("F=ma", FORCE, *places))
    assert _said(found) == (0.7, "a sentence gives it this name: “This, …, is called the force.”")


@pytest.mark.parametrize(
    ("names", "score"),
    [
        ([("force", 0.8)], 0.8),
        ([("work", 0.9), ("force", 0.6)], 0.6),
        ([("work", 0.9), ("heat", 0.9), ("net push", 0.5)], 0.45),
        ([("net push", 0.9), ("force", 0.6)], 0.81),
        ([("force", 0.0)], None),
        ([("work", 0.9)], None),
    ],
)
def test_name_candidates_count_by_their_score(names: list[tuple[str, float]], score: float | None) -> None:
    found = ranking_evidence.name_score(_named(*names))
    assert (found and found.score) == (score if score is None else pytest.approx(score))


def test_a_name_is_told_with_its_first_three_reasons() -> None:
    found = ranking_evidence.name_score(_named(("force", 0.8), reasons=("one", "two", "three", "four")))
    assert _said(found) == (0.8, "“force”; one; two; three")


def _article(tex: str, probability: float, accepted: bool, language: str = "en") -> ArticleReading:
    return ArticleReading(language, f"Force {language}", tex, probability, accepted)


@pytest.mark.parametrize(
    ("articles", "score"),
    [
        ([("F=ma", 0.5, True)], 0.35),
        ([("F=ma", 0.5, False)], 0.2),
        ([("F=ma", 0.2, False), ("F=m a", 0.2, False)], 1.0),
        ([("F=ma", 0.5, True), ("W=Fs", 0.9, True)], 0.35),
        ([("F=ma", 0.5, True), ("W=Fs", 0.9, True), ("W=F s", 0.9, True)], 0.175),
        ([("W=Fs", 0.9, True)], -0.25),
        ([("W=Fs", 0.9, False)], None),
        ([("W=Fs", 0.9, True), ("W=F s", 0.9, True)], -0.5),
        ([("W=Fs", 0.9, True), ("E=h\\nu", 0.9, True)], -0.25),
        ([("W=Fs", 0.9, True), ("W=F s", 0.9, False)], -0.25),
        ([], None),
    ],
)
def test_articles_speak_for_the_formula_they_define_the_item_by(
    articles: list[tuple[str, float, bool]], score: float | None
) -> None:
    found = tuple(_article(*each, language=f"l{n}") for n, each in enumerate(articles))
    said = ranking_evidence.encyclopaedia(replace(pair("F=ma", FORCE), articles=found))
    assert (said and said.score) == (score if score is None else pytest.approx(score))


def test_what_articles_say_is_told_with_title_and_language() -> None:
    found = (_article("F=ma", 0.9, True, "en"), _article("F=ma", 0.9, True, "de"), _article("W=Fs", 0.9, True, "fr"))
    three = (*found, _article("F=m a", 0.9, True, "it"))
    said = [ranking_evidence.encyclopaedia(replace(pair("F=ma", FORCE), articles=each)) for each in (found[::2], three)]
    assert [each and str(each.detail) for each in said] == [
        "“Force en” (en) gives this formula as the definition; “Force fr” (fr) has another formula: W=Fs",
        "“Force en” (en), “Force de” (de) and “Force it” (it) give this formula as the definition; “Force fr” (fr) has another formula: W=Fs",
    ]


@pytest.mark.parametrize(
    ("window", "quoted"),
    [
        ("some ⟦1⟧ force  ⟦3⟧", "some … force …"),
        ("force ⟦3⟧ " + "x" * 151 + " end", "force … xxx"),
        ("begin " + "long " * 40 + "words, and this is the force ⟦3⟧ that is meant" + " here" * 40, "…long long"),
        ("force ⟦3⟧ " + "x" * 152, "force … " + "x" * 152),
    ],
)
def test_a_quoted_window_is_cut_at_a_word(window: str, quoted: str) -> None:
    found = ranking_evidence.mentioned(pair("F=ma", FORCE, place(window)))
    assert found
    assert str(found.detail).startswith(f"the name is next to it: “{quoted}")


# -- doubts ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tex", "number"),
    [
        ("v=3.05t", "3.05"),
        ("v=300t", "300"),
        ("v=30t", None),
        (r"v=10^{8}t", "10^{8"),
        (r"v=10^{-8}t", "10^{-8"),
        (r"v=4\%", r"\%"),
        ("v=4t", None),
    ],
)
def test_which_numbers_are_measured(tex: str, number: str | None) -> None:
    assert _said(negative.numbers(pair(tex, FORCE))) == (number and (1.0, f"it contains numbers ({number})"))


@pytest.mark.parametrize(
    ("tex", "doubted"), [("a=b=0", True), ("a=b=-2.5", True), ("a=2=b", True), ("a=b=c", False), ("a=0", False)]
)
def test_a_number_in_a_chain_is_a_case(tex: str, doubted: bool) -> None:
    found = negative.zero(pair(tex, FORCE))
    assert _said(found) == ((1.0, "one side of the chain is a number") if doubted else None)


def test_what_leads_in_counts_by_the_share_of_places() -> None:
    example, plain, gone = place("For example ⟦3⟧"), place("The force is ⟦3⟧, for example"), place("For example ⟦4⟧")
    words = "the words before it introduce an example"
    assert _said(negative.example_said(pair("F=ma", FORCE, example))) == (1.0, words)
    assert _said(negative.example_said(pair("F=ma", FORCE, example, plain))) == (0.5, words)
    assert _said(negative.example_said(pair("F=ma", FORCE, example, gone))) == (1.0, words)
    assert negative.example_said(pair("F=ma", FORCE, plain, gone)) is None
    assert negative.example_said(pair("F=ma", FORCE, place("Hence ⟦3⟧"))) is None
    assert negative.example_said(pair("F=ma", FORCE, gone)) is None
    held = ranking_evidence.holds_if(pair("F=ma", FORCE, place("If the mass is constant, ⟦3⟧"), plain))
    assert _said(held) == (0.5, "the words before it state a condition under which it holds")
    assert ranking_evidence.holds_if(pair("F=ma", FORCE, place("The force is ⟦3⟧ if it is"))) is None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Electric field: ⟦3⟧", "Electric field"), ("Force: ⟦2⟧ Electric field: ⟦3⟧", "Electric field"), ("It holds. Energy: ⟦3⟧", "Energy"),
        ("Net force: ⟦3⟧", ""), ("A push on a body: ⟦3⟧", ""), ("The field, which is given by: ⟦3⟧", ""), ("Electric field: it is ⟦3⟧", ""), ("Electric field ⟦3⟧", ""),
        ("Electric field: ⟦4⟧", ""),
    ],
)  # fmt: skip
def test_a_label_of_something_else_speaks_against(text: str, name: str) -> None:
    found = negative.labelled_other(pair("F=ma", FORCE, place(text)))
    assert _said(found) == ((1.0, f"a label right before it names something else: “{name}”") if name else None)


def test_labels_of_something_else_count_by_the_share_of_places() -> None:
    places = place("Energy: ⟦3⟧"), place("Force: ⟦3⟧"), place("Energy: ⟦4⟧")
    found = negative.labelled_other(pair("F=ma", FORCE, *places))
    assert found is not None
    assert found.score == 0.5


def test_words_that_define_speak_for_a_quantity_and_say_nothing_of_a_law() -> None:
    told = place("The force is defined as the rate of change of momentum, ⟦3⟧")
    assert _said(ranking_evidence.defining(pair("F=ma", FORCE, place(), told))) == (
        1.0,
        "words before it are usual in definitions: “defined”",
    )
    assert ranking_evidence.defining(pair("F=ma", FORCE, place("The force is ⟦3⟧, as defined"))) is None
    assert ranking_evidence.defining(pair("F=ma", FORCE, place("Positive definite, indefinite: ⟦3⟧"))) is None
    assert ranking_evidence.defining(pair("F=ma", item("Newton's law"), told)) is None


def test_symbols_that_are_explained_behind_the_formula_speak_for_it() -> None:
    told, untold = place("The force is ⟦3⟧, where m is the mass."), place("Where it is heavy, ⟦3⟧. It moves.")
    words = "the text after it explains its symbols"
    assert _said(ranking_evidence.explained(pair("F=ma", FORCE, told))) == (1.0, words)
    assert _said(ranking_evidence.explained(pair("F=ma", FORCE, told, untold, place("⟦4⟧")))) == (0.5, words)
    assert ranking_evidence.explained(pair("F=ma", FORCE, untold)) is None


@pytest.mark.parametrize(
    ("language", "words"),
    [("de", "Das Verhältnis ist"), ("fr", "Le rapport est"), ("es", "Es el cociente"), ("it", "the ratio is")],
)
def test_words_that_define_are_those_of_the_document(language: str, words: str) -> None:
    where = replace(place(f"{words} ⟦3⟧"), document=Document("d", language=language))
    assert bool(ranking_evidence.defining(pair("F=ma", FORCE, where))) is (language != "it")


def test_words_of_another_language_are_heard_in_its_documents() -> None:
    german = place("Zum Beispiel gilt ⟦3⟧.")
    german = replace(german, document=replace(german.document, language="de"))
    assert _said(negative.example_said(pair("F=ma", FORCE, german))) == (
        1.0,
        "the words before it introduce an example",
    )


@pytest.mark.parametrize(
    ("label", "doubted"),
    [("electric field", True), ("theory of heat", True), ("force", False), ("surface area", False)],
)
def test_things_are_not_defined_by_a_formula(label: str, doubted: bool) -> None:
    found = negative.thing(pair("F=ma", item(label)))
    assert _said(found) == ((1.0, f"“{label}” may have formulas but is not defined by one") if doubted else None)


@pytest.mark.parametrize(("tex", "doubted"), [(r"F\le ma", True), ("F=ma", False), ("ma", False)])
def test_what_states_no_equality_is_doubted(tex: str, doubted: bool) -> None:
    assert _said(negative.no_equality(pair(tex, FORCE))) == (
        (1.0, "it does not state an equality") if doubted else None
    )
    assert negative.no_equality(pair(tex, item("Markov's inequality"))) is None
    listed = _recognised(("Q11402", 0.8, "K2"), about=item("force", qid="Q11402"))
    concept = replace(listed.view.concept, tex=tex)
    assert negative.no_equality(replace(listed, view=replace(listed.view, concept=concept))) is None


@pytest.mark.parametrize(
    ("tex", "doubted"),
    [
        (r"X \sim \mathrm{Bin}(n,p)", True),
        (r"\mathbf{x}\ \sim \mathcal{N}(\mu, \Sigma)", True),
        (r"\varepsilon_i \overset{\mathrm{iid}}{\sim} N\left(0, \sigma^2\right)", True),
        (r"\pi(x) \sim \mathrm{Li}(x)", False),
        (r"y \sim x^2", False),
        (r"f(x) = \mathrm{Bin}(n,p)", False),
    ],
)
def test_how_something_is_distributed_is_no_definition(tex: str, doubted: bool) -> None:
    assert bool(negative.distributed(pair(tex, item("binomial distribution")))) is doubted


@pytest.mark.parametrize(
    ("roles", "said"),
    [
        (["example"], (1.0, "it occurs only in an example")),
        (["exercise", "table"], (0.5, "it occurs only in an exercise")),
        (["caption"], (0.5, "it occurs only in an caption")),
        (["example", "text"], None),
        ([], None),
    ],
)
def test_examples_and_tables_are_places_of_made_up_formulas(roles: list[str], said: tuple[float, str] | None) -> None:
    assert _said(negative.made_up(pair("F=ma", FORCE, *(place(role=role) for role in roles)))) == said


def test_no_equation_is_doubted_by_its_kind() -> None:
    found = negative.no_equation(pair(r"\frac{1}{2}mv^2", FORCE))
    assert found
    assert found.score == 1.0
    assert str(found.detail).startswith("it is not an equation (")


# -- claims that stand ----------------------------------------------------------------------------------------------------


def _standing(*claims: tuple[str, str, str], tex: str = "E=mc^2+pq") -> CandidatePair:
    statements = tuple(Statement(f"Q1${n}", prop, value, rank=rank) for n, (prop, value, rank) in enumerate(claims))
    return pair(tex, replace(item("energy"), statements=statements))


def test_claims_that_count_are_of_the_property_with_a_value_and_not_deprecated() -> None:
    about = _standing(
        (PROPERTY, "a=b", "normal"),
        (PROPERTY, "b=c", "preferred"),
        (PROPERTY, "c=d", "deprecated"),
        ("P2", "d=e", "normal"),
        (PROPERTY, "", "normal"),
    )
    assert existing_claims.formulas_of(about) == ("a=b", "b=c")


def test_a_deprecated_claim_neither_agrees_nor_contradicts() -> None:
    same = _standing((PROPERTY, "E=mc^2+pq", "deprecated"))
    other = _standing((PROPERTY, "S=k\\ln W", "deprecated"))
    judges = existing_claims.EXISTING_CLAIM_FEATURES
    assert [judge(each) for each in (same, other) for judge in judges] == [None] * 6


def test_standing_formulas_agree_by_how_they_are_the_same_and_how_long_they_are() -> None:
    long = "E=mc^2+pq+rs+tu+vw+xy"
    same = existing_claims.same_formula(
        _standing((PROPERTY, "S=k\\ln W", "normal"), (PROPERTY, long, "normal"), tex=long)
    )
    assert same
    assert same.score == 1.0
    assert str(same.detail).startswith("identical: ")
    turned = existing_claims.same_formula(_standing((PROPERTY, "pq+rs+tu+vw+xy=E-mc^2", "normal"), tex=long))
    assert turned
    assert turned.score == 0.8
    assert str(turned.detail).startswith("rearranged: ")
    both = existing_claims.same_formula(
        _standing((PROPERTY, "pq+rs+tu+vw+xy=E-mc^2", "normal"), (PROPERTY, long, "normal"), tex=long)
    )
    assert both
    assert both.score == 1.0


def test_a_variant_that_stands_is_no_contradiction() -> None:
    oscillator, driven = r"m\ddot x+c\dot x+kx=0", r"m\ddot x+c\dot x+kx=F\cos(\omega t)"
    about = _standing((PROPERTY, driven, "normal"), tex=oscillator)
    same, variant, other = (judge(about) for judge in existing_claims.EXISTING_CLAIM_FEATURES)
    assert (same, other) == (None, None)
    assert variant
    assert variant.score == existing_claims.informativeness(driven)
    assert str(variant.detail).endswith(r"further terms: F\cos(\omega t)")


def test_a_contradiction_tells_how_many_formulas_stand() -> None:
    found = existing_claims.other_formula(_standing((PROPERTY, "S=k\\ln W", "normal"), (PROPERTY, "a=b/c", "normal")))
    assert _said(found) == (1.0, "the item's 2 existing formulas differ from it at every level")


@pytest.mark.parametrize(
    ("tex", "says"),
    [
        ("x=y", 0.2),
        ("F=ma", math.log(3) / math.log(12)),
        ("y=abcdefgh", math.log(9) / math.log(12)),
        ("y=abcdefghijklmn", 1.0),
    ],
)
def test_how_much_an_equality_says(tex: str, says: float) -> None:
    assert existing_claims.informativeness(tex) == pytest.approx(says)


def test_a_formula_without_a_tree_says_nothing() -> None:
    assert existing_claims.informativeness(r"\sum " * 50) == 0.0


# -- classes --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "description", "plausible", "implausible"),
    [
        ({"Q9": "physical law"}, "", True, False),
        ({"Q9": "film"}, "", False, True),
        ({"Q9": "film"}, "a law", False, False),
        ({}, "male given name", False, True),
        ({}, "family name", False, True),
        ({}, "a thing", False, False),
        ({"Q8": "film"}, "", False, False),
        ({"Q9": ""}, "equations", True, False),
    ],
)
def test_classes_and_description_say_what_kind_of_thing_it_is(
    names: dict[str, str], description: str, plausible: bool, implausible: bool
) -> None:
    about = pair("F=ma", item("x", classes=("Q9",), description=description))
    text = "; ".join(filter(None, (names.get("Q9"), description)))
    told = (1.0, f"the item is described as {text}")
    assert _said(classes.plausible_class(about, names)) == (told if plausible else None)
    assert _said(classes.implausible_class(about, names)) == (told if implausible else None)


# -- what the built-in list says -------------------------------------------------------------------------------------------------


def _recognised(*hits: tuple[str, float, str], about: Item) -> CandidatePair:
    found = tuple(Hit(qid, 0.0, probability, level, "A=B", ()) for qid, probability, level in hits)  # type: ignore[arg-type]
    return CandidatePair(ConceptView(FormulaConcept("key", "F=ma", 1, 1), (), builtin_concepts(), found), about)


@pytest.mark.parametrize(
    ("level", "how"),
    [
        ("K0", "the built-in list has this formula for the item"),
        ("K1", "the built-in list has this formula for the item"),
        ("K2", "the built-in list has this formula for the item"),
        ("K3", "the built-in list has it with other indices, arguments or vector marks: A=B"),
        ("K4", "the built-in list has it rearranged or in other units: A=B"),
        ("K5", "the built-in list has it with other symbols: A=B"),
        ("K6", "the built-in list has a formula of the same shape: A=B"),
        ("", "the built-in list has a similar formula: A=B"),
    ],
)
def test_the_built_in_list_says_how_it_writes_the_formula(level: str, how: str) -> None:
    about = item("force", qid="Q11402")
    assert _said(builtin_list.handbook(_recognised(("Q11402", 0.61236, level), about=about))) == (0.6124, how)


def test_what_a_sentence_and_an_entry_of_ones_own_say_has_four_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    said = SimpleNamespace(name="force", confidence=0.123456, nearness=0.654321, sentence="the force")
    monkeypatch.setattr(ranking_evidence, "_mentions", lambda pair: [said])
    about = pair("F=ma", FORCE, place("⟦3⟧"))
    assert [_said(each(about))[0] for each in (ranking_evidence.called, ranking_evidence.mentioned)] == [0.1235, 0.6543]
    known = SimpleNamespace(is_own=lambda qid, tex: (qid, tex) == ("Q1", "A=B"))
    own: Any = SimpleNamespace(recognition=Hit("Q1", 0.0, 0.612367, "K2", "A=B", ()), view=SimpleNamespace(known=known))
    assert (found := builtin_list.handbook(own)) is not None
    assert (found.score, found.detail) == (0.6124, Message("evidence.handbook.own", tex="A=B"))


@pytest.mark.parametrize(("probability", "says"), [(0.0999, False), (0.1, True)])
def test_from_which_probability_the_built_in_list_speaks(probability: float, says: bool) -> None:
    found = builtin_list.handbook(_recognised(("Q11402", probability, "K2"), about=item("force", qid="Q11402")))
    assert (found is not None) is says


@pytest.mark.parametrize(
    ("hits", "says"),
    [
        ([("Q11402", 0.7, "K2")], True),
        ([("Q11402", 0.6999, "K2")], False),
        ([], False),
    ],
)
def test_the_built_in_list_contradicts_only_where_it_is_sure(hits: list[tuple[str, float, str]], says: bool) -> None:
    found = builtin_list.handbook_other(_recognised(*hits, about=item("cosmic froth", qid="Q5")))
    assert _said(found) == ((0.7, "the built-in list has this formula for force (Q11402)") if says else None)
    assert builtin_list.handbook_other(_recognised(*hits, about=item("force", qid="Q11402"))) is None


@pytest.mark.parametrize(
    ("share", "score", "percent"), [(1.0, 1.0, "100%"), (0.01, 0.5, "1%"), (1e-4, None, ""), (1e-6, None, "")]
)
def test_the_share_of_the_item_among_all_that_the_list_may_have_counts_by_its_logarithm(
    share: float, score: float | None, percent: str
) -> None:
    about = _recognised(("Q41273", 0.9, "K2"), ("Q11402", 0.0, ""), about=item("force", qid="Q11402"))
    hits = [replace(hit, score=math.log(share)) for hit in about.view.recognised]
    found = builtin_list.listed_share(replace(about, view=replace(about.view, recognised=hits)))
    told = f"of the items that the built-in list may have this formula for, this one has {percent} of the weight"
    assert _said(found) == (score and (pytest.approx(score), told))


@pytest.mark.parametrize(
    ("tex", "place", "score"), [("F=ma", 0, None), ("F=ma", 3, 0.48), ("F=ma", 9, 0.8), ("first", 3, None)]
)
def test_a_later_form_of_the_list_counts_against_the_more_the_later_it_is(
    tex: str, place: int, score: float | None
) -> None:
    listed = builtin_concepts().formulas("Q11376")
    about = _recognised(("Q11376", 0.8, ""), about=item("acceleration", qid="Q11376"))
    hits = [replace(hit, formula=listed[place]) for hit in about.view.recognised]
    concept = replace(about.view.concept, tex=listed[0] if tex == "first" else r"\zeta=\xi^{17}")
    found = builtin_list.listed_later(replace(about, view=replace(about.view, concept=concept, recognised=hits)))
    told = f"it is not the first form of the item in the built-in list but form {listed.index(hits[0].formula) + 1}"
    assert _said(found) == (score and (score, told))


DISC = {
    "Q5": Concept(
        "Q5",
        "disc",
        "geometry",
        (r"A = \pi r^2", r"x^2 + y^2 = u, \quad v = u w", "x^2 + y^2 = u", "r = v t"),
        (),
        (),
        (r"A = \pi r^2", "x^2 + y^2 = u"),
    )
}


@pytest.mark.parametrize(
    ("tex", "listed", "level", "score"),
    [
        (r"A = \pi r^2", 0, "K0", 0.8),
        (r"B = \pi q^2", 0, "K5", 0.8),
        ("x^2 + y^2 = u", 2, "K0", 0.8),  # one of the two equations that define it agrees with both
        ("r = v t", 3, "K0", None),
        ("t = r / v", 0, "", None),  # agrees with one that defines it
        ("r = v t + s^3", 3, "", None),  # is like one that defines it
    ],
)
@pytest.mark.parametrize("doubtful", [False, True])
def test_a_formula_that_the_list_has_about_an_item_counts_against_it(
    tex: str, listed: int, level: str, score: float | None, doubtful: bool
) -> None:
    about = _recognised(("Q5", 0.8, level), about=item("disc", qid="Q5"))
    hits = [replace(hit, formula=DISC["Q5"].formulas[listed]) for hit in about.view.recognised]
    concept = replace(about.view.concept, tex=tex)
    disc = DISC["Q5"]
    known = ConceptIndex({"Q5": replace(disc, about=(), doubtful=disc.about)} if doubtful else DISC)
    found = replace(about, view=replace(about.view, concept=concept, recognised=hits, known=known))
    told = "a formula of which it is doubtful whether it defines the item" if doubtful else "a formula about the item that does not define it"  # fmt: skip
    told = f"the built-in list has it as {told}, {hits[0].formula}"
    assert _said(builtin_list.listed_about(found)) == (score and (score, told))


# -- symbols --------------------------------------------------------------------------------------------------------------

ENERGY = item("kinetic energy")
LAW = item("Hooke's law")


def _defined(tex: str, about: Item, *meanings: tuple[str, str]) -> CandidatePair:
    return pair(tex, about, place(definitions=list(meanings)))


@pytest.mark.parametrize(
    ("tex", "about", "usual"),
    [
        ("K=mv", ENERGY, "K is a usual symbol for it"),
        ("R=mv", ENERGY, None),
        ("R+1=mv", ENERGY, None),
        ("F=kx", LAW, None),
        ("K=mv", item("cosmic froth"), None),
    ],
)
def test_usual_symbols_are_those_of_the_quantity(tex: str, about: Item, usual: str | None) -> None:
    assert _said(left_side.left_usual(pair(tex, about))) == (usual and (1.0, usual))


@pytest.mark.parametrize(
    ("tex", "about", "loose"),
    [
        ("R=mv", item("cosmic froth"), True),
        ("F=mv", item("cosmic froth"), True),
        ("K=mv", ENERGY, False),
        ("F=kx", LAW, False),
    ],
)
def test_a_thing_that_is_only_talked_about_is_a_loose_noun(tex: str, about: Item, loose: bool) -> None:
    told = f"“{about.label}” is not the name of a law, and the left-hand side is no usual symbol for it"
    assert _said(left_side.loose_noun(pair(tex, about))) == ((1.0, told) if loose else None)


@pytest.mark.parametrize(
    ("window", "loose"),
    [
        ("There is a lot of cosmic froth ⟦3⟧.", 1.0),
        ("Such a formula is called the cosmic froth: ⟦3⟧.", 0.4),
        ("Cosmic froth is defined as ⟦3⟧.", 0.25),
    ],
)
def test_what_a_sentence_calls_so_is_less_of_a_loose_noun(window: str, loose: float | None) -> None:
    found = left_side.loose_noun(pair("R=mv", item("cosmic froth"), place(window)))
    assert (found and found.score) == loose


@pytest.mark.parametrize(
    ("tex", "about", "gives"),
    [("F=kx", LAW, True), ("F-kx=0", LAW, False), ("K=mv", ENERGY, False)],
)
def test_a_law_that_only_gives_a_symbol_is_doubted(tex: str, about: Item, gives: bool) -> None:
    told = f"“{about.label}” is more than a quantity (a law, an equation, a function), but the formula only gives F"
    assert _said(left_side.one_symbol(pair(tex, about))) == ((1.0, told) if gives else None)


# -- words of the label ---------------------------------------------------------------------------------------------------

FREE_FALL = (
    place("a falling body has, as a function, ⟦3⟧", title="Free fall"),
    place("⟦3⟧", title="Momentum", heading="Falls"),
)


@pytest.mark.parametrize(
    ("label", "beside", "above"),
    [
        ("law of falling bodies", 0.5, None),  # no word of a title; and falls is another stem than falling
        ("momentum", 0.5, 0.5),
        ("free momentum", 0.5, 0.5),
        ("torque", None, None),
        ("function", 0.5, None),  # a word of many labels counts where there is no other
    ],
)
def test_how_many_words_of_the_label_the_places_use(label: str, beside: float | None, above: float | None) -> None:
    about = pair("v=gt", item(label), *FREE_FALL)
    found = ranking_evidence.words_beside(about), ranking_evidence.words_above(about)
    assert [each and each.score for each in found] == [beside, above]
    if beside:
        assert str(found[0].detail) == f"the text around it contains {beside:.0%} of the words of the item’s name"


@pytest.mark.parametrize(
    ("scores", "alone"),
    [
        ({"called": 0.3}, 0.45),
        ({"called": 0.9, "handbook": 0.75}, 0.25),
        ({"mentioned": 0.4, "title": 0.6}, 0.6),
        ({"title": 1.0, "handbook": 1.0}, None),
        ({"infobox": 1.0}, None),
    ],
)
def test_what_the_text_says_counts_more_where_the_list_is_silent(scores: dict[str, float], alone: float | None) -> None:
    found = ranking_evidence.named_alone(
        [Evidence(name, score, uncoded_message("x")) for name, score in scores.items()]
    )
    listed = "has it too" if "handbook" in scores else "does not have it"
    assert _said(found) == (alone and (alone, f"the text gives it this name, and the built-in list {listed}"))


@pytest.mark.parametrize(
    ("scores", "counts"),
    [
        ({"called": 0.5, "eponym": 1.0}, 0.75),
        ({"called": 0.8, "eponym": 1.0}, 1.0),
        ({"called": 0.5}, None),
        ({"eponym": 1.0, "mentioned": 1.0}, None),
    ],
)
def test_a_name_after_a_person_counts_more_where_a_sentence_gives_it(
    scores: dict[str, float], counts: float | None
) -> None:
    found = ranking_evidence.called_eponym(
        [Evidence(name, score, uncoded_message("x")) for name, score in scores.items()]
    )
    assert (found and found.score) == counts


@pytest.mark.parametrize(
    ("label", "windows", "missing"),
    [
        ("angular momentum", ["⟦3⟧"], 1.0),
        ("angular momentum", ["the momentum ⟦3⟧"], None),
        ("angular momentum", ["the momentum ⟦3⟧", "⟦3⟧"], 0.5),
        ("momentum", ["the momentum ⟦3⟧", "⟦3⟧", "⟦3⟧", "⟦3⟧"], 0.5),
    ],
)
def test_words_of_the_label_are_missing_from_less_than_half_of_them_on(
    label: str, windows: list[str], missing: float | None
) -> None:
    found = negative.words_missing(pair("L=rp", item(label), *map(place, windows)))
    assert (found and found.score) == missing
    assert negative.words_missing(pair("L=rp", item(label, formulas=["L=rp"]), *map(place, windows))) is None


@pytest.mark.parametrize(
    ("label", "places", "score"),
    [
        ("strain", [place()], 1.0),
        ("strain", [place(heading="Strain")], None),
        ("strain", [place(heading="Strain"), place(title="Elasticity")], 0.5),
        ("elastic strain", [place()], None),
    ],
)
def test_a_single_word_counts_less_where_neither_title_nor_heading_has_it(
    label: str, places: list[ConceptOccurrence], score: float | None
) -> None:
    found = negative.common_word(pair("R=mv", item(label), *places))
    assert (found and found.score) == score


# -- views ----------------------------------------------------------------------------------------------------------------


def test_a_spelling_keeps_the_rank_of_the_name_it_is_nearest_to() -> None:
    names = _named(("definition of force", 0.9), ("force", 0.8)).view.names
    assert names["force"] == (1, 1.0)
    assert names["definition of force"] == (0, 1.0)
    assert _named(("force", 0.9), ("force", 0.8)).view.names["force"] == (0, 1.0)


def test_meanings_are_of_the_first_symbol_from_the_concept_and_its_places() -> None:
    base = pair("F=ma", FORCE, place(definitions=[("m", "The Mass"), ("m", "mass")]))
    concept = replace(base.view.concept, definitions=(Definition("F a", "net force"),))
    meanings = replace(base.view, concept=concept).meanings
    assert meanings == {"m": {"mass"}, "F": {"net force"}}


def test_the_label_counts_over_an_alias_of_the_same_spelling() -> None:
    about = pair("F=ma", item("Force", aliases=("force", "net push", " ")))
    assert about.labels == {"force": 1.0, "net push": 0.9}
    assert [about.closeness(name) for name in ("Force", "net push", "work")] == [1.0, 0.9, 0.0]
    assert about.closeness("forces") == pytest.approx(0.95)


@pytest.mark.parametrize(
    ("qid", "label", "own"),
    [("Q11402", "force", True), ("Q77", "force", True), ("Q77", "work", False), ("Q11402", "work", False)],
)
def test_the_built_in_list_s_concept_is_an_item_of_its_name(qid: str, label: str, own: bool) -> None:
    assert pair("F=ma", item(label, qid=qid)).is_builtin("Q11402") is own


def test_another_concept_of_the_built_in_list_is_not_this_one_by_its_alias() -> None:
    about = pair("F=ma", item("work", qid="Q42213", aliases=("force",)))
    assert about.is_builtin("Q11402") is False


@pytest.mark.parametrize(
    ("a", "b", "same"),
    [
        ("F=ma", "F=m a", True),
        ("F=ma", "F=ma=mg", True),
        ("F=ma=mg", "ma", True),
        ("F=ma", "W=Fs", False),
        (r"\sum " * 50, "F=ma", False),
    ],
)
def test_chains_agree_link_by_link(a: str, b: str, same: bool) -> None:
    assert (agreement.equivalent(a, b) is not None) is same


def test_the_nearest_of_two_labels_counts() -> None:
    about = pair("p=mv", item("momentum", aliases=("definition of momentum",)))
    assert about.closeness("Definition of momentum") == 0.9
