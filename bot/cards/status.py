"""How a task stands: its state in words, its status card, and answers to “status”, “why” and “cost”."""

from collections.abc import Callable, Iterator

from agents.domain.asking import remarks
from agents.domain.decisions.authority import Group, Kind
from agents.domain.decisions.decision import Decision, NameOf
from agents.domain.decisions.kinds.task.controls import ControlOption
from agents.domain.decisions.table import questions, rule_of
from agents.domain.phases.changing import phases_of
from agents.domain.planning.planning import stands_at
from agents.domain.task.task import Task, TaskState
from agents.domain.task.wishes import Standing
from agents.domain.text.dollars import dollars
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.work import QueuePause
from bot.cards.asking.answers import turning_buttons, withdrawn_words
from bot.cards.decisions import button
from bot.cards.kinds import CARDS, kind_in_words
from bot.cards.kinds.kind_card import who_may
from bot.cards.plan import SHORT_LEVEL, because, expected_in_words, order_in_words
from bot.cards.planning.argument import argument_rows, debate_rows
from bot.cards.planning.ground import setup_in_words
from bot.cards.progress import work_rows
from bot.cards.reasons import asked_again, lacking, put
from bot.cards.scene import NO_BILL, Bill, Scene, bill_rows, rows_of
from bot.cards.supervision.reports import supervision_rows
from bot.messages import Button, Card, Row, Tone

MOST_WISHES = 10  # that “why” lists, the latest


def status_card(task: Task, name: NameOf, bill: Bill = NO_BILL, paused: QueuePause | None = None) -> Card:
    title = f"{task.id} · {one_line(task.request.text)}"
    if task.has_ended:
        return Card(
            title=title,
            text=_ending(task),
            rows=() if task.state is TaskState.WITHDRAWN else _rows_at_end(task, bill),
            buttons=turning_buttons(task),
            tone=TONE[task.state],
        )
    buttons, more = _controls(task)
    more = (*more, *turning_buttons(task))
    asked = questions(task)
    return Card(
        title=title,
        rows=tuple((*_rows(task, name, bill), *_queue(task, name, paused))),
        lines=tuple(f"Waiting for {_whom(d, name)} to decide {kind_in_words(d)}" for d in asked),
        buttons=buttons,
        more=more,
        tone=Tone.ASKING if asked and task.state is TaskState.RECEIVED else TONE[task.state],
    )


def _rows_at_end(task: Task, bill: Bill) -> tuple[Row, ...]:
    return (*work_rows(task), *supervision_rows(task), *bill_rows(task, bill), *rows_of(*_linked(task)))


def _linked(task: Task) -> Iterator[tuple[str, str]]:
    """Tasks in whose thread this one was asked for after the end, and the other way round."""
    yield "Follows", f"{task.request.follows}, which has ended" if task.request.follows else ""
    yield "Followed by", ", ".join(task.followed_by)


def _whom(decision: Decision, name: NameOf) -> str:
    return name(decision.put_to) if Group.OWNER in rule_of(decision).who else who_may(rule_of(decision))


def _rows(task: Task, name: NameOf, bill: Bill) -> list[Row]:
    return [
        *rows_of(("State", state_of(task)), ("Project", _project(task)), ("Asked by", name(task.request.by))),
        *rows_of(("Progress", _progress(task)), ("Set-up", setup_in_words(task))),
        *work_rows(task),
        *supervision_rows(task),
        *(bill_rows(task, bill) if task.work.subtasks else ()),
        *rows_of(*_notes(task)),
        Row(label="Last change", at=task.changed_at),
    ]


def _progress(task: Task) -> str:
    works = task.work.subtasks
    settled = sum(work.is_settled for work in works)
    return f"{settled} of {len(works)} subtasks done" if works else ""


def _queue(task: Task, name: NameOf, paused: QueuePause | None) -> list[Row]:
    if paused is None or not task.in_work:
        return []
    return [Row(label="Queue", value=f"paused by {name(paused.by)}: what runs goes on, nothing new starts")]


def _project(task: Task) -> str:
    if not task.project:
        return "" if task.project is None else "none is configured; name one in overlord.yaml"
    return f"{task.project} ({put(task.project_why)})" if task.project_why else task.project


def _notes(task: Task) -> Iterator[tuple[str, str]]:
    """What there is to know of it; most tasks have few of these."""
    request, delivery, money = task.request, task.delivery, task.money
    yield "Sandbox", next((work.engine for work in reversed(task.work.subtasks) if work.engine), "")
    yield "Issue", f"#{request.origin.number} {request.origin.url}" if request.origin else ""
    yield from _linked(task)
    pull = "Draft pull request" if delivery.draft else "Pull request"
    yield pull, f"#{delivery.pull} {delivery.url}".strip() if delivery.pull else ""
    if request.hidden:
        many = f"{request.hidden} character{'s' if request.hidden > 1 else ''}"
        yield "Hidden text", f"{many} that nobody sees were taken out of the request"
    yield "Budget", f"80 % used: {', '.join(money.warned)}" if money.warned else ""
    yield "Plan", SHORT_LEVEL[task.plan.level]
    if money.asked_again and task.changed_at == money.asked_again.at:  # nothing has come of it yet
        yield "Asked again", asked_again(money.asked_again)
    yield "Model", "; ".join(map(lacking, money.lacks))
    if money.degraded:
        yield "Fallback model", f"{', '.join(money.degraded)}: the preferred model did not answer"
    if task.plan.rehearsal:
        yield "Rehearsal", "a script plays planner, reviewers and minions; no model was asked"
    yield "Remarks noted", str(task.remarks or "")
    yield "Wishes kept", _wishes(task)
    yield "Problem", one_line(put(task.problem), 200)


def _wishes(task: Task) -> str:
    """How many, and what is to be known of them."""
    unclear = [wish for wish in task.wishes if wish.unclear]
    disputed = [wish for wish in task.wishes if wish.standing is Standing.DISPUTED]
    notes = [f"{len(disputed)} against the plan"] if disputed else []
    if unclear:
        some = "" if len(unclear) == len(task.wishes) else f"{len(unclear)} of them "
        notes.append(f"{some}not compared with the plan ({one_line(put(unclear[-1].unclear), 80)})")
    many = str(len(task.wishes) or "")
    return f"{many}, {', '.join(notes)}" if notes else many


def _controls(task: Task) -> tuple[tuple[Button, ...], tuple[Button, ...]]:
    controls = task.of_kind(Kind.CONTROLS)
    if controls is None or task.state in (TaskState.PAUSED, TaskState.BACKBURNER, TaskState.BLOCKED):
        return (), ()
    stop, *more = (button(controls, each) for each in controls.options if each.value not in _OF_PHASES or _phased(task))
    return (stop,), tuple(more)


_OF_PHASES = (ControlOption.RESTART_PHASE, ControlOption.REVERT_PHASE)


def _phased(task: Task) -> bool:
    """With one phase alone it is said in words."""
    return task.in_work and len(phases_of(task)) > 1


def _ending(task: Task) -> str:
    if task.state is TaskState.WITHDRAWN:
        return withdrawn_words(task)
    said = STATE[task.state]
    return f"{said}: {put(task.reason)}" if task.reason else said


STATE: dict[TaskState, str] = {
    TaskState.RECEIVED: "Received",
    TaskState.DECOMPOSING: "Waiting for a plan",
    TaskState.IN_REVIEW: "Reviewers are reading the plan",
    TaskState.AWAITING_APPROVAL: "Waiting for approval",
    TaskState.RUNNING: "Running",
    TaskState.POLISHING: "Cleaning up",
    TaskState.DONE: "Done",
    TaskState.BLOCKED: "Blocked: it needs you",
    TaskState.BACKBURNER: "Snoozed",
    TaskState.PAUSED: "Stopped",
    TaskState.FAILED: "Failed",
    TaskState.CANCELLED: "Cancelled",
    TaskState.ANSWERING: "Looking into the code",
    TaskState.ANSWERED: "Answered",
    TaskState.WITHDRAWN: "No request",
}

TONE: dict[TaskState, Tone] = {
    **dict.fromkeys(TaskState, Tone.PLAIN),
    TaskState.DONE: Tone.GOOD,
    TaskState.AWAITING_APPROVAL: Tone.ASKING,
    TaskState.BLOCKED: Tone.BAD,
    TaskState.FAILED: Tone.BAD,
}


def state_of(task: Task) -> str:
    """Where it stands, as far as its facts tell."""
    closer = _CLOSER.get(task.state)
    return (closer(task) if closer else "") or STATE[task.state]


def _planned(task: Task) -> str:
    if task.of_kind(Kind.CLARIFICATION) or task.of_kind(Kind.NO_PLAN):
        return "Waiting for an answer"
    if task.plan.draft or task.plan.tries:
        return f"Replanning, version {task.plan.number + 1}"
    return "Replanning" if task.plan.feedback or task.plan.asked else ""


def _reviewed(task: Task) -> str:
    if task.plan.debate is None:
        return ""
    if task.plan.debate.over:
        return "The critic and the scope guard have argued"
    return f"The critic and the scope guard argue, round {task.plan.debate.next_round} of {task.plan.debate.most}"


def _awaiting(task: Task) -> str:
    if task.of_kind(Kind.DEBATE):
        return "Waiting for a person's judgement"
    return "Waiting for you: there is no plan yet" if task.of_kind(Kind.NO_PLAN) else ""


def _blocked(task: Task) -> str:
    if task.of_kind(Kind.PLAN):
        return "A reviewer says stop: it needs you"
    return "Stopped at its budget: it needs you" if task.of_kind(Kind.BUDGET) else ""


def _at_work(task: Task) -> str:
    return next((card.at_work for card in CARDS.values() if card.at_work and task.of_kind(card.kind)), "")


_CLOSER: dict[TaskState, Callable[[Task], str]] = {
    TaskState.RECEIVED: lambda task: "Waiting for an answer" if questions(task) else "",
    TaskState.ANSWERING: lambda task: "Waiting for an answer" if questions(task) else "",
    TaskState.DECOMPOSING: _planned,
    TaskState.IN_REVIEW: _reviewed,
    TaskState.AWAITING_APPROVAL: _awaiting,
    TaskState.BLOCKED: _blocked,
    TaskState.RUNNING: _at_work,
}


WHICH_COMMAND = Card(
    title="Which command do you mean?",
    text="I was not sure, so I left everything as it is. Say `stop`, `resume`, `cancel`, `retry` or `snooze`, one task "
    "at a time; `stop T-3` is for another task than this thread's.",
)


def about_card(scene: Scene, about: str) -> Card:
    match about:
        case "why":
            return why_card(scene.task, scene.name)
        case "cost":
            return cost_card(scene.task, scene.bill())
        case remarks.WHICH_COMMAND:
            return WHICH_COMMAND
        case _:
            card = status_card(scene.task, scene.name, scene.bill(), scene.paused())
            return Card(title=card.title, text=card.text, rows=card.rows, lines=card.lines, tone=card.tone)


def cost_card(task: Task, bill: Bill) -> Card:
    spent, budget = bill.spent, bill.budget
    if not spent:
        return Card(title=f"{task.id} has cost nothing so far", text="No model that costs money was asked for it.")
    raised = f"{dollars(task.money.budget)}, as raised" if task.money.budget is not None else ""
    rows = rows_of(
        ("Spent on models", dollars(spent)),
        ("Expected", expected_in_words(task.plan.expected) if task.plan.expected else ""),
        ("Budget", raised or (dollars(budget) if budget is not None else "")),
    )
    return Card(title=f"{task.id} has cost {dollars(spent)} so far", rows=tuple(rows))


def why_card(task: Task, name: NameOf) -> Card:
    """Why it is where it is: what is waited for, what stood in the way, what was said, and why each subtask exists."""
    plan, draft = task.plan, task.plan.draft
    waits = ((f"{_whom(asked, name)}, to decide {kind_in_words(asked)}") for asked in questions(task))
    rows = [
        *rows_of(*(("Waits for", each) for each in waits)),
        *rows_of(("Problem", cut(one_line(put(task.problem), 400), 400))),
        *rows_of(("Feedback on the plan", cut("; ".join(plan.feedback), 400))),
        *rows_of(*((f"{name(wish.by)} said", cut(wish.words, 300)) for wish in task.wishes[-MOST_WISHES:])),
        *argument_rows(plan.review),
        *debate_rows(plan.debate, goes_on=stands_at(task, TaskState.IN_REVIEW)),
    ]
    if draft:
        whys = ((f"{task.id}.{step.number}", step.why and f"is there because {step.why}") for step in draft.steps)
        rows += [
            *rows_of(("Order", f"{order_in_words(draft)}, because of what waits for what"), *whys),
            *rows_of(*(("Assumes", because(each.what, each.why)) for each in draft.assumptions)),
            *rows_of(*(("Open issue", because(each.what, each.why)) for each in draft.issues)),
            *rows_of(*(("Risk", str(risk)) for risk in draft.risks)),
        ]
    nothing = "" if rows else "Nothing has been decided about it yet."
    return Card(title=f"{task.id}: {state_of(task)}", text=nothing, rows=tuple(rows))
