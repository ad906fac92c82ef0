"""Processes of a sandbox: start, output, the tree, and its guardian."""
