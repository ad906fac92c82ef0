"""What the offline model can rehearse: plans and verdicts in one file, the work of minions in a file a request."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from agents.catalog.yaml import read_yaml
from manifests import packaged


@cache
def load_scripts() -> tuple[Mapping[str, Any], ...]:
    """Read once: it takes a third of a second, and comes with the program."""
    data: Any = read_yaml(packaged("samples", "rehearsal.yaml")).data
    played: list[Any] = [read_yaml(path).data for path in sorted(packaged("samples", "rehearsal").glob("*.yaml"))]
    work = {str(each["request"]): each["work"] for each in played}
    return tuple({**script, "work": work.get(str(script["request"]), [])} for script in data["requests"])


def rehearsed_requests(scripts: Sequence[Mapping[str, Any]]) -> list[tuple[str, str]]:
    """What can be asked for: the request, and what it shows."""
    return [(str(script["request"]), str(script["shows"])) for script in scripts]
