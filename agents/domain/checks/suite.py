"""Results of a suite test by test, and what of them counts: the difference to what was so before the change."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Set
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Names of tests, as their runner tells them: `tests.test_cart.TestTotal.test_sum[2-3]`."""

    passed: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    skipped: frozenset[str] = frozenset()

    @property
    def all(self) -> frozenset[str]:
        return self.passed | self.failed | self.skipped

    @property
    def ran(self) -> frozenset[str]:
        return self.passed | self.failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Before:
    """What is known of the base: tests that fail there, and those that change their mind."""

    red: frozenset[str] = frozenset()
    unsteady: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    newly: tuple[str, ...]  # failing now, and not before
    before: tuple[str, ...]  # failing now as they did before
    unsteady: tuple[str, ...]  # failing now, and known to change their mind


def difference(failed: Set[str], known: Before) -> Difference:
    """A file that could not be read before holds whatever fails in it now."""
    unsteady = {name for name in failed if name in known.unsteady}
    red = {name for name in failed - unsteady if _failed_before(name, known.red)}
    return Difference(
        newly=tuple(sorted(failed - unsteady - red)),
        before=tuple(sorted(red)),
        unsteady=tuple(sorted(unsteady)),
    )


def _failed_before(name: str, red: Collection[str]) -> bool:
    """By its own name, or because its file could not be read."""
    return name in red or any(function_of(name).startswith(f"{each}.") for each in red)


def function_of(name: str) -> str:
    """Without the parameters of a case."""
    return name.partition("[")[0]


def newly_skipped(was: Results, now: Results, moved: Mapping[str, str]) -> list[str]:
    """Functions of which some cases pass as they were, and that skip one which they did not skip then."""
    passed = {moved.get(function_of(name), function_of(name)) for name in was.passed}
    known = {moved.get(of, of) + name.removeprefix(of) for name in was.skipped for of in [function_of(name)]}
    return sorted(passed & {function_of(name) for name in now.skipped - known})


def module_of(path: str) -> str:
    """How a runner calls a test file."""
    return path.rpartition(".")[0].replace("/", ".")


def is_in(name: str, path: str) -> bool:
    """Whether a test of that name is in a file. A runner that began in a folder names its files from there."""
    own, module = function_of(name), module_of(path)
    return own == module or own.startswith(f"{module}.") or _from_folder(own, module)


def _from_folder(own: str, module: str) -> bool:
    parts = module.split(".")
    return any(own.startswith(f"{'.'.join(parts[at:])}.") for at in range(1, len(parts)) if len(parts) - at > 1)


def names_file(name: str, path: str) -> bool:
    """Whether a name is that of a file itself, which could not be read."""
    module = module_of(path)
    return name == module or module.endswith(f".{name}")


def files_with(names: Iterable[str], paths: Iterable[str]) -> tuple[str, ...]:
    """The files that tests of these names are in."""
    wanted = tuple(names)
    return tuple(
        sorted(path for path in set(paths) if path.endswith(".py") and any(is_in(name, path) for name in wanted))
    )


def cases(names: Iterable[str]) -> Counter[str]:
    """How many cases each test has."""
    return Counter(map(function_of, names))


def fewer_cases(before: Iterable[str], now: Iterable[str], moved: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Tests that are still there with fewer cases than they had. `moved`: what a test is called now."""
    had, has = cases(before), cases(now)
    pairs = ((name, had[name], has[moved.get(name, name)]) for name in sorted(had))
    return {name: (many, now) for name, many, now in pairs if 0 < now < many}
