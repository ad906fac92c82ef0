"""Helpers that the tests of removal share with others."""

NOBODY = 65534
