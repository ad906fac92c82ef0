"""How much `make run` and `make test` install: files of the packages that the lock names for each, without bytecode."""

import re
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from tests.bench.floor import ROOT
from tests.bench.rows import Row, Say

MB = 1 << 20
MOST = 330  # MB, for running


def run(say: Say) -> list[Row]:
    everything = re.findall(r"(?m)^([\w.-]+)(?:\[[^]]*])?==", (ROOT / "requirements.lock").read_text())
    needed = (ROOT / "requirements-run.txt").read_text().split()
    running, all_of_it = (sum(map(_size, names)) / MB for names in (needed, everything))
    say(f"to run {running:.0f} MB in {len(needed)} packages, with what tests need {all_of_it:.0f} MB")
    return [
        Row(name="installed_to_run", ours=running, unit="MB", most_ours=MOST, beside="what `make run` installs"),
        Row(name="installed_for_tests", ours=all_of_it, unit="MB", beside="what `make test` installs"),
    ]


def _size(name: str) -> int:
    """0 for a package of other machines."""
    try:
        files = distribution(name).files or ()
    except PackageNotFoundError:
        return 0
    return sum(path.stat().st_size for path in {Path(file.locate()).resolve() for file in files} if path.is_file())
