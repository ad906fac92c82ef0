"""Tests of domain/models."""
