"""Questions to put to people, for tests that need one of a kind and do not care what it is about."""

from agents.domain.checks.evaluation import RiskLevel
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, Option, decision_id
from agents.domain.decisions.kind import Moment, Question
from agents.domain.decisions.subject import (
    OfBudget,
    OfDirectives,
    OfHead,
    OfJob,
    OfNotes,
    OfNotesPull,
    OfPhase,
    OfPlan,
    OfProposal,
    OfRemark,
    OfRun,
    OfSetup,
    OfSkill,
    OfStep,
    OfSubtask,
    OfWish,
    OfWords,
    PhaseAct,
    Subject,
)
from agents.domain.decisions.table import KINDS, open_questions
from agents.domain.events import DecisionSuperseded, Event
from agents.domain.ids import ProposalId
from agents.domain.knowledge.note import Carried, Folder, Move, NoteChange, Supervisor
from agents.domain.task.task import Task


def question(
    rule: str, options: tuple[Option, ...] = (), text: str = "", default: str = "", subject: Subject | None = None
) -> Question:
    """Of the kind that is decided by this rule: `plan`, `gate_high`."""
    name, risk = _named(rule)
    about = subject or sample(name, risk)
    return Question(kind=name, options=options, text=text, subject=about, default=default)


def _named(rule: str) -> tuple[Kind, RiskLevel]:
    name, _, risk = rule.rpartition("_")
    if name in (Kind.GATE, Kind.MERGE, Kind.CHECKS, Kind.ACCEPT_TESTS):
        return Kind(name), RiskLevel(risk)
    return Kind(rule), RiskLevel.LOW


CHANGE = NoteChange(
    folder=Folder.LESSONS, slug="names", title="Names", rules=("Trim names",), by=Supervisor.INTERNALISER, task="T-1"
)


def sample(name: Kind, risk: RiskLevel = RiskLevel.LOW) -> Subject | None:
    """Something that a decision of this kind may be about."""
    run = OfRun(subtask=1, attempt=1)
    samples: dict[type[Subject], Subject] = {
        OfSubtask: OfSubtask(subtask=1),
        OfRun: run,
        OfStep: OfStep(subtask=1, attempt=1, commit="c0ffee", risk=risk),
        OfHead: OfHead(commit="c0ffee", risk=risk),
        OfPlan: OfPlan(hash="hash", version=1),
        OfPhase: OfPhase(phase=1, act=PhaseAct.REVERT, shown="hash"),
        OfBudget: OfBudget(budget="", limit=10.0, spent=9.5),
        OfJob: OfJob(flow="decompose"),
        OfWords: OfWords(words="use the library"),
        OfRemark: OfRemark(entitled=False),
        OfWish: OfWish(wish=1),
        OfDirectives: OfDirectives(directives=("d",)),
        OfProposal: OfProposal(proposal=ProposalId("p"), shown="hash"),
        OfSkill: OfSkill(draft=1, skill="hash"),
        OfNotes: OfNotes(notes=(CHANGE,)),
        OfNotesPull: OfNotesPull(number=1, head="c0ffee", carried=(Carried(change=CHANGE, move=Move.ADDED),)),
        OfSetup: OfSetup(consent="hash", commands=("npm ci",), secrets=()),
    }
    wanted = KINDS[name].subject
    return samples[wanted] if wanted else None


def supersede(old: Decision, task: Task, question: Question, moment: Moment) -> list[Event]:
    """What was shown has changed: the old card says so, a new one asks. Facts of earlier versions have it."""
    new = decision_id(task.id, question.kind, moment.cause)
    gone = DecisionSuperseded(task=task.id, project=old.project, at=moment.at, decision=old.id, by=new)
    return open_questions(task, [gone, question], moment)
