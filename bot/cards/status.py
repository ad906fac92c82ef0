"""How a task stands: its state in words, its status card, and answers to “status”, “why” and “cost”."""

from collections.abc import Callable

from agents.domain.decisions.authority import Group, Kind
from agents.domain.decisions.decision import Decision, NameOf
from agents.domain.decisions.table import questions, rule_of
from agents.domain.planning.decomposition import Level
from agents.domain.planning.planning import stands_at
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import cut, one_line
from bot.cards.decisions import button
from bot.cards.kinds.kind_card import who_may
from bot.cards.kinds.table import CARDS, kind_in_words
from bot.cards.plan import SHORT_LEVEL, argument_rows, debate_rows, order_in_words
from bot.cards.progress import work_rows
from bot.cards.scene import NO_BILL, Bill, Scene, bill_rows
from bot.messages import Button, Card, Row, Tone


def status_card(task: Task, name: NameOf, bill: Bill = NO_BILL) -> Card:
    title = f"{task.id} · {one_line(task.request.text)}"
    if task.ended:
        return Card(
            title=title,
            text=_ending(task),
            rows=(*work_rows(task), *bill_rows(task, bill)),
            tone=TONE[task.state],
        )
    buttons, more = _controls(task)
    asked = questions(task)
    return Card(
        title=title,
        rows=tuple(_rows(task, name, bill)),
        lines=tuple(f"Waiting for {_whom(d, name)} to decide {kind_in_words(d)}" for d in asked),
        buttons=buttons,
        more=more,
        tone=Tone.ASKING if asked and task.state is TaskState.RECEIVED else TONE[task.state],
    )


def _whom(decision: Decision, name: NameOf) -> str:
    return name(decision.put_to) if Group.OWNER in rule_of(decision).who else who_may(rule_of(decision))


def _rows(task: Task, name: NameOf, bill: Bill) -> list[Row]:
    rows = [Row(label="State", value=state_of(task)), *_project(task)]
    rows += [Row(label="Asked by", value=name(task.request.by)), *work_rows(task), *_running(task, bill), *_notes(task)]
    if task.remarks:
        rows.append(Row(label="Remarks noted", value=str(task.remarks)))
    if task.problem:
        rows.append(Row(label="Problem", value=one_line(task.problem, 200)))
    rows.append(Row(label="Last change", at=task.changed_at))
    return rows


def _running(task: Task, bill: Bill) -> list[Row]:
    """While it is at work: cost, time, and where minions are held."""
    if not task.work.subtasks:
        return []
    engine = next((work.engine for work in reversed(task.work.subtasks) if work.engine), "")
    return [*bill_rows(task, bill), *([Row(label="Sandbox", value=engine)] if engine else [])]


def _project(task: Task) -> list[Row]:
    if task.project is None:
        return []
    why = f" ({task.project_why})" if task.project_why else ""
    none = "none is configured; name one in overlord.yaml"
    return [Row(label="Project", value=f"{task.project}{why}" if task.project else none)]


def _notes(task: Task) -> list[Row]:
    rows = []
    if task.request.origin:
        rows.append(Row(label="Issue", value=f"#{task.request.origin.number} {task.request.origin.url}"))
    if task.delivery.pull:
        rows.append(Row(label="Pull request", value=f"#{task.delivery.pull} {task.delivery.url}".strip()))
    if task.request.hidden:
        many = f"{task.request.hidden} character{'s' if task.request.hidden > 1 else ''}"
        rows.append(Row(label="Hidden text", value=f"{many} that nobody sees were taken out of the request"))
    if task.money.warned:
        rows.append(Row(label="Budget", value=f"80 % used: {', '.join(task.money.warned)}"))
    if task.plan.level is not Level.PRIMARY:
        rows.append(Row(label="Plan", value=SHORT_LEVEL[task.plan.level]))
    if task.money.degraded:
        models = ", ".join(task.money.degraded)
        rows.append(Row(label="Fallback model", value=f"{models}: the preferred model did not answer"))
    if task.plan.rehearsal:
        rows.append(Row(label="Rehearsal", value="a script plays planner, reviewers and minions; no model was asked"))
    return rows


def _controls(task: Task) -> tuple[tuple[Button, ...], tuple[Button, ...]]:
    controls = task.of_kind(Kind.CONTROLS)
    if controls is None or task.state in (TaskState.PAUSED, TaskState.BACKBURNER, TaskState.BLOCKED):
        return (), ()
    stop, aside, cancel = (button(controls, option) for option in controls.options)
    return (stop,), (aside, cancel)


def _ending(task: Task) -> str:
    said = STATE[task.state]
    return f"{said}: {task.reason}" if task.reason else said


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
    return "Replanning" if task.plan.feedback else ""


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
    TaskState.DECOMPOSING: _planned,
    TaskState.IN_REVIEW: _reviewed,
    TaskState.AWAITING_APPROVAL: _awaiting,
    TaskState.BLOCKED: _blocked,
    TaskState.RUNNING: _at_work,
}


def about_card(scene: Scene, about: str) -> Card:
    match about:
        case "why":
            return why_card(scene.task, scene.name)
        case "cost":
            return cost_card(scene.task, scene.bill())
        case _:
            card = status_card(scene.task, scene.name, scene.bill())
            return Card(title=card.title, text=card.text, rows=card.rows, lines=card.lines, tone=card.tone)


def cost_card(task: Task, bill: Bill) -> Card:
    spent, budget = bill.spent, bill.budget
    if not spent:
        return Card(title=f"{task.id} has cost nothing so far", text="No model that costs money was asked for it.")
    rows = [Row(label="Spent on models", value=f"${spent:.2f}")]
    if task.plan.estimate:
        rows.append(Row(label="Estimate for the work", value=f"${task.plan.estimate:.2f}"))
    if task.money.budget is not None:
        rows.append(Row(label="Budget", value=f"${task.money.budget:.2f}, as raised"))
    elif budget is not None:
        rows.append(Row(label="Budget", value=f"${budget:.2f}"))
    return Card(title=f"{task.id} has cost ${spent:.2f} so far", rows=tuple(rows))


def why_card(task: Task, name: NameOf) -> Card:
    """Why it is where it is: what is waited for, what stood in the way, what was said, and why each subtask exists."""
    rows = [Row(label="Waits for", value=f"{_whom(d, name)}, to decide {kind_in_words(d)}") for d in questions(task)]
    if task.problem:
        rows.append(Row(label="Problem", value=cut(one_line(task.problem, 400), 400)))
    if task.plan.feedback:
        rows.append(Row(label="Feedback on the plan", value=cut("; ".join(task.plan.feedback), 400)))
    rows += [
        *argument_rows(task.plan.review),
        *debate_rows(task.plan.debate, goes_on=stands_at(task, TaskState.IN_REVIEW)),
    ]
    if task.plan.draft:
        rows.append(Row(label="Order", value=f"{order_in_words(task.plan.draft)}, because of what waits for what"))
        rows += [
            Row(label=f"{task.id}.{s.number}", value=f"is there because {s.why}")
            for s in task.plan.draft.steps
            if s.why
        ]
        rows += [Row(label="Assumes", value=text) for text in task.plan.draft.assumptions]
        rows += [Row(label="Risk", value=f"{risk.what} → {risk.mitigation}") for risk in task.plan.draft.risks]
    nothing = "" if rows else "Nothing has been decided about it yet."
    return Card(title=f"{task.id}: {state_of(task)}", text=nothing, rows=tuple(rows))
