"""Tests of domain/learning."""
