"""Messages of commits and merges, and what cards say of them before they are made."""

import textwrap
from collections.abc import Iterator, Sequence

from agents.domain.decisions.decision import Decision
from agents.domain.decisions.subject import OfStep
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.reports import git_manners, summary_of
from agents.domain.task.task import Task
from agents.domain.text.redact import Redactor
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.git_names import COMMIT, SUBJECT_MOST, shorten
from agents.domain.work.work import DROPPED
from agents.domain.workflow.steps import Drafts
from agents.domain.workflow.workflow import Workflow
from agents.ports import History
from bot.cards.scene import rows_of
from bot.messages import Row

SUMMARY = 800  # characters of one subtask's summary
_WIDTH = 72
_CLOSING = "Fix what the checks of the whole found"
_hide_secrets = Redactor()  # a minion may have seen some, and histories are public
# What kinds of work are called in the first line of a commit, by the convention that many projects follow.
TYPES: dict[WorkKind, str] = {
    WorkKind.FIX: "fix",
    WorkKind.FEATURE: "feat",
    WorkKind.REFACTOR: "refactor",
    WorkKind.DOCS: "docs",
    WorkKind.TESTS: "test",
    WorkKind.SPIKE: "chore",
}


def commit_text(task: Task, number: int, summary: str = "") -> str:
    """What a commit of one subtask says in the history, with what whoever did it says of it."""
    assert task.plan.draft is not None
    title = _title(task, number)
    subject = git_manners(task).subject(f"{task.id}.{number}", title, _type(task, number))
    whole = title if subject.endswith("…") else ""
    told = (whole, summary_text(summary), f"Part of {task.id}: {task.plan.draft.goal}")
    return "\n\n".join((subject, *(wrap(part) for part in told if part)))


def _title(task: Task, number: int) -> str:
    """Subtasks that code added have titles for cards."""
    subtask = task.plan.subtask(number)
    if task.plan.is_closing(number):
        return _CLOSING
    return subtask.title.replace(": ", " ", 1) if subtask.opening else subtask.title


def join_text(task: Task, number: int, asked_by: str, passed_by: Sequence[str]) -> str:
    """What stands in the history where a subtask's work comes in. A name that nobody knows is left out."""
    passed = ", ".join(one_line(name, 80) for name in passed_by if name)
    told = (asked_for(task, asked_by), f"Passed by {passed}" if passed else "")
    return "\n".join((commit_text(task, number, summary_of(task, number)), *filter(None, told)))


def revert_text(task: Task, number: int, commit: str) -> str:
    """What stands in the history where a subtask's work is taken back with its phase."""
    phase = task.plan.subtask(number).phase
    subject = git_manners(task).subject(f"{task.id}.{number}", f"Revert {_title(task, number)}", _type(task, number))
    told = f"This takes back {commit[:12]} of {task.id}.{number}, with phase {phase} of {task.id}."
    return f"{subject}\n\n{wrap(told)}"


def asked_for(task: Task, by: str) -> str:
    where = f" in {task.request.origin.url}" if task.request.origin else ""
    return f"Asked for by {one_line(by, 80)}{where}" if by else ""


def merge_text(task: Task, history: History) -> str:
    """What the merge says in the history: where commits are squashed into one, it is all that stays."""
    by = task.request.origin.by if task.request.origin else history.names.get(task.request.by, "")
    body = ("\n".join(wrap(line) for line in done_lines(task)), asked_for(task, by))
    return "\n\n".join((pull_title(task), *filter(None, body)))


def pull_title(task: Task) -> str:
    """As the project words its commits; else the goal, with the task's id."""
    assert task.plan.draft is not None
    manners, goal = git_manners(task), task.plan.draft.goal
    if manners.commit_message != COMMIT:
        return manners.subject(task.id, goal, _type(task))
    name = f" ({task.id})"
    return f"{shorten(goal, SUBJECT_MOST - len(name))}{name}"


def done_lines(task: Task) -> Iterator[str]:
    """A line for each subtask that was done: its title, and what its minion says of it."""
    for work in task.work.subtasks:
        said = summary_text(summary_of(task, work.number))
        if work.state in DROPPED or (task.plan.is_closing(work.number) and not said):
            continue
        title = "The whole" if task.plan.is_closing(work.number) else task.plan.subtask(work.number).title
        yield f"- {shorten(title, 120)}{f': {said}' if said else ''}"


def summary_text(summary: str) -> str:
    """On one line, so that nothing in it passes for another part of the text."""
    return one_line(_hide_secrets(cut(summary, 4 * SUMMARY)), SUMMARY)


def wrap(text: str) -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent="  " * text.startswith("- "), break_long_words=False, break_on_hyphens=False
    )


def _type(task: Task, number: int = 0) -> str:
    """Of a subtask; the whole is as its first one."""
    steps = task.plan.draft.subtasks if task.plan.draft else ()
    if number and task.plan.is_closing(number):
        return TYPES[WorkKind.FIX]
    return TYPES[task.plan.subtask(number).kind if number else steps[0].kind]


def plan_git_rows(task: Task) -> list[Row]:
    """The branch that work will be on, and how its commits are signed where that is not as usual."""
    manners, plan = git_manners(task), task.plan.draft
    if not manners.preview or plan is None:
        return []
    start = f"`{plan.into}` as it is" if plan.into else "the branch that the project is on"
    branch = f"`{manners.branch(task.id, plan.goal)}`, from {start} when work begins"
    signed = (
        f"by {manners.author}" if manners.author else "",
        "signed off" if manners.sign_off else "",
        "whoever asked is named as co-author, if their address is known" if manners.co_author else "",
    )
    return rows_of(("Branch", branch), ("Commits", "; ".join(each for each in signed if each)))


def step_git_rows(task: Task, decision: Decision) -> list[Row]:
    """What a step becomes once it may go on."""
    about = decision.subject
    if not task.plan.manners.preview or not isinstance(about, OfStep) or not task.work.branch or not task.plan.draft:
        return []
    joins = f"`{about.commit[:10]}` goes onto `{task.work.branch}`, for `{task.work.into}`"
    return rows_of(("Commit", commit_text(task, about.subtask).partition("\n")[0]), ("Next", joins))


def merge_git_rows(task: Task) -> list[Row]:
    """What the merge will say in the history."""
    manners = git_manners(task)
    if not manners.preview or task.plan.draft is None:
        return []
    signature = manners.signature(task.work.co_author)
    by = f"by {signature.author}" if signature.author else ""
    said = (pull_title(task), by, *signature.trailers)
    return rows_of(("Commit message", " · ".join(each for each in said if each)))


def early_rows(workflow: Workflow | None) -> list[Row]:
    """What leaves this machine before the work is finished, on the strength of the plan's approval."""
    early, checks = (workflow.drafts is Drafts.EARLY, workflow.waits_for_forge) if workflow else (False, False)
    if not early and not checks:
        return []
    shown = "a draft pull request as soon as the policy checks pass on all of it" if early else "its branch"
    why = ", for remote checks, which are waited for" if checks else ""
    covers = "Approving covers that push only; the merge is asked for."
    return rows_of(("Pushed early", f"where the project is on a remote forge, {shown}{why}. {covers}"))
