"""`make bench ARGS="--only engines"`: the real command-line agents, installed from the npm registry, held to the port.

As a program of its own it installs those that are not here yet, and runs every test that needs them.
"""

import asyncio
import os
import sys

from agents.catalog.models import PROGRAMS
from agents.domain.errors import OverlordError
from agents.workspace.programs.installing import install
from tests.conformance.cli_rig import is_here, programs

TESTS = (
    "tests/conformance/test_minions.py",
    "tests/conformance/test_orders_of_files.py",
    "tests/minions/cli",
    "tests/llm/relay/test_program_models.py",
    "tests/scenarios/test_program_minions.py",
)


async def main() -> int:
    for engine in PROGRAMS:
        if not is_here(engine):
            try:
                await install(programs(), engine)
            except OverlordError as problem:
                print(f"{engine} cannot be had: {problem}")
                return 1
        print(f"{engine} {programs().find(engine).version}")
    line = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=600", *TESTS)
    suite = await asyncio.create_subprocess_exec(*line, env={**os.environ, "OVERLORD_TEST_PROGRAMS": "1"})
    return await suite.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
