"""Run the supervisors that are due, side by side; and let work go on where they take too long."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import cast

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.decisions.table import open_questions
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event
from agents.domain.ids import project_id
from agents.domain.knowledge.note import Supervisor
from agents.domain.supervision.counting import is_converging
from agents.domain.supervision.facts import Supervision, SupervisorRan, SupervisorsCalled, SupervisorSkipped, likenesses
from agents.domain.supervision.reporting import after_reports, go_on
from agents.domain.task.fold import evolve
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.flows.supervision.answers import SHAPES, Answer, Asking, take
from agents.flows.supervision.inputs import Seen, compress
from agents.flows.supervision.looking import look_up
from agents.ports import Ask, Later, Ports, Spent

Ended = tuple[Answer, Spent] | NoAnswer | BudgetReached


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One call of supervisors, and what they are shown."""

    event: SupervisorsCalled
    task: Task
    state: Supervision
    seen: Seen

    async def ask(self, by: Supervisor, ports: Ports) -> Ended:
        """Without a model, or without the money for one, it is skipped: advice fails open."""
        about = compress(self.task, self.state, by, self.seen)
        step = f"{by}:{self.event.call}"
        asked = Ask(question=by.value, role="supervisor", step=step, task=self.task, about=about)
        try:
            return cast("tuple[Answer, Spent]", await ports.llm.ask(asked, SHAPES[by]))
        except (NoAnswer, BudgetReached) as none:
            return none

    def fact(self, by: Supervisor, ended: Ended, moment: Moment) -> SupervisorRan | SupervisorSkipped:
        task, call, on = self.task.id, self.event.call, project_id(self.task.project or "")
        if isinstance(ended, NoAnswer | BudgetReached):
            why = one_line(ended.what, 300)
            return SupervisorSkipped(task=task, project=on, at=moment.at, call=call, by=by, why=why)
        answer, spent = ended
        found = take(answer, Asking(by=by, call=call, task=task, files=frozenset(self.seen.files)))
        ran = SupervisorRan(
            task=task,
            project=on,
            at=moment.at,
            call=call,
            by=by,
            summary=found.summary,
            directives=found.directives,
            notes=found.notes,
            refused=found.refused,
            bootstrap=self.seen.is_bootstrap,
            model=spent.model,
            cost=spent.cost,
            tokens_in=spent.tokens_in,
            tokens_out=spent.tokens_out,
        )
        return replace(ran, converging=is_converging(moment.watching(self.task).state.counter(by), likenesses(ran)))


async def run_supervisors(event: Event, ports: Ports) -> None:
    """Each answers for itself: one that fails is skipped, and the others count."""
    assert isinstance(event, SupervisorsCalled)
    task = await ports.store.task(event.task)
    run = _Run(event=event, task=task, state=await look_up(task, ports), seen=await _look_around(task, ports))
    ended = await asyncio.gather(*(run.ask(each, ports) for each in event.supervisors))

    def decide(now: Task, moment: Moment) -> Sequence[Event]:
        facts = [run.fact(by, each, moment) for by, each in zip(event.supervisors, ended, strict=True)]
        return open_questions(now, after_reports(now, event, facts, moment), moment)

    await ports.store.record(task.id, decide)


async def _look_around(task: Task, ports: Ports) -> Seen:
    project, work = task.project or "", task.work
    files = await ports.projects.files(project)
    tip = await ports.checkouts.tip(project, work.branch) if work.branch else ""
    patch = await ports.checkouts.patch(project, work.base, tip) if tip and tip != work.base else ""
    changed = {change.path for each in work.subtasks if each.evaluation for change in each.evaluation.changes}
    shelf = await ports.knowledge.shelf(project, work.base)
    return Seen(files=tuple(sorted({*files, *changed})), patch=patch, notes=shelf.notes)


async def go_on_without(event: Event, ports: Ports) -> None:
    """The next subtasks wait for supervisors, and for the assessor, so long and no longer; what these find still
    counts."""
    assert isinstance(event, e.SupervisorsAwaited | e.AssessmentDue)

    def decide(now: Task, moment: Moment) -> Sequence[Event] | Later:
        state = now.supervision
        waits = state.assessing if isinstance(event, e.AssessmentDue) else state.awaited and state.call
        if now.has_ended or waits != event.call:
            return []
        left = (event.at + timedelta(seconds=event.wait) - moment.at).total_seconds()
        if left > 0:
            return Later(seconds=left)
        late = e.SupervisorsLate(task=now.id, at=moment.at, call=event.call)
        return open_questions(now, [late, *go_on(evolve(now, late), event.call, moment)], moment)

    await ports.store.record_or_wait(event.task, decide)
