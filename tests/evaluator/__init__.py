"""A corpus of small repositories with good and bad work in them, and what the gates must say of each."""
