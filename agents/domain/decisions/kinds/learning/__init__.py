"""Decisions about what is learnt: proposals, skills, directives, notes."""
