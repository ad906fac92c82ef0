"""The audit trail of a task: every fact in words, with its time and the hash that chains it to the one before."""

from agents.domain.events import Event
from agents.domain.ids import PersonId
from agents.domain.task.task import Task
from agents.domain.text.sanitize import one_line
from agents.ports import History
from bot.cards.timeline import in_words

LINE = 400  # characters
HASH = 16


def audit_text(task: Task, history: History) -> str:
    """What is known of the decisions is told with them: what was asked, of whom, and who decided how."""
    workflow = task.plan.workflow
    under = f", under the workflow {workflow.name}, version {workflow.version}" if workflow else ""
    known = {decision.id: decision for decision in (*history.decisions, *task.open)}

    def name(person: PersonId) -> str:
        said = history.names.get(person, "")
        return f"{said} ({person})" if said else str(person)

    def line(hash: str, event: Event) -> str:
        return f"{event.at:%Y-%m-%d %H:%M:%S} {hash[:HASH]} {one_line(in_words(event, name, known.get), LINE)}"

    lines = [line(*fact) for fact in history.facts]
    for decision in history.decisions:
        who = ", ".join(map(name, decision.decided_by)) or "nobody"
        closed = f"{decision.closed_at:%Y-%m-%d %H:%M:%S}" if decision.closed_at else "open"
        lines.append(f"{closed} decision {decision.id}: {decision.kind}, {decision.state} by {who}")
    head = f"{task.id}: {len(history.facts)} facts{under}. Each hash covers the fact and the hash before it."
    return "\n".join((head, *lines)) + "\n"
