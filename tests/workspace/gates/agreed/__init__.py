"""Tests of workspace/gates/agreed."""
