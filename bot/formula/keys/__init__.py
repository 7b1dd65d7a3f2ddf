"""Keys K0 to K6, and the algebra, polynomials and renaming that they are made with."""
