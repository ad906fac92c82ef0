"""The commands that gates run, as programs and arguments. None has a shell between it and a name from the project."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from agents.domain.checks.gates import FILES
from agents.workspace.gates.detect import Way
from agents.workspace.gates.environment import Environment, NoEnvironment

PLAIN_RULES = "E4,E7,E9,F"  # mistakes, not taste
NICE = ("nice", "-n", "10")
NAMES_MOST = 40_000  # bytes of names in a command; if there are more, the linter looks at all files
_MEASURE = (
    "python=$0; out=$1; files=$2; shift 2\n"
    "printf '[run]\\ndisable_warnings = no-data-collected,module-not-measured\\n' > \"$out/rc\"\n"
    '"$python" -m coverage run --rcfile="$out/rc" --data-file="$out/data" --include="$files" -m pytest "$@"\n'
    "code=$?\n"
    '"$python" -m coverage json -q --rcfile="$out/rc" --data-file="$out/data" -o "$out/coverage.json" >/dev/null 2>&1\n'
    "exit $code"
)
_GOFMT = (
    "command -v gofmt >/dev/null && command -v go >/dev/null || { echo 'go is not installed'; exit 127; }\n"
    'odd=$(gofmt -l "$@") || exit 1\n'
    '[ -z "$odd" ] || { echo "gofmt would change:"; echo "$odd"; exit 1; }\n'
    "exec go vet ./..."
)
_CLIPPY = (
    "command -v cargo >/dev/null || { echo 'cargo is not installed'; exit 127; }\n"
    "if command -v rustfmt >/dev/null; then cargo fmt --check || exit 1; fi\n"
    "if command -v cargo-clippy >/dev/null; then exec cargo clippy --offline --quiet; fi"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`shown` is for people; `needs` is what to install if it is not found; `report` is where pytest writes."""

    argv: tuple[str, ...]
    shown: str
    needs: str = ""
    report: str = ""
    measured: tuple[str, ...] = ()  # files whose coverage it writes down


def shell(command: str) -> Command:
    """What the operator wrote."""
    return Command(argv=("/bin/sh", "-c", command), shown=command, needs="the program that it names")


def lint_by(command: str, files: Sequence[str]) -> Command:
    quoted = " ".join(shlex.quote(f"./{name}") for name in files)
    return shell(command.replace(FILES, quoted if len(quoted.encode()) <= NAMES_MOST else "."))


def tests(way: Way, environment: Environment, out: str, measured: Sequence[str] = ()) -> Command:
    """`out` is a fresh folder beneath the tree, for reports; `measured` are files whose coverage is wanted."""
    match way:
        case Way.PYTEST:
            return _pytest(environment, out, measured)
        case Way.NPM:
            return Command(argv=("npm", "test", "--silent"), shown="npm test", needs="Node.js with npm")
        case Way.GO:
            return Command(argv=("go", "test", "./..."), shown="go test ./...", needs="Go")
        case Way.CARGO:
            return Command(argv=("cargo", "test", "--offline", "--quiet"), shown="cargo test", needs="Rust")
        case _:
            return Command(argv=("make", "test"), shown="make test", needs="make")


def _fit(names: Sequence[str]) -> bool:
    return sum(len(name.encode(errors="surrogateescape")) + 1 for name in names) <= NAMES_MOST


def collect(environment: Environment) -> Command:
    """Whether pytest can find the tests at all."""
    options = ("-q", "--collect-only", "-p", "no:cacheprovider")
    return Command(argv=(environment.python, "-m", "pytest", *options), shown="pytest --collect-only")


def _pytest(environment: Environment, out: str, measured: Sequence[str]) -> Command:
    if not environment.has("pytest"):
        raise NoEnvironment(
            f"pytest is not in {environment.venv}",
            next_step=f"Install it there: {environment.python} -m pip install pytest.",
        )
    report = f"{out}/junit.xml"
    options = ("-q", "-rfE", "--tb=short", "--color=no", "-p", "no:cacheprovider", f"--junitxml={report}")
    named = tuple(name for name in measured if not set(name) & set(",*?[]"))
    if not named or not _fit(named) or not environment.has("coverage"):
        argv: tuple[str, ...] = (environment.python, "-m", "pytest", *options)
        return Command(argv=argv, shown="pytest -q", needs="Python", report=report)
    argv = ("/bin/sh", "-c", _MEASURE, environment.python, out, ",".join(named), *options)
    return Command(argv=argv, shown="pytest -q", needs="Python", report=report, measured=named)


def lint(way: Way, environment: Environment, files: Sequence[str], *, rules: str = "") -> Command:
    """`rules`: for ruff, where the project says nothing about them."""
    names = tuple(files) if _fit(files) else (".",)
    shown = names[0] if len(names) == 1 else f"({len(names)} files)"
    match way:
        case Way.RUFF | Way.FLAKE8:
            return _python_lint(way, environment, names, rules)
        case Way.ESLINT:
            argv: tuple[str, ...] = ("node_modules/.bin/eslint", "--", *names)
            return Command(argv=argv, shown=f"eslint {shown}", needs="the project's node_modules (npm install)")
        case Way.GO:
            return Command(argv=("/bin/sh", "-c", _GOFMT, "gofmt", *names), shown=f"gofmt, go vet {shown}", needs="Go")
        case Way.CARGO:
            return Command(argv=("/bin/sh", "-c", _CLIPPY), shown="cargo fmt, cargo clippy", needs="Rust")
        case _:
            return Command(argv=("make", "lint"), shown="make lint", needs="make")


def _python_lint(way: Way, environment: Environment, names: Sequence[str], rules: str) -> Command:
    shown = names[0] if len(names) == 1 else f"({len(names)} files)"
    if way is Way.FLAKE8 and environment.has("flake8"):
        return Command(argv=(environment.python, "-m", "flake8", "--", *names), shown=f"flake8 {shown}")
    if environment.ruff is None:
        raise NoEnvironment("ruff is not installed", next_step="Install it: pip install ruff, in the environment.")
    options = ("check", "--no-cache", "--no-fix", "--force-exclude", "--output-format=concise", "--color=never")
    chosen = (f"--select={rules}",) if rules else ()
    return Command(
        argv=(str(environment.ruff), *options, *chosen, "--", *names), shown=f"ruff check {shown}", needs="ruff"
    )
