"""Files from which a model may propose a set-up, where code finds nothing."""

from pathlib import Path

import pytest

from agents.domain.project.environment import WrittenEnvironment
from agents.workspace.environments.clues import EACH_MOST, find_clues
from tests.workspace.environments.rig import Wish, make
from tests.workspace.environments.test_finding import tree

CI = ".github/workflows/ci.yml"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({"Makefile": "setup:\n\tpip install x\n", CI: "run: make setup"}, ["Makefile", CI]),
        ({"Makefile": "test:\n\ttrue\n", "a.py": ""}, ["Makefile"]),
        ({"Makefile": "test:\n\ttrue\n", "pyproject.toml": ""}, []),
        ({"tox.ini": "[testenv]\ndeps = pytest\n", "pyproject.toml": ""}, ["tox.ini"]),
        ({"tox.ini": "[flake8]\nmax-line-length = 100\n", "setup.py": ""}, []),
        ({"noxfile.py": "def tests(session):\n    session.install('pytest')\n"}, ["noxfile.py"]),
        ({".devcontainer/devcontainer.json": "{}"}, [".devcontainer/devcontainer.json"]),
        ({".tool-versions": "ruby 3.3\n", "Gemfile": ""}, [".tool-versions", "Gemfile"]),
        ({CI: "run: bundle install"}, [CI]),
        ({CI: "run: npm test", "package.json": "{}"}, []),
        ({"README.md": "make setup"}, []),
    ],
)
def test_what_seems_to_say_how_a_project_is_set_up(files: dict[str, str], found: list[str]) -> None:
    assert list(find_clues(tree(files))) == found


def test_a_long_file_is_shown_in_part() -> None:
    assert len(find_clues(tree({"Makefile": "setup:\n" + "\ttrue\n" * 10_000}))["Makefile"]) == EACH_MOST


async def test_proposed_commands_hold_only_where_nothing_was_found_or_written(tmp_path: Path) -> None:
    files = {"Makefile": 'setup:\n\techo made > "$(LAYER)/venv-note"\n'}
    rig = make(tmp_path, Wish(files=files))
    before = await rig.grounds.find("shop", rig.commit)
    assert before.ready and list(before.clues) == ["Makefile"]
    proposed = ("make setup",)
    ground = await rig.grounds.find("shop", rig.commit, proposed)
    assert not ground.ready and ground.environment.setup == proposed
    assert ground.environment.proposed == ("Makefile",) and not ground.environment.written
    ended = await rig.grounds.set_up("shop", rig.commit, proposed=proposed)
    assert ended.problem == "" and (await rig.grounds.find("shop", rig.commit, proposed)).ready
    assert (await rig.grounds.set_up("shop", rig.commit)).key == "", "without the proposal there is nothing to run"
    own = make(tmp_path / "own", Wish(files=files, written=WrittenEnvironment(setup=("true",))))
    found = await own.grounds.find("shop", own.commit, proposed)
    assert found.environment.setup == ("true",) and not found.clues
