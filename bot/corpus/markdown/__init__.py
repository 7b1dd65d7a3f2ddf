"""Markdown in its many dialects, and what is written in it: notes, books, static sites, cells of notebooks."""
