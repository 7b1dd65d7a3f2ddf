"""Unlike forms of one equation: vectors, sums and operators written in one way, solutions of differential equations."""
