"""Attributes of handles: a mapping, down to the last list in it, whose changes are in the document."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

import zom
from zom import draft, v2, v3
from zom.errors import ConflictError, ReadOnlyError, SpecError
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

FIRST = {"d": {"x": 1, "deep": {"list": [1, {"y": 2}]}}, "list": [3, 1, 2], "n": 5}


@pytest.fixture(params=[v2, v3, draft], ids=["v2", "v3", "draft"])
def node(request):
    return zom.create_group("memory:", request.param.GroupSpec(attributes=FIRST), "g")


def stored(node):
    return zom.open(node.store, node.path).attrs.asdict()


@pytest.fixture(params=["v2", "v3"])
def array(request):
    module = {"v2": v2, "v3": v3}[request.param]
    spec = module.ArraySpec.build(shape=(3,), dtype="int8", attributes=FIRST)
    return zom.create_array("memory:", spec, "a")


def dict_acts():
    yield "set", lambda d: d.__setitem__("x", 2)
    yield "set new", lambda d: d.__setitem__("new", {"a": [1]})
    yield "del", lambda d: d.__delitem__("x")
    yield "pop", lambda d: d.pop("x")
    yield "popitem", lambda d: d.popitem()
    yield "clear", lambda d: d.clear()
    yield "update", lambda d: d.update({"a": 1}, b=(1, 2))
    yield "setdefault", lambda d: d.setdefault("z", [1])
    yield "or", lambda d: d.__ior__({"a": 1})
    yield "deeper", lambda d: d["deep"]["list"][1].__setitem__("y", 3)
    yield "deeper list", lambda d: d["deep"]["list"].append({"z": 1})


def list_acts():
    yield "set", lambda x: x.__setitem__(0, "a")
    yield "set slice", lambda x: x.__setitem__(slice(0, 2), iter([7, 8, 9]))
    yield "del", lambda x: x.__delitem__(0)
    yield "append", lambda x: x.append({"a": 1})
    yield "extend", lambda x: x.extend(iter((1, 2)))
    yield "insert", lambda x: x.insert(0, [1])
    yield "insert before the last", lambda x: x.insert(-1, 9)
    yield "pop", lambda x: x.pop()
    yield "pop first", lambda x: x.pop(0)
    yield "remove", lambda x: x.remove(1)
    yield "clear", lambda x: x.clear()
    yield "reverse", lambda x: x.reverse()
    yield "sort", lambda x: x.sort()
    yield "sort by", lambda x: x.sort(key=lambda n: -n)
    yield "iadd", lambda x: x.__iadd__([4])
    yield "imul", lambda x: x.__imul__(2)
    yield "imul nothing", lambda x: x.__imul__(0)


@pytest.mark.parametrize("act", [act for _, act in dict_acts()], ids=[name for name, _ in dict_acts()])
def test_a_change_of_an_object_is_in_the_store_as_in_a_dict(node, act):
    expected = copy.deepcopy(FIRST)
    returned = act(expected["d"])
    value = node.attrs["d"]
    assert act(value) == returned
    expected = json.loads(json.dumps(expected))
    assert stored(node) == expected
    assert value == expected["d"]
    assert node.attrs.asdict() == expected


@pytest.mark.parametrize("act", [act for _, act in list_acts()], ids=[name for name, _ in list_acts()])
def test_a_change_of_a_list_is_in_the_store_as_in_a_list(node, act):
    expected = copy.deepcopy(FIRST)
    returned = act(expected["list"])
    value = node.attrs["list"]
    assert act(value) == returned
    assert stored(node) == expected
    assert value == expected["list"]


def test_attributes_of_arrays_are_changed_within_too(array):
    array.attrs["d"]["deep"]["list"][1]["y"] = 3
    assert stored(array)["d"]["deep"] == {"list": [1, {"y": 3}]}


def test_what_is_put_in_is_changed_within_too(node):
    value = node.attrs["list"]
    value.append({"a": []})
    value.insert(0, "first")
    value[-1]["a"].append(1)
    assert stored(node)["list"] == ["first", 3, 1, 2, {"a": [1]}]


def test_the_common_way_to_change_a_list_works_as_it_did(node):
    value = node.attrs["list"]
    value.append(9)
    node.attrs["list"] = value
    assert stored(node)["list"] == [3, 1, 2, 9]


def test_what_was_taken_out_is_ones_own(node):
    taken = node.attrs["d"].pop("deep")
    taken["list"].append(5)
    assert stored(node)["d"] == {"x": 1}
    assert taken == {"list": [1, {"y": 2}, 5]}


@pytest.mark.parametrize(
    "copied",
    [
        lambda value: value.copy(),
        copy.copy,
        copy.deepcopy,
        lambda value: pickle.loads(pickle.dumps(value)),
    ],
    ids=["copy", "copy.copy", "deepcopy", "pickle"],
)
def test_a_copy_is_ones_own(node, copied):
    one, other = copied(node.attrs["d"]), copied(node.attrs["list"])
    assert (type(one), type(other)) == (dict, list)
    one["deep"]["list"].append(1)
    other.append(1)
    assert stored(node) == FIRST
    whole = node.attrs.asdict()
    whole["d"]["deep"]["list"].clear()
    assert node.attrs.asdict() == FIRST


def test_each_change_writes_one_document_once():
    store = LoggedStore(MemoryStore())
    node = zom.create_group(store, v3.GroupSpec(attributes=FIRST))
    store.log.calls.clear()
    node.attrs["d"].update(a=1, b=2, c=3)
    assert store.log.counts["write"] == 1


def test_nothing_within_attributes_that_are_read_only_changes(node):
    reading = zom.open_group(node.store, node.path)
    for value, act in [("d", lambda d: d.update(x=2)), ("list", lambda x: x.append(1))]:
        with pytest.raises(ReadOnlyError, match='open it with mode="r\\+"'):
            act(reading.attrs[value])
        assert reading.attrs[value] == FIRST[value]


def test_what_is_no_json_is_refused_and_nothing_changes(node):
    value = node.attrs["d"]
    with pytest.raises(SpecError, match=r"attributes\.d\.x: expected a JSON value, found .*object"):
        value["x"] = object()
    assert stored(node) == FIRST
    assert value == FIRST["d"]


def test_names_that_two_change_in_one_object_are_all_there(node):
    mine, theirs = node.attrs["d"], zom.open_group(node.store, node.path, mode="r+").attrs["d"]
    mine["a"] = 1
    theirs["b"] = 2
    assert stored(node)["d"] == {**FIRST["d"], "a": 1, "b": 2}


def test_a_list_that_others_changed_is_not_changed_at_another_place(node):
    mine = node.attrs["list"]
    zom.open_group(node.store, node.path, mode="r+").attrs["list"].insert(0, 9)
    with pytest.raises(ConflictError) as caught:
        mine[0] = 5
    assert str(caught.value) == (
        "memory://: /g: expected attributes.list to be [3, 1, 2], as it was read, "
        "found [9, 3, 1, 2], which was written meanwhile; read it from attrs again, then change it"
    )
    assert stored(node)["list"] == [9, 3, 1, 2]
    assert mine == [3, 1, 2]


def test_an_object_that_others_took_out_does_not_come_back(node):
    mine = node.attrs["d"]["deep"]
    other = zom.open_group(node.store, node.path, mode="r+")
    del other.attrs["d"]["deep"]
    with pytest.raises(
        ConflictError, match=r"attributes\.d\.deep to be an object, as it was read, found nothing"
    ):
        mine["x"] = 1
    other.attrs["d"] = "text"
    with pytest.raises(ConflictError, match=r"found nothing; read it from attrs again"):
        mine["x"] = 1
    assert stored(node)["d"] == "text"


# --- the mapping itself ----------------------------------------------------------------------------------


def test_put_makes_these_all_the_attributes(node):
    node.attrs.put({"a": {"b": 1}})
    assert stored(node) == {"a": {"b": 1}}
    node.attrs.put({})
    assert stored(node) == {}


def test_pop_and_setdefault_are_those_of_a_dict(node):
    assert node.attrs.pop("n") == 5
    assert node.attrs.pop("n", "none") == "none"
    with pytest.raises(KeyError, match="'n'"):
        node.attrs.pop("n")
    assert node.attrs.setdefault("list", []) == [3, 1, 2]
    node.attrs.setdefault("new", []).append(1)
    assert stored(node) == {"d": FIRST["d"], "list": [3, 1, 2], "new": [1]}


def test_setdefault_keeps_what_another_wrote(node):
    zom.open_group(node.store, node.path, mode="r+").attrs["new"] = 1
    assert node.attrs.setdefault("new", 2) == 1


def test_what_another_wrote_is_what_pop_gives(node):
    zom.open_group(node.store, node.path, mode="r+").attrs["n"] = 6
    assert node.attrs.pop("n") == 6


# --- what could not be read again ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (10**400, r"new: expected an integer of at most 400 digits, found an integer of 1329 bits"),
        (
            "x" * (1 << 24),
            r"expected at most 16777216 bytes, found \d+ bytes; store large data as an array",
        ),
    ],
    ids=["digits", "bytes"],
)
def test_what_could_not_be_read_again_is_not_written(node, value, text):
    with pytest.raises(SpecError, match=text):
        node.attrs["new"] = value
    assert stored(node) == FIRST
    node.attrs["new"] = 1
    assert stored(node) == {**FIRST, "new": 1}
