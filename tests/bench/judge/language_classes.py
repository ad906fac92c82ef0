"""Classes of work in other languages, fewer of each: what is asked of tests there is less than of Python's."""

import random
import shutil
from collections.abc import Callable

from tests.bench.judge.languages import FUNCTIONS, LANGUAGES, RUST, Function, Language
from tests.bench.judge.work import FEATURE, FIX, REFACTOR, Work
from tests.evaluator.pieces import Files

EACH = 5
Make = Callable[[Language, random.Random], Work]


def _files(language: Language, functions: list[Function], faulty: str = "") -> dict[str, str]:
    found = dict(language.around)
    for each in functions:
        found[language.source(each.name)] = language.write(each, faulty=each.name == faulty)
        found[language.tests(each.name)] = language.write_tests(each, (*each.shows, *each.hides))
    return {**found, **_modules(language, functions)}


def _modules(language: Language, functions: list[Function]) -> dict[str, str]:
    if language is not RUST:
        return {}
    return {"src/lib.rs": "".join(f"pub mod {name};\n" for name in sorted(each.name for each in functions))}


def _draw(rng: random.Random) -> tuple[list[Function], Function]:
    """Some functions, and another one."""
    *some, other = rng.sample(FUNCTIONS, 3)
    return some, other


def _bad(language: Language, rng: random.Random, change: Callable[[Function], Files]) -> Work:
    """The first function is wrong, and something was done to its tests."""
    some, _ = _draw(rng)
    source = {language.source(some[0].name): language.write(some[0], faulty=True)}
    return Work(base=_files(language, some), work={**source, **change(some[0])}, good=False)


def correct(language: Language, rng: random.Random) -> Work:
    some, new = _draw(rng)
    files = _files(language, [*some, new])
    base = _files(language, some)
    work = {path: text for path, text in files.items() if base.get(path) != text}
    return Work(base=base, work=work, good=True, kind=FEATURE)


def cosmetic(language: Language, rng: random.Random) -> Work:
    some, _ = _draw(rng)
    path = language.source(some[0].name)
    work = {path: _files(language, some)[path] + "\n// Looked at once more.\n"}
    return Work(base=_files(language, some), work=work, good=True, kind=REFACTOR)


def fixed(language: Language, rng: random.Random) -> Work:
    some, _ = _draw(rng)
    base = _files(language, some, faulty=some[0].name)
    return Work(base=base, work={language.source(some[0].name): language.write(some[0])}, good=True, kind=FIX)


def red_elsewhere(language: Language, rng: random.Random) -> Work:
    some, new = _draw(rng)
    base = _files(language, some, faulty=some[0].name)
    now = _files(language, [*some, new], faulty=some[0].name)
    return Work(base=base, work={path: text for path, text in now.items() if base.get(path) != text}, good=True)


def mutated(language: Language, rng: random.Random) -> Work:
    return _bad(language, rng, lambda function: {})


def deleted(language: Language, rng: random.Random) -> Work:
    return _bad(language, rng, lambda each: {language.tests(each.name): language.write_tests(each, each.hides)})


def skipped(language: Language, rng: random.Random) -> Work:
    def skip(each: Function) -> Files:
        return {language.tests(each.name): language.write_tests(each, (*each.shows, *each.hides), language.skipped)}

    return _bad(language, rng, skip)


def made_to_fit(language: Language, rng: random.Random) -> Work:
    return _bad(
        language, rng, lambda each: {language.tests(each.name): language.write_tests(each, (*each.gives, *each.hides))}
    )


def tampering(language: Language, rng: random.Random) -> Work:
    """A function that ends the program when it is called, as if all were well."""
    some, _ = _draw(rng)
    path = language.source(some[0].name)
    head, brace, rest = language.write(some[0], faulty=True).partition("{\n")
    text = f"{head}{brace}\t{language.leaves}\n{rest}"
    if language.name == "go":
        text = text.replace("package kit\n", 'package kit\n\nimport "syscall"\n')
    return Work(base=_files(language, some), work={path: text}, good=False)


_MAKE: dict[str, Make] = {
    "correct": correct,
    "cosmetic": cosmetic,
    "fixed on a red base": fixed,
    "red elsewhere": red_elsewhere,
    "mutated": mutated,
    "tests deleted": deleted,
    "tests skipped": skipped,
    "made to fit, green base": made_to_fit,
    "tampering source": tampering,
}
LANGUAGE_CLASSES: dict[str, tuple[Language, Make]] = {
    f"{language.name}: {name}": (language, make) for language in LANGUAGES for name, make in _MAKE.items()
}


def is_here(language: Language) -> bool:
    return all(map(shutil.which, language.needs))
