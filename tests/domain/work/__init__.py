"""Tests of domain/work."""
