"""A bot with its person and its outside, for one test: what is said, seen and waited for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bot.messages import Button
from tests.fakes.ports import free_port
from tests.faults.console_trial import Swap, furnished, the_bot
from tests.faults.killing import Mortal, living, until
from tests.faults.outside import Glimpse, Outside, Shown
from tests.faults.person import Person


class Visit:
    def __init__(self, home: Path, mortal: Mortal) -> None:
        self.home, self.mortal = home, mortal
        self.outside = Outside(home / "overlord.db")
        self.person = Person(mortal, "visitor")
        self.stalled: list[str] = []

    def until(self, condition: Callable[[Glimpse], bool], what: str) -> None:
        """Wait for something that can be seen from outside; meanwhile no task may ever stand still (P6)."""

        def holds() -> bool:
            with self.outside.look() as glimpse:
                self.stalled += glimpse.stalled
                return condition(glimpse)

        until(holds, self.mortal, what=what)

    def until_idle(self) -> None:
        self.until(lambda glimpse: glimpse.is_idle, "nothing is left to do")

    def thread(self, thread: str) -> list[Shown]:
        with self.outside.look() as glimpse:
            return glimpse.thread(thread)

    def waited_for(self, thread: str, title: str) -> Shown:
        """The card with buttons whose title ends so."""

        def there(glimpse: Glimpse) -> bool:
            return any(s.title.endswith(title) and s.card and s.card.buttons for s in glimpse.thread(thread))

        self.until(there, f"the card “{title}”")
        return next(s for s in self.thread(thread) if s.title.endswith(title))

    def press(self, label: str, on: Shown, thread: str) -> None:
        assert on.card
        button: Button = next(b for b in (*on.card.buttons, *on.card.more) if b.label.startswith(label))
        self.person.press(button, on, thread)


@contextmanager
def visiting(home: Path, swap: Swap | None = None) -> Iterator[Visit]:
    mortal = Mortal(the_bot(furnished(home), free_port(), swap), home / "bot.log")
    with living(mortal):
        visit = Visit(home, mortal)
        yield visit
        visit.person.close()
    assert not visit.stalled
    with visit.outside.look() as glimpse:
        assert not glimpse.wrongs()
