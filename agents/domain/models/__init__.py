"""Models: which one serves a role, what it may cost, and what to do when a call fails."""
