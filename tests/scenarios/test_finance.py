"""A trading team's overrides of `enterprise`, with the pack that has their roles, walked to a merge."""

from dataclasses import replace

from agents.domain.checks.evaluation import Score
from agents.domain.events import StepPassed, StepRefused
from agents.ports import Ask, Candidate, Judged, Show, show_nothing
from tests.fakes.work import ScriptedMinions, Workshop
from tests.scenarios.conftest import Opened
from tests.scenarios.plans import Says
from tests.scenarios.test_enterprise_family import RefusingGates, to_merge
from tests.scenarios.working import APPROVED, at_work, given

STAGES = ("console",)
OVERRIDES = """
packs: [finance]
workflow:
  template: enterprise
  overrides:
    implement:
      role: quant_dev
      config: {{tdd: true, coverage: 95}}
    risk_validation:
      position: after integration_test_gate
      role: risk_manager
      next: security_review
  disable: [security_review]
"""


class MeasuredGates(RefusingGates):
    """Tests of the first attempt run 94 % of what changed, later ones all of it."""

    async def judge(self, candidate: Candidate, show: Show = show_nothing) -> Judged:
        judged = await super().judge(candidate, show)
        first = candidate.check == "unit" and candidate.log == "T-1.2-1"
        return replace(judged, coverage=94.0 if first else 100.0)


async def test_the_overrides_of_a_trading_team_are_walked_to_a_merge(opened: Opened) -> None:
    minions, read = ScriptedMinions(), list[str]()
    gates = MeasuredGates(refuses={("backtest-risk", 2, "")}, minions=minions)
    work = Workshop(minions=minions, gates=gates)

    async def look(asked: Ask) -> Says:
        read.append(asked.step)
        return APPROVED

    play, thread = await at_work(opened, given(work, OVERRIDES, code_review=look))
    await to_merge(play, thread)
    facts = [fact.event for fact in await play.log()]
    refused = [(fact.step, fact.checked.gates) for fact in facts if isinstance(fact, StepRefused)]
    assert [step for step, _ in refused] == ["unit_test_gate", "risk_validation"]
    said = [(gate.name, gate.why) for gate in refused[0][1] if gate.score is Score.NEEDS_REVISION]
    assert said == [("coverage", "94 %, 95 % is wanted")]
    passed = [fact.step for fact in facts if isinstance(fact, StepPassed)]
    assert "security_review" not in passed
    assert passed.index("risk_validation") == passed.index("code_review") - 1
    roles = [brief.step.role for brief in work.minions.briefs if brief.subtask.number == 2]
    assert roles == ["quant_dev", "quant_dev", "test_engineer", "quant_dev", "test_engineer"]
    asked = [name for name, log in gates.asked if log.startswith("T-1.2")]
    assert "backtest-risk" in asked and "security" not in " ".join(read)
