"""Workflows and roles: how a task runs, and as whom."""
