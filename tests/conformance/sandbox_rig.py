"""Sandboxes to try the suite on: bubblewrap everywhere, Docker and Podman where an engine answers."""

import os
from collections.abc import Callable

import pytest

from agents.ports import Sandbox
from agents.workspace.sandbox.container import Container, Engine
from tests.sandbox import engines
from tests.sandbox.yard import bubblewrap

PATIENCE = engines.PATIENCE
USUAL = ["bubblewrap", "podman"]
# `make bench ARGS=--all` names Podman and Docker, of which it starts one, and leaves nothing out.
NAMED = os.environ.get("OVERLORD_TEST_SANDBOXES", "").split()


def _container(engine: Callable[[], Engine]) -> Container:
    try:
        return Container(engine())
    except engines.NoEngine as why:
        pytest.skip(f"not run: {why}")


RIGS: dict[str, Callable[[], Sandbox]] = {
    "bubblewrap": bubblewrap,
    "docker": lambda: _container(engines.docker),
    "podman": lambda: _container(engines.podman),
}
