"""Words about supervisors and what they ask for."""
