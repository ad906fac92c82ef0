"""`git:` in overlord.yaml: general, for one project, and everything that is wrong with it at once."""

from pathlib import Path

import pytest

from agents.domain.ids import Account
from agents.domain.work.git_names import PLAIN, GitManners
from bot.config.git_manners import manners_of
from bot.config.settings import Settings
from bot.config.settings_source import BadSettings, load_settings

ANA, TEAM = "Ana Lima <ana@example.com>", "Team <team@example.com>"


def load(folder: Path, written: str) -> Settings:
    (folder / "overlord.yaml").write_text(written)
    environ = {"OVERLORD_HOME": str(folder / "home"), "OVERLORD_CONFIG": str(folder / "overlord.yaml")}
    return load_settings(environ, cwd=folder, user="ana")


def test_without_a_word_it_is_as_it_always_was(tmp_path: Path) -> None:
    settings = load(tmp_path, "log_level: info\n")
    assert manners_of(settings.git) == PLAIN and settings.git.identity_of([Account("cli:ana")]) == ""


def test_the_seeds_own_lines_are_taken(tmp_path: Path) -> None:
    written = """
git:
  auto_branch: true
  branch_pattern: "ai/{task_id}-{description}"
  auto_commit: false
  dry_run_preview: true
"""
    assert manners_of(load(tmp_path, written).git) == PLAIN


def test_a_project_says_what_is_different_there(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    written = f"""
git:
  branch_pattern: bots/{{task_id}}-{{description}}
  author: {TEAM}
  co_author: true
  people: {{cli:ana: {ANA}}}
projects:
  - name: shop
    path: shop
    git: {{author: {ANA}, sign_off: true, commit_message: "{{title}} ({{task_id}})", dry_run_preview: false}}
"""
    settings = load(tmp_path, written)
    general = GitManners(branch_pattern="bots/{task_id}-{description}", author=TEAM, co_author=True)
    assert manners_of(settings.git) == general
    assert manners_of(settings.git, settings.projects[0].git) == GitManners(
        branch_pattern="bots/{task_id}-{description}",
        author=ANA,
        co_author=True,
        sign_off=True,
        commit_message="{title} ({task_id})",
        preview=False,
    )
    assert settings.git.identity_of([Account("slack:T1:U1"), Account("cli:ana")]) == ANA


def test_all_that_is_wrong_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "shop").mkdir()
    written = """git:
  auto_branch: false
  branch_pattern: "main"
  auto_commit: true
  commit_message: "done"
  author: ana
  people: {ana: Ana}
projects:
  - name: shop
    path: shop
    git: {branch_pattern: "-{task_id}", signoff: true}
"""
    with pytest.raises(BadSettings) as bad:
        load(tmp_path, written)
    told = {problem.name.partition(" line ")[2]: f"{problem.what}. {problem.instead}" for problem in bad.value.problems}
    wanted = {
        "2, git.auto_branch": "work is always on a branch of its own. Remove it, or write true.",
        "3, git.branch_pattern": "`main` names no branches: it needs {task_id}",
        "4, git.auto_commit": "only when its checks passed. Remove it, or write false.",
        "5, git.commit_message": "`done` words no commits: it needs {title}. Write one such as `{task_id}: {title}`.",
        "6, git.author": "`ana` is not what git takes for a person. Write `Ana Lima <ana@example.com>`.",
        "11, projects[0].git.branch_pattern": "only letters, digits",
        "11, projects[0].git.signoff": "Did you mean `sign_off`?",
    }
    missing = {place: words for place, words in wanted.items() if words not in told.get(place, "")}
    assert not missing, told
    assert any("git.people" in problem.name for problem in bad.value.problems)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("git: {sign_off: true}\n", "git.sign_off: nobody is named who signs off. Add `author:"),
        ("git: {co_author: true}\n", "git.co_author: nobody's address is known"),
        (
            "git: {}\nprojects:\n  - {name: shop, path: ., git: {sign_off: true}}\n",
            "projects[0].git.sign_off: nobody is named",
        ),
    ],
)
def test_what_contradicts_itself_is_told(tmp_path: Path, written: str, told: str) -> None:
    with pytest.raises(BadSettings, match="line") as bad:
        load(tmp_path, written)
    assert told in str(bad.value)
