"""The arrays of the recognition index: readings of formulas, their layout, and the files that processes share."""
