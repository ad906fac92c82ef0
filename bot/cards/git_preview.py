"""What git will do, before it does it: branches, commits, and what leaves this machine early."""

from agents.domain.workflow.steps import Drafts
from agents.domain.workflow.workflow import Workflow
from bot.cards.scene import rows_of
from bot.messages import Row


def early_rows(workflow: Workflow | None) -> list[Row]:
    """What leaves this machine before the work is finished, on the strength of the plan's approval."""
    early, checks = (workflow.drafts is Drafts.EARLY, workflow.waits_for_forge) if workflow else (False, False)
    if not early and not checks:
        return []
    shown = "a draft pull request as soon as the policy checks pass on all of it" if early else "its branch"
    why = ", for remote checks, which are waited for" if checks else ""
    covers = "Approving covers that push only; the merge is asked for."
    return rows_of(("Pushed early", f"where the project is on a remote forge, {shown}{why}. {covers}"))
