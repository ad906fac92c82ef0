"""The built-in engine: a model and its tools, turn by turn."""
