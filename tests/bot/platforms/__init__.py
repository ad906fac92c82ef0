"""Tests of bot/platforms."""
