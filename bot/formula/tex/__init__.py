"""TeX to operator trees: cleaning, tokens, the reader, systems of equations."""
