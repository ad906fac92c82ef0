"""Broken files of roles, packs and contexts, and all that `overlord roles check` says of each of them.

`python -m tests.catalog.broken_roles` writes the messages to broken_roles.txt; review the difference before you commit
it: a message may change, but it must not say less.
"""

from pathlib import Path

from agents.catalog.library import Declared, load_catalog
from agents.catalog.roles.checking import check_file, check_in_project
from agents.catalog.roles.pack_files import packaged_packs
from tests.catalog.broken_features import FEATURES

GOLDEN = Path(__file__).with_name("broken_roles.txt")
PACKS = packaged_packs()
SHORT = "token_budget: 3000\npriority_order: [task, target]\ninputs: {targets: 2}\n"

# By the path that a file has; what is in `.overlord/` is a project's own.
BROKEN: dict[str, str] = {
    **FEATURES,
    # Roles
    "roles/nobody.yaml": "description: x\n",
    "roles/gone.yaml": "extends: implementor\n",
    "roles/itself.yaml": "extends: itself\n",
    "roles/other_name.yaml": "name: another\nextends: implementer\n",
    "roles/no_yaml.yaml": "extends: implementer\n\tcontext: {}\n",
    "roles/twice.yaml": "extends: implementer\nextends: reviewer\n",
    "roles/unknown_field.yaml": "extends: implementer\nsystem_prompt: x\ncontexts: {}\nstrength: [a]\n",
    "roles/engine.yaml": "extends: implementer\nengine: copilot\ncli: aider\n",
    "roles/two_engines.yaml": "extends: implementer\nengine: claude\ncli: codex\n",
    "roles/flags.yaml": 'extends: implementer\nflags: ["-p", "--json"]\n',
    "roles/model.yaml": "extends: reviewer\nmodel: 'a model of mine'\n",
    "roles/template.yaml": "extends: reviewer\ntemplate: review_strickt.j2\n",
    "roles/tools.yaml": "extends: implementer\nallowed_tools: [read_fil, run_backtest_simulation, sudo]\n",
    "roles/tools_of_reviewer.yaml": "extends: reviewer\nallowed_tools: [run_command]\ntools: {a: {command: make a}}\n",
    "roles/own_tool.yaml": (
        "extends: implementer\ntools:\n  Simulate: {command: run}\n"
        "  quoted: {command: \"run '{a}'\", arguments: {a: string}}\n"
        "  lost: {command: 'run {b}', arguments: {a: strin}}\n  empty: {description: x}\n"
    ),
    "roles/own_tool_of_ours.yaml": "extends: implementer\ntools: {run_command: {command: rm}}\n",
    "roles/too_narrow.yaml": (
        "extends: implementer\nallowed_tools: [read_file]\ncontext: {strategy: reviewer_diff}\n"
        "gates: [{name: lint, command: x}]\n"
    ),
    "roles/secrets.yaml": "extends: implementer\ncontext: {always_include: ['**/.env', 'deploy/*.pem']}\n",
    "roles/paths.yaml": (
        "extends: implementer\ncontext: {include: ['../x', /etc/passwd, $TARGETS], exclude: [$TARGET]}\n"
    ),
    "roles/budget.yaml": "extends: implementer\ncontext: {token_budget: 60000, git_diff: maybe}\n",
    "roles/gates.yaml": (
        "extends: implementer\ngates:\n  - {name: tests, command: x}\n  - {name: a b, command: ''}\n  - {command: y}\n"
        "  - {name: z, command: y, on_fail: shrug}\n"
    ),
    "roles/planner_gates.yaml": "extends: planner\ngates: [{name: a, command: b}]\n",
    "roles/config.yaml": "extends: reviewer\nconfig: {a: {b: c}, d: [1, 2], e: }\noffered: perhaps\n",
    "roles/long.yaml": f"extends: reviewer\nsystem_prompt_additions: {'x' * 4_001}\nstrengths: {['y' * 201]}\n",
    "roles/strategy.yaml": "extends: planner\ncontext: {strategy: planner_docsets}\n",
    "roles/implementer.yaml": "extends: reviewer\n",
    # Contexts
    "contexts/empty.yaml": "description: x\n",
    "contexts/order.yaml": "token_budget: 3000\npriority_order: [target, task]\ninputs: {targets: 2}\n",
    "contexts/missing_part.yaml": "token_budget: 3000\npriority_order: [task]\ninputs: {targets: 2}\n",
    "contexts/inputs.yaml": "token_budget: 1\npriority_order: [tasks]\ninputs: {targetz: 2, tests: 9999}\n",
    "contexts/conditions.yaml": f"{SHORT}if: {{readme: retry, targets: sunday}}\n",
    "contexts/condition_alone.yaml": f"{SHORT}if: {{readme: retry}}\n",
    # Packs
    "packs/detect.yaml": "title: x\ndetect: [{files: []}, {holds: [a]}, {files: [a], hold: [b]}]\n",
    "packs/roles.yaml": "roles:\n  a: {extends: b}\n  b: {extends: a}\n  c: {extends: gnome, modle: x}\n",
    "packs/tools.yaml": (
        "roles: {a: {extends: implementer, allowed_tools: [simulate]}}\ntools: {simulat: {command: run}}\n"
    ),
    "packs/prompts.yaml": "prompts: {Big: x, small: [1]}\nroles: {a: {extends: reviewer, template: smal}}\nicon: x\n",
    "packs/contexts.yaml": (
        "contexts: {a: {token_budget: 5}}\nroles: {b: {extends: reviewer, context: {strategy: a}}}\n"
    ),
    # A project's own
    ".overlord/roles/chooses.yaml": (
        "extends: implementer\nengine: codex\nmodel: openai/gpt-5\nflags: [x]\ntemplate: planning\noffered: true\n"
        "context: {token_budget: 50000, git_diff: false}\n"
    ),
    ".overlord/roles/reviewer.yaml": "system_prompt_additions: Approve.\ncontext: {strategy: security_audit}\n",
    ".overlord/roles/test_engineer.yaml": (
        "config: {min_tests_per_component: 1, test_types: e2e}\nallowed_tools: [rm]\n"
    ),
    ".overlord/contexts/implementer_targeted.yaml": SHORT,
    ".overlord/contexts/broken.yaml": "token_budget: 5\n",
}


def messages() -> str:
    declared = Declared()
    catalog = load_catalog(declared)
    said = []
    for path, text in BROKEN.items():
        own = path.startswith(".overlord/")
        faults = check_in_project(path, text.encode(), catalog) if own else check_file(path, text.encode(), declared)
        said.append("\n".join((f"## {path}", *(f"- {fault}" for fault in faults), "")))
    return "\n".join(said)


if __name__ == "__main__":
    GOLDEN.write_text(messages(), encoding="utf-8")
