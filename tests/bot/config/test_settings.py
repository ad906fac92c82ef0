"""Settings: where each comes from, and everything that is wrong told at once."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from agents.catalog.library import load_catalog
from agents.domain.checks.evaluation import ExtraGate, GateCommands, OnFail, PackageCommands
from agents.domain.decisions.authority import ChannelPolicy, Group, OnTimeout, PlanPolicy
from agents.domain.errors import SettingsProblem
from agents.domain.limits import Limits
from bot.config.overlord import VARIABLES
from bot.config.settings import Settings
from bot.config.settings_source import BadSettings, load_settings
from bot.platforms.console import ConsoleSettings
from bot.platforms.discord import DiscordSettings
from bot.platforms.slack import SlackSettings


class Desk:
    """A folder with an overlord.yaml, and an environment around it that names the file once it is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home-of-user"
        self.home.mkdir()
        self.environ = {"HOME": str(self.home)}

    def write(self, text: str, name: str = "overlord.yaml") -> Path:
        path = self.folder / name
        path.write_text(text)
        if name == "overlord.yaml":
            self.environ["OVERLORD_CONFIG"] = str(path)
        return path

    def load(self, flags: Mapping[str, str] = MappingProxyType({}), /, **environ: str) -> Settings:
        return load_settings({**self.environ, **environ}, cwd=self.folder, flags=flags, user="ana")

    def problems(self, **environ: str) -> list[str]:
        with pytest.raises(SettingsProblem) as caught:
            self.load(**environ)
        assert isinstance(caught.value, BadSettings)
        told = [str(problem) for problem in caught.value.problems]
        assert all(line in str(caught.value) for line in told), "the message says all of them"
        return told


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def test_with_nothing_written_the_defaults_hold(desk: Desk) -> None:
    settings = desk.load()
    assert settings.home == desk.home / ".overlord"
    assert settings.database_url == f"sqlite:///{desk.home}/.overlord/overlord.db"
    console = settings.section(ConsoleSettings)
    assert (console.host, console.port, settings.http_port) == (
        "127.0.0.1",
        8765,
        8766,
    )
    assert (settings.sandbox, settings.log_level, settings.config) == ("auto", "info", None)
    assert settings.limits == Limits()
    assert settings.operators == {"cli:ana", "console:ana"}
    assert set(settings.groups.values()) == {frozenset()}
    assert settings.channels_on("console") == ("general",)
    assert not settings.section(SlackSettings).joins and not settings.section(DiscordSettings).joins
    assert settings.warnings == ()


def test_flags_beat_the_environment_which_beats_the_file(desk: Desk) -> None:
    desk.write("console: {port: 1000, host: localhost}\nhttp_port: 1001\nhome: from-file\n")
    assert desk.load().section(ConsoleSettings).port == 1000
    assert desk.load(OVERLORD_CONSOLE_PORT="2000").section(ConsoleSettings).port == 2000
    settings = desk.load({"--port": "3000"}, OVERLORD_CONSOLE_PORT="2000")
    console = settings.section(ConsoleSettings)
    assert (console.port, console.host, settings.http_port) == (
        3000,
        "localhost",
        1001,
    )


def test_a_relative_path_starts_at_the_file_or_where_one_stands(desk: Desk) -> None:
    (desk.folder / "etc").mkdir()
    (desk.folder / "etc" / "data").mkdir()
    path = desk.write("home: state\ndatabase_url: sqlite:///data/o.db\n", name="etc/overlord.yaml")
    settings = desk.load(OVERLORD_CONFIG=str(path))
    assert settings.home == desk.folder / "etc/state"
    assert settings.database_url == f"sqlite:///{desk.folder}/etc/data/o.db"
    assert desk.load(OVERLORD_HOME="elsewhere").home == desk.folder / "elsewhere"
    assert desk.load(OVERLORD_HOME="~/x").home == desk.home / "x"


def test_the_file_is_the_one_that_is_named_or_that_of_the_state_folder(desk: Desk) -> None:
    (desk.home / ".overlord").mkdir()
    at_home = desk.write("http_port: 1111", name="home-of-user/.overlord/overlord.yaml")
    assert desk.load().config == at_home
    here = desk.write("http_port: 2222")
    assert desk.load().config == here
    other = desk.write("http_port: 3333", name="other.yaml")
    assert desk.load({"--config": "other.yaml"}).config == other
    assert "There is no file" in desk.problems(OVERLORD_CONFIG="gone.yaml")[0]


def test_an_empty_variable_is_not_set(desk: Desk) -> None:
    settings = desk.load(SLACK_BOT_TOKEN="", OVERLORD_CONSOLE_PORT="", OVERLORD_CONFIG="")
    assert settings.section(SlackSettings).bot_token is None and settings.section(ConsoleSettings).port == 8765


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg"])
def test_postgresql_is_reached_through_psycopg(desk: Desk, scheme: str) -> None:
    settings = desk.load(OVERLORD_DATABASE_URL=f"{scheme}://u:hunter2secret@db/overlord")
    assert settings.database_url == "postgresql+psycopg://u:hunter2secret@db/overlord"
    assert settings.database == "PostgreSQL, db/overlord"
    assert "hunter2secret" not in repr(settings)
    assert "hunter2secret" in settings.secrets


@pytest.mark.parametrize("url", ["mysql://x", "sqlite://", "sqlite:///:memory:", "overlord.db", "sqlite:/x"])
def test_a_database_it_cannot_keep_things_in_is_refused(desk: Desk, url: str) -> None:
    assert desk.problems(OVERLORD_DATABASE_URL=url)[0].startswith("OVERLORD_DATABASE_URL: ")


def test_a_database_needs_its_folder(desk: Desk) -> None:
    told = desk.problems(OVERLORD_DATABASE_URL=f"sqlite:///{desk.folder}/none/o.db")
    assert told == [
        f"OVERLORD_DATABASE_URL: there is no folder {desk.folder}/none. Create it, or name a file in another folder."
    ]


def test_projects_channels_and_limits(desk: Desk) -> None:
    (desk.folder / "shop").mkdir()
    desk.write(
        "projects:\n"
        "  - {name: shop, path: shop, channel: console:shop}\n"
        "  - {name: api, url: 'git@example.com:team/api.git'}\n"
        "channels:\n"
        "  console:shop: {self_approval: false, on_timeout: deny}\n"
        "  slack:T1:C1: {project: api, plan: auto}\n"
        "limits: {reminder: 60}\n"
        "models: {primary: openai/gpt}\n"
    )
    settings = desk.load(OVERLORD_MODELS__CRITIC="anthropic/x", OVERLORD_LIMITS__CONFIRM="5")
    shop, api = settings.projects
    assert (shop.name, shop.path, shop.channel) == ("shop", desk.folder / "shop", "console:shop")
    assert (api.path, api.url) == (None, "git@example.com:team/api.git")
    assert settings.channels["console:shop"] == ChannelPolicy(
        project="shop", self_approval=False, on_timeout=OnTimeout.DENY
    )
    assert settings.channels["slack:T1:C1"] == ChannelPolicy(project="api", plan=PlanPolicy.AUTO)
    assert settings.limits == replace(Limits(), reminder=60, confirm=5)
    assert settings.channels_on("console") == ("general", "shop")
    assert (settings.models.primary.model, settings.models.critic.model) == ("openai/gpt", "anthropic/x")


def test_a_project_says_how_its_work_is_judged(desk: Desk) -> None:
    for folder in ("shop/web", "venvs/shop"):
        (desk.folder / folder).mkdir(parents=True)
    (desk.folder / "venvs/shop/pyvenv.cfg").touch()
    desk.write(
        "projects:\n"
        "  - name: shop\n"
        "    path: shop\n"
        "    gates:\n"
        "      tests: make test\n"
        "      lint: tidy {files}\n"
        "      environment: venvs/shop\n"
        "      extra:\n"
        "        - {name: types, command: mypy ., on_fail: block}\n"
        "        - {name: licences, command: reuse lint}\n"
        "  - name: api\n"
        "    path: shop\n"
        "    gates: {packages: {web/: {tests: npm run test:ci, lint: 'npm run lint -- {files}'}}}\n"
    )
    shop, api = desk.load().projects
    assert shop.gates == GateCommands(
        tests="make test",
        lint="tidy {files}",
        environment=str(desk.folder / "venvs/shop"),
        extra=(
            ExtraGate(name="types", command="mypy .", on_fail=OnFail.BLOCK),
            ExtraGate(name="licences", command="reuse lint", on_fail=OnFail.RETRY),
        ),
    )
    web = PackageCommands(tests="npm run test:ci", lint="npm run lint -- {files}")
    assert api.gates == GateCommands(packages={"web": web})


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{test: make test}", "gates.test: there is no such setting. Did you mean `tests`?"),
        ("{tests: ''}", "gates.tests: it is no command. Write one line"),
        ("{environment: nowhere}", "nowhere is no Python environment. Make it: python -m venv"),
        ("{extra: [{name: lint, command: x}]}", "`lint` is a gate that is there already. Choose another name."),
        ("{extra: [{name: a, command: x}, {name: a, command: y}]}", "two of its extra gates are named `a`"),
        ("{extra: [{name: a, comand: x, command: y}]}", "comand: there is no such setting. Did you mean `command`?"),
        ("{extra: [{name: a, command: x, on_fail: stop}]}", "on_fail"),
        ("{extra: [{name: a b, command: x}]}", "cannot be used as a name"),
        ("{packages: {web: {test: x}}}", "gates.packages.web.test: there is no such setting. Did you mean `tests`?"),
        ("{packages: {web: {tests: ''}}}", "gates.packages.web.tests: it is no command"),
        ("{packages: {web: {}}}", "the package `web` has no command. Write `tests:`"),
        ("{packages: {../web: {tests: x}}}", "`../web` is no folder of the project"),
        ("{packages: {nowhere: {tests: x}}}", "there is no folder nowhere in "),
        ("{tests: make test, packages: {web: {tests: x}}}", "that of the package `web` would never be run"),
        ("{packages: [web]}", "gates.packages"),
    ],
)
def test_gates_that_cannot_be_are_named(desk: Desk, written: str, told: str) -> None:
    (desk.folder / "shop/web").mkdir(parents=True)
    desk.write(f"projects: [{{name: shop, path: shop, gates: {written}}}]\n")
    [problem] = desk.problems()
    assert told in problem and "overlord.yaml line 1" in problem


def test_approvers_of_the_environment_are_added_to_those_of_the_file(desk: Desk) -> None:
    desk.write("groups: {approver: ['discord:3'], tech_lead: ['slack:T1:U9']}")
    settings = desk.load(OVERLORD_APPROVERS="slack:T1:U1, console:bo")
    assert settings.groups[Group.APPROVER] == {"discord:3", "slack:T1:U1", "console:bo"}
    assert settings.groups[Group.TECH_LEAD] == {"slack:T1:U9"}


def test_on_a_console_that_others_reach_only_the_command_line_is_the_operator(desk: Desk) -> None:
    settings = desk.load(OVERLORD_CONSOLE_HOST="0.0.0.0")
    assert settings.operators == {"cli:ana"}
    assert "OVERLORD_CONSOLE_HOST" in str(settings.warnings[0])


def test_everything_that_is_wrong_is_told_at_once(desk: Desk) -> None:
    (desk.folder / "shop").mkdir()
    desk.write(
        "consol: {}\n"
        "sandbox: chroot\n"
        "limits: {remindr: 5}\n"
        "groups: {approver: ['*'], leads: []}\n"
        "projects:\n"
        "  - {name: shop, path: shop}\n"
        "  - {name: shop, path: nowhere}\n"
        "channels:\n"
        "  console:a: {project: shpo, self_approval: no}\n"
        "  console:b: {project: shpo}\n"
        "  general: {}\n"
    )
    (desk.folder / "file").touch()
    told = desk.problems(OVERLORD_CONSOLE_PORT="70000", OVERLORD_HOME="file/home", SLACK_BOT_TOKEN="xoxb-1")
    wanted = {
        "line 1, consol:": "Did you mean `console`?",
        "line 2, sandbox:": "`bubblewrap`",
        "line 3, limits.remindr:": "Did you mean `reminder`?",
        "line 4, groups.approver[0]:": "List each account by its id.",
        "line 4, groups.leads:": "no such setting",
        "line 7, projects[1].name:": "two projects named `shop`",
        "line 7, projects[1].path:": "there is no folder",
        "line 9, channels.console:a.self_approval:": "Write true or false.",
        "line 11, channels.general:": "Write console:general.",
        "OVERLORD_CONSOLE_PORT:": "Write a number from 1 to 65535",
        "OVERLORD_HOME:": "is a file",
        "SLACK_BOT_TOKEN:": "SLACK_APP_TOKEN",
    }
    for name, words in wanted.items():
        assert [line for line in told if name in line and words in line], f"{name} … {words}\n" + "\n".join(told)
    assert len(told) == len(wanted)


def test_a_channel_names_a_project_that_is_there(desk: Desk) -> None:
    (desk.folder / "shop").mkdir()
    desk.write("projects: [{name: shop, path: shop}]\nchannels: {console:a: {project: shpo}}\n")
    [told] = desk.problems()
    assert "line 2, channels.console:a.project: there is no project `shpo`. Did you mean `shop`?" in told


@pytest.mark.parametrize(
    "url", ["ext::sh -c x", "--upload-pack=x", "https://u:pw@h/x", "http://h/x", "/tmp/x", "-x@h:y", "ssh://-x/y"]
)
def test_a_git_url_that_could_do_harm_is_refused(desk: Desk, url: str) -> None:
    desk.write(f"projects:\n  - name: x\n    url: '{url}'\n")
    [told] = desk.problems()
    assert "git may be given" in told and url not in told


def test_a_lease_that_two_could_hold_is_refused(desk: Desk) -> None:
    assert "provider_timeout + 10, which is 25" in desk.problems(OVERLORD_LIMITS__SEND_LEASE="25")[0]


def test_a_file_that_cannot_be_read_is_one_problem_among_others(desk: Desk) -> None:
    desk.write("a: 1\na: 2\n")
    told = desk.problems(OVERLORD_CONSOLE_PORT="x")
    assert len(told) == 2 and "line 2: `a` is there twice" in told[0]


def test_tokens_are_never_printed(desk: Desk) -> None:
    tokens = {
        "SLACK_BOT_TOKEN": "xoxb-canary-1",
        "SLACK_APP_TOKEN": "xapp-canary-2",
        "SLACK_SIGNING_SECRET": "canary-3-signing",
        "DISCORD_TOKEN": "canary-4-discord",
        "GITHUB_TOKEN": "canary-5-github",
        "OPENAI_API_KEY": "canary-6-openai",
    }
    settings = desk.load(**tokens)
    assert settings.section(SlackSettings).joins and settings.section(DiscordSettings).joins
    assert "canary" not in f"{settings} {settings!r} {settings.platforms} {settings.warnings}"
    assert settings.secrets >= set(tokens.values())
    desk.write("slack: {bot_token: [canary-7]}\ndiscord: {token: 88888888}\ndatabase_url: 'canary-9://x'\n")
    assert "canary" not in "".join(desk.problems()) and "8888" not in "".join(desk.problems())


def test_what_is_probably_not_meant_is_a_warning(desk: Desk) -> None:
    path = desk.write("discord: {token: abcdefgh}\ngroups: {approver: ['slack-group:T1:S1', 'discord-role:1:2']}\n")
    path.chmod(0o644)
    settings = desk.load(OVERLORD_CONSOL_PORT="1", SLACK_BOT_TOKEN="xapp-1", SLACK_APP_TOKEN="xoxb-1")
    told = "\n".join(str(warning) for warning in settings.warnings)
    assert "Did you mean `OVERLORD_CONSOLE_PORT`?" in told
    assert "SLACK_BOT_TOKEN: it does not begin with `xoxb-`" in told
    assert f"chmod 600 {path}" in told
    assert "lets nobody in" not in told, "both platforms are joined, and say who is in them"
    crowds = "\n".join(str(warning) for warning in desk.load(DISCORD_TOKEN="").warnings)
    assert "slack-group:T1:S1 lets nobody in, as Slack is not joined" in crowds


def test_contexts_roles_and_the_workflow_are_laid_over_those_that_come_with_the_program(desk: Desk) -> None:
    assert desk.load().declared is None, "and nothing of it is read at a start"
    desk.write(
        "contexts: {implementer_targeted: {token_budget: 20000}}\n"
        "roles: {careful: {extends: implementer, system_prompt_additions: Look twice.}}\n"
        "workflow: {steps: {implement: {role: careful}, review: {parallel: 2}}}\n"
    )
    catalog = load_catalog(desk.load().declared)
    assert catalog.roles["careful"].context.budget == catalog.roles["implementer"].context.budget == 20_000
    assert (catalog.workflow.implement.role, catalog.workflow.implement.max_retries) == ("careful", 2)
    assert catalog.workflow.review.parallel == 2


def test_a_project_and_a_channel_choose_a_workflow_that_is_there(desk: Desk) -> None:
    (desk.folder / "shop").mkdir()
    desk.write(
        "projects: [{name: shop, path: shop, workflow: mvp}]\n"
        "channels: {console:a: {workflow: careful}}\n"
        "workflows: {careful: {extends: default, steps: {review: {parallel: 2}}}}\n"
    )
    settings = desk.load()
    assert settings.projects[0].workflow == "mvp" and settings.channels["console:a"].workflow == "careful"
    path = desk.write(
        "projects:\n  - {name: shop, path: shop, workflow: mpv}\nchannels:\n  console:a: {workflow: _base}\n"
    )
    assert desk.problems() == [
        f"{path} line 2, projects[0].workflow: there is no workflow `mpv`. Did you mean `mvp`?",
        f"{path} line 4, channels.console:a.workflow: there is no workflow `_base`."
        " Known here: default, enterprise, mvp, open_source, security_critical, with_test_engineer.",
    ]


def test_what_is_wrong_with_them_is_told_with_its_line(desk: Desk) -> None:
    path = desk.write(
        "roles:\n"
        "  careful:\n"
        "    extends: reviewer\n"
        "    allowed_tools: [run_command]\n"
        "workflow:\n"
        "  steps:\n"
        "    implement: {role: reviewer}\n"
    )
    assert desk.problems() == [
        f"{path} line 4, roles.careful.allowed_tools: `run_command` is not among the tools of `reviewer`."
        " A role may have fewer than what it extends, never more.",
        f"{path} line 7, workflow.steps.implement.role: `reviewer` is no implementer."
        " Write implementer, or a role that extends it.",
    ]
    desk.write("workflow:\n  steps:\n    implement:\n      retries: 1\n")
    told = "there is no such setting. Did you mean `max_retries`?"
    assert desk.problems() == [f"{path} line 4, workflow.steps.implement.retries: {told}"]


def test_each_variable_is_in_the_list_of_settings() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs/settings.md").read_text()
    starts = {name.partition("__")[0] + "__" if "__" in name else name for name in VARIABLES}
    assert sorted(name for name in starts if name not in page) == []
