"""What the offline model can rehearse, from manifests/samples/rehearsal.yaml."""

from collections.abc import Mapping, Sequence
from typing import Any

from agents.catalog.yaml import read_yaml
from manifests import packaged


def load_scripts() -> tuple[Mapping[str, Any], ...]:
    data: Any = read_yaml(packaged("samples", "rehearsal.yaml")).data
    return tuple(data["requests"])


def rehearsed(scripts: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What can be asked for: the request, and what it shows."""
    return [(str(script["request"]), str(script["shows"])) for script in scripts]
