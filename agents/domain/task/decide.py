"""Decisions of the stages. Each takes what is known and returns the facts that follow; none does any I/O."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field

from agents.domain import events as e
from agents.domain.decisions.authority import Kind, Presser
from agents.domain.decisions.decision import Decision, Option, decision_id, with_letters
from agents.domain.decisions.kind import Facts, Moment, Question, Withdrawal, offers_to_go_on, withdraw
from agents.domain.decisions.kinds.plan.change import change_plan
from agents.domain.decisions.kinds.task.controls import CONTROLS
from agents.domain.decisions.kinds.task.stuck import STUCK, StuckOption
from agents.domain.decisions.subject import OfJob, OfRemark, OfWish, OfWords
from agents.domain.decisions.table import ask, questions
from agents.domain.ids import PersonId, TaskId
from agents.domain.reason import Cause, Reason, Why
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from agents.domain.task.wishes import Wish
from agents.domain.text.sanitize import cut

SURE = 0.7  # below it, a model's reading of words is not acted upon
# What is asked on the way to a plan; pointless once the request is another one.
ABOUT_THE_PLAN = (*(Kind.PLAN, Kind.DEBATE, Kind.CLARIFICATION, Kind.NO_PLAN, Kind.CHANGE), *(Kind.STUCK, Kind.BUDGET))


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


Confident = Annotated[
    float, Field(ge=0, le=1, description="how sure you are, from 0 to 1; below 0.7 the person is asked")
]


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
    by_rule = _by_origin(task.request, projects) or project_by_rule(task.request.text, projects, moment.channel.project)
    if chosen := by_rule or _by_guess(guess, projects):
        project, why = chosen
        return [e.ProjectChosen(task=task.id, at=moment.at, project=project, by=None, why=Reason(code=why))]
    options = with_letters(*(Option(value=name, label=name) for name in projects))
    return ask(task, Question(kind=Kind.PROJECT, options=options), moment)


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


def correct(task: Task, written: Wording, presser: Presser, moment: Moment) -> Facts:
    """The author edited the request; nobody else's edit counts. A plan for what it said before is not one for this."""
    if task.has_ended or not presser.is_(task.request.by):
        return []
    if task.plan.accepted:
        return _offer_change(task, written.text, presser, moment, written.hidden)
    if (written.text, written.workflow) == (task.request.text, task.request.workflow):
        return []
    corrected = e.RequestCorrected(
        task=task.id,
        at=moment.at,
        by=presser.person,
        request=written.text,
        hidden=written.hidden,
        workflow=written.workflow,
    )
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
    question = Question(kind=Kind.CORRECTION, text=text, evidence=(task.request.text,))
    return [edited, *stale, *ask(task, question, moment)]


def park(task: Task, parked: e.JobParked, moment: Moment) -> Facts:
    """A job that cannot be finished: say so, and ask the owner what to do."""
    if task.has_ended:
        return []
    options = () if parked.flow == "decompose" else (StuckOption.RETRY, StuckOption.CANCEL)
    subject, evidence = OfJob(flow=parked.flow), (parked.problem, parked.kept)
    question = Question(kind=Kind.STUCK, options=STUCK.offer(*options), evidence=evidence, subject=subject)
    return [parked, *withdraw(offers_to_go_on(task), Withdrawal.STUCK, moment), *ask(task, question, moment)]


class Intent(StrEnum):
    CHANGE = "change"
    APPROVE = "approve"
    STATUS = "status"
    WHY = "why"
    COST = "cost"
    OTHER = "other"  # small talk, or a remark to keep in mind: silence is an answer


_INTENTS = (
    "change: the plan or the request should be different; approve: consent to what is open; status: how it stands; "
    "why: the reasons for a plan, a verdict or a wait; cost: money; other: anything else, small talk too"
)


class Understood(BaseModel):
    """What a model takes a remark for."""

    intent: Intent = Field(description=_INTENTS)
    confidence: Confident


def after_remark(task: Task, remark: e.RemarkMade, understood: Understood, moment: Moment) -> Facts:
    """Below 0.7 one question is asked, and only where a wrong guess would change something."""
    if task.has_ended:
        return []
    if remark.asks and _may_be_a_request(task, understood):
        return _ask_whether_new(task, remark, moment)
    match understood.intent:
        case Intent.CHANGE if understood.confidence < SURE:
            return _ask_whether(task, remark, moment)
        case Intent.CHANGE:
            return change_plan(task, remark.by, remark.text, moment, entitled=remark.entitled)
        case Intent.APPROVE:
            return _offer(task, remark.by, moment)
        case Intent.STATUS | Intent.WHY | Intent.COST:
            about = understood.intent.value
            return [e.TaskAskedAbout(task=task.id, at=moment.at, by=remark.by, about=about)]
        case Intent.OTHER:
            return []


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


def _may_be_a_request(task: Task, understood: Understood) -> bool:
    """What is no question about the task, and not surely a wish for the plan that is shown."""
    if understood.intent is Intent.CHANGE:
        return understood.confidence < SURE or not _plan_is_shown(task)
    return understood.intent is Intent.OTHER


def _ask_whether_new(task: Task, remark: e.RemarkMade, moment: Moment) -> Facts:
    """It is kept as a remark already; whoever said it may have meant a task of their own."""
    about = OfRemark(entitled=remark.entitled)
    return ask(task, Question(kind=Kind.SECOND, text=remark.text, subject=about, put_to=remark.by), moment)


def _plan_is_shown(task: Task) -> bool:
    return any(d.kind in (Kind.PLAN, Kind.DEBATE) for d in task.open)


def remark_context(task: Task) -> list[str]:
    """What a reader of the remark should know of the thread: where the task is and what it waits for."""
    facts = [f"The task is {task.state.replace('_', ' ')}."]
    if task.plan.draft:
        facts.append(f"Version {task.plan.number} of a plan was drafted: {task.plan.draft.goal}")
    return facts + [
        f"Open for a person to decide: {d.kind.replace('_', ' ')}. {d.wording}".strip() for d in questions(task)
    ]


def _ask_whether(task: Task, remark: e.RemarkMade, moment: Moment) -> Facts:
    if not _plan_is_shown(task):
        return []
    before = [d for d in task.open if d.kind is Kind.CHANGE]
    asked = ask(task, Question(kind=Kind.CHANGE, subject=OfWords(words=remark.text)), moment)
    return [*withdraw(before, Withdrawal.SAID_SINCE, moment), *asked]


def _offer(task: Task, by: PersonId, moment: Moment) -> Facts:
    for decision in questions(task):
        if any(option.approves for option in decision.options):
            return [e.ApprovalOffered(task=task.id, at=moment.at, by=by, decision=decision.id)]
    return []
