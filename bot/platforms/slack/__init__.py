"""Slack: the only place that speaks its API, its events and its blocks."""
