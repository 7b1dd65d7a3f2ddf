"""What a wiki's math grammar accepts, and the safe repairs of what it refuses."""
