"""Decisions of the stages. Each takes what is known and returns the facts that follow; none does any I/O."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from agents.domain import events as e
from agents.domain.asking.meaning import SURE, Confident
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.decision import Decision, Option, decision_id, with_letters
from agents.domain.decisions.kind import Facts, Moment, Question, Withdrawal, offers_to_go_on, withdraw
from agents.domain.decisions.kinds.task.controls import CONTROLS
from agents.domain.decisions.kinds.task.stuck import STUCK, StuckOption
from agents.domain.decisions.subject import OfJob, OfWish
from agents.domain.decisions.table import ask
from agents.domain.ids import TaskId
from agents.domain.reason import Cause, Reason, Why
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from agents.domain.task.wishes import Wish
from agents.domain.text.sanitize import cut

# What is asked on the way to a plan; pointless once the request is another one.
OLD_REQUEST = 500  # characters of what a request was, for whoever plans it anew
ABOUT_THE_PLAN = (
    *(Kind.PLAN, Kind.DEBATE, Kind.CLARIFICATION, Kind.NO_PLAN, Kind.CHANGE, Kind.SKILL_DRAFT),
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


class Guess(BaseModel):
    """What a model takes the words for."""

    project: str = Field(default="", max_length=200, description="one of the names; empty if the words do not tell")
    confidence: Confident


def choose_project(task: Task, projects: Sequence[str], moment: Moment, guess: Guess | None = None) -> Facts:
    """By rule, else as a model that is sure of it says; else a person is asked."""
    if task.project is not None or task.has_ended or task.of_kind(Kind.PROJECT):
        return []
    if task.request.origin and not (task.request.origin.heard or task.vouched):
        return [] if task.of_kind(Kind.INTAKE) else ask(task, Question(kind=Kind.INTAKE), moment)
    if chosen := _choose(task.request, projects, moment.channel.project, guess):
        project, why = chosen
        return [e.ProjectChosen(task=task.id, at=moment.at, project=project, by=None, why=Reason(code=why))]
    options = with_letters(*(Option(value=name, label=name) for name in projects))
    return ask(task, Question(kind=Kind.PROJECT, options=options), moment)


def _choose(request: Request, projects: Sequence[str], of_channel: str, guess: Guess | None) -> tuple[str, Why] | None:
    """What was proposed for a project that is gone is never carried out in another by rule."""
    if by_origin := _by_origin(request, projects):
        return by_origin
    if projects and request.mandate and request.mandate.project not in ("", *projects):
        return None
    return project_by_rule(request.text, projects, of_channel) or _by_guess(guess, projects)


def _by_origin(request: Request, projects: Sequence[str]) -> tuple[str, Why] | None:
    if request.origin and request.origin.project in projects:
        return request.origin.project, Why.ISSUE_OF_PROJECT
    if request.mandate and request.mandate.project in projects:
        return request.mandate.project, Why.PROPOSAL_OF_PROJECT
    return None


def project_by_rule(request: str, projects: Sequence[str], of_channel: str) -> tuple[str, Why] | None:
    """The channel's default, then the only project there is, then one the request names; and why."""
    named = [name for name in projects if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", request, re.IGNORECASE)]
    if not projects:
        return "", Why.NO_PROJECT
    if of_channel in projects:
        return of_channel, Why.CHANNELS_PROJECT
    if len(projects) == 1:
        return projects[0], Why.ONLY_PROJECT
    if len(named) == 1:
        return named[0], Why.NAMED_PROJECT
    return None


def _by_guess(guess: Guess | None, projects: Sequence[str]) -> tuple[str, Why] | None:
    if guess is None or guess.project not in projects or guess.confidence < SURE:
        return None
    return guess.project, Why.LIKELY_PROJECT


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """A request as its author writes it now."""

    text: str
    hidden: int = 0  # characters that nobody sees, which were taken out of it
    workflow: str = ""  # that it chooses
    role: str = ""


def correct(task: Task, written: Wording, presser: Presser, moment: Moment) -> Facts:
    """The author edited the request; nobody else's edit counts. A plan for what it said before is not one for this."""
    if task.has_ended or not presser.is_(task.request.by):
        return []
    if task.plan.accepted:
        return _offer_change(task, written.text, presser, moment, written.hidden)
    now = task.request
    if (written.text, written.workflow, written.role) == (now.text, now.workflow, now.role):
        return []
    corrected = e.RequestCorrected(
        task=task.id,
        at=moment.at,
        by=presser.person,
        request=written.text,
        hidden=written.hidden,
        workflow=written.workflow,
        role=written.role,
    )
    if not task.in_planning:
        return [corrected]
    old = [d for d in task.open if d.kind in ABOUT_THE_PLAN]
    words = f"The request was corrected. It was: {cut(task.request.text, OLD_REQUEST)}"
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
    question = Question(kind=Kind.CORRECTION, text=text, evidence=(task.request.text,))
    return [edited, *stale, *ask(task, question, moment)]


def park(task: Task, parked: e.JobParked, moment: Moment) -> Facts:
    """A job that cannot be finished: say so, and ask the owner what to do."""
    if task.has_ended:
        return []
    subject, evidence = OfJob(flow=parked.flow), (parked.problem, parked.kept)
    question = Question(kind=Kind.STUCK, options=STUCK.offer(*_ways_on(parked)), evidence=evidence, subject=subject)
    return [parked, *withdraw(offers_to_go_on(task), Withdrawal.STUCK, moment), *ask(task, question, moment)]


def _ways_on(parked: e.JobParked) -> tuple[StuckOption, ...]:
    if parked.flow != "decompose":
        return StuckOption.RETRY, StuckOption.CANCEL
    less = (StuckOption.LESS,) if parked.overflow else ()
    return StuckOption.RETRY, *less, StuckOption.OUTLINE, StuckOption.CANCEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What a model makes of a wish beside the accepted plan."""

    contradicts: str = ""  # what of the plan; empty: nothing
    confidence: float = 0.0
    unclear: str = ""  # why no model could tell


def to_weigh(task: Task) -> list[Wish]:
    return [wish for wish in task.wishes if wish.unweighed] if task.in_work else []


def weigh(task: Task, number: int, weighed: Weighed, moment: Moment) -> Facts:
    """A contradiction is put to those who may change the plan. What is not sure is only said."""
    wish = next((each for each in to_weigh(task) if each.number == number), None)
    if wish is None:
        return []
    unsure: Cause = Reason(code=Why.UNSURE_MODEL) if weighed.confidence < SURE else ""
    unclear = cut(weighed.unclear, 300) or unsure
    against = "" if unclear else cut(weighed.contradicts, 300)
    told = e.WishWeighed(task=task.id, at=moment.at, wish=number, contradicts=against, unclear=unclear)
    if not against:
        return [told]
    question = Question(
        kind=Kind.AGAINST_PLAN,
        text=wish.words,
        evidence=(against,),
        subject=OfWish(wish=number),
        cause=f"wish:{number}",
    )
    return [told, *ask(task, question, moment)]
