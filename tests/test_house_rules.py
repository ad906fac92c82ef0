"""Rules of the house that ruff, mypy and import-linter cannot hold; CONTRIBUTING.md says why each is there."""

import ast
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from bot.config.platforms import OWN, REGISTRY

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("bot", "agents", "store", "manifests")
LONGEST_MODULE, LONGEST_FUNCTION = 400, 40
HOLLOW_NAME = re.compile(r"(Manager|Helper|Utils?|Handler|Orchestrator|Worker)$")
# The last stop before the process itself: a job or a delivery that failed in a way nobody foresaw is told, not lost.
MAY_CATCH_ANYTHING = (
    "bot/running/jobs.py",
    "bot/running/scheduler.py",
    "bot/platforms/slack/gateway.py",
    "bot/platforms/discord/gateway.py",
    "store/database.py",  # the writer hands whatever a transaction raises to whoever asked for it
)
READS_THE_CLOCK = ("datetime.now", "datetime.utcnow", "datetime.today", "date.today", "time.time", "time.monotonic")
STARTS = re.compile(r"\bsubprocess\b|create_subprocess|\bexec[lv]|\bspawn")
# Spelled in halves, so that this file does not find itself.
PATCHING = re.compile(r"unittest" + r"\.mock|from unittest import .*\bmock\b|monkeypatch" + r"\.setattr")


def sources(*folders: str) -> list[str]:
    """Paths of our Python files, from the root; sample repositories are not ours to judge."""
    found = (path.relative_to(ROOT) for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return sorted(path.as_posix() for path in found if not path.is_relative_to("manifests/samples"))


def of_every(*folders: str) -> Callable[[Callable[[str], None]], Callable[[], None]]:
    """A rule for each of their files. One test, which names all that break it: a test a file takes longer to count."""

    def one_test(rule: Callable[[str], None]) -> Callable[[], None]:
        def test() -> None:
            broken = [told for source in sources(*folders) if (told := _broken(rule, source))]
            assert not broken, "\n".join(broken)

        return test

    return one_test


def _broken(rule: Callable[[str], None], source: str) -> str:
    try:
        rule(source)
    except AssertionError as said:
        return str(said).partition("\n")[0] or source
    return ""


@cache
def text_of(source: str) -> str:
    return (ROOT / source).read_text(encoding="utf-8")


@cache
def tree_of(source: str) -> ast.Module:
    return ast.parse(text_of(source), filename=source)


def calls(source: str) -> Iterator[tuple[int, str]]:
    """Every call as (line, dotted name): `yaml.load(text)` gives "yaml.load"."""
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.Call):
            yield node.lineno, ast.unparse(node.func)


def catches_anything(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException") for kind in caught)


@of_every(*PACKAGES, "tests")
def test_a_module_says_what_it_is_for(source: str) -> None:
    empty = not text_of(source).strip()
    assert empty or ast.get_docstring(tree_of(source)), f"{source}: begin with one line on what it is for"


@of_every(*PACKAGES, "tests")
def test_a_module_fits_one_sitting(source: str) -> None:
    lines = len(text_of(source).splitlines())
    assert lines <= LONGEST_MODULE, f"{source} has {lines} lines, the wall is {LONGEST_MODULE}: split it by concept"


@of_every(*PACKAGES)
def test_a_function_fits_one_screen(source: str) -> None:
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            assert lines <= LONGEST_FUNCTION, f"{source}:{node.lineno} {node.name} has {lines} lines: name its steps"


@of_every(*PACKAGES)
def test_a_class_is_named_after_a_thing(source: str) -> None:
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.ClassDef):
            assert not HOLLOW_NAME.search(node.name), f"{source}:{node.lineno} {node.name}: take a word of the glossary"


# A lone participle: `told`, `packed`. Not what only ends like one.
PARTICIPLE = re.compile(
    r"(?!need|feed|embed|seed|speed|exceed|proceed)[a-z]+ed|told|said|shown|kept|found|seen|laid|lent|made|done|sent|held"
    r"|built|given|taken|known|gone|left|drawn|written|spent|paid|lost|met|hidden|chosen|bound|begun|worn|heard|brought"
)


@of_every(*PACKAGES)
def test_no_function_is_named_by_a_lone_participle(source: str) -> None:
    """`told` says neither what is done nor what comes back. Methods and properties count as well."""
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lone = PARTICIPLE.fullmatch(node.name)
            assert not lone, f"{source}:{node.lineno} {node.name}: take a verb, or a noun for what it returns"


@of_every(*PACKAGES)
def test_only_the_outermost_loops_catch_anything(source: str) -> None:
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.ExceptHandler) and catches_anything(node):
            assert source in MAY_CATCH_ANYTHING, f"{source}:{node.lineno} catches everything: name what you expect"


@of_every("agents/domain")
def test_the_domain_is_told_the_time(source: str) -> None:
    for line, name in calls(source):
        assert not name.endswith(READS_THE_CLOCK), (
            f"{source}:{line} {name}() reads a clock: take the time as an argument"
        )


_DOMAIN = "agents/domain"
_KINDS = f"{_DOMAIN}/decisions/kinds"
# Modules of the domain that hold sentences, and for whom. Those for people are errors, and advice on settings.
MAY_HOLD_SENTENCES = {
    f"{_DOMAIN}/checks/evaluation.py": "reviewers and the next attempt read it; advice on a setting",
    f"{_DOMAIN}/checks/remote.py": "the next attempt reads it",
    f"{_DOMAIN}/checks/scope.py": "minions read why a path is refused",
    f"{_DOMAIN}/context/diff_text.py": "reviewers read it",
    f"{_DOMAIN}/context/packing.py": "minions read it",
    f"{_DOMAIN}/context/strategy.py": "advice on a setting",
    f"{_DOMAIN}/decisions/answering.py": "words that people say",
    f"{_KINDS}/plan/no_plan.py": "the planner reads it",
    **dict.fromkeys(
        (f"{_KINDS}/work/{name}.py" for name in ("interface", "question", "scope", "taken")), "the minion reads it"
    ),
    f"{_DOMAIN}/learning/proposing.py": "the text of a task that is proposed",
    f"{_DOMAIN}/learning/obstacle.py": "words that programs say",
    f"{_DOMAIN}/models/failure.py": "models read it",
    f"{_DOMAIN}/models/program_end.py": "words that programs say",
    f"{_DOMAIN}/models/routing.py": "why a setting led to a model",
    f"{_DOMAIN}/phases/phase.py": "minions read it",
    f"{_DOMAIN}/planning/decomposition.py": "the text of a subtask",
    f"{_DOMAIN}/planning/fitting.py": "why a role is not taken, for whoever named it",
    f"{_DOMAIN}/planning/ladder.py": "the planner reads it; the text of a subtask",
    f"{_DOMAIN}/planning/opening.py": "the text of a subtask",
    f"{_DOMAIN}/planning/plan_editing.py": "an error: what is wrong with an edit",
    f"{_DOMAIN}/planning/plan_faults.py": "the planner reads what is wrong with its plan",
    f"{_DOMAIN}/knowledge/document.py": "errors: why a file is no note, and what to do; the head of the index",
    f"{_DOMAIN}/knowledge/shelf.py": "errors: the same",
    f"{_DOMAIN}/knowledge/note.py": "models read it: why a note was refused",
    f"{_DOMAIN}/text/synonyms.py": "words that models say",
    f"{_DOMAIN}/text/said_json.py": "models read it: what was wrong with an answer",
    f"{_DOMAIN}/planning/planted.py": "models read it",
    f"{_DOMAIN}/task/decide.py": "models read it",
    f"{_DOMAIN}/asking/meaning.py": "a model reads it: what a message may be",
    f"{_DOMAIN}/asking/remarks.py": "a model reads it: what a remark may mean",
    f"{_DOMAIN}/skills/drafting.py": "a plan that code writes, as planners write theirs; what its author must mend",
    f"{_DOMAIN}/skills/forbidden.py": "what a check found, for whoever mends it",
    f"{_DOMAIN}/skills/scan.py": "the same",
    f"{_DOMAIN}/skills/spec.py": "what is wrong with a field, for whoever mends it",
    f"{_DOMAIN}/task/fold.py": "an error: what cannot be done now",
    f"{_DOMAIN}/task/listening.py": "minions read it",
    f"{_DOMAIN}/text/secret_shapes.py": "names of kinds of secrets",
    f"{_DOMAIN}/work/fold.py": "what a person does in place of a minion, as its prompt says it",
    f"{_DOMAIN}/work/git_names.py": "advice on a setting; a commit nobody named",
    f"{_DOMAIN}/workflow/custom_tools.py": "advice on a setting; a minion reads what it cannot hand over",
    **dict.fromkeys(
        (f"{_DOMAIN}/workflow/{name}.py" for name in ("role_layers", "role_limits")), "advice on a setting"
    ),
}
_WORDS = re.compile(r"\b[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}\b")


def sentences(source: str) -> list[str]:
    """Texts of three words or more, but for docstrings and errors."""
    tree = tree_of(source)
    left_out = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        an_error = isinstance(node, ast.ClassDef) and re.search(
            r"Error|Refused|Failed", ast.unparse(node).split(":")[0]
        )
        if isinstance(node, ast.Raise | ast.Assert) or an_error:
            left_out |= {id(part) for part in ast.walk(node)}
    texts = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in left_out)
    return [text.value for text in texts if isinstance(text.value, str) and _WORDS.search(text.value)]


@of_every(_DOMAIN)
def test_the_domain_holds_no_sentences_for_people(source: str) -> None:
    """It gives reasons as values (`reason.py`); words are in bot/cards."""
    said = sentences(source)
    if source in MAY_HOLD_SENTENCES:
        assert said, f"{source} says nothing any more: take it off the list"
    else:
        assert not said, f"{source} says {said[0]!r}: give a Reason, and its words in bot/cards/reasons.py"


@of_every(*PACKAGES, "tests")
def test_yaml_is_never_loaded_unsafely(source: str) -> None:
    for line, name in calls(source):
        assert name != "yaml.load", f"{source}:{line} yaml.load runs what it reads: use the catalog's safe reader"


@of_every(*PACKAGES)
def test_only_one_module_starts_git(source: str) -> None:
    """What keeps a hostile repository from running anything stands there once."""
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.Call) and STARTS.search(ast.unparse(node.func)):
            named = any(isinstance(part, ast.Constant) and part.value == "git" for part in ast.walk(node))
            assert not named or source == "agents/workspace/git/git.py", f"{source}:{node.lineno} starts git by itself"


@of_every("tests")
def test_tests_patch_nothing(source: str) -> None:
    found = PATCHING.search(text_of(source))
    assert not found, f"{source} patches ({found and found[0]}): write a fake of the port in tests/fakes instead"


@pytest.mark.parametrize("package", PACKAGES)
def test_the_packages_are_ours(package: str) -> None:
    """Other distributions install a top-level `agents` or `bot` too, and would win without a word."""
    places = [Path(place).resolve() for place in import_module(package).__path__]
    assert places == [ROOT / package], f"`import {package}` finds {places}: another distribution took the name"


CITED = re.compile(r"\b(M\d{3}|C\d{2}|P\d{1,2})\b|\b[Aa]ttacks? (\d+(?:(?:[–,]| to| and) ?\d+)*)")
# Pages that were never part of the repository; spelled in halves, so that this file does not find itself.
ABSENT = re.compile(
    r"\b(AUTHORITY|RULINGS|CHAT|WORDS|PROMISES|CHECKLIST|NAMES|EXAMPLES|STYLE)" + r"\.md\b|the facts" + " page"
)


def cited(text: str) -> Iterator[str]:
    """Ids of promises and attacks; "attacks 31–33" is three of them."""
    for found in CITED.finditer(text):
        if found[1]:
            yield found[1]
        else:
            for first, last in re.findall(r"(\d+)(?:–(\d+))?", found[2]):
                yield from map(str, range(int(first), int(last or first) + 1))


def test_what_is_cited_is_explained() -> None:
    """A reader who meets a number finds its reason: docs/requirements.md has one line for each."""
    first_cells = re.findall(r"(?m)^\| ([P\d][\d, ]*) \|", (ROOT / "docs/requirements.md").read_text())
    explained = {each for cell in first_cells for each in cell.split(", ")}
    pages = (path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")))
    texts = [*sources(*PACKAGES, "tests"), *pages]
    unexplained = {source: sorted(set(cited(text_of(source))) - explained) for source in texts}
    assert {source: ids for source, ids in unexplained.items() if ids} == {}
    assert [source for source in texts if ABSENT.search(text_of(source))] == [], "cite what is in the repository"


OTHERS = tuple(name for name in REGISTRY if name != OWN)
# The registry itself; and what the tokens of well-known services look like, whether or not we talk there.
MAY_NAME_A_PLATFORM = (
    "bot/config/platforms.py",
    "agents/domain/text/secret_shapes.py",
    "agents/domain/text/secret_checks.py",
)


@of_every("bot", "agents", "store")
def test_only_a_platforms_folder_names_it(source: str) -> None:
    """So that another platform is a folder and a row; `OWN` is how the rest speaks of the one that is always there."""
    if source in MAY_NAME_A_PLATFORM or source.startswith("bot/platforms/"):
        return
    named = re.search("|".join(OTHERS), text_of(source), re.IGNORECASE)
    assert not named, f"{source} names {named and named[0]}: ask its PLATFORM object instead"
    for node in ast.walk(tree_of(source)):
        text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
        assert text != OWN and not re.match(rf"{OWN}:\S", text), f"{source}: say OWN for {text!r}"
        imported = isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bot.platforms.")
        assert not imported, f"{source} imports a platform: load what its PLATFORM object names"


# A kind of decision is named as what it is about, and a flow as the stage that it runs.
NAMED_AFTER = ("agents/domain/decisions/kinds", "bot/cards/kinds", "agents/flows")


def test_a_module_name_stands_for_one_thing() -> None:
    """In a layer it occurs twice only in rooms that stand beside each other, where it plays the same part."""
    named: dict[tuple[str, str], list[str]] = {}
    for source in sources("bot", "agents", "store"):
        room, _, name = source.rpartition("/")
        if name != "__init__.py" and not source.startswith(NAMED_AFTER):
            named.setdefault((source.partition("/")[0], name), []).append(room)
    twice = {name: rooms for name, rooms in named.items() if len({room.rpartition("/")[0] for room in rooms}) > 1}
    assert not twice, f"call them what they are: {twice}"


MOST_IN_A_ROOM = 14


def test_a_room_has_few_modules() -> None:
    rooms: dict[str, int] = {}
    for source in sources("bot", "agents", "store"):
        room, _, name = source.rpartition("/")
        rooms[room] = rooms.get(room, 0) + (name != "__init__.py")
    crowded = {room: count for room, count in rooms.items() if count > MOST_IN_A_ROOM}
    assert not crowded, f"more than {MOST_IN_A_ROOM} modules: {crowded}"


LAZY_IMPORTS = 15  # the command groups, and what is loaded once the console answers


def test_our_own_modules_are_imported_at_the_top() -> None:
    found = [f"{source}:{line}" for source in sources("bot", "agents", "store") for line in _inner_imports(source)]
    assert len(found) <= LAZY_IMPORTS, found


def _inner_imports(source: str) -> Iterator[int]:
    functions = (node for node in ast.walk(tree_of(source)) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    for node in (inner for function in functions for inner in ast.walk(function)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in ("bot", "agents", "store"):
            yield node.lineno


DEEPEST_IMPORT = 9  # inside the domain, those in functions counted; it never grows


def test_imports_of_the_domain_are_not_deep() -> None:
    """A reader of one module of it should not have to open a long chain of others."""
    names = {
        source.removesuffix(".py").removesuffix("/__init__").replace("/", "."): source
        for source in sources("agents/domain")
    }
    needs = {name: {each for each in _imported(source, names) if each != name} for name, source in names.items()}

    @cache
    def depth(name: str) -> int:
        return 1 + max((depth(each) for each in needs[name]), default=0)

    deepest = max(names, key=depth)
    assert depth(deepest) <= DEEPEST_IMPORT, f"{deepest} imports {depth(deepest)} levels deep"


def _imported(source: str, names: Collection[str]) -> Iterator[str]:
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.ImportFrom) and node.module and node.module in names:
            for alias in node.names:
                yield full if (full := f"{node.module}.{alias.name}") in names else node.module
