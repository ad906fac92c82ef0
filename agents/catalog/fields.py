"""Types of values that several kinds of files share."""

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, GetPydanticSchema, Strict
from pydantic_core import core_schema

from agents.domain.work.scope import odd_pattern

T = TypeVar("T")
Flag = Annotated[bool, Strict()]


class _Misplaced:
    """Stands for the name of something that is written below another name."""

    def __init__(self, below: str) -> None:
        self.below = below


def _own_name(written: str) -> str:
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", written):
        raise ValueError(f"`{written[:60]}` cannot be used as a name. Use small letters, digits and underscores.")
    return written


def _refuse_misplaced(written: object) -> object:
    if isinstance(written, _Misplaced):
        raise ValueError(f"it is written below `{written.below}`. Write `{written.below}`.")
    return written


Name = Annotated[str, AfterValidator(_own_name)]
Title = Annotated[str, BeforeValidator(_refuse_misplaced)]  # of something that is written below its name


def pattern(example: str) -> AfterValidator:
    """Text that matches paths of a repository."""

    def check(written: str) -> str:
        if problem := odd_pattern(written):
            raise ValueError(f"`{written[:60]}` matches no path: {problem}. Write one such as `{example}`.")
        return written

    return AfterValidator(check)


def _add_names(written: Any) -> Any:
    """Copies each name into what is written below it. A different name inside would be found much later."""
    if not isinstance(written, dict):
        return written
    return {key: _add_name(key, below) if isinstance(below, dict) else below for key, below in written.items()}


def _add_name(key: str, below: dict[str, Any]) -> dict[str, Any]:
    return {**below, "name": key if below.get("name", key) == key else _Misplaced(key)}


Named = Annotated[Mapping[Name, T], BeforeValidator(_add_names)]  # things below their names


def written_as(kind: Any, make: Callable[[Any], object]) -> GetPydanticSchema:
    """A value that people write in another form: `Annotated[Role, written_as(WrittenRole, WrittenRole.role)]`."""
    return GetPydanticSchema(lambda _, handler: core_schema.no_info_after_validator_function(make, handler(kind)))
