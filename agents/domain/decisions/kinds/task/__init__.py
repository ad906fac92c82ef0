"""Decisions about a task as such, at any time of its life."""
