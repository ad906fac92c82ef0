"""Retry policies as a file: what comes with the program, what overlord.yaml changes, and what it may not say."""

from pathlib import Path

import pytest

from agents.catalog.retries import RETRIES
from agents.catalog.yaml import read_packaged
from agents.domain.models.failure import POLICIES, ErrorClass, RetryPolicy
from bot.config.settings import Settings
from bot.config.settings_source import BadSettings, load_settings


def read(folder: Path, written: str) -> Settings:
    file = folder / "overlord.yaml"
    file.write_text(written)
    environ = {"OVERLORD_HOME": str(folder / "state"), "OVERLORD_CONFIG": str(file)}
    return load_settings(environ, cwd=folder, user="ana")


def test_the_file_says_what_holds_where_nobody_says_more() -> None:
    assert RETRIES.read(read_packaged("policies", "retries.yaml").data) == POLICIES


def test_a_policy_is_changed_in_part_and_a_new_one_is_like_the_default(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        "retries:\n  conservative: {max_attempts: 4}\n  patient: {initial_delay_seconds: 30, retry: [network]}\n"
        "workflow: {steps: {test: {retry_policy: patient}}}\n",
    )
    assert found.retries["aggressive"] == POLICIES["aggressive"]
    assert found.retries["conservative"] == RetryPolicy(attempts=4, base=5, factor=3.0, longest=120)
    only = frozenset({ErrorClass.NETWORK})
    assert found.retries["patient"] == RetryPolicy(attempts=3, base=30, factor=2.0, longest=30, retried=only)
    assert found.declared and found.declared.retries == {*POLICIES, "patient"}


@pytest.mark.parametrize(
    ("written", "line", "told"),
    [
        ("retries:\n  default: {max_attempts: 0}\n", 2, "`0` cannot be used. Write at least 1."),
        ("retries:\n  default:\n    retry: [network, resource]\n", 3, "a person is asked at once."),
        ("retries:\n  default:\n    retry: [netwrk]\n", 3, "Write one of `network`, `cli_error`"),
        ("retries:\n  patient: {max_attempt: 4}\n", 2, "Did you mean `max_attempts`?"),
        ("retries:\n  patient: {jitter: true}\n", 2, "`true` is not a number"),
        ("retries:\n  Patient: {}\n", 2, "`Patient` cannot be used as a name"),
        ("workflow:\n  steps:\n    test: {retry_policy: patient}\n", 3, "or add it under `retries:`."),
        (
            "workflow:\n  steps:\n    look: {type: human, position: before commit, retry_policy: default}\n",
            3,
            "nothing obeys `retry_policy`",
        ),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, written: str, line: int, told: str) -> None:
    with pytest.raises(BadSettings) as bad:
        read(tmp_path, written)
    [problem] = bad.value.problems
    assert f"line {line}" in problem.name and told in str(problem)
