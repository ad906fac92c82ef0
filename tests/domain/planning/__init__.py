"""Tests of domain/planning."""
