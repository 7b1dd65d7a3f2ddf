"""How two formulas are related: keys, exact algebra, substitutions, units."""
