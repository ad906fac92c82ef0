"""Sources of programs, mostly of Python, read and never run."""
