"""A decision as people meet it: open with its buttons, closed with what came of it, or refusing a press."""

from collections.abc import Callable
from dataclasses import replace

from agents.domain.checks.evaluation import Evaluation
from agents.domain.decisions.authority import Kind, NotYours, Requester, Silence
from agents.domain.decisions.decision import (
    HOLD,
    LATER,
    SHORT,
    Decision,
    DecisionState,
    NameOf,
    Option,
    Refusal,
    Refused,
    numbers,
)
from agents.domain.decisions.kind import Withdrawal
from agents.domain.decisions.subject import OfHead, OfRun, OfStep
from agents.domain.decisions.table import RULES, can_be_held, closed_by_silence, kind_of, rights_to, rule_of
from agents.domain.errors import OverlordError
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import one_line
from bot.cards.kinds import CARDS, label, label_of, outcome_label, prompt
from bot.cards.kinds.kind_card import KindCard, who_may
from bot.cards.plan import graph_of, shows_plan
from bot.cards.progress import evaluation_rows, found_lines
from bot.cards.scene import NO_BILL, Bill
from bot.cards.work.handing_over import settled_for_rows
from bot.field_forms import fill_fields
from bot.messages import Button, Card, Choice, Row, Style, Tone

# Why a question is no longer needed.
WITHDRAWN: dict[str, str] = {
    Withdrawal.SAID_SINCE: "something else was said since",
    Withdrawal.DECIDED: "what it was about is decided",
    Withdrawal.CHANGES: "changes were asked for",
    Withdrawal.CANCELLED: "the task was cancelled",
    Withdrawal.TAKEN_OVER: "somebody took it over",
    Withdrawal.BUDGET: "its budget is used up, and that is asked now",
    Withdrawal.CORRECTED: "the request was corrected",
    Withdrawal.EDITED: "the request was edited again",
    Withdrawal.STUCK: "its work got stuck, and that is asked now",
    Withdrawal.FAILED: "the task failed",
    Withdrawal.DONE: "the task is done",
    Withdrawal.SNOOZED: "the task was snoozed",
    Withdrawal.PHASE: "its phase begins anew, or is taken back",
    Withdrawal.REROUTED: "it was taken for something else",
    Withdrawal.WITHDRAWN: "it was withdrawn",
}
PUT_OFF = "Later"
AT_REST = (Kind.STOPPED, Kind.BACKBURNER)  # cards of a task that rests


def decision_card(task: Task, decision: Decision, name: NameOf, bill: Bill = NO_BILL) -> Card:
    if decision.state is DecisionState.OPEN:
        return _open(task, decision, name, bill)
    kind, came = CARDS[decision.kind], _outcome(task, decision, name)
    whole = kind.whole(decision)
    return Card(
        title=(kind.closed_title or kind.title)(task, decision),
        text=f"{whole}\n\n{came}" if whole else came,
        tone=Tone.PLAIN,  # green is for checks that passed
        decision=decision.id,
        fingerprint=decision.fingerprint,
    )


def button(decision: Decision, option: Option) -> Button:
    shown = label(decision, option)
    number = numbers(decision).get(option.letter)
    return Button(
        label=f"{number}: {one_line(shown.text, SHORT - 4)}" if number else shown.text,
        choice=Choice(decision=decision.id, letter=option.letter),
        style=shown.style,
        asks=prompt(decision, option),
        confirm=_confirm(decision, option),
    )


def _open(task: Task, decision: Decision, name: NameOf, bill: Bill) -> Card:
    kind, judged = CARDS[decision.kind], _judged(task, decision)
    buttons = [_filled(button(decision, option), kind, option, task) for option in decision.options]
    if can_be_held(decision):
        buttons.append(Button(label=kind.hold, choice=Choice(decision=decision.id, letter=HOLD)))
    buttons.append(Button(label=PUT_OFF, choice=Choice(decision=decision.id, letter=LATER)))
    checks = (evaluation_rows(judged), found_lines(judged)) if judged else ((), ())
    return Card(
        title=kind.title(task, decision),
        text=kind.text(task, decision),
        rows=(*checks[0], *kind.rows(task, decision, bill), *_rows(task, decision, name)),
        lines=(*_numbered(decision), *kind.lines(decision), *checks[1]),
        graph=graph_of(task) if shows_plan(task, decision) else None,
        buttons=tuple(buttons[: kind.first]),
        more=tuple(buttons[kind.first :]),
        footer=_footer(task, decision),
        until=decision.due if closed_by_silence(decision) else None,
        until_what=_until_what(decision),
        tone=Tone.BAD if kind.trouble else Tone.ASKING,
        decision=decision.id,
        takes_words=kind_of(decision).waits and kind.takes_words,
        fingerprint=decision.fingerprint,
    )


def _filled(button: Button, kind: KindCard, option: Option, task: Task) -> Button:
    if table := kind.tables.get(option.value):
        return replace(button, fill=table.lines(task), columns=table.columns)
    form = kind.forms.get(option.value)
    return replace(button, fields=fill_fields(form.fields, form.fill(task))) if form else button


def _numbered(decision: Decision) -> tuple[str, ...]:
    """Options whose buttons have no room for them."""
    known = numbers(decision)
    return tuple(f"{known[each.letter]}. {each.label}" for each in decision.options if each.letter in known)


def _judged(task: Task, decision: Decision) -> Evaluation | None:
    """The judgement that a decision is about; none, if the run it is about came to no judgement."""
    run = checked_run(task, decision)
    judged = task.work.on(run[0]).evaluation if run else None
    return judged if run and judged and judged.attempt == run[1] else None


def checked_run(task: Task, decision: Decision) -> tuple[int, int] | None:
    """The subtask and the attempt whose checks it is about, if it is about such."""
    about = decision.subject
    if not task.work.subtasks or not CARDS[decision.kind].checks or not isinstance(about, OfRun | OfStep):
        return None
    return about.subtask, about.attempt


def _rows(task: Task, decision: Decision, name: NameOf) -> list[Row]:
    rows = settled_for_rows(task, name) if isinstance(decision.subject, OfHead) else []
    if (needed := _people(decision)) > 1:
        voted = ", ".join(name(vote.by) for vote in decision.votes) or "nobody yet"
        rows.append(Row(label=f"Approvals ({len(decision.votes)} of {needed})", value=voted))
    if decision.held_because:
        wrote = f"paused, as {name(decision.held_by or decision.put_to)} wrote “{decision.held_because}”"
        rows.append(Row(label="Timer", value=f"{wrote}. Nothing is taken for granted until somebody answers."))
    elif decision.held_by:
        rows.append(Row(label="Timer", value=f"paused by {name(decision.held_by)}"))
    return rows


def _people(decision: Decision) -> int:
    """How many must agree: to the decision, or to the option that somebody has approved already."""
    voted = {vote.option for vote in decision.votes}
    rules = (rights_to(decision, option)[0] for option in decision.options if option.letter in voted)
    return max(rule.people for rule in (rule_of(decision), *rules))


def _footer(task: Task, decision: Decision) -> str:
    asked = "whoever wrote it, " if rule_of(decision).put_to else ""
    parts = [f"To decide: {asked}{who_may(rule_of(decision))}."]
    parts += [
        f"“{label_of(decision, option)}”: {who_may(RULES[option.right])}."
        for option in decision.options
        if option.right and who_may(RULES[option.right]) != who_may(rule_of(decision))
    ]
    if rule_of(decision).by_words:
        parts.append("Or reply in words.")
    return " ".join((*parts, *CARDS[decision.kind].footer(task, decision)))


def _until_what(decision: Decision) -> str:
    if rule_of(decision).silence is Silence.EXPIRES:
        return "If nobody confirms, nothing happens; this closes at"
    if closed_by_silence(decision):
        number = numbers(decision).get(decision.default)
        text = f"option {number}" if number else f"“{label_of(decision, decision.option(decision.default))}”"
        return f"If nobody decides, I take {text} at"
    return ""


def _confirm(decision: Decision, option: Option) -> str:
    dangerous = label(decision, option).style is Style.DANGER and not option.needs_words
    return "This cannot be undone. Go on?" if dangerous and CARDS[decision.kind].confirms else ""


def _outcome(task: Task, decision: Decision, name: NameOf) -> str:
    """What came of it; where the task rests, also that nothing starts yet."""
    came = outcome_in_words(task, decision, name)
    if not task.at_rest or decision.state is not DecisionState.DECIDED or decision.kind in AT_REST:
        return came
    rests, again = ("stopped", "resumed") if task.state is TaskState.PAUSED else ("snoozed", "brought back")
    if decision.outcome and decision.option(decision.outcome).value == "backburner":
        return f"{came}. Nothing starts until it is {again}."
    return f"{came}. {task.id} is {rests}, so nothing starts until it is {again}."


def outcome_in_words(task: Task, decision: Decision, name: NameOf) -> str:
    match decision.state:
        case DecisionState.DECIDED if decision.decided_by:
            who = " and ".join(name(person) for person in decision.decided_by)
            own = rule_of(decision).requester is not Requester.MAY and decision.decided_by == (task.request.by,)
            return _decided(decision, f"the requester, {who}" if own else who)
        case DecisionState.DECIDED:
            return f"{outcome_label(decision)} (nobody decided in time, so this was taken)"
        case DecisionState.EXPIRED:
            return "Nobody confirmed in time, so nothing happened."
        case DecisionState.SUPERSEDED:
            return "Superseded: what it showed has changed. There is a newer card."
        case _:
            why = WITHDRAWN.get(decision.words, decision.words)  # earlier versions stored the sentence
            return f"No longer needed: {why}." if why else "No longer needed."


def _decided(decision: Decision, who: str) -> str:
    """“Plan approved by Ana”; an answer in somebody's own words stays as it is."""
    shown = label(decision, decision.option(decision.outcome)) if decision.outcome else None
    if shown is None or not shown.closed:
        return f"{outcome_label(decision)} (decided by {who})"
    return (
        f"{shown.closed} by {who}: {decision.words}" if decision.words and shown.tells else f"{shown.closed} by {who}"
    )


Words = tuple[str, str]
_STATUS = "Say `status` to see where it stands."


def put_into_words(error: OverlordError, name: NameOf) -> OverlordError:
    """A refusal of the domain says what it is about; other errors have their words."""
    if isinstance(error, NotYours):
        error.what = _OWN[error.rule.requester] if error.own else "This is not yours to decide"
        error.next_step = f"It needs {who_may(error.rule, error.wider)}."
    elif isinstance(error, Refused):
        closed = error.decision if error.why is Refusal.CLOSED else None
        error.what, error.next_step = _closed(closed, name) if closed else _WORDS[error.why](error)
    return error


_OWN: dict[Requester, str] = {
    Requester.NEVER: "You asked for this work, so you cannot be one of the people who approve it",
    Requester.UNLESS_CHANNEL_FORBIDS: "In this channel nobody approves their own request",
}


def _needs_words(error: Refused) -> Words:
    decision = error.decision
    asks = prompt(decision, decision.option(error.option)) if decision else ""
    return "This needs a few words from you", asks or "Say why, or what should be different."


_WORDS: dict[Refusal, Callable[[Refused], Words]] = {
    Refusal.UNKNOWN: lambda r: ("I do not know this button", "Say `status` to see what is open."),
    Refusal.NOT_OFFERED: lambda r: ("This button is not one of the choices", "Press one that the card shows."),
    Refusal.NEEDS_WORDS: _needs_words,
    Refusal.NO_CLOCK: lambda r: ("No timer is running here", "Decide when you are ready; it waits for you."),
    Refusal.VOTED: lambda r: (
        "Your approval is counted already",
        "Another person must approve as well; you count once.",
    ),
    Refusal.MEANWHILE: lambda r: ("That was decided meanwhile", "Your words are kept: press what else they are."),
    Refusal.WHOLE: lambda r: (
        f"{r.task} is being checked as a whole already, so nothing is added to it",
        "Choose “Own task”, or dismiss it.",
    ),
    Refusal.CHANGED: lambda r: (
        f"The plan of {r.task} was changed since this one was drafted",
        "Press “Plan the rest again”, or keep the plan.",
    ),
    Refusal.MERGING: lambda r: (
        f"{r.task} is on its way to the merge just now",
        "Nothing was changed. Press again when its next card is here: changes can be asked for then.",
    ),
    Refusal.PHASE_OVER: lambda r: (
        f"{r.task} has ended, and nobody works on its branch any more",
        f"Ask for it as a new request, such as “revert what phase {r.option} of {r.task} did”: it is planned, judged "
        "and merged by a pull request of its own.",
    ),
    Refusal.NO_PHASE: lambda r: (
        f"{r.task} has no such phase",
        f"Name one of these: {r.option}. Say it as in `restart phase {r.option.partition(',')[0]} of {r.task}`.",
    ),
    Refusal.NO_WORK: lambda r: (
        f"{r.task} is not being worked on, so no phase can begin anew or be taken back",
        "Say `status` to see where it stands; once what it waits for is decided, ask again.",
    ),
    Refusal.JOINING: lambda r: (
        f"{r.option} is being joined at this moment",
        "Nothing was changed. Press again in a moment; if it is stuck there, press Retry on its card first.",
    ),
    Refusal.TAKING_BACK: lambda r: (
        f"Phase {r.option} of {r.task} is being taken back just now",
        "Ask again when that is over. If it does not come off, decide on its card first.",
    ),
    Refusal.PHASE_CHANGED: lambda r: (
        f"The work of this phase of {r.task} has changed since this card was drawn",
        f"Nothing was changed. Ask again, as in `{r.option}`, and look at the new card.",
    ),
    Refusal.ENDED: lambda r: (f"{r.task} has ended ({r.option})", "There is nothing left to cancel."),
    Refusal.ASKED: lambda r: (f"Cancelling {r.task} was asked for already", "Confirm or keep it on that card."),
    Refusal.NOTHING: lambda r: (f"{r.task} has nothing to {r.option}", _STATUS),
    Refusal.ACCEPTED: lambda r: (
        f"The plan of {r.task} was approved, so it stays a task",
        "Stop or cancel it if it is not wanted.",
    ),
    Refusal.NO_APPROVAL: lambda r: (f"Nothing in {r.task} waits for an approval", _STATUS),
}


def _closed(decision: Decision, name: NameOf) -> Words:
    when = f"{decision.closed_at:%Y-%m-%d %H:%M} UTC" if decision.closed_at else "earlier"
    match decision.state:
        case DecisionState.DECIDED:
            who = " and ".join(name(person) for person in decision.decided_by)
            what = f"This was already decided by {who}" if who else "Nobody decided in time, so the default was taken"
            return f"{what} ({when})", "Nothing is left to do here."
        case DecisionState.EXPIRED:
            return f"This expired ({when})", "Ask again if you still want it."
        case DecisionState.SUPERSEDED:
            return "What this card showed has changed since", "Look for the newer card in the thread."
        case _:
            return f"This is no longer needed ({when})", "Say `status` to see where the task stands."
