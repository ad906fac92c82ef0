"""A decision as people meet it: open with its buttons, or closed with what came of it."""

from collections.abc import Callable, Iterator

from agents.domain.checks.evaluation import Evaluation
from agents.domain.decisions.authority import Kind, Requester, Silence, who_may
from agents.domain.decisions.decision import HOLD, SHORT, Decision, DecisionState, NameOf, Option, numbers
from agents.domain.decisions.kinds.work.proposal import proposed
from agents.domain.decisions.subject import OfBudget, OfJob, OfPlan, OfRun, OfStep, OfWords
from agents.domain.decisions.table import RULES, can_be_held, closed_by_silence, kind_of, rights_to, rule_of
from agents.domain.planning.verdicts import Ruling, Stance
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.work import SubtaskState
from bot.cards import words
from bot.cards.bill import NO_BILL, Bill, bill_rows
from bot.cards.plan import graph_of, is_contested, plan_rows, size_in_words
from bot.cards.proposals import NEXT, proposal_rows
from bot.cards.questions import evidence_lines, is_short, numbered_lines, question_rows, whole_question
from bot.cards.work import evaluation_rows, found_lines, merge_rows
from bot.messages import Button, Card, Choice, Row, Style, Tone

ON_WORK = (Kind.GATE, Kind.ESCALATION, Kind.TAKEN)
IN_TROUBLE = (Kind.STUCK, Kind.ESCALATION, Kind.TAKEN, Kind.UNMERGED)

_TITLES: dict[Kind, Callable[[Task, Decision], str]] = {
    Kind.INTAKE: lambda task, d: f"{task.id}: somebody outside asks for this. Take it on?",
    Kind.PROJECT: lambda task, d: f"{task.id}: which project is this for?",
    Kind.CANCEL: lambda task, d: f"Cancel {task.id}?",
    Kind.STOPPED: lambda task, d: f"{task.id} is stopped",
    Kind.BACKBURNER: lambda task, d: f"{task.id} is laid aside",
    Kind.STUCK: lambda task, d: f"{task.id} got stuck",
    **dict.fromkeys((Kind.ESCALATION, Kind.TAKEN, Kind.UNMERGED), lambda task, d: d.question),
    Kind.NO_PLAN: lambda task, d: f"{task.id}: I could not make a plan",
    Kind.CHANGE: lambda task, d: f"{task.id}: {_change_title(d)}",
    Kind.QUESTION: lambda task, d: d.question if is_short(d) else d.question.partition(":")[0],
    Kind.CLARIFICATION: lambda task, d: f"{task.id}: {d.question if is_short(d) else words.KIND[d.kind]}",
    Kind.PLAN: lambda task, d: f"{task.id}: {_plan_title(task, d)}",
    Kind.DEBATE: lambda task, d: f"{task.id}: the plan needs your judgement",
    Kind.BUDGET: lambda task, d: f"{task.id}: the budget is used up",
    Kind.SCOPE: lambda task, d: f"{task.id}: may it write more?",
    Kind.START_SCOPE: lambda task, d: f"{task.id}: what may it write?",
    Kind.GATE: lambda task, d: f"{task.id}: please look at a step before it goes on",
    Kind.MERGE: lambda task, d: f"{task.id} is ready to merge",
    Kind.MEANT: lambda task, d: f"{task.id}: {_meant_title(d)}",
    Kind.SECOND: lambda task, d: f"New task, or a remark on {task.id}?",
    Kind.CORRECTION: lambda task, d: f"{task.id}: the request was edited after the plan was approved",
    Kind.PROPOSAL: lambda task, d: f"{task.id} gave rise to a proposal: {one_line(d.question, 200)}",
}


def decision_card(task: Task, decision: Decision, name: NameOf, bill: Bill = NO_BILL) -> Card:
    if decision.state is DecisionState.OPEN:
        return _open(task, decision, name, bill)
    whole = whole_question(decision)
    return Card(
        title=_title(task, decision)
        .replace(" is stopped", " was stopped")
        .replace(" is laid aside", " was laid aside"),
        text=f"{whole}\n\n{_outcome(task, decision, name)}" if whole else _outcome(task, decision, name),
        tone=Tone.GOOD if decision.state is DecisionState.DECIDED else Tone.PLAIN,
        decision=decision.id,
        fingerprint=decision.fingerprint,
    )


def button(decision: Decision, option: Option) -> Button:
    text, style = words.label(decision, option)
    if number := numbers(decision).get(option.letter):
        text = f"{number}: {one_line(text, SHORT - 4)}"
    return Button(
        label=text,
        choice=Choice(decision=decision.id, letter=option.letter),
        style=style,
        asks=words.prompt(decision, option),
        confirm=_confirm(decision, option, style),
    )


def _open(task: Task, decision: Decision, name: NameOf, bill: Bill) -> Card:
    buttons = [button(decision, option) for option in decision.options]
    if can_be_held(decision):
        held = "Pause clock" if decision.kind is Kind.QUESTION else "Hold"
        buttons.append(Button(label=held, choice=Choice(decision=decision.id, letter=HOLD)))
    return Card(
        title=_title(task, decision),
        text=_text(task, decision),
        rows=(
            *_plan(task, decision, bill),
            *_work(task, decision, bill),
            *_proposal(task, decision),
            *question_rows(task, decision),
            *_rows(decision, name),
        ),
        lines=(*numbered_lines(decision), *evidence_lines(decision), *_found(task, decision)),
        graph=graph_of(task) if _shows_plan(task, decision) else None,
        buttons=tuple(buttons[: _FIRST.get(decision.kind, 5)]),
        more=tuple(buttons[_FIRST.get(decision.kind, 5) :]),
        footer=_footer(task, decision),
        until=decision.due if closed_by_silence(decision) else None,
        until_what=_until_what(decision),
        tone=Tone.BAD if decision.kind in IN_TROUBLE else Tone.ASKING,
        decision=decision.id,
        takes_words=kind_of(decision).waits and decision.kind is not Kind.CANCEL,
        fingerprint=decision.fingerprint,
    )


# Approve plan · Request changes · More
_FIRST: dict[Kind, int] = {Kind.PLAN: 2, Kind.DEBATE: 3}


def _shows_plan(task: Task, decision: Decision) -> bool:
    """Only the version that is decided on is shown."""
    about = decision.subject
    return isinstance(about, OfPlan) and task.plan.draft is not None and task.plan.draft.hash == about.hash


def _plan(task: Task, decision: Decision, bill: Bill) -> tuple[Row, ...]:
    return plan_rows(task, bill.budget) if _shows_plan(task, decision) else ()


def _work(task: Task, decision: Decision, bill: Bill) -> tuple[Row, ...]:
    """What is decided on, where it is work: the judgement of it, or the whole that is to be merged."""
    if decision.kind is Kind.MERGE:
        return (*merge_rows(task), *bill_rows(task, bill))
    judged = _judged(task, decision)
    return tuple(evaluation_rows(judged)) if judged else ()


def _found(task: Task, decision: Decision) -> tuple[str, ...]:
    judged = _judged(task, decision)
    return found_lines(judged) if judged else ()


def _judged(task: Task, decision: Decision) -> Evaluation | None:
    """The judgement that a decision is about; none, if the run it is about came to no judgement."""
    run = checked_run(task, decision)
    judged = task.work.on(run[0]).evaluation if run else None
    return judged if run and judged and judged.attempt == run[1] else None


def checked_run(task: Task, decision: Decision) -> tuple[int, int] | None:
    """The subtask and the attempt whose checks it is about, if it is about such."""
    about = decision.subject
    if not task.work.subtasks or decision.kind not in ON_WORK or not isinstance(about, OfRun | OfStep):
        return None
    return about.subtask, about.attempt


def _proposal(task: Task, decision: Decision) -> tuple[Row, ...]:
    found = proposed(task, decision) if decision.kind is Kind.PROPOSAL else None
    return tuple(proposal_rows(found)) if found else ()


def _change_title(decision: Decision) -> str:
    return f"Should this change the plan: “{one_line(_words(decision), 300)}”?"


def _words(decision: Decision) -> str:
    return decision.subject.words if isinstance(decision.subject, OfWords) else ""


def _meant_title(decision: Decision) -> str:
    return "which of these do your words answer?" if len(decision.options) > 2 else "one press to confirm"


def _plan_title(task: Task, decision: Decision) -> str:
    """Of the version that is decided on, whatever was planned since."""
    shown = decision.subject.version if isinstance(decision.subject, OfPlan) else 0
    number = shown or task.plan.number
    again = f", version {number}" if number > 1 else ""
    if any(option.approves for option in decision.options):
        return f"please look at the plan{again}"
    if task.plan.review is None or number != task.plan.number:
        return f"a reviewer says stop{again}"
    return f"the {'critic' if task.plan.review.critic_stance is Stance.STOP else 'custodiet'} says stop"


def _title(task: Task, decision: Decision) -> str:
    made = _TITLES.get(decision.kind)
    return made(task, decision) if made else f"{task.id}: please decide {words.kind_in_words(decision)}"


def _text(task: Task, decision: Decision) -> str:
    made = _TEXTS.get(decision.kind)
    return made(one_line(task.request.text, 200), task, decision) if made else decision.question


def _plan_text(request: str, task: Task, decision: Decision) -> str:
    if task.plan.review and task.plan.review.ruling is Ruling.BLOCKED:
        return f"“{request}” cannot go on like this, and nobody can approve it as it is. Say what should change."
    size = f": {size_in_words(task.plan.draft)}" if task.plan.draft else ""
    return f"“{request}”{size}. Nothing starts before it is approved."


def _judgement_text(request: str, task: Task, decision: Decision) -> str:
    why = task.plan.debate.tension if task.plan.debate and is_contested(task) else task.problem
    return f"{why or 'The reviewers could not settle it'}".rstrip(".") + f". It is about “{request}”."


def _no_plan_text(request: str, task: Task, decision: Decision) -> str:
    return f"“{request}” needs another way. Reply with what I should know, or edit your request; then I plan again."


def _asked_about(request: str, task: Task, decision: Decision) -> str:
    whole = whole_question(decision)
    return f"{whole}\n\nIt is about “{request}”." if whole else f"It is about “{request}”."


def _stopped_text(request: str, task: Task, decision: Decision) -> str:
    """The truth about a stop: a question to a model cannot be called back, but nothing follows from its answer."""
    done = f"a plan, version {task.plan.number}" if task.plan.draft else "nothing yet"
    if task.in_work:
        return _stopped_at_work(task)
    asked = task.before_rest in (TaskState.DECOMPOSING, TaskState.IN_REVIEW)
    under_way = "at most one last answer, which is kept" if asked else "nothing"
    return f"Done: {done}. Under way: {under_way}. Left: the rest of “{request}”. Nothing runs until you say so."


def _stopped_at_work(task: Task) -> str:
    names = {state: [f"{task.id}.{w.number}" for w in task.work.subtasks if w.state is state] for state in SubtaskState}
    done = ", ".join(names[SubtaskState.DONE]) or "nothing yet"
    busy = ", ".join((*names[SubtaskState.RUNNING], *names[SubtaskState.PAUSED]))
    under_way = f"{busy}; what it did is committed on its branch" if busy else "nothing"
    left = sum(not w.settled for w in task.work.subtasks)
    return f"Done: {done}. Under way: {under_way}. Left: {left} subtasks. Nothing runs until you say so."


def _budget_text(request: str, task: Task, decision: Decision) -> str:
    about = decision.subject
    assert isinstance(about, OfBudget)
    budget = about.budget or f"task {task.id}"
    used = f"The budget of {budget} is ${about.limit:.2f}, and ${about.spent:.2f} is spent or promised."
    return f"{used} “{request}” waits. What is finished is kept and is not paid for again."


def _cancel_text(request: str, task: Task, decision: Decision) -> str:
    reason = f"The reason given: {decision.question}" if decision.question else "A reason will be asked for."
    return f"“{request}” ends for good. {reason}"


def _intake_text(request: str, task: Task, decision: Decision) -> str:
    origin = task.request.origin
    who = f"{origin.by}, who is not a member there, wrote on {origin.url}" if origin else "They wrote"
    return f"{who}:\n\n{cut(task.request.text, 1500)}\n\nNobody plans anything before you decide."


def _what_failed(decision: Decision) -> str:
    flow = decision.subject.flow if isinstance(decision.subject, OfJob) else ""
    return f"{words.FLOW.get(flow, flow).capitalize()} could not be finished, and I stopped trying."


# What each kind asks, given the request in one line; other kinds carry their question.
_TEXTS: dict[Kind, Callable[[str, Task, Decision], str]] = {
    Kind.INTAKE: _intake_text,
    Kind.PROJECT: lambda request, task, d: (
        f"“{request}” could be about several projects. Press one, or reply with its name."
    ),
    Kind.CANCEL: _cancel_text,
    Kind.STOPPED: _stopped_text,
    Kind.BACKBURNER: lambda request, task, d: (
        f"“{request}” waits here and costs nothing. Bring it back whenever you like."
    ),
    Kind.PLAN: _plan_text,
    Kind.DEBATE: _judgement_text,
    Kind.CLARIFICATION: _asked_about,
    Kind.CHANGE: _asked_about,
    Kind.NO_PLAN: _no_plan_text,
    Kind.BUDGET: _budget_text,
    Kind.PROPOSAL: lambda request, task, d: NEXT,
    Kind.MEANT: lambda request, task, d: f"You wrote: “{_words(d)}”. It is kept; nothing follows until you press.",
    Kind.SECOND: lambda request, task, d: (
        f"You wrote: “{d.question}”. I kept it as a remark here; a new task gets a thread of its own."
    ),
    Kind.CORRECTION: lambda request, task, d: (
        f"It now says: “{cut(d.question, 1500)}”. The plan, the work and the checks keep to what was approved, unless "
        "you ask for a change."
    ),
    Kind.QUESTION: _asked_about,
    **dict.fromkeys((Kind.ESCALATION, Kind.TAKEN, Kind.UNMERGED), lambda request, task, d: f"It is about “{request}”."),
    Kind.STUCK: lambda request, task, d: f"{_what_failed(d)} It is about “{request}”.",
}


def _rows(decision: Decision, name: NameOf) -> list[Row]:
    rows = []
    if rule_of(decision).people > 1:
        voted = ", ".join(name(vote.by) for vote in decision.votes) or "nobody yet"
        rows.append(Row(label=f"Approvals ({len(decision.votes)} of {rule_of(decision).people})", value=voted))
    if decision.held_because:
        wrote = f"paused, as {name(decision.held_by or decision.put_to)} wrote “{decision.held_because}”"
        rows.append(Row(label="Timer", value=f"{wrote}. Nothing is taken for granted until somebody answers."))
    elif decision.held_by:
        rows.append(Row(label="Timer", value=f"paused by {name(decision.held_by)}"))
    return rows


def _footer(task: Task, decision: Decision) -> str:
    asked = "whoever wrote it, " if rule_of(decision).put_to else ""
    parts = [f"To decide: {asked}{who_may(rule_of(decision))}."]
    parts += [
        f"“{words.label(decision, option)[0]}”: {who_may(RULES[option.right])}."
        for option in decision.options
        if option.right and who_may(RULES[option.right]) != who_may(rule_of(decision))
    ]
    if rule_of(decision).by_words:
        parts.append("Or reply in words.")
    if decision.kind in (Kind.PLAN, Kind.DEBATE):
        parts.append("Anybody here may ask for changes, by button or in words.")
        if task.plan.rehearsal:
            parts.append("A rehearsal: a script plays planner and reviewers, no model was asked.")
    if decision.kind is Kind.MERGE:
        parts += _changes_at_the_merge(task, decision)
    return " ".join(parts)


def _changes_at_the_merge(task: Task, decision: Decision) -> Iterator[str]:
    changes = next((option for option in decision.options if option.value == "changes"), None)
    if changes:
        yield f"To ask for changes: {who_may(*rights_to(decision, changes))}."
    if task.plan.rehearsal:
        yield "A rehearsal: whatever changes you ask for, a script plays the ones it has."


def _until_what(decision: Decision) -> str:
    if rule_of(decision).silence is Silence.EXPIRES:
        return "If nobody confirms, nothing happens; this closes at"
    if closed_by_silence(decision):
        text, _ = words.label(decision, decision.option(decision.default))
        number = numbers(decision).get(decision.default)
        return f"If nobody decides, I take {f'option {number}' if number else f'“{text}”'} at"
    return ""


def _confirm(decision: Decision, option: Option, style: Style) -> str:
    dangerous = style is Style.DANGER and decision.kind not in (Kind.CANCEL, Kind.CONTROLS) and not option.needs_words
    return "This cannot be undone. Go on?" if dangerous else ""


def _outcome(task: Task, decision: Decision, name: NameOf) -> str:
    """What came of it; where the task rests, also that nothing starts yet."""
    came = _came_of(task, decision, name)
    if (
        not task.at_rest
        or decision.state is not DecisionState.DECIDED
        or decision.kind in (Kind.STOPPED, Kind.BACKBURNER)
    ):
        return came
    rests = "stopped" if task.state is TaskState.PAUSED else "snoozed"
    return f"{came}. {task.id} is {rests}, so nothing starts until it is resumed."


def _came_of(task: Task, decision: Decision, name: NameOf) -> str:
    match decision.state:
        case DecisionState.DECIDED if decision.decided_by:
            who = " and ".join(name(person) for person in decision.decided_by)
            own = rule_of(decision).requester is not Requester.MAY and decision.decided_by == (task.request.by,)
            return f"{words.chosen(decision)} (decided by {f'the requester, {who}' if own else who})"
        case DecisionState.DECIDED:
            return f"{words.chosen(decision)} (nobody decided in time, so this was taken)"
        case DecisionState.EXPIRED:
            return "Nobody confirmed in time, so nothing happened."
        case DecisionState.SUPERSEDED:
            return "Superseded: what it showed has changed. There is a newer card."
        case _:
            return f"No longer needed: {decision.words}." if decision.words else "No longer needed."
