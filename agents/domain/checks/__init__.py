"""Checks of finished work: gates, their judgement, and the risk of a change."""
