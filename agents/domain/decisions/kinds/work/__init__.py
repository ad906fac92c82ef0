"""Decisions about work: of a subtask, and of the whole."""
