"""Folders of whoever works without the code: what is shown there, and what comes back from the whole project."""
