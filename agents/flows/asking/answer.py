"""Answer a question about the code by one read-only run."""

from collections.abc import Sequence

from agents.domain.asking.facts import Inquiry, place_name
from agents.domain.decisions.kind import Moment
from agents.domain.events import Event, QuestionAnswered, QuestionAsked
from agents.domain.task.task import Task
from agents.flows.asking.before import tell_before
from agents.ports import AskBrief, Later, Ports, ProjectUnusable

AGAIN = 3.0  # seconds between two looks at a question that cannot be answered yet


async def answer(event: Event, ports: Ports) -> None:
    """Questions of one thread are answered one after the other. A stopped one waits; what was turned is left."""
    seen = await ports.store.task(event.task)
    asked = _asked(event, seen)
    if asked is None:
        await ports.store.record(seen.id, lambda task, moment: [])
        return
    if seen.at_rest or seen.talk.open_inquiries[0].number < asked.number:
        await ports.store.record_or_wait(seen.id, lambda task, moment: Later(seconds=AGAIN))
        return
    brief = await _brief(seen, asked, ports)

    async def goes_on() -> bool:
        now = await ports.store.task(seen.id)
        return _open(now, asked.number) is not None and not now.at_rest

    found = await ports.reader.answer(brief, goes_on, ports.live(seen.id, 0))
    web = await ports.projects.web(brief.project, brief.commit) if found else ""
    for at, excerpt in enumerate(found.excerpts if found else (), start=1):
        await ports.artefacts.keep(place_name(seen.id, asked.number, at), excerpt)

    def record(task: Task, moment: Moment) -> Sequence[Event] | Later:
        if _open(task, asked.number) is None:
            return []
        if found is None:
            return Later(seconds=AGAIN)
        answered = QuestionAnswered(
            task=task.id,
            at=moment.at,
            number=asked.number,
            answer=found.answer,
            evidence=found.evidence,
            invented=found.invented,
            commit=brief.commit,
            web=web,
            turns=found.turns,
        )
        return [answered]

    await ports.store.record_or_wait(seen.id, record)


def _asked(event: Event, task: Task) -> Inquiry | None:
    """The question that the fact is about: its own, or the first where the project has become known."""
    if isinstance(event, QuestionAsked):
        return _open(task, event.number)
    return next(iter(task.talk.open_inquiries), None) if task.is_question or task.at_rest else None


def _open(task: Task, number: int) -> Inquiry | None:
    found = task.talk.on(number)
    ended = task.has_ended and not task.is_question
    return found if found and not found.answer and not ended else None


async def _brief(task: Task, asked: Inquiry, ports: Ports) -> AskBrief:
    project = task.project or ""
    if not project:
        step = "Name one: overlord init in its folder. Then ask again."
        raise ProjectUnusable("No project is configured, so there is no code to look at", next_step=step)
    await ports.projects.require_usable(project)
    commit = await ports.checkouts.tip(project, "HEAD")
    earlier = tuple(each for each in task.talk.inquiries if each.answer and each.number < asked.number)
    before = {"follows": (await tell_before(task, ports))["follows"]}
    return AskBrief(task=task, asked=asked, project=project, commit=commit, earlier=earlier, before=before)
