"""Engines that are programs of others, on the command line."""
