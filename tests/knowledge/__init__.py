"""Tests of agents/knowledge."""
