"""`dataclass` for the many frozen ones: their methods are written when they are first needed.

The standard library compiles six methods of every dataclass as its module is loaded, whether or not one is ever made:
a fifth of the program's start. Here a class gets its fields and slots at once, and the library writes the rest of it
on first use. Whatever is not frozen and by keyword goes to the library as it is.
"""

import dataclasses
from collections.abc import Callable
from dataclasses import KW_ONLY, MISSING, Field, FrozenInstanceError, InitVar, field
from inspect import get_annotations
from typing import TYPE_CHECKING, Any, ClassVar

_FROZEN = {"frozen": True, "kw_only": True}
_WRITTEN = ("__init__", "__repr__", "__eq__", "__hash__")  # by the library, when one is first asked for
_OF_INSTANCES = ("__dict__", "__weakref__")


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    """What the library writes down of a dataclass and of a field, so that ours look the same."""

    one: int


_PARAMS = _Pattern.__dataclass_params__  # type: ignore[attr-defined]
_ORDINARY = dataclasses.fields(_Pattern)[0]._field_type  # type: ignore[attr-defined]


def _record(cls: type[Any] | None = None, /, *, slots: bool = False, **options: bool) -> Any:
    if cls is None:
        return lambda decorated: _record(decorated, slots=slots, **options)
    own = get_annotations(cls)
    if options != _FROZEN or any(map(_is_special, own.values())):
        return dataclasses.dataclass(cls, slots=slots, **options)
    fields = {**_inherited(cls), **{name: _field(cls, name, kind) for name, kind in own.items()}}
    return _made(cls, fields, _slots(cls, fields) if slots else {})


def _is_special(kind: object) -> bool:
    """Something between the fields that is no field."""
    if isinstance(kind, str):
        return "ClassVar" in kind or "InitVar" in kind or "KW_ONLY" in kind
    return kind in (ClassVar, KW_ONLY) or isinstance(kind, InitVar) or getattr(kind, "__origin__", None) is ClassVar


def _inherited(cls: type[Any]) -> dict[str, Field[Any]]:
    found: dict[str, Field[Any]] = {}
    for base in cls.__mro__[-1:0:-1]:
        found.update(base.__dict__.get("__dataclass_fields__", {}))
    return found


def _field(cls: type[Any], name: str, kind: Any) -> Field[Any]:
    default = cls.__dict__.get(name, MISSING)
    made: Any = default if isinstance(default, Field) else field(default=default)
    made.name, made.type, made.kw_only, made._field_type = name, kind, True, _ORDINARY
    return made  # type: ignore[no-any-return]


def _slots(cls: type[Any], fields: dict[str, Field[Any]]) -> dict[str, Any]:
    taken = {name for base in cls.__mro__[1:-1] for name in base.__dict__.get("__slots__", ())}
    names = tuple(name for name in fields if name not in taken)
    return {"__slots__": names, "__getstate__": _state, "__setstate__": _set_state}


def _made(cls: type[Any], fields: dict[str, Field[Any]], slots: dict[str, Any]) -> type[Any]:
    """The class anew, as the library does it: slots cannot be given to one that is there already."""
    body = {name: value for name, value in cls.__dict__.items() if name not in fields and name not in _OF_INSTANCES}
    body |= {
        **slots,
        "__dataclass_fields__": fields,
        "__dataclass_params__": _PARAMS,
        "__match_args__": (),
        "__doc__": cls.__doc__ or cls.__name__,
        "__setattr__": _no_change,
        "__delattr__": _no_change,
    }
    library = _Library(cls)
    body |= {name: _Unwritten(name, library) for name in _WRITTEN if name not in cls.__dict__}
    library.to = _again(cls, body)
    return library.to


def _again(cls: type[Any], body: dict[str, Any]) -> type[Any]:
    metaclass: Any = type(cls)
    made: type[Any] = metaclass(cls.__name__, cls.__bases__, body)
    made.__qualname__ = cls.__qualname__
    return made


class _Library:
    """Lets the standard library write the methods: most records are only made, so `__init__` alone, or all the others.

    Two threads may ask: both write the same.
    """

    def __init__(self, plain: type[Any]) -> None:
        self.plain, self.to = plain, plain

    def write(self, asked: str) -> None:
        body = {name: value for name, value in self.plain.__dict__.items() if name not in _OF_INSTANCES}
        made = asked == "__init__"
        options = {"init": made, "repr": not made, "eq": not made, "frozen": True, "kw_only": True}
        written = dataclasses.dataclass(**options)(_again(self.plain, body))
        for name in _WRITTEN:
            if (name == "__init__") is made and isinstance(self.to.__dict__[name], _Unwritten):
                method: Any = written.__dict__[name]
                setattr(self.to, name, method)


class _Unwritten:
    """A method that is asked for the first time."""

    def __init__(self, name: str, library: _Library) -> None:
        self._name, self._library = name, library

    def __get__(self, thing: object, kind: type[Any]) -> Any:
        if self._library.to.__dict__[self._name] is self:
            self._library.write(self._name)
        method: Any = self._library.to.__dict__[self._name]
        return method.__get__(thing, kind)


def _no_change(self: object, name: str, *value: object) -> None:
    raise FrozenInstanceError(f"cannot {'assign to' if value else 'delete'} field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__dataclass_fields__]


def _set_state(self: Any, state: list[Any]) -> None:
    for name, value in zip(self.__dataclass_fields__, state, strict=True):
        object.__setattr__(self, name, value)


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass: Callable[..., Any] = _record
