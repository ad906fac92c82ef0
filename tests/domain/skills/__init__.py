"""Tests of domain/skills."""
