"""Finding programs of others: in the settings, in our layer, on the PATH; what of them is shown in a sandbox."""

import json
import platform
from pathlib import Path

import pytest

from agents.catalog.models import PROGRAMS, packaged_engines
from agents.domain.workflow.roles import EngineName
from agents.workspace.programs.finding import NoProgram, Programs


def program(path: Path, head: str = "\x7fELF", package: object = None) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(head)
    path.chmod(0o755)
    if package is not None:
        (path.parent / "package.json").write_text(json.dumps(package))
    return path


def programs(home: Path, search: Path, **paths: str) -> Programs:
    named = {EngineName(name): path for name, path in paths.items()}
    return Programs(home=home, known=packaged_engines(), paths=named, search=str(search))


def test_one_that_is_nowhere_says_how_to_get_it(tmp_path: Path) -> None:
    with pytest.raises(NoProgram, match="overlord engines install claude"):
        programs(tmp_path, tmp_path).find(EngineName.CLAUDE)
    with pytest.raises(NoProgram, match="engines: codex: path:"):
        programs(tmp_path, tmp_path, codex=str(tmp_path / "gone")).find(EngineName.CODEX)


@pytest.mark.parametrize("engine", [EngineName.CLAUDE, EngineName.CODEX])
def test_our_own_layer_goes_before_the_path(tmp_path: Path, engine: EngineName) -> None:
    known = packaged_engines()[engine]
    package = known.package(platform.machine())
    if package is None:
        pytest.skip(f"no package of {engine} for {platform.machine()}")
    program(tmp_path / "bin" / engine)
    found = programs(tmp_path / "home", tmp_path / "bin")
    layer = found.folder(engine) / "node_modules"
    mine = program(layer / package.name / known.program.replace("*", "some-system"))
    (layer / package.name / "package.json").write_text(json.dumps({"version": package.version}))
    made = found.find(engine)
    assert made.argv == (str(mine),) and made.readable == (layer,)
    assert made.version == package.version.partition("-linux")[0]


def test_one_on_the_path_is_followed_to_where_it_really_is(tmp_path: Path) -> None:
    real = program(tmp_path / "opt" / "claude-2" / "claude", package={"version": "2.9"})
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "claude").symlink_to(real)
    made = programs(tmp_path, tmp_path / "bin").find(EngineName.CLAUDE)
    assert made.argv == (str(real),) and made.readable == (real.parent,) and made.version == "2.9"


def test_what_stands_beside_a_program_and_did_not_come_with_it_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    compiled = program(tmp_path / "share" / "claude" / "versions" / "2.1.197")
    shared = program(tmp_path / "home" / "bin" / "claude", "#!/bin/sh\n")
    at_home = program(tmp_path / "home" / "claude.js", "#!/usr/bin/env node\n", package={"version": "1.2.3"})
    node = program(tmp_path / "home" / "bin" / "node")
    for path in (compiled, shared, at_home):
        made = programs(tmp_path, node.parent, claude=str(path)).find(EngineName.CLAUDE)
        assert made.readable == ((path, node) if path is at_home else (path,)), path
        assert made.version == ("2.1.197" if path is compiled else "of unknown version")


def test_a_script_is_run_by_node_and_all_packages_beside_it_are_shown(tmp_path: Path) -> None:
    script = program(tmp_path / "lib" / "node_modules" / "@x" / "codex" / "bin" / "codex.js", "#!/usr/bin/env node\n")
    node = program(tmp_path / "node-20" / "bin" / "node")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "codex").symlink_to(script)
    (tmp_path / "bin" / "node").symlink_to(node)
    made = programs(tmp_path, tmp_path / "bin").find(EngineName.CODEX)
    assert made.argv == (str(node), str(script))
    assert made.readable == (tmp_path / "lib" / "node_modules", tmp_path / "node-20")
    (tmp_path / "bin" / "node").unlink()
    with pytest.raises(NoProgram, match="Node"):
        programs(tmp_path, tmp_path / "bin").find(EngineName.CODEX)


def test_a_broken_package_has_no_version_and_is_found_all_the_same(tmp_path: Path) -> None:
    path = program(tmp_path / "x" / "gemini")
    (path.parent / "package.json").write_text("{")
    made = programs(tmp_path, tmp_path, gemini=str(path)).find(EngineName.GEMINI)
    assert made.version == "of unknown version"


def test_every_program_is_pinned_with_a_hash() -> None:
    for engine in PROGRAMS:
        known = packaged_engines()[engine]
        assert known.packages and known.keys and "/" in known.model
        assert all(package.integrity.startswith("sha512-") for package in known.packages.values())


def test_no_home_is_shown_to_a_sandbox_for_a_program_that_lies_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home" / "ana"
    monkeypatch.setenv("HOME", str(home))
    for place in (
        home / "claude",
        home / "bin" / "claude",
        home / ".local" / "bin" / "claude",
        tmp_path / "home" / "claude",
    ):
        path = program(place)
        assert programs(tmp_path, tmp_path, claude=str(path)).find(EngineName.CLAUDE).readable == (path,)
    script = program(home / "tools" / "gemini.js")
    for place in (home / "bin" / "node", home / ".local" / "bin" / "node"):
        node = program(place)
        made = programs(tmp_path, node.parent, gemini=str(script)).find(EngineName.GEMINI)
        assert made.readable == (script.parent, node)
