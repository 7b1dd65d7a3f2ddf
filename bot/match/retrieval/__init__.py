"""Recognition: the inverted index over features of formulas, and the ranking of what it finds."""
