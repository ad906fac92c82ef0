"""What is slow the first time is done once in each process that forks bots."""

import pytest

from tests.faults.console_trial import warm


@pytest.fixture(scope="session", autouse=True)
def warmed() -> None:
    warm()
