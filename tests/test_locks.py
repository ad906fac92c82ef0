"""What running needs is a part of what is locked, and all of what the program says it needs."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
TOOLS = {"mypy", "hypothesis", "playwright", "pytest-xdist", "syrupy", "uv", "pip", "setuptools"}


def plain(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement)[0].casefold().replace(".", "-")


def test_what_running_needs_is_locked_and_no_more() -> None:
    needed = (ROOT / "requirements-run.txt").read_text().split()
    locked = set(re.findall(r"(?m)^([\w.-]+?)(?:\[[^]]*])?==", (ROOT / "requirements.lock").read_text()))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    said = {plain(each) for each in (*project["project"]["dependencies"], *project["dependency-groups"]["setup"])}
    assert needed == sorted(needed) and set(needed) <= locked
    assert said <= set(needed), "make lock"
    assert not set(needed) & TOOLS and not locked & {"pip", "setuptools"}
