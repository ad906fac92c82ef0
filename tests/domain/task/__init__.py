"""Tests of domain/task."""
