"""The numbers people may change, with the defaults of manifests/policies/limits.yaml."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Times in seconds unless the name says otherwise."""

    provider_timeout: float = 15
    settle: float = 25  # how long an unsure post may still become visible: time-out + 10 s
    send_lease: float = 45
    job_lease: float = 60
    job_renewal: float = 15
    job_recoveries: int = 3
    question_default: float = 600
    medium_gate: float = 1800
    confirm: float = 600
    reminder: float = 14_400
    status_edits_apart: float = 2
    quota_window: float = 60
    quota_per_person: int = 20
    quota_per_channel: int = 60
    link_code: float = 600
    door_connections: int = 256  # at once, at each door
    door_per_peer: int = 128  # of them from one address, or from one user of this machine
    door_first_byte: float = 10  # until a connection says something
    door_request: float = 30  # until a request is here whole, or an answer is taken
    debate_rounds: int = 2  # 0 switches debates off
    dollars_an_hour: float = 0.75  # what an hour of planned work is reckoned to cost, for the estimate on a plan
    catch_up: float = 86_400
    issues_apart: float = 60  # between two looks for issues that ask for work
    issues_at_once: int = 5  # of a project, taken on and not ended; further ones wait their turn
    upkeep_apart: float = 600  # between two looks at whether our copies of repositories want packing
    model_step: float = 300  # one call to a model
    step_retries: int = 3  # ceiling over the named retry policies (C15)
    retry_longest: float = 60
    task_steps: int = 50  # C14: what a task may take by itself until a person lets it go on
    first_wave: int = 4  # minions that a task starts with at most
    minions_per_project: int = 3
    minions: int = 6  # at work at once, whatever they work on
    minion_turns: int = 50  # M077
    minion_seconds: float = 1800  # C29, of the machine: a run's own time, not the time it waits for people
    minion_questions: int = 3
    fixes: int = 3  # M179: how often one run is sent back by the project's tests before it hands in
    tool_errors: int = 3  # M079: in a row
    command_seconds: float = 300  # one command of a minion

    def within(self, name: str) -> timedelta:
        return timedelta(seconds=float(getattr(self, name)))
