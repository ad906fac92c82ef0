"""Queries: what the console and the command line read, and how they act."""
