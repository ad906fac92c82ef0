"""Tests of workspace/git."""
