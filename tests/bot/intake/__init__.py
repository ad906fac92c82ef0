"""Tests of bot/intake."""
