"""Helpers that the tests of rehearsed walk share with others."""

import subprocess
from pathlib import Path

REQUEST = "Let links expire after a chosen number of days"


WORK = 120.0  # seconds for minions and gates, which run real programs; machines are shared


def git(repository: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", str(repository), *words], check=True, capture_output=True, text=True).stdout
