"""Intake: words and presses become facts."""
