"""A flow that kills its process is started three times and then parked; a person can start it again (P7)."""

import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from agents.workspace.projects import GitProjects
from tests.faults.console_trial import Swap
from tests.faults.visit import visiting


class PoisonedProjects(GitProjects):
    """Whoever asks for their names dies, as long as the poison is there."""

    def __init__(self, home: Path) -> None:
        super().__init__({"web": home / "web", "api": home / "api"})
        self.home = home

    def names(self) -> Sequence[str]:
        with (self.home / "starts").open("a") as starts:
            starts.write("started\n")
        if not (self.home / "cured").exists():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().names()

    @property
    def starts(self) -> int:
        return len((self.home / "starts").read_text().splitlines())


def poisoned(projects: PoisonedProjects) -> Swap:
    return lambda ports: replace(ports, projects=projects)


def test_a_flow_that_kills_its_process_three_times_is_parked_and_says_so_once(tmp_path: Path) -> None:
    projects = PoisonedProjects(tmp_path)
    with visiting(tmp_path, poisoned(projects)) as visit:
        thread = visit.person.say("@overlord add a health check")
        stuck = visit.waited_for(thread, "got stuck")
        visit.until_idle()
        assert projects.starts == 3, "the fourth start must never happen"
        assert visit.mortal.died == 3
        assert [s.title for s in visit.thread(thread)].count(stuck.title) == 1
        assert stuck.card and [b.label.split()[0] for b in stuck.card.buttons] == ["Retry", "Cancel", "Later"]
        assert "died" in stuck.card.fallback and "Kept:" in stuck.card.fallback

        visit.mortal.kill()  # a restart alone does not start it again
        visit.mortal.start()
        visit.until_idle()
        assert projects.starts == 3


def test_retry_works_once_the_fault_is_gone(tmp_path: Path) -> None:
    projects = PoisonedProjects(tmp_path)
    with visiting(tmp_path, poisoned(projects)) as visit:
        thread = visit.person.say("@overlord add a health check")
        stuck = visit.waited_for(thread, "got stuck")
        (tmp_path / "cured").touch()
        visit.press("Retry", stuck, thread)
        visit.waited_for(thread, "which project is this for?")
        visit.until_idle()
        assert projects.starts == 4


def test_retry_works_also_after_the_stuck_task_was_laid_aside_and_brought_back(tmp_path: Path) -> None:
    projects = PoisonedProjects(tmp_path)
    with visiting(tmp_path, poisoned(projects)) as visit:
        thread = visit.person.say("@overlord add a health check")
        stuck = visit.waited_for(thread, "got stuck")
        (tmp_path / "cured").touch()
        visit.person.say("backburner", thread)
        visit.person.say("resume", thread)
        visit.press("Retry", stuck, thread)
        visit.waited_for(thread, "which project is this for?")
        visit.until_idle()


def test_a_retry_into_the_same_fault_is_parked_again_with_a_card_of_its_own(tmp_path: Path) -> None:
    projects = PoisonedProjects(tmp_path)
    with visiting(tmp_path, poisoned(projects)) as visit:
        thread = visit.person.say("@overlord add a health check")
        visit.press("Retry", visit.waited_for(thread, "got stuck"), thread)
        visit.until(lambda g: [s.title for s in g.thread(thread)].count("T-1 got stuck") == 2, "a second card")
        visit.until_idle()
        assert projects.starts == 6
