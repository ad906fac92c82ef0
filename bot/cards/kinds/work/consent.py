"""What people read before a project is set up: the exact commands, and what they may reach."""

from collections.abc import Iterator

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.work.consent import ConsentOption
from agents.domain.decisions.subject import OfSetup
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut
from bot.cards.kinds.kind_card import CANCEL_TASK, KindCard, Label
from bot.cards.scene import Bill, rows_of
from bot.messages import Row, Style

_TEXT = (
    "They run code of the project with a network: through a list of package hosts, in a sandbox that sees neither your "
    "files nor any key. Once, until the commands change. Work and checks stay offline."
)
_READ = (
    "The project has nothing that code could read, so a model proposes these commands. Read each before you allow it."
)
_AGAIN = "Set-up failed. Run it again once what was wrong is fixed, or go on without it."


def _title(task: Task, decision: Decision) -> str:
    again = " again" if decision.evidence else ""
    return f"{task.id} needs {task.project or 'its project'} set up: may I run these commands{again}?"


def _rows(task: Task, decision: Decision, bill: Bill) -> Iterator[Row]:
    subject = decision.subject
    if not isinstance(subject, OfSetup):
        return
    for number, command in enumerate(subject.commands, 1):
        yield Row(label=f"Command {number}", value=f"`{cut(command, 1_500)}`")
    if subject.proposed:
        yield Row(label="Read by a model", value=f"{', '.join(subject.proposed)}. {_READ}")
    yield from rows_of(("Secrets it is given", ", ".join(subject.secrets)))


CARD = KindCard(
    kind=Kind.CONSENT,
    name="the set-up of a project",
    title=_title,
    text=lambda task, d: _AGAIN if d.evidence else _TEXT,
    labels={
        ConsentOption.RUN: Label("Run set-up", "Set-up allowed", Style.PRIMARY),
        ConsentOption.WITHOUT: Label("Go on without it", "Going on without set-up"),
        ConsentOption.CANCEL: CANCEL_TASK,
    },
    rows=_rows,
    at_work="Waiting for leave to set the project up",
)
