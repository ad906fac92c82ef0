"""Tests of store/streams."""
