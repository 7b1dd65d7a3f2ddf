"""LaTeX source to documents: one scanner that expands the author's macros as TeX would, and pours text and formulas in reading order."""
