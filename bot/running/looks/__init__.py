"""Looks at a minion's work before it is handed in."""
