"""zom's dataclasses are those of the standard library in all that can be seen of them."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import itertools
import pickle
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Generic, TypeVar, get_type_hints

import pytest

import zom
from zom.dataclass import dataclass

T = TypeVar("T")


def classes(dataclass):  # noqa: C901 - one class after the other
    """The same classes, by either decorator."""

    @dataclass(frozen=True, slots=True)
    class Empty:
        "Nothing."

    @dataclass(frozen=True)
    class One:
        "One field."

        only: object = 0

    @dataclass(frozen=True, slots=True)
    class Many:
        "Fields of all kinds."

        first: int
        second: list[int] = field(default_factory=list)
        third: object = field(default="x", repr=False)
        fourth: object = field(default=4, compare=False)
        fifth: object = field(default=5, hash=False)
        kept: ClassVar[int] = 6
        _: KW_ONLY
        sixth: str
        seventh: str = field(default="7", kw_only=True)

        @property
        def double(self):
            return 2 * self.first

    @dataclass(frozen=True, slots=True)
    class Filled:
        "A field that is computed."

        given: int
        known: int = field(init=False, default=3)
        made: dict[str, int] = field(init=False, default_factory=dict)
        twice: int = field(init=False)

        def __post_init__(self):
            object.__setattr__(self, "twice", 2 * self.given)

    @dataclass(frozen=True, slots=True, eq=False, repr=False)
    class Itself:
        "Known by itself."

        a: int

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Named:
        "By name only."

        b: int
        a: int = 1

    @dataclass(frozen=True)
    class Own:
        "Methods of its own."

        a: int

        def __repr__(self):
            return f"<{self.a}>"

        def __eq__(self, other):
            return isinstance(other, Own) and abs(self.a - other.a) < 2

        def __hash__(self):
            return 7

        @cached_property
        def late(self):
            return self.a + 1

    @dataclass(frozen=True)
    class Compared:  # noqa: PLW1641 - the decorator gives it one
        "Equality of its own, and no hash."

        a: int

        def __eq__(self, other):
            return True

    class Base(ABC):
        __slots__ = ()

        @abstractmethod
        def size(self): ...

    @dataclass(frozen=True, slots=True)
    class Sized(Base, Generic[T]):
        "Of an abstract class, and generic."

        a: T

        def size(self):
            return 1

        def greet(self):
            return super().__repr__()[:1]

    class Plain(One):
        "Derived, and no dataclass."

    @dataclass(frozen=True)
    class Derived(One):
        "Derived, with a field more."

        more: int = 8

    @dataclass(slots=True)
    class Changing:
        "One that can change."

        a: int = 0

    return {each.__name__: each for each in locals().values() if isinstance(each, type)}


OURS, THEIRS = classes(dataclass), classes(dataclasses.dataclass)
CALLS = [
    ("Empty", (), {}),
    ("Empty", (1,), {}),
    ("One", (), {}),
    ("One", ("x",), {}),
    ("One", ([],), {}),
    ("One", (float("nan"),), {}),
    ("Many", (1,), {"sixth": "s"}),
    ("Many", (1, [2], 3, 4, 5), {"sixth": "s", "seventh": "t"}),
    ("Many", (1, [2], 3, 4, 5, "s"), {}),
    ("Many", (), {"first": 1, "sixth": "s", "second": (9,)}),
    ("Many", (1,), {}),
    ("Many", (), {}),
    ("Many", (1,), {"sixth": "s", "other": 1}),
    ("Many", (1,), {"sixth": "s", "fourth": 40}),
    ("Many", (1, ()), {"sixth": "s", "fifth": []}),
    ("Many", (1, ()), {"sixth": "s"}),
    ("Filled", (2,), {}),
    ("Filled", (2, 3), {}),
    ("Itself", (2,), {}),
    ("Named", (), {"b": 1}),
    ("Named", (1,), {}),
    ("Own", (1,), {}),
    ("Own", (2,), {}),
    ("Compared", (2,), {}),
    ("Sized", ("a",), {}),
    ("Plain", (3,), {}),
    ("Derived", (3, 4), {}),
    ("Derived", (), {}),
    ("Changing", (), {}),
]


def outcome(act):
    """What came of it; of an error, its type and what it says."""
    try:
        return act()
    except Exception as error:  # noqa: BLE001 - whatever it is, the other must give it too
        return f"{type(error).__name__}: {error}"


def seen(made):
    """All that can be asked of an object without another."""
    names = ["first", "a", "only", "given", "twice", "made", "other", "kept", "double", "late"]
    fields = [each.name for each in dataclasses.fields(made)]
    return {
        "repr": repr(made) if "object at" not in repr(made) else "its address",
        "hash": outcome(lambda: isinstance(hash(made), int)),
        "values": {name: outcome(lambda name=name: getattr(made, name)) for name in names},
        "set": {name: outcome(lambda name=name: setattr(made, name, 1)) for name in fields},
        "unset": {name: outcome(lambda name=name: delattr(made, name)) for name in fields},
        "fields": [(each.name, each.type) for each in dataclasses.fields(made)],
        "dict": outcome(lambda: dataclasses.asdict(made)),
        "replaced": outcome(lambda: dataclasses.asdict(dataclasses.replace(made, a=5))),
        "copied": outcome(lambda: dataclasses.asdict(copy.copy(made))),
        "deeply": outcome(lambda: dataclasses.asdict(copy.deepcopy(made))),
        "has a dict": hasattr(made, "__dict__"),
    }


@pytest.mark.parametrize(
    ("name", "given", "named"), CALLS, ids=[f"{i}-{each[0]}" for i, each in enumerate(CALLS)]
)
def test_an_object_is_as_one_of_the_standard_library(name, given, named):
    ours, theirs = (outcome(lambda made=made: made[name](*given, **named)) for made in (OURS, THEIRS))
    if isinstance(theirs, str):
        assert ours == theirs
    else:
        assert seen(ours) == seen(theirs)


def test_objects_are_equal_where_those_of_the_standard_library_are():
    def built(made):
        found = [outcome(lambda call=call: made[call[0]](*call[1], **call[2])) for call in CALLS]
        return [each for each in found if not isinstance(each, str)]

    def related(one, other):
        return one == other, one != other, outcome(lambda: hash(one) == hash(other))

    ours, theirs = (itertools.permutations(built(made), 2) for made in (OURS, THEIRS))
    assert [related(*pair) for pair in ours] == [related(*pair) for pair in theirs]


def test_no_other_attribute_is_set():
    for made in (OURS["One"](), OURS["Many"](1, sixth="s")):
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'other'"):
            made.other = 1
        with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'other'"):
            del made.other
    plain = OURS["Plain"]()
    plain.other = 1
    assert plain.other == 1
    del plain.other
    assert not hasattr(plain, "other")


@pytest.mark.parametrize("name", OURS)
def test_a_class_is_as_one_of_the_standard_library(name):
    ours, theirs = OURS[name], THEIRS[name]
    assert str(inspect.signature(ours)) == str(inspect.signature(theirs))
    for said in (
        "__doc__",
        "__qualname__",
        "__module__",
        "__match_args__",
        "__abstractmethods__",
        "__slots__",
    ):
        assert getattr(ours, said, None) == getattr(theirs, said, None), said
    assert repr(getattr(ours, "__dataclass_params__", None)) == repr(
        getattr(theirs, "__dataclass_params__", None)
    )
    assert ours.__init__.__qualname__ == theirs.__init__.__qualname__
    assert get_type_hints(ours.__init__) == get_type_hints(theirs.__init__)


@dataclass(frozen=True, slots=True)
class Pickled:
    "At the top of a module, as pickle asks."

    a: int
    b: list[int] = field(default_factory=list)


def test_an_object_is_pickled():
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(Pickled(1, [2]), protocol)) == Pickled(1, [2])


def test_a_class_of_the_standard_library_may_derive_from_one():
    @dataclasses.dataclass(frozen=True, slots=True)
    class More(Pickled):
        c: int = 3

    assert repr(More(1))[-20:] == "More(a=1, b=[], c=3)"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'a'"):
        More(1).a = 2


def test_a_class_that_holds_itself_is_shown():
    @dataclass(frozen=True)
    class Ring:
        "A ring."

        inner: list[object]

    ring = Ring([])
    ring.inner.append(ring)
    assert repr(ring).endswith("Ring(inner=[...])")


@pytest.mark.slow
def test_all_classes_of_zom_are_made_by_it():
    sources = Path(zom.__file__).parent
    own = [
        str(file)
        for file in sources.rglob("*.py")
        if file.name != "dataclass.py"
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module == "dataclasses"
        and "dataclass" in {each.name for each in node.names}
    ]
    assert own == []
