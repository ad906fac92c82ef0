"""Sandboxes to try the suite on: bubblewrap everywhere, Docker and Podman where an engine answers."""

import os
import shutil
import subprocess
from collections.abc import Callable

import pytest

from agents.ports import Sandbox
from agents.workspace.sandbox.container import IMAGE, Container, Engine
from tests.sandbox.yard import bubblewrap

PATIENCE = 60.0


def _container(name: str) -> Sandbox:
    """Needs the image on this machine already: tests download nothing. OVERLORD_TEST_IMAGE names another one."""
    path, image = shutil.which(name), os.environ.get("OVERLORD_TEST_IMAGE", IMAGE)
    if path is None or not _works(path, "info"):
        pytest.skip(f"not run: no {name} engine answers here")
    if not _works(path, "image", "inspect", image):
        pytest.skip(f"not run: {name} has no image {image} here")
    return Container(Engine(name=name, path=path, image=image))


def _works(*command: str) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=PATIENCE, check=False).returncode == 0
    except subprocess.TimeoutExpired:
        return False


RIGS: dict[str, Callable[[], Sandbox]] = {
    "bubblewrap": bubblewrap,
    "docker": lambda: _container("docker"),
    "podman": lambda: _container("podman"),
}
