"""What is written of a task outside the chat: in pull requests and commits, and on the issue that it came from."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agents.domain import events as e
from agents.domain.events import Event
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.git_names import COMMIT, Signed
from agents.domain.work.work import DROPPED, Degraded, Ending

_LESS = {Degraded.CORE: " (core only)", Degraded.STUB: " (a stub with TODOs)"}


def pull_text(task: Task) -> tuple[str, str]:
    """Title and body, from facts."""
    assert task.plan.draft is not None
    title = one_line(f"{task.plan.draft.goal} ({task.id})", 120)
    asked = f"Asked for: {one_line(task.request.text, 300)}"
    where = [f"In: {task.request.origin.url}"] if task.request.origin else []
    lines = [task.plan.draft.goal, "", asked, *where, "", "Subtasks:"]
    lines += [_line(task, work.number) for work in task.work.subtasks if work.state not in DROPPED]
    lines += [_line(task, work.number) + " (dropped)" for work in task.work.subtasks if work.state in DROPPED]
    return title, "\n".join(lines)


def commit_text(task: Task, number: int) -> str:
    """What a commit of one subtask says in the history."""
    plan = task.plan
    assert plan.draft is not None
    subject = plan.manners.subject(f"{task.id}.{number}", plan.subtask(number).title, _type(task, number))
    return f"{subject}\n\nPart of {task.id}: {plan.draft.goal}"


def merge_text(task: Task) -> str:
    """What the merge says in the history."""
    plan = task.plan
    assert plan.draft is not None
    plain = plan.manners.commit_message == COMMIT
    return pull_text(task)[0] if plain else plan.manners.subject(task.id, plan.draft.goal, _type(task))


# What kinds of work are called in the first line of a commit, by the convention that many projects follow.
TYPES: dict[WorkKind, str] = {
    WorkKind.FIX: "fix",
    WorkKind.FEATURE: "feat",
    WorkKind.REFACTOR: "refactor",
    WorkKind.DOCS: "docs",
    WorkKind.TESTS: "test",
    WorkKind.SPIKE: "chore",
}


def _type(task: Task, number: int = 0) -> str:
    """Of a subtask; the whole is as its first one."""
    steps = task.plan.draft.subtasks if task.plan.draft else ()
    whole = not number or task.plan.is_closing(number)
    return TYPES[steps[0].kind if whole else task.plan.subtask(number).kind]


def sign(task: Task, text: str) -> Signed:
    """As the commits of this task are signed."""
    return Signed(text=text, signature=task.plan.manners.signature(task.work.co_author))


def join_text(task: Task, number: int, asked_by: str, passed_by: Sequence[str]) -> str:
    """What stands in the history where a subtask's work comes in. A name that nobody knows is left out."""
    where = f" in {task.request.origin.url}" if task.request.origin else ""
    passed = ", ".join(one_line(name, 80) for name in passed_by if name)
    lines = (
        f"Asked for by {one_line(asked_by, 80)}{where}" if asked_by else "",
        f"Passed by {passed}" if passed else "",
    )
    return "\n".join((commit_text(task, number), *filter(None, lines)))


def _line(task: Task, number: int) -> str:
    work, subtask = task.work.on(number), task.plan.subtask(number)
    passed = [gate.name for gate in work.evaluation.gates if not gate.skipped] if work.evaluation else []
    judged = f": {', '.join(passed)} passed" if passed else ""
    waived = f"; not checked: {', '.join(waiver.check for waiver in work.waived)}" if work.waived else ""
    return f"- {subtask.title}{judged}{waived}{_LESS[work.degraded] if work.degraded else ''}"


def plan_text(task: Task) -> str:
    """The approved plan, for whoever judges work against it."""
    assert task.plan.draft is not None
    steps = (
        f"{s.number}. {s.title}\n   why: {s.why}\n   files: {', '.join(s.files)}\n   test: {s.test}"
        for s in task.plan.draft.subtasks
    )
    return "\n".join((f"Request: {task.request.text}", f"Goal: {task.plan.draft.goal}", *steps))


PROBLEM = 1_000


class Act(StrEnum):
    TELL = "tell"
    BLOCKED = "blocked"  # and the label goes: putting it back asks again
    ATTENTION = "attention"  # and the label `needs-attention` comes


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    key: str  # the same key is said once, whatever dies in between
    act: Act
    text: str


TELLS = (e.PullOpened, e.MinionFailed, e.SubtaskEscalated, e.JobParked, e.TaskCancelled, e.TaskFailed)
_AGAIN = "\n\nPut the label back to ask again."
_ENDED: dict[Ending, str] = {
    Ending.ERRORS: "Its tools failed again and again. ",
    Ending.TURNS: "It came to the end of its turns. ",
    Ending.TIMEOUT: "It took too long. ",
}


def telling(task: Task, event: Event) -> Telling | None:
    """None: the task came from no issue, or nothing is said of this."""
    origin = task.request.origin
    if origin is None or not isinstance(event, TELLS):
        return None
    what, act, text = _said(task, event)
    return Telling(key=f"{origin.key}:{task.id}:{what}", act=act, text=text)


PULL_TELLS = (e.TaskCancelled, e.TaskFailed, e.TaskHandedOver)


def tell_outside(task: Task, event: Event) -> Telling | None:
    """On the pull request itself; nothing where there is none, or where opening it says enough. What was said in chat
    stays there."""
    number = task.delivery.pull
    match event:
        case e.PullOpened(head=head) if task.delivery.rounds > 1:
            whole = task.work.subtasks[-1].evaluation
            passed = [gate.name for gate in whole.gates if not gate.skipped] if whole else []
            checks = f" Checks that passed: {', '.join(passed)}." if passed else ""
            text = f"There is a new round of {task.id}, at {head[:10]}, after changes were asked for.{checks}"
            return Telling(key=f"{task.id}:{number}:round:{head}", act=Act.TELL, text=text)
        case e.TaskCancelled() | e.TaskFailed() | e.TaskHandedOver() if number:
            how = "A person goes on with it by hand" if isinstance(event, e.TaskHandedOver) else "It was given up"
            text = f"Nothing more comes of {task.id} by itself. {how}; this pull request is left as it is."
            return Telling(key=f"{task.id}:{number}:ended", act=Act.TELL, text=text)
        case _:
            return None


def _said(task: Task, fact: Event) -> tuple[str, Act, str]:
    """What of the task it is about, what is done beside saying it, and the words."""
    match fact:
        case e.PullOpened(number=number, url=url):
            return f"pull:{number}", Act.TELL, f"{task.id} is done and waits for a person to merge it: {url}"
        case e.MinionFailed(ending=ending):
            what, name, problem = f"failed:{fact.subtask}:{fact.attempt}", _name(task, fact), cut(fact.problem, PROBLEM)
            if ending is Ending.BLOCKED:
                return what, Act.BLOCKED, f"{name} cannot be done as it was asked for: {problem}{_AGAIN}"
            return what, Act.ATTENTION, f"{name} needs a person. {_ENDED.get(ending, '')}{problem}"
        case e.SubtaskEscalated(subtask=subtask, attempt=attempt):
            text = f"{_name(task, fact)} needs a person: {cut(fact.why, PROBLEM)}"
            return f"escalated:{subtask}:{attempt}", Act.ATTENTION, text
        case e.JobParked(job=job):  # a problem of the machine is not public
            return f"parked:{job}", Act.ATTENTION, f"{task.id} got stuck and needs a person. The card in chat says why."
        case e.TaskCancelled(reason=reason):
            return "cancelled", Act.BLOCKED, f"{task.id} was cancelled: {cut(reason, PROBLEM)}{_AGAIN}"
        case e.TaskFailed(reason=reason):
            return "failed", Act.BLOCKED, f"{task.id} failed: {cut(reason, PROBLEM)}{_AGAIN}"
        case _:
            raise AssertionError(f"{type(fact).__name__} is not told")


def _name(task: Task, fact: e.AboutWork) -> str:
    return f"{task.id}.{fact.subtask} ({one_line(task.plan.subtask(fact.subtask).title, 100)})"
