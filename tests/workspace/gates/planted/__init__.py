"""Planted tests: what is heard of them, and what is made of it."""
