"""How a project is set up by ways of its own: a model reads the files that tell, and proposes commands."""

from collections.abc import Sequence
from typing import Annotated, cast

from pydantic import BaseModel

from agents.domain import events as e
from agents.domain.decisions.kind import Moment
from agents.domain.errors import BudgetReached, NoAnswer
from agents.domain.events import Event
from agents.domain.ids import project_id
from agents.domain.project.ground import Proposed
from agents.domain.task.task import Task
from agents.domain.text.sanitize import AnswerBound, Line, cut, one_line
from agents.ports import Ask, Ground, Ports

LONGEST = 500  # characters of a command


class SetupSays(BaseModel):
    """Commands for the shell, from the root of the project; none where nothing has to be installed."""

    commands: Annotated[tuple[Annotated[str, AnswerBound(LONGEST, exact=True)], ...], AnswerBound(8)] = ()
    why: Line = ""

    def contradiction(self) -> str:
        """A person reads each command before it runs, so each must be one line that shows all of itself."""
        odd = [command for command in self.commands if not command.isprintable() or not command.strip()]
        return f"{odd[0][:60]!r} is no plain command of one line" if odd else ""


async def find_ground(task: Task, base: str, ports: Ports) -> Ground:
    """What the project needs, with what a model proposed for these very files before."""
    project = task.project or ""
    ground = await ports.grounds.find(project, base)
    known = await _known(task, ground, ports) if ground.clues else None
    return await ports.grounds.find(project, base, known.commands) if known and known.commands else ground


async def is_unread(task: Task, ground: Ground, ports: Ports) -> bool:
    """Whether files say how the project is set up, and nobody has tried to read them yet."""
    tried = not ground.clues or ground.environment.proposed or task.ground.unread == tuple(ground.clues)
    return not tried and await _known(task, ground, ports) is None


async def propose_setup(task: Task, base: str, ground: Ground, ports: Ports) -> Ground:
    """A model is asked once for each state of the files. Without one, people are told what to write themselves."""
    if not ground.clues or ground.environment.proposed or await _known(task, ground, ports):
        return ground
    found = "\n\n".join(f"==== {path}\n{text}" for path, text in ground.clues.items())
    asked = Ask(
        question="setup",
        role="primary",
        step=f"setup:{ground.clue[:12]}",
        task=task,
        about={"found": found},
        refuse=SetupSays.contradiction,
    )
    try:
        says, spent = await ports.llm.ask(asked, SetupSays)
    except (NoAnswer, BudgetReached):
        return await _untold(task, ground, ports)
    if spent.rehearsal:
        return await _untold(task, ground, ports)
    await ports.store.note(task.id, lambda now, moment: _proposed(now, ground, says, moment))
    return await find_ground(task, base, ports)


def _proposed(task: Task, ground: Ground, says: SetupSays, moment: Moment) -> Sequence[Event]:
    """The first answer stands: where two were asked for at once, a person may be reading it already."""
    if _said_of(ground, moment):
        return []
    proposed = e.SetupProposed(
        task=task.id,
        project=project_id(task.project or ""),
        at=moment.at,
        clue=ground.clue,
        commands=tuple(command.strip() for command in says.commands),
        files=tuple(ground.clues),
        why=cut(one_line(says.why, 400), 400),
    )
    return [proposed]


def _said_of(ground: Ground, moment: Moment) -> Proposed | None:
    about = moment.project()
    said = about.proposed if about else None
    return said if said and said.clue == ground.clue else None


async def _untold(task: Task, ground: Ground, ports: Ports) -> Ground:
    def note(now: Task, moment: Moment) -> Sequence[Event]:
        unread = tuple(ground.clues)
        if now.has_ended or now.ground.unread == unread:
            return []
        return [e.GroundNoted(task=now.id, at=moment.at, notes=now.ground.notes, unread=unread)]

    await ports.store.note(task.id, note)
    return ground


async def _known(task: Task, ground: Ground, ports: Ports) -> Proposed | None:
    found = cast("Proposed | None", None)

    def look(now: Task, moment: Moment) -> Sequence[Event]:
        nonlocal found
        found = _said_of(ground, moment)
        return []

    await ports.store.note(task.id, look)
    return found
