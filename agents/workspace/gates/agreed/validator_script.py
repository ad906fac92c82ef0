"""A script for the gate sandbox: it validates files of interfaces with the tools that it finds, and says what it lacks.

It is run as text by the project's own interpreter, so it uses nothing of ours.
"""

SCRIPT = r"""
import importlib.util, json, os, shutil, sqlite3, subprocess, sys

files, bad = sys.argv[1:], []


def has(module):
    return importlib.util.find_spec(module) is not None


def said(line):
    bad.append(line)
    print(line)


def lacking(paths, tool):
    for path in paths:
        print("not run: " + path + " (no " + tool + " here)")


def run(words, paths):
    ran = subprocess.run([*words, *paths], capture_output=True, text=True)
    lines = [line for line in (ran.stdout + ran.stderr).splitlines() if line.strip()]
    if ran.returncode:
        for line in lines or [words[0] + " ended with " + str(ran.returncode)]:
            said(line)


def ending(*ends):
    return [path for path in files if path.endswith(ends)]


python = ending(".py", ".pyi")
if python and has("mypy"):
    os.environ["MYPYPATH"] = "."
    options = ["--no-error-summary", "--cache-dir=/dev/null", "--follow-imports=silent", "--explicit-package-bases"]
    run([sys.executable, "-I", "-m", "mypy", *options], python)
else:
    lacking(python, "mypy")

script = ending(".ts")
tsc = "node_modules/.bin/tsc" if os.path.exists("node_modules/.bin/tsc") else shutil.which("tsc")
if script and tsc:
    run([tsc, "--noEmit", "--strict", "--skipLibCheck"], script)
else:
    lacking(script, "tsc")

for path in ending(".sql"):
    try:
        with open(path) as file:
            sqlite3.connect(":memory:").executescript(file.read())
    except sqlite3.Error as problem:
        said(path + ": " + str(problem))


def parsed(path):
    with open(path) as file:
        if path.endswith(".json"):
            return json.load(file)
        import yaml
        return yaml.safe_load(file)


def judge_document(path):
    if not path.endswith(".json") and not has("yaml"):
        return lacking([path], "PyYAML")
    try:
        body = parsed(path)
    except Exception as problem:
        return said(path + ": " + " ".join(str(problem).split()))
    if isinstance(body, dict) and ("openapi" in body or "swagger" in body):
        if not has("openapi_spec_validator"):
            return lacking([path], "openapi_spec_validator")
        from openapi_spec_validator import validate
        try:
            return validate(body)
        except Exception as problem:
            return said(path + ": " + " ".join(str(problem).split())[:300])
    if not has("jsonschema"):
        return lacking([path], "jsonschema")
    from jsonschema.validators import validator_for
    try:
        validator_for(body).check_schema(body)
    except Exception as problem:
        said(path + ": " + " ".join(str(getattr(problem, "message", problem)).split())[:300])


for path in ending(".json", ".yaml", ".yml", ".avsc"):
    judge_document(path)
known = (".py", ".pyi", ".ts", ".sql", ".json", ".yaml", ".yml", ".avsc")
lacking([path for path in files if not path.endswith(known)], "validator of its kind")
sys.exit(1 if bad else 0)
"""
