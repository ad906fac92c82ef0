"""Tests of domain/checks."""
