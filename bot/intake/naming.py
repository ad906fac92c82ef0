"""Commands of the operator and of admins that name projects, people and models; each is recorded with who gave it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from agents.domain.decisions.authority import Group, Presser, Rule, check
from agents.domain.errors import OverlordError
from agents.domain.ids import PersonId
from bot.cards.replies import named_card, outcome_card
from bot.config.changes import AddMember, AddProject, Change, RemoveMember, RemoveProject, SetModel
from bot.config.settings import Named
from bot.intake.engine_choices import FORM, obey_words
from bot.messages import Card, Said
from bot.permissions import Permissions
from store.running.acts import Act
from store.transaction import Transaction

ADMINS = Rule(who=frozenset({Group.ADMIN}), by_words=True)
CHOICES = Rule(who=frozenset({Group.APPROVER}), by_words=True)  # who may take back an engine that success chose
_PLACE = r"(?P<place>(?:[/~]|https?://|ssh://|file://|git@)\S*[^\s/])/?"
# Whole messages, with an address where something is added: "projects add dark mode" is a request.
_FORMS: tuple[tuple[str, Callable[..., Change] | None], ...] = (
    (rf"projects\s+add\s+(?P<project>\S+)\s+{_PLACE}(?:\s+in\s+(?P<channel>\S+))?", AddProject),
    (r"projects\s+remove\s+(?P<project>\S+)", RemoveProject),
    (r"people\s+add\s+(?P<account>[^\s:]+:\S+)\s+to\s+(?P<group>\S+)", AddMember),
    (r"people\s+remove\s+(?P<account>[^\s:]+:\S+)\s+from\s+(?P<group>\S+)", RemoveMember),
    (r"models\s+set\s+(?P<role>\S+)\s+(?P<model>\S+)", SetModel),
    (r"models\s+unset\s+(?P<role>\S+)", SetModel),
    (r"reload(?: the)? settings|settings reload", None),
)
_LISTS = r"(?:projects|models|people)(?:\s+list)?"
_ALL = (FORM, *(form for form, _ in _FORMS))
NAMING = f"(?P<words>{'|'.join([_LISTS, *(re.sub(r'[(][?]P<[a-z]+>', '(?:', form) for form in _ALL)])})"


@dataclass(frozen=True, slots=True)
class Naming:
    """`change`: None to read the settings again. `listing`: what is only asked for."""

    change: Change | None = None
    listing: str = ""


def read_naming(words: str) -> Naming:
    """What a command means. Raises OverlordError for words that are none."""
    if re.fullmatch(_LISTS, words, re.IGNORECASE):
        return Naming(listing=words.split()[0].lower())
    for form, make in _FORMS:
        if found := re.fullmatch(form, words, re.IGNORECASE):
            return Naming(make(**{name: part for name, part in found.groupdict().items() if part}) if make else None)
    raise OverlordError("I do not know this command", next_step="Say `help`.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Namer:
    """Who gives such a command, and where."""

    said: Said
    speaker: Presser
    permissions: Permissions
    named: Named

    def obey(self, words: str, tx: Transaction) -> Card | None:
        """A list is answered at once. A change is recorded, and carried out where files may be written."""
        said = self.said
        plain = " ".join(words.split())
        of_choices = re.fullmatch(FORM, plain, re.IGNORECASE) is not None
        rule = CHOICES if of_choices else ADMINS
        check(rule, self.speaker, PersonId(""), self.permissions.channel(said.channel))
        if of_choices:
            return outcome_card(obey_words(tx, plain, said.key, said.by, said.at), refused=False)
        naming = read_naming(plain)
        if naming.listing:
            return named_card(naming.listing, self.named, self.permissions.who_can_approve())
        tx.acts.record(Act(key=said.key, at=said.at, actor=said.by, words=plain, thread=said.thread))
        return None
