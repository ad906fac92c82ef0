"""Minions, gates, checkouts and a forge at the port: small, in memory, and as strict as the flows rely on."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.domain.checks.evaluation import PROJECT, Change, GateRun, RiskLevel, Score
from agents.domain.checks.remote import CheckState, RemoteCheck
from agents.domain.checks.risk import Risk
from agents.domain.ids import fingerprint
from agents.domain.work.git_names import Message, as_signed
from agents.minions.by_role import EngineMinions
from agents.ports import (
    NO_KNOWLEDGE,
    Asked,
    Brief,
    Candidate,
    Finished,
    ForgeFailed,
    Judged,
    Knowledge,
    NoDrafts,
    Outcome,
    Ports,
    Progress,
    Pull,
    PullRequest,
    Show,
    Target,
    Watch,
    show_nothing,
)
from agents.ports.judging import ANYWHERE
from tests.fakes.baseline import Measures, accept_tests, part_of_tests
from tests.fakes.checkouts import HEAD as HEAD, MemoryCheckouts as MemoryCheckouts
from tests.fakes.grounds import PlayedGrounds
from tests.fakes.issues import MemoryIssues
from tests.fakes.packs import PlainPacks as PlainPacks
from tests.fakes.reader import ScriptedReader

Play = Callable[[Brief, Watch], Awaitable[Outcome]]


def finishes(summary: str = "done", skills: tuple[str, ...] = ()) -> Play:
    """A minion that does one thing and says that it is done."""

    async def play(brief: Brief, watch: Watch) -> Outcome:
        turns, seconds = brief.work.turns + 1, brief.work.seconds + 1
        await watch(Progress(turns=turns, seconds=seconds, doing="writing", changed=1, skills=skills))
        return Finished(summary=summary, note=f"left by {brief.subtask.number}")

    return play


def says(outcome: Outcome) -> Play:
    async def play(brief: Brief, watch: Watch) -> Outcome:
        await watch(Progress(turns=brief.work.turns + 1, seconds=brief.work.seconds + 1, doing="thinking"))
        return outcome

    return play


def waits(until: asyncio.Event) -> Play:
    """A minion that is not done before the test has seen what it wants to see."""

    async def play(brief: Brief, watch: Watch) -> Outcome:
        await until.wait()
        return await finishes()(brief, watch)

    return play


async def never_ends(brief: Brief, watch: Watch) -> Outcome:
    await watch(Progress(turns=brief.work.turns + 1, seconds=brief.work.seconds + 1, doing="reading the code"))
    await asyncio.Event().wait()
    raise AssertionError("it works for ever")


@dataclass
class ScriptedMinions:
    """Plays for each subtask what it is given, run by run; then, and for the others, what `always` says."""

    scripts: dict[int, list[Play]] = field(default_factory=dict)
    always: Play = field(default_factory=finishes)
    briefs: list[Brief] = field(default_factory=list)
    prepared: int = 0

    async def prepare(self, role: str) -> str:
        self.prepared += 1
        return "a script in no sandbox"

    async def run(self, brief: Brief, watch: Watch, show: Show = show_nothing) -> Outcome:
        self.briefs.append(brief)
        script = self.scripts.get(brief.subtask.number)
        return await (script.pop(0) if script else self.always)(brief, watch)


def passed(name: str = "tests") -> GateRun:
    return GateRun(name=name, score=Score.PASS, why="12 passed", command="pytest -q", exit_code=0, seconds=1.5)


def failing(name: str = "tests") -> GateRun:
    return GateRun(
        name=name,
        score=Score.NEEDS_REVISION,
        why="1 failed",
        command="pytest -q",
        exit_code=1,
        seconds=1.5,
        output="FAILED tests/test_app.py::test_login",
    )


@dataclass
class ScriptedGates(Measures):
    """`says`: what the gates find, attempt by attempt, for each log name; else all is well."""

    says: dict[str, Sequence[GateRun]] = field(default_factory=dict)
    judged: list[Candidate] = field(default_factory=list)
    holds: dict[str, asyncio.Event] = field(default_factory=dict)  # judgements that wait, by log name
    checks: dict[tuple[str, str], Sequence[GateRun]] = field(default_factory=dict)  # by check and log name
    asked: list[tuple[str, str]] = field(default_factory=list)  # every check, with its log name

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        self.asked.append((candidate.check, candidate.log))
        if found := self.checks.get((candidate.check, candidate.log)):
            return Judged(gates=tuple(found))
        if candidate.check != PROJECT:
            return part_of_tests(candidate.check)
        self.judged.append(candidate)
        if held := self.holds.get(candidate.log):
            await held.wait()
        found = self.says.get(candidate.log, (passed(),))
        heard = (accept_tests(gate, candidate.accepted) for gate in found)
        left = tuple(gate for gate in heard if gate.name not in candidate.without)
        return Judged(gates=left, coverage=91.0, sandbox="no sandbox")


def remote(name: str, state: CheckState, output: str = "") -> RemoteCheck:
    url = f"https://forge.test/runs/{name}"
    return RemoteCheck(name=name, state=state, url=url, why=f"{state} on the forge", output=output)


@dataclass
class MemoryForge:
    pulls: dict[str, PullRequest] = field(default_factory=dict)
    merged: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)  # of merges
    fits: bool = True
    branches: dict[str, str] = field(default_factory=dict)  # where people work
    closed: set[str] = field(default_factory=set)  # branches that cannot be brought there
    on: str = "main"  # what is checked out where people work
    asked: list[Pull] = field(default_factory=list)
    targets: list[Target] = field(default_factory=list)
    holds: asyncio.Event | None = None  # merges wait for it
    drafts: bool = True  # whether it knows them
    acts: list[str] = field(default_factory=list)  # what was done there, in its order
    said: dict[str, str] = field(default_factory=dict)  # by key, on pull requests
    runs: Callable[[str, int], Sequence[RemoteCheck]] | None = None  # its own CI, look by look; None: it has none
    looks: dict[str, int] = field(default_factory=dict)  # at the checks of each commit
    advice: str = ""  # for whoever works in the target of a merge
    problem: ForgeFailed | None = None  # why nothing can be merged

    async def base(self, project: str, number: int = 0) -> str:
        if not self.on:
            raise ForgeFailed("The forge cannot be reached", next_step="Try again.")
        return self.on

    async def open(self, pull: Pull) -> PullRequest:
        self.asked.append(pull)
        known = self.pulls.get(pull.key)
        if pull.draft and not known and not self.drafts:
            raise NoDrafts("It knows no drafts", next_step="Open it as it is.")
        number = known.number if known else len(self.pulls) + 1
        draft = known.draft if known else pull.draft
        self.acts.append(f"{'update' if known else 'draft' if draft else 'open'} {pull.head[:6]}")
        url = f"https://forge.test/{number}"
        self.pulls[pull.key] = PullRequest(number=number, url=url, head=pull.head, draft=draft)
        return self.pulls[pull.key]

    async def ready(self, project: str, number: int) -> None:
        for key, pull in self.pulls.items():
            if pull.number == number and pull.draft:
                self.pulls[key] = replace(pull, draft=False)
                self.acts.append("ready")

    def runs_checks(self, project: str) -> bool:
        return self.runs is not None

    async def checks(self, project: str, commit: str) -> Sequence[RemoteCheck]:
        assert self.runs, "it has none"
        there = {pull.head for pull in self.pulls.values()} | set(self.branches.values())
        if commit not in there:
            raise ForgeFailed(f"No commit {commit[:6]} here", next_step="Push it first.")
        self.looks[commit] = self.looks.get(commit, 0) + 1
        return self.runs(commit, self.looks[commit])

    async def comment(self, key: str, project: str, number: int, text: str) -> None:
        self.said.setdefault(key, text)

    async def merge(
        self, project: str, number: int, head: str, message: Message, target: Target = ANYWHERE
    ) -> str | None:
        self.targets.append(target)
        if any(pull.draft for pull in self.pulls.values() if pull.number == number):
            raise ForgeFailed(f"#{number} is a draft. Nothing was merged", next_step="Mark it ready.")
        if self.problem:
            raise self.problem
        if self.advice:
            target.tell(self.advice)
        if self.holds:
            await self.holds.wait()
        if not self.fits:
            return None
        if head not in self.merged:
            self.merged.append(head)
            self.messages.append(as_signed(message).text)
        return fingerprint("merged", head) + "00000000"

    async def publish(self, project: str, branch: str, head: str) -> str:
        if branch in self.closed:
            raise ForgeFailed(f"The branch {branch} is checked out", next_step="Switch to another branch.")
        self.acts.append(f"publish {head[:6]}")
        self.branches[branch] = head
        return f"git switch {branch}"

    async def fetch_branch(self, project: str, branch: str) -> str:
        return self.branches.get(branch, "")


@dataclass
class MemoryArtefacts:
    kept: dict[str, str] = field(default_factory=dict)

    async def keep(self, name: str, text: str) -> str:
        self.kept[name] = text
        return name

    async def read(self, name: str) -> str | None:
        return self.kept.get(name)


@dataclass
class Workshop:
    """All of it, to be put in place of what the settings give."""

    minions: ScriptedMinions = field(default_factory=ScriptedMinions)
    checkouts: MemoryCheckouts = field(default_factory=MemoryCheckouts)
    gates: ScriptedGates = field(default_factory=ScriptedGates)
    forge: MemoryForge = field(default_factory=MemoryForge)
    issues: MemoryIssues = field(default_factory=MemoryIssues)
    artefacts: MemoryArtefacts = field(default_factory=MemoryArtefacts)
    packs: PlainPacks = field(default_factory=PlainPacks)
    reader: ScriptedReader = field(default_factory=ScriptedReader)
    knowledge: Knowledge = NO_KNOWLEDGE
    grounds: PlayedGrounds | None = None  # None: as the settings give them
    risk: Risk = field(default_factory=lambda: Risk(level=RiskLevel.LOW, why=("2 files, well covered",)))
    measure: Callable[[Sequence[Change]], object] = lambda changes: None  # told what a risk is asked of

    def swap(self, ports: Ports) -> Ports:
        return replace(
            ports,
            minions=self.minions,
            checkouts=self.checkouts,
            gates=self.gates,
            forge=self.forge,
            issues=self.issues,
            artefacts=self.artefacts,
            packs=self.packs,
            reader=self.reader,
            knowledge=ports.knowledge if self.knowledge is NO_KNOWLEDGE else self.knowledge,
            risk=self.measured,
            grounds=self.grounds or ports.grounds,
        )

    def measured(self, changes: Sequence[Change], coverage: float | None) -> Risk:
        self.measure(changes)
        return self.risk


def idle() -> Workshop:
    """Minions that start and never come to an end: for scenes that are about something else."""
    return Workshop(minions=ScriptedMinions(always=never_ends))


def asking() -> Workshop:
    """Minions that ask a person at once, so that nothing is left to do."""
    return Workshop(minions=ScriptedMinions(always=says(Asked(question="Shall I begin?"))))


def with_services(ports: Ports, **changes: Any) -> Ports:
    """The real minions, with other services than the program gives them."""
    assert isinstance(ports.minions, EngineMinions)
    services = replace(ports.minions.services, **changes)
    return replace(ports, minions=replace(ports.minions, services=services))
