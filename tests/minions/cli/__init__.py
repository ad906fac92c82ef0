"""Engines that are command-line agents of others."""
