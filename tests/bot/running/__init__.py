"""Tests of bot/running."""
