"""Tests of domain/workflow."""
