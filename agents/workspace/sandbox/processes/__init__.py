"""Processes of a sandbox: how they start and end, what they say, and what they use up."""
