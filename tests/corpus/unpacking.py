"""Makes a repository of an archive, as its maintainers would have it: what only packing adds is taken away."""

import re
import shutil
import tarfile
from pathlib import Path

from tests.corpus.projects import Project
from tests.workspace.repositories import git

_EGG_INFO = re.compile(r"(?m)^\[egg_info\]\n(?:\w+ ?= ?.*\n)*\n?")  # that setuptools writes into setup.cfg


def unpack(project: Project, archive: Path, folder: Path) -> Path:
    """A repository with one commit on main, tagged with the version."""
    folder.mkdir(parents=True)
    with tarfile.open(archive) as packed:
        packed.extractall(folder / ".unpacked", filter="data")
    top = [path for path in (folder / ".unpacked").iterdir() if path.is_dir()]
    for entry in top[0].iterdir():
        entry.rename(folder / entry.name)
    shutil.rmtree(folder / ".unpacked")
    _take_away(project, folder)
    for path, text in project.planted.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "--all", "--force", ".")  # what was packed was committed, whatever .gitignore says
    git(folder, "commit", "-q", "-m", f"{project.package} {project.version}")
    git(folder, "tag", f"v{project.upstream}")
    return folder


def _take_away(project: Project, folder: Path) -> None:
    for path in (folder / "PKG-INFO", *(folder / name for name in project.generated)):
        path.unlink(missing_ok=True)
    for path in (*folder.glob("*.egg-info"), *folder.glob("src/*.egg-info"), folder / "debian"):
        shutil.rmtree(path, ignore_errors=True)
    settings = folder / "setup.cfg"
    if settings.is_file():
        left = _EGG_INFO.sub("", settings.read_text())
        settings.write_text(left) if left.strip() else settings.unlink()
