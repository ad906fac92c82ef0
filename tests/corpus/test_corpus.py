"""A sample of real projects goes from clone to merge; all of them do in `make bench ARGS="--only corpus"`."""

import shutil
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest

from tests.corpus.fetching import NotFetched, fetch, no_answer
from tests.corpus.projects import PROJECTS, Client
from tests.corpus.unpacking import unpack
from tests.corpus.walking import walk
from tests.workspace.repositories import git

SAMPLE = ("py-src", "node-4", "py-no-tests")


@pytest.mark.parametrize("place", SAMPLE)
async def test_a_real_project_goes_from_clone_to_merge_by_itself(place: str, tmp_path: Path) -> None:
    project = PROJECTS[place]
    if project.needs and shutil.which(project.needs) is None:
        pytest.skip(f"not run: {project.needs} is not on this machine")
    try:
        archive, _ = fetch(project)
    except NotFetched as why:
        pytest.skip(f"not run, for {project.package} is not to be had here: {why}")
    result = await walk(project, unpack(project, archive, tmp_path / project.name), tmp_path / "home")
    if not result.merged and "set up" not in result.seconds and (silent := no_answer(project.client)):
        pytest.skip(f"not run to its end, for its registry does not answer: {silent}")
    assert result.merged, result
    if project.tested:
        assert all("Exit code 0" in each for each in result.tried), result.tried
        assert result.baseline == "all checks pass"


def test_an_archive_becomes_a_repository_as_its_maintainers_have_it(tmp_path: Path) -> None:
    packed = tmp_path / "thing-1.0"
    files = {
        "PKG-INFO": "",
        "src/thing.egg-info/SOURCES.txt": "",
        "src/thing/_version.py": "1.0",
        "src/thing/__init__.py": "",
        "setup.cfg": "[metadata]\nname = thing\n\n[egg_info]\ntag_build = \ntag_date = 0\n\n",
        ".gitignore": "*.dat\n",
        "tests/a.dat": "1",
    }
    for path, text in files.items():
        (packed / path).parent.mkdir(parents=True, exist_ok=True)
        (packed / path).write_text(text)
    with tarfile.open(tmp_path / "thing.tar.gz", "w:gz") as archive:
        archive.add(packed, "thing-1.0")
    project = replace(PROJECTS["py-red"], version="1.0", generated=("src/thing/_version.py",))
    made = unpack(project, tmp_path / "thing.tar.gz", tmp_path / "made")
    kept = {".gitignore", "setup.cfg", "src/thing/__init__.py", "tests/a.dat", "tests/test_planted.py"}
    assert set(git(made, "ls-files").splitlines()) == kept, "ignored files that were packed had been committed"
    assert (made / "setup.cfg").read_text() == "[metadata]\nname = thing\n\n"
    assert git(made, "describe", "--tags") == "v1.0"


def test_another_archive_than_the_one_that_is_written_down_is_not_taken(tmp_path: Path) -> None:
    project = replace(PROJECTS["py-src"], client=Client.NPM, package=str(tmp_path / "own"), version="")
    (tmp_path / "own@").mkdir()
    (tmp_path / "own@" / "package.json").write_text('{"name": "own", "version": "1.0.0"}')
    with pytest.raises(NotFetched):
        fetch(project, tmp_path / "cache")
    assert not [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]


def test_there_are_as_many_as_were_promised() -> None:
    by_kind = {kind: sum(place.startswith(kind) for place in PROJECTS) for kind in ("py-", "node-", "go-", "rust-")}
    assert by_kind["py-"] >= 8 and by_kind["node-"] >= 4 and by_kind["go-"] >= 2 and by_kind["rust-"] >= 2
    assert len({project.sha256 for project in PROJECTS.values()}) == len(PROJECTS) >= 16
