"""The source distribution: it builds, says whose it is, installs beside its dependencies, and starts."""

import json
import os
import subprocess
import sys
import sysconfig
import tarfile
import urllib.request
from email import message_from_string
from email.message import Message
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("overlord-*.tar.gz"))


def test_it_says_what_it_is(sdist: Path) -> None:
    said = _metadata(sdist)
    assert said["Author"] == "The Overlord developers" and said["License-Expression"] == "Apache-2.0"
    assert said.get_payload() == (ROOT / "README.md").read_text()
    assert said.get_all("Project-URL") is None, "no address is promised that may not exist"
    assert f"\n## {said['Version']} " in (ROOT / "CHANGELOG.md").read_text()


def test_it_holds_what_a_newcomer_needs(sdist: Path) -> None:
    with tarfile.open(sdist) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    assert names >= {"README.md", "LICENSE", "SECURITY.md", "AGENTS.md", "Makefile", ".ci/setup", "docs/settings.md"}


def test_it_installs_into_a_fresh_venv_and_starts(sdist: Path, tmp_path: Path) -> None:
    """With the libraries of this venv, by a path: the packages `bot`, `agents`, `store` and `manifests` are its own."""
    home = tmp_path / "home"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv/bin/python"
    libraries = next((tmp_path / "venv/lib").glob("python*/site-packages"))
    (libraries / "libraries.pth").write_text(sysconfig.get_path("purelib"))
    uv = [str(Path(sys.executable).parent / "uv"), "pip", "install", "--offline", "--no-deps", "--no-build-isolation"]
    subprocess.run([*uv, "--python", str(python), str(sdist)], check=True, capture_output=True)
    up = subprocess.Popen(
        [python.parent / "overlord", "up", "--port", "0", "--home", str(home)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert up.stdout
        address = next(line.partition(": ")[2].strip() for line in up.stdout if line.startswith("Console:"))
        with urllib.request.urlopen(f"{address}/healthz", timeout=60) as reply:
            assert json.load(reply)["ok"] is True
        with urllib.request.urlopen(address, timeout=60) as page:
            assert "Overlord" in page.read().decode()
    finally:
        up.terminate()
        up.communicate(timeout=60)
    assert (libraries / "bot/app.py").is_file() and up.returncode == 0


def _metadata(sdist: Path) -> Message:
    with tarfile.open(sdist) as opened:
        told = opened.extractfile(f"{sdist.name.removesuffix('.tar.gz')}/PKG-INFO")
        assert told
        return message_from_string(told.read().decode())
