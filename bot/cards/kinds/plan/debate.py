"""A plan that the reviewers left open."""

from agents.domain.decisions.authority import Kind
from agents.domain.decisions.decision import Decision
from agents.domain.decisions.kinds.plan.debate import DebateOption
from agents.domain.planning.debating import disagreement
from agents.domain.task.task import Task
from bot.cards.kinds.kind_card import CANCEL_TASK, EDIT_PLAN, NARROW, KindCard, Label, show_request
from bot.cards.plan import plan_footer, rows_of_shown_plan
from bot.cards.planning.argument import is_contested
from bot.cards.planning.edit_form import EDIT_FORM
from bot.cards.reasons import put
from bot.messages import Style


def _text(task: Task, decision: Decision) -> str:
    why = put(disagreement(task.plan.debate) if task.plan.debate and is_contested(task) else task.problem)
    return f"{(why or 'The reviewers could not settle it').rstrip('.')}. {show_request(task, decision)}"


CARD = KindCard(
    kind=Kind.DEBATE,
    name="a plan that the reviewers left open",
    title=lambda task, d: f"{task.id}: the plan needs your judgement",
    text=_text,
    labels={
        DebateOption.APPROVE: Label("Proceed as proposed", "Plan approved", Style.PRIMARY),
        DebateOption.AGAIN: Label("Ask again", "Reviewers asked again"),
        DebateOption.NARROW: NARROW,
        DebateOption.INFORMATION: Label(
            "Ask for more information", "More information asked for", asks="What should be found out first?"
        ),
        DebateOption.EDIT: EDIT_PLAN,
        DebateOption.CANCEL: CANCEL_TASK,
    },
    tables={DebateOption.EDIT: EDIT_FORM},
    rows=rows_of_shown_plan,
    footer=plan_footer,
    first=3,
)
