"""Helpers that the tests of planning share with others."""

AT_FIRST = "Let links expire after a chosen number of days"
