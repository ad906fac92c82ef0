"""Gemini CLI: how it is called, and how its stream of events reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agents.domain.workflow.roles import TITLES, EngineName
from agents.minions.engines.cli.program import LONGEST, SERVER, Cli, Doing, End, Launch, json_line, words

NOTHING = "overlord-reads-no-such-file.md"
_NEVER = ("google_web_search", "web_fetch", "save_memory", "enter_plan_mode", "invoke_agent")
_WRITES = ("write_file", "replace")


def command(launch: Launch) -> Sequence[str]:
    return (
        *launch.program.argv,
        *("-o", "stream-json", "-m", launch.model, "--approval-mode", "yolo", "--skip-trust"),
        *launch.flags,
    )


def home(launch: Launch) -> Mapping[str, str]:
    """Its settings; it takes most of them from a file alone."""
    server = {
        "httpUrl": launch.tools,
        "headers": {"Authorization": f"Bearer {launch.token}"},
        "timeout": int(launch.seconds * 1000),
        "trust": True,
    }
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
        "general": {
            "maxAttempts": 1,
            "retryFetchErrors": False,
            "enableAutoUpdate": False,
            "enableAutoUpdateNotification": False,
            "checkpointing": {"enabled": False},
        },
        "model": {"maxSessionTurns": launch.turns},
        "advanced": {"ignoreLocalEnv": True},
        "context": {"fileName": NOTHING},
        "tools": {"exclude": [*_NEVER, *([] if launch.tools else _WRITES)]},
        "mcpServers": {SERVER: server} if launch.tools else {},
    }
    return {".gemini/settings.json": json.dumps(settings)}


@dataclass(slots=True)
class GeminiParser:
    """One of success may be a fragment: that the answer came to its end is known to the gateway alone."""

    end: End = field(default_factory=End)
    _fresh: bool = True

    def take(self, line: str) -> None:
        event = json_line(line)
        if event is None:
            return
        match event.get("type"):
            case "message" if event.get("role") == "assistant":
                said = words(event.get("content"))
                self.end.text = (said if self._fresh else self.end.text + said)[-LONGEST:]
                self._fresh = event.get("delta") is not True
            case "tool_use" | "tool_result":
                self._fresh = True
            case "error":
                self.end.problem = words(event.get("message")) or self.end.problem
            case "result":
                self._result(event)

    def _result(self, event: Mapping[str, object]) -> None:
        self.end.over = event.get("status") == "success"
        error = event.get("error")
        said = words(error.get("message")) if isinstance(error, dict) else ""
        self.end.problem = "" if self.end.over else said or self.end.problem or words(event.get("status"))


GEMINI = Cli(
    name=EngineName.GEMINI,
    title=TITLES[EngineName.GEMINI],
    command=command,
    environ=lambda launch: {"GEMINI_API_KEY": launch.token, "GOOGLE_GEMINI_BASE_URL": launch.address},
    home=home,
    parser=GeminiParser,
    tools={
        "read_file": Doing(verb="reading", argument="file_path"),
        "write_file": Doing(verb="writing", argument="file_path", writes=True),
        "replace": Doing(verb="editing", argument="file_path", writes=True),
        "run_shell_command": Doing(verb="running", argument="command"),
        "glob": Doing(verb="looking for", argument="pattern"),
        "grep_search": Doing(verb="searching for", argument="pattern"),
        "list_directory": Doing(verb="looking at", argument="dir_path"),
    },
    hidden=(".gemini",),
)
