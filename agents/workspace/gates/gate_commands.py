"""The commands that gates run, without a shell around names from the project."""

import json
import re
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from agents.domain.checks.evaluation import FILES
from agents.workspace.environments.tree_environment import Environment, NoEnvironment
from agents.workspace.gates import detect
from agents.workspace.gates.detect import Look, Way
from agents.workspace.gates.planted.plant import Planted

# Where nobody configured a linter: what cannot be read or run, names that are nowhere, formats and comparisons that
# break. No unused import, no length of lines: that is taste.
PLAIN_RULES = "E9,F501,F502,F503,F505,F506,F507,F508,F509,F521,F524,F62,F63,F70,F82"
NICE = ("nice", "-n", "10")
NAMES_MOST = 40_000  # bytes of names in a command; if there are more, the linter looks at all files
_MEASURE = (
    "python=$0; out=$1; files=$2; shift 2\n"
    "printf '[run]\\ndisable_warnings = no-data-collected,module-not-measured\\n' > \"$out/rc\"\n"
    'exec "$python" -m coverage run --rcfile="$out/rc" --data-file="$out/data" --include="$files" -m pytest "$@"\n'
)
# Lines test by test: those of the tests that are named, and those of all others together.
_MEASURE_BY_TEST = (
    "python=$0; out=$1; files=$2; OVERLORD_NEW_TESTS=$3; more=$4; shift 4; export OVERLORD_NEW_TESTS\n"
    'printf \'[run]\\ndisable_warnings = no-data-collected,module-not-measured\\n%s\\n\' "$more" > "$out/rc"\n'
    'exec "$python" -m coverage run --rcfile="$out/rc" --data-file="$out/data" --include="$files" -m pytest "$@"\n'
)
EVERY_FILE = "./*,./**/*"
BY_TEST_SECONDS = 120.0  # a run of its own, which nothing waits for longer: then it is not measured
# In a package's folder; what it imports of itself is what lies there.
_INSIDE = (
    'cd "./$0" || exit 2\n'
    'if [ -d src ]; then PYTHONPATH="$PWD/src${PYTHONPATH:+:$PYTHONPATH}"; export PYTHONPATH; fi\n'
    'exec "$@"'
)
_ESLINT = (
    "up=.\nfor step in 1 2 3 4; do\n"
    '  if [ -x "$up/node_modules/.bin/eslint" ]; then exec "$up/node_modules/.bin/eslint" "$@"; fi\n'
    "  up=$up/..\ndone\necho 'eslint: not found'; exit 127"
)
# How code is laid out is taste, which counts only where a project has set it up.
_CLIPPY = (
    "command -v cargo >/dev/null || { echo 'cargo is not installed'; exit 127; }\n"
    "if [ -f rustfmt.toml ] || [ -f .rustfmt.toml ]; then\n"
    "  if command -v rustfmt >/dev/null; then cargo fmt --check || exit 1; fi\n"
    "fi\n"
    "if command -v cargo-clippy >/dev/null; then exec cargo clippy --offline --quiet; fi"
)


# An operator's command that starts pytest and nothing else, with options that leave no test out.
_STARTS_PYTEST = re.compile(r"(?:\.?venv/bin/)?(?:python3?(?:\.\d+)? -m )?(?:pytest|py\.test)(?= |$)")
_OF_SHELLS = frozenset("&|;<>`$()*?~{}#!\\\n")
_KEPT_OPTION = re.compile(
    r"-[qvslx]+|-r\w+|--exitfirst|--(?:maxfail|tb|durations|color|verbosity|import-mode|cov|cov-[\w-]+|timeout)(?:=.*)?"
    r"|--(?:strict(?:-\w+)?|no-header|no-summary|disable-warnings|showlocals|quiet|verbose|doctest-modules|no-cov)"
)
_WITH_VALUE = ("-n", "-p", "-W", "-o")
_STOPS_EARLY = re.compile(r"-\w*x\w*|--exitfirst|--maxfail.*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`shown` is for people; `needs` is what to install if it is not found; `report` is where pytest writes."""

    argv: tuple[str, ...]
    shown: str
    needs: str = ""
    report: str = ""
    measured: tuple[str, ...] = ()  # files whose coverage it writes down
    plants: Planted | None = None  # which runner is given planted tests, too
    is_suite: bool = False  # whether it runs tests
    after: tuple[str, ...] = ()  # turns what was measured into a report, when nothing of the command is left
    folder: str = ""  # of the package that it is run in; empty: the root
    seconds: float = 0.0  # it may take, if that is less than a gate may

    @property
    def line(self) -> tuple[str, ...]:
        """What is started, from the root of a tree."""
        return ("/bin/sh", "-c", _INSIDE, self.folder, *self.argv) if self.folder else self.argv

    @property
    def words(self) -> str:
        """For people and minions."""
        return f"cd {shlex.quote(self.folder)} && {self.shown}" if self.folder else self.shown

    @property
    def measured_names(self) -> str:
        """The measured files as the command is given them."""
        return ",".join(name.removeprefix(f"{self.folder}/") if self.folder else name for name in self.measured)


def shell(command: str) -> Command:
    """What the operator wrote."""
    return Command(argv=("/bin/sh", "-c", command), shown=command, needs="the program that it names")


def lint_by(command: str, files: Sequence[str]) -> Command:
    quoted = " ".join(shlex.quote(f"./{name}") for name in files)
    return shell(command.replace(FILES, quoted if len(quoted.encode()) <= NAMES_MOST else "."))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in a tree a command looks. `others`: packages beneath it that are none of its business."""

    folder: str = ""
    others: tuple[str, ...] = ()

    def outside(self, path: str) -> str:
        """What is named from the root, as it is called in the folder."""
        climbs = self.folder.count("/") + 1 if self.folder and not path.startswith("/") else 0
        return f"{'../' * climbs}{path}"

    def inside(self, path: str) -> str:
        return path.removeprefix(f"{self.folder}/") if self.folder else path


ROOT = Place()


def one_after_another(commands: Sequence[Command]) -> Command | None:
    """One that ends with the first that fails."""
    if len(commands) < 2:
        return commands[0] if commands else None
    script = " && ".join(f"({shlex.join(command.line)})" for command in commands)
    return Command(argv=("/bin/sh", "-c", script), shown=" && ".join(f"({command.words})" for command in commands))


def tests(way: Way, environment: Environment, out: str, measured: Sequence[str] = (), place: Place = ROOT) -> Command:
    """`out` is a fresh folder beneath the tree, for reports; `measured` are files whose coverage is wanted."""
    command = _pytest(environment, out, measured, place) if way is Way.PYTEST else _TESTS[way]
    return replace(command, folder=place.folder, is_suite=True)


def tests_by(command: str, plain: Command | None, tests: Collection[str], place: Place) -> Command:
    """What the operator wrote: told test by test, as `plain` is, where it is pytest for all these tests; else by how it
    ends, and by what the one pytest says that it starts."""
    given = _given_to_pytest(command, [place.inside(path) for path in tests])
    if given is None or plain is None:
        plants = Planted.BENEATH if command.count("pytest") == 1 else None
        return replace(shell(command), folder=place.folder, is_suite=True, plants=plants)
    return replace(plain, argv=(*plain.argv, *given), shown=command)


def _given_to_pytest(command: str, tests: Sequence[str]) -> list[str] | None:
    """None: it starts something else too, or leaves out some of these tests. It may not stop at what fails first."""
    starts = _STARTS_PYTEST.match(command.strip())
    if starts is None or _OF_SHELLS.intersection(command):
        return None
    try:
        words = shlex.split(command.strip()[starts.end() :])
    except ValueError:
        return None
    places, kept = list[str](), list[str]()
    for at, word in enumerate(words):
        if word in _WITH_VALUE or (at and words[at - 1] in _WITH_VALUE) or _KEPT_OPTION.fullmatch(word):
            kept += [] if _STOPS_EARLY.fullmatch(word) else [word]
        elif word.startswith("-") or ":" in word:
            return None
        else:
            places.append(word.removeprefix("./").rstrip("/"))
    whole = all(any(each in (".", path) or path.startswith(f"{each}/") for each in places) for path in tests)
    return [*kept, *places] if whole or not places else None


_TESTS = {
    Way.NPM: Command(argv=("npm", "test", "--silent"), shown="npm test", needs="Node.js with npm"),
    Way.GO: Command(argv=("go", "test", "./..."), shown="go test ./...", needs="Go"),
    Way.CARGO: Command(argv=("cargo", "test", "--offline", "--no-fail-fast"), shown="cargo test", needs="Rust"),
    Way.MAKE: Command(argv=("make", "test"), shown="make test", needs="make"),
}


def _fit(names: Sequence[str]) -> bool:
    return sum(len(name.encode(errors="surrogateescape")) + 1 for name in names) <= NAMES_MOST


def collect(environment: Environment, place: Place = ROOT) -> Command:
    """Whether pytest can find the tests at all."""
    options = ("-q", "--collect-only", *_ignored(place))
    argv = (environment.python, "-m", "pytest", *options)
    return Command(argv=argv, shown="pytest --collect-only", folder=place.folder)


def _ignored(place: Place) -> tuple[str, ...]:
    return tuple(f"--ignore={place.inside(other)}" for other in place.others)


def _pytest(environment: Environment, out: str, measured: Sequence[str], place: Place) -> Command:
    if not environment.has("pytest"):
        raise NoEnvironment(
            f"pytest is not in {environment.venv}",
            next_step=f"Install it there: {environment.python} -m pip install pytest.",
        )
    report = f"{out}/junit.xml"
    told = ("-q", "-rfE", "--tb=short", "--color=no", f"--junitxml={place.outside(report)}")
    options = (*told, *_ignored(place))
    named = tuple(name for name in measured if not set(name) & set(",*?[]"))
    if not named or not _fit(named) or not environment.has("coverage"):
        argv: tuple[str, ...] = (environment.python, "-m", "pytest", *options)
        return Command(argv=argv, shown="pytest -q", needs="Python", report=report, plants=Planted.PYTEST)
    files = ",".join(map(place.inside, named))
    argv = ("/bin/sh", "-c", _MEASURE, environment.python, place.outside(out), files, *options)
    after = _read_coverage(environment, place.outside(out))
    return Command(
        argv=argv, shown="pytest -q", needs="Python", report=report, measured=named, plants=Planted.PYTEST, after=after
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ByTest:
    """Which lines run in which tests."""

    wanted: Sequence[str]  # tests that are told apart: `file::test`
    sources: Sequence[str] = ()  # files that are measured; none: all
    paths: Sequence[str] = ()  # test files that are run; none: all
    alone: bool = False  # the project measures its own tests, and must not this time


def measure_by_test(environment: Environment, out: str, asked: ByTest, place: Place) -> Command | None:
    """None: nothing here measures that."""
    wanted, sources = asked.wanted, asked.sources
    named = tuple(name for name in map(place.inside, sources) if not set(name) & set(",*?[]"))
    if not environment.has("coverage") or not _fit((*named, *wanted)) or len(named) < len(sources):
        return None
    plain = _pytest(environment, out, (), place)
    options = plain.argv[3:]
    own = ("--no-cov",) if asked.alone and environment.has("pytest_cov") else ()
    at_once = "concurrency = thread,greenlet" if environment.has("greenlet") else ""
    files = ",".join(named) or EVERY_FILE
    start = ("/bin/sh", "-c", _MEASURE_BY_TEST, environment.python, place.outside(out), files)
    argv = (*start, json.dumps(list(wanted)), at_once, *options, *own, *asked.paths)
    after = _read_coverage(environment, place.outside(out), "--show-contexts")
    return replace(
        plain, argv=argv, after=after, measured=named or (EVERY_FILE,), folder=place.folder, seconds=BY_TEST_SECONDS
    )


def _read_coverage(environment: Environment, out: str, *more: str) -> tuple[str, ...]:
    """-I: nothing that lies in the tree is loaded."""
    program = (environment.python, "-I", "-m", "coverage", "json", "-q", *more)
    return (*program, "--rcfile=/dev/null", f"--data-file={out}/data", "-o", f"{out}/coverage.json")


def lint(way: Way, environment: Environment, files: Sequence[str], *, rules: str = "", place: Place = ROOT) -> Command:
    """`rules`: for ruff, where the project says nothing about them."""
    inside = tuple(map(place.inside, files))
    names = inside if _fit(inside) else (".",)
    return replace(_lint(way, environment, names, rules), folder=place.folder)


def _lint(way: Way, environment: Environment, names: tuple[str, ...], rules: str) -> Command:
    shown = names[0] if len(names) == 1 else f"({len(names)} files)"
    match way:
        case Way.RUFF | Way.FLAKE8:
            return _python_lint(way, environment, names, shown, rules)
        case Way.ESLINT:
            argv: tuple[str, ...] = ("/bin/sh", "-c", _ESLINT, "eslint", "--", *names)
            return Command(argv=argv, shown=f"eslint {shown}", needs="the project's node_modules (npm install)")
        case Way.GO:
            return Command(argv=("go", "vet", "./..."), shown="go vet ./...", needs="Go")
        case Way.CARGO:
            return Command(argv=("/bin/sh", "-c", _CLIPPY), shown="cargo clippy", needs="Rust")
        case _:
            return Command(argv=("make", "lint"), shown="make lint", needs="make")


def lint_python(look: Look, environment: Environment, files: Sequence[str]) -> Command | None:
    """By ruff, which says what it found file by file. None: the project is not linted so, or none of them is one."""
    way = detect.lint(look)
    wanted = [path for path in files if way and detect.LINTED[way].search(path)]
    if way is None or not wanted or not lints_by_ruff(way, environment) or not _fit(wanted):
        return None
    return lint(way, environment, wanted, rules="" if detect.ruff_is_set_up(look) else PLAIN_RULES)


def lint_before(command: Command, commit: str, files: Sequence[str]) -> tuple[str, ...]:
    """What ruff said of these files as they were, from a folder with its git."""
    ruff = shlex.join(command.argv[: command.argv.index("--")])
    script = f'for each in "$@"; do git show "$0:$each" 2>/dev/null | {ruff} --stdin-filename "$each" -; done; exit 0'
    return ("/bin/sh", "-c", script, commit, *(path for path in files if path in command.argv))


def lints_by_ruff(way: Way, environment: Environment) -> bool:
    """Also in place of a flake8 that is set up, but not installed."""
    return way is Way.RUFF or (way is Way.FLAKE8 and not environment.has("flake8"))


def _python_lint(way: Way, environment: Environment, names: Sequence[str], shown: str, rules: str) -> Command:
    if not lints_by_ruff(way, environment):
        return Command(argv=(environment.python, "-m", "flake8", "--", *names), shown=f"flake8 {shown}")
    if environment.ruff is None:
        raise NoEnvironment("ruff is not installed", next_step="Install it: pip install ruff, in the environment.")
    options = ("check", "--no-cache", "--no-fix", "--force-exclude", "--output-format=concise", "--color=never")
    chosen = (f"--select={rules}",) if rules else ()
    return Command(
        argv=(str(environment.ruff), *options, *chosen, "--", *names), shown=f"ruff check {shown}", needs="ruff"
    )
