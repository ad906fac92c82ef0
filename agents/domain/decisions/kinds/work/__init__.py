"""Decisions while a plan is carried out, up to the merge."""
