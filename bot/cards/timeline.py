"""A fact in words, for a task's timeline."""

from collections.abc import Callable, Iterable
from typing import Any

from agents.domain import events as e
from agents.domain.decisions.decision import Decision, NameOf
from agents.domain.events import Event
from agents.domain.ids import DecisionId
from agents.domain.planning.decomposition import Level
from agents.domain.text.dollars import dollars
from agents.domain.text.sanitize import one_line
from agents.domain.workflow.workflow import DEFAULT, Workflow
from bot.cards.decisions import WITHDRAWN
from bot.cards.kinds import kind_in_words, outcome_label
from bot.cards.kinds.task.stuck import FLOW
from bot.cards.plan import SHORT_LEVEL
from bot.cards.planning.argument import CRITIC, POSITION, SCOPE_GUARD
from bot.cards.planning.ground import baseline_in_words
from bot.cards.progress import SCORE
from bot.cards.reasons import asked_again, lacking, put
from bot.cards.scene import step_in_words
from bot.cards.supervision.reports import (
    called_in_words,
    counted_in_words,
    drift_in_words,
    ended_in_words,
    names_of,
    polished_in_words,
    ran_in_words,
    reported_in_words,
    settled_in_words,
    skipped_in_words,
)

Decisions = Callable[[DecisionId], Decision | None]


def in_words(event: Event, name: NameOf, decisions: Decisions) -> str:
    if isinstance(event, e.AboutDecision):
        known = decisions(event.decision)
        what = kind_in_words(known) if known else "a decision"
        return OF_DECISIONS[type(event)](event, what, known)
    if isinstance(event, e.AboutWork):
        return f"{event.task}.{event.subtask}: {OF_WORK[type(event)](event)}"
    return OF_TASKS[type(event)](event, name)


def _under(workflow: Workflow | None) -> str:
    """Said where it is not the usual one."""
    if workflow in (None, DEFAULT):
        return ""
    return f", under the workflow {workflow.name}, version {workflow.version}"


def _not_run(fact: e.StepPassed) -> str:
    said = "; ".join(gate.why for gate in fact.checked.gates)
    return f"not run: {said}" if said else "not run, the project has no such check"


def _weighed(fact: e.WishWeighed) -> str:
    if fact.unclear:
        return f"Kept wish {fact.wish}; nobody compared it with the plan: {put(fact.unclear)}"
    against = f" It contradicts the plan: {fact.contradicts}" if fact.contradicts else ""
    return f"Kept wish {fact.wish}.{against}"


OF_TASKS: dict[type[Event], Callable[[Any, NameOf], str]] = {
    e.TaskRequested: lambda f, name: f"Asked for: {f.request.text}",
    e.RequestVouched: lambda f, name: f"{name(f.by)} took on a request from outside",
    e.ProjectChosen: lambda f, name: f"Project: {f.project or 'none'}{f' ({put(f.why)})' if f.why else ''}",
    e.AnswerWanted: lambda f, name: (
        f"Taken as a question about the code{f' by {name(f.chosen_by)}' if f.chosen_by else ''}: {f.text}"
    ),
    e.ChangeWanted: lambda f, name: f"{name(f.by)} made a task of it{f': {f.request}' if f.request else ''}",
    e.QuestionAsked: lambda f, name: f"{name(f.by)} asked about the code: {f.text}",
    e.QuestionAnswered: lambda f, name: f"Answered question {f.number} after {f.turns} turns: {one_line(f.answer)}",
    e.FollowUpSaid: lambda f, name: f"{name(f.by)} said: {f.text}",
    e.FollowUpSettled: lambda f, name: "Nothing more was asked",
    e.CommandMeant: lambda f, name: f"Taken as a command of {name(f.by)}: {f.act.replace('_', ' ')} {f.about or ''}",
    e.TaskWithdrawn: lambda f, name: f"{f'{name(f.by)} withdrew it' if f.by else 'Taken for no request'}",
    e.RemarkMade: lambda f, name: f"Remarked: {f.text}",
    e.RequestCorrected: lambda f, name: f"Corrected the request: {f.request}",
    e.RequestEdited: lambda f, name: f"Edited the request after the approval; it now says: {f.request}",
    e.WishWeighed: lambda f, name: _weighed(f),
    e.WishSettled: lambda f, name: (
        f"{name(f.by)} chose: {'the wish goes before the plan' if f.first else 'the plan stays'}"
    ),
    e.TaskStopped: lambda f, name: "Stopped the task",
    e.TaskResumed: lambda f, name: "Resumed the task",
    e.TaskBackburnered: lambda f, name: "Snoozed the task",
    e.TaskCancelled: lambda f, name: f"Cancelled the task: {f.reason}",
    e.TaskMuted: lambda f, name: "Muted reminders" if f.muted else "Unmuted reminders",
    e.JobParked: lambda f, name: f"Gave up on {FLOW.get(f.flow, f.flow)}: {f.problem}",
    e.JobRetried: lambda f, name: "Asked to try the stuck step again",
    e.DecompositionDrafted: lambda f, name: (
        f"Drafted plan {f.number}: {len(f.plan.subtasks)} subtasks"
        f"{'' if f.level is Level.PRIMARY else f' ({SHORT_LEVEL[f.level]})'}"
    ),
    e.PlanningSimplified: lambda f, name: f"Asked the planner again with less to read: {f.why}",
    e.OutlineChosen: lambda f, name: f"{name(f.by)} continues with a one-step plan",
    e.DecompositionSentBack: lambda f, name: f"Sent plan {f.number} back: {'; '.join(f.reasons)}",
    e.ReviewersDisagreed: lambda f, name: (
        f"The reviewers disagree: critic {CRITIC[f.review.critic.verdict]}, "
        f"scope guard: {SCOPE_GUARD[f.review.custodiet.verdict]}"
    ),
    e.DebateRoundHeld: lambda f, name: (
        f"Round {f.round.number} of the debate: the critic {POSITION[f.round.critic.position]} "
        f"({one_line(f.round.critic.point)}), the scope guard {POSITION[f.round.custodiet.position]} "
        f"({one_line(f.round.custodiet.point)})"
    ),
    e.DecompositionApproved: lambda f, name: f"The reviewers approved plan {f.number}",
    e.DecompositionBlocked: lambda f, name: f"A reviewer blocked plan {f.number}: {'; '.join(f.review.reasons)}",
    e.DecompositionEscalated: lambda f, name: f"Took the plan to a person: {put(f.why)}",
    e.ClarificationAnswered: lambda f, name: f"Answered “{f.question}”: {f.answer}",
    e.PlanAccepted: lambda f, name: (
        ("Accepted the plan" if f.by else "The channel's policy accepted the plan") + _under(f.workflow)
    ),
    e.FollowUpOpened: lambda f, name: f"Asked for more in {f.follow_up}",
    e.VerdictWanted: lambda f, name: f"Had those asked again who gave no verdict on plan {f.number}",
    e.ReviewerTried: lambda f, name: (
        f"A control question for {f.model}: {'it missed' if f.missed else 'it saw'} what was planted"
    ),
    e.FullReviewWanted: lambda f, name: f"Asked for a full review of plan {f.number}",
    e.PlanEdited: lambda f, name: f"Edited the plan by hand: {f.words}",
    e.PlanEditRefused: lambda f, name: f"The edit of the plan was not taken: {'; '.join(f.reasons)}",
    e.PlanChangeRequested: lambda f, name: f"Asked for changes: {f.words}",
    e.ApprovalOffered: lambda f, name: f"Offered {name(f.by)} the button, as words do not approve",
    e.WordsRemoved: lambda f, name: f"Removed what {name(f.person)} had said, {f.texts} texts",
    e.TaskAskedAbout: lambda f, name: f"Asked about the task ({f.about})",
    e.BudgetWarned: lambda f, name: (
        f"80 % of the budget of {f.budget} is used ({dollars(f.spent)} of {dollars(f.limit)})"
    ),
    e.GuidanceLeftOut: lambda f, name: f"Left out: {f.file}, because {f.why}",
    e.WorkflowRead: lambda f, name: (
        f"Read the project's own workflow{_under(f.workflow)}" + "".join(f"; left out: {each}" for each in f.left_out)
    ),
    e.ModelAskedAgain: lambda f, name: (
        f"{asked_again(f)} ({f.model})" + (f". It had said: “{one_line(f.said, 300)}”" if f.said else "")
    ),
    e.ModelLacks: lambda f, name: lacking(f),
    e.ModelDegraded: lambda f, name: f"{f.model} answered in place of the preferred model: {f.why}",
    e.BudgetReached: lambda f, name: f"The budget of {f.budget} is used up ({dollars(f.limit)})",
    e.BudgetRaised: lambda f, name: f"Raised the budget to {dollars(f.limit)}",
    e.WorkBegun: lambda f, name: f"Began the work on branch {f.branch}, from commit {f.base[:10]}",
    e.PhaseRestarted: lambda f, name: f"{name(f.by)} had phase {f.phase} begin anew: {_subtasks(f)}",
    e.PhaseRevertWanted: lambda f, name: f"{name(f.by)} had phase {f.phase} taken back: {_subtasks(f)}",
    e.PhaseReverted: lambda f, name: f"Took phase {f.phase} back; the task's branch is at {f.head[:10]}",
    e.PhaseRevertFailed: lambda f, name: (
        f"Could not take phase {f.phase} back: {f.task}.{f.subtask} does not come off {', '.join(f.paths)}"
    ),
    e.PhaseKept: lambda f, name: f"{name(f.by)} goes on with phase {f.phase} as it is",
    e.WorkCompleted: lambda f, name: "Every subtask is done",
    e.PullOpened: lambda f, name: (
        f"Opened {'draft ' if f.draft else ''}pull request #{f.number}: {_files(f)}, {f.risk} risk"
    ),
    e.DraftOpened: lambda f, name: f"Showed the work as draft pull request #{f.number}, at {f.head[:10]}",
    e.OutsideReviewEnded: lambda f, name: "Said that the outside review is over",
    e.MergeApproved: lambda f, name: f"Approved the merge of {f.head[:10]}",
    e.MergeFailed: lambda f, name: f"Could not merge: {put(f.problem)}",
    e.Merged: lambda f, name: f"Merged into {f.into} as {f.commit[:10]}",
    e.TaskHandedOver: lambda f, name: "Took the work over",
    e.TaskFailed: lambda f, name: f"The task failed: {put(f.reason)}",
    e.WorkKept: lambda f, name: f"Kept {', '.join(f.branches) or 'nothing'}",
    e.SetupAllowed: lambda f, name: f"{name(f.by)} allowed the set-up: {'; '.join(f.commands)}",
    e.SetupWanted: lambda f, name: "Asked for the project to be set up",
    e.SetupProposed: lambda f, name: (
        f"A model read {', '.join(f.files)} and proposed a set-up: {'; '.join(f.commands) or 'nothing to install'}"
    ),
    e.SetupBegun: lambda f, name: f"Began to set the project up: {f.commands} command{'s' if f.commands != 1 else ''}",
    e.SetupFailed: lambda f, name: f"The set-up came to nothing{f' (log: {f.log})' if f.log else ''}",
    e.GroundNoted: lambda f, name: "Looked at the repository: " + ("; ".join((*f.notes, *f.unread)) or "nothing odd"),
    e.GroundSettled: lambda f, name: "Went on without set-up" if f.without else "What the project needs is installed",
    e.EnvironmentReady: lambda f, name: f"Set the project up in {f.seconds:.0f} s (log: {f.log})",
    e.EnvironmentFailed: lambda f, name: f"Could not set the project up: {f.problem} (log: {f.log})",
    e.BaselineBegun: lambda f, name: "Set out to learn how the project's checks fare before any change",
    e.BaselineMeasured: lambda f, name: f"Before any change: {baseline_in_words(f.baseline)}",
    e.WorkCounted: lambda f, name: counted_in_words(f),
    e.SupervisorsCalled: lambda f, name: called_in_words(f),
    e.SupervisorRan: lambda f, name: ran_in_words(f),
    e.SupervisorSkipped: lambda f, name: skipped_in_words(f),
    e.DirectiveEnded: lambda f, name: ended_in_words(f),
    e.SupervisorsAwaited: lambda f, name: f"The next subtasks wait for the {names_of(f.supervisors)}",
    e.SupervisorsReported: lambda f, name: reported_in_words(f),
    e.DirectivesSettled: lambda f, name: settled_in_words(f),
    e.AssessmentDue: lambda f, name: "Compares the work with what was asked for",
    e.DriftJudged: lambda f, name: drift_in_words(f.drift, f.why),
    e.RemainderDrafted: lambda f, name: f"Planned the rest anew: {f.problem or '; '.join(f.differences)}",
    e.RemainderSettled: lambda f, name: f"{name(f.by)} {'took the new plan' if f.taken else 'kept the plan'}",
    e.PolishingBegun: lambda f, name: f"Began to clean up: {len(f.subtasks)} subtask{'s' * (len(f.subtasks) != 1)}",
    e.PolishingEnded: lambda f, name: polished_in_words(f),
    e.PlanAmended: lambda f, name: f"Changed the rest of the plan, version {f.number}: {'; '.join(f.differences)}",
    e.SupervisorsLate: lambda f, name: "The supervisors took too long; the work goes on",
    e.NotesConfirmed: lambda f, name: f"{name(f.by)} stands by {_notes(c.name for c in f.notes)}",
    e.NotesDiscarded: lambda f, name: f"{name(f.by)} discarded {_notes(c.name for c in f.notes)}",
    e.NotesUsed: lambda f, name: f"Used without trouble: {_notes(f.notes)}",
    e.NotesProved: lambda f, name: f"Asked to stand by {_notes(f.notes)}",
    e.NotesOpened: lambda f, name: f"Notes of {f.task} are in pull request #{f.number}",
    e.NotesMergeApproved: lambda f, name: f"{name(f.by)} approved the merge of notes (#{f.number})",
    e.NotesMerged: lambda f, name: f"Merged: {_notes(f.names)}",
    e.NotesUnmerged: lambda f, name: f"Notes of {f.task} were left out{f': {f.why}' if f.why else ''}",
    e.ProposalMade: lambda f, name: f"Proposed: {f.proposal.title}",
    e.ProposalApproved: lambda f, name: f"{name(f.by)} approved the proposal; it becomes a task of its own",
    e.ProposalRejected: lambda f, name: f"{name(f.by)} rejected the proposal{f': {f.reason}' if f.reason else ''}",
    e.SkillWanted: lambda f, name: f"A {f'revision of the skill {f.revises}' if f.revises else 'new skill'} is wanted",
    e.SkillDrafted: lambda f, name: (
        f"Draft {f.number} of the skill {f.spec.name or '(no name yet)'}"
        + (f", by {name(f.edited_by)}" if f.edited_by else "")
        + (f": no model could draft it: {put(f.why)}" if f.why else "")
        + (f"; not fit to be approved: {'; '.join(f.faults)}" if f.faults else "")
    ),
    e.SkillEdited: lambda f, name: f"{name(f.by)} edited the skill {f.spec.name}",
    e.SkillApproved: lambda f, name: f"{name(f.by)} approved the skill {f.spec.name}; a minion writes its file",
    e.SkillRejected: lambda f, name: f"{name(f.by)} rejected the skill{f': {f.reason}' if f.reason else ''}",
    e.DecisionOpened: lambda f, name: f"Asked {name(f.decision.put_to)} to decide {kind_in_words(f.decision)}",
}

# Facts about a subtask, said after its name.
OF_WORK: dict[type[Event], Callable[[Any], str]] = {
    e.SubtaskReady: lambda f: f"{'the next worker' if f.onward else f'attempt {f.attempt}'} may start",
    e.MinionStarted: lambda f: f"a minion started on {f.branch} ({f.engine})" if not f.went_on else f.went_on,
    e.MinionProgressed: lambda f: f"turn {f.turns}: {f.doing}",
    e.MinionAsked: lambda f: f"the minion asks: {f.question}",
    e.MinionAnswered: lambda f: f"answered: {f.answer}",
    e.ScopeSettled: lambda f: f"scope settled: {f.answer}",
    e.MinionStopped: lambda f: f"stopped; committed as {f.commit[:10]}" if f.commit else "stopped",
    e.MinionFailed: lambda f: f"the minion gave up: {f.problem}",
    e.WorkHandedIn: lambda f: f"handed in as {f.commit[:10] or 'the branch stands'}: {f.summary}",
    e.StepDue: lambda f: f"{step_in_words(f.step)} is next",
    e.StepPassed: lambda f: f"{step_in_words(f.step)}{' passed' if f.ran else f': {_not_run(f)}'}",
    e.StepRefused: lambda f: f"{step_in_words(f.step)} did not pass",
    e.ChecksResumed: lambda f: f"{step_in_words(f.step)} is run again",
    e.ChecksWaived: lambda f: f"goes on without {', '.join(f.checks)}: {f.why}",
    e.TestsShown: lambda f: f"asks a person about changed tests: {', '.join(each.name for each in f.tests)}",
    e.TestsAccepted: lambda f: f"changed tests accepted: {', '.join(f.names)}",
    e.DraftDue: lambda f: f"{f.commit[:10]} may be seen as a draft",
    e.ChecksAwaited: lambda f: f"waits for remote checks of {f.commit[:10]}",
    e.ChecksSeen: lambda f: "; ".join(
        part for part in (f"remote checks: {f.ended} ended", ", ".join(f.waiting), f.problem) if part
    ),
    e.WorkEvaluated: lambda f: f"checked: {SCORE[f.evaluation.overall]}, {f.risk} risk",
    e.GatePassed: lambda f: "passed its step gate",
    e.SubtaskEscalated: lambda f: f"taken to a person: {put(f.why)}",
    e.SubtaskTaken: lambda f: "a person finishes it by hand",
    e.BranchPublished: lambda f: (
        f"{f.branch} could not be brought to you: {f.problem}" if f.problem else f"{f.branch} is where you work"
    ),
    e.SubtaskDone: lambda f: f"done; the task's branch is at {f.commit[:10]}",
    e.SubtaskDropped: lambda f: f"dropped: {put(f.why)}",
}

OF_DECISIONS: dict[type[Event], Callable[[Any, str, Decision | None], str]] = {
    e.DecisionVoted: lambda f, what, d: f"Approved {what}; more people are needed",
    e.DecisionMade: lambda f, what, d: f"Decided {what}: {outcome_label(d) if d else f.option}",
    e.DecisionDeferred: lambda f, what, d: f"Nobody could see {what} yet, so its timer started again",
    e.DecisionHeld: lambda f, what, d: f"Paused the timer of {what}",
    e.DecisionReminded: lambda f, what, d: f"Reminded about {what} (number {f.number})",
    e.DecisionExpired: lambda f, what, d: f"Nobody decided {what} in time",
    e.DecisionSuperseded: lambda f, what, d: f"A newer card replaced the one about {what}",
    e.DecisionWithdrawn: lambda f, what, d: f"No longer needed: {what} ({WITHDRAWN.get(f.why, f.why)})",
}


def _subtasks(fact: e.PhaseRestarted | e.PhaseRevertWanted) -> str:
    return ", ".join(f"{fact.task}.{number}" for number in fact.subtasks) or "nothing"


def _files(fact: e.PullOpened) -> str:
    count = fact.files or len(fact.changes)
    return f"{count} file{'s' * (count != 1)}"


def _notes(names: Iterable[str]) -> str:
    listed = list(names)
    more = f" and {len(listed) - 3} more" if len(listed) > 3 else ""
    return f"the note{'s' if len(listed) != 1 else ''} {', '.join(listed[:3])}{more}"
