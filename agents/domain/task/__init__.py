"""A task: its state, the fold of its facts, and what people may do to it at any time."""
