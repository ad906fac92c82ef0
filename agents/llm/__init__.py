"""Asks models: the only place that speaks litellm."""
