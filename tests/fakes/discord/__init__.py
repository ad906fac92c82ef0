"""A strict Discord on loopback, for tests."""

from tests.fakes.discord.server import FakeDiscord

__all__ = ["FakeDiscord"]
