"""Which piece a class and a seed stand for: most are of generated programs, each fourth of a package.

Those in other languages have fewer seeds, and are left out where their tools are not on the machine.
"""

import random
from functools import cache

from tests.bench.judge.faults import Surveyed, survey
from tests.bench.judge.language_classes import EACH as EACH_LANGUAGE, LANGUAGE_CLASSES, is_here
from tests.bench.judge.package_classes import PACKAGE_CLASSES
from tests.bench.judge.packages import PACKAGES
from tests.bench.judge.programs import make_program
from tests.bench.judge.rung_classes import ALL_CLASSES
from tests.bench.judge.tally import GENERATED
from tests.bench.judge.work import Work
from tests.corpus.fetching import NotFetched

EACH = 40  # seeds of a class
KINDS = (*ALL_CLASSES, *(kind for kind, (language, _) in LANGUAGE_CLASSES.items() if is_here(language)))
OF_PACKAGES = 4  # one seed of so many


def piece_of(kind: str, seed: int) -> tuple[str, Work]:
    """And what it is made of. Where the registry does not answer, or nothing suits, a generated program stands in."""
    rng = random.Random(f"{kind} {seed}")
    if kind in LANGUAGE_CLASSES:
        language, make = LANGUAGE_CLASSES[kind]
        return GENERATED, make(language, rng)
    if seed % OF_PACKAGES == OF_PACKAGES - 1 and kind in PACKAGE_CLASSES and (known := _package(seed // OF_PACKAGES)):
        try:
            return known.name, PACKAGE_CLASSES[kind](known, rng)
        except IndexError:  # none of its faults is one for this class
            rng = random.Random(f"{kind} {seed}")
    return GENERATED, ALL_CLASSES[kind](make_program(random.Random(f"program {seed}")), rng)


def seeds_of(kind: str) -> int:
    return EACH_LANGUAGE if kind in LANGUAGE_CLASSES else EACH


@cache
def _package(number: int) -> Surveyed | None:
    try:
        known = survey(PACKAGES[number % len(PACKAGES)])
    except NotFetched:
        return None
    return known if known.faults else None
