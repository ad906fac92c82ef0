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
    debate_rounds: int = 2  # 0 switches debates off
    dollars_an_hour: float = 0.75  # what an hour of planned work is reckoned to cost, for the estimate on a plan
    catch_up: float = 86_400
    model_step: float = 300  # one call to a model
    step_retries: int = 3  # ceiling over the named retry policies (C15)
    retry_longest: float = 60

    def within(self, name: str) -> timedelta:
        return timedelta(seconds=float(getattr(self, name)))
