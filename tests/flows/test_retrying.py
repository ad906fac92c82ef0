"""Steps that fail to come to a result: tried again by their policy, and at rest behind a breaker that is kept."""

from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path

import pytest

from agents.domain.checks.evaluation import RULES, GateRun, Score
from agents.domain.decisions.authority import Kind
from agents.domain.errors import NoAnswer, OverlordError, StepRests
from agents.domain.limits import Limits
from agents.domain.models.failure import FAILURES, POLICIES, WINDOW, ErrorClass, RetryPolicy, failure_of_step
from agents.domain.work.work import Ending, SubtaskState
from agents.ports import Candidate, GaveUp, Judged, Show, show_nothing
from bot.queries.backup import check_resting
from store.database import Database
from store.running.port_adapters import StepRetries
from tests.fakes.llm import ScriptedLlm, no_answer
from tests.fakes.work import ScriptedGates, says
from tests.flows.work import PLAN, Work, work as work
from tests.scenarios.plans import GO, OK

E = ErrorClass
TEST = "step:test of shop"


def broken(error: ErrorClass, score: Score = Score.FAIL) -> GateRun:
    return GateRun(name="tests", score=score, why="the sandbox died under it", error=error.value)


@dataclass
class BreakingGates(ScriptedGates):
    """Checks that come to no result so many times, whoever asks for them."""

    breaks: int = 0
    error: ErrorClass = E.CLI_ERROR

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        if candidate.check != RULES and self.breaks > 0:
            self.breaks -= 1
            self.asked.append((candidate.check, candidate.log))
            return Judged(gates=(broken(self.error),))
        return await super().judge(candidate, show)

    def tries(self, log: str = "T-1.1-1") -> int:
        return [check for check, of in self.asked if of == log].count("project")


async def at_the_test(work: Work, breaks: int, error: ErrorClass) -> BreakingGates:
    gates = BreakingGates(breaks=breaks, error=error)
    work.workshop.gates = gates
    await work.accepted()
    await work.run_next("begin_work", "work", "evaluate", "work", "evaluate", "run_step", "run_step")
    return gates


@pytest.mark.parametrize(
    ("error", "tries"),
    [(E.CLI_ERROR, 2), (E.PARSING, 2), (E.RESOURCE, 1)],  # one of each action; NETWORK is in test_step_breakers.py
)
async def test_each_class_is_tried_as_often_as_the_policy_of_the_step_says(
    work: Work, error: ErrorClass, tries: int
) -> None:
    """A gate is conservative: twice. What ran out is not tried again, and a person is asked."""
    gates = await at_the_test(work, breaks=9, error=error)
    await work.run_next("run_step")
    assert gates.tries() == tries
    task = await work.now()
    assert task.work.on(1).state is SubtaskState.NEEDS_HUMAN and task.of_kind(Kind.ESCALATION)


async def test_what_passes_at_the_second_try_is_no_attempt_of_the_minion(work: Work) -> None:
    gates = await at_the_test(work, breaks=1, error=E.CLI_ERROR)
    await work.run_next("run_step")
    assert gates.tries() == 2 and (await work.now()).work.on(1).attempt == 1
    assert "StepRefused" not in await work.facts()


async def test_only_the_classes_that_a_policy_names_are_tried_again(work: Work) -> None:
    work.policies = {**POLICIES, "conservative": replace(POLICIES["conservative"], retried=frozenset({E.NETWORK}))}
    gates = await at_the_test(work, breaks=1, error=E.CLI_ERROR)
    await work.run_next("run_step")
    assert gates.tries() == 1


async def test_waits_grow_as_the_policy_says_and_pass_on_the_clock(work: Work) -> None:
    """Ten seconds and twenty of a clock that is a hundred times as fast as the machine."""
    work.policies = {**POLICIES, "conservative": RetryPolicy(attempts=3, base=10, factor=2, longest=60, jitter=0)}
    await at_the_test(work, breaks=2, error=E.NETWORK)
    job = await work.next_job()
    before = work.office.clock.now()
    await work.run(job)
    assert work.office.clock.now() - before >= timedelta(seconds=30)


async def rested(work: Work, breaks: int = 99) -> BreakingGates:
    """So many failures in a row that the step rests: those of the second subtask are not tried any more."""
    four = RetryPolicy(attempts=4, base=0, factor=1, longest=0)
    work.policies = {**POLICIES, "conservative": four}
    gates = await at_the_test(work, breaks=breaks, error=E.NETWORK)
    await work.run_next("run_step")
    with pytest.raises(
        StepRests, match=r"test of shop failed 5 times within 5 minutes and rests until .*It was: the sand"
    ):
        await work.run_next("run_step")
    assert len([each for each in gates.asked if each[0] == "project"]) == FAILURES
    return gates


async def test_a_step_that_fails_five_times_rests_also_after_a_restart(work: Work, tmp_path: Path) -> None:
    await rested(work)
    url = f"sqlite:///{tmp_path / 'overlord.db'}"
    again = Database(url)
    try:
        job = await work.next_job()
        retries = StepRetries(again, work.office.clock, POLICIES, Limits(), job)
        with pytest.raises(StepRests):
            await retries.admit("test of shop")
        await retries.admit("test of another")
        check = await again.read(lambda tx: check_resting(work.office.clock.now(), tx))
        assert "test of shop rests until" in check.seen and "the sandbox died under it" in check.seen
    finally:
        again.close()


async def test_after_its_rest_one_try_is_let_through_and_a_good_one_ends_it(work: Work) -> None:
    gates = await rested(work)
    clock = work.office.clock
    clock.shift += timedelta(seconds=WINDOW)  # type: ignore[attr-defined]  # the one of tests
    gates.breaks = 0
    first, second = await work.next_job(), await work.next_job()
    probe = work.ports(first).retries
    await probe.admit("test of shop")
    with pytest.raises(StepRests):
        await work.ports(second).retries.admit("test of shop")
    await probe.settle("test of shop", None)
    await work.ports(second).retries.admit("test of shop")
    assert not await work.office.database.read(lambda tx: tx.breakers.resting(clock.now()))


async def test_a_probe_that_fails_starts_the_rest_anew(work: Work) -> None:
    await rested(work)
    clock = work.office.clock
    clock.shift += timedelta(seconds=WINDOW)  # type: ignore[attr-defined]
    retries = work.ports(await work.next_job()).retries
    await retries.admit("test of shop")
    await retries.settle("test of shop", failure_of_step(ConnectionError("still away")))
    with pytest.raises(StepRests, match="still away"):
        await retries.admit("test of shop")


async def test_a_person_who_has_it_tried_again_need_not_wait(work: Work) -> None:
    gates = await rested(work)
    gates.breaks = 0
    job = await work.next_job()
    assert not job.is_persons_retry
    await work.run(replace(job, attempts=0, problem="it rests"))
    assert (await work.now()).work.on(2).state is SubtaskState.EVALUATING
    assert not await work.office.database.read(lambda tx: tx.breakers.of(TEST).failures)


async def test_minions_without_a_sandbox_rest_too_and_work_that_fails_does_not(work: Work) -> None:
    minions = work.workshop.minions
    minions.always = says(GaveUp(ending=Ending.NO_SANDBOX, problem="bwrap is gone"))
    await work.accepted()
    await work.run_next("begin_work", "work", "work")
    failed = await work.office.database.read(lambda tx: tx.breakers.of("step:implement of shop"))
    assert len(failed.failures) == 2 and failed.problem == "bwrap is gone"
    minions.always = says(GaveUp(ending=Ending.TURNS, problem="50 turns"))
    await work.press(Kind.ESCALATION, "hint", "again")
    await work.settle()
    assert not await work.office.database.read(lambda tx: tx.breakers.of("step:implement of shop").failures)


async def test_a_reviewer_whose_model_is_silent_is_not_asked_by_the_step_again(work: Work) -> None:
    """Its calls were tried one by one; the step counts it once, and a person is asked."""
    always = {"decompose": PLAN, "critic": GO, "custodiet": OK, "code_review": no_answer()}
    silent = ScriptedLlm(always=always)
    work.llm = lambda job: silent
    await work.accepted()
    await work.settle()
    failed = await work.office.database.read(lambda tx: tx.breakers.of("step:review of shop"))
    assert len(failed.failures) == 2 and (await work.now()).of_kind(Kind.GATE)


@pytest.mark.parametrize(
    ("problem", "error"),
    [
        (ConnectionResetError("gone"), E.NETWORK),
        (TimeoutError(), E.NETWORK),
        (OSError(28, "No space left on device"), E.RESOURCE),
        (MemoryError(), E.RESOURCE),
        (ValueError("what"), E.CLI_ERROR),
        *((NoAnswer("silent", next_step="Wait.", error=error.value), error) for error in E),
    ],
)
def test_a_fault_is_classed_by_what_it_is(problem: Exception, error: ErrorClass) -> None:
    found = failure_of_step(problem)
    assert found.error is error and found.message
    wrapped = OverlordError("it cannot be laid out", next_step="Look.")
    wrapped.__cause__ = problem
    assert failure_of_step(wrapped).error is error
