"""The form in which a person edits a plan by hand: its columns, what stands in it, and what is wrong with it."""

from agents.domain.planning.plan_editing import faults_of_edit, to_lines
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import TableForm
from bot.messages import FormColumn

COLUMNS = (
    FormColumn(name="title", label="Title"),
    FormColumn(name="kind", label="Kind of work", choices=tuple(WorkKind)),
    FormColumn(name="role", label="Role", hint="empty: the usual one"),
    FormColumn(name="files", label="Files that it may write", hint="one a line; a folder ends in /", several=True),
    FormColumn(name="after", label="Starts after", hint="such as 1, 2"),
)


def lines_of_plan(task: Task) -> str:
    """The plan as it is; or what was tried and not taken, to go on from."""
    if task.plan.draft is None:
        return ""
    return to_lines(task.plan.draft, task.plan.edit_tried if task.plan.edit_refused else "")


EDIT_FORM = TableForm(columns=COLUMNS, lines=lines_of_plan, check=faults_of_edit)
