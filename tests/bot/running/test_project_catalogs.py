"""A job works with the roles of its project, as they are at the commit that the work began from; others do not."""

import asyncio
from dataclasses import replace
from pathlib import Path

from agents.catalog.library import load_catalog
from agents.domain.workflow.roles import EngineName
from agents.workspace.projects import GitProjects
from bot.running.catalogs.project_catalogs import ProjectCatalogs
from tests.llm.rig import task
from tests.workspace import repositories as repos

ROLE = ".overlord/roles/trader.yaml"


async def names(catalogs: ProjectCatalogs, project: str, base: str = "") -> set[str]:
    """That a job for such a task sees, in a context of its own."""

    async def job() -> set[str]:
        asked = task()
        await catalogs.enter(replace(asked, project=project, work=replace(asked.work, base=base)))
        return {*catalogs.now().roles}

    return await asyncio.create_task(job())


async def test_each_job_sees_what_its_own_project_adds_at_its_commit(tmp_path: Path) -> None:
    shop = repos.somebodys(tmp_path / "shop", {ROLE: "extends: implementer\n", "a.txt": "x\n"})
    first = repos.git(shop, "rev-parse", "HEAD").strip()
    (shop / ROLE).unlink()
    repos.git(shop, "commit", "-qam", "gone")
    other = repos.somebodys(tmp_path / "other", {"a.txt": "x\n"})
    catalogs = ProjectCatalogs(usual=load_catalog, projects=GitProjects({"shop": shop, "other": other}))
    assert "trader" in await names(catalogs, "shop", first), "work keeps to where it began"
    assert "trader" not in await names(catalogs, "shop")
    assert "trader" not in await names(catalogs, "other")
    assert "trader" not in catalogs.now().roles


async def test_a_job_runs_on_the_engines_that_were_chosen(tmp_path: Path) -> None:
    catalogs = ProjectCatalogs(usual=load_catalog, projects=GitProjects({}))

    async def job() -> EngineName:
        await catalogs.enter(replace(task(), project=""), {"implementer": EngineName.CODEX})
        return catalogs.now().roles["implementer"].engine

    assert await asyncio.create_task(job()) is EngineName.CODEX
    assert catalogs.now().roles["implementer"].engine is EngineName.BUILTIN
