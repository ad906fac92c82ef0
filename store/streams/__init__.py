"""Streams of facts, and the tables that follow from them."""
