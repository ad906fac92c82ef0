"""Decisions of the stages. Each takes what is known and returns the facts that follow; none does any I/O."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain import events as e
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.decision import Decision, Option, decision_id, lettered
from agents.domain.decisions.kind import Facts, Moment, Question, Withdrawal, ask, offers_to_go_on, withdraw
from agents.domain.decisions.kinds.task.controls import CONTROLS
from agents.domain.decisions.kinds.task.correction import CORRECTION
from agents.domain.decisions.kinds.task.intake import INTAKE
from agents.domain.decisions.kinds.task.project import PROJECT
from agents.domain.decisions.kinds.task.stuck import STUCK, StuckOption
from agents.domain.decisions.subject import OfJob
from agents.domain.ids import TaskId
from agents.domain.task.remarks import SURE
from agents.domain.task.request import Request
from agents.domain.task.task import Task

# What is asked on the way to a plan; pointless once the request is another one.
ABOUT_THE_PLAN = (
    *(Kind.PLAN, Kind.DEBATE, Kind.CLARIFICATION, Kind.NO_PLAN, Kind.CHANGE),
    *(Kind.STUCK, Kind.BUDGET),
)


def open_task(id: TaskId, request: Request, moment: Moment) -> Facts:
    """A request becomes a task, with the standing buttons that steer it."""
    asked = e.TaskRequested(task=id, at=moment.at, request=request)
    controls = Decision(
        id=decision_id(id, Kind.CONTROLS, ""),
        task=id,
        kind=Kind.CONTROLS,
        options=CONTROLS.offer(),
        put_to=request.by,
        opened_at=moment.at,
    )
    return [asked, e.DecisionOpened(task=id, at=moment.at, decision=controls)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """What a model takes the words for."""

    project: str
    confidence: float


def choose_project(task: Task, projects: Sequence[str], moment: Moment, guess: Guess | None = None) -> Facts:
    """By rule, else as a model that is sure of it says; else a person is asked."""
    if task.project is not None or task.ended or task.of_kind(Kind.PROJECT):
        return []
    if task.request.origin and not (task.request.origin.heard or task.vouched):
        return [] if task.of_kind(Kind.INTAKE) else ask(task, Question(kind=INTAKE), moment)
    if task.request.origin and task.request.origin.project in projects:
        why = "it is an issue of this project"
        return [e.ProjectChosen(task=task.id, at=moment.at, project=task.request.origin.project, by=None, why=why)]
    if task.request.mandate and task.request.mandate.project in projects:
        why = "the proposal is about this project"
        return [e.ProjectChosen(task=task.id, at=moment.at, project=task.request.mandate.project, by=None, why=why)]
    if chosen := project_by_rule(task.request.text, projects, moment.channel.project) or _by_guess(guess, projects):
        project, why = chosen
        return [e.ProjectChosen(task=task.id, at=moment.at, project=project, by=None, why=why)]
    options = lettered(*(Option(value=name, label=name) for name in projects))
    return ask(task, Question(kind=PROJECT, options=options), moment)


def project_by_rule(request: str, projects: Sequence[str], of_channel: str) -> tuple[str, str] | None:
    """The channel's default, then the only project there is, then one the request names; and why."""
    named = [name for name in projects if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", request, re.IGNORECASE)]
    if not projects:
        return "", "no project is configured"
    if of_channel in projects:
        return of_channel, "it is this channel's project"
    if len(projects) == 1:
        return projects[0], "it is the only project"
    if len(named) == 1:
        return named[0], "the request names it"
    return None


def _by_guess(guess: Guess | None, projects: Sequence[str]) -> tuple[str, str] | None:
    if guess is None or guess.project not in projects or guess.confidence < SURE:
        return None
    return guess.project, "the request reads like it; say so if it is another one"


def correct(task: Task, text: str, presser: Presser, moment: Moment, hidden: int = 0) -> Facts:
    """The author edited the request; nobody else's edit counts. A plan for what it said before is not one for this."""
    if task.ended or not presser.is_(task.request.by):
        return []
    if task.plan.accepted:
        return _offer_change(task, text, presser, moment, hidden)
    if text == task.request.text:
        return []
    corrected = e.RequestCorrected(task=task.id, at=moment.at, by=presser.person, request=text, hidden=hidden)
    if not task.in_planning:
        return [corrected]
    old = [d for d in task.open if d.kind in ABOUT_THE_PLAN]
    words = f"The request was corrected. It was: {task.request.text}"
    again = e.PlanChangeRequested(task=task.id, at=moment.at, by=presser.person, words=words)
    return [corrected, *withdraw(old, Withdrawal.CORRECTED, moment), again]


def _offer_change(task: Task, text: str, presser: Presser, moment: Moment, hidden: int) -> Facts:
    """What was approved stays what is shown, worked on and judged; the edit is offered as a change."""
    before = [d for d in task.open if d.kind is Kind.CORRECTION]
    if text == (before[0].question if before else task.request.text):
        return []
    edited = e.RequestEdited(task=task.id, at=moment.at, by=presser.person, request=text, hidden=hidden)
    stale = withdraw(before, Withdrawal.EDITED, moment)
    if text == task.request.text:
        return [edited, *stale]
    question = Question(kind=CORRECTION, text=text, evidence=(task.request.text,))
    return [edited, *stale, *ask(task, question, moment)]


def park(task: Task, parked: e.JobParked, moment: Moment) -> Facts:
    """A job that cannot be finished: say so, and ask the owner what to do."""
    if task.ended:
        return []
    options = () if parked.flow == "decompose" else (StuckOption.RETRY, StuckOption.CANCEL)
    question = Question(
        kind=STUCK,
        options=STUCK.offer(*options),
        evidence=(parked.problem, parked.kept),
        subject=OfJob(flow=parked.flow),
    )
    return [
        parked,
        *withdraw(offers_to_go_on(task), Withdrawal.STUCK, moment),
        *ask(task, question, moment),
    ]
