"""The one living card of a task."""

from agents.domain.decisions.authority import Group, Kind
from agents.domain.decisions.decision import Decision, NameOf
from agents.domain.decisions.table import questions, rule_of
from agents.domain.planning.decomposition import Level
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import one_line
from bot.cards.decisions import button
from bot.cards.kinds.table import kind_in_words
from bot.cards.parts.bill import NO_BILL, Bill, bill_rows
from bot.cards.parts.rights import who_may
from bot.cards.parts.words import SHORT_LEVEL
from bot.cards.parts.work import work_rows
from bot.cards.states import STATE, TONE, state_of
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
        rows.append(Row(label="Plan", value=f"degraded: {SHORT_LEVEL[task.plan.level]}"))
    if task.money.degraded:
        rows.append(
            Row(label="Stand-in", value=f"{', '.join(task.money.degraded)}: the preferred model did not answer")
        )
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
