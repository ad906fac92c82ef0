"""Tests of domain/decisions."""
