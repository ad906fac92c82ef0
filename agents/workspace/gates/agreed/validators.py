"""Validates files of interfaces with the tools that it finds, and says what it lacks.

It runs as text in the gate sandbox, by the project's own interpreter, so it uses nothing of ours: what that interpreter
lacks, another one is asked for, which is the first word after the text.
"""

import importlib.util
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

OTHER = sys.argv[1] if len(sys.argv) > 1 else ""
FILES = sys.argv[2:]
bad: list[str] = []
openapi_faults: Callable[[dict[str, Any]], list[str]] = globals().get("openapi_faults", lambda body: [])


def has(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def other_has(module: str) -> bool:
    return bool(OTHER) and subprocess.run([OTHER, "-I", "-c", "import " + module], capture_output=True).returncode == 0


def complain(line: str) -> None:
    bad.append(line)
    sys.stdout.write(line + "\n")


def lack(paths: Sequence[str], tool: str) -> None:
    for path in paths:
        sys.stdout.write("not run: " + path + " (no " + tool + " here)\n")


def run(words: Sequence[str], aside: str = "") -> None:
    """`aside`: what is said of files in there is about nobody here."""
    ran = subprocess.run([*words], capture_output=True, text=True)
    kept, skips = [], False
    for line in (ran.stdout + ran.stderr).splitlines():
        skips = line.startswith(aside) if aside and not line.startswith(" ") else skips
        if line.strip() and not skips:
            kept.append(line)
    if ran.returncode:
        for line in kept or ([] if aside else [words[0] + " ended with " + str(ran.returncode)]):
            complain(line)


def ending(*ends: str) -> list[str]:
    return [path for path in FILES if path.endswith(ends)]


def judge_python(paths: list[str]) -> None:
    os.environ["MYPYPATH"] = "."
    options = ["--no-error-summary", "--cache-dir=/dev/null", "--follow-imports=silent", "--explicit-package-bases"]
    if has("mypy"):
        run([sys.executable, "-I", "-m", "mypy", *options, *paths])
    elif other_has("mypy"):
        run([OTHER, "-I", "-m", "mypy", "--python-executable", sys.executable, *options, *paths])
    else:
        lack(paths, "mypy")


def judge_scripts(paths: list[str]) -> None:
    """By the project's own settings. Files that only declare are checked, too, which `skipLibCheck` would leave out."""
    own = "node_modules/.bin/tsc"
    tsc = own if Path(own).exists() else shutil.which("tsc")
    if not tsc:
        lack(paths, "tsc")
        return
    options = {"noEmit": True, "skipLibCheck": False, "composite": False, "incremental": False}
    settings: dict[str, Any] = {"compilerOptions": options, "files": [str(Path(path).resolve()) for path in paths]}
    if Path("tsconfig.json").exists():
        settings.update({"extends": str(Path("tsconfig.json").resolve()), "include": [], "references": []})
    else:
        options["strict"] = True
    place = "tsconfig.of-interfaces.json"  # here, for types are looked for beside it
    Path(place).write_text(json.dumps(settings))
    run([tsc, "--pretty", "false", "-p", place], aside="node_modules/")


def judge_sql(path: str) -> None:
    try:
        sqlite3.connect(":memory:").executescript(Path(path).read_text())
    except (sqlite3.Error, ValueError) as problem:
        complain(path + ": " + str(problem))


def parse(path: str) -> Any:
    text = Path(path).read_text()
    if path.endswith(".json"):
        return json.loads(text)
    import yaml  # type: ignore[import-untyped]  # of whoever runs this

    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as problem:
        raise ValueError(str(problem)) from problem


def judge_document(path: str) -> None:
    if not path.endswith(".json") and not has("yaml"):
        elsewhere(path, "yaml", "PyYAML")
        return
    try:
        body = parse(path)
    except (OSError, ValueError, RecursionError) as problem:
        complain(path + ": " + " ".join(str(problem).split()))
        return
    other = next((name for name in ("swagger", "asyncapi") if isinstance(body, dict) and name in body), "")
    if other:
        lack([path], "validator of " + other)
    elif isinstance(body, dict) and "openapi" in body:
        judge_openapi(path, body)
    elif is_schema(path, body):
        judge_schema(path, body)


def judge_schema(path: str, body: Any) -> None:
    if not has("jsonschema"):
        elsewhere(path, "jsonschema", "jsonschema")
        return
    from jsonschema import SchemaError  # type: ignore[import-untyped]  # of whoever runs this
    from jsonschema.validators import validator_for  # type: ignore[import-untyped]

    try:
        validator_for(body).check_schema(body)
    except SchemaError as problem:
        complain(path + ": " + " ".join(str(problem.message).split())[:300])


def judge_openapi(path: str, body: dict[str, Any]) -> None:
    if has("openapi_spec_validator"):
        run([sys.executable, "-I", "-m", "openapi_spec_validator", path])
        return
    if not has("jsonschema"):
        elsewhere(path, "jsonschema", "openapi_spec_validator")
        return
    for line in openapi_faults(body):
        complain(path + ": " + line)


def is_schema(path: str, body: Any) -> bool:
    """Whatever else is written as JSON or YAML beside interfaces need only be that."""
    words = {"$schema", "type", "properties", "$ref", "oneOf", "anyOf", "allOf", "$defs", "definitions", "enum"}
    if not isinstance(body, dict):
        return path.endswith(".schema.json")
    return path.endswith(".schema.json") or bool(words & set(body))


def elsewhere(path: str, module: str, tool: str) -> None:
    if not other_has(module):
        lack([path], tool)
        return
    text = Path("/proc/self/cmdline").read_text().split("\0")[2]
    ran = subprocess.run([OTHER, "-I", "-c", text, "", path], capture_output=True, text=True)
    sys.stdout.write(ran.stdout)
    if ran.returncode:
        bad.append(path)
        sys.stdout.write(ran.stderr)


def main() -> int:
    if python := ending(".py", ".pyi"):
        judge_python(python)
    if scripts := ending(".ts"):
        judge_scripts(scripts)
    for path in ending(".sql"):
        judge_sql(path)
    for path in ending(".json", ".yaml", ".yml"):
        judge_document(path)
    known = (".py", ".pyi", ".ts", ".sql", ".json", ".yaml", ".yml")
    lack([path for path in FILES if not path.endswith(known)], "validator of its kind")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
