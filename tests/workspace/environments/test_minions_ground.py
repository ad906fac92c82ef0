"""A minion's folder has what gates have: modules, generated and carried files; and none of it is committed."""

from pathlib import Path

from agents.domain.checks.evaluation import GateCommands
from agents.domain.project.environment import WrittenEnvironment
from agents.workspace.git.checkouts import GitCheckouts
from agents.workspace.sandbox.walls import MINION
from bot.running.workshop import Furnisher, Site
from tests.workspace.environments.rig import Wish, make

MAKE = "mkdir -p node_modules/small packages/one/node_modules && echo there > node_modules/small/x"


async def test_a_minion_finds_what_gates_find_and_nothing_of_it_is_committed(tmp_path: Path) -> None:
    written = WrittenEnvironment(
        setup=(MAKE, "echo built > src/a/_version.py"), carry=("local.env",), prepare=("echo p > prepared.txt",)
    )
    files = {
        "src/a/__init__.py": "",
        "package.json": "{}",
        "packages/one/package.json": "{}",
        "pyproject.toml": '[build-system]\nrequires = ["setuptools-scm"]\n[tool.setuptools_scm]\n'
        'write_to = "src/a/_version.py"\n',
        ".gitignore": "prepared.txt\n",
        "test_a.py": "",
    }
    rig = make(tmp_path, Wish(files=files, written=written, ignored={"local.env": "KEY=1\n"}))
    assert await rig.set_up() == ""
    checkouts = GitCheckouts({"shop": rig.user}, tmp_path / "state", lambda *of: furnish(*of))
    sites = {"shop": Site(path=rig.user, commands=GateCommands(type_check="mypy src"), environment=written)}
    furnish = Furnisher(sites=sites, checkouts=checkouts, grounds=rig.grounds)
    base = await checkouts.tip("shop", "HEAD")
    checkout = await checkouts.open("shop", "overlord/t-1", base)
    space = checkout.workspace
    async with rig.sandbox.open(space, MINION) as room:
        ran = await room.run(("cat", "node_modules/small/x", "src/a/_version.py", "local.env", "prepared.txt"))
        assert ran.output.split() == ["there", "built", "KEY=1", "p"]
        assert (await room.run(("sh", "-c", "echo y > node_modules/evil"))).exit_code != 0
        assert (await room.run(("sh", "-c", "echo work > done.txt"))).exit_code == 0
        left = (
            "mkdir -p .nyc_output coverage src/a/__pycache__; for each in .nyc_output/1 coverage/index.html .coverage"
        )
        assert (
            await room.run(("sh", "-c", f"{left}; do echo > $each; done; echo > src/a/__pycache__/a.pyc"))
        ).exit_code == 0
    assert await checkouts.unsaved_paths(checkout) == ["done.txt"], "what checks leave behind is no work"
    ways = dict(space.ways)
    assert ways["Tests"].endswith("-m pytest -q")
    assert ways["Type checker"] == "mypy src"
    assert ways["Python"]


async def test_a_minion_that_puts_a_link_where_modules_go_gains_nothing(tmp_path: Path) -> None:
    rig = make(tmp_path, Wish(files={"package.json": "{}", "a.py": ""}, written=WrittenEnvironment(setup=(MAKE,))))
    assert await rig.set_up() == ""
    checkouts = GitCheckouts({"shop": rig.user}, tmp_path / "state", lambda *of: furnish(*of))
    furnish = Furnisher(
        sites={"shop": Site(path=rig.user, commands=GateCommands())}, checkouts=checkouts, grounds=rig.grounds
    )
    base = await checkouts.tip("shop", "HEAD")
    space = (await checkouts.open("shop", "overlord/t-1", base)).workspace
    (space.path / "node_modules").rmdir()
    (tmp_path / "elsewhere").mkdir()
    (space.path / "node_modules").symlink_to(tmp_path / "elsewhere")
    space = (await checkouts.open("shop", "overlord/t-1", base)).workspace
    async with rig.sandbox.open(space, MINION) as room:
        assert (await room.run(("ls", "node_modules/"))).exit_code != 0
