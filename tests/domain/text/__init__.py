"""Tests of domain/text."""
