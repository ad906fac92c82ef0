"""Minions: what they read, the tools they are given, and the engines that run them in the sandbox."""
