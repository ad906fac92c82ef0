"""Tests of bot/platforms/slack."""
