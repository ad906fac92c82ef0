"""What words become once it is known what they are: a question, a request, or none."""

from agents.domain import events as e
from agents.domain.asking.names import Mistake
from agents.domain.decisions.authority import Kind
from agents.domain.decisions.kind import Facts, Moment, Withdrawal, ending_with, withdraw
from agents.domain.ids import PersonId
from agents.domain.task.task import Task, TaskState

# Asked on the way to a plan, or about what got stuck there: pointless once no plan is wanted.
_OF_A_REQUEST = frozenset(
    {
        *(Kind.PLAN, Kind.DEBATE, Kind.CLARIFICATION, Kind.NO_PLAN, Kind.CHANGE, Kind.SKILL_DRAFT),
        *(Kind.STUCK, Kind.BUDGET, Kind.ROUTE),
    }
)


def ask_about_code(task: Task, by: PersonId, text: str, moment: Moment, chosen_by: PersonId | None = None) -> Facts:
    """One more question, in the thread of one or beside work; a message that nothing came of yet becomes one."""
    number = task.talk.last_number + 1
    if task.state not in (TaskState.RECEIVED, TaskState.WITHDRAWN):
        return [e.QuestionAsked(task=task.id, at=moment.at, number=number, by=by, text=text)]
    wanted = e.AnswerWanted(task=task.id, at=moment.at, number=number, by=by, text=text, chosen_by=chosen_by)
    return [wanted, *_same_project(task, moment)]


def turn_into_question(task: Task, by: PersonId, moment: Moment) -> Facts:
    """A request that only wants to know something. Planners and reviewers that are at it are not listened to."""
    number, asker, text = task.talk.last_number + 1, task.request.by, task.request.text
    wanted = e.AnswerWanted(task=task.id, at=moment.at, number=number, by=asker, text=text, chosen_by=by)
    stale = [decision for decision in task.open if decision.kind in _OF_A_REQUEST]
    return [*withdraw(stale, Withdrawal.REROUTED, moment), wanted, *_same_project(task, moment)]


def turn_into_request(task: Task, by: PersonId, words: str, moment: Moment) -> Facts:
    """A question, or what was taken for nothing, that asks for a change."""
    stale = [decision for decision in task.open if decision.kind in _OF_A_REQUEST]
    wanted = e.ChangeWanted(task=task.id, at=moment.at, by=by, request=words)
    return [*withdraw(stale, Withdrawal.REROUTED, moment), wanted, *_same_project(task, moment)]


def withdraw_request(task: Task, by: PersonId, moment: Moment) -> Facts:
    """A person says that it was none."""
    gone = e.TaskWithdrawn(task=task.id, at=moment.at, by=by, mistake=Mistake.BY_PERSON)
    return [gone, *withdraw(ending_with(task), Withdrawal.WITHDRAWN, moment)]


def settle_follow_up(task: Task, moment: Moment) -> Facts:
    """Nothing more is wanted, unless a question is still open."""
    if task.state is not TaskState.ANSWERING or task.talk.open_inquiries:
        return []
    return [e.FollowUpSettled(task=task.id, at=moment.at)]


def _same_project(task: Task, moment: Moment) -> Facts:
    """It is known already; that it is said again starts what comes next."""
    if task.project is None:
        return []
    return [e.ProjectChosen(task=task.id, at=moment.at, project=task.project, by=None, why=task.project_why)]
