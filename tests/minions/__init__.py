"""Minions: what they read and what runs them."""
