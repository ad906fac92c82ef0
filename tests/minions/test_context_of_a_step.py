"""At a step a role reads by the context that the step names."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from agents.catalog.library import Declared, load_catalog
from agents.domain.checks.evaluation import Change
from agents.domain.context.strategy import Input
from agents.domain.planning.decomposition import Decomposition, Subtask
from agents.domain.planning.facts import PlanState
from agents.domain.planning.work_kind import WorkKind
from agents.domain.skills.skill import Skill
from agents.domain.text.redact import Redactor
from agents.domain.work.work import Work
from agents.domain.workflow.workflow import DEFAULT
from agents.llm.tokens import Tokens
from agents.minions.pack import Packer, WorkPacks
from agents.minions.reading import Counts
from agents.ports import Brief, Checkout, Workspace
from agents.workspace.files.safe_open import Tree
from agents.workspace.git.objects import of_checkout
from tests.llm.rig import task
from tests.sandbox.yard import git

SUBTASK = Subtask(number=1, title="Half", why="it is wanted", kind=WorkKind.FEATURE, files=("codes.py",))
DIFF = "diff --git a/codes.py b/codes.py\n--- a/codes.py\n+++ b/codes.py\n@@ -0,0 +1 @@\n+half = 'done'\n"


class OneChange:
    """Implements agents.minions.pack.Commits for one commit."""

    def __init__(self, place: Path) -> None:
        self._place = place

    async def difference(self, project: str, base: str, commit: str) -> tuple[str, int]:
        return DIFF, 0

    async def changes(self, project: str, base: str, commit: str) -> Sequence[Change]:
        return (Change(path="codes.py", status="M", added=1),)

    @asynccontextmanager
    async def lend(self, project: str, commit: str) -> AsyncIterator[Workspace]:
        yield Workspace(path=self._place)


async def no_skills(checkout: Checkout) -> Sequence[Skill]:
    return ()


async def test_a_minion_and_a_reviewer_read_by_the_context_of_their_step(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("Sells things.\n")
    (tmp_path / "codes.py").write_text("half = 'done'\nrest = 'as before'\n")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    head = git(tmp_path, "rev-parse", "HEAD").strip()
    ours = load_catalog().contexts
    short = replace(ours["implementer_targeted"], name="short", inputs={Input.TARGETS: 5})
    only_diff = replace(ours["reviewer_diff"], name="only_diff", inputs={Input.DIFF: 9_000})
    catalog = load_catalog(Declared(contexts={**ours, "short": short, "only_diff": only_diff}))
    packer = Packer(open_tree=Tree, list_files=of_checkout, counts=Counts(Tokens()), redact=Redactor())
    packs = WorkPacks(packer, OneChange(tmp_path), catalog.context, no_skills)
    checkout = Checkout(project="p", branch="b", base=head, head=head, workspace=Workspace(path=tmp_path))
    planned = task(plan=PlanState(draft=Decomposition(goal="g", subtasks=(SUBTASK,)), number=1))
    work = Work(number=1, base=head)
    brief = Brief(task=planned, subtask=SUBTASK, work=work, checkout=checkout)

    usual, fewer = [
        await packs.for_work(replace(brief, step=replace(DEFAULT.implement, context_scope=scope)))
        for scope in ("", "short")
    ]
    assert "Sells things." in usual and "Sells things." not in fewer and "half = 'done'" in fewer
    whole, part = [await packs.for_review(planned, work, head, "reviewer", scope) for scope in ("", "only_diff")]
    assert "as before" in whole.parts[0] and "as before" not in part.parts[0] and "+half = 'done'" in part.parts[0]
