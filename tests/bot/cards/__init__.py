"""Tests of bot/cards."""
