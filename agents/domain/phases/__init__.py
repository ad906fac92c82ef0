"""Phases of a plan: what they agree on, when they begin, what they are called, and how they stand."""
