"""The one living card of a task."""

from agents.domain.authority import Group, Kind, who_may
from agents.domain.decision import Decision, NameOf
from agents.domain.task import Task, TaskState
from agents.domain.text import one_line
from bot.cards import words
from bot.cards.decisions import button
from bot.messages import Button, Card, Row, Tone


def status_card(task: Task, name: NameOf) -> Card:
    title = f"{task.id} · {one_line(task.request)}"
    if task.ended:
        return Card(title=title, text=_ending(task), tone=words.TONE[task.state])
    buttons, more = _controls(task)
    return Card(
        title=title,
        rows=tuple(_rows(task, name)),
        lines=tuple(f"Waiting for {_whom(d, name)} to decide {words.KIND[d.kind]}" for d in task.questions),
        buttons=buttons,
        more=more,
        tone=Tone.ASKING if task.questions and task.state is TaskState.RECEIVED else words.TONE[task.state],
    )


def _whom(decision: Decision, name: NameOf) -> str:
    return name(decision.put_to) if Group.OWNER in decision.rule.who else who_may(decision.kind)


def _rows(task: Task, name: NameOf) -> list[Row]:
    rows = [Row(label="State", value=words.state_of(task))]
    if task.project:
        why = f" ({task.project_why})" if task.project_why else ""
        rows.append(Row(label="Project", value=f"{task.project}{why}"))
    elif task.project == "":
        rows.append(Row(label="Project", value="none is configured; name one in overlord.yaml"))
    rows.append(Row(label="Asked by", value=name(task.owner)))
    if task.hidden:
        many = f"{task.hidden} character{'s' if task.hidden > 1 else ''}"
        rows.append(Row(label="Hidden text", value=f"{many} that nobody sees were taken out of the request"))
    if task.budgets_warned:
        rows.append(Row(label="Budget", value=f"80 % used: {', '.join(task.budgets_warned)}"))
    if task.rehearsal:
        rows.append(Row(label="Rehearsal", value="a script plays planner and reviewers; no model was asked"))
    if task.remarks:
        rows.append(Row(label="Remarks noted", value=str(task.remarks)))
    if task.problem:
        rows.append(Row(label="Problem", value=one_line(task.problem, 200)))
    rows.append(Row(label="Last change", at=task.changed_at))
    return rows


def _controls(task: Task) -> tuple[tuple[Button, ...], tuple[Button, ...]]:
    controls = task.of_kind(Kind.CONTROLS)
    if controls is None or task.state in (TaskState.PAUSED, TaskState.BACKBURNER, TaskState.BLOCKED):
        return (), ()
    stop, aside, cancel = (button(controls, option) for option in controls.options)
    return (stop,), (aside, cancel)


def _ending(task: Task) -> str:
    said = words.STATE[task.state]
    return f"{said}: {task.reason}" if task.reason else said
