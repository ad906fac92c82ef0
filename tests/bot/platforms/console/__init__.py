"""Tests of bot/platforms/console."""
