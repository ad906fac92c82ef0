"""What an engine is, and what the Overlord gives it to work with."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from agents.domain.knowledge.document import Note
from agents.domain.limits import Limits
from agents.domain.models.failure import POLICIES, RetryPolicy
from agents.domain.skills.skill import Skill
from agents.domain.task.task import Task
from agents.domain.workflow.roles import Base, EngineName, Role, bare
from agents.ports import (
    Brief,
    Files,
    FindProgram,
    Lender,
    Outcome,
    Profile,
    Sandbox,
    Show,
    Talker,
    Trial,
    Turns,
    Watch,
)

WINDOW = 120_000  # tokens of a talk, where nobody says how much the model takes
FindSandbox = Callable[[], Awaitable[Sandbox]]  # one whose walls hold; raises OverlordError where there is none
Render = Callable[[str, Mapping[str, object], Task], str]  # a prompt's name, what it is filled with, whose fences


class HandIn(Protocol):
    """Looks at one minion's work before it is taken: what would be found anyway is told while it can be mended."""

    async def strays(self) -> Mapping[str, str]:
        """Changed paths that are out of scope, and why."""

    async def put_back(self, paths: Sequence[str]) -> Sequence[str]:
        """As they were where the subtask began. Returns what could not be put back, and why."""

    async def why_not_yet(self) -> str:
        """Empty: nothing speaks against it."""

    async def trials(self) -> Sequence[Trial]:
        """What the work is tried with, in the minion's own sandbox."""


NotesOf = Callable[[str, str], Awaitable[Sequence[Note]]]  # of a project, at a commit


async def no_notes(project: str, commit: str) -> Sequence[Note]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RoleWords:
    """What a role is told beside the usual, and what its project says of it."""

    instructions: str = ""
    guidance: str = ""


NO_WORDS = RoleWords()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramServices:
    """What engines need beside that which are programs of others."""

    find: FindProgram
    lender: Lender
    profile: Profile
    policy: Callable[[str], RetryPolicy] = lambda name: POLICIES[name]
    wait: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random
    silence: float = 300.0  # seconds without a sign of life, after which one is ended


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineServices:
    """Everything an engine may use, made for each job: its talker's calls are paid by that job."""

    talker: Talker
    sandbox: FindSandbox
    profile: Profile
    turns: Turns
    limits: Limits
    files: Callable[[Path], Files]
    render: Render
    pack: Callable[[Brief], Awaitable[str]]
    skills_of: Callable[[Brief], Awaitable[Sequence[Skill]]]  # those that its subtask calls for first
    hand_in: Callable[[Brief], HandIn | None] = lambda brief: None  # None: work is taken as it is
    notes_of: NotesOf = no_notes  # what is known at a commit, for those who search it
    redact: Callable[[str], str] = str  # applied to what tools say
    window: int = WINDOW
    role_of: Callable[[str], Role] = lambda name: bare(Base.IMPLEMENTER)
    words_of: Callable[[Role], RoleWords] = lambda role: RoleWords(instructions=role.additions, guidance=role.guidance)
    programs: ProgramServices | None = None  # None: only the built-in engine runs
    clock: Callable[[], float] = time.monotonic  # a run's seconds are the machine's: its programs know no other


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One engine. `run` follows the port `agents.ports.Minions.run`; tests/conformance/test_minions.py checks it."""

    name: EngineName
    title: str  # on cards
    run: Callable[[EngineServices, Brief, Watch, Show], Awaitable[Outcome]]
