"""What an engine is, and what the Overlord gives it to work with."""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agents.domain.learning.skill import Skill
from agents.domain.limits import Limits
from agents.domain.task.task import Task
from agents.domain.workflow.roles import Base, EngineName, Role, bare
from agents.ports import Brief, Files, Outcome, Profile, Sandbox, Show, Talker, Trial, Turns, Watch

WINDOW = 120_000  # tokens of a talk, where nobody says how much the model takes
FindSandbox = Callable[[], Awaitable[Sandbox]]  # one whose walls hold; raises OverlordError where there is none
Render = Callable[[str, Mapping[str, object], Task], str]  # a prompt's name, what it is filled with, whose fences


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
    trials_of: Callable[[Brief], Awaitable[Sequence[Trial]]]  # what the work is tried with before it is taken
    refused_of: Callable[[Brief], Awaitable[str]]  # why the work is not taken as it is
    redact: Callable[[str], str] = str  # applied to what tools say
    window: int = WINDOW
    role_of: Callable[[str], Role] = lambda name: bare(Base.IMPLEMENTER)
    clock: Callable[[], float] = time.monotonic  # a run's seconds are the machine's: its programs know no other


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """One engine. `run` follows the port `agents.ports.Minions.run`; tests/conformance/test_minions.py checks it."""

    name: EngineName
    title: str  # on cards
    run: Callable[[EngineServices, Brief, Watch, Show], Awaitable[Outcome]]
