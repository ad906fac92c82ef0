"""Gathers what a role reads beside the files that its work is about: interfaces, standards, what guards a project."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from agents.domain.checks.scope import matches
from agents.domain.context.kinds_of_files import decisions, guards, interfaces, is_internal, standards
from agents.domain.context.listing import Listing
from agents.domain.context.packing import Part, Section
from agents.domain.context.public_api import public_api
from agents.domain.context.strategy import Condition, Input, Strategy
from agents.domain.context.variables import INTERNALS, patterns_of
from agents.domain.text.sanitize import cut
from agents.minions.reading import Reading, Texts

MOST_ALWAYS = 20  # files that a role reads whatever its subtask is
MOST_INCLUDED = 40
MOST_OFFERED = 1_600  # characters of what one offers
WHOLE = 400  # tokens; a file that is only imported and no longer than this is shown whole
OFFERS = "(what others may call; the rest is left out)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Gathering:
    strategy: Strategy
    listing: Listing
    reading: Reading
    texts: Texts

    def always(self) -> Iterator[Section]:
        """A project's rules, a conftest: whatever the subtask is."""
        return self.reading.sections(Part.RELATED, self._matching(self.strategy.always_include, MOST_ALWAYS))

    def imports(self, paths: Iterable[str]) -> Iterator[Section]:
        """What a long file offers whoever imports it; a minion that needs the rest of it reads it."""
        for section in self.reading.sections(Part.IMPORTS, paths):
            said = cut(public_api(section.name, section.text), MOST_OFFERED) if section.tokens > WHOLE else ""
            yield (
                replace(self.texts.section(section.part, section.name, f"{OFFERS}\n{said}"), name=section.name)
                if said
                else section
            )

    def rest(self) -> Iterator[Section]:
        """Each input that is wanted, the nearest to the work first."""
        yield from self._files(Part.IMPORTS, Input.INTERFACES, interfaces(self.listing.files))
        yield from self._public()
        yield from self.reading.sections(Part.RELATED, self._matching(self.strategy.include, MOST_INCLUDED))
        yield from self._files(Part.RELATED, Input.SECURITY, guards(self.listing.files))
        yield from self._files(Part.RELATED, Input.STANDARDS, standards(self.listing.files))
        yield from self._files(Part.RELATED, Input.DECISIONS, decisions(self.listing.files))

    def changes(self, diff: str) -> Iterator[Section]:
        """What the branch has changed so far."""
        if diff and (most := self.strategy.most(Input.GIT_DIFF)):
            yield self.texts.section(Part.CHANGES, "what this branch has changed so far", diff[:most])

    def _files(self, part: Part, wanted: Input, paths: Iterable[str]) -> Iterator[Section]:
        return self.reading.sections(part, islice(paths, self.strategy.most(wanted)))

    def _public(self) -> Iterator[Section]:
        """Names and signatures alone, of files that may themselves be left aside."""
        for path in islice(filter(is_internal, self.listing.files), self.strategy.most(Input.PUBLIC_API)):
            for section in self.reading.outline(Part.IMPORTS, path):
                if said := public_api(path, section.text):
                    yield replace(self.texts.section(Part.IMPORTS, path, said), name=f"{path}, what others may call")

    def _matching(self, written: Iterable[str], most: int) -> Iterator[str]:
        wanted = patterns_of(written)
        found = (path for path in self.listing.files if any(matches(path, each) for each in wanted)) if wanted else ()
        return islice(found, most)


def left_aside(strategy: Strategy, path: str) -> bool:
    """Whether a role never reads a file."""
    if INTERNALS in strategy.exclude and is_internal(path):
        return True
    return any(matches(path, pattern) for pattern in patterns_of(strategy.exclude))


def conditions_of(listing: Listing, diff: str, attempt: int) -> frozenset[Condition]:
    holds = {
        Condition.GIT_DIFF: bool(diff),
        Condition.RETRY: attempt > 1,
        Condition.INTERFACES: next(interfaces(listing.files), None) is not None,
    }
    return frozenset(name for name, value in holds.items() if value)
