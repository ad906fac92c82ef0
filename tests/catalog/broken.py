"""Broken settings, skills and specialists, and what is said about each of them.

`python -m tests.catalog.broken` writes the messages to broken_messages.txt; review the difference before you commit it:
a message may change, but it must not say less.
"""

import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from agents.catalog.policies import load_specialists
from agents.catalog.skills import read_skills
from bot.config.settings_source import BadSettings, load_settings
from manifests import packaged_path

GOLDEN = Path(__file__).with_name("broken_messages.txt")
SKILL = "name: tidy\ndescription: Keeps it tidy.\nversion: '1.0'\ninstructions: Tidy up.\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    name: str
    file: str = ""  # the content of overlord.yaml, of a skill or of the list of specialists
    environ: Mapping[str, str] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    kind: str = "settings"
    mode: int = 0o600


def settings(name: str, file: str = "", mode: int = 0o600, /, **environ: str) -> Broken:
    return Broken(name=name, file=file, environ=environ, mode=mode)


def skill(name: str, file: str) -> Broken:
    return Broken(name=name, file=file, kind="skill")


def specialists(name: str, file: str) -> Broken:
    return Broken(name=name, file=file, kind="specialists")


BROKEN = (
    # YAML itself
    settings("yaml: tab", "console:\n\tport: 1\n"),
    settings("yaml: unclosed quote", "home: 'state\nhttp_port: 1\n"),
    settings("yaml: unclosed list", "approvers: [cli:ana\nhttp_port: 1\n"),
    settings("yaml: wrong indentation", "console:\n  port: 1\n   host: x\n"),
    settings("yaml: the same name twice", "http_port: 1\nhome: state\nhttp_port: 2\n"),
    settings("yaml: the same name twice, nested", "console:\n  port: 1\n  port: 2\n"),
    settings("yaml: alias", "console: &c {port: 1}\nslack: *c\n"),
    settings("yaml: tag", "home: !!python/object:os.system x\n"),
    settings("yaml: list at the top", "- console\n- slack\n"),
    settings("yaml: text at the top", "overlord\n"),
    settings("yaml: two documents", "home: a\n---\nhome: b\n"),
    settings("yaml: a number as a name", "1: a\n"),
    settings("yaml: a list as a name", "? [a, b]\n: c\n"),
    settings("yaml: a version that loses its zero", "home: 1.10\n"),
    settings("yaml: too large", "home: " + "x" * 262_144 + "\n"),
    settings("yaml: too deep", "home: " + "[" * 60 + "]" * 60 + "\n"),
    settings("yaml: not a file", OVERLORD_CONFIG="gone.yaml"),
    settings("yaml: broken, and a bad variable", "a: 1\na: 2\n", OVERLORD_CONSOLE_PORT="x"),
    # Names
    settings("unknown: near miss at the top", "consol: {}\n"),
    settings("unknown: near miss in a section", "console:\n  prot: 8765\n"),
    settings("unknown: nothing is near, few names", "discord: {zzz: 1}\n"),
    settings("unknown: nothing is near, many names", "zzz: 1\n"),
    settings("unknown: near miss of a limit", "limits: {remindr: 5}\n"),
    settings("number: retention of no days", "retention: {archived: 0}\n"),
    settings("unknown: a group", "groups: {leads: ['cli:ana']}\n"),
    settings("unknown: the owner is no written group", "groups: {owner: ['cli:ana']}\n"),
    # Types and nesting
    settings("type: text for a section", "console: yes\n"),
    settings("type: nothing for a section", "console:\nslack:\n"),
    settings("type: a list for a section", "console: [port, host]\n"),
    settings("type: a section for text", "home: {path: state}\n"),
    settings("type: a number for text", "home: 5\n"),
    settings("type: nothing for text", "home:\n"),
    settings("type: true for text", "http_host: true\n"),
    settings("type: text for a list", "projects: shop\n"),
    settings("type: a mapping for a list", "projects: {shop: {path: shop}}\n"),
    settings("type: a list inside a list", "approvers: [['cli:ana']]\n"),
    settings("type: text in a list of sections", "projects: [shop]\n"),
    settings("type: not true or false", "channels: {'console:a': {self_approval: no}}\n"),
    settings("environment: not a list", "projects: [{name: a, path: ., environment: {setup: make setup}}]\n"),
    settings("environment: unknown name", "projects: [{name: a, path: ., environment: {set_up: []}}]\n"),
    settings("environment: two lines", "projects: [{name: a, path: ., environment: {setup: ['a\\nb', '']}}]\n"),
    settings(
        "environment: odd variables", "projects: [{name: a, path: ., environment: {variables: {PATH: x, 1A: y}}}]\n"
    ),
    settings("environment: carry climbs", "projects: [{name: a, path: ., environment: {carry: [../../etc/passwd]}}]\n"),
    settings(
        "environment: twins",
        "projects: [{name: a, path: ., environment: {services: [{name: db, command: x}, {name: db, command: y}]}}]\n",
    ),
    settings(
        "environment: a secret that minions would see",
        "projects: [{name: a, path: ., environment: {variables: {KEY: x}, secrets: [KEY]}}]\n",
    ),
    settings(
        "environment: a secret that is not set",
        "projects: [{name: a, path: ., environment: {secrets: [SHOP_INDEX]}}]\n",
    ),
    settings("type: one level too high", "port: 8765\nbot_token: xoxb-1\n"),
    settings("type: variable below a section that is text", "console: 5\n", OVERLORD_CONSOLE_PORT="1"),
    # Values
    settings("value: not one of the sandboxes", "sandbox: chroot\n"),
    settings("value: not one of the levels", OVERLORD_LOG_LEVEL="loud"),
    settings("value: nothing for a choice", "sandbox:\n"),
    settings("value: a list for a choice", "sandbox: [docker]\n"),
    settings("value: port too large", "http_port: 70000\n"),
    settings("value: port below zero", "http_port: -1\n"),
    settings("value: port is text", OVERLORD_CONSOLE_PORT="eighty"),
    settings("value: port is true", "console: {port: true}\n"),
    settings("value: address without a scheme", "public_url: overlord.example.org\n"),
    settings("value: address of another kind", "slack: {api_url: 'ftp://slack.com'}\n"),
    settings("value: proxy is a name", "console: {proxies: [proxy.local, 10.0.0.0/33]}\n"),
    settings("value: label with a comma", "github: {label: 'a,b'}\n"),
    settings("value: database of another kind", "database_url: mysql://x\n"),
    settings("value: database in memory", OVERLORD_DATABASE_URL="sqlite:///:memory:"),
    settings("value: database in no folder", "database_url: sqlite:///none/o.db\n"),
    settings("value: home below a file", "home: overlord.yaml/state\n"),
    Broken(name="value: flag with a bad port", flags={"--port": "many"}),
    # Numbers
    settings("number: too small", "limits: {provider_timeout: 0}\n"),
    settings("number: too large", "limits: {minions: 1000}\n"),
    settings("number: not whole", "limits: {job_recoveries: 2.5}\n"),
    settings("number: text", "limits: {reminder: soon}\n"),
    settings("number: true", "limits: {reminder: true}\n"),
    settings("number: a list", "limits: {reminder: [1]}\n"),
    settings("number: empty", "limits: {reminder: }\n"),
    settings("number: not a number", OVERLORD_LIMITS__REMINDER="nan"),
    settings("number: too large for a float", OVERLORD_LIMITS__REMINDER="9" * 309),
    settings("number: days", "retention: {messages: 0, turns: 1.5, branches: true}\n"),
    settings("number: dollars", "budgets: {task: -1, day: lots, channel: false}\n"),
    settings("number: dollars in a variable", OVERLORD_BUDGETS__TASK="free"),
    settings("number: lease shorter than the time-out", OVERLORD_LIMITS__SEND_LEASE="25"),
    settings("number: several that do not fit", "limits: {settle: 20, job_lease: 20}\nretention: {deliveries: 1}\n"),
    # People
    settings("account: a name", OVERLORD_APPROVERS="ana"),
    settings("account: a pattern", "groups: {approver: ['*', 'slack:T1:*']}\n"),
    settings("account: everyone", "approvers: [everyone]\n"),
    settings("account: unknown platform", "approvers: ['matrix:@ana:example.org']\n"),
    settings("account: bad forms", "approvers: ['slack:U2', 'discord:ana', 'console:', 'cli:a b', 'github:-x']\n"),
    settings("account: bad groups", "approvers: ['slack-group:T1', 'discord-role:1']\n"),
    settings("account: a number", "groups: {approver: [5]}\n"),
    # Tokens
    settings("secret: half of Slack", SLACK_BOT_TOKEN="xoxb-canary"),
    settings("secret: the other half of Slack", SLACK_APP_TOKEN="xapp-canary"),
    settings("secret: a list for a token", "slack: {bot_token: [canary-7]}\n"),
    settings("secret: a number for a token", "discord: {token: 88888888}\n"),
    settings("secret: an unreadable database with a password", "database_url: 'canary-9://u:canary@x'\n"),
    settings("secret: a key for the name of a variable", "models: {primary: {model: a/b, api_key_env: 'sk-1 2'}}\n"),
    settings("secret: a token of Slack for a model", "models: {primary: {model: a/b, api_key_env: SLACK_BOT_TOKEN}}\n"),
    settings(
        "secret: a token under a model's name", "models: {primary: {model: a/b, api_key_env: K}}\n", K="ghp_canary"
    ),
    settings("secret: a password in a model's address", "models: {primary: {model: a/b, base_url: 'https://u:p@h'}}\n"),
    # Models
    settings("models: unknown role", "models: {critc: openai/x}\n"),
    settings("models: a name with a space", "models: {primary: gpt five}\n"),
    settings("models: a number", "models: {primary: 5}\n"),
    settings("models: near miss inside", "models: {primary: {modle: a/b}}\n"),
    settings("models: sizes", "models: {primary: {model: a/b, input_tokens: 10, output_tokens: 2000000}}\n"),
    settings("models: a fallback", "models: {primary: {model: a/b, fallbacks: [{model: 'a b'}, 5, 'x y']}}\n"),
    settings("models: fallbacks as text", "models: {primary: {model: a/b, fallbacks: c/d}}\n"),
    settings("models: a provider that lacks a size", "models: {providers: {MY_API_KEY: {large: a/b}}}\n"),
    settings("models: a provider with a bad variable", "models: {providers: {my key: {large: a/b, small: a/c}}}\n"),
    settings("models: a bad variable", OVERLORD_MODELS__CRITIC="open ai"),
    # Projects and channels
    settings("project: no name", "projects: [{path: shop}]\n"),
    settings("project: a name with a space", "projects: [{name: Web Shop, path: shop}]\n"),
    settings("project: neither path nor url", "projects: [{name: shop}]\n"),
    settings("project: both path and url", "projects: [{name: shop, path: shop, url: 'https://h/o/r'}]\n"),
    settings("project: a url that could do harm", "projects: [{name: shop, url: 'ext::sh -c x'}]\n"),
    settings("project: a url with a password", "projects: [{name: shop, url: 'https://u:canary@h/x'}]\n"),
    settings("project: no such folder", "projects: [{name: shop, path: nowhere}]\n"),
    settings("project: twice", "projects:\n  - {name: shop, path: shop}\n  - {name: shop, path: shop}\n"),
    settings("project: skills outside", "projects: [{name: shop, path: shop, skills: ../x}]\n"),
    settings("project: a bad channel", "projects: [{name: shop, path: shop, channel: general}]\n"),
    settings("project: unknown platform", "projects: [{name: shop, path: shop, channel: 'irc:general'}]\n"),
    settings(
        "project: a channel twice",
        "projects:\n  - {name: a, path: shop, channel: 'console:x'}\n  - {name: b, path: shop, channel: 'console:x'}\n",
    ),
    settings("gates: near miss", "projects: [{name: shop, path: shop, gates: {test: make test}}]\n"),
    settings("gates: empty command", "projects: [{name: shop, path: shop, gates: {tests: ''}}]\n"),
    settings("gates: no environment", "projects: [{name: shop, path: shop, gates: {environment: nowhere}}]\n"),
    settings(
        "gates: extra",
        "projects:\n  - name: shop\n    path: shop\n    gates:\n      extra:\n"
        "        - {name: lint, command: x}\n        - {name: a, comand: x}\n"
        "        - {name: b, command: x, on_fail: stop}\n",
    ),
    settings(
        "gates: extra, twice the same name",
        "projects: [{name: shop, path: shop, gates: {extra: [{name: a, command: x}, {name: a, command: y}]}}]\n",
    ),
    settings("channel: no platform", "channels: {general: {}}\n"),
    settings(
        "channel: bad values", "channels: {'console:a': {on_timeout: maybe, plan: never, outsiders: 1, proj: x}}\n"
    ),
    settings("channel: unknown project", "channels: {'console:a': {project: shop}}\n"),
    settings(
        "channel: near miss of a project",
        "projects: [{name: shop, path: shop}]\nchannels: {'console:a': {project: shpo}}\n",
    ),
    settings(
        "channel: two say different things",
        "projects:\n  - {name: a, path: shop, channel: 'console:x'}\n  - {name: b, path: shop}\n"
        "channels: {'console:x': {project: b}}\n",
    ),
    # Risk, contexts, roles, workflow
    settings("risk: bad values", "risk: {low_coverage: 200, low_lines: 0, high_above: many}\n"),
    settings(
        "risk: areas", "risk:\n  areas:\n    money: {level: low}\n    door: {words: [two words], paths: [/etc]}\n"
    ),
    settings("risk: numbers that do not fit", "risk: {low_below: 90, medium_below: 80, low_lines: 9000}\n"),
    settings("risk: near miss", "risk: {lowbelow: 1, breaking: {chnged: []}}\n"),
    settings("context: a new one that lacks much", "contexts: {mine: {token_budget: 5}}\n"),
    settings("context: a bad name", "contexts: {My Own: {token_budget: 5000}}\n"),
    settings("context: another name inside", "contexts: {implementer_targeted: {name: other}}\n"),
    settings(
        "context: unknown part and input", "contexts: {implementer_targeted: {priority_order: [x], inputs: {y: 1}}}\n"
    ),
    settings("context: too many", "contexts: {implementer_targeted: {inputs: {files: 100000}}}\n"),
    settings("context: order that lacks a part", "contexts: {implementer_targeted: {priority_order: [task]}}\n"),
    settings("role: near miss", "roles: {careful: {extend: implementer}}\n"),
    settings("role: nothing to extend", "roles: {careful: {description: x}}\n"),
    settings("role: extends what is not there", "roles: {careful: {extends: implementor}}\n"),
    settings("role: extends itself", "roles: {a: {extends: b}, b: {extends: a}}\n"),
    settings("role: unknown tool", "roles: {careful: {extends: implementer, allowed_tools: [rm_rf]}}\n"),
    settings("role: more tools than it extends", "roles: {c: {extends: reviewer, allowed_tools: [run_command]}}\n"),
    settings("role: secrets", "roles: {c: {extends: implementer, context: {always_include: [.env, /etc/passwd]}}}\n"),
    settings("role: unknown strategy", "roles: {c: {extends: implementer, context: {strategy: nothing}}}\n"),
    settings("role: budget", "roles: {c: {extends: implementer, context: {token_budget: 10}}}\n"),
    settings("role: too long", f"roles: {{c: {{extends: implementer, system_prompt_additions: {'x' * 4001}}}}}\n"),
    settings("role: too many", f"roles: {{c: {{extends: implementer, strengths: [{'a, ' * 31}]}}}}\n"),
    settings("role: text", "roles: {c: implementer}\n"),
    settings("role: a gate", "roles: {c: {extends: implementer, gates: [{name: a}, {name: tests, command: x}]}}\n"),
    settings("workflow: unknown step", "workflow: {steps: {deploy: {}}}\n"),
    settings("workflow: near miss", "workflow: {steps: {implement: {retries: 1}}}\n"),
    settings("workflow: what a step does not obey", "workflow: {steps: {test: {role: tester}}}\n"),
    settings("workflow: another order", "workflow: {steps: {implement: {next: commit}}}\n"),
    settings("retries: bad values", "retries: {default: {max_attempts: 0, retry: [resource]}, X: {}, a: {tries: 3}}\n"),
    settings("workflow: a policy nobody wrote", "workflow: {steps: {test: {retry_policy: often}}}\n"),
    settings("workflow: choices nobody knows", "workflow: {on_request: [mpv, _base]}\n"),
    settings(
        "workflow: nothing to look at yet",
        "workflow: {steps: {look: {type: gate, command: x, level: task, position: after plan_review}}}\n",
    ),
    settings("workflow: files of a subtask", "workflow: {steps: {implement: {config: {files: docs/}}}}\n"),
    settings("workflow: bad values", "workflow: {steps: {implement: {max_retries: 9, retry_policy: often}}}\n"),
    settings("workflow: readers", "workflow: {steps: {review: {parallel: 3}, plan_review: {human_approval: 1}}}\n"),
    settings("workflow: unknown role", "workflow: {steps: {implement: {role: nobody}}}\n"),
    settings("workflow: a role of another kind", "workflow: {steps: {implement: {role: reviewer}}}\n"),
    settings("workflow: steps as a list", "workflow: {steps: [plan, implement]}\n"),
    # Several at once, and warnings
    settings(
        "all at once",
        "consol: {}\nsandbox: chroot\nlimits: {remindr: 5, minions: 0}\ngroups: {approver: ['*'], leads: []}\n"
        "projects:\n  - {name: shop, path: shop}\n  - {name: shop, path: nowhere}\n"
        "channels:\n  console:a: {project: shpo, self_approval: no}\n  general: {}\n",
        OVERLORD_CONSOLE_PORT="70000",
        SLACK_BOT_TOKEN="xoxb-1",
    ),
    settings("two in one section", "console:\n  host: 5\n  port: x\n  channels: 5\n"),
    settings("warning: unknown variable", OVERLORD_CONSOL_PORT="1", OVERLORD_ZZZ="1"),
    settings("warning: swapped tokens", SLACK_BOT_TOKEN="xapp-1", SLACK_APP_TOKEN="xoxb-1"),
    settings("warning: tokens that others may read", "discord: {token: abcdefgh}\n", 0o644),
    settings("warning: a console for others", "console: {host: 0.0.0.0}\n"),
    settings("warning: proxies", OVERLORD_CONSOLE_PROXIES="10.0.0.7"),
    settings("warning: groups nobody can tell", "groups: {approver: ['slack-group:T1:S1', 'discord-role:1:2']}\n"),
    settings(
        "warning: projects without code",
        "projects: [{name: a, url: 'https://github.com/o/r'}, {name: b, url: 'https://example.org/o/r'}]\n",
    ),
    # Skills
    skill("skill: empty", ""),
    skill("skill: near miss", SKILL + "tag: [a]\n"),
    skill("skill: missing", "name: tidy\n"),
    skill("skill: a bad name and version", SKILL.replace("tidy\n", "Tidy Up\n").replace("'1.0'", "one")),
    skill("skill: version is a number", SKILL.replace("'1.0'", "1.5")),
    skill("skill: empty words", SKILL.replace("Tidy up.", "' '") + "tags: ['']\n"),
    skill("skill: patterns", SKILL + "triggers: {file_patterns: [/etc/*, ../x], keywords: text}\n"),
    skill("skill: too long", SKILL.replace("Tidy up.", "x" * 20_001).replace("Keeps it", "y" * 501)),
    skill("skill: not YAML", "name: [tidy\n"),
    skill("skill: too large", SKILL + "#" * 65_536),
    # Specialists
    specialists("specialists: missing", "specialists:\n  - {name: a}\n"),
    specialists("specialists: a bad name", "specialists:\n  - {name: A B, domains: [x], focus: y}\n"),
    specialists("specialists: no domains", "specialists:\n  - {name: a, domains: [], focus: y}\n"),
    settings("specialists: of one's own", "specialists: [{name: legal, domains: [licence]}, {name: Law, focus: x}]"),
    specialists("specialists: not a list", "specialists: {a: b}\n"),
    specialists("specialists: near miss", "specialist: []\n"),
)


def messages() -> str:
    """What is said about each broken file, in one text."""
    return "".join(f"## {each.name}\n{''.join(f'- {line}{chr(10)}' for line in _said(each))}\n" for each in BROKEN)


def _said(broken: Broken) -> list[str]:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made).resolve()
        said = _READERS[broken.kind](broken, folder)
        return [line.replace(str(folder), "FOLDER").replace(str(packaged_path()), "MANIFESTS") for line in said]


def _settings(broken: Broken, folder: Path) -> Iterator[str]:
    (folder / "shop").mkdir()
    (folder / "user").mkdir()
    environ = {"HOME": str(folder / "user"), **broken.environ}
    if broken.file:
        path = folder / "overlord.yaml"
        path.write_text(broken.file, encoding="utf-8")
        path.chmod(broken.mode)
        environ.setdefault("OVERLORD_CONFIG", str(path))
    try:
        warnings = load_settings(environ, cwd=folder, flags=broken.flags, user="ana").warnings
    except BadSettings as bad:
        yield from map(str, bad.problems)
        warnings = bad.warnings
    yield from (f"(warning) {warning}" for warning in warnings)


def _skill(broken: Broken, folder: Path) -> Iterator[str]:
    for each in read_skills({"skills/tidy.yaml": broken.file.encode()}).broken:
        yield from each.problems


def _specialists(broken: Broken, folder: Path) -> Iterator[str]:
    path = folder / "specialists.yaml"
    path.write_text(broken.file, encoding="utf-8")
    try:
        load_specialists(path)
    except ValueError as wrong:
        yield str(wrong)


_READERS = {"settings": _settings, "skill": _skill, "specialists": _specialists}

if __name__ == "__main__":
    os.umask(0o077)
    GOLDEN.write_text(messages(), encoding="utf-8")
