"""What flows let people see of what runs: as long as it does, and of the right subtask."""

from agents.domain.ids import TaskId
from agents.domain.project.ground import Baseline
from agents.ports import Candidate, Judged, Show, show_nothing
from bot.live import Running
from bot.services import Services
from tests.fakes.work import ScriptedGates
from tests.flows.work import Work, work as work


class Watched(ScriptedGates):
    """Gates that run something, and look at what is seen of it meanwhile."""

    def __init__(self, office: Services) -> None:
        super().__init__()
        self.office = office
        self.seen: tuple[Running, ...] = ()

    def measures(self, project: str) -> bool:
        return False

    async def baseline(self, project: str, commit: str, key: str, show: Show = show_nothing) -> Baseline | None:
        return None

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        with show("pytest -q", "tests") as listener:
            listener("3 passed\n")
            self.seen = await self.office.live.running(TaskId("T-1"), str)
        return await super().judge(candidate, show)


async def test_what_the_gates_run_is_seen_while_they_do(work: Work) -> None:
    gates = work.workshop.gates = Watched(work.office)
    await work.accepted()
    await work.run_next("begin_work", "work", "evaluate", "work", "evaluate", "run_step")
    (run,) = gates.seen
    assert (run.subtask, run.gate, run.command, run.said) == (1, "tests", "pytest -q", "3 passed")
    assert not work.office.live.runs(work.task)
