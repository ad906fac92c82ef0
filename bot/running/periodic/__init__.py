"""Periodic work, and the table that says how often each is done."""
