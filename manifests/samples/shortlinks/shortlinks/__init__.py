"""Short codes for long addresses."""
