"""Helpers that the tests of planning flows share with others."""

from collections.abc import Callable

from agents.domain.models.money import Budgets
from agents.domain.models.routing import ROLES, Model, Served
from agents.llm.client import JobLlm, Models
from agents.llm.prompts import Prompts
from agents.ports import Llm
from bot.services import Services
from store.running.jobs import Job
from store.running.port_adapters import CallLog
from tests.fakes.model_server import KEY, LARGE, ModelServer
from tests.llm.rig import LOADED, SECRET, files


def served(server: ModelServer) -> Callable[[Services], Callable[[Job], Llm]]:
    """The real client and the real book of calls."""
    named = (Model(name=f"hosted_vllm/{LARGE}", base_url=server.url, api_key=KEY),)

    def made(office: Services) -> Callable[[Job], Llm]:
        models = Models(
            chosen={role: Served(models=named, why="a test") for role in ROLES},
            prompts=Prompts(SECRET, files=files),
            clock=office.clock,
            limits=office.limits,
            gateway=LOADED,
        )
        calls = CallLog(office.database, office.clock, Budgets(), lambda task: task.money.budget)
        return lambda job: JobLlm(models=models, job=job.id, calls=calls)

    return made
