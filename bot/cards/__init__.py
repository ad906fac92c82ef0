"""How facts are told to people. The only place where the bot's words are written."""

from collections.abc import Callable
from dataclasses import replace

from agents.domain import events as e
from agents.domain.asking.facts import Inquiry
from agents.domain.checks.evaluation import Evaluation, Score
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision, DecisionState
from agents.domain.events import Event
from agents.domain.ids import DecisionId
from bot.cards.approved_plan import with_plan
from bot.cards.asking.answers import answer_card
from bot.cards.decisions import checked_run, decision_card
from bot.cards.evidence import with_evidence
from bot.cards.kinds.learning.proposal import carried_card
from bot.cards.learning.batches import batch_of
from bot.cards.planning.ground import setup_card
from bot.cards.progress import evaluation_card, sent_back_card
from bot.cards.replies import approve_card, reminder_card
from bot.cards.scene import SETUP_LOG, Posting, Scene, with_checks, with_kept, with_task_page
from bot.cards.status import about_card, status_card
from bot.cards.work.handing_over import branch_card, kept_card, merged_card
from bot.messages import Link

TWICE = 2  # times that work goes back before it is worth a message

Maker = Callable[[Event, Scene], list[Posting]]


def status(event: Event | None, scene: Scene) -> list[Posting]:
    card = status_card(scene.task, scene.name, scene.bill(), scene.paused())
    if scene.task.ground.log and not scene.task.has_ended and scene.ways.to("/"):
        card = with_kept(card, scene.task, scene.task.ground.log, SETUP_LOG, scene.ways)
    return [Posting(key=f"status:{scene.task.id}", card=with_task_page(card, scene.task, scene.ways))]


def say_set_up(event: Event, scene: Scene) -> list[Posting]:
    """With its log, where no page could show it: a card that is drawn again and again carries no file."""
    assert isinstance(event, e.GroundSettled)
    if not event.log or scene.ways.to("/"):
        return []
    card = with_kept(setup_card(scene.task, event), scene.task, event.log, SETUP_LOG, scene.ways)
    return [Posting(key=f"setup:{scene.task.id}", card=card)]


def decision(event: Event, scene: Scene) -> list[Posting]:
    """The card of the decision a fact is about, as the decision stands now."""
    known = scene.decision(_about(event))
    if known is None or known.kind is Kind.CONTROLS:
        return []
    if known.kind is Kind.REROUTE:
        return _answers(scene)
    if batch := batch_of(known, scene):
        return [batch]
    beside = shown_plan(event, scene) if known.kind is Kind.CONSENT else []
    if known.state is DecisionState.OPEN:
        return [_asking(known, scene), *beside]
    return [_asking(known, scene), *beside, *_confirmation(known, scene), *_checks_without(known, scene)]


def _asking(known: Decision, scene: Scene) -> Posting:
    card = decision_card(scene.task, known, scene.name, scene.bill())
    if card.buttons:
        card = with_evidence(card, scene.task, known, scene.ways)
        card = replace(card, notify=scene.deciders(known), lines=_with(card.lines, scene.nobody(known)))
    return Posting(key=f"decision:{known.id}", card=with_plan(card, scene.task, known, scene.ways))


def _confirmation(known: Decision, scene: Scene) -> list[Posting]:
    """The card that words brought has nothing left to press, wherever it was decided."""
    key = f"confirm:{known.id}"
    return [Posting(key=key, card=approve_card(scene.task, known, scene.name))] if scene.shown(key) else []


def reminder(event: Event, scene: Scene) -> list[Posting]:
    known = scene.decision(_about(event))
    if known is None or scene.task.muted or not isinstance(event, e.DecisionReminded):
        return []
    approver = scene.next_approver(event.number - 2) if event.number > 1 else None
    who = approver or scene.name(known.put_to)
    notify = (approver,) if approver else scene.accounts(known.put_to)
    card = reminder_card(scene.task, known, who, scene.message(f"decision:{known.id}"))
    card = replace(card, notify=notify)
    return [Posting(key=f"reminder:{known.id}:{event.number}", card=card)]


def shown_plan(event: Event, scene: Scene) -> list[Posting]:
    """The card of a plan that somebody looks at just now says what is known meanwhile."""
    waiting = next((d for d in scene.task.open if d.kind in (Kind.PLAN, Kind.DEBATE)), None)
    return [_asking(waiting, scene)] if waiting and scene.shown(f"decision:{waiting.id}") else []


def offer(event: Event, scene: Scene) -> list[Posting]:
    """Words never approve; they bring the button, to a person who may press it."""
    assert isinstance(event, e.ApprovalOffered)
    known = scene.decision(event.decision)
    if known is None or known.state is not DecisionState.OPEN:
        return []
    card = approve_card(scene.task, known, scene.name, event.option)
    return [Posting(key=f"confirm:{known.id}", card=replace(card, notify=scene.accounts(event.by)))]


def answer(event: Event, scene: Scene) -> list[Posting]:
    """How it stands, why, and what it cost: from facts, never from imagination."""
    assert isinstance(event, e.TaskAskedAbout)
    card = about_card(scene, event.about)
    return [Posting(key=f"answer:{scene.task.id}:{event.at.timestamp():.6f}", card=card)]


def say_answer(event: Event, scene: Scene) -> list[Posting]:
    """A question about the code: one message an answer, to whoever asked."""
    assert isinstance(event, e.QuestionAnswered)
    asked = scene.task.talk.on(event.number)
    if asked is None:
        return []
    card = answer_card(scene.task, asked, scene.bill(), scene.ways)
    return [Posting(key=_answer_key(scene, asked), card=replace(card, notify=scene.accounts(asked.by)))]


def _answers(scene: Scene) -> list[Posting]:
    """Those that stand in the thread, with the buttons that make sense now."""
    answered = [each for each in scene.task.talk.inquiries if each.answer and scene.shown(_answer_key(scene, each))]
    return [
        Posting(key=_answer_key(scene, each), card=answer_card(scene.task, each, scene.bill(), scene.ways))
        for each in answered
    ]


def _answer_key(scene: Scene, asked: Inquiry) -> str:
    return f"code_answer:{scene.task.id}:{asked.number}"


def evaluation(event: Event, scene: Scene) -> list[Posting]:
    """One message a task, edited as its steps are judged; another for what was sent back twice."""
    assert isinstance(event, e.WorkEvaluated)
    task, judged = scene.task, event.evaluation
    work = task.work.on(event.subtask)
    made = [_checks(judged, scene)]
    if judged.overall is Score.NEEDS_REVISION and work.attempt == judged.attempt + 1 and work.tries == TWICE + 1:
        key = f"sent_back:{task.id}.{work.number}:{judged.attempt}"
        made.append(Posting(key=key, card=sent_back_card(task, work, judged)))
    return made


def _checks(judged: Evaluation, scene: Scene) -> Posting:
    task = scene.task
    card = with_checks(evaluation_card(task, task.work.on(judged.subtask), judged), task, judged, scene.ways)
    run = (judged.subtask, judged.attempt)
    for asked in (each for each in task.open if checked_run(task, each) == run):
        title = decision_card(task, asked, scene.name).title
        link = Link(label=title, decision=asked.id, message=scene.message(f"decision:{asked.id}"))
        needs = f"{task.id}.{judged.subtask} needs a person: see “{title}” in this thread."
        card = replace(card, lines=(*card.lines, needs), links=(*card.links, link))
    return Posting(key=f"evaluation:{task.id}", card=card)


def _checks_without(known: Decision, scene: Scene) -> list[Posting]:
    """The checks no longer name a decision that was made."""
    shown = scene.shown(f"evaluation:{scene.task.id}")
    run = checked_run(scene.task, known)
    if run is None or shown is None or all(link.decision != known.id for link in shown.links):
        return []
    judged = scene.task.work.on(run[0]).evaluation
    return [_checks(judged, scene)] if judged else []


def say_kept(event: Event, scene: Scene) -> list[Posting]:
    assert isinstance(event, e.WorkKept)
    card = kept_card(scene.task, event)
    if event.patch:
        card = with_kept(card, scene.task, event.patch, "Show the patch", scene.ways)
    return [Posting(key=f"kept:{scene.task.id}", card=card)]


def branch(event: Event, scene: Scene) -> list[Posting]:
    assert isinstance(event, e.BranchPublished)
    return [Posting(key=f"branch:{scene.task.id}.{event.subtask}", card=branch_card(event))]


def say_merged(event: Event, scene: Scene) -> list[Posting]:
    assert isinstance(event, e.Merged)
    return [Posting(key=f"merged:{scene.task.id}", card=merged_card(scene.task, scene.bill()))]


def say_carried(event: Event, scene: Scene) -> list[Posting]:
    """Where the proposal was made people are told which task carries it out, and when that is done."""
    mandate = scene.task.request.mandate
    if mandate is None:
        return []
    return [Posting(key=f"carried:{mandate.proposal}", card=carried_card(scene.task, mandate), thread=mandate.thread)]


def _about(event: Event) -> DecisionId:
    match event:
        case e.DecisionOpened(decision=opened):
            return opened.id
        case e.AboutDecision(decision=id):
            return id
        case _:
            raise TypeError(f"{type(event).__name__} is about no decision")


def _with(lines: tuple[str, ...], extra: str) -> tuple[str, ...]:
    return (*lines, extra) if extra else lines


# Facts that change the status card alone; of words that were removed it shows none any more.
_STATUS: tuple[type[Event], ...] = (
    *(e.AnswerWanted, e.ChangeWanted, e.QuestionAsked, e.FollowUpSaid, e.FollowUpSettled, e.TaskWithdrawn),
    *(e.FollowUpOpened, e.RequestVouched, e.ProjectChosen, e.RemarkMade, e.RequestCorrected, e.WordsRemoved),
    *(e.WishWeighed, e.WishSettled, e.PlanEdited, e.PlanEditRefused, e.FullReviewWanted, e.VerdictWanted),
    *(e.TaskStopped, e.TaskResumed, e.TaskBackburnered, e.JobParked, e.JobRetried),
    *(e.BudgetWarned, e.BudgetReached, e.BudgetRaised, e.ModelDegraded, e.ModelAskedAgain, e.GuidanceLeftOut),
    *(e.ModelLacks, e.WorkflowRead),
    *(e.DecompositionDrafted, e.PlanningSimplified, e.OutlineChosen, e.DecompositionSentBack, e.ReviewersDisagreed),
    *(e.DebateRoundHeld, e.DecompositionApproved, e.DecompositionBlocked, e.DecompositionEscalated, e.PlanAccepted),
    *(e.PlanChangeRequested, e.ClarificationAnswered, e.WorkBegun, e.SubtaskReady, e.MinionStarted),
    *(e.MinionProgressed, e.MinionAsked, e.MinionAnswered, e.ScopeSettled, e.MinionStopped, e.MinionFailed),
    *(e.WorkHandedIn, e.StepDue, e.StepPassed, e.StepRefused, e.GatePassed),
    *(e.ChecksResumed, e.ChecksWaived, e.TestsShown, e.TestsAccepted),
    *(e.DraftOpened, e.ChecksAwaited, e.ChecksSeen),
    *(e.SubtaskEscalated, e.SubtaskTaken, e.SubtaskDone, e.SubtaskDropped),
    *(e.SetupWanted, e.SkillWanted, e.SkillDrafted, e.SkillEdited, e.SkillApproved),
    *(e.PhaseRestarted, e.PhaseRevertWanted, e.PhaseReverted, e.PhaseRevertFailed, e.PhaseKept),
    *(e.WorkCompleted, e.PullOpened, e.OutsideReviewEnded, e.MergeApproved, e.MergeFailed),
)
CARD_FOR: dict[type[Event], tuple[Maker, ...]] = {
    **dict.fromkeys(_STATUS, (status,)),
    e.TaskRequested: (status, say_carried),
    e.DecisionOpened: (status, decision),
    e.DecisionVoted: (decision,),
    e.DecisionMade: (decision, status),
    e.DecisionHeld: (decision,),
    e.DecisionDeferred: (decision,),
    e.DecisionReminded: (reminder,),
    e.DecisionExpired: (decision, status),
    e.DecisionSuperseded: (decision, status),
    e.DecisionWithdrawn: (decision, status),
    e.ApprovalOffered: (offer,),
    e.TaskAskedAbout: (answer,),
    e.QuestionAnswered: (status, say_answer),
    e.WorkEvaluated: (status, evaluation),
    e.BranchPublished: (branch,),
    e.Merged: (status, say_merged, say_carried),
    e.TaskCancelled: (status, say_carried),
    e.TaskHandedOver: (status, say_carried),
    e.TaskFailed: (status, say_carried),
    e.WorkKept: (say_kept,),
    **dict.fromkeys((e.SetupBegun, e.SetupFailed), (status, shown_plan)),
    e.GroundSettled: (status, shown_plan, say_set_up),
    e.GroundNoted: (shown_plan,),
    e.BaselineBegun: (shown_plan,),
    e.BaselineMeasured: (shown_plan,),
    **dict.fromkeys((e.SupervisorsAwaited, e.SupervisorsReported, e.SupervisorsLate), (status,)),
    **dict.fromkeys((e.DirectivesSettled, e.PolishingBegun, e.PolishingEnded, e.PlanAmended), (status,)),
    **dict.fromkeys((e.AssessmentDue, e.DriftJudged, e.RemainderDrafted, e.RemainderSettled), (status,)),
}

# Facts people are not told of; a proposal is told by the card of its decision.
QUIET: frozenset[type[Event]] = (
    frozenset(
        {
            e.CommandMeant,
            e.TaskMuted,
            e.RequestEdited,
            e.DraftDue,
            e.ProposalMade,
            e.ProposalApproved,
            e.ProposalRejected,
            e.SkillRejected,
        }
    )
    | e.OF_PROJECTS
)
