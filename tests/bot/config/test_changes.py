"""Projects, people and models that are named while the program may run: into the file in force, or not at all."""

from pathlib import Path

import pytest

from agents.domain.errors import OverlordError
from bot.config.changes import AddMember, AddProject, Change, RemoveMember, RemoveProject, SetModel, change_settings
from bot.config.settings_source import SettingsSource
from bot.config.state_folder import accept, find_settings, read_settings
from tests.workspace import repositories as repos


def source_of(tmp_path: Path, **environ: str) -> SettingsSource:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True, mode=0o700)
    fixed = {"HOME": str(tmp_path), "OVERLORD_HOME": str(home), **environ}
    return SettingsSource(environ=fixed, cwd=tmp_path, user="ana")


def test_where_there_is_no_file_it_is_written_into_the_state_folder_for_its_owner_alone(tmp_path: Path) -> None:
    shop = repos.somebodys(tmp_path / "shop", {"a": "1\n"})
    source = source_of(tmp_path)
    made = change_settings(source, AddProject(project="shop", place=str(shop), channel="console:shop"))
    assert made.differs and made.path == tmp_path / "home" / "overlord.yaml"
    assert made.path.stat().st_mode & 0o077 == 0
    assert [(each.name, each.path) for each in source.load().projects] == [("shop", shop)]
    assert source.load().channels["console:shop"].project == "shop"
    again = change_settings(source, AddProject(project="shop", place=str(shop), channel="console:shop"))
    assert not again.differs, "asked for twice it is there once"
    change_settings(source, RemoveProject(project="shop"))
    assert source.load().projects == ()


def test_the_file_in_force_is_changed_and_stays_a_persons_own(tmp_path: Path) -> None:
    written = "# ours\nlog_level: debug   # for a while\n"
    (tmp_path / "mine.yaml").write_text(written)
    source = source_of(tmp_path, OVERLORD_CONFIG=str(tmp_path / "mine.yaml"))
    change_settings(source, AddMember(group="approver", account="console:ana"))
    change_settings(source, SetModel(role="primary", model="gpt-4o"))
    text = (tmp_path / "mine.yaml").read_text()
    assert text.startswith(written) and "approver:\n    - console:ana\n" in text and "  primary: gpt-4o\n" in text
    change_settings(source, RemoveMember(group="approver", account="console:ana"))
    change_settings(source, SetModel(role="primary"))
    assert (tmp_path / "mine.yaml").read_text().strip() == written.strip()
    assert not (tmp_path / "home" / "overlord.yaml").exists()


def test_a_file_that_was_accepted_is_accepted_as_it_is_now(tmp_path: Path) -> None:
    source = source_of(tmp_path)
    (tmp_path / "overlord.yaml").write_text("log_level: debug\n")
    accept(read_settings(tmp_path / "overlord.yaml"), tmp_path / "home")
    change_settings(source, AddMember(group="admin", account="console:ana"))
    assert find_settings(tmp_path, tmp_path / "home").found is not None, "what we wrote for its operator is theirs"
    (tmp_path / "overlord.yaml").write_text("log_level: info\n")
    assert find_settings(tmp_path, tmp_path / "home").found is None, "what somebody else wrote is not"


def test_a_file_that_may_not_be_written_is_left_and_the_lines_are_told(tmp_path: Path) -> None:
    folder = tmp_path / "closed"
    (folder / ".overlord.yaml.new").mkdir(parents=True)  # nobody can write there, not even root
    (folder / "overlord.yaml").write_text("log_level: debug\n")
    source = source_of(tmp_path, OVERLORD_CONFIG=str(folder / "overlord.yaml"))
    with pytest.raises(OverlordError) as caught:
        change_settings(source, AddMember(group="admin", account="console:ana"))
    assert "cannot be written" in caught.value.what
    assert "groups:\n  admin:\n    - console:ana" in caught.value.next_step
    assert (folder / "overlord.yaml").read_text() == "log_level: debug\n"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (AddProject(project="x", place="/nowhere/at/all"), "There is no folder /nowhere/at/all"),
        (AddProject(project="x", place="src/x"), "There is no folder src/x"),
        (AddProject(project="BAD NAME", place="https://github.com/o/r"), "BAD NAME"),
        (AddProject(project="x", place="https://u:p@github.com/o/r"), "with no password in it"),
        (RemoveProject(project="x"), "There is no project x"),
        (AddMember(group="approver", account="*"), "would let in people nobody named"),
        (AddMember(group="approver", account="ana"), "is not an account"),
        (AddMember(group="owner", account="console:ana"), "There is no group owner"),
        (RemoveMember(group="approver", account="console:ana"), "is not in the group approver"),
        (SetModel(role="boss", model="x"), "There is no model for boss"),
    ],
)
def test_what_makes_no_sense_changes_nothing(tmp_path: Path, change: Change, told: str) -> None:
    with pytest.raises(OverlordError) as caught:
        change_settings(source_of(tmp_path), change)
    assert told in str(caught.value)
    assert not (tmp_path / "home" / "overlord.yaml").exists()


def test_a_folder_without_a_repository_is_no_project(tmp_path: Path) -> None:
    with pytest.raises(OverlordError, match="is no git repository"):
        change_settings(source_of(tmp_path), AddProject(project="x", place=str(tmp_path)))


def test_a_name_is_given_once(tmp_path: Path) -> None:
    one, two = (repos.somebodys(tmp_path / name, {"a": "1\n"}) for name in ("one", "two"))
    source = source_of(tmp_path)
    change_settings(source, AddProject(project="shop", place=str(one)))
    with pytest.raises(OverlordError, match="There is a project shop already"):
        change_settings(source, AddProject(project="shop", place=str(two)))


def test_what_the_environment_overrules_is_refused(tmp_path: Path) -> None:
    source = source_of(tmp_path, OVERLORD_MODELS__PRIMARY="gpt-4o")
    with pytest.raises(OverlordError, match="OVERLORD_MODELS__PRIMARY is set in the environment"):
        change_settings(source, SetModel(role="primary", model="claude"))
