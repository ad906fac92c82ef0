"""What is handed over: rows of the merge, what people went on without, and the messages at the end of the walk."""

from agents.domain.decisions.decision import NameOf
from agents.domain.task.reports import summary_of
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.domain.work.facts import BranchPublished, WorkKept
from agents.domain.work.work import DROPPED, Work
from bot.cards.progress import LESS, evaluation_rows, work_row
from bot.cards.scene import Bill, bill_rows, rows_of
from bot.messages import Card, Row, Tone

SUMMARY = 300  # characters of each


def merge_rows(task: Task) -> list[Row]:
    """What is handed over: each subtask as it was judged, the branch, and where to read it."""
    rows = [row for work in task.work.subtasks for row in _handed_over(task, work)]
    if task.work.subtasks and (whole := task.work.subtasks[-1].evaluation):
        rows += evaluation_rows(whole)
    pull = f"#{task.delivery.pull} {task.delivery.url}".strip() if task.delivery.pull else ""
    if task.delivery.draft:
        pull += " (a draft)"
    audit = f"{task.id}.audit" if task.plan.workflow and task.plan.workflow.keeps_audit else ""
    told = ("Branch", task.work.branch), ("Merges into", task.work.into), ("Pull request", pull), ("Audit trail", audit)
    return [*rows, *rows_of(*told)]


def _handed_over(task: Task, work: Work) -> list[Row]:
    """How a subtask ended, and what its minion says of it; of the whole only what was done to it."""
    ended = [] if task.plan.is_closing(work.number) else [work_row(task, work)]
    said = "" if work.state in DROPPED else one_line(summary_of(task, work.number), SUMMARY)
    return [*ended, *rows_of((f"Summary of {task.id}.{work.number}", said))]


def settled_for_rows(task: Task, name: NameOf) -> list[Row]:
    """What people went on without, and where they settled for less than the plan says."""
    waived = {
        (waiver.check, waiver.why): (work, waiver) for work in reversed(task.work.subtasks) for waiver in work.waived
    }
    rows = [
        Row(
            label="Went on without",
            value=f"{waiver.check} of {task.id}.{work.number}, by {' and '.join(map(name, waiver.by))}: {waiver.why}",
        )
        for work, waiver in waived.values()
    ]
    accepted = [(work, each) for work in task.work.subtasks for each in work.tests_accepted]
    rows += [
        Row(
            label="Changed tests",
            value=f"{', '.join(each.names)} of {task.id}.{work.number}, accepted by {' and '.join(map(name, each.by))}",
        )
        for work, each in accepted
    ]
    less = [f"{task.id}.{work.number} ({LESS[work.degraded]})" for work in task.work.subtasks if work.degraded]
    return [*rows, *rows_of(("Less than planned", ", ".join(less)))]


def merged_card(task: Task, bill: Bill) -> Card:
    """The end of the walk, in its own message: people look for it."""
    rows = [
        Row(label="Commit", value=f"{task.delivery.head[:10]} on {task.delivery.merged_into}"),
        *rows_of(("Your files", task.delivery.advice)),
        *bill_rows(task, bill),
    ]
    return Card(title=f"{task.id} is merged", text=one_line(task.request.text, 200), rows=tuple(rows), tone=Tone.GOOD)


def kept_card(task: Task, kept: WorkKept) -> Card:
    rows = [Row(label="Branch", value=branch) for branch in kept.branches]
    rows += [Row(label="Check out", value=how) for how in kept.how]
    rows += [Row(label="Not brought to you", value=problem) for problem in kept.problems]
    rows += rows_of(("Patch", kept.patch))
    text = "Here is what there is; I have stopped." if kept.branches else "There was nothing on a branch yet."
    return Card(title=f"{task.id} is yours now", text=text, rows=tuple(rows))


def branch_card(fact: BranchPublished) -> Card:
    """Where a person goes on who took a subtask over."""
    name = f"{fact.task}.{fact.subtask}"
    if fact.problem:
        rows = (Row(label="Branch", value=fact.branch), Row(label="Problem", value=fact.problem))
        text = "It is in my own copy only. Start from the kept patch on a branch of this name, then hand it in."
        return Card(title=f"{name}: the branch could not be brought to you", text=text, rows=rows, tone=Tone.BAD)
    rows = (Row(label="Branch", value=fact.branch), Row(label="Check out", value=fact.how))
    return Card(title=f"{name}: the branch is where you work", text="Commit there, then hand it in.", rows=rows)
