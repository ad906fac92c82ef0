"""Tests of bot/platforms/discord."""
