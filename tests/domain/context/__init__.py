"""Tests of domain/context."""
