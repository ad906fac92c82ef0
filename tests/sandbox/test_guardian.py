"""The guardian ends what has the bot's token, and can never be brought to end anything else.

It runs inside a sandbox here: what it must not end are the sandbox's own processes, never the machine's.
"""

import pytest

from agents.workspace.sandbox import bubblewrap, guardian, session
from tests.sandbox.yard import Yard, python

TOKEN = "overlord-" + "0123456789abcdef" * 2

TRY = """
    import os, subprocess, sys, time
    source, token = sys.argv[1], sys.argv[2][::-1]  # our own command line must not have it
    bystander = subprocess.Popen(["sleep", "60"])
    marked = subprocess.Popen(["sh", "-c", "sleep 60; :", "overlord-" + "0123456789abcdef" * 2])
    env = {"OVERLORD_TOKEN": token} if token != "none" else {}
    beside = subprocess.Popen([sys.executable, "-ISc", source], stdin=subprocess.PIPE, env=env)
    time.sleep(0.3)
    assert marked.poll() is None, "it did not wait for the end of the bot"
    beside.stdin.close()
    print(beside.wait(20), bystander.poll(), marked.poll())
"""


async def ending(yard: Yard, token: str) -> str:
    ran = await yard.python(TRY, bubblewrap.GUARDIAN.read_text(), token[::-1])
    assert ran.exit_code == 0, ran
    return ran.output.splitlines()[-1]


async def test_it_ends_what_has_the_token_and_nothing_else(yard: Yard) -> None:
    assert await ending(yard, TOKEN) == "0 None -9"


@pytest.mark.parametrize("token", ["", "none", "o", "overlord", "overlord-", "overlord-0", "sleep", TOKEN + "0"])
async def test_without_a_whole_token_it_ends_nothing(yard: Yard, token: str) -> None:
    assert await ending(yard, token) == "1 None None"


def test_the_tokens_we_make_are_whole_and_differ() -> None:
    made = {bubblewrap.Guard().token for _ in range(50)}
    assert len(made) == 50 and all(guardian.well_formed(token) for token in made)


async def test_our_program_inside_runs_only_as_the_first_process(yard: Yard) -> None:
    """It ends every process it sees; started anywhere else it must refuse before it does anything."""
    ran = await yard.sandbox.once(yard.workspace, yard.profile, python(session.INSIDE.read_text(), "0", "0"))
    assert ran.exit_code == 1 and "only as the first of a sandbox" in ran.output
