"""Flows of questions about the code."""
