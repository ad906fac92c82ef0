"""Plain data and pure decisions: the standard library and pydantic, nothing that waits or reads a clock."""
