"""Tests of workspace/forge."""
