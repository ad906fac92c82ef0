"""Tests of domain/project."""
