"""Equivalence by numbers: expressions, sampling, and proofs by sympy in a limited process."""
