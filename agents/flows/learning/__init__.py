"""Flows of what is learnt."""
