"""`overlord doctor` and the start, about projects on GitHub: the token, what it may do, and what to do about it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from bot.cli.doctor import check_github
from bot.config.settings import Settings
from bot.config.settings_source import load_settings
from bot.doctor_check import Check, State
from tests.fakes.github import TOKEN, running_github
from tests.workspace import repositories as repos


def settings(tmp_path: Path, api_url: str, url: str, token: str = TOKEN) -> Settings:
    file = tmp_path / "overlord.yaml"
    file.write_text(f"projects:\n  - {{name: shop, url: {url}}}\n")
    environ = {"OVERLORD_HOME": str(tmp_path / "home"), "GITHUB_API_URL": api_url, "GITHUB_TOKEN": token}
    environ["OVERLORD_CONFIG"] = str(file)
    return load_settings(environ, cwd=tmp_path, user="operator")


class Doctor:
    """Asks the fake in a thread of its own, as the command does in its process."""

    def __init__(self, tmp_path: Path) -> None:
        self.place = tmp_path

    async def checks(self, repository: str = "acme/shop", token: str = TOKEN, **repo: bool) -> dict[str, Check]:
        async with running_github(self.place / "hub") as fake:
            made = fake.world.add("acme", "shop", repos.somebodys(self.place / "theirs"), fake.folder)
            for name, value in repo.items():
                setattr(made, name, value)
            url = f"{fake.web_url.replace('http:', 'https:')}/{repository}"
            given = settings(self.place, fake.api_url, url, token)
            return {check.name: check for check in await asyncio.to_thread(lambda: list(check_github(given)))}


@pytest.fixture
def doctor(tmp_path: Path) -> Iterator[Doctor]:
    yield Doctor(tmp_path)


async def test_a_token_that_may_do_all_is_well(doctor: Doctor) -> None:
    found = await doctor.checks()
    assert [check.state for check in found.values()] == [State.OK, State.OK]
    assert "overlord-bot" in found["github token"].seen and "branch main" in found["github of shop"].seen


async def test_a_token_that_github_refuses_is_told_with_what_to_do(doctor: Doctor) -> None:
    found = await doctor.checks(token="github_pat_wrong")
    assert list(found) == ["github token"]
    assert found["github token"].state is State.FAIL and "GITHUB_TOKEN" in found["github token"].next_step


async def test_a_repository_that_the_token_does_not_see(doctor: Doctor) -> None:
    found = (await doctor.checks(repository="acme/secret"))["github of shop"]
    assert found.state is State.FAIL and "acme/secret" in found.seen and "url" in found.next_step


async def test_a_token_that_may_only_read(doctor: Doctor) -> None:
    found = (await doctor.checks(may_push=False))["github of shop"]
    assert found.state is State.FAIL and "only read" in found.seen and "read and write" in found.next_step


def test_without_a_token_it_is_said_at_the_start_that_there_is_no_code(tmp_path: Path) -> None:
    given = settings(tmp_path, "https://api.github.com", "git@github.com:acme/shop.git", token="")
    assert not list(check_github(given))
    [warning] = given.warnings
    assert "no token for GitHub" in warning.what and "GITHUB_TOKEN" in warning.instead and "path" in warning.instead


def test_an_address_elsewhere_wants_a_folder(tmp_path: Path) -> None:
    given = settings(tmp_path, "https://api.github.com", "https://gitlab.com/acme/shop")
    [warning] = given.warnings
    assert "not on https://github.com" in warning.what and "path" in warning.instead
