"""Every type of step, from the table: behind a breaker that is kept, and tried as often as its retry policy says.

A new type has no case here, so the first test names it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import pytest

from agents.domain.checks.evaluation import RULES, GateRun, Score
from agents.domain.decisions.authority import Kind
from agents.domain.errors import NoAnswer, StepFailed, StepRests
from agents.domain.models.failure import FAILURES, POLICIES, WINDOW, ErrorClass, Failure, RetryPolicy
from agents.domain.work.git_names import Message
from agents.domain.work.work import Ending
from agents.domain.workflow import steps as t
from agents.domain.workflow.steps import HUMAN, STEP_TYPES
from agents.domain.workflow.workflow import DEFAULT
from agents.ports import (
    Ask,
    Brief,
    Candidate,
    CheckoutFailed,
    ForgeFailed,
    GaveUp,
    Judged,
    Outcome,
    Pull,
    PullRequest,
    Show,
    Target,
    Watch,
    show_nothing,
)
from agents.ports.judging import ANYWHERE
from store.running.jobs import Job
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import MemoryCheckouts, MemoryForge, ScriptedGates, Workshop, finishes
from tests.flows.work import APPROVED, PLAN, Work, work as work
from tests.scenarios.plans import GO, OK
from tests.scenarios.working import ONE

E = ErrorClass
THREE = RetryPolicy(attempts=3, base=0, factor=1, longest=0)
# The flow that runs a step of each type. Whatever looks at the work is run by one.
FLOWS = {
    "plan": "decompose",
    "plan_review": "review",
    "worker": "work",
    "rules": "run_step",
    "gate": "run_step",
    "review": "run_step",
    "join": "integrate",
    "pull": "open_pull",
    "merge": "merge",
}
TYPES = [pytest.param(kind, id=name) for name, kind in STEP_TYPES.items() if kind is not HUMAN]


def test_every_type_that_can_fail_is_tried_here() -> None:
    """A person comes to a result in their own time; there is nothing to try again."""
    assert FLOWS.keys() == STEP_TYPES.keys() - {HUMAN.name}
    assert all(("retry_policy" in kind.obeys) == (kind is not HUMAN) for kind in STEP_TYPES.values())


@dataclass
class Trouble:
    """What the outside does to steps of one type; how often that was met."""

    at: str = ""
    error: ErrorClass | None = None
    refuses: bool = False  # the forge is reached, and says no
    trips: bool = False  # over a fault of our own
    met: int = 0

    def meets(self, kind: t.StepType) -> ErrorClass | None:
        if kind.name != self.at:
            return None
        self.met += 1
        if self.trips:
            raise KeyError("ours")
        if self.refuses:
            raise ForgeFailed("#1 was closed", next_step="Open it again.")
        return self.error


@dataclass
class TroubledGates(ScriptedGates):
    trouble: Trouble = field(default_factory=Trouble)

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        if error := self.trouble.meets(t.RULES if candidate.check == RULES else t.GATE):
            broken = GateRun(name=candidate.check, score=Score.FAIL, why="the sandbox died", error=error.value)
            return Judged(gates=(broken,))
        return await super().judge(candidate, show)


@dataclass
class TroubledCheckouts(MemoryCheckouts):
    trouble: Trouble = field(default_factory=Trouble)

    async def join(self, project: str, into: str, start: str, commit: str, message: Message) -> str | None:
        if error := self.trouble.meets(t.JOIN):
            failed = CheckoutFailed("git could not join it", next_step="Look at the project.")
            failed.error = error.value
            raise failed
        return await super().join(project, into, start, commit, message)

    async def forward(self, project: str, into: str, start: str, commit: str) -> str:
        return ""


@dataclass
class TroubledForge(MemoryForge):
    trouble: Trouble = field(default_factory=Trouble)

    async def open(self, pull: Pull) -> PullRequest:
        self._answer(t.PULL)
        return await super().open(pull)

    async def merge(
        self, project: str, number: int, head: str, message: Message, target: Target = ANYWHERE
    ) -> str | None:
        self._answer(t.MERGE)
        return await super().merge(project, number, head, message, target)

    def _answer(self, kind: t.StepType) -> None:
        if error := self.trouble.meets(kind):
            raise ForgeFailed("The forge cannot be reached", next_step="Try again.", error=error.value)


def put_trouble(work: Work, kind: t.StepType, error: ErrorClass | None = None) -> Trouble:
    """The outside, with steps of one type in trouble as soon as `error` is set."""
    trouble = Trouble(at=kind.name, error=error)

    def answer(of: t.StepType, good: Any) -> Callable[[Ask], Any]:
        async def say(asked: Ask) -> Any:
            found = trouble.meets(of)
            return NoAnswer("the model is down", next_step="Wait.", error=found.value) if found else good

        return say

    async def play(brief: Brief, watch: Watch) -> Outcome:
        if trouble.meets(t.WORKER):
            return GaveUp(ending=Ending.NO_ANSWER, problem="the model is down")
        return await finishes()(brief, watch)

    llm = ScriptedLlm(
        always={
            "decompose": answer(t.PLAN, ONE),
            "critic": answer(t.PLAN_REVIEW, GO),
            "custodiet": OK,
            "code_review": answer(t.REVIEW, APPROVED),
        }
    )
    work.llm = lambda job: llm
    work.workshop = Workshop(
        gates=TroubledGates(trouble=trouble),
        checkouts=TroubledCheckouts(trouble=trouble),
        forge=TroubledForge(trouble=trouble),
    )
    work.workshop.minions.always = play
    return trouble


def _runs(job: Job, kind: t.StepType) -> bool:
    if job.flow != FLOWS[kind.name]:
        return False
    step = getattr(job.event, "step", "")
    return not kind.looks or DEFAULT.step(step).type == kind.name


async def reach(work: Work, kind: t.StepType) -> Job:
    """The job that runs the first step of a type; all before it goes well, and people say yes."""
    while True:
        job = await work.any_job()
        if job and _runs(job, kind):
            return job
        if job:
            await work.run(job)
        elif (await work.now()).of_kind(Kind.PLAN):
            await work.press(Kind.PLAN, "approve")
        else:
            await work.press(Kind.MERGE, "merge")


def name_of(kind: t.StepType) -> str:
    return f"{DEFAULT.first(kind).name} of shop"


async def failures(work: Work, kind: t.StepType) -> int:
    breaker = await work.office.database.read(lambda tx: tx.breakers.of(f"step:{name_of(kind)}"))
    return len(breaker.failures)


@pytest.mark.parametrize("kind", TYPES)
async def test_a_step_that_failed_five_times_rests_and_one_good_probe_ends_that(work: Work, kind: t.StepType) -> None:
    trouble = put_trouble(work, kind)
    job = await reach(work, kind)
    retries, before = work.ports(job).retries, trouble.met
    for _ in range(FAILURES):
        await retries.settle(name_of(kind), Failure(error=E.NETWORK, message="it is down"))
    with pytest.raises(StepRests, match=f"{name_of(kind)} failed 5 times .* It was: it is down"):
        await work.run(job)
    assert trouble.met == before, "nothing outside is asked while it rests"
    work.office.clock.shift += timedelta(seconds=WINDOW)  # type: ignore[attr-defined]  # the one of tests
    await retries.admit(name_of(kind))
    with pytest.raises(StepRests):  # another one probes already
        await work.run(job)
    await retries.release(name_of(kind))
    await work.run(job)
    assert trouble.met > before and await failures(work, kind) == 0
    await retries.admit(name_of(kind))


@pytest.mark.parametrize(
    ("kind", "error", "tries"),
    [
        pytest.param(kind, error, tries, id=f"{name}-{error}")
        for name, kind in STEP_TYPES.items()
        for error, tries in ((E.NETWORK, THREE.attempts if kind.tried_whole else 1), (E.RESOURCE, 1))
        if kind is not HUMAN and (kind.tried_whole or error is E.NETWORK)
    ],
)
async def test_a_step_is_tried_as_its_policy_says_and_each_failure_counts(
    work: Work, kind: t.StepType, error: ErrorClass, tries: int
) -> None:
    """Where models are asked each call is tried again by itself, so that the step as a whole is not."""
    work.policies = dict.fromkeys(POLICIES, THREE)
    trouble = put_trouble(work, kind)
    job = await reach(work, kind)
    before, trouble.error = trouble.met, error
    given_up = ""
    try:
        await work.run(job)
    except (NoAnswer, StepFailed) as problem:  # a person is asked what to do about the job
        given_up = problem.what
    assert (trouble.met - before, await failures(work, kind)) == (tries, tries)
    assert given_up or await is_asked_about(work, kind)


async def is_asked_about(work: Work, kind: t.StepType) -> bool:
    """What came to no result is never taken for a yes: a person decides."""
    if kind is t.REVIEW:  # the next steps of the same subtask come first
        await work.settle()
    return any(each.kind is not Kind.CONTROLS for each in (await work.now()).open)


@pytest.mark.parametrize("kind", [t.PULL, t.MERGE], ids=lambda kind: kind.name)
async def test_a_forge_that_refuses_is_no_fault_of_the_step(work: Work, kind: t.StepType) -> None:
    """It was reached; people must change something there first, and other tasks need not wait for that."""
    trouble = put_trouble(work, kind)
    job = await reach(work, kind)
    trouble.refuses = True
    before = trouble.met
    if kind is t.PULL:
        with pytest.raises(ForgeFailed):
            await work.run(job)
    else:
        await work.run(job)
        assert (await work.now()).of_kind(Kind.UNMERGED)
    assert trouble.met == before + 1 and await failures(work, kind) == 0


async def test_a_debate_that_may_not_be_held_now_goes_to_a_person_as_it_stands(work: Work) -> None:
    put_trouble(work, t.PLAN_REVIEW)
    revise = {"verdict": "REVISE", "issues": ["no test"], "changes": ["add one"]}
    llm = ScriptedLlm(always={"decompose": PLAN, "critic": revise, "custodiet": OK})
    work.llm = lambda job: llm
    job = await work.next_job()
    while job.flow != "debate":
        await work.run(job)
        job = await work.next_job()
    retries = work.ports(job).retries
    for _ in range(FAILURES):
        await retries.settle(name_of(t.PLAN_REVIEW), Failure(error=E.NETWORK, message="it is down"))
    await work.run(job)
    assert (await work.now()).of_kind(Kind.DEBATE) and not llm.count("debate")


async def test_a_step_that_is_called_off_lets_the_next_one_probe(work: Work) -> None:
    """Nobody knows how it would have ended: a bug of ours, or a process that is told to stop."""
    trouble = put_trouble(work, t.JOIN)
    job = await reach(work, t.JOIN)
    retries = work.ports(job).retries
    for _ in range(FAILURES):
        await retries.settle(name_of(t.JOIN), Failure(error=E.NETWORK, message="it is down"))
    work.office.clock.shift += timedelta(seconds=WINDOW)  # type: ignore[attr-defined]
    trouble.trips = True
    with pytest.raises(KeyError):
        await work.run(job)
    await retries.admit(name_of(t.JOIN))
