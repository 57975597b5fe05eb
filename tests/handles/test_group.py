"""Groups as mappings of what lies in them, and handles in other processes."""

from __future__ import annotations

import http.server
import pickle
import re
import subprocess
import sys
import threading
from functools import partial

import numpy as np
import pytest

import zom
from zom import draft, v2, v3
from zom.errors import ConflictError, NotFound, PathError, ReadOnlyError, StoreError
from zom.stores.memory import MemoryStore
from zom.testing.logged import LoggedStore

ARRAY = v3.ArraySpec.build(shape=(4,), dtype="int16", chunks=(2,))
FORMATS = {
    "v2": (v2.GroupSpec(), v2.ArraySpec.build(shape=(4,), dtype="int16", chunks=(2,))),
    "v3": (v3.GroupSpec(), ARRAY),
    "draft": (draft.GroupSpec(), draft.ArraySpec.build(shape=(4,), dtype="int16", chunks=(2,))),
}


@pytest.fixture(params=FORMATS)
def group(request):
    spec, array = FORMATS[request.param]
    group = zom.create_group("memory:", spec, "g")
    group.create("a", array)[:] = [1, 2, 3, 4]
    group.create("b/c", array)
    return group


def test_a_group_maps_names_to_what_lies_in_it(group):
    assert sorted(group) == ["a", "b"]
    assert len(group) == 2
    assert group["a"][:].tolist() == [1, 2, 3, 4]
    assert group["b"].path == "/g/b"
    assert {name: type(node).__name__ for name, node in group.items()} == {"a": "Array", "b": "Group"}


def test_a_path_of_several_names_leads_below(group):
    assert group["b/c"].path == "/g/b/c"
    assert group["b"]["c"].spec == group["b/c"].spec


def test_members_are_told_by_kind(group):
    assert list(group.arrays()) == ["a"]
    assert list(group.groups()) == ["b"]


def test_what_lies_in_a_group_is_deleted_with_all_below_it(group):
    group.delete("b")
    assert list(group) == ["a"]
    group.delete("/a/")
    assert not [key for key in group.store.list() if key.startswith(("g/a", "g/b"))]
    assert not zom.open_group(group.store, "g", mode="r+").members()


@pytest.mark.parametrize("path", ["", "/"])
def test_a_group_does_not_delete_itself(group, path):
    with pytest.raises(PathError, match=r"expected the path of a node below /g; see zom\.delete"):
        group.delete(path)
    assert sorted(group) == ["a", "b"]


def test_deleting_what_is_not_there_is_a_key_error(group):
    with pytest.raises(NotFound, match="/g/z"):
        group.delete("z")


def test_a_group_open_for_reading_deletes_nothing(group):
    with pytest.raises(ReadOnlyError, match="open for reading only"):
        zom.open_group(group.store, "g").delete("a")
    assert sorted(group) == ["a", "b"]


def test_what_is_not_there_is_a_key_error(group):
    for path in ["z", "b/z", "a/z"]:
        with pytest.raises(KeyError) as caught:
            group[path]
        assert isinstance(caught.value, NotFound)
        assert path not in group
    assert group.get("z") is None
    for path in ("a//b", "../a", "a/./b", "z/y", ""):
        assert (group.get(path, 3) == 3) == (path not in group)


@pytest.mark.parametrize("key", [0, ..., (0, 1), slice(None), None, [1], np.zeros(2)], ids=str)
def test_a_group_says_that_it_has_no_elements(group, key):
    found = f"expected the path of a member, found an object of type {type(key).__name__}"
    message = f"{group.path} is a group, which has no elements: {found}"
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        group[key]
    with pytest.raises(TypeError, match=f"^{re.escape(message)}$"):
        group[key] = 1


@pytest.mark.parametrize("path", ["../a", "a//b", ".", "zarr.json", "\0", 5, None])
def test_what_is_no_path_is_not_in_a_group(group, path):
    assert path not in group


def test_members_are_what_lies_in_the_store_now(group):
    other = zom.open_group(group.store, "g", mode="r+")
    other.create("later", group["a"].spec)
    assert "later" in group
    assert len(group) == 3


def test_members_may_be_changed_as_far_as_the_group_may(group):
    group["a"][0] = 9
    reading = zom.open_group(group.store, "g")
    assert reading["a"][0] == 9
    for act in [
        lambda: reading["a"].__setitem__(0, 1),
        lambda: reading.members()["a"].__setitem__(0, 1),
        lambda: reading.attrs.update(x=1),
        lambda: reading.create("z", group["a"].spec),
    ]:
        with pytest.raises(ReadOnlyError, match='open it with mode="r\\+"'):
            act()


def test_what_is_there_already_is_not_made_again(group):
    with pytest.raises(ConflictError):
        group.create("a", group["a"].spec)


def test_attributes_are_written(group):
    group.attrs["n"] = {"deep": [1]}
    assert zom.open_group(group.store, "g").attrs["n"] == {"deep": [1]}
    del group.attrs["n"]
    assert dict(zom.open_group(group.store, "g").attrs) == {}
    with pytest.raises(KeyError):
        del group.attrs["n"]


def test_attributes_that_two_handles_change_are_all_there(group):
    other = zom.open_group(group.store, "g", mode="r+")
    group.attrs["one"] = 1
    other.attrs["two"] = 2
    assert dict(zom.open_group(group.store, "g").attrs) == {"one": 1, "two": 2}


def test_a_group_is_equal_to_itself_alone(group):
    other = zom.open_group(group.store, "g")
    assert group == group  # noqa: PLR0124
    assert group != other
    assert len({group, other, group}) == 2


def test_members_take_one_listing_and_each_document_once():
    store = LoggedStore(MemoryStore())
    group = zom.create_group(store, v3.GroupSpec())
    for number in range(30):
        group.create(f"a{number}", ARRAY)
    before = len(store.log.calls)
    assert len(group) == 30
    calls = store.log.calls[before:]
    assert sum(call.verb == "list" for call in calls) == 1
    assert sum(len(call.keys) for call in calls if call.verb == "read") <= 31


# --- copies of the handle ----------------------------------------------------------------------------


def filled(place):
    group = zom.create_group(place, v3.GroupSpec(attributes={"n": 1}))
    group.create("a", ARRAY)[:] = [1, 2, 3, 4]
    return group


READ = """
import pickle, sys
group = pickle.loads(sys.stdin.buffer.read())
print(group.attrs["n"], group["a"][:].tolist(), group.mode)
"""


def in_another_process(group):
    made = subprocess.run(
        [sys.executable, "-c", READ], input=pickle.dumps(group), capture_output=True, timeout=60, check=False
    )
    assert not made.returncode, made.stderr.decode()
    return made.stdout.decode()


def test_a_group_on_a_local_store_is_read_in_another_process(tmp_path):
    group = filled(tmp_path)
    with group.store.lock("a/c/0"):
        assert in_another_process(group) == "1 [1, 2, 3, 4] r+\n"


def test_a_group_in_a_zip_is_read_in_another_process(tmp_path):
    filled(tmp_path / "g.zip").store.close()
    group = zom.open_group(tmp_path / "g.zip")
    assert group["a"][0] == 1
    assert in_another_process(group) == "1 [1, 2, 3, 4] r\n"


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


def test_a_group_on_a_web_server_is_read_in_another_process(tmp_path):
    filled(tmp_path)
    handler = partial(Quiet, directory=str(tmp_path))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        group = zom.open_group(f"http://127.0.0.1:{server.server_port}/")
        # With a connection that is open here.
        assert group["a"][0] == 1
        assert in_another_process(group) == "1 [1, 2, 3, 4] r\n"
        assert np.asarray(pickle.loads(pickle.dumps(group["a"]))).tolist() == [1, 2, 3, 4]
        group.store.close()
        server.shutdown()


def test_a_group_in_memory_can_not_be_pickled(group):
    with pytest.raises(StoreError, match="a store in memory belongs to its process"):
        pickle.dumps(group)


def test_what_is_printed_of_members_and_attributes_is_bounded():
    array = v3.ArraySpec.build(shape=(3,), dtype="int8")
    group = v3.GroupSpec(
        attributes={f"a{number}": "x" * 100 for number in range(1000)},
        members={f"a{number}": array for number in range(300)} | {"g": v3.GroupSpec(members={})},
    )
    root = zom.materialize(group, MemoryStore())
    for found in (root.members(), root.arrays(), root.attrs):
        assert len(repr(found)) < 3000
        assert "more}" in repr(found)
    assert repr(root.groups()) == "{'g': " + repr(root["g"]) + "}"
