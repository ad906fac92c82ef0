"""Claude Code: how it is called, and how its stream of events reads."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from agents.domain.workflow.roles import TITLES, EngineName
from agents.minions.engines.cli.program import LONGEST, SERVER, Cli, Doing, End, Launch, json_line, words

_TOOLS = "Read,Edit,Write,Bash,Glob,Grep"
_READS = "Read,Bash,Glob,Grep"


def command(launch: Launch) -> Sequence[str]:
    """Permissions are the sandbox's. `--bare`: no hooks, plugins, memory and CLAUDE.md, whatever the project has;
    its settings are read all the same, but for the sources."""
    server = {
        "type": "http",
        "url": launch.tools,
        "headers": {"Authorization": f"Bearer {launch.token}"},
        "timeout": int(launch.seconds * 1000),
    }
    servers = {SERVER: server} if launch.tools else {}
    return (
        *launch.program.argv,
        "-p",
        *("--bare", "--setting-sources", "user"),
        *("--output-format", "stream-json", "--verbose"),
        *("--model", launch.model, "--max-turns", str(launch.turns)),
        *("--tools", _TOOLS if launch.tools else _READS, "--dangerously-skip-permissions", "--no-session-persistence"),
        *("--strict-mcp-config", "--mcp-config", json.dumps({"mcpServers": servers})),
        *launch.flags,
    )


def environ(launch: Launch) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": launch.address,
        "ANTHROPIC_API_KEY": launch.token,
        "ANTHROPIC_SMALL_FAST_MODEL": launch.model,
        "ANTHROPIC_DEFAULT_HAIKU_MODEL": launch.model,
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
        "API_TIMEOUT_MS": "300000",
        "MCP_TOOL_TIMEOUT": str(int(launch.seconds * 1000)),
        "MCP_TIMEOUT": "15000",
    }


@dataclass(slots=True)
class ClaudeParser:
    """The last event is the result; one of success may say in a field of its own that it is none."""

    end: End = field(default_factory=End)

    def take(self, line: str) -> None:
        event = json_line(line)
        if event is None:
            return
        if event.get("type") == "assistant":
            message = event.get("message")
            for block in (message.get("content") if isinstance(message, dict) else None) or ():
                if isinstance(block, dict) and block.get("type") == "text":
                    self.end.text = words(block.get("text"))[:LONGEST]
        elif event.get("type") == "result":
            self._result(event)

    def _result(self, event: Mapping[str, object]) -> None:
        text, errors = words(event.get("result")), event.get("errors")
        said = "; ".join(words(each) for each in errors) if isinstance(errors, list) else ""
        wrong = event.get("is_error") is True or event.get("subtype") != "success"
        self.end.text = text[:LONGEST] or self.end.text
        self.end.over = not wrong
        self.end.problem = (said or text or words(event.get("subtype"))) if wrong else ""
        status = event.get("api_error_status")
        self.end.status = status if isinstance(status, int) and wrong else None
        denials = event.get("permission_denials")
        self.end.denied = [
            words(each.get("tool_name"))
            for each in (denials if isinstance(denials, list) else ())
            if isinstance(each, dict)
        ]


CLAUDE = Cli(
    name=EngineName.CLAUDE,
    title=TITLES[EngineName.CLAUDE],
    command=command,
    environ=environ,
    home=lambda launch: {},
    parser=ClaudeParser,
    tools={
        "Read": Doing(verb="reading", argument="file_path"),
        "Edit": Doing(verb="editing", argument="file_path", writes=True),
        "Write": Doing(verb="writing", argument="file_path", writes=True),
        "Bash": Doing(verb="running", argument="command"),
        "Glob": Doing(verb="looking for", argument="pattern"),
        "Grep": Doing(verb="searching for", argument="pattern"),
    },
    hidden=(".claude", ".mcp"),
)
