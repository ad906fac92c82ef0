"""Tests of store/chat."""
