"""The sample in a rehearsal: after a merge the next request starts from the first commit again."""

from pathlib import Path

from agents.domain.text.redact import Redactor
from agents.workspace.forge.local import Place
from agents.workspace.forge.sample import SampleForge
from tests.workspace import repositories as repos


def forge_of(folder: Path) -> SampleForge:
    places = {"sample": Place(repository=folder, commits=folder)}
    return SampleForge(places, None, Redactor(), lambda project, number: "")  # type: ignore[arg-type]


async def test_what_is_asked_for_after_a_merge_has_a_branch_of_its_own_at_the_first_commit(tmp_path: Path) -> None:
    folder = repos.somebodys(tmp_path / "sample", {"a": "1\n"})
    first = repos.git(folder, "rev-parse", "HEAD").strip()
    forge = forge_of(folder)
    assert await forge.base("sample") == repos.git(folder, "branch", "--show-current").strip()
    repos.write(folder, {"a": "2\n"})
    repos.git(folder, "commit", "-qam", "merged")
    assert [await forge.base("sample") for _ in range(2)] == ["rehearsal-2"] * 2, "until something is merged there"
    assert repos.git(folder, "rev-parse", "rehearsal-2").strip() == first
    repos.git(folder, "branch", "-f", "rehearsal-2", "HEAD")
    assert await forge.base("sample") == "rehearsal-3"
    assert (folder / "a").read_text() == "2\n" and not repos.git(folder, "status", "--porcelain").strip()
