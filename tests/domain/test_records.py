"""Records are dataclasses in every respect but one: their methods are written late."""

import copy
import dataclasses
import inspect
import pickle
from typing import ClassVar

import pytest
from pydantic import TypeAdapter

from agents.domain.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A place."""

    x: int
    y: int = 0
    names: tuple[str, ...] = ()
    notes: list[str] = dataclasses.field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place(Point):
    z: "int | None" = None

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("too far west")

    @property
    def flat(self) -> bool:
        return self.z is None


@dataclass(frozen=True, kw_only=True)
class Loose:
    x: int
    y: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    number: int
    kinds: ClassVar[int] = 3

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counted)

    __hash__ = None  # type: ignore[assignment]


def test_a_record_is_made_shown_and_compared_as_a_dataclass_is() -> None:
    point = Point(x=1, names=("a",))
    assert repr(point) == "Point(x=1, y=0, names=('a',))"
    assert point == Point(x=1, names=("a",), notes=["not compared"]) != Point(x=2)
    assert hash(point) == hash(Point(x=1, names=("a",)))
    assert Place(x=1) != Point(x=1)
    assert Point(x=1).notes is not Point(x=1).notes


def test_a_record_cannot_be_changed() -> None:
    point = Place(x=1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        del point.z
    with pytest.raises(dataclasses.FrozenInstanceError):
        point.colour = "red"  # type: ignore[attr-defined]
    assert not hasattr(point, "__dict__")


def test_a_record_without_slots_is_the_same_with_a_dict() -> None:
    loose = Loose(x=1)
    assert loose.__dict__ == {"x": 1, "y": 0} and repr(loose) == "Loose(x=1, y=0)"
    assert loose == dataclasses.replace(loose, x=1) and hash(loose) == hash(Loose(x=1))
    for again in (copy.copy(loose), pickle.loads(pickle.dumps(loose))):
        assert again == loose and again is not loose
    with pytest.raises(dataclasses.FrozenInstanceError):
        loose.x = 2  # type: ignore[misc]
    known = TypeAdapter(Loose)
    assert known.validate_json(known.serializer.to_json(loose, exclude_defaults=True)) == loose


def test_what_is_missing_unknown_or_out_of_place_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Point.__init__\(\) missing 1 required keyword-only argument: 'x'"):
        Point()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'w'"):
        Point(x=1, w=2)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Point(1)  # type: ignore[call-arg]


def test_a_record_inherits_and_keeps_its_own_words() -> None:
    place = Place(x=1, z=3)
    assert (place.x, place.y, place.z, place.flat) == (1, 0, 3, False)
    assert [field.name for field in dataclasses.fields(Place)] == ["x", "y", "names", "notes", "z"]
    assert list(Place.__slots__) == ["z"]
    with pytest.raises(ValueError, match="too far west"):
        Place(x=-1)
    assert Counted(number=1) == Counted(number=2)
    assert Counted.kinds == 3


def test_the_tools_for_dataclasses_work_on_records() -> None:
    point = Point(x=1, names=("a",))
    assert dataclasses.is_dataclass(Point)
    assert dataclasses.replace(point, y=5) == Point(x=1, y=5, names=("a",))
    assert dataclasses.asdict(point) == {"x": 1, "y": 0, "names": ("a",), "notes": []}
    assert list(inspect.signature(Point).parameters) == ["x", "y", "names", "notes"]
    assert copy.copy(point) == copy.deepcopy(point) == pickle.loads(pickle.dumps(point)) == point
    assert Point.__doc__ == "A place."
    match Place(x=1, z=2):
        case Point(x=1, y=found):
            assert found == 0


def test_a_record_goes_through_json_and_back() -> None:
    shape = TypeAdapter(Place)
    place = Place(x=1, names=("a", "b"), z=2)
    assert shape.validate_json(shape.dump_json(place)) == place
    assert shape.dump_json(place, exclude_defaults=True) == b'{"x":1,"names":["a","b"],"z":2}'
