"""Codex: how it is called, and how its JSON lines read."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.domain.workflow.roles import TITLES, EngineName
from agents.minions.engines.cli.program import LONGEST, SERVER, Cli, Doing, End, Launch, json_line, words

_KEY = "OVERLORD_RUN"  # the variable that it finds its token in
_OFF = ("plugins", "apps", "unbounded_connection_retries", "multi_agent")


def command(launch: Launch) -> Sequence[str]:
    """Its own sandbox would only be one inside ours. Settings of the user and of the project are left out."""
    provider = (
        f'{{name="overlord",base_url="{launch.address}/v1",env_key="{_KEY}",wire_api="responses",'
        "request_max_retries=0,stream_max_retries=0,stream_idle_timeout_ms=300000}"
    )
    ours = {
        f"mcp_servers.{SERVER}.url": json.dumps(launch.tools),
        f"mcp_servers.{SERVER}.bearer_token_env_var": json.dumps(_KEY),
        f"mcp_servers.{SERVER}.tool_timeout_sec": str(int(launch.seconds)),
        f"mcp_servers.{SERVER}.startup_timeout_sec": "15",
    }
    settings = {
        "model_provider": "overlord",
        "model_providers.overlord": provider,
        "analytics.enabled": "false",
        "check_for_update_on_startup": "false",
        "project_doc_max_bytes": "0",
        "web_search": '"disabled"',
        "tools.web_search": "false",
        "history.persistence": '"none"',
        **(ours if launch.tools else {}),
    }
    return (
        *launch.program.argv,
        *("exec", "--json", "-m", launch.model, "--dangerously-bypass-approvals-and-sandbox"),
        *("--skip-git-repo-check", "--ephemeral", "--color", "never"),
        *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
        *(part for name in _OFF for part in ("--disable", name)),
        *launch.flags,
        "-",
    )


@dataclass(slots=True)
class CodexParser:
    """A turn that completed or failed is the end. An `error` on the way is none: it tries again by itself."""

    end: End = field(default_factory=End)
    last_error: str = ""

    def take(self, line: str) -> None:
        event = json_line(line)
        if event is None:
            return
        match event.get("type"):
            case "item.completed":
                self._item(event.get("item"))
            case "error":
                self.last_error = words(event.get("message"))
            case "turn.completed":
                self.end.over, self.end.problem = True, ""
            case "turn.failed":
                error = event.get("error")
                said = words(error.get("message")) if isinstance(error, dict) else ""
                self.end.over, self.end.problem = False, said or self.last_error or "the turn failed"

    def _item(self, item: object) -> None:
        if not isinstance(item, dict):
            return
        if item.get("type") == "agent_message":
            self.end.text = words(item.get("text"))[:LONGEST]
        elif item.get("type") in ("file_change", "command_execution") and item.get("status") == "declined":
            self.end.denied.append(words(item.get("type")))


CODEX = Cli(
    name=EngineName.CODEX,
    title=TITLES[EngineName.CODEX],
    command=command,
    environ=lambda launch: {_KEY: launch.token},
    home=lambda launch: {},
    parser=CodexParser,
    tools={
        "exec_command": Doing(verb="running", argument="cmd"),
        "shell": Doing(verb="running", argument="command"),
        "local_shell": Doing(verb="running", argument="command"),
        "apply_patch": Doing(verb="editing", argument="path", writes=True),
        "view_image": Doing(verb="looking at", argument="path"),
    },
    hidden=(".codex",),
)
