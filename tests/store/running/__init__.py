"""Tests of store/running."""
