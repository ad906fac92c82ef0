"""How accounts, groups of people and channels are written, and who overlord.yaml says is in which group."""

import re
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, create_model

from agents.catalog.validation import CONFIG, Model, written_as
from agents.domain.decisions.authority import Group
from bot.config.platforms import OWN, IdForm, platforms

WRITTEN_GROUPS = tuple(group for group in Group if group is not Group.OWNER)  # whose a task is follows from the task

_ACCOUNTS: dict[str, IdForm] = {
    **{spec.name: spec.account for spec in sorted(platforms(), key=lambda spec: spec.name == OWN)},
    "cli": IdForm(pattern=r"cli:[A-Za-z0-9_][A-Za-z0-9_.@\\$-]{0,63}", example="cli:ana (user of this machine)"),
    "github": IdForm(pattern=r"github:[A-Za-z0-9][A-Za-z0-9-]{0,38}", example="github:ana (GitHub login)"),
}
MEMBERSHIPS = {spec.membership.kind: spec.membership for spec in platforms() if spec.membership}
_FORMS = _ACCOUNTS | {kind: known.form for kind, known in MEMBERSHIPS.items()}
EXAMPLE = next(form.example for form in _ACCOUNTS.values()).partition(" ")[0]

# Compiled by whoever finds something to check: most starts do not.
_CROWD = r"(?i:.*[*?\[\]{}].*|all|any|anyone|everyone|here|channel)"
_CHANNEL = rf"({'|'.join(spec.name for spec in platforms())}):[^\s:][^\s]*"


def is_account(written: str) -> bool:
    return written.partition(":")[0] in _ACCOUNTS


def member(written: str) -> str:
    """A well formed member of a group. Ids only: a name, a pattern or a word for a crowd is refused."""
    kind = written.partition(":")[0]
    if re.fullmatch(_CROWD, written):
        raise ValueError(f"`{written}` would let in people nobody named. List each account by its id.")
    if kind not in _FORMS:
        forms = ", ".join(form.example for form in _ACCOUNTS.values())
        raise ValueError(f"`{written}` is not an account, and names do not count. Write {forms}.")
    if not re.fullmatch(_FORMS[kind].pattern, written):
        raise ValueError(f"`{written}` is not an account. Write {_FORMS[kind].example}.")
    return written


def account(written: str) -> str:
    if not is_account(member(written)):
        raise ValueError(f"`{written}` is a group of people. Write one person's account.")
    return written


def channel_name(written: str) -> str:
    if not re.fullmatch(_CHANNEL, written):
        raise ValueError(
            f"`{written}` does not say where it is. Write {OWN}:{written.rpartition(':')[2] or 'general'}."
        )
    return written


Member = Annotated[str, AfterValidator(member)]
Channel = Annotated[str, AfterValidator(channel_name)]
_members: dict[str, Any] = {group: (tuple[Member, ...], ()) for group in WRITTEN_GROUPS}
_WrittenGroups = create_model("WrittenGroups", __config__=CONFIG, **_members)


def _groups(written: BaseModel) -> dict[Group, frozenset[str]]:
    return {Group(group): frozenset(members) for group, members in written}


Groups = Annotated[Mapping[Group, frozenset[str]], written_as(_WrittenGroups, _groups)]
GROUPS: Model[Mapping[Group, frozenset[str]]] = Model(Groups)
