"""Consent to the set-up commands of a project: they run a stranger's code with a network. Never by itself."""

from enum import StrEnum

from agents.domain import events as e
from agents.domain.decisions.authority import APPROVERS, Kind, Rule
from agents.domain.decisions.kind import CANCEL, Chosen, DecisionKind, Facts, Moment, Question
from agents.domain.decisions.subject import OfSetup
from agents.domain.ids import project_id
from agents.domain.project.environment import Environment
from agents.domain.project.ground import Standing
from agents.domain.project.project import Project
from agents.domain.task.task import Task


class ConsentOption(StrEnum):
    RUN = "run"
    WITHOUT = "without"
    CANCEL = CANCEL


def standing_of(task: Task, project: Project | None, environment: Environment) -> Standing:
    """What the operator wrote in the settings is consented to; everything else as a person pressed."""
    if task.ground.without:
        return Standing.DECLINED
    known = project.consents if project else ()
    return Standing.ALLOWED if environment.written or environment.consent in known else Standing.ASKED


def consent_question(environment: Environment, problem: str = "", next_step: str = "") -> Question:
    """`problem`: why the last try failed, so that it is asked whether to try again."""
    subject = OfSetup(
        consent=environment.consent,
        commands=environment.setup,
        secrets=environment.secrets,
        proposed=environment.proposed,
    )
    evidence = tuple(each for each in (problem, next_step) if each)
    return Question(kind=Kind.CONSENT, subject=subject, evidence=evidence)


def apply_consent(task: Task, subject: OfSetup, chosen: Chosen, moment: Moment) -> Facts:
    if chosen.option.value == ConsentOption.WITHOUT:
        return [e.GroundSettled(task=task.id, at=moment.at, without=True, by=chosen.person)]
    allowed = e.SetupAllowed(
        task=task.id,
        project=project_id(task.project or ""),
        at=moment.at,
        consent=subject.consent,
        commands=subject.commands,
        secrets=subject.secrets,
        by=chosen.person,
    )
    return [allowed, e.SetupWanted(task=task.id, at=moment.at)]


CONSENT = DecisionKind(
    name=Kind.CONSENT,
    subject=OfSetup,
    rule=Rule(who=APPROVERS),
    apply=apply_consent,
    options=ConsentOption,
    approves=frozenset({ConsentOption.RUN}),
)
