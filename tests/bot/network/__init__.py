"""Tests of bot/network."""
