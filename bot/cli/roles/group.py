"""All of `overlord roles`, as the command line loads it."""

from bot.cli.roles import app, listing, reading, soundness

__all__ = ["app", "listing", "reading", "soundness"]
