"""Presentation MathML to TeX."""
