"""Grouping of equivalents: which formulas of a corpus are one concept written differently. Keys first, then neighbours judged by laying statements over each other."""
