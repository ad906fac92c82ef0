"""Have a minion work on one subtask, and take down how its run ends. The host commits for it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from agents.domain import events as e
from agents.domain.checks.evaluation import Change
from agents.domain.checks.scope import limited_to, pattern_of
from agents.domain.decisions.kind import Moment
from agents.domain.errors import NoAnswer, QuestionTooLong
from agents.domain.events import Event
from agents.domain.knowledge.choosing import Choice
from agents.domain.models.failure import Failure
from agents.domain.planning.opening import files_of
from agents.domain.task.locking import fence_of
from agents.domain.task.reports import sign
from agents.domain.task.task import Task
from agents.domain.task.wishes import Wish, last_number, newer_than
from agents.domain.text.sanitize import cut
from agents.domain.work import dispatching, working
from agents.domain.work.dispatching import about_run
from agents.domain.work.outcome import ERROR_OF_ENDING
from agents.domain.work.stepping import role_of, worker_of
from agents.domain.work.work import Ending, SubtaskState, Work
from agents.domain.work.working import Ended, Wanted
from agents.domain.workflow.steps import Step
from agents.flows.outcomes import cancel_and_wait, keep_outputs, keep_patch, outputs_before
from agents.flows.retrying import run_by_policy
from agents.ports import Asked, Brief, Checkout, Finished, GaveUp, Outcome, Ports, Progress, Uncommittable, WantsScope

WENT_ON = "the bot was restarted; the minion went on where it was"
BEGAN_AGAIN = "the bot was restarted; the minion started again from its last commit"
PROBLEM = 600


async def work(event: Event, ports: Ports) -> None:
    assert isinstance(event, e.AboutWork)
    task = await ports.store.task(event.task)
    if not working.is_current(task, event):
        await ports.store.record(task.id, lambda now, moment: [])
        return
    if task.at_rest:
        await ports.store.record(
            task.id, lambda now, moment: working.note_stop(now, now.work.on(event.subtask), "", moment)
        )
        return
    if task.plan.is_closing(event.subtask) and event.attempt == task.work.on(event.subtask).first:
        await _hand_in_the_whole(task, event, ports)
        return
    run = _Run(task=task, subtask=event.subtask, event=event, ports=ports)
    step = worker_of(task, task.work.on(event.subtask))
    await run.end(await run_by_policy(step, task, ports, run.once, _fault))


# Endings that say something about the step, not about the work.
_FAULTS = (Ending.NO_SANDBOX, Ending.NO_GROUND, Ending.NO_ANSWER)


def _fault(outcome: Outcome | None) -> Failure | None:
    if isinstance(outcome, GaveUp) and outcome.ending in _FAULTS:
        return Failure(error=ERROR_OF_ENDING[outcome.ending], message=outcome.problem)
    return None


async def _hand_in_the_whole(task: Task, event: e.AboutWork, ports: Ports) -> None:
    """The closing subtask has nothing to write: what the others brought together is judged as one."""
    tip = await ports.checkouts.tip(task.project or "", task.work.branch) or task.work.base

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        if not working.is_current(now, event):
            return []
        about = about_run(now, now.work.on(event.subtask), moment.at)
        return [e.WorkHandedIn(**about, commit=tip, base=now.work.base, summary="everything together")]

    await ports.store.record(task.id, decide)


@dataclass(slots=True, kw_only=True)
class _Run:
    """One part of a run: from here to its end, a question, or a stop."""

    task: Task
    subtask: int
    event: e.AboutWork
    ports: Ports
    checkout: Checkout = field(init=False)
    knowledge: Choice = field(default_factory=Choice)
    given: tuple[str, ...] = ()  # by earlier steps of the same subtask
    since: tuple[str, ...] = ()
    interrupted: str = ""
    told: int = 0  # the last wish that the minion was given; recorded once its transcript has it

    @property
    def work(self) -> Work:
        return self.task.work.on(self.subtask)

    @property
    def _step(self) -> Step:
        return worker_of(self.task, self.work)

    async def once(self) -> Outcome | None:
        await self.begin()
        try:
            return await self.supervise()
        except NoAnswer as none:
            ending = Ending.TOO_LONG if isinstance(none, QuestionTooLong) else Ending.NO_ANSWER
            return GaveUp(ending=ending, problem=f"{none.what}. {none.next_step}")

    async def begin(self) -> None:
        """Make the files ready and say that it has begun, or that it goes on."""
        task, work, ports = self.task, self.work, self.ports
        project, branch, start = task.project or "", dispatching.branch_of(task, work), work.base
        if not work.branch:
            start = await ports.checkouts.tip(project, task.work.branch) or task.work.base
        name = await ports.minions.prepare(role_of(task, work))
        mine = files_of(self._step) if self._step.config.get("blind") else ()
        self.checkout = await ports.checkouts.open(project, branch, start, mine)
        if not mine:  # what others say of the work tells how it is made
            self.knowledge = await self._choose_notes()
            self.given = await outputs_before(task, work, self._step, ports)
        recovered = work.state is SubtaskState.RUNNING
        went_on = (WENT_ON if self.checkout.found else BEGAN_AGAIN) if recovered else ""
        self.since = (work.answer,) if work.answer and isinstance(self.event, _ANSWERS) else ()
        self.interrupted = await self._left_half_done(went_on) if went_on else ""

        def decide(now: Task, moment: Moment) -> Sequence[Event]:
            about = about_run(now, now.work.on(self.subtask), moment.at)
            notes = self.knowledge.names
            started = e.MinionStarted(
                **about, branch=branch, base=start, engine=name, sandbox=name, went_on=went_on, notes=notes
            )
            return [started] if working.is_current(now, self.event) else []

        self.task = await ports.store.note(task.id, decide)

    async def _choose_notes(self) -> Choice:
        """As they are on the branch that all the work is for, never as a minion may have left them."""
        task, subtask = self.task, self.task.plan.subtask(self.subtask)
        about = " ".join((task.request.text, subtask.title, subtask.why, *subtask.files))
        return await self.ports.knowledge.choose(task.project or "", task.work.base, about)

    async def _left_half_done(self, went_on: str) -> str:
        """What a minion must know of the crash before it goes on, as the workspace is measured."""
        left = await self.ports.checkouts.unsaved_paths(self.checkout)
        pattern_of = ", ".join(left[:40]) or "none"
        return (
            f"You were interrupted: {went_on}. The last command may have been done by half. "
            f"Files that differ from the last commit: {pattern_of}. Look before you go on."
        )

    async def supervise(self) -> Outcome | None:
        """Until it ends, or a person stops it (None). Someone entitled who mentions the bot is not kept waiting."""
        show = self.ports.live(self.task.id, self.subtask)
        while True:
            running = asyncio.ensure_future(self.ports.minions.run(self._brief(), self._watch, show))
            self.told = last_number(self.task.wishes)
            called = asyncio.ensure_future(self.ports.store.until(self.task.id, self._is_called_off))
            try:
                await asyncio.wait({running, called}, return_when=asyncio.FIRST_COMPLETED)
                if running.done():
                    return await running
            finally:
                await cancel_and_wait(running, called)
            self.task = await self.ports.store.task(self.task.id)
            if self.task.at_rest or self.task.has_ended or not working.is_current(self.task, self.event):
                return None
            self.since = ()

    def _is_called_off(self, task: Task) -> bool:
        """It was stopped or has ended, or somebody entitled said something that does not wait."""
        urgent = any(wish.urgent for wish in newer_than(task.wishes, self.told))
        return task.at_rest or task.has_ended or urgent or not working.is_current(task, self.event)

    def _brief(self) -> Brief:
        subtask, blind = self.task.plan.subtask(self.subtask), self.checkout.blind
        own = limited_to(map(pattern_of, blind)) if blind else fence_of(self.task, self.work)
        notes = () if blind else dispatching.notes_for(self.task, subtask)
        return Brief(
            task=self.task,
            subtask=subtask,
            work=replace(self.work, scope=own),
            checkout=self.checkout,
            step=replace(self._step, roles=(role_of(self.task, self.work),)),
            notes=(*notes, *self.given),
            knowledge=self.knowledge,
            since=self.since,
            interrupted=self.interrupted,
        )

    async def _watch(self, progress: Progress) -> Sequence[Wish]:
        """Told after each turn; what people said meanwhile goes into the next one."""

        def decide(now: Task, moment: Moment) -> Sequence[Event]:
            if not working.is_current(now, self.event):
                return []
            about = about_run(now, now.work.on(self.subtask), moment.at)
            told = e.MinionProgressed(
                **about,
                turns=progress.turns,
                seconds=progress.seconds,
                doing=progress.doing,
                changed=progress.changed,
                skills=progress.skills,
                heard=self.told,
            )
            return [told]

        self.task = await self.ports.store.note(self.task.id, decide)
        self.since, self.interrupted = (), ""
        return self._news()

    def _news(self) -> tuple[Wish, ...]:
        """What people said since they were last listened to. After a crash the engine tells what its talk lacks."""
        news = newer_than(self.task.wishes, self.told)
        self.told = last_number(news) or self.told
        return news

    async def end(self, outcome: Outcome | None) -> None:
        task, checkouts = self.task, self.ports.checkouts
        now = await self.ports.store.task(task.id)
        if now.has_ended or (now.work.on(self.subtask).branch != self.checkout.branch):  # or its phase begins anew
            await checkouts.close(self.checkout)
            await self.ports.store.record(task.id, lambda now, moment: [])
            return
        commit, refused = await self._commit(outcome.summary if isinstance(outcome, Finished) else "")
        if isinstance(outcome, Finished):
            await keep_outputs(task, self.work, self._step, (outcome.summary, outcome.note), self.ports)
        record = await self._recorder(outcome, commit, refused)
        if isinstance(outcome, Finished | GaveUp) and not refused:
            await checkouts.close(self.checkout)

        def decide(now: Task, moment: Moment) -> Sequence[Event]:
            if not working.is_current(now, self.event):
                return []
            return record(now, now.work.on(self.subtask), moment)

        await self.ports.store.record(task.id, decide)

    async def _commit(self, summary: str) -> tuple[str, str]:
        """The commit that the branch is at, and why what was left could not be committed.

        Then the folder stays as it is: the next run on the branch goes on in it.
        """
        told = sign(self.task, self.ports.texts.commit_text(self.task, self.work.number, summary))
        try:
            return await self.ports.checkouts.commit(self.checkout, told), ""
        except Uncommittable as refused:
            tip = await self.ports.checkouts.tip(self.checkout.project, self.checkout.branch)
            return tip, f"{refused.what}. {refused.next_step}"

    async def _recorder(self, outcome: Outcome | None, commit: str, refused: str) -> "_Record":
        match outcome:
            case None:
                changes = await self._measure_changes(commit)
                return lambda now, work, moment: working.note_stop(now, work, commit, moment, changes)
            case Finished(summary=summary, note=note):
                return lambda now, work, moment: [
                    e.WorkHandedIn(
                        **about_run(now, work, moment.at),
                        commit=commit,
                        base=_whole_from(now, work),
                        summary=summary,
                        note=note[:500],
                        problem=cut(refused, PROBLEM),
                    )
                ]
            case Asked(question=question, options=options) as asked:
                default = "" if asked.risky else asked.default
                wanted = Wanted(question=question, options=options, default=default, why=asked.why)
                return lambda now, work, moment: working.ask_person(now, work, wanted, commit, moment)
            case WantsScope(paths=paths, why=why):
                wanted = Wanted(question=why, paths=paths)
                return lambda now, work, moment: working.ask_person(now, work, wanted, commit, moment)
            case GaveUp(ending=ending, problem=problem):
                patch = await keep_patch(self.task, self.work, commit, self.ports)
                ended = Ended(
                    ending=ending,
                    problem=cut(" ".join(part for part in (problem, refused) if part), PROBLEM),
                    commit=commit,
                    patch=patch,
                    changes=await self._measure_changes(commit),
                )
                return lambda now, work, moment: working.note_failure(now, work, ended, moment)

    async def _measure_changes(self, commit: str) -> tuple[Change, ...]:
        """What was really changed. Of work that is handed in the judgement says it."""
        return tuple(await self.ports.checkouts.changes(self.task.project or "", self.work.base, commit))


def _whole_from(task: Task, work: Work) -> str:
    """What a minion mends of the whole is judged as the whole again, not as the little that it mended."""
    return task.work.base if task.plan.is_closing(work.number) else ""


_Record = Callable[[Task, Work, Moment], Sequence[Event]]
_ANSWERS = (e.MinionAnswered, e.ScopeSettled)
