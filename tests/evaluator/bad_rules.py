"""Work that no other attempt can mend: outside its scope, with a secret, with files that may not be, or in circles."""

import base64

from agents.domain.checks.evaluation import ExtraGate, GateCommands, OnFail
from tests.evaluator.pieces import ANYTHING, FAIL, MORE, SHOP, Files, Piece, link, module, only, program
from tests.evaluator.yard import OWN_SECRET

# In halves, so that nobody's scanner takes them for real.
AWS = "AKIA" + "4XQ7ZP2MNB6TRW5K"
GITHUB = "ghp_" + "wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx"
SLACK = "xoxb-" + "2048710953-4410297635182-Zt8mQw2LpXc7VbN4KdRf9sHy"
KEY = "\n".join(
    ("-----BEGIN RSA " + "PRIVATE KEY-----", *("MIIEpAIBAAKCAQEA7bq98Lr0p5zXvT" * 2 + str(n) for n in range(4)),
     "-----END RSA " + "PRIVATE KEY-----")
)  # fmt: skip


def _secret(name: str, work: Files, *hidden: str) -> Piece:
    return Piece(
        name=name, base=SHOP, work=work, verdict=FAIL, gate="secrets", why="looks like a secret", hidden=hidden
    )


def _forbidden(name: str, work: Files, why: str, base: Files = SHOP) -> Piece:
    return Piece(name=name, base=base, work=work, verdict=FAIL, gate="forbidden files", why=why)


def _scope(name: str, work: Files, *patterns: str, why: str = "outside", base: Files = SHOP) -> Piece:
    scope = only(*patterns) if patterns else ANYTHING
    return Piece(name=name, base=base, work=work, verdict=FAIL, gate="scope", why=why, scope=scope)


BAD_RULES: tuple[Piece, ...] = (
    _scope("a file beside its scope", {"shop/cart.py": MORE, "setup.py": "print()\n"}, "shop/**"),
    _scope("a file that went from beside its scope", {"README.md": None, "shop/cart.py": MORE}, "shop/**"),
    _scope("a mode that changed beside its scope", {"README.md": program("# Shop\n")}, "shop/**"),
    _scope("a name that is no text", {'"shop/\\377.py"': "A = 1\n"}, why="cannot be seen"),
    _scope("a workflow file by a shell command", {".github/workflows/rc.yml": "on: push\n"}, why="deny list"),
    _scope("a workflow file that went", {".github/workflows/ci.yml": None}, why="deny list",
           base={**SHOP, ".github/workflows/ci.yml": "on: push\n"}),
    _scope("a workflow file in capitals", {".GitHub/Workflows/rc.yml": "on: push\n"}, why="deny list"),
    _scope("settings with secrets by name", {"deploy/.env.production": "A=1\n"}, why="deny list"),
    _scope("our own settings", {"overlord.yaml": "projects: []\n"}, why="deny list"),
    *(
        _scope(f"a planted {path}, which acts on the next person's machine", {path: "{}\n", "shop/cart.py": MORE},
               why="deny list")
        for path in (".claude/settings.json", "shop/.Cursor/rules/a.mdc", ".mcp.json", ".vscode/tasks.json", ".envrc",
                     ".devcontainer/devcontainer.json", "AGENTS.md", "shop/CLAUDE.md", ".husky/pre-commit",
                     ".github/copilot-instructions.md", ".gitlab-ci.yml")
    ),
    _scope("git's attributes", {".gitattributes": "* filter=run\n"}, why="deny list"),
    _scope("a name that reads backwards", {"shop/a\u202eyp.txt": "x\n"}, why="cannot be seen"),
    _scope("a name that is an option", {"--help.py": "A = 1\n"}, why="dash"),
    _scope("a name with a line end", {'"shop/a\\nb.py"': "A = 1\n"}, why="cannot be seen"),
    _secret("a cloud key in code", {"shop/keys.py": f'KEY = "{AWS}"\n'}, AWS),
    _secret("a token in a test", {"tests/test_hub.py": f'T = "{GITHUB}"\n\n\ndef test_t():\n    assert T\n'}, GITHUB),
    _secret("a chat token in the manual", {"README.md": f"# Shop\n\nUse {SLACK} to post.\n"}, SLACK),
    _secret("a private key in a file", {"deploy/id_rsa": KEY + "\n"}, "MIIEpAIBAAKCAQEA7bq98Lr0p5zXvT"),
    _secret("a token in base64", {"shop/keys.py": f'K = "{base64.b64encode(f"token={GITHUB}".encode()).decode()}"\n'},
            GITHUB),
    _secret("a token broken over two lines", {"notes.txt": f"{GITHUB[:20]}\n{GITHUB[20:]}\n"}, GITHUB[:20]),
    _secret("a token in a file that seems binary", {"data.bin": b"\0\0\n" + GITHUB.encode() + b"\n\0"}, GITHUB),
    _secret("a token in wide characters", {"notes.txt": f"a\n{GITHUB}\nb\n".encode("utf-16")}, GITHUB),
    _secret("our own token", {"shop/keys.py": f'K = "{OWN_SECRET}"\n'}, OWN_SECRET),
    _secret("a token in a file without a last line end", {"shop/keys.py": f'K = "{AWS}"'}, AWS),
    Piece(name="a token that an earlier attempt left in the branch", base=SHOP, hidden=(GITHUB,), verdict=FAIL,
          first={"shop/keys.py": f'K = "{GITHUB}"\n'}, work={"shop/keys.py": None, "shop/cart.py": MORE},
          gate="secrets", why="must begin anew"),
    _forbidden("a link to the machine", {"docs/passwords": link("/etc/passwd")}, "leaves the project"),
    _forbidden("a link that climbs out", {"docs/up": link("../../up")}, "leaves the project"),
    _forbidden("a link that climbs behind a folder", {"docs/up": link("a/../../../up")}, "leaves the project"),
    _forbidden("a file that became a link", {"README.md": link("/etc/hosts")}, "leaves the project"),
    _forbidden("a submodule", {"vendor/lib": module()}, "submodule"),
    _forbidden("a list of submodules", {".gitmodules": '[submodule "x"]\n\tpath = x\n'}, "git's own"),
    _forbidden("a large binary", {"data.bin": bytes(700_000)}, "binary file"),
    _forbidden("a compiled program", {"tool": b"\x7fELF\x02\x01\x01" + bytes(64)}, "compiled program"),
    _forbidden("a very long text", {"data.csv": "a" * 2_500_000}, "the most"),
    Piece(name="the same files as before", base=SHOP, work={"shop/cart.py": MORE}, again=True, verdict=FAIL,
          gate="loop", why="attempt 1"),
    Piece(name="an extra gate that blocks", base=SHOP, work={"shop/cart.py": MORE}, verdict=FAIL, gate="licences",
          commands=GateCommands(extra=(ExtraGate(
              name="licences", command="grep -q dearest shop/cart.py && exit 3; exit 0", on_fail=OnFail.BLOCK),)),
          why="exit code 3"),
    Piece(name="a test command that is not there", base=SHOP, work={"shop/cart.py": MORE}, verdict=FAIL, gate="tests",
          commands=GateCommands(tests="no-such-program --now"), why="install"),
    Piece(name="an environment that is not there", base=SHOP, work={"shop/cart.py": MORE}, verdict=FAIL, gate="tests",
          commands=GateCommands(environment="/nowhere/venv"), why="no Python environment"),
    Piece(name="settings of the linter that never worked", base={**SHOP, "ruff.toml": "no-such-setting = 1\n"},
          work={"shop/cart.py": MORE}, verdict=FAIL, gate="lint", why="without the change either"),
    Piece(name="tests that import what is not installed", work={"shop/cart.py": MORE}, verdict=FAIL, gate="tests",
          base={**SHOP, "tests/test_cart.py": "import no_such_library\n\n\ndef test_it():\n    pass\n"},
          why="without the change either"),
)  # fmt: skip
