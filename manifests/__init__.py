"""Declarative files that come with the program, and the way to find them."""

from pathlib import Path

_HERE = Path(__file__).parent


def packaged_path(*parts: str) -> Path:
    """The path of a file that comes with the program: packaged_path("policies", "limits.yaml")."""
    return _HERE.joinpath(*parts)
