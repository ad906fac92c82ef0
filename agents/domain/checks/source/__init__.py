"""Sources of Python programs, read and never run."""
