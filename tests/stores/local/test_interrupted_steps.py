"""Ctrl-C between any two lines of a store: `flush` syncs what was changed, and new trees leave nothing open or hidden."""

# ruff: noqa: PTH208 - what the store does with os is tested with os

import itertools
import os
import shutil
import signal
import sys
from pathlib import Path

import pytest

from zom.errors import StoreError
from zom.stores import local
from zom.stores.local import LocalStore

pytestmark = [
    pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="counts open files in /proc"),
    # Between `os.scandir` and the `with` that closes it, an interrupt leaves that to Python, which does it at once.
    pytest.mark.filterwarnings("ignore:unclosed scandir iterator:ResourceWarning"),
]

_STRIDE = 3
"""Every how many lines: between steps of a store there are more."""

HERE = local.__path__[0]
NEW = {f"g{number % 2}/a/{number}": b"1" for number in range(10)}


def in_turn(store, values):
    with store.writing():
        for key, value in values.items():
            store.set(key, value)


TREES = {
    "a growing tree": lambda store: in_turn(store, {f"c/{number}": b"1" for number in range(3)}),
    "new trees": lambda store: store.set_many(NEW),
    "below groups": lambda store: store.set_many({f"old/{key}": value for key, value in NEW.items()}),
}
STEPS = {
    **TREES,
    "values": lambda store: store.set_many({"old/zarr.json": b"2", "old/b": b"1", "old/c": b"1"}),
    "a value": lambda store: store.set("old/b", b"1"),
    "another value": lambda store: store.set("old/zarr.json", b"2"),
    "a new value": lambda store: store.create("new/b", b"1"),
    "a move": lambda store: store.move("old/zarr.json", "new/zarr.json"),
    "a rename": lambda store: store.rename("old/", "new/"),
    "deletions": lambda store: store.delete_many(["old/zarr.json", "old/a"]),
}


def interrupted(act, store, line):
    """Do `act`, with Ctrl-C before that line of the store; whether there were so many."""
    lines = itertools.count(1)

    def step(frame, event, _arg):
        if event == "line" and next(lines) == line:
            signal.raise_signal(signal.SIGINT)
        return step

    def trace(frame, _event, _arg):
        return step if frame.f_code.co_filename.startswith(HERE) else None

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        act(store)
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return next(lines) > line


def seen(store):
    return {key: store.get(key) for key in store.list()}


def litter(folder):
    names = (name for _, folders, files in os.walk(folder) for name in (*folders, *files))
    return [name for name in names if name.startswith(".zom") or name.endswith("__lock")]


def descriptors():
    return set(os.listdir("/proc/self/fd"))


def each_line(folder, act):
    """Interrupt `act` at each line: the line, what was open before, the values before, and the store afterwards."""
    for line in itertools.count(1, _STRIDE):
        with LocalStore(folder) as store:
            store.set_many({"old/zarr.json": b"1", "old/a": b"1"})
            store._unsynced.keys.clear()
            store._unsynced.failures.clear()
            before, opened = seen(store), descriptors()
            came = interrupted(act, store, line)
            yield line, opened, before, store
        shutil.rmtree(folder)
        if not came:
            assert line > 20
            return


@pytest.mark.parametrize("name", STEPS)
def test_after_an_interrupt_all_that_was_changed_is_noted_for_a_flush(tmp_path, name):
    unknown = {}
    for line, _, before, store in each_line(tmp_path / "x", STEPS[name]):
        after = seen(store)
        changed = {key for key in before.keys() | after.keys() if before.get(key) != after.get(key)}
        noted = [f"{key}/" for key in (store._unsynced.keys | store._unsynced.failures)]
        unknown[line] = [key for key in changed if not any(f"{key}/".startswith(each) for each in noted)]
    assert {line: keys for line, keys in unknown.items() if keys} == {}


@pytest.mark.parametrize("name", STEPS)
def test_after_an_interrupt_a_sweep_of_the_same_process_removes_all_that_is_hidden(tmp_path, name):
    left = {}
    for line, _, _, store in each_line(tmp_path / "x", STEPS[name]):
        store.sweep()
        left[line] = litter(store.root)
    assert {line: names for line, names in left.items() if names} == {}


@pytest.mark.parametrize("name", TREES)
def test_an_interrupt_of_new_trees_leaves_nothing_open_or_hidden(tmp_path, name):
    left = {}
    for line, opened, _, store in each_line(tmp_path / "x", TREES[name]):
        left[line] = [*(descriptors() - opened), *litter(store.root)]
    assert {line: found for line, found in left.items() if found} == {}


def test_what_a_failed_change_left_does_not_make_a_flush_fail(tmp_path):
    with LocalStore(tmp_path) as store:
        store.set("a/b", b"1")
        for act in (lambda: store.set("a/b/c", b"1"), lambda: store.set_many({"a/b/d": b"1", "e": b"1"})):
            with pytest.raises(StoreError):
                act()
            store.flush()
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(StoreError):
            store.set("loop/a", b"1")
        store.flush()
