"""Words about decisions that a task as such needs."""
