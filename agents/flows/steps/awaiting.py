"""The forge's own checks: the commit is pushed for them, and looked at from time to time until they have ended."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from agents.domain import events as e
from agents.domain.checks.evaluation import Checked
from agents.domain.checks.remote import ALL, RemoteCheck, Standing, checked_remotely, waiting_for
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event
from agents.domain.task.task import Task
from agents.domain.work import forge_checks, stepping
from agents.domain.work.dispatching import about_run
from agents.domain.work.stepping import StepResult, workflow_pinned
from agents.domain.work.work import Work
from agents.domain.workflow.steps import Drafts
from agents.flows.outcomes import note_draft, pull_for
from agents.flows.steps.step_run import StepRun, keep_evidence, result_of_step
from agents.ports import ForgeFailed, Later, NoDrafts, Ports, PullRequest

Found = tuple[RemoteCheck, ...]


def waits_for_forge(run: StepRun) -> bool:
    """Whether the step waits for the forge's own checks once what it runs itself has passed."""
    known = run.ports.forge.runs_checks(run.task.project or "")
    return known and run.step.waits_for_forge and ALL not in waived_at(run.work, run.step.name)


def waived_at(work: Work, step: str) -> frozenset[str]:
    """Checks of the step that people went on without."""
    return frozenset(waiver.check for waiver in work.waived if waiver.step == step)


async def push_for_checks(run: StepRun) -> PullRequest | None:
    """Where the forge can see it: as the draft that its workflow wants early, else as a branch."""
    task, ports = run.task, run.ports
    if workflow_pinned(task).drafts is Drafts.EARLY:
        try:
            return await ports.forge.open(await pull_for(task, run.commit, ports, draft=True))
        except NoDrafts:
            pass  # a branch is enough
    await ports.forge.publish(task.project or "", task.work.branch, run.commit)
    return None


def begin_wait(now: Task, run: StepRun, checked: Checked, shown: PullRequest | None, moment: Moment) -> Sequence[Event]:
    about = about_run(now, now.work.on(run.work.number), moment.at)
    awaited = e.ChecksAwaited(**about, step=run.step.name, commit=run.commit, checked=checked)
    return [*note_draft(now, shown, run.commit, moment), awaited] if shown else [awaited]


async def await_checks(event: Event, ports: Ports) -> None:
    """One look. A forge that cannot be asked is asked again, until the time is over."""
    assert isinstance(event, e.ChecksAwaited)
    task = await ports.store.task(event.task)
    if forge_checks.awaited_of(task, event) is None:
        await ports.store.record(task.id, lambda now, moment: [])
        return
    found, problem, waived = Found(), "", waived_at(task.work.on(event.subtask), event.step)
    try:
        read = await ports.forge.checks(task.project or "", event.commit)
        found = tuple(check for check in read if check.gate not in waived)
    except ForgeFailed as failed:
        problem = f"{failed.what}. {failed.next_step}"
    look = _Look(event=event, found=found, problem=problem)
    if not problem and not waiting_for(found):
        said = checked_remotely(found) if found or not waived else Checked()  # those rows say who went on without them
        checked = event.checked.plus(said)
        look.result, look.patch = await _judged(task, event, checked, ports)
    await ports.store.record_or_wait(task.id, look.decide)


@dataclass(slots=True, kw_only=True)
class _Look:
    event: e.ChecksAwaited
    found: Found
    problem: str
    result: StepResult | None = None  # of the step, where all checks have ended
    patch: str = ""

    def decide(self, now: Task, moment: Moment) -> Sequence[Event] | Later:
        awaited, work = forge_checks.awaited_of(now, self.event), now.work.on(self.event.subtask)
        if awaited is None:
            return []
        standing = forge_checks.standing_now(awaited, self.found, moment)
        if self.result and standing is not Standing.WAITING:
            return stepping.after_step(now, replace(work, patch=self.patch), self.result, moment)
        if forge_checks.is_over(awaited, moment):
            return forge_checks.ask_person(now, work, self.found, self.problem, moment)
        seen = forge_checks.go_on_waiting(now, work, self.found, self.problem, moment)
        return Later(seconds=moment.limits.checks_apart, facts=seen)


async def _judged(task: Task, event: e.ChecksAwaited, checked: Checked, ports: Ports) -> tuple[StepResult, str]:
    """What the step came to, and the name of the patch, if a person is asked."""
    work = task.work.on(event.subtask)
    assert work.awaits is not None
    step = workflow_pinned(task).step(work.awaits.step)
    run = StepRun(task=task, work=work, step=step, commit=work.awaits.commit, ports=ports)
    result = await result_of_step(run, checked)
    return result, await keep_evidence(run, result)
