"""What a formula is made of, as features for vectors, indexes and weak equivalence."""
