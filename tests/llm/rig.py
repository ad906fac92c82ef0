"""A store, a fake provider and our own client between them, for tests of asking."""

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from agents.domain.ids import PersonId, TaskId, Thread
from agents.domain.limits import Limits
from agents.domain.models.money import Budgets
from agents.domain.models.routing import ROLES, Model, Served, Size
from agents.domain.planning.facts import PlanState
from agents.domain.task.facts import Request
from agents.domain.task.task import Task
from agents.llm.client import JobLlm, Models
from agents.llm.gateway import Gateway
from agents.llm.prompts import Prompts
from agents.ports import Ask
from store.database import Database
from store.running.port_adapters import CallLog
from tests.fakes.clock import ScaledClock
from tests.fakes.model_server import KEY, LARGE, SMALL, ModelServer

NO_PLAN = PlanState()
SECRET = b"a secret of this installation"
FILES = ("src/app.py", "src/login.py", "tests/test_login.py", "README.md")
SCALE = 200.0  # a wait of two seconds takes ten milliseconds
LOADED = Gateway()  # litellm takes seconds to load: once is enough


def task(number: int = 1, *, request: str = "add rate limiting to the login", plan: PlanState = NO_PLAN) -> Task:
    at, thread = datetime(2026, 1, 2, tzinfo=UTC), Thread("console:general:1")
    asked = Request(text=request, by=PersonId("ana"), thread=thread, channel="console:general", at=at)
    return Task(id=TaskId(f"T-{number}"), request=asked, changed_at=at, project="shop", plan=plan)


def asked(question: str = "custodiet", **changes: object) -> Ask:
    given: dict[str, object] = {
        "question": question,
        "role": "primary",
        "step": question,
        "task": task(),
        "about": ABOUT.get(question, {}),
        **changes,
    }
    return Ask(**given)  # type: ignore[arg-type]


WATCHED: dict[str, object] = {
    "bootstrap": False,
    "request": "add rate limiting to the login",
    "goal": "Logins are limited",
    "reasoning": "assumed: sessions are kept in memory\nadded since: 5. Log refused tries",
    "wishes": "ten tries are enough",
    "done": "2. Count failed tries (done, phase 1) [src/login.py]",
    "remaining": "3. Refuse after ten (pending, phase 1)",
    "results": "2: the counter is in login.py\n2: took 2 attempts",
    "changes": "+ log = getLogger()",
    "notes": "conventions/errors.md\n1. Raise LoginError",
    "patterns": "src: py × 2",
    "directives": ["low cleanup: Use one name for the logger (src/login.py)"],
    "before": "Names of loggers differ.",
}
ABOUT: dict[str, dict[str, object]] = {
    "code_review": {
        "subtask": {"number": 1, "title": "Show a form", "why": "people log in", "test": "it is shown"},
        "whole": False,
        "require_tests": True,
        "alone": False,
        "degraded": "",
        "notes": [],
        "pack": "+ <form>",
        "part": 1,
        "parts": 1,
        "feedback": ["the test fails"],
        "found": [],
        "coverage": None,
    },
    "specialist": {"specialist": "security", "focus": "Who could abuse this."},
    "debate": {"side": "critic", "other": "custodiet", "mine": "revise: no test", "theirs": "ok", "round": 1},
    "wish": {"said": "leave the form out"},
    "intent": {"said": "how far are you?"},
    "route": {
        "said": "how are links stored?",
        "recent": [],
        "known": ["T-1 (running): add a form"],
        "projects": ["shop"],
    },
    "project": {"projects": ["shop", "api"]},
    **{name: WATCHED for name in ("code_style", "design", "internaliser")},
    "address": {**WATCHED, "directives": ["1. normal functional: Store it in a table (src/login.py)"]},
    "assess": {**WATCHED, "log": ["design: It is built as designed."]},
    "remainder": {**WATCHED, "why": "nobody counts the tries", "numbers": [3, 4]},
    "draft_skill": {
        "known": ["python-tests: pytest"],
        "before": "1. Read the routes.",
        "revises": "add-endpoint",
        "draft": "name: add-endpoint",
    },
    "setup": {"found": "==== Makefile\nsetup:\n\tpip install x\n"},
}


@dataclass(kw_only=True)
class Rig:
    server: ModelServer
    database: Database
    clock: ScaledClock
    limits: Limits = field(default_factory=Limits)
    budgets: Budgets = field(default_factory=Budgets)
    route: str = "hosted_vllm"
    models: tuple[str, ...] = (LARGE,)
    key: str = KEY
    sizes: Mapping[str, Size] = field(default_factory=dict)
    gateway: Gateway = field(default_factory=lambda: LOADED)
    price: tuple[float, float] | None = None

    @property
    def calls(self) -> CallLog:
        return CallLog(self.database, self.clock, self.budgets, lambda task: task.money.budget)

    def client(self) -> Models:
        named = tuple(
            Model(name=f"{self.route}/{name}", base_url=self.server.url, api_key=self.key, price=self.price)
            for name in self.models
        )
        chosen = {role: Served(models=named, why="a test", size=self.sizes.get(role, Size())) for role in ROLES}
        prompts = Prompts(SECRET, files=files)
        return Models(
            chosen=chosen,
            prompts=prompts,
            clock=self.clock,
            limits=self.limits,
            gateway=self.gateway,
            chance=lambda: 0.5,
        )

    def job(self, id: str = "job-1") -> JobLlm:
        return JobLlm(models=self.client(), job=id, calls=self.calls)


async def files(project: str) -> Sequence[str]:
    return FILES


@asynccontextmanager
async def rigged(place: Path, scale: float = SCALE, server: ModelServer | None = None) -> AsyncIterator[Rig]:
    database = Database(f"sqlite:///{place / 'overlord.db'}")
    try:
        async with server or ModelServer() as served:
            clock = ScaledClock(scale, time.time())
            route, models = (served.wire.provider, served.models) if server else ("hosted_vllm", (LARGE,))
            yield Rig(server=served, database=database, clock=clock, route=route, models=models)
    finally:
        database.close()


__all__ = ["LARGE", "SMALL", "Rig", "asked", "rigged", "task"]
