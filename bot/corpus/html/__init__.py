"""Readers of HTML pages: one tree without its formulas, one walker, and a reader for each kind of page."""
