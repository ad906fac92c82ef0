"""The numbers people may change, with the defaults of manifests/policies/limits.yaml."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated

from agents.domain.text.sanitize import Between

COUNT = Between(1, 10_000)
WEEK = 7 * 86_400
WAIT = Between(1, WEEK)
DAY = Between(1, 86_400)
HOUR = Between(1, 3600)
DOOR = Between(0.1, 600)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Times in seconds unless the name says otherwise."""

    provider_timeout: Annotated[float, Between(1, 120)] = 15
    settle: Annotated[float, Between(1, 600)] = 25  # how long an unsure post may still become visible: time-out + 10 s
    send_lease: Annotated[float, HOUR] = 45
    job_lease: Annotated[float, HOUR] = 60
    job_renewal: Annotated[float, Between(0.1, 1800)] = 15
    job_recoveries: Annotated[int, Between(1, 100)] = 3
    question_default: Annotated[float, WAIT] = 600
    medium_gate: Annotated[float, WAIT] = 1800
    confirm: Annotated[float, WAIT] = 600
    reminder: Annotated[float, WAIT] = 14_400
    status_edits_apart: Annotated[float, Between(0, 60)] = 2
    quota_window: Annotated[float, DAY] = 60
    quota_per_person: Annotated[int, COUNT] = 20
    quota_per_channel: Annotated[int, COUNT] = 60
    link_code: Annotated[float, Between(30, 86_400)] = 600
    door_connections: Annotated[int, Between(4, 10_000)] = 256  # at once, at each door
    door_per_peer: Annotated[int, Between(2, 10_000)] = 128  # from one address, or from one user of this machine
    door_first_byte: Annotated[float, DOOR] = 10  # until a connection says something
    door_request: Annotated[float, DOOR] = 30  # until a request is here whole, or an answer is taken
    control_every: Annotated[int, Between(0, 1000)] = 5  # one in so many reviews has a control question; 0: none
    debate_rounds: Annotated[int, Between(0, 2)] = 2  # 0 switches debates off
    catch_up: Annotated[float, Between(0, WEEK)] = 86_400
    issues_apart: Annotated[float, DAY] = 60  # between two looks for issues that ask for work
    checks_apart: Annotated[float, Between(1, 60)] = 30  # between two looks at a forge's own checks
    checks_grace: Annotated[float, HOUR] = 60  # within which a forge begins its checks after a push
    checks_wait: Annotated[float, WAIT] = 3600  # for a forge's own checks; then a person is asked
    issues_at_once: Annotated[int, COUNT] = 5  # open tasks from issues of one project; further ones wait their turn
    upkeep_apart: Annotated[float, DAY] = 600  # between two looks at whether our copies of repositories need packing
    model_step: Annotated[float, HOUR] = 300  # one call to a model
    step_retries: Annotated[int, Between(0, 10)] = 3  # ceiling over the named retry policies
    retry_longest: Annotated[float, Between(0, 600)] = 60
    task_steps: Annotated[int, Between(5, 10_000)] = 50  # for each subtask, before a person lets it go on
    first_wave: Annotated[int, Between(1, 50)] = 4  # minions that a task starts with at most
    side_by_side: Annotated[int, Between(1, 50)] = 50  # minions of one task at any time; 1: one after the other
    minions_per_project: Annotated[int, Between(1, 50)] = 3
    minions: Annotated[int, Between(1, 100)] = 6  # at work at once, whatever they work on
    planner_turns: Annotated[int, Between(0, 100)] = 8  # in which a planner looks at the code before it answers
    critic_turns: Annotated[int, Between(0, 100)] = 4  # the same of the critic
    minion_turns: Annotated[int, Between(1, 500)] = 50
    minion_seconds: Annotated[float, Between(1, 14_400)] = 1800  # a run's own time, without waiting for people
    minion_questions: Annotated[int, Between(0, 10)] = 3
    fixes: Annotated[int, Between(0, 10)] = 3  # how often the project's tests send one run back before it hands in
    tool_errors: Annotated[int, Between(1, 20)] = 3  # in a row
    command_seconds: Annotated[float, HOUR] = 300  # one command of a minion

    def within(self, name: str) -> timedelta:
        return timedelta(seconds=float(getattr(self, name)))


Days = Annotated[int, Between(1, 36_500)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Retention:
    """Days. None, the default of each: nothing of it is ever removed."""

    messages: Days | None = None  # our copies of what was said in threads
    deliveries: Days | None = None  # what platforms sent and what became of it
    turns: Days | None = None  # talks of minions whose task has ended
    branches: Days | None = None  # of tasks that have ended
    archived: Days | None = None  # tasks that have ended: they are moved into files

    def before(self, name: str, now: datetime) -> datetime | None:
        """What is older than this goes; None: nothing does."""
        days: int | None = getattr(self, name)
        return None if days is None else now - timedelta(days=days)
