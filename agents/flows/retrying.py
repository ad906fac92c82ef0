"""Tries a step as often as its retry policy allows, behind a breaker that keeps it from failing on and on."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from agents.domain.errors import BudgetReached, IllegalMove, OverlordError, StaleLease
from agents.domain.models.failure import Failure, failure_of_step
from agents.domain.task.task import Task
from agents.domain.workflow.steps import Step
from agents.ports import Ports

Result = TypeVar("Result")
_NO_FAULT = (BudgetReached, IllegalMove, StaleLease)  # say nothing about the step


async def run_by_policy(
    step: Step,
    task: Task,
    ports: Ports,
    run: Callable[[], Awaitable[Result]],
    fault: Callable[[Result], Failure | None],
) -> Result:
    """What `run` comes to. `fault`: why that is no result; after the last try it is returned all the same. Where models
    are asked each call is tried again by the same policy, so the step as a whole is not. Raises StepRests."""
    policy, name, failures = ports.retries.policy(step.retry_policy), breaker_name(task, step), 0
    while True:
        await ports.retries.admit(name)
        problem: OverlordError | None = None
        try:
            result = await run()
            failure = fault(result)
        except _NO_FAULT:
            await ports.retries.release(name)
            raise
        except OverlordError as raised:
            problem, failure = raised, failure_of_step(raised)
        await ports.retries.settle(name, failure)
        failures += 1
        whole = failure is not None and step.kind.tried_whole
        retry = ports.retries.next_try(failure, failures, policy) if failure and whole else None
        if retry is None:
            if problem is not None:
                raise problem
            return result
        await ports.retries.wait(retry.wait)


def breaker_name(task: Task, step: Step) -> str:
    """Steps of one project fail together; those of another have their own programs and code."""
    return f"{step.name} of {task.project}" if task.project else step.name
