"""What a text calls its formulas: the word lists and patterns of each language, the sentences of a window, all cues of an occurrence."""
