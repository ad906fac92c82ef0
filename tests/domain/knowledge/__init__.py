"""Tests of domain/knowledge."""
