"""Installing programs of others, with an npm that a script plays: what is refused, and that nothing is left behind."""

import json
import os
import platform
from pathlib import Path

import pytest

from agents.catalog.models import packaged_engines
from agents.domain.workflow.roles import EngineName
from agents.workspace.programs.finding import Programs
from agents.workspace.programs.installing import NotInstalled, install

KNOWN = packaged_engines()[EngineName.CLAUDE]
PACKAGE = KNOWN.package(platform.machine())

NPM = """#!/bin/sh
echo "$@" >> "$LOG"
while [ "$1" != "--prefix" ]; do shift; done
mkdir -p "$2/node_modules/{name}"
printf 'binary' > "$2/node_modules/{name}/claude"
printf '%s' '{lock}' > "$2/node_modules/.package-lock.json"
{more}
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    monkeypatch.setenv("LOG", str(tmp_path / "log"))
    return tmp_path


def npm(place: Path, *, integrity: str, beside: bool = False, more: str = "") -> None:
    assert PACKAGE is not None
    packages = {f"node_modules/{PACKAGE.name}": {"integrity": integrity}}
    if beside:
        packages["node_modules/left-pad"] = {"integrity": "sha512-x"}
    text = NPM.format(name=PACKAGE.name, lock=json.dumps({"packages": packages}), more=more)
    (place / "bin" / "npm").write_text(text)
    (place / "bin" / "npm").chmod(0o755)


needs_package = pytest.mark.skipif(PACKAGE is None, reason=f"no package for {platform.machine()}")


@needs_package
async def test_what_is_pinned_is_installed_without_running_its_scripts(place: Path) -> None:
    assert PACKAGE is not None
    npm(place, integrity=PACKAGE.integrity)
    found = Programs(home=place, known={EngineName.CLAUDE: KNOWN})
    path = await install(found, EngineName.CLAUDE)
    assert path.read_text() == "binary" and os.access(path, os.X_OK)
    assert found.find(EngineName.CLAUDE).argv == (str(path),)
    said = (place / "log").read_text()
    assert "--ignore-scripts" in said and f"{PACKAGE.name}@{PACKAGE.version}" in said


@needs_package
@pytest.mark.parametrize("beside", [False, True])
async def test_another_content_or_company_is_refused_and_nothing_is_left(place: Path, beside: bool) -> None:
    assert PACKAGE is not None
    npm(place, integrity=PACKAGE.integrity if beside else "sha512-other", beside=beside)
    found = Programs(home=place, known={EngineName.CLAUDE: KNOWN}, search=str(place / "none"))
    with pytest.raises(NotInstalled, match="not what was tried"):
        await install(found, EngineName.CLAUDE)
    assert not [*(place / "engines" / "claude").iterdir()]


@needs_package
async def test_npms_own_error_is_told(place: Path) -> None:
    npm(place, integrity="", more='echo "npm error code E404" >&2; exit 1')
    with pytest.raises(NotInstalled, match="E404"):
        await install(Programs(home=place, known={EngineName.CLAUDE: KNOWN}), EngineName.CLAUDE)
