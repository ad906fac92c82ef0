"""Tests of workspace/files."""
