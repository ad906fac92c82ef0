"""Tries a step as often as its retry policy allows, behind a breaker that keeps it from failing on and on."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from agents.domain.errors import BudgetReached, IllegalMove, OverlordError, StaleLease, StepFailed
from agents.domain.models.failure import Failure, failure_of_step
from agents.domain.task.task import Task
from agents.domain.workflow.steps import Step
from agents.ports import ForgeFailed, Ports

Result = TypeVar("Result")
_NO_FAULT = (BudgetReached, IllegalMove, StaleLease)  # say nothing about the step


@dataclass(frozen=True, slots=True, kw_only=True)
class _Tried(Generic[Result]):
    results: tuple[Result, ...] = ()  # the one that it came to, if it did
    failure: Failure | None = None
    problem: OverlordError | None = None  # that it ended with, in place of a result


def no_fault(result: object) -> Failure | None:
    """For what either raises or is a result."""
    return None


async def run_by_policy(
    step: Step,
    task: Task,
    ports: Ports,
    run: Callable[[], Awaitable[Result]],
    fault: Callable[[Result], Failure | None] = no_fault,
) -> Result:
    """What `run` comes to. `fault`: why that is no result; after the last try it is returned all the same. Where models
    are asked each call is tried again by the same policy, so the step as a whole is not. Raises StepRests, and
    StepFailed where the step as a whole was tried as often as it may be."""
    policy, name, failures = ports.retries.policy(step.retry_policy), breaker_name(task, step), 0
    while True:
        tried = await _try_once(name, ports, run, fault)
        failures += 1
        whole = tried.failure is not None and step.kind.tried_whole
        retry = ports.retries.next_try(tried.failure, failures, policy) if tried.failure and whole else None
        if retry is None:
            return _end(tried, whole=whole)
        await ports.retries.wait(retry.wait)


async def _try_once(
    name: str, ports: Ports, run: Callable[[], Awaitable[Result]], fault: Callable[[Result], Failure | None]
) -> _Tried[Result]:
    """What says nothing about the step, being called off among it, leaves the breaker as it is for the next probe."""
    await ports.retries.admit(name)
    tried: _Tried[Result] | None = None
    try:
        result = await run()
        tried = _Tried(results=(result,), failure=fault(result))
    except OverlordError as raised:
        if _is_no_fault(raised):
            raise
        tried = _Tried(failure=failure_of_step(raised), problem=raised)
    finally:
        if tried is None:
            await ports.retries.release(name)
    await ports.retries.settle(name, tried.failure)
    return tried


def _is_no_fault(problem: OverlordError) -> bool:
    """A forge that refuses was reached, and people must change something there first."""
    return isinstance(problem, _NO_FAULT) or (isinstance(problem, ForgeFailed) and not problem.error)


def _end(tried: _Tried[Result], *, whole: bool) -> Result:
    if tried.problem is not None and whole:
        raise StepFailed(tried.problem.what, next_step=tried.problem.next_step) from tried.problem
    if tried.problem is not None:
        raise tried.problem
    return tried.results[0]


def breaker_name(task: Task, step: Step) -> str:
    """Steps of one project fail together; those of another have their own programs and code."""
    return f"{step.name} of {task.project}" if task.project else step.name
