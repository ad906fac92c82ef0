"""Limits of a sandbox: memory, disk, processes."""
