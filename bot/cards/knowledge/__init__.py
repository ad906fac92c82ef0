"""Notes on what a project has learnt, in words."""
