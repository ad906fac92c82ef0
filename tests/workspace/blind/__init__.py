"""Tests of workspace/blind."""
