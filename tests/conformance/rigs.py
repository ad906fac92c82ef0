"""Helpers that the tests of platform share with others."""

from bot.config.platforms import REGISTRY

RIGS = {name: f"tests.conformance.{name}_rig" for name in REGISTRY}
