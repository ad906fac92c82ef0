"""Decisions: durable pauses for a person, who may decide them, and what follows."""
