"""`overlord tasks dependencies FILE`: suggestions from what code imports, each confirmed by a person."""

from pathlib import Path

from typer.testing import CliRunner

from agents.catalog.forms.feature_files import read_feature
from bot.cli import app
from tests.builders.shell import Shell
from tests.workspace.repositories import somebodys

CODE = {
    "models/user.py": "class User: ...\n",
    "services/auth.py": "import json\nimport redis\nfrom models.user import User\n",
    "api/auth.py": "from models.user import User\nfrom services.auth import AuthService\nimport fastapi\n",
    "web/Login.tsx": "// import { old } from '@/old'\nimport { login } from '@/client'\nimport zod from 'zod'\n",
    "src/client.ts": "export const login = 1\n",
    "pyproject.toml": '[project]\ndependencies = ["fastapi>=0.1"]\n',
}
FEATURE = """\
feature:
  id: P1T5
  title: People sign in
  phases:
    - id: backend
      components:
        - id: user_model   # the first
          files: [models/user.py]
          depends_on: []
        - id: auth_service
          files: [services/auth.py]
        - id: auth_endpoints
          files: [api/auth.py]
          depends_on: [user_model]
        - {id: client, files: [src/client.ts]}
    - id: frontend
      components:
        - id: login_form
          files: [web/Login.tsx]
"""


def waits(text: str) -> dict[str, tuple[int, ...]]:
    return {each.title: each.blocked_by for each in read_feature("f.yaml", text).plan.subtasks}


def test_what_is_imported_is_suggested_and_asked_for_one_by_one(tmp_path: Path) -> None:
    somebodys(tmp_path / "shop", CODE)
    file = tmp_path / "f.yaml"
    file.write_text(FEATURE)
    shell = Shell(tmp_path)
    words = ["tasks", "dependencies", str(file), "--path", str(tmp_path / "shop")]
    found = shell.run(*words, "--json").json
    assert [(each["component"], each["on"], each["line"]) for each in found["dependencies"]] == [
        ("backend.auth_service", "backend.user_model", 3),
        ("backend.auth_endpoints", "backend.auth_service", 2),
        ("frontend.login_form", "backend.client", 2),
    ], "not what it says already, and no comment"
    assert [each["on"] for each in found["unknown"]] == ["redis", "zod"], "fastapi is among the project's packages"
    assert file.read_text() == FEATURE

    typed = "y\nn\ny\ncomponent\nclint\nclient\nexternal\n"
    done = CliRunner().invoke(app, words, input=typed, env=dict(shell.environ))
    assert "There is no component clint" in done.stdout and "Did you mean `client`?" in done.stdout
    text = file.read_text()
    assert waits(text) == {
        "User model": (),
        "Auth service": (1, 4),
        "Auth endpoints": (1,),
        "Client": (),
        "Login form": (4,),
    }
    assert "# the first" in text and read_feature("f.yaml", text).external == ("zod",)
    again = shell.run(*words, "--json").json
    assert [each["on"] for each in again["dependencies"]] == ["backend.auth_service"], "only what was declined"


def test_what_would_be_a_circle_or_wait_for_a_later_phase_is_told_and_left_out(tmp_path: Path) -> None:
    code = {"a.py": "import b\nimport c\n", "b.py": "import a\n", "c.py": ""}
    somebodys(tmp_path / "shop", code)
    file = tmp_path / "f.yaml"
    file.write_text(
        "feature:\n  id: A\n  title: x\n  phases:\n    - id: one\n      components:\n"
        "        - id: a\n          files: [a.py]\n        - id: b\n          files: [b.py]\n"
        "    - id: two\n      components: [{id: c, files: [c.py]}]\n"
    )
    shell = Shell(tmp_path)
    words = ["tasks", "dependencies", str(file), "--path", str(tmp_path / "shop")]
    done = CliRunner().invoke(app, words, input="y\ny\n", env=dict(shell.environ))
    assert "one.a imports two.c of a later phase" in done.stdout and "That is left out: " in done.stdout
    assert waits(file.read_text()) == {"A": (2,), "B": (), "C": ()}
