"""One request from words to merge, as people read it: the whole thread as text, on each platform.

Only the plan and the merge need a person. `pytest --snapshot-update` writes the texts anew: read them.
"""

import re

import pytest
from syrupy.assertion import SnapshotAssertion
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode

from agents.domain.ids import Thread
from bot.platforms.slack import notation
from tests.fakes.work import Workshop
from tests.scenarios.conftest import ALL, Given, Opened, Play
from tests.scenarios.rehearsed import REQUEST

STAGES = ALL

# What differs from run to run.
_VARIES = (
    (r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", "2026-11-18 18:00 UTC"),
    (r"<t:\d+:[a-zA-Z]>", "2026-11-18 18:00"),
    (r"<!date\^[^>]*\|([^>]*)>", "2026-11-18 18:00"),
    (r" \d[\d. a-z]* since it was asked for", " 6 s since it was asked for"),
    (r"\b[0-9a-f]{10}\b", "c0ffee1234"),
    (r"^(<@\d+>|@U0BOT) (?=Let links)", "@Overlord "),
    (r"<@\d+>|@U0LEAD", "@Lead"),
)


class AsText(SingleFileSnapshotExtension):
    _write_mode = WriteMode.TEXT
    file_extension = "txt"


@pytest.fixture
def thread_text(snapshot: SnapshotAssertion) -> SnapshotAssertion:
    return snapshot.use_extension(AsText)


async def test_a_walk_reads_well_from_words_to_merge(opened: Opened, thread_text: SnapshotAssertion) -> None:
    play = await opened(Given(work=Workshop()))
    thread = await play.stage.say("ana", REQUEST, mention=True)
    await play.sees("ana", thread, "please look at the plan")
    await play.sees("ana", thread, f"T-1 · {REQUEST}", "Waiting for approval")
    first = await as_text(play, thread)
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("lead", thread, "T-1 is ready to merge")
    await play.sees("ana", thread, f"T-1 · {REQUEST}", "Ready to merge")
    await play.sees("ana", thread, "Checks of T-1: T-1.4 passed")
    merge = await as_text(play, thread)
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    await play.sees("ana", thread, "Merge approved by")
    await play.sees("ana", thread, f"T-1 · {REQUEST}", "Done")
    last = await as_text(play, thread)
    assert last.count("\n── Overlord") + last.startswith("── Overlord") <= 6, "messages of the bot"
    parts = {"WHEN THE PLAN IS THERE": first, "WHEN THE WORK IS DONE": merge, "AT THE END": last}
    assert "\n\n".join(f"════ {title} ════\n\n{text}" for title, text in parts.items()) + "\n" == thread_text


async def as_text(play: Play, thread: str) -> str:
    """The thread as the lead sees it, once nothing more is under way."""
    shown = await play.silence("lead", thread)
    if play.stage.name == "slack":  # what the blocks say, without the words for notifications
        place = notation.place(Thread(thread))
        seen = play.stage.fake.thread(place.channel, place.ts, "U0LEAD")  # type: ignore[attr-defined]
        said = [(m.by_bot, m.words, m.labels) for m in seen if not m.files]
    else:
        said = [(m.by_bot, m.text, m.buttons) for m in shown]
    text = "\n\n".join(_message(*each) for each in said)
    for pattern, instead in _VARIES:
        text = re.sub(pattern, instead, text, flags=re.MULTILINE)
    return text


def _message(by_bot: bool, text: str, buttons: tuple[str, ...]) -> str:
    pressed = "\n" + " ".join(f"[ {label} ]" for label in buttons) if buttons else ""
    return f"── {'Overlord' if by_bot else 'Ana'} ──\n{text.strip()}{pressed}"
