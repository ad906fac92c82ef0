"""Connections from outside: who is at the other end, and how many are let in."""
