"""The quantities that a formula's symbols stand for: which symbols it has, and whether their physical dimensions agree."""
