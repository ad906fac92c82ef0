"""Work that is asked for by a label on an issue: looked for now and then, and taken in like words from chat."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from agents.domain.ids import Account, Thread, surface_of
from agents.domain.task.request import Origin
from agents.domain.task.task import Task, TaskState
from agents.domain.text.sanitize import cut
from agents.ports import ForgeFailed
from agents.workspace.forge.intake import GitHubIntake, LabelledIssue
from bot.cards import replies
from bot.config.platforms import OWN
from bot.config.settings import Settings
from bot.delivery.announcer import wish
from bot.intake.inbox import REQUEST_MOST, Inbox
from bot.messages import Labelled, Later, Platform, Refused, Unsure
from bot.services import Services
from store.database import StoreUnavailable
from store.transaction import Transaction

log = logging.getLogger("overlord.issues")
_NOT_NOW = (StoreUnavailable, Later, Unsure, Refused)


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where people talk about a project's issues."""

    channel: str
    platform: Platform


@dataclass(frozen=True, slots=True, kw_only=True)
class Homes:
    of: Mapping[str, Home]  # by project
    first: Home  # of the console: nobody can keep us from writing there


class IssueWatch:
    """A labelling is a delivery: it counts once. A project's are taken on a few at a time, in the order they came."""

    def __init__(self, office: Services, inbox: Inbox, intake: GitHubIntake, homes: "Homes") -> None:
        self._office, self._clock = office, office.clock
        self._most = office.limits.issues_at_once
        self._inbox = inbox
        self._intake = intake
        self._homes = homes
        self._troubles = dict[str, str]()

    async def look(self) -> None:
        """Take in what is new. GitHub's troubles are not ours: they are logged, and it looks again."""
        for project in self._homes.of:
            try:
                await self._take_in(project)
                self._troubles.pop(project, None)
            except (ForgeFailed, Later, Unsure, Refused) as problem:
                self._tell(project, problem)

    async def _take_in(self, project: str) -> None:
        """What waits is not kept here: an issue may be closed, or lose its label, before its turn comes."""
        found = await self._intake.news(project)
        try:
            new, under_way = await self._office.database.read(partial(_new, project, found))
            room = max(0, self._most - under_way)
            for issue in new[:room]:
                await self._accept(issue)
            if waiting := new[room:]:
                self._intake.forget(project)
                await self._office.database.write(partial(self._tell_once, project, waiting))
        except _NOT_NOW:
            self._intake.forget(project)
            raise

    def _tell_once(self, project: str, waiting: Sequence[LabelledIssue], tx: Transaction) -> None:
        """Until the last of those that it was said of has its turn; in the thread of the last that was taken on."""
        taken = _taken_on(project, tx)
        if len(taken) < self._most or any(tx.posts.is_wanted(_waits(issue)) for issue in waiting):
            return
        card = replies.issues_wait_card(project, len(waiting), self._most)
        tx.posts.want(wish(_waits(waiting[-1]), taken[0].request.thread, card), self._clock.now())

    async def _accept(self, issue: LabelledIssue) -> None:
        """A thread is begun before the delivery is stored, and found again if we die in between."""
        home = self._homes.of[issue.project]
        try:
            thread = await self._begin(issue, home)
        except Refused as problem:  # we may not write there: better heard elsewhere than not at all
            log.warning("no thread could be begun", extra={"channel": home.channel, "problem": str(problem)})
            home = self._homes.first
            thread = await self._begin(issue, home)
        if await self._inbox.accept(delivery_of(issue, home.channel, thread, self._clock.now())):
            log.info("an issue asks for work", extra={"issue": issue.url})

    async def _begin(self, issue: LabelledIssue, home: Home) -> Thread:
        words = self._office.redact(replies.issue_words(issue.author, issue.title, issue.url))
        return await home.platform.begin(home.channel, issue.key, words)

    def _tell(self, project: str, problem: Exception) -> None:
        if self._troubles.get(project) != str(problem):
            log.warning("issues cannot be taken in", extra={"project": project, "problem": str(problem)})
        self._troubles[project] = str(problem)


def _new(project: str, found: Sequence[LabelledIssue], tx: Transaction) -> tuple[list[LabelledIssue], int]:
    """Those that were not taken on before, and how many of the project are under way."""
    new = [issue for issue in found if not tx.deliveries.state(issue.key)]
    if not new:
        return [], 0
    on_the_way = sum(received.kind == Labelled.__name__ for received in tx.deliveries.to_settle())
    return new, len(_taken_on(project, tx)) + on_the_way


def _taken_on(project: str, tx: Transaction) -> list[Task]:
    """Tasks that came from its issues and are to be worked on, the newest first."""
    tasks = tx.log.tasks(ended=False)
    ours = (task for task in tasks if task.request.origin and task.request.origin.project == project)
    return [task for task in ours if task.state is not TaskState.BACKBURNER]


def _waits(issue: LabelledIssue) -> str:
    return f"issues-wait:{issue.key}"


def delivery_of(issue: LabelledIssue, channel: str, thread: Thread, at: datetime) -> Labelled:
    return Labelled(
        key=issue.key,
        thread=thread,
        channel=channel,
        message=thread.rpartition(":")[2],
        by=Account(f"github:{issue.author}"),
        name=issue.author,
        text=cut(f"{issue.title}\n\n{issue.body}".strip(), REQUEST_MOST - 100),
        origin=Origin(
            key=issue.key,
            project=issue.project,
            number=issue.number,
            url=issue.url,
            by=issue.author,
            heard=issue.heard,
        ),
        hidden=issue.hidden,
        at=at,
    )


def homes_of(settings: Settings, projects: Iterable[str], platforms: Mapping[str, Platform]) -> Homes:
    """The project's own channel, where that platform is joined; else the first of the console."""
    first = Home(channel=settings.own_channel, platform=platforms[OWN])
    own = {project.name: project.channel for project in settings.projects}
    there = {name: surface_of(own[name]) for name in projects}
    homes = {
        name: Home(channel=own[name], platform=platforms[surface]) if surface in platforms else first
        for name, surface in there.items()
    }
    return Homes(of=homes, first=first)
