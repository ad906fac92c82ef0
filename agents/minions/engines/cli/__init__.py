"""Engines that are command-line agents of others: what they have in common, and one module for each."""
