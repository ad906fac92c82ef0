"""A program that ends without a word has not said that its work is done: it is told once, and started again. One that
gives no sign for long is ended, and all that it started with it; one that prints garbage is told with how it ended."""

import asyncio
import stat
from pathlib import Path

import pytest

from agents.domain.errors import NoAnswer
from agents.domain.models.failure import ErrorClass
from agents.ports import Finished, Program
from tests.fakes.model_server import ModelServer
from tests.minions.cli.test_attacks import MODEL, field, play
from tests.minions.field import Field

__all__ = ["field"]

SAYS = """#!/bin/sh
# Speaks as Codex does; what it is told goes into a file, one a start.
n=$(ls shortlinks/told* 2>/dev/null | wc -l)
cat > shortlinks/told$n
if [ "$n" -ge {silent} ]; then
  echo '{{"type":"item.completed","item":{{"type":"agent_message","text":"It is done."}}}}'
fi
echo '{{"type":"turn.completed"}}'
"""


async def outcome_of(field: Field, tmp_path: Path, silent: int) -> tuple[object, list[str]]:
    """Of a program that is silent so many times."""
    layer = tmp_path / "layer"
    layer.mkdir()
    program = layer / "codex"
    program.write_text(SAYS.format(silent=silent))
    program.chmod(program.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    async with ModelServer(wire="responses", models=(MODEL,)) as provider:
        outcome = await play(field, provider, Program(argv=(str(program),), version="1", readable=(layer,)))
    told = sorted((field.root / "shortlinks").glob("told*"))
    return outcome, [each.read_text() for each in told]


async def test_it_is_started_once_more_and_told_why(field: Field, tmp_path: Path) -> None:
    outcome, told = await outcome_of(field, tmp_path, silent=1)
    assert outcome == Finished(summary="It is done.", note="")
    assert len(told) == 2 and "You ended without a word." in told[1] and "You ended without a word." not in told[0]


async def test_one_that_stays_silent_is_judged_by_its_work(field: Field, tmp_path: Path) -> None:
    outcome, told = await outcome_of(field, tmp_path, silent=9)
    assert outcome == Finished(summary="Done.", note="") and len(told) == 2


HANGS = """#!/bin/sh
(while :; do date +%N > shortlinks/beats; sleep 0.1; done) &
exec sleep 600
"""


async def test_one_that_hangs_is_ended_with_all_that_it_started_and_not_tried_for_ever(
    field: Field, tmp_path: Path
) -> None:
    layer = tmp_path / "layer"
    layer.mkdir()
    program = layer / "codex"
    program.write_text(HANGS)
    program.chmod(0o755)
    waited = list[float]()

    async def wait(seconds: float) -> None:
        waited.append(seconds)

    async with ModelServer(wire="responses", models=(MODEL,)) as provider:
        found = Program(argv=(str(program),), version="1", readable=(layer,))
        with pytest.raises(NoAnswer, match="said nothing for too long") as told:
            await play(field, provider, found, silence=1.0, wait=wait)
    assert told.value.error == ErrorClass.NETWORK
    assert 1 <= len(waited) < 5, "by the retry policy of its step"
    before = beats(field)
    await asyncio.sleep(0.5)
    assert beats(field) == before, "nothing of it runs on"


def beats(field: Field) -> str:
    """Empty: a start was over before it began, on a machine that is busy."""
    file = field.root / "shortlinks" / "beats"
    return file.read_text() if file.exists() else ""


GARBAGE = """#!/bin/sh
printf '}{%.0s' $(seq 4000)
printf '\\033[31mnull\\n\\000\\377\\n{"type":"thread.renamed"}\\n{"type":["turn.completed"]}\\n'
exit 3
"""


async def test_one_that_prints_garbage_is_told_in_plain_words(field: Field, tmp_path: Path) -> None:
    layer = tmp_path / "layer"
    layer.mkdir()
    program = layer / "codex"
    program.write_text(GARBAGE)
    program.chmod(0o755)

    async def wait(seconds: float) -> None:
        """Nobody has time."""

    async with ModelServer(wire="responses", models=(MODEL,)) as provider:
        found = Program(argv=(str(program),), version="1", readable=(layer,))
        with pytest.raises(NoAnswer, match=r"Codex broke off 2 times: .*exit 3") as told:
            await play(field, provider, found, wait=wait)
    assert told.value.error == ErrorClass.CLI_ERROR and str(told.value).isprintable()
