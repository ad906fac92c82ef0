"""Who may decide what: which groups an account is in, by its id alone, at the moment it is asked."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from agents.domain.decisions.authority import ChannelPolicy, Group, Rule
from agents.domain.errors import SettingsProblem
from agents.domain.ids import Account, surface_of
from bot.config.accounts import is_account, member

_EVERY_GROUP: frozenset[Group] = frozenset(Group) - {Group.OWNER}  # the owner is whoever asked
_NO_POLICY = ChannelPolicy()
_NO_CHANNELS: Mapping[str, ChannelPolicy] = MappingProxyType({})

# What each kind of person decides, in the words of the `who can approve` answer.
_DECIDES: dict[Group, str] = {
    Group.APPROVER: "plans, scope, budgets, medium gates, merges, proposals, skills, knowledge",
    Group.TECH_LEAD: "gates and merges of high and critical risk",
    Group.SECURITY_TEAM: "gates and merges of high and critical risk",
    Group.DEVOPS_TEAM: "gates and merges of critical risk",
    Group.ADMIN: "which accounts are one person, and who is signed in",
}


class Permissions:
    def __init__(
        self,
        groups: Mapping[Group, frozenset[str]],
        operators: frozenset[Account],
        channels: Mapping[str, ChannelPolicy] = _NO_CHANNELS,
    ) -> None:
        self.replace(groups, operators, channels)

    def replace(
        self,
        groups: Mapping[Group, frozenset[str]],
        operators: frozenset[Account],
        channels: Mapping[str, ChannelPolicy] = _NO_CHANNELS,
    ) -> None:
        """From now on: rights are read when a button is pressed, so everybody who asks here is told the new ones."""
        self._groups = {group: _checked(group, groups.get(group, frozenset())) for group in _EVERY_GROUP}
        self._operators = operators
        self._channels = channels

    def groups_of(self, accounts: Iterable[Account], memberships: Iterable[str] = ()) -> frozenset[Group]:
        """The groups of the person who has these accounts. An account carries its team, so a foreign one differs.

        `memberships` are the user groups and roles that the provider says they are in at this moment.
        """
        mine = frozenset((*accounts, *memberships))
        if mine & self._operators:
            return _EVERY_GROUP
        return frozenset(group for group, members in self._groups.items() if mine & members)

    @property
    def operators(self) -> tuple[Account, ...]:
        return tuple(sorted(self._operators))

    def is_operator(self, accounts: Iterable[Account]) -> bool:
        """Whether the person who has these accounts is the operator."""
        return not self._operators.isdisjoint(accounts)

    def administers(self, accounts: Iterable[Account]) -> bool:
        """Whether they look after people: the operator, and whoever is in the group `admin`."""
        return Group.ADMIN in self.groups_of(accounts)

    def channel(self, name: str) -> ChannelPolicy:
        return self._channels.get(name, _NO_POLICY)

    def hears(self, outsider: bool, groups: frozenset[Group], channel: str) -> bool:
        """Whether somebody is listened to in a channel: outsiders only by its policy, or if they are named."""
        return not outsider or bool(groups) or self.channel(channel).outsiders

    def members(self, group: Group) -> tuple[Account, ...]:
        """Accounts that are named in a group, in a fixed order; the operator is not among them."""
        return tuple(Account(name) for name in sorted(self._groups.get(group, frozenset())) if is_account(name))

    def crowds(self, groups: Iterable[Group]) -> tuple[str, ...]:
        """User groups and roles that are named in these groups; their platform says who is in them."""
        named = {name for group in groups for name in self._groups.get(group, frozenset())}
        return tuple(sorted(name for name in named if not is_account(name)))

    def next_approver(self, number: int) -> Account | None:
        """Whom to turn to when those it was put to are silent: the first, the second, … approver."""
        approvers = self.members(Group.APPROVER)
        return approvers[number] if 0 <= number < len(approvers) else None

    def too_few(self, rule: Rule, channel: str = "") -> int | None:
        """How many people are named to decide by this rule, where these are too few; None when there are enough.

        The operator is one of them only where they can press: on the console that runs on this machine.
        """
        if Group.OWNER in rule.who:
            return None
        if self.crowds(rule.who):
            return None  # how many are in it, only its platform knows
        named = {account for group in rule.who for account in self.members(group)}
        operator_here = any(surface_of(account) == surface_of(channel) for account in self._operators)
        enough = len(named) + operator_here
        return enough if enough < rule.people else None

    def who_can_approve(self) -> tuple[tuple[str, str], ...]:
        """For people to read: the operator, then each group with its members and what they decide."""
        operators = ", ".join(sorted(self._operators)) or "nobody"
        rows = [("operator", f"{operators} (everything)")]
        for group, what in _DECIDES.items():
            members = ", ".join(sorted(self._groups[group])) or "nobody"
            rows.append((group.value, f"{members} ({what})"))
        return tuple(rows)


def _checked(group: Group, members: frozenset[str]) -> frozenset[str]:
    for written in sorted(members):
        try:
            member(written)
        except ValueError as error:
            what, _, next_step = str(error).partition(". ")
            raise SettingsProblem(f"In the group {group}, {what}", next_step=next_step) from error
    return members
