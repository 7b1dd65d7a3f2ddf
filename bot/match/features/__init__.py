"""Ranking features of a candidate pair: evidence for and against, each a score and a sentence."""
