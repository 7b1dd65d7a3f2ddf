"""Formulas as people type them before they are cut into tokens: plain TeX, Unicode, units, chemistry, signs of single countries and subjects."""
