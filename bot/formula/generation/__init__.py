"""A formula as other people and other fields write it, and formulas that only look like it: from TeX to TeX, without its tree."""
