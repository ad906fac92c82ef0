"""Who may decide, in words."""

from agents.domain.decisions.authority import Group, Rule, entitled
from bot.permissions import Permissions


def who_may(rule: Rule, wider: Rule | None = None) -> str:
    """The rule in words: "the owner or an approver", "two people of security_team, devops_team or tech_lead"."""
    if wider and wider.anybody:
        return "anybody who is heard here"
    names = [_NAMES[group] for group in Group if group in entitled(rule, wider)]
    listed = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if rule.people == 1 or wider:
        return listed
    return f"{rule.people} different people, each {listed}, and not the requester"


_NAMES: dict[Group, str] = {
    Group.OWNER: "the owner of the task",
    Group.APPROVER: "an approver",
    Group.TECH_LEAD: "a tech lead",
    Group.SECURITY_TEAM: "someone on the security team",
    Group.DEVOPS_TEAM: "someone on the devops team",
    Group.ADMIN: "an admin",
}


def nobody_may(permissions: Permissions, rule: Rule, channel: str) -> str | None:
    """What to say when too few people are named to decide by this rule; None when there are enough."""
    enough = permissions.too_few(rule, channel)
    if enough is None:
        return None
    who = f"Only {enough} of the people it needs is named" if enough else "Nobody is named who may decide this"
    by_hand = "" if rule.people > 1 else " Until then only the operator can, with `overlord decisions`."
    return f"{who}: it needs {who_may(rule)}. {_how_to_name(rule.who)}{by_hand}"


def _how_to_name(groups: frozenset[Group]) -> str:
    if Group.APPROVER in groups:
        return "Name them in OVERLORD_APPROVERS, or under `groups: approver:` in overlord.yaml, by account."
    names = " or ".join(f"`{group}:`" for group in Group if group in groups)
    return f"Name them under `groups:` in overlord.yaml, in {names}, by account."
