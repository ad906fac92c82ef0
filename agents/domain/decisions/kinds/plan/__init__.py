"""Decisions on the way to a plan."""
