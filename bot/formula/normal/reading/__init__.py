"""What the canonical tree reads beyond products and fractions: statements of logic, sides of limits, marks of single authors."""
