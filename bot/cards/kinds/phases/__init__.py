"""Cards of decisions about a whole phase of a plan at work."""
