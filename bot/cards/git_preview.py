"""What git will do, before it does it: branches, commits, and what leaves this machine early."""

from agents.domain.decisions.decision import Decision
from agents.domain.decisions.subject import OfStep
from agents.domain.task.reports import commit_text, merge_text
from agents.domain.task.task import Task
from agents.domain.workflow.steps import Drafts
from agents.domain.workflow.workflow import Workflow
from bot.cards.scene import rows_of
from bot.messages import Row


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
