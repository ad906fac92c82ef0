"""What git and forges show of a task: messages of commits, pull requests, comments; and what cards say of it before."""

from collections.abc import Sequence

from agents.domain import events as e
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.subject import OfStep
from agents.domain.events import Event
from agents.domain.planning.work_kind import WorkKind
from agents.domain.task.task import Task
from agents.domain.text.sanitize import cut, one_line
from agents.domain.work.git_names import COMMIT
from agents.domain.work.work import DROPPED, Degraded, Ending
from agents.domain.workflow.steps import Drafts
from agents.domain.workflow.workflow import Workflow
from bot.cards.reasons import put
from bot.cards.scene import rows_of
from bot.messages import Row

PROBLEM = 1_000  # characters
_LESS = {Degraded.CORE: " (core only)", Degraded.STUB: " (a stub with TODOs)"}
_AGAIN = "\n\nPut the label back to ask again."
_ENDED: dict[Ending, str] = {
    Ending.ERRORS: "Its tools failed again and again. ",
    Ending.TURNS: "It came to the end of its turns. ",
    Ending.TIMEOUT: "It took too long. ",
}


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


def _line(task: Task, number: int) -> str:
    work, subtask = task.work.on(number), task.plan.subtask(number)
    passed = [gate.name for gate in work.evaluation.gates if not gate.skipped] if work.evaluation else []
    judged = f": {', '.join(passed)} passed" if passed else ""
    waived = f"; not checked: {', '.join(waiver.check for waiver in work.waived)}" if work.waived else ""
    return f"- {subtask.title}{judged}{waived}{_LESS[work.degraded] if work.degraded else ''}"


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


def join_text(task: Task, number: int, asked_by: str, passed_by: Sequence[str]) -> str:
    """What stands in the history where a subtask's work comes in. A name that nobody knows is left out."""
    where = f" in {task.request.origin.url}" if task.request.origin else ""
    passed = ", ".join(one_line(name, 80) for name in passed_by if name)
    lines = (
        f"Asked for by {one_line(asked_by, 80)}{where}" if asked_by else "",
        f"Passed by {passed}" if passed else "",
    )
    return "\n".join((commit_text(task, number), *filter(None, lines)))


def issue_comment(task: Task, fact: Event) -> str:
    """What is said on the issue that a task came from."""
    match fact:
        case e.PullOpened(url=url):
            return f"{task.id} is done and waits for a person to merge it: {url}"
        case e.MinionFailed(ending=Ending.BLOCKED, problem=problem):
            return f"{_name(task, fact)} cannot be done as it was asked for: {cut(problem, PROBLEM)}{_AGAIN}"
        case e.MinionFailed(ending=ending, problem=problem):
            return f"{_name(task, fact)} needs a person. {_ENDED.get(ending, '')}{cut(problem, PROBLEM)}"
        case e.SubtaskEscalated(why=why):
            return f"{_name(task, fact)} needs a person: {cut(put(why), PROBLEM)}"
        case e.JobParked():  # a problem of the machine is not public
            return f"{task.id} got stuck and needs a person. The card in chat says why."
        case e.TaskCancelled(reason=reason):
            return f"{task.id} was cancelled: {cut(reason, PROBLEM)}{_AGAIN}"
        case e.TaskFailed(reason=reason):
            return f"{task.id} failed: {cut(put(reason), PROBLEM)}{_AGAIN}"
        case _:
            raise AssertionError(f"{type(fact).__name__} is not told")


def pull_comment(task: Task, fact: Event) -> str:
    """What is said on the pull request. What was said in chat stays there."""
    if isinstance(fact, e.PullOpened):
        whole = task.work.subtasks[-1].evaluation
        passed = [gate.name for gate in whole.gates if not gate.skipped] if whole else []
        checks = f" Checks that passed: {', '.join(passed)}." if passed else ""
        return f"There is a new round of {task.id}, at {fact.head[:10]}, after changes were asked for.{checks}"
    how = "A person goes on with it by hand" if isinstance(fact, e.TaskHandedOver) else "It was given up"
    return f"Nothing more comes of {task.id} by itself. {how}; this pull request is left as it is."


def _name(task: Task, fact: e.AboutWork) -> str:
    return f"{task.id}.{fact.subtask} ({one_line(task.plan.subtask(fact.subtask).title, 100)})"


def plan_git_rows(task: Task) -> list[Row]:
    """The branch that work will be on, and how its commits are signed where that is not as usual."""
    manners, plan = task.plan.manners, task.plan.draft
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
    manners = task.plan.manners
    if not manners.preview or task.plan.draft is None:
        return []
    signature = manners.signature(task.work.co_author)
    by = f"by {signature.author}" if signature.author else ""
    said = (merge_text(task), by, *signature.trailers)
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
