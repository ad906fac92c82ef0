"""A person takes a branch over in their own repository, with real git, and a minion goes on from what they did."""

from dataclasses import dataclass, field, replace
from pathlib import Path

from agents.domain.work.work import Ending
from agents.ports import Brief, Finished, GaveUp, Outcome, Ports, Progress, Watch
from tests.fakes.llm import ScriptedLlm
from tests.fakes.work import ScriptedGates, ScriptedMinions, failing, says
from tests.scenarios.conftest import BY_TURNS, Given, Opened, Play
from tests.scenarios.github_stage import ANSWERS, FILES
from tests.workspace import repositories as repos

STAGES = BY_TURNS
BRANCH = "ai/t-1.1-add-a-currency"
GIVES_UP = says(GaveUp(ending=Ending.TURNS, problem="It got nowhere"))


@dataclass(frozen=True, kw_only=True)
class AtHome(Given):
    """Models, minions and gates are played; git and the person's repository are real."""

    minions: ScriptedMinions = field(default_factory=lambda: ScriptedMinions(scripts={1: [GIVES_UP]}))
    gates: ScriptedGates = field(default_factory=ScriptedGates)

    def swap(self, ports: Ports) -> Ports:
        return replace(ports, llm=ScriptedLlm(always=ANSWERS), minions=self.minions, gates=self.gates)


async def taken(opened: Opened, given: AtHome, theirs: Path) -> tuple[Play, str]:
    repos.somebodys(theirs, FILES)
    play = await opened(given)
    thread = await play.stage.say("ana", "give prices a currency", mention=True)
    await play.sees("lead", thread, "please look at the plan")
    await play.stage.press("lead", thread, "Approve plan")
    await play.sees("ana", thread, "It got nowhere")
    await play.stage.press("ana", thread, "I'll finish it myself")
    await play.sees("ana", thread, "the branch is where you work", f"git switch {BRANCH}")
    repos.git(theirs, "switch", "-q", BRANCH)
    return play, thread


def commits(theirs: Path, text: str) -> str:
    repos.write(theirs, {"shop.py": text})
    repos.git(theirs, "commit", "-qam", "By hand")
    return repos.tip(theirs, BRANCH)


CONFIG = "projects:\n  - {{name: shop, path: {home}/theirs}}\n"


async def test_what_a_person_commits_in_their_own_repository_is_judged_and_merged(
    opened: Opened, tmp_path: Path
) -> None:
    theirs = tmp_path / "theirs"
    play, thread = await taken(opened, AtHome(config=CONFIG), theirs)
    made = commits(theirs, 'PRICE = 1\nCURRENCY = "CHF"\n')
    await play.stage.press("ana", thread, "Check my branch")
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert (await play.task()).work.on(1).commit == made
    repos.git(theirs, "switch", "-q", "main")
    await play.stage.press("lead", thread, "Merge it")
    await play.sees("ana", thread, "T-1 is merged")
    assert "CHF" in (theirs / "shop.py").read_text() and repos.git(theirs, "status", "--porcelain") == ""


async def test_a_minion_that_mends_it_goes_on_from_what_the_person_did(opened: Opened, tmp_path: Path) -> None:
    theirs, seen = tmp_path / "theirs", list[str]()

    async def mends(brief: Brief, watch: Watch) -> Outcome:
        await watch(Progress(turns=1, seconds=1, doing="mending"))
        file = brief.checkout.workspace.path / "shop.py"
        seen.append(file.read_text())
        file.write_text(file.read_text() + "TAX = 0\n")
        return Finished(summary="mended")

    minions = ScriptedMinions(scripts={1: [GIVES_UP, mends]})
    given = AtHome(config=CONFIG, minions=minions, gates=ScriptedGates(says={"T-1.1-1": (failing(),)}))
    play, thread = await taken(opened, given, theirs)
    commits(theirs, 'PRICE = 1\nCURRENCY = "CHF"\n')
    await play.stage.press("ana", thread, "Check my branch")
    await play.sees("lead", thread, "T-1 is ready to merge")
    assert seen == ['PRICE = 1\nCURRENCY = "CHF"\n']


async def test_all_of_it_is_handed_over_and_no_folder_stays(opened: Opened, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    play, thread = await taken(opened, AtHome(config=CONFIG), theirs)
    repos.git(theirs, "switch", "-q", "main")
    await play.stage.press("ana", thread, "Stop task")
    await play.sees("ana", thread, "T-1 is stopped")
    await play.stage.press("ana", thread, "I'll finish it myself")
    await play.sees("ana", thread, "T-1 is yours now", f"git switch {BRANCH}")
    assert not [*(tmp_path / "home" / "worktrees").glob("*/ai+*")]
