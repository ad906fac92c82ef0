"""What is told when there is no sandbox to work in."""

from agents.domain.errors import OverlordError


class SandboxUnusable(OverlordError):
    """Nothing was run, and nothing will be until the sandbox works."""
