"""Tests of workspace/gates."""
