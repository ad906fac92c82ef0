"""What the walks are about: what the model truly means, and the end that is right for it. Some right ends are a no."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tests.scenarios.plans import GO, OK, subtask
from tests.scenarios.working import APPROVED

Json = dict[str, Any]


class End(StrEnum):
    MERGED = "merged"
    PLAN_STOPPED = "the plan is stopped"
    WORK_REFUSED = "the work is refused by its reader"
    TESTS_FAIL = "the tests fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    name: str
    request: str
    end: End
    subtasks: tuple[Json, ...]
    writes: tuple[Mapping[str, str], ...]  # files of each subtask
    critic: Json = field(default_factory=lambda: GO)
    custodiet: Json = field(default_factory=lambda: OK)
    review: Json = field(default_factory=lambda: APPROVED)
    often: int = 1  # of all walks, so many have this one

    @property
    def plan(self) -> Json:
        return {"status": "COMPLETE", "goal": self.request, "subtasks": list(self.subtasks)}


LINE = "Links are kept for ever.\n"
KEPT = 'KEPT = "for ever"\n\n\ndef kept() -> str:\n    """How long links are kept."""\n    return KEPT\n'
KEPT_TEST = (
    'from shortlinks.kept import kept\n\n\ndef test_links_are_kept() -> None:\n    assert kept() == "for ever"\n'
)
CODES = '"""Numbers as short codes."""\n\nALPHABET = "23"\n\n\ndef encode(number: int) -> str:\n    return "2"\n'
HALT = {
    "verdict": "halt",
    "issues": [{"what": "Deleting the store loses every link", "fix": "Keep the store"}],
}
BLOCK = {
    "verdict": "block",
    "issue": "It deletes what nobody asked to delete",
    "principle": "stay within the request",
    "suggestion": "Leave the store alone",
}
REJECTED = {
    "status": "rejected",
    "issues": ["It says the opposite of what was asked for"],
}

SAY = subtask("Say how long links are kept", files=["KEPT.md"], kind="docs")
DELETE = subtask("Delete the store", files=["shortlinks/store.py"], kind="refactor")

STORIES = (
    Story(
        name="docs", request="say how long links are kept", end=End.MERGED, often=9,
        subtasks=(SAY,), writes=({"KEPT.md": LINE},),
    ),
    Story(
        name="code", request="add a function that says how long links are kept", end=End.MERGED, often=4,
        subtasks=(subtask("Add kept()", files=["shortlinks/kept.py", "tests/test_kept.py"], kind="feature"),),
        writes=({"shortlinks/kept.py": KEPT, "tests/test_kept.py": KEPT_TEST},),
    ),
    Story(
        name="two", request="say how long links are kept, and where", end=End.MERGED, often=2,
        subtasks=(SAY, subtask("Say where links are kept", 1, files=["WHERE.md"], kind="docs")),
        writes=({"KEPT.md": LINE}, {"WHERE.md": "Links are kept in a file.\n"}),
    ),
    Story(
        name="halt", request="tidy up the store", end=End.PLAN_STOPPED, often=2,
        subtasks=(DELETE,), writes=({},), critic=HALT,
    ),
    Story(
        name="block", request="tidy up the store a little", end=End.PLAN_STOPPED, often=1,
        subtasks=(DELETE,), writes=({},), custodiet=BLOCK,
    ),
    Story(
        name="rejected", request="say that links are not kept", end=End.WORK_REFUSED, often=2,
        subtasks=(SAY,), writes=({"KEPT.md": LINE},), review=REJECTED,
    ),
    Story(
        name="broken", request="make codes shorter", end=End.TESTS_FAIL, often=1,
        subtasks=(subtask("Make codes shorter", files=["shortlinks/codes.py"], kind="refactor"),),
        writes=({"shortlinks/codes.py": CODES},),
    ),
)  # fmt: skip
ROUND = tuple(story for story in STORIES for _ in range(story.often))


def story_of(number: int) -> Story:
    """Spread over a round, so that a part of it has something of each; wires come round at another pace."""
    return ROUND[number * 8 % len(ROUND)]
