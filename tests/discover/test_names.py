"""Signs to ranked name candidates with reasons."""

from bot.discover.name_ranking import CorpusUsage, NameMention
from bot.discover.names import formula_usage, name_candidates


def test_two_documents_weigh_more_than_two_places_in_one() -> None:
    twice = name_candidates(
        [NameMention("wave law", "phrase_law", "a", 1), NameMention("wave law", "phrase_law", "a", 2)], most=5
    )
    apart = name_candidates(
        [NameMention("wave law", "phrase_law", "a", 1), NameMention("wave law", "phrase_law", "b", 1)], most=5
    )
    assert apart[0].score > twice[0].score
    assert apart[0].documents == 2
    assert "2 documents" in str(apart[0].reasons[0])


def test_spellings_are_pooled_and_the_running_text_decides_how_it_is_written() -> None:
    said = [
        NameMention("Ohm’s Law", "heading", "a", 1),
        NameMention("Ohm's law", "called", "a", 1),
        NameMention("Ohm's law", "adjacent_law", "b", 4),
    ]
    best, *rest = name_candidates(said, most=5)
    assert (best.name, rest) == ("Ohm's law", [])


def test_a_table_of_key_equations_beats_prose() -> None:
    said = [
        NameMention("kinetic energy", "key_equations", "a", 1),
        NameMention("work", "phrase_quantity", "a", 1),
        NameMention("theorem of work", "states", "a", 1),
    ]
    assert name_candidates(said, most=2)[0].name == "kinetic energy"
    assert len(name_candidates(said, most=2)) == 2


def test_the_name_of_another_symbol_of_the_formula_counts_less() -> None:
    said = [
        NameMention("mass", "adjacent", "a", 1),
        NameMention("momentum", "phrase_quantity", "a", 1),
        NameMention("momentum", "heading", "a", 1),
    ]
    assert name_candidates(said, most=5)[0].name == "mass"
    assert name_candidates([*said, NameMention("mass", "constituent", "a", 1)], most=5)[0].name == "momentum"


def test_a_label_of_an_item_lifts_a_name_and_is_told() -> None:
    said = [NameMention("Jeans length", "adjacent", "a", 1)]
    plain = name_candidates(said, most=1)[0]
    known = name_candidates(said, most=1, qids_by_label={"jean length": "Q1"})[0]
    assert known.score > plain.score
    assert "Q1" in str(known.reasons[-1])


def test_exercises_count_half() -> None:
    text = name_candidates([NameMention("speed", "called", "a", 1)], most=1)[0]
    exercise = name_candidates([NameMention("speed", "called", "a", 1, "exercise")], most=1)[0]
    assert exercise.score < text.score


def test_the_order_of_signs_does_not_matter() -> None:
    said = [
        NameMention("b law", "called", "x", 1),
        NameMention("a law", "called", "x", 1),
        NameMention("a law", "title", "y", 2),
    ]
    assert name_candidates(said, most=5) == name_candidates(said[::-1], most=5)


def test_words_of_bare_windows_that_meet_nowhere_else_count_less() -> None:
    here = [NameMention("blue whale", "near_pair", "a", 1), NameMention("grey whale", "near_pair", "a", 1)]
    there = [NameMention("grey whales", "near_pair", "b", 1), NameMention("blue whale", "called", "c", 1)]
    usage = CorpusUsage.of(formula_usage("", mentions) for mentions in (here, there))
    assert usage.phrase_documents == {"blue whale": 1, "grey whale": 2}
    assert [n.name for n in name_candidates(here, most=5)] == ["blue whale", "grey whale"]
    assert [n.name for n in name_candidates(here, most=5, usage=usage)] == ["grey whale", "blue whale"]


def test_praise_does_not_stand_before_what_more_documents_say() -> None:
    said = [
        NameMention("important entropy", "phrase_quantity", "a", 1),
        NameMention("entropy", "phrase_quantity", "b", 1),
    ]
    said += [NameMention("entropy", "phrase", "a", 1)]
    assert name_candidates(said, most=1)[0].name == "entropy"
