"""Runs as tests of metrics write them."""

from datetime import UTC, datetime
from typing import Any

from agents.domain.ids import TaskId
from agents.domain.metrics.run_row import Run

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def run(task: int = 1, **other: Any) -> Run:
    """A minion's, that went well."""
    usual: dict[str, Any] = {
        "step": "implement",
        "subtask": 1,
        "attempt": 1,
        "role": "implementer",
        "engine": "built-in, bubblewrap",
        "model": "m",
        "task_type": "fix",
        "workflow": "simple",
        "success": True,
        "retries": 0,
        "calls": 1,
        "tokens_in": 900,
        "tokens_out": 100,
        "cached_tokens": 0,
        "cost": 0.1,
        "seconds": 10.0,
        "error": "",
        "timestamp": AT,
    }
    return Run(task=TaskId(f"T-{task}"), **{**usual, **other})
