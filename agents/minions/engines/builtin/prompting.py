"""What a minion is told when it begins, and when it goes on after an answer, a correction or a crash."""

from collections.abc import Callable, Mapping, Sequence

from agents.domain.learning.skill import Skill
from agents.domain.task.task import Task
from agents.minions.engines.builtin.transcript import Message, Talk
from agents.minions.engines.builtin.turn import result
from agents.ports import Asked, Brief, Outcome, WantsScope

Render = Callable[[str, Mapping[str, object], Task], str]
MOST_SKILLS = 30


def opening(render: Render, brief: Brief, pack: str, skills: Sequence[Skill], additions: str = "") -> tuple[str, str]:
    """The system's words, which are the same for all minions of a role, and the first of the user's."""
    subtask, work = brief.subtask, brief.work
    about = {
        "task": str(brief.task.id),
        "project": brief.checkout.project,
        "request": brief.task.request.text,
        "number": subtask.number,
        "title": subtask.title,
        "why": subtask.why,
        "test": subtask.test,
        "spike": subtask.spike,
        "files": list(subtask.files),
        "mode": work.scope.mode.value,
        "patterns": list(work.scope.patterns),
        "attempt": work.attempt,
        "feedback": list(work.feedback),
        "notes": list(brief.notes),
        "skills": [{"name": skill.name, "description": skill.description} for skill in skills[:MOST_SKILLS]],
        "pack": pack,
    }
    return render("_minion", {"additions": additions}, brief.task), render("_minion_task", about, brief.task)


def words(render: Render, task: Task, said: Sequence[str]) -> list[Message]:
    return [{"role": "user", "content": render("_minion_told", {"said": list(said)}, task)}]


def going_on(render: Render, brief: Brief, talk: Talk) -> Outcome | list[Message]:
    """What to tell before the next turn; or what the run ended with, if nobody has done anything about it yet."""
    ended, task = talk.ended, brief.task
    since = [each for each in brief.since if each != brief.work.answer or not talk.pauses]  # an answer is told as such
    crash = [brief.interrupted] if brief.interrupted else []
    if ended is None:
        return words(render, task, [*since, *crash]) if since or crash else []
    if not isinstance(ended.outcome, Asked | WantsScope):  # it was done when the bot died, and nobody wants more of it
        return words(render, task, [*since, *crash]) if since else ended.outcome
    answer = _answer(brief, talk, ended.outcome)
    if not answer:
        return ended.outcome
    text = render("_minion_answer", {"answer": answer}, task)
    told = [*(since if brief.work.answer else ()), *crash]
    return [result(ended.call, text), *(words(render, task, told) if told else ())]


def _answer(brief: Brief, talk: Talk, outcome: Asked | WantsScope) -> str:
    """What people decided on what the run waits for; nothing, if they have not.

    Where it was never recorded the bot died first: then an answer that is there is one to an earlier question.
    """
    if brief.work.questions < talk.pauses:
        return ""
    given = brief.work.answer or "\n".join(brief.since)
    if isinstance(outcome, WantsScope) and all(brief.work.scope.refuse(path) is None for path in outcome.paths):
        return f"Granted: you may write {', '.join(outcome.paths)} now. {given}".strip()
    return given
