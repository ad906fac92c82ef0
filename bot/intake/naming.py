"""Who may decide something, by name: for people who may not."""

from agents.domain.decisions.authority import Group, NotYours, entitled
from agents.domain.errors import OverlordError
from agents.domain.ids import Account, PersonId, surface_of
from bot.config.accounts import MEMBERSHIPS
from bot.permissions import Permissions
from store.books import Books

NAMED = 5


def with_names(error: OverlordError, channel: str, books: Books, permissions: Permissions) -> OverlordError:
    """The refusal with the people who may; where nobody is named, with how to name them."""
    if not isinstance(error, NotYours):
        return error
    if names := _names(error, books, permissions):
        more = f" or {len(names) - NAMED} more: say `who can approve`" if len(names) > NAMED else ""
        error.next_step += f" You can ask {_listed(names[:NAMED])}{more}."
    else:
        nobody = permissions.nobody_in(error.rule, channel)
        error.next_step = nobody or f"{error.next_step} You can ask the operator; nobody else is named."
    return error


def unmet(error: OverlordError, channel: str, books: Books, permissions: Permissions) -> tuple[Account, ...]:
    """Those whose name only their platform knows: it shows one where it is told whom to call."""
    if not isinstance(error, NotYours):
        return ()
    here = [each for each in _accounts(error, permissions) if surface_of(each) == surface_of(channel)]
    return tuple(account for account in dict.fromkeys(here) if books.people.find(account) is None)[:NAMED]


def _accounts(error: NotYours, permissions: Permissions) -> list[Account]:
    groups = entitled(error.rule, error.wider)
    return [account for group in Group if group in groups for account in permissions.members(group)]


def _names(error: NotYours, books: Books, permissions: Permissions) -> list[str]:
    """A person is named once, whatever accounts they have; somebody who was never met, by their account."""
    groups = entitled(error.rule, error.wider)
    owner = [books.people.get(error.requester).id] if Group.OWNER in groups else []
    barred = books.people.get(error.but).id if error.but else None
    people = dict.fromkeys([*owner, *(_person(account, books) for account in _accounts(error, permissions))])
    crowds = [_crowd(name) for name in permissions.crowds(groups)]
    return [*(books.people.name(person) for person in people if person != barred), *crowds]


def _person(account: Account, books: Books) -> PersonId:
    found = books.people.find(account)
    return found.id if found else PersonId(account)


def _crowd(name: str) -> str:
    known = MEMBERSHIPS[name.partition(":")[0]]
    return f"{known.words} {name.rpartition(':')[2]}"


def _listed(names: list[str]) -> str:
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
