"""Tests of domain/phases."""
